"""The common parts of the flow in every engine: its state, its condition, its question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.flows import CHANNELS

OPTIONS = ("red", "green", "blue")
PROMPT = "Which colour?"
STATE: Mapping[str, Any] = {"colour": "", **CHANNELS}
REPLY = "red"


def holds(state: Mapping[str, Any]) -> bool:
    """The guard of the pure nodes, as Python."""
    return bool(state["colour"] == "red" and state["budget"] >= 1000 and state["city"] != "Paris")


def chosen(text: str) -> str:
    """The option that a reply names."""
    option = text.strip().lower()
    if option not in OPTIONS:
        raise ValueError(f"{text!r} is no option")
    return option
