"""Shared by the tests of the pictures: a flow with everything that is drawn, and a check of the layout."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from graphwright.drawing.picture import Box, Edge, Picture, Point, Rect
from graphwright.flow import CompiledFlow, compile_text

FLOW = """
version: v1
id: flow.lights
title: Lights
on_stuck: t.human
state:
  offer: {type: object, properties: {price: {type: number}}}
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Which \\"kind\\" <b>?", schema: {enum: [led, other]},
     on_invalid: t.human, ui: {x: 11, y: 22, colour: red}}
  - {id: d, type: decision, label: Which way}
  - {id: sg, type: subgraph, ref: outer}
  - {id: make, type: action, run: make_offer, on_error: t.human}
  - {id: q.sure, type: question, key: sure, prompt: Sure?, read: confirm}
  - {id: send, type: action, run: send_offer, confirm: {by: q.sure, over: [offer]}}
  - {id: end, type: terminal, say: Bye}
  - {id: t.human, type: terminal}
edges:
  - {from: q.kind, to: d}
  - {from: d, to: sg, guard: "answers.kind == 'led'"}
  - {from: d, to: end, guard: else, label: anything else}
  - {from: sg, to: make}
  - {from: make, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: end, guard: else}
  - {from: send, to: end}
subgraphs:
  outer:
    title: The outer part
    nodes:
      - {id: q.watt, type: question, key: watt, prompt: Watt?}
      - {id: sg.in, type: subgraph, ref: inner}
    edges:
      - {from: q.watt, to: sg.in}
      - {from: sg.in, to: __exit__}
  inner:
    ui: {position: {x: 700, y: 5}}
    nodes:
      - {id: q.in, type: question, key: deep, prompt: Deep?}
    edges:
      - {from: q.in, to: __exit__}
"""


def compiled(text: str) -> CompiledFlow:
    compilation = compile_text(text)
    assert compilation.flow is not None, compilation.diagnostics
    return compilation.flow


def all_boxes(picture: Picture) -> Iterator[Box]:
    """Every box of a picture and of the pictures inside it."""
    for box in picture.boxes:
        yield box
        if box.inner:
            yield from all_boxes(box.inner)


def all_edges(picture: Picture) -> Iterator[Edge]:
    """Every edge of a picture and of the pictures inside it."""
    yield from picture.edges
    for box in picture.boxes:
        if box.inner:
            yield from all_edges(box.inner)


def faults(picture: Picture) -> Iterator[str]:
    """Overlapping, cut off and crossed elements."""
    boxes = [(f"box {box.id}", box.rect) for box in picture.boxes if box.shape != "group"]
    labels = [(f"label {edge.source}-{edge.target}", edge.label_rect) for edge in picture.edges if edge.label]
    for (name, a), (other, b) in combinations([*boxes, *labels], 2):
        if _overlap(a, b):
            yield f"{other} lies on {name}"
    page = (0.0, 0.0, picture.width, picture.height)
    yield from (f"{name} is cut off" for name, rect in [*boxes, *labels] if not _holds(page, rect))
    for edge in picture.edges:
        ends = (edge.source, edge.target)
        for box in (
            box for box in picture.boxes if box.id not in ends and box.shape != "group" and edge.course != "loop"
        ):
            x, y, width, height = box.rect
            if any(x < px < x + width and y < py < y + height for px, py in points_along(edge)):
                yield f"{edge.source}-{edge.target} runs through {box.id}"
    for box in picture.boxes:
        if box.inner:
            if not _holds(box.rect, (*box.inner_at, box.inner.width, box.inner.height)):
                yield f"frame {box.id} is too small"
            yield from faults(box.inner)


def points_along(edge: Edge) -> Iterator[Point]:
    """Points of an edge, close to each other."""
    for (ax, ay), (bx, by) in pairwise(edge.points):
        for i in range(1, 12):
            part = i / 12
            ease = part * part * (3 - 2 * part)
            even = 1.5 * part * (1 - part) ** 2 + 1.5 * part * part * (1 - part) + part**3
            across, down = (even, ease) if edge.course == "sideways" else (ease, even)
            yield ax + (bx - ax) * across, ay + (by - ay) * down


def _overlap(a: Rect, b: Rect) -> bool:
    return all(a[i] < b[i] + b[i + 2] - 0.01 and b[i] < a[i] + a[i + 2] - 0.01 for i in (0, 1))


def _holds(outer: Rect, inner: Rect) -> bool:
    return all(
        outer[i] - 0.01 <= inner[i] and inner[i] + inner[i + 2] <= outer[i] + outer[i + 2] + 0.01 for i in (0, 1)
    )
