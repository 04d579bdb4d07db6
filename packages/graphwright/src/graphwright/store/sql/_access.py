"""The data of access control: owners, API keys, the audit of approvals, and counters of requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import protocols
from graphwright.store.rows import LOCAL, ApiKey, AuditEntry, ThreadRow
from graphwright.store.sql import _schema as schema
from graphwright.store.sql._database import Database, Prepared, SqlPart, Write
from graphwright.store.sql._threads import owned_by, read_thread

KEPT_WINDOWS = 30
"""Number of past windows that are kept: the clock of another worker may be minutes behind."""

_owners, _keys, _audit, _counters = schema.owners, schema.api_keys, schema.audit, schema.counters


class SqlAccess(protocols.Access):
    def __init__(self, database: Database, time: Callable[[], str]) -> None:
        self.owners = SqlOwners(database, time)
        self.keys = SqlKeys(database, time)
        self.audit = SqlAudit(database, time)
        self.counters = SqlCounters(database, time)


class SqlOwners(SqlPart, protocols.Owners):
    async def claim(self, kind: str, id: str, owner: str) -> bool:
        row = {"kind": kind, "id": id, "owner": owner, "created": self._time()}

        def work(connection: Connection) -> bool:
            # It writes first, so that of two simultaneous claims only one succeeds.
            connection.execute(insert(_owners).values(row).on_conflict_do_nothing())
            return self._owner(connection, kind, id) == owner

        return await self._database.run(work)

    async def owner(self, kind: str, id: str) -> str:
        return await self._database.read(lambda c: self._owner(c, kind, id))

    async def thread(self, owner: str, id: str) -> ThreadRow | None:
        def work(connection: Connection) -> ThreadRow | None:
            return read_thread(connection, id) if self._owner(connection, "thread", id) == owner else None

        return await self._database.read(work)

    async def threads(self, owner: str, most: int) -> list[str]:
        found = select(schema.threads.c.thread).where(owned_by(owner))
        last = found.order_by(schema.threads.c.updated.desc()).limit(most)
        return await self._database.read(lambda c: list(c.scalars(last)))

    async def release(self, kind: str, id: str) -> None:
        await self._database.run(
            lambda c: c.execute(delete(_owners).where(_owners.c.kind == kind, _owners.c.id == id)) and None
        )

    @staticmethod
    def _owner(connection: Connection, kind: str, id: str) -> str:
        found = connection.scalar(select(_owners.c.owner).where(_owners.c.kind == kind, _owners.c.id == id))
        return found if found is not None else LOCAL if kind == "thread" else ""


class SqlKeys(SqlPart, protocols.Keys):
    async def add(self, key: ApiKey) -> None:
        await self._database.run(lambda c: c.execute(insert(_keys), asdict(key)) and None)

    async def get(self, id: str) -> ApiKey | None:
        row = await self._first(select(_keys).where(_keys.c.id == id))
        return None if row is None else ApiKey(**row)

    async def list(self) -> list[ApiKey]:
        found = select(_keys).order_by(_keys.c.created.desc(), _keys.c.id)
        return [ApiKey(**row) for row in await self._rows(found)]

    async def revoke(self, id: str) -> bool:
        done = update(_keys).where(_keys.c.id == id, _keys.c.revoked == "").values(revoked=self._time())
        found = select(_keys.c.id).where(_keys.c.id == id)
        return await self._database.run(lambda c: bool(c.execute(done).rowcount) or c.scalar(found) is not None)

    async def used(self, id: str) -> None:
        await self._database.run(
            lambda c: c.execute(update(_keys).where(_keys.c.id == id).values(last_used=self._time())) and None
        )


_add_audit = Prepared(insert(_audit).values({c.name: bindparam(c.name) for c in _audit.c if c.name != "number"}))


def adding_audit(entry: AuditEntry, time: str) -> Write:
    """Return the write that stores an entry of the audit log."""
    row = {**asdict(entry), "time": time}
    return lambda connection: _add_audit.run(connection, row)


class SqlAudit(SqlPart, protocols.Audit):
    def add(self, entries: Sequence[AuditEntry], *, again: bool = False) -> Coroutine[Any, Any, None]:
        rows = [{**asdict(entry), "time": entry.time or self._time()} for entry in entries]
        for row in rows:
            del row["number"]

        def work(connection: Connection) -> None:
            for row in rows:
                same = select(_audit.c.number).where(*(_audit.c[name] == value for name, value in row.items()))
                if not again or connection.scalar(same.limit(1)) is None:
                    connection.execute(insert(_audit), row)

        return self._database.run(work)

    async def page(
        self,
        limit: int,
        before: int | None = None,
        thread: str = "",
        agent: str = "",
        events: Collection[str] = (),
        *,
        text: str = "",
        since: str = "",
        until: str = "",
    ) -> list[AuditEntry]:
        found = select(_audit).order_by(_audit.c.number.desc()).limit(limit)
        if before is not None:
            found = found.where(_audit.c.number < before)
        if thread:
            found = found.where(_audit.c.thread == thread)
        if agent:
            found = found.where(_audit.c.agent == agent)
        if events:
            found = found.where(_audit.c.event.in_(events))
        if text:
            named = (_audit.c.user, _audit.c.agent, _audit.c.action, _audit.c.node)
            found = found.where(or_(*(column.icontains(text, autoescape=True) for column in named)))
        if since:
            found = found.where(_audit.c.time >= since)
        if until:
            found = found.where(_audit.c.time < until)
        return [AuditEntry(**row) for row in await self._rows(found)]


class SqlCounters(SqlPart, protocols.Counters):
    async def add(self, name: str, window: int, count: int) -> int:
        row = {"name": name, "window": window, "count": count}
        put = insert(_counters).values(row)
        put = put.on_conflict_do_update(
            index_elements=[_counters.c.name, _counters.c.window], set_={"count": _counters.c.count + count}
        )

        def work(connection: Connection) -> int:
            total = connection.scalar(put.returning(_counters.c.count))
            past = (_counters.c.name == name, _counters.c.window < window - KEPT_WINDOWS)
            connection.execute(delete(_counters).where(*past))
            return int(total or 0)

        return await self._database.run(work)
