"""Questions whose `when` contradicts the guards of the edges that every way to them takes."""

from __future__ import annotations

from typing import Any

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter, pointer
from graphwright.flow.checks._contradictions import exclude_each_other
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._presence import PREFIX, Presence
from graphwright.flow.checks._truth_tables import FlowContext, all_reads, make_table
from graphwright.flow.compiled import Call, Decision, Edge, Node, Question
from graphwright.flow.guards import Guard

_MOST_NODES = 20
"""The maximum number of nodes that are followed back from a question."""


def check_excluded_questions(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each question that is never asked because guards on every way to it exclude its `when`."""
    reported = out.pointers(Code.NEVER_TRUE)
    needed = {key for constraint in context.flow.constraints for key in constraint.keys}
    for question in context.flow.questions:
        path = (*context.path(question), "when")
        when = question.when
        if when is None or question not in assigned.entering or pointer(path) in reported or question.key in needed:
            continue
        edges = _Ways(context, assigned, question, when).excluding()
        if edges:
            shown = f"the guard of `{edges[0].source} -> {edges[0].target}`"
            message = (
                f"`when` of `{question.id}` contradicts {shown} on every way here, so the question is never asked."
            )
            hint = "Change one of the two conditions, or lead another way here."
            related = [("the guard", context.edge_path(context.flow.nodes[each.source], each)) for each in edges[:3]]
            out.add(Code.NEVER_TRUE, path, message, hint, related=related)


class _Nothing:
    """No knowledge about the names of a flow: a guard may have been true when they had other values."""

    def has(self, node: Node, name: str) -> bool:
        return False

    def values(self, node: Node, read: str) -> tuple[tuple[Any, ...], bool] | None:
        return None


class _Ways:
    """The ways back from a question to the edges that exclude its condition."""

    def __init__(self, context: FlowContext, assigned: Assignment, question: Question, when: Guard) -> None:
        self._context = context
        self._assigned = assigned
        self._question = question
        self._when = when

    def excluding(self) -> list[Edge]:
        """The edges that exclude the condition, if every way takes one of them; otherwise none."""
        flow, control = self._context.flow, self._context.control
        entered = {flow.on_stuck, flow.on_escalate, flow.on_abandon, *(graph.entry for graph in flow.graphs.values())}
        found: list[Edge] = []
        todo: list[Node] = [self._question]
        seen = {*todo}
        for node in todo:
            if node.id in entered or len(seen) > _MOST_NODES:
                return []
            for source in (flow.nodes[name] for name in control.preceding[node.id]):
                edges = [edge for edge in source.all_edges if edge.target == node.id]
                if node.id in control.jumps.get(source.id, ()):
                    return []
                if all(self._excludes(source, edge, node is self._question) for edge in edges):
                    found += edges
                elif not self._may_be_passed(source):
                    return []
                elif source not in seen:
                    seen.add(source)
                    todo.append(source)
        return found

    def _may_be_passed(self, source: Node) -> bool:
        """Whether a correction behind a node takes the decisions before it again: those of earlier rounds stay."""
        cyclic = self._context.cyclic
        return not isinstance(source, Call) and source not in cyclic and self._question not in cyclic

    def _excludes(self, source: Node, edge: Edge, at_once: bool) -> bool:
        """Whether the condition is false whenever an edge is taken; `at_once`: nothing can change in between."""
        guards = [each.guard for each in source.edges if each.guard is not None]
        own = [edge.guard] if edge.guard is not None else guards if edge is source.otherwise else []
        shared = self._when.reads & all_reads(own)
        if not shared or not (at_once or all(self._lasts(source, edge, name) for name in shared)):
            return False
        table = make_table(self._context, self._question, [self._when, *guards], _Nothing())
        if table is None or not table.is_whole:
            return edge.guard is not None and exclude_each_other(self._context, source, self._when, edge.guard)
        picks = isinstance(source, Decision) and source.pick_question
        place = guards.index(edge.guard) if edge.guard is not None else len(guards)
        earlier = slice(1, 1 if picks else place + 1)
        return not any(
            row.opens[0] and (edge.guard is None or row.opens[place + 1]) and not any(row.opens[earlier])
            for row in table
        )

    def _lasts(self, source: Node, edge: Edge, name: str) -> bool:
        """Whether a change of a name that an edge reads takes this decision again: an answer that was given before."""
        key, askers = name.removeprefix(PREFIX), self._context.askers(name)
        if key == name or any(each.ask_always or each.read == "confirm" for each in askers):
            return False
        given = self._assigned.on_leaving.has(source, key)
        return given or (edge.guard is not None and key in Presence(edge.guard).proven(edge.guard.tree, True))
