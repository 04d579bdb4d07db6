"""The difference that a goal comes to, as it is shown: deletions first, what is new or unsupported marked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor.state import Goal, Preview, State
from graphwright.graphstore import Change, Edge, Node, Schema
from graphwright.graphstore.wording import change_text, counts_text, value_text
from graphwright.proposals import Policy, Sources, Support, exact, needs_yes, occurs, supports

MOST_SHOWN = 30
"""Changes that are shown, beside deletions."""

MOST_DELETED = 300
"""Deletions that are shown: nothing that goes may hide behind what is set."""

MOST_NEW = 12

NO_PREVIEW: Preview = {"needed": False, "text": "", "binding": ""}

CHANGED_SINCE = "The graph has changed since I asked, so I ask again.\n"


def sources_of(state: State) -> Sources:
    """What the user said and was shown, in this goal and before it."""
    goal, recent = state["goal"], state["recent"]
    notes = [*goal["notes"], *(note for each in recent for note in each["notes"])]
    chosen = [str(value) for value in state.get("draft", {}).get("said", ())]
    said = (goal["text"], *(each["request"] for each in recent), *(note["said"] for note in notes), *chosen)
    shown = (*(each["did"] for each in recent), *(note["asked"] for note in notes))
    return Sources(said=said, shown=shown)


def invented(calls: Iterable[Mapping[str, Any]], sources: Sources) -> list[str]:
    """Doubts about writes whose `because` quotes what nobody said."""
    quotes = dict.fromkeys(str(call["because"]) for call in calls if call["because"])
    return [f"nobody said {value_text(quote, 200)}" for quote in quotes if not occurs(quote, sources.said)]


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Deletions of nodes, deletions of edges, then the rest."""
    return sorted(
        changes, key=lambda each: (each.kind != "deleted", each.kind == "deleted" and isinstance(each.element, Edge))
    )


def lines_of(changes: Iterable[Change], sources: Sources | None = None) -> list[str]:
    """One line a change; with `sources`, what the user neither said nor was shown stands at its end."""
    lines = []
    for change in in_order(changes):
        open_points = [] if sources is None else _unsupported(change, sources)
        mark = f"   <- not in your words: {', '.join(open_points)}" if open_points else ""
        lines.append(change_text(change) + mark)
    return lines


def _stated(change: Change) -> dict[str, Any]:
    """The values of a change that somebody must have asked for: what exists already, and what goes, is none."""
    element = change.element
    if change.after is None:
        return {}
    before = change.before.properties if change.before is not None else {}
    found: dict[str, Any] = {
        name: value for name, value in element.properties.items() if json.dumps(before.get(name)) != json.dumps(value)
    }
    return {"key": element.key, **found} if isinstance(element, Node) and change.before is None else found


def _unsupported(change: Change, sources: Sources) -> list[str]:
    stated = _stated(change)
    names = dict.fromkeys(
        path.split(".")[0] for path, support in supports(stated, sources).items() if support == "unsupported"
    )
    return [f"{name} {value_text(stated[name])}" for name in names]


def supports_of(changes: Iterable[Change], sources: Sources) -> list[Support]:
    """The support of all values of a difference."""
    return [support for change in changes for support in supports(_stated(change), sources).values()]


def new_names(changes: Iterable[Change], schema: Schema) -> list[str]:
    """Labels, edge types and properties that the graph does not have yet, and what it has that is nearly the same."""
    labels = {one.label: one.properties for one in schema.labels}
    types = {one.type: one.properties for one in schema.types}
    found: dict[str, None] = {}
    for element in (change.after for change in changes if change.after is not None):
        node = isinstance(element, Node)
        name, known = (element.label, labels) if isinstance(element, Node) else (element.type, types)
        if name not in known:
            found[f"{'label' if node else 'edge type'} {name}{_beside(name, known)}"] = None
            continue
        for each in element.properties:
            if each not in known[name]:
                found[f"property {each} of {name}{_beside(each, known[name])}"] = None
    return list(found)


def _beside(name: str, known: Iterable[str]) -> str:
    same = exact(name, known)
    return f" (there is {same})" if same else ""


def destructive(changes: Iterable[Change], staged: Sequence[Mapping[str, Any]]) -> bool:
    """Whether anything is deleted or overwritten, or done by a raw statement or an undo."""
    if any(each.get("write") in (None, "Statement") for each in staged):
        return True
    for change in changes:
        if change.after is None:
            return True
        if change.before is not None:
            after = change.after.properties
            if any(json.dumps(after.get(name)) != json.dumps(v) for name, v in change.before.properties.items()):
                return True
    return False


def shown(
    changes: Sequence[Change], schema: Schema, sources: Sources, goal: Goal, doubts: Sequence[str], before: str = ""
) -> str:
    """The whole difference as the user reads it."""
    lines = lines_of(changes, sources)
    deleted = sum(each.after is None for each in changes)
    listed = [*lines[: min(deleted, MOST_DELETED)], *lines[deleted:][:MOST_SHOWN]]
    parts = [f"{before}This would change the graph ({counts_text(changes)}):", *listed]
    if deleted > MOST_DELETED:
        parts.insert(1 + MOST_DELETED, f"- … and {deleted - MOST_DELETED:,} more deletions")
    if len(lines) - deleted > MOST_SHOWN:
        parts.append(f"… and {len(lines) - deleted - MOST_SHOWN:,} more changes")
    if new := new_names(changes, schema):
        more = [f"{len(new) - MOST_NEW} more"] if len(new) > MOST_NEW else []
        parts.append(f"New in this graph: {', '.join([*new[:MOST_NEW], *more])}.")
    parts += [f"Doubtful: {doubt}" for doubt in doubts]
    if goal["out_of_scope"]:
        parts.append(f"Not part of this: {' '.join(goal['out_of_scope'].split())}")
    return "\n".join(parts)


def preview_of(
    state: State, changes: Sequence[Change], schema: Schema, policy: Policy, *, weak: bool, before: str = ""
) -> Preview:
    """The difference to be shown, and whether it waits for a yes. One that is shown again always does."""
    sources = sources_of(state)
    needed = bool(before) or needs_yes(
        policy,
        destructive=destructive(changes, state["staged"]),
        supports=supports_of(changes, sources),
        weak_model=weak,
        doubts=state["doubted"] or bool(state["doubts"]),
    )
    text = shown(changes, schema, sources, state["goal"], state["doubts"], before)
    return {"needed": needed, "text": text, "binding": state["preview"]["binding"]}
