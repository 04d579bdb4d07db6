"""The boxes of a picture: what stands in the box of a node, a call or a mark, and how large that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.flow.compiled import Action, Confirm, Decision, Node, Question, Terminal
from graphwright.flow.drawing.boxes import Box, Rect
from graphwright.flow.drawing.hints import colour_in, group_in
from graphwright.flow.drawing.lettering import text_width, wrapped
from graphwright.flow.drawing.wording import detail

TITLE_SIZE, TEXT_SIZE, CODE_SIZE = 13.0, 11.0, 10.5
"""The heights of letters, in pixels."""

TITLE_LINE, TEXT_LINE, CODE_LINE = 17.0, 14.5, 14.0
"""The heights of lines of them."""

SLANT = 12.0
"""How far the sides of a question lean, in pixels."""

_TEXT_WIDTH = 190.0
_PAD_X, _PAD_Y = 14.0, 10.0
_MARK = 14.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; `style` is `title`, `text` or `code`."""

    text: str
    style: str

    @property
    def height(self) -> float:
        return {"title": TITLE_LINE, "text": TEXT_LINE, "code": CODE_LINE}[self.style]

    @property
    def width(self) -> float:
        if self.style == "code":
            return text_width(self.text, CODE_SIZE, mono=True)
        size = TITLE_SIZE if self.style == "title" else TEXT_SIZE
        return text_width(self.text, size, bold=self.style == "title")


@dataclass(frozen=True, slots=True)
class Shape:
    """What is drawn for a box. `kind` is that of a node, or `start`, `exit`, `anywhere`, `to` (a way on elsewhere).

    `node` is the id of a node, empty for a mark. `about` is the whole text. A click leads to the node `leads_to` or to
    the subgraph `leads_to_graph`. Sizes are in pixels, `x` and `y` the upper left corner.
    """

    box: Box
    kind: str
    lines: tuple[Line, ...] = ()
    about: str = ""
    node: str = ""
    leads_to: str = ""
    leads_to_graph: str = ""
    colour: str = ""
    group: str = ""
    x: float = 0.0
    y: float = 0.0

    @property
    def rect(self) -> Rect:
        return self.x, self.y, self.box.width, self.box.height


def node_shape(node: Node, fields: Mapping[str, Any], below: str = "") -> Shape:
    """The box of a node. `fields` is the node as the document has it; `below` stands instead of what the node does."""
    kind = node.kind.value
    wide = 130.0 if isinstance(node, Decision) else _TEXT_WIDTH
    lines = [Line(text, "title") for text in wrapped(node.label or node.id, TITLE_SIZE, wide, 2, bold=True)]
    if node.label:
        lines += [Line(text, "code") for text in wrapped(node.id, CODE_SIZE, wide, 1, mono=True)]
    below = below or detail(node)
    if isinstance(node, Action):
        if below != f"{node.id}()":
            lines += [Line(text, "code") for text in wrapped(below, CODE_SIZE, wide, 2, mono=True)]
        if node.confirm:
            needs = f"only after a yes to {node.confirm.by}{_where(node.confirm)}"
            lines += [Line(text, "text") for text in wrapped(needs, 11, wide, 3 if node.confirm.when else 2)]
    else:
        count = 3 if isinstance(node, Question | Terminal) else 2
        lines += [Line(text, "text") for text in wrapped(below, TEXT_SIZE, wide, count)]
        if isinstance(node, Question) and node.options:
            lines += [Line(text, "text") for text in wrapped(f"one of {node.options}", 11, wide, 1)]
    ui = fields.get("ui")
    return Shape(
        box=_box(node.id, kind, lines),
        kind=kind,
        lines=tuple(lines),
        about=about(node),
        node=node.id,
        colour=colour_in(ui),
        group=group_in(ui),
    )


def about(node: Node) -> str:
    """All that is worth knowing of a node, line by line."""
    written = [f"{node.kind.value} {node.id}", node.label, detail(node)]
    if isinstance(node, Question):
        written.append(f"answers.{node.key}")
        written.append(f"one of the options in {node.options}" if node.options else "")
        written.append(f"only when {node.when.text}" if node.when else "")
    if isinstance(node, Action) and node.confirm:
        over = ", ".join(node.confirm.over)
        written.append(f"only after a yes to {node.confirm.by} over {over}{_where(node.confirm)}")
    return "\n".join(text for text in written if text)


def _where(confirm: Confirm) -> str:
    return f" where {confirm.when.text}" if confirm.when is not None else ""


def mark(id: str, kind: str) -> Shape:
    """The dot where a graph begins, or the ring where a subgraph returns."""
    return Shape(Box(id, _MARK, _MARK, span=0.0), kind, about={"start": "begins here", "exit": "returns"}[kind])


def pill(id: str, kind: str, text: str, leads_to: str = "") -> Shape:
    """A small box with one line: `from anywhere`, or where a line that was cut goes on."""
    (line,) = [Line(part, "text") for part in wrapped(text, TEXT_SIZE, 150, 1)]
    width = line.width + 2 * 10
    return Shape(Box(id, width, TEXT_LINE + 6, span=width / 2 - 10), kind, (line,), text, leads_to=leads_to)


def _box(id: str, kind: str, lines: list[Line]) -> Box:
    text_wide = max(line.width for line in lines)
    text_high = sum(line.height for line in lines)
    width, height = max(text_wide + 2 * _PAD_X, 96.0), text_high + 2 * _PAD_Y
    if kind == "decision":
        # A diamond holds a rectangle of text when the two fractions of its sides add up to one.
        width = max(text_wide + 2.1 * text_high + 12, 110.0)
        height = width / 2.1
        return Box(id, width, height, span=width / 5, slope=1 / 2.1)
    if kind == "question":
        width += 2 * SLANT
        return Box(id, width, height, span=width / 2 - 2 * SLANT, lean=SLANT)
    if kind == "terminal":
        width += height / 3
        return Box(id, width, height, span=width / 2 - height / 2, radius=height / 2)
    return Box(id, width, height, span=width / 2 - 12)
