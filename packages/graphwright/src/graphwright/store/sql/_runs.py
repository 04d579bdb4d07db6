"""Data of the HTTP service: runs and their events, idempotency keys, and uploads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import protocols
from graphwright.store.rows import (
    AcceptedRow,
    KeyReused,
    RunEvent,
    RunRow,
    RunStatus,
    ThreadBusy,
    Upload,
    dump,
    load,
)
from graphwright.store.sql._database import Prepared, SqlPart, replacing
from graphwright.store.sql._schema import accepted, at_work, cancellations, idempotency, run_events, runs, uploads
from graphwright.store.sql._threads import read_both

# Each turn runs this statement.
_status = Prepared(select(runs.c.status).where(runs.c.id == bindparam("run"), runs.c.worker == bindparam("of")))


class SqlRuns(SqlPart, protocols.Runs):
    async def begin(
        self, run: str, thread: str, owner: str, worker: str, message: Any, key: str = "", request: str = ""
    ) -> RunRow:
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
            busy = connection.execute(select(runs).where(runs.c.thread == thread, at_work)).mappings().first()
            if busy is not None:
                raise ThreadBusy(_row(busy))
            connection.execute(insert(runs), {**row, "last": "null", "created": now, "updated": now})
            connection.execute(
                insert(accepted), {"run": run, "message": text, "left": 0, **_turn_to_come(connection, thread)}
            )
            if key:
                values = {"owner": owner, "key": key, "request": request, "run": run, "created": now}
                connection.execute(insert(idempotency), values)
            return _row({**row, "last": "null", "created": now, "updated": now})

        return await self._database.run(work)

    async def has_key(self, owner: str, key: str) -> bool:
        query = select(idempotency.c.run).where(idempotency.c.owner == owner, idempotency.c.key == key)
        return await self._database.run(lambda connection: connection.execute(query).first() is not None)

    async def get(self, run: str) -> RunRow | None:
        return await self._database.read(lambda c: _read(c, run))

    async def running(self, owner: str | None = None) -> list[RunRow]:
        statement = select(runs).where(at_work)
        if owner is not None:
            statement = statement.where(runs.c.owner == owner)
        return [_row(row) for row in await self._rows(statement)]

    async def latest(self, thread: str) -> RunRow | None:
        statement = select(runs).where(runs.c.thread == thread).order_by(runs.c.created.desc()).limit(1)
        row = await self._first(statement)
        return _row(row) if row is not None else None

    async def write(
        self, run: str, worker: str, first: int, events: Sequence[RunEvent], status: RunStatus | None = None
    ) -> bool:
        now = self._time()
        text = dump([list(event) for event in events], f"events of run `{run}`")

        def work(connection: Connection) -> bool:
            changes: dict[str, Any] = {"updated": now}
            if status is not None:
                changes |= {"status": status, "last": dump(list(events[-1]), "the end of a run")}
            here = (runs.c.id == run, runs.c.worker == worker)
            if not connection.execute(update(runs).where(*here).values(changes)).rowcount:
                return False
            if status is not None:
                connection.execute(delete(accepted).where(accepted.c.run == run))
            if events:
                # A batch whose first write was not confirmed may be longer the second time.
                row = {"run": run, "first": first, "events": text}
                connection.execute(replacing(insert(run_events)), row)
            self._database.notify(connection, run)
            return True

        return await self._database.run(work)

    async def owned(self, run: str, worker: str) -> bool:
        return await self._database.read_short(lambda c: _status.all(c, {"run": run, "of": worker})) == [("running",)]

    async def adopt(self, run: str, left_by: str, left: int, worker: str) -> bool:
        # The count makes it exclusive also where the worker that left the run takes it up again.
        counted = update(accepted).where(accepted.c.run == run, accepted.c.left == left).values(left=left + 1)
        here = (runs.c.id == run, runs.c.worker == left_by, at_work)
        taken = update(runs).where(*here).values(worker=worker, updated=self._time())

        def work(connection: Connection) -> bool:
            return bool(connection.execute(counted).rowcount and connection.execute(taken).rowcount)

        return await self._database.run(work)

    async def end_dead_run(self, run: str, status: RunStatus, event: RunEvent) -> bool:
        def work(connection: Connection) -> bool:
            ended = {"status": status, "last": dump(list(event), "the end of a run"), "updated": self._time()}
            if not connection.execute(update(runs).where(runs.c.id == run, at_work).values(ended)).rowcount:
                return False
            connection.execute(delete(accepted).where(accepted.c.run == run))
            written = select(run_events.c.first, run_events.c.events).where(run_events.c.run == run)
            rows = connection.execute(written).all()
            first = max((first + len(load(each)) for first, each in rows), default=1)
            values = {"run": run, "first": first, "events": dump([list(event)], "the end of a run")}
            connection.execute(insert(run_events), values)
            self._database.notify(connection, run)
            return True

        return await self._database.run(work)

    async def accepted(self, run: str) -> AcceptedRow | None:
        query = select(accepted).where(accepted.c.run == run)
        row = await self._first(query)
        if row is None:
            return None
        interrupted = bool(row["interrupted"])
        return AcceptedRow(message=load(row["message"]), turn=row["turn"], interrupted=interrupted, left=row["left"])

    async def ask_to_cancel(self, run: str) -> None:
        statement = insert(cancellations).values(run=run).on_conflict_do_nothing()
        await self._database.run(lambda c: c.execute(statement))

    async def to_cancel(self, worker: str) -> list[str]:
        asked = select(runs.c.id).join(cancellations, cancellations.c.run == runs.c.id)
        statement = asked.where(runs.c.worker == worker, at_work)
        return await self._database.read(lambda c: list(c.scalars(statement)))

    async def events(self, run: str, after: int = 0) -> list[tuple[int, RunEvent]]:
        statement = select(run_events.c.first, run_events.c.events).where(run_events.c.run == run)
        rows = await self._database.read(lambda c: c.execute(statement.order_by(run_events.c.first)).all())
        numbered = (pair for first, each in rows for pair in enumerate(load(each), first))
        return [(number, (kind, data)) for number, (kind, data) in numbered if number > after]

    def watch(self, run: str) -> AbstractAsyncContextManager[Callable[[float], Awaitable[None]]]:
        return self._database.watch(run)

    async def forget(self, before: str) -> None:
        def work(connection: Connection) -> None:
            ended = select(runs.c.id).where(runs.c.updated < before, runs.c.status != "running")
            connection.execute(delete(run_events).where(run_events.c.run.in_(ended)))
            connection.execute(delete(idempotency).where(idempotency.c.created < before))

        await self._database.run(work)


class SqlUploads(SqlPart, protocols.Uploads):
    async def add(self, upload: Upload) -> None:
        await self._database.run(lambda c: c.execute(insert(uploads), asdict(upload)))

    async def get(self, id: str) -> Upload | None:
        found = select(uploads).where(uploads.c.id == id)
        row = await self._first(found)
        return Upload(**row) if row is not None else None

    async def delete(self, id: str) -> None:
        await self._database.run(lambda c: c.execute(delete(uploads).where(uploads.c.id == id)))

    async def size(self, owner: str) -> tuple[int, int]:
        statement = select(func.count(), func.coalesce(func.sum(uploads.c.bytes), 0)).where(uploads.c.owner == owner)
        count, total = await self._database.read(lambda c: c.execute(statement).one())
        return count, int(total)

    async def before(self, time: str) -> list[Upload]:
        statement = select(uploads).where(uploads.c.created < time)
        return [Upload(**row) for row in await self._rows(statement)]


def _turn_to_come(connection: Connection, thread: str) -> dict[str, int]:
    """Return the number of the turn to which a message for the thread leads, and whether another turn is unfinished."""
    row, state = read_both(connection, thread)
    pending = bool(state.get("inbox"))
    running = row is not None and row.status == "running"
    turns = row.turns if row is not None else 0
    return {"turn": turns if running and not pending else turns + 1, "interrupted": int(running or pending)}


def _read(connection: Connection, run: str) -> RunRow | None:
    row = connection.execute(select(runs).where(runs.c.id == run)).mappings().first()
    return _row(row) if row is not None else None


def _row(row: Any) -> RunRow:
    return RunRow(**{**row, "last": load(row["last"])})
