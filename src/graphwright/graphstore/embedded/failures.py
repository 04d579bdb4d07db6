"""What SQLite and graphqlite say when something fails, as errors for people."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from graphwright.graphstore.errors import GraphError, GraphUnavailable, QueryFailed, Transient

# graphqlite reports every failure under one number, with SQLite's own words inside its own.
_WORDS = {
    "database is locked": 5,
    "database table is locked": 6,
    "out of memory": 7,
    "attempt to write a readonly database": 8,
    "disk I/O error": 10,
    "database disk image is malformed": 11,
    "database or disk is full": 13,
    "unable to open database file": 14,
    "string or blob too big": 18,
    "not authorized": 23,
    "file is not a database": 26,
}


# What the engine says of its own ways, which is of no use to who wrote the query.
_INNER = ("SQL", "no such", 'near "', "Failed to ", "clause", "_gql", "alias_", "ambiguous column", "misuse")

# The classes of errors that openCypher has: `SyntaxError: UndefinedVariable: `.
_CODES = re.compile(r"^(?:[A-Z]\w*Error: )?(?:(?!Variable\b)[A-Z][a-z]+[A-Z]\w*(?:: | \u2014 ))*")


def failure(error: Exception, path: Path, *, late: bool = False, reading: bool = False) -> GraphError:
    """The error to raise for one of the engine. `late`: the time was up when it came."""
    said, place = _message(error)
    number = _number(error, said)
    if late or number == 9:
        return Transient(
            "timeout", "the graph took too long and was stopped", "Ask for less: fewer paths, a label, a key, a LIMIT."
        )
    match number:
        case 5 | 6:
            return Transient("locked", "another program is writing to the graph", "Try again in a moment.")
        case 7 | 18:
            return QueryFailed("too_much", "the graph had too little memory for this", "Ask for less at once.")
        case 8 | 23 if reading:
            return QueryFailed("read_only", "a read tried to write, and changed nothing", "Make it a write.")
        case 8:
            return GraphUnavailable(
                "graph_unavailable",
                f"the graph {path} cannot be written",
                "See who owns the file, its folder and disk.",
            )
        case 11 | 26:
            return damaged(path)
        case 13:
            return GraphUnavailable(
                "graph_unavailable", f"the disk of {path} is full; nothing was changed", "Make room and try again."
            )
        case 10 | 14:
            return GraphUnavailable(
                "graph_unavailable", f"the graph {path} cannot be read or written: {said}", "Check the folder and disk."
            )
    if "DeleteConnectedNode" in said:
        return QueryFailed(
            "query_failed", "a node that still has edges cannot be deleted", "Write DETACH DELETE to delete both."
        )
    if any(words in said for words in _INNER):
        return QueryFailed(
            "query_failed",
            "the graph cannot run a query of this form",
            "Say it in simpler parts: one pattern in a MATCH, conditions behind WHERE, WITH between the parts.",
        )
    # A write was put into another form before: places in it are none of its author's text.
    why = _CODES.sub("", said)
    return QueryFailed("query_failed", f"{place if reading else ''}{why}", _advice(why))


def damaged(path: Path) -> GraphUnavailable:
    """The file is no sound database."""
    return GraphUnavailable(
        "damaged_graph",
        f"{path} is damaged, or is no graph at all",
        "Restore it from a backup, or move it away to begin with an empty graph.",
    )


def foreign(path: Path) -> GraphUnavailable:
    """The file is a sound database, and none of ours."""
    return GraphUnavailable(
        "graph_unavailable",
        f"{path} is a database of another program, no graph of Graphwright",
        "Choose another folder for the graph, or move this file away.",
    )


def other_format(path: Path) -> GraphUnavailable:
    """The file has tables that this version does not know."""
    return GraphUnavailable(
        "graph_unavailable",
        f"{path} was made by another version of Graphwright",
        "Export the graph with that version (graphwright graph export), and import it with this one.",
    )


def _message(error: Exception) -> tuple[str, str]:
    """What was said, and where: graphqlite's errors are JSON texts."""
    text = str(error)
    try:
        data: Any = json.loads(text)
        said = str(data["error"])
    except (ValueError, TypeError, KeyError):
        return text, ""
    place = f"line {data['line']}, column {data.get('column', 1)}: " if data.get("line") else ""
    return said.split(", Col ", 1)[-1].split(": ", 1)[-1] if place else said, place


def _number(error: Exception, said: str) -> int:
    number: int = getattr(error, "sqlite_errorcode", 1) & 0xFF
    if number == 1:
        number = next((found for words, found in _WORDS.items() if words in said), 9 if said == "interrupted" else 1)
    return number


def _advice(said: str) -> str:
    if "is not defined" in said:
        return "Name it in a MATCH, WITH or UNWIND before."
    return ""
