"""Additions of the graph editor to Graphwright: its approval card, its demo and its pane."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.hooks import ApprovalCard, Demo, Pane


def approval(over: Mapping[str, Any]) -> ApprovalCard:
    """Return the card of the changes of the graph that a yes lets run."""
    return ApprovalCard("graph" if "staged" in over else "other")


def _left_out() -> str:
    from graphwright.config import chosen_graph

    return "the configuration names a graph of yours" if chosen_graph() else ""


demo = Demo(Path(__file__).with_name("demo.json"), _left_out, place=2)

pane = Pane(
    {"en": "Graph", "de": "Graph"},
    "M10.586 5.414l-5.172 5.172M18.586 13.414l-5.172 5.172M6 12h12"
    "M14 20a2 2 0 1 1-4 0 2 2 0 1 1 4 0zM14 4a2 2 0 1 1-4 0 2 2 0 1 1 4 0z"
    "M22 12a2 2 0 1 1-4 0 2 2 0 1 1 4 0zM6 12a2 2 0 1 1-4 0 2 2 0 1 1 4 0z",
    key="g",
    place=3,
)
