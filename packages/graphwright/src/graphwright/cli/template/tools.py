"""The tools that the model may propose. Proposing runs nothing: nodes.py previews the call, and files after a yes."""

from __future__ import annotations

from graphwright import tool
from graphwright.proposals import choices, closed

PARAMETERS = closed(
    {
        "because": {"type": "string", "description": "the user's words that ask for it, literally"},
        "summary": {"type": "string", "description": "what is wrong or wanted, in one sentence"},
        "urgency": choices(["low", "high", "unknown"], description="high: somebody is blocked; unknown: not said"),
    }
)


@tool(nodes=["propose"], parameters=PARAMETERS)
def file_ticket(because: str, summary: str, urgency: str) -> dict[str, str]:
    """File a ticket for the user's request."""
    return {"summary": summary, "urgency": "" if urgency == "unknown" else urgency, "because": because}
