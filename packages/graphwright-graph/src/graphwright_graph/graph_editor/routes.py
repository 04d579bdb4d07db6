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
from graphwright_server.shapes import Page

router = APIRouter(tags=["graph"])

T = TypeVar("T")

_MOST_EDGES = 2000
Limit = Annotated[int, Query(ge=1, le=500)]


class Undo(BaseModel):
    """With `preview` the changes are only shown, with their hash; otherwise `approves` must be that hash."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"preview": True}, {"preview": False, "approves": "00653f2c"}]}
    )

    preview: bool = True
    approves: str = Field("", max_length=64)


@router.get("")
async def graph(
    principal: Viewer,
    service: ServiceState,
    q: Annotated[str, Query(max_length=500)] = "",
    label: Annotated[str, Query(max_length=64)] = "",
    limit: Limit = 100,
) -> Graph:
    """Labels and types with counts, and some nodes, with `label` or similar to `q`, and the edges between them."""

    def look(store: GraphStore) -> Graph:
        nodes, more = _nodes(store, q, label, limit)
        schema = store.schema()
        edges, cut = _edges_between(store, nodes)
        labels = [{"label": each.label, "count": each.count} for each in schema.labels]
        types = [{"type": each.type, "count": each.count} for each in schema.types]
        part = _part(nodes, edges, more or cut)
        return Graph.model_validate({"version": store.version(), "labels": labels, "types": types, **part})

    return await _with_graph(service, look)


@router.get("/nodes/{label}")
async def around(
    principal: Viewer,
    service: ServiceState,
    label: str,
    node: Annotated[str, Query(max_length=2000)],
    depth: Annotated[int, Query(ge=0, le=3)] = 1,
    limit: Limit = 100,
) -> Around:
    """The node of this label with the key `node`, and its neighbourhood."""

    def look(store: GraphStore) -> Around:
        centre = store.node(node, label)
        part = store.subgraph(centre.key, depth, centre.label, most=limit)
        return Around.model_validate({"node": centre.to_json(), **_part(part.nodes, part.edges, part.truncated)})

    return await _with_graph(service, look)


@router.get("/journal")
async def journal(
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
async def journal_entry(principal: Viewer, service: ServiceState, goal: str) -> EntryWithSteps:
    """One entry of the journal with every change of it."""
    found = await _with_graph(service, lambda store: store.goal(goal))
    return await _with_steps(service, principal, found)


@router.post("/journal/{goal}/undo")
async def undo(
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
        message = "What undoing would do now is not what was approved."
        raise AccessError(409, "approval_changed", message, "Look at the preview, and approve that.")
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


def _nodes(store: GraphStore, q: str, label: str, limit: int) -> tuple[Sequence[Node], bool]:
    if q:
        found = [each for each in store.search(q, most=500) if label in ("", each.label)]
        return found[:limit], len(found) > limit
    of = f":{checked_name(label, 'label')}" if label else ""
    rows = store.read(f"MATCH (n{of}) RETURN n ORDER BY n.key", max_rows=limit)
    return [Node(**cell) for (cell,) in rows.rows], rows.truncated


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
    visible = principal.may("admin") or await _theirs(service, principal, goal)
    undoable = visible and principal.may("user") and not goal.undone_by
    kinds = [change.kind for step in goal.steps for change in step.changes]
    return {
        "goal": goal.id,
        "text": goal.text if visible else "",
        "thread": goal.thread if visible else "",
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
