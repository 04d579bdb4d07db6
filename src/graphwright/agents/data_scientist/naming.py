"""Which columns and values the words of a question name: by names, parts of them, short names and other words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import pairwise

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.meanings import columns_meant, means_part
from graphwright.agents.data_scientist.prose import is_unit
from graphwright.agents.data_scientist.reading import NamedValue, Reader, Token, is_content, runs, said, within
from graphwright.agents.data_scientist.short_names import LONGEST_SHORT_NAME, is_form, letters_of, shortens, spells
from graphwright.agents.data_scientist.translations import english_for, stripped
from graphwright.agents.data_scientist.words import (
    DAYS,
    FUNCTION_WORDS,
    MONTHS,
    STATISTICS,
    SYNONYMS,
    TIME_UNITS,
    WORD,
    alike,
    bases,
    listed,
    stem,
)

LONGEST_NAME = 6
"""Words of a question that are compared with a name at once."""

_MOST_COMPARED = 500
"""Names that a misspelt word is compared with."""

_MOST_MEANT = 20
"""Columns that one word may mean by a part of their names."""


def whole_names(reader: Reader) -> None:
    """Columns whose whole name is said: as it stands, in other case or number, in one word, or with a typo."""
    exact: dict[tuple[str, ...], list[ColumnView]] = {}
    joined: dict[str, list[ColumnView]] = {}
    for column in reader.columns:
        for parts in {tuple(map(stem, column.parts)), tuple(map(stem, column.without_unit))} - {()}:
            exact.setdefault(parts, []).append(column)
            joined.setdefault("".join(parts), []).append(column)
    near = _Near(joined)
    stems_of = {token.text: stem(token.text) for token in reader.tokens}
    for run in runs(reader.tokens, LONGEST_NAME):
        stems = tuple(stems_of[token.text] for token in run)
        found = exact.get(stems) or joined.get("".join(stems), [])
        if found and len(run) == 1 and not _name_like(reader, run[0], found):
            continue
        if not found and not any(s in STATISTICS for s in stems):
            content = is_content(run[-1].text) and is_content(run[0].text)
            typo = joined.get(near.to("".join(stems)), []) if content else []
            # Of several words the last begins as the name's last does: "patients died" is no patient_id.
            found = [c for c in typo if len(run) == 1 or stem(c.parts[-1])[:1] == stems[-1][:1] or len(c.parts) == 1]
        if found and not all(token.known for token in run):
            for column in found:
                reader.name(column, said(reader, run), sure=True, wanted=_wanted(reader, run, column))
            for token in run:
                token.known = True


_GROUPS = re.compile(r"\b(?:by|per|each|every|across|between|against|vs\.?|versus|on|of)\s+(?:the\s+)?$", re.IGNORECASE)


_COUNTED = re.compile(
    r"\b(?:many|number of|average|mean|total|sum of|most|fewest|median)\s+(?:the\s+)?$", re.IGNORECASE
)


_SPAN = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|first|last|over the|through the|all|many)\s+$",
    re.IGNORECASE,
)


def _wanted(reader: Reader, run: Sequence[Token], column: ColumnView) -> bool:
    before = reader.question[: run[0].start]
    if len(run) == 1 and is_unit(run[0].text) and not _COUNTED.search(before):
        # The guests of "how long do guests stay" are whom it is about.
        return bool(_GROUPS.search(before))
    if len(run) == 1 and stem(run[0].text) in TIME_UNITS and _SPAN.search(before):
        return False
    return column.type in ("integer", "number") or bool(_GROUPS.search(before))


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


def _name_like(reader: Reader, token: Token, found: Sequence[ColumnView]) -> bool:
    """Whether one word that is also an everyday word means a column: `x`, `in`, `class`, `mean`, `count`."""
    low = token.text.casefold()
    if low in FUNCTION_WORDS or (low in STATISTICS and len(low) == 1):
        return token.quoted or (any(column.name == token.text for column in found) and not token.text.islower())
    return True


def values(reader: Reader) -> None:
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
            for run in runs(reader.tokens, len(words)):
                if len(run) != len(words) or not all(map(_same_value, (t.text for t in run), words)):
                    continue
                if len(words) == 1 and not (is_content(run[0].text) and words[0] not in STATISTICS):
                    continue
                reader.values.append(NamedValue(column, value, said(reader, run)))
                for token in run:
                    token.known = True
                break
    _misspelt_values(reader)


def _misspelt_values(reader: Reader) -> None:
    """Values of one long word that a word of the question is but for a typo: `buisness`."""
    by_value = {value.casefold(): (column, value) for column in reader.columns for value in column.values}
    near = _Near(value for value in by_value if len(value) > 6 and value.isalpha())
    for token in reader.tokens:
        low = token.text.casefold()
        if not token.known and len(low) > 6 and is_content(low) and low not in STATISTICS and (said_as := near.to(low)):
            column, value = by_value[said_as]
            reader.values.append(NamedValue(column, value, token.text))
            token.known = True


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


def parts(reader: Reader) -> None:
    """Columns of whose name only a part is said, or a word that may stand for it: `bill` for total_bill, `cost`."""
    by_part: dict[str, list[ColumnView]] = {}
    for column in reader.columns:
        for part in dict.fromkeys(map(stem, column.parts)):
            by_part.setdefault(part, []).append(column)
    _two_parts(reader, by_part)
    known: dict[str, list[ColumnView]] = {}
    for token in reader.tokens:
        low = token.text.casefold()
        if token.known or not (is_content(low) or low in ("old", "long", "many")):
            continue
        if low not in known:
            known[low] = _meant_by(low, by_part, reader)
        for column in known[low][:_MOST_MEANT]:
            reader.name(column, token.text)
        token.known = token.known or bool(known[low])


def _meant_by(low: str, by_part: Mapping[str, list[ColumnView]], reader: Reader) -> list[ColumnView]:
    """The columns that one word may mean; of another language by what it is in English."""
    if not reader.foreign:
        return _by_part(low, by_part) or columns_meant(low, reader.columns)
    for way in english_for(low):
        words = [word for each in way for word in each.split()]
        each = [
            {(c.dataset, c.name): c for c in _by_part(w, by_part) or columns_meant(w, reader.columns)} for w in words
        ]
        both = [column for key, column in each[0].items() if all(key in other for other in each[1:])]
        short = [column for column in reader.columns if spells([(word,) for word in words], letters_of(column.name))]
        if found := both or short:
            return found
    if english_for(low):
        return by_part.get(stem(low), [])
    plain = stripped(low)
    return (_by_part(low, by_part) or _by_part(plain, by_part)) if is_content(low) else []


def _two_parts(reader: Reader, by_part: Mapping[str, list[ColumnView]]) -> None:
    """The one column that has two words side by side in its name, whatever else it has: `longest petals`."""
    meant: dict[str, set[str]] = {}

    def parts_of(word: str) -> set[str]:
        if word not in meant:
            plain = stem(word)
            meant[word] = {plain} if plain in by_part else {part for part in by_part if alike(word, part)}
        return meant[word]

    for one, other in pairwise(reader.tokens):
        if one.known or other.known or not (is_content(one.text) and is_content(other.text)):
            continue
        found = {
            (column.dataset, column.name): column
            for first in parts_of(one.text.casefold())
            for column in by_part[first]
            for second in parts_of(other.text.casefold()) - {first}
            if second in map(stem, column.parts)
        }
        if len(found) == 1:
            (column,) = found.values()
            reader.name(column, said(reader, [one, other]))
            one.known = other.known = True


def _by_part(low: str, by_part: Mapping[str, list[ColumnView]]) -> list[ColumnView]:
    """The columns that a word may mean by a part of their names, the plainest way first."""
    if len(stem(low)) > 1 and (found := by_part.get(stem(low))):
        return found
    if stem(low) in STATISTICS:
        return []
    ways: list[Callable[[str], bool]] = [lambda part: alike(low, part), lambda part: _is_short_for(part, low)]
    if len(low) >= 4:
        # foodexp for food expenditure: a name written in one word.
        ways.append(lambda part: len(part) > len(low) and part.startswith(low))
        # worldconsumption for consumption.
        ways.append(lambda part: len(low) >= 6 and part.endswith(stem(low)))
        ways.append(lambda part: any(is_form(form, part) for form in bases(low)))
    if len(low) >= 5:
        # dep for department, bill_len: an abbreviation begins like the word.
        ways.append(lambda part: len(part) >= 3 and low.startswith(part))
    if len(low) >= 6:
        ways.append(lambda part: len(part) >= 5 and _close(stem(low), part))
    for way in ways:
        found = [column for part, some in by_part.items() if way(part) for column in some]
        if low in _WHEN:
            # The day in sick_days is no date.
            found = [column for column in found if column.type in ("date", "datetime") or len(column.parts) == 1]
        if found:
            return found
    return []


_WHEN = listed("date dates time times when day")


_BEFORE = re.compile(r"(?:tot|total|avg|av|mean|med|min|max|pct|perc|per|num|cnt|log|real|sum)(?P<rest>[a-z]{3,})")


def _is_short_for(part: str, word: str) -> bool:
    """Whether a name in one word is a statistic of what the word says: totemp for employment."""
    found = _BEFORE.fullmatch(part)
    if found is None:
        return False
    rest = found["rest"]
    return any(alike(form, rest) or means_part(form, rest) or shortens(rest, form) for form in bases(word))


def _close(one: str, other: str) -> bool:
    return one[:1] == other[:1] and SequenceMatcher(None, one, other).ratio() >= 0.85


_LONGEST_SHORT = 4
"""Words that one short name is made of."""


def short_names(reader: Reader) -> None:
    """Columns whose names are put together of the beginnings of words side by side: `household income` for hinc."""
    content = [token for token in reader.tokens if is_content(token.text)]
    some = [(column, letters_of(column.name)) for column in reader.columns if len(column.name) <= LONGEST_SHORT_NAME]
    also = {token.text: _ways(token.text, foreign=reader.foreign) for token in content}
    for run in runs(content, _LONGEST_SHORT):
        if len(run) < 2 or all(token.known for token in run) or _is_apart(reader, run):
            continue
        if all(stem(token.text) in STATISTICS for token in run):
            continue
        words = [also[token.text] for token in run]
        initials = {way[0] for ways in words for way in ways}
        found = [(c, letters) for c, letters in some[:_MOST_COMPARED] if letters[:1] in initials]
        for column, letters in found:
            if spells(words, letters) or _is_initialled(words, letters):
                reader.name(column, said(reader, run))
                for token in run:
                    token.known = True


def _is_initialled(words: Sequence[Sequence[str]], letters: str) -> bool:
    """Whether a name ends in the initials of two words, one between left out: realdpi, disposable personal income."""
    rest = letters.removeprefix("real")
    return len(words) == 2 and rest != letters and len(rest) == 3 and rest[::2] == words[0][0][0] + words[1][0][0]


def _ways(word: str, *, foreign: bool) -> tuple[str, ...]:
    """A word, its plain form, and other words for it."""
    low = word.casefold().removesuffix("'s").removesuffix("’s")
    forms = list(dict.fromkeys([stem(low), low]))
    if foreign:
        forms += [way[0] for way in english_for(word) if len(way) == 1]
    groups = [group for group in SYNONYMS if any(form in group for form in bases(low))]
    return tuple(dict.fromkeys([*forms, *sorted(other for group in groups for other in group)]))


def _is_apart(reader: Reader, run: Sequence[Token]) -> bool:
    """Whether words do not belong together: a sign or more than little words are between them."""
    between = [reader.question[one.end : other.start] for one, other in pairwise(run)]
    return any(
        re.search(r"[^\w\s'’/-]|\b(?:and|or|by|per|vs|with|und|oder|et|je|pro|nach|par)\b", gap) for gap in between
    )


_BEHIND = re.compile(r"\s*[(\[\"“]([^)\]\"”]{1,60})[)\]\"”]")


def explained(reader: Reader) -> None:
    """Mark the words before brackets or quotes that name a column: these say what is meant by them."""
    sure = {each.said for each in reader.named.values() if each.sure}
    for place, token in enumerate(reader.tokens):
        found = _BEHIND.match(reader.question, token.end)
        inside = within(reader.tokens, found.start(1), found.end(1)) if found else []
        if not any(each.known and each.text in sure for each in inside):
            continue
        for before in reversed(reader.tokens[: place + 1]):
            gap = reader.question[before.end : token.start]
            if (before is not token and re.search(r"[.,;:?!()]", gap)) or before.text.casefold() in _ENDS_BEFORE:
                break
            before.explained = True


_ENDS_BEFORE = listed("and or by per vs versus with is are was were do does did for each than between what which how")


_LOOSELY = tuple(
    listed(group)
    for group in (
        "urban rural city town metropolitan live living",
        "date day time when month year quarter earlier later before after since old new age",
        "amount price cost value total money sum expensive cheap worth big invest",
        "quantity count number units many",
        "name customer client buyer person people shopper",
        "rating happy happiness satisfied score better best unhappy",
        "volume flow river water discharge level",
        "vote voter voting party supporter support democrat republican win",
        "amount spend sold sell sale take make earn",
    )
)
"""Words that may have to do with each other, though none of them is another word for one of them."""


def meant_loosely(unknown: Sequence[str], columns: Sequence[ColumnView]) -> list[ColumnView]:
    """The columns that words may mean in a wide sense."""
    groups = [[group for group in _LOOSELY if not group.isdisjoint(bases(word))] for word in unknown]
    if not all(groups):
        # What is wholly unknown makes another thing of the rest: the cost of shipping is no amount of an order.
        return []
    near = frozenset(word for some in groups for group in some for word in group)
    return [column for column in columns if not near.isdisjoint(column.parts)]
