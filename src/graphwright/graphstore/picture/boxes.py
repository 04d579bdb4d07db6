"""The boxes of a picture: what stands in one, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass

from graphwright.flow.drawing.lettering import text_width, wrapped
from graphwright.graphstore.elements import Node
from graphwright.graphstore.wording import cell_text, element_text

TITLE_SIZE, KEY_SIZE = 13.0, 11.0
TITLE_HEIGHT, KEY_HEIGHT = 17.0, 15.0

CAPTIONS = ("name", "title", "summary")
"""The properties that a node is called by, the first that it has."""

_WIDEST = 150.0
_PAD_X, _PAD_Y = 11.0, 7.0


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its texts; `width` and `height` are pixels, `about` is what is told when one points at it."""

    node: Node
    titles: tuple[str, ...]
    key: str
    about: str

    @property
    def width(self) -> float:
        widths = [text_width(line, TITLE_SIZE, bold=True) for line in self.titles]
        return max(*widths, text_width(self.key, KEY_SIZE, mono=True), 46.0) + 2 * _PAD_X

    @property
    def height(self) -> float:
        return len(self.titles) * TITLE_HEIGHT + (KEY_HEIGHT if self.key else 0.0) + 2 * _PAD_Y

    @property
    def top(self) -> float:
        """Where the first line begins, from the upper edge."""
        return _PAD_Y


def box_of(node: Node) -> Box:
    """A node as a box: its name, title or summary in two lines, and its key below."""
    found = (node.properties.get(name) for name in CAPTIONS)
    caption = next((text for text in found if isinstance(text, str) and text.strip()), "")
    about = element_text(node)
    key = cell_text(node.key)
    if caption.strip() in ("", node.key):
        return Box(node, _lines(key, 2), "", about)
    return Box(node, _lines(caption, 2), "".join(wrapped(key, KEY_SIZE, _WIDEST, 1, mono=True)), about)


def _lines(text: str, most: int) -> tuple[str, ...]:
    return wrapped(text, TITLE_SIZE, _WIDEST, most, bold=True) or (" ",)
