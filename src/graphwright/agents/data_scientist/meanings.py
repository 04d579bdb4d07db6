"""What words mean that name no column: money, ages and beginnings in dates, and quantities made of several columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphwright.agents.data_scientist.short_names import shortens
from graphwright.agents.data_scientist.words import SYNONYMS, bases, listed

if TYPE_CHECKING:
    from graphwright.agents.data_scientist.columns import ColumnView

_TAKINGS = listed("proceeds revenue revenues sale sales spend spending spends spent takings turnover")
_MONEY = listed("cash dollar dollars earn earned earning earns euro euros money paid pay pays")
_WAGES = listed("compensation earnings income pay salary wage wages")
_PRICES = listed("price prices fare fares fee fees charge charges")
_AMOUNTS = listed(
    """
    amount amounts dollars eur euro euros paid payment payments proceeds revenue sales spend spending spent turnover usd
    """
)
_QUANTITIES = listed("amount bought count items number ordered pieces qty quantity quantities sold units")
_COSTS = listed("cost costs expense expenses")
_CURRENCIES = listed("eur euro euros usd dollar dollars gbp chf")
_NO_QUANTITIES = listed("id ids key nr no number code zip year month day hour week quarter age index rank")
_BIRTHS = listed("birth birthdate birthday birthyear born dob")
_BEGINNINGS = listed(
    """
    begin began begun beginning employed engaged enrolled entered entry hire hired joined join joining opened recruited
    registered registration signed signup since start started tenure
    """
)


def columns_meant(word: str, columns: Sequence[ColumnView]) -> list[ColumnView]:
    """The columns that a word means which is part of the name of none; empty where it means nothing in this data.

    `revenue` means price and quantity, `earn` an amount, `joined` a date of hiring, `hottest` a temperature.
    """
    forms = bases(word)
    for means, find in _MEANINGS:
        if any(form in means for form in forms) and (found := find(columns)):
            return found
    long = [form for form in forms[1:] if len(form) > 3]
    return [c for c in columns if any(part in long or means_part(form, part) for form in forms for part in c.parts)]


def means_part(word: str, part: str) -> bool:
    """Whether a part of a name may stand for a word: another word for it, or a short one for that: precip for rain."""
    for group in SYNONYMS:
        if word in group and (part in group or (len(part) >= 4 and any(shortens(part, each) for each in group))):
            return True
    return False


def is_quantity(word: str) -> bool:
    """Whether a word is a quantity of everyday, whatever data there is: earn, birth, tax."""
    return any(form in _QUANTITIES_OF_LIFE for form in bases(word))


_QUANTITIES_OF_LIFE = (
    _WAGES
    | _COSTS
    | _BIRTHS
    | listed(
        """
        address age bmi calorie cholesterol distance dividend earn email expectancy export fee height humidity import
        insurance margin phone postcode postal price profit rating rent tax temperature tip turnout vat weight zip
        """
    )
) - {"pay"}


def _with(columns: Sequence[ColumnView], parts: frozenset[str], *types: str) -> list[ColumnView]:
    return [column for column in columns if column.type in types and not parts.isdisjoint(column.parts)]


def _numbers(columns: Sequence[ColumnView], parts: frozenset[str]) -> list[ColumnView]:
    return _with(columns, parts, "integer", "number")


def _dates(columns: Sequence[ColumnView], parts: frozenset[str]) -> list[ColumnView]:
    return _with(columns, parts, "date", "datetime")


def _takings(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """An amount of money, or prices with how many were sold at them."""
    prices = _numbers(columns, _PRICES)
    if not prices:
        return _numbers(columns, _AMOUNTS)
    counted = [c for c in columns if c.type == "integer" and _NO_QUANTITIES.isdisjoint(c.parts)]
    return [*_numbers(columns, _AMOUNTS), *prices, *(_numbers(columns, _QUANTITIES) or counted)]


def _money(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """What comes in, by sales or as wages."""
    return [*_takings(columns), *_numbers(columns, _WAGES)]


def _currencies(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """What is told in a currency, as `total_eur`."""
    return _numbers(columns, _CURRENCIES)


def _profits(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """Nothing without both sides: what came in alone is no profit."""
    takings, costs = _takings(columns), _numbers(columns, _COSTS)
    return [*takings, *costs] if takings and costs else []


def _ages(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """Dates and years of birth."""
    return _dates(columns, _BIRTHS) or [c for c in _numbers(columns, _BIRTHS) if {"year", "birthyear"} & {*c.parts}]


def _old(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """What is old by its date, unless that is when somebody began: who was hired first is not the oldest."""
    times = [column for column in columns if column.type in ("date", "datetime")]
    return _ages(columns) or [column for column in times if _BEGINNINGS.isdisjoint(column.parts)]


def _beginnings(columns: Sequence[ColumnView]) -> list[ColumnView]:
    return _dates(columns, _BEGINNINGS)


def _durations(columns: Sequence[ColumnView]) -> list[ColumnView]:
    """Two dates, or the one when something began that goes on."""
    times = [column for column in columns if column.type in ("date", "datetime")]
    return times if len(times) > 1 else _beginnings(columns)


def _both(one: str, other: str) -> Callable[[Sequence[ColumnView]], list[ColumnView]]:
    def find(columns: Sequence[ColumnView]) -> list[ColumnView]:
        some, others = _numbers(columns, listed(one)), _numbers(columns, listed(other))
        return [*some, *others] if some and others else []

    return find


_MEANINGS: tuple[tuple[frozenset[str], Callable[[Sequence[ColumnView]], list[ColumnView]]], ...] = (
    (_TAKINGS, _takings),
    (_MONEY, _money),
    (_PRICES | _COSTS, _currencies),
    (listed("profit profits profitable margin margins gain"), _profits),
    (listed("old"), _old),
    (listed("age aged young elderly"), _ages),
    (_BEGINNINGS, _beginnings),
    (listed("duration long took take delay wait stay"), _durations),
    (listed("bmi"), _both("weight mass kg", "height cm m")),
    (listed("density dense populated crowded"), _both("population pop inhabitants", "area km2 sqkm size")),
    (listed("speed fast slow velocity"), _both("distance km miles m", "duration time minutes hours seconds")),
)
