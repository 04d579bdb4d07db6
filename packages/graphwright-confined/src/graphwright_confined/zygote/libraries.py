"""The libraries for code: their names, the time at which they are loaded, and the changes to them."""

from __future__ import annotations

import gc
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

__all__ = ["NAMES"]

NAMES = {
    "np": "numpy",
    "pd": "pandas",
    "go": "plotly.graph_objects",
    "px": "plotly.express",
    "plt": "matplotlib.pyplot",
    "scipy": "scipy",
    "sm": "statsmodels.api",
    "smf": "statsmodels.formula.api",
    "sns": "seaborn",
    "sklearn": "sklearn",
}
"""The names that are defined for code, and their modules."""

SETS: dict[str, tuple[str, ...]] = {
    "base": ("numpy", "pandas", "plotly.graph_objects", "plotly.express", "plotly.subplots"),
    "matplotlib": ("matplotlib.pyplot", "matplotlib.backends.backend_agg", "pandas.plotting._matplotlib"),
    "scipy": ("scipy", "scipy.stats", "scipy.optimize"),
    "statsmodels": ("statsmodels.api", "statsmodels.formula.api"),
    "seaborn": ("seaborn",),
    "sklearn": (
        "sklearn",
        "sklearn.linear_model",
        "sklearn.ensemble",
        "sklearn.cluster",
        "sklearn.decomposition",
        "sklearn.preprocessing",
        "sklearn.model_selection",
        "sklearn.metrics",
        "sklearn.pipeline",
        "sklearn.compose",
        "sklearn.neighbors",
        "sklearn.tree",
    ),
    "readers": ("pyarrow.parquet", "pandas.io.parquet"),
    "duckdb": ("duckdb",),
}
"""The sets of modules that are loaded together: `base` first, others if the code mentions them, or while idle."""

_MENTIONS = {
    "matplotlib": r"plt|matplotlib|\w*plot|\w*hist|boxplot",
    "scipy": r"scipy|stats",
    "statsmodels": r"sm|smf|statsmodels",
    "seaborn": r"sns|seaborn",
    "sklearn": r"sklearn|joblib|threadpoolctl",
    "duckdb": r"sql|samples|duckdb",
}
_WORDS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _MENTIONS.items()}

MODULES = ("numpy", "pandas", "pyarrow", "duckdb", "plotly", "matplotlib", "scipy", "statsmodels", "seaborn", "sklearn")
"""The packages that must be installed."""

# Each library reads the number of its threads from these when it is loaded, or when it begins to compute.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "LOKY_MAX_CPU_COUNT": "1",
    "JOBLIB_MULTIPROCESSING": "0",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "MPLBACKEND": "Agg",
    "LANG": "C.UTF-8",
    "HOME": "/",
    "TZ": "UTC",
}
"""The whole environment of the process. One thread for each library: others would stay unconfined."""


def mentioned(code: str) -> list[str]:
    """The sets that this code mentions, perhaps more; the code is neither parsed nor trusted."""
    return [name for name, words in _WORDS.items() if words.search(code)]


def load(sets: Iterable[str]) -> None:
    """Import these sets, once, and exclude their objects from the garbage collector."""
    _load([module for name in sets for module in SETS[name] if module not in sys.modules])


def load_one_more() -> bool:
    """Import one of the remaining modules. Returns whether there was one."""
    left = (module for modules in SETS.values() for module in modules if module not in sys.modules)
    module = next(left, None)
    if module is not None:
        _load([module])
    return module is not None


def _load(modules: list[str]) -> None:
    if not modules:
        return
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="graphwright-") as folder:
        warnings.simplefilter("ignore")
        # Matplotlib loads only with a writable folder, and does not need it later.
        os.environ["MPLCONFIGDIR"] = folder
        for module in modules:
            import_module(module)
        for module, change in _CHANGES.items():
            if module in modules:
                change()
    gc.collect()
    # Pages without counters of the collector stay shared with every child.
    gc.freeze()


def namespace() -> dict[str, Any]:
    """The names for code whose libraries are loaded."""
    found: dict[str, Any] = {name: sys.modules[module] for name, module in NAMES.items() if module in sys.modules}
    found["make_subplots"] = sys.modules["plotly.subplots"].make_subplots
    return found


def _warm_up() -> None:
    """Call functions once that are slow the first time."""
    import pandas as pd
    import plotly.express as px

    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.0, 3.0], "c": pd.date_range("2020-01-01", periods=3)})
    totals = frame.groupby("a", as_index=False).agg({"b": "sum"})
    px.bar(totals, x="a", y="b", color="a").to_json()
    px.line(frame, x="c", y="b").to_json()
    repr(frame.describe())


_LINES = "#717a8c"  # of axes and ticks
_COLOURS = ("#4c5fd5", "#1f9d73", "#d08a1d", "#cf4f6d", "#2b8fc2", "#8554d3", "#6f9127", "#717a8c")
"""The colours of the charts in the web app."""


def _quiet_matplotlib() -> None:
    import matplotlib
    from matplotlib import pyplot

    pyplot.show = lambda *_, **__: None
    matplotlib.rcParams.update(
        {
            "figure.max_open_warning": 0,
            "axes.prop_cycle": f"cycler(color={list(_COLOURS)})",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.edgecolor": _LINES,
            "xtick.color": _LINES,
            "ytick.color": _LINES,
            "xtick.labelcolor": "black",
            "ytick.labelcolor": "black",
            "font.size": 9,
            "legend.frameon": False,
        }
    )
    figure, axes = pyplot.subplots()
    axes.plot([1, 2], [1, 2], label="x")
    axes.legend()
    figure.canvas.draw()
    pyplot.close(figure)


def _one_arrow_thread() -> None:
    import pyarrow

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)


def _open_database() -> None:
    from graphwright_confined.zygote import tables

    sys.modules["duckdb"].graphwright_connection = tables.connect()  # type: ignore[attr-defined]


def _name_thread_pools() -> None:
    """Search the libraries that compute in threads once, here: a child cannot read which ones are loaded."""
    pools = import_module("threadpoolctl").ThreadpoolController
    found = pools().lib_controllers
    pools._load_libraries = lambda self: self.lib_controllers.extend(found)


_CHANGES: dict[str, Callable[[], None]] = {
    "plotly.express": _warm_up,
    "matplotlib.pyplot": _quiet_matplotlib,
    "pyarrow.parquet": _one_arrow_thread,
    "duckdb": _open_database,
    "sklearn": _name_thread_pools,
}
