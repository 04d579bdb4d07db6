"""A flow for other programs: a Mermaid flowchart, and the node and edge lists of a visual editor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphwright.drawing.layout import arranged, with_beside
from graphwright.drawing.picture import Box
from graphwright.flow.compiled import EXIT, ROOT, Action, Call, CompiledFlow, Graph
from graphwright.flow.drawing._elements import (
    ANYWHERE,
    EXITS,
    LABEL_LENGTH,
    Elements,
    condition_of,
    detail,
    edge_label,
    edges_of,
    guard_text,
    jumps,
    place_in,
)
from graphwright.text.sentences import one_line

_PADDING, _HEADER = 40, 40
"""The space around, and above, the nodes of a group in an editor, in pixels."""


def mermaid(flow: CompiledFlow) -> str:
    """The flow as a Mermaid flowchart, ending in a newline.

    Guards label the edges. A subgraph is drawn inside the graph that calls it, or in the root if several calls lead to
    it. Dotted lines are transitions without an edge: calls, confirmations, and the jumps on errors, invalid answers and
    dead ends.
    """
    return "\n".join(_Mermaid(flow).lines()) + "\n"


_SHAPES = {
    "question": ('[/"', '"/]'),
    "decision": ('{"', '"}'),
    "action": ('["', '"]'),
    "subgraph": ('[["', '"]]'),
    "terminal": ('(["', '"])'),
}

_ENTITIES = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"})


class _Mermaid:
    """Writes one flow; `names` maps each node and graph to a name that is not a keyword of Mermaid."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.elements = Elements(flow)
        self.names: dict[tuple[str, str], str] = {}
        self.taken: set[str] = set()

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
        yield from self._graph(ROOT, "    ")
        yield f"    start --> {self.name('n', self.flow.root.entry)}"
        for found in self.flow.graphs.values():
            yield from self._ways(found)
        yield from self._jumps()

    def _graph(self, graph: str, indent: str) -> Iterator[str]:
        yield from self._nodes(self.flow.graphs[graph], indent)
        for inner, home in self.elements.homes.items():
            if home.graph == graph:
                yield f'{indent}subgraph {self.name("g", inner)}["{_escaped(self.elements.title(inner))}"]'
                yield from self._graph(inner, indent + "    ")
                yield f"{indent}end"

    def _nodes(self, graph: Graph, indent: str) -> Iterator[str]:
        for node in graph.nodes.values():
            opening, closing = _SHAPES[node.kind.value]
            condition = condition_of(node)
            lines = [node.label or node.id, detail(node), f"if {condition}" if condition else ""]
            label = "<br/>".join(_escaped(line) for line in lines if line)
            yield f"{indent}{self.name('n', node.id)}{opening}{label}{closing}"
        if any(edge.target == EXIT for node in graph.nodes.values() for edge in node.all_edges):
            yield f'{indent}{self.name("x", graph.id)}((("exit")))'

    def _ways(self, graph: Graph) -> Iterator[str]:
        for edge in edges_of(graph):
            target = self.name("x", graph.id) if edge.target == EXIT else self.name("n", edge.target)
            label = _escaped(edge_label(edge))
            arrow = f'-->|"{label}"|' if label else "-->"
            yield f"    {self.name('n', edge.source)} {arrow} {target}"
        for node in graph.nodes.values():
            mapped = [node.map.graph] if isinstance(node, Action) and node.map is not None and node.map.graph else []
            if refs := self.flow.callees(node) if isinstance(node, Call) else mapped:
                for ref in refs:
                    entry = self.name("n", self.flow.graphs[ref].entry)
                    yield f'    {self.name("n", node.id)} -.->|"calls"| {entry}'

    def _jumps(self) -> Iterator[str]:
        for jump in jumps(self.flow):
            source = 'anywhere(("anywhere"))' if jump.source == ANYWHERE else self.name("n", jump.source)
            label = f"{jump.label} where {_escaped(jump.where)}" if jump.where else jump.label
            yield f'    {source} -.->|"{label}"| {self.name("n", jump.target)}'


def _escaped(text: str) -> str:
    return one_line(text, LABEL_LENGTH).translate(_ENTITIES)


def editor(flow: CompiledFlow) -> dict[str, Any]:
    """The flow for a visual editor: `{version, id, title, nodes, edges}` in the shape that React Flow reads.

    A node is `{id, type, data, position: {x, y}}` in pixels; `type` is its kind, `group` for a subgraph (which also has
    `width` and `height`) or `exit` for the exit of a subgraph; `parentId` names the group around it, to which its
    position is relative. `data` has the fields of the document, including `ui`. A position in `ui` (`{x, y}`, alone or
    under `position`) is kept; everything else is laid out as in the SVG, in layers below the entry.
    """
    elements = Elements(flow)
    sizes: dict[str, tuple[int, int]] = {}
    nodes: dict[str, list[dict[str, Any]]] = {graph: [] for graph in flow.graphs}
    # Inner groups first: the size of a graph depends on the groups inside it.
    for id in [*reversed(elements.homes), ROOT]:
        graph = flow.graphs[id]
        inner = [child for child, home in elements.homes.items() if home.graph == id]
        groups = [Box(f"group:{child}", "group", "frame", *sizes[child]) for child in inner]
        right = bottom = 0.0
        for box in with_beside(arranged(elements.boxes(graph), elements.edges(graph)), groups).boxes:
            child = box.id.removeprefix("group:") if box.kind == "group" else ""
            written = elements.documents[child] if child else elements.fields.get(box.id, {})
            top = _PADDING + (_HEADER if id != ROOT else 0)
            at = place_in(written.get("ui")) or {"x": round(box.x) + _PADDING, "y": round(box.y) + top}
            right, bottom = max(right, at["x"] + box.width + _PADDING), max(bottom, at["y"] + box.height + _PADDING)
            inside = {} if id == ROOT else {"parentId": f"group:{id}"}
            node: dict[str, Any] = {"id": box.id, "type": box.kind, "position": at, **inside}
            if child:
                size = {"width": box.width, "height": box.height}
                kept = {key: value for key, value in written.items() if key not in ("nodes", "edges")}
                # React Flow requires a group before its contents.
                data = {**kept, "label": elements.title(child), "graph": child}
                nodes[child].insert(0, {**node, **size, "data": data})
            elif box.id == EXITS:
                nodes[id].append({**node, "id": f"exit:{id}", "data": {"label": "exit"}})
            elif box.id in flow.nodes:
                kept = {key: value for key, value in written.items() if key not in ("id", "type")}
                nodes[id].append({**node, "data": {**kept, "label": flow.nodes[box.id].label or box.id}})
        sizes[id] = (round(right), round(bottom))
    return {
        "version": flow.document.get("version", "v1"),
        "id": flow.id,
        "title": flow.title,
        "entry": flow.root.entry,
        "nodes": [node for id in (ROOT, *elements.homes) for node in nodes[id]],
        "edges": [
            {
                "id": edge.id,
                "source": edge.source,
                "target": f"exit:{graph.id}" if edge.target == EXIT else edge.target,
                "label": edge_label(edge),
                "data": {"guard": guard_text(edge) or None, "priority": edge.priority, "tags": list(edge.tags)},
            }
            for graph in flow.graphs.values()
            for edge in edges_of(graph)
        ],
    }
