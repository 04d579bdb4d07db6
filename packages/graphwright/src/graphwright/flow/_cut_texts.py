"""Texts without quotes that YAML ends at a ` #`, because a comment begins there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_text import Children, Finding, Position

_CUT = re.compile(r"[^\s#:,\[{][ \t]+(#[^\s#][^\n]*|#[^\n]*\{\{[^\n]*)")
"""A `#` after a value that looks like a part of the text: `Room #1`, `#{{ ticket }}`. Comments begin with a space."""

_TEXTS = frozenset(
    {"prompt", "invalid_prompt", "say", "message", "title", "description", "label", "summary", "instruction"}
)
_LISTS = frozenset({"enum", "examples", "x-titles"})
_MAX_SHOWN = 40


def cut_texts(text: str, positions: Position) -> list[Finding]:
    """One finding for each text for people, or option, that a comment seems to cut off."""
    cuts = {match.start() + 1: match for match in _CUT.finditer(text)}
    found: list[Finding] = []
    for start, end in _plain_texts(positions, "") if cuts else ():
        match = cuts.get(end)
        if match is None:
            continue
        comment = match[1]
        shown = text[start:end] if end - start <= _MAX_SHOWN else f"...{text[end - _MAX_SHOWN : end]}"
        message = f"YAML begins a comment at `{comment[:_MAX_SHOWN]}`, so this text ends with `{shown}`."
        hint = "Put the whole text in quotes; if it is a comment, write a space after `#`."
        if "{{" in comment:
            hint = "Put the whole text in quotes."
        found.append(Finding(Code.TEXT_CUT, start, match.end(), message, hint))
    return found


def _plain_texts(position: Position, field: str) -> Iterator[tuple[int, int]]:
    """Start and end of each text for people, and of each option, that has no quotes."""
    todo: list[tuple[Position, str]] = [(position, field)]
    while todo:
        (_, _, start, end, style, children), name = todo.pop()
        if children is not None:
            todo += list(_inside(children, name))
        elif not style and name in _TEXTS | _LISTS:
            yield start, end


def _inside(children: Children, name: str) -> Iterator[tuple[Position, str]]:
    for step, position in children.items():
        yield position, name if isinstance(step, int) or name == "x-titles" else step
