"""Checkpoints: what LangGraph keeps of a thread while its turn is served, written down by the turn in one row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
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
from sqlalchemy import Connection, bindparam, delete, insert, select

from graphwright.store import schema
from graphwright.store.database import Prepared
from graphwright.store.errors import damaged
from graphwright.store.rows import load

_table, _writes = schema.checkpoints, schema.checkpoint_writes
# The graph that hosts flows has no graphs inside that would keep checkpoints of their own: one row a thread.
_latest = Prepared(
    select(_table.c.parent, _table.c.type, _table.c.checkpoint, _table.c.metadata).where(
        _table.c.thread == bindparam("of")
    )
)
_read_writes = Prepared(
    select(_writes.c.task, _writes.c.channel, _writes.c.type, _writes.c.value)
    .where(_writes.c.thread == bindparam("of"))
    .order_by(_writes.c.task, _writes.c.index)
)
_put = Prepared(insert(_table))
_put_write = Prepared(insert(_writes))
_drop = tuple(Prepared(delete(each).where(each.c.thread == bindparam("of"))) for each in (_table, _writes))


@dataclass(slots=True)
class StagedCheckpoint:
    """The latest checkpoint of a thread whose turn is being served, kept in memory until the turn writes it down.

    `writes` wait on it: by task and index the path of the task, the channel, and the value. A checkpoint that is
    followed by another one before it is written never costs anything.
    """

    thread: str
    checkpoint: Checkpoint | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    parent: str | None = None
    writes: dict[tuple[str, int], tuple[str, str, Any]] = field(default_factory=dict)
    changed: bool = False

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
        self.changed = True

    def put_writes(self, number: str, writes: Sequence[tuple[str, Any]], task: str, path: str) -> None:
        """Add writes that wait on the checkpoint `number`; those on an earlier one are of no use any more."""
        if self.checkpoint is None or self.checkpoint["id"] != number:
            return
        replaces = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        for index, (channel, value) in enumerate(writes):
            key = (task, WRITES_IDX_MAP.get(channel, index))
            if replaces or key not in self.writes:
                self.writes[key] = (path, channel, value)
                self.changed = True

    def tuple(self) -> CheckpointTuple | None:
        """The checkpoint as LangGraph reads it: a copy, because it changes what it is given."""
        if self.checkpoint is None:
            return None
        return CheckpointTuple(
            _config(self.thread, self.checkpoint["id"]),
            copy_checkpoint(self.checkpoint),
            cast(CheckpointMetadata, dict(self.metadata)),
            _config(self.thread, self.parent) if self.parent else None,
            [(task, channel, value) for (task, _), (_, channel, value) in self.writes.items()],
        )


class ThreadSaver(BaseCheckpointSaver[int]):
    """LangGraph's saver for the threads whose turns are being served: their checkpoints wait for the turn's word.

    Made by `Store.checkpointer`. Async only, and of each thread it has the latest checkpoint alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self._staged: dict[str, StagedCheckpoint] = {}

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest checkpoint of the thread."""
        return self._of(config).tuple()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint for the turn to write down."""
        staged = self._of(config)
        staged.put(checkpoint, get_checkpoint_metadata(config, metadata), get_checkpoint_id(config))
        return _config(staged.thread, checkpoint["id"])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a task wrote, to wait on the checkpoint that the config names."""
        self._of(config).put_writes(str(get_checkpoint_id(config)), writes, task_id, task_path)

    # Turns: the store's `turn` reads once, holds, and writes together with the rest.

    def read(self, connection: Connection, thread: str) -> StagedCheckpoint:
        """The latest checkpoint of a thread, ready to be held."""
        rows = _latest.all(connection, {"of": thread})
        if not rows:
            return StagedCheckpoint(thread)
        parent, kind, encoded, metadata = rows[0]
        found = _read_writes.all(connection, {"of": thread})
        writes = {
            (task, WRITES_IDX_MAP.get(channel, index)): ("", channel, self._decoded(kind, value))
            for index, (task, channel, kind, value) in enumerate(found)
        }
        checkpoint = self._decoded(kind, encoded)
        return StagedCheckpoint(thread, checkpoint, load(metadata), parent, writes)

    def hold(self, staged: StagedCheckpoint) -> None:
        """From now on the checkpoints of this thread are kept in `staged`."""
        self._staged[staged.thread] = staged

    def release(self, thread: str) -> None:
        """Forget what was held; what had not been written is dropped."""
        self._staged.pop(thread, None)

    def writing(self, staged: StagedCheckpoint) -> Callable[[Connection], None]:
        """What writes the held checkpoint in place of the one that is there."""
        assert staged.checkpoint is not None
        number = staged.checkpoint["id"]
        kind, value = self._encoded(staged.checkpoint)
        row = {
            "thread": staged.thread,
            "namespace": "",
            "id": number,
            "parent": staged.parent,
            "type": kind,
            "checkpoint": value,
            "metadata": json.dumps(staged.metadata, ensure_ascii=False),
        }
        columns = _writes.c.keys()
        rows = [
            dict(zip(columns, (staged.thread, "", number, *key, path, channel, *self._encoded(value)), strict=True))
            for key, (path, channel, value) in staged.writes.items()
        ]

        def work(connection: Connection) -> None:
            delete_checkpoint(connection, staged.thread)
            _put.run(connection, row)
            if rows:
                _put_write.run_many(connection, rows)

        return work

    # inside

    def _of(self, config: RunnableConfig) -> StagedCheckpoint:
        return self._staged[str(config["configurable"]["thread_id"])]

    def _encoded(self, value: Any) -> tuple[str, bytes]:
        """The kind and the bytes of a value, which begin with their checksum: LangGraph believes what it reads."""
        kind, encoded = self.serde.dumps_typed(value)
        return kind, crc32(encoded).to_bytes(4, "big") + encoded

    def _decoded(self, kind: str, value: bytes) -> Any:
        if crc32(value[4:]).to_bytes(4, "big") != value[:4]:
            raise damaged("a checkpoint in it is not the one that was written")
        return self.serde.loads_typed((kind, value[4:]))


def delete_checkpoint(connection: Connection, thread: str) -> None:
    """Remove the checkpoint of a thread, and what waits on it."""
    for statement in _drop:
        statement.run(connection, {"of": thread})


def _config(thread: str, number: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": number}}
