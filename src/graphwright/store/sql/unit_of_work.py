"""The unit of work of a turn: writes are collected step by step and committed in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from graphwright.store.protocols import TurnWork
from graphwright.store.rows import Beginning, OutcomeStatus, Role, ThreadChanges, ThreadRow
from graphwright.store.sql.database import Database
from graphwright.store.sql.flows import keeping_document
from graphwright.store.sql.records import keeping_blob, noting_outcome
from graphwright.store.sql.statements import Write
from graphwright.store.sql.threads import (
    adding_events,
    adding_messages,
    encode_changes,
    keeping_state,
    put_thread,
    read_both,
    write_copy,
)


class SqlTurnWork(TurnWork):
    def __init__(self, database: Database, clock: Callable[[], str], thread: str, lease: Any) -> None:
        self._database = database
        self._clock = clock
        self._thread = thread
        self._lease = lease
        self._columns: dict[str, Any] = {}
        self._writes: list[Write] = []
        self._touched = ""
        self._state: dict[str, Any] | None = None
        self._documents: set[str] = set()
        self.row: ThreadRow | None = None
        """The thread's row at the beginning of the turn, or None for a new thread."""
        self.state: Mapping[str, Any] = {}
        """The state at the beginning of the turn: `{thread, inbox}`; empty if there is none."""

    def time(self) -> str:
        return self._clock()

    async def begin(self) -> None:
        self.row, self.state = await self._database.read_short(lambda c: read_both(c, self._thread))

    def note_thread(self, changes: ThreadChanges) -> None:
        self._columns |= encode_changes(changes)
        self._touched = self.time()

    def note_state(self, thread: Mapping[str, Any], inbox: Mapping[str, Any]) -> None:
        self._state = {"thread": thread, "inbox": inbox}

    def note_step(
        self,
        *,
        visit: int,
        first_event: int,
        events: Sequence[Mapping[str, Any]],
        first_message: int,
        messages: Sequence[tuple[Role, str]],
        changes: ThreadChanges,
        state: Mapping[str, Any],
        event_times: Sequence[str] = (),
        message_times: Sequence[str] = (),
    ) -> None:
        time = self.time()
        columns = encode_changes(changes)
        self._writes += [
            adding_events(self._thread, visit, first_event, events, event_times or [time] * len(events)),
            adding_messages(self._thread, first_message, messages, message_times or [time] * len(messages)),
        ]
        titled = {"title": self._columns["title"]} if self._columns.get("title") else {}
        self._columns |= {**columns, **titled}
        self._touched = time
        self.note_state(state, {})

    def note_outcome(self, visit: int, node: str, status: OutcomeStatus, attempt: int, result: Any = None) -> None:
        self._writes.append(noting_outcome(self._thread, visit, node, status, attempt, result, self.time()))

    def note_blob(self, value: Any) -> str:
        digest, write = keeping_blob(self._thread, value)
        self._writes.append(write)
        return digest

    def note_flow(self, document: str) -> None:
        if document in self._database.known_documents:
            return
        self._writes.append(keeping_document(document, self.time())[1])
        self._documents.add(document)

    def note_beginning(self, beginning: Beginning, title: str) -> None:
        self._writes.append(lambda c: write_copy(c, self._thread, beginning))
        self._columns |= encode_changes({"title": title})

    async def flush(self) -> None:
        if not self.pending:
            return
        columns, writes = self._columns, list(self._writes)
        if self._state is not None:
            writes.append(keeping_state(self._thread, self._state))

        def work(connection: Connection) -> None:
            if columns:
                put_thread(connection, self._thread, columns, self._touched)
            for write in writes:
                write(connection)

        try:
            await self._database.run(work, lease=self._lease)
        except asyncio.CancelledError:
            # The transaction was finished before the cancellation.
            self._flushed()
            raise
        self._database.known_documents |= self._documents
        self._flushed()

    @property
    def pending(self) -> bool:
        return bool(self._columns or self._writes) or self._state is not None

    def _flushed(self) -> None:
        self._columns, self._writes, self._state = {}, [], None
