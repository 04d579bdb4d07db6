"""The draft: a document of the right shape, with its edges attached to its nodes. The checks examine it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphwright.flow._source import Path
from graphwright.flow.compiled import CHOSEN_PATH, ROOT, Kind

TEXT_OR_FLAG: Mapping[str, Any] = {"type": ["boolean", "string"]}
ANY_TEXT: Mapping[str, Any] = {"type": "string"}


def earlier_names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in `was`, of a node or of a channel."""
    was = data.get("was", ())
    return (was,) if isinstance(was, str) else tuple(was)


@dataclass(slots=True, eq=False)
class DraftEdge:
    """An edge as written. `opens` is the guard's text, or None if it is always open."""

    source: str
    target: str
    graph: str
    path: Path
    data: Mapping[str, Any]
    index: int
    opens: str | None
    is_else: bool


@dataclass(slots=True, eq=False)
class DraftNode:
    """A node as written; `kind` is None if the document names an unknown kind."""

    id: str
    kind: Kind | None
    graph: str
    path: Path
    data: Mapping[str, Any]
    edges: list[DraftEdge] = field(default_factory=list)
    sound: bool = True
    """Whether its `schema` is valid. An invalid schema is ignored."""
    offered: Mapping[str, Any] | None = None
    """The schema of one option, if the options come from a channel."""
    is_ready_made: bool = False
    """Whether it performs a ready-made action, to which it passes `parameters`."""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The answer key of a question; empty when it has none."""
        return str(self.data.get("key", ""))

    @property
    def was(self) -> tuple[str, ...]:
        """The ids that the node had in earlier versions of the document."""
        return earlier_names(self.data)

    @property
    def read(self) -> str:
        """How a question reads replies, with the default that `options` implies."""
        return str(self.data.get("read", "choice" if "options" in self.data else "extract"))

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of a question's value: its `schema`, or the default of its options or its `read`."""
        given = self.data.get("schema")
        if isinstance(given, dict):
            return {**(self.offered or {}), **given} if self.sound else {}
        if given is not None:
            return {}  # true and false are JSON Schemas, too
        if self.offered is not None:
            return self.offered
        return TEXT_OR_FLAG if self.data.get("read") == "confirm" else ANY_TEXT


@dataclass(slots=True, eq=False)
class DraftGraph:
    """The root graph or a subgraph. `nodes` has the first node of each id; the node `entry` may not exist."""

    id: str
    path: Path
    data: Mapping[str, Any]
    entry: str = ""
    nodes: dict[str, DraftNode] = field(default_factory=dict)
    edges: list[DraftEdge] = field(default_factory=list)

    @property
    def calls(self) -> Iterator[DraftNode]:
        """Its subgraph nodes."""
        return (node for node in self.nodes.values() if node.kind is Kind.SUBGRAPH)


@dataclass(slots=True, eq=False)
class Draft:
    """The whole document. `nodes` has the first node of each id over all graphs; `repeated` the later ones."""

    data: Mapping[str, Any]
    state: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    predicates: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    graphs: dict[str, DraftGraph] = field(default_factory=dict)
    nodes: dict[str, DraftNode] = field(default_factory=dict)
    repeated: list[DraftNode] = field(default_factory=list)
    unsound: set[str] = field(default_factory=set)
    """The channels whose schema is not valid; it is ignored."""

    @property
    def root(self) -> DraftGraph:
        return self.graphs[ROOT]

    def named(self, name: str) -> list[DraftNode]:
        """The node of this id, or the action nodes that run the action of this name."""
        if name in self.nodes:
            return [self.nodes[name]]
        return [node for node in self.nodes.values() if node.kind is Kind.ACTION and node.data.get("run") == name]

    def callees(self, node: DraftNode) -> list[str]:
        """The graphs that a subgraph node may enter: its `ref`, or those of all paths; only graphs that exist."""
        ref = node.data.get("ref", "")
        refs = [path.get("ref", "") for path in self.paths.values()] if ref == CHOSEN_PATH else [ref]
        return [name for name in dict.fromkeys(refs) if name in self.graphs and name != ROOT]


def make_draft(data: Mapping[str, Any]) -> Draft:
    """Make the draft of a shape-checked document. Missing parts are empty."""
    draft = Draft(data, data.get("state", {}), data.get("predicates", {}), data.get("paths", {}))
    _add_graph(draft, ROOT, (), data)
    for name, graph in data.get("subgraphs", {}).items():
        if name != ROOT:
            _add_graph(draft, name, ("subgraphs", name), graph)
    return draft


def _add_graph(draft: Draft, name: str, path: Path, data: Mapping[str, Any]) -> None:
    graph = draft.graphs[name] = DraftGraph(name, path, data)
    for place, item in enumerate(data.get("nodes", ())):
        if not isinstance(item, dict) or "id" not in item:
            continue
        kind = Kind(item["type"]) if "type" in item else None
        node = DraftNode(item["id"], kind, name, (*path, "nodes", place), item)
        if node.id in draft.nodes:
            draft.repeated.append(node)
            continue
        draft.nodes[node.id] = graph.nodes[node.id] = node
    graph.entry = data.get("entry") or next(iter(graph.nodes), "")
    for place, item in enumerate(data.get("edges", ())):
        if not isinstance(item, dict) or "from" not in item or "to" not in item:
            continue
        guard = item.get("guard")
        edge = DraftEdge(
            item["from"],
            item["to"],
            name,
            (*path, "edges", place),
            item,
            place,
            None if guard == "else" else guard,
            guard == "else",
        )
        graph.edges.append(edge)
        source = graph.nodes.get(edge.source)
        if source is not None:
            source.edges.append(edge)


_TEXTS = ("prompt", "invalid_prompt", "say", "when", "validate", "confirm", "with", "map")
"""The fields of a node that hold expressions."""

_WORD = re.compile(r"\w+")


def words_in(text: str) -> set[str]:
    """The words of a text, which include the names that it may refer to."""
    return set(_WORD.findall(text))


def words_by_graph(draft: Draft) -> dict[str, set[str]]:
    """The words of each graph's expressions, including predicates."""
    everywhere = words_in(" ".join(draft.predicates.values()))
    found = {}
    for graph in draft.graphs.values():
        texts = [str(node.data[name]) for node in graph.nodes.values() for name in _TEXTS if name in node.data]
        texts += [edge.opens for edge in graph.edges if edge.opens is not None]
        found[graph.id] = everywhere | words_in(" ".join(texts))
    return found
