"""The view of the graph in prompts: schema, nodes that a request may mean, results, and the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from graphwright.context import fenced, shortened
from graphwright.text.sentences import many
from graphwright_graph import Edge, GraphStore, Node, NotFound, Schema, open_graph
from graphwright_graph._naming import known_schema, names_of, naming_properties, nodes_of
from graphwright_graph._wording import NO_NAMES, Names, cell_text, element_text, key_text, properties_text
from graphwright_graph.graph_editor.state import Request, Result, Table
from graphwright_graph.graph_editor.tools import ExistingNames

MOST_NAMES = 40  # labels and types that are shown
SMALL = 60  # nodes up to which a graph is shown whole if there is room, with up to three times as many edges
MOST_FOUND, MOST_EDGES = 20, 120  # nodes of a larger graph that a search finds for the request, and their edges
SHARE = 3 / 8  # characters of nodes and edges for each token that a prompt may have: about an eighth of it
MOST_VALUES = 8  # of a property, that the schema names
MOST_GOALS = 10  # earlier ones that can be undone by name
MOST_ROWS = 60  # of a result, that the model reads and the conversation keeps
LONGEST_KEPT = 300  # characters of a text in such a row


_schemas: dict[tuple[str, int], tuple[Schema, list[str]]] = {}
"""The last schema of each graph: nothing changes between two steps of a goal."""


def graph_view(home: Path, text: str, room: float, new: Sequence[str]) -> tuple[dict[str, Any], ExistingNames]:
    """The inputs `schema`, `nodes` and `whole` of every prompt over the graph, and the names that calls may use.

    A small graph is shown completely, a larger one by text search. Nodes and edges take at most `room` characters.
    `new` are the keys of staged nodes.
    """
    store = open_graph(home)
    place = (store.name, store.version())
    if place not in _schemas:
        schema = known_schema(store)
        _schemas[place] = schema, [fenced(line) for line in _schema_lines(schema, store)]
        if len(_schemas) > 4:
            _schemas.pop(next(iter(_schemas)))
    schema, lines = _schemas[place]
    small = sum(one.count for one in schema.labels) <= SMALL and sum(one.count for one in schema.types) <= 3 * SMALL
    elements = list(islice(store.export(), 4 * SMALL)) if small else []
    nodes = [element for element in elements if isinstance(element, Node)]
    shown = [*map(element_text, nodes), *(_edge_line(each) for each in elements if isinstance(each, Edge))]
    whole = small and sum(map(len, shown)) <= room
    known = ExistingNames(
        labels=[one.label for one in schema.labels],
        types=[one.type for one in schema.types],
        keys=[*dict.fromkeys(node.key for node in nodes), *(new if nodes else ())],
        goals=[each.id for each in store.goals(most=MOST_GOALS) if each.steps and each.status != "undone"],
    )
    found = shown if whole else _matching_lines(store, text, room)
    return {"schema": lines, "nodes": [fenced(line) for line in found], "whole": whole}, known


def recent_turns(home: Path, recent: Sequence[Request]) -> list[dict[str, str]]:
    """The last requests as prompts show them: all that the user said for each, what was done, and if it was undone."""
    turns = []
    for each in recent:
        said = "\nUser, then: ".join([each["request"], *(note["said"] for note in each["notes"])])
        goal = each.get("goal", "")
        undone = False
        with suppress(NotFound):
            undone = bool(goal) and open_graph(home).goal(goal).status == "undone"
        turns.append({"request": said, "did": fenced(each["did"]) + ("\n(This was undone later.)" if undone else "")})
    return turns


def _matching_lines(store: GraphStore, text: str, room: float) -> Iterable[str]:
    """The nodes that a text search finds, the best first, then their edges, as far as there is room.

    The other ends of the edges are named.
    """
    nodes = store.search(text, most=MOST_FOUND)
    query = "UNWIND $keys AS key MATCH (n {key: key})-[e]-(other) RETURN e"
    edges = store.read(query, {"keys": [node.key for node in nodes]}, max_rows=MOST_EDGES).rows if nodes else ()
    found = [Edge(**row[0]) for row in edges]
    listed = {(node.label, node.key) for node in nodes}
    others = {(end.label, end.key) for edge in found for end in edge.ends} - listed
    names = names_of(store, nodes_of(store, others))
    lines = [*map(element_text, nodes), *dict.fromkeys(_edge_line(edge, names) for edge in found)]
    ends = accumulate(map(len, lines))
    return (line for line, end in zip(lines, ends, strict=True) if end <= room)


def _schema_lines(schema: Schema, store: GraphStore) -> Iterable[str]:
    """One line a label and a type, the property that names nodes first, with the values of properties that have few."""
    naming = naming_properties(store)
    for one in schema.labels[:MOST_NAMES]:
        properties = sorted(one.properties.items(), key=lambda each: each[0] != naming.get(one.label))
        parts = [_property(one.label, name, kinds, store, one.count) for name, kinds in properties]
        yield f"{one.label} ({one.count}): {', '.join(['key', *parts])}"
    for kind in schema.types[:MOST_NAMES]:
        joins = ", ".join(f"({source})-[{kind.type}]->({target})" for source, target in kind.joins[:4])
        extra = f" {{{', '.join(kind.properties)}}}" if kind.properties else ""
        yield f"{joins}{extra}"


def _property(label: str, name: str, kinds: Sequence[str], store: GraphStore, count: int) -> str:
    if set(kinds) <= {"text", "boolean"} and count > 1:
        found = store.values(label, name, most=MOST_VALUES)
        if any(times > 1 for _, times in found):
            return f"{name} ({'|'.join(shortened(cell_text(value), 20) for value, _ in found)})"
    return f"{name} (number)" if set(kinds) == {"number"} else name


def _edge_line(edge: Edge, names: Names = NO_NAMES) -> str:
    inside = properties_text(edge.properties)
    begin, end = (key_text(each, names) for each in edge.ends)
    return f"{begin} -[{edge.type}{' ' + inside if inside else ''}]-> {end}"


def table_lines(table: Table) -> list[str]:
    """The rows of a result as a model reads them, and what the graph lacks for it."""
    rows, count = table["rows"], table["count"]
    lines = [" | ".join(cell_text(value) for value in row) for row in rows]
    if count > len(lines) or table["truncated"]:
        lines.append(f"… {many(count, 'row')}{' and more' if table['truncated'] else ''} in all")
    shown = (" | ".join(table["columns"]), *lines) if lines else ("no rows",)
    return [fenced(line) for line in (*shown, *table.get("notes", ()))]


def result_turns(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The look-ups of a goal as its prompts show them: `{call, lines}`."""
    return [{"call": each["call"], "lines": table_lines(each["table"])} for each in results]
