"""What the driver and the server say when something fails, as errors for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from graphwright.graphstore.errors import Conflict, GraphError, GraphUnavailable, QueryFailed, Transient
from graphwright.graphstore.neo4j.address import Address
from graphwright.graphstore.neo4j.hiding import NOT_OURS

# The longest code that begins the server's decides; `{name}` is the place, `{said}` what the server says.
_CODES: tuple[tuple[str, type[GraphError], str, str, str], ...] = (
    (
        "Neo.ClientError.Security.Forbidden",
        GraphUnavailable,
        "graph_unavailable",
        "{name}: the user may not do this: {said}",
        "Give the user a role that may, or connect as another one (NEO4J_USERNAME).",
    ),
    (
        "Neo.ClientError.Security",
        GraphUnavailable,
        "graph_unavailable",
        "{name} does not let this user in",
        "Check NEO4J_USERNAME and NEO4J_PASSWORD; after several wrong passwords the server waits a few seconds.",
    ),
    (
        "Neo.ClientError.Database.DatabaseNotFound",
        GraphUnavailable,
        "graph_unavailable",
        "{name} does not exist",
        "Correct NEO4J_DATABASE, or unset it for the default database.",
    ),
    ("Neo.ClientError.Statement.AccessMode", QueryFailed, "read_only", "a read cannot write: {said}", ""),
    (
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        QueryFailed,
        "read_only",
        "{name} takes no writes",
        "Connect to the database that does.",
    ),
    (
        "Neo.ClientError.Schema.ConstraintValidationFailed",
        Conflict,
        "conflict",
        "Neo4j does not allow this: {said}",
        "Look at the node and its edges: programs other than Graphwright may write to this graph, too.",
    ),
    ("Neo.ClientError.Transaction.TransactionTimedOut", Transient, "timeout", "{name} took too long", "_slow"),
    ("Neo.ClientError.Transaction.Terminated", Transient, "timeout", "{name} ended the query: {said}", "_slow"),
    ("Neo.ClientError.Transaction.LockAcquisitionTimeout", Transient, "locked", "{name} is in use", "_again"),
    ("Neo.ClientError.Transaction.LockClientStopped", Transient, "locked", "{name} is in use", "_again"),
    ("Neo.TransientError.General.OutOfMemory", QueryFailed, "too_much", "the query needs too much memory", "_slow"),
    ("Neo.TransientError.General.MemoryPool", QueryFailed, "too_much", "the query needs too much memory", "_slow"),
    (
        "Neo.TransientError.General.TransactionMemoryLimit",
        QueryFailed,
        "too_much",
        "the query needs too much memory",
        "_slow",
    ),
    ("Neo.TransientError.General.DatabaseUnavailable", Transient, "connection_lost", "{name} is not ready", "_again"),
    ("Neo.TransientError", Transient, "locked", "{name} cannot do this now: {said}", "_again"),
)

_HINTS = {
    "_slow": "Ask for less: begin at a node whose key is known, and limit how far the pattern goes.",
    "_again": "Try again.",
}

_PLACE = re.compile(r"\(?\bline (\d{1,9}), column (\d{1,9})(?: \(offset: \d{1,9}\)\))?")


_RESOLVED = re.compile(r" \(resolved to \(.*?\)\)| (?:on|to|from server) Resolved\w+\(.*?\)\)")
"""What the driver tells of addresses, in the manner of Python."""


@contextmanager
def told(address: Address, query: str = "") -> Iterator[None]:
    """Inside, whatever the driver raises becomes a GraphError. `query` is the text that is run there, as accepted."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except (DriverError, Neo4jError, OSError) as error:
        raise failure(error, address, query) from None


def failure(error: Exception, address: Address, query: str = "") -> GraphError:
    """The GraphError for an exception of the driver."""
    from neo4j import exceptions

    match error:
        case exceptions.Neo4jError():
            return _refused(error.code or "", error.message or "", address, query)
        case exceptions.IncompleteCommit():
            return Transient(
                "connection_lost",
                f"the connection to {address.name} was lost while a write was being committed: it may have been done",
                "Send it again under the same key: what was done is not done twice.",
            )
        case exceptions.ConfigurationError():
            return GraphUnavailable(
                "graph_unavailable", f"{address.name} cannot be used: {address.said(error)}", "Correct the settings."
            )
    return Transient(
        "connection_lost",
        f"{address.name} cannot be reached: {_RESOLVED.sub('', address.said(error))}",
        "Check that the server runs and that GRAPHWRIGHT_GRAPH names it.",
    )


def _refused(code: str, message: str, address: Address, query: str) -> GraphError:
    text = address.said(Exception(message.splitlines()[0] if message else code))
    for begin, kind, ours, words, hint in _CODES:
        if code.startswith(begin):
            words = words.format(name=address.name, said=text)
            hint = _HINTS.get(hint, hint)
            return Conflict(words, hint) if kind is Conflict else kind(ours, words, hint)
    why = _PLACE.sub("", text).strip(" .()")
    return QueryFailed("query_failed", f"{_where(message, query)}{why}", "Correct the query.")


def _where(message: str, query: str) -> str:
    """The place that the server names, in the query as it was before the store's own nodes were hidden from it."""
    found = _PLACE.search(message)
    if not found:
        return ""
    line, column = int(found[1]), int(found[2])
    lines = query.splitlines()
    before = lines[line - 1][: column - 1] if 0 < line <= len(lines) else ""
    hidden = len(before) - len(before.replace(NOT_OURS, ""))
    return f"line {line}, column {column - hidden}: "
