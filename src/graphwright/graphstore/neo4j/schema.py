"""The schema of a graph on Neo4j: what is there, counted, that of other programs included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphwright.graphstore.elements import KEY, LabelSchema, Schema, TypeSchema
from graphwright.graphstore.neo4j.cells import label_of
from graphwright.graphstore.neo4j.hiding import NOT_OURS

if TYPE_CHECKING:
    import neo4j

_KINDS = {"STRING": "text", "INTEGER": "number", "FLOAT": "number", "BOOLEAN": "boolean", "LIST": "list"}

_NODES = f"MATCH (n{NOT_OURS})"
_PROPERTIES = " UNWIND keys({of}) AS name RETURN DISTINCT {owner} AS owner, name, valueType({of}[name]) AS type"


def schema(tx: neo4j.Transaction) -> Schema:
    """Labels, types, properties and counts, sorted. Nodes with several labels are told apart as `One:Other`."""
    labels: dict[str, int] = defaultdict(int)
    for names, count in tx.run(f"{_NODES} RETURN labels(n), count(*)"):
        labels[label_of(names)] += count
    of_labels = _properties(tx, _NODES + _PROPERTIES.format(of="n", owner="labels(n)"))
    for properties in of_labels.values():
        properties.pop(KEY, None)
    types = tx.run("MATCH ()-[r]->() RETURN type(r), count(*)")
    of_types = _properties(tx, "MATCH ()-[r]->()" + _PROPERTIES.format(of="r", owner="[type(r)]"))
    joins: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for type, source, target in tx.run("MATCH (a)-[r]->(b) RETURN DISTINCT type(r), labels(a), labels(b)"):
        joins[type].add((label_of(source), label_of(target)))
    return Schema(
        tuple(LabelSchema(label, count, _sorted(of_labels[label])) for label, count in sorted(labels.items())),
        tuple(
            TypeSchema(type, count, _sorted(of_types[type]), tuple(sorted(joins[type])))
            for type, count in sorted((type, count) for type, count in types)
        ),
    )


def _properties(tx: neo4j.Transaction, query: str) -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for owner, name, type in tx.run(query):
        # `LIST<STRING NOT NULL> NOT NULL`, `ZONED DATETIME NOT NULL`
        plain = type.removesuffix(" NOT NULL")
        found[label_of(owner)][name].add(_KINDS.get(plain.partition("<")[0], plain.lower()))
    return found


def _sorted(properties: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(kinds)) for name, kinds in sorted(properties.items())}
