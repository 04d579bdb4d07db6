"""One reading process for many tests: starting it takes longer than reading a small file."""

from __future__ import annotations

from threading import Lock
from typing import Any

import pytest

from graphwright_files import _process as process
from graphwright_files import documents

_Process = process.Process


class KeptProcess:
    """A reading process that stays open. It forks for each file, so no file affects the next one."""

    def __init__(self, what: process.What, memory: int) -> None:
        self._process, self._lock = _Process(what, memory), Lock()

    def ask(self, job: dict[str, Any], content: bytes, most: int, *, alone: bool) -> process.Answer:
        with self._lock:
            return self._process.ask(job, content, most, alone=alone)

    def close(self) -> None:
        """Keep the process for the next file."""

    def end(self) -> None:
        self._process.close()


Kept = dict[tuple[str, int, str], KeptProcess]


def keep_processes(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with the processes in `kept`, one for each kind of file and memory limit, and add missing ones."""

    def process_for(what: process.What, memory: int) -> KeptProcess:
        key = (what, memory, process._MODULES[what])
        return kept.get(key) or kept.setdefault(key, KeptProcess(what, memory))

    for module in (process, documents):
        monkeypatch.setattr(module, "Process", process_for)
