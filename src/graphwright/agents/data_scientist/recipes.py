"""Recipes: the few lines of code that compute what the words of a question ask for, with the columns that it names."""

from __future__ import annotations

import ast
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


def with_recipe(code: str, recipe: str) -> str:
    """Code behind the lines of its recipe, where it goes on with names that only those make.

    A small model takes lines that it is shown for lines that ran already.
    """
    try:
        written, shown = ast.parse(code), ast.parse(recipe)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    made = {name.id for name in ast.walk(shown) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    names = [name for name in ast.walk(written) if isinstance(name, ast.Name)]
    own = {name.id for name in names if isinstance(name.ctx, ast.Store)} - {"result", "fig"}
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    if read.isdisjoint(made - own):
        return code
    return f"# Mended: the lines before were missing.\n{recipe}\n{code}"
