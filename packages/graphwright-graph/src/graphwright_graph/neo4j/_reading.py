"""Reads of a graph on Neo4j: every query of the typed reads, the journal, and the rows of a caller's query."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.text.near_names import nearest
from graphwright_graph._elements import (
    KEY,
    RESERVED,
    Change,
    Edge,
    Element,
    LabelSchema,
    Node,
    Schema,
    TypeSchema,
)
from graphwright_graph._port import Goal, Step
from graphwright_graph._text_search import MOST_COMPARED, MOST_WORDS, bigrams, rank, trigrams, words_of
from graphwright_graph._unit_of_work import Reader, Stored
from graphwright_graph.neo4j._connection import (
    BATCH,
    EXCLUDE_OWN,
    GOAL,
    GRAPH,
    STEP,
    backticked,
    translating_errors,
    without_own_nodes,
)

if TYPE_CHECKING:
    import neo4j
    from neo4j.graph import Relationship

    from graphwright_graph.neo4j._connection import Address

NO_LABEL = "(none)"
"""The label shown for a node without one."""

Ends: TypeAlias = Mapping[str, tuple[str, str]]
"""Label and key of nodes, by the server's id."""

_KINDS = {"STRING": "text", "INTEGER": "number", "FLOAT": "number", "BOOLEAN": "boolean", "LIST": "list"}
_PROPERTIES = " UNWIND keys({of}) AS name RETURN DISTINCT {owner} AS owner, name, valueType({of}[name]) AS type"


def _is_ours(node: str) -> str:
    """A condition for nodes made by Graphwright: not irregular ones of other programs, and not the store's own."""
    # For a value that is not a text, STARTS WITH is null.
    return f"size(labels({node})) = 1 AND {node}.{KEY} STARTS WITH ''"


_OURS = _is_ours("n")
_BOTH_OURS = f" WHERE {_is_ours('a')} AND {_is_ours('b')}"


class Neo4jReader(Reader):
    """Reads in one transaction of the driver; references are the server's ids."""

    def __init__(self, tx: neo4j.Transaction, address: Address) -> None:
        self.tx = tx
        self._address = address

    def version(self) -> int:
        found = self.tx.run(f"MATCH (g:{GRAPH}) RETURN g.version").value()
        return found[0] if found else 0

    def size(self) -> int:
        """The number of nodes and edges."""
        nodes = self.tx.run(f"MATCH (n{EXCLUDE_OWN}) RETURN count(n)").value()[0]
        edges = self.tx.run("MATCH ()-[r]->() RETURN count(r)").value()[0]
        return int(nodes) + int(edges)

    def schema(self) -> Schema:
        """The schema, including data of other programs. A node with several labels has the label `One:Other`."""
        nodes = f"MATCH (n{EXCLUDE_OWN})"
        labels: Counter[str] = Counter()
        for names, count in self.tx.run(f"{nodes} RETURN labels(n), count(*)"):
            labels[label_of(names)] += count
        of_labels = self._properties(nodes + _PROPERTIES.format(of="n", owner="labels(n)"))
        for properties in of_labels.values():
            properties.pop(KEY, None)
        types = self.tx.run("MATCH ()-[r]->() RETURN type(r), count(*)")
        of_types = self._properties("MATCH ()-[r]->()" + _PROPERTIES.format(of="r", owner="[type(r)]"))
        joins: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for type, source, target in self.tx.run("MATCH (a)-[r]->(b) RETURN DISTINCT type(r), labels(a), labels(b)"):
            joins[type].add((label_of(source), label_of(target)))
        return Schema(
            tuple(LabelSchema(label, count, _sorted(of_labels[label])) for label, count in sorted(labels.items())),
            tuple(
                TypeSchema(type, count, _sorted(of_types[type]), tuple(sorted(joins[type])))
                for type, count in sorted((type, count) for type, count in types)
            ),
        )

    def _properties(self, query: str) -> dict[str, dict[str, set[str]]]:
        found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for owner, name, type in self.tx.run(query):
            # `LIST<STRING NOT NULL> NOT NULL`, `ZONED DATETIME NOT NULL`
            plain = type.removesuffix(" NOT NULL")
            found[label_of(owner)][name].add(_KINDS.get(plain.partition("<")[0], plain.lower()))
        return found

    def with_key(self, key: str, label: str | None = None) -> list[tuple[str, list[str], dict[str, Any]]]:
        """The nodes with exactly this key as (id, labels, properties), sorted by label."""
        known = self.tx.run("CALL db.labels() YIELD label RETURN label").value() if label is None else [label]
        # A key is indexed within a label only.
        each = [
            f"MATCH (n:{backticked(name)} {{{KEY}: $key}}) RETURN elementId(n) AS id, labels(n) AS labels,"
            " properties(n) AS properties"
            for name in sorted(known)
            if not name.startswith(RESERVED)
        ]
        if not each:
            return []
        found = {id: (id, names, values) for id, names, values in self.tx.run(" UNION ALL ".join(each), key=key)}
        return sorted(found.values(), key=lambda row: label_of(row[1]))

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        found = self.with_key(key, label)
        return [Stored(id, node_of(names, values)) for id, names, values in found if len(names) == 1]

    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        found = self.tx.run(
            f"MATCH (n{f':{backticked(label)}' if label else ''}) WHERE {_OURS}"
            f" WITH n.{KEY} AS near, size([pair IN $pairs WHERE toLower(n.{KEY}) CONTAINS pair]) AS score"
            " WHERE score > 0 RETURN near ORDER BY score DESC, abs(size(near) - $size), near LIMIT 60",
            pairs=bigrams(key),
            size=len(key),
        )
        return nearest(key, found.value())

    def search(self, text: str, most: int) -> tuple[Node, ...]:
        """The nodes most similar to the words of a text, the best first.

        The server compares the beginnings of words in lower case, and does not ignore accents. Candidates are the nodes
        with one of the words, as written or normalised.
        """
        words = {*words_of(text), *text.lower().split()[:MOST_WORDS]}
        parts = sorted({word[: max(3, len(word) - len(word) // 3)] for word in words})
        found = self.tx.run(
            f"MATCH (n) WHERE {_OURS}"
            # A list is added item by item; toStringOrNull of a list would be null.
            " WITH n, reduce(items = [], name IN keys(n) | items + n[name]) AS found"
            " WITH n, [value IN found | toLower(toStringOrNull(value))] AS texts"
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
            for group in trigrams(word)
        }
        return rank(text, [node for node, _ in rows], weights, most)

    def values(self, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
        of = f"n.{backticked(name)}"
        found = self.tx.run(
            f"MATCH (n:{backticked(label)}) WHERE {_OURS} AND {of} IS NOT NULL RETURN {of} AS value, count(*) AS count"
            " LIMIT $most",
            most=most + 1,
        )
        counted = [(plain(value), count) for value, count in found]
        if len(counted) > most:
            return ()
        return tuple(sorted(counted, key=lambda each: (-each[1], json.dumps(each[0], ensure_ascii=False))))

    def neighbours(self, layer: Sequence[str], reached: Collection[str], most: int) -> Sequence[Stored[Node]]:
        found = self.tx.run(
            f"MATCH (m)--(n) WHERE elementId(m) IN $layer AND NOT elementId(n) IN $reached AND {_OURS}"
            " WITH DISTINCT n RETURN elementId(n), labels(n), properties(n) LIMIT $most",
            layer=list(layer),
            reached=list(reached),
            most=most,
        )
        return [Stored(id, node_of(names, values)) for id, names, values in found]

    def edges_between(self, refs: Sequence[str], most: int) -> Sequence[Edge]:
        between = "MATCH (a)-[r]->(b) WHERE elementId(a) IN $ids AND elementId(b) IN $ids"
        return list(self._our_edges(between, {"ids": list(refs)}, most))

    def everything(self) -> Iterator[Element]:
        found = self.tx.run(f"MATCH (n) WHERE {_OURS} RETURN labels(n), properties(n) ORDER BY labels(n)[0], n.{KEY}")
        for names, properties in found:
            yield node_of(names, properties)
        yield from self._our_edges("MATCH ()-[r]->()", {})

    def edges_found(
        self, pattern: str, parameters: Mapping[str, Any], *, ours: bool = False, most: int | None = None
    ) -> Iterator[tuple[str, str, dict[str, Any], Sequence[str], Any, Sequence[str], Any]]:
        """The edges `r` of a pattern, each once, by identity: id, type, properties, and labels and key of both ends.

        With `ours`, only those whose ends are nodes made by Graphwright.
        """
        found = self.tx.run(
            f"{pattern} WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b"
            f"{_BOTH_OURS if ours else ''}"
            f" RETURN elementId(r), type(r), properties(r), labels(a), a.{KEY}, labels(b), b.{KEY}"
            f" ORDER BY labels(a)[0], a.{KEY}, type(r), labels(b)[0], b.{KEY}{'' if most is None else ' LIMIT $most'}",
            {**parameters, "most": most},
        )
        yield from (tuple(record.values()) for record in found)

    def _our_edges(self, pattern: str, parameters: Mapping[str, Any], most: int | None = None) -> Iterator[Edge]:
        for _, type, values, *ends in self.edges_found(pattern, parameters, ours=True, most=most):
            from_labels, from_key, to_labels, to_key = ends
            yield Edge(from_labels[0], from_key, type, to_labels[0], to_key, plain(values))

    def rows(self, query: str, parameters: Mapping[str, Any], most: int) -> Iterator[tuple[Any, ...]]:
        text = without_own_nodes(query)
        with translating_errors(self._address):
            records = iter(self.tx.run(text, dict(parameters)))
            while batch := [record.values() for record in islice(records, min(BATCH, most))]:
                most -= len(batch)
                needed = _ends_needed(value for row in batch for value in row)
                ends = self._ends_of(needed) if needed else {}
                yield from (tuple(cell(value, ends) for value in row) for row in batch)

    def _ends_of(self, ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Label and key of the nodes with these ids."""
        query = f"MATCH (n) WHERE elementId(n) IN $ids RETURN elementId(n), labels(n), n.{KEY}"
        return {id: (label_of(labels), _key_of(key)) for id, labels, key in self.tx.run(query, ids=sorted(ids))}

    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        name, value = ("id", id) if id else ("caller", key)
        found = self.tx.run(f"MATCH (g:{GOAL} {{{name}: $value}}) RETURN properties(g)", value=value).single()
        return None if found is None else self._goal(found[0])

    def goals(self, most: int) -> Sequence[Goal]:
        query = f"MATCH (g:{GOAL}) RETURN properties(g) ORDER BY g.number DESC LIMIT $most"
        return [self._goal(each) for each in self.tx.run(query, most=most).value()]

    def _goal(self, data: Mapping[str, Any]) -> Goal:
        query = f"MATCH (s:{STEP} {{goal: $goal}}) RETURN properties(s) ORDER BY s.number"
        steps = tuple(map(step_of, self.tx.run(query, goal=data["id"]).value()))
        return goal_of(data, steps)


def goal_of(data: Mapping[str, Any], steps: tuple[Step, ...] = ()) -> Goal:
    """The goal in a node of the journal."""
    names = ("id", "text", "thread", "status", "began", "finished", "undoes", "undone_by")
    given: dict[str, Any] = {name: data.get(name) for name in names}
    return Goal(**given, key=data["caller"], steps=steps)


def step_of(data: Mapping[str, Any]) -> Step:
    """The step in a node of the journal."""
    changes = tuple(Change.from_json(change) for change in json.loads(data["changes"]))
    return Step(data["caller"], tuple(json.loads(data["writes"])), changes, data["version"], data["time"])


# Values of the driver as elements and JSON


def label_of(labels: Iterable[str]) -> str:
    """The label of a node; several labels, which only other programs create, are joined."""
    return ":".join(sorted(labels)) or NO_LABEL


def node_of(labels: Iterable[str], properties: Mapping[str, Any]) -> Node:
    """A node from the server's data. Values that a property cannot have become texts."""
    others = {name: plain(value) for name, value in properties.items() if name != KEY}
    return Node(label_of(labels), _key_of(properties.get(KEY)), others)


def _key_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def plain(value: Any) -> Any:
    """A value as JSON: dates, durations and points become texts, bytes become their number."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case bytes() | bytearray():
            return f"({len(value)} bytes)"
        case Mapping():
            return {name: plain(item) for name, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value.iso_format() if hasattr(value, "iso_format") else str(value)


def cell(value: Any, ends: Ends) -> Any:
    """A value of a row as the JSON of `Result`."""
    from neo4j import graph

    match value:
        case graph.Node():
            return node_of(value.labels, value).to_json()
        case graph.Relationship():
            # The ends of a deleted edge have no labels and keys.
            source, target = (ends.get(node.element_id, ("", "")) for node in _ends(value))
            properties = {name: plain(item) for name, item in value.items()}
            return Edge(*source, value.type, *target, properties).to_json()
        case graph.Path():
            known = {node.element_id: (label_of(node.labels), _key_of(node.get(KEY))) for node in value.nodes}
            return {
                "nodes": [cell(node, known) for node in value.nodes],
                "edges": [cell(edge, known) for edge in value.relationships],
            }
        case Mapping():
            return {name: cell(item, ends) for name, item in value.items()}
        case list():
            return [cell(item, ends) for item in value]
    return plain(value)


def _ends_needed(values: Iterable[Any]) -> set[str]:
    """The ids of the ends of edges, because an edge arrives without their labels and keys."""
    from neo4j.graph import Path, Relationship

    needed: set[str] = set()
    for value in values:
        match value:
            case Relationship():
                needed.update(node.element_id for node in _ends(value))
            case Path():
                continue
            case Mapping():
                needed |= _ends_needed(value.values())
            case list():
                needed |= _ends_needed(value)
    return needed


def _ends(edge: Relationship) -> Sequence[neo4j.graph.Node]:
    return [node for node in edge.nodes if node is not None]


def _sorted(properties: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(kinds)) for name, kinds in sorted(properties.items())}
