"""The picture itself, as SVG: no script, no font, no image, nothing fetched; readable on light and dark."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from graphwright.flow.drawing.lettering import number_text as _n
from graphwright.flow.drawing.lettering import text_width
from graphwright.graphstore.elements import Node, Subgraph
from graphwright.graphstore.picture.boxes import KEY_HEIGHT, KEY_SIZE, TITLE_HEIGHT, TITLE_SIZE, Box, box_of
from graphwright.graphstore.picture.layout import Point, places
from graphwright.graphstore.picture.lines import LABEL_SIZE, Line, label_of, label_width, lines_of
from graphwright.graphstore.wording import name_text

_EDGE = 28.0
_HEAD = 58.0
_ROW = 24.0
_SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

_LIGHT = (
    ("#e3f1fd", "#1f6fbf"),
    ("#e0f5e4", "#23803a"),
    ("#fdf3d0", "#9a6c00"),
    ("#f3eafd", "#7a48c8"),
    ("#fde6e6", "#bf3030"),
    ("#dff5f4", "#0f7f7a"),
    ("#fce8f3", "#b0307f"),
    ("#e9ecf0", "#56606b"),
)
_DARK = (
    ("#12304d", "#5aa9ee"),
    ("#123820", "#52b96c"),
    ("#3d3108", "#d9a83a"),
    ("#2f2148", "#b18cf0"),
    ("#461a1a", "#f07a7a"),
    ("#0c3836", "#45bdb6"),
    ("#43152f", "#ea78b9"),
    ("#2a3038", "#99a3ae"),
)
"""Inside and outline of boxes; the first labels by their names get the first ones."""

_DASHES = ("7 3", "2 2.5", "9 2.5 2 2.5")
"""What the outline of a second, third and fourth label of the same colours is like, and of every fourth after them."""


def svg(subgraph: Subgraph, centre: Node) -> str:
    """A part of a graph as an SVG document, ending in a newline; the same part always gives the same text.

    The centre has a thicker outline. Boxes are coloured by label, show name, title or summary above the key, and tell
    all properties when one points at them; edges show their type. Edges whose ends are not in the part are left out.
    """
    return "\n".join(_Picture(subgraph, centre).lines()) + "\n"


class _Picture:
    """What is drawn, laid out. Ids and classes begin with a name of its own, so that several can share a page."""

    def __init__(self, subgraph: Subgraph, centre: Node) -> None:
        nodes = sorted({node.identity: node for node in (*subgraph.nodes, centre)}.values(), key=lambda n: n.identity)
        number = {(node.label, node.key): i for i, node in enumerate(nodes)}
        self.boxes = [box_of(node) for node in nodes]
        self.centre = number[(centre.label, centre.key)]
        edges = [
            (number[e.from_label, e.from_key], number[e.to_label, e.to_key], e)
            for e in sorted(subgraph.edges, key=lambda edge: edge.identity)
            if (e.from_label, e.from_key) in number and (e.to_label, e.to_key) in number
        ]
        sizes = [(box.width, box.height) for box in self.boxes]
        pairs = [(source, target) for source, target, _ in edges]
        at = places(sizes, pairs, [label_width(label_of(edge)) for _, _, edge in edges], self.centre)
        drawn = lines_of(edges, at, sizes)
        rects = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for (x, y), (w, h) in zip(at, sizes, strict=True)]
        rects += [line.label_rect for line in drawn]
        rects += [(x, y, x, y) for line in drawn for x, y in line.curve]
        left, top = min(rect[0] for rect in rects), min(rect[1] for rect in rects)
        self.size = max(rect[2] for rect in rects) - left, max(rect[3] for rect in rects) - top
        self.shift = -left, -top
        self.at, self.drawn = at, drawn
        self.labels = Counter(node.label for node in nodes)
        self.look = {label: _look(i) for i, label in enumerate(sorted(self.labels))}
        self.title = f"Around {name_text(centre)}"
        self.counts = f"{_many(len(nodes), 'node')}, {_many(len(edges), 'edge')}"
        if subgraph.truncated:
            self.counts += "; there are more than are shown"
        self.prefix = "gwg-" + hashlib.sha256(f"{nodes}{edges}{centre.identity}".encode()).hexdigest()[:8]

    def lines(self) -> Iterator[str]:
        room = max(self.size[0], text_width(self.title, 18, bold=True), 380.0)
        legend = list(_rows(self.labels, room))
        width = room + 2 * _EDGE
        foot = _HEAD + _EDGE + self.size[1] + _EDGE
        height = foot + _ROW * len(legend) + _EDGE / 2
        box = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
        names = f"{self.prefix}-title {self.prefix}-desc"
        yield f'<svg xmlns="http://www.w3.org/2000/svg" class="gwg" {box} role="img" aria-labelledby="{names}">'
        yield f'<title id="{self.prefix}-title">{_text(self.title)}</title>'
        yield f'<desc id="{self.prefix}-desc">{_text(f"A graph of {self.counts}.")}</desc>'
        yield f"<style>{_SHEET}</style>"
        yield f'<rect class="gwg-page" width="{_n(width)}" height="{_n(height)}"/>'
        yield f'<text class="gwg-name" x="{_n(_EDGE)}" y="36">{_text(self.title)}</text>'
        yield f'<text class="gwg-faint" x="{_n(_EDGE)}" y="54">{_text(self.counts)}</text>'
        x = _EDGE + self.shift[0] + (room - self.size[0]) / 2
        yield f'<g transform="translate({_n(x)} {_n(_HEAD + _EDGE + self.shift[1])})">'
        for line in self.drawn:
            yield from _curve(line)
        # Labels and boxes come last: nothing may be drawn over a text.
        for line in self.drawn:
            yield from _label(line)
        for number, shape in enumerate(self.boxes):
            yield from self._box(shape, self.at[number], centre=number == self.centre)
        yield "</g>"
        for row, items in enumerate(legend):
            for label, left in items:
                y = foot + row * _ROW
                yield f'<g class="{self.look[label]}">'
                yield f'<rect class="gwg-box" x="{_n(_EDGE + left)}" y="{_n(y)}" width="24" height="14" rx="4"/></g>'
                name = f"{label} ({self.labels[label]:,})"
                yield f'<text class="gwg-faint" x="{_n(_EDGE + left + 31)}" y="{_n(y + 11)}">{_text(name)}</text>'
        yield "</svg>"

    def _box(self, box: Box, at: Point, *, centre: bool) -> Iterator[str]:
        x, y = at[0] - box.width / 2, at[1] - box.height / 2
        marks = " gwg-centre" if centre else ""
        yield f'<g class="{self.look[box.node.label]}{marks}"><title>{_text(box.about)}</title>'
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(box.width)}" height="{_n(box.height)}"'
        yield f'<rect class="gwg-box" {size} rx="8"/>'
        line = y + box.top
        for text in box.titles:
            yield f'<text class="gwg-title" x="{_n(at[0])}" y="{_n(line + TITLE_HEIGHT * 0.76)}">{_text(text)}</text>'
            line += TITLE_HEIGHT
        if box.key:
            yield f'<text class="gwg-key" x="{_n(at[0])}" y="{_n(line + KEY_HEIGHT * 0.76)}">{_text(box.key)}</text>'
        yield "</g>"


def _curve(line: Line) -> Iterator[str]:
    start, *others = (f"{_n(x)} {_n(y)}" for x, y in line.curve)
    kind = "Q" if len(others) == 2 else "C"
    tip = "L".join(f"{_n(x)} {_n(y)}" for x, y in line.arrow)
    yield f'<g><title>{_text(line.about)}</title><path class="gwg-line" d="M{start}{kind}{" ".join(others)}"/>'
    yield f'<path class="gwg-tip" d="M{tip}Z"/></g>'


def _label(line: Line) -> Iterator[str]:
    left, top, right, bottom = line.label_rect
    yield f'<g><title>{_text(line.about)}</title><rect class="gwg-page gwg-halo" x="{_n(left)}" y="{_n(top)}" '
    yield f'width="{_n(right - left)}" height="{_n(bottom - top)}" rx="3"/>'
    x, y = line.label_at
    yield f'<text class="gwg-type" x="{_n(x)}" y="{_n(y + 3.6)}">{_text(line.label)}</text></g>'


def _rows(labels: Mapping[str, int], room: float) -> Iterator[Sequence[tuple[str, float]]]:
    """The items of the legend with their x, in as many rows as they need."""
    row: list[tuple[str, float]] = []
    x = 0.0
    for label in sorted(labels):
        width = 31 + text_width(f"{label} ({labels[label]:,})", 12) + 20
        if row and x + width > room:
            yield row
            row, x = [], 0.0
        row.append((label, x))
        x += width
    yield row


def _look(number: int) -> str:
    """The classes of a label's boxes: their colours and, where other labels have the same ones, their outline."""
    again, colours = divmod(number, len(_LIGHT))
    dashes = again % (len(_DASHES) + 1)
    return f"gwg-{colours}" + (f" gwg-again-{dashes}" if dashes else "")


def _theme(page: str, ink: str, faint: str, line: str, boxes: Sequence[tuple[str, str]]) -> str:
    rules = [f".gwg-page{{fill:{page}}}.gwg-name,.gwg-title{{fill:{ink}}}.gwg-faint,.gwg-key,.gwg-type{{fill:{faint}}}"]
    rules.append(f".gwg-line{{stroke:{line}}}.gwg-tip{{fill:{line}}}")
    rules += [f".gwg-{i} .gwg-box{{fill:{fill};stroke:{stroke}}}" for i, (fill, stroke) in enumerate(boxes)]
    return "".join(rules)


_SHEET = (
    f".gwg text{{font-family:{_SANS};font-size:12px}}"
    ".gwg .gwg-name{font-size:18px;font-weight:600}"
    f".gwg .gwg-title{{font-size:{TITLE_SIZE:g}px;font-weight:600;text-anchor:middle}}"
    f".gwg .gwg-key{{font-family:{_MONO};font-size:{KEY_SIZE:g}px;text-anchor:middle}}"
    f".gwg .gwg-type{{font-size:{LABEL_SIZE:g}px;text-anchor:middle}}"
    ".gwg-box{stroke-width:1.3}.gwg-centre .gwg-box{stroke-width:3}.gwg-line{fill:none;stroke-width:1.2}"
    ".gwg-halo{fill-opacity:.85}"
    + "".join(f".gwg-again-{i} .gwg-box{{stroke-dasharray:{dash}}}" for i, dash in enumerate(_DASHES, 1))
    + _theme("#ffffff", "#1c2127", "#525c67", "#7d8791", _LIGHT)
    + "@media (prefers-color-scheme:dark){"
    + _theme("#11151a", "#e8edf2", "#a3adb8", "#8a95a1", _DARK)
    + "}"
)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def _text(text: str) -> str:
    """Text as XML; what cannot be seen, or is not allowed in XML, becomes a blank."""
    return "".join(c if c.isprintable() else " " for c in text).translate(_ENTITIES)
