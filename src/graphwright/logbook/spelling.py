"""Words of a query that no entry has, taken for the nearest ones that entries have."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from graphwright.logbook.terms import Term, plain_term
from graphwright.logbook.words import same_meaning
from graphwright.text.folding import without_accents
from graphwright.text.slips import MOST_MENDED, Slips, is_little, may_be_slip

_MOST_TERMS = 2_000
_WORD = re.compile(r"\w+")


def corrected(
    connection: sqlite3.Connection, terms: tuple[Term, ...], happened: str, given: Mapping[str, Any]
) -> tuple[tuple[Term, ...], tuple[tuple[str, str], ...]]:
    """The terms with the nearest word that entries have for each that none has, and what was taken for what.

    A word that is in an entry stays, also inside of a longer one, and so does one with others of its meaning, and what
    is quoted. `happened`, with its values in `given`, is SQL that is true of the entries that exist now.
    """
    taken: dict[Term, str] = {}
    lacking = [
        term
        for term in terms
        if may_be_slip(term.shown)
        and term == plain_term(term.shown)
        and not same_meaning(term.shown)
        and not _is_there(connection, term)
    ]
    for term in lacking[:MOST_MENDED]:
        if meant := _meant(connection, term, happened, given):
            taken[term] = meant
    mended = (plain_term(taken[term]) if term in taken else term for term in terms)
    return tuple(dict.fromkeys(mended)), tuple((term.shown, meant) for term, meant in taken.items())


def _is_there(connection: sqlite3.Connection, term: Term) -> bool:
    row = connection.execute("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", (term.match,)).fetchone()
    return row is not None


def _meant(connection: sqlite3.Connection, term: Term, happened: str, given: Mapping[str, Any]) -> str:
    """The word of the entries that is nearest, of several the one that most have; empty where there is none."""
    slips = Slips(term.shown)
    near = [
        (distance, -entries, word)
        for word, entries in _words(connection, slips).items()
        if word.isalpha() and not is_little(word) and (distance := slips.to(word)) is not None
    ]
    for distance, _, word in sorted(near):
        (entries,) = connection.execute(
            f"""SELECT count(*) FROM (SELECT 1 FROM words JOIN entries ON entries.id = words.rowid
                WHERE words MATCH :match AND {happened} LIMIT 2)""",
            {**given, "match": plain_term(word).match},
        ).fetchone()
        if entries >= slips.fewest(distance):
            return "" if _is_inside(connection, term) else _as_written(connection, word)
    return ""


def _words(connection: sqlite3.Connection, slips: Slips) -> dict[str, int]:
    """Words of the index that may be meant, with the number of their entries."""
    for table, kind in (("terms", "row"), ("places", "instance")):
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table} USING fts5vocab('main', 'words', '{kind}')"
        )
    found: dict[str, int] = {}
    for spelling in slips.at_the_beginning():
        found.update(connection.execute("SELECT term, doc FROM temp.terms WHERE term = ?", (spelling,)))
    for beginning in slips.beginnings:
        found.update(
            connection.execute(
                "SELECT term, doc FROM temp.terms WHERE term >= ? AND term < ? LIMIT ?",
                (beginning, f"{beginning}\uffff", _MOST_TERMS),
            )
        )
    return found


def _is_inside(connection: sqlite3.Connection, term: Term) -> bool:
    """Whether a longer word has it in it: it is one itself then."""
    row = connection.execute(
        "SELECT 1 FROM entries WHERE instr(lower(subject || ' ' || text), ?) LIMIT 1", (term.stem.lower(),)
    ).fetchone()
    return row is not None


def _as_written(connection: sqlite3.Connection, word: str) -> str:
    """The word as an entry writes it: the index has no accents."""
    rows = connection.execute(
        "SELECT subject, text, author, category, system FROM temp.places JOIN entries ON entries.id = doc "
        "WHERE term = ? LIMIT 1",
        (word,),
    )
    plain = without_accents(word)
    found = (each for row in rows for text in row for each in _WORD.findall(text) if without_accents(each) == plain)
    return next(found, word)
