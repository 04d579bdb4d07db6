"""The actions of this agent. Each declares what it reads and writes; flow.yaml says when it runs."""

from __future__ import annotations

from graphwright import ActionContext, action

from .state import State, Ticket


@action(reads=["answers"], writes=["ticket"])
def write_ticket(state: State, ctx: ActionContext) -> dict[str, Ticket]:
    """Put the answers into a ticket. Nothing happens to the world yet."""
    answers = state["answers"]
    return {
        "ticket": {
            "summary": answers["request"],
            "urgency": answers["urgency"],
            "reply_to": answers.get("email", ""),
        }
    }


@action(reads=["ticket"])
async def file_ticket(state: State, ctx: ActionContext) -> None:
    """File the ticket, once: a retry, or a restart after a crash, finds it already there."""
    await ctx.store.put_once("tickets", state["ticket"])
