"""A Plotly figure as a picture, drawn with Matplotlib. Runs in the sandbox, after the texts of `plotted` and `canvas`.

A browser draws Plotly figures best, and the HTML that is saved beside the picture lets it. The picture is for where no
browser is: terminals, mails, notebooks. It shows the same data, titles, axes and legend, not every style; a figure of
which it would show anything else is not drawn.
"""

import math
from typing import Any

import numpy as np
from matplotlib import colors as mcolors

from graphwright.agents.data_scientist.canvas import DASHES, Drawing, colour_of, marks, title_of
from graphwright.agents.data_scientist.plotted import (
    BARS,
    Bins,
    CannotBeDrawn,
    Items,
    arranged,
    bins_of,
    box_of,
    coordinates,
    day_of,
    gap_of,
    lying,
    mode_of,
    numbers,
    part,
    slices,
    stacked,
    text_of,
    values,
)

_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "cross": "P",
    "x": "X",
    "triangle-up": "^",
    "triangle-down": "v",
    "star": "*",
}
_STEPS = {"linear": "default", "hv": "steps-post", "vh": "steps-pre", "hvh": "steps-mid"}
_MOST_TEXTS = 400


def scatter(drawing: Drawing, number: int, trace: dict[str, Any], panel: Any, line: tuple[Any, Any, Any]) -> Any:
    """Points and lines at places that are known already; the third of `line` is the edge that a filling goes to."""
    x, y, beneath = line
    mode = str(trace.get("mode") or ("lines" if len(x) >= 20 or trace.get("stackgroup") else "lines+markers"))
    shade, opacity = drawing.colour(number, trace), trace.get("opacity")
    lines = part(trace, "line")
    step = _STEPS.get(str(lines.get("shape") or "linear"))
    if step is None:
        raise CannotBeDrawn("lines that are rounded")
    handle = None
    if trace.get("connectgaps"):
        there = np.isfinite(x) & np.isfinite(y)
        x, y = x[there], y[there]
    if beneath is not None:
        if step != "default":
            raise CannotBeDrawn("fillings below steps")
        tone = colour_of(trace.get("fillcolor"))
        filled = {"color": tone} if tone is not None else {"color": shade, "alpha": 0.5}
        handle = panel.fill(
            *(np.concatenate(pair) for pair in zip((x, y), beneath, strict=True)), linewidth=0, **filled
        )[0]
    if "lines" in mode and lines.get("width") != 0:
        dash = DASHES.get(str(lines.get("dash")), "-")
        tone = colour_of(lines.get("color")) or shade
        handle = panel.plot(x, y, color=tone, linestyle=dash, drawstyle=step, alpha=opacity)[0]
    if "markers" in mode:
        handle = _markers(drawing, trace, panel, x, y, shade)
    if "text" in mode:
        _texts(panel, x, y, values(trace.get("text")))
    _errors(trace, panel, x, y, shade)
    return handle


def _markers(drawing: Drawing, trace: dict[str, Any], panel: Any, x: Any, y: Any, shade: Any) -> Any:
    marker = part(trace, "marker")
    symbol = marker.get("symbol") or "circle"
    if not isinstance(symbol, str):
        raise CannotBeDrawn("several symbols in one trace")
    sizes, colours = values(marker.get("size")), values(marker.get("color"))
    style: dict[str, Any] = {"marker": _MARKERS.get(symbol.split("-open")[0], "o"), "linewidth": 0}
    style["alpha"] = marker.get("opacity", trace.get("opacity", 0.9))
    if symbol.endswith("-open"):
        style |= {"linewidth": 1, "facecolors": "none"}
    area: Any = 18
    if len(sizes) > 1 or isinstance(marker.get("size"), dict):
        reference = float(marker.get("sizeref") or 1)
        wide = numbers(sizes)[: len(x)] / reference
        wide = np.sqrt(wide) if marker.get("sizemode") == "area" else wide
        area = (np.maximum(np.nan_to_num(wide), float(marker.get("sizemin") or 0)) * 0.75) ** 2
    if drawing.by_number(trace) and len(colours) == len(x):
        data = numbers(colours)
        shades, norm = drawing.shades(trace, marker, data, panel)
        return panel.scatter(x, y, area, c=data, cmap=shades, norm=norm, **style)
    if not isinstance(marker.get("color"), str) and len(colours):
        every = [colour_of(each) for each in colours]
        if len(every) != len(x) or any(each is None for each in every):
            raise CannotBeDrawn("these colours")
        return panel.scatter(x, y, area, color=every, **style)
    if symbol.endswith("-open"):
        return panel.scatter(x, y, area, edgecolors=shade, **style)
    return panel.scatter(x, y, area, color=shade, **style)


def _texts(panel: Any, x: Any, y: Any, texts: Items, *, beside: bool = False) -> None:
    if len(texts) > _MOST_TEXTS or len(texts) not in (0, len(x)):
        raise CannotBeDrawn("that many texts")
    style: dict[str, Any] = {"xytext": (3, 0) if beside else (0, 4), "ha": "left" if beside else "center"}
    style |= {"textcoords": "offset points", "va": "center" if beside else "bottom", "fontsize": 7}
    for place, height, text in zip(x, y, texts, strict=False):
        if text is not None and math.isfinite(place) and math.isfinite(height):
            panel.annotate(title_of(short(text)), (place, height), **style)


def _errors(trace: dict[str, Any], panel: Any, x: Any, y: Any, shade: Any) -> None:
    for name, at in (("error_x", x), ("error_y", y)):
        given = part(trace, name)
        if not given or given.get("visible") is False:
            continue
        reach: list[Any] = []
        for side in ("", "minus"):
            kind = given.get("type") or ("data" if "array" in given else "percent")
            if side and (given.get("symmetric", f"array{side}" not in given and f"value{side}" not in given)):
                reach.append(reach[0])
            elif kind == "data":
                reach.append(np.nan_to_num(numbers(values(given.get(f"array{side}")))))
            elif kind in ("constant", "percent"):
                amount = float(given.get(f"value{side}", 10))
                reach.append(np.full(len(x), amount) if kind == "constant" else np.abs(at) * amount / 100)
            else:
                raise CannotBeDrawn("these error bars")
        if any(len(each) != len(x) for each in reach) or any((each < 0).any() for each in reach):
            raise CannotBeDrawn("these error bars")
        panel.errorbar(x, y, **{name.replace("error_", "") + "err": reach[::-1]}, fmt="none", ecolor="0.25", capsize=3)


def lines(drawing: Drawing, panel: Any, own: list[tuple[int, dict[str, Any]]]) -> dict[int, Any]:
    """All points and lines of a panel, areas upon each other where they are stacked; what the legend shows of each."""
    placed: dict[int, tuple[Any, Any, Any]] = {}
    groups: dict[str, list[int]] = {}
    before: tuple[Any, Any] | None = None
    for number, trace in own:
        x, y = (drawing.axis(trace, k).places(each) for k, each in zip("xy", coordinates(trace), strict=True))
        fill, beneath = str(trace.get("fill") or "none"), None
        if trace.get("stackgroup"):
            if trace.get("orientation") == "h" or fill not in ("none", "tonexty"):
                raise CannotBeDrawn("areas that are stacked in this way")
            groups.setdefault(str(trace["stackgroup"]), []).append(number)
        elif fill == "tozeroy" or (fill == "tonexty" and before is None):
            beneath = (x[::-1], np.zeros(len(x)))
        elif fill == "tonexty" and before is not None:
            beneath = (before[0][::-1], before[1][::-1])
        elif fill == "toself":
            beneath = (x[:0], y[:0])
        elif fill != "none":
            raise CannotBeDrawn(f"the filling {fill[:20]!r}")
        if beneath is not None and not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise CannotBeDrawn("fillings with gaps")
        placed[number], before = (x, y, beneath), (x, y)
    for members in groups.values():
        norm = next((str(drawing.flat[n]["groupnorm"]) for n in members if drawing.flat[n].get("groupnorm")), "")
        edges = stacked([placed[n][:2] for n in members], norm)
        for place, number in enumerate(members):
            x, top = edges[place]
            low = edges[place - 1][1] if place else np.zeros(len(x))
            placed[number] = (x, top, (x[::-1], low[::-1]))
    return {number: scatter(drawing, number, trace, panel, placed[number]) for number, trace in own}


def bars(drawing: Drawing, panel: Any, own: list[tuple[int, dict[str, Any]]], bins: dict[int, Bins]) -> dict[int, Any]:
    """All bars of a panel, those of histograms with them; what the legend shows of each."""
    handles: dict[int, Any] = {}
    together = [trace for trace in drawing.flat if trace["type"] in BARS]
    gap = gap_of(together, [drawing.axis(t, "y" if lying(t) else "x") for t in together], drawing.layout)
    for flat in (False, True):
        members = [(number, trace) for number, trace in own if lying(trace) is flat]
        if not members:
            continue
        axis = drawing.axis(members[0][1], "y" if flat else "x")
        along = drawing.axis(members[0][1], "x" if flat else "y")
        if along.kind not in ("linear", "log") or axis.kind == "log":
            raise CannotBeDrawn(f"bars along a {along.kind} axis" if axis.kind != "log" else "bars on a log axis")
        given = [drawing.bars_of(number, trace, axis, bins.get(number, Bins(0, 0, 1))) for number, trace in members]
        made = arranged(given, drawing.flat, axis, drawing.layout, gap)
        for number, trace in members:
            mine = [bar for bar in made if bar.trace == number]
            middles = np.array([(bar.first + bar.last) / 2 for bar in mine])
            wide = np.array([bar.last - bar.first for bar in mine])
            low, high = np.array([bar.low for bar in mine]), np.array([bar.high for bar in mine])
            style = _bar_style(drawing, number, trace, mine, panel)
            if flat:
                drawn = panel.barh(middles, high - low, wide, left=low, **style)
            else:
                drawn = panel.bar(middles, high - low, wide, bottom=low, **style)
            handles[number] = drawn[0] if len(drawn) else None
            x, y = (high, middles) if flat else (middles, high)
            if trace["type"] == "bar":
                rows = [bar.row for bar in mine]
                texts = values(trace.get("text"))
                if len(texts) and not trace.get("texttemplate"):
                    _texts(panel, x, y, [texts[row] for row in rows if row < len(texts)], beside=flat)
                _errors(_taken(trace, rows), panel, x, y, "0.25")
    return handles


def _taken(trace: dict[str, Any], rows: list[int]) -> dict[str, Any]:
    """The error bars of those rows that have a bar."""
    found: dict[str, Any] = {}
    for name in ("error_x", "error_y"):
        given = dict(part(trace, name))
        for side in ("array", "arrayminus"):
            every = values(given.get(side))
            if len(every):
                given[side] = [every[row] for row in rows if row < len(every)]
        if given:
            found[name] = given
    return found


def _bar_style(drawing: Drawing, number: int, trace: dict[str, Any], mine: list[Any], panel: Any) -> dict[str, Any]:
    marker = part(trace, "marker")
    shape = part(marker, "pattern").get("shape")
    style: dict[str, Any] = {"hatch": {"x": "xx", ".": ".."}.get(shape, shape) if isinstance(shape, str) else None}
    style["alpha"] = marker.get("opacity", trace.get("opacity", 0.6 if mode_of(drawing.layout) == "overlay" else None))
    given = values(marker.get("color"))
    if isinstance(marker.get("color"), str) or not len(given):
        style |= {"edgecolor": "white", "linewidth": 0.5 if len(mine) < 60 else 0}
        return style | {"color": drawing.colour(number, trace)}
    if trace["type"] == "histogram" or any(bar.row >= len(given) for bar in mine):
        raise CannotBeDrawn("these colours")
    if drawing.by_number(trace):
        data = numbers(given)
        shades, norm = drawing.shades(trace, marker, data, panel)
        return style | {"color": [shades(norm(data[bar.row])) for bar in mine]}
    every = [colour_of(given[bar.row]) for bar in mine]
    if any(each is None for each in every):
        raise CannotBeDrawn("these colours")
    return style | {"color": every}


def all_bins(drawing: Drawing) -> dict[int, Bins]:
    """The bins of each histogram. Those that stand in one panel, or say so, have the same."""
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, trace in enumerate(drawing.flat):
        if trace["type"] == "histogram":
            panel = f"{trace.get('xaxis', 'x')} {trace.get('yaxis', 'y')} {lying(trace)}"
            own = f"{number}" if mode_of(drawing.layout) == "overlay" else panel
            groups.setdefault(str(trace.get("bingroup") or f" {own}"), []).append((number, trace))
    found: dict[int, Bins] = {}
    for members in groups.values():
        way = "y" if lying(members[0][1]) else "x"
        if any(lying(trace) != lying(members[0][1]) for _, trace in members):
            raise CannotBeDrawn("bins that are shared by bars that lie and that stand")
        axis = drawing.axis(members[0][1], way)
        data = np.concatenate([axis.places(values(trace.get(way))) for _, trace in members])
        count = next((t[f"nbins{way}"] for _, t in members if t.get(f"nbins{way}")), None)
        given = [{k: v for k, v in part(t, f"{way}bins").items() if v is not None} for _, t in members]
        if any(each != given[0] for each in given):
            raise CannotBeDrawn("histograms with bins of their own in one group")
        alone = mode_of(drawing.layout) == "overlay" and not members[0][1].get("bingroup")
        if alone and axis.kind == "linear" and not given[0] and len(np.unique(data[np.isfinite(data)])) < 2:
            raise CannotBeDrawn("a histogram of a single value among others")
        bins = bins_of(data, axis, count, given[0])
        cumulative = part(members[-1][1], "cumulative")
        if cumulative.get("enabled") and cumulative.get("currentbin", "include") != "include":
            raise CannotBeDrawn("a histogram that adds up by halves")
        found |= dict.fromkeys((number for number, _ in members), bins)
    return found


def boxes(drawing: Drawing, panel: Any, own: list[tuple[int, dict[str, Any]]]) -> dict[int, Any]:
    """All boxes of a panel; what the legend shows of each."""
    handles: dict[int, Any] = {}
    grouped = drawing.layout.get("boxmode") == "group" and len(own) > 1
    slots = [str(trace.get("offsetgroup") or f" {number}") for number, trace in own]
    order = list(dict.fromkeys(slots))
    for (number, trace), slot in zip(own, slots, strict=True):
        flat = lying(trace)
        x, y = coordinates(trace)
        axis, along = drawing.axis(trace, "y" if flat else "x"), drawing.axis(trace, "x" if flat else "y")
        if along.kind not in ("linear", "log"):
            raise CannotBeDrawn(f"boxes along a {along.kind} axis")
        groups, data = (axis.places(y), numbers(x)) if flat else (axis.places(x), numbers(y))
        if len(groups) != len(data) or trace.get("boxmean") == "sd":
            raise CannotBeDrawn("boxes of this form")
        distinct = np.unique(groups[np.isfinite(groups)])
        whole = 1.0 if axis.kind == "category" or len(distinct) < 2 else float(np.diff(distinct).min())
        wide = whole * 0.7 / (len(order) if grouped else 1)
        shift = (order.index(slot) - (len(order) - 1) / 2) * wide if grouped else 0.0
        shade = drawing.colour(number, trace)
        hidden = colour_of(part(trace, "line").get("color"))
        bare = isinstance(hidden, tuple) and hidden[3] == 0
        for place in distinct:
            mine = data[(groups == place) & np.isfinite(data)]
            if not len(mine):
                continue
            box = box_of(mine, trace)
            if bare:
                at = np.full(len(box["fliers"]), place + shift)
                panel.scatter(*((box["fliers"], at) if flat else (at, box["fliers"])), 12, color=[shade], alpha=0.5)
                continue
            drawn = panel.bxp(
                [box],
                [place + shift],
                widths=wide * 0.9,
                orientation="horizontal" if flat else "vertical",
                patch_artist=True,
                manage_ticks=False,
                shownotches=bool(trace.get("notched")),
                showmeans=trace.get("boxmean") is True,
                meanline=True,
                boxprops={"facecolor": mcolors.to_rgba(shade, 0.5), "edgecolor": shade},
                medianprops={"color": shade, "linewidth": 2},
                flierprops={"markersize": 3, "markerfacecolor": shade, "markeredgecolor": "none"},
            )
            handles[number] = drawn["boxes"][0]
    return handles


def heatmap(drawing: Drawing, trace: dict[str, Any], panel: Any) -> None:
    """Cells, with their values where the figure writes them."""
    rows = [numbers(values(row)) for row in values(trace.get("z"))]
    if not rows or len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise CannotBeDrawn("cells that are no rectangle")
    z = np.array(rows)
    edges = []
    for letter, items, count in zip("xy", coordinates(trace), (z.shape[1], z.shape[0]), strict=True):
        axis = drawing.axis(trace, letter)
        places = axis.places(items)
        if len(places) not in (count, count + 1) or not np.isfinite(places).all() or axis.kind == "log":
            raise CannotBeDrawn("cells at such places")
        if len(places) == count:
            if count > 1 and not (np.diff(places) > 0).all():
                raise CannotBeDrawn("cells at such places")
            middles = (places[1:] + places[:-1]) / 2
            first, last = (middles[0], middles[-1]) if count > 1 else (places[0] + 0.5, places[0] + 0.5)
            ends = (2 * places[0] - first, 2 * places[-1] - last) if count > 1 else (places[0] - 0.5, places[0] + 0.5)
            places = np.array([ends[0], *middles, ends[1]])
        edges.append(places)
    shades, norm = drawing.shades(trace, trace, z.ravel(), panel)
    panel.pcolormesh(*edges, z, cmap=shades, norm=norm)
    template = str(trace.get("texttemplate") or "")
    if not template:
        return
    texts: list[Any] = [values(row) for row in values(trace.get("text"))]
    if "%{z" not in template and ("%{text" not in template or [len(t) for t in texts] != [z.shape[1]] * len(z)):
        raise CannotBeDrawn("cells with these texts")
    if z.size <= _MOST_TEXTS:
        for (row, column), cell in np.ndenumerate(z):
            x, y = ((edge[n] + edge[n + 1]) / 2 for edge, n in zip(edges, (column, row), strict=True))
            text = f"{cell:.3g}" if "%{z" in template else text_of(texts[row][column])[:20]
            if np.isfinite(cell):
                dark = sum(shades(norm(cell))[:3]) < 1.5
                panel.text(x, y, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")


def pie(drawing: Drawing, trace: dict[str, Any]) -> None:
    """A pie, or a ring, where the layout has it."""
    found = slices(trace)
    if len(found) > 100 or not sum(size for _, size in found) or drawing.layout.get("hiddenlabels"):
        raise CannotBeDrawn("slices like these")
    x, y = (part(trace, "domain").get(letter) or (0, 1) for letter in "xy")
    panel = drawing.picture.add_axes(drawing.rectangle(x, y))
    given = [colour_of(each) for each in values(part(trace, "marker").get("colors"))]
    way = values(drawing.layout.get("piecolorway") or drawing.styles.get("colorway"))
    tones = [colour_of(each) for each in way] or [f"C{n}" for n in range(10)]
    if given:
        labels = list(dict.fromkeys(text_of(label) for label in values(trace.get("labels"))))
        if len(labels) != len(given) or len(values(trace.get("labels"))) != len(labels) or None in given:
            raise CannotBeDrawn("these colours")
        tones = [given[labels.index(label)] for label, _ in found]
    total = sum(size for _, size in found)
    shown = [label[:30].replace("$", r"\$") if size / total > 0.01 else "" for label, size in found]
    hole = trace.get("hole")
    width = 1 - float(hole) if isinstance(hole, int | float) and hole else 1.0
    panel.pie(
        [size for _, size in found],
        labels=shown,
        colors=[tones[n % len(tones)] for n in range(len(found))],
        autopct=lambda share: f"{share:.3g}%" if share > 1 else "",
        startangle=90,
        counterclock=trace.get("direction") != "clockwise",
        pctdistance=1 - width / 2 if width < 1 else 0.6,
        wedgeprops={"width": width, "edgecolor": "white"},
    )
    if title_of(trace.get("title")):
        panel.set_title(title_of(trace.get("title")))


def short(item: Any) -> str:
    if isinstance(item, str) and not math.isnan(day := _day(item)) and day % 1 == 0:
        return item[:10]
    return f"{item:.6g}" if isinstance(item, float | np.floating) else str(item)[:30]


def _day(text: str) -> float:
    try:
        return day_of(text)
    except CannotBeDrawn:
        return math.nan


def drawn(figure: dict[str, Any]) -> Any:
    """The Matplotlib figure of a Plotly one. Raises CannotBeDrawn where it would not show the same."""
    drawing = Drawing(figure)
    drawing.open()
    bins = all_bins(drawing)
    handles: dict[int, Any] = {}
    for key, panel in drawing.panels.items():
        own = [(n, t) for n, t in enumerate(drawing.flat) if (t.get("xaxis") or "x", t.get("yaxis") or "y") == key]
        handles |= bars(drawing, panel, [(n, t) for n, t in own if t["type"] in BARS], bins)
        handles |= boxes(drawing, panel, [(n, t) for n, t in own if t["type"] == "box"])
        handles |= lines(drawing, panel, [(n, t) for n, t in own if t["type"].startswith("scatter")])
        for _, trace in own:
            if trace["type"] == "heatmap":
                heatmap(drawing, trace, panel)
    for number, trace in enumerate(drawing.flat):
        name = title_of(trace.get("name"))[:60]
        if name and handles.get(number) is not None and trace.get("showlegend", True):
            drawing.named.setdefault(name, handles[number])
    for trace in drawing.traces:
        if trace["type"] == "pie":
            pie(drawing, trace)
    drawing.close()
    marks(drawing)
    return drawing.picture
