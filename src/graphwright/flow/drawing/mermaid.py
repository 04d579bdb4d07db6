"""A flow as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.flow.compiled import EXIT, ROOT, Call, CompiledFlow, Graph
from graphwright.flow.drawing.nesting import parents
from graphwright.flow.drawing.wording import ANYWHERE, called, detail, edge_label, edges_of, jumps, short, title_of


def mermaid(flow: CompiledFlow) -> str:
    """The flow as a Mermaid flowchart, ending in a newline.

    Questions are slanted, decisions diamonds, actions boxes, subgraph calls double-edged, terminals rounded. Guards
    stand on the edges. A subgraph is drawn inside the graph that every way to it goes through. Dotted lines are the
    ways that no edge describes: calls, confirmations, and the jumps on errors, invalid answers and dead ends.
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


def _escaped(text: str) -> str:
    return short(text).translate(_ENTITIES)


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
                yield "    " * depth + f'subgraph {self.name("g", graph)}["{_escaped(title_of(self.flow, graph))}"]'
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
            below = _escaped(detail(node))
            label = _escaped(node.label or node.id) + (f"<br/>{below}" if below else "")
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
            if isinstance(node, Call):
                for ref in called(self.flow, node):
                    entry = self.name("n", self.flow.graphs[ref].entry)
                    yield f'    {self.name("n", node.id)} -.->|"calls"| {entry}'

    def _jumps(self) -> Iterator[str]:
        for jump in jumps(self.flow):
            source = 'anywhere(("anywhere"))' if jump.source == ANYWHERE else self.name("n", jump.source)
            label = f"{jump.label} where {_escaped(jump.where)}" if jump.where else jump.label
            yield f'    {source} -.->|"{label}"| {self.name("n", jump.target)}'
