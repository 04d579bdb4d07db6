"""Slips of generated code mended before it runs: only what surely is one, in place, and told in the code itself."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from graphwright.agents.data_scientist import (
    slips_of_expressions,
    slips_of_models,
    slips_of_queries,
    slips_of_tables,
)
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.slips import Join, Program, Slip

MOST_MENDED = 12
"""Slips that are mended in one program."""

_RULES: tuple[Callable[[Program], Iterator[Slip]], ...] = (
    *slips_of_tables.RULES,
    *slips_of_queries.RULES,
    *slips_of_models.RULES,
    *slips_of_expressions.RULES,
)


def without_slips(
    code: str, question: str, columns: Sequence[ColumnView], joins: Sequence[Join], mentions: Mentions
) -> str:
    """The code without the slips that code can mend, and a comment for each of them; else the same code.

    Only what would fail, or find nothing, for certain is rewritten, and regressions that lack their intercept.
    """
    notes: list[str] = []
    while len(notes) < MOST_MENDED:
        try:
            slip, better = _first(code, question, columns, joins, mentions)
        except RecursionError:
            # Nested too deeply to be followed: it runs as it is.
            break
        if slip is None:
            break
        code = better
        notes.append(slip.note)
    return "".join(f"# Mended: {note}\n" for note in dict.fromkeys(notes)) + code


def _first(
    code: str, question: str, columns: Sequence[ColumnView], joins: Sequence[Join], mentions: Mentions
) -> tuple[Slip | None, str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, code
    program = Program(code, tree, question, columns, joins, mentions)
    for rule in _RULES:
        for slip in rule(program):
            better = program.edited(slip.edits)
            if better != code and _parses(better):
                return slip, better
    return None, code


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def is_same(one: str, other: str) -> bool:
    """Whether two programs do the same but for layout and comments."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return one.strip() == other.strip()
