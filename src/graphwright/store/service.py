"""What the HTTP service keeps: runs and their events, keys against doing a thing twice, and uploads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, Table, Text, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from graphwright.store import schema
from graphwright.store.rows import dump, load
from graphwright.store.threads import read_state, read_thread

if TYPE_CHECKING:
    from graphwright.store.facade import Store

RunStatus = Literal["running", "waiting", "ended", "failed", "cancelled"]

runs = Table(
    "gw_runs",
    schema.metadata,
    Column("id", Text, primary_key=True),
    Column("thread", Text, ForeignKey("gw_threads.thread", ondelete="CASCADE"), nullable=False),
    *(Column(name, Text, nullable=False) for name in ("owner", "worker", "status", "last", "created", "updated")),
)
_one_a_thread = runs.c.status == "running"
Index("gw_runs_running", runs.c.thread, unique=True, sqlite_where=_one_a_thread)
Index("gw_runs_thread", runs.c.thread, runs.c.created)

run_events = Table(
    "gw_run_events",
    schema.metadata,
    Column("run", Text, ForeignKey("gw_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("first", Integer, primary_key=True, autoincrement=False),
    Column("events", Text, nullable=False),
    sqlite_with_rowid=False,
)

# What a run was accepted for, until the run has ended.
accepted = Table(
    "gw_run_accepted",
    schema.metadata,
    Column("run", Text, ForeignKey("gw_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("message", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("interrupted", Integer, nullable=False),
    sqlite_with_rowid=False,
)

idempotency = Table(
    "gw_idempotency",
    schema.metadata,
    Column("owner", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request", Text, nullable=False),
    Column("run", Text, ForeignKey("gw_runs.id", ondelete="CASCADE"), nullable=False),
    Column("created", Text, nullable=False),
    sqlite_with_rowid=False,
)

cancellations = Table(
    "gw_run_cancellations",
    schema.metadata,
    Column("run", Text, ForeignKey("gw_runs.id", ondelete="CASCADE"), primary_key=True),
    sqlite_with_rowid=False,
)

uploads = Table(
    "gw_uploads",
    schema.metadata,
    Column("id", Text, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("owner", "name", "sha256", "kind", "created")),
    Column("bytes", Integer, nullable=False),
)
Index("gw_uploads_owner", uploads.c.owner, uploads.c.created)


_UPLOAD = tuple(column.name for column in uploads.c)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One turn asked for over HTTP. `last` is its final event, `[type, data]`, None while it is under way."""

    id: str
    thread: str
    owner: str
    worker: str
    status: RunStatus
    last: Any
    created: str
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that a user handed over. `kind` is what its content is, as far as it was recognised."""

    id: str
    owner: str
    name: str
    sha256: str
    kind: str
    created: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedRow:
    """What a run was accepted for: `message` as JSON, and the number of its turn.

    `turn` is that of the unfinished turn if the thread was `interrupted` in the middle of one.
    """

    message: Any
    turn: int
    interrupted: bool


RunEvent = tuple[str, Any]
"""The type of an event, and its data as JSON."""


class ThreadBusy(Exception):
    """Another run of the thread is under way; `run` is its row."""

    def __init__(self, run: RunRow) -> None:
        self.run = run


class ServiceRows:
    """The rows of the service in an open store. Call `prepare` first. All methods raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._run = store.transaction
        self._read = store.read
        self._time = store.time

    async def prepare(self) -> None:
        """Make the tables that are not there yet."""
        tables = [runs, run_events, accepted, cancellations, idempotency, uploads]
        await self._run(lambda c: schema.metadata.create_all(c, tables=tables))

    # runs

    async def begin(
        self, run: str, thread: str, owner: str, worker: str, message: Any, key: str = "", request: str = ""
    ) -> RunRow:
        """Store a new run together with its message (JSON), or find the run that began under the same key.

        Raises `ThreadBusy` where another one of the thread is under way, `KeyReused` where the key was given with
        another request.
        """
        now = self._time()
        row = {"id": run, "thread": thread, "owner": owner, "worker": worker, "status": "running"}
        text = dump(message, "a message")

        def work(connection: Connection) -> RunRow:
            if key:
                query = select(idempotency.c.request, idempotency.c.run)
                known = connection.execute(
                    query.where(idempotency.c.owner == owner, idempotency.c.key == key)
                ).one_or_none()
                if known is not None:
                    if known.request != request:
                        raise KeyReused
                    found = _read(connection, known.run)
                    assert found is not None
                    return found
            at_work = connection.execute(select(runs).where(runs.c.thread == thread, _one_a_thread)).mappings().first()
            if at_work is not None:
                raise ThreadBusy(_row(at_work))
            connection.execute(insert(runs), {**row, "last": "null", "created": now, "updated": now})
            connection.execute(insert(accepted), {"run": run, "message": text, **_turn_to_come(connection, thread)})
            if key:
                values = {"owner": owner, "key": key, "request": request, "run": run, "created": now}
                connection.execute(insert(idempotency), values)
            return _row({**row, "last": "null", "created": now, "updated": now})

        return await self._run(work)

    async def has_key(self, owner: str, key: str) -> bool:
        """Whether a run began under this key."""
        query = select(idempotency.c.run).where(idempotency.c.owner == owner, idempotency.c.key == key)
        return await self._run(lambda connection: connection.execute(query).first() is not None)

    async def get(self, run: str) -> RunRow | None:
        """A run; None when there is none."""
        return await self._read(lambda c: _read(c, run))

    async def running(self, owner: str | None = None) -> list[RunRow]:
        """The runs that no worker has brought to an end, of one owner or all."""
        statement = select(runs).where(_one_a_thread)
        if owner is not None:
            statement = statement.where(runs.c.owner == owner)
        rows = await self._read(lambda c: c.execute(statement).mappings().all())
        return [_row(row) for row in rows]

    async def latest(self, thread: str) -> RunRow | None:
        """The last run of a thread; None when it had none."""
        statement = select(runs).where(runs.c.thread == thread).order_by(runs.c.created.desc()).limit(1)
        row = await self._read(lambda c: c.execute(statement).mappings().first())
        return _row(row) if row is not None else None

    async def write(self, run: str, first: int, events: Sequence[RunEvent], status: RunStatus | None = None) -> None:
        """Write events of a run, numbered from `first`; with `status` it has ended, and the last of them says how.

        Of a run whose thread was deleted nothing is written.
        """
        now = self._time()
        text = dump([list(event) for event in events], f"events of run `{run}`")

        def work(connection: Connection) -> None:
            changes: dict[str, Any] = {"updated": now}
            if status is not None:
                changes |= {"status": status, "last": dump(list(events[-1]), "the end of a run")}
            found = connection.execute(update(runs).where(runs.c.id == run).values(changes)).rowcount
            if status is not None:
                connection.execute(delete(accepted).where(accepted.c.run == run))
            if found and events:
                connection.execute(insert(run_events), {"run": run, "first": first, "events": text})

        await self._run(work)

    async def settle(self, run: str, status: RunStatus, event: RunEvent) -> bool:
        """End a run that its worker left behind. False: it had ended."""

        def work(connection: Connection) -> bool:
            ended = {"status": status, "last": dump(list(event), "the end of a run"), "updated": self._time()}
            if not connection.execute(update(runs).where(runs.c.id == run, _one_a_thread).values(ended)).rowcount:
                return False
            connection.execute(delete(accepted).where(accepted.c.run == run))
            written = select(run_events.c.first, run_events.c.events).where(run_events.c.run == run)
            rows = connection.execute(written).all()
            first = max((first + len(load(each)) for first, each in rows), default=1)
            values = {"run": run, "first": first, "events": dump([list(event)], "the end of a run")}
            connection.execute(insert(run_events), values)
            return True

        return await self._run(work)

    async def accepted(self, run: str) -> AcceptedRow | None:
        """What a run that has not ended was accepted for; None if there is no such run."""
        query = select(accepted).where(accepted.c.run == run)
        row = await self._read(lambda c: c.execute(query).mappings().first())
        if row is None:
            return None
        return AcceptedRow(message=load(row["message"]), turn=row["turn"], interrupted=bool(row["interrupted"]))

    async def ask_to_cancel(self, run: str) -> None:
        """Note that a run is to be cancelled by the worker that is at it."""
        statement = upsert(cancellations).values(run=run).on_conflict_do_nothing()
        await self._run(lambda c: c.execute(statement))

    async def to_cancel(self, worker: str) -> list[str]:
        """The runs of a worker that somebody asked to cancel, and that are under way."""
        asked = select(runs.c.id).join(cancellations, cancellations.c.run == runs.c.id)
        statement = asked.where(runs.c.worker == worker, _one_a_thread)
        return await self._read(lambda c: list(c.scalars(statement)))

    async def events(self, run: str, after: int = 0) -> list[tuple[int, RunEvent]]:
        """The events of a run with numbers above `after`, which count from 1."""
        statement = select(run_events.c.first, run_events.c.events).where(run_events.c.run == run)
        rows = await self._read(lambda c: c.execute(statement.order_by(run_events.c.first)).all())
        numbered = (pair for first, each in rows for pair in enumerate(load(each), first))
        return [(number, (kind, data)) for number, (kind, data) in numbered if number > after]

    async def forget(self, before: str) -> None:
        """Drop the events of runs that ended before a time, and keys given before it."""

        def work(connection: Connection) -> None:
            ended = select(runs.c.id).where(runs.c.updated < before, runs.c.status != "running")
            connection.execute(delete(run_events).where(run_events.c.run.in_(ended)))
            connection.execute(delete(idempotency).where(idempotency.c.created < before))

        await self._run(work)

    # uploads

    async def add_upload(self, upload: Upload) -> None:
        """Write down an upload."""
        row = {name: getattr(upload, name) for name in _UPLOAD}
        await self._run(lambda c: c.execute(insert(uploads), row))

    async def upload(self, id: str) -> Upload | None:
        """An upload; None when there is none."""
        row = await self._read(lambda c: c.execute(select(uploads).where(uploads.c.id == id)).mappings().first())
        return Upload(**row) if row is not None else None

    async def delete_upload(self, id: str) -> None:
        """Forget an upload."""
        await self._run(lambda c: c.execute(delete(uploads).where(uploads.c.id == id)))

    async def uploaded(self, owner: str) -> tuple[int, int]:
        """How many uploads somebody has, and how many bytes."""
        statement = select(func.count(), func.coalesce(func.sum(uploads.c.bytes), 0)).where(uploads.c.owner == owner)
        count, total = await self._read(lambda c: c.execute(statement).one())
        return count, total

    async def old_uploads(self, before: str) -> list[Upload]:
        """The uploads from before a time."""
        statement = select(uploads).where(uploads.c.created < before)
        rows = await self._read(lambda c: c.execute(statement).mappings().all())
        return [Upload(**row) for row in rows]


class KeyReused(Exception):
    """The idempotency key was given before, with another request."""


def _turn_to_come(connection: Connection, thread: str) -> dict[str, int]:
    """The number of the turn that a message for the thread leads to, and whether another one is unfinished."""
    row = read_thread(connection, thread)
    pending = bool(read_state(connection, thread).get("inbox"))
    running = row is not None and row.status == "running"
    turns = row.turns if row is not None else 0
    return {"turn": turns if running and not pending else turns + 1, "interrupted": int(running or pending)}


def _read(connection: Connection, run: str) -> RunRow | None:
    row = connection.execute(select(runs).where(runs.c.id == run)).mappings().first()
    return _row(row) if row is not None else None


def _row(row: Any) -> RunRow:
    return RunRow(**{**row, "last": load(row["last"])})
