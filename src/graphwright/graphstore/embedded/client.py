"""The embedded graph store: the port, served by a confined worker process that holds the engine."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any, TypeVar

from graphwright.graphstore.accepted import accepted
from graphwright.graphstore.elements import Change, Edge, Element, Node, Schema, Subgraph, element
from graphwright.graphstore.embedded import wire
from graphwright.graphstore.embedded.frames import Unsendable, batched, encoded
from graphwright.graphstore.embedded.process import Died, How, Worker
from graphwright.graphstore.errors import BadElement, GraphError, GraphUnavailable, QueryFailed, Transient
from graphwright.graphstore.parameters import checked_parameters
from graphwright.graphstore.port import (
    MOST_ROWS,
    READ_SECONDS,
    WRITE_SECONDS,
    Applied,
    Goal,
    GoalStatus,
    GraphStore,
    Preview,
    Result,
)
from graphwright.graphstore.writes import Statement, Write, write_to_json
from graphwright.graphstore.writing import all_checked
from graphwright.store.sqlite_files import private_folder

MEMORY = 1 << 30
"""Bytes of address space that a worker may take, unless its store was made with another limit."""

_BULK_SECONDS = 600.0
"""How long an import or an export may keep the engine busy."""

_MOST_IDLE = 2

T = TypeVar("T")


class EmbeddedStore(GraphStore):
    """A graph in one file. Nothing is started before the first call.

    The engine lives in a worker process that can reach the folder of the file and nothing else, so the file wants a
    folder of its own. When a query breaks the worker, that query fails, and the next call starts another. Calls from
    several threads take turns; what comes as a stream (`stream`, `export`, `load`) has a worker to itself. After
    `close` a call opens the graph again.
    """

    def __init__(self, path: Path, *, memory: int = MEMORY) -> None:
        self._path = path.expanduser().absolute()
        self._memory = memory
        self._turn = threading.Lock()
        self._idle: list[Worker] = []
        _stores.add(self)

    @property
    def name(self) -> str:
        return str(self._path)

    @property
    def isolation(self) -> str:
        """What confines the worker, `landlock+seccomp`. Raises GraphUnavailable where it cannot be had."""
        with self._turn, self._worker() as worker:
            return worker.isolation

    def version(self) -> int:
        return self._ask("version", int)

    def schema(self) -> Schema:
        return self._ask("schema", wire.schema_from_json)

    def node(self, key: str, label: str | None = None, *, near: bool = True) -> Node:
        return self._ask("node", lambda data: Node(**data), key=key, label=label, near=near)

    def find(self, texts: Sequence[str], *, most: int = 20) -> tuple[Node, ...]:
        return self._ask("find", wire.nodes_from_json, texts=list(texts), most=most)

    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        return self._ask("search", wire.nodes_from_json, text=text, most=most)

    def edges(self, key: str, label: str | None = None, *, most: int = 200) -> tuple[Edge, ...]:
        return self._ask("edges", wire.edges_from_json, key=key, label=label, most=most)

    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        return self._ask("values", wire.values_from_json, label=label, name=name, most=most)

    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        return self._ask("subgraph", wire.subgraph_from_json, key=key, depth=depth, label=label, most=most)

    def stream(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Iterator[Sequence[Any]]:
        frame = _reading("stream", query, parameters, timeout, max_rows)
        return self._batches(frame, timeout, text=True)

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        after: Sequence[Write] = (),
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Result:
        frame = _reading("read", query, parameters, timeout, max_rows, after)
        return self._done(frame, WRITE_SECONDS if after else timeout, wire.result_from_json, text=True)

    def preview(self, writes: Sequence[Write]) -> Preview:
        frame = _writing("preview", writes)
        return self._done(frame, WRITE_SECONDS, wire.preview_from_json, text=_holds_text(writes))

    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        frame = _writing("apply", writes, goal=goal, key=key, expected=expected)
        try:
            return self._once(frame, WRITE_SECONDS, wire.applied_from_json)
        except Died as died:
            how = died.how
        # The transaction is either in the journal or was never: the worker is dead, and its locks with it.
        done = any(step.key == key for step in self.goal(goal).steps)
        if not done and how != "lost":
            raise _told(how, WRITE_SECONDS, _holds_text(writes)) from None
        try:
            return self._once(frame, WRITE_SECONDS, wire.applied_from_json)
        except Died:
            raise Transient(
                "connection_lost",
                "the process that holds the graph ended twice; whether the write was done is not known",
                "Do it again under the same key: it is done once.",
            ) from None

    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        return self._ask("begin_goal", wire.goal_from_json, text=text, key=key, thread=thread)

    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        self._ask("finish_goal", lambda data: None, goal=goal, status=status)

    def goal(self, goal: str) -> Goal:
        return self._ask("goal", wire.goal_from_json, goal=goal)

    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        return self._ask("goals", wire.goals_from_json, most=most)

    def preview_undo(self, goal: str) -> tuple[Change, ...]:
        return self._ask("preview_undo", wire.changes_from_json, WRITE_SECONDS, goal=goal)

    def undo(self, goal: str, *, key: str) -> Goal:
        return self._ask("undo", wire.goal_from_json, WRITE_SECONDS, goal=goal, key=key)

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        frame = _frame("load", _BULK_SECONDS, {"text": text, "update": update})
        batches = batched(each.to_json() for each in elements)
        try:
            with self._worker() as worker:
                worker.send(frame, _BULK_SECONDS)
                while "more" in (message := worker.hear(_BULK_SECONDS)):
                    with _sendable():
                        batch = next(batches, _NO_MORE)
                    worker.send(batch, _BULK_SECONDS)
                nodes, edges = message["done"]
                return nodes, edges
        except Died:
            raise Transient(
                "connection_lost",
                "the process that holds the graph ended before it said that everything was loaded",
                "Look whether the history names it (all of it was loaded then, else nothing); if not, try again.",
            ) from None

    def export(self) -> Iterator[Element]:
        return map(element, self._batches(_frame("export", _BULK_SECONDS, {}), _BULK_SECONDS))

    def close(self) -> None:
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()

    def _ask(self, method: str, read: Callable[[Any], T], seconds: float = READ_SECONDS, **given: Any) -> T:
        return self._done(_frame(method, seconds, given), seconds, read)

    def _done(self, frame: bytes, seconds: float, read: Callable[[Any], T], *, text: bool = False) -> T:
        """What may be done twice, done; `text` when somebody's query runs in it."""
        try:
            try:
                return self._once(frame, seconds, read)
            except Died as died:
                if died.how != "lost":
                    raise
                return self._once(frame, seconds, read)
        except Died as died:
            raise _told(died.how, seconds, text) from None

    def _once(self, frame: bytes, seconds: float, read: Callable[[Any], T]) -> T:
        with self._turn, self._worker() as worker:
            return worker.ask(frame, seconds, read)

    def _batches(self, frame: bytes, seconds: float, *, text: bool = False) -> Iterator[Any]:
        try:
            with self._worker() as worker:
                worker.send(frame, seconds)
                while "batch" in (message := worker.hear(seconds)):
                    yield from message["batch"]
        except Died as died:
            raise _told(died.how, seconds, text) from None

    @contextmanager
    def _worker(self) -> Iterator[Worker]:
        """A worker to oneself: an idle one, else a new one. It stays for the next call, if it is fit for one."""
        worker = self._taken()
        try:
            yield worker
        finally:
            if worker.midway:
                worker.kill()
            elif worker.alive and len(self._idle) < _MOST_IDLE:
                self._idle.append(worker)
            else:
                worker.close()

    def _taken(self) -> Worker:
        with suppress(IndexError):
            while True:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                worker.close()
        try:
            private_folder(self._path.parent)
        except OSError as error:
            raise GraphUnavailable(
                "graph_unavailable",
                f"the folder {self._path.parent} cannot be made: {error.strerror}",
                "Choose another data folder (GRAPHWRIGHT_HOME), or mend its permissions.",
            ) from None
        return Worker(self._path, self._memory)

    def after_fork(self) -> None:
        """In a forked child: the workers are the parent's, and a turn that was being taken there never ends here."""
        self._turn = threading.Lock()
        self._idle = []


_NO_MORE = encoded({"batch": []})


def _reading(
    method: str,
    query: str,
    parameters: Mapping[str, Any] | None,
    timeout: float,
    max_rows: int,
    after: Sequence[Write] = (),
) -> bytes:
    """The request to run a text that only reads. Raises QueryRefused and BadElement."""
    values = checked_parameters(parameters)
    known = query, *astuple(accepted(query, values, writes=False))
    given: dict[str, Any] = {"query": query, "parameters": values, "timeout": timeout, "max_rows": max_rows}
    if not after:
        return _frame(method, timeout, given, [known])
    writes = all_checked(after)
    given["after"] = [write_to_json(write) for write in writes]
    return _frame(method, WRITE_SECONDS, given, [known, *_accepted_in(writes)])


def _writing(method: str, writes: Sequence[Write], **given: str) -> bytes:
    """The request to do writes. Raises QueryRefused and BadElement."""
    writes = all_checked(writes)
    as_json = [write_to_json(write) for write in writes]
    return _frame(method, WRITE_SECONDS, {"writes": as_json, **given}, _accepted_in(writes))


def _accepted_in(writes: Iterable[Write]) -> list[Any]:
    """What is known of the statements among checked writes: the worker has no parser."""
    statements = [write for write in writes if isinstance(write, Statement)]
    return [(each.query, *astuple(accepted(each.query, each.parameters, writes=True))) for each in statements]


def _holds_text(writes: Iterable[Write]) -> bool:
    return any(isinstance(write, Statement) for write in writes)


def _frame(method: str, seconds: float, given: Mapping[str, Any], known: Sequence[Any] = ()) -> bytes:
    with _sendable():
        return encoded({"do": method, "seconds": seconds, "with": given, "accepted": known})


@contextmanager
def _sendable() -> Iterator[None]:
    try:
        yield
    except Unsendable as error:
        raise BadElement("bad_value", f"what was given {error}", "Give plain values, no larger ones.") from None


_LESS = "Ask for less: fewer hops, a label and a key to begin with, LIMIT; long texts as parameters."
_AGAIN = "Try again: the engine starts anew."


def _told(how: How, seconds: float, text: bool) -> GraphError:
    """Why there is no answer, for people."""
    match how:
        case "late" if text:
            return QueryFailed("too_much", f"the query had not ended after {seconds:g} seconds", _LESS)
        case "late":
            return Transient("timeout", f"the graph did not answer within {seconds:g} seconds", _AGAIN)
        case "broken" if text:
            return QueryFailed("too_much", "the query took more memory than the engine may, or broke it", _LESS)
        case "broken":
            return Transient("connection_lost", "the graph's engine broke while it worked", _AGAIN)
    return Transient("connection_lost", "the process that holds the graph was ended from outside", _AGAIN)


_stores: weakref.WeakSet[EmbeddedStore] = weakref.WeakSet()


def _after_fork() -> None:
    for store in list(_stores):
        store.after_fork()


os.register_at_fork(after_in_child=_after_fork)
