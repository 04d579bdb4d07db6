"""The cells of a Cypher result: graphqlite's JSON as ours, nodes and edges by their keys instead of inner numbers."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from graphwright.graphstore.elements import KEY
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.errors import QueryFailed

_NODE = {"id", "labels", "properties"}
_EDGE = {"id", "type", "startNode", "endNode", "properties"}
_PATH = {"nodes", "rels"}


class Cells:
    """Converts the rows of one query. The connection looks the ends of edges up, at the same moment of the graph."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ends: dict[int, tuple[str, str]] = {}
        self._decoder = json.JSONDecoder(parse_constant=_not_finite)

    def row(self, text: str) -> tuple[Any, ...]:
        """The cells of a row, in the order of its columns. Raises QueryFailed for a number that JSON does not have."""
        try:
            found = self._decoder.decode(text)
        except ValueError:
            # The engine writes an infinite number as `Infinity.0`.
            _not_finite(text)
        return tuple(self._cell(cell) for cell in found.values())

    def _cell(self, cell: Any) -> Any:
        if isinstance(cell, list):
            return [self._cell(item) for item in cell]
        if not isinstance(cell, dict):
            return cell
        names = cell.keys()
        if names == _NODE:
            return self._node(cell)
        if names == _EDGE:
            return self._edge(cell)
        if names == _PATH:
            return {"nodes": self._cell(cell["nodes"]), "edges": self._cell(cell["rels"])}
        return {name: self._cell(item) for name, item in cell.items()}

    def _node(self, cell: dict[str, Any]) -> Any:
        properties, labels = cell["properties"], cell["labels"]
        if not isinstance(properties, dict) or KEY not in properties or not isinstance(labels, list) or not labels:
            return cell
        key = properties[KEY]
        return {"label": labels[0], "key": key, "properties": {n: v for n, v in properties.items() if n != KEY}}

    def _edge(self, cell: dict[str, Any]) -> Any:
        source, target = self._end(cell["startNode"]), self._end(cell["endNode"])
        if source is None or target is None:
            return cell
        return {
            "from_label": source[0],
            "from_key": source[1],
            "type": cell["type"],
            "to_label": target[0],
            "to_key": target[1],
            "properties": cell["properties"],
        }

    def _end(self, id: Any) -> tuple[str, str] | None:
        if id not in self._ends:
            sql = (
                "SELECT l.label, p.value FROM node_labels l JOIN node_props_text p ON p.node_id = l.node_id "
                "WHERE l.node_id = ? AND p.key_id = ?"
            )
            found = self._connection.first(sql, (id, self._connection.key_id))
            if found is None:
                return None
            self._ends[id] = found
        return self._ends[id]


def _not_finite(_: str) -> NoReturn:
    raise QueryFailed("query_failed", "a number in the result is not finite", "Mind divisions by zero, and overflow.")
