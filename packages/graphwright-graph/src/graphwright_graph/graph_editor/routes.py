"""The property graph: parts of it, its journal, and undoing changes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar
from uuid import uuid4

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel, ConfigDict, Field

from graphwright.store import AuditEntry
from graphwright_graph import Change, Edge, Goal, GraphError, GraphStore, Node, open_graph
from graphwright_graph._elements import canonical_json, checked_name
from graphwright_graph.graph_editor.shapes import Around, Entry, EntryWithSteps, Graph, UndoPreview
from graphwright_server.access.gate import User, Viewer
from graphwright_server.access.principal import AccessError, Principal
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Page, raises

router = APIRouter(tags=["graph"])

T = TypeVar("T")

_MOST_EDGES = 2000
_MOST_FOUND = 500
Limit = Annotated[int, Query(ge=1, le=500)]


class Undo(BaseModel):
    """With `preview` the changes are only shown, with their hash; otherwise `approves` must be that hash."""

    model_config = ConfigDict(extra="forbid")

    preview: bool = True
    approves: str = Field("", max_length=64)


@router.get("")
async def read_graph(
    principal: Viewer,
    service: ServiceState,
    q: Annotated[str, Query(max_length=500)] = "",
    label: Annotated[str, Query(max_length=64)] = "",
    limit: Limit = 100,
) -> Graph:
    """Labels and types with counts, and some nodes, with the edges between them.

    The nodes have `label`, and `q` in their key or their texts; if none has it, they are similar to its words.
    """

    def look(store: GraphStore) -> Graph:
        nodes, more, similar = _nodes(store, q.strip(), label, limit)
        schema = store.schema()
        edges, cut = _edges_between(store, nodes)
        labels = [{"label": each.label, "count": each.count} for each in schema.labels]
        types = [{"type": each.type, "count": each.count} for each in schema.types]
        part = _part(nodes, edges, more or cut)
        return Graph.model_validate(
            {"version": store.version(), "labels": labels, "types": types, "similar": similar, **part}
        )

    return await _with_graph(service, look)


@router.get("/nodes/{label}")
async def read_node(
    principal: Viewer,
    service: ServiceState,
    label: str,
    node: Annotated[str, Query(max_length=2000)],
    depth: Annotated[int, Query(ge=0, le=3)] = 1,
    limit: Annotated[int, Query(ge=1, le=2000)] = 100,
) -> Around:
    """The node of this label with the key `node`, and its neighbourhood."""

    def look(store: GraphStore) -> Around:
        centre = store.node(node, label)
        part = store.subgraph(centre.key, depth, centre.label, most=limit)
        return Around.model_validate({"node": centre.to_json(), **_part(part.nodes, part.edges, part.truncated)})

    return await _with_graph(service, look)


@router.get("/journal")
async def list_journal(
    principal: Viewer,
    service: ServiceState,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> Page[Entry]:
    """The changes of the graph, the newest first. Only admins see the texts of other users."""
    goals = (await _with_graph(service, lambda store: store.goals(most=cursor + limit + 1)))[cursor:]
    items = [Entry.model_validate(await _goal_json(service, principal, goal)) for goal in goals[:limit]]
    return Page[Entry](items=items, next=str(cursor + limit) if len(goals) > limit else None)


@router.get("/journal/{goal}")
async def read_journal_entry(principal: Viewer, service: ServiceState, goal: str) -> EntryWithSteps:
    """One entry of the journal with every change of it."""
    found = await _with_graph(service, lambda store: store.goal(goal))
    return await _with_steps(service, principal, found)


@router.post("/journal/{goal}/undo", responses=raises(409))
async def undo_goal(
    principal: User,
    service: ServiceState,
    goal: str,
    body: Undo,
    idempotency_key: Annotated[str, Header(max_length=200)] = "",
) -> UndoPreview | EntryWithSteps:
    """Show what undoing a goal would change, or undo it. Goals of other users require the role admin."""
    found = await _with_graph(service, lambda store: store.goal(goal))
    if not await _theirs(service, principal, found):
        principal.require("admin")
    key = f"undo {principal.user} {idempotency_key}" if idempotency_key else f"undo {uuid4().hex}"
    changes = await _with_graph(service, lambda store: store.preview_undo(goal)) if not found.undone_by else ()
    content = hashlib.sha256(canonical_json([change.to_json() for change in changes]).encode()).hexdigest()
    if body.preview:
        shown = {"goal": found.id, "changes": [_change(change) for change in changes], "hash": content}
        return UndoPreview.model_validate(shown)
    if not found.undone_by and body.approves != content:
        message = "Undoing would now make other changes than the approved ones."
        raise AccessError(409, "approval_changed", message, "Read the new preview, and approve it.")
    entry = AuditEntry(
        user=principal.user,
        key=principal.key,
        door="api",
        event="approved",
        agent="graph",
        thread=found.thread,
        node=found.id,
        action="undo",
        content=content,
    )
    audit = service.workspace.store.access.audit
    await audit.add([entry])
    try:
        undone = await _with_graph(service, lambda store: store.undo(goal, key=key))
    except GraphError:
        await audit.add([replace(entry, event="failed")])
        raise
    await audit.add([replace(entry, event="performed")])
    return await _with_steps(service, principal, undone)


async def _with_steps(service: ServiceState, principal: Principal, goal: Goal) -> EntryWithSteps:
    steps = [_step(step) for step in goal.steps]
    return EntryWithSteps.model_validate({**await _goal_json(service, principal, goal), "steps": steps})


async def _with_graph(service: ServiceState, look: Callable[[GraphStore], T]) -> T:
    home = service.workspace.folder
    # In a thread, since the methods of the store block: the engine is another process or another machine.
    return await asyncio.to_thread(lambda: look(open_graph(home)))


def _nodes(store: GraphStore, q: str, label: str, limit: int) -> tuple[Sequence[Node], bool, bool]:
    """The nodes of a request, whether there are more of them, and whether they are only similar to `q`."""
    of = f":{checked_name(label, 'label')}" if label else ""
    if not q and not label:
        return _of_every_label(store, limit)
    if not q:
        rows = store.read(f"MATCH (n{of}) RETURN n ORDER BY n.key", max_rows=limit)
        return [Node(**cell) for (cell,) in rows.rows], rows.truncated, False
    wanted = q.casefold()
    named = f"MATCH (n{of}) WHERE toLower(n.key) CONTAINS $q RETURN n ORDER BY n.key"
    rows = store.read(named, {"q": q.lower()}, max_rows=_MOST_FOUND)
    near = [each for each in store.search(q, most=_MOST_FOUND) if label in ("", each.label)]
    having = [*(Node(**cell) for (cell,) in rows.rows), *(each for each in near if _has(each, wanted))]
    found = list({each.identity: each for each in having}.values())
    found.sort(key=lambda each: _rank(each.key.casefold(), wanted))
    if found:
        return found[:limit], len(found) > limit or rows.truncated, False
    return near[:limit], len(near) > limit, bool(near)


def _of_every_label(store: GraphStore, limit: int) -> tuple[Sequence[Node], bool, bool]:
    """The first nodes of every label: labels with few nodes have all of them, the others the same number."""
    labels = sorted(store.schema().labels, key=lambda each: each.count)
    found: list[Node] = []
    for place, each in enumerate(labels):
        share = -(-(limit - len(found)) // (len(labels) - place))
        query = f"MATCH (n:{checked_name(each.label, 'label')}) RETURN n ORDER BY n.key"
        found += [Node(**cell) for (cell,) in store.read(query, max_rows=share).rows] if share else []
    return found, sum(each.count for each in labels) > len(found), False


def _has(node: Node, wanted: str) -> bool:
    """Return whether the key or a text of a node contains a text in lower case."""
    values = (each for value in node.properties.values() for each in (value if isinstance(value, list) else [value]))
    return any(wanted in text.casefold() for text in (node.key, *values) if isinstance(text, str))


def _rank(key: str, wanted: str) -> int:
    """Keys that are the text come first, then those that begin with it, then those that contain it."""
    return 0 if key == wanted else 1 if key.startswith(wanted) else 2 if wanted in key else 3


def _edges_between(store: GraphStore, nodes: Sequence[Node]) -> tuple[list[Edge], bool]:
    keys = sorted({node.key for node in nodes})
    query = "MATCH (a)-[r]->(b) WHERE a.key IN $keys AND b.key IN $keys RETURN r"
    rows = store.read(query, {"keys": keys}, max_rows=_MOST_EDGES)
    there = {(node.label, node.key) for node in nodes}
    edges = [Edge(**cell) for (cell,) in rows.rows]
    return [edge for edge in edges if {(end.label, end.key) for end in edge.ends} <= there], rows.truncated


def _part(nodes: Sequence[Node], edges: Sequence[Edge], truncated: bool) -> dict[str, Any]:
    return {
        "nodes": [each.to_json() for each in nodes],
        "edges": [each.to_json() for each in edges],
        "truncated": truncated,
    }


async def _theirs(service: ServiceState, principal: Principal, goal: Goal) -> bool:
    """Return whether the principal owns the thread of a goal. Goals without a thread come from the command line."""
    return (await service.workspace.store.access.owners.owner("thread", goal.thread)) == principal.user


async def _goal_json(service: ServiceState, principal: Principal, goal: Goal) -> dict[str, Any]:
    owner = await service.workspace.store.access.owners.owner("thread", goal.thread)
    visible = principal.may("admin") or owner == principal.user
    undoable = visible and principal.may("user") and not goal.undone_by
    kinds = [change.kind for step in goal.steps for change in step.changes]
    return {
        "goal": goal.id,
        "text": goal.text if visible else "",
        "thread": goal.thread if visible else "",
        "user": (owner or "") if visible else "",
        "status": goal.status,
        "began": goal.began,
        "finished": goal.finished,
        "undoes": goal.undoes,
        "undone_by": goal.undone_by,
        "undoable": undoable and bool(kinds),
        "changes": {kind: kinds.count(kind) for kind in ("created", "updated", "deleted")},
    }


def _step(step: Any) -> dict[str, Any]:
    return {"version": step.version, "time": step.time, "changes": [_change(change) for change in step.changes]}


def _change(change: Change) -> dict[str, Any]:
    return {"kind": change.kind, **change.to_json()}
