"""Answers to questions with a `when`: they exist on every way that passed the question, if its condition is true."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple, Protocol, get_args

from graphwright.flow.compiled import Call, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards import _syntax_tree as tree
from graphwright.flow.guards._value_partitions import comparisons, truth
from graphwright.flow.guards._vocabulary import ANSWERS

_MOST_CASES = 16
"""The maximum number of alternatives of a condition (`a || b`) that are followed one by one."""

_OPPOSITES = {"!=": "==", ">=": "<", ">": "<="}
"""Comparisons, each with the one that is true if it is false."""


class Reading(Protocol):
    """What is known of a guard: the names that it reads, and its predicates."""

    @property
    def reads(self) -> frozenset[str]: ...

    @property
    def predicates(self) -> Mapping[str, Guard | None]: ...


class _FromOutside(NamedTuple):
    """The reading of a condition of a called graph, as it is seen from the graph that calls it."""

    reads: frozenset[str]
    predicates: Mapping[str, Guard | None]


class Fact(NamedTuple):
    """A part of a condition that was found to be true, or (not `wanted`) false."""

    expr: tree.Expr
    guard: Reading
    wanted: bool

    @property
    def name(self) -> tuple[str, bool]:
        """Its text without negation, and whether that is true; the same for `a != b` and `!(a == b)`."""
        expr, wanted = self.expr, self.wanted
        if isinstance(expr, tree.Call) and expr.function in _OPPOSITES:
            expr, wanted = tree.Call(expr.offset, _OPPOSITES[expr.function], expr.args), not wanted
        if isinstance(expr, tree.Call) and expr.function == "==" and isinstance(expr.args[1], tree.Literal):
            value = expr.args[1].value
            if isinstance(value, bool):
                expr, wanted = expr.args[0], wanted is value
        return tree.unparse(expr), wanted


def facts(expr: tree.Expr, guard: Reading, wanted: bool) -> Iterator[Fact]:
    """The parts of an expression that are true or false if it is `wanted`; `a || b` remains one part."""
    if isinstance(expr, tree.Call) and expr.function == "!":
        yield from facts(expr.args[0], guard, not wanted)
    elif isinstance(expr, tree.Name) and (predicate := guard.predicates.get(expr.name)) is not None:
        yield from facts(predicate.tree, predicate, wanted)
    elif isinstance(expr, tree.Call) and expr.function == ("&&" if wanted else "||"):
        for part in expr.args:
            yield from facts(part, guard, wanted)
    else:
        yield Fact(expr, guard, wanted)


class Condition(NamedTuple):
    """The `when` of a question: in each of `cases`, the set of facts with which it is surely true.

    `name` is that of the answer, and `when` the condition, in the graph `graph`: that of the question, or one that
    calls it with `as`. `passed` is the bit of having passed the question.
    """

    question: Question
    name: str
    graph: str
    when: tree.Expr
    reading: Reading
    answer: int
    passed: int
    cases: tuple[int, ...]

    def holds(self, state: int) -> bool:
        """Whether the condition is true in a state."""
        return any(state & case == case for case in self.cases)


class Conditions:
    """The conditions of mandatory questions, and the bits of the facts that these conditions consist of."""

    def __init__(
        self,
        new_bit: Callable[[], int],
        answer: Callable[[tree.Expr, Reading], int],
        values: Callable[[tree.Expr], int],
    ) -> None:
        """`answer` is the bit of the name that an expression reads, `values` those that exclude all other values."""
        self._new_bit = new_bit
        self._answer = answer
        self._values = values
        self._bits: dict[tuple[str, bool], int] = {}
        self._by_name: dict[str, int] = {}
        self.known: dict[Question, Condition] = {}
        self.outside: list[Condition] = []
        """The conditions as they are seen from graphs that call those of their questions with `as`."""

    @property
    def all(self) -> Iterator[Condition]:
        yield from self.known.values()
        yield from self.outside

    def add(self, question: Question, answer: int, passed: int) -> None:
        """Follow the condition of a question with a `when`."""
        when = question.when
        assert when is not None
        cases = tuple(self._cases(when.tree, when, True))
        self.known[question] = Condition(question, question.key, question.graph, when.tree, when, answer, passed, cases)

    def add_outside(self, inner: Condition, call: Call, keys: Container[str], answer: int, passed: int) -> None:
        """Follow a condition of a called graph, which looks up `keys` in the scope of the call, also in its caller."""
        when = _seen_outside(inner.when, inner.reading, call.scope, keys)
        reads = frozenset(_scoped(name, call.scope, keys) for name in inner.reading.reads)
        reading = _FromOutside(reads, {})
        cases = tuple(self._cases(when, reading, True))
        name = f"{call.scope}.{inner.name}"
        self.outside.append(Condition(inner.question, name, call.graph, when, reading, answer, passed, cases))

    def _cases(self, expr: tree.Expr, guard: Reading, wanted: bool) -> list[int]:
        found = [self._facts_of(fact) for fact in facts(expr, guard, wanted)]
        joined = [reduce(or_, case, 0) for case in product(*found)] if _number(found) <= _MOST_CASES else []
        return joined or [reduce(or_, (self._bit(fact) for fact in facts(expr, guard, wanted)), 0)]

    def _facts_of(self, fact: Fact) -> list[int]:
        """The alternatives with which a part is surely what it must be."""
        found = [self._bit(fact)]
        expr = fact.expr
        if isinstance(expr, tree.Call) and expr.function in ("&&", "||"):
            for part in expr.args:
                found += self._cases(part, fact.guard, fact.wanted)
        elif isinstance(expr, tree.Has) and fact.wanted:
            found.append(self._answer(tree.Field(expr.offset, expr.operand, expr.name), fact.guard))
        elif values := self._values(expr if fact.wanted else tree.Call(0, "!", (expr,))):
            # The values of a channel include its initial one.
            names = {name for name, _ in comparisons(expr) or () if name.startswith(f"{ANSWERS}.")}
            found.append(values | reduce(or_, (self._answer(tree.name_of(n), fact.guard) for n in names), 0))
        return [case for case in found if case]

    def _bit(self, fact: Fact) -> int:
        if fact.name not in self._bits:
            bit = self._bits[fact.name] = self._new_bit()
            for read in fact.guard.reads:
                head = read.partition(".")[0]
                self._by_name[head] = self._by_name.get(head, 0) | bit
        return self._bits[fact.name]

    @property
    def all_facts(self) -> int:
        """The bits of all parts of conditions."""
        return reduce(or_, self._bits.values(), 0)

    def facts_about(self, names: Iterable[str]) -> int:
        """The bits of the parts that read one of these channels."""
        return reduce(or_, (self._by_name.get(name, 0) for name in names), 0)

    def passed_before(self, names: Container[str]) -> int:
        """The bits of having passed a question whose `when` reads one of these channels: it may be true only later."""
        found = 0
        for condition in self.all:
            if any(read.partition(".")[0] in names for read in condition.reading.reads):
                found |= condition.passed
        return found

    def proven(self, expr: tree.Expr, guard: Reading, wanted: bool, *, by_has: bool = False) -> int:
        """The facts if an expression is `wanted`; with `by_has` also if it cannot be evaluated."""
        found = 0
        for fact in facts(expr, guard, wanted) if self._bits else ():
            if not by_has or isinstance(fact.expr, tree.Has):
                found |= self._bits.get(fact.name, 0)
            if isinstance(fact.expr, tree.Call) and fact.expr.function in ("&&", "||"):
                sides = (self.proven(part, fact.guard, fact.wanted, by_has=by_has) for part in fact.expr.args)
                found |= reduce(int.__and__, sides)
        return found


def _seen_outside(expr: tree.Expr, reading: Reading, scope: str, keys: Container[str]) -> tree.Expr:
    """An expression of a called graph with the names of its caller, and with its predicates written out."""

    def inside(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(inside, part))
        return _seen_outside(part, reading, scope, keys) if isinstance(part, get_args(tree.Expr)) else part

    if isinstance(expr, tree.Name) and (predicate := reading.predicates.get(expr.name)) is not None:
        return _seen_outside(predicate.tree, predicate, scope, keys)
    if isinstance(expr, tree.Field | tree.Has) and expr.operand == tree.Name(expr.operand.offset, ANSWERS):
        return replace(expr, operand=tree.Field(0, expr.operand, scope)) if expr.name in keys else expr
    return replace(expr, **{each.name: inside(getattr(expr, each.name)) for each in fields(expr)})


def _scoped(name: str, scope: str, keys: Container[str]) -> str:
    head, _, answer = name.partition(".")
    return f"{head}.{scope}.{answer}" if head == ANSWERS and answer.partition(".")[0] in keys else name


def always_true(when: tree.Expr, expr: tree.Expr, wanted: bool, values: Mapping[str, Iterable[Any]]) -> bool:
    """Whether a condition is true for each of the possible values of one name with which `expr` is `wanted`."""
    for name, possible in values.items():
        left = [value for value in possible if truth(expr, {name: value}) is wanted]
        if left and all(truth(when, {name: value}) for value in left):
            return True
    return False


def _number(found: list[list[int]]) -> int:
    return reduce(int.__mul__, map(len, found), 1)
