"""The queue of an interaction log, and the background thread that writes it."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from graphwright.config import chosen_interactions
from graphwright.errors import GraphwrightError, exception_text
from graphwright.store.interactions._interaction import Interaction, Redactor
from graphwright.store.interactions._sinks import OFF, InteractionSink, open_sink

CAPACITY = 1_000
"""Maximum number of interactions in the queue."""

TIMEOUT_SECONDS = 2.0
"""Seconds that the end of a session or a program waits for the queue."""

_BATCH = 100
"""Maximum number of interactions in a transaction."""

_GATHERING_SECONDS = 0.1
"""Seconds to gather a batch: a transaction costs as much as a turn, whatever it holds."""


class Writer:
    """Writes interactions to one log in batches, in a thread that lives while turns are made.

    `open_log` opens it, in that thread, at the first interaction and after an error. Errors of `open_log` or the log
    only lose interactions: the first loss is logged as a warning.
    """

    def __init__(self, open_log: Callable[[], InteractionSink], capacity: int = CAPACITY) -> None:
        self._open_log = open_log
        self._capacity = capacity
        self._changed = threading.Condition()
        self._queue: deque[Interaction] = deque()
        self._log: InteractionSink | None = None
        self._running = False
        self._flushing = 0
        self._stalled = False
        self._warned = False

    def put(self, interaction: Interaction) -> None:
        """Queue an interaction. Returns immediately; if the queue is full, the interaction is dropped."""
        with self._changed:
            if len(self._queue) >= self._capacity:
                self.warn(f"more than {self._capacity:,} interactions were waiting to be written")
                return
            self._queue.append(interaction)
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="graphwright-interactions", daemon=True).start()
            elif len(self._queue) >= _BATCH:
                self._changed.notify_all()

    def flush(self, timeout: float = TIMEOUT_SECONDS) -> bool:
        """Wait until the queue is written, at most `timeout` seconds; return whether it is.

        After a timeout it does not wait again until something was written.
        """
        with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            try:
                settled = self._changed.wait_for(lambda: not self._running, 0 if self._stalled else timeout)
            finally:
                self._flushing -= 1
            self._stalled = not settled
            return settled

    def _run(self) -> None:
        while batch := self._next():
            try:
                # Kept for the next thread: opening costs as much as writing.
                self._log = self._log or self._open_log()
                redactor = Redactor()
                self._log.write([each.redacted(redactor) for each in batch])
            # The conversation must continue after any error.
            except Exception as error:
                self._log = None
                # The hint is reported when someone reads the log.
                self.warn(error.message if isinstance(error, GraphwrightError) else exception_text(error))

    def _next(self) -> list[Interaction]:
        """Return the next batch; empty if the thread must end."""
        with self._changed:
            self._changed.wait_for(lambda: self._flushing or len(self._queue) >= _BATCH, _GATHERING_SECONDS)
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), _BATCH))]
            self._running = bool(batch)
            self._stalled = False
            self._changed.notify_all()
            return batch

    def warn(self, why: str) -> None:
        """Log the first loss."""
        if not self._warned:
            self._warned = True
            logging.getLogger("graphwright").warning("The interaction log is not kept: %s", why)


def record(home: Path, interaction: Interaction) -> Writer | None:
    """Queue an interaction for the configured log of a data folder. Returns its writer, or None if the log is off.

    Returns immediately. Raises only ConfigError.
    """
    setting, base = chosen_interactions()
    if setting.lower() == OFF:
        return None
    with _lock:
        key = (home, setting, base)
        writer = _writers.setdefault(key, Writer(lambda: open_sink(setting, home, base)))
    writer.put(interaction)
    return writer


def configured(home: Path) -> InteractionSink | None:
    """Return the configured interaction log, by default that of the data folder; None if it is switched off.

    Nothing is created or connected yet. Reading it also finds the turns that this process has queued. Raises
    ConfigError, and the errors of `open_sink`.
    """
    setting, base = chosen_interactions()
    if setting.lower() == OFF:
        return None
    log = open_sink(setting, home, base)
    if (writer := _writers.get((home, setting, base))) is not None:
        log.flush = writer.flush
    return log


def leave() -> None:
    """Wait a short time for all queues at the end of the program."""
    for writer in [*_writers.values()]:
        # Ctrl-C ends the waiting.
        with contextlib.suppress(KeyboardInterrupt):
            if writer.flush():
                continue
        writer.warn("the program ends before it is written")


_lock = threading.Lock()
_writers: dict[tuple[Path, str, Path], Writer] = {}


def _forget() -> None:
    # The threads of a process do not exist in its fork.
    global _lock
    _lock = threading.Lock()
    _writers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(leave)
