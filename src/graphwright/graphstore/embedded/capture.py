"""What a Cypher statement changed: triggers tell which rows it touched; before and after are read and compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graphwright.graphstore.elements import KEY, Change, Edge, Node, equal, net
from graphwright.graphstore.embedded import rows
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.patterns import whole
from graphwright.graphstore.embedded.rows import KINDS, RawNode, What
from graphwright.graphstore.embedded.statements import runnable
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.names import checked_key, checked_name, checked_properties, shown
from graphwright.graphstore.transaction import Stored
from graphwright.graphstore.writes import Statement
from graphwright.graphstore.writing import check_count

_TABLES = {
    "nodes": ("node", "id"),
    "node_labels": ("node", "node_id"),
    "edges": ("edge", "id"),
    **{f"node_props_{kind}": ("node", "node_id") for kind in KINDS},
    **{f"edge_props_{kind}": ("edge", "edge_id") for kind in KINDS},
}

_EVENTS = {"insert": ("new",), "delete": ("old",), "update": ("old", "new")}


class Capture:
    """What the statements of one transaction of the writer changed, each by itself.

    `before` is a reader that sees the graph as it was when the transaction began. What is written in it otherwise is
    told by `wrote`, before the next statement runs. `written` has the numbers of all of it.
    """

    def __init__(self, writer: Connection, before: Connection) -> None:
        self._writer, self._before = writer, before
        self.written: dict[What, set[int]] = {"node": set(), "edge": set()}

    def wrote(self, what: What, id: int) -> None:
        """Take note of an element that was created, changed or deleted."""
        self.written[what].add(id)

    def run(self, statement: Statement) -> list[Change]:
        """Execute a statement and give what it changed.

        Raises BadElement where the statement leaves something behind that breaks the rules.
        """
        writer = self._writer
        # The reader does not see what was written since: that is read here, before it changes again.
        nodes = rows.raw_nodes(writer, sorted(self.written["node"]))
        edges = rows.edges_by_id(writer, sorted(self.written["edge"]))
        _watch(writer)
        for _ in writer.cypher(runnable(whole(statement.query)), statement.parameters):
            pass
        touched = {what: [id for (id,) in writer.all(_TOUCHED, (what,))] for what in self.written}
        _unwatch(writer)
        check_count(sum(map(len, touched.values())))
        fresh = {what: [id for id in ids if id not in self.written[what]] for what, ids in touched.items()}
        nodes |= rows.raw_nodes(self._before, fresh["node"])
        edges += rows.edges_by_id(self._before, fresh["edge"])
        for what, ids in touched.items():
            self.written[what].update(ids)
        return [*_node_changes(writer, nodes, touched["node"]), *_edge_changes(writer, edges, touched["edge"])]


_TOUCHED = "SELECT id FROM touched WHERE what = ? ORDER BY id"


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


def _node_changes(writer: Connection, old: Mapping[int, RawNode], ids: list[int]) -> list[Change]:
    new = rows.raw_nodes(writer, ids)
    changes = []
    for id in ids:
        was = old[id].element() if id in old else None
        now = _well_formed(writer, new[id], was) if id in new else None
        if not equal(was, now):
            changes.append(Change(was, now))
    return changes


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


def _edge_changes(writer: Connection, images: Iterable[Stored[Edge]], ids: list[int]) -> list[Change]:
    touched = set(ids)
    old = {each.ref: each.element for each in images if each.ref in touched}
    new = {each.ref: each.element for each in rows.edges_by_id(writer, ids)}
    for id, edge in new.items():
        checked_name(edge.type, "type")
        _check_properties(dict(edge.properties), edge.name)
        _check_single(writer, id, edge)
    gone = [Change(edge, None) for id, edge in old.items() if id not in new]
    # An edge that was deleted and created again is the same edge: `net` makes one change of both.
    return [*gone, *net(Change(old.get(id), edge) for id, edge in new.items())]


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
