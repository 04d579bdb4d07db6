"""Joining the values of two layers: lists, texts, and conditions by `&&`, with the origin of each part."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from graphwright.flow.layers._strategies import Strategy
from graphwright.flow.layers._tree import Origin, Value

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_TOKEN = re.compile(
    r"""[rR][bB]?(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"]*"|'[^']*')
    |\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'
    |//[^\n]*|&&|\w+|.""",
    re.VERBOSE | re.DOTALL,
)
"""A token of CEL, as far as parentheses and `&&` are concerned: literals, comments, words and single characters."""


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON: 1 is not true."""
    return bool(one == other) and (one.__class__ is str or _text(one) == _text(other))


def inner_origin(origin: Origin, step: str | int) -> Origin:
    """The origin of a value in a list or mapping."""
    if origin.inner is not None and step in origin.inner:
        return origin.inner[step]
    return Origin(origin.source, (*origin.path, step))


def joined(lower: Value, upper: Value, strategy: str, condition: str = "") -> Value | None:
    """The value made of both by `append` or `concat`; `lower` itself if it has everything; None if it is impossible.

    `condition` is the name of the field if it is a condition.
    """
    one, other = lower.data, upper.data
    if isinstance(one, list) and isinstance(other, list):
        return _list(lower, upper, distinct=strategy == Strategy.APPEND)
    if not isinstance(one, str) or not isinstance(other, str):
        return None
    if strategy == Strategy.CONCAT and not condition:
        parts = (*_parts(lower), (len(one) + 1, 0, upper.origin))
        return Value(f"{one}\n{other}", Origin(lower.origin.source, lower.origin.path, parts=parts))
    if (
        not condition
        or "else" in (one, other)
        or (condition == "validate" and (_NAME.match(one) or _NAME.match(other)))
    ):
        # `else` and the name of a registered validator are not expressions.
        return None
    return _condition(lower, upper)


def _list(lower: Value, upper: Value, *, distinct: bool) -> Value:
    items = list(lower.data)
    inner: dict[str | int, Origin] = {place: inner_origin(lower.origin, place) for place in range(len(items))}
    known = set(map(_text, items)) if distinct else set()
    for place, item in enumerate(upper.data):
        if distinct and _text(item) in known:
            continue
        known.add(_text(item))
        inner[len(items)] = inner_origin(upper.origin, place)
        items.append(item)
    if len(items) == len(lower.data):
        return lower
    return Value(items, Origin(lower.origin.source, lower.origin.path, inner))


def _condition(lower: Value, upper: Value) -> Value | None:
    parts = condition_parts(lower.data)
    if not parts or not condition_parts(upper.data):
        return None
    known = {part for part, _ in parts}
    new = [(part, shift) for part, shift in condition_parts(upper.data) if part not in known]
    if not new:
        return lower
    text, origins = lower.data, list(lower.origin.parts)
    if not origins:
        text, origins = "", []
        for part, shift in parts:
            text += " && " if text else ""
            origins.append((len(text), shift, lower.origin))
            text += part
    for part, shift in new:
        text += " && "
        origins.append((len(text), shift, upper.origin))
        text += part
    return Value(text, Origin(lower.origin.source, lower.origin.path, parts=tuple(origins)))


def _parts(value: Value) -> tuple[tuple[int, int, Origin], ...]:
    return value.origin.parts or ((0, 0, value.origin),)


@lru_cache(maxsize=1_000)
def condition_parts(text: str) -> Sequence[tuple[str, int]]:
    """The parts of `(a) && (b)`, each in its parentheses. Any other expression is one part, put in parentheses.

    The number of a part is the offset in it minus that in the text. Without parts, a parenthesis or a quote has no
    counterpart, and joining the text could give it another meaning.
    """
    parts: list[tuple[str, int]] = []
    depth, begin, is_next, is_whole = 0, 0, True, False
    for token in _TOKEN.finditer(text):
        value = token.group()
        if value == "(":
            is_whole |= depth == 0 and not is_next
            begin = begin if depth else token.start()
            depth += 1
            is_next = False
        elif value == ")":
            depth -= 1
            if depth == 0:
                parts.append((text[begin : token.end()], -begin))
        elif value in ("'", '"') or depth < 0:
            return ()
        elif depth == 0 and not value.isspace():
            is_whole |= value != "&&" or is_next
            is_next = True
    if depth:
        return ()
    # A comment would hide the parenthesis.
    return [(f"({text}\n)" if "//" in text else f"({text})", 1)] if is_whole or is_next or not parts else parts


_encoded = json.JSONEncoder(sort_keys=True).encode


def _text(value: Any) -> str:
    """A text that is equal for equal values only."""
    return f'"{value}' if value.__class__ is str else _encoded(value)
