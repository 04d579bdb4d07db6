"""An interaction: plain data with bounded texts, without secrets."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from pydantic import BaseModel, ConfigDict

from graphwright.errors import HIDDEN, redactor
from graphwright.store.rows import storable

_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")
_SHORTEST = 8
"""Minimum length of a value of the environment that is hidden, in characters."""


class Redactor:
    """Removes secrets from texts: those of the environment when it is made, and those that `redact` recognizes."""

    def __init__(self) -> None:
        self._spellings = _spellings()
        self._redact = redactor()

    def text(self, text: str) -> str:
        """Return the text without secrets, NUL and lone surrogates, which databases do not accept."""
        for spelling in self._spellings:
            text = text.replace(spelling, HIDDEN)
        return storable(self._redact(text)).replace("\0", "\N{REPLACEMENT CHARACTER}")

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets in its texts, keys included, or below a key with the name of a secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(name): HIDDEN if isinstance(inner, str) and self._names_secret(name) else self.value(inner)
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        # A password may be a number.
        return HIDDEN if str(value) in self._spellings else value

    def _names_secret(self, name: str) -> bool:
        return HIDDEN in self._redact(f'{name}="x"')


def _spellings() -> list[str]:
    """Return the secrets of the environment in all encodings, the longest first, so that no part of one remains."""
    secrets: set[str] = set()
    for name, value in os.environ.items():
        for password in _PASSWORD_IN_ADDRESS.findall(value):
            secrets |= {password, unquote(password)}
        # The path of a credentials file is not secret.
        if _SECRET_VARIABLE.search(name) and not (os.path.isabs(value) and os.path.exists(value)):
            secrets |= {value, value.strip()}
    found: set[str] = set()
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            raw = secret.encode("utf-8", "surrogateescape")
            encoded = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])
            found |= {secret, *encoded, quote(raw, safe=""), base64.b64encode(raw).decode().rstrip("=")}
    return sorted((each for each in found if each not in HIDDEN), key=len, reverse=True)


LONGEST_TEXT = 100_000
"""Maximum length of each text, and of all metadata together, in characters."""

_DEEPEST, _MOST_VALUES = 100, 100_000


class Interaction(BaseModel):
    """The record of one turn. Validation is strict, and ignores fields of later versions.

    id        unique: the thread's id, a random text from the beginning of the thread, and the number
    session   the thread's id
    number    of the turn in its thread, from 1
    type      such as `question`; agents define their own
    question  the message of the user
    code      the code that was run for it
    result    the result of the code, as text
    success   false if the turn failed, or the agent says so; `error` is then the reason
    metadata  further notes of the agent: a JSON object
    started   the beginning of the turn, ISO 8601 in UTC
    seconds   its duration; of an interrupted turn only the part that finished it
    tokens    of its model calls, in and out
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
        """Return the interaction without secrets, as it is stored."""
        texts = ((name, value) for name, value in self if value and isinstance(value, str | dict))
        return self.model_copy(update={name: redactor.value(value) for name, value in texts})


def as_text(value: Any) -> str:
    """Return a value as text: a text as it is, anything else as JSON if possible. Never raises."""
    plain = "" if value is None else plain_value(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def bounded(text: str) -> str:
    """Return at most `LONGEST_TEXT` characters of a text, with a note on its length if it was cut."""
    if len(text) <= LONGEST_TEXT:
        return text
    # Secrets are removed before the cut: half of one would not be recognized afterwards.
    kept = Redactor().text(text[: 2 * LONGEST_TEXT])[:LONGEST_TEXT]
    return f"{kept}\n[cut: it had {len(text):,} characters]"


def bounded_object(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as a JSON object of about `LONGEST_TEXT` characters; notes replace the largest ones."""
    plain = {str(name): plain_value(value) for name, value in values.items()}
    sizes = {name: len(json.dumps(value, ensure_ascii=False)) + len(name) for name, value in plain.items()}
    left = LONGEST_TEXT
    for name in sorted(sizes, key=lambda name: sizes[name]):
        left -= sizes[name]
        if left < 0:
            plain[name] = f"[left out: {sizes[name]:,} characters]"
    return {name[:200]: value for name, value in plain.items()}


def plain_value(value: Any) -> Any:
    """Return the value in JSON types; other types become texts. Never raises."""
    left = [_MOST_VALUES]

    def plain(value: Any, depth: int) -> Any:
        left[0] -= 1
        if value is None or isinstance(value, bool | str):
            return value
        # Databases do not accept larger numbers, and JSON has no NaN.
        if isinstance(value, int | float) and abs(value) < 2**63:
            return value
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return _safe_text(value)
        # A cyclic value, or one with many references to the same object, would be endless.
        if depth == _DEEPEST or left[0] < 0:
            return "[left out]"
        if isinstance(value, Mapping):
            return {_safe_text(name): plain(inner, depth + 1) for name, inner in value.items()}
        return [plain(inner, depth + 1) for inner in value]

    return plain(value, 0)


def _safe_text(value: Any) -> str:
    try:
        return str(value)
    # The `__str__` of a foreign object may raise anything.
    except Exception:
        return f"({type(value).__name__})"
