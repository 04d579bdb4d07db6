"""The writes that a request plainly orders, read by code: what is left to do whatever the model makes of it."""

from __future__ import annotations

from graphwright.agents.graph_editor.assignments import assignments
from graphwright.agents.graph_editor.claims import claimed_edges
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.removals import removals
from graphwright.agents.graph_editor.sound import Grounded


def ordered_writes(evidence: Evidence) -> list[Grounded]:
    """The calls for edges that the request states, values that it orders and deletes that it says, not done yet."""
    claims = [Grounded("add_edge", claim.arguments()) for claim in claimed_edges(evidence)]
    values = [Grounded("update_props", each.arguments()) for each in assignments(evidence)]
    return [*claims, *values, *removals(evidence)]
