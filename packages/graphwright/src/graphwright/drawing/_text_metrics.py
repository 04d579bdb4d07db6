"""The width of text and its division into lines, computed without a font."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from unicodedata import category, east_asian_width

from graphwright.text.sentences import one_line

MONO = 0.61
"""The width of a character of a monospaced font, relative to its height."""

# Of DejaVu Sans, one of the widest fonts that a viewer may choose, so that the text fits in other fonts.
_WIDTHS = {
    **dict.fromkeys("ijl'|", 0.29),
    **dict.fromkeys("I.,:;! ", 0.34),
    **dict.fromkeys('frt()[]{}/\\-"`', 0.42),
    **dict.fromkeys("mwMW%@…—", 0.98),
    **dict.fromkeys("GHNOQUDKRXw&", 0.79),
}
_UPPER, _OTHER = 0.70, 0.63
_BOLD = 1.1


@cache
def _width(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if category(character) in ("Mn", "Me"):
        return 0.0
    if east_asian_width(character) in ("W", "F"):
        return 1.05
    if character.isascii() or character.isalpha():
        return _UPPER if character.isupper() else _OTHER
    return 0.9


def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """The estimated width of a line in pixels, for letters of `size` pixels; hardly ever less than the real width."""
    if mono:
        return sum(max(_width(c), MONO) if not c.isascii() else MONO for c in text) * size
    return sum(map(_width, text)) * size * (_BOLD if bold else 1.0)


def wrapped(
    text: str, size: float, width: float, lines: int, *, bold: bool = False, mono: bool = False
) -> tuple[str, ...]:
    """The text in at most `lines` lines that are at most `width` pixels wide; a longer text ends in `…`."""

    def fits(line: str) -> bool:
        return text_width(line, size, bold=bold, mono=mono) <= width

    # No more than this can fit, even in narrow letters.
    most = int(lines * width / (0.25 * size)) + 1
    text = one_line(text[: 4 * most], 4 * most)
    found: list[str] = []
    line = ""
    for word in text[:most].split():
        longer = f"{line} {word}" if line else word
        while not fits(longer):
            taken = max(_beginning(longer, fits), 1)
            if line and (fits(word) or taken <= len(line) + 4):
                found.append(line)
                longer = word
            else:
                # A word that is longer than a line begins on this one.
                found.append(longer[:taken])
                longer = longer[taken:]
            line, word = "", longer
        line = longer
    found += [line] if line else []
    if len(found) > lines or len(text) > most:
        found = found[:lines]
        last = found[-1]
        while last and not fits(f"{last}…"):
            last = last[:-1]
        found[-1] = f"{last.rstrip()}…"
    return tuple(found)


def _beginning(text: str, fits: Callable[[str], bool]) -> int:
    """The number of characters that fit on a line; it breaks after a dot, underscore or sign if possible."""
    count = 0
    while count < len(text) and fits(text[: count + 1]):
        count += 1
    for end in range(count, count // 2, -1):
        if text[end - 1] in "._-/&|=:,;)( ":
            return end
    return count
