"""Additions of the UpGrade agent to Graphwright: its approval card, its demo and its pane."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.hooks import ApprovalCard, Demo, Pane


def approval(over: Mapping[str, Any]) -> ApprovalCard:
    """Return the card of the change of an experiment that a yes lets run."""
    return ApprovalCard("experiment" if "action_params" in over else "other")


def _left_out() -> str:
    return "UPGRADE_API_URL names a server of yours" if os.environ.get("UPGRADE_API_URL", "").strip() else ""


demo = Demo(Path(__file__).with_name("demo.json"), _left_out, place=3)

pane = Pane(
    {"en": "Experiments", "de": "Experimente"},
    "M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2"
    "M6.453 15h11.094M8.5 2h7",
    key="e",
    place=5,
)
