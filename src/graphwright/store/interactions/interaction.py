"""One interaction: the plain data of it, and its texts, bounded and without secrets."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from pydantic import BaseModel, ConfigDict

from graphwright.errors import HIDDEN, redact
from graphwright.store.rows import storable

_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")
_SHORTEST = 8
"""Characters that a value of the environment must have to be hidden wherever it stands."""


class Redactor:
    """Takes secrets out of texts: those of the environment as it is now, and what `redact` knows by its shape."""

    def __init__(self) -> None:
        self._spellings = _spellings()

    def text(self, text: str) -> str:
        """The text without secrets, and without what no database takes: NUL and halves of surrogate pairs."""
        for spelling in self._spellings:
            text = text.replace(spelling, HIDDEN)
        return storable(redact(text)).replace("\0", "\N{REPLACEMENT CHARACTER}")

    def value(self, value: Any) -> Any:
        """A JSON value with no secret in any of its texts, keys included, nor below a key named like one."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(name): HIDDEN if isinstance(inner, str) and _names_secret(name) else self.value(inner)
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        # A password may be a number.
        return HIDDEN if str(value) in self._spellings else value


def _spellings() -> list[str]:
    """The secrets of the environment as they may be written, the longest first, so that no half is left of one."""
    secrets: set[str] = set()
    for name, value in os.environ.items():
        for password in _PASSWORD_IN_ADDRESS.findall(value):
            secrets |= {password, unquote(password)}
        # The path of a file with credentials is no secret.
        if _SECRET_VARIABLE.search(name) and not (os.path.isabs(value) and os.path.exists(value)):
            secrets |= {value, value.strip()}
    found: set[str] = set()
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            raw = secret.encode("utf-8", "surrogateescape")
            encoded = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])
            found |= {secret, *encoded, quote(raw, safe=""), base64.b64encode(raw).decode().rstrip("=")}
    return sorted((each for each in found if each not in HIDDEN), key=len, reverse=True)


def _names_secret(name: str) -> bool:
    return HIDDEN in redact(f'{name}="x"')


LONGEST_TEXT = 100_000
"""Characters of each text, and of all metadata together, that are kept."""

_DEEPEST, _MOST_VALUES = 100, 100_000


class Interaction(BaseModel):
    """What an agent did in one turn. Validation is strict and passes over fields of a later version.

    id           names it among all: the thread's id, something random made when the thread began, and the number
    session      the thread's id
    number       of the turn in its thread, from 1
    type         such as `question`; agents have their own
    question     what the user said
    code         what was run for it
    result       what that came to, as text
    success      false where the turn failed, or the agent said so; `error` then says why
    metadata     whatever else the agent noted: a JSON object
    started      when the turn began, ISO 8601 in UTC
    seconds      how long it took; of a turn that was cut short, the part that finished it
    tokens       of its model calls, in and out
    """

    model_config = ConfigDict(frozen=True, strict=True)

    id: str
    session: str
    agent: str
    number: int
    type: str
    question: str
    code: str
    result: str
    reply: str
    success: bool
    error: str
    metadata: dict[str, Any]
    started: str
    seconds: float
    model_calls: int
    tokens: int

    def redacted(self, redactor: Redactor) -> Interaction:
        """The interaction as it may be kept."""
        return self.model_copy(
            update={name: redactor.value(value) for name, value in self if isinstance(value, str | dict)}
        )


def as_text(value: Any) -> str:
    """A value as text: a text stays as it is, anything else becomes JSON where it can. Never raises."""
    plain = "" if value is None else plain_value(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def bounded(text: str) -> str:
    """At most `LONGEST_TEXT` characters of a text, and how many it had."""
    if len(text) <= LONGEST_TEXT:
        return text
    # Secrets go before the cut: half of one would not be known afterwards.
    kept = Redactor().text(text[: 2 * LONGEST_TEXT])[:LONGEST_TEXT]
    return f"{kept}\n[cut: it had {len(text):,} characters]"


def bounded_object(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as a JSON object of about `LONGEST_TEXT` characters; the largest ones give way to their sizes."""
    plain = {str(name): plain_value(value) for name, value in values.items()}
    sizes = {name: len(json.dumps(value, ensure_ascii=False)) + len(name) for name, value in plain.items()}
    left = LONGEST_TEXT
    for name in sorted(sizes, key=lambda name: sizes[name]):
        left -= sizes[name]
        if left < 0:
            plain[name] = f"[left out: {sizes[name]:,} characters]"
    return {name[:200]: value for name, value in plain.items()}


def plain_value(value: Any) -> Any:
    """The value as JSON has it; what JSON does not have becomes text. Never raises."""
    left = [_MOST_VALUES]

    def plain(value: Any, depth: int) -> Any:
        left[0] -= 1
        if value is None or isinstance(value, bool | str):
            return value
        # No database takes larger numbers, and JSON has no NaN.
        if isinstance(value, int | float) and abs(value) < 2**63:
            return value
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return _said(value)
        # Something that holds itself, or the same thing often, would go on for ever.
        if depth == _DEEPEST or left[0] < 0:
            return "[left out]"
        if isinstance(value, Mapping):
            return {_said(name): plain(inner, depth + 1) for name, inner in value.items()}
        return [plain(inner, depth + 1) for inner in value]

    return plain(value, 0)


def _said(value: Any) -> str:
    try:
        return str(value)
    # What somebody else's object does when it is asked for its text is not foreseeable.
    except Exception:
        return f"({type(value).__name__})"
