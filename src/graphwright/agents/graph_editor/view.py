"""What the model sees of the graph: its schema, the nodes that a request may mean, results, and the conversation."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from graphwright.agents.graph_editor.tools import Known
from graphwright.context import fenced
from graphwright.graphstore import Edge, GraphStore, Node, Schema
from graphwright.graphstore.wording import cell_text, element_text, properties_text

MOST_NAMES = 40  # labels and types that are shown
SMALL = 60  # nodes up to which a graph is shown whole where there is room, with up to three times as many edges
MOST_FOUND, MOST_EDGES = 20, 120  # nodes of a larger graph that a search finds for the request, and their edges
SHARE = 3 / 8  # characters of nodes and edges for each token that a prompt may have: about an eighth of it
MOST_VALUES = 8  # of a property, that the schema names
MOST_GOALS = 10  # earlier ones that can be undone by name
MOST_ROWS = 60  # of a result, that the model reads and the conversation keeps
LONGEST_KEPT = 300  # characters of a text in such a row


@dataclass(frozen=True, slots=True)
class View:
    """What a prompt shows of a graph, and what calls may refer to."""

    schema: tuple[str, ...]
    nodes: tuple[str, ...]
    whole: bool
    known: Known

    def inputs(self) -> dict[str, Any]:
        """The inputs that every prompt over the graph takes."""
        shown = {"schema": [fenced(line) for line in self.schema], "nodes": [fenced(line) for line in self.nodes]}
        return {**shown, "whole": self.whole}


_surveys: OrderedDict[tuple[str, int], tuple[Schema, tuple[str, ...]]] = OrderedDict()
"""Schemas as they were read last: nothing changes between two steps of a goal."""


def view_of(store: GraphStore, text: str, room: float = math.inf) -> View:
    """The graph as a prompt shows it for a request: all of a small one, else what a text search finds.

    Nodes and edges take `room` characters at most.
    """
    place = (store.name, store.version())
    if place not in _surveys:
        schema = store.schema()
        _surveys[place] = schema, tuple(_schema_lines(schema, store))
        if len(_surveys) > 4:
            _surveys.popitem(last=False)
    schema, lines = _surveys[place]
    small = sum(one.count for one in schema.labels) <= SMALL and sum(one.count for one in schema.types) <= 3 * SMALL
    elements = list(islice(store.export(), 4 * SMALL)) if small else []
    nodes = [element for element in elements if isinstance(element, Node)]
    shown = [*map(element_text, nodes), *(_edge_line(each) for each in elements if isinstance(each, Edge))]
    whole = small and sum(map(len, shown)) <= room
    known = Known(
        labels=[one.label for one in schema.labels],
        types=[one.type for one in schema.types],
        keys=list(dict.fromkeys(node.key for node in nodes)),
        goals=[each.id for each in store.goals(most=MOST_GOALS) if each.steps and each.status != "undone"],
    )
    return View(lines, tuple(shown if whole else _found(store, text, room)), whole, known)


def _found(store: GraphStore, text: str, room: float) -> Iterable[str]:
    """The nodes that a text search finds, the best first, then their edges, as far as there is room."""
    nodes = store.search(text, most=MOST_FOUND)
    query = "UNWIND $keys AS key MATCH (n {key: key})-[e]-(other) RETURN e"
    edges = store.read(query, {"keys": [node.key for node in nodes]}, max_rows=MOST_EDGES).rows if nodes else ()
    lines = [*map(element_text, nodes), *dict.fromkeys(_edge_line(Edge(**row[0])) for row in edges)]
    ends = accumulate(map(len, lines))
    return (line for line, end in zip(lines, ends, strict=True) if end <= room)


def _schema_lines(schema: Schema, store: GraphStore) -> Iterable[str]:
    """One line a label and a type, with the values that properties of few values have."""
    for one in schema.labels[:MOST_NAMES]:
        parts = [_property(one.label, name, kinds, store, one.count) for name, kinds in one.properties.items()]
        yield f"{one.label} ({one.count}): {', '.join(['key', *parts])}"
    for kind in schema.types[:MOST_NAMES]:
        joins = ", ".join(f"({source})-[{kind.type}]->({target})" for source, target in kind.joins[:4])
        extra = f" {{{', '.join(kind.properties)}}}" if kind.properties else ""
        yield f"{joins}{extra}"


def _property(label: str, name: str, kinds: Sequence[str], store: GraphStore, count: int) -> str:
    if set(kinds) <= {"text", "boolean"} and count > 1:
        found = store.values(label, name, most=MOST_VALUES + 1)
        if len(found) <= MOST_VALUES and any(times > 1 for _, times in found):
            return f"{name} ({'|'.join(shortened_all(cell_text(value), 20) for value, _ in found)})"
    return f"{name} (number)" if set(kinds) == {"number"} else name


def _edge_line(edge: Edge) -> str:
    inside = properties_text(edge.properties)
    return f"{edge.from_key} -[{edge.type}{' ' + inside if inside else ''}]-> {edge.to_key}"


def table_lines(table: Mapping[str, Any], most: int = MOST_ROWS) -> list[str]:
    """The rows of a result as a model reads them."""
    rows, count = table["rows"], table["count"]
    lines = [" | ".join(cell_text(value) for value in row) for row in rows[:most]]
    if count > len(lines) or table["truncated"]:
        lines.append(f"… {count} rows{' and more' if table['truncated'] else ''} in all")
    return [fenced(line) for line in (" | ".join(table["columns"]), *lines)] if lines else ["no rows"]


def kept(table: Mapping[str, Any]) -> dict[str, Any]:
    """As much of a result as answers and later steps need: its first rows, long texts cut, and how many there were."""
    rows = [[shortened_all(value, LONGEST_KEPT) for value in row] for row in table["rows"][:MOST_ROWS]]
    return {**table, "rows": rows, "count": len(table["rows"])}


def shortened_all(value: Any, longest: int = 4 * LONGEST_KEPT) -> Any:
    """JSON with its long texts and lists cut: what a model makes up may be a megabyte."""
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[: longest - 1]}…"
    if isinstance(value, Mapping):
        return {
            shortened_all(name, longest): shortened_all(part, longest) for name, part in list(value.items())[:MOST_ROWS]
        }
    if isinstance(value, list):
        return [shortened_all(part, longest) for part in value[:MOST_ROWS]]
    return value


def result_turns(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The look-ups of a goal as its prompts show them: `{call, lines}`."""
    return [{"call": each["call"], "lines": table_lines(each["table"])} for each in results]
