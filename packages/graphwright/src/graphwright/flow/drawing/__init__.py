"""Pictures of a compiled flow: Mermaid text, a self-contained SVG, and the nodes and edges of a visual editor."""

from graphwright.flow.drawing.elements import Home, homes
from graphwright.flow.drawing.formats import editor, mermaid
from graphwright.flow.drawing.picture import svg

__all__ = ["Home", "editor", "homes", "mermaid", "svg"]
