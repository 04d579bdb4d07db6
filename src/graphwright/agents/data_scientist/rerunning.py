"""What the code of an answer needs to run again outside of the sandbox, and to come to the same there."""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from graphwright.agents.data_scientist.state import Dataset
from graphwright.sandbox.zygote.program import SEED

_LIBRARIES = {
    "np": "import numpy as np",
    "px": "import plotly.express as px",
    "go": "import plotly.graph_objects as go",
    "make_subplots": "from plotly.subplots import make_subplots",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
    "sm": "import statsmodels.api as sm",
    "smf": "import statsmodels.formula.api as smf",
    "scipy": "import scipy",
    "sklearn": "import sklearn",
}

OUTCOME = '''\
def _figures(value):
    """The figures in a value: itself, or those of axes, grids and lists."""
    # The code may use these names for something else.
    from builtins import ValueError, dict, getattr, hasattr, isinstance, list, tuple

    if hasattr(value, "to_plotly_json") and hasattr(value, "write_html"):
        return [value]
    if isinstance(value, dict) and "data" in value and "layout" in value:
        from plotly.graph_objects import Figure

        try:
            return [Figure(value)]
        except ValueError:
            return []
    if isinstance(value, (list, tuple)):
        return [figure for each in value for figure in _figures(each)]
    if hasattr(value, "flat") and value.dtype == object:
        return [figure for each in value.flat for figure in _figures(each)]
    drawn = getattr(value, "figure", None)
    drawn = getattr(drawn, "figure", drawn)
    return [drawn] if hasattr(drawn, "savefig") else []


def _outcome():
    """The result of the code, None where there is none, and its figures."""
    import sys
    from builtins import AttributeError, NotImplementedError, TypeError, ValueError
    from builtins import callable, getattr, globals, id, isinstance, list, map, str, type

    names, pyplot = globals(), sys.modules.get("matplotlib.pyplot")
    result = names.get("result")
    drawn, figures = _figures(result), _figures(names.get("fig"))
    if not figures:
        figures = [*names.get("_shown", [])]
        if pyplot is not None:
            figures += [figure for figure in map(pyplot.figure, pyplot.get_fignums()) if figure.get_axes()]
        figures += drawn
    summary = getattr(result, "summary", None)
    if callable(summary) and not isinstance(result, type):
        try:
            result = str(summary())
        except (TypeError, ValueError, AttributeError, NotImplementedError):
            pass
    return None if drawn else result, list({id(figure): figure for figure in figures}.values())
'''
"""Functions for a script or a notebook, which find what the sandbox finds: `_outcome()` gives result and figures."""

SEEDED = f"""\
# As it was when the answer was computed.
random.seed({SEED})
numpy.random.seed({SEED})"""
"""What code begins with, where `random` and `numpy` are imported."""

CATCH_SHOWN = """\
from plotly.basedatatypes import BaseFigure

# What is shown is saved below, and no browser is opened.
_shown = []
BaseFigure.show = lambda figure, *_, **__: _shown.append(figure)
"""


def imports_for(code: str) -> str:
    """The imports that code needs to run on its own: those of the names that the sandbox has ready."""
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    lines = ["import pandas as pd", *(line for name, line in _LIBRARIES.items() if name in used)]
    for library in ("scipy", "sklearn"):
        if library in used:
            modules = sorted(set(re.findall(rf"(?<![\w.]){library}\.([a-z]\w*)", code)))
            lines += [f"import {library}.{module}" for module in modules if _is_module(library, module)]
    return "\n".join(lines)


def _is_module(library: str, name: str) -> bool:
    import importlib.util

    found = importlib.util.find_spec(library)
    places = [Path(place) / name for place in (found.submodule_search_locations or ())] if found else []
    return any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)


def data_name(id: str, dataset: Mapping[str, object]) -> str:
    """The name of the file that holds a data set beside a script or a notebook: another one for any other content."""
    parquet = Path(str(dataset["parquet"]))
    content = f"{dataset['file']} {parquet.parent.name} {parquet.name}"
    return f"{id}-{hashlib.sha256(content.encode()).hexdigest()[:12]}.parquet"


def put_beside(datasets: Mapping[str, Dataset], folder: Path, *, kept: Path | None = None, link: bool = False) -> None:
    """Put the data sets into a folder, those that are there already left as they are; links where that is possible.

    `kept` is a folder in which they were put before, for those that are no longer where they were read. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for id, dataset in datasets.items():
        place, source = folder / data_name(id, dataset), Path(dataset["parquet"])
        if place.exists():
            continue
        if kept is not None and not source.exists():
            source = kept / place.name
        if link:
            with contextlib.suppress(OSError):
                place.hardlink_to(source)
                continue
        handle, part = tempfile.mkstemp(prefix=".part-", dir=folder)
        os.close(handle)
        try:
            shutil.copyfile(source, part)
            # A copy that was cut short must not pass for the data.
            os.replace(part, place)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise


def loading(datasets: Mapping[str, Dataset], folder: str) -> str:
    """The lines that load the data sets: `datasets`, and `df` where there is one. `folder` is an expression."""
    lines = []
    for id, dataset in datasets.items():
        file = data_name(id, dataset)
        rows = f", a sample: {of_rows(dataset)}" if dataset["rows"] < dataset["rows_there"] else ""
        lines.append(f"    {id!r}: pd.read_parquet({folder} / {file!r}),  # {one_line(dataset['name'], 80)}{rows}")
    lines = ["datasets = {", *lines, "}"] if lines else ["datasets = {}"]
    if len(datasets) == 1:
        lines.append(f"df = datasets[{next(iter(datasets))!r}]")
    return "\n".join(lines)


def of_rows(dataset: Dataset) -> str:
    """How many of its rows were read: `1,000,000 of the 1,200,000 rows`."""
    return f"{dataset['rows']:,} of the {dataset['rows_there']:,} rows"


def one_line(text: str, most: int) -> str:
    return " ".join(text.split())[:most]


def with_result(code: str) -> str:
    """The code with the value of its last line in `result`, as the sandbox has it, unless the code sets one itself."""
    code = code.replace("\r\n", "\n").replace("\r", "\n").rstrip() + "\n"
    tree = ast.parse(code)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or _shows(last.value) or any(map(_sets_result, tree.body)):
        return code
    name = "_last" if any(_may_set_result(node) for node in ast.walk(tree)) else "result"
    lines = code.rstrip().split("\n")
    line = lines[last.lineno - 1].encode()
    lines[last.lineno - 1] = (line[: last.col_offset] + f"{name} = ".encode() + line[last.col_offset :]).decode()
    if name == "_last":
        lines += ['if globals().get("result") is None:', "    result = _last"]
    return "\n".join(lines) + "\n"


def _shows(value: ast.expr) -> bool:
    """Whether this is a call that is made for what it does, and gives nothing."""
    if not isinstance(value, ast.Call):
        return False
    called = value.func
    return (isinstance(called, ast.Name) and called.id == "print") or (
        isinstance(called, ast.Attribute) and called.attr == "show"
    )


def _sets_result(statement: ast.stmt) -> bool:
    """Whether a statement surely sets `result`."""
    match statement:
        case ast.Assign(targets=targets):
            return any(_is_result(node) for target in targets for node in ast.walk(target))
        case ast.AnnAssign(target=target, value=value):
            return value is not None and _is_result(target)
        case ast.AugAssign(target=target):
            return _is_result(target)
    return False


def _is_result(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "result" and isinstance(node.ctx, ast.Store)


def _may_set_result(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name == "result"
        case ast.alias(name=name, asname=asname):
            return (asname or name) == "result"
    return _is_result(node)


def without_future(code: str) -> tuple[str, str]:
    """The `from __future__` imports of code, which must come first in a file, and the code without them."""
    lines = code.split("\n")
    found = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.lineno == node.end_lineno:
            line = lines[node.lineno - 1].encode()
            found.append(line[node.col_offset : node.end_col_offset].decode())
            lines[node.lineno - 1] = (line[: node.col_offset] + b"pass" + line[node.end_col_offset :]).decode()
    return "\n".join(found), "\n".join(lines)


def shows_figures(code: str) -> bool:
    """Whether code calls `show()` on something that is not `plt`."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "show"
        and not (isinstance(node.value, ast.Name) and node.value.id == "plt")
        for node in ast.walk(ast.parse(code))
    )


def hidden_builtins(code: str) -> Iterator[str]:
    """The names of Python itself that code uses for something else, as in `max = df["x"].max()`, in their order."""
    there = {name for name in vars(builtins) if not name.startswith("_")}
    made = {
        node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    made |= {node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    made |= {node.asname or node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.alias)}
    yield from sorted(there & made)
