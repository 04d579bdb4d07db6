"""Cypher that was accepted: a text is parsed once in a process, or in the process that hands it on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.graphstore.errors import QueryRefused

_MOST_KEPT = 100


@dataclass(frozen=True, slots=True)
class Accepted:
    """What an engine has to know of a text: whether it writes, its result's columns, the parameters that it names."""

    writes: bool
    columns: tuple[str, ...]
    parameters: tuple[str, ...]


def accepted(query: str, parameters: Mapping[str, Any], *, writes: bool) -> Accepted:
    """What is known of a text that is to run with these parameters. Raises QueryRefused.

    A text that writes is refused where none is expected, and one that only reads where a write is.
    """
    known = _known.get(query) if isinstance(query, str) else None
    if known is None:
        # The parser is slow to import, and most programs need none.
        from graphwright.graphstore.cypher import parse

        parsed = parse(query)
        known = Accepted(parsed.writes, parsed.columns, parsed.parameters)
        remember(query, known)
    if known.writes and not writes:
        raise QueryRefused(
            "this query writes, and was to read only", "Do it as a write: it is shown before it is done."
        )
    if writes and not known.writes:
        raise QueryRefused("this query only reads", "Read with it; nothing is to be confirmed.")
    for name in known.parameters:
        if name not in parameters:
            raise QueryRefused(f"the parameter ${name} is not given", "Give a value for each parameter.")
    return known


def remember(query: str, known: Accepted) -> None:
    """Take over what is known of a text. Whoever vouches for it has parsed it, or means to run it all the same."""
    _known[query] = known
    if len(_known) > _MOST_KEPT:
        _known.popitem(last=False)


_known: OrderedDict[str, Accepted] = OrderedDict()
