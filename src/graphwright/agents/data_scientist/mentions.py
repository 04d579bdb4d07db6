"""What a question names of the data, and what it asks for that is not there: decided by code, before any model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.meanings import is_quantity
from graphwright.agents.data_scientist.missing import missing_in, unknown_in
from graphwright.agents.data_scientist.naming import explained, meant_loosely, parts, short_names, values, whole_names
from graphwright.agents.data_scientist.reading import Named, NamedValue, Reader, is_content, reader_of
from graphwright.agents.data_scientist.words import ORDER, STATISTICS, TIME_UNITS, WORD, stem

_SAYS_WHEN = re.compile(r"\b(?:when|since|until|wann|seit|quand|depuis|1[5-9]\d\d|20\d\d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question names: columns, values, data sets; and `missing`, what it asks for that no column is.

    `unknown` are words of it that mean nothing here, `near` the columns that they may mean in a wide sense, `absent`
    says that one of them is a quantity of everyday, `times` that the question speaks of days, months, earlier or
    later, `foreign` that it is not English.
    """

    columns: tuple[Named, ...] = ()
    values: tuple[NamedValue, ...] = ()
    datasets: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    statistics: bool = False
    unknown: tuple[str, ...] = ()
    near: tuple[ColumnView, ...] = ()
    absent: bool = False
    times: bool = False
    foreign: bool = False

    @property
    def of_the_data(self) -> bool:
        """Whether something of the data is named at all."""
        return bool(self.columns or self.values or self.datasets)


def read(question: str, columns: Sequence[ColumnView], datasets: Mapping[str, str]) -> Mentions:
    """What the question names of these columns, and of the data sets (their names by id)."""
    reader = reader_of(question, columns)
    whole_names(reader)
    values(reader)
    short_names(reader)
    parts(reader)
    explained(reader)
    known_sets = _datasets(reader, datasets)
    missing = tuple(missing_in(reader))
    unknown = tuple(dict.fromkeys(unknown_in(reader)))
    said = {form for t in reader.tokens for form in (t.text.casefold(), stem(t.text))}
    return Mentions(
        columns=tuple(reader.named.values()),
        values=tuple(reader.values),
        datasets=known_sets,
        missing=missing,
        statistics=any(t.text.casefold() in STATISTICS or stem(t.text) in STATISTICS for t in reader.tokens),
        times=not said.isdisjoint(TIME_UNITS | ORDER | {"first", "last"}) or _SAYS_WHEN.search(question) is not None,
        unknown=unknown,
        near=tuple(meant_loosely(unknown, columns)),
        absent=any(map(is_quantity, unknown)),
        foreign=reader.foreign,
    )


def _datasets(reader: Reader, datasets: Mapping[str, str]) -> tuple[str, ...]:
    found = []
    for id, name in datasets.items():
        words = {stem(word) for text in (id, name.rsplit(".", 1)[0]) for word in WORD.findall(text.replace("_", " "))}
        hits = [token for token in reader.tokens if stem(token.text) in words and is_content(token.text)]
        if hits:
            found.append(id)
            for token in hits:
                token.known = True
    return tuple(found)
