"""What became of interactions: how many were written and how many were lost, kept in the data folder for `doctor`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

FILE = "interactions.json"

_PATIENCE = 1.0
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
    return _counts(_content(home / FILE).get(label))


def add_counts(home: Path, label: str, more: Counts) -> None:
    """Add to the counts. Raises OSError where they cannot be kept; nothing is added then."""
    # Not at the top: who only reads them needs no lock.
    from filelock import FileLock, Timeout

    path = home / FILE
    # The lock would make the folder, and one that is gone must not come back.
    os.stat(home)
    aside = path.with_name(f"{FILE}.{os.getpid()}")
    try:
        with FileLock(home / f".{FILE}.lock", timeout=_PATIENCE, mode=0o600):
            content = _content(path)
            content[label] = asdict(_counts(content.get(label)).plus(more))
            try:
                with open(aside, "w", encoding="utf-8", opener=_private) as stream:
                    json.dump(content, stream, indent=1)
                os.replace(aside, path)
            except OSError:
                aside.unlink(missing_ok=True)
                raise
    except Timeout as error:
        raise OSError(f"{path} is locked") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


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
