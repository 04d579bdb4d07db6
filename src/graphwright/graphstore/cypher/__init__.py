"""Cypher before an engine runs it: whether a text is accepted, and what it names.

A text is parsed once in a process, or by the process that sends it. The parser is imported when it is first needed:
it is slow to import, and the process of the embedded engine has none.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from graphwright.graphstore.cypher.lexer import Parsed
from graphwright.graphstore.errors import QueryRefused

_MOST_KEPT = 100


def parse(query: str) -> Parsed:
    """What a query does and names. Raises QueryRefused for whatever is not accepted, with place and hint."""
    known = _known.get(query) if isinstance(query, str) else None
    if known is None:
        from graphwright.graphstore.cypher.parser import parsed

        known = parsed(query)
        keep_parsed(query, known)
    return known


def accepted(query: str, parameters: Mapping[str, Any], *, writes: bool) -> Parsed:
    """Check that a text may run with these parameters. Raises QueryRefused.

    A text that writes is refused where none is expected, and one that only reads where a write is.
    """
    known = parse(query)
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


def keep_parsed(query: str, known: Parsed) -> None:
    """Keep what another process has parsed."""
    _known[query] = known
    if len(_known) > _MOST_KEPT:
        _known.popitem(last=False)


_known: OrderedDict[str, Parsed] = OrderedDict()
