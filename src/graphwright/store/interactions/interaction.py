"""One interaction: the plain data of it, its texts bounded, and its JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from graphwright.store.interactions.secrets import Redactor, before_a_secret

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
