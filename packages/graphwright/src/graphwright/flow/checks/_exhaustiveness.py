"""Exhaustiveness: values for which no edge of a node opens, or several edges do, and conditions that are never true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._contradictions import is_contradiction, questions_against
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._presence import CHANNEL, Presence
from graphwright.flow.checks._truth_tables import (
    UNCERTAIN,
    FlowContext,
    NameFacts,
    Row,
    Table,
    expressions_of,
    make_table,
)
from graphwright.flow.compiled import CHOSEN_PATH, Action, Decision, Edge, Node, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Call, Expr, parts_of, path_of, show, walk
from graphwright.flow.guards._value_partitions import literal_value
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, VALUE
from graphwright.text.near_names import listed

_MAX_OVERLAPS = 3
"""The maximum number of overlaps that are reported for one node."""

_MAX_OPTIONS = 20
"""The maximum number of options of a question that are examined one by one."""

_MAX_VALUES = 5
"""The maximum number of allowed values that a hint shows."""

_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}
"""The words for the bounds of a number, by the keyword of its schema."""


def check_exhaustiveness(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Check the edges of every node, the `when` and `validate` of every question, and the `when` of confirmations."""
    picks = [node for node in context.flow.nodes.values() if isinstance(node, Decision) and node.pick_question]
    picked = {edge.target for node in picks for edge in node.edges}
    for node in context.flow.nodes.values():
        for field, guard, then in _conditions(node):
            schema = node.schema if isinstance(node, Question) else None
            table = make_table(context, node, [guard], assigned.on_entering, schema)
            # A confirmation is demanded if its condition cannot be evaluated, so only false is never.
            if field[0] == "confirm":
                never = table is not None and table.is_whole and all(row.verdicts[0].closes for row in table)
            else:
                never = _is_never_true(table) or is_contradiction(context, node, guard, schema)
            path, what = (*context.path(node), *field), f"`{'.'.join(field)}` of `{node.id}`"
            if never:
                hint = _bounds(context, guard, node, assigned.on_entering)
                # A `pick` evaluates it earlier, too, while it still asks the questions before.
                turn = " when its turn comes" if field == ("when",) and node.id in picked else ""
                out.add(Code.NEVER_TRUE, path, f"{what} is never true{turn}, so {then}.", hint)
            elif field[0] != "confirm":
                _report_against(context, questions_against(context, node, guard, schema), what, then, path, out)
        if isinstance(node, Question) and node.validate is not None:
            _check_options(context, assigned, node, node.validate, out)
        if not node.edges or (isinstance(node, Decision) and node.pick_question):
            continue
        if len(node.edges) > 1 or node.edges[0].guard is not None or node.otherwise is not None:
            _Choice(context, assigned, node, out).check()


def _check_options(context: FlowContext, assigned: Assignment, node: Question, rule: Guard, out: Reporter) -> None:
    """Report options of a question that its `validate` refuses whatever the other answers are."""
    allowed = type_of_schema(node.schema).allowed or ()
    refused = []
    for option in allowed if VALUE in rule.reads and len(allowed) <= _MAX_OPTIONS else ():
        schema = {"enum": [option]}
        table = make_table(context, node, [rule], assigned.on_asking, schema)
        if _is_never_true(table) or is_contradiction(context, node, rule, schema):
            refused.append(option)
    if refused and len(refused) < len(allowed):
        shown = ", ".join(map(show, refused[:_MAX_VALUES]))
        message = f"`validate` of `{node.id}` never accepts {shown}, which its schema offers."
        hint = "Take it out of the schema, or change the rule."
        out.add(Code.OPTION_REFUSED, (*context.path(node), "validate"), message, hint)


def check_tautologies(context: FlowContext, out: Reporter) -> None:
    """Report each `x != a || x != b`, which is true whatever `x` is, once for each expression."""
    flow = context.flow
    for node in flow.nodes.values():
        places = [((*context.path(node), *field), guard) for field, guard, _ in _conditions(node)]
        edges = [(edge, edge.guard) for edge in node.edges if edge.guard is not None]
        places += [((*context.edge_path(node, edge), "guard"), guard) for edge, guard in edges]
        for path, guard in places:
            _check_tautology(guard.tree, path, out)
    predicates: dict[str, Guard | None] = {}
    for guard in (each for node in flow.nodes.values() for each in expressions_of(node)):
        predicates.update(guard.predicates)
    for name, predicate in predicates.items():
        if predicate is not None:
            _check_tautology(predicate.tree, ("predicates", name), out)


def _check_tautology(tree: Expr, path: Path, out: Reporter) -> None:
    for part in walk(tree):
        if not isinstance(part, Call) or part.function != "||":
            continue
        excluded: dict[str, dict[Any, None]] = {}
        for each in parts_of(part, "||"):
            path_read = path_of(each.args[0]) if isinstance(each, Call) and each.function == "!=" else None
            value = literal_value(each.args[1]) if isinstance(each, Call) and path_read is not None else None
            if path_read is not None and value is not None:
                excluded.setdefault(".".join(path_read), {})[value] = None
        for name, values in excluded.items():
            if len(values) > 1:
                first, second = (show(value) for value in list(values)[:2])
                message = f"`{name} != {first} || {name} != {second}` is always true: `{name}` is never both."
                hint = f"Write `{name} != {first} && {name} != {second}`, or `!({name} in [{first}, {second}])`."
                out.add(Code.ALWAYS_TRUE, path, message, hint)
                return


def _report_against(
    context: FlowContext, questions: Sequence[Question], what: str, then: str, path: Path, out: Reporter
) -> None:
    """Report a condition that is never true with the answers that other questions accept."""
    if questions:
        who = " and ".join(f"`{question.id}`" for question in questions)
        message = f"{what} is never true with answers that `validate` of {who} accepts, so {then}."
        hint = "Change one of these rules, so that some answers meet all of them."
        related = [(f"`{each.id}` is here", context.path(each)) for each in questions]
        out.add(Code.NEVER_TRUE, path, message, hint, related=related)


def _is_never_true(table: Table | None) -> bool:
    return table is not None and table.is_whole and not any(row.opens[0] for row in table)


def _conditions(node: Node) -> list[tuple[tuple[str, ...], Guard, str]]:
    """The fields of a node that hold a condition, each with the consequence if it is never true."""
    found: list[tuple[tuple[str, ...], Guard | None, str]] = []
    if isinstance(node, Question):
        found = [(("when",), node.when, "the question is never asked")]
        found += [(("validate",), node.validate, "no answer is ever accepted")]
    elif isinstance(node, Action) and node.confirm is not None:
        found = [(("confirm", "when"), node.confirm.when, "the confirmation is never demanded")]
    return [(field, guard, then) for field, guard, then in found if guard is not None]


def _bounds(context: FlowContext, guard: Guard, node: Node, known: NameFacts) -> str:
    names = sorted(guard.reads)
    limited = [name for name in names if known.values(node, name) is not None]
    if limited:
        return f"Guards on every way here exclude it: look at those that read {listed(limited)}, or remove this one."
    if not names:
        return "Say when it holds, or remove it."
    if "daysUntil" in guard.text:
        return "`A.daysUntil(B)` counts the days from A to B, less than 0 if B is before A: exchange the two dates."
    ranges = []
    for name in names:
        own = node.schema if name == VALUE and isinstance(node, Question) else context.schema(name, node.graph)
        allowed = _allowed(own or {})
        ranges += [f"`{name}` is {allowed}"] if allowed else []
    return f"Compare it with what is allowed for {listed(names)}" + (f": {', '.join(ranges)}." if ranges else ".")


def _allowed(schema: Mapping[str, Any]) -> str:
    """What the schema of a number or of a few values allows, in words; empty for any other."""
    few = type_of_schema(schema).allowed
    if few:
        return " or ".join([*map(show, few[:_MAX_VALUES]), *(["another"] if len(few) > _MAX_VALUES else [])])
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    return " and ".join(f"{words} {schema[field]}" for field, words in _LIMITS.items() if field in schema)


class _Choice:
    """The edges of one node."""

    def __init__(self, context: FlowContext, assigned: Assignment, node: Node, out: Reporter) -> None:
        self.context = context
        self.assigned = assigned
        self.node = node
        self.out = out
        self.edges = [edge for edge in node.edges if edge.guard is not None]
        self.guards = [edge.guard for edge in self.edges if edge.guard is not None]
        self.always = next((edge for edge in node.edges if edge.guard is None), None)

    def check(self) -> None:
        if self.always is not None:
            self._idle_behind(self.always)
        table = make_table(self.context, self.node, self.guards, self.assigned.on_leaving)
        self._check_contradictions(table)
        if table is None:
            self._check_absence()
            return
        if self.always is None and self.node.otherwise is not None and table.varies:
            return
        idle = self._idle_edges(table)
        if self.node.otherwise is None:
            if self.always is None and not self._check_coverage(table):
                self._check_absence()
        elif self.always is None and table.is_whole and all(any(row.opens) for row in table):
            self._idle_else(f"some guard of `{self.node.id}` is true whatever the values are")
        self._check_overlaps(table, idle)

    def _idle_behind(self, always: Edge) -> None:
        for edge in self.node.edges[self.node.edges.index(always) + 1 :]:
            if edge.guard is not None:
                self._never_taken(edge, always, "is always open")
        if self.node.otherwise is not None:
            target = self.context.flow.nodes.get(always.target)
            guard = f"`guard: {ACTIVE_PATH} != ''`" if getattr(target, "ref", "") == CHOSEN_PATH else "a guard"
            shown = f"`{always.source} -> {always.target}`"
            self._idle_else(f"{shown} has no guard and is always open", f"Give {shown} {guard}, or remove this edge.")

    def _idle_edges(self, table: Table) -> set[int]:
        """Report guards that are never true, and edges after an edge that is always open."""
        if not table.is_whole or (len(self.edges) == 1 and any(row.opens[0] for row in table)):
            return set()
        opened = [{place for place, row in enumerate(table) if row.opens[n]} for n in range(len(self.edges))]
        idle: set[int] = set()
        for n, edge in enumerate(self.edges):
            earlier = [m for m in range(n) if m not in idle and opened[n] <= opened[m]]
            if opened[n] and not earlier:
                continue
            idle.add(n)
            if not opened[n]:
                self._never_true(edge, self.guards[n])
            elif not self._is_behind(edge) and self.guards[earlier[0]].text != self.guards[n].text:
                self._never_taken(edge, self.edges[earlier[0]], "is open whenever this one is")
        return idle

    def _check_contradictions(self, table: Table | None) -> None:
        """Report guards that no values make true, unless a whole table shows them, or none that others accept."""
        whole = table is not None and table.is_whole
        for n, (edge, guard) in enumerate(zip(self.edges, self.guards, strict=True)):
            if table is not None and whole and not table.varies and not any(row.opens[n] for row in table):
                continue
            if not whole and is_contradiction(self.context, self.node, guard):
                self._never_true(edge, guard)
            elif questions := questions_against(self.context, self.node, guard):
                what = f"The guard of `{edge.source} -> {edge.target}`"
                then = "this edge is never taken"
                _report_against(self.context, questions, what, then, self._guard_path(edge), self.out)

    def _never_true(self, edge: Edge, guard: Guard) -> None:
        message = f"The guard of `{edge.source} -> {edge.target}` is never true."
        hint = _bounds(self.context, guard, self.node, self.assigned.on_leaving)
        self.out.add(Code.NEVER_TRUE, self._guard_path(edge), message, hint)

    def _never_taken(self, edge: Edge, winner: Edge, why: str) -> None:
        message = (
            f"This edge is never taken: `{winner.source} -> {winner.target}`, which comes before it by priority and "
            f"order, {why}."
        )
        hint = "Put it first, give it a higher `priority`, or make the other one the `else` edge."
        related = [("the edge that is taken", self.context.edge_path(self.node, winner))]
        self.out.add(Code.NEVER_TAKEN, self.context.edge_path(self.node, edge), message, hint, related=related)

    def _idle_else(self, why: str, hint: str = "Remove it, or the guard that takes its place.") -> None:
        assert self.node.otherwise is not None
        message = f"The `else` edge of `{self.node.id}` is never open: {why}."
        self.out.add(Code.IDLE_ELSE, self._guard_path(self.node.otherwise), message, hint)

    def _is_behind(self, edge: Edge) -> bool:
        edges = self.node.edges
        return self.always is not None and edges.index(self.always) < edges.index(edge)

    def _check_coverage(self, table: Table) -> bool:
        def uncovered(row: Row) -> bool:
            return not any(verdict.opens or verdict.missing for verdict in row.verdicts)

        example = table.example(uncovered)
        if example is None:
            return False
        self._report_uncovered(table.row_as_guard(example, uncovered))
        return True

    def _check_absence(self) -> None:
        """Report a channel or an answer that every guard asks for first (`x != null && ...`) and that may be absent."""
        if self.always is not None or self.node.otherwise is not None or not self.guards:
            return
        needed = [Presence(guard).proven(guard.tree, True, by_has=True) for guard in self.guards]
        for name in sorted(frozenset.intersection(*needed)):
            if not self.assigned.on_leaving.has(self.node, name) and self._may_be_absent(name):
                read = name.removeprefix(CHANNEL)
                self._report_uncovered(f"`{read} == null`" if read != name else f"`!has({ANSWERS}.{name})`")
                return

    def _may_be_absent(self, name: str) -> bool:
        """Whether a channel begins with null, or the question for an answer may be declined."""
        if name.startswith(CHANNEL):
            return self.context.flow.channels[name.removeprefix(CHANNEL)].default is None
        return any(not question.required for question in self.context.askers(f"{ANSWERS}.{name}"))

    def _report_uncovered(self, case: str) -> None:
        stuck = self.context.flow.on_stuck
        then = f"it goes to `{stuck}`" if stuck else "the turn fails"
        message = f"No edge of `{self.node.id}` opens when {case}; then {then}."
        hint = "Add an edge for it, or an `else` edge."
        self.out.add(Code.NOT_COVERED, (*self.context.path(self.node), "id"), message, hint)

    def _check_overlaps(self, table: Table, idle: set[int]) -> None:
        reported = 0
        for n, edge in enumerate(self.node.edges):
            for other in self.node.edges[:n]:
                if reported < _MAX_OVERLAPS and self._may_overlap(other, edge, idle):
                    reported += self._report_overlap(other, edge, table)

    def _may_overlap(self, first: Edge, edge: Edge, idle: set[int]) -> bool:
        strict = self.context.flow.deterministic
        if not strict and (first.priority != edge.priority or first.target == edge.target):
            return False
        if (first.guard and first.guard.text) == (edge.guard and edge.guard.text) or self._is_behind(edge):
            return False
        return not any(self.edges[n] in (first, edge) for n in idle)

    def _report_overlap(self, first: Edge, edge: Edge, table: Table) -> bool:
        strict = self.context.flow.deterministic
        both = [self.edges.index(e) for e in (first, edge) if e.guard is not None]

        def together(row: Row) -> bool:
            # The first of two open edges is taken only if no edge before it is open.
            earlier = row.verdicts[: both[0]]
            return all(row.opens[n] for n in both) and (strict or not any(v.opens or v is UNCERTAIN for v in earlier))

        example = table.example(together)
        if example is None:
            return False
        winner = f"`{first.source} -> {first.target}`"
        if strict:
            then = "under `deterministic: true` the turn then fails"
        else:
            then = f"{winner} is taken, because it stands first, and the trace records that both were open"
        message = f"This edge and {winner} are both open when {table.row_as_guard(example, together)}; {then}."
        hint = "Let the guards exclude each other" + ("." if strict else ", or give the edges different priorities.")
        if edge.guard is None:
            hint = "Write `guard: else` where the edge is for everything else."
        related = [("the other one", self.context.edge_path(self.node, first))]
        self.out.add(Code.OVERLAP, self.context.edge_path(self.node, edge), message, hint, related=related)
        return True

    def _guard_path(self, edge: Edge) -> Path:
        return (*self.context.edge_path(self.node, edge), "guard")
