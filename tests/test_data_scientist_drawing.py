"""Pictures of Plotly figures: what is drawn is what Plotly.js shows, by the data; what cannot be drawn so is not drawn.

The expected numbers are those that Plotly.js 4.1 reckons (`calcdata`), rounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
import pytest
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from plotly.subplots import make_subplots
from sandbox_support import needs_sandbox

from graphwright.agents.data_scientist import running
from graphwright.agents.data_scientist.drawing import drawn
from graphwright.agents.data_scientist.plotted import CannotBeDrawn, box_of, slices
from graphwright.agents.data_scientist.shown import facts
from graphwright.sandbox import ExecutionLimits


@pytest.fixture(autouse=True)
def _no_windows() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


def told(figure: Any) -> dict[str, Any]:
    """A figure as it leaves the sandbox."""
    made: dict[str, Any] = json.loads(figure.to_json())
    return made


def picture_of(figure: Any) -> Any:
    return drawn(told(figure))


def bars_of(figure: Any) -> list[list[tuple[float, ...]]]:
    """The bars of each trace: from where to where, from which length to which."""
    found = []
    for axes in picture_of(figure).axes:
        for bars in axes.containers:
            sides = []
            for bar in getattr(bars, "patches", ()):
                left, low = bar.get_xy()
                across, up = sorted((left, left + bar.get_width())), sorted((low, low + bar.get_height()))
                sides.append(tuple(round(float(each), 4) + 0.0 for each in (*across, *up)))
            if sides:
                found.append(sides)
    return found


def heights(figure: Any) -> list[list[float]]:
    return [[high if high > 0 else low for _, _, low, high in trace] for trace in bars_of(figure)]


ROWS = pd.DataFrame(
    {
        "shop": ["a", "a", "b", "b", "a", "c"],
        "kind": ["u", "v", "u", "v", "u", "v"],
        "sold": [10, 12.5, 20.0, -3.75, 4, 7],
        "year": [2001, 2001, 2002, 2002, 2001, 2004],
    }
)
PLAIN = ROWS.assign(sold=ROWS["sold"].abs())

STACKED = [
    [(-0.4, 0.4, 0, 10), (0.6, 1.4, 0, 20), (-0.4, 0.4, 10, 14)],
    [(-0.4, 0.4, 14, 26.5), (0.6, 1.4, -3.75, 0), (1.6, 2.4, 0, 7)],
]
GROUPED = [
    [(-0.4, 0, 0, 10), (0.6, 1, 0, 20), (-0.4, 0, 10, 14)],
    [(0, 0.4, 0, 12.5), (1, 1.4, -3.75, 0), (2, 2.4, 0, 7)],
]

BARS: dict[str, tuple[Any, list[list[tuple[float, ...]]]]] = {
    "rows of one trace are stacked": (
        lambda: px.bar(ROWS[:4], x="shop", y="sold"),
        [[(-0.4, 0.4, 0, 10), (-0.4, 0.4, 10, 22.5), (0.6, 1.4, 0, 20), (0.6, 1.4, -3.75, 0)]],
    ),
    "rows of several traces are stacked": (lambda: px.bar(ROWS, x="shop", y="sold", color="kind"), STACKED),
    "a mere stack takes away what is negative": (
        lambda: px.bar(ROWS, x="shop", y="sold", color="kind", barmode="stack"),
        [STACKED[0], [STACKED[1][0], (0.6, 1.4, 16.25, 20), STACKED[1][2]]],
    ),
    "beside each other, stacked within": (
        lambda: px.bar(ROWS, x="shop", y="sold", color="kind", barmode="group"),
        GROUPED,
    ),
    "before each other": (
        lambda: px.bar(ROWS, x="shop", y="sold", color="kind", barmode="overlay"),
        [
            [(-0.4, 0.4, 0, 10), (0.6, 1.4, 0, 20), (-0.4, 0.4, 0, 4)],
            [(-0.4, 0.4, 0, 12.5), (0.6, 1.4, -3.75, 0), (1.6, 2.4, 0, 7)],
        ],
    ),
    "beside each other unless said otherwise": (
        lambda: go.Figure([go.Bar(x=["a", "b"], y=[1, 2]), go.Bar(x=["a", "b"], y=[3, 4])]),
        [[(-0.4, 0, 0, 1), (0.6, 1, 0, 2)], [(0, 0.4, 0, 3), (1, 1.4, 0, 4)]],
    ),
    "beside each other only where they meet": (
        lambda: go.Figure([go.Bar(x=["a", "b"], y=[1, 2]), go.Bar(x=["c"], y=[3])]),
        [[(-0.4, 0.4, 0, 1), (0.6, 1.4, 0, 2)], [(1.6, 2.4, 0, 3)]],
    ),
    "at numbers": (
        lambda: px.bar(ROWS, x="year", y="sold", color="kind", barmode="group"),
        [
            [(2000.6, 2001, 0, 10), (2001.6, 2002, 0, 20), (2000.6, 2001, 10, 14)],
            [(2001, 2001.4, 0, 12.5), (2002, 2002.4, -3.75, 0), (2004, 2004.4, 0, 7)],
        ],
    ),
    "lying": (
        lambda: px.bar(ROWS[:3], y="shop", x="sold", orientation="h"),
        [[(0, 10, -0.4, 0.4), (10, 22.5, -0.4, 0.4), (0, 20, 0.6, 1.4)]],
    ),
    "numbers written as texts are names": (
        lambda: px.bar(x=["2001", "2002", "2001"], y=[1, 2, 4]),
        [[(-0.4, 0.4, 0, 1), (0.6, 1.4, 0, 2), (-0.4, 0.4, 1, 5)]],
    ),
    "what is missing has no bar": (
        lambda: px.bar(x=["a", None, "b", "c"], y=[1, 2, None, 3]),
        [[(-0.4, 0.4, 0, 1), (1.6, 2.4, 0, 3)]],
    ),
    "in the order of their totals": (
        lambda: px.bar(ROWS, x="shop", y="sold").update_xaxes(categoryorder="total ascending"),
        [
            [
                *[(1.6, 2.4, 0, 10), (1.6, 2.4, 10, 22.5), (0.6, 1.4, 0, 20), (0.6, 1.4, -3.75, 0)],
                *[(1.6, 2.4, 22.5, 26.5), (-0.4, 0.4, 0, 7)],
            ]
        ],
    ),
    "shares": (
        lambda: px.histogram(PLAIN, x="shop", y="sold", color="kind", barnorm="percent"),
        [
            [(-0.4, 0.4, 0, 52.8302), (0.6, 1.4, 0, 84.2105)],
            [(-0.4, 0.4, 52.8302, 100), (0.6, 1.4, 84.2105, 100), (1.6, 2.4, 0, 100)],
        ],
    ),
    "gaps that are asked for": (
        lambda: px.bar(ROWS[:2], x="shop", y="sold", color="kind", barmode="group").update_layout(
            bargap=0.1, bargroupgap=0.2
        ),
        [[(-0.405, -0.045, 0, 10)], [(0.045, 0.405, 0, 12.5)]],
    ),
    "bins of whole numbers": (
        lambda: px.histogram(x=[1, 2, 2, 3, 10]),
        [[(-0.5, 4.5, 0, 4), (4.5, 9.5, 0, 0), (9.5, 14.5, 0, 1)]],
    ),
    "one value": (lambda: px.histogram(x=[5, 5, 5]), [[(4.5, 5.5, 0, 3)]]),
}


@pytest.mark.parametrize("what", BARS)
def test_bars_stand_where_the_page_has_them(what: str) -> None:
    figure, expected = BARS[what]
    assert bars_of(figure()) == expected


BIG = pd.DataFrame({"v": np.round(50 + 12 * np.sin(np.arange(200) * 1.7) + np.arange(200) / 20, 2)})
BIG["w"], BIG["g"] = np.arange(200) % 7 * 1.5, np.array(list("uvwu"))[np.arange(200) % 4]

HEIGHTS: dict[str, tuple[Any, list[list[float]]]] = {
    "sums": (lambda: px.histogram(ROWS, x="shop", y="sold"), [[26.5, 16.25, 7]]),
    "means": (lambda: px.histogram(ROWS, x="shop", y="sold", histfunc="avg"), [[8.8333, 8.125, 7]]),
    "the largest": (lambda: px.histogram(ROWS, x="shop", y="sold", histfunc="max"), [[12.5, 20, 7]]),
    "the smallest": (lambda: px.histogram(ROWS, x="shop", y="sold", histfunc="min"), [[4, -3.75, 7]]),
    "counts": (lambda: px.histogram(ROWS, x="shop"), [[3, 2, 1]]),
    "counts of yes and no": (lambda: px.histogram(x=[True, False, True]), [[2, 1]]),
    "per cent": (lambda: px.histogram(ROWS, x="shop", histnorm="percent"), [[50, 33.3333, 16.6667]]),
    "probability": (lambda: px.histogram(ROWS, x="shop", histnorm="probability"), [[0.5, 0.3333, 0.1667]]),
    "density": (
        lambda: px.histogram(x=[1, 2, 2, 3, 10], histnorm="probability density"),
        [[0.16, 0, 0.04]],
    ),
    "added up": (lambda: px.histogram(x=[1, 2, 2, 3, 10], cumulative=True), [[4, 4, 5]]),
}


@pytest.mark.parametrize("what", HEIGHTS)
def test_histograms_are_as_high_as_on_the_page(what: str) -> None:
    figure, expected = HEIGHTS[what]
    assert heights(figure()) == expected


BINS: dict[str, tuple[Any, float, float, list[float]]] = {
    "as many as it likes": (lambda: px.histogram(BIG, x="v"), 35, 75, [5, 27, 39, 28, 30, 39, 27, 5]),
    "twenty at most": (
        lambda: px.histogram(BIG, x="v", nbins=20),
        *(38, 72),
        [5, 10, 12, 15, 16, 13, 13, 10, 12, 11, 12, 15, 15, 15, 12, 9, 5],
    ),
    "of halves": (lambda: px.histogram(BIG, x="w"), 0, 10, [29, 29, 0, 29, 29, 0, 28, 28, 0, 28]),
    "of large numbers": (lambda: px.histogram(x=BIG["v"] * 1e6), 35e6, 75e6, [5, 27, 39, 28, 30, 39, 27, 5]),
    "below zero": (lambda: px.histogram(x=BIG["v"] - 50, nbins=7), -15, 25, [5, 27, 39, 28, 30, 39, 27, 5]),
    "of a given size": (
        lambda: go.Figure(go.Histogram(x=BIG["v"], xbins={"size": 6})),
        *(36, 72),
        [15, 43, 36, 35, 45, 26],
    ),
    "as given": (
        lambda: go.Figure(go.Histogram(x=BIG["v"], xbins={"start": 0, "end": 100, "size": 7})),
        *(35, 77),
        [15, 50, 41, 48, 41, 5],
    ),
}


@pytest.mark.parametrize("what", BINS)
def test_bins_are_those_of_the_page(what: str) -> None:
    figure, start, end, expected = BINS[what]
    (bars,) = bars_of(figure())
    assert [high for _, _, _, high in bars] == expected
    assert (bars[0][0], bars[-1][1]) == (start, end)


def test_histograms_in_one_panel_share_their_bins() -> None:
    bars = bars_of(px.histogram(BIG, x="v", color="g"))
    tops: dict[tuple[float, float], float] = {}
    for left, right, _, high in [bar for trace in bars for bar in trace]:
        tops[left, right] = max(high, tops.get((left, right), 0))
    assert [tops[each] for each in sorted(tops)] == [5, 27, 39, 28, 30, 39, 27, 5]


def lines_of(figure: Any) -> list[list[tuple[float, ...]]]:
    lines = [line for axes in picture_of(figure).axes for line in axes.lines]
    return [[tuple(map(float, point)) for point in line.get_xydata()] for line in lines]


AREAS = pd.DataFrame({"x": [1, 2, 3] * 2, "y": [1, 2, 3, 4, 5, 6], "g": list("aaabbb")})


def test_areas_are_filled_and_upon_each_other() -> None:
    figure = px.area(AREAS, x="x", y="y", color="g")
    assert lines_of(figure) == [[(1, 1), (2, 2), (3, 3)], [(1, 5), (2, 7), (3, 9)]]
    upper = picture_of(figure).axes[0].patches[1].get_xy()
    assert {tuple(map(float, corner)) for corner in upper} == {(1, 5), (2, 7), (3, 9), (3, 3), (2, 2), (1, 1)}


def test_a_place_that_an_area_lacks_counts_as_zero() -> None:
    sold = ROWS.groupby(["year", "kind"], as_index=False)["sold"].sum()
    figure = px.area(sold, x="year", y="sold", color="kind")
    assert lines_of(figure) == [[(2001, 14), (2002, 20), (2004, 0)], [(2001, 26.5), (2002, 16.25), (2004, 7)]]


def test_areas_as_shares() -> None:
    figure = px.area(AREAS, x="x", y="y", color="g", groupnorm="percent")
    assert [[round(y, 4) for _, y in line] for line in lines_of(figure)] == [[20, 28.5714, 33.3333], [100, 100, 100]]


def test_slices_with_the_same_name_are_one() -> None:
    figure = px.pie(ROWS, names="shop", values="year")
    assert slices(told(figure)["data"][0]) == [("a", 6003), ("b", 4004), ("c", 2004)]
    texts = [text.get_text() for text in picture_of(figure).axes[0].texts]
    assert texts == ["a", "b", "c", "50%", "33.3%", "16.7%"]
    assert slices(told(px.pie(ROWS, names="shop"))["data"][0]) == [("a", 3), ("b", 2), ("c", 1)]
    kept = go.Pie(labels=list("abca"), values=[3, 1, 2, 5], sort=False)
    assert slices(told(go.Figure(kept))["data"][0]) == [("a", 8), ("b", 1), ("c", 2)]
    assert slices({"labels": ["a", "b"], "values": [3, -1]}) == [("a", 3)]


@pytest.mark.parametrize(
    ("method", "quartiles"), [("linear", (1.25, 4.75)), ("exclusive", (1, 5)), ("inclusive", (1.5, 4.5))]
)
def test_quartiles_are_those_of_the_page(method: str, quartiles: tuple[float, float]) -> None:
    box = box_of(np.array([1.0, 1, 2, 3, 4, 5, 6]), {"quartilemethod": method})
    assert (box["med"], box["q1"], box["q3"]) == (3, *quartiles)


def test_whiskers_end_at_the_last_value_within_reach() -> None:
    box = box_of(np.array([1.0, 2, 4, 50]), {})
    assert (box["q1"], box["q3"], box["whislo"], box["whishi"], list(box["fliers"])) == (1.5, 27, 1, 50, [])
    box = box_of(np.array([1.0, 2, 3, 4, 5, 99]), {})
    assert (box["whishi"], list(box["fliers"])) == (5, [99])
    assert box_of(np.array([1.0, 2, 3, 4, 5, 99]), {"boxpoints": False})["whishi"] == 99


def test_the_first_row_of_cells_is_below_unless_the_axis_is_turned() -> None:
    cells = go.Heatmap(z=[[1, 2], [3, 4]], x=["a", "b"], y=["p", "q"])
    panel = picture_of(go.Figure(cells)).axes[0]
    assert panel.collections[0].get_array().tolist() == [[1, 2], [3, 4]]
    low, high = panel.get_ylim()
    assert low < high
    turned = picture_of(px.imshow([[1, 2], [3, 4]])).axes[0].get_ylim()
    assert turned[0] > turned[1]


def test_error_bars_are_drawn() -> None:
    figure = px.bar(pd.DataFrame({"x": ["a", "b"], "y": [1, 2], "e": [0.25, 0.5]}), x="x", y="y", error_y="e")
    (bars,) = picture_of(figure).axes[0].collections
    assert [segment.tolist() for segment in bars.get_segments()] == [[[0, 0.75], [0, 1.25]], [[1, 1.5], [1, 2.5]]]


def test_panels_of_one_figure_share_their_scale() -> None:
    figure = px.scatter(x=[1, 2, 30], y=[1, 2, 3], facet_col=["a", "b", "b"])
    panels = picture_of(figure).axes
    assert len({panel.get_xlim() for panel in panels}) == len({panel.get_ylim() for panel in panels}) == 1
    assert [text.get_text() for text in panels[0].figure.texts] == ["facet_col=a", "facet_col=b"]


def test_a_second_scale_is_drawn_at_the_right() -> None:
    figure = make_subplots(specs=[[{"secondary_y": True}]])
    figure.add_bar(x=["a", "b"], y=[1, 2])
    figure.add_scatter(x=["a", "b"], y=[100, 50], secondary_y=True, mode="lines")
    bars, line = picture_of(figure).axes
    assert bars.get_ylim()[1] < 3
    assert line.lines[0].get_ydata().tolist() == [100, 50]


def test_a_range_and_a_line_over_the_panel_are_kept() -> None:
    figure = px.line(x=[1, 2, 3], y=[5, 6, 7]).update_yaxes(range=[0, 10])
    figure.add_hline(y=5)
    made = picture_of(figure)
    assert made.axes[0].get_ylim() == (0, 10)
    (line,) = [each for each in made.get_children() if isinstance(each, Line2D)]
    across = made.axes[0].transData.inverted().transform(made.transFigure.transform(line.get_xydata()))
    assert across[:, 1].round(6).tolist() == [5, 5]


REFUSED: dict[str, tuple[Any, str]] = {
    "map": (lambda: px.choropleth(locations=["FRA"], color=[1]), "choropleth"),
    "space": (lambda: px.scatter_3d(x=[1], y=[2], z=[3]), "scatter3d"),
    "rings": (lambda: px.sunburst(names=["a", "b"], parents=["", "a"], values=[2, 1]), "sunburst"),
    "violin": (lambda: px.violin(y=[1, 2, 3]), "violin"),
    "bins of dates": (lambda: px.histogram(x=pd.date_range("2024-01-01", periods=9)), "date"),
    "bars that start somewhere": (lambda: go.Figure(go.Bar(x=["a"], y=[1], base=[3])), "base"),
    "dates or ranges": (lambda: px.bar(x=["10-12", "20-30"], y=[1, 2]), "two digits"),
    "kinds mixed": (lambda: px.bar(x=["2024-01-01", "b"], y=[1, 2]), "several kinds"),
    "rounded lines": (lambda: px.line(x=[1, 2], y=[1, 2], line_shape="spline"), "rounded"),
    "animation": (lambda: px.scatter(x=[1, 2], y=[1, 2], animation_frame=[1, 2]), "animation"),
    "nothing": (go.Figure, "nothing"),
    "too many bars": (lambda: px.bar(x=np.arange(6000), y=np.arange(6000)), "5,000 bars"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_drawn_as_the_page_shows_it_is_not_drawn(what: str) -> None:
    figure, why = REFUSED[what]
    with pytest.raises(CannotBeDrawn, match=why):
        picture_of(figure())


LIMITS = ExecutionLimits(result=64 * 2**20, cpu_seconds=30, wall_seconds=60)


@needs_sandbox
async def test_a_large_figure_has_its_picture() -> None:
    numbers = np.random.default_rng(0).normal(size=(2, 200_000))
    made = await running.picture(told(px.scatter(x=numbers[0], y=numbers[1])), LIMITS)
    assert made.png is not None
    assert made.without == ""
    assert "200000 values" in made.facts


@needs_sandbox
async def test_why_there_is_no_picture_is_told() -> None:
    made = await running.picture(told(px.choropleth(locations=["FRA"], color=[1])), LIMITS)
    assert (made.png, made.without) == (None, "the kind 'choropleth' cannot be drawn without a browser")
    assert "choropleth" in made.facts
    short = LIMITS.model_copy(update={"result": 2_000})
    made = await running.picture(told(px.bar(x=["a"], y=[1])), short)
    assert (made.png, made.without) == (None, "drawing it was stopped at 1.953 KiB of result")
    assert made.facts.startswith("bar")


@needs_sandbox
@pytest.mark.parametrize(
    "figure",
    [
        {"data": [{"type": "bar", "x": {"bdata": "!!", "dtype": "f8"}}]},
        {"data": [{"type": "bar", "x": [[1], [2]], "y": [1, 2]}], "layout": {"xaxis": "x"}},
        {"data": [{"x": [1], "y": [1], "name": "'''\n\"\"\"; import os"}], "layout": {"title": {"text": "$\\frac{$"}}},
        {"data": [{"type": "heatmap", "z": [[1], [1, 2]]}]},
        {"data": "no", "layout": []},
        {},
    ],
)
async def test_a_strange_figure_does_no_harm(figure: dict[str, Any]) -> None:
    made = await running.picture(figure, LIMITS)
    assert (made.png is None) == bool(made.without)


GROUPS = pd.DataFrame(
    {"shop": [*"aabbcc"] * 3, "sold": range(18), "paid": [*"yn"] * 9, "at": pd.date_range("2024-01-01", periods=18)}
)


@pytest.mark.parametrize(
    ("figure", "line"),
    [
        (px.bar(GROUPS, x="shop", y="sold"), "bar; shop; sold: a: 39, b: 51, c: 63"),
        (px.bar(GROUPS, x="sold", y="shop", orientation="h"), "bar; shop; sold: a: 39, b: 51, c: 63"),
        (
            px.histogram(GROUPS, x="shop", y="sold", histfunc="avg"),
            "histogram; shop; avg of sold: a: 6.5, b: 8.5, c: 10.5",
        ),
        (px.histogram(GROUPS, x="shop"), "histogram; shop; count: a: 6, b: 6, c: 6"),
        (px.pie(GROUPS, names="shop", values="sold"), "pie: c: 63 (41.176%), b: 51 (33.333%), a: 39 (25.490%)"),
        (px.bar(GROUPS, x="at", y="sold"), "bar; at; sold: 18 bars from 0 (2024-01-01) to 17 (2024-01-18)"),
        (px.bar(GROUPS, x="shop", y="sold", animation_frame="paid"), "bar; shop; sold"),
    ],
)
def test_bars_and_slices_are_told_as_they_are_drawn(figure: Any, line: str) -> None:
    assert facts(told(figure)) == [line]


def test_each_colour_of_bars_is_told_apart() -> None:
    figure = px.bar(GROUPS, x="shop", y="sold", color="paid", barmode="group")
    assert facts(told(figure)) == ["bar y; shop; sold: a: 18, b: 24, c: 30", "bar n; shop; sold: a: 21, b: 27, c: 33"]


def test_of_a_histogram_of_numbers_the_numbers_are_told_too() -> None:
    (line,) = facts(told(px.histogram(GROUPS, x="sold")))
    assert line.startswith("histogram; sold: 18 values from 0 to 17, median 8.5; count: -0.5 to 4.5: 5, 4.5 to 9.5: 5,")
