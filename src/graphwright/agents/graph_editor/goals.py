"""The goal in hand: opened in the journal, held against the graph, and shown to the model."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphwright import ActionContext
from graphwright.agents.graph_editor import progress, view
from graphwright.agents.graph_editor.evidence import Evidence, canonical_label
from graphwright.agents.graph_editor.mentions import candidates, clauses, find_mentions
from graphwright.agents.graph_editor.naming import partly_named
from graphwright.agents.graph_editor.over_edges import answered
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.schemas import GoalSpec
from graphwright.agents.graph_editor.state import Goal, Plan
from graphwright.agents.graph_editor.tools import NAMES
from graphwright.agents.graph_editor.words import means_all, wants_undo, writes_asked
from graphwright.graphstore import GraphStore, open_graph

MOST_MADE = 16

CLEAR = 0.5
"""From which confidence on a request counts as clear."""


async def graph(ctx: ActionContext) -> GraphStore:
    """The graph of this data folder, opened off the event loop's thread: what it needs may have to be imported."""
    return await asyncio.to_thread(opened, ctx)


def opened(ctx: ActionContext) -> GraphStore:
    """The graph of this data folder, for who is in a thread already, or knows that it was opened before."""
    return open_graph(ctx.home)


def goal_of(id: str, text: str) -> Goal:
    """A goal of which nothing is understood yet."""
    return {
        "id": id,
        "text": text,
        "intent": "other",
        "complexity": "complex",
        "entities": [],
        "constraints": [],
        "named": [],
        "notes": [],
        "agreed": [],
        "settled": {},
    }


_made: OrderedDict[str, Evidence] = OrderedDict()
"""The evidence that was made last: planning and routing a step look at the same graph."""


def evidence_of(store: GraphStore, goal: Goal, recent: Sequence[str], done: Sequence[Mapping[str, Any]]) -> Evidence:
    """What the steps of a goal may be made of, by the graph as it is now."""
    known = [
        store.name,
        store.version(),
        goal["text"],
        goal["notes"],
        goal["agreed"],
        goal["settled"],
        recent,
        len(done),
    ]
    place = json.dumps(known)
    found = _made.get(place)
    if found is None or found.store is not store:
        found = _made[place] = _evidence(store, goal, recent, done)
        while len(_made) > MOST_MADE:
            _made.popitem(last=False)
    return found


def _evidence(store: GraphStore, goal: Goal, recent: Sequence[str], done: Sequence[Mapping[str, Any]]) -> Evidence:
    text = "\n".join([goal["text"], *goal["notes"]])
    schema = store.schema()
    nodes = store.find(candidates(text))
    mentions = find_mentions(text, schema, nodes, NAMES, partly_named(text, nodes, schema, store))
    # "it" and "them" mean what was shown only where the request itself names nothing.
    points = not mentions.nodes and not mentions.partly and not mentions.keys
    shown, sure = set(recent), set(recent if points and len(recent) == 1 else ())
    for step in done:
        if step["table"] is not None:
            found = view.keys_in(step["table"])
            shown |= found
            one = step["table"]["count"] == 1 or means_all(text)
            sure |= view.nodes_in(step["table"]) if points and one else set()
        sure |= {c["after"]["key"] for c in step["changes"] if c["after"] is not None and "label" in c["after"]}
    # "Dr Haddad", where only one is called so.
    shown |= {node.key for node in mentions.partly}
    sure |= {node.key for node in mentions.partly}
    for node in mentions.nodes[: view.MOST_NAMED]:
        shown |= {key for edge in store.edges(node.key, node.label) for key in (edge.from_key, edge.to_key)}
    evidence = Evidence(
        request=goal["text"],
        text=text,
        mentions=mentions,
        schema=schema,
        store=store,
        shown=frozenset(shown | sure),
        sure=frozenset(sure),
        agreed=frozenset(goal["agreed"]),
        settled=goal["settled"],
        gone=progress.deleted_by(done),
    )
    asked = frozenset(node.key for node in answered(evidence))
    # "Who supplies P-1? Rate that supplier 4.", where only one does.
    return replace(evidence, shown=evidence.shown | asked, sure=evidence.sure | (asked if len(asked) == 1 else set()))


def prompt_inputs(
    store: GraphStore, evidence: Evidence, recent: Sequence[str], made: Collection[str] = ()
) -> dict[str, Any]:
    """What a prompt shows of the graph: its schema, and what the request names."""
    mentions = evidence.mentions
    # What this goal made itself stands in its history.
    named = [node for node in (*mentions.nodes, *mentions.partly) if node.key not in made]
    return {
        "schema": view.schema_lines(evidence.schema, store),
        "named": view.neighbourhood(named, store) + view.absent_edges(named, mentions.types, evidence.schema, store),
        "properties": mentions.properties,
        "recent": list(recent)[:10],
    }


def understood(spec: GoalSpec, evidence: Evidence) -> Plan | None:
    """The one call of a simple goal, None for a complex one. Raises Problem for a goal that cannot be gone for."""
    if wants_undo(evidence.text) and not evidence.mentions.nodes:
        raise Problem("undo", _how_to_undo(evidence.store))
    if evidence.mentions.unknown_tool:
        return _plan(evidence.mentions.unknown_tool, {})
    calls_unknown = spec.tool is not None and spec.tool.tool_name not in NAMES
    if spec.out_of_scope and not evidence.mentions.of_graph and not calls_unknown and not _reads_known(spec, evidence):
        raise Problem("out_of_scope", spec.out_of_scope)
    about = evidence.mentions.nodes
    if spec.tool is None and evidence.only_asks and len(about) == 1:
        # "Is there a note about T-1?"
        return _plan("query_graph", {"label": about[0].label, "where": {"key": about[0].key}})
    if spec.confidence < CLEAR and not (evidence.mentions.nodes and (evidence.asked or spec.tool)):
        raise Problem("ambiguous", "I cannot tell from this what should happen in the graph.")
    named = evidence.mentions.of_graph or evidence.mentions.keys or evidence.mentions.quoted
    if spec.tool is None and not spec.entities and not named and not evidence.asked & {"create", "connect", "delete"}:
        raise Problem("ambiguous", "I cannot tell from this what should happen in the graph.")
    if not spec.is_simple_goal() or (several_writes(evidence) and not calls_unknown):
        return None
    assert spec.tool is not None
    return _plan(spec.tool.tool_name, spec.tool.arguments)


def _how_to_undo(store: GraphStore) -> str:
    last = next((goal for goal in store.goals() if goal.steps and goal.status != "undone"), None)
    if last is None:
        return "There is nothing to undo: no request has changed this graph."
    return (
        f"The last request that changed the graph is {last.id}: {view.shortened(last.text, 80)}\n"
        f"To undo it: graphwright graph undo {last.id}"
    )


def _plan(name: str, arguments: Mapping[str, Any]) -> Plan:
    return {
        "step": "the whole request",
        "tool_name": name,
        "arguments": dict(arguments),
        "is_final": True,
        "rationale": "",
    }


def _reads_known(spec: GoalSpec, evidence: Evidence) -> bool:
    """Whether the model, whatever it says of the scope, asks for a label that the graph has."""
    label = spec.tool.arguments.get("label") if spec.tool is not None else None
    return isinstance(label, str) and canonical_label(label, evidence.schema) is not None


def several_writes(evidence: Evidence) -> bool:
    """Whether the request asks for writing in more than one clause, so that one call cannot be all of it."""
    if evidence.only_asks:
        return False
    return sum(1 for clause in clauses(evidence.text) if writes_asked(clause)) > 1
