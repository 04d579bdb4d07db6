"""The difference that a goal comes to, as it is shown: deletions first, what is new or unsupported marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor.state import Preview, State
from graphwright.graphstore import Change, Edge, Element, Node, Schema
from graphwright.graphstore.wording import (
    SHORT,
    Room,
    change_text,
    counts_text,
    differs,
    key_text,
    sign_of,
    value_text,
    what_text,
)
from graphwright.proposals import Policy, Sources, exact, needs_yes, occurs, supports

MOST_LISTED = 300
"""Deletions, and other changes, that are all listed. Of more, each kind is counted and its first ones are named."""

LONGEST_LISTED = 20_000
"""Characters of such a list."""

MOST_KINDS = 60
MOST_NAMED = 10
"""Kinds of change that are counted, and the elements that are named of each."""

FEWEST_GROUPED = 4
"""Equal changes that stand in one line."""

WIDE, WHOLE = Room(1000, 100, 100), Room(10**9, 10**9, 10**9)

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
    return [f"nobody said {value_text(quote, Room(200))}" for quote in quotes if not occurs(quote, sources.said)]


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Deletions of nodes, deletions of edges, then the rest."""
    return sorted(
        changes, key=lambda each: (each.kind != "deleted", each.kind == "deleted" and isinstance(each.element, Edge))
    )


def lines_of(changes: Iterable[Change]) -> list[str]:
    """A short line for each change, as a model reads them."""
    return [change_text(change) for change in in_order(changes)]


def complete(changes: Iterable[Change], sources: Sources) -> list[str]:
    """A line for each change with all there is to say of it, however long."""
    return [change_text(change, WHOLE) + _mark([change], sources) for change in in_order(changes)]


def listed(changes: Iterable[Change], sources: Sources | None = None, most: int = MOST_LISTED) -> list[str]:
    """The difference as people read it: equal changes in one line, and `…` wherever anything is left out.

    With `sources`, what the user neither said nor was shown stands at the end of a line.
    """
    ordered = in_order(changes)
    deleted = sum(each.after is None for each in ordered)
    return [line for part in (ordered[:deleted], ordered[deleted:]) for line in _listed(part, sources, most)]


def _listed(changes: Sequence[Change], sources: Sources | None, most: int) -> list[str]:
    if len(changes) <= most:
        lines = _grouped(changes, sources, WIDE, named=most)
        if sum(map(len, lines)) <= LONGEST_LISTED:
            return lines
    lines = _grouped(changes, sources, SHORT, named=MOST_NAMED)
    if len(lines) > MOST_KINDS:
        lines = _grouped(changes, sources, SHORT, named=1, alike=True)
    return lines if len(lines) <= MOST_KINDS else [*lines[:MOST_KINDS], f"… and {len(lines) - MOST_KINDS:,} more lines"]


def _grouped(
    changes: Iterable[Change], sources: Sources | None, room: Room, *, named: int, alike: bool = False
) -> list[str]:
    """Lines of equal changes; with `alike`, of changes of the same properties, whatever their values."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        what = " ".join(_changed(change)) if alike else what_text(change, room)
        groups.setdefault((sign_of(change), _kind(change.element), what), []).append(change)
    lines = []
    for (sign, kind, what), group in groups.items():
        if len(group) < FEWEST_GROUPED:
            lines += [change_text(change, room) + _mark([change], sources) for change in group]
            continue
        names = [_short(change.element, room) for change in group[:named]]
        if alike:
            names, what = [f"{names[0]} {what_text(group[0], room)}".rstrip()], ""
        more = ["…"] if len(group) > named else []
        about = f"{kind} {what}".rstrip()
        lines.append(f"{sign} {len(group):,} {about}: {', '.join(names + more)}{_mark(group, sources)}")
    return lines


def _kind(element: Element) -> str:
    return (
        element.label if isinstance(element, Node) else f"{element.from_label} -[{element.type}]-> {element.to_label}"
    )


def _short(element: Element, room: Room) -> str:
    ends = (element.key,) if isinstance(element, Node) else (element.from_key, element.to_key)
    return " -> ".join(key_text(key, room) for key in ends)


def _mark(changes: Iterable[Change], sources: Sources | None) -> str:
    """What the user neither said nor was shown of these changes."""
    if sources is None:
        return ""
    points = list(dict.fromkeys(point for change in changes for point in _unsupported(change, sources)))
    if len(points) > MOST_NEW:
        points[MOST_NEW:] = [f"{len(points) - MOST_NEW} more"]
    return f"   <- not in your words: {', '.join(points)}" if points else ""


def _changed(change: Change) -> list[str]:
    """The properties that are set, changed or gone."""
    before, after = (each.properties if each is not None else {} for each in (change.before, change.after))
    return [name for name in sorted({**before, **after}) if differs(before, after, name)]


def _stated(change: Change) -> dict[str, Any]:
    """The values of a change that somebody must have asked for: what exists already, and what goes, is none."""
    if change.after is None:
        return {}
    found = {name: change.after.properties[name] for name in _changed(change) if name in change.after.properties}
    return {"key": change.after.key, **found} if isinstance(change.after, Node) and change.before is None else found


def _unsupported(change: Change, sources: Sources) -> list[str]:
    stated = _stated(change)
    names = dict.fromkeys(
        path.split(".")[0] for path, support in supports(stated, sources).items() if support == "unsupported"
    )
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
    same = exact(name, known)
    return f" (there is {same})" if same else ""


def destructive(changes: Iterable[Change], staged: Sequence[Mapping[str, Any]]) -> bool:
    """Whether anything is deleted or overwritten, or done by a raw statement or an undo."""
    return any(each.get("write") in (None, "Statement") for each in staged) or any(
        change.after is None or (change.before is not None and not change.before.properties.keys().isdisjoint(names))
        for change, names in ((each, _changed(each)) for each in changes)
    )


def shown(
    changes: Sequence[Change],
    lines: Sequence[str],
    file: str,
    schema: Schema,
    state: State,
    before: str = "",
) -> str:
    """The difference as the user is shown it: its lines, and the file that holds all of it where they do not."""
    parts = [f"{before}This would change the graph ({counts_text(changes)}):", *lines]
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
    """Whether the difference waits for a yes."""
    sources = sources_of(state)
    return needs_yes(
        policy,
        destructive=destructive(changes, state["staged"]),
        supports=(support for change in changes for support in supports(_stated(change), sources).values()),
        weak_model=weak,
        doubts=state["doubted"] or bool(state["doubts"]),
    )
