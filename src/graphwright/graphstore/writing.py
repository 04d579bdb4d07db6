"""How writes behave, whatever the engine: upserts, missing ends, net changes, previews, bindings, steps done once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from graphwright.graphstore.accepted import accepted
from graphwright.graphstore.elements import Change, Edge, Element, Node, Value, net
from graphwright.graphstore.errors import Ambiguous, Conflict, GraphError, NotFound, QueryFailed
from graphwright.graphstore.json_text import canonical, same
from graphwright.graphstore.names import checked_key, checked_name, checked_properties, shown
from graphwright.graphstore.parameters import checked_parameters
from graphwright.graphstore.port import Applied, Goal, GoalStatus, Preview, Step
from graphwright.graphstore.transaction import Stored, Transaction
from graphwright.graphstore.writes import (
    AddEdge,
    AddNode,
    DeleteEdge,
    DeleteNode,
    Statement,
    UpdateEdge,
    UpdateNode,
    Write,
    write_to_json,
)

E = TypeVar("E", Node, Edge)

MOST_CHANGES = 20_000
"""Elements that a write, or writes together, may change: each is shown, journaled, and can be undone."""


def checked(write: Write) -> Write:
    """The write with every name and value checked (BadElement, QueryRefused); it has not met the graph yet."""
    match write:
        case AddNode():
            checked_name(write.label, "label")
            checked_key(write.key)
            return replace(write, properties=checked_properties(write.properties))
        case AddEdge():
            _check_ends(write)
            return replace(write, properties=checked_properties(write.properties))
        case UpdateNode():
            _check_node(write)
            return replace(write, properties=checked_properties(write.properties, removing=True))
        case UpdateEdge():
            _check_ends(write)
            return replace(write, properties=checked_properties(write.properties, removing=True))
        case DeleteNode():
            _check_node(write)
        case DeleteEdge():
            _check_ends(write)
        case Statement():
            parameters = checked_parameters(write.parameters)
            accepted(write.query, parameters, writes=True)
            return replace(write, parameters=parameters)
    return write


def perform(tx: Transaction, writes: Sequence[Write]) -> tuple[Change, ...]:
    """Do checked writes, one after the other, inside an open transaction, without journal; who opened it ends it.

    Gives the net changes, in an order in which they could be done one by one. Raises BadElement, QueryRefused,
    QueryFailed, NotFound and Ambiguous, with the number of the write as `at`.
    """
    changes: list[Change] = []
    for number, write in enumerate(writes):
        try:
            changes += _performed(tx, write)
        except GraphError as error:
            error.at = number
            raise
    found = net(changes)
    check_count(len(found))
    return tuple(sorted(found, key=_order))


def _performed(tx: Transaction, write: Write) -> Sequence[Change]:
    match write:
        case AddNode():
            return _changed(_add_node(tx, write))
        case AddEdge():
            return _changed(_add_edge(tx, write))
        case UpdateNode():
            return _changed(_set_node(tx, node(tx, write.key, write.label), write.properties))
        case UpdateEdge():
            return _changed(_set_edge(tx, _edge(tx, write), write.properties))
        case DeleteNode():
            return _delete_node(tx, write)
        case DeleteEdge():
            edge = _edge(tx, write)
            tx.delete_edge(edge.ref)
            return _changed(Change(edge.element, None))
        case Statement():
            return tx.run(write)


def all_checked(writes: Sequence[Write]) -> list[Write]:
    """The writes, each as `checked` gives it; an error has the number of its write as `at`."""
    found = []
    for number, write in enumerate(writes):
        try:
            found.append(checked(write))
        except GraphError as error:
            error.at = number
            raise
    return found


def preview(tx: Transaction, writes: Sequence[Write]) -> Preview:
    """What writes would do. They have been done when this returns: the caller rolls the transaction back."""
    given, version = all_checked(writes), tx.version()
    changes = perform(tx, given)
    return Preview(changes, version, binding(given, version, changes))


def binding(writes: Sequence[Write], version: int, changes: Sequence[Change]) -> str:
    """The version of the graph, and a hash over it, checked writes with all their values, and what they change."""
    bound = [[write_to_json(write) for write in writes], version, [change.to_json() for change in changes]]
    return f"{version}.{hashlib.sha256(canonical(bound).encode()).hexdigest()}"


def apply(tx: Transaction, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
    """Do writes as one step of a goal, once a key; the caller commits.

    Raises NotFound for an unknown goal, Conflict for one that was undone and for a binding that does not hold any
    more, GraphError (`key_reused`) for a key under which something else was done, and what `perform` raises.
    """
    given, entry = all_checked(writes), known_goal(tx, goal)
    journaled = tuple(write_to_json(write) for write in given)
    before = tx.step(key)
    if before is not None:
        if not same(before.writes, journaled) or all(step.key != key for step in entry.steps):
            raise GraphError(
                "key_reused", f"something else was done under the key {shown(key)}", "Give each step a key of its own."
            )
        return Applied(before.changes, before.version, repeated=True)
    if entry.status == "undone":
        raise Conflict(f"{goal} was undone, nothing can be added to it", "Begin a new goal.")
    version = tx.version()
    if expected and not expected.startswith(f"{version}."):
        raise _moved()
    changes = perform(tx, given)
    if expected and expected != binding(given, version, changes):
        raise _moved()
    if changes:
        version = tx.bump()
    tx.add_step(goal, Step(key, journaled, changes, version, now()))
    return Applied(changes, version)


def _moved() -> Conflict:
    return Conflict(
        "the graph, or the writes, are not what was shown and confirmed",
        "Look at what they would do now, and confirm.",
    )


def begin_goal(tx: Transaction, text: str, *, key: str, thread: str = "") -> Goal:
    """Open a journal entry; the same key gives the one that it opened."""
    return tx.goal(key=key) or tx.add_goal(text, key=key, thread=thread)


def finish_goal(tx: Transaction, goal: str, status: GoalStatus) -> None:
    """Say how a goal ended. One that was undone stays so: who finishes it may have been overtaken."""
    if known_goal(tx, goal).status != "undone":
        tx.set_goal(goal, status)


def known_goal(tx: Transaction, goal: str) -> Goal:
    """The journal entry. Raises NotFound."""
    return required(tx.goal(id=goal), goal)


def required(found: Goal | None, goal: str) -> Goal:
    """The journal entry that was found. Raises NotFound where there is none."""
    if found is None:
        raise NotFound(f"the journal has no goal {shown(goal)}", hint="Look at the history: goals are G1, G2, ...")
    return found


def node(tx: Transaction, key: str, label: str | None = None, end: str = "") -> Stored[Node]:
    """The node with this key. Raises NotFound, with the nearest keys, and Ambiguous.

    `end` says what the node is for, when that is not plain: "for the edge to begin at".
    """
    return only(tx.nodes(key, label), key, label, lambda: tx.keys_near(key, label), end)


def only(
    found: Sequence[Stored[Node]],
    key: str,
    label: str | None,
    near: Callable[[], Sequence[str]],
    end: str = "",
) -> Stored[Node]:
    """The single node of those found; `near` is asked for the keys that resemble one that no node has."""
    if len(found) == 1:
        return found[0]
    if found:
        raise Ambiguous(key, sorted(each.element.label for each in found))
    what = f"{label} {shown(key)}" if label else shown(key)
    raise NotFound(f"there is no node {what}{f' {end}' if end else ''}", near())


def there_already(element: Element, *, twice: bool) -> Conflict:
    """The error for an element of a load that no update was meant for: it comes `twice`, or the graph has it."""
    what = "stands twice in what is loaded" if twice else "is in the graph already"
    hint = "Keep one of them, or load them as an update." if twice else "Load it as an update."
    error = Conflict(f"{element.name} {what}; nothing was loaded", hint)
    error.identity = element.identity
    return error


def no_end(edge: Edge, label: str, key: str, near: Sequence[str]) -> NotFound:
    """The error for an edge of a load of which one end, `label` and `key`, does not exist."""
    error = NotFound(f"there is no node {label} {shown(key)} for the edge {edge.name}", near)
    error.identity = edge.identity
    return error


def check_count(count: int) -> None:
    """Raises QueryFailed (`too_much`) for a write that changes more than can be shown and undone."""
    if count > MOST_CHANGES:
        raise QueryFailed(
            "too_much",
            f"this would change {count:,} nodes and edges at once",
            f"Do it in parts of at most {MOST_CHANGES:,}, or import the data.",
        )


def now() -> str:
    """The time as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _check_node(write: UpdateNode | DeleteNode) -> None:
    checked_key(write.key)
    if write.label is not None:
        checked_name(write.label, "label")


def _check_ends(write: AddEdge | UpdateEdge | DeleteEdge) -> None:
    checked_name(write.type, "type")
    for key, label in ((write.from_key, write.from_label), (write.to_key, write.to_label)):
        checked_key(key)
        if label is not None:
            checked_name(label, "label")


def _add_node(tx: Transaction, write: AddNode) -> Change | None:
    found = tx.nodes(write.key, write.label)
    if found:
        return _set_node(tx, found[0], write.properties)
    made = Node(write.label, write.key, dict(write.properties))
    tx.create_node(made)
    return Change(None, made)


def _add_edge(tx: Transaction, write: AddEdge) -> Change | None:
    source, target = _ends(tx, write)
    found = tx.edge(source.ref, write.type, target.ref)
    if found:
        return _set_edge(tx, found, write.properties)
    ends = (source.element.label, source.element.key, write.type, target.element.label, target.element.key)
    made = Edge(*ends, dict(write.properties))
    tx.create_edge(source.ref, made, target.ref)
    return Change(None, made)


def _set_node(tx: Transaction, found: Stored[Node], properties: Mapping[str, Any]) -> Change | None:
    new = _differences(found.element, properties)
    if not new:
        return None
    tx.set_node(found.ref, new)
    return Change(found.element, _with(found.element, new))


def _set_edge(tx: Transaction, found: Stored[Edge], properties: Mapping[str, Any]) -> Change | None:
    new = _differences(found.element, properties)
    if not new:
        return None
    tx.set_edge(found.ref, new)
    return Change(found.element, _with(found.element, new))


def _delete_node(tx: Transaction, write: DeleteNode) -> Sequence[Change]:
    found = node(tx, write.key, write.label)
    edges = tx.edges_of(found.ref)
    check_count(len(edges))
    for edge in edges:
        tx.delete_edge(edge.ref)
    tx.delete_node(found.ref)
    return [*(Change(edge.element, None) for edge in edges), Change(found.element, None)]


def _edge(tx: Transaction, write: UpdateEdge | DeleteEdge) -> Stored[Edge]:
    source, target = _ends(tx, write)
    found = tx.edge(source.ref, write.type, target.ref)
    if found is not None:
        return found
    begin, end = source.element.identity[1:], target.element.identity[1:]
    wanted = Edge(source.element.label, source.element.key, write.type, target.element.label, target.element.key)
    edges = (each.element for each in tx.edges_of(source.ref))
    # The usual slips are another type and the wrong direction.
    between = [edge.name for edge in edges if {edge.identity[1:3], edge.identity[4:]} == {begin, end}]
    raise NotFound(f"there is no edge {wanted.name}", between[:3])


def _ends(tx: Transaction, write: AddEdge | UpdateEdge | DeleteEdge) -> tuple[Stored[Node], Stored[Node]]:
    source = node(tx, write.from_key, write.from_label, "for the edge to begin at")
    return source, node(tx, write.to_key, write.to_label, "for the edge to end at")


def _differences(element: Element, properties: Mapping[str, Value | None]) -> dict[str, Value | None]:
    """What of the properties is not so already."""
    old = element.properties
    return {
        name: value
        for name, value in properties.items()
        if (name in old if value is None else name not in old or not same(old[name], value))
    }


def _with(element: E, new: Mapping[str, Value | None]) -> E:
    merged = {**element.properties, **new}
    return replace(element, properties={name: value for name, value in merged.items() if value is not None})


def _changed(change: Change | None) -> Sequence[Change]:
    return (change,) if change else ()


def _order(change: Change) -> tuple[int, tuple[str, ...]]:
    """Deleted edges and nodes first, then nodes, then edges: the order in which they could be done one by one."""
    edge = isinstance(change.element, Edge)
    if change.kind == "deleted":
        return (0 if edge else 1, change.element.identity)
    return (3 if edge else 2, change.element.identity)
