"""One interaction: the plain data of it, its texts bounded and without secrets, and its JSON."""

from __future__ import annotations

import base64
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from graphwright.errors import HIDDEN, redact
from graphwright.store.rows import storable

_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")
_SHORTEST = 8

_WORD_BREAK = 4_000
"""Characters within which a cut looks for white space, since a word may be half of a password."""


class Redactor:
    """Takes secrets out of texts: those of the environment as it is now, and what `redact` knows by its shape."""

    def __init__(self) -> None:
        self._spellings = _spellings()

    def text(self, text: str) -> str:
        """The text without secrets, and without what no database takes: NUL and halves of surrogate pairs."""
        for spelling in self._spellings:
            if spelling in text:
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
        return self.value(str(value)) if str(value) in self._spellings else value


def before_a_secret(text: str, limit: int) -> int:
    """Where to cut a text that is longer than `limit`: at white space if there is some, and in no secret."""
    end = limit
    broken = re.search(r"\s\S*\Z", text[max(end - _WORD_BREAK, 0) : end])
    if broken is not None and not text[end].isspace():
        end = max(end - _WORD_BREAK, 0) + broken.start()
    moved = True
    while moved:
        moved = False
        for spelling in _spellings():
            start = text.find(spelling, max(end - len(spelling) + 1, 0), end + len(spelling) - 1)
            if 0 <= start < end:
                end, moved = start, True
    return end


def _spellings() -> list[str]:
    """The secrets of the environment as they may be written, the longest first, so that no half is left of one."""
    found = {spelling for secret in _secrets(os.environ) for spelling in _written(secret)}
    return sorted((each for each in found if each not in HIDDEN), key=lambda each: (-len(each), each))


def _secrets(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        for password in _PASSWORD_IN_ADDRESS.findall(value):
            yield from _long_enough((password, unquote(password)))
        # The path of a file with credentials is no secret.
        if _SECRET_VARIABLE.search(name) and not (os.path.isabs(value) and os.path.exists(value)):
            yield from _long_enough((value, value.strip()))


def _long_enough(values: Iterable[str]) -> Iterator[str]:
    return (value for value in values if len(value) >= _SHORTEST)


def _written(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogateescape")
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    yield quote(raw, safe="")
    yield quote_plus(raw)
    yield base64.b64encode(raw).decode().rstrip("=")


def _names_secret(name: str) -> bool:
    return HIDDEN in redact(f'{name}="x"')


LONGEST_TEXT = 100_000
"""Characters of each text, and of all metadata together, that are kept."""

_DEEPEST, _MOST_VALUES = 100, 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What an agent did in one turn.

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
    metadata: Mapping[str, Any] = field(default_factory=dict)
    started: str
    seconds: float
    model_calls: int
    tokens: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def redacted(self, redactor: Redactor) -> Interaction:
        """The interaction as it may be kept."""
        texts = {each.name: redactor.text(getattr(self, each.name)) for each in fields(self) if each.type == "str"}
        return replace(self, **texts, metadata=redactor.value(self.metadata))  # type: ignore[arg-type]

    @classmethod
    def from_json(cls, data: Any) -> Interaction:
        """The interaction of what `to_json` gave; fields of a later version are passed over. Raises ValueError."""
        if not isinstance(data, dict):
            raise ValueError("it is no object")
        known: dict[str, Any] = {}
        for each in fields(cls):
            value = data.get(each.name)
            if not isinstance(value, _TYPES[str(each.type)]) or (isinstance(value, bool) and each.type != "bool"):
                raise ValueError(f"{each.name} is missing or of the wrong type")
            known[each.name] = value
        return cls(**known)


_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "Mapping[str, Any]": dict,
}


def as_text(value: Any) -> str:
    """A value as text: a text stays as it is, anything else becomes JSON where it can. Never raises."""
    plain = "" if value is None else plain_value(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def bounded(text: str) -> str:
    """At most `LONGEST_TEXT` characters of a text, and how many more there were. No secret is cut in two."""
    if len(text) <= LONGEST_TEXT:
        return text
    end = before_a_secret(text, LONGEST_TEXT)
    return f"{text[:end]}\n[cut: {len(text) - end:,} more characters]"


def bounded_object(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as a JSON object of about `LONGEST_TEXT` characters; the largest ones give way to their sizes."""
    plain = {str(name): plain_value(value) for name, value in values.items()}
    sizes = {name: len(json.dumps(value, ensure_ascii=False)) + len(name) for name, value in plain.items()}
    left = LONGEST_TEXT
    kept = set()
    for name in sorted(sizes, key=lambda name: sizes[name]):
        left -= sizes[name]
        if left < 0:
            break
        kept.add(name)
    return {
        name[:200]: value if name in kept else f"[left out: {sizes[name]:,} characters]"
        for name, value in plain.items()
    }


def plain_value(value: Any) -> Any:
    """The value as JSON has it; what JSON does not have becomes text. Never raises."""
    left = [_MOST_VALUES]

    def plain(value: Any, depth: int) -> Any:
        left[0] -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str(value)
        if isinstance(value, int):
            # Neither does a database take larger ones, nor does Python write down those of thousands of digits.
            return int(value) if abs(value) < 2**63 else "[a huge number]"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(value)
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
