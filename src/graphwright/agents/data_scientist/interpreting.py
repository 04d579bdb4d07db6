"""Words of a question that name no column: whether they mean one, as the model reads them, before it is said of any."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from graphwright.agents.data_scientist.columns import ColumnView, spelt
from graphwright.agents.data_scientist.meanings import is_quantity
from graphwright.agents.data_scientist.missing import is_known, is_sure
from graphwright.agents.data_scientist.words import stem
from graphwright.models import BadReply, atext

if TYPE_CHECKING:
    from graphwright import ActionContext

MOST_WORDS = 4
"""Words that are asked about; a question with more of them that mean nothing here is about something else."""

MOST_COLUMNS = 60
MOST_VALUES = 6
_SHORTEST_BEGINNING = 3
"""Letters of a word with which the name of a column may begin."""

_LONG_BEGINNING, _ALIKE = 5, 0.7
"""Letters that a word and a name have in common at their beginning, and which part of the shorter one they are."""


async def without_column(
    ctx: ActionContext, question: str, words: Sequence[str], columns: Sequence[ColumnView]
) -> tuple[str, ...]:
    """Those of the words that mean no column; all of them where one surely is missing, or where they are many."""
    if len(words) > MOST_WORDS or any(map(is_sure, words)):
        return tuple(words)
    return tuple([each for each in words if await _meant(ctx, question, each, columns) is None])


async def not_asked_for(
    ctx: ActionContext, question: str, words: Sequence[str], taken: Sequence[str], columns: Sequence[ColumnView]
) -> tuple[str, ...]:
    """Those of the columns that code has `taken` which none of the words means; all where a quantity is missing."""
    if any(map(is_quantity, words)):
        return tuple(taken)
    left = [name for name in taken if not any(_begins(name, word) for word in words)]
    for word in [each for each in words if not is_known(each.casefold())][:MOST_WORDS]:
        if left and (column := await _meant(ctx, question, word, columns)) in left:
            left.remove(column)
    return tuple(left)


async def _meant(ctx: ActionContext, question: str, words: str, columns: Sequence[ColumnView]) -> str | None:
    """The column that the model says the words mean; None where it names none of them."""
    for column in columns:
        if _begins(column.name, words):
            return column.name
    messages = ctx.prompt("column", columns=_told(columns), question=question, words=words)
    try:
        said = await atext(ctx.model, messages)
    except BadReply:
        return None
    first = next(iter(said.strip().splitlines()), "").strip(" .\"'`“”")
    return next((column.name for column in columns if spelt(column.name) == spelt(first)), None)


def _begins(name: str, words: str) -> bool:
    """Whether a name begins with a word, or nearly so: `SUNACTIVITY` with `sun`, `religious` with `religiosity`."""
    own, other = "".join(stem(word) for word in words.split()), spelt(name)
    if len(own) >= _SHORTEST_BEGINNING and other.startswith(own):
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, other, strict=False)))
    return shared >= _LONG_BEGINNING and shared >= _ALIKE * min(len(own), len(other))


def _told(columns: Sequence[ColumnView]) -> str:
    return ", ".join(
        f"{column.name} ({', '.join(column.values[:MOST_VALUES])})" if column.values else column.name
        for column in columns[:MOST_COLUMNS]
    )
