"""Comparisons of numbers and dates that exclude one another, as a system of difference constraints.

Each comparison of two numbers or of two dates, and each of `daysUntil` with a number, limits the difference of two
points. The comparisons exclude one another exactly if these limits add up to less than zero on a way from a point back
to itself. A literal is a point at a distance from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from graphwright.flow.guards._syntax_tree import Call, Expr, path_of, unparse
from graphwright.flow.guards._value_partitions import literal_value

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}
_ZERO = ""


class NumberRange(NamedTuple):
    """The bounds of a number, and whether it is an integer."""

    low: float
    high: float
    whole: bool


NumberOf = Callable[[str], NumberRange | None]
"""What is known about a dotted name; None if it is not a number."""


class _Point(NamedTuple):
    """A date or number as a distance from another one, which is named by its expression; in days for dates."""

    name: str
    distance: float = 0
    whole: bool = True


class _Limit(NamedTuple):
    """The maximum distance from one point to another. `less` is -1 if the distance must be less than it, else 0."""

    start: str
    end: str
    most: float
    less: int = 0


def points_exist(comparisons: Iterable[tuple[str, Expr, Expr]], number_of: NumberOf) -> bool:
    """Whether numbers and dates may exist for which all comparisons (operator, left and right side) are true.

    Comparisons of anything else count as true.
    """
    limits = [limit for comparison in comparisons for limit in _limits(*comparison, number_of)]
    names = {name for limit in limits for name in (limit.start, limit.end)}
    for name in names - {_ZERO}:
        if (known := number_of(name)) is not None:
            limits += [_Limit(_ZERO, name, known.high), _Limit(name, _ZERO, -known.low)]
    # The shortest distances by Bellman and Ford, from an additional point that is at distance 0 from every other.
    distance: dict[str, tuple[float, int]] = dict.fromkeys((*names, _ZERO), (0, 0))
    for _ in range(len(distance) + 1):
        changed = False
        for start, end, most, less in limits:
            before = distance[start]
            after = (before[0] + most, before[1] + less)
            if after < distance[end]:
                distance[end] = after
                changed = True
        if not changed:
            return True
    return not limits


def _limits(sign: str, left: Expr, right: Expr, number_of: NumberOf) -> Iterator[_Limit]:
    """The limits that a comparison sets; none if it compares neither numbers nor dates."""
    if _number(right) is not None:
        sign, left, right = _MIRRORED.get(sign, ""), right, left
    days = _number(left)
    if days is not None and isinstance(right, Call) and right.function == "daysUntil":
        # `N < a.daysUntil(b)` is `a + N < b`.
        start, end = (_date(part) for part in right.args)
        start = None if start is None else _Point(start.name, start.distance + days)
    else:
        start, end = _point(left, number_of), _point(right, number_of)
    if start is None or end is None:
        return
    between = start.distance - end.distance
    whole = start.whole and end.whole
    shorter, less = (1, 0) if whole else (0, -1)
    if sign in ("<", "<=", "=="):
        strict = sign == "<"
        yield _Limit(end.name, start.name, -between - strict * shorter, strict * less)
    if sign in (">", ">=", "=="):
        strict = sign == ">"
        yield _Limit(start.name, end.name, between - strict * shorter, strict * less)


def _number(expr: Expr) -> float | None:
    value = literal_value(expr)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _point(expr: Expr, number_of: NumberOf) -> _Point | None:
    """The date or number that an expression is: one by itself, or one plus or minus a literal."""
    value = _number(expr)
    if value is not None:
        return _Point(_ZERO, value, float(value).is_integer())
    path = path_of(expr)
    if path is not None:
        known = number_of(".".join(path))
        return None if known is None else _Point(".".join(path), 0, known.whole)
    if isinstance(expr, Call) and expr.function in ("+", "-") and len(expr.args) == 2:
        base, amount = _point(expr.args[0], number_of), _number(expr.args[1])
        if base is None or amount is None:
            return None
        amount = amount if expr.function == "+" else -amount
        return _Point(base.name, base.distance + amount, base.whole and float(amount).is_integer())
    return _date(expr)


def _date(expr: Expr) -> _Point | None:
    """The date that an expression is: `date(...)`, or some days after one by `addDays`."""
    if not isinstance(expr, Call):
        return None
    if expr.function == "addDays":
        start, days = _date(expr.args[0]), _number(expr.args[1])
        return None if start is None or days is None else _Point(start.name, start.distance + days)
    return _Point(unparse(expr)) if expr.function == "date" else None
