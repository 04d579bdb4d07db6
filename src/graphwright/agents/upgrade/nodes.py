"""The five actions of the UpGrade agent: analyse, gather, word the confirmation, execute, respond."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from graphwright import ActionContext, action
from graphwright.agents.upgrade.analysing import analysed
from graphwright.agents.upgrade.desk import opened, working
from graphwright.agents.upgrade.doing.executing import elsewhere, execute, log_entry, unknown_user
from graphwright.agents.upgrade.gathering import Gathered, gather
from graphwright.agents.upgrade.responding import respond
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.telling.confirmations import confirmation

HISTORY = 10
"""Messages that references may go back to."""

_NAMING = ("create_experiment", "update_experiment", "delete_experiment")
"""The actions after which other experiments, or other names, are there."""

NO_ACTION: dict[str, Any] = {
    "action_needed": None,
    "action_params": {},
    "missing_params": [],
    "needs_confirmation": False,
    "confirmation_message": None,
    "user_confirmed": False,
    "about": None,
    "warnings": [],
    "choice": None,
}
"""What is left of an action that is done, declined or given up: nothing, so that nothing runs twice."""


@action(
    reads=[
        "message", "answers", "awaiting", "executed", "execution_log", "queued", "said", "shown", "about",
        "choice", "action_needed", "action_params", "missing_params", "needs_confirmation", "experiment_names",
        "context_metadata",
    ],
    writes=[
        "current_state", "user_input", "conversation_history", "intent_type", "confidence", "user_request_summary",
        "user_confirmed", "awaiting", "declined", "topic", "refused", "queued", "said", "errors", "gathered_info",
        "final_response", "conversation_complete", "experiment_names", "context_metadata", "place",
        "unanswered", *NO_ACTION,
    ],
)  # fmt: skip
async def conversation_analyzer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Say what the message is: a yes to what waits, something that needs information, or something to answer."""
    fresh = {"current_state": "ANALYZING", "declined": None, "topic": "", "refused": None, "user_confirmed": False}
    if state["executed"]:
        # What is used up is cleared; what else the message asked for comes next, unless something went wrong.
        last = state["execution_log"][-1]
        user = unknown_user(last)
        if user:
            # What was asked for comes again once the user is there.
            return {
                **fresh,
                **NO_ACTION,
                "intent_type": "needs_info",
                "user_input": "",
                "action_needed": "init_experiment_user",
                "action_params": {"user_id": user},
                "errors": {},
                "said": [],
                "queued": [*(state["said"] if len(state["said"]) == 1 else []), *state["queued"]],
            }
        good = last["status"] == "success"
        next_one, *rest = state["queued"] if good and state["queued"] else [""]
        return {
            **fresh,
            **NO_ACTION,
            "intent_type": "needs_info" if next_one else "direct_answer",
            "user_input": next_one,
            "said": [next_one] if next_one else [],
            "queued": rest,
            "experiment_names": None if last["action"] in _NAMING else state["experiment_names"],
        }
    history = [{"role": each.role, "content": each.text} for each in await ctx.messages(limit=HISTORY)]
    waited = state["awaiting"]
    begun: dict[str, Any] = {
        **fresh,
        "conversation_history": history,
        "awaiting": "nothing",
        "errors": {},
        "gathered_info": {},
    }
    begun |= {"final_response": "", "conversation_complete": False}
    reply = state["answers"].get("user_confirmed") if waited == "confirmation" else None
    if reply is True:
        return {**begun, "user_confirmed": True, "intent_type": None}
    if reply is False:
        given_up = {"action": state["action_needed"], "params": state["action_params"]}
        kept = {"about": state["about"], "declined": given_up}
        return {**begun, **NO_ACTION, **kept, "intent_type": "direct_answer", "queued": []}
    if not (state["choice"] or {}).get("options"):
        # What was not found is told, and forgotten.
        begun["choice"] = None
        state["choice"] = None
    text = reply if isinstance(reply, str) else state["message"]
    if waited == "reply":
        text = state["answers"].get("user_input", "")
    return begun | await analysed({**state, "user_input": text, "conversation_history": history}, ctx, NO_ACTION)


@action(
    reads=[
        "user_input", "conversation_history", "user_request_summary", "action_needed", "action_params",
        "missing_params", "execution_log", "said", "shown", "about", "choice", "queued", "gathered_info",
        "unanswered", "executed",
    ],
    writes=[
        "current_state", "action_needed", "action_params", "missing_params", "about", "warnings", "choice",
        "refused", "errors", "gathered_info", "context_metadata", "experiment_names", "all_experiments", "shown",
        "place", "queued", "needs_confirmation", "confirmation_message", "topic", "user_confirmed",
    ],
)  # fmt: skip
async def information_gatherer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Collect what the request needs, and check what the server would not."""
    async with opened(ctx.home, ctx.settings) as desk:
        with working(desk):
            desk.gathered = dict(state["gathered_info"])
            found = await gather(state, ctx, desk)
            out = _gathered(found, state)
            if found.empty:
                out["topic"] = "question"
            if state["executed"] and found.errors:
                # What code had proposed after a failure is given up with the next one.
                out |= NO_ACTION
            for name in ("context_metadata", "experiment_names", "all_experiments"):
                if name in desk.static:
                    out[name] = desk.static[name]
            shown = desk.gathered.get("experiments")
            if shown is not None:
                out["shown"] = [{"id": each["id"], "name": each["name"]} for each in shown["shown"]]
            details = desk.gathered.get("experiment_details")
            if details is not None and state["action_needed"] is None and "action_needed" not in out:
                out["about"] = details
            return {**out, "gathered_info": desk.gathered, "place": desk.client.host}


def _gathered(found: Gathered, state: State) -> dict[str, Any]:
    """The channels that tell of what was found. Where no action was found, one that waits goes on waiting."""
    out: dict[str, Any] = {"current_state": "GATHERING_INFO", "errors": found.errors, "refused": found.refused}
    if found.choice is not None:
        kept = {
            name: value for name, value in asdict(found.choice).items() if name not in ("experiment", "sure", "rest")
        }
        out["choice"] = {**kept, "options": [asdict(option) for option in found.choice.options]}
    else:
        out["choice"] = None
    if found.queued:
        out["queued"] = [*found.queued, *state["queued"]]
    if found.action is None or (found.errors and found.action == state["action_needed"]):
        # What waits goes on waiting: a correction that does not fit takes nothing away.
        return out
    return {
        **out,
        "action_needed": found.action,
        "action_params": found.params,
        "missing_params": found.missing,
        "about": None if found.about is None else dict(found.about),
        "warnings": found.warnings,
        "needs_confirmation": False,
        "confirmation_message": None,
    } | ({"action_needed": None, "action_params": {}, "missing_params": []} if found.errors else {})


@action(
    reads=["action_needed", "action_params", "about", "warnings", "experiment_names", "place", "said"],
    writes=["current_state", "needs_confirmation", "confirmation_message"],
    effects=False,
)
def confirmation_handler(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Word the question: exactly what will be done, and what to know before saying yes."""
    assert state["action_needed"] is not None
    about: Any = state["about"]
    text = confirmation(
        state["action_needed"],
        state["action_params"],
        server=state["place"],
        experiment=about,
        warnings=state["warnings"],
        names=[(str(each["id"]), str(each["name"])) for each in state["experiment_names"] or ()],
        said=state["said"],
    )
    return {"current_state": "CONFIRMING", "needs_confirmation": True, "confirmation_message": text}


@action(
    reads=["action_needed", "action_params", "place"],
    writes=["current_state", "execution_log", "errors", "executed", "needs_confirmation", "user_confirmed"],
)
async def tool_executor(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Do what was confirmed, once, and log it."""
    name, params = state["action_needed"], state["action_params"]
    assert name is not None

    async def begun_before() -> bool:
        _, new = await ctx.store.put_once("upgrade.begun", {"action": name, "params": params})
        return not new

    async with opened(ctx.home, ctx.settings) as desk:
        if desk.client.host == state["place"]:
            outcome = await execute(desk.client, name, params, key=ctx.key, begun_before=begun_before)
        else:
            outcome = elsewhere(asked=state["place"], now=desk.client.host)
    errors: dict[str, str] = {}
    if outcome.error is not None:
        errors = {outcome.error_type or "unknown": outcome.error, "execution": outcome.error}
    return {
        "current_state": "EXECUTING",
        "execution_log": [log_entry(name, params, outcome, ctx.now)],
        "errors": errors,
        "executed": True,
        "needs_confirmation": False,
        "user_confirmed": False,
    }


@action(
    reads=[
        "user_input", "conversation_history", "user_request_summary", "intent_type", "topic", "declined", "refused",
        "choice", "executed", "execution_log", "errors", "gathered_info", "context_metadata", "experiment_names",
        "all_experiments", "action_needed", "action_params", "missing_params", "about", "needs_confirmation",
        "confirmation_message", "queued",
    ],
    writes=["current_state", "final_response", "conversation_complete", "awaiting", "executed", "declined", "queued"],
)  # fmt: skip
async def response_generator(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Tell the user what there is to tell, and say whether anything waits for a reply."""
    told = await respond(state, ctx)
    waits = state["needs_confirmation"] or told.asks
    return {
        "current_state": "RESPONDING",
        "final_response": told.text,
        "conversation_complete": not waits,
        "awaiting": "confirmation" if state["needs_confirmation"] else "reply" if told.asks else "nothing",
        "executed": False,
        "declined": None,
        "queued": state["queued"] if waits else [],
    }
