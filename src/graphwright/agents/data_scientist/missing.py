"""What a question asks for that is not in the data: words where a column must be named, and that name none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.meanings import is_quantity
from graphwright.agents.data_scientist.prose import OTHERS, is_prose, is_unit, without_turns
from graphwright.agents.data_scientist.reading import Named, Reader, Token, is_content, said, within
from graphwright.agents.data_scientist.slots import Slot, slots_of
from graphwright.agents.data_scientist.translations import english_for
from graphwright.agents.data_scientist.words import (
    CALENDAR,
    COMMON,
    GENERAL,
    ORDER,
    ROWS,
    STATISTICS,
    SYNONYMS,
    TIME_UNITS,
    bases,
    listed,
    stem,
)

_VERB = re.compile(
    r"(?:.*(?:ed|s)|got|get|sold|bought|made|brought|had|have|paid|spent|won|lost|ran|grew|fell|rose|can|could|should|"
    r"would|will|may|might|best|worst|most|least|drive|explain|predict|matter|correlate|put|come|went)",
    re.IGNORECASE,
)

_ROLES: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (
        listed("employee worker colleague staff"),
        listed("employee worker staff hired hire hiring salary wage pay bonus dept department job employment"),
    ),
    (
        listed("salesperson salesman seller clerk cashier waiter waitress"),
        listed("seller salesperson rep clerk waiter"),
    ),
    (listed("doctor physician surgeon nurse dentist"), listed("doctor physician surgeon nurse provider dr")),
    (
        listed("supplier vendor manufacturer maker producer"),
        listed("supplier vendor manufacturer maker producer brand"),
    ),
    (listed("teacher professor tutor"), listed("teacher professor tutor instructor")),
    (listed("driver courier carrier"), listed("driver courier carrier")),
    (listed("hospital clinic"), listed("hospital clinic")),
    (listed("manager boss"), listed("manager boss supervisor lead")),
    (listed("author writer publisher"), listed("author writer publisher")),
)
"""Who acts on what a row is about, and the parts of names by which the data may know them."""

_OF_ANOTHER_KIND = listed(
    """
    shipping delivery postage freight insurance exchange return refund review rental heating fuel breakfast storage
    labour labor marketing advertising production shoe postal zip phone telephone email e-mail
    """
)
"""What makes another quantity of a cost, a rate, a time, a size or a number when it stands before it."""


def is_sure(text: str) -> bool:
    """Whether a column for these words surely is missing, where code knows of none.

    They are a quantity of everyday, something that code has other words for, or who acts on something, in English or
    another language.
    """
    lows = text.casefold().replace("’", "'").split()
    meant = [each for low in lows for way in english_for(low) for each in way]
    return any(is_quantity(low) or is_known(low) or low in _OF_ANOTHER_KIND for low in (*lows, *meant)) or any(
        stem(low) in names for low in lows for names, _ in _ROLES
    )


def is_known(low: str) -> bool:
    """Whether code has other words for a word: those it would have found."""
    return low not in _JUDGES and any(form in group for form in (low, stem(low)) for group in SYNONYMS)


_JUDGES = listed("rich poor big large larger high light long use f m")
"""What is said of very different things."""


def missing_in(reader: Reader) -> Iterator[str]:
    """What stands where a column must be named, and is none."""
    seen: set[str] = set()
    places = slots_of(reader.question, foreign=reader.foreign)
    found = (_missing_in_foreign(reader, slot) if reader.foreign else _missing_in(reader, slot) for slot in places)
    for text in [*found, *([] if reader.foreign else [*_of_another_kind(reader), *_phone(reader)])]:
        if text and stem(text) not in seen:
            seen.add(stem(text))
            yield text


def unknown_in(reader: Reader) -> Iterator[str]:
    """Words that mean nothing in this data: of an English question all, of another those where a column is named."""
    if reader.foreign:
        places = slots_of(reader.question, foreign=True)
        for token in (token for slot in places for token in within(reader.tokens, slot.start, slot.end)):
            if not (token.known or token.explained or english_for(token.text) or _foreign_passes(token.text)):
                yield token.text
        return
    dated = any(column.type in ("date", "datetime") for column in reader.columns)
    more = GENERAL | OTHERS | (TIME_UNITS | ORDER if dated else frozenset())
    text = without_turns(reader.question)
    for token in reader.tokens:
        if token.known or token.explained or not is_content(token.text) or text[token.start : token.end].isspace():
            continue
        low = token.text.casefold().replace("’", "'")
        if not is_prose(low) and not any(
            form in STATISTICS or form in COMMON or form in ROWS or form in more for form in (low, stem(low))
        ):
            yield token.text


def _missing_in(reader: Reader, slot: Slot) -> str:
    """What is missing in one place of an English question; empty where nothing is."""
    inside = within(reader.tokens, slot.start, slot.end)
    words = [token for token in inside if is_content(token.text)]
    quantity = [token for token in words if not (token.known or token.explained) and is_quantity(token.text)]
    if slot.kind == "measured" and quantity and not _is_named(reader, slot.begins):
        return said(reader, quantity[-1:] if any(token.known for token in words) else words)
    if not words or any(token.known or token.explained for token in [*inside, *in_brackets_after(reader, slot.end)]):
        return ""
    lows = [token.text.casefold() for token in words]
    if slot.kind == "measured" and _is_named(reader, slot.begins):
        return ""
    if slot.kind == "which two":
        return (
            ""
            if _VERB.fullmatch(lows[-1]) or len(words) < len(inside) or _pass_all(lows, reader)
            else said(reader, words)
        )
    if slot.kind == "which":
        role = next((known for names, known in _ROLES if stem(lows[0]) in names), None)
        if role is not None:
            return "" if _is_known(reader, role) else said(reader, words)
        if any(lows[0] in group for group in SYNONYMS) and not _is_time(lows[0]) and not names_its_rows(reader.columns):
            return said(reader, words)
        if names_its_rows(reader.columns) and not (_rows_are_named(reader) and not is_unit(lows[0])):
            return ""
    if slot.kind == "done":
        # "What share of them are students" asks for what the rows are, not whom it is about.
        plain = any(_passes(low, reader.columns) or low in COMMON for low in lows)
        return "" if plain or any(is_prose(low) and not is_unit(low) for low in lows) else said(reader, words)
    return "" if _pass_all(lows, reader) else said(reader, words)


def _pass_all(lows: Sequence[str], reader: Reader) -> bool:
    """Whether nothing of these words needs a column: one is a statistic, or all are units and turns of phrase."""
    if any(_passes(low, reader.columns) for low in lows):
        return True
    return all(is_prose(low) or is_unit(low) or low in OTHERS or low in COMMON for low in lows)


def _is_time(low: str) -> bool:
    return any(form in TIME_UNITS for form in (low, stem(low)))


def _rows_are_named(reader: Reader) -> bool:
    """Whether other words name the rows: the governor of "the state with the most murders" is none of them."""
    names = [c for c in reader.columns if c.type == "text" and not c.values]
    sure = [each.column for each in reader.named.values() if each.sure]
    return bool(names) and all(column in sure for column in names)


def _is_known(reader: Reader, parts: frozenset[str]) -> bool:
    said_of = [part for column in reader.columns for part in (*column.parts, column.dataset.casefold())]
    return any(stem(part) in parts or part in parts for part in said_of)


def _of_another_kind(reader: Reader) -> Iterator[str]:
    """`shipping cost` where `cost` was taken for another column of money."""
    unknown = {word.casefold() for word in unknown_in(reader)}
    for before, token in zip(reader.tokens, reader.tokens[1:], strict=False):
        low = before.text.casefold()
        if before.known or before.explained or reader.question[before.end : token.start].strip():
            continue
        named = [each for each in reader.named.values() if each.said == token.text]
        if any(each.sure for each in named):
            continue
        other = low in _OF_ANOTHER_KIND and stem(token.text) in _HEADS
        if other or (_is_one_of_several(named) and low in unknown):
            yield said(reader, [before, token])


_PHONE = re.compile(r"\b(?:phone|telephone|mobile|fax)\s+numbers?\b", re.IGNORECASE)


def _phone(reader: Reader) -> Iterator[str]:
    """A number to call, where bookings by phone are all that the data knows of telephones."""
    found = _PHONE.search(reader.question)
    if found and not _is_known(reader, listed("phone telephone mobile tel fax contact")):
        yield found.group()


def _is_one_of_several(named: Sequence[Named]) -> bool:
    """Whether a word is a part of names that each say of what it is: the length of a petal, the length of a sepal."""
    parts = [{stem(part) for part in each.column.without_unit} - {stem(each.said)} for each in named]
    own = [some - STATISTICS for some in parts]
    return len(named) > 1 and all(own) and all(stem(each.said) in map(stem, each.column.parts) for each in named)


_HEADS = listed("cost price fee charge expense rate time date size number amount score code level value")


def _missing_in_foreign(reader: Reader, slot: Slot) -> str:
    """What is missing in one place of a German or French question, of words whose meaning is known."""
    tokens = within(reader.tokens, slot.start, slot.end)
    if any(token.known or token.explained for token in [*tokens, *in_brackets_after(reader, slot.end)]):
        return ""
    meant = [each for token in tokens for way in english_for(token.text) for each in way]
    if not meant or any(is_unit(each) or _passes(each, reader.columns) or each in _UNITS_TOO for each in meant):
        return ""
    return said(reader, tokens)


_UNITS_TOO = listed("employee person children room order booking night state station")


def _foreign_passes(word: str) -> bool:
    low = word.casefold()
    return low in STATISTICS or low in _LITTLE or len(low) < 3 or low.isdigit()


_LITTLE = listed(
    """
    wert werte werten zahl anzahl summe anteil prozent mittel durchschnitt spanne person personen zeile zeilen spalte
    kopf gruppe gruppen oben unten rechnung fall fälle zeitraum rechts links
    valeur valeurs nombre somme personne personnes ligne lignes groupe groupes rapport exemple heure taux
    """
)


def _is_named(reader: Reader, start: int) -> bool:
    """Whether the word at a place is a column's name: "each mode of travel" asks for no mode of anything."""
    word = next((token.text.casefold() for token in reader.tokens if token.start == start), "")
    return any(each.sure and each.said.casefold() == word for each in reader.named.values())


def in_brackets_after(reader: Reader, end: int) -> list[Token]:
    """What stands in brackets right behind a place: `waiting time (ttme)`."""
    found = re.compile(r"\s*\(([^)]{1,60})\)").match(reader.question, end)
    return within(reader.tokens, found.start(1), found.end(1)) if found else []


def names_its_rows(columns: Sequence[ColumnView]) -> bool:
    """Whether rows have a name or number of their own: then "which car" asks for a row, and `car` need be no column."""
    named = ("id", "key", "name", "title", "number", "nr", "index", "label", "model")
    return any(column.type == "text" and not column.values for column in columns) or any(
        part in named for column in columns for part in column.parts
    )


def _passes(low: str, columns: Sequence[ColumnView]) -> bool:
    """Whether a word may stand in the place of a column without being one."""
    if low in STATISTICS or stem(low) in STATISTICS or low in ROWS or low in GENERAL or low in OTHERS or low == "head":
        return True
    return any(form in TIME_UNITS | ORDER for form in bases(low)[:2]) and any(
        column.type in ("date", "datetime") or not CALENDAR.isdisjoint(column.parts) for column in columns
    )
