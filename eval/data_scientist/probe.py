"""What stands in Matplotlib's figures, as traces: this text runs in the sandbox, behind the code that drew them."""

import json
import math
import sys
from typing import Any


def traces(names: dict[str, Any]) -> str:
    """The traces of the open figures and of the one in `fig`, as JSON."""
    pyplot = sys.modules["matplotlib.pyplot"]
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    named = names.get("fig")
    own = named if hasattr(named, "get_axes") else getattr(named, "figure", None)
    if hasattr(own, "get_axes") and own not in figures:
        figures.append(own)
    found: list[dict[str, Any]] = []
    for figure in figures:
        figure.canvas.draw()
        for axes in figure.get_axes():
            found += of_axes(axes)
    return json.dumps(found)


def of_axes(axes: Any) -> list[dict[str, Any]]:
    words = {"x": labels(axes.xaxis), "y": labels(axes.yaxis)}
    found = []
    for container in axes.containers:
        bars = [patch for patch in getattr(container, "patches", ()) if hasattr(patch, "get_width")]
        if not bars:
            continue
        if getattr(container, "orientation", "vertical") == "horizontal":
            places = [bar.get_y() + bar.get_height() / 2 for bar in bars]
            found.append(trace("bars", named(places, words["y"]), [bar.get_width() for bar in bars]))
        else:
            places = [bar.get_x() + bar.get_width() / 2 for bar in bars]
            found.append(trace("bars", named(places, words["x"]), [bar.get_height() for bar in bars]))
    for drawn in axes.collections:
        if type(drawn).__name__ == "PathCollection":
            points = drawn.get_offsets().tolist()
            found.append(trace("points", [x for x, _ in points], [y for _, y in points]))
        elif type(drawn).__name__ == "QuadMesh":
            found.append(trace("cells", [], drawn.get_array().ravel().tolist()))
    for picture in axes.images:
        found.append(trace("cells", [], picture.get_array().ravel().tolist()))
    for line in axes.lines:
        x, y = (list(map(float, values)) for values in (line.get_xdata(orig=False), line.get_ydata(orig=False)))
        dots = line.get_marker() not in ("None", "", " ", None) and line.get_linestyle() in ("None", "", " ")
        found.append(trace("points" if dots else "line", named(x, words["x"]), y))
    return found


def labels(axis: Any) -> dict[float, str]:
    """The words at places of an axis that has words, not numbers."""
    kind = type(axis.get_major_formatter()).__name__
    if kind not in ("StrCategoryFormatter", "FixedFormatter", "FuncFormatter"):
        return {}
    return {
        round(float(tick), 3): text.get_text()
        for tick, text in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
    }


def named(places: list[float], words: dict[float, str]) -> list[Any]:
    return [words.get(round(float(place), 3), float(place)) for place in places]


def trace(kind: str, x: list[Any], y: list[Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        return value if isinstance(value, str) else None if not math.isfinite(value) else float(value)

    return {"kind": kind, "x": [plain(v) for v in x], "y": [plain(v) for v in y], "name": ""}
