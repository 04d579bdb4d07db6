"""The result of a simulation as SVG: a bar for each condition, with a mark where its weight would put it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from graphwright.agents.upgrade.client.simulating import Simulation, verdict
from graphwright.drawing.picture import Box, Picture, Text, text_box, texts
from graphwright.drawing.svg import Heading, LegendItem, Look, picture_svg
from graphwright.text.sentences import many, number_text, one_line

_BARS = 420.0
_BAR, _ROW = 22.0, 40.0
_APART = 13.0
_WIDEST_CODE = 190.0
_MOST = 30
_LOOKS = {
    "scale": Look("#e9ecf0", "none", "#2a3038", "none"),
    "bar": Look("#5b9bd5", "none", "#3f7fbf", "none"),
    "default": Look("#a3adb8", "none", "#68727d", "none"),
    "mark": Look("#1c2127", "none", "#e8edf2", "none"),
}


def svg(simulation: Simulation) -> str:
    """A simulation as an SVG document, ending in a newline; the same one always gives the same text.

    It shows what was drawn: groups where groups are assigned, else users. All of it is in the description, too.
    """
    by_group = simulation.assigned_groups is not None
    units = "groups" if by_group else "users"
    left_out = (simulation.unassigned_groups or 0) if by_group else simulation.unassigned
    drawn = sum(simulation.tested.values())
    whole = sum(max(weight, 0.0) for weight in simulation.expected.values()) or 1.0
    rows: list[tuple[str, str, int, float | None]] = []
    for code, weight in list(simulation.expected.items())[:_MOST]:
        about = f"{one_line(code)}, weight {number_text(weight)} %"
        rows.append((code, about, simulation.tested[code], drawn * max(weight, 0.0) / whole))
    if left_out:
        rows.append(("the default", "the default", left_out, None))
    counted = [_counted(count, expected, drawn + left_out) for _, _, count, expected in rows]
    told = [f"{about}: {shown} {units}" for (_, about, _, _), shown in zip(rows, counted, strict=True)]
    names = [texts(code, "text", _WIDEST_CODE) or (Text(" ", "text"),) for code, *_ in rows]
    left = max(name[0].width for name in names) + _APART
    most = max([1.0, *(max(count, expected or 0.0) for _, _, count, expected in rows)])
    boxes: list[Box] = []
    for i, (_, _, count, expected) in enumerate(rows):
        y = _ROW * i + (_ROW - _BAR) / 2
        name, shown = names[i], (Text(counted[i], "text"),)
        boxes.append(text_box(name, left - _APART - name[0].width, y + 4, told[i]))
        boxes += _bar(left, y, _BARS * count / most, None if expected is None else _BARS * expected / most, told[i])
        boxes.append(text_box(shown, left + _BARS + _APART, y + 4, told[i]))
    right = max(box.x + box.width for box in boxes)
    below = _ROW * len(rows) + _APART
    for line in texts(verdict(simulation), "text", right, 3):
        boxes.append(text_box((line,), 0.0, below))
        below += line.height
    counts = _counts(simulation)
    prefix = "gws-" + hashlib.sha256(repr(simulation).encode()).hexdigest()[:8]
    description = f"{counts}. {'; '.join(told)}. {verdict(simulation)}"
    title = f"Simulation of {one_line(simulation.name, 60)}"
    legend = [LegendItem("bar", f"{units} assigned", "box"), LegendItem("mark", "expected by the weights", "box")]
    heading = Heading(title, Text(counts, "text"), description, prefix)
    return picture_svg(Picture(right, below, tuple(boxes)), heading, _LOOKS, legend)


def _bar(x: float, y: float, length: float, expected: float | None, about: str) -> Iterator[Box]:
    yield Box("", "scale", "box", _BARS, _BAR, about=about, x=x, y=y)
    if length:
        kind = "default" if expected is None else "bar"
        yield Box("", kind, "box", max(length, 1.0), _BAR, about=about, x=x, y=y)
    if expected is not None:
        yield Box("", "mark", "box", 2.4, _BAR + 10, about=about, x=x + expected - 1.2, y=y - 5)


def _counted(count: int, expected: float | None, total: int) -> str:
    share = f"{100 * count / total:.1f} %" if total else "0 %"
    wanted = "" if expected is None else f" (expected {expected:,.1f})".replace(".0)", ")")
    return f"{count:,} · {share}{wanted}"


def _counts(simulation: Simulation) -> str:
    users = many(simulation.users, "simulated user")
    if simulation.groups is not None:
        users += f" in {many(simulation.groups, 'group')}; the groups are assigned"
    more = len(simulation.expected) - _MOST
    return f"{users}; {more:,} more conditions are not drawn" if more > 0 else users
