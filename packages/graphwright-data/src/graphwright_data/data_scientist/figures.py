"""Plotly figures: their descriptions, their HTML pages, and their PNG files if Chrome is installed."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from graphwright.text.sentences import many
from graphwright_confined.formatting import readable_value

PLOTLY = "plotly.min.js"

_MOST_POINTS, _MOST_NUMBERS = 30, 2_000
"""Maximum points of a trace in a description, and maximum values of it against which a text is checked."""

_BOX = ("lowerfence", "q1", "median", "q3", "upperfence")
_SECONDS = 30
_NO_NETWORK = """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:; \
style-src 'unsafe-inline'; script-src file: 'unsafe-inline' 'unsafe-eval'">"""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>html, body, #figure {{ height: 100%; margin: 0 }}</style>
<div id="figure"></div>
<script type="application/json" id="data">{figure}</script>
<script src="../{plotly}"></script>
<script>
const figure = JSON.parse(document.getElementById("data").textContent);
Plotly.newPlot("figure", {{...figure, config: {{responsive: true, displaylogo: false}}}});
</script>
"""


def page(figure: Mapping[str, Any]) -> str:
    """Return a page that shows a figure without network access. Its JSON is in `#data`, escaped."""
    parts = {"data": figure.get("data", []), "layout": figure.get("layout") or {}, "frames": figure.get("frames", [])}
    safe = json.dumps(parts).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return _PAGE.format(title=escape(_title(figure)[:200] or "Figure"), plotly=PLOTLY, figure=safe)


def why_no_png() -> str:
    """Return what is missing to convert a Plotly figure to PNG, or an empty text."""
    if find_spec("kaleido") is None:
        return "kaleido is not installed (pip install 'graphwright[png]')"
    from choreographer.browsers.chromium import Chromium

    there = Chromium.find_browser(skip_local=False)
    return "" if there else "there is no Chrome or Chromium (install one, or run: kaleido_get_chrome)"


async def png(figure: Mapping[str, Any]) -> tuple[bytes | None, str]:
    """Return a Plotly figure as PNG, or None; and the error if drawing failed."""
    if await asyncio.to_thread(why_no_png):
        return None, ""
    import kaleido

    sheet = kaleido.PageGenerator(mathjax=False)
    # A figure may contain addresses; it must not send data to them.
    sheet.header += _NO_NETWORK
    options = {"page_generator": sheet, "timeout": _SECONDS}
    try:
        async with asyncio.timeout(2 * _SECONDS):
            drawn = await kaleido.calc_fig(dict(figure), {"format": "png", "scale": 2}, kopts=options)
    # Errors of the browser do not matter, since the page shows the figure.
    except Exception as error:
        return None, f"the browser did not draw it ({type(error).__name__})"
    return bytes(drawn), ""


def _title(part: Any) -> str:
    """Return the title of a figure, its layout or an axis."""
    layout = part.get("layout", part) if isinstance(part, Mapping) else {}
    title = layout.get("title") if isinstance(layout, Mapping) else None
    text = title.get("text") if isinstance(title, Mapping) else title
    return text if isinstance(text, str) else ""


def values(given: Any) -> list[Any]:
    """Return the values of a trace: a list, or numbers packed as `{dtype, bdata, shape}`, two-dimensional as rows."""
    if isinstance(given, list):
        return given
    if not isinstance(given, Mapping) or "bdata" not in given:
        return []
    import numpy

    try:
        array = numpy.frombuffer(base64.b64decode(given["bdata"]), dtype=numpy.dtype(f"<{given['dtype']}"))
        shape = [int(each) for each in str(given.get("shape") or array.size).split(",")]
        cells = array.astype(object)
        cells[~numpy.isfinite(array)] = None
        found: list[Any] = cells.reshape(shape).tolist()
    # A program in the sandbox can pack anything.
    except (ValueError, TypeError, KeyError):
        return []
    return found


def points(trace: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the categories and values of a trace: (x, y), for horizontal bars (y, x), for a pie (labels, values)."""
    if trace.get("type") == "pie":
        return values(trace.get("labels")), values(trace.get("values"))
    x, y = values(trace.get("x")), values(trace.get("y"))
    return (y, x) if trace.get("orientation") == "h" else (x, y)


def description(figure: Mapping[str, Any]) -> str:
    """Return a description of a figure: a line for its titles and one for each trace, with at most 30 points."""
    traces = figure.get("data", [])
    more = [f"and {len(traces) - _MOST_POINTS} more traces"] if len(traces) > _MOST_POINTS else []
    return "\n".join([titles(figure), *map(_trace_text, traces[:_MOST_POINTS]), *more])


def titles(figure: Mapping[str, Any]) -> str:
    """Return the titles of a figure and its axes, on one line."""
    layout = figure.get("layout") or {}
    found = [_title(figure), *(_title(layout.get(axis)) for axis in ("xaxis", "yaxis"))]
    return " / ".join(filter(None, found)) or "a figure without title"


def _trace_text(trace: Mapping[str, Any]) -> str:
    kind = f"{trace.get('type', 'scatter')} {trace.get('mode') or ''}".strip()
    name = f" {trace['name']!r}" if trace.get("name") else ""
    x, y = (part[: _MOST_POINTS + 1] for part in points(trace))
    shown = [f"{_short(a)}: {_short(b)}" for a, b in zip(x, y, strict=False)] or [_short(each) for each in x or y]
    shown[_MOST_POINTS:] = ["..."] if len(shown) > _MOST_POINTS else []
    box = [f"{part} {', '.join(map(_short, each[:_MOST_POINTS]))}" for part, each in _box(trace).items()]
    return "; ".join([f"{kind}{name}, {many(max(map(len, points(trace))), 'point')}: {', '.join(shown)}", *box])


def _box(trace: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the parts of box plots that a program computed itself."""
    found = {part: values(trace.get(part)) for part in _BOX} if trace.get("type") == "box" else {}
    return {part: each for part, each in found.items() if each}


def _short(value: Any) -> str:
    return readable_value(value) if isinstance(value, float) else str(value)[:40]


def findings(figure: Mapping[str, Any], rows: Sequence[int]) -> Iterator[str]:
    """Yield suspicious properties of a figure: it is empty, draws single rows as bars, lines or points, or is constant.

    `rows` are the sizes of the data sets that the program reads.
    """
    traces = [each for each in figure.get("data", []) if isinstance(each, dict)]
    drawn = [(each, *points(each)) for each in traces]
    if not traces or (all("x" in t or "y" in t for t in traces) and not any(x or y for _, x, y in drawn)):
        yield "The figure is empty: it has no points."
    dots = 0
    for trace, x, y in drawn:
        kind, name = trace.get("type", "scatter"), repr(trace.get("name") or trace.get("type", "scatter"))
        scatter = kind in ("scatter", "scattergl")
        dots += len(y) if scatter and trace.get("mode") == "markers" else 0
        places, different = len(set(map(str, x))), len({str(each) for each in zip(x, y, strict=False)})
        # A trend line may have several points at one place, but with the same value.
        rows_as_bars = kind == "bar" and places < len(x)
        if rows_as_bars or (scatter and trace.get("mode") != "markers" and places < different):
            yield f"The trace {name} draws {len(x):,} values at {places:,} places: single rows, not totals or averages."
        if (kind == "bar" or scatter) and len(y) > 2 and len(set(map(str, y))) == 1:
            yield f"All {len(y):,} values of the trace {name} are the same."
    if dots > 2 and dots in rows:
        yield f"The figure draws each of the {dots:,} rows as a point: nothing is averaged, added up or counted."


def numbers(figure: Mapping[str, Any]) -> list[Any]:
    """Return the values that a figure draws, at most 2,000 per list of a trace."""
    traces = figure.get("data", [])
    return [part[:_MOST_NUMBERS] for trace in traces for part in _drawn(trace)]


def _drawn(trace: Mapping[str, Any]) -> list[list[Any]]:
    return [*points(trace), values(trace.get("z")), *_box(trace).values()]
