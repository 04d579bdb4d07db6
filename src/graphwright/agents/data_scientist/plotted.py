"""What a Plotly figure shows, in numbers: places on its axes, bars with their stacks, bins, boxes, slices.

Plotly.js reckons all of this in the browser: a figure holds the rows, not the heights. The rules here are its rules,
and where a figure asks for something that is not among them it cannot be drawn. Runs in the sandbox.
"""

import base64
import datetime
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

_TYPES = {"i1": "i1", "u1": "u1", "i2": "i2", "u2": "u2", "i4": "i4", "u4": "u4", "f4": "f4", "f8": "f8"}
_DATE = re.compile(
    r"\s*(?P<year>\d{4}|\d\d)-(?P<month>\d?\d)(?:-(?P<day>\d?\d)(?:[ Tt](?P<hour>\d?\d)(?::(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?P<part>\.\d+)?)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?)?\s*"
)
_FULL = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)?")
_EPOCH = datetime.datetime(1970, 1, 1)

BARS = ("bar", "histogram")
MOST_BARS = 5_000
"""Of a panel: Matplotlib takes a millisecond for each."""

Items = list[Any] | np.ndarray


class CannotBeDrawn(Exception):
    """The figure has something whose numbers are not known here; the message names it."""


def values(given: Any) -> Items:
    """The values of a trace: a list, or an array packed as {dtype, bdata, shape}."""
    if isinstance(given, dict) and "bdata" in given:
        array = np.frombuffer(base64.b64decode(given["bdata"]), dtype="<" + _TYPES[given["dtype"]])
        if given.get("shape"):
            array = array.reshape([int(n) for n in str(given["shape"]).split(",")])
        return array
    if given is None or isinstance(given, dict):
        return []
    return given if isinstance(given, list | np.ndarray) else [given]


def part(holder: dict[str, Any], name: str) -> dict[str, Any]:
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def text_of(value: Any) -> str:
    """A value as the browser writes it: on an axis, as a label."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float | np.floating) else str(value)


def day_of(text: str) -> float:
    """A date as days since 1970, the zone left out as in the browser; NaN for what is none. Raises CannotBeDrawn."""
    found = _DATE.fullmatch(text)
    if found is None:
        return math.nan
    given = {name: int(digits) for name, digits in found.groupdict("0").items() if name != "part"}
    try:
        moment = datetime.datetime(given["year"], given["month"], given["day"] or 1, given["hour"], given["minute"])
    except ValueError:
        return math.nan
    if len(found["year"]) == 2:
        raise CannotBeDrawn("dates with years of two digits")
    return (moment - _EPOCH) / datetime.timedelta(days=1) + (given["second"] + float(found["part"] or 0)) / 86_400


def _days(items: Items) -> np.ndarray | None:
    """Many dates at once, where all are written out in full and without a zone."""
    if isinstance(items, np.ndarray) or not all(isinstance(item, str) and _FULL.fullmatch(item) for item in items):
        return None
    try:
        return np.array(items, "datetime64[us]").astype(np.int64) / 86_400e6
    except ValueError:
        return None


def numbers(items: Items) -> np.ndarray:
    """The numbers of a trace; NaN for all else."""
    if isinstance(items, np.ndarray):
        return items.astype(float)
    return np.array([_number(item) for item in items], dtype=float)


def _number(item: Any) -> float:
    if isinstance(item, str):
        try:
            return float(item)
        except ValueError:
            return math.nan
    return math.nan if item is None or isinstance(item, bool) else float(item)


def kind_of(items: Items, strict: bool) -> str | None:
    """The kind of axis that these values make: linear, date or category; None where there are none."""
    if isinstance(items, np.ndarray):
        return "linear" if len(items) else None
    there = [item for item in items if not (item is None or (isinstance(item, float) and math.isnan(item)))]
    if not there:
        return None
    if all(isinstance(item, int | float) and not isinstance(item, bool) for item in there):
        return "linear"
    if all(isinstance(item, bool) for item in there):
        return "category"
    if not all(isinstance(item, str) for item in there):
        raise CannotBeDrawn("an axis with values of several kinds")
    if _days(there) is not None:
        return "date"
    figures = sum(not math.isnan(_number(item)) for item in there)
    dates = sum(not math.isnan(day_of(item)) for item in there)
    if dates == len(there):
        return "date"
    if dates or (figures and not strict):
        raise CannotBeDrawn("an axis with values of several kinds")
    return "category"


@dataclass
class Axis:
    """An axis, or several that match: its kind, and the categories in their order."""

    kind: str
    layout: dict[str, Any]
    categories: list[Any] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)

    def add(self, category: Any) -> None:
        if text_of(category) not in self.known:
            self.known[text_of(category)] = len(self.categories)
            self.categories.append(category)

    def order(self, categories: Iterable[Any]) -> None:
        self.categories, self.known = [], {}
        for category in categories:
            self.add(category)

    def places(self, items: Items) -> np.ndarray:
        """Where values stand: numbers as they are, dates in days, categories by their order."""
        if self.kind == "category":
            return np.array([math.nan if i is None else self.known.get(text_of(i), math.nan) for i in items], float)
        if self.kind == "date" and not isinstance(items, np.ndarray):
            many = _days(items)
            if many is not None:
                return many
            return np.array([day_of(item) if isinstance(item, str) else math.nan for item in items], float)
        return numbers(items)


def lying(trace: dict[str, Any]) -> bool:
    """Whether bars or boxes lie."""
    given = trace.get("orientation")
    if given in ("h", "v"):
        return bool(given == "h")
    if trace.get("type") == "histogram":
        return len(values(trace.get("y"))) > 0 and not len(values(trace.get("x")))
    if trace.get("type") == "box":
        return len(values(trace.get("x"))) > 0 and not len(values(trace.get("y")))
    return False


def coordinates(trace: dict[str, Any]) -> tuple[Items, Items]:
    """What a trace puts on its two axes."""
    x, y = values(trace.get("x")), values(trace.get("y"))
    kind = trace.get("type", "scatter")
    if kind == "heatmap":
        z = values(trace.get("z"))
        wide = max((len(values(row)) for row in z), default=0)
        return x if len(x) else list(range(wide)), y if len(y) else list(range(len(z)))
    if kind == "histogram":
        return ([], y) if lying(trace) else (x, [])
    if kind == "box":
        data, groups = (x, y) if lying(trace) else (y, x)
        if not len(groups):
            name = trace.get("y0" if lying(trace) else "x0", trace.get("name"))
            groups = ["trace" if name is None else name] * len(data)
        return (data, groups) if lying(trace) else (groups, data)
    if any(name in trace for name in ("x0", "y0", "dx", "dy")) and not (len(x) and len(y)):
        raise CannotBeDrawn("places by a first value and a step")
    size = min(len(x) or len(y), len(y) or len(x))
    x, y = x if len(x) else list(range(size)), y if len(y) else list(range(size))
    return x[:size], y[:size]


@dataclass
class Bar:
    """A bar: the number of its trace and row, from where to where, and from which length to which."""

    trace: int
    row: int
    first: float
    last: float
    low: float
    high: float


@dataclass
class Bars:
    """The lengths of one trace, by place, before they are put beside or upon each other."""

    trace: int
    places: np.ndarray
    lengths: np.ndarray
    size: float | None
    """Of a bin."""


def gap_of(traces: Sequence[dict[str, Any]], axes: Sequence[Axis], layout: dict[str, Any]) -> float:
    """The part of its place that a bar leaves free: histograms of numbers leave none, unless others stand beside."""
    if isinstance(layout.get("bargap"), int | float):
        return float(layout["bargap"])
    seen: set[tuple[Any, Any]] = set()
    beside = False
    for trace in traces:
        panel = (trace.get("xaxis", "x"), trace.get("yaxis", "y"))
        beside = beside or (mode_of(layout) == "group" and panel in seen)
        seen.add(panel)
    bins = any(t.get("type") == "histogram" and a.kind != "category" for t, a in zip(traces, axes, strict=True))
    return 0.0 if bins and not beside else 0.2


def mode_of(layout: dict[str, Any]) -> str:
    return str(layout.get("barmode") or "group")


def arranged(
    given: Sequence[Bars], traces: Sequence[dict[str, Any]], axis: Axis, layout: dict[str, Any], gap: float
) -> list[Bar]:
    """The bars of one panel, of one orientation: beside each other, upon each other or before each other."""
    mode, norm = mode_of(layout), layout.get("barnorm") or ""
    if norm and mode not in ("stack", "relative"):
        raise CannotBeDrawn("shares of bars that are not stacked")
    if mode == "overlay" and len(given) > 1:
        return [bar for bars in given for bar in arranged([bars], traces, axis, layout, gap)]
    every = [place for bars in given for place in bars.places if not math.isnan(place)]
    distinct = sorted(set(every))
    if len(every) > MOST_BARS:
        raise CannotBeDrawn(f"more than {MOST_BARS:,} bars")
    nearest = min((b - a for a, b in pairwise(distinct)), default=1.0)
    # A bin that stands alone in its trace is as wide as it is; of others the page knows but their places.
    alone = [bars.size for bars in given if bars.size and len(bars.places) == 1]
    whole = 1.0 if axis.kind == "category" else min([nearest, *alone] if len(distinct) > 1 else alone or [1.0])
    slots = [str(traces[bars.trace].get("offsetgroup") or f" {bars.trace}") for bars in given]
    order = list(dict.fromkeys(_slots(traces) if any(t.get("offsetgroup") for t in traces) else slots))
    crowded = len(every) != len(distinct) or any(traces[bars.trace].get("offsetgroup") for bars in given)
    count = len(order) if mode == "group" and crowded else 1
    room = whole * (1 - gap) / count
    wide = room * (1 - float(layout.get("bargroupgap") or 0))
    signs = mode != "stack"
    totals: dict[tuple[float, bool], float] = {}
    for bars in given:
        for place, length in zip(bars.places, bars.lengths, strict=True):
            key = (place, signs and length < 0)
            totals[key] = totals.get(key, 0.0) + (0.0 if math.isnan(length) else length)
    heaps: dict[tuple[Any, ...], float] = {}
    made = []
    for bars, slot in zip(given, slots, strict=True):
        own = traces[bars.trace].get("width")
        if own is not None and not isinstance(own, int | float):
            raise CannotBeDrawn("bars of several widths")
        shift = (order.index(slot) - (count - 1) / 2) * room if count > 1 else 0.0
        half = (wide if own is None else float(own)) / 2
        for row, (place, length) in enumerate(zip(bars.places, bars.lengths, strict=True)):
            if math.isnan(place) or math.isnan(length):
                continue
            if norm:
                total = totals[place, signs and length < 0]
                length = length / abs(total) * (100 if norm == "percent" else 1) if total else 0.0
            heap = (place, slot if mode == "group" else "", signs and length < 0)
            low = 0.0 if mode == "overlay" else heaps.get(heap, 0.0)
            heaps[heap] = low + length
            centre = place + shift
            made.append(Bar(bars.trace, row, centre - half, centre + half, low, low + length))
    return made


def _slots(traces: Sequence[dict[str, Any]]) -> list[str]:
    return [str(t.get("offsetgroup") or f" {n}") for n, t in enumerate(traces) if t.get("type") in BARS]


@dataclass
class Bins:
    """Where bins start and end, and their size."""

    start: float
    end: float
    size: float


def bins_of(data: np.ndarray, axis: Axis, count: Any, given: dict[str, Any]) -> Bins:
    """The bins of this data as Plotly.js chooses them. `given` may hold `start`, `end` and `size`."""
    data = data[np.isfinite(data)]
    if axis.kind == "category":
        if given:
            raise CannotBeDrawn("bins over categories")
        return Bins(-0.5, len(axis.categories) - 0.5, 1.0)
    if axis.kind != "linear":
        raise CannotBeDrawn(f"a histogram over a {axis.kind} axis")
    if any(not isinstance(each, int | float) for each in given.values()):
        raise CannotBeDrawn("bins that are no numbers")
    size = given.get("size")
    if len(given) and (size is None or size <= 0 or len(given) == 2):
        raise CannotBeDrawn("bins that are given by half")
    if len(given) == 3:
        return Bins(float(given["start"]), float(given["end"]), float(size or 0))
    if not len(data):
        return Bins(0.0, 0.0, 1.0)
    low, high = float(data.min()), float(data.max())
    step = float(size) if size else _tick(_rough(data, low, high, count))
    start = _without_noise(math.ceil((low - (high - low) / 10_000) / step) * step - step, step)
    start = _shifted(data, start, step, low, high)
    return Bins(start, start + (1 + math.floor((high - start) / step)) * step, step)


def _rough(data: np.ndarray, low: float, high: float, count: Any) -> float:
    """How wide a bin is to be, about."""
    if isinstance(count, int) and count > 0:
        return (high - low) / count
    ordered = np.sort(data)
    least = (high - low or 1.0) / max(1, len(data) - 1) / 10_000
    gaps = np.diff(ordered)
    gaps = gaps[gaps > least]
    nearest = float(gaps.min()) if len(gaps) else high - low or 1.0
    power = 10.0 ** math.floor(math.log10(nearest))
    smallest: float = power * max([each for each in (0.9, 1.9, 4.9, 9.9) if each <= nearest / power], default=0.9)
    spread: float = 2 * float(data.std()) / len(data) ** 0.4
    return max(smallest, spread)


def _tick(rough: float) -> float:
    if not rough:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return float(power * next((each for each in (2, 5, 10) if each > rough / power), 10))


def _without_noise(number: float, step: float) -> float:
    return round(number, max(0, 9 - math.floor(math.log10(step)))) + 0.0


def _shifted(data: np.ndarray, start: float, step: float, low: float, high: float) -> float:
    """The start, moved so that values do not lie on the edges of the bins."""

    def on_edge(place: Any) -> Any:
        return np.fmod(1 + (place - start) * 100 / step, 100) < 2

    if bool(np.all(np.mod(data, 1) == 0)):
        if step < 1:
            return low - step / 2
        start -= 0.5
        return start + step if start + step < low else start
    edges, middles = int(on_edge(data).sum()), int(on_edge(data + step / 2).sum())
    if middles < len(data) * 0.1 and (edges > len(data) * 0.3 or on_edge(low) or on_edge(high)):
        return start + step / 2 if start + step / 2 < low else start - step / 2
    return start


def binned(number: int, trace: dict[str, Any], axis: Axis, bins: Bins) -> Bars:
    """A histogram: its bars by the middle of their bins, with the lengths that `histfunc` and `histnorm` ask for."""
    flat = lying(trace)
    places = axis.places(values(trace.get("y" if flat else "x")))
    other = values(trace.get("x" if flat else "y"))
    how = str(trace.get("histfunc") or "count") if len(other) else "count"
    count = round((bins.end - bins.start) / bins.size)
    if not 0 <= count <= 100_000:
        raise CannotBeDrawn("that many bins")
    with np.errstate(invalid="ignore"):
        slots = np.floor((places - bins.start) / bins.size + 1e-9)
        inside = np.isfinite(slots) & (slots >= 0) & (slots < count)
    if how == "count":
        lengths = np.bincount(slots[inside].astype(int), minlength=count).astype(float)
    else:
        weights = numbers(other)[: len(slots)]
        inside = inside[: len(weights)] & np.isfinite(weights)
        lengths = _gathered(how, slots[: len(weights)][inside].astype(int), weights[inside], count)
    lengths = _normed(lengths, str(trace.get("histnorm") or ""), bins.size)
    cumulative = part(trace, "cumulative")
    if cumulative.get("enabled"):
        if cumulative.get("currentbin", "include") != "include" or "density" in str(trace.get("histnorm")):
            raise CannotBeDrawn("a histogram that adds up by halves or by density")
        down = cumulative.get("direction") == "decreasing"
        lengths = np.nan_to_num(lengths)
        lengths = np.cumsum(lengths[::-1])[::-1] if down else np.cumsum(lengths)
    middles = bins.start + (np.arange(count) + 0.5) * bins.size
    there = np.flatnonzero(np.nan_to_num(lengths))
    kept = np.arange(there[0], there[-1] + 1) if len(there) else there
    # A bin without any value has no mean; as a share it is zero.
    kept = kept[np.isfinite(lengths[kept])] if not trace.get("histnorm") else kept
    lengths = np.nan_to_num(lengths)
    return Bars(number, middles[kept], lengths[kept], bins.size)


def _gathered(how: str, slots: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    sums = np.bincount(slots, weights, minlength=count)
    if how == "sum":
        return sums
    if how == "avg":
        amounts = np.bincount(slots, minlength=count)
        return np.where(amounts, sums / np.maximum(amounts, 1), math.nan)
    if how not in ("min", "max"):
        raise CannotBeDrawn(f"a histogram by {how[:30]}")
    found = np.full(count, math.nan)
    (np.fmin if how == "min" else np.fmax).at(found, slots, weights)
    return found


def _normed(lengths: np.ndarray, norm: str, size: float) -> np.ndarray:
    total = float(np.nansum(lengths)) or 1.0
    match norm:
        case "":
            return lengths
        case "percent":
            return lengths * 100 / total
        case "probability":
            return lengths / total
        case "density":
            return lengths / size
        case "probability density":
            return lengths / size / total
    raise CannotBeDrawn(f"a histogram by {norm[:30]}")


def box_of(data: np.ndarray, trace: dict[str, Any]) -> dict[str, Any]:
    """A box of numbers as Matplotlib draws it: quartiles, whiskers, outliers."""
    data = np.sort(data[np.isfinite(data)])
    median, method = _at(data, 0.5), trace.get("quartilemethod", "linear")
    low, high = _at(data, 0.25), _at(data, 0.75)
    if method != "linear" and len(data) > 1:
        half, middle = len(data) // 2, len(data) % 2 if method == "inclusive" else 0
        low, high = _at(data[: half + middle], 0.5), _at(data[len(data) - half - middle :], 0.5)
    points = trace.get("boxpoints", "outliers")
    if points not in ("outliers", "suspectedoutliers", "all", False, None):
        raise CannotBeDrawn("these points of a box")
    first, last = float(data[0]), float(data[-1])
    if points:
        reach = 1.5 * (high - low)
        first = min(low, float(data[data >= low - reach][0]))
        last = max(high, float(data[data <= high + reach][-1]))
    shown = data if points == "all" else data[(data < first) | (data > last)]
    notch = 1.57 * (high - low) / math.sqrt(len(data))
    box = {"med": median, "q1": low, "q3": high, "whislo": first, "whishi": last, "fliers": shown}
    box |= {"cilo": median - notch, "cihi": median + notch}
    return box | {"mean": float(data.mean())}


def _at(ordered: np.ndarray, part_below: float) -> float:
    """The value below which this part lies, between neighbours in a line."""
    place = min(max(part_below * len(ordered) - 0.5, 0), len(ordered) - 1)
    below = math.floor(place)
    return float(ordered[below] + (ordered[math.ceil(place)] - ordered[below]) * (place - below))


def stacked(areas: Sequence[tuple[np.ndarray, np.ndarray]], norm: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Areas upon each other: for each its places and its upper edge. A place that one lacks counts as zero there."""
    every = np.unique(np.concatenate([x[np.isfinite(x)] for x, _ in areas]))
    heights = []
    for x, y in areas:
        known = x[np.isfinite(x)]
        if len(np.unique(known)) != len(known):
            raise CannotBeDrawn("an area with two values at a place")
        there = dict(zip(x.tolist(), np.nan_to_num(y).tolist(), strict=True))
        heights.append(np.array([there.get(place, 0.0) for place in every.tolist()]))
    if norm:
        total = np.sum(heights, axis=0)
        heights = [np.divide(h, total, out=np.zeros_like(h), where=total != 0) for h in heights]
        heights = [h * (100 if norm == "percent" else 1) for h in heights]
    return [(every, np.sum(heights[: n + 1], axis=0)) for n in range(len(heights))]


def slices(trace: dict[str, Any]) -> list[tuple[str, float]]:
    """The slices of a pie: values by label, the largest first unless the order is asked for."""
    labels, sizes = values(trace.get("labels")), values(trace.get("values"))
    if not len(labels):
        labels = [str(n) for n in range(len(sizes))]
    amounts = numbers(sizes) if len(sizes) else np.ones(len(labels))
    found: dict[str, float] = {}
    for label, amount in zip(labels, amounts.tolist(), strict=False):
        if not math.isnan(amount) and amount >= 0 and label not in (None, ""):
            found[text_of(label)] = found.get(text_of(label), 0.0) + amount
    pairs = list(found.items())
    return sorted(pairs, key=lambda pair: -pair[1]) if trace.get("sort", True) else pairs
