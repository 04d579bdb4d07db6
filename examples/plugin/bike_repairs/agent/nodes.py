"""The booking, stored once under the key of the action."""

from __future__ import annotations

from typing import Any

from graphwright import ActionContext, action


@action(reads=["answers.bike", "answers.fault"])
async def book(state: dict[str, Any], ctx: ActionContext) -> dict[str, Any]:
    """Store the repair. A retry finds it already stored."""
    answers = state["answers"]
    await ctx.store.put_once("repairs", {"bike": answers["bike"], "fault": answers["fault"]})
    return {}
