"""The errors of a graph store.

GraphError                  code, message, hint
├── NotFound                the node or edge does not exist; `near` has the most similar keys
├── Ambiguous               several nodes have this key; `labels` has theirs
├── BadElement              an invalid label, type, key, property or value
├── QueryRefused            Cypher that is not accepted; `line` and `column` (both from 1) if they are known
├── QueryFailed             the engine refused or broke a query: an unknown variable, a wrong type, a limit reached
├── Conflict                the graph has changed since the preparation: confirm again, or undo the later goals
├── Transient               a retry may succeed: locked, timed out, connection or worker lost
└── GraphUnavailable        the store cannot be opened; the message says why, the hint what to do
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.errors import GraphwrightError


class GraphError(GraphwrightError):
    """The base of all errors of a graph store. For one of several writes, `at` is its index, from 0."""

    at: int | None = None


class NotFound(GraphError):
    """The node or edge does not exist. Code `not_found`."""

    def __init__(self, message: str, near: Sequence[str] = (), hint: str = "") -> None:
        if near and not hint:
            hint = f"Did you mean {', '.join(near)}?"
        super().__init__("not_found", message, hint)
        self.near = tuple(near)


class Ambiguous(GraphError):
    """Several nodes share the key. Code `ambiguous`."""

    def __init__(self, key: str, labels: Sequence[str]) -> None:
        super().__init__(
            "ambiguous", f"Several nodes have the key {key!r}: {', '.join(labels)}.", "Name the label as well."
        )
        self.key = key
        self.labels = tuple(labels)


class BadElement(GraphError):
    """A label, type, key, property name or value that is not allowed. Codes begin with `bad_`."""


class QueryRefused(GraphError):
    """A query that is not accepted, before an engine receives it. Code `query_refused`."""

    def __init__(self, message: str, hint: str = "", line: int = 0, column: int = 0) -> None:
        where = f"Line {line}, column {column}: " if line else ""
        super().__init__("query_refused", f"{where}{message}", hint)
        self.line = line
        self.column = column


class QueryFailed(GraphError):
    """The engine could not run a query. Codes: `query_failed`, `read_only`, `too_much`."""


class Conflict(GraphError):
    """The graph has changed in the meantime. Code `conflict`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__("conflict", message, hint)


class Transient(GraphError):
    """A retry may succeed. Codes: `timeout`, `locked`, `connection_lost`."""


class GraphUnavailable(GraphError):
    """The store cannot be opened. Codes: `graph_unavailable`, `bad_graph_url`, `damaged_graph`."""

    def __init__(self, message: str, hint: str, code: str = "graph_unavailable") -> None:
        super().__init__(code, message, hint)


_CLASSES: dict[str, type[GraphError]] = {
    each.__name__: each
    for each in (NotFound, Ambiguous, BadElement, QueryRefused, QueryFailed, Conflict, Transient, GraphUnavailable)
}


def error_to_json(error: GraphError) -> dict[str, Any]:
    """The error as JSON; the worker sends it to its owner."""
    kept = {name: value for name, value in vars(error).items() if name not in ("code", "message", "hint")}
    return {"class": type(error).__name__, **error.to_json(), "kept": kept}


def error_from_json(data: dict[str, Any]) -> GraphError:
    """The error from its JSON form."""
    kind = _CLASSES.get(data["class"], GraphError)
    error = kind.__new__(kind)
    GraphwrightError.__init__(error, data["code"], data["message"], data["hint"])
    for name, value in data["kept"].items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    return error
