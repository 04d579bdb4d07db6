"""Exhaustiveness: values for which no edge of a node opens, or several do, and edges that never open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from graphwright.flow.checks.check_context import CheckContext, all_reads
from graphwright.flow.checks.guard_values import GuardValues, Held, Scopes
from graphwright.flow.checks.reachable_values import Goal, Moment
from graphwright.flow.compiled import Action, Decision, Edge, Node, Question
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards.comparisons import comparisons, only_compared, truth
from graphwright.flow.guards.names import ANSWERS, VALUE
from graphwright.flow.guards.value_partitions import Literals, literals_in
from graphwright.flow.near_names import listed
from graphwright.flow.source import Reporter

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
    """The truth table of several guards. A row is evaluated when it is first looked at.

    `unlimited` are the names with endlessly many values, of which those between the `literals` stand for all.
    """

    def __init__(
        self,
        values: GuardValues,
        guards: Sequence[Guard],
        domains: Mapping[str, Sequence[int | None]],
        unlimited: frozenset[str],
        literals: Literals,
    ) -> None:
        self.guards = guards
        self._values = values
        self._domains = domains
        self._unlimited = unlimited
        self._literals = literals
        self._size = math.prod(map(len, domains.values()))
        # Rows that follow each other differ in all names, so that one that is true and one that is false come soon.
        self._stride = next(n for n in count(self._size * 5 // 8 + 1) if math.gcd(n, self._size) == 1)
        self._rows: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        for place in range(self._size):
            if place == len(self._rows):
                self._rows.append(self._row(place * self._stride % self._size))
            yield self._rows[place]

    @property
    def is_whole(self) -> bool:
        """Whether the rows really stand for everything that is possible."""
        trees = (tree for guard in self.guards for tree in guard.trees)
        return not self._unlimited or only_compared(trees, self._unlimited, self._literals)

    @property
    def varies(self) -> bool:
        """Whether the only guard is true in some rows and false in others, as far as its comparisons alone say so.

        That is so where each of them can be true and false, and no two of them are of the same name.
        """
        found = comparisons(self.guards[0].tree) if len(self.guards) == 1 else None
        if not found or len({name for name, _ in found}) < len(found):
            return False
        return all(
            {truth(one, {name: self._values.value(number)}) for number in self._domains.get(name, ()) if number}
            == {True, False}
            for name, one in found
        )

    def verdicts(self, guards: Sequence[Guard], numbers: Numbers) -> list[Verdict]:
        """The verdicts of some of the guards over the values of a row."""
        found = []
        for guard in guards:
            verdict = self._values.verdict_of(guard, tuple([numbers[read] for read in self._values.reads(guard)]))
            assert verdict is not None, "a table holds no unknown values"
            found.append(verdict)
        return found

    def _row(self, place: int) -> Row:
        numbers: dict[str, int | None] = {}
        for name, domain in self._domains.items():
            place, rest = divmod(place, len(domain))
            numbers[name] = domain[rest]
        verdicts = self.verdicts(self.guards, numbers)
        return Row(numbers, tuple([v.opens for v in verdicts]), any(v.missing for v in verdicts))


def make_table(
    context: CheckContext,
    node: Node,
    guards: Sequence[Guard],
    assigned: Callable[[str], bool],
    value: Mapping[str, Any] | None = None,
) -> Table | None:
    """The table of guards at a node; None when they read something of which too little is known.

    `assigned` says whether an answer (`led.wattage`) is always there. `value` is the schema of `value`.
    """
    predicates = context.flow.document.get("predicates", {}).values()
    literals = literals_in([guard.text for guard in guards] + list(predicates))
    domains: dict[str, Sequence[int | None]] = {}
    unlimited: set[str] = set()
    for read in sorted(all_reads(guards)):
        schema = value if read == VALUE else context.schema(read, node.graph)
        found = None if schema is None else context.values.domain(schema, literals)
        if found is None:
            return None
        numbers, finite = found
        domain: dict[int | None, None] = dict.fromkeys(numbers)
        if context.begins_null(read):
            domain[context.values.number(None)] = None
        if read.startswith(f"{ANSWERS}.") and not assigned(read.removeprefix(f"{ANSWERS}.")):
            domain[None] = None
        if not finite:
            unlimited.add(read)
        domains[read] = list(domain)
    if math.prod(map(len, domains.values())) > MOST_ROWS:
        return None
    return Table(context.values, guards, domains, frozenset(unlimited), literals)


Holds = Callable[[Sequence[Verdict]], bool]

_SHOWN = 3
"""So many overlaps are reported for one node."""


def check_exhaustiveness(context: CheckContext, out: Reporter) -> None:
    """Check the edges of every node, the `when` and `validate` of every question, and when actions are confirmed."""
    for node in context.flow.nodes.values():
        if isinstance(node, Question) and (node.when is not None or node.validate is not None):
            _check_conditions(context, node, out)
        elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
            _check_demand(context, node, node.confirm.when, out)
        if not node.edges or (isinstance(node, Decision) and node.pick_question):
            continue
        if len(node.edges) > 1 or node.edges[0].guard is not None or node.otherwise is not None:
            _Choice(context, node, out).check()


def _check_conditions(context: CheckContext, node: Question, out: Reporter) -> None:
    """Report a `when` that is never true, and a `validate` that no value passes."""
    for field, guard in (("when", node.when), ("validate", node.validate)):
        if guard is None:
            continue
        table = make_table(context, node, [guard], context.assigned_on_entering(node), node.schema)
        if table is not None and not any(row.opens[0] for row in table) and table.is_whole:
            what = "so the question is never asked" if field == "when" else "so no answer is ever accepted"
            message = f"`{field}` of `{node.id}` is never true, {what}."
            out.add(Code.NEVER_TRUE, (*context.path(node), field), message, _bounds(context, node, guard))


def _check_demand(context: CheckContext, node: Action, guard: Guard, out: Reporter) -> None:
    """Report a confirmation that is never demanded."""
    table = make_table(context, node, [guard], context.assigned_on_entering(node))
    if table is None or not all(table.verdicts([guard], row.numbers)[0].closes for row in table):
        return
    if table.is_whole:
        message = f"`confirm.when` of `{node.id}` is never true, so the confirmation is never demanded."
        out.add(Code.NEVER_TRUE, (*context.path(node), "confirm", "when"), message, _bounds(context, node, guard))


def _bounds(context: CheckContext, node: Node, guard: Guard) -> str:
    names = sorted(guard.reads)
    return f"Compare it with what is allowed for {listed(names)}." if names else "Say when it holds, or remove it."


class _Choice:
    """The edges of one node."""

    def __init__(self, context: CheckContext, node: Node, out: Reporter) -> None:
        self.context = context
        self.node = node
        self.out = out
        self.edges = [edge for edge in node.edges if edge.guard is not None]
        self.guards = [edge.guard for edge in self.edges if edge.guard is not None]
        self.always = next((edge for edge in node.edges if edge.guard is None), None)

    def check(self) -> None:
        if self.always is not None:
            self._idle_behind(self.always)
        table = make_table(self.context, self.node, self.guards, self.context.assigned_on_leaving(self.node))
        if table is None or (self.always is None and self.node.otherwise is not None and table.varies):
            return
        idle = self._idle_edges(table)
        if self.node.otherwise is None:
            if self.always is None:
                self._check_coverage(table)
        elif self.always is None and all(any(row.opens) for row in table) and table.is_whole:
            self._idle_else(f"some guard of `{self.node.id}` is true whatever the values are")
        self._check_overlaps(table, idle)

    def _idle_behind(self, always: Edge) -> None:
        for edge in self.node.edges[self.node.edges.index(always) + 1 :]:
            if edge.guard is not None:
                self._never_taken(edge, always, "is always open")
        if self.node.otherwise is not None:
            self._idle_else(f"`{always.source} -> {always.target}` has no guard and is always open")

    # edges that are never taken

    def _idle_edges(self, table: Table) -> set[int]:
        """Report guards that are never true, and edges before which another one is always open."""
        if len(self.edges) == 1 and any(row.opens[0] for row in table):
            return set()
        opened = [{place for place, row in enumerate(table) if row.opens[n]} for n in range(len(self.edges))]
        idle: set[int] = set()
        for n, edge in enumerate(self.edges):
            earlier = [m for m in range(n) if m not in idle and opened[n] <= opened[m]]
            if opened[n] and not earlier:
                continue
            if not table.is_whole:
                break
            idle.add(n)
            if not opened[n]:
                message = f"The guard of `{edge.source} -> {edge.target}` is never true."
                hint = _bounds(self.context, self.node, self.guards[n])
                self.out.add(Code.NEVER_TRUE, self._guard_path(edge), message, hint)
            elif not self._is_behind(edge) and self.guards[earlier[0]].text != self.guards[n].text:
                self._never_taken(edge, self.edges[earlier[0]], "is open whenever this one is")
        return idle

    def _never_taken(self, edge: Edge, winner: Edge, why: str) -> None:
        message = (
            f"This edge is never taken: `{winner.source} -> {winner.target}`, which comes before it by priority and "
            f"order, {why}."
        )
        hint = "Put it first, give it a higher `priority`, or make the other one the `else` edge."
        related = [("the edge that is taken", self.context.edge_path(self.node, winner))]
        self.out.add(Code.NEVER_TAKEN, self.context.edge_path(self.node, edge), message, hint, related=related)

    def _idle_else(self, why: str) -> None:
        assert self.node.otherwise is not None
        message = f"The `else` edge of `{self.node.id}` is never open: {why}."
        hint = "Remove it, or the guard that takes its place."
        self.out.add(Code.IDLE_ELSE, self._guard_path(self.node.otherwise), message, hint)

    def _is_behind(self, edge: Edge) -> bool:
        edges = self.node.edges
        return self.always is not None and edges.index(self.always) < edges.index(edge)

    # values for which no edge, or several, are open

    def _check_coverage(self, table: Table) -> None:
        def uncovered(verdicts: Sequence[Verdict]) -> bool:
            return not any(verdict.opens or verdict.missing for verdict in verdicts)

        if not any(not row.lacks and not any(row.opens) for row in table):
            return
        example = self._example(self.guards, uncovered, table)
        if example is None:
            return
        stuck = self.context.flow.on_stuck
        then = f"it goes to `{stuck}`" if stuck else "the turn fails"
        message = f"No edge of `{self.node.id}` opens when {example}; then {then}."
        hint = "Add an edge for it, or an `else` edge."
        self.out.add(Code.NOT_COVERED, (*self.context.path(self.node), "id"), message, hint)

    def _check_overlaps(self, table: Table, idle: set[int]) -> None:
        reported = 0
        for n, edge in enumerate(self.node.edges):
            for other in self.node.edges[:n]:
                if reported < _SHOWN and self._may_overlap(other, edge, table, idle):
                    reported += self._report_overlap(other, edge, table)

    def _may_overlap(self, first: Edge, edge: Edge, table: Table, idle: set[int]) -> bool:
        strict = self.context.flow.deterministic
        if not strict and (first.priority != edge.priority or first.target == edge.target):
            return False
        if (first.guard and first.guard.text) == (edge.guard and edge.guard.text) or self._is_behind(edge):
            return False
        both = [self.edges.index(e) for e in (first, edge) if e.guard is not None]
        before = [] if strict else self.edges[: both[0]]
        wanted = [False] * len(before), [True] * len(both)
        return not idle & set(both) and any(
            ([row.opens[n] for n in range(len(before))], [row.opens[n] for n in both]) == wanted for row in table
        )

    def _report_overlap(self, first: Edge, edge: Edge, table: Table) -> bool:
        both = [guard for guard in (first.guard, edge.guard) if guard is not None]
        # Of two open edges the first is only taken where none before it is open.
        before = [] if self.context.flow.deterministic else self.guards[: self.guards.index(both[0])]

        def together(verdicts: Sequence[Verdict]) -> bool:
            opens = [verdict.opens for verdict in verdicts]
            return all(opens[len(before) :]) and not any(opens[: len(before)])

        example = self._example([*before, *both], together, table)
        if example is None:
            return False
        winner = f"`{first.source} -> {first.target}`"
        if self.context.flow.deterministic:
            then = "under `deterministic: true` the turn then fails"
        else:
            order = "has the higher priority" if first.priority != edge.priority else "stands first"
            then = f"{winner} is taken, because it {order}, and the trace records that both were open"
        message = f"This edge and {winner} are both open when {example}; {then}."
        hint = "Let the guards exclude each other, or give the edges different priorities."
        if edge.guard is None:
            hint = "Write `guard: else` where the edge is for everything else."
        elif self.context.flow.deterministic:
            hint = "Let the guards exclude each other."
        related = [("the other one", self.context.edge_path(self.node, first))]
        self.out.add(Code.OVERLAP, self.context.edge_path(self.node, edge), message, hint, related=related)
        return True

    def _example(self, guards: Sequence[Guard], holds: Holds, table: Table) -> str | None:
        """Values, as a guard, for which `holds` of the verdicts, and with which the flow really comes here."""
        goal = Goal(self.node, Moment.LEAVE, all_reads(guards), self._goal(guards, holds))
        run = self.context.reachable.find(goal)
        if run is None:
            return None
        values = self.context.values
        numbers: Numbers = {name: values.given(name, run.scopes, run.held) for name in self._in_order(goal.reads)}
        return self.context.shown_numbers(self._needed(guards, holds, numbers, table)) if numbers else None

    def _in_order(self, names: frozenset[str]) -> list[str]:
        """Names as the guards mention them first."""
        texts = " ".join(guard.text for guard in self.guards)
        return sorted(names, key=lambda name: (texts.find(name) % (len(texts) + 1), name))

    def _goal(self, guards: Sequence[Guard], holds: Holds) -> Callable[[Held, Scopes, bool], bool]:
        def reached(held: Held, scopes: Scopes, escaped: bool) -> bool:
            verdicts = [self.context.values.verdict(guard, scopes, held) for guard in guards]
            known = [verdict for verdict in verdicts if verdict is not None]
            return len(known) == len(verdicts) and holds(known)

        return reached

    def _needed(self, guards: Sequence[Guard], holds: Holds, numbers: Numbers, table: Table) -> Numbers:
        """Only the values that matter: as long as they stay, it holds whatever the others are."""
        kept = dict(numbers)
        for read in sorted(numbers):
            rest = {name: number for name, number in kept.items() if name != read}
            rows = [row for row in table if all(row.numbers[name] == number for name, number in rest.items())]
            if rest and rows and all(holds(table.verdicts(guards, row.numbers)) for row in rows):
                kept = rest
        return kept

    def _guard_path(self, edge: Edge) -> tuple[str | int, ...]:
        return (*self.context.edge_path(self.node, edge), "guard")
