"""A part of a graph as a picture: a self-contained SVG of a node and what is around it."""

from graphwright.graphstore.picture.svg import svg

__all__ = ["svg"]
