"""Positions of keys and values in a text, reading JSON with them, and the check that JSON can hold the data."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from graphwright.flow._diagnostic_catalog import Code

Children = dict[Any, Any]
"""The positions of the content of a container, by key or index."""

Position = tuple[int, int, int, int, str, Children | None]
"""Start and end of the key (-1 without one), start and end (exclusive) of the value, its style, its children.

Offsets into the text. The style is that of a scalar: quotes, `|`, `>` or nothing. Plain tuples of numbers, because
there is one for every value of a document: heavier objects keep the garbage collector busy for longer than reading
takes.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a reader, at offsets into the text.

    `first` is the other place of a duplicate; `others` are more places with the same finding.
    """

    code: Code
    start: int
    end: int
    message: str
    hint: str = ""
    first: tuple[int, int] | None = None
    others: tuple[tuple[int, int], ...] = ()


class Unreadable(Exception):
    """The text cannot be read; `findings` say why. Never leaves the reader."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__(findings[0].message)
        self.findings = findings


_TOKEN = re.compile(r'[{}\[\]:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+')
_BARE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(-?(?:Infinity|NaN))')


def read_json(text: str) -> tuple[Any, list[Finding]]:
    """The document in the text, and its errors that do not prevent reading. Raises `Unreadable`."""
    duplicates: list[bool] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            duplicates.append(True)
        return made

    def refuse(word: str) -> NoReturn:
        at = next((m.start(1) for m in _BARE.finditer(text) if m.group(1)), 0)
        raise Unreadable(
            Finding(
                Code.NOT_JSON,
                at,
                at + len(word),
                f"`{word}` is not a number that JSON can hold.",
                "Use null or a finite number.",
            )
        )

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    except json.JSONDecodeError as failure:
        at = min(failure.pos, len(text))
        hint = "Check commas, quotes and brackets here and in the line above."
        raise Unreadable(Finding(Code.SYNTAX, at, at, f"Not valid JSON: {failure.msg}.", hint)) from None
    except RecursionError:
        raise Unreadable(Finding(Code.TOO_DEEP, 0, 0, "Objects and lists nest far too deep.")) from None
    except ValueError:
        raise Unreadable(Finding(Code.NOT_JSON, 0, 0, "A number in the document is too large.")) from None
    findings = json_positions(text)[1] if duplicates else []
    problems = plain_findings(data, trusted_keys=True)
    if problems:
        code, path, message, hint = problems[0]
        raise Unreadable(Finding(code, *_range(json_positions(text)[0], path), message, hint))
    return data, findings


def _range(mark: Position, path: tuple[str | int, ...]) -> tuple[int, int]:
    for step in path:
        mark = (mark[5] or {}).get(step, mark)
    return mark[2], mark[3]


def json_positions(text: str) -> tuple[Position, list[Finding]]:
    """The positions of valid JSON, and its duplicate keys."""
    findings: list[Finding] = []
    top: Children = {}
    stack: list[tuple[Children, bool]] = [(top, False)]
    key: Any = None
    key_start = key_end = -1
    opened: list[tuple[Any, int, int, int]] = []
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        first = text[start]
        if first == ":":
            continue
        children, is_object = stack[-1]
        if first in "{[":
            opened.append((key, key_start, key_end, start))
            stack.append(({}, first == "{"))
            key, key_start, key_end = None, -1, -1
            continue
        if first in "}]":
            key, key_start, key_end, start = opened.pop()
            stack.pop()
            inner: Children | None = children
            children, is_object = stack[-1]
            style = ""
        elif is_object and key is None:
            key, key_start, key_end = json.loads(token.group()), start, end
            if key in children:
                message = f"The key `{key}` is here for the second time in one object."
                place = children[key][:2]
                findings.append(Finding(Code.DUPLICATE_FIELD, start, end, message, "Keep one of the two.", place))
            continue
        else:
            inner, style = None, '"' if first == '"' else ""
        children[key if is_object else len(children)] = (key_start, key_end, start, end, style, inner)
        key, key_start, key_end = None, -1, -1
    root: Position = top.get(0, (-1, -1, 0, len(text), "", None))
    return root, findings


MAX_DEPTH = 100
"""The maximum depth of nested mappings and lists."""

MAX_VALUES = 1_000_000
"""The maximum number of values in a document, with aliases expanded."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ATOMS = (str, bool, type(None))


def plain_findings(data: Any, *, trusted_keys: bool = False) -> list[tuple[Code, tuple[str | int, ...], str, str]]:
    """The parts of `data` that JSON cannot hold, as (code, path, message, hint); empty for plain data.

    Works level by level, so that data that contains itself ends at one of the limits.
    """
    found: list[tuple[Code, tuple[str | int, ...], str, str]] = []
    level: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    depth = count = 0
    while level and len(found) < 100:
        depth += 1
        if depth > MAX_DEPTH:
            hint = "No flow needs that: does the data contain itself?"
            return [(Code.TOO_DEEP, level[0][0], f"Mappings and lists nest more than {MAX_DEPTH} deep.", hint)]
        below: list[tuple[tuple[str | int, ...], Any]] = []
        for way, value in level:
            count += len(value)
            if count > MAX_VALUES:
                hint = "Does the data contain itself?"
                return [(Code.ALIASES, way, f"The document holds more than {MAX_VALUES:,} values.", hint)]
            named = isinstance(value, dict)
            for key, item in value.items() if named else enumerate(value):
                if named and not trusted_keys and not isinstance(key, str):
                    found.append((Code.KEY_NOT_TEXT, way, f"The key {key!r} is not a text.", "Use text keys."))
                    continue
                problem = _problem(item)
                if problem is None:
                    below.append(((*way, key), item))
                elif problem:
                    found.append((Code.NOT_JSON, (*way, key), problem, "Use text, numbers, lists, mappings, null."))
        level = below
    return found


def _problem(item: Any) -> str | None:
    """The error in a value; empty if there is none, None for a container that must be examined."""
    if item.__class__ is str or isinstance(item, str):
        if not item.isascii() and _SURROGATE.search(item):
            return "A text contains half of a surrogate pair, which is not a character."
        return "A text contains the character NUL." if "\0" in item else ""
    if isinstance(item, _ATOMS):
        return ""
    if isinstance(item, int):
        return "" if item.bit_length() <= 1024 else "A number is too large."
    if isinstance(item, float):
        return "" if math.isfinite(item) else f"{item} is not a number that JSON can hold."
    if isinstance(item, (dict, list)):
        return None
    return f"A value of the type {type(item).__name__} is not data that JSON can hold."
