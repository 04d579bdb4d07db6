"""The index of the embedded graph's texts: renewed in the transaction of every write, and asked by `search`.

It is a table of SQLite's FTS5 with a row for each node: which groups of three characters occur in its texts.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable

from graphwright.graphstore.elements import Node
from graphwright.graphstore.embedded import rows
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.searching import MOST_COMPARED, best, groups, indexed, words_of

MOST_FOUND = 500
"""Nodes that are looked at for one group of three characters: one that more nodes have tells little."""


def renew(writer: Connection, ids: Collection[int]) -> None:
    """Index nodes as they are now, inside the transaction that wrote them. Those that are gone leave the index."""
    if not ids:
        return
    writer.run("DELETE FROM graphwright_search WHERE rowid IN (SELECT value FROM json_each(?))", (json.dumps([*ids]),))
    add(writer, ((id, raw.element()) for id, raw in rows.raw_nodes(writer, sorted(ids)).items()))


def add(writer: Connection, nodes: Iterable[tuple[int, Node]]) -> None:
    """Index nodes that are not in the index, by their rows."""
    texts = [(id, indexed(node)) for id, node in nodes]
    writer.many("INSERT INTO graphwright_search (rowid, words) VALUES (?, ?)", texts)


def search(connection: Connection, text: str, most: int) -> tuple[Node, ...]:
    """The nodes that resemble words of a text most, the best first."""
    words = {word: groups(word) for word in words_of(text)}
    found = {part: _having(connection, [part]) for part in {part for parts in words.values() for part in parts}}
    made = connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'")
    # The rows come in their order: of those that are too many, the part that was passed tells how many there are.
    count = {part: len(ids) if len(ids) <= MOST_FOUND else len(ids) * made[0] / ids[-1] for part, ids in found.items()}
    weights = {part: math.log1p(made[0] / count[part]) for part, ids in found.items() if ids}
    credit: dict[int, float] = defaultdict(float)
    for part, ids in found.items():
        if len(ids) <= MOST_FOUND:
            for id in ids:
                credit[id] += weights[part]
    for parts in words.values():
        there = [part for part in parts if part in weights]
        if there and all(len(found[part]) > MOST_FOUND for part in there):
            # Each of them is common; all of them together may not be.
            together = _having(connection, there)
            ways = [(together, sum(weights[part] for part in there))] if together else []
            for ids, worth in ways or [(found[part], weights[part]) for part in there]:
                for id in ids:
                    credit[id] += worth
    first = sorted(credit, key=lambda id: (-credit[id], id))[: max(MOST_COMPARED, most)]
    return best(text, rows.nodes_by_id(connection, first), weights, most)


def _having(connection: Connection, parts: Iterable[str]) -> list[int]:
    """The nodes with all these groups in their texts; one more than are looked at, where there are more."""
    sql = f"SELECT rowid FROM graphwright_search WHERE graphwright_search MATCH ? LIMIT {MOST_FOUND + 1}"
    return [id for (id,) in connection.all(sql, (" AND ".join(f'"{part}"' for part in parts),))]
