"""Reading a graph on Neo4j: every query of the typed reads, and the rows of somebody's own."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphwright.graphstore.elements import KEY, Edge, Element, Node, Subgraph
from graphwright.graphstore.names import RESERVED
from graphwright.graphstore.nearest import nearest, pairs
from graphwright.graphstore.neo4j.cells import cell, ends_needed, ends_of, label_of, node_of, plain
from graphwright.graphstore.neo4j.connection import BATCH, quoted
from graphwright.graphstore.neo4j.hiding import GRAPH, NOT_OURS
from graphwright.graphstore.port import Result
from graphwright.graphstore.searching import MOST_COMPARED, MOST_WORDS, best, groups, words_of
from graphwright.graphstore.transaction import Stored

if TYPE_CHECKING:
    import neo4j

MOST_BYTES = 4 * 1024 * 1024
"""Of the rows of a read, as JSON."""

_NAMES = (KEY, "name", "title")
"""Properties by which people call a node."""

_CANDIDATES = 60

_EDGES_A_NODE = 10
"""Edges that a part of a graph may have, for each of the nodes it may have."""


def _is_ours(node: str) -> str:
    """What every node that Graphwright made fulfils, and neither those of other programs nor the store's own."""
    # Of anything but a text, STARTS WITH is null.
    return f"size(labels({node})) = 1 AND {node}.{KEY} STARTS WITH ''"


_OURS = _is_ours("n")
_BOTH_OURS = f" WHERE {_is_ours('a')} AND {_is_ours('b')}"


def version(tx: neo4j.Transaction) -> int:
    found = tx.run(f"MATCH (g:{GRAPH}) RETURN g.version").value()
    return found[0] if found else 0


def size(tx: neo4j.Transaction) -> int:
    """How many nodes and edges there are."""
    nodes = tx.run(f"MATCH (n{NOT_OURS}) RETURN count(n)").value()[0]
    edges = tx.run("MATCH ()-[r]->() RETURN count(r)").value()[0]
    return int(nodes) + int(edges)


def labels(tx: neo4j.Transaction) -> list[str]:
    """The labels that nodes have."""
    found = tx.run("CALL db.labels() YIELD label RETURN label").value()
    return sorted(label for label in found if not label.startswith(RESERVED))


def with_key(tx: neo4j.Transaction, key: str, label: str | None = None) -> list[tuple[str, list[str], dict[str, Any]]]:
    """The nodes with exactly this key as (id, labels, properties), sorted by label."""
    # A key is indexed within a label only.
    each = [
        f"MATCH (n:{quoted(name)} {{{KEY}: $key}}) RETURN elementId(n) AS id, labels(n) AS labels,"
        " properties(n) AS properties"
        for name in ([label] if label else labels(tx))
    ]
    if not each:
        return []
    found = {id: (id, names, values) for id, names, values in tx.run(" UNION ALL ".join(each), key=key)}
    return sorted(found.values(), key=lambda row: label_of(row[1]))


def nodes(tx: neo4j.Transaction, key: str, label: str | None = None) -> list[Stored[Node]]:
    """The nodes with exactly this key and one label, sorted by label."""
    return [Stored(id, node_of(names, values)) for id, names, values in with_key(tx, key, label) if len(names) == 1]


def keys_near(tx: neo4j.Transaction, key: str, label: str | None = None) -> list[str]:
    """Up to three keys that resemble one that does not exist, the nearest first."""
    found = tx.run(
        f"MATCH (n{f':{quoted(label)}' if label else ''}) WHERE {_OURS}"
        f" WITH n.{KEY} AS near, size([pair IN $pairs WHERE toLower(n.{KEY}) CONTAINS pair]) AS score WHERE score > 0"
        " RETURN near ORDER BY score DESC, abs(size(near) - $size), near LIMIT $most",
        pairs=pairs(key),
        size=len(key),
        most=_CANDIDATES,
    )
    return nearest(key, found.value())


def find(tx: neo4j.Transaction, texts: Sequence[str], most: int) -> tuple[Node, ...]:
    """The nodes that are called by one of the texts, whatever the case; sorted by key, then label."""
    wanted = {text.casefold() for text in texts}
    same = " OR ".join(f"toLower(toStringOrNull(n.{name})) IN $texts" for name in _NAMES)
    found = tx.run(
        f"MATCH (n) WHERE {_OURS} AND ({same}) RETURN labels(n), properties(n)",
        texts=sorted({way.lower() for text in texts for way in (text, text.upper(), text.casefold())}),
    )
    # The number 5 is not called "5".
    matching = [
        node_of(names, values)
        for names, values in found
        if any(isinstance(values.get(name), str) and values[name].casefold() in wanted for name in _NAMES)
    ]
    return tuple(sorted(matching, key=lambda node: (node.key, node.label))[:most])


def edges_found(
    tx: neo4j.Transaction, pattern: str, parameters: Mapping[str, Any], *, ours: bool = False, most: int | None = None
) -> Iterator[tuple[str, str, dict[str, Any], Sequence[str], Any, Sequence[str], Any]]:
    """The edges `r` of a pattern, each once, by identity: id, type, properties, and labels and key of both ends.

    With `ours`, those whose ends are nodes as Graphwright makes them.
    """
    found = tx.run(
        f"{pattern} WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b"
        f"{_BOTH_OURS if ours else ''}"
        f" RETURN elementId(r), type(r), properties(r), labels(a), a.{KEY}, labels(b), b.{KEY}"
        f" ORDER BY labels(a)[0], a.{KEY}, type(r), labels(b)[0], b.{KEY}{'' if most is None else ' LIMIT $most'}",
        {**parameters, "most": most},
    )
    yield from (tuple(record.values()) for record in found)


def search(tx: neo4j.Transaction, text: str, most: int) -> tuple[Node, ...]:
    """The nodes that resemble words of a text most, the best first.

    The server compares the beginnings of words in small letters, and knows nothing of accents: candidates are the nodes
    that have one of them, as it stands or as it is compared here.
    """
    words = {*words_of(text), *text.lower().split()[:MOST_WORDS]}
    parts = sorted({word[: max(3, len(word) - len(word) // 3)] for word in words})
    found = tx.run(
        f"MATCH (n) WHERE {_OURS}"
        " WITH n, [name IN keys(n) | toLower(toStringOrNull(n[name]))] AS texts"
        " WITH n, [part IN $parts WHERE any(text IN texts WHERE text CONTAINS part)] AS parts WHERE size(parts) > 0"
        " RETURN labels(n), properties(n), parts ORDER BY size(parts) DESC LIMIT $most",
        parts=parts,
        most=max(MOST_COMPARED, most),
    )
    rows = [(node_of(names, properties), having) for names, properties, having in found]
    counts = Counter(part for _, having in rows for part in having)
    weights = {
        group: max(
            (math.log1p(len(rows) / count) for part, count in counts.items() if word.startswith(part)), default=1.0
        )
        for word in words_of(text)
        for group in groups(word)
    }
    return best(text, [node for node, _ in rows], weights, most)


def edges(
    tx: neo4j.Transaction, pattern: str, parameters: Mapping[str, Any], most: int | None = None
) -> Iterator[Edge]:
    """The edges `r` of a pattern between nodes as Graphwright makes them, sorted by identity."""
    for _, type, values, from_labels, from_key, to_labels, to_key in edges_found(
        tx, pattern, parameters, ours=True, most=most
    ):
        yield Edge(from_labels[0], from_key, type, to_labels[0], to_key, plain(values))


def values(tx: neo4j.Transaction, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
    """The values of a property on the nodes of a label, with their counts, most frequent first."""
    of = f"n.{quoted(name)}"
    found = tx.run(
        f"MATCH (n:{quoted(label)}) WHERE {_OURS} AND {of} IS NOT NULL RETURN {of} AS value, count(*) AS count"
        " ORDER BY count DESC, value LIMIT $most",
        most=most,
    )
    counted = [(plain(value), count) for value, count in found]
    return tuple(sorted(counted, key=lambda each: (-each[1], json.dumps(each[0], ensure_ascii=False))))


def subgraph(tx: neo4j.Transaction, id: str, node: Node, depth: int, most: int) -> Subgraph:
    """The nodes within `depth` edges of one, whatever their direction, and the edges between them."""
    reached = {id: node}
    layer, truncated = [id], False
    for _ in range(depth):
        found = tx.run(
            f"MATCH (m)--(n) WHERE elementId(m) IN $layer AND NOT elementId(n) IN $reached AND {_OURS}"
            " WITH DISTINCT n RETURN elementId(n), labels(n), properties(n) LIMIT $most",
            layer=layer,
            reached=list(reached),
            most=most - len(reached) + 1,
        )
        new = {near: node_of(names, values) for near, names, values in found}
        layer = list(new)[: most - len(reached)]
        truncated = len(layer) < len(new)
        reached |= {near: new[near] for near in layer}
        if truncated or not layer:
            break
    between = "MATCH (a)-[r]->(b) WHERE elementId(a) IN $ids AND elementId(b) IN $ids"
    limit = most * _EDGES_A_NODE
    joined = tuple(edges(tx, between, {"ids": list(reached)}, limit + 1))
    nodes = tuple(sorted(reached.values(), key=lambda node: node.identity))
    return Subgraph(nodes, joined[:limit], truncated or len(joined) > limit)


def everything(tx: neo4j.Transaction) -> Iterator[Element]:
    """All nodes, then all edges, sorted by identity."""
    found = tx.run(f"MATCH (n) WHERE {_OURS} RETURN labels(n), properties(n) ORDER BY labels(n)[0], n.{KEY}")
    for names, properties in found:
        yield node_of(names, properties)
    yield from edges(tx, "MATCH ()-[r]->()", {})


def collected(tx: neo4j.Transaction, result: neo4j.Result, columns: Sequence[str], max_rows: int) -> Result:
    """The rows of a query, as many as the caps let through."""
    rows: list[tuple[Any, ...]] = []
    room = MOST_BYTES
    truncated = False
    for row in _cells(tx, result):
        room -= len(json.dumps(row, ensure_ascii=False).encode())
        truncated = len(rows) == max_rows or room < 0
        if truncated:
            break
        rows.append(row)
    return Result(tuple(columns), tuple(rows), truncated)


def stream(
    tx: neo4j.Transaction, query: str, parameters: Mapping[str, Any], *, max_rows: int
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, as they come."""
    yield from islice(_cells(tx, tx.run(query, dict(parameters))), max_rows)


def _cells(tx: neo4j.Transaction, result: neo4j.Result) -> Iterator[tuple[Any, ...]]:
    records = iter(result)
    while batch := [record.values() for record in islice(records, BATCH)]:
        needed = ends_needed(value for row in batch for value in row)
        ends = ends_of(tx, needed) if needed else {}
        for row in batch:
            yield tuple(cell(value, ends) for value in row)
