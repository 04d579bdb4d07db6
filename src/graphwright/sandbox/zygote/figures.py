"""Figures: what the code drew, found in its names and libraries, as JSON or as PNG."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Iterator
from typing import Any

_MOST = 20
_DOTS_AN_INCH, _MOST_DOTS = 110, 6_000

shown: list[Any] = []
"""Plotly figures whose `show()` was called: there is nobody to show them to."""


def catch_shown() -> None:
    """From now on, `fig.show()` of Plotly puts the figure aside instead of opening a browser."""
    from plotly.basedatatypes import BaseFigure

    BaseFigure.show = lambda self, *_, **__: shown.append(self)


def is_figure(value: Any) -> bool:
    """Whether this is something drawn: a figure, axes, a grid of seaborn."""
    return next(_figures(value), None) is not None


def drawn(named: Any, result: Any) -> list[str]:
    """The figures as JSON texts: the named ones, else those that were shown, stand open, or are the result."""
    found = list(_figures(named))
    if not found:
        found += shown
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None:
            found += [figure for figure in map(pyplot.figure, pyplot.get_fignums()) if figure.get_axes()]
        found += _figures(result)
    distinct = list({id(figure): figure for figure in found}.values())
    return [_plotly(figure) if hasattr(figure, "to_plotly_json") else _png(figure) for figure in distinct[:_MOST]]


def _figures(value: Any) -> Iterator[Any]:
    kind = type(value)
    if any(base.__module__ == "plotly.basedatatypes" and base.__name__ == "BaseFigure" for base in kind.__mro__):
        yield value
        return
    module = sys.modules.get("matplotlib.figure")
    if module is not None:
        if isinstance(value, module.FigureBase):
            yield value.get_figure(root=True)
            return
        # Axes know their figure, and so do the grids of seaborn.
        figure = getattr(value, "figure", None)
        if isinstance(figure, module.FigureBase):
            yield figure.get_figure(root=True)
            return
    if isinstance(value, dict) and "data" in value and "layout" in value:
        from plotly import graph_objects

        try:
            yield graph_objects.Figure(value)
        except ValueError:
            return
    elif isinstance(value, (list, tuple)):
        for each in value[: 2 * _MOST]:
            yield from _figures(each)
    elif kind.__module__ == "numpy" and value.dtype == object:
        for each in value.flat:
            yield from _figures(each)


def _plotly(figure: Any) -> str:
    text = figure.to_json()
    parts = {"data", "layout", "frames"}
    known = json.loads(text)
    if not known.keys() <= parts:
        text = json.dumps({name: known[name] for name in parts & known.keys()})
    return f'{{"type": "plotly", "figure": {text}}}'


def _png(figure: Any) -> str:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    # A picture of any size would be a way to fill the memory of whoever looks at it.
    scale = min(1.0, _MOST_DOTS / (max(figure.get_size_inches()) * _DOTS_AN_INCH))
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DOTS_AN_INCH * scale, bbox_inches="tight")
    png = out.getvalue()
    width, height = (int.from_bytes(png[place : place + 4], "big") for place in (16, 20))
    return json.dumps({"type": "png", "png": base64.b64encode(png).decode(), "width": width, "height": height})
