"""How a picture looks: colours for light and dark, and the outlines of the kinds of box."""

from __future__ import annotations

from collections.abc import Mapping

from graphwright.flow.drawing.boxes import Rect
from graphwright.flow.drawing.lettering import text_width
from graphwright.flow.drawing.shapes import CODE_SIZE, SLANT, TEXT_SIZE, TITLE_SIZE

_SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

_LIGHT: Mapping[str, tuple[str, str]] = {
    "question": ("#e3f1fd", "#1f6fbf"),
    "decision": ("#fdf3d0", "#9a6c00"),
    "action": ("#e0f5e4", "#23803a"),
    "subgraph": ("#f3eafd", "#7a48c8"),
    "terminal": ("#e9ecf0", "#56606b"),
}
_DARK: Mapping[str, tuple[str, str]] = {
    "question": ("#12304d", "#5aa9ee"),
    "decision": ("#3d3108", "#d9a83a"),
    "action": ("#123820", "#52b96c"),
    "subgraph": ("#2f2148", "#b18cf0"),
    "terminal": ("#2a3038", "#99a3ae"),
}

LEGEND_LINES = {"plain": "when its guard is true", "else": "else", "jump": "on an error, a dead end, an escalation"}
"""What the styles of lines mean."""


def legend_width(item: str) -> float:
    """The width of an item of the legend without its symbol, in pixels."""
    return text_width(LEGEND_LINES.get(item, item), TEXT_SIZE) + 22


def _theme(page: str, ink: str, faint: str, line: str, jump: str, kinds: Mapping[str, tuple[str, str]]) -> str:
    rules = [f".gw-page,.gw-label rect{{fill:{page}}}", f".gw-name,.gw-title{{fill:{ink}}}"]
    rules += [f".gw-text,.gw-code{{fill:{faint}}}", f".gw-line{{stroke:{line}}}", f".gw-tip{{fill:{line}}}"]
    rules += [f".gw-line.gw-jump,.gw-jump .gw-line{{stroke:{jump}}}", f".gw-jump .gw-tip,.gw-jump text{{fill:{jump}}}"]
    rules += [f".gw-{kind} .gw-shape{{fill:{fill};stroke:{stroke}}}" for kind, (fill, stroke) in kinds.items()]
    _, stroke = kinds["subgraph"]
    rules.append(f".gw-frame rect{{fill:{stroke};fill-opacity:.05;stroke:{stroke};stroke-opacity:.7}}")
    rules.append(f".gw-start .gw-shape{{fill:{line}}}.gw-exit .gw-ring{{stroke:{line}}}.gw-exit .gw-dot{{fill:{line}}}")
    rules.append(f".gw-anywhere .gw-shape,.gw-to .gw-shape{{fill:{page};stroke:{line}}}")
    rules.append(f".gw-group rect{{stroke:{faint}}}.gw-group text{{stroke:{page}}}")
    return "".join(rules)


SHEET = (
    f".gw text{{font-family:{_SANS};font-size:{TEXT_SIZE:g}px}}"
    ".gw .gw-name{font-size:20px;font-weight:600}"
    f".gw .gw-title{{font-size:{TITLE_SIZE:g}px;font-weight:600}}"
    f".gw .gw-code{{font-family:{_MONO};font-size:{CODE_SIZE:g}px}}"
    ".gw .gw-mid{text-anchor:middle}"
    ".gw-shape{stroke-width:1.4}.gw-frame rect{stroke-width:1.2}"
    ".gw-line{fill:none;stroke-width:1.4}"
    ".gw-line.gw-else,.gw-else .gw-line{stroke-dasharray:7 4}"
    ".gw-line.gw-jump,.gw-jump .gw-line{stroke-dasharray:1.5 4;stroke-linecap:round;stroke-width:1.7}"
    ".gw-exit .gw-ring{fill:none;stroke-width:1.6}"
    ".gw-anywhere .gw-shape,.gw-to .gw-shape{stroke-dasharray:3 3;stroke-width:1.1}"
    ".gw-group rect{fill:none;stroke-dasharray:5 4}.gw-group text{stroke-width:3px;paint-order:stroke}"
    + _theme("#ffffff", "#1c2127", "#525c67", "#68727d", "#b4470f", _LIGHT)
    + "@media (prefers-color-scheme:dark){"
    + _theme("#11151a", "#e8edf2", "#a3adb8", "#8a95a1", "#f0954f", _DARK)
    + "}"
)
"""The style sheet; every class begins with `gw`."""


def outline(kind: str, rect: Rect, tint: str) -> str:
    """The outline of a box as SVG; `tint` is an attribute that colours it."""
    x, y, width, height = rect
    right, bottom, middle, centre = x + width, y + height, y + height / 2, x + width / 2
    if kind == "question":
        lean = min(SLANT, width / 5)
        return _path(tint, (x + lean, y), (right, y), (right - lean, bottom), (x, bottom))
    if kind == "decision":
        return _path(tint, (centre, y), (right, middle), (centre, bottom), (x, middle))
    if kind == "start":
        return f'<circle class="gw-shape" cx="{centre:.1f}" cy="{middle:.1f}" r="{width / 2:.1f}"/>'
    if kind == "exit":
        ring = f'<circle class="gw-ring" cx="{centre:.1f}" cy="{middle:.1f}" r="{width / 2:.1f}"/>'
        return f'{ring}<circle class="gw-dot" cx="{centre:.1f}" cy="{middle:.1f}" r="{width / 4:.1f}"/>'
    radius = 3.0 if kind in ("action", "subgraph") else height / 2
    box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    whole = f'<rect class="gw-shape" {box} rx="{radius:.1f}"{tint}/>'
    if kind != "subgraph":
        return whole
    bars = "".join(f"M{at:.1f} {y:.1f}V{bottom:.1f}" for at in (x + 5, right - 5))
    return f'{whole}<path class="gw-shape" d="{bars}"{tint}/>'


def _path(tint: str, *corners: tuple[float, float]) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    return f'<path class="gw-shape" d="M{path}Z" stroke-linejoin="round"{tint}/>'
