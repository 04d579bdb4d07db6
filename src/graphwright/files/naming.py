"""Names: what a data set is called in code, columns that differ from each other, and names as a sentence has them."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Sequence

_MOST_ID, _MOST_NAME = 40, 200
"""Characters of a data set's id, and of a column's name."""

_TAKEN = frozenset(
    (*keyword.kwlist, *("df", "pd", "np", "plt", "px", "go", "sm", "smf", "sns", "datasets", "fig", "result"))
)
"""What an id must not be, because code that works on data sets has it for something else."""


def identifier(text: str, taken: set[str]) -> str:
    """A lower-case Python identifier made of the text, with a number where it is taken. It is taken from then on."""
    plain = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    # A script that is not Latin stays as it is: Python takes its letters.
    words = re.sub(r"\W+|_+", "_", unicodedata.normalize("NFKC", plain)).strip("_")
    if not words.isidentifier():
        words = f"data_{words}".rstrip("_")
    words = words[:_MOST_ID].rstrip("_") if words.isidentifier() else "data"
    wanted = name = f"{words}_data" if words in _TAKEN else words
    number = 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def column_names(found: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that are one-line, not empty and different from each other, and notes on those that had to be made so.

    A second `x` is called `x.1`, one without a name `column_3` by its place, counted from 1.
    """
    wanted = [_printable(name[:_MOST_NAME]).strip() for name in found]
    # DuckDB takes names for the same that differ in case only.
    taken, seen = {name.casefold() for name in wanted if name}, set[str]()
    names, changed = list[str](), dict[str, list[str]]()
    for place, name in enumerate(wanted, 1):
        base, number = name or f"column_{place}", 0
        new = base
        while new.casefold() in seen or (new.casefold() in taken and (number or not name)):
            number += 1
            new = f"{base}.{number}"
        if new != name:
            changed.setdefault(name, []).append(new)
        seen.add(new.casefold())
        names.append(new)
    nameless = changed.pop("", [])
    notes = [
        f"{len(others) + 1} columns are named `{shown(name)}`: the others are called {few(others)}."
        for name, others in list(changed.items())[:3]
    ]
    if len(changed) > 3:
        notes.append(f"{len(changed) - 3} more names are those of several columns: the others got a number.")
    if nameless:
        has = "1 column has" if len(nameless) == 1 else f"{len(nameless):,} columns have"
        notes.append(f"{has} no name: called {few(nameless)}.")
    return names, notes


def few(names: Sequence[str], most: int = 5) -> str:
    """The first names, as they may stand in a sentence."""
    return ", ".join(f"`{shown(name)}`" for name in names[:most]) + (", ..." if len(names) > most else "")


def one_line(text: str, most: int) -> str:
    """The text without control characters and line breaks, cut at `most` characters."""
    plain = " ".join(_printable(text[: 4 * most]).split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def shown(text: str, most: int = 40) -> str:
    """A name or value out of a file as it may stand between backticks in a sentence."""
    return one_line(text, most).replace("`", "'")


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
