"""Pictures of a part of a graph: readable, self-contained, the same each time, whatever the graph holds."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.graphstore.elements import Edge, Node, Subgraph
from graphwright.graphstore.picture import svg

NS = "{http://www.w3.org/2000/svg}"


def edge(source: Node, type: str, target: Node) -> Edge:
    return Edge(source.label, source.key, type, target.label, target.key)


TICKETS = [Node("Ticket", f"T-{n}", {"title": f"Ticket number {n}"}) for n in (1, 2)]
ANN = Node("User", "ann", {"name": "Ann Müller"})
TEAM = Node("Team", "facilities")
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
    return [text.text or "" for text in ET.fromstring(picture).iter(f"{NS}text") if text.get("class") == f"gwg-{kind}"]


def rects(picture: str, parent: str = "") -> list[tuple[float, float, float, float]]:
    """The boxes of nodes, without those of the legend: left, top, right, bottom."""
    drawing = next(g for g in ET.fromstring(picture).iter(f"{NS}g") if g.get("transform"))
    found = [rect for rect in drawing.iter(f"{NS}rect") if rect.get("class") == "gwg-box"]
    sides = [[float(rect.get(name, "")) for name in ("x", "y", "width", "height")] for rect in found]
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


def test_nodes_edges_and_labels_are_named() -> None:
    picture = svg(SMALL, TICKETS[0])
    assert sorted(texts(picture, "title")) == ["Ann Müller", "Ticket number 1", "Ticket number 2", "facilities"]
    assert sorted(texts(picture, "key")) == ["T-1", "T-2", "ann"]
    assert sorted(texts(picture, "type")) == sorted(edge.type for edge in SMALL.edges)
    assert texts(picture, "faint") == ["4 nodes, 7 edges", "Team (1)", "Ticket (2)", "User (1)"]
    assert texts(picture, "name") == ["Around Ticket T-1"]
    assert picture.count('class="gwg-tip"') == len(SMALL.edges)
    assert picture.count("gwg-centre") == 2  # the style, and the one box
    assert "Ticket T-1 -[BLOCKS]-&gt; Ticket T-2" in picture


def test_the_same_graph_gives_the_same_picture_whatever_its_order() -> None:
    turned = Subgraph(SMALL.nodes[::-1], SMALL.edges[::-1])
    assert svg(turned, TICKETS[0]) == svg(SMALL, TICKETS[0])
    assert svg(SMALL, ANN) != svg(SMALL, TICKETS[0])


def test_edges_between_the_same_nodes_lie_apart() -> None:
    paths = re.findall(r'class="gwg-line" d="([^"]+)"', svg(SMALL, TICKETS[0]))
    assert len(set(paths)) == len(SMALL.edges)


def test_no_label_of_a_loop_hides_a_loop() -> None:
    loops = tuple(edge(TICKETS[0], type, TICKETS[0]) for type in ("A_RATHER_LONG_TYPE", "B", "FOLLOWS", "REPEATS"))
    picture = svg(Subgraph((TICKETS[0],), loops), TICKETS[0])
    labels = re.findall(r'gwg-halo" x="([^"]+)" y="([^"]+)" \nwidth="([^"]+)" height="([^"]+)"', picture)
    curves = [list(map(float, re.findall(r"-?[\d.]+", d))) for d in re.findall(r'gwg-line" d="([^"]+)"', picture)]
    assert (len(labels), len(curves)) == (4, 4)
    for x, y, width, height in (tuple(map(float, label)) for label in labels):
        for ax, ay, bx, by, cx, cy, dx, dy in curves:
            for part in (step / 100 for step in range(101)):
                weights = [(1 - part) ** 3, 3 * part * (1 - part) ** 2, 3 * part**2 * (1 - part), part**3]
                at_x = sum(w * p for w, p in zip(weights, (ax, bx, cx, dx), strict=True))
                at_y = sum(w * p for w, p in zip(weights, (ay, by, cy, dy), strict=True))
                assert not (x < at_x < x + width and y < at_y < y + height)


def test_a_key_stands_there_as_it_is() -> None:
    for key in ("<b>&\"'", '"quoted"', "back\\slash"):
        assert texts(svg(Subgraph((Node("A", key),)), Node("A", key)), "title") == [key]
        named = Node("A", key, {"name": "x"})
        assert texts(svg(Subgraph((named,)), named), "key") == [key]


def test_labels_that_share_colours_differ_in_their_outlines() -> None:
    nodes = tuple(Node(f"L{number:02}", "k") for number in range(32))
    picture = svg(Subgraph(nodes), nodes[0])
    looks = re.findall(r'<g class="(gwg-\d[^"]*)">\n<rect', picture)
    assert (len(looks), len(set(looks))) == (32, 32)
    for look in {word for each in looks for word in each.split()}:
        assert f".{look} .gwg-box{{" in picture


@pytest.mark.parametrize(("count", "more", "hub"), [(1, 0, 0), (25, 12, 0), (60, 0, 50), (150, 60, 12)])
def test_no_box_stands_on_another_one_or_outside_of_the_page(count: int, more: int, hub: int) -> None:
    part = grown(count, more, hub)
    picture = svg(part, part.nodes[0])
    boxes = rects(picture)
    assert len(boxes) == count
    for number, a in enumerate(boxes):
        for b in boxes[number + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    root = ET.fromstring(picture)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    shift = next(g.get("transform", "") for g in root.iter(f"{NS}g") if g.get("transform"))
    dx, dy = map(float, re.findall(r"-?[\d.]+", shift))
    assert all(a >= -dx and c <= width - dx and b >= -dy and d <= height - dy for a, b, c, d in boxes)


def test_every_edge_has_a_line_and_a_type_in_a_large_picture() -> None:
    part = grown(150, 60, 12)
    picture = svg(part, part.nodes[0])
    assert len(texts(picture, "type")) == len(part.edges) == picture.count('class="gwg-line"')


def test_a_picture_says_when_it_does_not_show_all() -> None:
    assert "more than are shown" in svg(Subgraph((ANN,), (), truncated=True), ANN)
    # An edge that leads out of the part has nothing to end at.
    assert svg(Subgraph((ANN,), (edge(ANN, "REPORTS", TICKETS[0]),)), ANN) == svg(Subgraph((ANN,), ()), ANN)


odd = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40) | st.sampled_from(
    ["<script>alert(1)</script>", "]]>", "&lt;", "\"'", "\0\x01\x1b", "\ufffe", "\u202e", "W" * 5000, "灯" * 50]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(odd, min_size=1, max_size=4, unique=True), odd)
def test_whatever_a_graph_holds_the_picture_is_one_harmless_file(keys: list[str], value: str) -> None:
    nodes = [Node("A", key, {"name": value, "x": [value]}) for key in keys]
    part = Subgraph(tuple(nodes), tuple(edge(nodes[0], "R", node) for node in nodes))
    picture = svg(part, nodes[0])
    tags = {element.tag.removeprefix(NS) for element in ET.fromstring(picture).iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "text", "g", "path"}
    assert len(rects(picture)) == len(nodes)
    outside = picture.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(?:href|src|url\()", re.sub(r"<(?:title|text|desc)[^<]*<", "", outside))
