"""The result of a simulation as SVG: a bar for each condition, with a mark where its weight would put it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from graphwright.agents.upgrade.client.simulating import Simulation, verdict
from graphwright.drawing.picture import Text
from graphwright.drawing.svg import PAGE_EDGE, Heading, escaped, number, page
from graphwright.drawing.text_metrics import text_width, wrapped
from graphwright.text.sentences import many, one_line
from graphwright.text.sentences import number_text as weight_text

_BARS = 420.0
_BAR, _ROW = 22.0, 40.0
_HEAD = 76.0
_TEXT = 13.0
_LINE = 18.0
_WIDEST_CODE = 190.0
_MOST = 30


def svg(simulation: Simulation) -> str:
    """A simulation as an SVG document, ending in a newline; the same one always gives the same text.

    It shows what was drawn: groups where groups are assigned, else users. All of it is in the description, too.
    """
    return _Chart(simulation).svg()


class _Chart:
    """The rows of the chart: condition, weight, how many were assigned, how many were to be expected."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        by_group = simulation.assigned_groups is not None
        self.units = "groups" if by_group else "users"
        counted = simulation.tested
        left = (simulation.unassigned_groups or 0) if by_group else simulation.unassigned
        drawn = sum(counted.values())
        self.total = drawn + left
        whole = sum(max(weight, 0.0) for weight in simulation.expected.values()) or 1.0
        self.rows: list[tuple[str, str, int, float | None]] = [
            (code, f"{weight_text(weight)} %", counted[code], drawn * max(weight, 0.0) / whole)
            for code, weight in list(simulation.expected.items())[:_MOST]
        ]
        if left:
            self.rows.append(("the default", "", left, None))
        self.most = max([1.0, *(max(count, expected or 0.0) for _, _, count, expected in self.rows)])
        self.names = [(wrapped(code, _TEXT, _WIDEST_CODE, 1) or (" ",))[0] for code, *_ in self.rows]
        self.left = PAGE_EDGE + max(text_width(name, _TEXT) for name in self.names) + 14

    def svg(self) -> str:
        simulation = self.simulation
        title = f"Simulation of {one_line(simulation.name, 60)}"
        numbers = max(text_width(self._number(row), _TEXT) for row in range(len(self.rows)))
        told = wrapped(verdict(simulation), _TEXT, self.left + _BARS + numbers - PAGE_EDGE, 3)
        width = max(self.left + _BARS + 12 + numbers, PAGE_EDGE + text_width(title, 20, bold=True)) + PAGE_EDGE
        legend = _HEAD + _ROW * len(self.rows) + 14
        height = legend + 44 + _LINE * len(told) + PAGE_EDGE / 2
        body = [line for row in range(len(self.rows)) for line in self._row(row, _HEAD + _ROW * row)]
        body += self._legend(legend)
        for i, line in enumerate(told):
            at = f'x="{number(PAGE_EDGE)}" y="{number(legend + 44 + _LINE * i)}"'
            body.append(f'<text class="gws-text" {at}>{escaped(line)}</text>')
        rows = "; ".join(self._about(row) for row in range(len(self.rows)))
        description = f"{self._counts()}. {rows}. {verdict(simulation)}"
        prefix = "gws-" + hashlib.sha256(repr(simulation).encode()).hexdigest()[:8]
        return page(Heading(title, Text(self._counts(), "text"), description, prefix), width, height, _SHEET, body)

    def _row(self, row: int, top: float) -> Iterator[str]:
        count, expected = self.rows[row][2:]
        y = top + (_ROW - _BAR) / 2
        baseline = number(y + _BAR / 2 + 4.5)
        size = f'y="{number(y)}" height="{number(_BAR)}" rx="3"'
        yield f"<g><title>{escaped(self._about(row))}</title>"
        name = f'x="{number(self.left - 14)}" y="{baseline}" text-anchor="end"'
        yield f'<text class="gws-text" {name}>{escaped(self.names[row])}</text>'
        yield f'<rect class="gws-room" x="{number(self.left)}" width="{number(_BARS)}" {size}/>'
        if count:
            kind, length = "gws-none" if expected is None else "gws-bar", max(_BARS * count / self.most, 1.0)
            yield f'<rect class="{kind}" x="{number(self.left)}" width="{number(length)}" {size}/>'
        if expected is not None:
            at = self.left + _BARS * expected / self.most
            yield f'<path class="gws-mark" d="M{number(at)} {number(y - 5)}v{number(_BAR + 10)}"/>'
        after = f'x="{number(self.left + _BARS + 12)}" y="{baseline}"'
        yield f'<text class="gws-faint" {after}>{escaped(self._number(row))}</text></g>'

    def _legend(self, y: float) -> Iterator[str]:
        x, bar = self.left, f"{self.units} assigned"
        yield f'<rect class="gws-bar" x="{number(x)}" y="{number(y)}" width="22" height="10" rx="3"/>'
        yield f'<text class="gws-faint" x="{number(x + 30)}" y="{number(y + 9.5)}">{bar}</text>'
        x += 30 + text_width(bar, _TEXT) + 22
        yield f'<path class="gws-mark" d="M{number(x)} {number(y - 3)}v16"/>'
        yield f'<text class="gws-faint" x="{number(x + 10)}" y="{number(y + 9.5)}">expected by the weights</text>'

    def _number(self, row: int) -> str:
        count, expected = self.rows[row][2:]
        share = f"{100 * count / self.total:.1f} %" if self.total else "0 %"
        wanted = "" if expected is None else f" (expected {f'{expected:,.1f}'.removesuffix('.0')})"
        return f"{count:,} · {share}{wanted}"

    def _counts(self) -> str:
        users = many(self.simulation.users, "simulated user")
        if self.simulation.groups is not None:
            users += f" in {many(self.simulation.groups, 'group')}; the groups are assigned"
        more = len(self.simulation.expected) - _MOST
        return f"{users}; {more:,} more conditions are not drawn" if more > 0 else users

    def _about(self, row: int) -> str:
        code, weight, *_ = self.rows[row]
        return f"{one_line(code)}{f', weight {weight}' if weight else ''}: {self._number(row)} {self.units}"


_SHEET = (
    f".gw .gws-text,.gw .gws-faint{{font-size:{_TEXT:g}px}}.gws-mark{{fill:none;stroke-width:2.4}}"
    ".gws-text{fill:#1c2127}.gws-faint{fill:#525c67}.gws-room{fill:#e9ecf0}"
    ".gws-bar{fill:#5b9bd5}.gws-none{fill:#a3adb8}.gws-mark{stroke:#1c2127}"
    "@media (prefers-color-scheme:dark){"
    ".gws-text{fill:#e8edf2}.gws-faint{fill:#a3adb8}.gws-room{fill:#2a3038}"
    ".gws-bar{fill:#3f7fbf}.gws-none{fill:#68727d}.gws-mark{stroke:#e8edf2}}"
)
