"""Undo of a goal: compute its net changes, check that the graph still has them, and revert them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from graphwright_graph._elements import Change, Edge, Element, Node, identical, net_changes
from graphwright_graph._errors import Conflict
from graphwright_graph._port import Goal, GoalStatus, Step
from graphwright_graph._unit_of_work import Stored, Transaction, change_order, existing_goal, key_reused, now

Identity: TypeAlias = tuple[str, ...]

MOST_NAMED = 5
"""The maximum number of elements that a message names."""


def undo(tx: Transaction, goal: str, *, key: str, thread: str = "", also: Sequence[str] = ()) -> Goal:
    """Revert a goal as a new goal with one step, and the goals `also` after it; the caller commits. Returns the first.

    The same key again returns the same new goal. Raises NotFound, GraphError (`key_reused`), and Conflict if the goal
    was undone before, has nothing to undo, or if its elements have changed since.
    """
    made = tx.goal(key=key)
    if made is not None:
        if made.undoes != goal:
            raise key_reused(key)
        return made
    undoing = _undone(tx, goal, key, thread)
    for number, other in enumerate(also, 2):
        _undone(tx, other, f"{key} {number}", thread)
    return existing_goal(tx, undoing)


def _undone(tx: Transaction, goal: str, key: str, thread: str) -> str:
    """Revert a goal as a new goal, and return the id of that."""
    entry = existing_goal(tx, goal)
    changes = preview(tx, goal)
    undoing = tx.add_goal(f"undo of {goal}", key=key, thread=thread or entry.thread, undoes=goal)
    version = tx.bump() if changes else tx.version()
    # Undoing this goal later restores the status.
    done = {"write": "Undo", "goal": goal, "status": entry.status}
    tx.add_step(undoing.id, Step(f"{key} of {undoing.id}", (done,), changes, version, now()))
    tx.set_goal(undoing.id, "done")
    tx.set_goal(goal, "undone", undone_by=undoing.id)
    if entry.undoes:
        # The goal that was undone by it gets its previous status back.
        tx.set_goal(entry.undoes, cast(GoalStatus, entry.steps[0].writes[0]["status"]))
    return undoing.id


def preview(tx: Transaction, goal: str, also: Sequence[str] = ()) -> tuple[Change, ...]:
    """Revert goals without a journal entry. Returns the net changes. Raises NotFound and Conflict as `undo`.

    The caller rolls the transaction back, or makes the entry.
    """
    if also:
        changes = [change for each in (goal, *also) for change in preview(tx, each)]
        return tuple(sorted(net_changes(changes), key=change_order))
    entry = existing_goal(tx, goal)
    if entry.status == "undone":
        raise Conflict(f"{goal} was undone already, by {entry.undone_by}.", f"Undo {entry.undone_by} to do it again.")
    if not entry.steps:
        raise Conflict(f"{goal} has no steps that could be undone.", "An import cannot be undone; delete its elements.")
    return _revert(tx, entry)


def _revert(tx: Transaction, goal: Goal) -> tuple[Change, ...]:
    """Check that the graph is as the goal left it, and revert its changes. Returns the reverting changes, in order."""
    done = _net_changes(tx, goal)
    there = {each.element.identity: _stored(tx, each.element) for each in done}
    moved = [each.element for each in done if not identical(each.after, _element(there[each.element.identity]))]
    if moved:
        raise _conflict(tx, goal, moved, "not as the goal left it")
    made = {each.element.identity for each in done if each.before is None}
    for each in done:
        stored = there[each.element.identity]
        if stored is not None and each.before is None and isinstance(each.element, Node):
            foreign = [edge.element for edge in tx.edges_of(stored.ref) if edge.element.identity not in made]
            if foreign:
                raise _conflict(tx, goal, foreign, f"on {each.element.name}, which the goal made")
    back = {each.before.identity for each in done if isinstance(each.before, Node)}
    for each in done:
        if each.after is None and isinstance(each.before, Edge):
            gone = [end for end in each.before.ends if end.identity not in back and not tx.nodes(end.key, end.label)]
            if gone:
                raise _conflict(tx, goal, gone, f"gone, where the edge {each.before.name} would come back")
    undone = sorted((each.reversed() for each in done), key=change_order)
    for change in undone:
        _restore(tx, change, there[change.element.identity])
    return tuple(undone)


def _net_changes(tx: Transaction, goal: Goal) -> list[Change]:
    """The net changes of a goal. Raises Conflict if another goal changed an element between two of its steps."""
    found: dict[Identity, Change] = {}
    for change in (change for step in goal.steps for change in step.changes):
        first = found.get(change.element.identity, Change(change.before, change.before))
        if not identical(first.after, change.before):
            raise _conflict(tx, goal, [change.element], "changed by others while the goal went on")
        found[change.element.identity] = Change(first.before, change.after)
    return [change for change in found.values() if not identical(change.before, change.after)]


def _restore(tx: Transaction, change: Change, stored: Stored[Any] | None) -> None:
    before, after = change.before, change.after
    if before is None:
        if isinstance(after, Edge):
            source, target = (tx.nodes(end.key, end.label)[0].ref for end in after.ends)
            tx.create_edge(source, after, target)
        else:
            tx.create_node(cast(Node, after))
        return
    assert stored is not None
    is_edge = isinstance(before, Edge)
    if after is None:
        (tx.delete_edge if is_edge else tx.delete_node)(stored.ref)
    else:
        gone = {name: None for name in before.properties if name not in after.properties}
        (tx.set_edge if is_edge else tx.set_node)(stored.ref, {**gone, **after.properties})


def _stored(tx: Transaction, element: Element) -> Stored[Any] | None:
    if isinstance(element, Node):
        found = tx.nodes(element.key, element.label)
        return found[0] if found else None
    ends = [tx.nodes(end.key, end.label) for end in element.ends]
    return tx.edge(ends[0][0].ref, element.type, ends[1][0].ref) if all(ends) else None


def _element(stored: Stored[Any] | None) -> Element | None:
    return None if stored is None else stored.element


def _conflict(tx: Transaction, goal: Goal, elements: Sequence[Element], what: str) -> Conflict:
    names = ", ".join(element.name for element in elements[:MOST_NAMED])
    more = f" and {len(elements) - MOST_NAMED} more" if len(elements) > MOST_NAMED else ""
    by = _changed_by(tx, goal, {element.identity for element in elements})
    nobody = "No goal in the journal did this: an import or another program did. Change it back by hand."
    hint = f"Undo {', '.join(by)} first." if by else nobody
    return Conflict(f"{goal.id} cannot be undone: {what}: {names}{more}.", hint)


def _changed_by(tx: Transaction, goal: Goal, identities: set[Identity]) -> list[str]:
    """The goals that changed one of these elements after the first step of the goal, the newest first."""
    found: dict[str, None] = {}
    for other, step in tx.steps_after(goal.steps[0].version):
        if other != goal.id and any(change.element.identity in identities for change in step.changes):
            found[other] = None
    goals = [entry for entry in (tx.goal(id=other) for other in reversed(found)) if entry is not None]
    # A goal that was undone and the goal that undid it cancel out; the others cause the conflict.
    standing = [entry.id for entry in goals if entry.status != "undone" and entry.undoes is None]
    return standing or [entry.id for entry in goals]
