"""The watch over a running child, for what the kernel does not limit: threads, and what lies in the working folder."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Watch:
    """What a child may have. `folder` is None where it can write nothing, `memory` where the kernel limits it."""

    child: int
    threads: int
    folder: str | None
    disk: int
    files: int
    memory: int | None

    def exceeded(self) -> str | None:
        """The name of the limit that the child is beyond, if any."""
        if _threads(self.child) > self.threads:
            return "threads"
        if self.memory is not None and _resident(self.child) > self.memory:
            return "memory"
        if self.folder is not None:
            files, taken = usage(self.folder, self.files)
            if files > self.files:
                return "files"
            if taken > self.disk:
                return "disk"
        return None


def usage(folder: str, most: int) -> tuple[int, int]:
    """How many files and folders are beneath this folder, and the bytes they take. Counting ends beyond `most`."""
    files = taken = 0
    waiting = [folder]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as found:
            for entry in found:
                files += 1
                if files > most:
                    return files, taken
                with contextlib.suppress(OSError):
                    taken += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return files, taken


def address_space() -> int:
    """Bytes of address space that this process takes; 0 where that is not told."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _threads(process: int) -> int:
    if sys.platform == "darwin":
        from graphwright.sandbox import seatbelt

        return seatbelt.task(process).threads
    try:
        # The name of the program, in brackets, may hold anything.
        return int(Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def _resident(process: int) -> int:
    if sys.platform == "darwin":
        from graphwright.sandbox import seatbelt

        return seatbelt.task(process).resident
    return 0
