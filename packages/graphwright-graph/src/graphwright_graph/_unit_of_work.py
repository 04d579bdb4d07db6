"""The interface of an engine's transactions, and the writes inside one: upserts, net changes, previews, steps."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from graphwright.text.sentences import many
from graphwright_graph._elements import (
    KEY,
    Change,
    Edge,
    Element,
    Node,
    Schema,
    Subgraph,
    Value,
    canonical_json,
    checked_key,
    checked_name,
    checked_parameters,
    checked_properties,
    identical,
    net_changes,
    quote,
)
from graphwright_graph._errors import Ambiguous, BadElement, Conflict, GraphError, NotFound, QueryFailed
from graphwright_graph._port import (
    AddEdge,
    AddNode,
    Applied,
    DeleteEdge,
    DeleteNode,
    Goal,
    GoalStatus,
    Preview,
    Statement,
    Step,
    UpdateEdge,
    UpdateNode,
    Write,
    write_to_json,
)
from graphwright_graph.cypher import accepted

E = TypeVar("E", Node, Edge)
S = TypeVar("S", bound=Element)
T = TypeVar("T")

EDGES_PER_NODE = 10
"""The maximum number of edges of a subgraph, for each of its maximum nodes."""

MOST_CHANGES = 20_000
"""The maximum number of elements that one write, or writes together, may change.

Each is shown, journaled, and can be undone.
"""


@dataclass(frozen=True, slots=True)
class Stored(Generic[S]):
    """An element and the engine's own reference to it."""

    ref: Any
    element: S


class Reader(ABC):
    """The reads of an engine in one open transaction: all see one state of the graph. Arguments are already checked."""

    @abstractmethod
    def version(self) -> int:
        """The version of the graph, with the increments of this transaction."""

    @abstractmethod
    def schema(self) -> Schema: ...

    @abstractmethod
    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        """The nodes with exactly this key; at most one for each label."""

    @abstractmethod
    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        """Up to three keys similar to a missing one, most similar first."""

    @abstractmethod
    def search(self, text: str, most: int) -> tuple[Node, ...]: ...

    @abstractmethod
    def values(self, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]: ...

    @abstractmethod
    def neighbours(self, layer: Sequence[Any], reached: Collection[Any], most: int) -> Sequence[Stored[Node]]:
        """At most `most` nodes one edge away from those of a layer, without those in `reached`; both are references."""

    @abstractmethod
    def edges_between(self, refs: Sequence[Any], most: int) -> Sequence[Edge]:
        """At most `most` edges that begin and end at these nodes, sorted by identity."""

    def subgraph(self, start: Stored[Node], depth: int, most: int) -> Subgraph:
        reached, layer, truncated = {start.ref: start.element}, [start.ref], False
        for _ in range(depth):
            found = self.neighbours(layer, reached.keys(), most - len(reached) + 1)
            truncated = len(reached) + len(found) > most
            layer = [each.ref for each in found[: most - len(reached)]]
            reached |= {each.ref: each.element for each in found[: len(layer)]}
            if truncated or not layer:
                break
        limit = most * EDGES_PER_NODE
        edges = self.edges_between(list(reached), limit + 1)
        nodes = sorted(reached.values(), key=lambda node: node.identity)
        return Subgraph(tuple(nodes), tuple(edges[:limit]), truncated or len(edges) > limit)

    @abstractmethod
    def everything(self) -> Iterator[Element]: ...

    @abstractmethod
    def rows(self, query: str, parameters: Mapping[str, Any], most: int) -> Iterator[tuple[Any, ...]]:
        """At most `most` rows of an accepted query, as JSON."""

    @abstractmethod
    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        """A journal entry with its steps, by its id or by the caller's key."""

    @abstractmethod
    def goals(self, most: int) -> Sequence[Goal]:
        """The newest entries with their steps, newest first."""


class Transaction(Reader):
    """An open write transaction, which the caller commits or rolls back. Arguments are already validated."""

    @abstractmethod
    def bump(self) -> int:
        """Increment the version. Returns the new one."""

    @abstractmethod
    def edge(self, source: Any, type: str, target: Any) -> Stored[Edge] | None:
        """The edge of a type between two references."""

    @abstractmethod
    def edges_of(self, ref: Any) -> Sequence[Stored[Edge]]:
        """All edges of a node, in both directions, a self-loop once."""

    @abstractmethod
    def create_node(self, node: Node) -> None: ...

    @abstractmethod
    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        """Set properties; None removes one."""

    @abstractmethod
    def delete_node(self, ref: Any) -> None:
        """Delete a node without edges."""

    @abstractmethod
    def create_edge(self, source: Any, edge: Edge, target: Any) -> None: ...

    @abstractmethod
    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None: ...

    @abstractmethod
    def delete_edge(self, ref: Any) -> None: ...

    @abstractmethod
    def run(self, statement: Statement) -> Sequence[Change]:
        """Execute a Cypher write. Returns every element that it changed.

        Raises BadElement if the result breaks the rules of the port: one label and one key for each node, which do not
        change; one edge of a type between two nodes.
        """

    @abstractmethod
    def only_reading(self, seconds: float) -> AbstractContextManager[None]:
        """Inside, the transaction only reads, including its own writes, for at most `seconds`."""

    @abstractmethod
    def add_goal(self, text: str, *, key: str, thread: str, undoes: str | None = None) -> Goal:
        """Create a new entry, open, with the next id."""

    @abstractmethod
    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        """Set its status and, unless that is open, the time of finishing."""

    @abstractmethod
    def step(self, key: str) -> Step | None:
        """The step with this key, or None."""

    @abstractmethod
    def add_step(self, goal: str, step: Step) -> None: ...

    @abstractmethod
    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        """The steps of all goals with a higher version, as (goal id, step), oldest first."""


def checked(write: Write) -> Write:
    """The write with every name and value checked (BadElement, QueryRefused), without access to the graph."""
    if isinstance(write, Statement):
        parameters = checked_parameters(write.parameters)
        accepted(write.query, parameters, writes=True)
        return replace(write, parameters=parameters)
    labels: tuple[str | None, ...]
    if isinstance(write, AddNode | UpdateNode | DeleteNode):
        keys, labels = [write.key], (write.label,)
    else:
        checked_name(write.type, "type")
        keys, labels = [write.from_key, write.to_key], (write.from_label, write.to_label)
    for key in keys:
        checked_key(key)
    for label in labels:
        if label is not None or isinstance(write, AddNode):
            checked_name(label, "label")
    if isinstance(write, DeleteNode | DeleteEdge):
        return write
    removing = isinstance(write, UpdateNode | UpdateEdge)
    return replace(write, properties=checked_properties(write.properties, removing=removing))


def all_checked(writes: Sequence[Write]) -> list[Write]:
    """The writes, each as `checked` returns it; an error has the index of its write as `at`."""
    found = []
    for number, write in enumerate(writes):
        with _numbered(number):
            found.append(checked(write))
    return found


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    try:
        yield
    except GraphError as error:
        error.at = number
        raise


def perform(tx: Transaction, writes: Sequence[Write]) -> tuple[Change, ...]:
    """Execute checked writes inside an open transaction, without journal; the caller ends it. Returns the net changes.

    Raises BadElement, QueryRefused, QueryFailed, NotFound and Ambiguous, with the index of the write as `at`.
    """
    changes: list[Change] = []
    for number, write in enumerate(writes):
        with _numbered(number):
            changes += _execute(tx, write)
    found = net_changes(changes)
    check_count(len(found))
    return tuple(sorted(found, key=change_order))


def _execute(tx: Transaction, write: Write) -> Sequence[Change]:
    match write:
        case AddNode():
            return _add_node(tx, write)
        case AddEdge():
            return _add_edge(tx, write)
        case UpdateNode():
            return _set(tx.set_node, node(tx, write.key, write.label), write.properties)
        case UpdateEdge():
            return _set(tx.set_edge, _edge(tx, write), write.properties)
        case DeleteNode():
            return _delete_node(tx, write)
        case DeleteEdge():
            edge = _edge(tx, write)
            tx.delete_edge(edge.ref)
            return [Change(edge.element, None)]
        case Statement():
            return tx.run(write)


def preview(tx: Transaction, writes: Sequence[Write]) -> Preview:
    """Execute writes and return their effect. The caller rolls the transaction back."""
    given, version = all_checked(writes), tx.version()
    changes = perform(tx, given)
    return Preview(changes, version, binding(given, version, changes))


def binding(writes: Sequence[Write], version: int, changes: Sequence[Change]) -> str:
    """The version of the graph, and a hash over it, the checked writes with all their values, and their changes."""
    bound = [[write_to_json(write) for write in writes], version, changes]
    return f"{version}.{hashlib.sha256(canonical_json(bound).encode()).hexdigest()}"


def apply(tx: Transaction, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
    """Execute writes as one step of a goal, once for each key; the caller commits. Raises as the port's `apply`."""
    given, entry = all_checked(writes), existing_goal(tx, goal)
    journaled = tuple(write_to_json(write) for write in given)
    before = tx.step(key)
    if before is not None:
        if not identical(before.writes, journaled) or all(step.key != key for step in entry.steps):
            raise key_reused(key)
        return Applied(before.changes, before.version, repeated=True)
    if entry.status == "undone":
        raise Conflict(f"{goal} was undone, nothing can be added to it.", "Begin a new goal.")
    version = tx.version()
    if expected and not expected.startswith(f"{version}."):
        raise _binding_conflict()
    changes = perform(tx, given)
    if expected and expected != binding(given, version, changes):
        raise _binding_conflict()
    if changes:
        version = tx.bump()
    tx.add_step(goal, Step(key, journaled, changes, version, now()))
    return Applied(changes, version)


def key_reused(key: str) -> GraphError:
    """The error for a key that was already used for other writes."""
    return GraphError("key_reused", f"Something else has the key {quote(key)}.", "Give each step another key.")


def _binding_conflict() -> Conflict:
    what = "The graph, or the writes, are not what was shown and confirmed."
    return Conflict(what, "Read the present changes, and confirm.")


def finish_goal(tx: Transaction, goal: str, status: GoalStatus) -> None:
    """Set the final status of a goal. A goal that was undone in the meantime stays undone."""
    if existing_goal(tx, goal).status != "undone":
        tx.set_goal(goal, status)


def existing_goal(reader: Reader, goal: str) -> Goal:
    """The journal entry. Raises NotFound."""
    found = reader.goal(id=goal)
    if found is None:
        raise NotFound(f"The journal has no goal {quote(goal)}.", hint="See the history: goals are G1, G2, ...")
    return found


def node(reader: Reader, key: str, label: str | None = None, end: str = "") -> Stored[Node]:
    """The node with this key; `end` is its role in messages. Raises NotFound, with similar keys, and Ambiguous."""
    found = reader.nodes(key, label)
    if len(found) == 1:
        return found[0]
    if found:
        raise Ambiguous(key, sorted(each.element.label for each in found))
    what = f"{label} {quote(key)}" if label else quote(key)
    raise NotFound(f"There is no node {what}{f' {end}' if end else ''}.", reader.keys_near(key, label))


def repeated_in_load(element: Element) -> Conflict:
    """The error for an element of a load without update that already exists or occurs twice."""
    message = f"{element.name} is in the graph already, or occurs twice; nothing was loaded."
    return Conflict(message, "Keep one of them, or load them as an update.")


def missing_end(edge: Edge, end: Node, near: Sequence[str]) -> NotFound:
    """The error for an edge of a load with a missing end."""
    return NotFound(f"There is no node {end.label} {quote(end.key)} for the edge {edge.name}.", near)


def check_count(count: int) -> None:
    """Raise QueryFailed (`too_much`) for a write with more changes than can be shown and undone."""
    if count > MOST_CHANGES:
        hint = f"Do it in parts of at most {MOST_CHANGES:,}, or import the data."
        raise QueryFailed("too_much", f"This would change {count:,} nodes and edges at once.", hint)


# The changes of a statement


def node_from_engine(labels: Sequence[str], properties: Mapping[str, Any]) -> Node:
    """A node from an engine's labels and properties. Raises BadElement for one that breaks the rules of the port."""
    name = " ".join([":".join(sorted(labels)) or "a node", *([quote(properties[KEY])] if KEY in properties else [])])
    if len(labels) != 1:
        raise BadElement("bad_label", f"{name} has {len(labels)} labels.", "A node has exactly one label.")
    if KEY not in properties:
        raise BadElement("bad_key", f"{name} has no key.", "Give each node a text as `key`.")
    label, key = checked_name(labels[0], "label"), checked_key(properties[KEY])
    others = {each: value for each, value in properties.items() if each != KEY}
    checked_properties(others, of=name)
    return Node(label, key, others)


def changes_between(states: Collection[tuple[Element | None, Element | None]]) -> tuple[Change, ...]:
    """The changes between states before and after. Each pair has one reference of the engine.

    Deleting an element and creating it again is a change of it. Raises BadElement for another label or key.
    """
    for before, after in states:
        if isinstance(before, Node) and isinstance(after, Node) and before.identity != after.identity:
            raise BadElement(
                "bad_key",
                f"{before.name} would become {after.name}.",
                "Label and key of a node stay what they are: delete it and create another.",
            )
    return net_changes(
        sorted((Change(*pair) for pair in states if any(pair)), key=lambda change: change.after is not None)
    )


def duplicate_error(element: Element) -> BadElement:
    """The error for an element that a statement would create twice."""
    what, code = ("nodes", "bad_key") if isinstance(element, Node) else ("edges", "bad_edge")
    return BadElement(code, f"There would be two {what} {element.name}.", "MERGE it instead.")


def record_load(tx: Transaction, text: str, counts: tuple[int, int]) -> None:
    """Journal a load, with its numbers of nodes and edges, as a goal without steps, which cannot be undone."""
    loaded = f"{text}: {many(counts[0], 'node')} and {many(counts[1], 'edge')}"
    entry = tx.add_goal(loaded, key=f"load {now()} {tx.bump()}", thread="")
    tx.set_goal(entry.id, "done")


def now() -> str:
    """The present time as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _add_node(tx: Transaction, write: AddNode) -> Sequence[Change]:
    found = tx.nodes(write.key, write.label)
    if found:
        return _set(tx.set_node, found[0], write.properties)
    made = Node(write.label, write.key, dict(write.properties))
    tx.create_node(made)
    return [Change(None, made)]


def _add_edge(tx: Transaction, write: AddEdge) -> Sequence[Change]:
    source, target = _ends(tx, write)
    found = tx.edge(source.ref, write.type, target.ref)
    if found:
        return _set(tx.set_edge, found, write.properties)
    ends = (source.element.label, source.element.key, write.type, target.element.label, target.element.key)
    made = Edge(*ends, dict(write.properties))
    tx.create_edge(source.ref, made, target.ref)
    return [Change(None, made)]


def _set(
    set: Callable[[Any, Mapping[str, Value | None]], None], found: Stored[E], properties: Mapping[str, Value | None]
) -> Sequence[Change]:
    """Set the differing properties."""
    old = found.element.properties
    new = {
        name: value
        for name, value in properties.items()
        if (name in old if value is None else name not in old or not identical(old[name], value))
    }
    if not new:
        return []
    set(found.ref, new)
    merged = {name: value for name, value in {**old, **new}.items() if value is not None}
    return [Change(found.element, replace(found.element, properties=merged))]


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
    # The usual mistakes are another type and the wrong direction.
    between = [edge.name for edge in edges if {edge.identity[1:3], edge.identity[4:]} == {begin, end}]
    raise NotFound(f"There is no edge {wanted.name}.", between[:3])


def _ends(tx: Transaction, write: AddEdge | UpdateEdge | DeleteEdge) -> tuple[Stored[Node], Stored[Node]]:
    source = node(tx, write.from_key, write.from_label, "for the edge to begin at")
    return source, node(tx, write.to_key, write.to_label, "for the edge to end at")


def change_order(change: Change) -> tuple[int, tuple[str, ...]]:
    """Deleted edges and nodes first, then nodes, then edges: an order in which they could be done one by one."""
    edge = isinstance(change.element, Edge)
    if change.kind == "deleted":
        return (0 if edge else 1, change.element.identity)
    return (3 if edge else 2, change.element.identity)
