"""Who may do what, as the service keeps it: owners, API keys, the audit of approvals, and counters of requests."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from sqlalchemy import (
    DDL,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    delete,
    event,
    exists,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.rows import ThreadRow
from graphwright.store.threads import read_thread

T = TypeVar("T")

LOCAL = "local"
"""The user of a service without login. What was begun on the command line belongs to it, too."""

# Apart from those of threads: who never runs a service has none of these tables.
_metadata = MetaData()


def _texts(*names: str) -> tuple[Column[str], ...]:
    return tuple(Column(name, Text, nullable=False, default="") for name in names)


_owners = Table(
    "gw_owners",
    _metadata,
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    *_texts("owner", "created"),
)
Index("gw_owners_owner", _owners.c.owner, _owners.c.kind)

_keys = Table(
    "gw_api_keys",
    _metadata,
    Column("id", Text, primary_key=True),
    *_texts("hash", "user", "role", "name", "created", "expires", "last_used", "revoked"),
)

_audit = Table(
    "gw_audit",
    _metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    *_texts("time", "user", "key", "door", "event", "agent", "thread", "run", "node", "action", "content"),
    sqlite_autoincrement=True,
)
for _what in ("UPDATE", "DELETE"):
    # What was approved stays as it was written, whichever program has the file open.
    _guard = (
        f"CREATE TRIGGER gw_audit_no_{_what.lower()} BEFORE {_what} ON gw_audit "
        "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
    )
    _refusal = DDL(_guard)  # type: ignore[no-untyped-call]
    event.listen(_audit, "after_create", _refusal.execute_if(dialect="sqlite"))

_counters = Table(
    "gw_counters",
    _metadata,
    Column("name", Text, primary_key=True),
    Column("window", Integer, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key without its secret. `id` begins the key and names it; times are ISO 8601 in UTC, empty where there is none.

    `role` is `viewer`, `user` or `admin`; `hash` the SHA-256 of the whole key in hex.
    """

    id: str
    hash: str
    user: str
    role: str
    name: str
    created: str
    expires: str = ""
    last_used: str = ""
    revoked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """What somebody decided about an action that needs a yes, or what became of it.

    `event` is `approved`, `rejected`, `changed` (a yes that came for something else: nothing was done), `performed`,
    `failed` or `unknown`. `content` is the hash of exactly what was approved. `door` is how it came in: `api`, `agui`,
    `openai` or `mcp`; `key` the id of the API key. `number` and `time` are given when it is written.
    """

    user: str
    event: str
    agent: str
    thread: str
    action: str
    content: str
    node: str = ""
    key: str = ""
    door: str = ""
    run: str = ""
    number: int = 0
    time: str = ""


class Access:
    """The tables of access in the database of a store. They are made when they are first needed."""

    def __init__(self, database: Database, time: Callable[[], str]) -> None:
        self._database = database
        self._made = False
        self.owners = Owners(self, time)
        self.keys = Keys(self, time)
        self.audit = Audit(self, time)
        self.counters = Counters(self)

    async def prepare(self) -> None:
        """Make the tables where they are missing: before conditions on them are used in other queries."""
        if not self._made:
            await self._database.run(_make)
            self._made = True

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which writes nothing, with the tables there."""
        await self.prepare()
        return await self._database.read(work)

    def run(self, work: Callable[[Connection], T]) -> Coroutine[Any, Any, T]:
        """Run `work` in one transaction, with the tables there: where they are, queued from the call on."""
        return self._database.run(work) if self._made else self._first(work)

    async def _first(self, work: Callable[[Connection], T]) -> T:
        await self.prepare()
        return await self._database.run(work)


def _make(connection: Connection) -> None:
    _metadata.create_all(connection)


class Owners:
    """To whom threads, files and runs belong."""

    def __init__(self, access: Access, time: Callable[[], str]) -> None:
        self._access = access
        self._time = time

    async def claim(self, kind: str, id: str, owner: str) -> bool:
        """Make something that was just made the property of `owner`; False where it belongs to somebody else."""
        row = {"kind": kind, "id": id, "owner": owner, "created": self._time()}

        def work(connection: Connection) -> bool:
            # It writes first, so that of two who claim the same at once only one has it.
            connection.execute(upsert(_owners).values(row).on_conflict_do_nothing())
            return self._owner(connection, kind, id) == owner

        return await self._access.run(work)

    async def owner(self, kind: str, id: str) -> str:
        """The owner; of a thread without one `LOCAL`, of anything else without one an empty text."""
        return await self._access.read(lambda c: self._owner(c, kind, id))

    async def thread(self, owner: str, id: str) -> ThreadRow | None:
        """A thread of this owner; None where there is none, or it is somebody else's."""

        def work(connection: Connection) -> ThreadRow | None:
            return read_thread(connection, id) if self._owner(connection, "thread", id) == owner else None

        return await self._access.read(work)

    async def threads(self, owner: str, most: int) -> list[str]:
        """The ids of the threads of a user that were touched last."""
        found = select(schema.threads.c.thread).where(threads_of(owner))
        last = found.order_by(schema.threads.c.updated.desc()).limit(most)
        return await self._access.read(lambda c: list(c.scalars(last)))

    async def release(self, kind: str, id: str) -> None:
        """Forget to whom something belonged that is no more."""
        await self._access.run(
            lambda c: c.execute(delete(_owners).where(_owners.c.kind == kind, _owners.c.id == id)) and None
        )

    @staticmethod
    def _owner(connection: Connection, kind: str, id: str) -> str:
        found = connection.scalar(select(_owners.c.owner).where(_owners.c.kind == kind, _owners.c.id == id))
        return found if found is not None else LOCAL if kind == "thread" else ""


def threads_of(owner: str) -> ColumnElement[bool]:
    """The condition on rows of `gw_threads` that they belong to a user."""
    here = (_owners.c.kind == "thread") & (_owners.c.id == schema.threads.c.thread)
    owned = exists().where(here, _owners.c.owner == owner)
    return or_(owned, ~exists().where(here)) if owner == LOCAL else owned


class Keys:
    """API keys: only their hashes are here."""

    def __init__(self, access: Access, time: Callable[[], str]) -> None:
        self._access = access
        self._time = time

    async def add(self, key: ApiKey) -> None:
        """Keep a new key."""
        await self._access.run(lambda c: c.execute(insert(_keys), asdict(key)) and None)

    async def get(self, id: str) -> ApiKey | None:
        """The key with this id."""
        row = await self._access.read(lambda c: c.execute(select(_keys).where(_keys.c.id == id)).mappings().first())
        return None if row is None else ApiKey(**row)

    async def list(self) -> list[ApiKey]:
        """All keys, the newest first."""
        found = select(_keys).order_by(_keys.c.created.desc(), _keys.c.id)
        rows = await self._access.read(lambda c: c.execute(found).mappings().all())
        return [ApiKey(**row) for row in rows]

    async def revoke(self, id: str) -> bool:
        """End a key for good; False where there is no such key. One that was revoked before keeps its time."""
        done = update(_keys).where(_keys.c.id == id, _keys.c.revoked == "").values(revoked=self._time())
        found = select(_keys.c.id).where(_keys.c.id == id)
        return await self._access.run(lambda c: bool(c.execute(done).rowcount) or c.scalar(found) is not None)

    async def used(self, id: str) -> None:
        """Note that a key was used now."""
        await self._access.run(
            lambda c: c.execute(update(_keys).where(_keys.c.id == id).values(last_used=self._time())) and None
        )


class Audit:
    """The audit. It is only ever added to: the database itself refuses to change or delete a row."""

    def __init__(self, access: Access, time: Callable[[], str]) -> None:
        self._access = access
        self._time = time

    def add(self, entries: Sequence[AuditEntry]) -> Coroutine[Any, Any, None]:
        """Write entries, all or none, with the time of now: before all that is asked of the store after this call."""
        rows = [{**asdict(entry), "time": self._time()} for entry in entries]
        for row in rows:
            del row["number"]

        def work(connection: Connection) -> None:
            connection.execute(insert(_audit), rows)

        return self._access.run(work)

    async def page(self, limit: int, before: int | None = None, thread: str = "") -> list[AuditEntry]:
        """At most `limit` entries, the latest first, with numbers below `before`; of one thread or all."""
        found = select(_audit).order_by(_audit.c.number.desc()).limit(limit)
        if before is not None:
            found = found.where(_audit.c.number < before)
        if thread:
            found = found.where(_audit.c.thread == thread)
        rows = await self._access.read(lambda c: c.execute(found).mappings().all())
        return [AuditEntry(**row) for row in rows]


class Counters:
    """Counts of requests by name in fixed windows of time, for all workers together."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def add(self, name: str, window: int, count: int) -> int:
        """Add to the count of a window, and give it; windows of this name that are past are forgotten."""
        row = {"name": name, "window": window, "count": count}
        put = upsert(_counters).values(row)
        put = put.on_conflict_do_update(
            index_elements=[_counters.c.name, _counters.c.window], set_={"count": _counters.c.count + count}
        )

        def work(connection: Connection) -> int:
            total = connection.scalar(put.returning(_counters.c.count))
            connection.execute(delete(_counters).where(_counters.c.name == name, _counters.c.window < window))
            return int(total or 0)

        return await self._access.run(work)
