"""What is known of a Cypher query that was accepted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parsed:
    """An accepted query: what it does, gives and names. Names are without their backticks, each once, in order.

    `columns` are the names of the result's columns, `()` without RETURN. `writes` is true when any part of it may
    change the graph, `deletes` when it holds DELETE. `types` are those of edges. `properties` are names behind a dot
    and in the maps of patterns and of SET. `strings` and `numbers` are the literals (a sign belongs to none; the
    bounds of `*1..3` are numbers, too), `parameters` the names behind `$`.
    """

    writes: bool
    deletes: bool
    returns: bool
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    numbers: tuple[int | float, ...] = ()
    parameters: tuple[str, ...] = ()


def missing(parsed: Parsed, parameters: Iterable[str]) -> tuple[str, ...]:
    """The parameters that the query names and nobody gave."""
    given = set(parameters)
    return tuple(name for name in parsed.parameters if name not in given)
