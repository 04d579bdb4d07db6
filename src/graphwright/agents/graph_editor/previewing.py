"""What a call would do to the graph, tried out before the user is asked to agree to it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from graphwright.agents.graph_editor.state import State
from graphwright.agents.graph_editor.tools import write_of
from graphwright.graphstore import GraphStore
from graphwright.graphstore.wording import counts_text, diff_lines

MOST_SHOWN = 30
"""Changes that a confirmation lists."""

NO_PREVIEW = {"needed": False, "text": "", "binding": "", "asked_at": ""}


def preview_of(
    store: GraphStore, call: Mapping[str, Any], certain: bool, state: State, now: datetime
) -> dict[str, Any]:
    """What the call would do, where the user has to agree: deletes, statements, and what nobody clearly asked for.

    Raises what the store raises where the write cannot be done.
    """
    if certain or call["tool_name"] == "query_graph":
        return NO_PREVIEW
    shown = store.preview([write_of(call["tool_name"], call["arguments"])])
    if not shown.changes:
        # Bound all the same: it must still change nothing when it is run.
        return {**NO_PREVIEW, "binding": shown.binding}
    head = f"{_again(state)}This would change the graph ({counts_text(shown.changes)}):"
    text = "\n".join([head, *diff_lines(shown.changes, MOST_SHOWN)])
    return {"needed": True, "text": text, "binding": shown.binding, "asked_at": now.isoformat(timespec="seconds")}


def _again(state: State) -> str:
    """Why the user is asked once more; empty when this is the first time."""
    failures = [f for f in state["failures"] if f["step"] == len(state["done"])]
    last = failures[-1]["code"] if failures else ""
    if last == "conflict":
        return "The graph has changed since I asked.\n"
    return "It is long since I asked, so I ask again.\n" if last == "asked_long_ago" else ""
