"""The reading process as its owner sees it: started, given a job, and ended in any case."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from graphwright.files.errors import NotData, NotReadable, TooMuch, unpacked
from graphwright.files.limits import Limits
from graphwright.files.source import Source
from graphwright.files.starting import needed, started

NEEDED = ("numpy", "pyarrow", "python_calamine", "charset_normalizer")
"""What the reading process imports."""

_OUT_OF_MEMORY = 77
_MOST_THREADS = 4
_PATIENCE = 5.0
"""Seconds after its limit at which it is killed. It ends itself before, if it still can."""

# Arrow imports pandas where it finds it, to no use here: half a second that everybody would wait for.
_BOOT = (
    "from graphwright.files.tables.without import without; without('pandas'); "
    "from graphwright.files.tables.worker import main; main()"
)


def read(source: Source, folder: Path, limits: Limits) -> dict[str, Any]:
    """Have a file read into `folder`, which exists and is empty: what the worker found, as it says it.

    Raises what the worker raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
    """
    needed(NEEDED, "Data files cannot be read", "data")
    job = {
        "path": str(source.path),
        "folder": str(folder),
        "stat": source.stat,
        "limits": limits.to_json(),
        "threads": min(os.cpu_count() or 1, _MOST_THREADS),
    }
    process = started(_BOOT, folder)
    try:
        said, _ = process.communicate(json.dumps(job).encode(), limits.seconds + _PATIENCE)
    except subprocess.TimeoutExpired:
        said = b""
    finally:
        # Also when this process is interrupted: nobody waits for the answer any more.
        late = process.poll() is None
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
    return _answer(said, -signal.SIGALRM if late else process.returncode, limits)


def _answer(said: bytes, status: int, limits: Limits) -> dict[str, Any]:
    try:
        answer = json.loads(said) if status == 0 else None
    except ValueError:
        answer = None
    if isinstance(answer, dict) and "error" in answer:
        raise unpacked(answer["error"])
    if isinstance(answer, dict) and "found" in answer:
        return dict(answer["found"])
    if status == -signal.SIGALRM:
        raise TooMuch(
            "out_of_time",
            f"reading it took longer than {limits.seconds:g} seconds",
            "Give a part of it, or save it as Parquet or CSV, which are read fastest.",
        )
    if status in (_OUT_OF_MEMORY, -signal.SIGKILL, -signal.SIGABRT):
        raise TooMuch(
            "out_of_memory",
            f"reading it needs more memory than the limit of {limits.memory / 10**9:.1f} GB",
            "Give a part of it, or save it as Parquet or CSV, which are read in parts.",
        )
    if status == 0:
        raise NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
    raise NotData("damaged_file", f"it broke the program that reads it (status {status})", "Export the data once more.")
