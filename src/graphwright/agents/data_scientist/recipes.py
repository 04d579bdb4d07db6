"""Recipes: the few lines of code that compute what the words of a question ask for, with the columns that it names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphwright.agents.data_scientist import recipes_of_models, recipes_of_tables, recipes_of_times
from graphwright.agents.data_scientist.asking import Asking
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.joining import Joined
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.slips import Join

_RECIPES: tuple[Callable[[Asking], str], ...] = (
    *recipes_of_models.RECIPES,
    *recipes_of_times.RECIPES,
    *recipes_of_tables.RECIPES,
)


def recipe_for(
    question: str, named: Mentions, columns: Sequence[ColumnView], joined: Joined | None, joins: Sequence[Join]
) -> str:
    """Code for the computation that the words of a question ask for; empty where none is certain.

    Only where every column and value in it is known: the rest is left to the model.
    """
    asking = Asking(question, named, columns, joined, joins)
    return next((code for recipe in _RECIPES if (code := recipe(asking))), "")
