"""What the model sees of the graph: its schema, the neighbourhood of what the request names, results of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright.graphstore import Edge, GraphStore, Node, Schema
from graphwright.graphstore.wording import cell_text, element_text, properties_text

MOST_NAMES = 30
"""Labels and types that are shown."""

MOST_EDGES = 6
"""Edges of a named node that are shown."""

MOST_KEPT = 50
"""Rows of a result that the conversation keeps."""

LONGEST_KEPT = 300
"""Characters of a text in such a row."""

MOST_NAMED = 4
"""Named nodes between which edges are looked for."""

MOST_VALUES = 6
MOST_ROWS = 12
"""Rows of an earlier step's result that are shown."""


def schema_lines(schema: Schema, store: GraphStore) -> list[str]:
    """One line a label and a type, with the values that properties of few values have."""
    lines = []
    for one in schema.labels[:MOST_NAMES]:
        parts = [_property(one.label, name, kinds, store, one.count) for name, kinds in one.properties.items()]
        lines.append(f"{one.label} ({one.count}): {', '.join(['key', *parts])}")
    for kind in schema.types[:MOST_NAMES]:
        joins = ", ".join(f"({source})-[{kind.type}]->({target})" for source, target in kind.joins[:4])
        extra = f" {{{', '.join(kind.properties)}}}" if kind.properties else ""
        lines.append(f"{joins}{extra}")
    return lines


def _property(label: str, name: str, kinds: Sequence[str], store: GraphStore, count: int) -> str:
    if set(kinds) <= {"text", "boolean"} and count > 1:
        found = store.values(label, name, most=MOST_VALUES + 1)
        if len(found) <= MOST_VALUES and any(times > 1 for _, times in found):
            return f"{name} ({'|'.join(shortened(value, 20) for value, _ in found)})"
    return name


def shortened(value: Any, most: int = 60) -> str:
    """A value on one line, cut."""
    text = " ".join(str(value).split()) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def neighbourhood(nodes: Iterable[Node], store: GraphStore, *, most: int = 8) -> list[str]:
    """The named nodes, each with some of its edges; those to other named nodes first."""
    named = list(nodes)[:most]
    keys = {node.key for node in named}
    lines = []
    for node in named:
        edges = sorted(store.edges(node.key, node.label), key=lambda edge: not {edge.from_key, edge.to_key} <= keys)
        lines.append(element_text(node))
        lines += [f"  {_edge_line(edge)}" for edge in edges[:MOST_EDGES]]
        if len(edges) > MOST_EDGES:
            lines.append("  ...")
    return lines


def _edge_line(edge: Edge) -> str:
    inside = properties_text(edge.properties)
    return f"{edge.from_key} -[{edge.type}{' ' + inside if inside else ''}]-> {edge.to_key}"


def absent_edges(nodes: Sequence[Node], types: Sequence[str], schema: Schema, store: GraphStore) -> list[str]:
    """Edges of a named type that could join two named nodes and do not: what a request to connect them is about."""
    lines = []
    for kind in schema.types:
        if kind.type not in types:
            continue
        for source in nodes[:MOST_NAMED]:
            there = {(e.type, e.to_label, e.to_key) for e in store.edges(source.key, source.label)}
            for target in nodes[:MOST_NAMED]:
                fits = (source.label, target.label) in kind.joins and source != target
                if fits and (kind.type, target.label, target.key) not in there and source.label != target.label:
                    lines.append(f"no edge yet: {source.key} -[{kind.type}]-> {target.key}")
    return lines[:MOST_EDGES]


def table_lines(table: Mapping[str, Any], most: int = MOST_ROWS) -> list[str]:
    """The rows of a result as a model reads them."""
    rows, count = table["rows"], table["count"]
    lines = [" | ".join(cell_text(value) for value in row) for row in rows[:most]]
    if count > most or table["truncated"]:
        lines.append(f"... {count} rows{' and more' if table['truncated'] else ''} in all")
    return lines or ["no rows"]


def nodes_in(table: Mapping[str, Any]) -> set[str]:
    """The keys of the nodes that stand in the first column of a result as nodes; no texts."""
    return {row[0]["key"] for row in table["rows"] if row and isinstance(row[0], Mapping) and "label" in row[0]}


def kept(table: Mapping[str, Any]) -> dict[str, Any]:
    """As much of a result as answers and later steps need: its first rows, long texts cut, and how many there were."""
    rows = [[_shortened_cell(value) for value in row] for row in table["rows"][:MOST_KEPT]]
    return {**table, "rows": rows, "count": len(table["rows"])}


def shortened_all(value: Any) -> Any:
    """JSON with its long texts cut, in names too."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_KEPT * 4 else f"{value[: LONGEST_KEPT * 4]}…"
    if isinstance(value, Mapping):
        return {shortened_all(name): shortened_all(part) for name, part in list(value.items())[:MOST_KEPT]}
    if isinstance(value, list):
        return [shortened_all(part) for part in value[:MOST_KEPT]]
    return value


def _shortened_cell(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_KEPT else f"{value[: LONGEST_KEPT - 1]}…"
    if isinstance(value, Mapping):
        return {
            name: part if name in ("key", "from_key", "to_key") else _shortened_cell(part)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [_shortened_cell(part) for part in value[:MOST_KEPT]]
    return value


def keys_in(table: Mapping[str, Any]) -> set[str]:
    """The keys of the nodes in a result, and its texts: what a later step may name."""
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, str) and len(value) <= 200:
            found.add(value)
        elif isinstance(value, Mapping):
            for name in ("key", "from_key", "to_key"):
                if isinstance(value.get(name), str):
                    found.add(value[name])
            for name in ("nodes", "edges"):
                for item in value.get(name) or ():
                    collect(item)
        elif isinstance(value, list):
            for item in value:
                collect(item)

    for row in table["rows"]:
        for value in row:
            collect(value)
    return found
