"""The port: the interface of every graph store, its writes, and its return values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from graphwright_graph._elements import Change, Element, Node, Schema, Subgraph


@dataclass(frozen=True, slots=True)
class AddNode:
    """Create the node, or set these properties on the existing one (upsert)."""

    label: str
    key: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddEdge:
    """Create the edge, or set these properties on the existing one (upsert). Both ends must exist.

    A missing label is looked up; a key that several labels have then raises `Ambiguous`.
    """

    from_key: str
    type: str
    to_key: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateNode:
    """Set properties of an existing node; null removes one."""

    key: str
    properties: Mapping[str, Any]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateEdge:
    """Set properties of an existing edge; null removes one."""

    from_key: str
    type: str
    to_key: str
    properties: Mapping[str, Any]
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """Delete a node and all its edges."""

    key: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteEdge:
    """Delete one edge."""

    from_key: str
    type: str
    to_key: str
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A Cypher statement that writes. Pass its values in `parameters`."""

    query: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


Write: TypeAlias = AddNode | AddEdge | UpdateNode | UpdateEdge | DeleteNode | DeleteEdge | Statement

_CLASSES: dict[str, type[Any]] = {
    each.__name__: each for each in (AddNode, AddEdge, UpdateNode, UpdateEdge, DeleteNode, DeleteEdge, Statement)
}


def write_to_json(write: Write) -> dict[str, Any]:
    """The write as JSON: its fields, and its class as `write`."""
    return {"write": type(write).__name__, **asdict(write)}


def write_from_json(data: Mapping[str, Any]) -> Write:
    """Make the write from its JSON form."""
    fields = dict(data)
    made: Write = _CLASSES[fields.pop("write")](**fields)
    return made


READ_SECONDS = 10.0
"""The default time limit of a read, in seconds."""

WRITE_SECONDS = 30.0
"""The time limit of a write, including its preview, in seconds."""

MOST_ROWS = 1000
"""The default maximum number of rows of a read."""


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of a read. `truncated`: there are more rows.

    A cell is JSON: a node or an edge as its `to_json`, a path as `{"nodes": [...], "edges": [...]}`.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of writes: they were executed, the graph compared, and the transaction rolled back.

    `changes` are net, one for each element, in an order in which they could be done one by one. `binding` is a hash
    over the writes, the version of the graph and the changes: `apply(..., expected=binding)` makes exactly these
    changes or none.
    """

    changes: tuple[Change, ...]
    version: int
    binding: str


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of writes. `repeated`: the key was already used for them, and they were not executed again."""

    changes: tuple[Change, ...]
    version: int
    repeated: bool = False


GoalStatus = Literal["open", "done", "partial", "refused", "failed", "expired", "undone"]


@dataclass(frozen=True, slots=True)
class Step:
    """Writes of a goal that were committed together, as in the journal. `time` is ISO 8601 in UTC."""

    key: str
    writes: tuple[Mapping[str, Any], ...]
    changes: tuple[Change, ...]
    version: int
    time: str


@dataclass(frozen=True, slots=True)
class Goal:
    """A journal entry: the request, its thread, and the steps done for it. Times are ISO 8601 in UTC.

    `id` is `G1`, `G2`, ... in the order of creation; `key` the caller's idempotency key. `undone_by` is the id of the
    goal that undid this one, `undoes` the id of the goal that this one undid.
    """

    id: str
    key: str
    text: str
    thread: str
    status: GoalStatus
    began: str
    finished: str | None = None
    undoes: str | None = None
    undone_by: str | None = None
    steps: tuple[Step, ...] = field(default=())


class GraphStore(ABC):
    """A property graph with a journal. Every method is thread-safe, and raises only `GraphError`s.

    Reads do not change anything, whatever the text of the query. A write and its journal step are one transaction.
    Names, keys and values are checked (`BadElement`) before an engine receives them; values are passed only as
    parameters.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The location of the graph, for messages; without secrets."""

    @abstractmethod
    def version(self) -> int:
        """A number that increases with every write to the graph."""

    @abstractmethod
    def schema(self) -> Schema:
        """Labels, types, properties and counts."""

    @abstractmethod
    def node(self, key: str, label: str | None = None) -> Node:
        """The node with this key. Raises NotFound, with the most similar keys, and Ambiguous."""

    @abstractmethod
    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        """Nodes with a key or a text property that is similar to words of a text; the best first.

        Words are compared without case and accents, by their common groups of three characters.
        """

    @abstractmethod
    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        """The values of a property on the nodes of a label, with counts, most frequent first; empty if over `most`."""

    @abstractmethod
    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        """The nodes within `depth` edges of a node, in any direction, and the edges between them."""

    @abstractmethod
    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        after: Sequence[Write] = (),
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Result:
        """Run a reading Cypher query in a read-only transaction that the engine enforces.

        With `after`, these writes are done before the query and rolled back after it. Raises QueryRefused for a query
        that is not accepted or writes, QueryFailed, Transient (`timeout`), and with `after` the errors of `preview`.
        """

    @abstractmethod
    def preview(self, writes: Sequence[Write]) -> Preview:
        """Execute writes in order, compare the graph, and roll them back.

        Raises the error of the first write that fails, with its index (from 0) as `at`.
        """

    @abstractmethod
    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        """Execute writes as one step of a goal (its id), all or none, once.

        The same `key` again returns the first result. With `expected`, the binding of a preview, raises Conflict if the
        writes, the graph or the changes differ from the preview. Raises as `preview` does.
        """

    @abstractmethod
    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        """Create a journal entry; the same `key` again returns the same entry."""

    @abstractmethod
    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        """Set the final status of a goal; a later call replaces it."""

    @abstractmethod
    def goal(self, goal: str) -> Goal:
        """The journal entry with its steps. Raises NotFound."""

    @abstractmethod
    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        """Journal entries, newest first, with their steps."""

    @abstractmethod
    def preview_undo(self, goal: str, also: Sequence[str] = ()) -> tuple[Change, ...]:
        """The net changes that `undo` would make now, in order; rolled back. Raises as `undo` does."""

    @abstractmethod
    def undo(self, goal: str, *, key: str, thread: str = "", also: Sequence[str] = ()) -> Goal:
        """Revert exactly the changes of a goal, in one transaction, as a new goal, which is returned.

        `thread` is the thread of the request; without one the new goal belongs to the thread of the old one. The goals
        `also` are undone after it in the same transaction, each as a goal of its own; later goals come first.

        Raises NotFound, and Conflict if an element of the goal was changed since: the message names it, and the goals
        that changed it.
        """

    @abstractmethod
    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        """Load many nodes and edges in one transaction. Returns the numbers of nodes and edges.

        Edges refer to nodes that came before them or are in the graph. Without `update`, an element that already
        exists, or occurs twice, raises Conflict. The load is a journal entry without steps (`text` and the numbers),
        and cannot be undone.
        """

    @abstractmethod
    def export(self) -> Iterator[Element]:
        """All nodes, then all edges, sorted by identity."""

    @abstractmethod
    def close(self) -> None:
        """Release the engine. Idempotent."""
