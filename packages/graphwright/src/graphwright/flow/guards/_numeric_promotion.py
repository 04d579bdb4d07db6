"""Numeric promotion: finds integer literals next to numbers in a tree, and writes them as doubles in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphwright.flow.guards._analysis import ARITHMETIC, COMPARISONS, Names, is_number, type_in
from graphwright.flow.guards._environments import Finding
from graphwright.flow.guards._syntax_tree import Call, Expr, ListOf, Literal, Macro, children, offset_of, position
from graphwright.flow.guards._value_types import ValueType


def integers_to_promote(tree: Expr, names: Names) -> frozenset[int]:
    """The offsets of the integer literals that are combined with a number and must be read as doubles."""
    found: set[int] = set()
    _promote_within(tree, names, {}, found)
    return frozenset(found)


def _promote_within(expr: Expr, names: Names, bound: Mapping[str, ValueType | None], found: set[int]) -> None:
    if isinstance(expr, Macro):
        _promote_within(expr.target, names, bound, found)
        range_ = type_in(expr.target, names, bound)
        bound = {**bound, expr.variable: None if range_ is None else range_.items}
        parts: tuple[Expr, ...] = (expr.body,) if expr.condition is None else (expr.condition, expr.body)
    else:
        parts = children(expr)
    if isinstance(expr, Call) and not expr.method and len(expr.args) == 2:
        left, right = expr.args
        if expr.function in ARITHMETIC or expr.function in COMPARISONS:
            if is_number(type_in(left, names, bound)):
                _promote(right, found)
            if is_number(type_in(right, names, bound)):
                _promote(left, found)
        elif expr.function == "in":
            range_ = type_in(right, names, bound)
            if is_number(type_in(left, names, bound)):
                _promote(right, found)
            if range_ is not None and is_number(range_.items):
                _promote(left, found)
    elif isinstance(expr, Call) and expr.function == "?:":
        for one, other in ((1, 2), (2, 1)):
            if is_number(type_in(expr.args[one], names, bound)):
                _promote(expr.args[other], found)
    for part in parts:
        _promote_within(part, names, bound, found)


def _promote(expr: Expr, found: set[int]) -> None:
    """Mark the literals that determine the value of an expression."""
    match expr:
        case Literal(type="int"):
            found.add(expr.offset)
        case ListOf():
            for element in expr.elements:
                _promote(element, found)
        case Call(function="neg"):
            _promote(expr.args[0], found)
        case Call(function="?:"):
            _promote(expr.args[1], found)
            _promote(expr.args[2], found)
        case Call() if expr.function in ARITHMETIC:
            for arg in expr.args:
                _promote(arg, found)


_INTEGER = re.compile(r"-?\s*(0[xX][0-9a-fA-F]+|\d+)")


def promoted_text(text: str, offsets: frozenset[int]) -> tuple[str, list[tuple[int, int]]]:
    """The text with doubles at these offsets, and for each literal its previous end and by how much it grew."""
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
