"""The responder: what the user is told. Facts are worded by code; a model explains what is left to explain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphwright import ActionContext
from graphwright.agents.upgrade.desk import opened, working
from graphwright.agents.upgrade.gathering import model_trouble
from graphwright.agents.upgrade.meant import choice_of
from graphwright.agents.upgrade.requests.resolving import Option
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.telling import listing, replying
from graphwright.agents.upgrade.telling.knowing import GENERAL, states_in, terms_about, terms_in
from graphwright.agents.upgrade.telling.reporting import report_reply
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.quoting import one_line
from graphwright.models import ModelFailure, acall_tools

MOST_ROUNDS = 3
"""Model calls of one answer."""

LONGEST_INFO = 2400
"""Characters of what was gathered that the model is shown."""

_CLAIM = re.compile(
    r"\b(?:i(?:'ve| have)?|we(?:'ve| have)?|has been|have been|was|were|successfully|is now)\s+"
    r"(?:just\s+|successfully\s+|now\s+)?"
    r"(?:created|deleted|started|stopped|updated|cancelled|paused|resumed|initiali[sz]ed|marked|simulated|enrolled|changed)\b",
    re.IGNORECASE,
)
"""A model's word that something was done: what was done is told by code, from the log."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the user is told; `asks` when a reply is waited for."""

    text: str
    asks: bool = False


async def respond(state: State, ctx: ActionContext) -> Told:
    """The whole reply of the turn."""
    parts: list[str] = []
    asks = False
    if state["executed"]:
        parts.append(_executed(state))
    elif state["errors"]:
        parts.append(
            replying.error_reply(state["errors"], action=state["action_needed"], asks=bool(state["missing_params"]))
        )
    if state["declined"] is not None:
        parts.append(replying.declined_reply(state["declined"]["action"], state["declined"]["params"]))
    if state["refused"] is not None:
        parts.append(_refused(state["refused"], state["needs_confirmation"]))
    if state["topic"] not in ("", "again", "question"):
        parts.append(_direct(state))
        asks = state["topic"] == "unclear"
    if not parts or state["gathered_info"]:
        parts += list(_info(state))
    if not parts and _unanswered(state):
        try:
            parts.append(await _explained(state, ctx))
        except ModelFailure as error:
            parts.append(replying.error_reply(model_trouble(error)))
    choice = choice_of(state["choice"])
    if choice is not None:
        names = [str(each["name"]) for each in state["experiment_names"] or ()]
        found = choice.kind == "not_found"
        parts.append(replying.not_found_reply(choice, names) if found else replying.choice_reply(choice))
        asks = not found
    elif state["missing_params"] and state["action_needed"] is not None:
        parts.append(_missing(state))
        asks = True
    if state["needs_confirmation"]:
        parts.append(state["confirmation_message"] or "")
    elif state["queued"] and state["executed"]:
        parts.append(f"I did not go on with: {one_line('; '.join(state['queued']), 200)}")
    return Told("\n\n".join(part for part in parts if part), asks)


def _unanswered(state: State) -> bool:
    """Whether the message asks something that neither code nor what was gathered has answered."""
    if state["topic"] == "question" or (state["intent_type"] == "direct_answer" and not state["topic"]):
        return True
    waits = state["needs_confirmation"] or state["choice"] is not None or bool(state["missing_params"])
    return not waits


def _executed(state: State) -> str:
    entry = state["execution_log"][-1]
    names = {str(each["id"]): str(each["name"]) for each in state["experiment_names"] or ()}
    if entry["status"] == "success":
        return replying.result_reply(entry, names)
    errors = state["errors"] or {"execution": entry["error_message"] or ""}
    return replying.error_reply(errors, action=entry["action"])


def _refused(refused: Mapping[str, Any], waits: bool) -> str:
    if refused["refusal"] == "no_change":
        if waits:
            return "I took that for neither a yes nor a no, and could not tell from it what should be different."
        return "I could not find an answer in that."
    if refused["refusal"] == "which_code":
        return replying.which_code_reply(refused["codes"])
    if refused["refusal"] == "cannot":
        return replying.cannot_reply(Asked("", refused["verb"], "order", refused["clause"], 0, 0))
    return replying.refused_reply(refused["refusal"], refused["action"])


def _missing(state: State) -> str:
    codes = [each["code"] for each in (state["about"] or {}).get("conditions", ())]
    contexts = state["context_metadata"] or {}
    action = state["action_needed"] or ""
    names = [str(each["name"]) for each in state["experiment_names"] or ()]
    given = state["action_params"]
    return replying.missing_reply(action, state["missing_params"], given, contexts, codes=codes, names=names)


def _direct(state: State) -> str:
    match state["topic"]:
        case "greeting":
            return replying.GREETING
        case "thanks":
            return replying.THANKS
        case "help":
            return replying.HELP
        case "report":
            return report_reply(state["execution_log"])
        case "nothing_to_confirm":
            return replying.NOTHING_TO_CONFIRM
    return replying.UNCLEAR


def _info(state: State) -> Iterator[str]:
    """What was gathered, as far as code can word it."""
    for key, value in state["gathered_info"].items():
        name, _, context = key.partition("_for_")
        match name:
            case "upgrade_health":
                where = f"{value['server'][:1].upper()}{value['server'][1:]}"
                yield f"{where} answers: {value['name']}, version {value['version']}."
            case "available_contexts":
                yield listing.contexts_reply(state["context_metadata"] or {})
            case "conditions":
                yield listing.conditions_reply(context, value)
            case "decision_points":
                yield listing.decision_points_reply(context, value["sites"], value["targets"])
            case "group_types":
                yield listing.group_types_reply(context, value)
            case "experiments":
                options = [
                    Option(each["id"], each["name"], each["context"], each["state"], each["id"][:8])
                    for each in value["shown"]
                ]
                yield listing.experiments_reply(options, where=value.get("kind", ""), within=value.get("within", ()))
                if value["total"] > len(options):
                    yield f"... and {value['total'] - len(options):,} more."
            case "experiment_details":
                yield listing.details_reply(value, state["gathered_info"].get("enrollment"))
            case "core_terms":
                states, left = states_in(state["user_input"])
                if states:
                    yield listing.states_reply(states)
                found = terms_in(left)
                if not states and all(term.name in GENERAL for term in found):
                    found = terms_about(left) or found
                if found and not (states and {term.name for term in found} <= GENERAL):
                    yield listing.terms_reply(found)
            case _ if key.endswith("_schema"):
                yield listing.schema_reply(key.removesuffix("_schema"))


async def _explained(state: State, ctx: ActionContext) -> str:
    """What the model makes of the question and of what was gathered; it may look at more by its tools."""
    from langchain_core.messages import AIMessage, ToolMessage

    info = json.dumps(state["gathered_info"], ensure_ascii=False)
    messages = ctx.prompt(
        "respond",
        request=state["user_input"],
        summary=state["user_request_summary"] or "",
        history=state["conversation_history"][-6:],
        info=info[:LONGEST_INFO] if state["gathered_info"] else "",
    )
    text = ""
    async with opened(ctx.home, ctx.settings) as desk:
        desk.static = {
            "context_metadata": state["context_metadata"],
            "experiment_names": state["experiment_names"],
            "all_experiments": state["all_experiments"],
        }
        desk.gathered, desk.log, desk.errors = state["gathered_info"], state["execution_log"], state["errors"]
        with working(desk):
            for number in range(MOST_ROUNDS):
                calls = await acall_tools(ctx.model, ctx.tools.declarations(), messages, required=False)
                text = calls.text.strip()
                if not calls:
                    break
                said = [
                    {"name": call.name, "args": call.args, "id": f"call_{number}_{place}"}
                    for place, call in enumerate(calls)
                ]
                messages = [*messages, AIMessage(calls.text, tool_calls=said)]
                for call, made in zip(calls, said, strict=True):
                    result = await ctx.tools.call(call.name, call.args)
                    shown = json.dumps(result.value, ensure_ascii=False) if result.ok else f"Error: {result.error}"
                    messages.append(ToolMessage(shown[:LONGEST_INFO], tool_call_id=str(made["id"]), name=call.name))
    if not text or _CLAIM.search(text):
        return replying.UNCLEAR
    return text
