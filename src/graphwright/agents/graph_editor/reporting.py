"""The answer to the user: what was really done, by the results of the tools, and how to undo it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor.questions import told
from graphwright.graphstore import Change
from graphwright.graphstore.elements import net
from graphwright.graphstore.wording import cell_text, change_text, counts_text, diff_lines, table_lines

MOST_LINES = 40
"""Changes that an answer lists."""

WHAT_I_DO = "I can create, change, connect, delete and look up nodes and edges of this graph"


def changes_of(done: Sequence[Mapping[str, Any]]) -> list[Change]:
    """All changes of the steps that were done, in order."""
    return [Change.from_json(change) for step in done for change in step["changes"]]


def done_lines(done: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line a change, as one after the other they came."""
    return [change_text(change) for change in changes_of(done)]


def answer_text(
    done: Sequence[Mapping[str, Any]],
    *,
    failure: Mapping[str, Any] | None,
    stopped: bool,
    why: Mapping[str, Any] | None,
    unfinished: str,
    goal: str,
    schema: str,
) -> str:
    """The whole answer. `why` is what stood in the way where the user stopped.

    `unfinished` says what of the goal is not done; `schema` names what the graph holds."""
    parts = []
    changes = net(changes_of(done))
    tables = [step["table"] for step in done if step.get("table") is not None]
    if changes:
        parts.append("\n".join([f"Done: {counts_text(changes)}.", *diff_lines(changes, MOST_LINES)]))
    parts += dict.fromkeys(table_text(table) for table in tables)
    if failure is not None:
        parts.append(_failed(failure, schema))
    elif stopped:
        parts.append("The rest was left as it is." if changes else _unchanged(why))
    elif not changes and not tables:
        parts.append(
            "Nothing had to be changed: the graph is that way already."
            if done
            else "Nothing was done. Tell me what to add, change or look up."
        )
    if unfinished:
        parts.append(f"Not done: {unfinished}")
    if changes:
        parts.append(f"To undo: graphwright graph undo {goal}")
    return "\n\n".join(parts)


def _unchanged(why: Mapping[str, Any] | None) -> str:
    """That nothing was changed; where a question stood in the way, which one, and what would help."""
    if why is None:
        return "Nothing was changed."
    help = "Say it again with the keys, properties and values it is about, and I will try again."
    return f"Nothing was changed. This was left open: {told(why)}\n{help}"


def _failed(failure: Mapping[str, Any], schema: str) -> str:
    match failure["code"]:
        case "out_of_scope":
            return f"I cannot help with that: {_reason(failure['message'])}\n{WHAT_I_DO}{_holding(schema)}."
        case "unknown_tool":
            return f"{failure['message']}\n{WHAT_I_DO}{_holding(schema)}."
        case _:
            return told(failure)


def _reason(message: str) -> str:
    text = message.strip().rstrip(".")
    return f"{text}."


def _holding(schema: str) -> str:
    return f", which holds {schema}" if schema else ", which is empty so far"


def holding(labels: Sequence[tuple[str, int]], most: int = 8) -> str:
    """`12 Ticket, 5 User`."""
    shown = ", ".join(f"{count} {label}" for label, count in labels[:most])
    return f"{shown} and more" if len(labels) > most else shown


def table_text(table: Mapping[str, Any]) -> str:
    """The rows of a result, as far as they were kept, and how many there were."""
    rows, columns = table["rows"], table["columns"]
    if not rows:
        return "Nothing was found."
    if columns in (["node"], ["node", "related"], ["node", "edge", "related"]):
        lines = _found(table)
    else:
        lines = table_lines(columns, rows, len(rows))
    more = table["count"] - len(rows)
    if more or table["truncated"]:
        lines.append(f"... and {more:,} more{' at least' if table['truncated'] else ''}" if more else "... and more")
    return "\n".join(lines)


def _found(table: Mapping[str, Any]) -> list[str]:
    rows = table["rows"]
    keys = {(row[0]["label"], row[0]["key"]) for row in rows}
    labels = {label for label, _ in keys}
    what = next(iter(labels)) if len(labels) == 1 else "node"
    cut = table["truncated"] or table["count"] > len(rows)
    lines = [f"Found {'at least ' if cut else ''}{len(keys)} {what}{'s' if len(keys) != 1 else ''}:"]
    for row in rows:
        extra = f"  ({cell_text(row[1])})" if "edge" in table["columns"] else ""
        lines.append(f"- {cell_text(row[0])}{extra}")
    return lines
