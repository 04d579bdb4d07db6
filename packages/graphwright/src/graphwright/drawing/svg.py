"""A picture as one self-contained SVG without scripts, fonts, images or links; readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphwright.drawing._text_metrics import text_width
from graphwright.drawing.picture import FONT_SIZES, SLANT, Box, Edge, Picture, Point, Shape, Text, text_box
from graphwright.text.sentences import one_line

__all__ = ["BLUE", "YELLOW", "GREEN", "PURPLE", "GREY", "RED", "TEAL", "PINK", "Heading", "LegendItem", "picture_svg"]

_PAGE_EDGE = 28.0
"""The margin of the page, in pixels."""

_TITLE, _HEAD = 20.0, 62.0
_LEGEND_ROW, _SYMBOL, _LEGEND_GAP = 26.0, 34.0, 22.0
_TIP = 7.0
_SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a kind of box: fill and outline on a light and on a dark page."""

    fill: str
    stroke: str
    dark_fill: str
    dark_stroke: str


BLUE = Look("#e3f1fd", "#1f6fbf", "#12304d", "#5aa9ee")
YELLOW = Look("#fdf3d0", "#9a6c00", "#3d3108", "#d9a83a")
GREEN = Look("#e0f5e4", "#23803a", "#123820", "#52b96c")
PURPLE = Look("#f3eafd", "#7a48c8", "#2f2148", "#b18cf0")
GREY = Look("#e9ecf0", "#56606b", "#2a3038", "#99a3ae")
RED = Look("#fde6e6", "#bf3030", "#461a1a", "#f07a7a")
TEAL = Look("#dff5f4", "#0f7f7a", "#0c3836", "#45bdb6")
PINK = Look("#fce8f3", "#b0307f", "#43152f", "#ea78b9")


@dataclass(frozen=True, slots=True)
class Heading:
    """The description of a page: `title` and `below` are visible, `description` is for screen readers.

    Ids of elements begin with `prefix`, so that several pictures can share a page.
    """

    title: str
    below: Text
    description: str
    prefix: str


@dataclass(frozen=True, slots=True)
class LegendItem:
    """A symbol and its meaning: the box of a kind, or without a shape the line of an edge's style."""

    name: str
    text: str
    shape: Shape | None = None


def picture_svg(
    picture: Picture, heading: Heading, looks: Mapping[str, Look], legend: Sequence[LegendItem], rules: str = ""
) -> str:
    """The picture below its heading and above its legend, as an SVG document that ends in a newline.

    `looks` are the styles of the kinds of box, `rules` further ones of the style sheet. The same picture always gives
    the same text.
    """
    room = max(picture.width, text_width(heading.title, _TITLE, bold=True), 420.0)
    foot = _legend(legend, room).moved(0.0, picture.height + _PAGE_EDGE)
    width, height = room + 2 * _PAGE_EDGE, _HEAD + _PAGE_EDGE + foot.height + _PAGE_EDGE / 2
    size = f'width="{_number(width)}" height="{_number(height)}"'
    title_id, description_id = f"{heading.prefix}-title", f"{heading.prefix}-desc"
    view = f'viewBox="0 0 {_number(width)} {_number(height)}" role="img" aria-labelledby="{title_id} {description_id}"'
    below = f'class="gw-{heading.below.style}" x="{_number(_PAGE_EDGE)}" y="56"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gw" {size} {view}>',
        f'<title id="{title_id}">{_escaped(heading.title)}</title>',
        f'<desc id="{description_id}">{_escaped(heading.description)}</desc>',
        f"<style>{_sheet(looks)}{rules}</style>",
        f'<rect class="gw-page" {size}/>',
        f'<text class="gw-name" x="{_number(_PAGE_EDGE)}" y="38">{_escaped(heading.title)}</text>',
        f"<text {below}>{_escaped(heading.below.text)}</text>",
        f'<g transform="translate({_number(_PAGE_EDGE)} {_number(_HEAD + _PAGE_EDGE)})">',
        *_picture(picture),
        '<g class="gw-legend">',
        *_picture(foot),
        "</g>\n</g>\n</svg>\n",
    ]
    return "\n".join(lines)


def _legend(legend: Sequence[LegendItem], room: float) -> Picture:
    """The symbols and their texts, in as many rows as they need."""
    boxes: list[Box] = []
    edges: list[Edge] = []
    x = y = 0.0
    for item in legend:
        text = Text(item.text, "text")
        if x and x + _SYMBOL + text.width > room:
            x, y = 0.0, y + _LEGEND_ROW
        if item.shape:
            boxes.append(Box("", item.name, item.shape, 26.0, 14.0, x=x, y=y))
        else:
            points = ((x, y + 7), (x + 26, y + 7))
            edges.append(Edge("", "", item.name, points=points, arrow=False, course="sideways"))
        boxes.append(text_box((text,), x + _SYMBOL, y))
        x += _SYMBOL + text.width + _LEGEND_GAP
    return Picture(room, y + _LEGEND_ROW, tuple(boxes), tuple(edges))


def _number(value: float) -> str:
    """A number with at most one decimal."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def _escaped(text: str) -> str:
    """Text, or the value of an attribute, as XML; control characters, which XML does not allow, become spaces."""
    return "\n".join(one_line(line, len(line)) for line in text.splitlines()).translate(_ENTITIES)


def _picture(picture: Picture) -> Iterator[str]:
    for box in picture.boxes:
        if box.shape in ("frame", "group"):
            yield from _border(box)
    for edge in picture.edges:
        yield from _edge(edge)
    # Labels and boxes come last, so that nothing is drawn over a text.
    for edge in picture.edges:
        yield from _label(edge)
    for box in picture.boxes:
        if box.shape not in ("frame", "group"):
            yield from _box(box)


def _border(box: Box) -> Iterator[str]:
    """The border around an inner picture, with its heading, or around other boxes, with a name above it."""
    yield f'<g class="gw-{box.shape}"{_attributes(box)}>{_about(box)}'
    yield f'<rect {_rect(*box.rect)} rx="10"{_tint(box.colour)}/>'
    places = [(14, 21), (14, 36)] if box.shape == "frame" else [(3, -3)]
    for line, (dx, dy) in zip(box.lines, places, strict=False):
        at = f'x="{_number(box.x + dx)}" y="{_number(box.y + dy)}"'
        yield f'<text class="gw-{line.style}" {at}>{_escaped(line.text)}</text>'
    yield "</g>"
    if box.inner:
        x, y = box.inner_at
        yield f'<g transform="translate({_number(x)} {_number(y)})">'
        yield from _picture(box.inner)
        yield "</g>"


def _box(box: Box) -> Iterator[str]:
    opening, closing = (f'<a href="#{box.href}">', "</a>") if box.href else ("", "")
    yield f'{opening}<g class="gw-{box.kind}"{_attributes(box)}>{_about(box)}'
    yield _outline(box)
    height = sum(line.height for line in box.lines)
    at_left = box.shape == "none"
    yield from _texts(box.lines, (box.x if at_left else box.middle[0], box.middle[1] - height / 2), at_left=at_left)
    yield f"</g>{closing}"


def _outline(box: Box) -> str:
    x, y, width, height = box.rect
    right, bottom, (centre, middle), tint = x + width, y + height, box.middle, _tint(box.colour)
    match box.shape:
        case "none":
            return ""
        case "slanted":
            lean = min(SLANT, width / 5)
            corners = [(x + lean, y), (right, y), (right - lean, bottom), (x, bottom)]
        case "diamond":
            corners = [(centre, y), (right, middle), (centre, bottom), (x, middle)]
        case "dot" | "ring":
            at = f'cx="{_number(centre)}" cy="{_number(middle)}"'
            if box.shape == "dot":
                return f'<circle class="gw-shape" {at} r="{_number(width / 2)}"/>'
            inner = f'<circle class="gw-dot" {at} r="{_number(width / 4)}"/>'
            return f'<circle class="gw-ring" {at} r="{_number(width / 2)}"/>{inner}'
        case _:
            radius = {"pill": height / 2, "round": min(8.0, height / 3)}.get(box.shape, 3.0)
            whole = f'<rect class="gw-shape" {_rect(*box.rect)} rx="{_number(radius)}"{tint}/>'
            if box.shape != "double":
                return whole
            bars = "".join(f"M{_number(at)} {_number(y)}V{_number(bottom)}" for at in (x + 5, right - 5))
            return f'{whole}<path class="gw-shape" d="{bars}"{tint}/>'
    return f'<path class="gw-shape" d="M{_points(corners)}Z" stroke-linejoin="round"{tint}/>'


def _edge(edge: Edge) -> Iterator[str]:
    stroke = f' style="stroke:{edge.colour}"' if edge.colour else ""
    points, head = list(edge.points), ""
    if edge.arrow:
        (dx, dy), (x, y) = _heading(edge), points[-1]
        # The line ends inside of its arrow, otherwise it would make the tip blunt.
        points[-1] = x - dx * (_TIP - 1), y - dy * (_TIP - 1)
        back_x, back_y, half = x - dx * _TIP, y - dy * _TIP, _TIP * 0.55
        corners = [(x, y), (back_x - dy * half, back_y + dx * half), (back_x + dy * half, back_y - dx * half)]
        fill = f' style="fill:{edge.colour}"' if edge.colour else ""
        head = f'<path class="gw-tip" d="M{_points(corners)}Z"{fill}/>'
    path = "".join([f"M{_points(points[:1])}", *(_piece(edge, *ends) for ends in pairwise(points))])
    line = f'<path class="gw-line" d="{path}"{stroke}/>'
    yield f'<g class="gw-way gw-{edge.style}">{_about(edge)}{line}{head}</g>'


def _heading(edge: Edge) -> Point:
    """The direction in which an edge arrives, as a vector of one pixel."""
    (before_x, before_y), (x, y) = edge.points[-2:]
    if edge.course == "loop":
        return (0.0, -1.0) if before_y == y else (-1.0, 0.0)
    if edge.course == "sideways":
        return (1.0 if x >= before_x else -1.0), 0.0
    return 0.0, (1.0 if y >= before_y else -1.0)


def _piece(edge: Edge, start: Point, end: Point) -> str:
    """The path from one point of an edge to the next, with a gap at the label."""
    (x, y), (to_x, to_y) = start, end
    if edge.course == "loop":
        far = max(x, to_x) + 24
        bends = [(x - 4, y + 24), (to_x + 4, y + 24)] if y == to_y else [(far, y - 4), (far, to_y + 4)]
    elif abs(y - to_y if edge.course == "sideways" else x - to_x) < 0.05:
        return f"{'M' if _is_gap(edge, start, end) else 'L'}{_points([end])}"
    elif edge.course == "sideways":
        bends = [((x + to_x) / 2, y), ((x + to_x) / 2, to_y)]
    else:
        bends = [(x, (y + to_y) / 2), (to_x, (y + to_y) / 2)]
    return "C" + " ".join(f"{_number(a)} {_number(b)}" for a, b in (*bends, end))


def _is_gap(edge: Edge, start: Point, end: Point) -> bool:
    """Whether the label is exactly between the two points."""
    if edge.label is None:
        return False
    along = 0 if edge.course == "sideways" else 1
    half = edge.label_size[along] / 2
    return all(abs(abs(point[along] - edge.label[along]) - half) < 0.05 for point in (start, end))


def _label(edge: Edge) -> Iterator[str]:
    if edge.label is None:
        return
    rect = edge.label_rect
    yield f'<g class="gw-label gw-{edge.style}">{_about(edge)}'
    if edge.course != "loop" and not any(_is_gap(edge, *ends) for ends in pairwise(edge.points)):
        yield f'<rect {_rect(*rect)} rx="4"/>'
    yield from _texts(edge.lines, (edge.label[0], rect[1] + 1))
    yield "</g>"


def _about(element: Box | Edge) -> str:
    return f"<title>{_escaped(element.about)}</title>" if element.about else ""


def _texts(lines: Sequence[Text], top: Point, *, at_left: bool = False) -> Iterator[str]:
    """Lines of text below each other, centred at x or beginning there."""
    x, y = top
    for line in lines:
        style = f"gw-{line.style}" if at_left else f"gw-{line.style} gw-mid"
        at = f'x="{_number(x)}" y="{_number(y + line.height * 0.74)}"'
        yield f'<text class="{style}" {at}>{_escaped(line.text)}</text>'
        y += line.height


def _attributes(box: Box) -> str:
    return "".join(f' {name}="{_escaped(value)}"' for name, value in box.attributes)


def _rect(x: float, y: float, width: float, height: float) -> str:
    return f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'


def _points(points: Iterable[Point]) -> str:
    return "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _tint(colour: str) -> str:
    """The colour that an editor chose, transparent enough for text on it to be readable."""
    return f' style="stroke:{colour};fill:{colour};fill-opacity:.14"' if colour else ""


def _sheet(looks: Mapping[str, Look]) -> str:
    """The style of boxes and edges; every class begins with `gw`."""
    light = {kind: (look.fill, look.stroke) for kind, look in looks.items()}
    dark = {kind: (look.dark_fill, look.dark_stroke) for kind, look in looks.items()}
    return (
        f".gw text{{font-family:{_SANS};font-size:{FONT_SIZES['text']:g}px}}"
        f".gw .gw-name{{font-size:{_TITLE:g}px;font-weight:600}}"
        f".gw .gw-title{{font-size:{FONT_SIZES['title']:g}px;font-weight:600}}"
        f".gw .gw-code{{font-family:{_MONO};font-size:{FONT_SIZES['code']:g}px}}"
        ".gw .gw-mid{text-anchor:middle}.gw-shape{stroke-width:1.4}.gw-frame rect{stroke-width:1.2}"
        ".gw-line{fill:none;stroke-width:1.4}.gw-centre .gw-shape{stroke-width:3}"
        ".gw-line.gw-else,.gw-else .gw-line{stroke-dasharray:7 4}"
        ".gw-line.gw-jump,.gw-jump .gw-line{stroke-dasharray:1.5 4;stroke-linecap:round;stroke-width:1.7}"
        ".gw-exit .gw-ring{fill:none;stroke-width:1.6}"
        ".gw-anywhere .gw-shape,.gw-to .gw-shape{stroke-dasharray:3 3;stroke-width:1.1}"
        ".gw-group rect{fill:none;stroke-dasharray:5 4}.gw-group text{stroke-width:3px;paint-order:stroke}"
        + _theme(("#ffffff", "#1c2127", "#525c67", "#68727d", "#b4470f", PURPLE.stroke), light)
        + "@media (prefers-color-scheme:dark){"
        + _theme(("#11151a", "#e8edf2", "#a3adb8", "#8a95a1", "#f0954f", PURPLE.dark_stroke), dark)
        + "}"
    )


def _theme(colours: tuple[str, ...], kinds: Mapping[str, tuple[str, str]]) -> str:
    page, ink, faint, line, jump, frame = colours
    rules = [f".gw-page{{fill:{page}}}.gw-name,.gw-title{{fill:{ink}}}.gw-text,.gw-code{{fill:{faint}}}"]
    rules += [f".gw-line{{stroke:{line}}}.gw-tip{{fill:{line}}}"]
    rules += [f".gw-line.gw-jump,.gw-jump .gw-line{{stroke:{jump}}}", f".gw-jump .gw-tip,.gw-jump text{{fill:{jump}}}"]
    rules += [f".gw-{kind} .gw-shape{{fill:{fill};stroke:{stroke}}}" for kind, (fill, stroke) in kinds.items()]
    rules.append(f".gw-frame rect{{fill:{frame};fill-opacity:.05;stroke:{frame};stroke-opacity:.7}}")
    rules.append(f".gw-start .gw-shape{{fill:{line}}}.gw-exit .gw-ring{{stroke:{line}}}.gw-exit .gw-dot{{fill:{line}}}")
    rules.append(f".gw-anywhere .gw-shape,.gw-to .gw-shape{{fill:{page};stroke:{line}}}")
    rules.append(f".gw-group rect{{stroke:{line}}}.gw-group text{{stroke:{page}}}.gw-label rect{{fill:{page}}}")
    return "".join(rules)
