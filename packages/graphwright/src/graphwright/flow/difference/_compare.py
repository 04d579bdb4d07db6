"""The difference of two compiled flows: entries for nodes, edges, fields and actions, and how each changed."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphwright.flow._changes import TEXT_FIELDS, Changes, NodeChange, PartChange, compare
from graphwright.flow._draft import make_draft
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.checks._truth_tables import FlowContext, expressions_of
from graphwright.flow.compiled import Action, Channel, CompiledFlow, Edge, Node, Question
from graphwright.flow.difference._entries import Change, Detail, Entry
from graphwright.flow.difference._implication import Comparison, Place, compare_guards, context_of
from graphwright.flow.difference._schemas import compare_schemas
from graphwright.flow.guards import Guard

_LOOKS = frozenset({"ui", "tags"})
_ELSE = Comparison(
    "unknown", why="an `else` edge is open where all other edges are closed, so it depends on their guards"
)
Pair = tuple[Edge | None, Edge | None]


@dataclass(frozen=True)
class Difference:
    """The difference of two flows. `entries` come in the order of the earlier document, then those added."""

    before: CompiledFlow
    after: CompiledFlow
    changes: Changes
    entries: tuple[Entry, ...]

    @property
    def equal(self) -> bool:
        """Whether the flows have the same meaning, texts and layout."""
        return not self.entries

    def of(self, what: str, *changes: Change) -> list[Entry]:
        """The entries of a sort, with these changes or any."""
        return [entry for entry in self.entries if entry.what == what and (not changes or entry.change in changes)]

    @cached_property
    def touched(self) -> frozenset[str]:
        """The nodes of the earlier flow that changed, with their edges; not those that only look different.

        Also nodes whose expressions use a predicate that changed.
        """
        parts = (part.name.partition(".") for part in self.changes.parts)
        predicates = {name for field, _, name in parts if field == "predicates"}
        using = {
            node.id
            for node in (self.before.nodes.values() if predicates else ())
            if any(not predicates.isdisjoint(guard.predicates) for guard in expressions_of(node))
        }
        layout = {entry.was or entry.name for entry in self.of("node") if entry.layout_only}
        changed = {node.was for node in self.changes.nodes if node.was and not node.same}
        return frozenset((changed - layout) | using)

    @cached_property
    def leading(self) -> frozenset[str]:
        """The nodes of the earlier flow from which a conversation may reach one of `touched`, and these."""
        return frozenset(ControlFlow(make_draft(self.before.document)).leading(self.touched))

    @cached_property
    def touched_after(self) -> frozenset[str]:
        """The same nodes in the later flow, and the added ones."""
        now = {node.was: node.id for node in self.changes.nodes if node.was}
        added = {node.id for node in self.changes.nodes if not node.was}
        return frozenset({now[node] for node in self.touched if now.get(node)} | added)

    def to_json(self) -> dict[str, Any]:
        return {
            "equal": self.equal,
            "only_text": self.changes.only_text,
            "before": _identity(self.before),
            "after": _identity(self.after),
            "entries": [entry.to_json() for entry in self.entries],
        }


def difference(before: CompiledFlow, after: CompiledFlow, *, layout: bool = True) -> Difference:
    """Compare two compiled flows; without `layout` only what the hash of a flow depends on, as the store keeps it."""
    documents = (flow.document if layout else json.loads(flow.canonical_text) for flow in (before, after))
    changes = compare(*documents)
    comparing = _Comparing(before, after, changes)
    return Difference(before, after, changes, tuple(comparing.entries()))


def _identity(flow: CompiledFlow) -> dict[str, str]:
    return {"id": flow.id, "title": flow.title, "hash": flow.hash}


class _Comparing:
    def __init__(self, before: CompiledFlow, after: CompiledFlow, changes: Changes) -> None:
        self.before = before
        self.after = after
        self.changes = changes
        self.now = {node.was: node.id for node in changes.nodes if node.was and node.id}
        self.fields = _nodes(before), _nodes(after)

    @cached_property
    def contexts(self) -> tuple[FlowContext, FlowContext]:
        return context_of(self.before), context_of(self.after)

    def entries(self) -> Iterator[Entry]:
        for change in self.changes.nodes:
            if entry := self._node(change):
                yield entry
        for change in self.changes.nodes:
            if not set(change.kinds).isdisjoint(("edges", "text", "order", "gone", "added", "renamed", "moved")):
                yield from self._edges(change)
        for part in self.changes.parts:
            yield self._part(part)
        yield from self._actions()

    def _node(self, change: NodeChange) -> Entry | None:
        if not change.was:
            node = self.after.nodes[change.id]
            return Entry("node", "added", node.id, node.graph, of=node.kind.value)
        if not change.id:
            node = self.before.nodes[change.was]
            return Entry("node", "removed", node.id, node.graph, of=node.kind.value)
        details = tuple(self._node_details(change))
        if "order" in change.kinds:
            details = (*details, Detail("order of edges", None, None))
        word: Change = "renamed" if "renamed" in change.kinds else "moved" if "moved" in change.kinds else "changed"
        if word == "changed" and not details:
            return None
        return Entry(
            "node",
            word,
            change.id,
            change.graph,
            was=change.was if change.was != change.id else "",
            was_graph=change.was_graph if change.was_graph != change.graph else None,
            of=self.after.nodes[change.id].kind.value,
            details=details,
            layout_only=word == "changed" and {detail.field for detail in details} <= _LOOKS,
        )

    def _node_details(self, change: NodeChange) -> Iterator[Detail]:
        one, other = self.before.nodes[change.was], self.after.nodes[change.id]
        raw = self.fields[0][change.was], self.fields[1][change.id]
        for field in change.fields:
            before, after = (fields.get(field) for fields in raw)
            if field == "schema" and isinstance(one, Question) and isinstance(other, Question):
                yield Detail.of_schemas(field, before, after, compare_schemas(one.schema, other.schema))
            elif field in ("when", "validate") and isinstance(one, Question) and isinstance(other, Question):
                yield self._condition(field, before, after, one, other)
            elif field == "confirm" and isinstance(one, Action) and isinstance(other, Action):
                yield from self._confirm(one, other)
            elif field in TEXT_FIELDS - _LOOKS:
                yield Detail.of_texts(field, before, after)
            else:
                yield Detail(field, before, after)

    def _condition(self, field: str, before: Any, after: Any, one: Question, other: Question) -> Detail:
        if field == "validate" and (one.validator or other.validator):
            relation = "stronger" if before is None else "weaker" if after is None else "unknown"
            return Detail(field, before, after, relation, why="a registered validator decides")
        values = (one.schema, other.schema) if field == "validate" else (None, None)
        guards = (one.validate, other.validate) if field == "validate" else (one.when, other.when)
        return Detail.of_guards(field, before, after, self._compared(guards, (one, other), values))

    def _compared(
        self,
        guards: tuple[Guard | None, Guard | None],
        nodes: tuple[Node, Node],
        values: tuple[Any, Any] = (None, None),
        *,
        demand: bool = False,
    ) -> Comparison:
        one, other = (
            Place(context, node.graph, value) for context, node, value in zip(self.contexts, nodes, values, strict=True)
        )
        return compare_guards(*guards, (one, other), demand=demand)

    def _confirm(self, one: Action, other: Action) -> Iterator[Detail]:
        before, after = one.confirm, other.confirm
        if before is None or after is None:
            old, new = (None if each is None else {"by": each.by, "over": [*each.over]} for each in (before, after))
            yield Detail("confirm", old, new, "stronger" if before is None else "weaker")
            return
        if self.now.get(before.by, before.by) != after.by:
            yield Detail("confirm.by", before.by, after.by)
        if set(before.over) != set(after.over):
            more, fewer = set(after.over) - set(before.over), set(before.over) - set(after.over)
            relation = "incomparable" if more and fewer else "stronger" if more else "weaker"
            yield Detail("confirm.over", [*before.over], [*after.over], relation)
        first, later = (None if each.when is None else each.when.text for each in (before, after))
        if first != later:
            found = self._compared((before.when, after.when), (one, other), demand=True)
            yield Detail.of_guards("confirm.when", first, later, found.negated)

    def _edges(self, change: NodeChange) -> Iterator[Entry]:
        old = self.before.nodes[change.was].all_edges if change.was else ()
        new = self.after.nodes[change.id].all_edges if change.id else ()
        for one, other in self._paired(sorted(old, key=_place), sorted(new, key=_place)):
            if one is not None and other is not None:
                if details := tuple(self._edge_details(one, other)):
                    was = _named(one) if _named(one) != _named(other) else ""
                    keys = one.id, other.id
                    yield Entry("edge", "changed", _named(other), change.graph, was, details=details, keys=keys)
            elif one is not None:
                yield Entry(
                    "edge", "removed", _named(one), change.was_graph, guard=_guard(one) or "", keys=(one.id, "")
                )
            elif other is not None:
                yield Entry(
                    "edge", "added", _named(other), change.graph, guard=_guard(other) or "", keys=("", other.id)
                )

    def _paired(self, old: Sequence[Edge], new: Sequence[Edge]) -> list[Pair]:
        """Each edge with its later form: by target and guard, else by target, else by guard."""
        left, right = ({edge.id: edge for edge in edges} for edges in (old, new))
        pairs: list[Pair] = []
        keys: tuple[Callable[[Edge, bool], Any], ...] = (
            lambda edge, is_old: (self._target(edge, is_old), _guard(edge), edge.priority, edge.label),
            lambda edge, is_old: (self._target(edge, is_old), _guard(edge)),
            lambda edge, is_old: self._target(edge, is_old),
            lambda edge, is_old: _guard(edge),
        )
        for key in keys:
            waiting: dict[Any, deque[Edge]] = defaultdict(deque)
            for edge in right.values():
                waiting[key(edge, False)].append(edge)
            for edge in [*left.values()]:
                if same := waiting[key(edge, True)]:
                    pairs.append((left.pop(edge.id), right.pop(same.popleft().id)))
        return [*pairs, *((edge, None) for edge in left.values()), *((None, edge) for edge in right.values())]

    def _target(self, edge: Edge, is_old: bool) -> str:
        return self.now.get(edge.target, edge.target) if is_old else edge.target

    def _edge_details(self, one: Edge, other: Edge) -> Iterator[Detail]:
        if self._target(one, True) != other.target:
            yield Detail("to", one.target, other.target)
        texts = _guard(one), _guard(other)
        if texts[0] != texts[1]:
            nodes = self.before.nodes[one.source], self.after.nodes[other.source]
            has_else = one.is_else or other.is_else
            yield Detail.of_guards(
                "guard", *texts, _ELSE if has_else else self._compared((one.guard, other.guard), nodes)
            )
        if one.priority != other.priority and not (one.is_else and other.is_else):
            yield Detail("priority", one.priority, other.priority)
        if one.label != other.label:
            yield Detail.of_texts("label", one.label, other.label)

    def _part(self, part: PartChange) -> Entry:
        name = part.name if not part.graph else f"{part.name} of subgraph {part.graph}"
        field, _, key = part.name.partition(".")
        before, after = (_written(flow, part.graph, field, key) for flow in (self.before, self.after))
        word: Change = "removed" if "gone" in part.kinds else "added" if "added" in part.kinds else "changed"
        if field == "subgraphs" or word != "changed" or part.kinds == ("order",):
            order = (Detail("order", None, None),) if part.kinds == ("order",) else ()
            return Entry("field", word, name, part.graph, details=order)
        details = [*self._part_details(field, key, before, after)]
        return Entry("field", word, name, part.graph, details=tuple(details), layout_only=field == "ui")

    def _part_details(self, field: str, key: str, before: Any, after: Any) -> Iterator[Detail]:
        if field == "state":
            yield from _channel(self.before.channels[key], self.after.channels[key])
        elif field == "predicates":
            one, other = (_predicate(flow, key) for flow in (self.before, self.after))
            found = Comparison("unknown", why="no expression uses it in both flows")
            if one and other:
                found = self._compared((one[0], other[0]), (one[1], other[1]))
            yield Detail.of_guards("expression", before, after, found)
        elif field in TEXT_FIELDS:
            yield Detail.of_texts(field, before, after)
        else:
            yield Detail(field, before, after)

    def _actions(self) -> Iterator[Entry]:
        """The names of the actions that only one of the flows runs."""
        old, new = (
            dict.fromkeys(node.run for node in flow.nodes.values() if isinstance(node, Action))
            for flow in (self.before, self.after)
        )
        yield from (Entry("action", "removed", name) for name in old if name not in new)
        yield from (Entry("action", "added", name) for name in new if name not in old)


def _nodes(flow: CompiledFlow) -> dict[str, Mapping[str, Any]]:
    graphs = (flow.document, *flow.document.get("subgraphs", {}).values())
    return {node["id"]: node for graph in graphs for node in graph["nodes"]}


def _place(edge: Edge) -> int:
    return edge.index


def _named(edge: Edge) -> str:
    return f"{edge.source} -> {edge.target}"


def _guard(edge: Edge) -> str | None:
    return "else" if edge.is_else else None if edge.guard is None else edge.guard.text


def _written(flow: CompiledFlow, graph: str, field: str, key: str) -> Any:
    part = flow.document.get("subgraphs", {}).get(graph, {}) if graph else flow.document
    value = part.get(field)
    return (value or {}).get(key) if key else value


def _channel(before: Channel, after: Channel) -> Iterator[Detail]:
    if before.schema != after.schema:
        yield Detail.of_schemas("schema", before.schema, after.schema, compare_schemas(before.schema, after.schema))
    for one, other in zip(_options(before), _options(after), strict=True):
        if json.dumps(one) != json.dumps(other):
            yield Detail(one[0], one[1], other[1])


def _options(channel: Channel) -> list[tuple[str, Any]]:
    return [
        ("default", channel.default),
        ("scope", "conversation" if channel.per_conversation else "thread"),
        ("reduce", "append" if channel.append else "replace"),
        ("large", channel.large),
        ("private", channel.private),
    ]


def _predicate(flow: CompiledFlow, name: str) -> tuple[Guard, Node] | None:
    """A predicate as a node of the flow uses it."""
    for node in flow.nodes.values():
        for guard in expressions_of(node):
            if (found := guard.predicates.get(name)) is not None:
                return found, node
    return None
