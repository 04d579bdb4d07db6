"""The steps that code reads in a request by itself, for a model that is unclear, is done too early, or repeats."""

from __future__ import annotations

from graphwright.agents.graph_editor import contradictions
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.goals import understood
from graphwright.agents.graph_editor.grounding import stands_in
from graphwright.agents.graph_editor.ordered import ordered_writes
from graphwright.agents.graph_editor.over_edges import over_edge
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.schemas import GoalSpec
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.state import Plan, State


def first_step(spec: GoalSpec, evidence: Evidence) -> Plan | None:
    """The one call of a simple goal, None for a complex one. Raises Problem for a goal that cannot be gone for.

    What code reads in the request needs no model that is sure of it.
    """
    contradictions.check(spec, evidence)
    try:
        return understood(spec, evidence)
    except Problem as problem:
        own = stands_in(evidence) if problem.code in ("ambiguous", "out_of_scope") else None
        if own is None:
            raise
        return _plan(own)


def next_step(state: State, evidence: Evidence) -> Plan | None:
    """What is left to do: what the request plainly orders, the answer to what it asks beside that, else None.

    Where nothing is done yet, whatever code reads in it.
    """
    ordered = ordered_writes(evidence)
    if ordered:
        return _plan(ordered[0])
    asked = None if evidence.only_asks else over_edge(evidence)
    if asked is not None and not any(step["table"] is not None for step in state["done"]):
        return _plan(Grounded("query_graph", asked))
    own = None if state["done"] else stands_in(evidence)
    return None if own is None else _plan(own)


def _plan(sound: Grounded) -> Plan:
    return {
        "step": "what the request states",
        "tool_name": sound.tool_name,
        "arguments": sound.arguments,
        "is_final": True,
        "rationale": "",
    }
