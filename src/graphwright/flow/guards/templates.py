"""Templates: texts with `{{ CEL }}` in them, parsed and rendered."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.flow.guards.model import Problem
from graphwright.flow.guards.program import Guard
from graphwright.flow.guards.syntax_tree import position

_OPEN, _CLOSE = "{{", "}}"


@dataclass(frozen=True, slots=True)
class Hole:
    """The expression between two pairs of braces; `offset` is the code point at which it starts."""

    offset: int
    text: str


def take_apart(text: str) -> list[str | Hole] | Problem:
    """Literal texts and holes, in order. A quoted `}}` inside a hole does not close it."""
    parts: list[str | Hole] = []
    at = 0
    while (opening := text.find(_OPEN, at)) >= 0:
        if opening > at:
            parts.append(text[at:opening])
        start = opening + len(_OPEN)
        end = _closing(text, start)
        if end < 0:
            message = "`{{` is never closed"
            return Problem(
                "template", message, *position(text, opening), hint="write `{{ answers.name }}`; a quote may be open"
            )
        inner = text[start:end]
        if not inner.strip():
            hint = "write `{{ answers.name }}`; two plain braces are `{{ '{{' }}`"
            return Problem("template", "Nothing stands between `{{` and `}}`", *position(text, opening), hint=hint)
        lead = len(inner) - len(inner.lstrip())
        parts.append(Hole(start + lead, inner.strip()))
        at = end + len(_CLOSE)
    if at < len(text):
        parts.append(text[at:])
    return parts


def _closing(text: str, at: int) -> int:
    """Where the hole that starts at `at` is closed, or -1. Quotes and the braces of maps are stepped over."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "'\"":
            raw = text[at - 1] in "rR" and not text[at - 2].isalnum()
            at = _past_quote(text, at, raw)
            continue
        if char == "{":
            depth += 1
        elif char == "}":
            if depth == 0 and text.startswith(_CLOSE, at):
                return at
            depth -= 1
        at += 1
    return -1


def _past_quote(text: str, at: int, raw: bool) -> int:
    mark = text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]
    at += len(mark)
    while at < len(text):
        if text[at] == "\\" and not raw:
            at += 2
        elif text.startswith(mark, at):
            return at + len(mark)
        else:
            at += 1
    return at


class Template:
    """A text with `{{ CEL }}` in it, to be rendered from any number of threads. `expressions` are what it holds."""

    __slots__ = ("_parts", "expressions", "reads", "text")

    def __init__(self, text: str, parts: Sequence[str | Guard]) -> None:
        self.text = text
        self._parts = tuple(parts)
        self.expressions = tuple(part for part in parts if isinstance(part, Guard))
        self.reads: frozenset[str] = frozenset().union(*(program.reads for program in self.expressions))

    def render(self, values: Mapping[str, Any]) -> str:
        """The text with its expressions filled in; what has no value, or cannot be computed, is left empty."""
        return "".join([part if isinstance(part, str) else _filled(part, values) for part in self._parts])


def _filled(program: Guard, values: Mapping[str, Any]) -> str:
    verdict = program.evaluate(values)
    return "" if verdict.error else said(verdict.value)


def said(value: Any) -> str:
    """A value as it reads inside a sentence: 40 for 40.0, a list with commas, an object as JSON, nothing for null."""
    plain = plain_value(value)
    if plain is None:
        return ""
    if isinstance(plain, list) and not any(isinstance(part, list | dict) for part in plain):
        return ", ".join(map(said, plain))
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False, sort_keys=True)


def plain_value(value: Any) -> Any:
    """A result of the CEL library as plain JSON values; a whole double becomes an integer."""
    if hasattr(value, "value"):
        value = value.value()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() and abs(value) < 1e15 else value
    if isinstance(value, int):
        return value
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode(errors="replace")
    if isinstance(value, Mapping) or hasattr(value, "items"):
        return {str(plain_value(key)): plain_value(part) for key, part in value.items()}
    if hasattr(value, "__iter__"):
        return [plain_value(part) for part in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)
