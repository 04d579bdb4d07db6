"""A thread and its data: row, state, trace and messages; and copying its beginning to another thread."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Unpack
from zlib import crc32

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import protocols
from graphwright.store._errors import StoreError, damaged
from graphwright.store.home import remove_folder
from graphwright.store.rows import (
    DRAFT,
    LOCAL,
    Beginning,
    EventRow,
    Feedback,
    Message,
    Role,
    ThreadChanges,
    ThreadChoice,
    ThreadRow,
    dump,
    load,
    storable,
)
from graphwright.store.sql import _schema as schema
from graphwright.store.sql._database import Prepared, SqlPart, Write, replacing

_table = schema.threads
_JSON = ("waiting_for", "position")

_OWN = {"pinned": 0, "folder": "", "model": "", "family": "", "source": "", "source_turn": 0}
"""The columns that turns do not write, with the values of a new thread. A new thread is its own family."""

_get = Prepared(select(_table).where(_table.c.thread == bindparam("id")))
_new = insert(_table)
# The title is set by the first message and stays.
_put = Prepared(
    _new.on_conflict_do_update(
        index_elements=[_table.c.thread],
        set_={
            **{c.name: _new.excluded[c.name] for c in _table.c if c.name not in ("thread", "created", "title", *_OWN)},
            "title": func.coalesce(func.nullif(_table.c.title, literal_column("''")), _new.excluded.title),
        },
    )
)
_states = schema.states
_get_state = Prepared(select(_states.c.state, _states.c.checksum).where(_states.c.thread == bindparam("id")))
_get_both = Prepared(
    select(*_table.c, _states.c.state, _states.c.checksum).outerjoin(_states).where(_table.c.thread == bindparam("id"))
)
_put_state = Prepared(replacing(insert(_states)))
_delete = delete(_table).where(_table.c.thread == bindparam("id"))
_refs, _others = schema.blob_threads, schema.blob_threads.alias()
_delete_blobs = delete(schema.blobs).where(
    schema.blobs.c.hash.in_(select(_refs.c.hash).where(_refs.c.thread == bindparam("id"))),
    ~exists().where(_others.c.hash == schema.blobs.c.hash, _others.c.thread != bindparam("id")),
)


def encode_changes(changes: ThreadChanges) -> dict[str, Any]:
    """Return the columns of a change, JSON as text. Raises `StoreError("not_json")`."""
    columns: dict[str, Any] = dict(changes)
    for name in _JSON:
        if name in columns:
            columns[name] = dump(columns[name], f"`{name}` of a thread")
    if "title" in columns:
        columns["title"] = storable(columns["title"])
    return columns


def put_thread(connection: Connection, thread: str, columns: dict[str, Any], time: str) -> None:
    """Write the whole row of a thread, except its title, its creation time and the columns of its owner, which stay."""
    new = {**_OWN, "family": thread, "title": ""}
    _put.run(connection, {**new, **columns, "thread": thread, "created": time, "updated": time})


def read_thread(connection: Connection, thread: str) -> ThreadRow | None:
    """Return the row of a thread, or None."""
    rows = _get.all(connection, {"id": thread})
    return _row(dict(zip(_table.c.keys(), rows[0], strict=True))) if rows else None


def keeping_state(thread: str, state: Mapping[str, Any]) -> Write:
    """Return the write that replaces the state of a thread. Raises `StoreError("not_json")`."""
    text = dump(state, f"the state of thread `{thread}`")
    row = {"thread": thread, "state": text, "checksum": crc32(text.encode())}
    return lambda connection: _put_state.run(connection, row)


def read_state(connection: Connection, thread: str) -> dict[str, Any]:
    """Return the state of a thread; empty if there is none. Raises `StoreError("corrupted")`."""
    rows = _get_state.all(connection, {"id": thread})
    return _state(*rows[0]) if rows else {}


def read_both(connection: Connection, thread: str) -> tuple[ThreadRow | None, dict[str, Any]]:
    """Return the row and the state of a thread, like `read_thread` and `read_state`."""
    rows = _get_both.all(connection, {"id": thread})
    if not rows:
        return None, {}
    *row, text, checksum = rows[0]
    return _row(dict(zip(_table.c.keys(), row, strict=True))), _state(text, checksum)


def read_several(connection: Connection, threads: Sequence[str]) -> dict[str, tuple[ThreadRow, dict[str, Any]]]:
    """Return the rows and states of several threads, like `read_both`, without those that are missing or damaged."""
    statement = select(*_table.c, _states.c.state, _states.c.checksum).outerjoin(_states)
    found: dict[str, tuple[ThreadRow, dict[str, Any]]] = {}
    for *row, text, checksum in connection.execute(statement.where(_table.c.thread.in_(threads))).all():
        with suppress(StoreError):
            read = _row(dict(zip(_table.c.keys(), row, strict=True)))
            found[read.thread] = read, _state(text, checksum)
    return found


def _state(text: str | None, checksum: int) -> dict[str, Any]:
    if text is None:
        return {}
    # The next action depends on it, so a truncated or manually edited state must be detected.
    if crc32(text.encode()) != checksum:
        raise damaged("the state of a thread in it is not the one that was written")
    state: dict[str, Any] = load(text)
    return state


def owned_by(owner: str) -> ColumnElement[bool]:
    """Return the condition that a thread belongs to a user."""
    owners = schema.owners
    here = (owners.c.kind == "thread") & (owners.c.id == _table.c.thread)
    owned = exists().where(here, owners.c.owner == owner)
    return or_(owned, ~exists().where(here)) if owner == LOCAL else owned


def _conditions(chosen: ThreadChoice) -> Iterator[ColumnElement[bool]]:
    agent = chosen.get("agent")
    yield ~_table.c.agent.startswith(DRAFT) if agent is None else _table.c.agent == agent
    for name in ("status", "folder"):
        if (value := chosen.get(name)) is not None:
            yield _table.c[name] == value
    if (pinned := chosen.get("pinned")) is not None:
        yield _table.c.pinned == int(pinned)
    if text := chosen.get("text"):
        said = _messages.c.text.icontains(text, autoescape=True)
        found = exists().where(_messages.c.thread == _table.c.thread, said)
        titled = _table.c.title.icontains(text, autoescape=True)
        yield or_(titled, found, _table.c.agent.in_(chosen.get("called", ())))
    if (after := chosen.get("after")) is not None:
        updated, thread = after
        older = _table.c.updated < updated
        yield or_(older, and_(_table.c.updated == updated, _table.c.thread > thread))
    if since := chosen.get("since"):
        yield _table.c.updated >= since
    if until := chosen.get("until"):
        yield _table.c.updated < until
    if (owner := chosen.get("owner")) is not None:
        yield owned_by(owner)
    if (begun := chosen.get("begun")) is not None:
        yield or_(_table.c.status == "running", _table.c.thread.in_(begun))
    if chosen.get("families"):
        yield ~exists().where(_newer)
    if chosen.get("files"):
        yield exists().where(_events.c.thread == _table.c.thread, _are(_events, "file_given", "artifact_made"))


class SqlThreads(SqlPart, protocols.Threads):
    async def get(self, thread: str) -> ThreadRow | None:
        return await self._database.read(lambda c: read_thread(c, thread))

    async def page(self, **chosen: Unpack[ThreadChoice]) -> list[ThreadRow]:
        ordered = select(_table).order_by(_table.c.updated.desc(), _table.c.thread)
        page = ordered.where(*_conditions(chosen)).limit(chosen.get("limit", 50))
        return [_row(row) for row in await self._rows(page)]

    async def create(
        self, thread: str, *, agent: str, flow_id: str, flow_hash: str, title: str, time: str, source: str = ""
    ) -> bool:
        row = {"thread": thread, "agent": agent, "flow_id": flow_id, "flow_hash": flow_hash, "title": storable(title)}
        rest = {
            "status": "new",
            "waiting_for": "null",
            "position": "null",
            "turns": 0,
            "created": time,
            "updated": time,
            "family": thread,
        }
        statement = insert(_table).values(**row, **rest).on_conflict_do_nothing()

        def work(connection: Connection) -> bool:
            made = connection.execute(statement).rowcount > 0
            if made and source:
                _inherit.run(connection, {"new": thread, "other": source, "turn": 1})
            return made

        return await self._database.run(work)

    async def rename(self, thread: str, title: str) -> None:
        statement = update(_table).where(_table.c.thread == thread).values(title=storable(title))
        await self._database.run(lambda c: c.execute(statement))

    async def family(self, family: str) -> list[ThreadRow]:
        found = select(_table).where(_table.c.family == family).order_by(_table.c.created, _table.c.thread)
        return [_row(row) for row in await self._rows(found)]

    async def folders(self, owner: str) -> Mapping[str, int]:
        named = select(_table.c.folder, func.count()).where(_table.c.folder != "", owned_by(owner))
        found = named.group_by(_table.c.folder).order_by(_table.c.folder)
        return {row[0]: row[1] for row in await self._database.read(lambda c: c.execute(found).all())}

    async def mark(
        self, thread: str, *, pinned: bool | None = None, folder: str | None = None, model: str | None = None
    ) -> None:
        given: dict[str, Any] = {"folder": folder, "model": model, "pinned": None if pinned is None else int(pinned)}
        changes = {n: storable(v) if isinstance(v, str) else v for n, v in given.items() if v is not None}
        if changes:
            statement = update(_table).where(_table.c.thread == thread).values(changes)
            await self._database.run(lambda c: c.execute(statement))

    async def delete(self, thread: str) -> bool:
        def work(connection: Connection) -> bool:
            connection.execute(_delete_blobs, {"id": thread})
            return connection.execute(_delete, {"id": thread}).rowcount > 0

        deleted = await self._database.run(work)
        if deleted:
            await asyncio.to_thread(remove_folder, self._database.home, thread)
        return deleted


def _row(row: Mapping[Any, Any]) -> ThreadRow:
    return ThreadRow(**{**row, **{name: load(row[name]) for name in _JSON}, "pinned": bool(row["pinned"])})


_other = _table.alias()
_newer = and_(
    _other.c.family == _table.c.family,
    or_(
        _other.c.updated > _table.c.updated,
        and_(_other.c.updated == _table.c.updated, _other.c.thread < _table.c.thread),
    ),
)
"""The condition that another thread of the same family stands before a thread in a page."""


_refer = Prepared(insert(schema.blob_threads))


def write_copy(connection: Connection, thread: str, beginning: Beginning) -> None:
    """Copy a beginning, with its times, into a thread that has only a row.

    Raises `StoreError("no_such_thread")` if the other thread was deleted meanwhile.
    """
    source = {"new": thread, "source": beginning.thread}
    copied = _copy_events.all(connection, {**source, "count": beginning.events})
    _copy_messages.all(connection, {**source, "count": beginning.messages})
    if len(copied) != beginning.events:
        raise StoreError(
            "no_such_thread",
            f"The thread `{beginning.thread}` was deleted while it was being copied.",
            "Nothing was written.",
        )
    if beginning.blobs:
        # A blob is kept while a thread refers to it.
        rows = [{"thread": thread, "hash": digest} for digest in sorted(beginning.blobs)]
        _refer.run_many(connection, rows)
    _inherit.run(connection, {"new": thread, "other": beginning.thread, "turn": beginning.turn})


_from = _table.alias()


def _inherited(name: str) -> ScalarSelect[str]:
    return select(_from.c[name]).where(_from.c.thread == bindparam("other")).scalar_subquery()


_inherit = Prepared(
    update(_table)
    .where(_table.c.thread == bindparam("new"))
    .values(
        {name: _inherited(name) for name in ("family", "folder", "model")}
        | {"source": bindparam("other"), "source_turn": bindparam("turn")}
    )
)


def _copying(table: Table) -> Prepared:
    others = [column for column in table.c if column.name != "thread"]
    chosen = select(bindparam("new", type_=Text), *others)
    chosen = chosen.where(table.c.thread == bindparam("source"), table.c.seq < bindparam("count"))
    return Prepared(insert(table).from_select(["thread", *(c.name for c in others)], chosen).returning(table.c.seq))


_copy_events, _copy_messages = _copying(schema.events), _copying(schema.messages)


_events, _messages = schema.events, schema.messages
_add_event, _add_message = Prepared(insert(_events)), Prepared(insert(_messages))
_read_events = (
    select(_events.c.seq, _events.c.visit, _events.c.time, _events.c.event)
    .where(_events.c.thread == bindparam("id"), _events.c.seq >= bindparam("since"))
    .order_by(_events.c.seq)
)
_of_thread = select(_messages.c.seq, _messages.c.role, _messages.c.text, _messages.c.time).where(
    _messages.c.thread == bindparam("id")
)
_BEYOND = 2**62
_read_messages = _of_thread.order_by(_messages.c.seq)
_window = _of_thread.where(_messages.c.seq < bindparam("before")).order_by(_messages.c.seq.desc())


def adding_events(
    thread: str, visit: int, first_seq: int, events: Sequence[Mapping[str, Any]], times: Sequence[str]
) -> Write:
    """Return the write that appends a step's events, each with its time. Raises `StoreError("not_json")`."""
    rows = [
        {
            "thread": thread,
            "seq": seq,
            "visit": visit,
            "time": time,
            "event": dump(event, f"event {seq} of thread `{thread}`"),
        }
        for seq, (event, time) in enumerate(zip(events, times, strict=True), first_seq)
    ]
    return lambda connection: _add_event.run_many(connection, rows)


def adding_messages(thread: str, first_seq: int, messages: Sequence[tuple[Role, str]], times: Sequence[str]) -> Write:
    """Return the write that appends a step's messages, each with its time."""
    rows = [
        {"thread": thread, "seq": seq, "role": role, "text": storable(text), "time": time}
        for seq, ((role, text), time) in enumerate(zip(messages, times, strict=True), first_seq)
    ]
    return lambda connection: _add_message.run_many(connection, rows)


def _are(events: FromClause, *types: str) -> ColumnElement[bool]:
    """Return the condition that an event has one of these types, which its text begins with."""
    return or_(*(events.c.event.like(f'{{"type":"{each}"%') for each in types))


class SqlTrace(SqlPart, protocols.Trace):
    async def read(self, thread: str, since: int = 0, limit: int | None = None) -> list[EventRow]:
        statement = _read_events if limit is None else _read_events.limit(limit)
        rows = await self._database.read(lambda c: c.execute(statement, {"id": thread, "since": since}).all())
        return [EventRow(seq, visit, time, load(event)) for seq, visit, time, event in rows]

    async def of_type(self, thread: str, *types: str) -> list[EventRow]:
        statement = _read_events.where(_are(_events, *types))
        rows = await self._database.read(lambda c: c.execute(statement, {"id": thread, "since": 0}).all())
        return [EventRow(seq, visit, time, load(event)) for seq, visit, time, event in rows]

    async def last(self, threads: Collection[str], number: int) -> Mapping[str, list[EventRow]]:
        newest = _events.alias()
        last = select(func.max(newest.c.seq)).where(newest.c.thread == _events.c.thread).scalar_subquery()
        return await self._found(threads, _events.c.seq > last - number)

    async def of_threads(self, threads: Collection[str], *types: str) -> Mapping[str, list[EventRow]]:
        later, newest = _events.alias(), _events.alias()
        next_turn = exists().where(
            later.c.thread == _events.c.thread, later.c.seq == _events.c.seq + 1, _are(later, "turn_started")
        )
        last = select(func.max(newest.c.seq)).where(newest.c.thread == _events.c.thread).scalar_subquery()
        return await self._found(threads, or_(_are(_events, *types), next_turn, _events.c.seq == last))

    async def _found(self, threads: Collection[str], condition: ColumnElement[bool]) -> dict[str, list[EventRow]]:
        statement = select(_events).where(_events.c.thread.in_(threads), condition)
        ordered = statement.order_by(_events.c.thread, _events.c.seq)
        rows = await self._database.read(lambda c: c.execute(ordered).all()) if threads else []
        found: dict[str, list[EventRow]] = {each: [] for each in threads}
        for thread, seq, visit, time, event in rows:
            found[thread].append(EventRow(seq, visit, time, load(event)))
        return found


class SqlMessages(SqlPart, protocols.Messages):
    async def read(self, thread: str) -> list[Message]:
        rows = await self._database.read(lambda c: c.execute(_read_messages, {"id": thread}).all())
        return [Message(*row) for row in rows]

    async def window(self, thread: str, limit: int, *, before: int | None = None) -> list[Message]:
        values = {"id": thread, "before": _BEYOND if before is None else before}
        rows = await self._database.read(lambda c: c.execute(_window.limit(limit), values).all())
        return [Message(*row) for row in reversed(rows)]

    async def last_with(self, threads: Collection[str], text: str) -> Mapping[str, Message]:
        said = (_messages.c.thread.in_(threads), _messages.c.text.icontains(text, autoescape=True))
        last = select(_messages.c.thread, func.max(_messages.c.seq).label("seq")).where(*said)
        found = last.group_by(_messages.c.thread).subquery()
        same = (_messages.c.thread == found.c.thread) & (_messages.c.seq == found.c.seq)
        columns = (_messages.c.seq, _messages.c.role, _messages.c.text, _messages.c.time)
        statement = select(_messages.c.thread, *columns).join(found, same)
        rows = await self._database.read(lambda c: c.execute(statement).all()) if threads else []
        return {thread: Message(*row) for thread, *row in rows}


_feedback = schema.feedback
_put_feedback = Prepared(replacing(insert(_feedback)))


class SqlFeedbacks(SqlPart, protocols.Feedbacks):
    async def put(self, feedback: Feedback) -> None:
        row = {**asdict(feedback), "comment": storable(feedback.comment)}
        await self._database.run(lambda c: _put_feedback.run(c, row))

    async def of(self, thread: str) -> list[Feedback]:
        found = select(_feedback).where(_feedback.c.thread == thread).order_by(_feedback.c.turn)
        return [Feedback(**row) for row in await self._rows(found)]

    async def delete(self, thread: str, turn: int) -> None:
        gone = delete(_feedback).where(_feedback.c.thread == thread, _feedback.c.turn == turn)
        await self._database.run(lambda c: c.execute(gone))
