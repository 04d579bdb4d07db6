"""The part of the port that all adapters share, over an engine that opens readers and transactions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from graphwright_graph import _undo as undo
from graphwright_graph import _unit_of_work as unit_of_work
from graphwright_graph._elements import (
    Change,
    Element,
    Node,
    Schema,
    Subgraph,
    checked_key,
    checked_name,
    checked_parameters,
)
from graphwright_graph._port import (
    MOST_ROWS,
    READ_SECONDS,
    Applied,
    Goal,
    GoalStatus,
    GraphStore,
    Preview,
    Result,
    Write,
)
from graphwright_graph._unit_of_work import Reader, Stored, Transaction
from graphwright_graph.cypher import accepted

T = TypeVar("T")

BULK_SECONDS = 600.0
"""The time limit of an import, an export or a scan of the whole graph, in seconds."""


class Adapter(GraphStore):
    """A graph store whose engine has transactions. A subclass opens them, and loads many elements."""

    @abstractmethod
    def _reading(self, seconds: float) -> AbstractContextManager[Reader]:
        """Open a transaction that only reads, for at most `seconds`."""

    @abstractmethod
    def _write(
        self,
        do: Callable[[Transaction], T],
        *,
        writes: Sequence[Write] = (),
        keep: bool = True,
        seconds: float | None = None,
    ) -> T:
        """Call `do` in a write transaction, which is then committed if `keep`, otherwise rolled back.

        `writes` are the writes that `do` performs, if they are known. `seconds` is the time limit if it is not the
        usual one.
        """

    def _check_query(self, query: str) -> None:
        """Raise QueryRefused for a query that this engine does not support, before a transaction is opened."""

    def version(self) -> int:
        with self._reading(READ_SECONDS) as reader:
            return reader.version()

    def schema(self) -> Schema:
        with self._reading(BULK_SECONDS) as reader:
            return reader.schema()

    def node(self, key: str, label: str | None = None) -> Node:
        with self._reading(READ_SECONDS) as reader:
            return _node(reader, key, label).element

    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        with self._reading(READ_SECONDS) as reader:
            return reader.search(text, most)

    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        checked_name(label, "label")
        checked_name(name, "property name")
        with self._reading(READ_SECONDS) as reader:
            return reader.values(label, name, most)

    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        with self._reading(READ_SECONDS) as reader:
            return reader.subgraph(_node(reader, key, label), depth, most)

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        after: Sequence[Write] = (),
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Result:
        given = checked_parameters(parameters)
        columns = accepted(query, given, writes=False).columns
        self._check_query(query)

        def result(reader: Reader) -> Result:
            rows = tuple(reader.rows(query, given, max_rows + 1))
            return Result(columns, rows[:max_rows], truncated=len(rows) > max_rows)

        if not after:
            with self._reading(timeout) as reader:
                return result(reader)
        writes = unit_of_work.all_checked(after)

        def behind(tx: Transaction) -> Result:
            unit_of_work.perform(tx, writes)
            with tx.only_reading(timeout):
                return result(tx)

        return self._write(behind, writes=writes, keep=False)

    def preview(self, writes: Sequence[Write]) -> Preview:
        return self._write(lambda tx: unit_of_work.preview(tx, writes), writes=writes, keep=False)

    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        return self._write(
            lambda tx: unit_of_work.apply(tx, writes, goal=goal, key=key, expected=expected), writes=writes
        )

    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        return self._write(lambda tx: tx.goal(key=key) or tx.add_goal(text, key=key, thread=thread))

    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        self._write(lambda tx: unit_of_work.finish_goal(tx, goal, status))

    def goal(self, goal: str) -> Goal:
        with self._reading(READ_SECONDS) as reader:
            return unit_of_work.existing_goal(reader, goal)

    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        with self._reading(READ_SECONDS) as reader:
            return tuple(reader.goals(most))

    def preview_undo(self, goal: str, also: Sequence[str] = ()) -> tuple[Change, ...]:
        return self._write(lambda tx: undo.preview(tx, goal, also), keep=False)

    def undo(self, goal: str, *, key: str, thread: str = "", also: Sequence[str] = ()) -> Goal:
        return self._write(lambda tx: undo.undo(tx, goal, key=key, thread=thread, also=also))

    def export(self) -> Iterator[Element]:
        with self._reading(BULK_SECONDS) as reader:
            yield from reader.everything()


def _node(reader: Reader, key: str, label: str | None) -> Stored[Node]:
    checked_key(key)
    if label is not None:
        checked_name(label, "label")
    return unit_of_work.node(reader, key, label)
