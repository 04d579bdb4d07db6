"""A Plotly figure as a picture, drawn with Matplotlib: this text runs in the sandbox, after a figure `FIGURE` (JSON).

A browser draws Plotly figures best, and the HTML that is saved beside the picture lets it. The picture is for where no
browser is: terminals, mails, notebooks. It shows the data, titles, axes and legend, not every style.
"""

import base64
import datetime
import math
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

KNOWN = ("scatter", "scattergl", "bar", "histogram", "box", "violin", "heatmap", "pie", "histogram2d", "funnel")


def values(given: Any) -> list[Any]:
    """The values of a trace: a list, or an array packed as {dtype, bdata, shape}."""
    if isinstance(given, dict) and "bdata" in given:
        kinds = {"i1": "i1", "u1": "u1", "i2": "i2", "u2": "u2", "i4": "i4", "u4": "u4", "f4": "f4", "f8": "f8"}
        array = np.frombuffer(base64.b64decode(given["bdata"]), dtype="<" + kinds[given["dtype"]])
        shape = given.get("shape")
        if shape:
            array = array.reshape([int(n) for n in str(shape).split(",")])
        return list(array.tolist())
    if given is None:
        return []
    if isinstance(given, dict):
        return []
    return given if isinstance(given, list) else [given]


def plain(items: list[Any]) -> list[Any]:
    """Values that Matplotlib can place: numbers, dates, else texts."""
    out: list[Any] = []
    for item in items:
        if isinstance(item, str):
            try:
                out.append(datetime.datetime.fromisoformat(item))
                continue
            except ValueError:
                pass
        out.append(math.nan if item is None else item)
    kinds = {type(item) for item in out if not (isinstance(item, float) and math.isnan(item))}
    if len(kinds) > 1 and not kinds <= {int, float}:
        return [str(item) for item in items]
    return out


def title_of(given: Any) -> str:
    text = given.get("text") if isinstance(given, dict) else given
    if not isinstance(text, str):
        return ""
    for tag in ("<b>", "</b>", "<i>", "</i>", "<br>"):
        text = text.replace(tag, " " if tag == "<br>" else "")
    return text.replace("$", r"\$")[:200]


def panels(figure: dict[str, Any]) -> list[tuple[str, str]]:
    """The pairs of axes that traces are drawn on, in order."""
    found = []
    for trace in figure["data"]:
        key = (str(trace.get("xaxis", "x")), str(trace.get("yaxis", "y")))
        if key not in found:
            found.append(key)
    return found[:16] or [("x", "y")]


def part(trace: dict[str, Any], name: str) -> dict[str, Any]:
    found = trace.get(name)
    return found if isinstance(found, dict) else {}


class Panel:
    """One pair of axes, with the heights of its bars and the names of its boxes so far."""

    def __init__(self, axes: Any, bar_traces: int) -> None:
        self.axes = axes
        self.bar_traces = bar_traces
        self.bars_drawn = 0
        self.names: list[str] = []
        self.bars: dict[tuple[bool, str], float] = {}
        self.boxes: list[str] = []


def colour(trace: dict[str, Any], number: int) -> str:
    given = part(trace, "marker").get("color") or part(trace, "line").get("color")
    if isinstance(given, str) and given.startswith("#") and len(given) in (4, 7):
        return given
    return f"C{number % 10}"


def draw(trace: dict[str, Any], panel: Panel, number: int, layout: dict[str, Any]) -> None:
    axes = panel.axes
    kind = trace.get("type", "scatter")
    label = str(trace.get("name") or "")[:60] or None
    x, y = plain(values(trace.get("x"))), plain(values(trace.get("y")))
    if kind in ("scatter", "scattergl"):
        if not x:
            x = list(range(len(y)))
        mode = str(trace.get("mode") or ("lines" if len(x) > 20 else "lines+markers"))
        style = {"color": colour(trace, number), "label": label}
        if "lines" in mode:
            axes.plot(x, y, marker="o" if "markers" in mode else None, markersize=4, **style)
        else:
            marker = part(trace, "marker")
            shades = values(marker.get("color")) if not isinstance(marker.get("color"), str) else []
            if len(shades) == len(x) and all(isinstance(s, int | float) for s in shades):
                axes.scatter(x, y, s=18, alpha=0.8, c=shades, label=label)
            else:
                axes.scatter(x, y, s=18, alpha=0.8, **style)
    elif kind in ("bar", "funnel"):
        lying = trace.get("orientation") == "h"
        names, lengths = (y, x) if lying else (x, y)
        if not names:
            names = list(range(len(lengths)))
        texts = any(isinstance(name, str) for name in names)
        names = [str(name) for name in names] if texts else names
        shade, width = colour(trace, number), 0.8
        if layout.get("barmode") == "group" and panel.bar_traces > 1:
            # Beside each other: a slot of each name's place for every trace.
            panel.names += [str(name) for name in names if str(name) not in panel.names]
            width = 0.8 / panel.bar_traces
            shift = (panel.bars_drawn - (panel.bar_traces - 1) / 2) * width
            places = [panel.names.index(str(name)) + shift for name in names]
            panel.bars_drawn += 1
            (axes.barh if lying else axes.bar)(places, lengths, width, color=shade, label=label)
            (axes.set_yticks if lying else axes.set_xticks)(range(len(panel.names)), panel.names)
            return
        stacked = layout.get("barmode", "relative") in ("stack", "relative")
        bottoms = [panel.bars.get((lying, str(name)), 0) if stacked else 0 for name in names]
        beneath = {"left" if lying else "bottom": bottoms}
        (axes.barh if lying else axes.bar)(
            names, lengths, width, **beneath, color=shade, label=label, alpha=0.9 if stacked else 0.7
        )
        for name, length in zip(names, lengths, strict=False):
            if isinstance(length, int | float):
                panel.bars[lying, str(name)] = panel.bars.get((lying, str(name)), 0) + length
    elif kind == "histogram":
        lying = not x and bool(y)
        data = [v for v in (y if lying else x) if not (isinstance(v, float) and math.isnan(v))]
        bins = trace.get("nbinsx") or trace.get("nbinsy")
        if any(isinstance(v, str) for v in data):
            names = sorted({str(v) for v in data})
            axes.bar(
                names, [sum(str(v) == name for v in data) for name in names], color=colour(trace, number), label=label
            )
        else:
            axes.hist(
                data,
                bins=bins if isinstance(bins, int) and 0 < bins < 500 else "auto",
                color=colour(trace, number),
                alpha=0.75,
                label=label,
                orientation="horizontal" if lying else "vertical",
                edgecolor="white",
            )
    elif kind in ("box", "violin"):
        lying = trace.get("orientation") == "h"
        data, groups = (x, y) if lying else (y, x)
        if not data:
            data, groups = groups, []
        split: dict[str, list[float]] = {}
        for place, value in enumerate(data):
            name = str(groups[place]) if place < len(groups) else (label or "")
            if isinstance(value, int | float) and not math.isnan(value):
                split.setdefault(name, []).append(value)
        places = [len(panel.boxes) + n + 1 for n in range(len(split))]
        panel.boxes += list(split)
        if split:
            direction = "horizontal" if lying else "vertical"
            if kind == "box":
                axes.boxplot(list(split.values()), positions=places, widths=0.6, orientation=direction)
            else:
                axes.violinplot(list(split.values()), positions=places, widths=0.8, orientation=direction)
            ticks = list(range(1, len(panel.boxes) + 1))
            (axes.set_yticks if lying else axes.set_xticks)(ticks, panel.boxes)
    elif kind == "heatmap":
        cells = [[math.nan if c is None else c for c in values(row)] for row in values(trace.get("z"))]
        shown = axes.imshow(cells, aspect="auto", cmap="viridis")
        axes.figure.colorbar(shown, ax=axes)
        for names, place in ((values(trace.get("x")), axes.set_xticks), (values(trace.get("y")), axes.set_yticks)):
            if names and len(names) <= 40:
                place(range(len(names)), [str(name)[:20] for name in names])
        axes.tick_params(axis="x", rotation=45)
    elif kind == "histogram2d":
        axes.hist2d(x, y, bins=30)
    elif kind == "pie":
        names, sizes = [str(name)[:30] for name in values(trace.get("labels"))], values(trace.get("values"))
        if not sizes:
            sizes = [names.count(name) for name in dict.fromkeys(names)]
            names = list(dict.fromkeys(names))
        axes.pie(sizes, labels=names or None, autopct="%1.1f%%")
        axes.set_axis_off()


def facts(figure: dict[str, Any]) -> list[str]:
    """What the picture shows, in lines: title, axes, and of each trace how much of what."""
    layout = part(figure, "layout")
    lines = [title_of(layout.get("title"))] if title_of(layout.get("title")) else []
    traces = figure.get("data") or []
    for trace in traces[:8]:
        kind = str(trace.get("type", "scatter"))
        axes = [title_of(part(layout, name).get("title")) for name in ("xaxis", "yaxis")]
        line = f"{kind}{f' {label_of(trace)}' if label_of(trace) else ''}"
        for name, label in (("x", axes[0]), ("y", axes[1]), ("values", "")):
            items = plain(values(trace.get(name)))
            numbers = [n for n in items if isinstance(n, int | float) and not isinstance(n, bool) and n == n]
            if len(numbers) == len(items) and len(numbers) > 6:
                middle = float(np.median(numbers))
                line += f"; {label or name}: {len(numbers)} values from {min(numbers):.6g} to {max(numbers):.6g}"
                line += f", median {middle:.6g}"
            elif items:
                line += f"; {label or name}: {', '.join(short(item) for item in items[:8])}"
                line += f" and {len(items) - 8} more" if len(items) > 8 else ""
        lines.append(line[:400])
    if len(traces) > 8:
        lines.append(f"and {len(traces) - 8} more")
    return lines


def label_of(trace: dict[str, Any]) -> str:
    return str(trace.get("name") or "")[:40]


def short(item: Any) -> str:
    return f"{item:.6g}" if isinstance(item, float) else str(item)[:30]


def drawn(figure: dict[str, Any]) -> Any:
    """The Matplotlib figure of a Plotly one; None where it has a kind of trace that is not known here."""
    layout = part(figure, "layout")
    traces = figure.get("data") or []
    if not traces or any(trace.get("type", "scatter") not in KNOWN for trace in traces):
        return None
    places = panels(figure)
    across = 1 if len(places) == 1 else 2 if len(places) <= 4 else 4
    down = math.ceil(len(places) / across)
    picture, grid = plt.subplots(down, across, figsize=(8 if across == 1 else 5 * across, 5 * down), squeeze=False)
    bar_traces = sum(trace.get("type") == "bar" for trace in traces)
    by_place = {place: Panel(axes, bar_traces) for place, axes in zip(places, grid.flat, strict=False)}
    for axes in list(grid.flat)[len(places) :]:
        axes.set_axis_off()
    for number, trace in enumerate(traces):
        key = (str(trace.get("xaxis", "x")), str(trace.get("yaxis", "y")))
        draw(trace, by_place.get(key, by_place[places[0]]), number, layout)
    for (x, y), panel in by_place.items():
        axes = panel.axes
        for name, set_label, set_scale in (
            (x, axes.set_xlabel, axes.set_xscale),
            (y, axes.set_ylabel, axes.set_yscale),
        ):
            of = layout.get(name[0] + "axis" + name[1:]) or {}
            set_label(title_of(of.get("title")))
            if of.get("type") == "log":
                set_scale("log")
        for text in axes.get_xticklabels():
            if len(text.get_text()) > 6:
                text.set_rotation(30)
        named = any(trace.get("name") and trace.get("showlegend", True) for trace in traces)
        if named and len(traces) > 1 and axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    title = title_of(layout.get("title"))
    if title:
        picture.suptitle(title)
    picture.tight_layout()
    return picture
