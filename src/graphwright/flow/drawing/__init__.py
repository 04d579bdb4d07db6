"""Pictures of a compiled flow: Mermaid text, a self-contained SVG, and the nodes and edges of a visual editor."""

from graphwright.flow.drawing.editor import editor
from graphwright.flow.drawing.mermaid import mermaid
from graphwright.flow.drawing.nesting import Home, homes, parents
from graphwright.flow.drawing.svg import svg

__all__ = [
    # a flow as text
    "mermaid",
    "svg",
    "editor",
    # where subgraphs stand
    "Home",
    "homes",
    "parents",
]
