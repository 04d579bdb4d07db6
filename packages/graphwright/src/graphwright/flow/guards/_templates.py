"""Templates: texts with `{{ CEL }}` in them, parsed and rendered."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from graphwright.flow.guards.__dates import moment_text
from graphwright.flow.guards._program import Guard
from graphwright.flow.guards._syntax_tree import path_of, position
from graphwright.flow.guards._vocabulary import Problem


@dataclass(frozen=True, slots=True)
class Hole:
    """The expression between two pairs of braces; `offset` is the code point at which it starts."""

    offset: int
    text: str


_TOKEN = re.compile(
    r"""'{3}.*?'{3}|"{3}.*?"{3}|[rR]'[^']*'|[rR]"[^"]*"|'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|['"{}]""",
    re.DOTALL,
)
"""A quoted text, a quote that is not closed, or a brace."""


def take_apart(text: str) -> list[str | Hole] | Problem:
    """Literal texts and holes, in order. A quoted `}}` inside a hole does not close it."""
    parts: list[str | Hole] = []
    at = 0
    while (opening := text.find("{{", at)) >= 0:
        if opening > at:
            parts.append(text[at:opening])
        end = _closing(text, opening + 2)
        if end < 0:
            hint = "write `{{ answers.name }}`; a quote may be open"
            return Problem("template", "`{{` is never closed", *position(text, opening), hint=hint)
        inner = text[opening + 2 : end]
        if not inner.strip():
            hint = "write `{{ answers.name }}`; two plain braces are `{{ '{{' }}`"
            return Problem("template", "There is nothing between `{{` and `}}`", *position(text, opening), hint=hint)
        parts.append(Hole(opening + 2 + len(inner) - len(inner.lstrip()), inner.strip()))
        at = end + 2
    if at < len(text):
        parts.append(text[at:])
    return parts


def _closing(text: str, at: int) -> int:
    """The end of the hole that starts at `at`, or -1. Quotes and the braces of maps are skipped."""
    depth = 0
    for found in _TOKEN.finditer(text, at):
        token = found[0]
        if token in ("'", '"'):
            break
        if token == "}" and not depth and text.startswith("}}", found.start()):
            return found.start()
        depth += (token == "{") - (token == "}")
    return -1


Titled = Callable[[tuple[str, ...], Any], str | None]
"""The words for the value at a path; None for the value itself."""


class Template:
    """A text with `{{ CEL }}` in it and its compiled `expressions`. Any number of threads may render it."""

    __slots__ = ("_parts", "expressions", "reads", "text")

    def __init__(self, text: str, parts: Sequence[str | Guard]) -> None:
        self.text = text
        self._parts = tuple(parts)
        self.expressions = tuple(part for part in parts if isinstance(part, Guard))
        self.reads: frozenset[str] = frozenset().union(*(program.reads for program in self.expressions))

    def render(self, values: Mapping[str, Any], titled: Titled | None = None) -> str:
        """The text with its expressions filled in. Values that are missing or cannot be computed are left empty.

        `titled` words the value of an expression that is only a path, such as `answers.venue`.
        """
        return "".join([part if isinstance(part, str) else _filled(part, values, titled) for part in self._parts])

    def fill(self, values: Mapping[str, Any], written: Callable[[Any], str] | None = None) -> Any:
        """The text with its expressions filled in, or the value of the only expression that it consists of.

        With `written` the result is always a text, in which that function writes each value. Raises UnfilledError for a
        value that is missing or cannot be computed.
        """
        parts = [part if isinstance(part, str) else _value(part, values) for part in self._parts]
        if written is None and len(self._parts) == len(self.expressions) == 1:
            return parts[0]
        write = written or format_value
        return "".join(
            [text if isinstance(part, str) else write(text) for part, text in zip(self._parts, parts, strict=True)]
        )


Place = tuple[str | int, ...]


class UnfilledError(Exception):
    """An expression of a parameter has no value; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that a node passes to an action: JSON in which texts with expressions are templates."""

    values: Mapping[str, Any]

    def fill(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters over the values of guards and templates.

        A text that is one expression, `"{{ answers.rooms }}"`, becomes its value, and any other text is filled in; in a
        `url` the values are percent-encoded texts. Raises UnfilledError for an expression without a value.
        """
        return {
            name: _url(value, values) if name == "url" else _inside(value, values)
            for name, value in self.values.items()
        }

    def to_json(self) -> dict[str, Any]:
        """The parameters as the document has them, with the text of each template."""
        return {name: _written(value) for name, value in self.values.items()}

    def templates(self, path: Place = ()) -> Iterator[tuple[Place, Template]]:
        """All templates in the parameters, which are at `path`, with their paths."""
        yield from _templates(path, self.values)


def _templates(path: Place, value: Any) -> Iterator[tuple[Place, Template]]:
    if isinstance(value, Template):
        yield path, value
    elif isinstance(value, Mapping | list):
        for step, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _templates((*path, step), part)


def _written(value: Any) -> Any:
    if isinstance(value, Template):
        return value.text
    if isinstance(value, Mapping):
        return {name: _written(part) for name, part in value.items()}
    return [_written(part) for part in value] if isinstance(value, list) else value


def _inside(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Template):
        return value.fill(values)
    if isinstance(value, Mapping):
        return {name: _inside(part, values) for name, part in value.items()}
    return [_inside(part, values) for part in value] if isinstance(value, list) else value


def _url(value: Any, values: Mapping[str, Any]) -> Any:
    if not isinstance(value, Template):
        return value

    def encoded(part: Any) -> str:
        text = format_value(part)
        if text in ("", ".", ".."):
            # Such a part would turn the address of one thing into that of another one, or of all of them.
            raise UnfilledError(f"a value in the address {value.text!r} is empty or consists of dots")
        return quote(text, safe="")

    return value.fill(values, encoded)


def _filled(program: Guard, values: Mapping[str, Any], titled: Titled | None) -> str:
    verdict = program.evaluate(values)
    if verdict.error:
        return ""
    path = path_of(program.tree) if titled is not None else None
    title = titled(path, plain_value(verdict.value)) if titled is not None and path is not None else None
    return format_value(verdict.value) if title is None else title


def _value(program: Guard, values: Mapping[str, Any]) -> Any:
    verdict = program.evaluate(values)
    if verdict.error:
        raise UnfilledError(f"`{program.text}` has no value: {verdict.error}")
    return plain_value(verdict.value)


def format_value(value: Any) -> str:
    """A value for use inside a sentence: 40 for 40.0, a list with commas, an object as JSON, nothing for null."""
    plain = plain_value(value)
    if plain is None:
        return ""
    if isinstance(plain, list) and not any(isinstance(part, list | dict) for part in plain):
        return ", ".join(map(format_value, plain))
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
    if isinstance(value, datetime):
        return moment_text(value)
    return str(value)
