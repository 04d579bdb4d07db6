"""Tables: what the guards of one place come to for every combination of values that stand for all others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from graphwright.flow.checks.guard_values import MOST_VALUES, GuardValues
from graphwright.flow.checks.terms import Terms, all_reads
from graphwright.flow.compiled import Node
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards.comparisons import only_compared
from graphwright.flow.guards.domains import Literals, classes, literals_in
from graphwright.flow.guards.names import ANSWERS, VALUE

MOST_ROWS = 1_000
"""More combinations than this are not looked at."""

Numbers = Mapping[str, int | None]
"""Values by the name that reads them; None where there is no value."""


class Row(NamedTuple):
    """One combination: which guards are true, and whether some guard needs an answer that is not there."""

    numbers: Numbers
    opens: tuple[bool, ...]
    lacks: bool


class Table:
    """The rows of guards that are looked at together. A row is made when it is first looked at."""

    def __init__(
        self,
        values: GuardValues,
        guards: Sequence[Guard],
        domains: Mapping[str, Sequence[int | None]],
        unlimited: frozenset[str],
        literals: Literals,
    ) -> None:
        """`unlimited` are the names with endlessly many values, of which those between the `literals` stand for all."""
        self.guards = guards
        self._situations = values
        self._unlimited = unlimited
        self._literals = literals
        self._names = tuple(domains)
        self._coming = product(*domains.values())
        self._made: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        place = 0
        while True:
            if place == len(self._made):
                numbers = next(self._coming, None)
                if numbers is None:
                    return
                self._made.append(self._row(dict(zip(self._names, numbers, strict=True))))
            yield self._made[place]
            place += 1

    @property
    def is_whole(self) -> bool:
        """Whether the rows really stand for everything that is possible."""
        trees = (tree for guard in self.guards for tree in guard.trees)
        return not self._unlimited or only_compared(trees, self._unlimited, self._literals)

    def verdicts(self, guards: Sequence[Guard], row: Row) -> list[Verdict]:
        """What some of the guards come to in a row."""
        found = []
        for guard in guards:
            numbers = tuple([row.numbers[read] for read in self._situations.reads(guard)])
            verdict = self._situations.verdict_of(guard, numbers)
            assert verdict is not None, "a table holds no unknown values"
            found.append(verdict)
        return found

    def _row(self, numbers: Numbers) -> Row:
        bare = Row(numbers, (), False)
        verdicts = self.verdicts(self.guards, bare)
        return Row(numbers, tuple([v.opens for v in verdicts]), any(v.missing for v in verdicts))


def make_table(
    terms: Terms,
    node: Node,
    guards: Sequence[Guard],
    sure: Callable[[str], bool],
    value: Mapping[str, Any] | None = None,
) -> Table | None:
    """The table of guards at a node; None when they read something of which too little is known.

    `sure` tells of an answer (`led.wattage`) whether it is always there. `value` is the schema of `value`.
    """
    predicates = terms.flow.document.get("predicates", {}).values()
    literals = literals_in([guard.text for guard in guards] + list(predicates))
    domains: dict[str, Sequence[int | None]] = {}
    unlimited: set[str] = set()
    for read in sorted(all_reads(guards)):
        schema = value if read == VALUE else terms.schema(read, node.graph)
        found = None if schema is None else classes(schema, literals)
        if found is None or len(found.values) > MOST_VALUES:
            return None
        domain: dict[int | None, None] = dict.fromkeys(terms.values.number(v) for v in found.values)
        if terms.begins_null(read):
            domain[terms.values.number(None)] = None
        if read.startswith(f"{ANSWERS}.") and not sure(read.removeprefix(f"{ANSWERS}.")):
            domain[None] = None
        if not found.finite:
            unlimited.add(read)
        domains[read] = list(domain)
    if math.prod(map(len, domains.values())) > MOST_ROWS:
        return None
    return Table(terms.values, guards, domains, frozenset(unlimited), literals)
