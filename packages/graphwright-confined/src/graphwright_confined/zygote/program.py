"""The program of the confined child: read the request, load the data, run the code, and write one report."""

from __future__ import annotations

import ast
import errno
import io
import json
import linecache
import os
import random
import sys
import traceback
import types
import warnings
from typing import Any, NoReturn

from graphwright_confined.zygote import libraries, tables

__all__ = ["SEED"]

SEED = 0
"""The seed of the random numbers of Python and NumPy in each execution."""

_FILE = "<code>"
"""The file name of the code in tracebacks."""

_LONGEST_MESSAGE, _LONGEST_LINE, _MOST_STEPS = 4_000, 500, 20

_HINTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("URLError", "HTTPError", "gaierror", "ConnectionError"), "The sandbox has no network."),
    (
        ("ModuleNotFoundError",),
        "There are numpy, pandas, pyarrow, duckdb, scipy, statsmodels, scikit-learn, plotly, matplotlib and seaborn.",
    ),
    (("EOFError",), "The sandbox has no input: the code cannot ask the user."),
    (
        ("OSError",),
        "The sandbox has no files, no programs and no network: data is in `datasets`, results belong in `result`.",
    ),
)

_OF_PROCESSES = f"{os.sep}multiprocessing{os.sep}"
_ONE_PROCESS = "The sandbox has one process: do not request more (n_jobs, workers, a pool)."


def run(descriptor: int, out: int, data: list[int]) -> NoReturn:
    """Serve the request `{code, datasets: [id], lazy: [id], memory, rows, most}` in a file, and end the process.

    `out` is the descriptor for the report, `data` are those of the data sets in order.
    """
    # The code may replace these functions later.
    write, leave = os.write, os._exit
    with os.fdopen(descriptor, "rb") as file:
        request = json.loads(file.read())
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", "replace", line_buffering=True)
        for number in (1, 2)
    )
    sys.stdin = io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8")
    report = _report(request, data)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        # The code may have closed or replaced the stream.
        except BaseException:
            continue
    content = memoryview(report)
    while content:
        content = content[write(out, content) :]
    leave(0)


def _report(request: dict[str, Any], data: list[int]) -> bytes:
    code = request["code"]
    try:
        names = _names(request, data)
        _execute(code, names)
        payload = _names_report(names, request["rows"])
    except tables.UnreadableDataset as error:
        return _json({"status": "error", "error": {"type": "DataError", "message": str(error)}})
    except BaseException as error:
        limit = _limit(error)
        # The frames of the traceback keep the objects of the code alive.
        if limit:
            error.__traceback__ = None
            return _json({"status": "limit", "limit": limit})
        found = _error(error, code)
        if isinstance(error, NameError) and error.name == "df":
            found["hint"] = f"`df` is there for one data set; `datasets` has {len(request['datasets'])}."
        elif request["lazy"] and isinstance(error, (AttributeError, TypeError, KeyError)):
            found["hint"] = f'Query {", ".join(request["lazy"])} with sql("SELECT ..."): no data frame holds it all.'
        return _json({"status": "error", "error": found})
    if len(payload) > request["most"]:
        return _json({"status": "limit", "limit": "result"})
    return payload


def _names(request: dict[str, Any], data: list[int]) -> dict[str, Any]:
    """The global names of the code, in a new module `__main__`."""
    files = dict(zip(request["datasets"], data, strict=True))
    found = tables.names(request["code"], files, request["lazy"], request["memory"])
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    names = main.__dict__
    names.update(libraries.namespace())
    names.update(found)
    # The same code over the same data has the same result, even if it draws a sample.
    random.seed(SEED)
    sys.modules["numpy"].random.seed(SEED)
    return names


def _execute(code: str, names: dict[str, Any]) -> None:
    """Run the code. A last expression becomes `result`, unless the code sets it."""
    linecache.cache[_FILE] = (len(code), None, code.splitlines(keepends=True), _FILE)
    warnings.showwarning = _show_warning
    try:
        tree = ast.parse(code, _FILE)
    except (MemoryError, RecursionError):
        raise SyntaxError("the code is nested too deeply") from None
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    try:
        exec(compile(tree, _FILE, "exec"), names)  # noqa: S102 - this is the one place that is made for it
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), _FILE, "eval"), names)  # noqa: S307 - as above
            names.setdefault("result", value)
    except SystemExit as error:
        # A script that exits early with status 0 has succeeded.
        if error.code not in (None, 0):
            raise


def _names_report(names: dict[str, Any], rows: int) -> bytes:
    """The report about the values that the code left in its names."""
    from graphwright_confined.zygote import _encoding as encoding

    result = names.get("result")
    drawing = encoding.is_figure(result)
    figures = encoding.figures(names.get("fig"), result if drawing else None)
    report = _json(
        {"status": "ok", "result": encoding.encoded(None if drawing else result, rows), "taken": sorted(tables.taken)}
    )
    return report[:-1] + b', "figures": [' + ", ".join(figures).encode("utf-8", "replace") + b"]}"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    """Print a warning on one line, with the line number of the code, and without paths of libraries."""
    where = f" (line {lineno})" if filename == _FILE else ""
    print(f"{category.__name__}: {message}{where}", file=sys.stderr)


def _error(error: BaseException, code: str) -> dict[str, Any]:
    """The error as `execution.CodeError` in JSON, with lines of the code only, without paths of libraries."""
    lines = code.splitlines()
    message, number = _message(error), None
    steps: list[tuple[int, str]] = []
    if isinstance(error, SyntaxError) and error.filename == _FILE:
        number, message = error.lineno, str(error.msg)
    else:
        steps = [
            (step.lineno or 0, step.name)
            for step in traceback.extract_tb(error.__traceback__)
            if step.filename == _FILE
        ]
        number = steps[-1][0] if steps else None
    if len(steps) > _MOST_STEPS:
        steps = [*steps[: _MOST_STEPS // 2], *steps[-_MOST_STEPS // 2 :]]
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


def _limit(error: BaseException) -> str | None:
    """The limit that caused this error, or None."""
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError):
        return {errno.EMFILE: "descriptors", errno.ENOMEM: "memory"}.get(error.errno or 0)
    # Each thread reserves memory for its stack.
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return "memory"
    return None


def _message(error: BaseException) -> str:
    try:
        return str(error)
    # The code defined this exception.
    except BaseException:
        return ""


def _line(lines: list[str], number: int | None) -> str:
    return lines[number - 1].strip()[:_LONGEST_LINE] if number and 0 < number <= len(lines) else ""
