"""A flow as one self-contained SVG: no script, no font, no image, nothing fetched; readable on light and dark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from graphwright.flow.compiled import ROOT, CompiledFlow, Kind, Terminal
from graphwright.flow.drawing.boxes import Point
from graphwright.flow.drawing.lettering import number_text as _n
from graphwright.flow.drawing.lettering import text_width
from graphwright.flow.drawing.picture import Frame, Picture, Region, picture
from graphwright.flow.drawing.shapes import Line, Shape
from graphwright.flow.drawing.style import LEGEND_LINES, SHEET, legend_width, outline
from graphwright.flow.drawing.ways import Way
from graphwright.flow.drawing.wording import one_line, short

EDGE = 28.0
"""Pixels of empty page around everything."""

_TITLE, _HEAD = 20.0, 62.0
_ROW, _SYMBOL = 26.0, 34.0
_TIP = 7.0
_MOST_LISTED = 12


def svg(flow: CompiledFlow) -> str:
    """The flow as an SVG document, ending in a newline; the same flow always gives the same text.

    Every node is drawn once. A subgraph is a frame in the place of the call that leads to it; one that several calls
    lead to stands by itself, and the calls are links to it. Full texts appear when one points at something. Places,
    colours and groups in `ui` are kept: places in every graph in which all nodes have one, `colour` of nodes, edges
    and subgraphs, and `group`, a name, as an outline around the nodes that share it.
    """
    return "\n".join(_Writer(flow, picture(flow)).lines()) + "\n"


class _Writer:
    """Writes one picture. Ids begin with the flow's hash, so that several pictures can share a page."""

    def __init__(self, flow: CompiledFlow, drawn: Picture) -> None:
        self.flow = flow
        self.drawn = drawn
        self.prefix = f"gw-{flow.hash[:8]}"
        self.nodes = {id: f"{self.prefix}-n{i}" for i, id in enumerate(flow.nodes)}
        self.graphs = {id: f"{self.prefix}-g{i}" for i, id in enumerate(flow.graphs) if id != ROOT}

    def lines(self) -> Iterator[str]:
        flow, drawn = self.flow, self.drawn
        title = short(flow.title or flow.id, 120)
        items = self._legend_items()
        width = max(drawn.width, text_width(title, _TITLE, bold=True), 420.0) + 2 * EDGE
        rows = _rows(items, width - 2 * EDGE)
        height = _HEAD + EDGE + drawn.height + EDGE + _ROW * len(rows) + EDGE / 2
        size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
        names = f"{self.prefix}-title {self.prefix}-desc"
        yield f'<svg xmlns="http://www.w3.org/2000/svg" class="gw" {size} role="img" aria-labelledby="{names}">'
        yield f'<title id="{self.prefix}-title">{_text(title)}</title>'
        yield f'<desc id="{self.prefix}-desc">{_text(_description(flow))}</desc>'
        yield f"<style>{SHEET}</style>"
        yield f'<rect class="gw-page" width="{_n(width)}" height="{_n(height)}"/>'
        yield f'<text class="gw-name" x="{_n(EDGE)}" y="38">{_text(title)}</text>'
        if flow.title:
            yield f'<text class="gw-code" x="{_n(EDGE)}" y="56">{_text(short(flow.id, 120))}</text>'
        yield f'<g transform="translate({_n(EDGE)} {_n(_HEAD + EDGE)})">'
        for frame in drawn.frames:
            yield from self._frame(frame)
        for region in drawn.regions:
            yield from _region(region)
        for way in drawn.ways:
            yield from _way(way)
        # Labels and boxes come last: nothing may be drawn over a text.
        for way in drawn.ways:
            yield from _label(way)
        for shape in drawn.shapes:
            yield from self._shape(shape)
        yield "</g>"
        yield from _legend(rows, _HEAD + EDGE + drawn.height + EDGE)
        yield "</svg>"

    def _frame(self, frame: Frame) -> Iterator[str]:
        x, y, width, height = frame.rect
        marks = [f'id="{self.graphs[frame.graph]}"'] if frame.graph else [f'id="{self.nodes[frame.node]}"']
        marks += [f'data-graph="{_text(frame.graph)}"'] if frame.graph else []
        marks += [f'data-node="{_text(frame.node)}"'] if frame.node else []
        yield f'<g class="gw-frame" {" ".join(marks)}><title>{_text(frame.about)}</title>'
        yield f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="10"{_tint(frame.colour)}/>'
        title, below = _within(frame.title, 7.8, width - EDGE), _within(frame.below, 6.5, width - EDGE)
        yield f'<text class="gw-title" x="{_n(x + 14)}" y="{_n(y + 21)}">{_text(title)}</text>'
        yield f'<text class="gw-code" x="{_n(x + 14)}" y="{_n(y + 36)}">{_text(below)}</text>'
        yield "</g>"

    def _shape(self, shape: Shape) -> Iterator[str]:
        target = self.nodes.get(shape.leads_to) or self.graphs.get(shape.leads_to_graph)
        marks = f' id="{self.nodes[shape.node]}" data-node="{_text(shape.node)}"' if shape.node else ""
        opening, closing = (f'<a href="#{target}">', "</a>") if target else ("", "")
        yield f'{opening}<g class="gw-{shape.kind}"{marks}><title>{_text(shape.about)}</title>'
        yield outline(shape.kind, shape.rect, _tint(shape.colour))
        height = sum(line.height for line in shape.lines)
        x, y, width, high = shape.rect
        yield from _texts(shape.lines, (x + width / 2, y + (high - height) / 2))
        yield f"</g>{closing}"

    def _legend_items(self) -> list[str]:
        kinds = {node.kind for node in self.flow.nodes.values()}
        styles = {way.style for way in self.drawn.ways}
        return [kind.value for kind in Kind if kind in kinds] + [line for line in LEGEND_LINES if line in styles]


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


def _region(region: Region) -> Iterator[str]:
    x, y, width, height = region.rect
    yield f'<g class="gw-group"><title>{_text(f"group {region.name}")}</title>'
    yield f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="8"/>'
    name = _within(region.name, 6.5, max(width, 60.0))
    yield f'<text class="gw-text" x="{_n(x + 3)}" y="{_n(y - 3)}">{_text(name)}</text></g>'


def _way(way: Way) -> Iterator[str]:
    tip = _arrow(way) if way.arrow else ""
    title = f"<title>{_text(way.about)}</title>" if way.about else ""
    stroke = f' style="stroke:{way.colour}"' if way.colour else ""
    fill = f' style="fill:{way.colour}"' if way.colour else ""
    head = f'<path class="gw-tip" d="{tip}"{fill}/>' if tip else ""
    yield f'<g class="gw-way gw-{way.style}">{title}<path class="gw-line" d="{_course(way)}"{stroke}/>{head}</g>'


def _course(way: Way) -> str:
    """The path of a line; where there is an arrow it ends inside of that, and where its label stands it is broken."""
    points = list(way.points)
    if way.arrow:
        points[-1] = _behind(way, _TIP - 1)
    (x, y), *others = points
    path = [f"M{_n(x)} {_n(y)}"]
    for to_x, to_y in others:
        half_x, half_y = (x + to_x) / 2, (y + to_y) / 2
        if way.course == "loop":
            below = way.points[0][1] == way.points[1][1]
            reach = f"{_n(x - 4)} {_n(y + 24)} {_n(to_x + 4)} {_n(y + 24)}"
            aside = f"{_n(max(x, to_x) + 24)} {_n(y - 4)} {_n(max(x, to_x) + 24)} {_n(to_y + 4)}"
            path.append(f"C{reach if below else aside} {_n(to_x)} {_n(to_y)}")
        elif gap := _gap(way, (x, y), (to_x, to_y)):
            path.append("L{} {}M{} {}L{} {}".format(*map(_n, (*gap[0], *gap[1], to_x, to_y))))
        elif _straight(way, (x, y), (to_x, to_y)):
            path.append(f"L{_n(to_x)} {_n(to_y)}")
        elif way.course == "sideways":
            path.append(f"C{_n(half_x)} {_n(y)} {_n(half_x)} {_n(to_y)} {_n(to_x)} {_n(to_y)}")
        else:
            path.append(f"C{_n(x)} {_n(half_y)} {_n(to_x)} {_n(half_y)} {_n(to_x)} {_n(to_y)}")
        x, y = to_x, to_y
    return "".join(path)


def _straight(way: Way, start: Point, end: Point) -> bool:
    axis = 1 if way.course == "sideways" else 0
    return abs(start[axis] - end[axis]) < 0.05


def _gap(way: Way, start: Point, end: Point) -> tuple[Point, Point] | None:
    """Where a straight piece is interrupted by the label that stands on it."""
    if way.label is None or not _straight(way, start, end):
        return None
    along = 0 if way.course == "sideways" else 1
    half = way.label_size[along] / 2
    first, last = way.label[along] - half, way.label[along] + half
    low, high = sorted((start[along], end[along]))
    if abs(way.label[1 - along] - start[1 - along]) > 0.05 or first < low or last > high:
        return None
    if end[along] < start[along]:
        first, last = last, first
    return ((first, start[1]), (last, start[1])) if along == 0 else ((start[0], first), (start[0], last))


def _heading(way: Way) -> Point:
    """The direction in which a line arrives, one pixel long."""
    (before_x, before_y), (x, y) = way.points[-2:]
    if way.course == "loop":
        return (0.0, -1.0) if before_y == y else (-1.0, 0.0)
    if way.course == "sideways":
        return (1.0, 0.0) if x >= before_x else (-1.0, 0.0)
    return (0.0, 1.0) if y >= before_y else (0.0, -1.0)


def _behind(way: Way, pixels: float) -> Point:
    """The point so far before the end of a line."""
    (dx, dy), (x, y) = _heading(way), way.points[-1]
    return x - dx * pixels, y - dy * pixels


def _arrow(way: Way) -> str:
    (dx, dy), (x, y) = _heading(way), way.points[-1]
    back_x, back_y = _behind(way, _TIP)
    half = _TIP * 0.55
    corners = ((x, y), (back_x - dy * half, back_y + dx * half), (back_x + dy * half, back_y - dx * half))
    return "M" + "L".join(f"{_n(a)} {_n(b)}" for a, b in corners) + "Z"


def _label(way: Way) -> Iterator[str]:
    if way.label is None:
        return
    width, height = way.label_size
    x, y = way.label[0] - width / 2, way.label[1] - height / 2
    title = f"<title>{_text(way.about)}</title>" if way.about else ""
    yield f'<g class="gw-label gw-{way.style}">{title}'
    if way.course != "loop" and not any(_gap(way, start, end) for start, end in pairwise(way.points)):
        yield f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="4"/>'
    yield from _texts(way.lines, (way.label[0], y + 1))
    yield "</g>"


def _texts(lines: Sequence[Line], top: Point) -> Iterator[str]:
    """Lines of text below each other, in the middle of x."""
    x, y = top
    for line in lines:
        baseline = y + line.height * 0.74
        yield f'<text class="gw-{line.style} gw-mid" x="{_n(x)}" y="{_n(baseline)}">{_text(line.text)}</text>'
        y += line.height


def _rows(items: Sequence[str], room: float) -> list[list[tuple[str, float]]]:
    """The items of the legend with their x, in as many rows as they need."""
    rows: list[list[tuple[str, float]]] = [[]]
    x = 0.0
    for item in items:
        width = _SYMBOL + legend_width(item)
        if rows[-1] and x + width > room:
            rows.append([])
            x = 0.0
        rows[-1].append((item, x))
        x += width
    return rows


def _legend(rows: Sequence[Sequence[tuple[str, float]]], y: float) -> Iterator[str]:
    yield '<g class="gw-legend">'
    for row in rows:
        for item, left in row:
            x = EDGE + left
            if item in LEGEND_LINES:
                yield f'<path class="gw-line gw-{item}" d="M{_n(x)} {_n(y + 7)}h26"/>'
            else:
                yield f'<g class="gw-{item}">{outline(item, (x, y, 26.0, 14.0), "")}</g>'
            name = LEGEND_LINES.get(item, item)
            yield f'<text class="gw-text" x="{_n(x + _SYMBOL)}" y="{_n(y + 11)}">{_text(name)}</text>'
        y += _ROW
    yield "</g>"


def _tint(colour: str) -> str:
    """The colour that an editor chose, thin enough for any text to be read on it."""
    return f' style="stroke:{colour};fill:{colour};fill-opacity:.14"' if colour else ""


def _within(text: str, letter: float, room: float) -> str:
    return short(text, max(int(room / letter), 4))


_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def _text(text: str) -> str:
    """Text, or the value of an attribute, as XML; control characters, which XML does not allow, become spaces."""
    return "\n".join(one_line(line) for line in text.splitlines()).translate(_ENTITIES)
