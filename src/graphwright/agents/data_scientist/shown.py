"""What a Plotly figure shows, told in lines. Runs in the sandbox, after the text of `drawing`."""

import math
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from graphwright.agents.data_scientist.canvas import Drawing, title_of
from graphwright.agents.data_scientist.drawing import all_bins, short
from graphwright.agents.data_scientist.plotted import (
    BARS,
    Axis,
    Bins,
    CannotBeDrawn,
    Items,
    kind_of,
    lying,
    numbers,
    part,
    slices,
    values,
)


def facts(figure: dict[str, Any]) -> list[str]:
    """What the figure shows, in lines: title, axes, and of each trace how much of what.

    Bars are told by how high they stand and slices by how large they are, not by the rows that they are made of.
    """
    layout = part(figure, "layout")
    lines = [title_of(layout.get("title"))] if title_of(layout.get("title")) else []
    traces = figure.get("data") or []
    heights = _heights(figure)
    for number, trace in enumerate(traces[:8]):
        kind = str(trace.get("type", "scatter"))
        axes = [title_of(part(layout, name).get("title")) for name in ("xaxis", "yaxis")]
        name = str(trace.get("name") or "")[:40]
        line = f"{kind}{f' {name}' if name else ''}"
        if kind == "pie":
            line += _of_slices(trace)
        elif kind in BARS:
            along, up = axes[::-1] if lying(trace) else axes
            of, other = "yx" if lying(trace) else "xy"
            counts = kind == "histogram" and not len(values(trace.get(other)))
            if counts and kind_of_any(values(trace.get(of))) == "linear":
                line, along = line + _of_values(trace, of, along), ""
            line += f"; {along}" if along else ""
            if number in heights:
                line += f"; {up or 'height'}: {heights[number]}"
            else:
                line += f"; {up}" if up else ""
        else:
            line += "".join(_of_values(trace, of, label) for of, label in (("x", axes[0]), ("y", axes[1])))
        lines.append(line[:400])
    if len(traces) > 8:
        lines.append(f"and {len(traces) - 8} more")
    return lines


def _of_values(trace: dict[str, Any], of: str, label: str) -> str:
    items = values(trace.get(of))
    known = numbers(items) if len(items) > 6 and kind_of_any(items) == "linear" else np.array([])
    known = known[np.isfinite(known)]
    if len(known):
        spread = f"{len(known)} values from {known.min():.6g} to {known.max():.6g}"
        return f"; {label or of}: {spread}, median {np.median(known):.6g}"
    if not len(items):
        return ""
    more = f" and {len(items) - 8} more" if len(items) > 8 else ""
    return f"; {label or of}: {', '.join(short(item) for item in list(items[:8]))}{more}"


def _of_slices(trace: dict[str, Any]) -> str:
    try:
        found = slices(trace)
    except (CannotBeDrawn, TypeError, ValueError):
        return ""
    total = sum(size for _, size in found)
    told = [f"{label[:30]}: {size:.6g} ({size / total:.3%})" for label, size in found[:8] if total]
    return f": {', '.join(told)}{f' and {len(found) - 8} more' if len(found) > 8 else ''}" if told else ""


def _heights(figure: dict[str, Any]) -> dict[int, str]:
    """How high the bars of each trace stand, by its place; without those of a figure that cannot be drawn."""
    try:
        drawing = Drawing(figure)
        bins = all_bins(drawing)
        every = figure.get("data") or []
        return {
            next(n for n, one in enumerate(every) if one is trace): _of_bars(drawing, number, trace, bins)
            for number, trace in enumerate(drawing.flat)
            if trace["type"] in BARS
        }
    except (CannotBeDrawn, LookupError, TypeError, ValueError, AttributeError):
        return {}
    finally:
        plt.close("all")


def _of_bars(drawing: Drawing, number: int, trace: dict[str, Any], bins: dict[int, Bins]) -> str:
    axis = drawing.axis(trace, "y" if lying(trace) else "x")
    found = drawing.bars_of(number, trace, axis, bins.get(number, Bins(0, 0, 1)))
    heights: dict[float, float] = {}
    for place, length in zip(found.places.tolist(), found.lengths.tolist(), strict=True):
        # Rows of one place stand upon each other.
        if math.isfinite(place) and math.isfinite(length):
            heights[place] = heights.get(place, 0.0) + length
    if not heights:
        return "no bars"
    names = {place: _name_of(place, axis, found.size) for place in heights}
    if len(heights) <= 8:
        return ", ".join(f"{names[place]}: {height:.6g}" for place, height in heights.items())
    low, high = min(heights, key=lambda p: heights[p]), max(heights, key=lambda p: heights[p])
    ends = f"from {heights[low]:.6g} ({names[low]}) to {heights[high]:.6g} ({names[high]})"
    return f"{len(heights)} bars {ends}"


def _name_of(place: float, axis: Axis, size: float | None) -> str:
    """What stands below a bar: its category, its day, or from where to where its bin goes."""
    if axis.kind == "category":
        return short(axis.categories[round(place)])
    if axis.kind == "date":
        return str(np.datetime64(round(place * 86_400), "s")).replace("T00:00:00", "").replace("T", " ")
    return f"{place:.6g}" if size is None else f"{place - size / 2:.6g} to {place + size / 2:.6g}"


def kind_of_any(items: Items) -> str | None:
    try:
        return kind_of(items, True)
    except CannotBeDrawn:
        return None
