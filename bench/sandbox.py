"""The overhead of generated code: the first execution of a process, and those of a warm sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pandas

from bench.measure import Result, children
from bench.scale import Scale
from graphwright_confined import Sandbox
from graphwright_confined._isolation_levels import isolation_levels

CODE = {
    "trivial": ("a sum", "result = sum(range(100))"),
    "table": (
        "a group-by of 10,000 rows",
        "result = pd.DataFrame({'a': np.arange(10_000) % 7, 'b': 1}).groupby('a').sum()",
    ),
    "data": ("the mean of a Parquet file of 10,000 rows", "result = df['b'].mean()"),
    "plotly": ("a Plotly figure", "fig = px.bar(pd.DataFrame({'a': list('xyz'), 'b': [1, 2, 3]}), x='a', y='b')"),
    "matplotlib": ("a Matplotlib figure", "plt.plot(range(100))"),
    "model": (
        "a linear model",
        "smf.ols('b ~ a', pd.DataFrame({'a': np.arange(99.), 'b': np.arange(99.) ** 2})).fit().rsquared",
    ),
}
"""By key: a title, and the code."""

_QUIET = 8.0
"""Seconds after which an idle process has loaded everything."""

_COLD = "from graphwright_confined import Sandbox\nwith Sandbox() as s:\n    assert s.run('1 + 1').status == 'ok'"


def executions(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """All executions, under the strongest isolation and, warm, under each weaker one as well."""
    home.mkdir(parents=True)
    numbers = range(10_000)
    pandas.DataFrame({"a": [n % 7 for n in numbers], "b": numbers}).to_parquet(home / "numbers.parquet")
    here = [level.isolation for level in isolation_levels() if level.missing is None]
    environment = {**os.environ, "GRAPHWRIGHT_HOME": str(home)}
    results: dict[str, Result] = {}
    with patch.dict(os.environ, GRAPHWRIGHT_HOME=str(home)):
        for number, isolation in enumerate(here):
            notify(f"executions under {isolation}")
            results |= _warm(home, isolation, "sandbox" if number == 0 else f"sandbox/{isolation}", scale)
    notify("first executions")
    cold = Result(f"a process that imports it, runs the first code and ends ({here[0]})")
    for _ in range(scale.processes):
        with cold.timed(children):
            subprocess.run([sys.executable, "-c", _COLD], env=environment, check=True)
    return results | {"sandbox/cold": cold}


def _warm(home: Path, isolation: str, key: str, scale: Scale) -> dict[str, Result]:
    results = {name: Result(f"{title} ({isolation})") for name, (title, _) in CODE.items()}
    with Sandbox(isolation=isolation) as sandbox:
        sandbox.run("1")
        time.sleep(_QUIET)
        for sample in range(scale.samples * scale.rounds // 4 + 2):
            for name, (_, code) in CODE.items():
                # The first one starts a spare process, and is not counted.
                with (results[name] if sample else Result("")).timed():
                    execution = sandbox.run(code, {"numbers": home / "numbers.parquet"} if name == "data" else None)
                assert execution.status == "ok", execution.error
            if not sample:
                time.sleep(_QUIET)
    return {f"{key}/{name}": result for name, result in results.items()}
