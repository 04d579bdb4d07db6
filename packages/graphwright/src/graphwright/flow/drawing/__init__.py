"""Pictures of a compiled flow: Mermaid text, a self-contained SVG, and the nodes and edges of a visual editor."""

from graphwright.flow.drawing._difference import difference_svg
from graphwright.flow.drawing._elements import Home, homes
from graphwright.flow.drawing._formats import editor, mermaid
from graphwright.flow.drawing._picture import svg

__all__ = ["Home", "difference_svg", "editor", "homes", "mermaid", "svg"]
