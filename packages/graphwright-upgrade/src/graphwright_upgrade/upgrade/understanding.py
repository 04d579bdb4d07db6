"""Understand a message: as an answer to the question that waits, by the model's analysis, or by choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from graphwright import ActionContext, Reset
from graphwright.models import ModelFailure, is_weak
from graphwright.proposals import with_fields
from graphwright.text.sentences import shortened
from graphwright.text.yes_no import begins_with_yes, read_yes_no
from graphwright_upgrade._wording import quoted, say, speak
from graphwright_upgrade.client._failures import UpgradeError
from graphwright_upgrade.upgrade import replies, schemas
from graphwright_upgrade.upgrade.orders import (
    INITIALISATION,
    NO_ACTION,
    asked_for,
    finished,
    next_of,
    order,
    order_in_hand,
    over,
)
from graphwright_upgrade.upgrade.preparing import clock, set_values
from graphwright_upgrade.upgrade.schemas import Analysis, analyze_user_request
from graphwright_upgrade.upgrade.server import known, open_server
from graphwright_upgrade.upgrade.state import Action, Order, Said, State

HISTORY = 12  # messages that a prompt shows
SURE = 0.5  # the confidence from which on an analysis counts

_FRESH = (
    "current_state", "errors", "gathered_info", "final_response", "conversation_complete", "user_confirmed", "report",
    "note", "offers", "ask_model", "experiment_names", "context_metadata", "all_experiments", "question", "cannot",
)  # fmt: skip
FRESH = cast(State, dict.fromkeys(_FRESH, Reset()))
"""The channels that each message resets."""


async def begun(state: State, ctx: ActionContext) -> State:
    """Return the channels at the beginning of a turn, and drop the cached data of the server."""
    (await known(ctx)).forget()
    history: list[Said] = [{"role": each.role, "content": each.text} for each in await ctx.messages(limit=HISTORY)]
    return {**FRESH, "user_input": state["message"], "conversation_history": history, "intent_type": None}


# Answers to questions of the flow


def given_up(state: State) -> State:
    """Drop the order that waits. The orders after it stay."""
    title = replies.title(state) if state["action_needed"] else ""
    queue = list(state["queue"])
    user = state["action_params"].get("user_id")
    if state["action_needed"] == INITIALISATION and queue and (queue[0]["params"] or {}).get("user_id") == user:
        # It was offered for an order that cannot be done without it.
        name = queue.pop(0)["request"] or title
        state = {**state, "finished": [*state["finished"], finished(name, say("unknown_user"))]}
    if not title:
        return {**next_of(queue, []), "report": say("all_right")}
    return {**next_of(queue, over(state, say("not_wanted"))), "report": ""}


def value_taken(state: State) -> State | None:
    """Return the channels for the answer to the question for a parameter; None without a value."""
    asked, answer = state["asked"], state["answers"].get(state["asked"])
    if answer is None:
        return None
    value = str(answer)
    said = [*state["said"], state["message"]]
    if value == replies.LEAVE:
        return {"said": said, **given_up(state)}
    params = replies.merged(state["action_params"], asked, value, state["about"])
    if params is None:
        return None
    # Once the working group of a user is known, other optional parameters are not asked for.
    guided = state["guided"] and asked != "working_group"
    words = {path: text for path, text in state["words"].items() if path.split(".")[-1] != asked}
    # A choice of an option by its number counts as the words of the user, too.
    said = [*said, value]
    new: State = {"action_params": params, "asked": "", "guided": guided, "said": said, "words": words}
    return {"intent_type": "needs_info", **new}


def part_chosen(state: State) -> State:
    """Return the channels for the choice of the next parameter; empty without a choice."""
    answer, said = state["answers"].get(state["asked"]), [*state["said"], state["message"]]
    if answer is None:
        return {}
    if answer == replies.LEAVE:
        return {"said": said, **given_up(state)}
    done = answer == replies.DONE
    return {"intent_type": "needs_info", "guided": not done, "asked": "" if done else str(answer), "said": said}


def action_chosen(state: State) -> State:
    """Return the channels that take up the action chosen from the offer."""
    # The message before the offer may hold values for the chosen action.
    request = state["request"]
    chosen = order(cast(Action, state["answers"]["offer"]), None if request else {}, request, state["later"])
    return {**next_of([chosen], []), "guided": True}


# The model's analysis


async def accepted(state: State, ctx: ActionContext) -> State:
    """Return the channels for a yes. Orders and a question in the same message come after the confirmed order.

    A yes is not taken if the model reads a refusal or a change in the message: of the confirmed order, or of those
    after it, which were shown, too. A weak model does not read orders next to a yes; the reply says so.
    """
    begins, text = await begun(state, ctx), state["message"].strip()
    yes: State = {**begins, "user_confirmed": True}
    if read_yes_no(text) or text.isdecimal():
        return yes
    if is_weak(ctx.model):
        return {**yes, "report": say("only_the_yes")}
    try:
        found = await analysis(state, ctx, begins["conversation_history"])
    except ModelFailure as error:
        return {**yes, "report": f"{say('rest_not_read')} {error.full_text}"}
    if found.waiting != "keep" or _changes_queue(state, found):
        return begins | understood(state, ctx, found)
    if found.confidence < SURE:
        return {**yes, "report": say("rest_not_read")}
    return {**yes, **_read(state, found)[0]}


def _changes_queue(state: State, found: Analysis) -> bool:
    """Whether the model reads a change of the orders that were shown. One that is added changes none of them."""
    shown = replies.requests(state["queue"])
    after = shown if found.queue is None else replies.requests(_orders(found.queue))
    return [each for each in after if each in shown] != shown


async def analysis(state: State, ctx: ActionContext, history: list[Said]) -> Analysis:
    """Let the model analyse the message. Raises ModelFailure."""
    text = state["message"]
    shown: dict[str, Any] = {"contexts": {}, "experiments": [], "more": 0, "details": []}
    # An unreachable server is reported when its data are needed.
    with suppress(UpgradeError):
        async with open_server(ctx) as server:
            shown = await server.for_prompt(text, state["last_about"])
    pending = None
    if state["action_needed"] is not None:
        pending = {
            "action": state["action_needed"],
            "params": set_values(state["action_params"]),
            "asked": state["asked"],
            "choices": [each["title"] for each in state["choices"][:-1] if state["asked"]],
        }
    queue = [{name: each[name] for name in ("action", "request", "later")} for each in state["queue"]]
    shown |= {"contexts": list(shown["contexts"]), "done": replies.outcomes(state), "pending": pending, "queue": queue}
    weak = is_weak(ctx.model)
    messages = ctx.prompt("analyze", request=text, history=history[:-1], now=clock(ctx), weak=weak, **shown)
    schema = with_fields(analyze_user_request, language=None) if weak else analyze_user_request
    return await ctx.structured(schema, messages)


def _read(state: State, found: Analysis) -> tuple[State, list[Order]]:
    """Return the channels that every reading of the analysis sets, with the changed queue, and the new orders.

    Next to a yes, also one that does not count, the new orders are in the queue: they come after what waits.
    """
    pending, language = state["action_needed"], found.language[:8] or state["language"]
    speak(language)
    orders, queue = _orders(found.orders), list(state["queue"])
    if pending and found.queue is not None:
        queue = _orders(found.queue)
    if pending and found.waiting == "keep":
        # An order that waits already is not a new one.
        orders = _without(orders, [state, *queue])
        if state["needs_confirmation"] and begins_with_yes(state["message"]):
            orders, queue = [], [*orders, *queue]
    skipped = replies.left_out(state["queue"], [*orders, *queue])
    left = [finished(each, replies.LEFT_OUT, parts=asked_for(each)) for each in skipped]
    return {
        "intent_type": found.intent_type,
        "confidence": found.confidence,
        "language": language,
        "user_request_summary": found.user_request_summary,
        "said": [*state["said"], state["message"]],
        "question": found.question,
        "cannot": found.cannot,
        "queue": queue,
        "finished": [*state["finished"], *left],
    }, orders


def _orders(found: Sequence[schemas.Order]) -> list[Order]:
    return [order(each.action, None, each.request, each.later) for each in found]


def _without(orders: list[Order], others: Sequence[Mapping[str, Any]]) -> list[Order]:
    """The orders whose request is not that of another one."""
    known = replies.requests(others)
    return [each for each, text in zip(orders, replies.requests(orders), strict=True) if text not in known]


def _unsure(state: State, found: Analysis, first: Sequence[Order], *, weak: bool) -> State:
    """Return the channels for a message that is not clear: the flow asks step by step, and keeps what was named."""
    pending = state["action_needed"]
    note = say("unsure" if found.confidence < SURE else "step_by_step")
    read = "; ".join(each["request"] for each in first) or found.user_request_summary
    if found.confidence < SURE and read and not weak:
        note += f" {say('read_as', what=shortened(read, 400).rstrip('.'))}"
    note += f" {say('yes_or_no')}" if state["needs_confirmation"] else ""
    kept: State = {"later": first[0]["later"]} if first else {}
    fresh: State = {} if pending else {**NO_ACTION, "request": state["message"], "said": [state["message"]]}
    unsure: State = {"intent_type": "direct_answer", "offers": [] if pending else replies.offers(), "note": note}
    return {**fresh, **unsure, "question": "", **kept}


def understood(state: State, ctx: ActionContext, found: Analysis) -> State:
    """Return the channels for the model's analysis. A weak model may confuse orders and questions."""
    pending, text = state["action_needed"], state["message"]
    weak = is_weak(ctx.model) and not pending
    out, orders = _read(state, found)
    out["offers"] = replies.offers() if weak else []
    if found.confidence < SURE or (weak and orders):
        unchanged: State = {"queue": state["queue"], "finished": state["finished"]}
        return {**out, **unchanged, **_unsure(state, found, orders, weak=weak)}
    if not (pending or orders):
        # No order waits: those that the model puts after it are done now.
        orders = _orders(found.queue or ())
    queue, finished_before = out["queue"], state["finished"]
    state = {**state, "finished": out["finished"]}
    if pending and found.waiting == "change" and (not orders or orders[0]["action"] == pending):
        # The model words a whole order. A message alone corrects the request so far.
        request = orders[0]["request"] if orders else "; ".join(filter(None, [state["request"], text]))
        later = orders[0]["later"] if orders else state["later"]
        change: State = {"intent_type": "needs_info", "ask_model": True, "request": request, "later": later}
        return {**out, **change, "queue": [*orders[1:], *queue]}
    if pending and found.waiting != "keep":
        after = [*orders, *queue]
        if replies.is_among(state, after):
            # The current order has another place in the queue.
            return {**out, **next_of(after, state["finished"])}
        dropped = given_up({**state, "queue": after})
        return {**out, **dropped, "said": out["said"] if after else []}
    if orders:
        kept_order = [order_in_hand(state)] if pending else []
        said = out["said"] if pending or state["queue"] else [text]
        return {**out, **next_of([*orders, *kept_order, *queue], state["finished"]), "said": said}
    left_out = out["finished"] != finished_before
    if state["needs_confirmation"] and not (found.question or found.cannot or left_out):
        return {**out, "intent_type": "direct_answer", "note": say("yes_or_no")}
    if found.intent_type == "direct_answer" or found.question:
        return out
    if pending and not (state["needs_confirmation"] or state["asked"]):
        # The server could not be asked before: it is tried again.
        return {**out, "ask_model": not state["action_params"]}
    # Without an order and a question there is nothing to look up: only a message that does nothing else is a question.
    nothing_else = not (pending or found.cannot or found.queue)
    return {**out, "question": text} if nothing_else else {**out, "intent_type": "direct_answer"}


# Without a model


def without_model(state: State) -> State:
    """Return the channels without a model: search an experiment by the text, else ask again or offer the actions."""
    asked, text = state["asked"], state["message"]
    if taken := value_taken(state):
        return {"note": "", **taken}
    if asked == "experiment_id" and (params := replies.merged(state["action_params"], asked, text, state["about"])):
        return {"note": "", "intent_type": "needs_info", "action_params": params, "asked": ""}
    if asked:
        return {"intent_type": "needs_info", "note": say("not_taken", text=quoted(text, 60))}
    if state["needs_confirmation"]:
        return {"intent_type": "direct_answer", "note": say("yes_or_no")}
    if state["action_needed"]:
        # The server could not be asked before: it is tried again.
        ask_model = not state["action_params"] and bool(state["request"])
        return {"note": "", "intent_type": "needs_info", "ask_model": ask_model}
    why = f"{state['note']}\n" if state["note"] else ""
    note = why + say("without_model")
    return {**NO_ACTION, "intent_type": "direct_answer", "offers": replies.offers(), "note": note}
