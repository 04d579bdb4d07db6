"""Changes between two versions of a flow document: node by node, and the fields of the document and its subgraphs.

The documents are plain data, compiled or read from the store. Differences without a meaning do not count: the order of
fields, a default that is written out, the place of an edge among edges of other priority.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from graphwright.text.sentences import bounded

ChangeKind = Literal["text", "schema", "edges", "behaviour", "order", "moved", "renamed", "gone", "added"]
"""`text` is what only people read: texts, labels, tags, titles, `ui`. `edges`: those that leave the node. `order`: the
nodes of a graph, or the edges of a node, are in another order. `moved`: to another graph. `renamed`: a node names the
earlier id in `was`. `behaviour`: every other field."""

TEXT_FIELDS = frozenset(
    {"prompt", "say", "invalid_prompt", "label", "title", "description", "examples", "message", "tags", "ui"}
)
"""The fields that change no step of a conversation."""

REFERENCES = ("on_invalid", "on_error", "on_stuck", "on_escalate", "on_abandon", "entry")
"""The fields that name a node; `confirm.by`, and `from` and `to` of edges, do so too."""

_ANNOTATIONS = frozenset(
    {"title", "description", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "x-titles"}
)
_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas"})
_SCHEMA_PLACES = frozenset(
    {"items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else", "unevaluatedItems"}
    | {"unevaluatedProperties", "contentSchema", "oneOf", "anyOf", "allOf", "prefixItems"}
)
_CHANNEL_OPTIONS = frozenset({"default", "scope", "reduce", "large", "private", "was"})
_BY_NAME = ("state", "predicates", "paths")
_GRAPH = ("nodes", "edges", "subgraphs")
_MOST = 4

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NodeChange:
    """The change of one node: `was` is its id in the earlier document, `id` in the later one.

    `was` is empty if it was added, `id` if it is gone. `graph` and `was_graph` are the ids of its graphs (empty: the
    root). Without `kinds` the node is the same. `fields` are its fields that changed.
    """

    was: str
    id: str
    was_graph: str = ""
    graph: str = ""
    kinds: tuple[ChangeKind, ...] = ()
    fields: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return not self.kinds

    @property
    def only_text(self) -> bool:
        """Whether it is the same except for what only people read."""
        return set(self.kinds) <= {"text"}


@dataclass(frozen=True, slots=True)
class PartChange:
    """A field of the document, or of the subgraph `graph`, that changed.

    `name` is the field (`entry`), in `state`, `predicates` and `paths` with the name in it (`state.quote`), or the
    subgraph itself (`subgraphs.led`, added or gone).
    """

    name: str
    graph: str
    kinds: tuple[ChangeKind, ...]

    def __str__(self) -> str:
        return f"field {self.name} of subgraph {self.graph}" if self.graph else f"field {self.name}"


@dataclass(frozen=True, slots=True)
class Changes:
    """All differences of two documents.

    `nodes` has every node of the earlier document in its order, then the added ones. Two of them may have become one
    node, whose `was` lists both.
    """

    nodes: tuple[NodeChange, ...] = ()
    parts: tuple[PartChange, ...] = ()
    by_old_id: Mapping[str, NodeChange] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        """Whether the two documents have the same meaning and the same texts."""
        return not self.parts and all(node.same for node in self.nodes)

    @property
    def only_text(self) -> bool:
        """Whether they differ at most in what only people read."""
        return all(node.only_text for node in self.nodes) and all(set(part.kinds) <= {"text"} for part in self.parts)

    @property
    def renamed(self) -> dict[str, str]:
        """The later id of each node that has another one."""
        return {node.was: node.id for node in self.nodes if "renamed" in node.kinds}


def compare(before: Record, after: Record) -> Changes:
    """Compare two flow documents, each as plain data of the right shape. Raises nothing for such documents."""
    old, new = _located(before), _located(after)
    now = _successors(old, new)
    nodes: list[NodeChange] = []
    for id, (graph, node, edges) in old.items():
        if id not in now:
            nodes.append(NodeChange(id, "", graph, "", ("gone",)))
            continue
        there, later, later_edges = new[now[id]]
        kinds, fields = _node_kinds(_renamed_node(node, now), later)
        kinds |= _edge_kinds([_renamed_edge(edge, now) for edge in edges], later_edges)
        kinds |= {"moved"} if there != graph else set()
        kinds |= {"renamed"} if now[id] != id else set()
        nodes.append(NodeChange(id, now[id], graph, there, _in_order(kinds), fields))
    kept = set(now.values())
    nodes += [NodeChange("", id, "", new[id][0], ("added",)) for id in new if id not in kept]
    parts = (*_parts(before, after, now), *_orders(old, new, now))
    return Changes(tuple(nodes), parts, {node.was: node for node in nodes if node.was})


def changes_text(before: Record, after: Record) -> str:
    """The parts that were changed, removed and added, for people: `changed: q.size, field state.quote; removed: q.old`.

    Empty if the documents are equal.
    """
    found = compare(before, after)
    named: dict[str, list[str]] = {"changed": [], "renamed": [], "removed": [], "added": []}
    for node in found.nodes:
        if "renamed" in node.kinds:
            named["renamed"].append(f"{node.was} to {node.id}")
        elif not node.same:
            named[_verb(node.kinds)].append(node.was or node.id)
    for part in found.parts:
        if part.kinds != ("order",):
            named[_verb(part.kinds)].append(str(part))
    texts = "; ".join(f"{verb}: {bounded(names, _MOST)}" for verb, names in named.items() if names)
    return texts or ("" if before == after else "the order of nodes or edges")


def was_ids(node: Record) -> list[str]:
    """The earlier ids that a node names in `was`: a text, or a list of texts."""
    was = node.get("was", ())
    return [was] if isinstance(was, str) else list(was)


def without_annotations(schema: Any) -> Any:
    """A JSON Schema without what only people read: titles, descriptions, examples."""
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _SCHEMA_MAPS and isinstance(value, Mapping):
            found[keyword] = {name: without_annotations(part) for name, part in value.items()}
        elif keyword in _SCHEMA_PLACES and isinstance(value, list):
            found[keyword] = [*map(without_annotations, value)]
        elif keyword not in _ANNOTATIONS:
            found[keyword] = without_annotations(value) if keyword in _SCHEMA_PLACES else value
    return found


def _verb(kinds: Sequence[ChangeKind]) -> str:
    return {"gone": "removed", "added": "added"}.get(kinds[0], "changed")


def _in_order(kinds: set[ChangeKind]) -> tuple[ChangeKind, ...]:
    return tuple(kind for kind in get_args(ChangeKind) if kind in kinds)


def _alike(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; for Python true equals 1."""
    return one is other or (one == other and _json(one) == _json(other))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


_Located = Mapping[str, tuple[str, Record, list[Record]]]
"""By the id of a node: the id of its graph, the node, and the edges that leave it."""


def _graphs(document: Record) -> Iterator[tuple[str, Record]]:
    yield "", document
    yield from document.get("subgraphs", {}).items()


def _located(document: Record) -> _Located:
    found: dict[str, tuple[str, Record, list[Record]]] = {}
    for name, graph in _graphs(document):
        for node in graph.get("nodes", ()):
            found[node["id"]] = (name, node, [])
        for edge in graph.get("edges", ()):
            if edge["from"] in found:
                found[edge["from"]][2].append(edge)
    return found


def _successors(old: _Located, new: _Located) -> dict[str, str]:
    """The later id of each earlier node that is still there. Its own id counts before a `was`."""
    found = {id: id for id in old if id in new}
    for id, (_, node, _) in new.items():
        for earlier in was_ids(node):
            if earlier in old:
                found.setdefault(earlier, id)
    return found


def _renamed_node(node: Record, now: Mapping[str, str]) -> Record:
    changed: dict[str, Any] = {name: now.get(node[name], node[name]) for name in REFERENCES if name in node}
    confirm = node.get("confirm")
    if isinstance(confirm, Mapping) and "by" in confirm:
        changed["confirm"] = {**confirm, "by": now.get(confirm["by"], confirm["by"])}
    return {**node, **changed} if changed else node


def _renamed_edge(edge: Record, now: Mapping[str, str]) -> Record:
    return {**edge, "to": now.get(edge["to"], edge["to"])}


def _node_kinds(before: Record, after: Record) -> tuple[set[ChangeKind], tuple[str, ...]]:
    if _alike(before, after):
        return set(), ()
    old, new = _plain(before), _plain(after)
    fields = [name for name in dict.fromkeys((*old, *new)) if not _alike(old.get(name), new.get(name))]
    kinds: set[ChangeKind] = set()
    for name in fields:
        if name in TEXT_FIELDS:
            kinds.add("text")
        elif name == "schema":
            kinds.add(_schema_kind(old.get(name), new.get(name)))
        else:
            kinds.add("behaviour")
    return kinds, tuple(fields)


def _schema_kind(before: Any, after: Any) -> ChangeKind:
    return "text" if _alike(without_annotations(before), without_annotations(after)) else "schema"


def _plain(node: Record) -> dict[str, Any]:
    """The fields of a node that have a meaning: without its names, and without defaults that are written out."""
    found = _without_defaults(node, node["type"])
    if "retry" in found and not (retry := _without_defaults(found["retry"], "retry")):
        del found["retry"]
    elif "retry" in found:
        found["retry"] = retry
    if "options" in node and "read" in node:
        found["read"] = node["read"]  # Without it, `options` implies another default.
    return {name: value for name, value in found.items() if name not in ("id", "was")}


def _without_defaults(record: Record, model: str) -> dict[str, Any]:
    defaults = _defaults().get(model, {})
    return {name: value for name, value in record.items() if not (name in defaults and _alike(defaults[name], value))}


@lru_cache(maxsize=1)
def _defaults() -> Mapping[str, Mapping[str, Any]]:
    # Imported late: pydantic takes longer to load than the language itself.
    from graphwright.flow._document import NODES, ChannelOptions, Document, PathPolicy, Retry

    models: Mapping[str, Any] = {
        **NODES,
        "document": Document,
        "state": ChannelOptions,
        "path_policy": PathPolicy,
        "retry": Retry,
    }
    return {
        kind: {
            each.alias or name: each.default
            for name, each in model.model_fields.items()
            if not each.is_required() and each.default is not None
        }
        for kind, model in models.items()
    }


def _edge_kinds(before: Sequence[Record], after: Sequence[Record]) -> set[ChangeKind]:
    if not before and not after:
        return set()
    old, new = _by_priority(before), _by_priority(after)
    kinds: set[ChangeKind] = set()
    if [*map(_json, old)] != [*map(_json, new)]:
        kinds.add("order" if sorted(map(_json, old)) == sorted(map(_json, new)) else "edges")
    if "edges" not in kinds and sorted(map(_edge_texts, before)) != sorted(map(_edge_texts, after)):
        kinds.add("text")
    return kinds


def _by_priority(edges: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the meaning of a node's edges, in the order in which they are tried; the else edge is the last one."""
    found = [
        {"to": edge["to"], "guard": edge.get("guard"), "priority": edge.get("priority", 0)} | _unknown_fields(edge)
        for edge in edges
    ]
    for edge in found:
        edge["priority"] = 0 if edge["guard"] == "else" else edge["priority"]
    return sorted(found, key=lambda edge: (edge["guard"] == "else", -edge["priority"]))


def _unknown_fields(edge: Record) -> dict[str, Any]:
    known = {"from", "to", "guard", "priority", "id"} | TEXT_FIELDS
    return {name: value for name, value in edge.items() if name not in known}


def _edge_texts(edge: Record) -> str:
    return _json([edge["to"], edge.get("guard"), {name: edge[name] for name in ("id", *TEXT_FIELDS) if name in edge}])


def _parts(before: Record, after: Record, now: Mapping[str, str]) -> Iterator[PartChange]:
    old, new = dict(_graphs(before)), dict(_graphs(after))
    for name in dict.fromkeys((*old, *new)):
        if name in old and name in new:
            yield from _fields(name, _plain_graph(old[name], now), _plain_graph(new[name], {}))
        else:
            yield PartChange(f"subgraphs.{name}", "", ("gone",) if name in old else ("added",))


def _plain_graph(graph: Record, now: Mapping[str, str]) -> Record:
    """The fields of a document or subgraph, with the later ids of nodes, and with its entry."""
    nodes = graph.get("nodes") or [{"id": ""}]
    fields = {"entry": nodes[0]["id"], **_without_defaults(graph, "document")}
    return _renamed_node({name: value for name, value in fields.items() if name not in _GRAPH}, now)


def _fields(graph: str, before: Record, after: Record) -> Iterator[PartChange]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if name not in _BY_NAME:
            yield from _part(name, name, graph, old, new)
            continue
        old, new = old or {}, new or {}
        for key in dict.fromkeys((*old, *new)):
            if key in old and key in new:
                yield from _part(name, f"{name}.{key}", graph, old[key], new[key])
            else:
                yield PartChange(f"{name}.{key}", graph, ("gone",) if key in old else ("added",))


def _part(field: str, name: str, graph: str, old: Any, new: Any) -> Iterator[PartChange]:
    if field in ("path_policy", "state"):
        old, new = _without_defaults(old or {}, field), _without_defaults(new or {}, field)
    if not _alike(old, new):
        yield PartChange(name, graph, _part_kinds(field, old, new))


def _part_kinds(field: str, old: Any, new: Any) -> tuple[ChangeKind, ...]:
    if field == "state":
        options, schemas = zip(*map(_channel, (old, new)), strict=True)
        kinds: set[ChangeKind] = set() if _alike(*options) else {"behaviour"}
        return _in_order(kinds if _alike(*schemas) else {*kinds, _schema_kind(*schemas)})
    text = field in TEXT_FIELDS or _alike(_without_texts(old), _without_texts(new))
    return ("text",) if text else ("behaviour",)


def _channel(channel: Record) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a channel, and its schema."""
    return (
        {name: value for name, value in channel.items() if name in _CHANNEL_OPTIONS},
        {name: value for name, value in channel.items() if name not in _CHANNEL_OPTIONS},
    )


def _without_texts(value: Any) -> Any:
    """A path or the constraints without their texts; another value unchanged."""
    if isinstance(value, list):
        return [_without_texts(each) for each in value]
    return {k: v for k, v in value.items() if k not in TEXT_FIELDS} if isinstance(value, Mapping) else value


def _orders(old: _Located, new: _Located, now: Mapping[str, str]) -> Iterator[PartChange]:
    """Graphs whose nodes are in another order, which decides what is asked first among equals."""
    before: dict[str, dict[str, None]] = {}
    after: dict[str, list[str]] = {}
    for id, (graph, _, _) in old.items():
        if id in now and new[now[id]][0] == graph:
            before.setdefault(graph, {})[now[id]] = None
    for id, (graph, _, _) in new.items():
        if id in before.get(graph, ()):
            after.setdefault(graph, []).append(id)
    yield from (PartChange("nodes", graph, ("order",)) for graph, ids in before.items() if [*ids] != after[graph])
