"""The panes of the web app: Graphwright's own, and those of other packages with their files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from graphwright.hooks import PANES, Packaged, Pane

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}\Z")

_MEDIA = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
"""Content types of the files of a pane that a browser may read, by suffix."""

_BUBBLE = (
    "M22 17a2 2 0 0 1-2 2H6.828a2 2 0 0 0-1.414.586l-2.202 2.202A.71.71 0 0 1 2 21.286"
    "V5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2z"
)
_BOXES = (
    "M5 3h4a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z"
    "M15 13h4a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-4a2 2 0 0 1-2-2v-4a2 2 0 0 1 2-2zM7 11v4a2 2 0 0 0 2 2h4"
)
_PEN = (
    "M12.5 22H18a2 2 0 0 0 2-2V7l-5-5H6a2 2 0 0 0-2 2v9.5M14 2v4a2 2 0 0 0 2 2h4"
    "M13.378 15.626a1 1 0 1 0-3.004-3.004l-5.01 5.012a2 2 0 0 0-.506.854l-.837 2.87a.5.5 0 0 0 .62.62l2.87-.837"
    "a2 2 0 0 0 .854-.506z"
)
_TABLE = "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM3 9h18M9 3v18"
_SCROLL = (
    "M15 12h-5M15 8h-5M19 17V5a2 2 0 0 0-2-2H4M8 21h12a2 2 0 0 0 2-2v-1a1 1 0 0 0-1-1H11a1 1 0 0 0-1 1v1a2 2 0 1 1-4 0"
    "V5a2 2 0 1 0-4 0v2a1 1 0 0 0 1 1h3"
)
_SHIELD = (
    "M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72"
    "a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1zM9 12l2 2 4-4"
)

chat = Pane({"en": "Chat", "de": "Chat"}, _BUBBLE, key="c", of_thread=True, place=1)
trace = Pane({"en": "Trace", "de": "Verlauf"}, _BOXES, key="t", of_thread=True, place=2)
editor = Pane({"en": "Editor", "de": "Editor"}, _PEN, key="f", place=3)
data = Pane({"en": "Data", "de": "Daten"}, _TABLE, key="d", of_thread=True, place=4)
logs = Pane({"en": "Logs", "de": "Protokoll"}, _SCROLL, key="l", place=6)
access = Pane({"en": "Access", "de": "Zugang"}, _SHIELD, key="a", role="admin", place=7)


def core_panes() -> set[str]:
    """Return the names of Graphwright's own panes. No other package may use them."""
    return {name for name, entry in PANES.entries().items() if entry.own}


def panes() -> list[tuple[str, Pane]]:
    """Return the panes that can be used, with their names, in their order."""
    bad = {entry.name for entry, _ in unusable()}
    found = ((name, pane) for name, pane in PANES.usable() if name not in bad)
    return sorted(found, key=lambda each: (each[1].place, each[0]))


def unusable() -> Iterator[tuple[Packaged, str]]:
    """Yield the panes of other packages that load and still cannot be used, each with the reason."""
    loaded = dict(PANES.usable())
    for name, entry in PANES.entries().items():
        if not _NAME.match(name):
            yield entry, "its name, which is in addresses, has other characters than a-z, 0-9, - and _"
        elif name in loaded and loaded[name].module is None and not entry.own:
            yield entry, "it names no `module`"


def pane_file(name: str, path: str) -> tuple[Path, str] | None:
    """Return a file in the folder of a pane's module and its content type, or None if browsers may not read it."""
    entry = PANES.entries().get(name)
    pane = dict(panes()).get(name) if entry is not None else None
    parts = Path(path).parts
    media = _MEDIA.get(Path(path).suffix.lower())
    if pane is None or pane.module is None or media is None or any(part.startswith(".") for part in parts):
        return None
    folder = pane.module.parent.resolve()
    try:
        file = (folder / path).resolve()
        return (file, media) if file.is_relative_to(folder) and file.is_file() else None
    except (OSError, ValueError):
        # The path contains a null character or is too long, so no file can have it.
        return None
