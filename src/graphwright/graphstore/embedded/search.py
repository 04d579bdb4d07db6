"""The index of the embedded graph's texts: kept by triggers in the transaction of every write, and asked by `search`.

It is a table of SQLite's FTS5 that holds, for each text of a node, which groups of three characters occur in it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from graphwright.graphstore.elements import Node
from graphwright.graphstore.embedded import rows
from graphwright.graphstore.embedded.connection import SEARCH_NODE, Connection
from graphwright.graphstore.searching import MOST_COMPARED, best, groups, words_of

MOST_FOUND = 500
"""Texts that are looked at for one group of three characters: what more have tells little."""


def search(connection: Connection, text: str, most: int) -> tuple[Node, ...]:
    """The nodes that resemble words of a text most, the best first."""
    number = connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'")
    count = number[0] if number else 0
    weights: dict[str, float] = {}
    credit: dict[int, float] = defaultdict(float)
    for word in words_of(text):
        parts = groups(word)
        rare = False
        for part in parts:
            if part in weights:
                rare = rare or weights[part] > 0
                continue
            found = _having(connection, [part])
            weights[part] = math.log1p(count / (len(found) or 1))
            if 0 < len(found) <= MOST_FOUND:
                rare = True
                for id in set(found):
                    credit[id] += weights[part]
        if not rare:
            for id in set(_having(connection, parts)):
                credit[id] += sum(weights[part] for part in parts)
    first = sorted(credit, key=lambda id: (-credit[id], id))[: max(MOST_COMPARED, most)]
    return best(text, rows.nodes_by_id(connection, first), weights, most)


def _having(connection: Connection, parts: list[str]) -> list[int]:
    """The nodes with a text that has all these groups; one more than are looked at, where there are more."""
    sql = f"SELECT rowid / {SEARCH_NODE} FROM graphwright_search WHERE graphwright_search MATCH ? LIMIT ?"
    quoted: Any = " AND ".join(f'"{part}"' for part in parts)
    return [id for (id,) in connection.all(sql, (quoted, MOST_FOUND + 1))]
