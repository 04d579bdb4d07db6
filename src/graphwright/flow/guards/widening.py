"""Integers that meet numbers: found in a tree, and read as doubles in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphwright.flow.guards.analysis import ARITHMETIC, COMPARISONS, Names, is_number, shape_in
from graphwright.flow.guards.environments import Finding
from graphwright.flow.guards.shapes import Shape
from graphwright.flow.guards.tree import Call, Expr, ListOf, Literal, Macro, children, offset_of, position


def integers_to_widen(tree: Expr, names: Names) -> frozenset[int]:
    """The offsets of the integer literals that meet a number, and are therefore to be read as doubles."""
    found: set[int] = set()
    _widen_within(tree, names, {}, found)
    return frozenset(found)


def _widen_within(expr: Expr, names: Names, bound: Mapping[str, Shape | None], found: set[int]) -> None:
    if isinstance(expr, Macro):
        _widen_within(expr.target, names, bound, found)
        range_ = shape_in(expr.target, names, bound)
        bound = {**bound, expr.variable: None if range_ is None else range_.items}
        parts: tuple[Expr, ...] = (expr.body,) if expr.condition is None else (expr.condition, expr.body)
    else:
        parts = children(expr)
    if isinstance(expr, Call) and not expr.method and len(expr.args) == 2:
        left, right = expr.args
        if expr.function in ARITHMETIC or expr.function in COMPARISONS:
            if is_number(shape_in(left, names, bound)):
                _widen(right, found)
            if is_number(shape_in(right, names, bound)):
                _widen(left, found)
        elif expr.function == "in":
            range_ = shape_in(right, names, bound)
            if is_number(shape_in(left, names, bound)):
                _widen(right, found)
            if range_ is not None and is_number(range_.items):
                _widen(left, found)
    elif isinstance(expr, Call) and expr.function == "?:":
        for one, other in ((1, 2), (2, 1)):
            if is_number(shape_in(expr.args[one], names, bound)):
                _widen(expr.args[other], found)
    for part in parts:
        _widen_within(part, names, bound, found)


def _widen(expr: Expr, found: set[int]) -> None:
    """Marks the literals from which the value of an expression is made."""
    match expr:
        case Literal(type="int"):
            found.add(expr.offset)
        case ListOf():
            for element in expr.elements:
                _widen(element, found)
        case Call(function="neg"):
            _widen(expr.args[0], found)
        case Call(function="?:"):
            _widen(expr.args[1], found)
            _widen(expr.args[2], found)
        case Call() if expr.function in ARITHMETIC:
            for arg in expr.args:
                _widen(arg, found)


_INTEGER = re.compile(r"-?\s*(0[xX][0-9a-fA-F]+|\d+)")


def widened_text(text: str, offsets: frozenset[int]) -> tuple[str, list[tuple[int, int]]]:
    """The text with doubles at these offsets, and for each where it ended before and by how much it grew."""
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    at = 0
    for offset in sorted(offsets):
        found = _INTEGER.match(text, offset)
        assert found is not None
        digits = found[1]
        double = f"{int(digits, 16)}.0" if digits[:2] in ("0x", "0X") else f"{digits}.0"
        parts += [text[at : found.start(1)], double]
        at = found.end()
        shifts.append((at, len(double) - len(digits)))
    return "".join([*parts, text[at:]]), shifts


def unshifted(finding: Finding, shifts: list[tuple[int, int]], text: str, original: str) -> Finding:
    offset = offset_of(text, finding.line, finding.column)
    grown = 0
    for end, growth in shifts:
        if offset - grown < end + growth:
            break
        grown += growth
    return Finding(*position(original, min(offset - grown, len(original))), finding.text)
