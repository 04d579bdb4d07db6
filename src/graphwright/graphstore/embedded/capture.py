"""What a Cypher statement changed: triggers tell which rows it touched; before and after are read and compared."""

from __future__ import annotations

from graphwright.graphstore.elements import KEY, Change, Edge, Node
from graphwright.graphstore.embedded import rows
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.rows import KINDS, RawNode
from graphwright.graphstore.embedded.statements import runnable
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.names import checked_key, checked_name, checked_properties, shown
from graphwright.graphstore.writes import Statement
from graphwright.graphstore.writing import check_count, same

_TABLES = {
    "nodes": ("node", "id"),
    "node_labels": ("node", "node_id"),
    "edges": ("edge", "id"),
    **{f"node_props_{kind}": ("node", "node_id") for kind in KINDS},
    **{f"edge_props_{kind}": ("edge", "edge_id") for kind in KINDS},
}

_EVENTS = {"insert": ("new",), "delete": ("old",), "update": ("old", "new")}


def run(writer: Connection, before: Connection, statement: Statement) -> list[Change]:
    """Execute a statement and give what it changed.

    `before` is a reader that still sees the state at the beginning of the writer's transaction, in which nothing else
    was written. Raises BadElement where the statement leaves something behind that breaks the rules.
    """
    _watch(writer)
    for _ in writer.cypher(runnable(statement.query), statement.parameters):
        pass
    touched = {what: [id for (id,) in writer.all(f"SELECT id FROM touched WHERE what = '{what}'")] for what in _WHAT}
    _unwatch(writer)
    check_count(sum(map(len, touched.values())))
    return [*_node_changes(writer, before, touched["node"]), *_edge_changes(writer, before, touched["edge"])]


_WHAT = ("node", "edge")


def _watch(writer: Connection) -> None:
    writer.run("CREATE TEMP TABLE touched (what TEXT, id INTEGER, PRIMARY KEY (what, id)) WITHOUT ROWID")
    for table, (what, column) in _TABLES.items():
        for event, sides in _EVENTS.items():
            told = " ".join(f"INSERT OR IGNORE INTO touched VALUES ('{what}', {side}.{column});" for side in sides)
            name = f"touched_{table}_{event}"
            writer.run(f"CREATE TEMP TRIGGER {name} AFTER {event.upper()} ON main.{table} BEGIN {told} END")


def _unwatch(writer: Connection) -> None:
    for table in _TABLES:
        for event in _EVENTS:
            writer.run(f"DROP TRIGGER temp.touched_{table}_{event}")
    writer.run("DROP TABLE temp.touched")


def _node_changes(writer: Connection, before: Connection, ids: list[int]) -> list[Change]:
    old, new = rows.raw_nodes(before, ids), rows.raw_nodes(writer, ids)
    changes = []
    for id in ids:
        was = old[id].element() if id in old else None
        now = _well_formed(writer, new[id], was) if id in new else None
        if was is None or now is None or not same(was.to_json(), now.to_json()):
            changes.append(Change(was, now))
    return [change for change in changes if change.before or change.after]


def _well_formed(writer: Connection, node: RawNode, was: Node | None) -> Node:
    """The node, checked; `was` is what it was before the statement. Raises BadElement."""
    if len(node.labels) != 1:
        said = f"the labels {', '.join(node.labels)}" if node.labels else "no label"
        raise BadElement("bad_label", f"a node would have {said}", "A node has exactly one label.")
    label, key = checked_name(node.labels[0], "label"), node.properties.get(KEY)
    if key is None:
        raise BadElement("bad_key", f"a node of {label} would have no key", "Give each node a text as `key`.")
    checked_key(key)
    if was is not None and was.identity[1:] != (label, key):
        raise BadElement(
            "bad_key",
            f"{was.name} would become {label} {shown(key)}",
            "Label and key of a node stay what they are: delete it and create another.",
        )
    if len(rows.find_nodes(writer, key, label)) > 1:
        raise BadElement(
            "bad_key", f"there would be two nodes {label} {shown(key)}", "Use MERGE, or SET on the one that exists."
        )
    others = {name: value for name, value in node.properties.items() if name != KEY}
    _check_properties(others, f"{label} {shown(key)}")
    return Node(label, key, others)


def _edge_changes(writer: Connection, before: Connection, ids: list[int]) -> list[Change]:
    old = {each.ref: each.element for each in rows.edges_by_id(before, ids)}
    new = {each.ref: each.element for each in rows.edges_by_id(writer, ids)}
    for id, edge in new.items():
        checked_name(edge.type, "type")
        _check_properties(dict(edge.properties), edge.name)
        _check_single(writer, id, edge)
    replaced = {edge.identity: edge for edge in old.values()}
    # An edge that was deleted and created again in the same statement is the same edge.
    made_anew = {edge.identity for id, edge in new.items() if id not in old}
    changes = [Change(replaced.get(edge.identity), edge) for edge in new.values()]
    gone = [edge for id, edge in old.items() if id not in new and edge.identity not in made_anew]
    changes += [Change(edge, None) for edge in gone]
    return [c for c in changes if not (c.before and c.after and same(c.before.to_json(), c.after.to_json()))]


def _check_single(writer: Connection, id: int, edge: Edge) -> None:
    sql = (
        "SELECT count(*) FROM edges e JOIN edges o "
        "ON o.source_id = e.source_id AND o.type = e.type AND o.target_id = e.target_id WHERE e.id = ?"
    )
    if writer.first(sql, (id,))[0] > 1:
        raise BadElement(
            "bad_edge", f"there would be two edges {edge.name}", "Use MERGE: there is one of a type between two nodes."
        )


def _check_properties(properties: dict[str, object], name: str) -> None:
    try:
        checked_properties(properties)
    except BadElement as error:
        raise BadElement(error.code, f"{name}: {error.message}", error.hint) from None
