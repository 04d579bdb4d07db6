"""The boxes and edges of a flow, their texts, jumps without an edge, and the place of each subgraph."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.drawing.picture import SLANT, Box, Edge, Shape, Text, pill, texts
from graphwright.flow import compiled
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Action, Call, CompiledFlow, Graph, Node, Question
from graphwright.text.sentences import one_line

START, EXITS, FROM_ANYWHERE = " start", " exit", " anywhere"
"""The boxes of a graph that are not nodes: a node id does not begin with a space."""

ANYWHERE = ""
"""The source of a jump that may begin at any node."""

SHAPES: dict[str, Shape] = {
    "question": "slanted",
    "decision": "diamond",
    "action": "box",
    "subgraph": "double",
    "terminal": "pill",
}
"""The shape of each kind of node."""

LABEL_LENGTH = 80
"""The maximum length of a prompt or a guard, in characters."""

_TEXT_WIDTH, _DIAMOND_TEXT_WIDTH, _LABEL_WIDTH = 190.0, 130.0, 170.0
_PAD_X, _PAD_Y, _NARROWEST = 14.0, 10.0, 96.0
_DIAMOND_RATIO = 2.1
_MARK = 14.0
_DEEPEST = 200
"""The maximum number of graphs and calls around a subgraph; a subgraph nested deeper by recursion is drawn in the root.
"""

_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]{3,20}")


class Home(NamedTuple):
    """A subgraph is drawn in the graph `graph`. If only one node leads to it, `call` is the id of that node."""

    graph: str
    call: str = ""


def homes(flow: CompiledFlow) -> dict[str, Home]:
    """The home of every subgraph, outer ones first.

    A subgraph that is called once is drawn in that call, and every other one in the root. A subgraph that only calls
    itself, directly or not, is drawn in the root as well.
    """
    calls: dict[str, list[Call]] = {}
    for call in (node for node in flow.nodes.values() if isinstance(node, Call)):
        for graph in flow.callees(call):
            calls.setdefault(graph, []).append(call)
    found = {graph: Home(own[0].graph, own[0].id) for graph, own in calls.items() if len(own) == 1}
    depth: dict[str, int] = {ROOT: 0}
    for graph in flow.graphs:
        way = [graph]
        while way[-1] not in depth:
            outer = found.get(way[-1], Home(ROOT)).graph
            if outer in way:
                found[way[-1]], outer = Home(ROOT), ROOT
            way.append(outer)
        for inner, outer in zip(way[-2::-1], way[:0:-1], strict=True):
            depth[inner] = depth[outer] + 1
            if depth[inner] > _DEEPEST:
                found[inner], depth[inner] = Home(ROOT), 1
    return {
        graph: found.get(graph, Home(ROOT)) for graph in sorted(flow.graphs, key=depth.__getitem__) if graph != ROOT
    }


class Jump(NamedTuple):
    """A transition without an edge: on an error, after invalid answers, from a dead end, by a confirmation.

    `where` is the condition of a confirmation, if it has one.
    """

    source: str
    label: str
    target: str
    where: str = ""


def jumps(flow: CompiledFlow) -> Iterator[Jump]:
    """All jumps in the order of the document, those from `ANYWHERE` last."""
    for node in flow.nodes.values():
        if isinstance(node, Question) and node.on_invalid:
            yield Jump(node.id, "on invalid", node.on_invalid)
        elif isinstance(node, Action):
            if node.on_error:
                yield Jump(node.id, "on error", node.on_error)
            if node.confirm:
                yield Jump(node.confirm.by, "confirms", node.id, node.confirm.when.text if node.confirm.when else "")
    escapes = ("when stuck", flow.on_stuck), ("to a person", flow.on_escalate), ("given up", flow.on_abandon)
    for label, target in escapes:
        if target:
            yield Jump(ANYWHERE, label, target)


def edges_of(graph: Graph) -> list[compiled.Edge]:
    """The edges of a graph in document order."""
    return sorted((edge for node in graph.nodes.values() for edge in node.all_edges), key=lambda edge: edge.index)


def guard_text(edge: compiled.Edge) -> str:
    """The guard of an edge, or `else`; empty if the edge is always open."""
    return "else" if edge.is_else else edge.guard.text if edge.guard else ""


def edge_label(edge: compiled.Edge) -> str:
    """The label and the guard of an edge."""
    return ": ".join(part for part in (edge.label, guard_text(edge)) if part)


def detail(node: Node) -> str:
    """The content of a node, as in the document: the prompt, the action, the subgraph, the text at the end."""
    match node:
        case Question():
            return node.prompt.text
        case Action(map=None):
            return f"{node.run}()"
        case Action(map=compiled.Map(over=over, graph=graph)):
            return f"{graph or f'{node.run}()'} for each of {over}"
        case Call():
            return "the chosen path" if node.ref == CHOSEN_PATH else node.ref
        case compiled.Terminal():
            return node.say.text if node.say else ""
        case compiled.Decision():
            return "the next open question" if node.pick_question else ""
    return ""


def condition_of(node: Node) -> str:
    """The condition without which a node is passed over; empty for none."""
    return one_line(node.when.text, LABEL_LENGTH) if isinstance(node, Question) and node.when else ""


def about_node(node: Node) -> str:
    """All details of a node, one on each line."""
    written = [f"{node.kind.value} {node.id}", node.label, detail(node)]
    if isinstance(node, Question):
        written.append(f"answers.{node.key}")
        written.append(f"one of the options in {node.options}" if node.options else "")
        written.append(f"only when {node.when.text}" if node.when else "")
    if isinstance(node, Action) and node.confirm:
        written.append(f"only after a yes to {node.confirm.by} over {', '.join(node.confirm.over)}{_where(node)}")
    return "\n".join(text for text in written if text)


def _where(node: Action) -> str:
    return f" where {node.confirm.when.text}" if node.confirm and node.confirm.when else ""


def place_in(ui: object) -> dict[str, float | int] | None:
    """The position `{x, y}` in pixels that an editor has written, alone or under `position`; or None."""
    at = ui.get("position", ui) if isinstance(ui, Mapping) else None
    if not isinstance(at, Mapping):
        return None
    x, y = _coordinate(at.get("x")), _coordinate(at.get("y"))
    return None if x is None or y is None else {"x": x, "y": y}


def _coordinate(value: object) -> float | int | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    # Far more than any screen; larger values would lose their decimals.
    return value if abs(value) <= 1_000_000 else None


def colour_in(ui: object) -> str:
    """The `colour` (or `color`), as a name or as `#rgb` or `#rrggbb`; empty if there is none."""
    written = ui.get("colour", ui.get("color")) if isinstance(ui, Mapping) else None
    # The value becomes part of markup, so only a plain colour is accepted.
    return written if isinstance(written, str) and _COLOUR.fullmatch(written) else ""


class Elements:
    """The boxes and edges of each graph of a flow, without places and without frames."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.homes = homes(flow)
        self.documents: dict[str, Mapping[str, Any]] = {ROOT: flow.document, **(flow.document.get("subgraphs") or {})}
        """Every graph as in the document."""
        nodes = (node for graph in self.documents.values() for node in graph.get("nodes") or ())
        self.fields: dict[str, Mapping[str, Any]] = {node["id"]: node for node in nodes if "id" in node}
        """Every node as in the document."""
        self.node_ids = {id: f"gw-{flow.hash[:8]}-n{i}" for i, id in enumerate(flow.nodes)}
        self.graph_ids = {id: f"gw-{flow.hash[:8]}-g{i}" for i, id in enumerate(flow.graphs)}
        """The ids of nodes and graphs in an SVG, unique so that several pictures can share a page."""
        self._jumps: dict[str, list[Jump]] = {graph: [] for graph in flow.graphs}
        for jump in jumps(flow):
            # A confirmation is not a transition: the box of the action shows it.
            if jump.label != "confirms":
                self._jumps[flow.nodes[jump.target].graph].append(jump)

    def title(self, graph: str) -> str:
        """The title of a subgraph: its `title` or `label`, or its id."""
        written = self.documents.get(graph) or {}
        return str(written.get("title") or written.get("label") or graph)

    def boxes(self, graph: Graph) -> list[Box]:
        """The nodes of a graph, its start and its exit."""
        found = [Box(START, "start", "dot", _MARK, _MARK, about="begins here")]
        found += [self._node(node) for node in graph.nodes.values()]
        if any(edge.target == EXIT for edge in edges_of(graph)):
            found.append(Box(EXITS, "exit", "ring", _MARK, _MARK, about="returns"))
        if any(jump.source == ANYWHERE for jump in self._jumps[graph.id]):
            found.append(pill(FROM_ANYWHERE, "anywhere", "from anywhere"))
        return found

    def edges(self, graph: Graph) -> list[Edge]:
        """The edges of a graph, and the jumps to its nodes."""
        written = self.documents[graph.id].get("edges") or ()
        found = [Edge(START, graph.entry)]
        for edge in edges_of(graph):
            target = EXITS if edge.target == EXIT else edge.target
            style, colour = "else" if edge.is_else else "plain", colour_in(written[edge.index].get("ui"))
            found.append(Edge(edge.source, target, style, _edge_lines(edge), _about_edge(edge), colour))
        for jump in self._jumps[graph.id]:
            source = FROM_ANYWHERE if jump.source == ANYWHERE else jump.source
            found.append(Edge(source, jump.target, "jump", (Text(jump.label, "text"),), jump.label))
        return found

    def _node(self, node: Node) -> Box:
        ui = self.fields.get(node.id, {}).get("ui")
        group = ui.get("group") if isinstance(ui, Mapping) else None
        below, graph = detail(node), ""
        if isinstance(node, Call) and (graphs := self.flow.callees(node)):
            graph, below = graphs[0], f"see {', '.join(map(self.title, graphs))}"
        elif isinstance(node, Action) and node.map is not None:
            graph = node.map.graph
        lines = _node_lines(node, below)
        kind = node.kind.value
        return Box(
            node.id,
            kind,
            SHAPES[kind],
            *_node_size(kind, lines),
            lines,
            about=about_node(node),
            colour=colour_in(ui),
            group=group.strip() if isinstance(group, str) else "",
            attributes=(("id", self.node_ids[node.id]), ("data-node", node.id)),
            href=self.graph_ids[graph] if graph else "",
        )


def _node_lines(node: Node, below: str) -> tuple[Text, ...]:
    """The lines in the box of a node; `below` describes what it does."""
    wide = _DIAMOND_TEXT_WIDTH if isinstance(node, compiled.Decision) else _TEXT_WIDTH
    lines = texts(node.label or node.id, "title", wide, 2)
    if node.label:
        lines += texts(node.id, "code", wide)
    if isinstance(node, Action):
        if below != f"{node.id}()":
            lines += texts(below, "code", wide, 2)
        if node.confirm:
            needs = f"only after a yes to {node.confirm.by}{_where(node)}"
            lines += texts(needs, "text", wide, 3 if node.confirm.when else 2)
        return lines
    lines += texts(below, "text", wide, 3 if isinstance(node, Question | compiled.Terminal) else 2)
    if isinstance(node, Question) and node.options:
        lines += texts(f"one of {node.options}", "text", wide)
    if condition := condition_of(node):
        lines += texts(f"if {condition}", "code", wide, 2)
    return lines


def _node_size(kind: str, lines: Sequence[Text]) -> tuple[float, float]:
    text_wide, text_high = max(line.width for line in lines), sum(line.height for line in lines)
    width, height = max(text_wide + 2 * _PAD_X, _NARROWEST), text_high + 2 * _PAD_Y
    if kind == "decision":
        # A rectangle fits into a diamond if the two fractions of its sides add up to one.
        width = max(text_wide + _DIAMOND_RATIO * text_high + 12, 110.0)
        return width, width / _DIAMOND_RATIO
    return width + {"question": 2 * SLANT, "terminal": height / 3}.get(kind, 0.0), height


def _edge_lines(edge: compiled.Edge) -> tuple[Text, ...]:
    guard = one_line(guard_text(edge), LABEL_LENGTH)
    label = texts(edge.label, "text", _LABEL_WIDTH)
    return label + ((Text(guard, "text"),) if edge.is_else else texts(guard, "code", _LABEL_WIDTH, 2))


def _about_edge(edge: compiled.Edge) -> str:
    target = "exit" if edge.target == EXIT else edge.target
    priority = f"priority {edge.priority}" if edge.priority else ""
    return "\n".join(text for text in (f"{edge.source} → {target}", edge.label, guard_text(edge), priority) if text)
