"""The embedded graph store: the port, served by confined worker processes that run the engine."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, cast

from pydantic import TypeAdapter

from graphwright.store.sqlite_files import private_folder
from graphwright_confined.child import Child
from graphwright_confined.child import Died as ChildDied
from graphwright_graph._adapter import BULK_SECONDS
from graphwright_graph._elements import Change, Element, Node, Schema, Subgraph, checked_parameters, element
from graphwright_graph._errors import (
    BadElement,
    GraphError,
    GraphUnavailable,
    QueryFailed,
    Transient,
    error_from_json,
)
from graphwright_graph._port import (
    MOST_ROWS,
    READ_SECONDS,
    WRITE_SECONDS,
    Applied,
    Goal,
    GoalStatus,
    GraphStore,
    Preview,
    Result,
    Statement,
    Write,
    write_to_json,
)
from graphwright_graph._unit_of_work import all_checked
from graphwright_graph.cypher import accepted, parse
from graphwright_graph.embedded._protocol import OUT_OF_MEMORY, Unsendable, batches, message, read

MEMORY = 1 << 30
"""The default maximum address space of a worker, in bytes."""

START_SECONDS = 30.0
"""The time limit for the start of a worker, in seconds. Opening after a crash may have to recover the file."""

_TIMEOUT_SECONDS = 2.0
"""The seconds after its time limit until a worker is killed. It ends itself one second earlier, if it still can."""

_MOST_IDLE = 2

_FAULTS = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS)

Ending: TypeAlias = Literal["late", "broken", "lost"]
"""How a worker ended.

`late`: time limit; `broken`: fault in native code, or out of memory; `lost`: signal from outside.
"""

T = TypeVar("T")


class EmbeddedStore(GraphStore):
    """A graph in one file. No process is started before the first call.

    The engine runs in a worker process that can access only the folder of the file, so the file needs a folder for
    itself alone. If a query breaks the worker, that query fails, and the next call starts another worker. Calls from
    several threads run one at a time; `export` and `load` use a separate worker. A call after `close` opens the graph
    again.
    """

    def __init__(self, path: Path, *, memory: int = MEMORY) -> None:
        self._path = path.expanduser().absolute()
        self._memory = memory
        self._turn = threading.Lock()
        self._idle: list[Worker] = []

    @property
    def name(self) -> str:
        return str(self._path)

    def version(self) -> int:
        return self._ask(int, "version")

    def schema(self) -> Schema:
        return self._ask(Schema, "schema")

    def node(self, key: str, label: str | None = None) -> Node:
        return self._ask(Node, "node", key=key, label=label)

    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        return self._ask(tuple[Node, ...], "search", text=text, most=most)

    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        return self._ask(tuple[tuple[Any, int], ...], "values", label=label, name=name, most=most)

    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        return self._ask(Subgraph, "subgraph", key=key, depth=depth, label=label, most=most)

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        after: Sequence[Write] = (),
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Result:
        values = checked_parameters(parameters)
        parsed = [(query, *astuple(accepted(query, values, writes=False)))]
        given: dict[str, Any] = {"query": query, "parameters": values, "timeout": timeout, "max_rows": max_rows}
        if after:
            writes = all_checked(after)
            given["after"] = [write_to_json(write) for write in writes]
            parsed += _parsed(writes)
        seconds = WRITE_SECONDS if after else timeout
        return self._answer(Result, _request("read", seconds, given, parsed), seconds)

    def preview(self, writes: Sequence[Write]) -> Preview:
        return self._answer(Preview, _writing("preview", writes), WRITE_SECONDS)

    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        frame = _writing("apply", writes, goal=goal, key=key, expected=expected)
        try:
            return self._once(Applied, frame, WRITE_SECONDS)
        except WorkerDied as died:
            how = died.ending
        # The transaction is either complete in the journal or did not happen: the dead worker has released its locks.
        done = next((step for step in self.goal(goal).steps if step.key == key), None)
        if done is None:
            raise _error_of_ending(how, WRITE_SECONDS)
        return Applied(done.changes, done.version, repeated=True)

    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        return self._ask(Goal, "begin_goal", text=text, key=key, thread=thread)

    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        self._ask(object, "finish_goal", goal=goal, status=status)

    def goal(self, goal: str) -> Goal:
        return self._ask(Goal, "goal", goal=goal)

    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        return self._ask(tuple[Goal, ...], "goals", most=most)

    def preview_undo(self, goal: str, also: Sequence[str] = ()) -> tuple[Change, ...]:
        return self._ask(tuple[Change, ...], "preview_undo", WRITE_SECONDS, goal=goal, also=list(also))

    def undo(self, goal: str, *, key: str, thread: str = "", also: Sequence[str] = ()) -> Goal:
        return self._ask(Goal, "undo", WRITE_SECONDS, goal=goal, key=key, thread=thread, also=list(also))

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        frame = _request("load", BULK_SECONDS, {"text": text, "update": update})
        parts = batches(elements)
        try:
            with self._worker() as worker:
                worker.send(frame, BULK_SECONDS)
                while (answer := worker.receive(BULK_SECONDS))[0] == "more":
                    with _sendable():
                        batch = next(parts, _NO_MORE)
                    worker.send(batch, BULK_SECONDS)
                return _decoded(tuple[int, int], answer[1])
        except WorkerDied:
            raise Transient(
                "connection_lost",
                "The process that holds the graph ended before it said that everything was loaded.",
                "Look whether the history names it (all of it was loaded then, else nothing); if not, try again.",
            ) from None

    def export(self) -> Iterator[Element]:
        frame = _request("export", BULK_SECONDS, {})
        try:
            with self._worker() as worker:
                worker.send(frame, BULK_SECONDS)
                while (answer := worker.receive(BULK_SECONDS))[0] == "batch":
                    yield from map(element, answer[1])
        except WorkerDied as died:
            raise _error_of_ending(died.ending, BULK_SECONDS) from None

    def close(self) -> None:
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()

    def _ask(self, shape: type[T], method: str, seconds: float = READ_SECONDS, **given: Any) -> T:
        return self._answer(shape, _request(method, seconds, given), seconds)

    def _answer(self, shape: type[T], frame: bytes, seconds: float) -> T:
        """Answer a request that may be repeated, because an idle worker may have been ended from outside."""
        try:
            try:
                return self._once(shape, frame, seconds)
            except WorkerDied as died:
                if died.ending != "lost":
                    raise
                return self._once(shape, frame, seconds)
        except WorkerDied as died:
            raise _error_of_ending(died.ending, seconds) from None

    def _once(self, shape: type[T], frame: bytes, seconds: float) -> T:
        with self._turn, self._worker() as worker:
            worker.send(frame, seconds)
            _, found = worker.receive(seconds, partial(_decoded, shape))
            return cast(T, found)

    @contextmanager
    def _worker(self) -> Iterator[Worker]:
        """Exclusive use of a worker: an idle one, or a new one. It is kept for the next call if it still works."""
        worker = self._taken()
        try:
            yield worker
        finally:
            if worker.busy:
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
                f"The folder {self._path.parent} cannot be made: {error.strerror}.",
                "Choose another data folder (GRAPHWRIGHT_HOME), or correct its permissions.",
            ) from None
        return Worker(self._path, self._memory)


class WorkerDied(Exception):
    """A worker ended without an answer. Its locks are released."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class Worker:
    """A process that runs the engine of one database file. It serves one thread at a time.

    `isolation` describes its confinement. While `busy` is true a request has no answer yet; such a worker can only be
    killed. Raises a GraphError if it cannot be started.
    """

    def __init__(self, path: Path, memory: int) -> None:
        try:
            self._child = Child(
                "graphwright_graph.embedded._worker",
                {"path": str(path), "memory": memory},
                folder=path.parent,
                # The folder in which SQLite sorts large data; the worker cannot access any other.
                environment={"SQLITE_TMPDIR": str(path.parent)},
            )
        except OSError as error:
            raise GraphUnavailable(
                f"The process that holds the graph cannot be started: {error.strerror}.",
                "Close other programs, or raise the limits on processes and open files.",
            ) from None
        self.pid, self.close, self.kill = self._child.pid, self._child.close, self._child.kill
        self.busy = True
        try:
            self.isolation: str = self.receive(START_SECONDS)[1]
        except WorkerDied as died:
            cause = died.__cause__
            status = cause.status if isinstance(cause, ChildDied) else None
            if status in (-signal.SIGKILL, -signal.SIGTERM):
                raise _error_of_ending("lost", START_SECONDS) from None
            raise GraphUnavailable(
                f"The process that holds the graph did not start ({died.ending}, status {status}).",
                "Ask `graphwright doctor` whether everything that it needs is in order.",
            ) from None
        except GraphError:
            self.kill()
            raise

    @property
    def alive(self) -> bool:
        return self._child.alive

    def send(self, frame: bytes, seconds: float) -> None:
        """Send a frame. Raises WorkerDied."""
        self.busy = True
        try:
            self._child.send(frame, seconds + _TIMEOUT_SECONDS)
        except ChildDied as died:
            raise WorkerDied(_ending_of(died.status)) from died

    def receive(self, seconds: float, decode: Callable[[Any], Any] = lambda value: value) -> tuple[str, Any]:
        """The kind and the value of the next message. Raises a GraphError that the worker sent, and WorkerDied."""
        try:
            kind, value = read(self._child.receive(seconds + _TIMEOUT_SECONDS))
            if kind == "error":
                error = error_from_json(value)
            else:
                value = decode(value)
        except ChildDied as died:
            raise WorkerDied(_ending_of(died.status)) from died
        except (LookupError, TypeError, ValueError, AttributeError) as nonsense:
            # An answer that cannot be decoded comes from a broken process.
            self.kill()
            raise WorkerDied("broken") from nonsense
        self.busy = kind not in ("error", "done")
        if kind == "error":
            raise error
        return kind, value


def _ending_of(status: int | None) -> Ending:
    if status in (None, -signal.SIGALRM):
        return "late"
    return "broken" if status == OUT_OF_MEMORY or status in [-fault for fault in _FAULTS] else "lost"


def _error_of_ending(how: Ending, seconds: float) -> GraphError:
    """The error for a worker that ended without an answer."""
    if how == "lost":
        message = "The process that holds the graph was ended from outside."
        return Transient("connection_lost", message, "Try again under the same key: it is done once.")
    what = f"had not ended after {seconds:g} seconds" if how == "late" else "took more memory than there is, or broke"
    hint = "Ask for less: fewer hops, a label and a key to begin with, LIMIT; long texts as parameters."
    return QueryFailed("too_much", f"The query {what}.", hint)


def _writing(method: str, writes: Sequence[Write], **given: str) -> bytes:
    """The request for writes. Raises QueryRefused and BadElement."""
    writes = all_checked(writes)
    return _request(method, WRITE_SECONDS, {"writes": [*map(write_to_json, writes)], **given}, _parsed(writes))


def _parsed(writes: Iterable[Write]) -> list[Any]:
    """The parsed statements among checked writes, because the worker does not have the parser."""
    return [(each.query, *astuple(parse(each.query))) for each in writes if isinstance(each, Statement)]


def _decoded(shape: type[T], data: Any) -> T:
    """The value of a type of the port, a dataclass or a tuple of some, from its JSON. Raises ValueError."""
    found: T = _adapter(cast(Any, shape)).validate_python(data)
    return found


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _request(method: str, seconds: float, given: Mapping[str, Any], parsed: Sequence[Any] = ()) -> bytes:
    with _sendable():
        return message("ask", {"do": method, "seconds": seconds, "with": given, "parsed": parsed})


@contextmanager
def _sendable() -> Iterator[None]:
    try:
        yield
    except Unsendable as error:
        raise BadElement("bad_value", f"The input {error}.", "Give plain values, no larger ones.") from None


_NO_MORE = message("batch", [])
