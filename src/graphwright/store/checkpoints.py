"""Checkpoints: LangGraph's saver on the store's own tables. A thread whose turn is served keeps one row."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from zlib import crc32

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    copy_checkpoint,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.errors import damaged
from graphwright.store.jsontext import load
from graphwright.store.prepared import Prepared

_table, _writes = schema.checkpoints, schema.checkpoint_writes
_in_thread = (_table.c.thread == bindparam("of"), _table.c.namespace == bindparam("ns"))
_latest = Prepared(select(_table).where(*_in_thread).order_by(_table.c.id.desc()))
_exact = Prepared(select(_table).where(*_in_thread, _table.c.id == bindparam("number")))
_read_writes = Prepared(
    select(_writes.c.task, _writes.c.channel, _writes.c.type, _writes.c.value)
    .where(
        _writes.c.thread == bindparam("of"), _writes.c.namespace == bindparam("ns"), _writes.c.id == bindparam("number")
    )
    .order_by(_writes.c.task, _writes.c.index)
)
_insert = insert(_table)
_put = Prepared(
    _insert.on_conflict_do_update(
        index_elements=[c for c in _table.c if c.primary_key],
        set_={c.name: _insert.excluded[c.name] for c in _table.c if not c.primary_key},
    )
)
_insert_write = insert(_writes)
_keep_write = Prepared(_insert_write.on_conflict_do_nothing())
_put_write = Prepared(
    _insert_write.on_conflict_do_update(
        index_elements=[c for c in _writes.c if c.primary_key],
        set_={c.name: _insert_write.excluded[c.name] for c in _writes.c if not c.primary_key},
    )
)
_new_values: Any = {c.name: bindparam(f"new_{c.name}") for c in _table.c if c.name not in ("thread", "namespace")}
_replace = Prepared(update(_table).where(*_in_thread, _table.c.id == bindparam("number")).values(_new_values))
_drop_writes = Prepared(
    delete(_writes).where(_writes.c.thread == bindparam("of"), _writes.c.namespace == bindparam("ns"))
)
_delete = (
    delete(_table).where(_table.c.thread == bindparam("of")),
    delete(_writes).where(_writes.c.thread == bindparam("of")),
)

Write = tuple[str, str, Any]
"""The path of the task, the channel, and the value."""


@dataclass(slots=True)
class StagedCheckpoint:
    """The latest checkpoint of a thread whose turn is being served, kept in memory until the turn writes it down.

    `saved` is the id of the one row that the database has; `rewritten` when the checkpoint of that id has other values
    now. A checkpoint that is followed by another one before it is written never costs anything.
    """

    thread: str
    checkpoint: Checkpoint | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    parent: str | None = None
    writes: dict[tuple[str, int], Write] = field(default_factory=dict)
    saved: str | None = None
    saved_writes: int = 0
    changed: bool = False
    rewritten: bool = False

    def put(self, checkpoint: Checkpoint, metadata: Mapping[str, Any], parent: str | None) -> None:
        """A new checkpoint takes the place of the one before it and of the writes that waited on that."""
        self.checkpoint, self.metadata, self.parent = checkpoint, metadata, parent
        self.writes = {}
        self.changed = True

    def put_values(self, values: Mapping[str, Any]) -> None:
        """Other values for channels of the checkpoint. It stays the same one: what it is about to run stays, too."""
        assert self.checkpoint is not None
        # LangGraph goes on with the one that it gave.
        kept = {**self.checkpoint["channel_values"], **values}
        self.checkpoint = cast(Checkpoint, {**self.checkpoint, "channel_values": kept})
        self.changed = self.rewritten = True

    def put_writes(self, number: str, writes: Sequence[tuple[str, Any]], task: str, path: str) -> None:
        """Add writes that wait on the checkpoint `number`; those on an earlier one are of no use any more."""
        if self.checkpoint is None or self.checkpoint["id"] != number:
            return
        for key, write, replaces in _keyed(writes, task, path):
            if replaces or key not in self.writes:
                self.writes[key] = write
                self.changed = True

    def tuple(self) -> CheckpointTuple | None:
        """The checkpoint as LangGraph reads it: a copy, because it changes what it is given."""
        if self.checkpoint is None:
            return None
        pending = [(task, channel, value) for (task, _), (_, channel, value) in self.writes.items()]
        return CheckpointTuple(
            _config(self.thread, "", self.checkpoint["id"]),
            copy_checkpoint(self.checkpoint),
            cast(CheckpointMetadata, dict(self.metadata)),
            _config(self.thread, "", self.parent) if self.parent else None,
            pending,
        )


class ThreadSaver(BaseCheckpointSaver[int]):
    """A LangGraph saver like any other, until a turn holds a thread: then its checkpoints wait for the turn's word.

    Made by `Store.checkpointer`. Async only.
    """

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._staged: dict[str, StagedCheckpoint] = {}

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that the config names, or the latest of its thread and namespace."""
        thread, namespace = _place(config)
        number = get_checkpoint_id(config)
        staged = self._staged.get(thread) if not namespace else None
        if staged is not None and number in (None, staged.checkpoint and staged.checkpoint["id"]):
            return staged.tuple()
        return await self._database.run(lambda c: self._read(c, thread, namespace, number))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The checkpoints, newest first. `filter` compares entries of their metadata."""
        statement = select(_table).order_by(_table.c.id.desc())
        if config is not None:
            thread, namespace = _place(config)
            statement = statement.where(_table.c.thread == thread)
            if "checkpoint_ns" in config["configurable"]:
                statement = statement.where(_table.c.namespace == namespace)
            if number := get_checkpoint_id(config):
                statement = statement.where(_table.c.id == number)
        if before is not None and (number := get_checkpoint_id(before)):
            statement = statement.where(_table.c.id < number)

        def work(connection: Connection) -> list[CheckpointTuple]:
            found: list[CheckpointTuple] = []
            for row in connection.execute(statement).all():
                if limit is not None and len(found) >= limit:
                    break
                metadata = json.loads(row.metadata)
                if all(name in metadata and metadata[name] == value for name, value in (filter or {}).items()):
                    found.append(self._tuple(connection, tuple(row)))
            return found

        for found in await self._database.run(work):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        thread, namespace = _place(config)
        parent = get_checkpoint_id(config)
        complete = get_checkpoint_metadata(config, metadata)
        if not namespace and (staged := self._staged.get(thread)) is not None:
            staged.put(checkpoint, complete, parent)
        else:
            row = self._row(thread, namespace, checkpoint, complete, parent)
            await self._database.run(lambda c: _put.run(c, row))
        return _config(thread, namespace, checkpoint["id"])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task wrote, to wait on the checkpoint that the config names."""
        thread, namespace = _place(config)
        number = str(get_checkpoint_id(config))
        if not namespace and (staged := self._staged.get(thread)) is not None:
            staged.put_writes(number, writes, task_id, task_path)
            return
        keyed = list(_keyed(writes, task_id, task_path))
        rows = [self._write_row(thread, namespace, number, key, write) for key, write, _ in keyed]
        statement = _put_write if all(replaces for *_, replaces in keyed) else _keep_write
        if rows:
            await self._database.run(lambda c: statement.run_many(c, rows))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread."""
        await self._database.run(lambda c: delete_checkpoints(c, str(thread_id)))

    # Turns: the store's `turn` reads once, holds, and writes together with the rest.

    def read(self, connection: Connection, thread: str) -> StagedCheckpoint:
        """The latest checkpoint of a thread, ready to be held."""
        found = self._read(connection, thread, "", None)
        if found is None:
            return StagedCheckpoint(thread)
        parent = found.parent_config["configurable"]["checkpoint_id"] if found.parent_config else None
        writes = {
            (task, WRITES_IDX_MAP.get(channel, index)): ("", channel, value)
            for index, (task, channel, value) in enumerate(found.pending_writes or ())
        }
        number = found.checkpoint["id"]
        return StagedCheckpoint(thread, found.checkpoint, found.metadata, parent, writes, number, len(writes))

    def hold(self, staged: StagedCheckpoint) -> None:
        """From now on the checkpoints of this thread are kept in `staged`."""
        self._staged[staged.thread] = staged

    def release(self, thread: str) -> None:
        """Forget what was held; what had not been written is dropped."""
        self._staged.pop(thread, None)

    def writing(self, staged: StagedCheckpoint) -> Callable[[Connection], None]:
        """What writes the held checkpoint in place of the one that is there."""
        assert staged.checkpoint is not None
        number, thread = staged.checkpoint["id"], staged.thread
        row = self._row(thread, "", staged.checkpoint, staged.metadata, staged.parent)
        rows = [self._write_row(thread, "", number, key, write) for key, write in staged.writes.items()]
        saved, rewritten, cleared = staged.saved, staged.rewritten, staged.saved_writes > 0

        def work(connection: Connection) -> None:
            at = {"of": thread, "ns": ""}
            if cleared:
                _drop_writes.run(connection, at)
            if saved is None:
                _put.run(connection, row)
            elif saved != number or rewritten:
                _replace.run(connection, {**at, "number": saved, **{f"new_{k}": v for k, v in row.items()}})
            if rows:
                _put_write.run_many(connection, rows)

        return work

    # inside

    def _read(self, connection: Connection, thread: str, namespace: str, number: str | None) -> CheckpointTuple | None:
        values = {"of": thread, "ns": namespace}
        if number is None:
            row = _latest.first(connection, values)
        else:
            row = _exact.first(connection, {**values, "number": number})
        return None if row is None else self._tuple(connection, row)

    def _tuple(self, connection: Connection, row: tuple[Any, ...]) -> CheckpointTuple:
        thread, namespace, number, parent, kind, checkpoint, metadata = row
        found = _read_writes.all(connection, {"of": thread, "ns": namespace, "number": number})
        return CheckpointTuple(
            _config(thread, namespace, number),
            self._decoded(kind, checkpoint),
            load(metadata),
            _config(thread, namespace, parent) if parent else None,
            [(task, channel, self._decoded(kind, value)) for task, channel, kind, value in found],
        )

    def _encoded(self, value: Any) -> tuple[str, bytes]:
        """The kind and the bytes of a value, which begin with their checksum: LangGraph believes what it reads."""
        kind, encoded = self.serde.dumps_typed(value)
        return kind, crc32(encoded).to_bytes(4, "big") + encoded

    def _decoded(self, kind: str, value: bytes) -> Any:
        if crc32(value[4:]).to_bytes(4, "big") != value[:4]:
            raise damaged("a checkpoint in it is not the one that was written")
        return self.serde.loads_typed((kind, value[4:]))

    def _row(
        self, thread: str, namespace: str, checkpoint: Checkpoint, metadata: Mapping[str, Any], parent: str | None
    ) -> dict[str, Any]:
        kind, value = self._encoded(checkpoint)
        return {
            "thread": thread,
            "namespace": namespace,
            "id": checkpoint["id"],
            "parent": parent,
            "type": kind,
            "checkpoint": value,
            "metadata": json.dumps(metadata, ensure_ascii=False),
        }

    def _write_row(
        self, thread: str, namespace: str, number: str, key: tuple[str, int], write: Write
    ) -> dict[str, Any]:
        path, channel, value = write
        kind, encoded = self._encoded(value)
        return {
            "thread": thread,
            "namespace": namespace,
            "id": number,
            "task": key[0],
            "index": key[1],
            "path": path,
            "channel": channel,
            "type": kind,
            "value": encoded,
        }


def delete_checkpoints(connection: Connection, thread: str) -> None:
    """Remove all checkpoints of a thread."""
    for statement in _delete:
        connection.execute(statement, {"of": thread})


def _keyed(writes: Sequence[tuple[str, Any]], task: str, path: str) -> list[tuple[tuple[str, int], Write, bool]]:
    """Each write with its key, and whether it takes the place of an earlier one under that key."""
    replaces = all(channel in WRITES_IDX_MAP for channel, _ in writes)
    return [
        ((task, WRITES_IDX_MAP.get(channel, index)), (path, channel, value), replaces)
        for index, (channel, value) in enumerate(writes)
    ]


def _place(config: RunnableConfig) -> tuple[str, str]:
    configurable = config["configurable"]
    return str(configurable["thread_id"]), str(configurable.get("checkpoint_ns", ""))


def _config(thread: str, namespace: str, number: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": number}}
