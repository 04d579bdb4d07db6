"""The embedded engine in the process that asks: graphqlite on SQLite, one file. Its worker process confines it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from graphwright.graphstore.adapter import Adapter
from graphwright.graphstore.elements import Element
from graphwright.graphstore.embedded import tables
from graphwright.graphstore.embedded.connection import Connection, Readers
from graphwright.graphstore.embedded.reading import EmbeddedReader, Statistics
from graphwright.graphstore.embedded.transaction import EmbeddedTransaction
from graphwright.graphstore.errors import GraphUnavailable, Transient
from graphwright.graphstore.port import WRITE_SECONDS, Write
from graphwright.graphstore.unit_of_work import record_load

T = TypeVar("T")

_READERS = 2
"""Connections that are ready to read; more are opened as needed."""

LOCK_SECONDS = 5.0
"""How long to wait for another process that writes."""


class EmbeddedEngine(Adapter):
    """A graph in one file, with its journal. Opens at once, and creates what is missing.

    `lock_seconds` is how long a write waits for another process, `write_seconds` how long it may take. Raises
    GraphUnavailable.
    """

    _export_seconds = math.inf

    def __init__(
        self,
        path: Path,
        *,
        lock_seconds: float = LOCK_SECONDS,
        write_seconds: float = WRITE_SECONDS,
    ) -> None:
        self._path = path
        self._lock_seconds, self._write_seconds = lock_seconds, write_seconds
        self._lock = threading.Lock()
        self._closed = False
        self._statistics = Statistics()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GraphUnavailable(
                f"the folder {path.parent} cannot be made: {error.strerror}", "Choose another."
            ) from error
        self._writer = Connection(path, reading=False, lock_seconds=lock_seconds)
        try:
            self._readers = Readers(path, lock_seconds=lock_seconds, ready=_READERS)
        except BaseException:
            self._writer.close()
            raise

    @property
    def name(self) -> str:
        return str(self._path)

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        def loaded(tx: EmbeddedTransaction) -> tuple[int, int]:
            counts = tables.load(tx.connection, elements, update=update)
            record_load(tx, text)
            return counts

        counts = self._write(loaded, seconds=math.inf)
        self._readers.renew()
        return counts

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._readers.close()
                self._writer.close()

    @contextmanager
    def _reading(self, seconds: float) -> Iterator[EmbeddedReader]:
        self._check_open()
        with self._readers.one() as reader, reader.guard(seconds):
            yield EmbeddedReader(reader, self._statistics)

    def _write(
        self,
        do: Callable[[EmbeddedTransaction], T],
        *,
        writes: Sequence[Write] = (),
        keep: bool = True,
        seconds: float | None = None,
    ) -> T:
        if not self._lock.acquire(timeout=self._lock_seconds):
            raise Transient("locked", "another part of this program is writing to the graph", "Try again in a moment.")
        try:
            self._check_open()
            try:
                with self._writer.guard(self._write_seconds if seconds is None else seconds):
                    self._writer.begin()
                    tx = EmbeddedTransaction(self._writer, self._statistics, self._readers.one)
                    done = do(tx)
                    if keep:
                        tables.renew_index(self._writer, tx.written["node"])
                if keep:
                    with self._writer.guard():
                        self._writer.commit()
                return done
            finally:
                with self._writer.guard():
                    self._writer.rollback()
        finally:
            self._lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise GraphUnavailable(f"the graph {self._path} was closed", "Open it again.")
