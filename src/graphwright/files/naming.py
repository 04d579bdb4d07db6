"""Names: what a data set is called in code, and columns that can be told apart."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Sequence

MOST_ID = 40
"""Characters of a data set's id."""

MOST_NAME = 200
"""Characters of a column's name."""

_TAKEN = frozenset(
    (*keyword.kwlist, *("df", "pd", "np", "plt", "px", "go", "sm", "smf", "sns", "datasets", "fig", "result"))
)
"""What an id must not be, because code that works on data sets has it for something else."""


def identifier(*parts: str) -> str:
    """A lower-case Python identifier made of the parts; `data` where nothing of them can be in one."""
    text = "_".join(parts).lower().replace("ß", "ss")
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    # A script that is not Latin stays as it is: Python takes its letters.
    words = re.sub(r"\W+|_+", "_", unicodedata.normalize("NFKC", plain)).strip("_")[:MOST_ID].rstrip("_")
    if words and not words.isidentifier():
        words = f"data_{words}"[:MOST_ID].rstrip("_")
    if not words or not words.isidentifier():
        words = "data"
    return f"{words}_data" if words in _TAKEN else words


def distinct_id(wanted: str, taken: set[str]) -> str:
    """The id, with a number where it is taken already. It is taken from then on."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def column_names(found: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that are one-line, not empty and different from each other, and notes on those that had to be made so.

    A second `x` is called `x.1`, one without a name `column_3` by its place, counted from 1.
    """
    given = [_printable(name[:MOST_NAME]).strip() for name in found]
    # DuckDB takes names for the same that differ in case only.
    taken, seen = {name.casefold() for name in given if name}, set[str]()
    names, repeated = list[str](), dict[str, list[str]]()
    for place, name in enumerate(given, 1):
        new, number = name or f"column_{place}", 0
        while (new.casefold() in taken and (number or not name)) or new.casefold() in seen:
            number += 1
            new = f"{name or f'column_{place}'}.{number}"
        if number or not name:
            repeated.setdefault(name, []).append(new)
        seen.add(new.casefold())
        names.append(new)
    nameless = repeated.pop("", [])
    notes = [
        f"{len(others) + 1} columns are named `{shown(name)}`: the others are called {few(others)}."
        for name, others in list(repeated.items())[:3]
    ]
    if len(repeated) > 3:
        notes.append(f"{len(repeated) - 3} more names are those of several columns: the others got a number.")
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


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def shown(text: str, most: int = 40) -> str:
    """A name or value out of a file as it may stand between backticks in a sentence."""
    return one_line(text, most).replace("`", "'")
