"""The difference that a goal comes to, as it is shown: deletions first, what is new or unsupported marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor.schemas import State
from graphwright.graphstore import Change, Node, Schema
from graphwright.graphstore.wording import SHORT, Room, change_text, changed_names, counts_text, in_order, value_text
from graphwright.proposals import Policy, Sources, exact, needs_yes, occurs, supports

WHOLE, MOST_NEW = Room(10**9, 10**9, 10**9), 12


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
    return [f"nobody said {value_text(quote, Room(200))}" for quote in quotes if not occurs(quote, sources.said)]


def lines_of(changes: Iterable[Change], room: Room = SHORT, sources: Sources | None = None) -> list[str]:
    """A line for each change, deletions first; with `sources`, what they do not hold is marked."""
    ordered = in_order(changes)
    return [change_text(each, room) + (mark([each], sources) if sources else "") for each in ordered]


def mark(changes: Iterable[Change], sources: Sources) -> str:
    """What the user neither said nor was shown of these changes."""
    points = list(dict.fromkeys(point for change in changes for point in _unsupported(change, sources)))
    if len(points) > MOST_NEW:
        points[MOST_NEW:] = [f"{len(points) - MOST_NEW} more"]
    return f"   <- not in your words: {', '.join(points)}" if points else ""


def _stated(change: Change) -> dict[str, Any]:
    """The values of a change that somebody must have asked for: what exists already, and what goes, is none."""
    if change.after is None:
        return {}
    found = {name: change.after.properties[name] for name in changed_names(change) if name in change.after.properties}
    return {"key": change.after.key, **found} if isinstance(change.after, Node) and change.before is None else found


def _unsupported(change: Change, sources: Sources) -> list[str]:
    stated = _stated(change)
    names = dict.fromkeys(path.split(".")[0] for path, how in supports(stated, sources).items() if how == "unsupported")
    return [f"{name} {value_text(stated[name])}" for name in names]


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
    return f" (there is {same})" if (same := exact(name, known)) else ""


def _destroys(change: Change) -> bool:
    """Whether it deletes or overwrites anything."""
    before = change.before.properties if change.before is not None else {}
    return change.after is None or any(name in before for name in changed_names(change))


def shown(changes: Sequence[Change], lines: Sequence[str], file: str, schema: Schema, state: State) -> str:
    """The difference as the user is shown it: its lines, and the file that holds all of it where they do not."""
    parts = [f"This would change the graph ({counts_text(changes)}):", *lines]
    if file:
        parts.append(f"The complete list, with nothing left out: {file}")
    if new := new_names(changes, schema):
        more = [f"{len(new) - MOST_NEW} more"] if len(new) > MOST_NEW else []
        parts.append(f"New in this graph: {', '.join([*new[:MOST_NEW], *more])}.")
    parts += [f"Doubtful: {doubt}" for doubt in state["doubts"]]
    if state["goal"]["out_of_scope"]:
        parts.append(f"Not part of this: {' '.join(state['goal']['out_of_scope'].split())}")
    return "\n".join(parts)


def waits(state: State, changes: Sequence[Change], policy: Policy, *, weak: bool) -> bool:
    """Whether the difference waits for a yes: a raw statement and an undo always do."""
    sources = sources_of(state)
    raw = any(each.get("write") in (None, "Statement") for each in state["staged"])
    return needs_yes(
        policy,
        destructive=raw or any(map(_destroys, changes)),
        supports=(support for change in changes for support in supports(_stated(change), sources).values()),
        weak_model=weak,
        doubts=state["doubted"] or bool(state["doubts"]),
    )
