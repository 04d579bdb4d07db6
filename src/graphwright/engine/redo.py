"""Find the question to ask again, or the action to perform again, before a place of the flow reads its result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from graphwright.engine.answers import lookup, resolve, view
from graphwright.engine.constraints import find_questions
from graphwright.engine.position import Frame, Position, Scope
from graphwright.engine.reconsider import REOPENED, SOURCES, Source, as_before
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Action, Call, CompiledFlow, Decision, Node, Question
from graphwright.flow.dependencies import answer_needs, dependencies, is_answer, signature_of
from graphwright.flow.guards import Guard

Place = tuple[str, tuple[Scope, ...]]
"""A node and the answer scopes in which it is entered."""


class Redo(NamedTuple):
    """A question to ask again, or an action to perform again, and the scopes to do it in."""

    node: Question | Action
    scopes: tuple[Scope, ...]


def is_pending(values: Mapping[str, Any]) -> bool:
    """Whether any answer is to be asked again, or any channel to be computed again."""
    sources: Mapping[str, Source] = values.get(SOURCES) or {}
    return bool(values.get(REOPENED)) or any(source.changed for source in sources.values())


def first_redo(
    flow: CompiledFlow,
    values: Mapping[str, Any],
    reads: Collection[str],
    scopes: tuple[Scope, ...],
    *,
    busy: Collection[Place],
    escaped: bool,
) -> Redo | None:
    """Return what to do first so that `reads`, names as a node with these scopes reads them, are up to date.

    Dependencies come before what depends on them. Places in `busy` are skipped: they are being asked or computed.
    A conversation that left its normal way (`escaped`) asks nothing again, and repeats no effects.
    """
    return next(_Search(flow, values, busy, escaped).names(reads, scopes), None)


class _Search:
    """A search through the dependencies, depth first; each answer and channel is visited once."""

    def __init__(self, flow: CompiledFlow, values: Mapping[str, Any], busy: Collection[Place], escaped: bool) -> None:
        self.flow = flow
        self.values = values
        self.busy = busy
        self.escaped = escaped
        self.seen: set[str | tuple[str, ...]] = set()
        self.reachable: frozenset[Place] | None = None

    def names(self, names: Collection[str], scopes: tuple[Scope, ...]) -> Iterator[Redo]:
        for name in sorted(names):
            if name == "answers":
                for path in self._every_answer():
                    yield from self.answer(path)
            elif is_answer(name):
                yield from self.answer(resolve(self.flow, scopes, name.removeprefix("answers.")))
            else:
                yield from self.channel(name)

    def _every_answer(self) -> Iterator[tuple[str, ...]]:
        yield from _all_paths(self.values.get("answers") or {})
        order = {question.key: place for place, question in enumerate(self.flow.questions)}
        reopened = [tuple(key.split(".")) for key in self.values.get(REOPENED, ())]
        yield from sorted(reopened, key=lambda path: order.get(path[-1], 0))

    def answer(self, path: tuple[str, ...]) -> Iterator[Redo]:
        if path in self.seen:
            return
        self.seen.add(path)
        given = lookup(self.values.get("answers") or {}, path)[0]
        reopened = ".".join(path) in self.values.get(REOPENED, ())
        for question, scopes in find_questions(self.flow, path):
            if question.ask_always or not (given or reopened):
                continue
            if question.when is not None:
                yield from self.names(question.when.needs, scopes)
            # Do not compute the needs of an answer in a closed branch, which will not be asked for.
            if given:
                yield from self.names(answer_needs(question), scopes)
            elif not self.escaped and (question.id, scopes) not in self.busy and self._askable(question, scopes):
                yield from self.names(answer_needs(question), scopes)
                yield from self._options(question, scopes)
                yield Redo(question, scopes)

    def _askable(self, question: Question, scopes: tuple[Scope, ...]) -> bool:
        """Whether the question applies, and lies on a way that the flow may take as things are now."""
        values = as_before(self.values, (*(scope.name for scope in scopes), question.key))
        if question.when is not None and not question.when.evaluate(view(self.flow, values, scopes)).opens:
            return False
        if self.reachable is None:
            self.reachable = _reachable(self.flow, self.values)
        return (question.id, scopes) in self.reachable

    def _options(self, question: Question, scopes: tuple[Scope, ...]) -> Iterator[Redo]:
        """The actions that compute the options of a question for the first time: the flow has not come by them."""
        if not question.options or question.options in (self.values.get(SOURCES) or {}):
            return
        for node in self.flow.graphs[question.graph].nodes.values():
            if not isinstance(node, Action) or node.id not in dependencies(self.flow).computing:
                continue
            signature = signature_of(self.flow, node)
            if question.options in signature.writes and not signature.effects and (node.id, scopes) not in self.busy:
                yield from self.names(signature.reads, scopes)
                yield Redo(node, scopes)

    def channel(self, name: str) -> Iterator[Redo]:
        source = (self.values.get(SOURCES) or {}).get(name)
        if source is None or name in self.seen:
            return
        self.seen.add(name)
        node = self.flow.nodes[source.node]
        assert isinstance(node, Action)
        signature = signature_of(self.flow, node)
        yield from self.names(signature.reads, source.scopes)
        if source.changed and (node.id, source.scopes) not in self.busy and not (self.escaped and signature.effects):
            yield Redo(node, source.scopes)


def _all_paths(answers: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in answers.items():
        yield (*above, name)
        if isinstance(value, Mapping):
            yield from _all_paths(value, (*above, name))


def after_detour(flow: CompiledFlow, values: Mapping[str, Any], position: Position) -> Position | None:
    """The position after the node of a detour, as if the flow had come there on its normal way.

    None if calls lead there from several places.
    """
    top = position.top
    same = [i for i, each in enumerate(position.frames[:-1]) if (each.graph, each.scopes) == (top.graph, top.scopes)]
    ways = [position.frames[: same[0]]] if same else _calls_to(flow, values, top)
    if len(ways) != 1:
        return None
    return position._replace(frames=(*ways[0], top._replace(detour=False, done=False)), done=True)


_MOST_CALLS = 1000
"""The most calls that are followed to find those that lead to a graph."""


def _calls_to(flow: CompiledFlow, values: Mapping[str, Any], target: Frame) -> list[tuple[Frame, ...]]:
    """The calls, from the root inwards, that lead to the graph of a frame with its scopes; none if there are many."""
    found: list[tuple[Frame, ...]] = []
    todo: list[tuple[str, tuple[Scope, ...], tuple[Frame, ...]]] = [(ROOT, (), ())]
    for graph, scopes, calls in todo:
        if len(todo) > _MOST_CALLS:
            return []
        if (graph, scopes) == (target.graph, target.scopes):
            found.append(calls)
        for node in flow.graphs[graph].nodes.values():
            if isinstance(node, Call) and all(call.node != node.id for call in calls):
                for entry, inner in _called(flow, node, values, scopes):
                    todo.append((flow.nodes[entry].graph, inner, (*calls, Frame(graph, node.id, scopes))))
    return found


def opened_questions(flow: CompiledFlow, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the keys of unanswered questions on ways that were closed over `before` and are open over `after`."""
    old_answers, new_answers = before.get("answers") or {}, after.get("answers") or {}
    paths = {*_all_paths(old_answers), *_all_paths(new_answers)}
    changed = {path[-1] for path in paths if lookup(old_answers, path) != lookup(new_answers, path)}
    if before.get("active_path") == after.get("active_path") and changed.isdisjoint(dependencies(flow).branching):
        return []
    old = _reachable(flow, before)
    found = []
    for name, scopes in sorted(_reachable(flow, after) - old):
        node = flow.nodes[name]
        if not isinstance(node, Question) or node.ask_always:
            continue
        path = (*(scope.name for scope in scopes), node.key)
        elsewhere = any((question.id, place) in old for question, place in find_questions(flow, path))
        if not elsewhere and not lookup(new_answers, path)[0]:
            found.append(".".join(path))
    return found


def _reachable(flow: CompiledFlow, values: Mapping[str, Any]) -> frozenset[Place]:
    """Return the questions that the flow may reach from its entry, unless the answers close every way to them."""
    found: set[Place] = set()
    todo: list[Place] = [(flow.root.entry, ())]
    while todo:
        place = todo.pop()
        if place in found:
            continue
        found.add(place)
        name, scopes = place
        node = flow.nodes[name]
        todo += [(target, scopes) for target in _targets(flow, node, values, scopes) if target != EXIT]
        if isinstance(node, Call):
            todo += _called(flow, node, values, scopes)
    return frozenset(found)


def _called(flow: CompiledFlow, node: Call, values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> Iterator[Place]:
    chosen = flow.paths.get(str(values.get("active_path") or ""))
    for ref in [chosen.ref] if node.ref == CHOSEN_PATH and chosen is not None else flow.callees(node):
        inner = (*scopes, Scope(node.scope, ref)) if node.scope else scopes
        # A recursion is followed as deep as answers were given in it.
        if sum(scope.graph == ref for scope in inner) <= 1 or _given(values, inner):
            yield flow.graphs[ref].entry, inner


def _given(values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> bool:
    return lookup(values.get("answers") or {}, tuple(scope.name for scope in scopes))[0]


def _targets(flow: CompiledFlow, node: Node, values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> Iterator[str]:
    """Where a node may lead. Only a guard over answers that are all there can close an edge or make others needless."""
    for name in ("on_invalid", "on_error"):
        if target := getattr(node, name, ""):
            yield target
    if isinstance(node, Action) and node.confirm is not None:
        yield node.confirm.by
    if isinstance(node, Decision) and node.pick_question:
        yield from (edge.target for edge in node.all_edges)
        return
    seen = view(flow, values, scopes)
    lasting = dependencies(flow).lasting
    for edge in node.edges:
        verdict = edge.guard.evaluate(seen) if edge.guard is not None and _is_plain(edge.guard, lasting) else None
        if verdict is not None and verdict.closes:
            continue
        yield edge.target
        if edge.guard is None or (verdict is not None and verdict.opens):
            return
    if node.otherwise is not None:
        yield node.otherwise.target


def _is_plain(guard: Guard, lasting: frozenset[str]) -> bool:
    """Whether a guard reads nothing but the values of lasting answers."""
    names = guard.reads
    return names == guard.needs and all(is_answer(name) and name.rpartition(".")[2] in lasting for name in names)
