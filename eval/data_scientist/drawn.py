"""The content of a Plotly figure: its series by name, each value by its label; and comparison with expected ones."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eval.wording import folded

Label = str
Values = Mapping[Label, Any]

_FIGURE = re.compile(r"^const figure = (\{.*\});$", re.MULTILINE)
_KINDS = {"scatter": "line", "scattergl": "line", "violin": "box", "histogram": "bar", "funnel": "bar"}
_NEAR = 0.005
_UNITS = (1.0, 1e3, 1e6, 1e9)


class Picture(BaseModel):
    """The expected figure: one of the kinds, a value for each label, or for each label of each series."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: tuple[str, ...]
    values: Values
    series: tuple[str, ...] = ()
    legend: bool = False
    x_ok: Mapping[Label, tuple[str, ...]] = Field(default_factory=dict)
    in_order: bool = False

    def missed(self, figures: Sequence[Mapping[str, Any]]) -> str:
        """Why none of the figures matches; empty if one does."""
        found = [self._missed(figure) for figure in figures]
        return min(found, key=len, default="there is no figure whose data can be read")

    def _missed(self, figure: Mapping[str, Any]) -> str:
        shown = [each for each in figure["series"] if each["kind"] in self.kinds]
        if not shown:
            return "the figure is of another kind"
        if self.legend and sum(bool(each["name"]) for each in shown) < len(self.series):
            return "the figure does not name its series"
        if all(isinstance(each, Mapping) for each in self.values.values()):
            wanted = [(str(name), values) for name, values in self.values.items()]
            if len(shown) != len(wanted):
                return "the figure has other series"
            pairs = [(values, [e for e in shown if folded(name)[0] in folded(e["name"])[0]]) for name, values in wanted]
            return next((why for values, found in pairs if (why := self._one(values, found[:1]))), "")
        return self._one(self.values, shown)

    def _one(self, wanted: Values, shown: Sequence[Mapping[str, Any]]) -> str:
        labels = [label for each in shown for label in each["x"]]
        heights = [height for each in shown for height in each["y"]]
        places = [next((n for n, label in enumerate(labels) if self._is(name, label)), -1) for name in wanted]
        if -1 in places or len(labels) != len(wanted):
            return "the figure shows other labels"
        if self.in_order and places != sorted(places):
            return "the figure is not in the order of time"
        values, got = list(map(float, wanted.values())), [float(heights[place]) for place in places]
        whole, of = sum(values), sum(got)
        fits = [[value / unit for value in values] for unit in _UNITS]
        if shown[0]["kind"] == "pie" and whole and of:
            fits, got = [[value / whole for value in values]], [value / of for value in got]
        right = any(all(abs(a - b) <= _NEAR * abs(a) for a, b in zip(fit, got, strict=True)) for fit in fits)
        return "" if right else "the figure shows other values"

    def _is(self, name: Label, label: Any) -> bool:
        shown = folded(str(label))[0]
        for spelling in (str(name), *self.x_ok.get(name, ())):
            wanted = folded(spelling)[0]
            # A year, or a month of one, is also the beginning of a date.
            if shown in (wanted, f"{wanted}.0") or (len(wanted) > 2 and re.match(rf"{re.escape(wanted)}(?!\w)", shown)):
                return True
        return False


def of_page(page: Path) -> list[dict[str, Any]]:
    """The figure of a saved page, in the form of `of_plotly`; empty if the page has none."""
    found = _FIGURE.search(page.read_text("utf-8"))
    return [of_plotly(json.loads(found[1]))] if found else []


def of_plotly(figure: Mapping[str, Any]) -> dict[str, Any]:
    """A Plotly figure (`{data, layout}`) as `{series: [{kind, name, x, y}]}`, JSON; for a box y is its median."""
    return {"series": [each for trace in figure.get("data", ()) for each in _of_trace(trace)]}


def _of_trace(trace: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    given = str(trace.get("type", "scatter"))
    kind, name = _KINDS.get(given, given), str(trace.get("name") or "")
    if given == "pie":
        labels, values = _list(trace.get("labels")), _list(trace.get("values"))
        yield _series("pie", name, labels, values or [1] * len(labels), sum)
        return
    x, y = _list(trace.get("x")), _list(trace.get("y"))
    if trace.get("orientation") == "h":
        x, y = y, x
    match kind:
        case "box":
            values = _list(trace.get("median")) or y
            yield _series("box", name, x if len(x) == len(values) else [name] * len(values), values, median)
        case "bar" if given == "histogram":
            ways = {"avg": fmean, "count": len, "min": min, "max": max}
            way = ways.get(str(trace.get("histfunc", "sum" if y else "count")), sum)
            yield _series("bar", name, x or y, y if x and y else [1] * len(x or y), way)
        case "bar":
            yield _series("bar", name, x or list(range(len(y))), y, sum)
        case "line":
            mode = str(trace.get("mode") or "lines")
            area = trace.get("fill") or trace.get("stackgroup")
            kind = "area" if area else "line" if "lines" in mode else "scatter"
            yield {"kind": kind, "name": name, "x": x or list(range(len(y))), "y": y}


def _series(kind: str, name: str, x: Sequence[Any], y: Sequence[Any], way: Any) -> dict[str, Any]:
    """Values with the same label are one bar, box or slice."""
    found: dict[Any, list[float]] = {}
    for label, value in zip(x, y, strict=False):
        if isinstance(value, int | float) and value == value:
            found.setdefault(label, []).append(float(value))
    return {"kind": kind, "name": name, "x": list(found), "y": [float(way(each)) for each in found.values()]}


def _list(given: Any) -> list[Any]:
    """The values of a trace: a list, or an array packed as `{dtype, bdata}`; texts and numbers."""
    if isinstance(given, Mapping) and "bdata" in given:
        import numpy as np

        given = np.frombuffer(base64.b64decode(given["bdata"]), dtype=f"<{given['dtype']}").tolist()
    plain = given if isinstance(given, list) else []
    return [each if isinstance(each, str | int | float | None) else str(each) for each in plain]
