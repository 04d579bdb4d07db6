"""A flow as a picture: nodes as boxes, edges and jumps as lines, subgraphs as frames; and its SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphwright.drawing.layout import arranged, placed, with_beside
from graphwright.drawing.picture import (
    HEADER,
    MARGIN,
    SLANT,
    Box,
    Edge,
    Picture,
    Point,
    Shape,
    Text,
    overlap,
    pill,
    texts,
)
from graphwright.drawing.svg import BLUE, GREEN, GREY, PURPLE, YELLOW, Heading, LegendItem, picture_svg
from graphwright.drawing.text_metrics import shortened
from graphwright.flow.compiled import (
    ACTIVE_PATH,
    EXIT,
    ROOT,
    Action,
    Call,
    CompiledFlow,
    Confirm,
    Graph,
    Kind,
    Node,
    Question,
    Terminal,
)
from graphwright.flow.compiled import Edge as FlowEdge
from graphwright.flow.drawing.elements import (
    ANYWHERE,
    Jump,
    called,
    colour_in,
    detail,
    documents,
    edges_of,
    group_in,
    guard_text,
    homes,
    jumps,
    node_fields,
    place_in,
    title_of,
)

START, EXITS, FROM_ANYWHERE = " start", " exit", " anywhere"
"""The boxes of a graph that are no nodes: the id of a node does not begin with a space."""

_SHAPES: dict[str, Shape] = {
    "question": "slanted",
    "decision": "diamond",
    "action": "box",
    "subgraph": "double",
    "terminal": "pill",
}
_LOOKS = {"question": BLUE, "decision": YELLOW, "action": GREEN, "subgraph": PURPLE, "terminal": GREY}
_EDGE_STYLES = {"plain": "when its guard is true", "else": "else", "jump": "on an error, a dead end, an escalation"}

_TEXT_WIDTH, _DIAMOND_TEXT_WIDTH, _LABEL_WIDTH, _WIDEST_HEADING = 190.0, 130.0, 170.0, 420.0
_PAD_X, _PAD_Y = 14.0, 10.0
_DIAMOND_RATIO = 2.1
_MARK = 14.0
_AROUND_GROUP = 7.0
_MOST_LISTED = 12
_LABEL_LENGTH, _TITLE_LENGTH = 80, 120


def svg(flow: CompiledFlow) -> str:
    """The flow as an SVG document, ending in a newline; the same flow always gives the same text.

    Every node is drawn once. A subgraph is a frame in the place of the call that leads to it; one that several calls
    lead to stands by itself, and the calls are links to it. Full texts appear when one points at something. Places,
    colours and groups in `ui` are kept: places in every graph in which all nodes have one, `colour` of nodes, edges
    and subgraphs, and `group`, a name, as an outline around the nodes that share it.
    """
    drawn = picture(flow)
    title = shortened(flow.title or flow.id, _TITLE_LENGTH)
    below = Text(shortened(flow.id, _TITLE_LENGTH) if flow.title else "", "code")
    kinds = {node.kind for node in flow.nodes.values()}
    styles = set(_styles(drawn))
    legend = [LegendItem(kind.value, kind.value, _SHAPES[kind.value]) for kind in Kind if kind in kinds]
    legend += [LegendItem(style, meaning) for style, meaning in _EDGE_STYLES.items() if style in styles]
    return picture_svg(drawn, Heading(title, below, _description(flow), f"gw-{flow.hash[:8]}"), _LOOKS, legend)


def picture(flow: CompiledFlow) -> Picture:
    """Lay out a flow: every node once, subgraphs as frames where `homes` says, nothing on top of anything else."""
    return _Nested(flow).of[ROOT]


def _styles(drawn: Picture) -> Iterator[str]:
    for edge in drawn.edges:
        yield edge.style
    for box in drawn.boxes:
        if box.inner:
            yield from _styles(box.inner)


def _description(flow: CompiledFlow) -> str:
    """The picture in words, for those who do not see it."""
    counts = Counter(node.kind for node in flow.nodes.values())
    kinds = [f"{counts[kind]} {kind}{'s' if counts[kind] > 1 else ''}" for kind in Kind if counts[kind]]
    ends = [node.id for node in flow.nodes.values() if isinstance(node, Terminal)]
    inner = [graph for graph in flow.graphs if graph]
    parts = [f"A flow chart of {', '.join(kinds)}.", f"It begins at {flow.root.entry}."]
    parts += [f"It ends at {_listed(ends)}."] if ends else []
    parts += [f"Subgraphs: {_listed(inner)}."] if inner else []
    return " ".join(parts)


def _listed(ids: Sequence[str]) -> str:
    more = len(ids) - _MOST_LISTED
    return ", ".join(ids[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


class Elements:
    """The boxes and edges of each graph of a flow, without places and without what stands in frames."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.homes = homes(flow)
        self.documents = documents(flow)
        self.fields = node_fields(flow)
        self.node_ids = {id: f"gw-{flow.hash[:8]}-n{i}" for i, id in enumerate(flow.nodes)}
        self.graph_ids = {id: f"gw-{flow.hash[:8]}-g{i}" for i, id in enumerate(flow.graphs)}
        self._jumps: dict[str, list[Jump]] = {}
        for jump in jumps(flow):
            # A confirmation is no way: the action says itself what it waits for.
            if jump.label != "confirms":
                self._jumps.setdefault(flow.nodes[jump.target].graph, []).append(jump)

    def boxes(self, graph: Graph) -> list[Box]:
        found = [Box(START, "start", "dot", _MARK, _MARK, about="begins here")]
        found += [self._node(node) for node in graph.nodes.values()]
        if any(edge.target == EXIT for edge in edges_of(graph)):
            found.append(Box(EXITS, "exit", "ring", _MARK, _MARK, about="returns"))
        if any(jump.source == ANYWHERE for jump in self._jumps.get(graph.id, ())):
            found.append(pill(FROM_ANYWHERE, "anywhere", "from anywhere"))
        return found

    def edges(self, graph: Graph) -> list[Edge]:
        written = self.documents[graph.id].get("edges") or ()
        found = [Edge(START, graph.entry)]
        for edge in edges_of(graph):
            target = EXITS if edge.target == EXIT else edge.target
            style, colour = "else" if edge.is_else else "plain", colour_in(written[edge.index].get("ui"))
            found.append(Edge(edge.source, target, style, _edge_lines(edge), _about_edge(edge), colour))
        for jump in self._jumps.get(graph.id, ()):
            source = FROM_ANYWHERE if jump.source == ANYWHERE else jump.source
            found.append(Edge(source, jump.target, "jump", (Text(jump.label, "text"),), jump.label))
        return found

    def _node(self, node: Node) -> Box:
        ui = self.fields.get(node.id, {}).get("ui")
        below, graph = detail(node), ""
        if isinstance(node, Call) and (graphs := called(self.flow, node)):
            graph, below = graphs[0], f"see {', '.join(title_of(self.flow, inner) for inner in graphs)}"
        lines = _node_lines(node, below)
        kind = node.kind.value
        return Box(
            node.id,
            kind,
            _SHAPES[kind],
            *_node_size(kind, lines),
            lines,
            about=about_node(node),
            colour=colour_in(ui),
            group=group_in(ui),
            attributes=(("id", self.node_ids[node.id]), ("data-node", node.id)),
            href=self.graph_ids[graph] if graph else "",
        )


class _Nested(Elements):
    """The picture of each graph, inner graphs first: how much room a graph needs depends on those inside it."""

    def __init__(self, flow: CompiledFlow) -> None:
        super().__init__(flow)
        self._held: dict[str, list[str]] = {}
        """By the id of a call, or of a graph, the subgraphs that stand there."""
        for graph, home in self.homes.items():
            self._held.setdefault(f"call {home.call}" if home.call else f"graph {home.graph}", []).append(graph)
        self.of: dict[str, Picture] = {}
        for graph in [*reversed(self.homes), ROOT]:
            self.of[graph] = self._picture(flow.graphs[graph])

    def _picture(self, graph: Graph) -> Picture:
        boxes, edges = self.boxes(graph), self.edges(graph)
        beside = [self._frame((inner,)) for inner in self._held.get(f"graph {graph.id}", ())]
        frames = {id: self._frame(tuple(held), id) for id in graph.nodes if (held := self._held.get(f"call {id}"))}
        found = self._by_hand(graph, boxes, edges)
        if found is None:
            found = arranged([frames.get(box.id, box) for box in boxes], edges)
        else:
            # Where somebody else decided how much room there is, calls stay small and the subgraphs stand beside.
            beside += frames.values()
        found = replace(found, regions=tuple(_regions(found.boxes)))
        return with_beside(found, beside)

    def _by_hand(self, graph: Graph, boxes: Sequence[Box], edges: Sequence[Edge]) -> Picture | None:
        """The graph as an editor has placed it, where it has placed every node."""
        places: dict[str, Point] = {}
        for id in graph.nodes:
            at = place_in(self.fields.get(id, {}).get("ui"))
            if at is None:
                return None
            places[id] = (float(at["x"]), float(at["y"]))
        return placed(boxes, edges, places)

    def _frame(self, graphs: tuple[str, ...], call: str = "") -> Box:
        """A frame around the picture of one graph, or around the frames of all the paths that a call may enter."""
        node = self.flow.nodes.get(call)
        paths = isinstance(node, Call) and node.ref == ACTIVE_PATH
        inner = self._row([self._frame((graph,)) for graph in graphs]) if paths else self.of[graphs[0]]
        title, below = title_of(self.flow, graphs[0]), graphs[0]
        attributes = [("id", self.node_ids[call] if paths else self.graph_ids[graphs[0]])]
        attributes += [] if paths else [("data-graph", graphs[0])]
        hints: list[Mapping[str, Any]] = [] if paths else [self.documents[graphs[0]]]
        if isinstance(node, Call):
            title = node.label or (node.id if paths else title)
            elsewhere = [title_of(self.flow, graph) for graph in called(self.flow, node) if graph not in graphs]
            below = f"{node.id} → {'the chosen path' if paths else graphs[0]}"
            below += f", also {', '.join(elsewhere)}" if elsewhere else ""
            below += f" · answers.{node.scope}" if node.scope else ""
            attributes.append(("data-node", call))
            hints.insert(0, self.fields.get(call, {}))
        width = inner.width + 2 * MARGIN
        lines = texts(title, "title", max(width, _WIDEST_HEADING)) + texts(below, "code", max(width, _WIDEST_HEADING))
        return Box(
            call or f" graph {graphs[0]}",
            "subgraph",
            "frame",
            max(width, *(line.width + 2 * MARGIN for line in lines)),
            inner.height + HEADER + MARGIN,
            lines,
            about=about_node(node) if node else f"subgraph {graphs[0]}",
            colour=next(filter(None, (colour_in(hint.get("ui")) for hint in hints)), ""),
            attributes=tuple(attributes),
            inner=inner,
        )

    def _row(self, frames: Sequence[Box]) -> Picture:
        found = Picture(-MARGIN, 0.0)
        for frame in frames:
            found = found.joined(Picture(frame.width, frame.height, (frame,)).moved(found.width + MARGIN, 0.0))
        return found


def _regions(boxes: Sequence[Box]) -> list[Box]:
    """Outlines around the members of each group: one where nobody else stands between them, else one each."""
    groups: dict[str, list[Box]] = {}
    for box in boxes:
        if box.group:
            groups.setdefault(box.group, []).append(box)
    found: list[Box] = []
    for name, members in groups.items():
        whole = _region(name, members)
        alone = not any(overlap(whole.rect, box.rect) for box in boxes if box.group != name)
        found += [whole] if alone else [_region(name, [member]) for member in members]
    return found


def _region(name: str, members: Sequence[Box]) -> Box:
    left = min(box.x for box in members) - _AROUND_GROUP
    top = min(box.y for box in members) - _AROUND_GROUP
    width = max(box.x + box.width for box in members) + _AROUND_GROUP - left
    height = max(box.y + box.height for box in members) + _AROUND_GROUP - top
    return Box("", "group", "frame", width, height, texts(name, "text", width), f"group {name}", x=left, y=top)


def _node_lines(node: Node, below: str) -> tuple[Text, ...]:
    """What stands in the box of a node; `below` is what it does."""
    wide = _DIAMOND_TEXT_WIDTH if node.kind is Kind.DECISION else _TEXT_WIDTH
    lines = texts(node.label or node.id, "title", wide, 2)
    if node.label:
        lines += texts(node.id, "code", wide)
    if isinstance(node, Action):
        if below != f"{node.id}()":
            lines += texts(below, "code", wide, 2)
        if node.confirm:
            needs = f"only after a yes to {node.confirm.by}{_where(node.confirm)}"
            lines += texts(needs, "text", wide, 3 if node.confirm.when else 2)
        return lines
    lines += texts(below, "text", wide, 3 if isinstance(node, Question | Terminal) else 2)
    if isinstance(node, Question) and node.options:
        lines += texts(f"one of {node.options}", "text", wide)
    return lines


def _node_size(kind: str, lines: Sequence[Text]) -> tuple[float, float]:
    text_wide, text_high = max(line.width for line in lines), sum(line.height for line in lines)
    width, height = max(text_wide + 2 * _PAD_X, 96.0), text_high + 2 * _PAD_Y
    if kind == "decision":
        # A diamond holds a rectangle of text when the two fractions of its sides add up to one.
        width = max(text_wide + _DIAMOND_RATIO * text_high + 12, 110.0)
        return width, width / _DIAMOND_RATIO
    return width + {"question": 2 * SLANT, "terminal": height / 3}.get(kind, 0.0), height


def about_node(node: Node) -> str:
    """All that is worth knowing of a node, line by line."""
    written = [f"{node.kind.value} {node.id}", node.label, detail(node)]
    if isinstance(node, Question):
        written.append(f"answers.{node.key}")
        written.append(f"one of the options in {node.options}" if node.options else "")
        written.append(f"only when {node.when.text}" if node.when else "")
    if isinstance(node, Action) and node.confirm:
        over = ", ".join(node.confirm.over)
        written.append(f"only after a yes to {node.confirm.by} over {over}{_where(node.confirm)}")
    return "\n".join(text for text in written if text)


def _where(confirm: Confirm) -> str:
    return f" where {confirm.when.text}" if confirm.when is not None else ""


def _edge_lines(edge: FlowEdge) -> tuple[Text, ...]:
    guard = shortened(guard_text(edge), _LABEL_LENGTH)
    label = texts(edge.label, "text", _LABEL_WIDTH)
    return label + ((Text(guard, "text"),) if edge.is_else else texts(guard, "code", _LABEL_WIDTH, 2))


def _about_edge(edge: FlowEdge) -> str:
    target = "exit" if edge.target == EXIT else edge.target
    priority = f"priority {edge.priority}" if edge.priority else ""
    return "\n".join(text for text in (f"{edge.source} → {target}", edge.label, guard_text(edge), priority) if text)
