"""The questions without an answer that a conversation must have passed: those on every way to its position.

A conversation that walked its flow has an answer to each of them. After a migration it may lack one: a question that
was moved before the position, or that applies to more conversations now.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from graphwright.engine._dependent_answers import Place, as_before, callee_entries, open_targets
from graphwright.engine._position import DECLINED, Position, Scope, lookup, view
from graphwright.engine._questions import Candidate, every_candidate
from graphwright.flow._dependencies import graphs_called, nodes_before, unscoped
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow.compiled import EXIT, ROOT, Call, CompiledFlow, Decision, Node, Question
from graphwright.flow.guards._vocabulary import ANSWERS

Blocks = Callable[[Question, tuple[Scope, ...]], bool]
"""Whether the flow cannot leave a question in these answer scopes."""


def missing_before(
    flow: CompiledFlow, values: Mapping[str, Any], position: Position, *, closed: bool = False
) -> list[Candidate]:
    """Return the questions that apply, have no answer, and lie on every way from the entry to a position.

    Confirmations are left out. The result is empty if the answers lead elsewhere, or the conversation left its normal
    way. One with `ask: always` matters only to what reads its answer (`is_named`). With `closed`, those count as well
    that do not apply.
    """
    if position.escaped or not _may_lack(flow, values, flow.nodes[position.frames[0].node], closed=closed):
        return []
    stops = next((n for n, frame in enumerate(position.frames) if frame.detour), len(position.frames))
    target = position.frames[max(stops, 1) - 1]
    search = _Search(flow, values, (target.node, target.scopes), closed=closed)
    if search.arrives(lambda question, scopes: is_missing(flow, values, question, scopes, closed=closed)):
        return []
    return list(search.needed()) if search.arrives(lambda question, scopes: False) else []


def is_on_open_way(flow: CompiledFlow, values: Mapping[str, Any], place: Place) -> bool:
    """Whether the answers leave a way open from the entry to a place."""
    return _Search(flow, values, place, closed=False).arrives(lambda question, scopes: False)


def _may_lack(flow: CompiledFlow, values: Mapping[str, Any], top: Node, *, closed: bool) -> bool:
    """Whether a question may be missing before a node of the root, or in a call there."""
    asked = _asked_before(flow, top)
    if asked is None:
        return True
    return any(is_missing(flow, values, each.question, each.scopes, closed=closed) for each in asked)


@lru_cache(maxsize=1024)
def _asked_before(flow: CompiledFlow, top: Node) -> tuple[Candidate, ...] | None:
    """The questions that may lie before a node of the root or in its calls, in all their answer scopes.

    None if a call there may enter its own graph again: then the answers decide how often.
    """
    before = nodes_before(flow, top)
    calls = [node for node in flow.root.nodes.values() if isinstance(node, Call) and (node.id in before or node is top)]
    inside = partial(graphs_called, flow)
    called = reachable([graph for call in calls for graph in flow.callees(call)], inside)
    if any(graph in reachable(inside(graph), inside) for graph in called):
        return None
    asked = ((each, each.question) for each in every_candidate(flow))
    return tuple(each for each, node in asked if (node.id in before if node.graph == ROOT else node.graph in called))


def is_missing(
    flow: CompiledFlow,
    values: Mapping[str, Any],
    question: Question,
    scopes: tuple[Scope, ...],
    *,
    closed: bool = False,
) -> bool:
    """Whether a question applies, or is `closed`, and has no answer; false for confirmations."""
    path = (*(scope.name for scope in scopes), question.key)
    if lookup(values.get("answers") or {}, path)[0] or ".".join(path) in values.get(DECLINED, ()):
        return False
    if (question.ask_always and question.read == "confirm") or flow.confirmed_by(question.id):
        return False
    seen = as_before(values, path)
    return closed or question.when is None or question.when.evaluate(view(flow, seen, scopes)).opens


def is_named(question: Question, reads: Collection[str]) -> bool:
    """Whether one of these names is that of the answer to a question; `answers`, all of them, is not."""
    return f"{ANSWERS}.{question.key}" in map(unscoped, reads)


def _only(question: Question, scopes: tuple[Scope, ...]) -> Blocks:
    return lambda node, there: (node.id, there) == (question.id, scopes)


class _Search:
    """A search through a flow from its entry to a place, over the edges that the answers leave open."""

    def __init__(self, flow: CompiledFlow, values: Mapping[str, Any], target: Place, *, closed: bool) -> None:
        self.flow = flow
        self.values = values
        self.target = target
        self.closed = closed
        self.found: set[Place] = set()

    def needed(self) -> Iterator[Candidate]:
        """The missing questions without which the search does not arrive, in the order of the flow."""
        missing = [
            (node, scopes)
            for node, scopes in self._passed()
            if isinstance(node, Question) and is_missing(self.flow, self.values, node, scopes, closed=self.closed)
        ]
        order = {question.id: place for place, question in enumerate(self.flow.questions)}
        for question, scopes in sorted(missing, key=lambda each: (order[each[0].id], each[1])):
            if not self.arrives(_only(question, scopes)):
                yield Candidate(question, scopes)

    def _passed(self) -> Iterator[tuple[Node, tuple[Scope, ...]]]:
        """The nodes of the latest search, also the questions that must have an answer before a decision is left."""
        places = dict.fromkeys(self.found)
        for name, scopes in self.found:
            node = self.flow.nodes[name]
            if isinstance(node, Decision) and node.pick_question:
                places |= dict.fromkeys((edge.target, scopes) for edge in node.edges if edge.target in self.flow.nodes)
        return ((self.flow.nodes[name], scopes) for name, scopes in places)

    def arrives(self, blocks: Blocks) -> bool:
        """Whether there is a way to the place that leaves no question which blocks it."""
        self.found = set()
        todo: list[tuple[str, Place]] = [(ROOT, (self.flow.root.entry, ()))]
        left: set[Place] = set()
        calls: dict[Place, list[Place]] = {}
        while todo:
            graph, place = todo.pop()
            name, scopes = place
            if place == self.target:
                return True
            if name == EXIT and (graph, scopes) not in left:
                left.add((graph, scopes))
                for call in calls.get((graph, scopes), ()):
                    todo += self._after(call)
            if name == EXIT or place in self.found:
                continue
            self.found.add(place)
            node = self.flow.nodes[name]
            if not isinstance(node, Call):
                todo += [(graph, (each, scopes)) for each in self._following(node, scopes, blocks)]
                continue
            for entry, inner in callee_entries(self.flow, node, self.values, scopes):
                called = self.flow.nodes[entry].graph
                calls.setdefault((called, inner), []).append(place)
                todo += [(called, (entry, inner)), *(self._after(place) if (called, inner) in left else ())]
        return False

    def _after(self, call: Place) -> list[tuple[str, Place]]:
        name, scopes = call
        node = self.flow.nodes[name]
        return [(node.graph, (each, scopes)) for each in open_targets(self.flow, node, self.values, scopes)]

    def _following(self, node: Any, scopes: tuple[Scope, ...], blocks: Blocks) -> list[str]:
        if isinstance(node, Question) and blocks(node, scopes):
            return [node.on_invalid] if node.on_invalid else []
        following = list(open_targets(self.flow, node, self.values, scopes))
        if isinstance(node, Decision) and node.pick_question and node.otherwise is not None:
            asked = (self.flow.nodes.get(edge.target) for edge in node.edges if edge.guard is None)
            if any(isinstance(each, Question) and blocks(each, scopes) for each in asked):
                following.remove(node.otherwise.target)
        return following
