"""What went wrong in the code, told with its own lines: nothing of the libraries beneath, nothing of their paths."""

from __future__ import annotations

import errno
import os
import traceback
from typing import Any

FILE = "<code>"
"""What the code is called in tracebacks."""

_LONGEST_MESSAGE, _LONGEST_LINE, _MOST_FRAMES = 4_000, 500, 20

_HINTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("URLError", "HTTPError", "gaierror", "ConnectionError"),
        "There is no network in here.",
    ),
    (
        ("ModuleNotFoundError",),
        "There are numpy, pandas, pyarrow, scipy, statsmodels, scikit-learn, plotly, matplotlib and seaborn.",
    ),
    (("EOFError",), "Nobody can be asked in here."),
    (
        ("OSError",),
        "In here there are no files, no programs and no network: the data are in `datasets`, results go to `result`.",
    ),
)

_OF_PROCESSES = f"{os.sep}multiprocessing{os.sep}"
_ONE_PROCESS = "In here there is one process: leave out what asks for more (n_jobs, workers, a pool)."


def failure(error: BaseException, code: str) -> dict[str, Any]:
    """The error as `CodeError` has it."""
    lines = code.splitlines()
    message, number = _said(error), None
    steps: list[tuple[int, str]] = []
    if isinstance(error, SyntaxError) and error.filename == FILE:
        number, message = error.lineno, str(error.msg)
    else:
        steps = [
            (step.lineno or 0, step.name) for step in traceback.extract_tb(error.__traceback__) if step.filename == FILE
        ]
        number = steps[-1][0] if steps else None
    if len(steps) > _MOST_FRAMES:
        steps = [*steps[: _MOST_FRAMES // 2], *steps[-_MOST_FRAMES // 2 :]]
    names = {kind.__name__ for kind in type(error).__mro__}
    hint = next((hint for kinds, hint in _HINTS if names.intersection(kinds)), "")
    if any(_OF_PROCESSES in step.filename for step in traceback.extract_tb(error.__traceback__)):
        hint = _ONE_PROCESS
    return {
        "type": type(error).__name__[:200],
        "message": message[:_LONGEST_MESSAGE],
        "line": number,
        "source": _line(lines, number),
        "traceback": [
            f"line {line}{'' if name == '<module>' else f', in {name[:100]}'}: {_line(lines, line)}"
            for line, name in steps
        ],
        "hint": hint,
    }


def exhausted(error: BaseException) -> str | None:
    """The limit that this error comes from, where it comes from one."""
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError):
        return {
            errno.EMFILE: "descriptors",
            errno.ENOSPC: "disk",
            errno.EFBIG: "disk",
            errno.ENOMEM: "memory",
        }.get(error.errno or 0)
    # Each thread reserves room for its stack.
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return "memory"
    return None


def _said(error: BaseException) -> str:
    try:
        return str(error)
    # It is an exception of the code's own making.
    except BaseException:
        return ""


def _line(lines: list[str], number: int | None) -> str:
    return lines[number - 1].strip()[:_LONGEST_LINE] if number and 0 < number <= len(lines) else ""
