"""The payment, recorded once under the key of the action."""

from __future__ import annotations

from typing import Any

from graphwright import ActionContext, action


@action(reads=["answers.order", "answers.amount"], writes=["receipt"])
async def pay_back(state: dict[str, Any], ctx: ActionContext) -> dict[str, Any]:
    """Record the refund. A retry, or a restart after a crash, finds the record already there."""
    refund = {"order": state["answers"]["order"], "amount": state["answers"]["amount"]}
    stored, _ = await ctx.store.put_once("refunds", refund)
    return {"receipt": f"R-{stored['order']}"}
