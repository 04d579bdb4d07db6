"""Texts from outside as a message of the agent shows them: on one line, short, and unable to end their own quotes."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 100


def one_line(text: object, longest: int = _LONGEST) -> str:
    """The text without line breaks and control characters, cut to `longest` characters."""
    line = _line(text)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def quoted(text: object, longest: int = _LONGEST) -> str:
    """The same in single quotes, cut in its middle: names that begin alike often differ at their ends.

    Quotes within become apostrophes of print, so that a name cannot end before it does.
    """
    line = _line(text)
    if len(line) > longest:
        ending = longest * 2 // 5
        line = f"{line[: longest - 1 - ending].rstrip()}…{line[-ending:].lstrip()}"
    return f"'{line.replace(chr(39), '’')}'"


def _line(text: object) -> str:
    said = str(text)
    if not said.isprintable():
        said = "".join(c if c.isprintable() else " " for c in said)
    return " ".join(said.split())


def listed(texts: Sequence[str], most: int = 8) -> str:
    """At most so many texts, quoted, and how many more there are: `'a', 'b' and 3 more`."""
    shown = ", ".join(quoted(text) for text in texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"
