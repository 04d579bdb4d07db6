"""Pictures of a compiled flow: Mermaid text, and the node and edge lists of a visual editor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.flow.compiled import (
    ACTIVE_PATH,
    EXIT,
    ROOT,
    Action,
    Call,
    CompiledFlow,
    Decision,
    Edge,
    Graph,
    Node,
    Question,
    Terminal,
)

LABEL_LIMIT = 80
"""How many characters of a prompt or a guard stand in a picture."""

COLUMN = 260
ROW = 120
PADDING = 40
HEADER = 40
"""The layout's grid, in pixels: the pitch of nodes, and the room around and above the nodes of a group."""


def mermaid(flow: CompiledFlow) -> str:
    """The flow as a Mermaid flowchart, ending in a newline.

    Questions are slanted, decisions diamonds, actions boxes, subgraph calls double-edged, terminals rounded. Guards
    stand on the edges. A subgraph that is called from one graph only is drawn inside that graph. Dotted lines are
    the ways that no edge describes: calls, confirmations, and the jumps on errors, invalid answers and dead ends.
    """
    return "\n".join(_Mermaid(flow).lines()) + "\n"


def editor(flow: CompiledFlow) -> dict[str, Any]:
    """The flow for a visual editor: `{version, id, title, nodes, edges}` in the shape that React Flow reads.

    A node is `{id, type, data, position: {x, y}}` in pixels; `type` is its kind, `group` for a subgraph (which also
    has `width` and `height`) or `exit` for the place where a subgraph returns; `parentId` names the group around it,
    to which its position is relative. `data` holds the fields of the document, `ui` among them. A position in `ui`
    (`{x, y}`, alone or under `position`) is kept; everything else is laid out in layers below the entry.
    """
    return _Editor(flow).drawn()


def parents(flow: CompiledFlow) -> dict[str, str]:
    """Every subgraph's surrounding graph: its only caller, else the root. The order puts callers first."""
    callers: dict[str, set[str]] = {graph: set() for graph in flow.graphs if graph != ROOT}
    for node in flow.nodes.values():
        if isinstance(node, Call):
            for ref in _called(flow, node):
                if ref != node.graph and ref in callers:
                    callers[ref].add(node.graph)
    around = {graph: next(iter(found)) if len(found) == 1 else ROOT for graph, found in callers.items()}
    children: dict[str, list[str]] = {}
    for graph, parent in around.items():
        children.setdefault(parent, []).append(graph)
    ordered: dict[str, str] = {}
    queue = deque([ROOT])
    while queue:
        parent = queue.popleft()
        for graph in children.get(parent, ()):
            ordered[graph] = parent
            queue.append(graph)
    # Subgraphs that only call each other hang on nobody: they stand beside the root.
    return ordered | {graph: ROOT for graph in around if graph not in ordered}


def _called(flow: CompiledFlow, node: Call) -> list[str]:
    if node.ref == ACTIVE_PATH:
        return list(dict.fromkeys(path.ref for path in flow.paths.values()))
    return [node.ref]


def _edges(graph: Graph) -> Iterator[Edge]:
    found = [edge for node in graph.nodes.values() for edge in node.all_edges]
    yield from sorted(found, key=lambda edge: edge.index)


def _title(flow: CompiledFlow, graph: str) -> str:
    written = (flow.document.get("subgraphs") or {}).get(graph) or {}
    return str(written.get("title") or graph)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LABEL_LIMIT else text[: LABEL_LIMIT - 1].rstrip() + "…"


def _edge_label(edge: Edge) -> str:
    guard = "else" if edge.is_else else edge.guard.text if edge.guard else ""
    return ": ".join(part for part in (edge.label, guard) if part)


def _detail(node: Node) -> str:
    match node:
        case Question():
            return node.prompt.text
        case Action():
            return f"{node.run}()"
        case Call():
            return "the chosen path" if node.ref == ACTIVE_PATH else node.ref
        case Terminal():
            return node.say.text if node.say else ""
        case Decision():
            return "the next open question" if node.pick_question else ""
    return ""


_SHAPES = {
    "question": ('[/"', '"/]'),
    "decision": ('{"', '"}'),
    "action": ('["', '"]'),
    "subgraph": ('[["', '"]]'),
    "terminal": ('(["', '"])'),
}

_ENTITIES = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"})


def _escaped(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return _short(printable).translate(_ENTITIES)


class _Mermaid:
    """Writes one flow; `names` gives each node and graph a name that Mermaid takes for no keyword."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.names: dict[tuple[str, str], str] = {}
        self.taken: set[str] = set()
        self.children: dict[str, list[str]] = {}
        for graph, parent in parents(flow).items():
            self.children.setdefault(parent, []).append(graph)

    def name(self, kind: str, id: str) -> str:
        known = self.names.get((kind, id))
        if known is None:
            plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in id)
            known, count = f"{kind}_{plain}", 1
            while known in self.taken:
                count += 1
                known = f"{kind}_{plain}_{count}"
            self.taken.add(known)
            self.names[kind, id] = known
        return known

    def lines(self) -> Iterator[str]:
        yield "flowchart TD"
        yield '    start(("start"))'
        # An explicit stack, since subgraphs may nest deeper than Python calls; None closes a block.
        stack: list[tuple[str, int] | None] = [(ROOT, 0)]
        depth = 0
        while stack:
            top = stack.pop()
            if top is None:
                yield "    " * depth + "end"
                depth -= 1
                continue
            graph, depth = top
            if graph != ROOT:
                yield "    " * depth + f'subgraph {self.name("g", graph)}["{_escaped(_title(self.flow, graph))}"]'
                stack.append(None)
            yield from self._nodes(self.flow.graphs[graph], "    " * (depth + 1))
            stack.extend((child, depth + 1) for child in reversed(self.children.get(graph, [])))
        yield f"    start --> {self.name('n', self.flow.root.entry)}"
        for found in self.flow.graphs.values():
            yield from self._ways(found)
        yield from self._jumps()

    def _nodes(self, graph: Graph, indent: str) -> Iterator[str]:
        for node in graph.nodes.values():
            opening, closing = _SHAPES[node.kind.value]
            detail = _escaped(_detail(node))
            label = _escaped(node.label or node.id) + (f"<br/>{detail}" if detail else "")
            yield f"{indent}{self.name('n', node.id)}{opening}{label}{closing}"
        if any(edge.target == EXIT for node in graph.nodes.values() for edge in node.all_edges):
            yield f'{indent}{self.name("x", graph.id)}((("exit")))'

    def _ways(self, graph: Graph) -> Iterator[str]:
        for edge in _edges(graph):
            target = self.name("x", graph.id) if edge.target == EXIT else self.name("n", edge.target)
            label = _escaped(_edge_label(edge))
            arrow = f'-->|"{label}"|' if label else "-->"
            yield f"    {self.name('n', edge.source)} {arrow} {target}"
        for node in graph.nodes.values():
            if isinstance(node, Call):
                for ref in _called(self.flow, node):
                    entry = self.name("n", self.flow.graphs[ref].entry)
                    yield f'    {self.name("n", node.id)} -.->|"calls"| {entry}'

    def _jumps(self) -> Iterator[str]:
        for node in self.flow.nodes.values():
            if isinstance(node, Question) and node.on_invalid:
                yield self._jump(node.id, "on invalid", node.on_invalid)
            elif isinstance(node, Action):
                if node.on_error:
                    yield self._jump(node.id, "on error", node.on_error)
                if node.confirm:
                    yield self._jump(node.confirm.by, "confirms", node.id)
        for label, target in (("when stuck", self.flow.on_stuck), ("to a person", self.flow.on_escalate)):
            if target:
                yield f'    anywhere(("anywhere")) -.->|"{label}"| {self.name("n", target)}'

    def _jump(self, source: str, label: str, target: str) -> str:
        return f'    {self.name("n", source)} -.->|"{label}"| {self.name("n", target)}'


def _number(value: object) -> float | int | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _placed(ui: object) -> dict[str, float | int] | None:
    if not isinstance(ui, Mapping):
        return None
    at = ui.get("position", ui)
    if not isinstance(at, Mapping):
        return None
    x, y = _number(at.get("x")), _number(at.get("y"))
    return None if x is None or y is None else {"x": x, "y": y}


class _Editor:
    """Collects the nodes and edges of one flow, and lays out what has no position."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.parents = parents(flow)
        subgraphs = flow.document.get("subgraphs") or {}
        self.written: dict[str, Mapping[str, Any]] = {ROOT: flow.document, **subgraphs}
        self.fields = {
            raw["id"]: raw for document in self.written.values() for raw in document.get("nodes") or () if "id" in raw
        }
        self.sizes: dict[str, tuple[float, float]] = {}
        self.at: dict[str, dict[str, float | int]] = {}

    def drawn(self) -> dict[str, Any]:
        # Inner groups first: the room that a graph needs depends on the groups inside it.
        for id in [*reversed(self.parents), ROOT]:
            self._lay_out(id)
        nodes: list[dict[str, Any]] = []
        edges: list[dict[str, Any]] = []
        # React Flow wants a group before what stands inside it, and `parents` has callers first.
        for id in self.parents:
            nodes.append(self._group(id))
        for graph in self.flow.graphs.values():
            nodes += [self._node(node) for node in graph.nodes.values()]
            if self._exits(graph):
                nodes.append({**self._base(self._exit(graph.id), "exit", graph.id), "data": {"label": "exit"}})
            edges += [self._edge(edge, graph) for edge in _edges(graph)]
        return {
            "version": self.flow.document.get("version", "v1"),
            "id": self.flow.id,
            "title": self.flow.title,
            "entry": self.flow.root.entry,
            "nodes": nodes,
            "edges": edges,
        }

    def _group_id(self, graph: str) -> str:
        return f"group:{graph}"

    def _exit(self, graph: str) -> str:
        return f"exit:{graph}"

    def _exits(self, graph: Graph) -> bool:
        return any(edge.target == EXIT for node in graph.nodes.values() for edge in node.all_edges)

    def _base(self, id: str, type: str, inside: str) -> dict[str, Any]:
        base: dict[str, Any] = {"id": id, "type": type, "position": self.at[id]}
        if inside != ROOT:
            base["parentId"] = self._group_id(inside)
        return base

    def _group(self, graph: str) -> dict[str, Any]:
        raw = self.written.get(graph, {})
        width, height = self.sizes[graph]
        kept = {key: value for key, value in raw.items() if key not in ("nodes", "edges")}
        return {
            **self._base(self._group_id(graph), "group", self.parents[graph]),
            "width": width,
            "height": height,
            "data": {**kept, "label": _title(self.flow, graph), "graph": graph},
        }

    def _node(self, node: Node) -> dict[str, Any]:
        raw = self.fields.get(node.id, {})
        data = {key: value for key, value in raw.items() if key not in ("id", "type")}
        return {**self._base(node.id, node.kind.value, node.graph), "data": {**data, "label": node.label or node.id}}

    def _edge(self, edge: Edge, graph: Graph) -> dict[str, Any]:
        guard = "else" if edge.is_else else edge.guard.text if edge.guard else None
        return {
            "id": edge.id,
            "source": edge.source,
            "target": self._exit(graph.id) if edge.target == EXIT else edge.target,
            "label": _edge_label(edge),
            "data": {"guard": guard, "priority": edge.priority, "tags": list(edge.tags)},
        }

    def _lay_out(self, graph_id: str) -> None:
        graph = self.flow.graphs[graph_id]
        top = 0 if graph_id == ROOT else HEADER
        right: float = 0
        bottom: float = 0
        for layer, ids in enumerate(self._layers(graph)):
            for column, id in enumerate(ids):
                computed: dict[str, float | int] = {"x": PADDING + column * COLUMN, "y": top + PADDING + layer * ROW}
                at = _placed(self.fields.get(id, {}).get("ui")) or computed
                self.at[id] = at
                right, bottom = max(right, at["x"] + COLUMN), max(bottom, at["y"] + ROW)
        # Groups that have no position of their own stand in a row to the right of the nodes.
        edge: float = right
        for child in (inner for inner, parent in self.parents.items() if parent == graph_id):
            width, height = self.sizes[child]
            at = _placed(self.written.get(child, {}).get("ui")) or {"x": edge, "y": top + PADDING}
            self.at[self._group_id(child)] = at
            edge = max(edge, at["x"] + width + PADDING)
            right, bottom = max(right, edge), max(bottom, at["y"] + height + PADDING)
        self.sizes[graph_id] = (right, bottom)

    def _layers(self, graph: Graph) -> list[list[str]]:
        """Node ids by their distance from the entry; what cannot be reached by edges comes last, the exit below all."""
        level = {graph.entry: 0}
        queue = deque([graph.entry])
        while queue:
            id = queue.popleft()
            for edge in graph.nodes[id].all_edges:
                if edge.target in graph.nodes and edge.target not in level:
                    level[edge.target] = level[id] + 1
                    queue.append(edge.target)
        last = max(level.values()) + 1
        layers: list[list[str]] = [[] for _ in range(last)]
        for id in graph.nodes:
            if id in level:
                layers[level[id]].append(id)
        rest = [id for id in graph.nodes if id not in level]
        if rest:
            layers.append(rest)
        if self._exits(graph):
            layers.append([self._exit(graph.id)])
        return layers
