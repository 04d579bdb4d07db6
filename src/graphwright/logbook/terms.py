"""A query as words to look for: phrases, endings left off, spellings of umlauts; for the index and for a server."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphwright.logbook.cleaning import one_line
from graphwright.store.fulltext import any_of, phrase
from graphwright.text.places import shortened, spellings

MOST_TERMS = 16
_MOST_CHARACTERS = 400

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_QUOTED = re.compile(r'("[^"]+")')
_WORD = re.compile(r"\w+")
_UMLAUT = re.compile(r"[^\x00-\x7f]|ae|oe|ue|ss", re.IGNORECASE)
# Only what never tells one entry from another.
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a about all an and any are at be been by did do does entries entry find for from had has have how in is it "
        "its logbook elog me not of on or please show tell that the there these this those to was we were what when "
        "where which who why with "
        "alle als am an auf aus bei bin bitte das dass dem den der des die ein eine einem einen einer eintrag einträge "
        "es für gab gibt hat hatte ich im in ist logbuch mit nach oder über um und uns vom von war waren warum was "
        "welche wann wer wie wir wo zu zum zur",
    )
)
_ENDINGS = ("ungen", "ings", "ing", "ies", "ern", "en", "er", "es", "ed", "e", "n", "s")
_DOUBLED = "bdglmnprt"
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query.

    `shown` is as written, `match` is for the full-text index, `stem` is the part of it that every form has. Of what has
    several names, `names` are all of them.
    """

    shown: str
    match: str
    stem: str
    names: tuple[str, ...] = ()


def terms_of(query: str) -> tuple[Term, ...]:
    """The words of the query worth looking for, each once; all of them when none is."""
    parts = _QUOTED.split(one_line(query)[:_MOST_CHARACTERS])
    # What is quoted is meant as it stands.
    text = "".join(part if place % 2 else shortened(part) for place, part in enumerate(parts))
    found = [_term(quoted or word, bool(quoted)) for quoted, word in _TERM.findall(text)]
    written = [term for term in found if term is not None]
    telling = [term for term in written if term.shown.casefold() not in _STOP]
    return tuple({term.match: term for term in telling or written}.values())[:MOST_TERMS]


def plain_term(word: str) -> Term:
    """A single word without figures, in all of its forms, as a query has it that does not quote it."""
    stem = _stem(word)
    return Term(word, _any_spelling(stem, "*" if len(stem) >= _SHORTEST else ""), stem)


def pattern(text: str) -> str:
    """A regular expression for the text as it stands, however its umlauts are spelt and in whatever encoding.

    It is escaped by naming no sign at all: what is no letter or figure may be any character.
    """
    parts = _UMLAUT.split(text)
    return "..?".join("".join(c if c.isalnum() else "." for c in part) for part in parts)


def either(terms: tuple[Term, ...], words: tuple[str, ...]) -> str:
    """What matches one of the terms or of the other words."""
    others = [term for word in words if (term := _term(word, True)) is not None]
    return f"({any_of(term.match for term in (*terms, *others))})"


def _term(written: str, phrase: bool) -> Term | None:
    words = _WORD.findall(written.replace("_", " "))
    if not words:
        return None
    shown = " ".join(words)
    if not phrase and (names := spellings(shown)):
        either_name = any_of(_any_spelling(name, "") for name in names)
        return Term(shown, f"({either_name})", shown, names)
    # What is quoted, and what has parts or figures (BPM-12, 3.5), is meant as it stands.
    if phrase or len(words) > 1 or any(c.isdigit() for c in shown):
        return Term(written.strip(".,;:!?()"), _any_spelling(shown, ""), max(words, key=len))
    return plain_term(shown)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.casefold().endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            left = word[: -len(ending)]
            # Of "tripped" the trip.
            doubled = len(left) > _SHORTEST and left[-1] == left[-2] and left[-1] in _DOUBLED
            return left[:-1] if doubled else left
    return word


def _any_spelling(text: str, mark: str) -> str:
    low = text.casefold()
    spellings = {text, low}
    for two, one in (("ae", "a"), ("oe", "o"), ("ue", "u"), ("ss", "ß")):
        spellings |= {each.replace(two, one) for each in spellings if two in each}
    for one, two in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
        spellings |= {each.replace(one, two) for each in spellings if one in each}
    # The index does not tell case and accents apart: one of each that differs otherwise.
    distinct = sorted({each.lower() for each in spellings})[:8]
    parts = [f"{phrase(each)}{mark}" for each in distinct]
    return parts[0] if len(parts) == 1 else f"({any_of(parts)})"
