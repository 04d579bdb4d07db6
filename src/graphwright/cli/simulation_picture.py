"""What came of a simulation as SVG: a bar for each condition, with a mark where its weight would put it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from graphwright.agents.upgrade.client.simulating import Simulation, verdict
from graphwright.flow.drawing.lettering import number_text as _n
from graphwright.flow.drawing.lettering import text_width, wrapped
from graphwright.text.sentences import number_text as weight_text
from graphwright.text.sentences import one_line

_EDGE = 28.0
_BARS = 420.0
_BAR, _ROW = 22.0, 40.0
_HEAD = 76.0
_TEXT, _TITLE = 13.0, 18.0
_WIDEST_CODE = 190.0
_MOST = 30
_SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"


def svg(simulation: Simulation) -> str:
    """A simulation as an SVG document, ending in a newline; the same one always gives the same text.

    It shows what was drawn: groups where groups are assigned, else users. What is to be seen is also told in words.
    """
    return "\n".join(_Picture(simulation).lines()) + "\n"


class _Picture:
    """What is drawn, laid out. Ids and classes begin with a name of its own, so that several can share a page."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        by_group = simulation.assigned_groups is not None
        self.units = "groups" if by_group else "users"
        counted = simulation.tested
        left = (simulation.unassigned_groups or 0) if by_group else simulation.unassigned
        self.total = sum(counted.values()) + left
        weights = [max(weight, 0.0) for weight in simulation.expected.values()]
        whole = sum(weights) or 1.0
        drawn = sum(counted.values())
        # Code, weight, how many there are, how many were to be expected.
        self.rows: list[tuple[str, str, int, float | None]] = [
            (code, f"{weight_text(weight)} %", counted[code], drawn * max(weight, 0.0) / whole)
            for code, weight in list(simulation.expected.items())[:_MOST]
        ]
        if left:
            self.rows.append(("the default", "", left, None))
        self.most = max([1.0, *(max(count, expected or 0.0) for _, _, count, expected in self.rows)])
        self.names = [(wrapped(code, _TEXT, _WIDEST_CODE, 1) or (" ",))[0] for code, *_ in self.rows]
        self.left = _EDGE + max(text_width(name, _TEXT) for name in self.names) + 14
        numbers = max(text_width(self._number(row), _TEXT) for row in range(len(self.rows)))
        self.title = f"Simulation of {one_line(simulation.name, 60)}"
        self.told = wrapped(verdict(simulation), _TEXT, self.left + _BARS + numbers - _EDGE, 3)
        room = max(self.left + _BARS + 12 + numbers, _EDGE + text_width(self.title, _TITLE, bold=True))
        self.width = room + _EDGE
        self.prefix = "gws-" + hashlib.sha256(repr(simulation).encode()).hexdigest()[:8]

    def _number(self, row: int) -> str:
        count, expected = self.rows[row][2:]
        share = f"{100 * count / self.total:.1f} %" if self.total else "0 %"
        return f"{count:,} · {share}" + ("" if expected is None else f" (expected {_one_decimal(expected)})")

    def lines(self) -> Iterator[str]:
        legend = _HEAD + _ROW * len(self.rows) + 14
        foot = legend + 44
        height = foot + 18 * len(self.told) + _EDGE / 2
        box = f'width="{_n(self.width)}" height="{_n(height)}" viewBox="0 0 {_n(self.width)} {_n(height)}"'
        names = f"{self.prefix}-title {self.prefix}-desc"
        yield f'<svg xmlns="http://www.w3.org/2000/svg" class="gws" {box} role="img" aria-labelledby="{names}">'
        yield f'<title id="{self.prefix}-title">{_text(self.title)}</title>'
        yield f'<desc id="{self.prefix}-desc">{_text(self._words())}</desc>'
        yield f"<style>{_SHEET}</style>"
        yield f'<rect class="gws-page" width="{_n(self.width)}" height="{_n(height)}"/>'
        yield f'<text class="gws-name" x="{_n(_EDGE)}" y="36">{_text(self.title)}</text>'
        yield f'<text class="gws-faint" x="{_n(_EDGE)}" y="56">{_text(self._counts())}</text>'
        for row in range(len(self.rows)):
            yield from self._row(row, _HEAD + _ROW * row)
        yield from self._legend(legend)
        for number, line in enumerate(self.told):
            yield f'<text class="gws-text" x="{_n(_EDGE)}" y="{_n(foot + 18 * number)}">{_text(line)}</text>'
        yield "</svg>"

    def _row(self, row: int, top: float) -> Iterator[str]:
        count, expected = self.rows[row][2:]
        y = top + (_ROW - _BAR) / 2
        baseline = y + _BAR / 2 + 4.5
        length = _BARS * count / self.most
        style = "gws-none" if expected is None else "gws-bar"
        yield f"<g><title>{_text(self._about(row))}</title>"
        yield (
            f'<text class="gws-text" x="{_n(self.left - 14)}" y="{_n(baseline)}" text-anchor="end">'
            f"{_text(self.names[row])}</text>"
        )
        yield f'<rect class="gws-room" x="{_n(self.left)}" y="{_n(y)}" width="{_n(_BARS)}" height="{_n(_BAR)}" rx="3"/>'
        if count:
            bar = f'x="{_n(self.left)}" y="{_n(y)}" width="{_n(max(length, 1.0))}" height="{_n(_BAR)}"'
            yield f'<rect class="{style}" {bar} rx="3"/>'
        if expected is not None:
            at = self.left + _BARS * expected / self.most
            yield f'<path class="gws-mark" d="M{_n(at)} {_n(y - 5)}v{_n(_BAR + 10)}"/>'
        yield (
            f'<text class="gws-faint" x="{_n(self.left + _BARS + 12)}" y="{_n(baseline)}">'
            f"{_text(self._number(row))}</text></g>"
        )

    def _legend(self, y: float) -> Iterator[str]:
        yield f'<rect class="gws-bar" x="{_n(self.left)}" y="{_n(y)}" width="22" height="10" rx="3"/>'
        yield f'<text class="gws-faint" x="{_n(self.left + 30)}" y="{_n(y + 9.5)}">{self.units} assigned</text>'
        x = self.left + 30 + text_width(f"{self.units} assigned", _TEXT) + 22
        yield f'<path class="gws-mark" d="M{_n(x)} {_n(y - 3)}v16"/>'
        yield f'<text class="gws-faint" x="{_n(x + 10)}" y="{_n(y + 9.5)}">expected by the weights</text>'

    def _counts(self) -> str:
        users = f"{self.simulation.users:,} simulated user{'' if self.simulation.users == 1 else 's'}"
        groups = self.simulation.groups
        if groups is not None:
            users += f" in {groups:,} group{'' if groups == 1 else 's'}; the groups are assigned"
        more = len(self.simulation.expected) - _MOST
        return f"{users}; {more:,} more conditions are not drawn" if more > 0 else users

    def _about(self, row: int) -> str:
        code, weight, *_ = self.rows[row]
        return f"{one_line(code)}{f', weight {weight}' if weight else ''}: {self._number(row)} {self.units}"

    def _words(self) -> str:
        rows = "; ".join(self._about(row) for row in range(len(self.rows)))
        return f"{self._counts()}. {rows}. {verdict(self.simulation)}"


def _one_decimal(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


_SHEET = (
    f".gws text{{font-family:{_SANS};font-size:{_TEXT:g}px}}"
    f".gws .gws-name{{font-size:{_TITLE:g}px;font-weight:600}}.gws-mark{{fill:none;stroke-width:2.4}}"
    ".gws-page{fill:#ffffff}.gws-name,.gws-text{fill:#1c2127}.gws-faint{fill:#525c67}.gws-room{fill:#e9ecf0}"
    ".gws-bar{fill:#5b9bd5}.gws-none{fill:#a3adb8}.gws-mark{stroke:#1c2127}"
    "@media (prefers-color-scheme:dark){"
    ".gws-page{fill:#11151a}.gws-name,.gws-text{fill:#e8edf2}.gws-faint{fill:#a3adb8}.gws-room{fill:#2a3038}"
    ".gws-bar{fill:#3f7fbf}.gws-none{fill:#68727d}.gws-mark{stroke:#e8edf2}"
    "}"
)

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def _text(text: str) -> str:
    return one_line(text, 2_000).translate(_ENTITIES)
