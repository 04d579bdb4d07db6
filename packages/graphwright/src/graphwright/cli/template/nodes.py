"""The actions of this agent. Each declares what it reads and writes; flow.yaml says when it runs."""

from __future__ import annotations

from graphwright import ActionContext, action
from graphwright.models import ModelFailure, acall_tools
from graphwright.proposals import Sources, occurs, supports

from .state import State, Ticket

URGENCIES = {"low": "It can wait", "high": "Somebody is blocked"}
"""The urgencies in words, as the question offers them."""


@action(reads=["message", "ticket", "proposal"], writes=["proposal"], effects=False)
async def propose_ticket(state: State, ctx: ActionContext) -> State:
    """Let the model propose a tool call. With `--model none` the message itself is the summary."""
    proposal = state["proposal"]
    messages = ctx.prompt("propose", message=state["message"], ticket=state["ticket"])
    try:
        calls = await acall_tools(ctx.model, ctx.tools.declarations(), messages, required=False, several=False)
    except ModelFailure as error:
        if error.code != "no_model":
            raise
        return {"proposal": {**proposal, "summary": proposal["summary"] or state["message"].strip()}}
    if not calls:
        return {"proposal": proposal}
    result = await ctx.tools.call(calls[0].name, calls[0].args)
    return {"proposal": result.value}


@action(reads=["proposal", "answers"], writes=["ticket", "preview"], effects=False)
async def preview_ticket(state: State, ctx: ActionContext) -> State:
    """Build the ticket and its preview, and mark values that the user did not say."""
    proposal, answers = state["proposal"], state["answers"]
    ticket: Ticket = {
        "summary": proposal["summary"] or answers["request"],
        "urgency": proposal["urgency"] or answers["urgency"],
    }
    said = tuple(message.text for message in await ctx.messages() if message.role == "user")
    found = supports(proposal, Sources(said=said))
    # A quotation from the user's words supports the whole call; the user's own answers need no support.
    quoted = occurs(proposal["because"], said)
    proposed = bool(proposal["because"])
    lines = ["I would file this:"]
    shown = {"summary": ticket["summary"], "urgency": URGENCIES.get(ticket["urgency"], ticket["urgency"])}
    for name, value in shown.items():
        doubtful = proposed and not quoted and found[name] == "unsupported"
        lines.append(f"- {name}: {value}" + (" (not in your words)" if doubtful else ""))
    return {"ticket": ticket, "preview": "\n".join(lines)}


@action(reads=["ticket"])
async def file_ticket(state: State, ctx: ActionContext) -> None:
    """File the ticket once: a retry, or a restart after a crash, finds the existing record."""
    await ctx.store.put_once("tickets", state["ticket"])
