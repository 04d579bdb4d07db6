"""What the confined child does: read the request, load the data, run the code, and write one frame."""

from __future__ import annotations

import ast
import io
import json
import linecache
import os
import random
import sys
import types
import warnings
from typing import Any, NoReturn

from graphwright.sandbox.frame import framed
from graphwright.sandbox.zygote import libraries
from graphwright.sandbox.zygote.datasets import Unreadable, frame
from graphwright.sandbox.zygote.failing import FILE, exhausted, failure

SEED = 0
"""What the random numbers of Python and NumPy begin with in each execution."""


def run(request: int, out: int, data: list[int]) -> NoReturn:
    """Serve this request, `{code, datasets: [[id, format]], rows, most}` in a file, and end the process.

    `out` is the descriptor that the frame goes to, `data` are the files of the data sets in their order.
    """
    # What the code may put in the place of these later does not matter then.
    write, leave = os.write, os._exit
    with os.fdopen(request, "rb") as file:
        asked = json.loads(file.read())
    sys.stdout = io.TextIOWrapper(
        io.FileIO(1, "w", closefd=False), encoding="utf-8", errors="replace", line_buffering=True
    )
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="replace", line_buffering=True
    )
    sys.stdin = io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8")
    answer = _answer(asked, data)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        # The code may have closed it, or put anything in its place.
        except BaseException:
            continue
    content = memoryview(framed(answer))
    while content:
        content = content[write(out, content) :]
    leave(0)


def _answer(asked: dict[str, Any], data: list[int]) -> bytes:
    code = asked["code"]
    try:
        names = _names(asked, data)
        _execute(code, names)
        payload = _found(names, asked["rows"])
    except Unreadable as error:
        return _json({"status": "error", "error": {"type": "DataError", "message": str(error)}})
    except BaseException as error:
        over = exhausted(error)
        # Frames of the code hold what it has made.
        if over:
            error.__traceback__ = None
            return _json({"status": "over", "over": over})
        told = failure(error, code)
        if isinstance(error, NameError) and error.name == "df":
            told["hint"] = f"`df` is there for one data set; `datasets` has {len(asked['datasets'])}."
        return _json({"status": "error", "error": told})
    if len(payload) > asked["most"]:
        return _json({"status": "over", "over": "result"})
    return payload


def _names(asked: dict[str, Any], data: list[int]) -> dict[str, Any]:
    """The names that the code finds, in a module of its own that passes for the main one."""
    frames = {
        name: frame(name, format, descriptor)
        for (name, format), descriptor in zip(asked["datasets"], data, strict=True)
    }
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    names = main.__dict__
    names.update(libraries.namespace())
    names["datasets"] = frames
    if len(frames) == 1:
        (names["df"],) = frames.values()
    # The same code over the same data comes to the same, also where it draws a sample.
    random.seed(SEED)
    sys.modules["numpy"].random.seed(SEED)
    return names


def _execute(code: str, names: dict[str, Any]) -> None:
    """Run the code. A last expression is `result`, unless the code sets one."""
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    warnings.showwarning = _show_warning
    try:
        tree = ast.parse(code, FILE)
    except (MemoryError, RecursionError):
        raise SyntaxError("the code is nested too deeply") from None
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    try:
        exec(compile(tree, FILE, "exec"), names)  # noqa: S102 - this is the one place that is made for it
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), FILE, "eval"), names)  # noqa: S307 - as above
            names.setdefault("result", value)
    except SystemExit as error:
        # A script that leaves early, and says that all is well, has ended well.
        if error.code not in (None, 0):
            raise


def _found(names: dict[str, Any], rows: int) -> bytes:
    """The frame's payload for what the code left behind."""
    from graphwright.sandbox.zygote import encoding, figures

    result = names.get("result")
    drawing = figures.is_figure(result)
    drawn = figures.drawn(names.get("fig"), result if drawing else None)
    encoded = _json({"status": "ok", "result": encoding.encoded(None if drawing else result, rows)})
    return encoded[:-1] + b', "figures": [' + ", ".join(drawn).encode("utf-8", "replace") + b"]}"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    """A warning on one line, with the line of the code where it is the code's, and no path of a library."""
    where = f" (line {lineno})" if filename == FILE else ""
    print(f"{category.__name__}: {message}{where}", file=sys.stderr if file is None else file)
