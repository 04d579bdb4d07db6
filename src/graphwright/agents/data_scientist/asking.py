"""What a question asks of which table: its measures, groups, dates and values in the order in which it names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.joining import Joined
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.words import CALENDAR, PLOTTING, listed

_KEYS = listed("id key nr no number code zip index")
_BY = r"(?:\b(?:by|per|each|every|across|between|among|pro|je|jede[nrms]?|nach|par|chaque|one \w+)\s+)"
_FILLER = r"(?:(?:the|der|die|das|den|of|all|la|le|les|different|single|einzelnen?)\s+)*"

AVERAGE = re.compile(
    r"\b(?:average|averages|avg|mean|typical\w*|durchschnitt\w*|mittel\w*|mittlere\w*|moyen\w*)\b", re.I
)
MEDIAN = re.compile(r"\bmedian\w*|\bm[ée]diane?\b", re.I)
COUNTING = re.compile(
    r"\b(?:how many|number of|count(?:s|ed)?(?!\s+(?:each|every\w*|them|all|once|only)\b)|wie ?viele|anzahl|combien)\b",
    re.I,
)
TOTAL = re.compile(
    r"\b(?:total\w*|sum\w*|add(?:ed)? up|altogether|overall|revenue\w*|turnover\w*|sales|sold|takings|earn\w*|"
    r"spen[dt]\w*|invest\w*|insgesamt|gesamt\w*|summe\w*|umsatz\w*|umsätze\w*|verkauf\w*|einnahmen)\b",
    re.I,
)
PERCENT = re.compile(
    r"%|\b(?:per ?cent|percents?|percentages?|share|proportion|fraction|what part of|prozent\w*|anteil\w*|pourcentage|"
    r"part des?)\b",
    re.I,
)
TEST = re.compile(
    r"\b(?:t-?tests?|p-?values?|p-?werte?s?|true mean|null hypothesis|hypothes[ei]s)\b"
    r"|\b(?:significan(?:t|tly|ce)|signifikan\w*)\b(?!\s+(?:digits?|figures?|decimals?|stellen))",
    re.I,
)


@dataclass(slots=True)
class Asking:
    """A question with the one table that it is about.

    `table` is the expression of that table in code, empty where it is not certain; `here` are its columns. `numbers`
    are the measures that the question names, each by words that name no other one; `texts` the columns of texts.
    """

    question: str
    named: Mentions
    columns: Sequence[ColumnView]
    joined: Joined | None
    joins: Sequence[Join]
    table: str = field(init=False, default="")
    here: list[ColumnView] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        sets = list(dict.fromkeys(column.dataset for column in self.columns))
        if self.joined is not None:
            self.table = "df"
            self.here = [c for c in self.columns if c.name in self.joined.columns and c.dataset in self._in_join()]
        elif len(sets) == 1:
            self.table, self.here = "df", list(self.columns)
        else:
            meant = {each.column.name for each in self.named.columns} | {each.column.name for each in self.named.values}
            whole = [id for id in sets if meant and meant <= {c.name for c in self.columns if c.dataset == id}]
            if len(whole) == 1:
                self.table = f"datasets[{quoted(whole[0])}]"
                self.here = [c for c in self.columns if c.dataset == whole[0]]

    def _in_join(self) -> set[str]:
        assert self.joined is not None
        return {self.joined.base, *self.joined.others}

    def asks(self, pattern: str) -> bool:
        """Whether these words are in the question."""
        return re.search(pattern, self.question, re.IGNORECASE) is not None

    @property
    def figure(self) -> bool:
        """Whether a picture is asked for."""
        return PLOTTING.search(self.question) is not None

    def place(self, said: str) -> int:
        """Where words of the question stand."""
        return self.question.find(said)

    def _named(self, *types: str) -> list[tuple[ColumnView, int, str]]:
        """The columns of these types that are named for certain, with the place and the words, in their order."""
        by_said: dict[str, list[ColumnView]] = {}
        sure = {each.said for each in self.named.columns if each.sure}
        there = {c.name: c for c in self.here}
        for each in self.named.columns:
            if each.column.name in there and (each.sure or each.said not in sure):
                by_said.setdefault(each.said, []).append(there[each.column.name])
        found: dict[str, tuple[ColumnView, int, str]] = {}
        for said, some in by_said.items():
            names = {c.name: c for c in some if c.type in types and not _is_key(c) and _is_plain(c.name)}
            if len(names) == 1:
                ((name, column),) = names.items()
                place = self.place(said)
                if name not in found or place < found[name][1]:
                    found[name] = (column, place, said)
        return sorted(found.values(), key=lambda each: each[1])

    @property
    def numbers(self) -> list[ColumnView]:
        """The measures that are named."""
        return [column for column, _, _ in self._named("integer", "number") if not _is_calendar(column)]

    @property
    def texts(self) -> list[ColumnView]:
        """The columns of texts that are named."""
        return [column for column, _, _ in self._named("text", "boolean")]

    @property
    def years(self) -> ColumnView | None:
        """The one column of years as numbers."""
        found = [c for c in self.here if c.type in ("integer", "number") and {"year", "yr", "jahr"} & set(c.parts)]
        return found[0] if len(found) == 1 else None

    @property
    def dates(self) -> list[ColumnView]:
        """The columns of dates in the table."""
        return [c for c in self.here if c.type in ("date", "datetime")]

    @property
    def date(self) -> ColumnView | None:
        """The one column of dates that is meant: the only one of the table, or of what others are joined to."""
        found = self.dates
        if len(found) > 1 and (named := [c for c, _, _ in self._named("date", "datetime")]):
            found = named
        if len(found) > 1 and self.joined is not None:
            found = [c for c in found if c.dataset == self.joined.base]
        return found[0] if len(found) == 1 else None

    @property
    def group(self) -> ColumnView | None:
        """The column by which the question makes groups: `per region`, `for each party (PID)`."""
        for column, place, _ in self._named("text", "boolean", "integer", "number"):
            # "Each extra point of income" makes no groups.
            words = r"(?:\w+\s+){0,2}\(?" if column.type in ("text", "boolean") else ""
            if re.search(rf"{_BY}{_FILLER}{words}$", self.question[:place], re.I):
                return column
        return None

    @property
    def measure(self) -> ColumnView | None:
        """The one measure that is named and makes no groups."""
        group = self.group
        found = [c for c in self.numbers if group is None or c.name != group.name]
        if len(found) > 1:
            sure = {each.column.name for each in self.named.columns if each.sure}
            found = [c for c in found if c.name in sure]
        return found[0] if len(found) == 1 else None

    @property
    def values(self) -> list[tuple[ColumnView, str, int]]:
        """The values of this table that are named, each by words that name no value of another column."""
        by_said: dict[str, dict[tuple[str, str], ColumnView]] = {}
        there = {c.name: c for c in self.here}
        for each in self.named.values:
            if each.column.name in there:
                by_said.setdefault(each.said, {})[each.column.name, each.value] = there[each.column.name]
        found = [
            (column, value, self.place(said))
            for said, some in by_said.items()
            if len(some) == 1
            for (_, value), column in some.items()
            if _is_plain(value) and _is_plain(column.name)
        ]
        return sorted(found, key=lambda each: each[2])

    @property
    def of_two(self) -> tuple[ColumnView, tuple[str, str]] | None:
        """A column with the two of its values that are compared: those that are named, or the only two of a group."""
        by_column: dict[str, list[str]] = {}
        there = {c.name: c for c in self.here}
        for column, value, _ in self.values:
            by_column.setdefault(column.name, []).append(value)
        pairs = [(there[name], some) for name, some in by_column.items() if len(set(some)) == 2]
        if len(pairs) == 1:
            (column, some) = pairs[0]
            one, other = dict.fromkeys(some)
            return column, (one, other)
        if pairs or self.values:
            return None
        two = [c for c in self.texts if len(c.values) == 2]
        return (two[0], (two[0].values[0], two[0].values[1])) if len(two) == 1 else None

    def of(self, column: ColumnView | str) -> str:
        """A column of the table, as code."""
        name = column if isinstance(column, str) else column.name
        return f"{self.table}[{quoted(name)}]"

    def measuring(self) -> str:
        """The method by which a measure is made one number of many: as the question says, else its sum or its mean."""
        if AVERAGE.search(self.question):
            return "mean"
        if MEDIAN.search(self.question):
            return "median"
        return "sum" if TOTAL.search(self.question) else "mean"


def _is_plain(text: str) -> bool:
    """Whether a text of the data can stand in code, formulas and titles as it is."""
    return text.isprintable() and len(text) <= 80 and not {"'", '"', "\\"} & set(text)


def _is_key(column: ColumnView) -> bool:
    return column.type == "integer" and bool(_KEYS & set(column.parts))


def _is_calendar(column: ColumnView) -> bool:
    return bool((CALENDAR | {"quarter", "day", "week", "hour"}) & set(column.parts))


def quoted(text: str) -> str:
    """A text as it is written in code."""
    return f'"{text}"' if text.isprintable() and not {'"', "\\"} & set(text) else repr(text)


def formula_name(column: ColumnView) -> str:
    """A column as it is written in a formula."""
    return column.name if column.name.isidentifier() else f"Q('{column.name}')"
