"""Conditions that no values make true, but that truth tables cannot decide: they compare one name with another.

A condition is taken apart at `&& || !`. A part that compares one name with literals excludes values of that name; the
rest of them bound the sums and differences of names that other parts compare. All other parts count as possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.flow.checks._truth_tables import MISSING, FlowContext
from graphwright.flow.compiled import Node
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Call, Expr, Name, children, path_of
from graphwright.flow.guards._value_partitions import bounds, comparisons, literal_value, literals_in, truth
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import VALUE

_MOST_CASES = 64
"""The maximum number of cases (`||` multiplies them) of a condition; one with more counts as possible."""

_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


class _Part(NamedTuple):
    """A part of a condition that is true, or (not `wanted`) false."""

    expr: Expr
    wanted: bool


class _Range(NamedTuple):
    """The least and the greatest value of a number."""

    low: float = -math.inf
    high: float = math.inf


def is_contradiction(context: FlowContext, node: Node, guard: Guard, value: Mapping[str, Any] | None = None) -> bool:
    """Whether no values make a guard at a node true. `value` is the schema of the variable `value`."""
    facts = _Facts(context, node, guard, value)
    cases = enumerate(_cases(guard, [_Part(guard.tree, True)]))
    return not any(number == _MOST_CASES or facts.allow(case) for number, case in cases)


def _cases(guard: Guard, parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The ways in which all parts hold, each as the parts that do not join others."""
    atoms: list[_Part] = []
    todo = list(parts)
    while todo:
        expr, wanted = todo.pop()
        predicate = guard.predicates.get(expr.name) if isinstance(expr, Name) else None
        if predicate is not None:
            todo.append(_Part(predicate.tree, wanted))
        elif isinstance(expr, Call) and expr.function == "!":
            todo.append(_Part(expr.args[0], not wanted))
        elif isinstance(expr, Call) and expr.function in ("&&", "||"):
            sides = [_Part(side, wanted) for side in children(expr)]
            if (expr.function == "&&") is wanted:
                todo += sides
                continue
            for side in sides:
                yield from _cases(guard, [*atoms, *todo, side])
            return
        else:
            atoms.append(_Part(expr, wanted))
    yield atoms


class _Facts:
    """What is known about the names that a guard reads at a node."""

    def __init__(self, context: FlowContext, node: Node, guard: Guard, value: Mapping[str, Any] | None) -> None:
        self._context = context
        self._node = node
        self._value = value
        self._literals = literals_in(guard.trees)

    def allow(self, case: Sequence[_Part]) -> bool:
        """Whether values may exist for which all parts of a case hold."""
        tests: dict[str, list[_Part]] = {}
        related: list[_Part] = []
        for part in case:
            found = comparisons(part.expr) or []
            if len({name for name, _ in found}) == 1:
                tests.setdefault(found[0][0], []).append(part)
            else:
                related.append(part)
        if any(self._excluded(name, parts) for name, parts in tests.items()):
            return False
        return all(self._possible(part, tests) for part in related)

    def _schema(self, name: str) -> Mapping[str, Any] | None:
        return self._value if name == VALUE else self._context.schema(name, self._node.graph)

    def _excluded(self, name: str, parts: Sequence[_Part]) -> bool:
        """Whether no value of a name makes all parts hold that compare only it with literals."""
        schema = self._schema(name)
        found = self._context.domain(schema, self._literals) if schema is not None else None
        if found is None:
            return False
        values = [*found[0], *self._default(name)]
        return not any(all(truth(expr, {name: value}) in (wanted, None) for expr, wanted in parts) for value in values)

    def _default(self, name: str) -> list[Any]:
        """The initial value of a channel, which its schema need not allow."""
        if name.partition(".")[0] not in self._context.flow.channels:
            return []
        default = self._context.default(name)
        return [] if default is None or default is MISSING else [default]

    def _possible(self, part: _Part, tests: Mapping[str, Sequence[_Part]]) -> bool:
        """Whether a comparison of two sums of names may hold; any other part may."""
        expr = part.expr
        if not isinstance(expr, Call) or expr.function not in _OPPOSITE:
            return True
        sign = expr.function if part.wanted else _OPPOSITE[expr.function]
        left, right = (self._range(side, tests) for side in expr.args)
        match sign:
            case "<" | ">":
                low, high = (left.low, right.high) if sign == "<" else (right.low, left.high)
                return low < high
            case "<=" | ">=":
                low, high = (left.low, right.high) if sign == "<=" else (right.low, left.high)
                return low <= high
            case "==":
                return left.low <= right.high and right.low <= left.high
            case _:
                return True

    def _range(self, expr: Expr, tests: Mapping[str, Sequence[_Part]]) -> _Range:
        """The range of a number, a name, or a sum or difference of them; everything for any other expression."""
        path = path_of(expr)
        if path is not None:
            return self._range_of_name(".".join(path), tests)
        number = literal_value(expr)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return _Range(number, number)
        if isinstance(expr, Call) and expr.function in ("+", "-") and len(expr.args) == 2:
            left, right = (self._range(side, tests) for side in expr.args)
            if expr.function == "+":
                return _Range(left.low + right.low, left.high + right.high)
            return _Range(left.low - right.high, left.high - right.low)
        return _Range()

    def _range_of_name(self, name: str, tests: Mapping[str, Sequence[_Part]]) -> _Range:
        schema = self._schema(name)
        kind = type_of_schema(schema).kind
        if schema is None or kind not in ("integer", "number"):
            return _Range()
        low, high = bounds(schema)
        for default in self._default(name):
            low, high = min(low, default), max(high, default)
        for expr, wanted in tests.get(name, ()):
            low, high = _narrowed(_Range(low, high), expr, wanted, kind == "integer")
        return _Range(low, high)


def _narrowed(known: _Range, expr: Expr, wanted: bool, whole: bool) -> _Range:
    """A range after a comparison of its name with a number."""
    if not isinstance(expr, Call) or expr.function not in _OPPOSITE:
        return known
    sign = expr.function if wanted else _OPPOSITE[expr.function]
    number = literal_value(expr.args[1])
    if not isinstance(number, int | float) or isinstance(number, bool):
        return known
    below = math.ceil(number) - 1 if whole else number
    above = math.floor(number) + 1 if whole else number
    low = {">": above, ">=": number, "==": number}.get(sign, -math.inf)
    high = {"<": below, "<=": number, "==": number}.get(sign, math.inf)
    return _Range(max(known.low, low), min(known.high, high))
