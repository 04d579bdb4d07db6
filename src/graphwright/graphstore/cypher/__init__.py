"""Reading Cypher before any engine does: what a query names, whether it writes, and whether it is accepted at all.

Everything here is imported when it is first used: the embedded engine needs the words of a text, but no parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.graphstore.cypher.hints import explain_names
    from graphwright.graphstore.cypher.parsed import Parsed, missing
    from graphwright.graphstore.cypher.parsing import parse

__all__ = [
    # a text
    "parse",
    "Parsed",
    # what of it does not fit
    "missing",
    "explain_names",
]

_HOMES = {"parse": "parsing", "Parsed": "parsed", "missing": "parsed", "explain_names": "hints"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'graphwright.graphstore.cypher' has no attribute {name!r}")
    value = getattr(import_module(f"graphwright.graphstore.cypher.{home}"), name)
    globals()[name] = value
    return value
