"""The interaction log in a file of JSON Lines: one interaction a line, the one written last at the end."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from graphwright.store.errors import StoreError, explain
from graphwright.store.interactions.interaction import Interaction
from graphwright.store.interactions.sink import InteractionLogError, Query, SessionSummary, no_folder

_PATIENCE = 5.0
"""Seconds to wait for another process that writes."""


class JsonlSink:
    """The interaction log in a file of JSON Lines, readable by its owner alone. Its folder must be there.

    Lines that are no interactions (one that a crash cut short, or somebody else's) are passed over and never removed.
    Of two lines with one id the later holds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def label(self) -> str:
        return str(self._path)

    def write(self, batch: Sequence[Interaction]) -> None:
        lines = "".join(f"{json.dumps(each.to_json(), ensure_ascii=False)}\n" for each in batch).encode()
        with self._held(), open(self._path, "ab+", buffering=0, opener=_private) as file:
            size = file.seek(0, os.SEEK_END)
            # A line that a crash cut short must not spoil the next one.
            torn = size > 0 and file.seek(size - 1) >= 0 and file.read(1) != b"\n"
            try:
                _write_all(file, b"\n" + lines if torn else lines)
            except OSError:
                file.truncate(size)
                raise

    def find(self, query: Query) -> list[Interaction]:
        found: dict[str, Interaction] = {}
        for _, each in self._lines():
            if each is None:
                continue
            found.pop(each.id, None)
            if query.takes(each):
                found[each.id] = each
                if len(found) >= 2 * query.limit + 1000:
                    found = {each.id: each for each in _latest(found, query.limit)}
        return _latest(found, query.limit)

    def sessions(self) -> list[SessionSummary]:
        seen: dict[str, tuple[str, str, bool, str]] = {}
        for _, each in self._lines():
            if each is not None:
                seen[each.id] = (each.session, each.agent, each.success, each.started)
        sessions: dict[tuple[str, str], SessionSummary] = {}
        for session, agent, success, started in seen.values():
            so_far = sessions.get((session, agent)) or SessionSummary(session, agent, 0, 0, started, started)
            sessions[session, agent] = SessionSummary(
                session,
                agent,
                so_far.interactions + 1,
                so_far.failed + (not success),
                min(so_far.first, started),
                max(so_far.last, started),
            )
        by_name = sorted(sessions.values(), key=lambda each: each.session)
        return sorted(by_name, key=lambda each: each.last, reverse=True)

    def count(self, before: str = "") -> int | None:
        if not self._path.exists():
            return None
        return len({each.id for _, each in self._lines() if each is not None and _is_old(each, before)})

    def purge(self, before: str) -> int:
        if not self._path.exists():
            return 0
        aside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        gone: set[str] = set()
        with self._held():
            try:
                with open(aside, "wb", opener=_private) as kept:
                    for line, each in self._lines():
                        if each is not None and _is_old(each, before):
                            gone.add(each.id)
                        else:
                            kept.write(line)
                    kept.flush()
                    os.fsync(kept.fileno())
                # Whoever was let in before still is.
                aside.chmod(stat.S_IMODE(self._path.stat().st_mode))
                os.replace(aside, self._path)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
        return len(gone)

    def close(self) -> None:
        pass

    def _lines(self) -> Iterator[tuple[bytes, Interaction | None]]:
        """The lines of the file, each with its interaction; None where it is none."""
        try:
            with self._path.open("rb") as stream:
                for line in stream:
                    yield line, _interaction(line)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._explained(error) from error

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Inside, no other process writes to the file, or puts another in its place."""
        from filelock import FileLock, Timeout

        try:
            # The lock would make the folder.
            os.stat(self._path.parent)
            with FileLock(self._path.with_name(f".{self._path.name}.lock"), timeout=_PATIENCE, mode=0o600):
                yield
        except Timeout as error:
            raise InteractionLogError(
                "log_unwritable",
                f"The interaction log {self._path} was locked by another program for too long.",
                "Try again when that is done with it.",
            ) from error
        except OSError as error:
            raise self._explained(error) from error

    def _explained(self, error: OSError) -> StoreError:
        known = explain(error, str(self._path))
        if known is not None:
            return known
        if isinstance(error, FileNotFoundError):
            return no_folder(self._path)
        return InteractionLogError(
            "log_unwritable", f"The interaction log {self._path} cannot be used: {error.strerror}.", "Choose another."
        )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write_all(file: FileIO, data: bytes) -> None:
    while data:
        data = data[file.write(data) :]


def _interaction(line: bytes) -> Interaction | None:
    try:
        return Interaction.from_json(json.loads(line))
    except (ValueError, RecursionError):
        return None


def _is_old(each: Interaction, before: str) -> bool:
    return not before or each.started < before


def _latest(found: dict[str, Interaction], limit: int) -> list[Interaction]:
    return sorted(found.values(), key=lambda each: (each.started, each.number), reverse=True)[:limit]
