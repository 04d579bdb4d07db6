"""Which group a question asks for, that of the most or of the least, as a result has it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from graphwright.sandbox.execution import Cell, Result, TableResult


class Winner(TypedDict):
    """The group that a result has for what is asked, as it writes it, and the groups that it is not.

    `side` is the place of the word asked by (most, least, ...) in `SIDES`; `amount` the number of the group, as far as
    the result has it.
    """

    name: str
    others: list[str]
    side: int
    amount: float | None


def _words(text: str) -> str:
    return rf"\b(?:{'|'.join(text.split())})\b"


_MOST = (
    "most highest largest biggest greatest maximum maximal max top longest tallest heaviest strongest oldest widest "
    "deepest hottest warmest busiest richest dearest priciest"
)
_LEAST = (
    "least lowest smallest fewest minimum minimal min bottom shortest lightest weakest youngest narrowest shallowest "
    "coldest coolest quietest poorest cheapest"
)
SIDES = tuple(
    re.compile(_words(text), re.IGNORECASE)
    for text in (_MOST, _LEAST, "best", "worst", "fastest quickest", "slowest", "first earliest", "last latest newest")
)
"""What may be asked for, by its words."""

MORE = (
    re.compile(_words("more higher larger bigger greater longer taller heavier stronger older wider"), re.IGNORECASE),
    re.compile(_words("less lower smaller fewer shorter lighter weaker younger narrower cheaper"), re.IGNORECASE),
)
"""What compares two groups, for the first two of `SIDES`."""

_NO_SIDE = re.compile(
    r"\bat\s+(?:most|least)\b|\bmost\s+of\b|\bleast\s+squares\b|\bmost\s+recent\w*"
    r"|\b(?:top|bottom|first|last|most|least|best|worst)\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b|\bfirst\s+(?:of|half|quarter)\b|\bmin\s*(?:and|/)\s*max"
    r"|\b(?:more|less|fewer|higher|lower|larger|smaller|older|younger|longer|shorter)\s+than\s+[\d$€£]",
    re.IGNORECASE,
)
_NAMELESS = re.compile(
    r"yes|no|true|false|none|all|others?|total|both|any|high|low|most|least|first|last|more|less|top|best"
)
_RANKS = re.compile(r"rank|place|position|p[-_ ]?val|^p$|\bz\b|rate of missing", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_LONGEST = 60
_MOST_GROUPS = 200


def plain(text: str) -> str:
    """A name as it is looked for in a text."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def side_of(text: str) -> int | None:
    """The side that a question asks for; None where it asks for none, or for several."""
    text = _NO_SIDE.sub(" ", text)
    found = [side for side, words in enumerate(SIDES) if words.search(text) or (side < 2 and MORE[side].search(text))]
    return found[0] if len(found) == 1 else None


def winner_of(question: str, result: Result, values: Mapping[str, Sequence[str]]) -> Winner | None:
    """The group that answers a question; None where it asks for none, or the result leaves it open.

    `values` are those that text columns may have, by column.
    """
    side = side_of(question)
    if side is None:
        return None
    name, amount, others = _single(result)
    if name is None:
        name, amount, others = _largest(result, side)
    if name is None or not _is_name(name):
        return None
    if not others:
        # The column that the group is of tells which other ones there are.
        columns = [each for each in values.values() if name in each]
        others = sorted({value for each in columns for value in each} - {name})
    return {"name": name, "others": [each for each in others if _is_name(each)], "side": side, "amount": amount}


def _is_name(text: str) -> bool:
    if len(text) > _LONGEST or _NAMELESS.fullmatch(plain(text)):
        return False
    return bool(_YEAR.fullmatch(text) or re.search(r"[^\W\d_]", text))


def _single(result: Result) -> tuple[str | None, float | None, list[str]]:
    """The only name in a result, with its number: `South`, `{region: South, units: 22}`, a table of one row."""
    cells: list[Cell] = []
    match result.type:
        case "text":
            cells = [result.text] if len(result.text) == result.length else []
        case "scalar" if result.kind in ("text", "category"):
            cells = [result.value]
        case "table" if result.row_count == 1 and len(result.rows) == 1 and result.column_count <= 4:
            cells = list(result.rows[0])
        case "mapping" if result.length <= 4:
            cells = [_cell_of(each.value) for each in result.entries]
        case "list" if result.length <= 3:
            cells = [_cell_of(each) for each in result.items]
    names = [cell for cell in cells if isinstance(cell, str)]
    if len(names) != 1:
        return None, None, []
    numbers = [float(cell) for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]
    return names[0].strip(), numbers[0] if len(numbers) == 1 else None, []


def _cell_of(result: Result) -> Cell:
    return result.value if result.type == "scalar" else result.text if result.type == "text" else None


def _largest(result: Result, side: int) -> tuple[str | None, float | None, list[str]]:
    """The group with the largest or the smallest number where each has one; None where several have it."""
    pairs: list[tuple[str, float]] = []
    if result.type == "table":
        pairs = _pairs(result)
    elif result.type == "mapping" and result.length == len(result.entries):
        for each in result.entries:
            value = each.value.value if each.value.type == "scalar" else None
            if not isinstance(value, int | float) or isinstance(value, bool):
                return None, None, []
            pairs.append((each.key, float(value)))
    if side > 1 or not 2 <= len(pairs) <= _MOST_GROUPS or len({name for name, _ in pairs}) != len(pairs):
        return None, None, []
    amount = (max if side == 0 else min)(number for _, number in pairs)
    names = [name for name, number in pairs if number == amount]
    return (names[0], amount, [name for name, _ in pairs if name != names[0]]) if len(names) == 1 else (None, None, [])


def _pairs(table: TableResult) -> list[tuple[str, float]]:
    """The groups of a table of two columns, with their numbers."""
    if table.cut or len(table.columns) != 2 or _RANKS.search(table.columns[1].name):
        return []
    key, number = table.columns
    if number.kind not in ("integer", "number", "decimal") or key.kind not in ("text", "category", "mixed", "integer"):
        return []
    pairs = []
    for name, value in table.rows:
        if name is None or isinstance(name, bool | float) or not isinstance(value, int | float):
            return []
        pairs.append((str(name), float(value)))
    return pairs
