"""The port: the interface of every graph store, the writes that it takes, and the values that it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from graphwright.graphstore.elements import Change, Element, Node, Schema, Subgraph


@dataclass(frozen=True, slots=True)
class AddNode:
    """Create the node, or set these properties on the one that is there (upsert)."""

    label: str
    key: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddEdge:
    """Create the edge, or set these properties on the one that is there (upsert). Both ends must exist.

    A label that is left out is looked up; a key that several labels have is then `Ambiguous`.
    """

    from_key: str
    type: str
    to_key: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateNode:
    """Set properties of a node that exists; null removes one."""

    key: str
    properties: Mapping[str, Any]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateEdge:
    """Set properties of an edge that exists; null removes one."""

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
    """A Cypher statement that writes. Its values belong into `parameters`."""

    query: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


Write: TypeAlias = AddNode | AddEdge | UpdateNode | UpdateEdge | DeleteNode | DeleteEdge | Statement

_CLASSES: dict[str, type[Any]] = {
    each.__name__: each for each in (AddNode, AddEdge, UpdateNode, UpdateEdge, DeleteNode, DeleteEdge, Statement)
}


def write_to_json(write: Write) -> dict[str, Any]:
    """The write as JSON: its fields, and its class under `write`."""
    return {"write": type(write).__name__, **asdict(write)}


def write_from_json(data: Mapping[str, Any]) -> Write:
    """The write of a JSON form."""
    fields = dict(data)
    made: Write = _CLASSES[fields.pop("write")](**fields)
    return made


READ_SECONDS = 10.0
"""How long a read may take unless the caller says otherwise."""

WRITE_SECONDS = 30.0
"""How long a write may take, its preview included."""

MOST_ROWS = 1000
"""How many rows a read returns unless the caller says otherwise."""


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of a read. A cell is JSON: a node or an edge as its `to_json`, a path as `{"nodes": [...], "edges": [...]}`.
    `truncated` when there are more rows.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """What writes would do: they were executed, the graph compared, and the transaction rolled back.

    `changes` are net, one an element, in an order in which they could be done one by one. `binding` is a hash over the
    writes, the version of the graph and the changes: `apply(..., expected=binding)` does exactly this or nothing.
    """

    changes: tuple[Change, ...]
    version: int
    binding: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What writes did; `repeated`: they had been done before under the same key, and nothing was done now."""

    changes: tuple[Change, ...]
    version: int
    repeated: bool = False


GoalStatus = Literal["open", "done", "partial", "refused", "failed", "expired", "undone"]


@dataclass(frozen=True, slots=True)
class Step:
    """Writes of a goal that were committed together, as the journal holds them. `time` is ISO 8601 in UTC."""

    key: str
    writes: tuple[Mapping[str, Any], ...]
    changes: tuple[Change, ...]
    version: int
    time: str


@dataclass(frozen=True, slots=True)
class Goal:
    """A journal entry: the request, its thread, and the steps done for it. Times are ISO 8601 in UTC.

    `id` is `G1`, `G2`, ... in the order of beginning; `key` the caller's idempotency key. `undone_by` and `undoes` are
    the ids of the goal that undid this one, and of the one that this one undid.
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
    """A property graph with a journal. Every method may be called from any thread, and raises only `GraphError`s.

    Reads never change anything, whatever the text of the query. A write and its journal step are one transaction.
    Names, keys and values are checked (`BadElement`) before an engine sees them; values only travel as parameters.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Where the graph is, for messages; holds no secret."""

    @abstractmethod
    def version(self) -> int:
        """A number that grows with every write to the graph."""

    @abstractmethod
    def schema(self) -> Schema:
        """Labels, types, properties and counts."""

    @abstractmethod
    def node(self, key: str, label: str | None = None) -> Node:
        """The node with this key. Raises NotFound, which names the nearest keys, and Ambiguous."""

    @abstractmethod
    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        """Nodes with a key, or a text among their properties, that resembles words of a text; the best first.

        Words are compared without case and accents, by the groups of three characters that they share.
        """

    @abstractmethod
    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        """The values of a property on the nodes of a label, with their counts, most frequent first; none if more."""

    @abstractmethod
    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        """The nodes within `depth` edges of a node, whatever their direction, and the edges between them."""

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
        """A reading Cypher query in a read-only transaction that the engine enforces.

        With `after`, the graph is read as these writes would leave it: they are done, and rolled back afterwards.
        Raises QueryRefused for a text that is not accepted or writes, QueryFailed, Transient (`timeout`), and with
        `after` what `preview` raises.
        """

    @abstractmethod
    def preview(self, writes: Sequence[Write]) -> Preview:
        """Execute writes, one after the other, compare, and roll them back.

        Raises what the first one that cannot be done raises; its `at` is the number of that write, from 0.
        """

    @abstractmethod
    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        """Do writes as one step of a goal (its id), all or none, once: the same `key` again returns what was done.

        With `expected`, the binding of a preview, Conflict is raised when the writes, the graph or the changes are not
        what was previewed. Raises as `preview` does.
        """

    @abstractmethod
    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        """Open a journal entry; the same `key` again returns the same entry."""

    @abstractmethod
    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        """Set the final status of a goal; another call replaces it."""

    @abstractmethod
    def goal(self, goal: str) -> Goal:
        """The journal entry with its steps. Raises NotFound."""

    @abstractmethod
    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        """Journal entries, newest first, with their steps."""

    @abstractmethod
    def preview_undo(self, goal: str) -> tuple[Change, ...]:
        """What undoing a goal would do now, in its order: done and rolled back. Raises as `undo` does."""

    @abstractmethod
    def undo(self, goal: str, *, key: str, thread: str = "") -> Goal:
        """Revert exactly what a goal changed, in one transaction, as a new goal, which is returned.

        `thread` is where it was asked for; without one the new goal belongs to the thread of the old one.

        Raises NotFound, and Conflict when something that it touched was changed since: the message names what, and
        the goals that did it.
        """

    @abstractmethod
    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        """Load many nodes and edges in one transaction; returns how many of each there were.

        Edges name nodes that came before them or are in the graph. Without `update` an element that exists already, or
        comes twice, is a Conflict. It becomes a journal entry (`text`) without steps: it cannot be undone.
        """

    @abstractmethod
    def export(self) -> Iterator[Element]:
        """All nodes, then all edges, sorted by identity."""

    @abstractmethod
    def close(self) -> None:
        """Release the engine. Idempotent."""
