"""What pictures show, as traces: out of a Plotly figure, and out of code that drew with Matplotlib.

A trace is `{kind, x, y, name}`. Of `bars` y are the heights, of a `histogram` y are the values whose distribution it
shows and x is empty, of `points` and `line` both are the places, of `boxes` x are the groups and y the values, of
`cells` y are the values row by row.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from graphwright.agents.data_scientist import running
from graphwright.agents.data_scientist.settings import limits_of

Trace = Mapping[str, Any]

_PROBE = Path(__file__).parent / "probe.py"
_FIGURE = re.compile(r"^const figure = (\{.*\});$", re.MULTILINE)


def of_page(page: Path) -> list[Trace]:
    """The traces of the figure that a page shows which the agent saved."""
    found = _FIGURE.search(page.read_text("utf-8"))
    if found is None:
        raise ValueError(f"there is no figure in {page.name}")
    return of_plotly(json.loads(found.group(1)))


async def of_matplotlib(code: str, places: Mapping[str, str]) -> list[Trace]:
    """The traces of what code draws with Matplotlib: only pixels come out, so it is drawn once more, and asked."""
    probe = _PROBE.read_text("utf-8")
    execution = await running.run(f"{code}\n\n{probe}\nresult = traces(globals())\n", places, limits_of({}))
    if execution.status != "ok" or execution.result.type != "text":
        return []
    try:
        return [_trace(each["kind"], each["x"], each["y"], each["name"]) for each in json.loads(execution.result.text)]
    except (ValueError, TypeError, KeyError):
        # The code that drew could end before the probe, and leave anything.
        return []


def of_plotly(figure: Mapping[str, Any]) -> list[Trace]:
    """The traces of a Plotly figure (`{data, layout}`); kinds that nobody asks for are left out."""
    layout = figure.get("layout") or {}
    found = [made for trace in figure.get("data", ()) for made in _of_trace(trace)]
    mode = layout.get("barmode", "group")
    if mode in ("stack", "relative"):
        bars = [each for each in found if each["kind"] == "bars"]
        if bars:
            heights: dict[Any, float] = {}
            for each in bars:
                for x, y in zip(each["x"], each["y"], strict=False):
                    heights[x] = heights.get(x, 0) + (y or 0)
            whole = _trace("bars", list(heights), list(heights.values()))
            found = [each for each in found if each["kind"] != "bars"] + [whole]
    return found


def _of_trace(trace: Mapping[str, Any]) -> Iterator[Trace]:
    x, y = _plain(trace.get("x")), _plain(trace.get("y"))
    name = str(trace.get("name") or "")
    match trace.get("type", "scatter"):
        case "scatter" | "scattergl":
            mode = str(trace.get("mode") or ("lines" if len(x or y) > 20 else "lines+markers"))
            yield _trace("line" if "markers" not in mode else "points", x or list(range(len(y))), y, name)
        case "bar" | "funnel":
            labels, heights = (y, x) if trace.get("orientation") == "h" else (x, y)
            yield _trace("bars", *_summed(labels or list(range(len(heights))), heights), name)
        case "histogram":
            lying = trace.get("orientation") == "h" or not x
            values, weights = (y, x) if lying else (x, y)
            if weights:
                yield _trace("bars", *_summed(values, weights, str(trace.get("histfunc", "sum"))), name)
            else:
                yield _trace("histogram", [], values, name)
        case "box" | "violin":
            values, groups = (x, y) if trace.get("orientation") == "h" or not y else (y, x)
            yield _trace("boxes", groups or [name] * len(values), values, name)
        case "pie":
            labels, sizes = _plain(trace.get("labels")), _plain(trace.get("values"))
            yield _trace("bars", *_summed(labels, sizes or [1] * len(labels)), name)
        case "heatmap":
            yield _trace("cells", [], [cell for row in _values(trace.get("z")) for cell in _values(row)], name)


def _trace(kind: str, x: Sequence[Any], y: Sequence[Any], name: str = "") -> Trace:
    return {"kind": kind, "x": list(x), "y": list(y), "name": name}


def _summed(labels: Sequence[Any], heights: Sequence[Any], by: str = "sum") -> tuple[list[Any], list[float]]:
    """Bars of the same label are one bar, as high as Plotly makes it."""
    found: dict[Any, list[float]] = {}
    for label, height in zip(labels, heights, strict=False):
        if isinstance(height, int | float) and not math.isnan(height):
            found.setdefault(label, []).append(height)
    ways: dict[str, Callable[[list[float]], float]] = {"avg": fmean, "count": len, "min": min, "max": max}
    make = ways.get(by, sum)
    return list(found), [float(make(each)) for each in found.values()]


def _plain(given: Any) -> list[Any]:
    """The values of a trace, each of them one number, text or None."""
    return [each if isinstance(each, str | int | float | None) else str(each) for each in _values(given)]


def _values(given: Any) -> list[Any]:
    """The values of a trace: a list, or an array packed as `{dtype, bdata, shape}`. Of two dimensions: rows."""
    if isinstance(given, list):
        return given
    if not isinstance(given, Mapping) or "bdata" not in given:
        return []
    import numpy as np

    array = np.frombuffer(base64.b64decode(given["bdata"]), dtype=f"<{given['dtype']}")
    if given.get("shape"):
        array = array.reshape([int(n) for n in str(given["shape"]).split(",")])
    found: list[Any] = array.tolist()
    return found
