"""Coverage of a flow by conversations: the edges taken, the guards seen open and closed, the nodes entered."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphwright.flow.compiled import Action, Edge, Question
from graphwright.flow.source import read_text

if TYPE_CHECKING:
    from graphwright.runtime.agent import Agent

Kind = Literal["edge", "guard", "node"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that no conversation came to: an edge never taken, a guard never open or closed, a node never entered.

    `what` names it (`q.sure -> send`), `guard` is its condition, `never` what did not happen; `line` counts from 1.
    """

    kind: Kind
    what: str
    guard: str
    never: str
    line: int

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "guard": self.guard, "never": self.never, "line": self.line}


@dataclass(frozen=True, slots=True)
class Count:
    """How many of all there are were come to."""

    reached: int
    total: int

    @property
    def percent(self) -> float:
        """From 0 to 100; where there is nothing to come to, 100."""
        return 100.0 * self.reached / self.total if self.total else 100.0

    def __str__(self) -> str:
        return f"{self.reached}/{self.total}"


@dataclass(slots=True)
class Coverage:
    """What conversations came to in one flow. Events are added as the runs give them."""

    agent: Agent
    conversations: int = 0
    _taken: set[str] = field(default_factory=set)
    _seen: dict[str, set[bool]] = field(default_factory=dict)
    _entered: set[str] = field(default_factory=set)

    @property
    def file(self) -> Path:
        return self.agent.file

    def add(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Count one conversation's events."""
        self.conversations += 1
        for event in events:
            match event["type"]:
                case "edge_taken":
                    self._taken.add(event["edge"])
                case "guard_checked":
                    self._seen.setdefault(event["of"], set()).add(event["opened"] is True)
                case "node_entered":
                    self._entered.add(event["node"])

    @property
    def edges(self) -> Count:
        edges = self._edges()
        return Count(sum(edge.id in self._taken for edge in edges), len(edges))

    @property
    def guards(self) -> Count:
        """A guard counts when it was seen both open and closed."""
        guards = self._guards()
        return Count(sum(len(self._seen.get(of, ())) == 2 for of in guards), len(guards))

    @property
    def nodes(self) -> Count:
        nodes = self.agent.flow.nodes
        return Count(sum(node in self._entered for node in nodes), len(nodes))

    def gaps(self) -> list[Gap]:
        """What was never come to, in the order of the document; edges first, then guards, then nodes."""
        places = _Places(self.agent.file)
        found: list[Gap] = []
        for edge in self._edges():
            if edge.id not in self._taken:
                found.append(Gap("edge", _way(edge), _condition(edge), "taken", places.edge(edge, self._graph(edge))))
        for of, (what, text, guarded) in self._guards().items():
            seen = self._seen.get(of, set())
            if len(seen) < 2:
                never = "read" if not seen else "closed" if True in seen else "open"
                if guarded is not None:
                    line = places.edge(guarded, self._graph(guarded))
                else:
                    confirms = isinstance(self.agent.flow.nodes[what], Action)
                    line = places.node(what, *(("confirm", "when") if confirms else ("when",)))
                found.append(Gap("guard", what, text, never, line))
        for node in self.agent.flow.nodes:
            if node not in self._entered:
                found.append(Gap("node", node, "", "entered", places.node(node)))
        order = {"edge": 0, "guard": 1, "node": 2}
        return sorted(found, key=lambda gap: (order[gap.kind], gap.line))

    def to_json(self) -> dict[str, Any]:
        gaps = self.gaps()
        counts = {"edge": self.edges, "guard": self.guards, "node": self.nodes}
        return {
            "flow": self.agent.flow.id,
            "file": os.path.normpath(self.file),
            "conversations": self.conversations,
            **{
                f"{kind}s": {
                    "reached": count.reached,
                    "total": count.total,
                    "percent": round(count.percent, 1),
                    "never": [gap.to_json() for gap in gaps if gap.kind == kind],
                }
                for kind, count in counts.items()
            },
        }

    def _edges(self) -> list[Edge]:
        return [edge for node in self.agent.flow.nodes.values() for edge in node.all_edges]

    def _graph(self, edge: Edge) -> str:
        return self.agent.flow.nodes[edge.source].graph

    def _guards(self) -> dict[str, tuple[str, str, Edge | None]]:
        """By what the events call it: what it guards, its text, and its edge; the `when` of a node has none."""
        found: dict[str, tuple[str, str, Edge | None]] = {}
        for node in self.agent.flow.nodes.values():
            if isinstance(node, Question) and node.when is not None:
                found[f"{node.id}.when"] = (node.id, node.when.text, None)
            elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
                found[f"{node.id}.confirm"] = (node.id, node.confirm.when.text, None)
            for edge in node.edges:
                if edge.guard is not None:
                    found[edge.id] = (_way(edge), edge.guard.text, edge)
        return found


def _way(edge: Edge) -> str:
    return f"{edge.source} -> {edge.target}"


def _condition(edge: Edge) -> str:
    return "else" if edge.is_else else edge.guard.text if edge.guard is not None else ""


class _Places:
    """Where the nodes and edges of a flow stand in its file. A file that has gone since gives line 1 for all."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _source(self) -> Any:
        try:
            return read_text(self._file.read_bytes())[0]
        except OSError:
            return None

    @cached_property
    def _nodes(self) -> dict[str, tuple[str | int, ...]]:
        document = self._source.data
        graphs: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
        graphs += [(("subgraphs", name), graph) for name, graph in (document.get("subgraphs") or {}).items()]
        return {
            node["id"]: (*path, "nodes", index)
            for path, graph in graphs
            for index, node in enumerate(graph.get("nodes") or ())
        }

    def edge(self, edge: Edge, graph: str) -> int:
        path = ("subgraphs", graph, "edges", edge.index) if graph else ("edges", edge.index)
        return self._line(path)

    def node(self, node: str, *field: str) -> int:
        """The line of a node, or of one of its fields."""
        return 1 if self._source is None else self._line((*self._nodes.get(node, ()), *field))

    def _line(self, path: tuple[str | int, ...]) -> int:
        return 1 if self._source is None else int(self._source.span(path).line)
