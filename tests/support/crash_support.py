"""Shared by the tests of crashes: forked processes, places to die, an outside world, and a view of a thread."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sqlite3
import tempfile
import time
import traceback
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from graphwright import Agent, Session
from host_support import agent, open_session, reads

Tell = Callable[[Any], None]
Work = Callable[[Tell], Coroutine[Any, Any, Any]]

TIMEOUT_SECONDS = 60.0
"""Seconds without output after which a child counts as hanging."""


class Child:
    """A forked process, and its messages: JSON values, one per line. `returned` is the result of its work."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self._descriptor = descriptor
        self._pending = b""
        self._killed: bool | None = None
        self.told: list[Any] = []
        self.returned: Any = None

    def hear(self) -> Any:
        """The next message of the child, or None when it has ended."""
        while b"\n" not in self._pending:
            if not select.select([self._descriptor], [], [], TIMEOUT_SECONDS)[0]:
                self.kill()
                raise AssertionError(f"the child hangs; it told {self.told}")
            read = os.read(self._descriptor, 65536)
            if not read:
                return None
            self._pending += read
        line, self._pending = self._pending.split(b"\n", 1)
        said = json.loads(line)
        if "trouble" in said:
            raise AssertionError(said["trouble"])
        if "returned" in said:
            self.returned = said["returned"]
            return self.hear()
        self.told.append(said["told"])
        return said["told"]

    def kill(self) -> None:
        """Send SIGKILL; does nothing to an ended child, whose process number stays reserved until `end`."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> bool:
        """Wait for the child; return whether it was killed. Raises AssertionError with its traceback if it failed."""
        if self._killed is None:
            try:
                while self.hear() is not None:
                    pass
            finally:
                os.close(self._descriptor)
                status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
                self._killed = status == -signal.SIGKILL
            assert self._killed or status == 0, f"the child ended with {status}"
        return self._killed


_TINY = """
nodes:
  - {id: q, type: question, key: name, schema: {type: string}, prompt: Name?}
  - {id: note, type: action, run: note}
  - {id: done, type: terminal}
edges: [{from: q, to: note}, {from: note, to: done}]
"""


@cache
def _import_all() -> None:
    """Import the modules that a turn imports late, so that a forked child has them."""

    async def serve(home: Path) -> None:
        made = agent(home / "agent", _TINY, "@action()\ndef note(state, ctx):\n    pass\n")
        async with open_session(made, home, reads("Ann", ("name", "Ann", "Ann"))) as session:
            await session.send("It is Ann")
            await look(session)

    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.delenv("GRAPHWRIGHT_STORE", raising=False)
        asyncio.run(serve(Path(home)))


def forked(work: Work) -> Child:
    """Run `work` in a forked process, which starts immediately because all imports are done.

    This process must not have anything open and not run an event loop, since the child would inherit half of it.
    """
    _import_all()
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return Child(pid, ours)
    code = 1
    try:
        os.close(ours)

        def say(**what: Any) -> None:
            line = json.dumps(what).encode() + b"\n"
            while line:
                line = line[os.write(theirs, line) :]

        try:
            say(returned=asyncio.run(work(lambda told: say(told=told))))
            code = 0
        except BaseException:
            say(trouble=traceback.format_exc())
    finally:
        # Neither the rest of the test nor this process's exit handlers may run in the child.
        os._exit(code)


def apart(work: Work) -> Any:
    """Run `work` in a forked process to its end; return its result, as JSON has it."""
    child = forked(work)
    assert not child.end()
    return child.returned


def die() -> None:
    """kill -9, from within."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(TIMEOUT_SECONDS)


def hearing(home: Path, heard: Callable[[str], None]) -> Callable[..., sqlite3.Connection]:
    """A `sqlite3.connect` that calls `heard` with each statement on the databases in `home`, just before it runs.

    It uses the trace callback of SQLite, so it works for any implementation of the store.
    """
    connect = sqlite3.connect

    def connect_and_listen(database: Any, *args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(database, *args, **options)
        if Path(os.fsdecode(database)).parent == home:
            connection.set_trace_callback(heard)
        return connection

    return connect_and_listen


def die_at(home: Path, number: int, *, of: tuple[str, ...] = ("BEGIN", "COMMIT")) -> None:
    """Kill this process before its `number`-th statement in `home` that begins like one `of` these.

    Dying before a commit loses the transaction; dying before a begin loses nothing that was committed. Irreversible:
    only for a child.
    """
    left = [number]

    def count(statement: str) -> None:
        if statement.startswith(of):
            left[0] -= 1
            if left[0] == 0:
                die()

    sqlite3.connect = sqlite3.dbapi2.connect = hearing(home, count)
    if os.environ.get("GRAPHWRIGHT_STORE"):
        _hear_postgres(count)


def _hear_postgres(heard: Callable[[str], None]) -> None:
    import psycopg

    execute = psycopg.Connection.execute

    def heard_first(self: Any, query: Any, *args: Any, **options: Any) -> Any:
        heard(str(query))
        return execute(self, query, *args, **options)

    psycopg.Connection.execute = heard_first  # type: ignore[method-assign, assignment]


class World:
    """An outside world with idempotency keys: it does a thing once per key, and counts the requests.

    It is stored in a folder and outlives every process. An agent's nodes.py contains `PYTHON`, and does a thing by
    `world(action, key, what)`; `at` sets what happens just before or after.
    """

    PYTHON = """
import json, tempfile
WORLD = Path(__file__).with_name("world")
AT = {}

def world(action, key, what):
    AT.get(f"before {action}", int)()
    with (WORLD / "asked").open("a") as asked:
        asked.write(json.dumps([action, key]) + "\\n")
    # Written aside first, so that it is done wholly or not at all.
    with tempfile.NamedTemporaryFile("w", dir=WORLD, prefix="aside-", delete=False) as aside:
        json.dump({"action": action, "key": key, "what": what}, aside)
    try:
        os.link(aside.name, WORLD / f"did-{key}.json")
    except FileExistsError:
        pass
    os.unlink(aside.name)
    AT.get(f"after {action}", int)()
"""

    def __init__(self, agent_folder: Path) -> None:
        self.folder = agent_folder / "world"
        self.folder.mkdir(parents=True, exist_ok=True)

    def at(self, made: Agent, point: str, happens: Callable[[], object]) -> None:
        """Run something at a `point` of this process: `before ACTION` or `after ACTION`."""
        next(iter(made.actions.values())).function.__globals__["AT"][point] = happens

    def did(self, thread: str) -> list[tuple[int, str, Any]]:
        """The things done for a thread: (visit, action, what), by visit. A key contains nothing else of the thread."""
        done = [json.loads(file.read_text()) for file in self.folder.glob("did-*.json")]
        own = [thing for thing in done if thing["key"].rsplit(":", 2)[0] == thread]
        assert len({thing["key"].rsplit(":", 1)[0] for thing in own}) <= 1
        return sorted((int(thing["key"].rsplit(":", 1)[1]), thing["action"], thing["what"]) for thing in own)

    def requested_actions(self, thread: str) -> list[str]:
        """The actions that were requested in a thread, with repetitions."""
        file = self.folder / "asked"
        lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [action for action, key in lines if key.rsplit(":", 2)[0] == thread]


FIRST_AND_SEND = (
    World.PYTHON
    + """
@action(reads=["n"], writes=["n"])
def first(state, ctx):
    world("first", ctx.key, state["n"])
    ctx.say("First.")
    return {"n": state["n"] + 1}

@action(reads=["answers"], writes=["sent"])
async def send(state, ctx):
    world("send", ctx.key, state["answers"]["name"])
    return {"sent": state["answers"]["name"]}
"""
)
"""The nodes.py of `TWO_ACTIONS`, both of whose actions change the world."""


async def look(session: Session) -> dict[str, Any]:
    """Everything that is visible of a thread: its state, trace and messages, as JSON.

    The parts of events that differ between equal runs are left out: seconds and random values.
    """
    store, thread = session._store, session.thread
    rows = await session.history()
    assert [row.seq for row in rows] == list(range(len(rows)))
    messages = await store.messages.read(thread)
    assert [message.seq for message in messages] == list(range(len(messages)))
    return {
        "state": await session.state(),
        "events": [steady(row.event) for row in rows],
        "messages": [[message.role, message.text] for message in messages],
    }


def steady(value: Any) -> Any:
    """A JSON value without the parts that differ between two runs."""
    match value:
        case dict():
            return {n: 0 if n == "seconds" else steady(inner) for n, inner in value.items() if n != "born"}
        case list():
            return [steady(inner) for inner in value]
    return value


class SmallDisk:
    """A separate small disk for the data of a child, and a file that fills it."""

    codes = frozenset({"disk_full"})

    def __init__(self, home: Path) -> None:
        self.filler = home / "filler"
        self.works = _mounted(home, 1_500_000)

    def fill(self) -> None:
        with contextlib.suppress(OSError), self.filler.open("ab", buffering=0) as file:
            while True:
                file.write(b"x" * 512)

    def free(self) -> None:
        self.filler.unlink()


class LimitedFiles:
    """A child whose files cannot grow beyond the write-ahead log: like a full disk, but without special rights."""

    codes = frozenset({"disk_full", "disk_io"})
    works = hasattr(signal, "SIGXFSZ")

    def __init__(self, home: Path) -> None:
        self.log = home / "graphwright.db-wal"
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill(self, room: int = 0) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.log.stat().st_size + room, resource.RLIM_INFINITY))

    def free(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _mounted(folder: Path, size: int) -> bool:
    """Mount a disk of `size` bytes at `folder` for this process only; return whether that was allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_mounts, new_user, private, recursive = 0x20000, 0x10000000, 0x40000, 0x4000
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(new_mounts | (new_user if user else 0)):
        return False
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            try:
                Path("/proc/self", name).write_text(text)
            except OSError:
                return False
    libc.mount(None, b"/", None, private | recursive, None)
    folder.mkdir(parents=True, exist_ok=True)
    return not libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={size}".encode())
