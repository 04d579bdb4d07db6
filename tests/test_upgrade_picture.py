"""The picture of a simulation: bars, marks and words, in one harmless file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import asdict, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.agents.upgrade.client.simulating import Simulation, split_test, verdict
from graphwright.cli.simulation_picture import svg

SVG = "{http://www.w3.org/2000/svg}"


def simulation(assigned: dict[str, int], expected: dict[str, float], unassigned: int = 0) -> Simulation:
    test = asdict(split_test([*assigned.values()], [*expected.values()]))
    counts: dict[str, Any] = {"assigned": assigned, "unassigned": unassigned, "expected": expected}
    nothing: dict[str, Any] = dict.fromkeys(("groups", "assigned_groups", "unassigned_groups", "fair"))
    users = sum(assigned.values()) + unassigned
    return Simulation("x", "Hints first", "abc123", users, **counts, **test, **nothing, seconds=1.0)


def boxes(text: str, kind: str) -> list[tuple[float, float]]:
    """Where the boxes of a kind begin and end, without that of the legend."""
    found = re.findall(
        rf'<g class="gw-{kind}"><title>[^<]+</title>\n<rect class="gw-shape" x="([\d.]+)" [^/]*?width="([\d.]+)"', text
    )
    return [(float(x), float(x) + float(width)) for x, width in found]


HALVES = simulation({"control": 480, "variant": 520}, {"control": 50, "variant": 50})


def test_bars_and_marks_stand_where_the_numbers_put_them() -> None:
    text = svg(HALVES)
    (left, control), (_, variant) = boxes(text, "bar")
    marks = {sum(sides) / 2 for sides in boxes(text, "mark")}
    (expected,) = marks
    assert control < expected < variant
    assert abs((control - left) / (variant - left) - 480 / 520) < 1e-3
    assert abs((expected - left) / (variant - left) - 500 / 520) < 1e-3


def test_everything_to_be_seen_is_told_in_words_as_well() -> None:
    root = ET.fromstring(svg(HALVES))
    assert root.attrib["role"] == "img"
    title, words = (root.find(f"{SVG}{name}") for name in ("title", "desc"))
    assert title is not None
    assert words is not None
    assert title.text == "Simulation of Hints first"
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {words.attrib['id']}"
    assert "control, weight 50 %: 480 · 48.0 % (expected 500) users" in str(words.text)
    assert verdict(HALVES) in str(words.text)


def test_groups_are_drawn_where_groups_are_assigned_and_the_default_where_it_was_given() -> None:
    groups = {"control": 12, "variant": 8}
    by_group = replace(HALVES, groups=20, assigned_groups=groups, unassigned_groups=0)
    text = svg(by_group)
    assert "1,000 simulated users in 20 groups; the groups are assigned" in text
    assert "12 · 60.0 % (expected 10)" in text
    left_out = svg(simulation({"control": 5, "variant": 5}, {"control": 50, "variant": 50}, unassigned=10))
    assert "the default" in left_out
    assert "10 · 50.0 %<" in left_out
    assert "the default" not in svg(HALVES)


def test_very_many_conditions_are_cut_and_counted() -> None:
    codes = {f"c{number}": 10 for number in range(50)}
    text = svg(simulation(codes, dict.fromkeys(codes, 2.0)))
    assert "20 more conditions are not drawn" in text
    assert text == svg(simulation(codes, dict.fromkeys(codes, 2.0)))
    assert len(boxes(text, "scale")) == 30


@settings(max_examples=25, deadline=None)
@given(
    st.text(max_size=80),
    st.dictionaries(st.text(max_size=60), st.tuples(st.integers(0, 5000), st.floats(0, 100)), min_size=1, max_size=6),
    st.integers(0, 50),
)
def test_whatever_an_experiment_is_called_the_picture_is_one_harmless_file(
    name: str, conditions: dict[str, tuple[int, float]], unassigned: int
) -> None:
    expected = {code: weight for code, (_, weight) in conditions.items()}
    if not any(expected.values()):
        expected[next(iter(expected))] = 1.0
    done = simulation({code: count for code, (count, _) in conditions.items()}, expected, unassigned)
    root = ET.fromstring(svg(replace(done, name=name)).encode("utf-8", "surrogatepass"))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "text", "g", "path"
    }  # fmt: skip
    width = float(root.attrib["width"])
    for bar in root.iter(f"{SVG}rect"):
        assert float(bar.get("x", 0)) + float(bar.attrib["width"]) <= width + 0.2
