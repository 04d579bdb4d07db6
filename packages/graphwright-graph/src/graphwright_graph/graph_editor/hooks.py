"""Additions of the graph editor to Graphwright: its approval card and its demo."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.hooks import ApprovalCard, Demo


def approval(over: Mapping[str, Any]) -> ApprovalCard:
    """Return the card of the changes of the graph that a yes lets run."""
    return ApprovalCard("graph" if "staged" in over else "other")


def _left_out() -> str:
    from graphwright.config import chosen_graph

    return "the configuration names a graph of yours" if chosen_graph() else ""


demo = Demo(Path(__file__).with_name("demo.json"), _left_out, place=2)
