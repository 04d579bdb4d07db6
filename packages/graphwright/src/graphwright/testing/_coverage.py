"""Coverage of a flow by conversations: the edges taken, the guards seen open and closed, the nodes entered."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphwright.flow.compiled import Action, Question
from graphwright.flow.layers import merge, read_layers
from graphwright.host.discovery import read_file

if TYPE_CHECKING:
    from graphwright.flow._source import Source
    from graphwright.flow.guards import Guard
    from graphwright.host.agent import Agent

Kind = Literal["edge", "guard", "node"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Missing coverage: an edge never taken, a guard never open or closed, a node never entered.

    `what` names it (`q.sure -> send`), `guard` is its condition, `never` the missing event; `line` counts from 1.
    `file` is the layer with this line if the flow has layers; otherwise it is empty.
    """

    kind: Kind
    what: str
    guard: str
    never: str
    line: int
    file: str = ""

    def to_json(self) -> dict[str, Any]:
        layer = {"file": os.path.normpath(self.file)} if self.file else {}
        return {"what": self.what, "guard": self.guard, "never": self.never, "line": self.line, **layer}


@dataclass(frozen=True, slots=True)
class Count:
    """The number of covered elements, and of all elements."""

    reached: int
    total: int

    @property
    def percent(self) -> float:
        """From 0 to 100; 100 without elements."""
        return 100.0 * self.reached / self.total if self.total else 100.0

    def __str__(self) -> str:
        return f"{self.reached}/{self.total}"


class Coverage:
    """The coverage of one flow by conversations, from the events of their runs."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.conversations = 0
        self._taken: set[str] = set()
        self._seen: dict[str, set[bool]] = {}
        self._entered: set[str] = set()

    @property
    def file(self) -> Path:
        return self.agent.file

    def add(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Add the events of one conversation."""
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
        return self._count("edge")

    @property
    def guards(self) -> Count:
        """The covered guards: those seen both open and closed."""
        return self._count("guard")

    @property
    def nodes(self) -> Count:
        return self._count("node")

    def gaps(self) -> list[Gap]:
        """Return the missing coverage: edges first, then guards, then nodes, each in the order of the document."""
        return sorted((each for each in self._all() if each.never), key=lambda gap: (gap.kind, gap.file, gap.line))

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

    def _count(self, kind: Kind) -> Count:
        found = [each for each in self._all() if each.kind == kind]
        return Count(sum(not each.never for each in found), len(found))

    def _all(self) -> Iterator[Gap]:
        """Yield all edges, guards and nodes; `never` is empty for the covered ones."""
        lines = _Lines(self.agent.file)
        for node in self.agent.flow.nodes.values():
            at = lines.node(node.id)
            yield Gap("node", node.id, "", "" if node.id in self._entered else "entered", *at())
            if isinstance(node, Question) and node.when is not None:
                yield self._guard(f"{node.id}.when", node.id, node.when, at("when"))
            elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
                yield self._guard(f"{node.id}.confirm", node.id, node.confirm.when, at("confirm", "when"))
            for edge in node.all_edges:
                what, line = f"{edge.source} -> {edge.target}", lines.edge(edge.index, node.graph)
                guard = "else" if edge.is_else else edge.guard.text if edge.guard is not None else ""
                yield Gap("edge", what, guard, "" if edge.id in self._taken else "taken", *line)
                if edge.guard is not None:
                    yield self._guard(edge.id, what, edge.guard, line)

    def _guard(self, of: str, what: str, guard: Guard, line: tuple[int, str]) -> Gap:
        match sorted(self._seen.get(of, ())):
            case []:
                never = "read"
            case [opened]:
                never = "closed" if opened else "open"
            case _:
                never = ""
        return Gap("guard", what, guard.text, never, *line)


class _Lines:
    """The lines of the nodes and edges of a flow, with the file of their layer; 1 for all if the file was deleted."""

    def __init__(self, file: Path) -> None:
        self._source = _source(file)
        document = self._source.data if self._source is not None else {}
        graphs = [((), document), *((("subgraphs", k), v) for k, v in (document.get("subgraphs") or {}).items())]
        self._nodes = {
            node["id"]: (*path, "nodes", index)
            for path, graph in graphs
            for index, node in enumerate(graph.get("nodes") or ())
        }

    def edge(self, index: int, graph: str) -> tuple[int, str]:
        return self._line(*(("subgraphs", graph) if graph else ()), "edges", index)

    def node(self, node: str) -> Callable[..., tuple[int, str]]:
        """Return a function for the line of a node, or of one of its fields."""
        return partial(self._line, *self._nodes.get(node, ()))

    def _line(self, *path: str | int) -> tuple[int, str]:
        if self._source is None:
            return 1, ""
        source, at, _ = self._source.origin(path)
        return source.span(at).line, source.file


def _source(file: Path) -> Source | None:
    """The document of a flow file, merged with the layers that it extends; None if it cannot be read any more."""
    if not file.is_file():
        return None
    layers = read_layers(file.read_bytes(), name=str(file), read=read_file)
    if not layers.readable:
        return None
    return merge(layers).source if layers.is_merged else layers.sources[0]
