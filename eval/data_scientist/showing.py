"""Does a picture show what it must? Its data is compared, not its looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from eval.data_scientist.cases import Plot
from eval.data_scientist.pictures import Trace

_NEAR = 0.005
"""Relative. Code may round what it draws."""


def shows(plot: Plot, wanted: Any, traces: Sequence[Trace]) -> bool:
    """Whether the traces hold the data that is wanted: for `histogram` and `line` its values, for `bars` and `boxes` a
    height or values for each name, for `points` two columns, for `cells` a matrix."""
    return _WAYS[plot](wanted, traces)


def _histogram(wanted: Any, traces: Sequence[Trace]) -> bool:
    values = _numbers(wanted)
    shown = [value for each in _of(traces, "histogram") for value in each["y"]]
    if shown:
        return _same(values, _numbers(shown))
    return any(_binned(values, each) for each in _of(traces, "bars"))


def _binned(values: Sequence[float], bars: Trace) -> bool:
    """Whether bars are the counts of the values in bins of equal width."""
    import numpy as np

    heights = [height for _, height in sorted(zip(_numbers(bars["x"]), _numbers(bars["y"]), strict=False))]
    if len(heights) < 3 or len(heights) != len(bars["y"]):
        return False
    return bool(np.array_equal(np.histogram(values, bins=len(heights))[0], heights))


def _bars(wanted: Any, traces: Sequence[Trace]) -> bool:
    heights = {_label(name): float(height) for name, height in dict(wanted).items()}
    shown: dict[str, float] = {}
    for each in traces:
        if each["kind"] == "bars":
            shown |= {_label(name): height for name, height in zip(each["x"], each["y"], strict=False) if height}
        elif each["kind"] == "histogram":
            for value in each["y"]:
                shown[_label(value)] = shown.get(_label(value), 0) + 1
    return shown.keys() == heights.keys() and all(_near(heights[name], shown[name]) for name in heights)


def _points(wanted: Any, traces: Sequence[Trace]) -> bool:
    one, other = (list(map(float, wanted[column])) for column in wanted.columns)
    drawn = _of(traces, "points")
    x = [value for each in drawn for value in each["x"]]
    y = [value for each in drawn for value in each["y"]]
    shown = _pairs(x, y)
    return any(
        len(shown) == len(pairs)
        and all(_near(a[0], b[0]) and _near(a[1], b[1]) for a, b in zip(pairs, shown, strict=True))
        for pairs in (_pairs(one, other), _pairs(other, one))
    )


def _pairs(x: Sequence[Any], y: Sequence[Any]) -> list[tuple[float, float]]:
    pairs = [(_number(a), _number(b)) for a, b in zip(x, y, strict=False)]
    return sorted((a, b) for a, b in pairs if a is not None and b is not None)


def _line(wanted: Any, traces: Sequence[Trace]) -> bool:
    values = _numbers(wanted)
    drawn = [*_of(traces, "line"), *_of(traces, "points")]
    return any(len(values) == len(shown := _numbers(each["y"])) and all(map(_near, values, shown)) for each in drawn)


def _boxes(wanted: Any, traces: Sequence[Trace]) -> bool:
    groups = {_label(name): _numbers(values) for name, values in dict(wanted).items()}
    shown: dict[str, list[float]] = {}
    for each in _of(traces, "boxes"):
        for name, value in zip(each["x"], each["y"], strict=False):
            if (number := _number(value)) is not None:
                shown.setdefault(_label(name), []).append(number)
    if shown:
        return shown.keys() == groups.keys() and all(_same(groups[name], shown[name]) for name in groups)
    return bool(groups) and all(_has_median(values, traces) for values in groups.values())


def _has_median(values: Sequence[float], traces: Sequence[Trace]) -> bool:
    """Whether a box that was drawn by lines has the line in its middle where the median of the values is."""
    middle = median(values)
    return any(
        len(each["y"]) == 2 and all(_near(middle, end) for end in ends)
        for each in _of(traces, "line")
        for ends in (_numbers(each["y"]), _numbers(each["x"]))
        if len(ends) == 2
    )


def _cells(wanted: Any, traces: Sequence[Trace]) -> bool:
    values = _numbers(wanted.to_numpy().ravel())
    rounded = [[round(value, decimals) for value in values] for decimals in (2, 3)]
    return any(_same(some, _numbers(each["y"])) for each in _of(traces, "cells") for some in (values, *rounded))


_WAYS: Mapping[Plot, Callable[[Any, Sequence[Trace]], bool]] = {
    "histogram": _histogram,
    "bars": _bars,
    "points": _points,
    "line": _line,
    "boxes": _boxes,
    "cells": _cells,
}


def _of(traces: Sequence[Trace], kind: str) -> list[Trace]:
    return [each for each in traces if each["kind"] == kind]


def _label(name: Any) -> str:
    number = _number(name)
    return " ".join(str(name).casefold().split()) if number is None else f"{number:g}"


def _number(value: Any) -> float | None:
    """The value as a number; None where it is none, or missing."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _numbers(values: Any) -> list[float]:
    return [number for value in values if (number := _number(value)) is not None]


def _same(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether these are the same numbers, in any order."""
    return len(some) == len(others) > 0 and all(map(_near, sorted(some), sorted(others)))


def _near(wanted: float, got: float) -> bool:
    return math.isclose(wanted, got, rel_tol=_NEAR, abs_tol=1e-9)
