"""Pictures of a part of a graph: readable, self-contained, deterministic, for any contents of the graph."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing_support import faults
from graphwright_graph._elements import Edge, Node, Subgraph
from graphwright_graph._picture import picture, svg

NS = "{http://www.w3.org/2000/svg}"


def edge(source: Node, type: str, target: Node) -> Edge:
    return Edge(source.label, source.key, type, target.label, target.key)


TICKETS = [Node("Ticket", f"T-{n}", {"title": f"Ticket number {n}"}) for n in (1, 2)]
ANN = Node("User", "ann", {"name": "Ann Müller"})
TEAM = Node("Team", "facilities")
NAMES = {("Ticket", "T-1"): "Ticket number 1", ("Ticket", "T-2"): "Ticket number 2", ("User", "ann"): "Ann Müller"}
SMALL = Subgraph(
    (*TICKETS, ANN, TEAM),
    (
        edge(TICKETS[0], "BLOCKS", TICKETS[1]),
        edge(TICKETS[1], "NEEDS", TICKETS[0]),
        edge(TICKETS[0], "COPIES", TICKETS[1]),
        edge(TICKETS[0], "REPEATS", TICKETS[0]),
        edge(TICKETS[0], "FOLLOWS", TICKETS[0]),
        edge(ANN, "REPORTS", TICKETS[0]),
        edge(ANN, "MEMBER_OF", TEAM),
    ),
)


def grown(count: int, more: int, hub: int) -> Subgraph:
    chance = random.Random(count)
    nodes = [
        Node(chance.choice(["Part", "Plant", "Site"]), f"k{n}", {"name": f"A part called {n}"}) for n in range(count)
    ]
    edges = {}
    for n in range(1, count):
        one = edge(nodes[n], "PART_OF", nodes[0 if n < hub else chance.randrange(n)])
        edges[one.identity] = one
    for _ in range(more):
        one = edge(chance.choice(nodes), "SUPPLIES", chance.choice(nodes))
        edges[one.identity] = one
    return Subgraph(tuple(nodes), tuple(edges.values()))


def texts(picture: str, kind: str) -> list[str]:
    """The texts of one kind: of boxes (title, code), of edges and of the legend (text), the name of the page."""
    found = (text for text in ET.fromstring(picture).iter(f"{NS}text") if kind in text.get("class", "").split())
    return [text.text or "" for text in found]


def test_nodes_edges_and_labels_are_named() -> None:
    drawn = svg(SMALL, TICKETS[0], NAMES)
    assert sorted(texts(drawn, "gw-title")) == ["Ann Müller", "Ticket number 1", "Ticket number 2", "facilities"]
    assert sorted(texts(drawn, "gw-code")) == ["T-1", "T-2", "ann"]
    legend = ["4 nodes, 7 edges", "Team (1)", "Ticket (2)", "User (1)"]
    assert sorted(texts(drawn, "gw-text")) == sorted([*legend, *(edge.type for edge in SMALL.edges)])
    assert texts(drawn, "gw-name") == ['Around Ticket T-1 "Ticket number 1"']
    # It depends on the centre and not on the order of the elements.
    turned = Subgraph(SMALL.nodes[::-1], SMALL.edges[::-1])
    assert svg(turned, TICKETS[0], NAMES) == drawn != svg(SMALL, ANN, NAMES)
    assert len(set(re.findall(r'class="gw-line" d="([^"]+)"', drawn))) == len(SMALL.edges)
    assert "more than are shown" in svg(Subgraph((ANN,), (), truncated=True), ANN)
    # An edge that leaves the part has nowhere to end.
    assert svg(Subgraph((ANN,), (edge(ANN, "REPORTS", TICKETS[0]),)), ANN) == svg(Subgraph((ANN,), ()), ANN)


@pytest.mark.parametrize(
    ("count", "more", "hub"),
    [
        *((1, 0, 0), (12, 30, 3), (25, 12, 0), (60, 0, 50)),
        pytest.param(150, 60, 12, marks=pytest.mark.slow),
        pytest.param(300, 60, 20, marks=pytest.mark.slow),
    ],
)
def test_nothing_overlaps_and_no_edge_runs_through_a_box(count: int, more: int, hub: int) -> None:
    part = grown(count, more, hub)
    drawn = picture(part, part.nodes[0], {(n.label, n.key): str(n.properties["name"]) for n in part.nodes})
    assert list(faults(drawn)) == []
    assert len(drawn.boxes) == count
    assert sum(bool(edge.source) for edge in drawn.edges) == len(part.edges)


odd = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40) | st.sampled_from(
    ["<script>alert(1)</script>", "]]>", "&lt;", "\"'", "\0\x01\x1b", "\ufffe", "\u202e", "W" * 5000, "灯" * 50]
)


@settings(max_examples=25)
@given(st.lists(odd, min_size=1, max_size=4, unique=True), odd)
def test_any_graph_gives_a_harmless_svg(keys: list[str], value: str) -> None:
    nodes = [Node("A", key, {"name": value, "x": [value]}) for key in keys]
    part = Subgraph(tuple(nodes), tuple(edge(nodes[0], "R", node) for node in nodes))
    drawn = svg(part, nodes[0], {("A", key): value for key in keys})
    tags = {element.tag.removeprefix(NS) for element in ET.fromstring(drawn).iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "text", "g", "path"}
    assert drawn.count('class="gw-label0') == len(nodes) + 1  # one in the legend
    outside = drawn.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(?:href|src|url\()", re.sub(r"<(?:title|text|desc)[^<]*<", "", outside))
