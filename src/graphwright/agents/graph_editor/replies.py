"""The user's reply to a question or a confirmation: what becomes of goal and plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from graphwright.agents.graph_editor.choosing import meant
from graphwright.agents.graph_editor.questions import key_in, patched, read_reply
from graphwright.agents.graph_editor.state import Goal, Plan, State
from graphwright.graphstore import GraphError, GraphStore


@dataclass(frozen=True, slots=True)
class Replied:
    """The goal with what the user added, and the plan where the reply decides it; None: the model plans."""

    goal: Goal
    plan: Plan | None = None
    stops: bool = False
    expired: bool = False


def reply_of(state: State) -> str:
    """The words with which the user answered what is open: a question, or a confirmation; empty for neither."""
    answers = state["answers"]
    if state["escalation"]["asked_at"]:
        return answers.get("reply", "")
    confirmed = answers.get("confirmed")
    return confirmed if state["preview"]["needed"] and isinstance(confirmed, str) else ""


def replied(state: State, now: datetime, expiry: timedelta, store: Callable[[], GraphStore]) -> Replied | None:
    """What the user replied before this step, None when nothing was asked. `store` gives the graph, which may fail."""
    goal = state["goal"]
    assert goal is not None
    asked_at = state["escalation"]["asked_at"]
    if asked_at:
        if now - datetime.fromisoformat(asked_at) > expiry:
            return Replied(goal, expired=True)
        return _to_question(state, goal, reply_of(state), store)
    words = reply_of(state)
    return Replied(_noted(goal, words)) if words else None


def _noted(goal: Goal, text: str, **changes: Any) -> Goal:
    noted: Goal = {**goal, "notes": [*goal["notes"], text], **changes}  # type: ignore[typeddict-item]
    return noted


def _to_question(state: State, goal: Goal, reply: str, store: Callable[[], GraphStore]) -> Replied:
    escalation, failure, plan = state["escalation"], state["failure"], state["plan"]
    read = read_reply(reply, escalation["options"])
    if read.stops:
        return Replied(goal, stops=True)
    about = failure["about"] if failure is not None else ""
    option = read.option if read.option is not None else _described(reply, escalation["options"], store)
    if option is not None:
        return _with_option(goal, plan, escalation["options"][option], about, reply)
    if escalation["code"] == "missing_key" and plan is not None and key_in(reply):
        key = key_in(reply)
        agreed = [*goal["agreed"], key]
        return Replied(_noted(goal, reply, agreed=agreed), _plan(patched(plan, about, {"key": key})))
    return Replied(_noted(goal, reply))


def _described(reply: str, options: Sequence[Mapping[str, Any]], store: Callable[[], GraphStore]) -> int | None:
    """The option whose node the reply describes; None where the graph cannot be asked: the next step says so."""
    if sum(1 for option in options if option["patch"].get("key")) < 2:
        return None
    try:
        return meant(reply, options, store())
    except GraphError:
        return None


def _with_option(goal: Goal, plan: Plan | None, option: dict[str, Any], about: str, reply: str) -> Replied:
    # A number says nothing to whoever reads the goal later; words of the user's own do.
    words = option["text"] if len(reply.split()) < 2 else reply
    settled = {**goal["settled"], **option["settles"]}
    if option["agree"]:
        key, label = option["agree"], option["patch"].get("label", "")
        noted = _noted(goal, words, agreed=[*goal["agreed"], key], settled=settled)
        if plan is not None and plan["tool_name"] == "add_node":
            return Replied(noted, plan)
        create = {"tool_name": "add_node", "arguments": {"label": label, "key": key}}
        return Replied(noted, _plan({"step": option["text"], "is_final": False, "rationale": "", **create}))
    if option["patch"] and plan is not None:
        agreed = [*goal["agreed"], *([option["patch"]["key"]] if "key" in option["patch"] else [])]
        # What could not be used is settled: the goal is not waiting for it any more.
        settled |= {about: option["patch"]["key"]} if about and "key" in option["patch"] else {}
        noted = _noted(goal, words, agreed=agreed, settled=settled)
        return Replied(noted, _plan(patched(plan, about, option["patch"])))
    if option["settles"]:
        return Replied(_noted(goal, words, settled=settled))
    return Replied(goal, plan)


def _plan(plan: Any) -> Plan:
    made: Plan = plan
    return made
