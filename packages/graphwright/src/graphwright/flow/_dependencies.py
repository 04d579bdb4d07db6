"""Static dependencies between answers, channels and nodes. The engine uses them to reconsider a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from graphwright.flow._graph_algorithms import reachable
from graphwright.flow.compiled import (
    EXIT,
    Action,
    ActionSignature,
    Call,
    CompiledFlow,
    Decision,
    Node,
    Question,
    Terminal,
)
from graphwright.flow.guards import Guard
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE, NOW, VALUE

_PREFIX = f"{ANSWERS}."
_NONE: frozenset[str] = frozenset()
_UNKNOWN = ActionSignature("")


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The static dependencies of a flow. Names are channels, `active_path` and `answers.KEY`, without answer scopes.

    `readers` maps a name to the questions whose answers are checked again when it changes; a question that reads
    anything also reads its answer. `lasting` are the keys of answers that last until they are corrected; an answer to a
    question with `ask: always` belongs to the round in which it was asked. `computing` are the ids of the actions that
    compute channels from lasting answers. `branching` are the keys of answers that guards of edges read. `retaken` maps
    the ids of nodes whose edges a correction may change to the names that decide it: lasting answers, `active_path`,
    and channels computed from lasting answers. `deciding` has these names as the guards write them, with scopes.
    """

    readers: Mapping[str, tuple[Question, ...]]
    lasting: frozenset[str]
    computing: frozenset[str]
    branching: frozenset[str]
    retaken: Mapping[str, frozenset[str]]
    deciding: Mapping[str, tuple[Deciding, ...]]


class Deciding(NamedTuple):
    """A name that decides the edge of a node: as its guards write it, the path of its answer, and without scopes.

    The path of a channel is empty.
    """

    name: str
    path: tuple[str, ...]
    plain: str


@lru_cache(maxsize=64)
def dependencies(flow: CompiledFlow) -> Dependencies:
    """The dependencies of a flow; computed once."""
    always = {question.key for question in flow.questions if question.ask_always}
    lasting = frozenset(question.key for question in flow.questions if question.key not in always)
    readers: dict[str, list[Question]] = {}
    for question in flow.questions:
        if question.key in lasting:
            reads = answer_reads(question)
            own = [_PREFIX + question.key] if reads else []
            for name in dict.fromkeys([*own, *map(unscoped, sorted(reads))]):
                readers.setdefault(name, []).append(question)
    frozen = {name: tuple(questions) for name, questions in readers.items()}
    guards = (edge.guard for node in flow.nodes.values() for edge in node.edges if edge.guard is not None)
    branching = frozenset(name.rpartition(".")[2] for guard in guards for name in guard.reads if is_answer(name))
    computing = _computing(flow, lasting)
    channels = {name for action in computing for name in signature_of(flow, flow.action(action)).writes}
    stays = {ACTIVE_PATH, *channels, *(_PREFIX + key for key in lasting)}
    leaving = ((node.id, leaving_reads(flow, node)) for node in flow.nodes.values())
    found = ((node, [_deciding(name) for name in names if unscoped(name) in stays]) for node, names in leaving)
    deciding = {node: tuple(sorted(names, key=attrgetter("plain"))) for node, names in found if names}
    retaken = {node: frozenset(each.plain for each in names) for node, names in deciding.items()}
    return Dependencies(frozen, lasting, computing, branching, retaken, deciding)


def _computing(flow: CompiledFlow, lasting: frozenset[str]) -> frozenset[str]:
    actions = [node for node in flow.nodes.values() if isinstance(node, Action)]
    found: set[str] = set()
    channels: set[str] = set()
    grown = True
    while grown:
        grown = False
        for action in actions:
            signature = signature_of(flow, action)
            if action.id not in found and any(_lasts(name, lasting) or name in channels for name in signature.reads):
                found.add(action.id)
                channels.update(signature.writes)
                grown = True
    return frozenset(found)


def _lasts(name: str, lasting: frozenset[str]) -> bool:
    return bool(lasting) if name == ANSWERS else unscoped(name).removeprefix(_PREFIX) in lasting and is_answer(name)


def signature_of(flow: CompiledFlow, node: Action) -> ActionSignature:
    """Return the signature of an action; an empty one if its Python is not known."""
    return own_signature(flow, node) if node.map is None else _mapped(flow, node)


def own_signature(flow: CompiledFlow, node: Action) -> ActionSignature:
    """Return the signature of the code of an action, as `signature_of`; with `map` it is that for one item."""
    return flow.signatures.get(node.function, _UNKNOWN)


@lru_cache(maxsize=256)
def _mapped(flow: CompiledFlow, node: Action) -> ActionSignature:
    """Return the signature of a node with `map`: that of one item, without the channels that exist only for an item."""
    assert node.map is not None
    inside = list(mapped_nodes(flow, node.map.graph)) if node.map.graph else []
    actions = [each for each in inside if isinstance(each, Action)] if node.map.graph else [node]
    done = [flow.signatures.get(action.function, _UNKNOWN) for action in actions]
    guards = (edge.guard for each in inside for edge in each.edges if edge.guard is not None)
    reads = frozenset({node.map.over}).union(*(each.reads for each in done), *(guard.reads for guard in guards))
    # The other actions inside can read what an action inside writes; it is removed after the item.
    inner = {name for each in done for name in each.writes} if node.map.graph else set[str]()
    return ActionSignature(
        node.id,
        tuple(sorted(reads - {node.map.item, *inner})),
        tuple(name for name in (node.map.into, node.map.errors) if name),
        effects=any(each.effects for each in done),
        answer_keys=frozenset().union(*(each.answer_keys or () for each in done))
        if all(each.answer_keys is not None for each in done)
        else None,
        complete=all(each.complete for each in done),
        always=frozenset(name for name in (node.map.into, node.map.errors) if name),
        tells=any(each.tells for each in done),
    )


def mapped_nodes(flow: CompiledFlow, graph: str) -> Iterable[Node]:
    """The nodes of a subgraph that a node with `map` runs, and of those that it calls."""
    graphs = reachable([graph], lambda name: graphs_called(flow, name))
    return [node for name in graphs for node in flow.graphs[name].nodes.values()]


def graphs_called(flow: CompiledFlow, graph: str) -> list[str]:
    """The graphs that the nodes of a graph call."""
    calls = (node for node in flow.graphs[graph].nodes.values() if isinstance(node, Call))
    return [callee for call in calls for callee in flow.callees(call)]


def is_answer(name: str) -> bool:
    """Whether a name that an expression or an action reads is the name of one answer."""
    return name.startswith(_PREFIX)


def _deciding(name: str) -> Deciding:
    path = tuple(name.removeprefix(_PREFIX).split(".")) if is_answer(name) else ()
    return Deciding(name, path, unscoped(name))


def unscoped(name: str) -> str:
    """`answers.led.wattage` as `answers.wattage`; the names of channels as they are."""
    return _PREFIX + name.rpartition(".")[2] if name.startswith(_PREFIX) else name


def answer_reads(question: Question) -> frozenset[str]:
    """Return the names on which the validity of an answer depends: those of `when`, `validate` and `options`."""
    found = question.when.reads if question.when is not None else _NONE
    if question.validate is not None:
        found |= question.validate.reads
    if question.options:
        found |= {question.options}
    return found - {VALUE, MESSAGE, NOW}


def answer_needs(question: Question) -> frozenset[str]:
    """Return the part of `answer_reads` that a check needs: `has(answers.x)` does not need `x`."""
    optional = frozenset[str]()
    needed = frozenset[str]()
    for guard in (question.when, question.validate):
        if guard is not None:
            optional |= guard.reads
            needed |= guard.needs
    return answer_reads(question) - (optional - needed)


def asking_reads(flow: CompiledFlow, question: Question) -> frozenset[str]:
    """Return the names that must be up to date before a question is asked.

    A confirmation depends on all answers, and on the names that its actions read.
    """
    found = answer_reads(question) | question.prompt.reads
    if question.invalid_prompt is not None:
        found |= question.invalid_prompt.reads
    if question.read != "confirm":
        return found
    return found.union({ANSWERS}, *(action_reads(flow, action) for action in flow.confirmed_by(question.id)))


def action_reads(flow: CompiledFlow, action: Action) -> frozenset[str]:
    """Return the names that must be up to date before an action is performed."""
    found = frozenset(signature_of(flow, action).reads)
    if action.confirm is not None:
        found |= set(action.confirm.over) | (action.confirm.when.reads if action.confirm.when is not None else _NONE)
    return found


def confirmation_terms(flow: CompiledFlow, question: Question) -> list[Any]:
    """Return as JSON what the flow says that a yes to a question allows, and the text of the question.

    The actions have neither their ids nor the present values of what they read.
    """
    actions = []
    for action in flow.confirmed_by(question.id):
        assert action.confirm is not None
        when = _with_predicates(action.confirm.when) if action.confirm.when is not None else ""
        given = action.parameters.to_json() if action.parameters is not None else None
        actions.append([action.run, sorted(action.confirm.over), when, given])
    return [question.prompt.text, sorted(actions, key=repr)]


def _with_predicates(guard: Guard) -> Any:
    """The text of a guard, with those of the predicates that it reads if there are any."""
    used = {name: each.text if each is not None else "" for name, each in sorted(guard.predicates.items())}
    return [guard.text, used] if used else guard.text


def terminal_reads(flow: CompiledFlow, terminal: Node) -> frozenset[str]:
    """Return the names that must be up to date before the conversation ends at a node."""
    required = (constraint.require.reads for constraint in flow.constraints if constraint.require is not None)
    say = terminal.say.reads if isinstance(terminal, Terminal) and terminal.say is not None else _NONE
    return say.union(*required)


def leaving_reads(flow: CompiledFlow, node: Node) -> frozenset[str]:
    """Return the names that must be up to date before an edge of a node is chosen."""
    guards = [edge.guard for edge in node.edges]
    if isinstance(node, Decision) and node.pick_question:
        targets = (flow.nodes.get(edge.target) for edge in node.edges)
        guards += [target.when for target in targets if isinstance(target, Question)]
    return _NONE.union(*(guard.reads for guard in guards if guard is not None))


def node_reads(flow: CompiledFlow, node: Node) -> frozenset[str]:
    """Return the names that must be up to date while the conversation is at a node."""
    found = leaving_reads(flow, node)
    if isinstance(node, Question):
        return found | asking_reads(flow, node)
    if isinstance(node, Action):
        return found | action_reads(flow, node)
    return found | terminal_reads(flow, node) if isinstance(node, Terminal) else found


@lru_cache(maxsize=1024)
def nodes_behind(flow: CompiledFlow, node: Node) -> frozenset[str]:
    """A node, and the nodes of its graph that no way from the entry reaches without it."""
    graph = flow.graphs[node.graph]
    around = reachable([graph.entry], lambda name: _successors(flow.nodes[name]) if name != node.id else ())
    return frozenset(graph.nodes).difference(around) | {node.id}


@lru_cache(maxsize=1024)
def nodes_before(flow: CompiledFlow, node: Node) -> frozenset[str]:
    """The nodes of its graph from which a node may be reached."""
    before: dict[str, list[str]] = {}
    for each in flow.graphs[node.graph].nodes.values():
        for name in _successors(each):
            before.setdefault(name, []).append(each.id)
    return frozenset(reachable(before.get(node.id, ()), lambda name: before.get(name, ())))


@lru_cache(maxsize=1024)
def reached(flow: CompiledFlow, node: Node) -> tuple[Node, ...]:
    """A node and the nodes of its graph to which it may lead."""
    return tuple(flow.nodes[name] for name in reachable([node.id], lambda name: _successors(flow.nodes[name])))


def _successors(node: Node) -> list[str]:
    """The nodes of its graph to which a node may lead."""
    found = [edge.target for edge in node.all_edges if edge.target != EXIT]
    if isinstance(node, Action):
        found += [node.on_error] if node.on_error else []
        found += [node.confirm.by] if node.confirm is not None else []
    return [*found, node.on_invalid] if isinstance(node, Question) and node.on_invalid else found


def is_read(name: str, reads: Iterable[str]) -> bool:
    """Whether an answer or channel is among the names that something reads; `answers` includes every answer."""
    return any(read == name or (read == ANSWERS and is_answer(name)) for read in reads)
