"""A part of a property graph as a picture: a self-contained SVG of a node and its surroundings."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphwright.drawing.layout import arranged
from graphwright.drawing.picture import Box, Edge, Picture, Text, texts
from graphwright.drawing.svg import BLUE, GREEN, GREY, PINK, PURPLE, RED, TEAL, YELLOW, Heading, LegendItem, picture_svg
from graphwright.text.sentences import many
from graphwright_graph._elements import Edge as GraphEdge
from graphwright_graph._elements import Node, Subgraph
from graphwright_graph._wording import NO_NAMES, Names, cell_text, element_text, name_text

_COLOURS = (BLUE, GREEN, YELLOW, PURPLE, RED, TEAL, PINK, GREY)
"""The first labels in alphabetical order get the first colours."""

_TEXT_WIDTH = 150.0
_PAD_X, _PAD_Y = 11.0, 7.0


def svg(subgraph: Subgraph, centre: Node, names: Names = NO_NAMES) -> str:
    """A part of a graph as an SVG document, ending in a newline; the same part always gives the same text.

    The centre has a thicker outline. Boxes are coloured by label, show the name above the key, and all properties on
    hover; edges show their type. Edges with an end outside the part are left out.
    """
    drawn = picture(subgraph, centre, names)
    labels = Counter(node.label for node in _nodes(subgraph, centre))
    counts = f"{many(labels.total(), 'node')}, {many(sum(edge.source != '' for edge in drawn.edges), 'edge')}"
    if subgraph.truncated:
        counts += "; there are more than are shown"
    kinds = _kinds(labels)
    looks = {kind: _COLOURS[i % len(_COLOURS)] for i, kind in enumerate(kinds.values())}
    legend = [LegendItem(kind, f"{label} ({labels[label]:,})", "round") for label, kind in kinds.items()]
    prefix = "gw-" + hashlib.sha256(f"{drawn}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    heading = Heading(f"Around {name_text(centre, names=names)}", Text(counts, "text"), f"A graph of {counts}.", prefix)
    return picture_svg(drawn, heading, looks, legend)


def picture(subgraph: Subgraph, centre: Node, names: Names = NO_NAMES) -> Picture:
    """Lay out a part of a graph, the centre first: every node once, and every edge between two of them."""
    nodes = _nodes(subgraph, centre)
    kinds = _kinds(node.label for node in nodes)
    ids = {(node.label, node.key): f"{i}" for i, node in enumerate(nodes)}
    kept = [
        (ids[edge.from_label, edge.from_key], ids[edge.to_label, edge.to_key], edge)
        for edge in sorted(subgraph.edges, key=lambda edge: edge.identity)
        if (edge.from_label, edge.from_key) in ids and (edge.to_label, edge.to_key) in ids
    ]
    boxes = [_box(id, node, kinds[node.label], names) for id, node in zip(ids.values(), nodes, strict=True)]
    boxes[0] = replace(boxes[0], kind=f"{boxes[0].kind} gw-centre")
    far = _distances([box.id for box in boxes], kept)
    edges = []
    for source, target, edge in kept:
        # Every edge is laid out from the farther to the nearer node, and turned afterwards.
        ends, style = ((target, source), "outwards") if far[source] < far[target] else ((source, target), "inwards")
        edges.append(Edge(*ends, style, texts(edge.type, "text", _TEXT_WIDTH), element_text(edge)))
    found = arranged(boxes, edges, around=True)
    return replace(found, edges=tuple(_turned(edge) if edge.style == "outwards" else edge for edge in found.edges))


def _nodes(subgraph: Subgraph, centre: Node) -> list[Node]:
    """Every node once, the centre first and the others by their names."""
    found = {node.identity: node for node in (*subgraph.nodes, centre)}
    return sorted(found.values(), key=lambda node: (node.identity != centre.identity, node.identity))


def _distances(ids: Sequence[str], edges: Sequence[tuple[str, str, GraphEdge]]) -> dict[str, int]:
    """The position of each box in a breadth-first search from the first box: nearer boxes have lower numbers."""
    beside: dict[str, list[str]] = {id: [] for id in ids}
    for source, target, _ in edges:
        beside[source].append(target)
        beside[target].append(source)
    far: dict[str, int] = {}
    for start in ids:
        queue = [start]
        for id in queue:
            if id not in far:
                far[id] = len(far)
                queue += beside[id]
    return far


def _turned(edge: Edge) -> Edge:
    """An edge that was laid out against its direction; the trunk of several edges has no arrow."""
    if not edge.source:
        return replace(edge, arrow=False)
    return replace(edge, source=edge.target, target=edge.source, points=edge.points[::-1], arrow=True)


def _kinds(labels: Iterable[str]) -> dict[str, str]:
    """The name of the style of each label, in their order."""
    return {label: f"label{i}" for i, label in enumerate(sorted(set(labels)))}


def _box(id: str, node: Node, kind: str, names: Names) -> Box:
    """A node as a box: its name in two lines, and its key below."""
    name, key = names.get((node.label, node.key), ""), cell_text(node.key)
    lines = texts(name or key, "title", _TEXT_WIDTH, 2) or (Text(" ", "title"),)
    if name:
        lines += texts(key, "code", _TEXT_WIDTH)
    width = max(46.0, *(line.width for line in lines)) + 2 * _PAD_X
    height = sum(line.height for line in lines) + 2 * _PAD_Y
    return Box(id, kind, "round", width, height, lines, element_text(node))
