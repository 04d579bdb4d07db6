"""What a picture can use of what an editor has written into `ui`: places, colours, groups."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]{3,20}")


def place_in(ui: object) -> dict[str, float | int] | None:
    """The position `{x, y}` in pixels, alone or under `position`; None where there is none."""
    if not isinstance(ui, Mapping):
        return None
    at = ui.get("position", ui)
    if not isinstance(at, Mapping):
        return None
    x, y = _number(at.get("x")), _number(at.get("y"))
    return None if x is None or y is None else {"x": x, "y": y}


def colour_in(ui: object) -> str:
    """The `colour` (or `color`), as a name or as `#rgb` or `#rrggbb`; empty where there is none."""
    if not isinstance(ui, Mapping):
        return ""
    written = ui.get("colour", ui.get("color"))
    # It ends up in markup: nothing that is more than a colour gets there.
    return written if isinstance(written, str) and _COLOUR.fullmatch(written) else ""


def group_in(ui: object) -> str:
    """The name of the `group` that a node belongs to; empty where there is none."""
    written = ui.get("group") if isinstance(ui, Mapping) else None
    return written.strip() if isinstance(written, str) else ""


def _number(value: object) -> float | int | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    # Far more than any screen; what lies beyond would only lose its decimals.
    return value if abs(value) <= 1_000_000 else None
