"""The reading process as its owner sees it: started, given a job, and ended in any case."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from graphwright.files.errors import FilesUnavailable, NotData, NotReadable, TooMuch, unpacked
from graphwright.files.limits import Limits
from graphwright.files.source import Source

NEEDED = ("numpy", "pyarrow", "python_calamine", "charset_normalizer")
"""What the reading process imports."""

_OUT_OF_MEMORY = 77
_MOST_THREADS = 4
_PATIENCE = 5.0
"""Seconds after its limit at which it is killed. It ends itself before, if it still can."""

# Arrow imports pandas where it finds it, to no use here: half a second that everybody would wait for.
_BOOT = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from graphwright.files.tables.without import without; without('pandas'); "
    "from graphwright.files.tables.worker import main; main()"
)

# Nothing of the environment comes along but where libraries lie and what time it is here.
_KEPT = ("LD_LIBRARY_PATH", "TZ", "SYSTEMROOT")
_OWN = {
    # A library that starts threads when it is imported could not be confined any more.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "MALLOC_ARENA_MAX": "4",
}


def read(source: Source, folder: Path, limits: Limits) -> dict[str, Any]:
    """Have a file read into `folder`, which exists and is empty: what the worker found, as it says it.

    Raises what the worker raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise FilesUnavailable(
            "files_unavailable",
            f"Data files cannot be read: {', '.join(missing)} is not installed",
            'Run `pip install "graphwright[data]"`.',
        )
    job = {
        "path": str(source.path),
        "folder": str(folder),
        "stat": source.stat,
        "limits": limits.to_json(),
        "threads": min(os.cpu_count() or 1, _MOST_THREADS),
    }
    try:
        process = subprocess.Popen(
            # -I and -S: no variable, folder or hook of the user's Python decides what is imported.
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, *_import_path()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={name: os.environ[name] for name in _KEPT if name in os.environ} | _OWN,
            close_fds=True,
            start_new_session=True,
        )
    except OSError as error:
        raise FilesUnavailable(
            "files_unavailable",
            f"The process that reads data files cannot be started ({error.strerror})",
            "Close other programs, or raise the limits on processes and open files.",
        ) from None
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


def _import_path() -> list[str]:
    """Where this process imports from, Graphwright's own place first."""
    own = str(Path(__file__).absolute().parents[2])
    return list(dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry))]))
