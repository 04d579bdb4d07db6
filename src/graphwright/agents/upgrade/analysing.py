"""What a message is: an order, a question, an answer; by code where the words are plain, else by a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from graphwright import ActionContext
from graphwright.agents.upgrade.desk import Desk, opened
from graphwright.agents.upgrade.doing.executing import told
from graphwright.agents.upgrade.gathering import model_trouble
from graphwright.agents.upgrade.meant import choice_of, pending_of, read
from graphwright.agents.upgrade.requests.answers import UNKNOWN_CODES
from graphwright.agents.upgrade.requests.correcting import corrected, for_later
from graphwright.agents.upgrade.requests.reading import Reading
from graphwright.agents.upgrade.requests.resolving import chosen
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.words.saying import trimmed
from graphwright.errors import GraphwrightError
from graphwright.models import ModelFailure, acall_tools
from graphwright.runtime.reading.words import fold
from graphwright.runtime.reading.yes_no import read_yes_no

CLEAR = 0.5
"""From which confidence on a message counts as understood."""

Topic = Literal["greeting", "thanks", "help", "report", "nothing_to_confirm", "unclear", "again"]
_DIRECT = ("greeting", "thanks", "help", "report")
_AGAIN = re.compile(
    r"\W*(?:please\s+)?(?:(?:try|say|do|send|once)\s+(?:(?:it|that|this)\s+)?(?:again|more)|once more|again"
    r"|retry(?: it| that)?|one more time|noch ?mal|nochmals|versuch es noch ?mal)(?:\s+(?:please|now|bitte))?\W*\Z"
)
"""Asks for what was said last."""
_MUSING = re.compile(r"\W*(?:(?:h+m+|m+h+m*|u+h+m*|e+r+m*|um+|oh|ah|let me (?:think|see))\W*)+\Z")
"""Says nothing yet."""

ANALYZE = {
    "name": "analyze_user_request",
    "description": "Say what kind of message it is",
    "parameters": {
        "type": "object",
        "properties": {
            "intent_type": {"enum": ["direct_answer", "needs_info"]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "user_request_summary": {"type": "string"},
            "reasoning": {"type": "string"},
        },
        "required": ["intent_type", "confidence", "user_request_summary", "reasoning"],
        "additionalProperties": False,
    },
}


async def analysed(state: Any, ctx: ActionContext, no_action: Mapping[str, Any]) -> dict[str, Any]:
    """The channels that say what the message in `user_input` is. `no_action` gives up the action that waited."""
    text = state["user_input"].strip()
    if state["action_needed"] is None and state["choice"] is None and _AGAIN.match(fold(text)):
        text = _said_before(state["conversation_history"]) or text
        state = {**state, "user_input": text}
    async with opened(ctx.home, ctx.settings) as desk:
        trouble = await _known(state, desk)
        reading = read(state, desk)
        out = {"user_input": text, "place": desk.client.host, "unanswered": trouble, **desk.static}
    pending = pending_of(state)
    choosing = bool((state["choice"] or {}).get("options"))
    plain = reading.yes_no
    if plain is None and reading.opens_with is not None and len(text.split()) <= 2 and not reading.orders:
        plain = reading.opens_with
    if choosing and not reading.orders and (plain is True or reading.stance == "answer" or _picks(text, state)):
        return {**out, "intent_type": "needs_info", "confidence": 1.0, "said": [*state["said"], text]}
    if pending is None and plain is not None and not choosing:
        return {**out, **_direct("nothing_to_confirm")}
    if pending is not None and plain is False:
        declined = {"action": pending.action, "params": pending.params}
        return {
            **out,
            **no_action,
            "about": state["about"],
            "intent_type": "direct_answer",
            "confidence": 1.0,
            "declined": declined,
            "queued": [],
        }
    asked = pending is not None and list(pending.missing[:1]) == [UNKNOWN_CODES]
    if pending is not None and plain is True and not choosing and not asked:
        # A yes counts only where the very question was asked: it is asked again.
        return {**out, **_direct("again")}
    if for_later(reading, pending) is not None:
        return {**out, "intent_type": "needs_info", "confidence": 1.0, "user_request_summary": text}
    reading = corrected(reading, pending)
    orders = list(reading.orders)
    if orders:
        goes_on = pending is not None and orders[0].action == pending.action
        # What was given up, too, can be what "it" is.
        given_up = {} if goes_on else {**no_action, "about": state["about"]}
        first, rest = orders[0], [reading.alone(each) for each in orders[1:]]
        kept = {"choice": state["choice"]} if not given_up else {}
        # The first clause alone is gone for; words before and behind it belong to it.
        own = trimmed(reading.text[: first.end]) if rest else text
        return {
            **out,
            **given_up,
            **kept,
            "user_input": own,
            "intent_type": "needs_info",
            "confidence": 1.0,
            "user_request_summary": own,
            "queued": rest,
            "said": [*(state["said"] if not given_up else []), own],
        }
    if _MUSING.match(fold(text)):
        return {**out, **_direct("again" if pending is not None or choosing else "unclear")}
    if reading.topics and reading.topics[0] in _DIRECT:
        return {**out, **_direct(reading.topics[0])}
    if reading.topics or (pending is not None and reading.stance == "answer") or (asked and plain):
        said = [*state["said"], text] if pending is not None else [text]
        return {**out, "intent_type": "needs_info", "confidence": 1.0, "user_request_summary": text, "said": said}
    return {**out, **await _by_model(text, reading, state, ctx)}


def _said_before(history: Sequence[Mapping[str, str]]) -> str:
    """The user's last message that is not itself "again" or a bare yes or no; empty where there is none."""
    mine = [each["content"].strip() for each in history[:-1] if each["role"] == "user"]
    return next((m for m in reversed(mine) if not _AGAIN.match(fold(m)) and read_yes_no(m) is None), "")


def _picks(text: str, state: State) -> bool:
    choice = choice_of(state["choice"])
    return choice is not None and chosen(text, choice.options) is not None


def _direct(topic: str) -> dict[str, Any]:
    return {"intent_type": "direct_answer", "confidence": 1.0, "topic": topic}


async def _known(state: State, desk: Desk) -> dict[str, str] | None:
    """Names and contexts for reading the message: those of before, else the server's; none where it cannot be asked,
    and why, by type."""
    if state["experiment_names"] is not None and state["context_metadata"] is not None:
        desk.names = tuple((each["id"], each["name"]) for each in state["experiment_names"])
        desk.contexts = state["context_metadata"]
        return None
    try:
        await desk.look()
    except GraphwrightError as error:
        desk.static.clear()
        kind, message = told(error)
        return {kind: message}
    return None


async def _by_model(text: str, reading: Reading, state: State, ctx: ActionContext) -> dict[str, Any]:
    pending = pending_of(state)
    messages = ctx.prompt(
        "analyze",
        request=text,
        history=state["conversation_history"][-7:-1],
        pending=None if pending is None else {"action": pending.action, "missing": list(pending.missing)},
    )
    try:
        calls = await acall_tools(ctx.model, [ANALYZE], messages, several=False)
    except ModelFailure as error:
        return {"intent_type": "direct_answer", "errors": model_trouble(error)}
    found = calls[0].args
    out = {
        "intent_type": found["intent_type"],
        "confidence": float(found["confidence"]),
        "user_request_summary": found["user_request_summary"],
        "said": [*(state["said"] if pending is not None else []), text],
    }
    if out["confidence"] < CLEAR:
        return out | {"intent_type": "direct_answer", "topic": "unclear"}
    return out
