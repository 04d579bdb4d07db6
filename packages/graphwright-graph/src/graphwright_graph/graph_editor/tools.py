"""The tools of the graph editor: what a model may call, in the schemas of the graph at hand, and what a call does.

Reads run at once. A write is only turned into a `Write` of the port: `commit` does all of a goal together, after a yes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from graphwright import tool
from graphwright.context import shortened
from graphwright.proposals import call_branches, choices, closed
from graphwright.tools import Tool
from graphwright_graph import GraphError, GraphStore, Write, write_from_json, write_to_json
from graphwright_graph._naming import known_schema
from graphwright_graph.cypher import query_of
from graphwright_graph.graph_editor.state import Call

NODES = ["route_tool", "call_tool"]

MOST_ROWS = 200  # of a query of the agent


@dataclass(frozen=True, slots=True)
class ExistingNames:
    """The existing names that calls may use; empty if there are too many to list, or none are known."""

    labels: Sequence[str] = ()
    types: Sequence[str] = ()
    keys: Sequence[str] = ()
    goals: Sequence[str] = ()


@dataclass(slots=True)
class Workspace:
    """The graph that tools work on, with the writes staged so far applied.

    `undone` are the goals that the step undoes so far. `repeated` is true while a call is repeated that failed because
    it named or matched nothing: it then runs, and these findings become notes.
    """

    store: GraphStore
    staged: list[Write] = field(default_factory=list)
    repeated: bool = False
    undone: list[str] = field(default_factory=list)


_workspace: ContextVar[Workspace] = ContextVar("graph_editor_workspace")


@contextmanager
def using_workspace(workspace: Workspace) -> Iterator[Workspace]:
    """Inside, tools work on this workspace."""
    token = _workspace.set(workspace)
    try:
        yield workspace
    finally:
        _workspace.reset(token)


_TEXT = {"type": "string", "minLength": 1}
_SCALARS = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
_SCALAR = {"anyOf": _SCALARS}
_LIST = {"type": "array", "items": _SCALAR}
_PROPERTIES = {"type": "object", "additionalProperties": {"anyOf": [*_SCALARS, _LIST]}}
_ANY_VALUE = {"anyOf": [*_SCALARS, _LIST, {"type": "null"}]}
_CHANGES = {"type": "object", "additionalProperties": _ANY_VALUE, "minProperties": 1}
_COMPARED = {
    **closed({**dict.fromkeys(("eq", "ne", "lt", "lte", "gt", "gte"), _SCALAR), "contains": _TEXT, "starts_with": _TEXT,
              "in": _LIST}, ()),
    "minProperties": 1,
}  # fmt: skip
_WHERE = {"type": "object", "additionalProperties": {"anyOf": [*_SCALARS, _COMPARED]}}


def _object(required: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    return closed({**required, **optional}, required)


def parameters(known: ExistingNames = ExistingNames()) -> dict[str, dict[str, Any]]:
    """The JSON Schema of the arguments of each tool: references to what exists, names of new things as open texts."""
    key, label, kind = ({**choices(values), "minLength": 1} for values in (known.keys, known.labels, known.types))
    new_label, new_kind = ({"anyOf": [one, _TEXT]} if "enum" in one else _TEXT for one in (label, kind))
    # An edge may begin or end at a node that the same step adds.
    new_ends = {"from_key": _TEXT, "type": new_kind, "to_key": _TEXT}
    ends = {"from_key": key, "type": kind, "to_key": key}
    labels = {"from_label": label, "to_label": label}
    of_node = _object({"key": key, "properties": _CHANGES}, label=label)
    of_edge = _object({**ends, "properties": _CHANGES}, **labels)
    related = _object({}, type=kind, direction={"enum": ["out", "in", "any"]}, label=label, key=key, where=_WHERE,
                      absent={"type": "boolean"})  # fmt: skip
    limit = {"type": "integer", "minimum": 1, "maximum": MOST_ROWS}
    return {
        "add_node": _object({"label": new_label, "key": _TEXT}, properties=_PROPERTIES),
        "add_edge": _object(new_ends, properties=_PROPERTIES, from_label=new_label, to_label=new_label),
        "update_props": {"type": "object", "anyOf": [of_node, of_edge]},
        "delete_node": _object({"key": key}, label=label),
        "delete_edge": _object(ends, **labels),
        "query_graph": _object({}, label=label, where=_WHERE, related=related, limit=limit),
        "cypher_query": _object({"query": _TEXT}, parameters={"type": "object"}),
        "undo": _object({}, goal=choices(known.goals)),
        "ask_user": _object({"question": _TEXT}, options={"type": "array", "items": _TEXT, "maxItems": 6}),
    }


_ANY = parameters()


def _stage(kind: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    of_edge = kind == "UpdateNode" and "from_key" in arguments
    write = write_from_json({**arguments, "write": "UpdateEdge" if of_edge else kind})
    _workspace.get().staged.append(write)
    return {"staged": write_to_json(write)}


def _writing(name: str, kind: str, description: str) -> Tool:
    """A tool that stages a write."""
    return Tool(name, description, _ANY[name], lambda **given: _stage(kind, given), frozenset(NODES))


add_node = _writing("add_node", "AddNode", "Create a node, or set properties on the one that has this label and key.")
add_edge = _writing(
    "add_edge", "AddEdge", "Create an edge between two nodes that exist or that a call before this one adds."
)
update_props = _writing(
    "update_props", "UpdateNode", "Change properties of a node, never its key, or of an edge; null removes one."
)
delete_node = _writing("delete_node", "DeleteNode", "Delete a node and its edges.")
delete_edge = _writing("delete_edge", "DeleteEdge", "Delete an edge.")


NOT_THERE = ("unknown_name", "nothing_matched")
"""The codes of calls that name or match nothing that exists. The same call again is made as it is."""


def _read(query: str, values: Mapping[str, Any], most: int = MOST_ROWS) -> dict[str, Any]:
    workspace = _workspace.get()
    notes = _unknown_names(query)
    if notes and not workspace.repeated:
        hint = "Use the names that exist, or make the same call again to run it as it is."
        raise GraphError("unknown_name", " ".join(notes), hint)
    found = workspace.store.read(query, values, after=workspace.staged, max_rows=most)
    return _table(found.columns, [list(row) for row in found.rows], notes, truncated=found.truncated)


def _table(columns: Sequence[str], rows: Sequence[Any], notes: Sequence[str], *, truncated: bool) -> dict[str, Any]:
    return {"table": {"columns": list(columns), "rows": rows, "truncated": truncated, "notes": list(notes)}}


def _unknown_names(query: str) -> list[str]:
    """The names in a query that the graph does not have; empty with staged writes, whose names are not known yet."""
    workspace = _workspace.get()
    if workspace.staged:
        return []
    from graphwright_graph.cypher import parse
    from graphwright_graph.cypher._references import unknown_names

    parse(query)
    return unknown_names(query, known_schema(workspace.store))


def _matches_nothing(query: str, values: Mapping[str, Any]) -> str:
    """The MATCH part of a statement if it matches nothing; otherwise empty."""
    from graphwright_graph.cypher._references import references

    workspace, reading = _workspace.get(), references(query).reading
    try:
        count = f"{reading} RETURN count(*) AS found"
        rows = workspace.store.read(count, values, after=workspace.staged).rows if reading else ()
    except GraphError:
        # Trying the statement itself reports what is wrong with it.
        return ""
    return reading if rows and not rows[0][0] else ""


@tool(nodes=NODES, parameters=_ANY["query_graph"])
def query_graph(**arguments: Any) -> dict[str, Any]:
    """Find nodes by label, properties (a value, or eq, ne, lt, lte, gt, gte, contains, starts_with, in) and relations.

    `related` names the other end; with `absent` it finds the nodes that have no such relation.
    """
    query, values = query_of(arguments)
    return _read(query, values, arguments.get("limit") or MOST_ROWS)


@tool(nodes=NODES, parameters=_ANY["cypher_query"])
def cypher_query(query: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Run one Cypher query: counting, sorting, longer ways; or change many nodes: MATCH ... SET, CREATE, MERGE, DELETE.

    A node's key is n.key. There is no CALL, FOREACH, EXISTS {} and no function of time or chance; a write has no LIMIT.
    """
    values = parameters or {}
    if not _writes(query):
        return _read(query, values)
    if nothing := _matches_nothing(query, values):
        matched = shortened(nothing, 200)
        notes = [f"Nothing in the graph matches `{matched}`, so nothing would change.", *_unknown_names(query)]
        if not _workspace.get().repeated:
            raise GraphError("nothing_matched", " ".join(notes))
        return _table((), (), notes, truncated=False)
    return _stage("Statement", {"query": query, "parameters": values})


@tool(nodes=NODES, parameters=_ANY["undo"])
def undo(goal: str = "") -> dict[str, Any]:
    """Undo what an earlier request changed: the last one, or the one with this id. Only other undos come beside it."""
    workspace = _workspace.get()
    done = [each.id for each in workspace.store.goals() if each.steps and each.status != "undone"]
    done = [each for each in done if each not in workspace.undone]
    if not goal and not done:
        raise GraphError("not_found", "There is nothing to undo: no request has changed this graph.")
    found = workspace.store.goal(goal or done[0]).id
    workspace.undone += [] if found in workspace.undone else [found]
    return {"undo": found}


_ASKS = "Ask the user, where the request leaves open what to do; with the possible answers as options."
ask_user = Tool("ask_user", _ASKS, _ANY["ask_user"], dict, frozenset(NODES))
TOOLS = (add_node, add_edge, update_props, delete_node, delete_edge, query_graph, cypher_query, undo, ask_user)


def _form(schema: Mapping[str, Any]) -> str:
    """The arguments of a tool in short: `(key, properties, label?)`, choices and nested arguments after a colon."""
    parts = []
    for name, part in schema["properties"].items():
        shown = name if name in schema["required"] else f"{name}?"
        if "enum" in part:
            shown += f": {'|'.join(part['enum'])}"
        elif part.get("properties"):
            shown += f": {{{_form(part)[1:-1]}}}"
        parts.append(shown)
    return f"({', '.join(parts)})"


def _line(each: Tool) -> str:
    forms = _ANY[each.name].get("anyOf") or [_ANY[each.name]]
    return f"{each.name}{' or '.join(map(_form, forms))}: {' '.join(each.description.split())}"


TOOL_LINES = tuple(map(_line, TOOLS))
"""The tools as prompts show them."""


def call_schema(known: ExistingNames) -> dict[str, Any]:
    """The JSON Schema of one call of a tool, for the graph at hand. It is for models that follow a grammar."""
    held = parameters(known)
    tools = [{"name": each.name, "description": each.description, "parameters": held[each.name]} for each in TOOLS]
    because = {"type": "string", "description": "the words of the user that ask for it, quoted"}
    return call_branches(tools, before={"because": because})


def short_call_schema() -> dict[str, Any]:
    """The JSON Schema of one call with free arguments: the prompt shows their forms, and they are checked later."""
    fields: dict[str, dict[str, Any]] = {
        "because": {"type": "string"},
        "tool_name": {"type": "string", "enum": [each.name for each in TOOLS]},
        "arguments": {"type": "object"},
        "words": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return closed(fields, ["because", "tool_name", "arguments"])


def looks_up(call: Call) -> bool:
    """Whether a call looks something up, so that more may have to be planned from what it finds."""
    name, arguments = call["tool_name"], call["arguments"]
    return name == "query_graph" or (name == "cypher_query" and not _writes(str(arguments.get("query", ""))))


def _writes(query: str) -> bool:
    from graphwright_graph.cypher import parse

    try:
        return parse(query).writes
    except GraphError:
        # Running the query reports what is wrong with it.
        return False
