"""Additions of the UpGrade agent to Graphwright: its approval card and its demo."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.hooks import ApprovalCard, Demo


def approval(over: Mapping[str, Any]) -> ApprovalCard:
    """Return the card of the change of an experiment that a yes lets run."""
    return ApprovalCard("experiment" if "action_params" in over else "other")


def _left_out() -> str:
    return "UPGRADE_API_URL names a server of yours" if os.environ.get("UPGRADE_API_URL", "").strip() else ""


demo = Demo(Path(__file__).with_name("demo.json"), _left_out, place=3)
