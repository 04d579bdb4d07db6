"""What a call may refer to: the ids that exist, as an enum up to a bound, and the nearest of them above it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphwright.text.folding import nearest, normalised

MOST_CHOICES = 60
"""Values up to which a schema lists them. Above it the text is free, and code looks for the exact one."""


def choices(values: Iterable[str], *, most: int = MOST_CHOICES, description: str = "") -> dict[str, Any]:
    """The JSON Schema of a reference to one of these: an enum of at most `most`, else a text.

    >>> choices(["open", "done"])
    {'type': 'string', 'enum': ['open', 'done']}
    """
    known = list(dict.fromkeys(values))
    schema: dict[str, Any] = {"type": "string"}
    if description:
        schema["description"] = description
    if 0 < len(known) <= most:
        schema["enum"] = known
    return schema


def exact(value: str, known: Iterable[str]) -> str | None:
    """The one that is meant: the very same text, else the only one that differs in case, spaces or forms of characters.

    >>> exact("control ", ["Control", "variant"])
    'Control'
    """
    found = list(dict.fromkeys(known))
    if value in found:
        return value
    alike = [each for each in found if normalised(each) == normalised(value)]
    return alike[0] if len(alike) == 1 else None


def not_found(kind: str, value: str, known: Iterable[str]) -> str:
    """What is wrong with a reference, for the model and for people, with the nearest that exists.

    >>> not_found("condition", "contrl", ["control", "variant"])
    "There is no condition 'contrl'. Nearest: 'control'."
    """
    there = list(dict.fromkeys(known))
    shown = value if len(value) <= 80 else value[:80] + "…"
    if near := nearest(value, there):
        return f"There is no {kind} {shown!r}. Nearest: {', '.join(map(repr, near))}."
    rest = f" and {len(there) - 10} more" if len(there) > 10 else ""
    return f"There is no {kind} {shown!r}. There are {', '.join(map(repr, there[:10])) or 'none at all'}{rest}."
