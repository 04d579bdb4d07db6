"""Where a Plotly figure is drawn: its panels and axes, colours, legend, and what its layout puts over them.

Runs in the sandbox, after the text of `plotted`.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colors as mcolors
from matplotlib import dates as mdates
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from graphwright.agents.data_scientist.plotted import (
    BARS,
    Axis,
    Bars,
    Bins,
    CannotBeDrawn,
    Items,
    binned,
    coordinates,
    kind_of,
    lying,
    numbers,
    part,
    text_of,
    values,
)

KNOWN = ("scatter", "scattergl", *BARS, "box", "heatmap", "pie")

_REFUSED = {
    "": ("transforms", "xperiod", "yperiod", "xcalendar", "ycalendar"),
    "scatter": ("stackgaps",),
    "bar": ("base", "offset"),
    "histogram": ("base", "offset"),
    "box": ("q1", "lowerfence", "sd", "notchwidth"),
    "heatmap": ("transpose", "dx", "dy"),
    "pie": ("dlabel", "label0"),
}
"""Settings that change what is seen, and are not drawn here."""

_LEFT, _BOTTOM, _WIDE, _HIGH = 0.1, 0.12, 0.86, 0.76
"""The part of the picture that the axes share."""

DASHES: dict[str, Any] = {
    "dash": "--",
    "dot": ":",
    "dashdot": "-.",
    "longdash": (0, (9, 4)),
    "longdashdot": (0, (9, 4, 2, 4)),
}
_MOST_TICKS = 40


def title_of(given: Any) -> str:
    text = given.get("text") if isinstance(given, dict) else given
    if not isinstance(text, str):
        return ""
    text = re.sub(r"<br\s*/?>", "\n", text)
    return re.sub(r"</?(?:b|i|em|strong|sup|sub|span|a)\b[^>]*>", "", text).replace("$", r"\$")[:200]


class Drawing:
    """A figure on its way: its layout, its axes by name, and the panels where traces are drawn."""

    def __init__(self, figure: dict[str, Any]) -> None:
        self.layout = part(figure, "layout")
        self.styles = part(part(self.layout, "template"), "layout")
        self.traces = [t for t in figure.get("data") or [] if t.get("visible", True) is True]
        if not self.traces:
            raise CannotBeDrawn("a figure with nothing in it")
        if figure.get("frames"):
            raise CannotBeDrawn("an animation")
        for trace in self.traces:
            self._refuse(trace)
        self.flat = [trace for trace in self.traces if trace["type"] != "pie"]
        self.axes = self._axes()
        self.picture = plt.figure(figsize=(9, 5.5) if len(self._keys()) <= 2 else (12, 7.5))
        self.panels: dict[tuple[str, str], Any] = {}
        self.named: dict[str, Any] = {}
        self.wide, self.told = _WIDE, False

    def _refuse(self, trace: dict[str, Any]) -> None:
        kind = trace.setdefault("type", "scatter")
        if kind not in KNOWN:
            raise CannotBeDrawn(f"the kind {str(kind)[:40]!r}")
        for name in (*_REFUSED[""], *_REFUSED.get(kind.removesuffix("gl"), ())):
            if trace.get(name) not in (None, False, "", "infer zero"):
                raise CannotBeDrawn(f"the setting {name!r} of the kind {kind!r}")

    def _keys(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((t.get("xaxis") or "x", t.get("yaxis") or "y") for t in self.flat))

    def laid(self, name: str) -> dict[str, Any]:
        """The layout of an axis, by its short name (`x2`)."""
        return part(self.layout, f"{name[0]}axis{name[1:]}")

    def root(self, name: str) -> str:
        """The axis whose values an axis shares."""
        for _ in range(20):
            above = self.laid(name).get("matches")
            if not isinstance(above, str) or above == name:
                break
            name = above
        return name

    def _axes(self) -> dict[str, Axis]:
        strict = {**self.styles, **self.layout}.get("autotypenumbers") == "strict"
        given: dict[str, list[Items]] = {}
        for trace in self.flat:
            for letter, items in zip("xy", coordinates(trace), strict=True):
                name = self.root(str(trace.get(f"{letter}axis") or letter))
                given.setdefault(name, []).append(items)
        made = {}
        for name, several in given.items():
            layout = self.laid(name)
            kinds = {kind_of(items, strict) for items in several} - {None}
            asked = layout.get("type")
            if asked not in (None, "-", "linear", "log", "date", "category"):
                raise CannotBeDrawn(f"an axis of the kind {str(asked)[:40]!r}")
            if asked in (None, "-") and len(kinds) > 1:
                raise CannotBeDrawn("an axis with values of several kinds")
            axis = Axis(str(asked) if asked not in (None, "-") else str(next(iter(kinds), None) or "linear"), layout)
            if axis.kind == "category":
                for category in values(layout.get("categoryarray")):
                    axis.add(category)
                for items in several:
                    for item in items:
                        if item is not None and item == item:
                            axis.add(item)
            made[name] = axis
        self._order(made)
        return made

    def _order(self, axes: dict[str, Axis]) -> None:
        for name, axis in axes.items():
            order = str(axis.layout.get("categoryorder") or "trace")
            if axis.kind != "category" or order in ("trace", "array"):
                continue
            what, _, way = order.rpartition(" ")
            if what not in ("category", "total") or way not in ("ascending", "descending"):
                raise CannotBeDrawn(f"categories ordered by {order[:40]!r}")
            names = axis.categories
            if what == "category":
                axis.order(sorted(names, key=text_of, reverse=way == "descending"))
                continue
            totals = dict.fromkeys(map(text_of, names), 0.0)
            for number, trace in enumerate(self.flat):
                flat = lying(trace)
                if self.root(str(trace.get("yaxis" if flat else "xaxis") or "yx"[not flat])) != name:
                    continue
                if trace["type"] not in BARS:
                    raise CannotBeDrawn(f"categories ordered by {order[:40]!r}")
                bars = self.bars_of(number, trace, axis, Bins(-0.5, len(names) - 0.5, 1.0))
                for place, length in zip(bars.places, np.nan_to_num(bars.lengths), strict=True):
                    if not math.isnan(place):
                        totals[text_of(names[int(place)])] += float(length)
            axis.order(sorted(names, key=lambda n: totals[text_of(n)], reverse=way == "descending"))

    def axis(self, trace: dict[str, Any], letter: str) -> Axis:
        return self.axes[self.root(str(trace.get(f"{letter}axis") or letter))]

    def bars_of(self, number: int, trace: dict[str, Any], axis: Axis, bins: Bins) -> Bars:
        if trace["type"] == "histogram":
            return binned(number, trace, axis, bins)
        x, y = coordinates(trace)
        places, lengths = (y, x) if lying(trace) else (x, y)
        return Bars(number, axis.places(places), numbers(lengths), None)

    # axes and panels

    def open(self) -> None:
        """Make the panels where the layout has them."""
        taken: list[list[Any]] = []
        self.wide = _WIDE - (0.1 if any(map(self.by_number, self.traces)) else 0)
        for x, y in self._keys():
            for name in (x, y):
                over = self.laid(name).get("overlaying")
                if over and (name[0] == "x" or (x, over) not in self.panels):
                    raise CannotBeDrawn("axes that lie upon each other in this way")
            below = self.panels.get((x, str(self.laid(y).get("overlaying"))))
            if below is not None:
                self.panels[x, y] = below.twinx()
                continue
            ends = [self.laid(name).get("domain") or (0, 1) for name in (x, y)]
            if ends in taken:
                raise CannotBeDrawn("axes that lie upon each other in this way")
            taken.append(ends)
            self.panels[x, y] = self.picture.add_axes(self.rectangle(*ends))

    def rectangle(self, across: Sequence[float], up: Sequence[float]) -> tuple[float, float, float, float]:
        """A part of the layout as a part of the picture: left, bottom, width, height."""
        (left, low), (right, high) = (self.paper(x, y) for x, y in zip(across, up, strict=True))
        return left, low, right - left, high - low

    def paper(self, x: float, y: float) -> tuple[float, float]:
        """A place of the layout as a part of the picture."""
        return _LEFT + self.wide * x, _BOTTOM + _HIGH * y

    def close(self) -> None:
        """Scales, titles and ticks, once everything is drawn."""
        for (x, y), panel in self.panels.items():
            for name, way in ((x, panel.xaxis), (y, panel.yaxis)):
                self._scaled(name, way, panel)
        for root in self.axes:
            alike = [(k, panel) for k, panel in self.panels.items() if root in map(self.root, k)]
            get, put = (f"get_{root[0]}lim", f"set_{root[0]}lim")
            ends = [getattr(panel, get)() for _, panel in alike]
            limits = self._limits(root, min(map(min, ends)), max(map(max, ends)))
            for _, panel in alike:
                getattr(panel, put)(*limits)
        title = title_of(self.layout.get("title"))
        if title:
            self.picture.suptitle(title)
        if self.named and self.layout.get("showlegend", True) is not False and len(self.named) > self._shown_alone():
            first = next(iter(self.panels.values()), None)
            heading = title_of(part(self.layout, "legend").get("title")) or None
            if first is not None and len(self.panels) == 1:
                first.legend(self.named.values(), self.named.keys(), fontsize=8, title=heading)
            else:
                legend = self.picture.legend(list(self.named.values()), list(self.named), fontsize=8, title=heading)
                legend.set_loc("center left")
                legend.set_bbox_to_anchor((1.0, 0.5), self.picture.transFigure)

    def _shown_alone(self) -> int:
        return 0 if self.layout.get("showlegend") is True else 1

    def _scaled(self, name: str, way: Any, panel: Any) -> None:
        layout, axis = self.laid(name), self.axes[self.root(name)]
        letter = name[0]
        getattr(panel, f"set_{letter}label")(title_of(layout.get("title")))
        if axis.kind == "log":
            getattr(panel, f"set_{letter}scale")("log")
        elif axis.kind == "date":
            locator: Any = mdates.AutoDateLocator()  # type: ignore[no-untyped-call]
            way.set_major_locator(locator)
            way.set_major_formatter(mdates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
        elif axis.kind == "category":
            names = [text_of(category)[:30].replace("$", r"\$") for category in axis.categories]
            every = max(1, math.ceil(len(names) / _MOST_TICKS))
            way.set_ticks(range(0, len(names), every), names[::every])
            ends = [-0.5, len(names) - 0.5]
            if self._only(("scatter", "scattergl"), name):
                ends = [-0.3, len(names) - 0.7]
            getattr(panel, f"set_{letter}lim")(*ends)
        marks = layout.get("tickvals")
        if marks is not None and layout.get("tickmode", "array") == "array":
            texts = [text_of(text) for text in values(layout.get("ticktext"))] or list(map(text_of, values(marks)))
            way.set_ticks(axis.places(values(marks)), texts[: len(values(marks))])
        if layout.get("showticklabels") is False or layout.get("visible") is False:
            way.set_tick_params(**{f"label{side}": False for side in ("bottom", "left")})
        if letter == "x" and axis.kind == "category" and any(len(text.get_text()) > 8 for text in way.get_ticklabels()):
            way.set_tick_params(rotation=30)

    def _only(self, kinds: tuple[str, ...], name: str) -> bool:
        return all(t["type"] in kinds for t in self.flat if name in (t.get("xaxis") or "x", t.get("yaxis") or "y"))

    def _limits(self, root: str, low: float, high: float) -> tuple[float, float]:
        layout, axis = self.laid(root), self.axes[root]
        given = values(layout.get("range"))
        turned = str(layout.get("autorange") or "").endswith("reversed")
        if len(given) == 2 and layout.get("autorange") in (None, False):
            places = numbers(given) if axis.kind == "category" else axis.places(given)
            if np.all(np.isfinite(places)):
                first, last = (10.0**places if axis.kind == "log" else places).tolist()
                return first, last
        if layout.get("rangemode") in ("tozero", "nonnegative") and axis.kind == "linear":
            low, high = min(low, 0.0), max(high, 0.0)
        return (high, low) if turned else (low, high)

    # colours

    def colour(self, number: int, trace: dict[str, Any]) -> Any:
        for given in (part(trace, "marker").get("color"), part(trace, "line").get("color"), trace.get("fillcolor")):
            found = colour_of(given)
            if found is not None:
                return found
        way = values(self.layout.get("colorway") or self.styles.get("colorway"))
        return (colour_of(way[number % len(way)]) if len(way) else None) or f"C{number % 10}"

    def by_number(self, trace: dict[str, Any]) -> bool:
        """Whether colours of this trace stand for numbers."""
        if trace["type"] == "heatmap":
            return True
        given = part(trace, "marker").get("color")
        return given is not None and not isinstance(given, str) and kind_of(values(given), True) == "linear"

    def shades(self, trace: dict[str, Any], holder: dict[str, Any], data: np.ndarray, panel: Any) -> tuple[Any, Any]:
        """The colour map and the norm for numbers, with a bar that tells them."""
        shared = part(self.layout, str(holder.get("coloraxis") or "coloraxis")) if holder.get("coloraxis") else holder
        letter = "z" if holder is trace and not holder.get("coloraxis") else "c"
        finite = data[np.isfinite(data)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        middle = shared.get(f"{letter}mid")
        if holder.get("coloraxis"):
            low, high = self._span(str(holder["coloraxis"]), low, high)
        if isinstance(middle, int | float):
            reach = max(abs(high - middle), abs(low - middle))
            low, high = middle - reach, middle + reach
        least, most = shared.get(f"{letter}min"), shared.get(f"{letter}max")
        low = float(least) if isinstance(least, int | float) else low
        high = float(most) if isinstance(most, int | float) else high
        norm = mcolors.Normalize(low, high if high > low else low + 1)
        scale = shared.get("colorscale") or part(part(self.styles, "colorscale"), "").get("") or "viridis"
        steps = [(float(s[0]), colour_of(s[1])) for s in scale] if isinstance(scale, list) else []
        if steps and any(shade is None for _, shade in steps):
            raise CannotBeDrawn("these colours")
        if not steps and isinstance(scale, str) and scale.lower() not in ("viridis", "plasma", "inferno", "magma"):
            raise CannotBeDrawn("these colours")
        shades: Any = mcolors.LinearSegmentedColormap.from_list("s", steps) if steps else plt.get_cmap(scale.lower())
        if shared.get("reversescale"):
            shades = shades.reversed()
        if shared.get("showscale", True) and not self.told:
            self.told = True
            place = self.picture.add_axes((_LEFT + self.wide + 0.03, _BOTTOM, 0.02, _HIGH))
            mapped = plt.cm.ScalarMappable(norm, shades)
            self.picture.colorbar(mapped, cax=place).set_label(title_of(part(shared, "colorbar").get("title")))
        return shades, norm

    def _span(self, name: str, low: float, high: float) -> tuple[float, float]:
        for trace in self.traces:
            for holder, items in ((trace, trace.get("z")), (part(trace, "marker"), part(trace, "marker").get("color"))):
                if holder.get("coloraxis") == name and items is not None:
                    rows = values(items)
                    every = np.concatenate([numbers(values(r)) for r in rows]) if holder is trace else numbers(rows)
                    every = every[np.isfinite(every)]
                    if len(every):
                        low, high = min(low, float(every.min())), max(high, float(every.max()))
        return low, high


def colour_of(given: Any) -> Any:
    """A colour as Matplotlib has it; None where it is none."""
    if not isinstance(given, str):
        return None
    found = re.fullmatch(r"rgba?\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,\s*([\d.]+)\s*)?\)", given.strip())
    if found:
        red, green, blue, opacity = (float(each or 1) for each in found.groups())
        return (min(red, 255) / 255, min(green, 255) / 255, min(blue, 255) / 255, min(opacity, 1.0))
    return given if mcolors.is_color_like(given) and not given.startswith("C") else None


def marks(drawing: Drawing) -> None:
    """Lines, rectangles and texts that the layout puts over the panels."""
    for shape in values(drawing.layout.get("shapes")):
        if shape.get("visible") is False:
            continue
        if shape.get("type", "rect") not in ("line", "rect"):
            raise CannotBeDrawn("this shape over the panels")
        ends = [_place(drawing, shape, n) for n in ("0", "1")]
        shade = colour_of(part(shape, "line").get("color")) or "0.3"
        if shape.get("type") == "line":
            dash = DASHES.get(str(part(shape, "line").get("dash")), "-")
            drawn: Any = Line2D(*zip(*ends, strict=True), color=shade, linestyle=dash, linewidth=1.2)
        else:
            (left, low), (right, high) = ends
            tone = colour_of(shape.get("fillcolor")) or "none"
            opacity = shape.get("opacity", 1)
            drawn = Rectangle((left, low), right - left, high - low, facecolor=tone, edgecolor="none", alpha=opacity)
        drawn.set_transform(drawing.picture.transFigure)
        drawing.picture.add_artist(drawn)
    for note in values(drawing.layout.get("annotations")):
        if note.get("visible") is False or not title_of(note.get("text")):
            continue
        x, y = _place(drawing, note, "")
        arrow = note.get("showarrow", True)
        shift = (note.get("ax", -10), -note.get("ay", -30))
        if arrow and not all(isinstance(each, int | float) for each in shift):
            raise CannotBeDrawn("this text over the panels")
        style: dict[str, Any] = {"ha": {"left": "left", "right": "right"}.get(str(note.get("xanchor")), "center")}
        style |= {"rotation": -float(note.get("textangle") or 0), "fontsize": 9}
        text = title_of(note.get("text"))
        if not arrow or not drawing.panels:
            drawing.picture.text(x, y + 0.005, text, va="bottom" if not note.get("textangle") else "center", **style)
            continue
        style |= {"arrowprops": {"arrowstyle": "-", "color": "0.4"}, "annotation_clip": False}
        # The fraction of the figure is another one where the picture is cut to what is in it; its transform is not.
        style |= {"xycoords": drawing.picture.transFigure, "textcoords": "offset points"}
        list(drawing.panels.values())[-1].annotate(text, (x, y), shift, **style)


def _place(drawing: Drawing, holder: dict[str, Any], end: str) -> tuple[float, float]:
    """A place of a shape or a text, as a part of the picture."""
    found: list[float] = []
    for letter, size in (("x", 0), ("y", 1)):
        reference, given = str(holder.get(f"{letter}ref") or letter), holder.get(f"{letter}{end}")
        if reference == "paper":
            whole = drawing.paper(*(float(given or 0),) * 2)
            found.append(whole[size])
            continue
        name, _, domain = reference.partition(" ")
        panel = next((p for key, p in drawing.panels.items() if name in key), None)
        if panel is None:
            raise CannotBeDrawn("a mark on axes without data")
        if domain:
            at = panel.transAxes.transform((float(given or 0),) * 2)
        else:
            axis = drawing.axes[drawing.root(name)]
            value = float(axis.places([given])[0]) if isinstance(given, str) else float(given or 0)
            if axis.kind == "log" and isinstance(given, int | float):
                value = value if holder.get("type") else 10.0**value
            if not math.isfinite(value):
                raise CannotBeDrawn("a mark at no place of its axis")
            at = (
                panel.transData.transform((value, 0) if letter == "x" else (0, value))
                if axis.kind != "log"
                else (panel.transData.transform((value, 1) if letter == "x" else (1, value)))
            )
        found.append(float(drawing.picture.transFigure.inverted().transform(at)[size]))
    return found[0], found[1]
