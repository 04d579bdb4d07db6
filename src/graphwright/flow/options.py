"""Options: the closed choice that a JSON Schema offers, with the titles that people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """One value that a question offers; `title` is what people read."""

    value: Any
    title: str

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "title": self.title}


def options_of(schema: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options that a JSON Schema offers, in its order; none when it does not offer a closed choice.

    Understands `enum` (with `x-titles: {value: title}`), `const`, `oneOf`/`anyOf` whose branches all have a `const` or
    an `enum`, and booleans. Null is no option.
    """
    titles = schema.get("x-titles")
    named: Mapping[str, Any] = titles if isinstance(titles, Mapping) else {}
    if schema.get("type") == "boolean" and "const" not in schema and "enum" not in schema:
        return Option(True, title_of(True)), Option(False, title_of(False))
    found = _listed(schema)
    return tuple(Option(v, str(title or named.get(str(v)) or title_of(v))) for v, title in found if v is not None)


def _listed(schema: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    if "const" in schema:
        return [(schema["const"], schema.get("title"))]
    if isinstance(schema.get("enum"), list):
        return [(value, None) for value in schema["enum"]]
    for word in ("oneOf", "anyOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and branches:
            branches = [b for b in branches if not (isinstance(b, Mapping) and b.get("type") == "null")]
            if not all(isinstance(b, Mapping) and ("const" in b or "enum" in b) for b in branches):
                return []
            return [pair for branch in branches for pair in _listed(branch)]
    return []


def title_of(value: Any) -> str:
    """A value as people read it where nobody gave it a title."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(str(value).replace("_", " ").split()) or str(value)
