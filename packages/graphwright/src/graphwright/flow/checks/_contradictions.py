"""Conditions that no values make true, but that truth tables cannot decide: they compare one name with another.

A condition is taken apart at `&& || !`. A part that compares one name with literals excludes values of that name; the
rest of them bound the sums and differences of names that other parts compare. Parts that compare the same two
expressions exclude each other by their signs. Whoever compares an answer also assumes what its question accepts: with
what other questions accept, a condition may never be true. All other parts count as possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.flow.checks._difference_constraints import NumberRange, points_exist
from graphwright.flow.checks._truth_tables import MISSING, FlowContext
from graphwright.flow.compiled import Node, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Call, Expr, Name, children, name_of, path_of, replaced, unparse, walk
from graphwright.flow.guards._value_partitions import bounds, comparisons, literal_value, literals_in, truth
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import ANSWERS, NOW, VALUE

_MOST_CASES = 64
"""The maximum number of cases (`||` multiplies them) of a condition; one with more counts as possible."""

_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_ORDERS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
"""The orders of two values with which a comparison is true, each as one letter."""

_SWAPPED = str.maketrans("<>", "><")


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
    return not _may_be_true(context, node, guard, value, {})


def exclude_each_other(context: FlowContext, node: Node, first: Guard, second: Guard) -> bool:
    """Whether no values make two guards at a node true at once."""
    facts = _Facts(context, node, [*first.trees, *second.trees], None)
    for case in _cases(first, [_Part(first.tree, True)]):
        for number, other in enumerate(_cases(second, [_Part(second.tree, True)])):
            if number > _MOST_CASES or facts.allow([*case, *other]):
                return False
    return True


def questions_against(
    context: FlowContext, node: Node, guard: Guard, value: Mapping[str, Any] | None = None
) -> list[Question]:
    """The questions that accept no answers with which a guard at a node is true; empty if there may be some.

    An answer that is checked against a channel or, with `ask: always`, against other answers may have been accepted
    before these changed, so it says nothing.
    """
    accepted: dict[str, Question] = {}
    todo = sorted(guard.reads)
    for read in todo:
        question = context.only_asker(read, node.graph)
        if read in accepted or question is None or question.validate is None or question.validate is guard:
            continue
        reads = question.validate.reads - {VALUE, NOW}
        if any(name.partition(".")[0] != ANSWERS for name in reads) or (reads and question.ask_always):
            continue
        accepted[read] = question
        todo += sorted(reads)
    if not accepted or _may_be_true(context, node, guard, value, accepted):
        return []
    return list(accepted.values()) if _may_be_true(context, node, guard, value, {}) else []


def _may_be_true(
    context: FlowContext,
    node: Node,
    guard: Guard,
    value: Mapping[str, Any] | None,
    accepted: Mapping[str, Question],
) -> bool:
    conditions = {
        read: replaced(question.validate.tree, VALUE, name_of(read))
        for read, question in accepted.items()
        if question.validate is not None
    }
    facts = _Facts(context, node, [*guard.trees, *conditions.values()], value)
    number = 0
    for case in _cases(guard, [_Part(guard.tree, True)]):
        for whole in _cases(guard, [*case, *(_Part(each, True) for each in _assumed(case, conditions))]):
            number += 1
            if number > _MOST_CASES or facts.allow(whole):
                return True
    return False


def _assumed(case: Sequence[_Part], conditions: Mapping[str, Expr]) -> list[Expr]:
    """What the questions accept whose answers a case compares, and those whose answers these conditions compare."""
    found: dict[str, Expr] = {}
    todo = [part.expr for part in case]
    for expr in todo if conditions else ():
        for part in walk(expr):
            read = ".".join(path_of(part) or ())
            if read in conditions and read not in found:
                found[read] = conditions[read]
                todo.append(conditions[read])
    return list(found.values())


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

    def __init__(
        self, context: FlowContext, node: Node, trees: Iterable[Expr], value: Mapping[str, Any] | None
    ) -> None:
        self._context = context
        self._node = node
        self._value = value
        self._literals = literals_in(trees)

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
        if any(self._excluded(name, parts) for name, parts in tests.items()) or not _orders_exist(case):
            return False
        return all(self._possible(part, tests) for part in related) and points_exist(_comparisons(case), self._number)

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

    def _number(self, name: str) -> NumberRange | None:
        kind = type_of_schema(self._schema(name) or {}).kind
        if kind not in ("integer", "number"):
            return None
        known = self._range_of_name(name, {})
        return NumberRange(known.low, known.high, kind == "integer")

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


def _orders_exist(case: Sequence[_Part]) -> bool:
    """Whether every two expressions that several parts compare can have an order in which all these parts hold."""
    left_over: dict[tuple[str, str], set[str]] = {}
    for expr, wanted in case:
        if isinstance(expr, Call) and expr.function in _OPPOSITE:
            sign = expr.function if wanted else _OPPOSITE[expr.function]
            left, right = map(unparse, expr.args)
            orders = _ORDERS[sign] if left <= right else _ORDERS[sign].translate(_SWAPPED)
            every = "<=>" if left != right else "="
            left_over.setdefault((min(left, right), max(left, right)), set(every)).intersection_update(orders)
    return all(left_over.values())


def _comparisons(case: Sequence[_Part]) -> Iterator[tuple[str, Expr, Expr]]:
    """The comparisons that are true if all parts of a case hold: operator, left and right side."""
    for expr, wanted in case:
        if isinstance(expr, Call) and expr.function in _OPPOSITE:
            left, right = expr.args
            yield expr.function if wanted else _OPPOSITE[expr.function], left, right


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
