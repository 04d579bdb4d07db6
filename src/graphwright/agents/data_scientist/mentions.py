"""What a question names of the data, and what it asks for that is not there: decided by code, before any model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from itertools import pairwise

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.meanings import columns_meant
from graphwright.agents.data_scientist.words import (
    COMMON,
    DAYS,
    FUNCTION_WORDS,
    GENERAL,
    MONTHS,
    ORDER,
    ROWS,
    STATISTICS,
    TIME_UNITS,
    WORD,
    alike,
    is_english,
    listed,
    stem,
)

CALENDAR = listed("date year yr month timestamp decade")
"""Parts of names of columns by which rows can be put into days, months or years."""

LONGEST_NAME = 6
"""Words of a question that are compared with a name at once."""

_MOST_COMPARED = 500
"""Names that a misspelt word is compared with."""

_MOST_MEANT = 20
"""Columns that one word may mean by a part of their names."""


@dataclass(frozen=True, slots=True)
class Named:
    """A column that the words `said` name; `sure` where they are its name but for case, plural or a typo.

    `wanted` says that no answer can do without it: it is measured, or groups are made by it. What "drinks" names may be
    no more than what the rows are about.
    """

    column: ColumnView
    said: str
    sure: bool
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value of a column that the words `said` name."""

    column: ColumnView
    value: str
    said: str


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question names: columns, values, data sets; and `missing`, what it asks for that no column is.

    `unknown` are words of it that mean nothing here, `times` says that it speaks of days, months, earlier or later.
    Of a question that is not English only names are read: `foreign`.
    """

    columns: tuple[Named, ...] = ()
    values: tuple[NamedValue, ...] = ()
    datasets: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    statistics: bool = False
    unknown: tuple[str, ...] = ()
    times: bool = False
    foreign: bool = False

    @property
    def of_the_data(self) -> bool:
        """Whether something of the data is named at all."""
        return bool(self.columns or self.values or self.datasets)


@dataclass(slots=True)
class _Token:
    text: str
    start: int
    end: int
    known: bool = False
    quoted: bool = False


@dataclass(slots=True)
class _Reader:
    question: str
    columns: Sequence[ColumnView]
    tokens: list[_Token] = field(default_factory=list)
    named: dict[tuple[str, str], Named] = field(default_factory=dict)
    values: list[NamedValue] = field(default_factory=list)


_QUOTED = re.compile(r"`([^`\n]{1,120})`|“([^”\n]{1,120})”|\"([^\"\n]{1,120})\"|(?<![\w])'([^'\n]{1,120})'(?![\w])")

_ENDS = (
    "of for by per in on at among across between within over is are was were do does did and or vs versus against with "
    "without when where who that which whose from using than to as have has had if it they be depend depends differ "
    "differs change changes vary varies above below under only compare compared each should"
)
_STOP = rf"(?=\s*(?:[,.;:?!()]|$)|\s+(?:{'|'.join(_ENDS.split())})\b)"
_PHRASE = r"(?P<slot>[^,.;:?!()\n]{1,60}?)" + _STOP

_MEASURES = (
    r"average|mean|median|modal|mode|total|sum|maximum|max|minimum|min|highest|lowest|largest|smallest|biggest|"
    r"standard deviation|std|variance|range|quartiles?|percentiles?|skewness|kurtosis|outliers?|share|proportion|"
    r"distribution|histogram|box ?plot|violin plot|density|trend|missing values|unique values|number of unique|"
    r"cumulative sum"
)
_SLOTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # the average [of] X, the distribution of X
        rf"\b(?:{_MEASURES})\s+(?:(?:of|in|for)\s+)?(?:the\s+|each\s+|all\s+|its\s+|their\s+)*{_PHRASE}",
        # by X, per X, grouped by X, for each X
        rf"\b(?:(?:group(?:ed)?|broken down|split) by|by|per|for each|for every|across)\s+(?:the\s+|each\s+)*{_PHRASE}",
        # between X and Y: each of the two
        rf"\bbetween\s+(?:the\s+)?{_PHRASE}",
        rf"\bbetween\s+[^,.;:?!()\n]{{1,60}}?\s+and\s+(?:the\s+)?{_PHRASE}",
        # X vs Y
        rf"\b(?:vs\.?|versus|against)\s+(?:the\s+)?{_PHRASE}",
        r"(?:plot|scatter|chart|graph|of|compare|draw)\s+(?:the\s+)?(?P<slot>[\w '-]{1,40}?)\s+"
        r"(?:vs\.?|versus|against)\b",
        # predict X, correlate X with Y, does X depend on Y
        r"\b(?:predict|forecast|estimate|model|regress|correlate|plot|correlates? with|depends? on|related to|"
        rf"affected by|influenced by|sorted by|ranked by|explained by|driven by)\s+(?:the\s+)?{_PHRASE}",
        # in each X; I need the X; the most X one
        rf"\b(?:in|at|on|of|with|within)\s+(?:each|every)\s+{_PHRASE}",
        rf"\b(?:need|want)\s+(?:the|its|their)\s+{_PHRASE}",
        r"\b(?:most|least)\s+(?P<slot>[a-z]+(?:ive|ous|ful|able|ible|ular|ing))\b",
        # the X distribution
        r"\b(?P<slot>[\w-]{2,40})\s+(?:distribution|histogram|box ?plot|trend|column|variable|field|feature)s?\b",
        # the column X
        rf"\b(?:columns?|variables?|fields?|features?)\s+(?:called|named)\s+{_PHRASE}",
    )
)
_WHICH_TWO = re.compile(r"\b(?:which|what)\s+(?P<slot>[a-z-]{3,30}\s+[a-z-]{3,30})\s+\w+", re.IGNORECASE)
_VERB = re.compile(
    r"(?:.*(?:ed|s)|got|get|sold|bought|made|brought|had|have|paid|spent|won|lost|ran|grew|fell|rose|can|could|should|"
    r"would|will|may|might|best|worst|most|least|drive|explain|predict|matter|correlate)",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:which|what)\s+(?P<slot>[\w-]{3,30})\s+(?!of\b)[\w]+", re.IGNORECASE)


def read(question: str, columns: Sequence[ColumnView], datasets: Mapping[str, str]) -> Mentions:
    """What the question names of these columns, and of the data sets (their names by id)."""
    reader = _Reader(question, columns)
    reader.tokens = [
        _Token(found.group(), found.start(), found.end()) for found in WORD.finditer(question) if found.group() != "_"
    ]
    for found in _QUOTED.finditer(question):
        for token in _within(reader.tokens, found.start(), found.end()):
            token.quoted = True
    _whole_names(reader)
    _values(reader)
    _parts(reader)
    known_sets = _datasets(reader, datasets)
    foreign = not is_english(question)
    content = [] if foreign else [t for t in reader.tokens if _is_content(t.text)]
    said = {form for t in reader.tokens for form in (t.text.casefold(), stem(t.text))}
    dated = any(column.type in ("date", "datetime") for column in columns)
    says_nothing = GENERAL | (TIME_UNITS | ORDER if dated else frozenset())
    return Mentions(
        columns=tuple(reader.named.values()),
        values=tuple(reader.values),
        datasets=known_sets,
        missing=() if foreign else tuple(_missing(reader)),
        statistics=any(t.text.casefold() in STATISTICS or stem(t.text) in STATISTICS for t in reader.tokens),
        times=not said.isdisjoint(TIME_UNITS | ORDER | {"first", "last"}),
        unknown=tuple(
            dict.fromkeys(t.text for t in content if not t.known and not _says_nothing(t.text, says_nothing))
        ),
        foreign=foreign,
    )


def _within(tokens: Iterable[_Token], start: int, end: int) -> list[_Token]:
    return [token for token in tokens if token.start >= start and token.end <= end]


def _is_content(word: str) -> bool:
    low = word.casefold().replace("’", "'").split("'")[0]
    return low not in FUNCTION_WORDS and not low.isdigit() and len(low) > 1


def _content(token: _Token) -> bool:
    return _is_content(token.text)


def _says_nothing(word: str, more: frozenset[str]) -> bool:
    low = word.casefold()
    return any(w in STATISTICS or w in COMMON or w in ROWS or w in more for w in (low, stem(low)))


def _runs(tokens: Sequence[_Token], longest: int) -> Iterator[Sequence[_Token]]:
    for size in range(min(longest, len(tokens)), 0, -1):
        for start in range(len(tokens) - size + 1):
            yield tokens[start : start + size]


def _said(reader: _Reader, run: Sequence[_Token]) -> str:
    return reader.question[run[0].start : run[-1].end]


def _whole_names(reader: _Reader) -> None:
    """Columns whose whole name is said: as it stands, in other case or number, in one word, or with a typo."""
    exact: dict[tuple[str, ...], list[ColumnView]] = {}
    joined: dict[str, list[ColumnView]] = {}
    for column in reader.columns:
        for parts in {tuple(map(stem, column.parts)), tuple(map(stem, column.without_unit))} - {()}:
            exact.setdefault(parts, []).append(column)
            joined.setdefault("".join(parts), []).append(column)
    near = _Near(joined)
    stems_of = {token.text: stem(token.text) for token in reader.tokens}
    for run in _runs(reader.tokens, LONGEST_NAME):
        stems = tuple(stems_of[token.text] for token in run)
        found = exact.get(stems) or joined.get("".join(stems), [])
        if found and len(run) == 1 and not _name_like(reader, run[0], found):
            continue
        if not found and not any(s in STATISTICS for s in stems):
            content = _is_content(run[-1].text) and _is_content(run[0].text)
            found = joined.get(near.to("".join(stems)), []) if content else []
        if found and not all(token.known for token in run):
            for column in found:
                reader.named.setdefault(
                    (column.dataset, column.name), Named(column, _said(reader, run), True, _wanted(reader, run, column))
                )
            for token in run:
                token.known = True


_GROUPS = re.compile(r"\b(?:by|per|each|every|across|between|against|vs\.?|versus|on|of)\s+(?:the\s+)?$", re.IGNORECASE)


def _wanted(reader: _Reader, run: Sequence[_Token], column: ColumnView) -> bool:
    return column.type in ("integer", "number") or bool(_GROUPS.search(reader.question[: run[0].start]))


class _Near:
    """Names by how they begin and how long they are: only those that could be meant by a typo are compared."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[tuple[str, int], list[str]] = {}
        self._known: dict[str, str] = {}
        for name in names:
            self._names.setdefault((name[0], len(name)), []).append(name)

    def to(self, word: str) -> str:
        """The name that a word is but for a typo; empty where there is none."""
        if not 5 <= len(word) <= 60:
            return ""
        if word not in self._known:
            # A letter too many, one too few or another one: more is another word.
            sizes = range(len(word) - 1, len(word) + 2)
            some = [name for size in sizes for name in self._names.get((word[0], size), ())]
            found = get_close_matches(word, some[:_MOST_COMPARED], 1, 0.87)
            self._known[word] = found[0] if found else ""
        return self._known[word]


def _name_like(reader: _Reader, token: _Token, found: Sequence[ColumnView]) -> bool:
    """Whether one word that is also an everyday word means a column: `x`, `in`, `class`, `mean`, `count`."""
    low = token.text.casefold()
    if low in FUNCTION_WORDS or (low in STATISTICS and len(low) == 1):
        return token.quoted or (any(column.name == token.text for column in found) and not token.text.islower())
    return True


def _values(reader: _Reader) -> None:
    """Values of columns with few values: `on Sunday`, `smokers`, `first class`."""
    stems_said = {stem(token.text) for token in reader.tokens}
    beginnings = {said[:3] for said in stems_said}
    for column in reader.columns:
        for value in column.values:
            words = [word.casefold() for word in WORD.findall(value) if word != "_"]
            if not words or (len(words) == 1 and len(words[0]) < 2) or all(word in FUNCTION_WORDS for word in words):
                continue
            if value.replace(".", "").replace("-", "").isdigit():
                continue
            if words[0][:3] not in beginnings and not any(words[0] in group for group in _GENDERS):
                continue
            for run in _runs(reader.tokens, len(words)):
                if len(run) != len(words) or not all(map(_same_value, (t.text for t in run), words)):
                    continue
                if len(words) == 1 and not (_is_content(run[0].text) and words[0] not in STATISTICS):
                    continue
                reader.values.append(NamedValue(column, value, _said(reader, run)))
                for token in run:
                    token.known = True
                break


_GENDERS = (listed("female woman women girl girls lady ladies"), listed("male man men boy boys"))


def _same_value(said: str, value: str) -> bool:
    a, b = stem(said), stem(value)
    if a == b:
        return True
    for names in (DAYS, MONTHS):
        for name in names:
            if len(a) >= 3 and len(b) >= 3 and name.startswith(a) and name.startswith(b):
                return True
    return any(said.casefold() in group and value in group for group in _GENDERS)


def _parts(reader: _Reader) -> None:
    """Columns of whose name only a part is said, or a word that may stand for it: `bill` for total_bill, `cost`."""
    by_part: dict[str, list[ColumnView]] = {}
    for column in reader.columns:
        for part in dict.fromkeys(map(stem, column.parts)):
            by_part.setdefault(part, []).append(column)
    _two_parts(reader, by_part)
    known: dict[str, list[ColumnView]] = {}
    for token in reader.tokens:
        low = token.text.casefold()
        if token.known or not (_is_content(low) or low in ("old", "long", "many")):
            continue
        if low not in known:
            known[low] = _by_part(low, by_part) or columns_meant(low, reader.columns)
        for column in known[low][:_MOST_MEANT]:
            reader.named.setdefault((column.dataset, column.name), Named(column, token.text, False))
        token.known = token.known or bool(known[low])


def _two_parts(reader: _Reader, by_part: Mapping[str, list[ColumnView]]) -> None:
    """The one column that has two words side by side in its name, whatever else it has: `longest petals`."""
    meant: dict[str, set[str]] = {}

    def parts_of(word: str) -> set[str]:
        if word not in meant:
            plain = stem(word)
            meant[word] = {plain} if plain in by_part else {part for part in by_part if alike(word, part)}
        return meant[word]

    for one, other in pairwise(reader.tokens):
        if one.known or other.known or not (_is_content(one.text) and _is_content(other.text)):
            continue
        found = {
            (column.dataset, column.name): column
            for first in parts_of(one.text.casefold())
            for column in by_part[first]
            for second in parts_of(other.text.casefold()) - {first}
            if second in map(stem, column.parts)
        }
        if len(found) == 1:
            ((key, column),) = found.items()
            reader.named.setdefault(key, Named(column, _said(reader, [one, other]), False))
            one.known = other.known = True


def _by_part(low: str, by_part: Mapping[str, list[ColumnView]]) -> list[ColumnView]:
    """The columns that a word may mean by a part of their names, the plainest way first."""
    if len(stem(low)) > 1 and (found := by_part.get(stem(low))):
        return found
    if stem(low) in STATISTICS:
        return []
    ways: list[Callable[[str], bool]] = [lambda part: alike(low, part)]
    if len(low) >= 4:
        # foodexp for food expenditure: a name written in one word.
        ways.append(lambda part: len(part) > len(low) and part.startswith(low))
    if len(low) >= 5:
        # dep for department, bill_len: an abbreviation begins like the word.
        ways.append(lambda part: len(part) >= 3 and low.startswith(part))
    if len(low) >= 6:
        ways.append(lambda part: len(part) >= 5 and _close(stem(low), part))
    for way in ways:
        if found := [column for part, some in by_part.items() if way(part) for column in some]:
            return found
    return []


def _close(one: str, other: str) -> bool:
    return one[:1] == other[:1] and SequenceMatcher(None, one, other).ratio() >= 0.85


def _datasets(reader: _Reader, datasets: Mapping[str, str]) -> tuple[str, ...]:
    found = []
    for id, name in datasets.items():
        words = {stem(word) for text in (id, name.rsplit(".", 1)[0]) for word in WORD.findall(text.replace("_", " "))}
        hits = [token for token in reader.tokens if stem(token.text) in words and _is_content(token.text)]
        if hits:
            found.append(id)
            for token in hits:
                token.known = True
    return tuple(found)


def _missing(reader: _Reader) -> Iterator[str]:
    """What stands where a column must be named, and is none."""
    seen: set[str] = set()
    for pattern in (*_SLOTS, _WHICH_TWO, *([] if _names_its_rows(reader.columns) else [_WHICH])):
        for found in pattern.finditer(reader.question):
            start, end = found.span("slot")
            inside = _within(reader.tokens, start, end)
            if pattern is _SLOTS[0] and _is_named(reader, found.start()):
                continue
            if pattern is _WHICH_TWO and (_VERB.fullmatch(found["slot"].split()[-1]) or not all(map(_content, inside))):
                continue
            words = [token for token in inside if _is_content(token.text)]
            if not words or any(token.known for token in [*inside, *_in_brackets_after(reader, end)]):
                continue
            lows = [token.text.casefold() for token in words]
            if any(_passes(low, reader.columns) for low in lows):
                continue
            text = _said(reader, words)
            if stem(text) not in seen:
                seen.add(stem(text))
                yield text


def _is_named(reader: _Reader, start: int) -> bool:
    """Whether the word at a place is a column's name: "each mode of travel" asks for no mode of anything."""
    word = next((token.text.casefold() for token in reader.tokens if token.start == start), "")
    return any(each.sure and each.said.casefold() == word for each in reader.named.values())


def _in_brackets_after(reader: _Reader, end: int) -> list[_Token]:
    """What stands in brackets right behind a place: `waiting time (ttme)`."""
    found = re.compile(r"\s*\(([^)]{1,60})\)").match(reader.question, end)
    return _within(reader.tokens, found.start(1), found.end(1)) if found else []


def _names_its_rows(columns: Sequence[ColumnView]) -> bool:
    """Whether rows have a name or number of their own: then "which car" asks for a row, and `car` need be no column."""
    named = ("id", "key", "name", "title", "number", "nr", "index", "label", "model")
    return any(column.type == "text" and not column.values for column in columns) or any(
        part in named for column in columns for part in column.parts
    )


def _passes(low: str, columns: Sequence[ColumnView]) -> bool:
    """Whether a word may stand in the place of a column without being one."""
    if low in STATISTICS or stem(low) in STATISTICS or low in ROWS or low in GENERAL or low.isdigit():
        return True
    return low in TIME_UNITS | ORDER and any(
        column.type in ("date", "datetime") or not CALENDAR.isdisjoint(column.parts) for column in columns
    )
