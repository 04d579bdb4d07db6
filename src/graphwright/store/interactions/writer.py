"""The queue before an interaction log and the thread that writes, which nobody waits for; and what became of all."""

from __future__ import annotations

import atexit
import json
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphwright.config import chosen_interactions
from graphwright.errors import GraphwrightError, said
from graphwright.store.errors import StoreError
from graphwright.store.interactions.interaction import Interaction, Redactor
from graphwright.store.interactions.sinks import InteractionSink, locked, open_sink, open_written, parsed, replaced

COUNTS = "interactions.json"

_LOCKING = 1.0
"""Seconds to wait for another process that is counting."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the interactions for one log, over all processes.

    `dropped` found no room in the queue, or the program ended before they were written; `failed` the log did not take.
    `last_written` and `last_lost` are ISO 8601 in UTC, `error` says why something was lost last.
    """

    written: int = 0
    dropped: int = 0
    failed: int = 0
    last_written: str = ""
    last_lost: str = ""
    error: str = ""

    def plus(self, more: Counts) -> Counts:
        """Both together; the texts are those of `more` where it has any."""
        return Counts(
            self.written + more.written,
            self.dropped + more.dropped,
            self.failed + more.failed,
            more.last_written or self.last_written,
            more.last_lost or self.last_lost,
            more.error or self.error,
        )


def read_counts(home: Path, label: str) -> Counts:
    """The counts of the log that `label` names; none where nothing was counted, or the file cannot be read."""
    return _counts(_content(home / COUNTS).get(label))


def add_counts(home: Path, label: str, more: Counts) -> None:
    """Add to the counts. Raises OSError where they cannot be kept; nothing is added then."""
    path = home / COUNTS
    with locked(path, _LOCKING):
        content = _content(path)
        content[label] = asdict(_counts(content.get(label)).plus(more))
        with replaced(path) as stream:
            stream.write(json.dumps(content, indent=1).encode())


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _counts(data: Any) -> Counts:
    if not isinstance(data, Mapping):
        return Counts()
    known: dict[str, Any] = {each.name: data.get(each.name) for each in fields(Counts)}
    return Counts(**{name: value for name, value in known.items() if type(value) is type(getattr(Counts(), name))})


CAPACITY = 1_000
"""Interactions that may wait to be written."""

PATIENCE = 2.0
"""Seconds that the end of a session or a program waits for what is still to be written."""

UNUSABLE = "(an address that cannot be used)"
"""What stands for the name of a log whose address is none."""

_BATCH = 100
_IDLE = 5.0
"""Seconds without work after which the thread ends and closes the log."""


class Writer:
    """Writes interactions to one log, in a thread of its own, and counts what became of them.

    `open_log` opens it, in that thread; what it raises counts like a failed write.
    """

    def __init__(
        self, home: Path, label: str, open_log: Callable[[], InteractionSink], capacity: int = CAPACITY
    ) -> None:
        self._home = home
        self._label = label
        self._open_log = open_log
        self._capacity = capacity
        self._changed = threading.Condition()
        self._queue: deque[Interaction] = deque()
        self._writing: list[Interaction] = []
        self._given_up = False
        self._stalled = False
        self._uncounted = Counts()
        self._unkept = Counts()
        self._thread: threading.Thread | None = None
        self._warned = False

    def put(self, interaction: Interaction) -> None:
        """Hand over an interaction to be written. Returns at once; one that finds no room is dropped and counted."""
        with self._changed:
            if len(self._queue) >= self._capacity:
                why = f"more than {self._capacity:,} interactions were waiting to be written"
                self._uncounted = self._uncounted.plus(Counts(dropped=1, last_lost=_now(), error=why))
            else:
                self._queue.append(interaction)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="graphwright-interactions", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def settle(self, patience: float = PATIENCE) -> bool:
        """Wait until all is written, at most `patience` seconds; whether it is.

        Where that was in vain before and nothing has moved since, it is not waited for again.
        """
        with self._changed:
            settled = self._changed.wait_for(lambda: not self._busy, 0 if self._stalled else patience)
            self._stalled = not settled
            return settled

    def give_up(self, patience: float = PATIENCE) -> None:
        """The program ends: what is not written after `patience` seconds is counted as dropped."""
        self.settle(patience)
        with self._changed:
            # What is being written may still get there, but nobody will be there to count it.
            lost = len(self._queue) + (0 if self._given_up else len(self._writing))
            self._queue.clear()
            self._given_up = bool(self._writing)
            if lost:
                why = f"the program ended before it was written ({patience:g} s)"
                self._uncounted = self._uncounted.plus(Counts(dropped=lost, last_lost=_now(), error=why))
            self._changed.notify_all()
        self._count()

    @property
    def _busy(self) -> bool:
        return bool(self._queue or self._writing or self._uncounted != Counts())

    def _run(self) -> None:
        log: InteractionSink | None = None
        while self._next():
            if self._writing:
                try:
                    log = log or self._open_log()
                    redactor = Redactor()
                    log.write([each.redacted(redactor) for each in self._writing])
                # Whatever it is, the conversation goes on.
                except Exception as error:
                    _close(log)
                    log = None
                    self._done(error)
                else:
                    self._done(None)
            self._count()
            with self._changed:
                self._writing = []
                self._stalled = False
                self._changed.notify_all()
        _close(log)

    def _next(self) -> bool:
        """Wait for something to write, and take it; false after a while without."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._busy, _IDLE):
                self._thread = None
                return False
            count = min(len(self._queue), _BATCH)
            self._writing = [self._queue.popleft() for _ in range(count)]
            self._given_up = False
        return True

    def _done(self, error: Exception | None) -> None:
        count = len(self._writing)
        why = "" if error is None else _one_line(error)
        with self._changed:
            if error is None:
                # Given up too early: it was written after all.
                found = Counts(written=count, dropped=-count if self._given_up else 0, last_written=_now())
            else:
                found = Counts(failed=0 if self._given_up else count, last_lost=_now(), error=why)
            self._uncounted = self._uncounted.plus(found)
        if error is not None and not self._warned:
            self._warned = True
            logging.getLogger("graphwright").warning("The interaction log is not kept: %s", why)

    def _count(self) -> None:
        with self._changed:
            more = self._unkept.plus(self._uncounted)
            self._uncounted = self._unkept = Counts()
        if more == Counts():
            return
        try:
            add_counts(self._home, self._label, more)
        # Where even that cannot be written the data folder itself is out of order, and `doctor` says so.
        except Exception:
            with self._changed:
                self._unkept = more.plus(self._unkept)


def record(home: Path, interaction: Interaction) -> Writer | None:
    """Hand an interaction to the log that is configured for a data folder; gives its writer, None where it is off.

    Returns at once. Raises ConfigError alone.
    """
    text, base = chosen_interactions()
    with _lock:
        writer = _writers.get((home, text, base))
        if writer is None:
            writer = _writer(text, home, base)
            if writer is None:
                return None
            _writers[home, text, base] = writer
    writer.put(interaction)
    return writer


def leave() -> None:
    """The program is about to end: give what is still to be written a little time."""
    with _lock:
        writers = list(_writers.values())
    for writer in writers:
        try:
            writer.give_up()
        except KeyboardInterrupt:
            # Who cannot wait need not.
            writer.give_up(0)


def _writer(text: str, home: Path, base: Path) -> Writer | None:
    try:
        address = parsed(text, home, base)
    except StoreError as error:
        unusable = error

        def refuse() -> InteractionSink:
            raise unusable

        return Writer(home, UNUSABLE, refuse)
    return None if address is None else Writer(home, address.label, lambda: open_sink(address))


_lock = threading.Lock()
_writers: dict[tuple[Path, str, Path], Writer] = {}


def _forget() -> None:
    # The threads of a process are not there in its fork.
    global _lock
    _lock = threading.Lock()
    _writers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(leave)


def _close(log: InteractionSink | None) -> None:
    try:
        if log is not None:
            log.close()
    except Exception as error:
        logging.getLogger("graphwright").debug("Closing the interaction log failed: %s", said(error))


def _one_line(error: Exception) -> str:
    # What to do about it is for whoever asks for the log.
    text = error.message if isinstance(error, GraphwrightError) else said(error)
    return text if len(text) <= 500 else f"{text[:499]}…"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Health:
    """What was found: how many `interactions` there are, None where there is no log yet, and what became of them all.

    `trouble` says why the log cannot be used, None where it can.
    """

    label: str
    interactions: int | None
    counts: Counts
    trouble: StoreError | None = None


def examine(home: Path) -> Health | None:
    """Look over the log that is configured for a data folder; None where it is switched off. Raises ConfigError."""
    text, base = chosen_interactions()
    label = UNUSABLE
    try:
        address = parsed(text, home, base)
        if address is None:
            return None
        label = address.label
        with closing(open_written(address, home)) as log:
            return Health(label, log.count(), read_counts(home, label))
    except StoreError as error:
        return Health(label, None, read_counts(home, label), error)
