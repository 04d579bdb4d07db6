"""The gatherer: which action a message asks for, and with which parameters; a question has what it needs looked up.

Code reads what it can; where the words leave it open the model chooses among the tools, in a bounded loop. What it
proposes is held against the words, and what is left is checked as the server would not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright import ActionContext
from graphwright.agents.upgrade.checks.checked_design import OFF
from graphwright.agents.upgrade.checks.checking import check
from graphwright.agents.upgrade.checks.facts import Facts, members_of
from graphwright.agents.upgrade.client.failures import UpgradeError
from graphwright.agents.upgrade.desk import Desk
from graphwright.agents.upgrade.doing.executing import ErrorType, told
from graphwright.agents.upgrade.looking import assigned_code, context_of, speaks_of_assigned, strange_codes
from graphwright.agents.upgrade.meant import OF_EXPERIMENTS, experiment_meant, pending_of, read
from graphwright.agents.upgrade.questions import GatheringFailed, known_without_server, look_up
from graphwright.agents.upgrade.requests.answers import UNKNOWN_CODES, keeps_codes
from graphwright.agents.upgrade.requests.correcting import corrected, for_later
from graphwright.agents.upgrade.requests.grounding import ground
from graphwright.agents.upgrade.requests.reading import Pending, Reading
from graphwright.agents.upgrade.requests.resolving import Option, Resolved
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.places import near_values
from graphwright.agents.upgrade.words.quoting import listed
from graphwright.errors import GraphwrightError, sentence
from graphwright.models import BadReply, ModelFailure, acall_tools

MOST_ROUNDS = 5
"""Model calls of one gathering."""

_FEW_WORDS = 5

LONGEST_RESULT = 1200
"""Characters of a tool's result that the model is shown."""


@dataclass
class Gathered:
    """What the gatherer found: an action with its checked parameters, or what a question needs."""

    action: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    about: Facts | None = None
    choice: Resolved | None = None
    refused: dict[str, Any] | None = None
    queued: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to be done and nothing to be said against it: only a question to answer."""
        return self.action is None and not self.errors and self.choice is None and self.refused is None


async def gather(state: State, ctx: ActionContext, desk: Desk) -> Gathered:
    """Gather for the message in hand. What the server refuses is an error of the result, no exception."""
    try:
        # What the server had no answer to when the message was read it is not asked again: it may take long to fail.
        trouble = state["unanswered"] or await _looked(desk)
        if trouble:
            reading = read(state, desk)
            if reading.orders or not known_without_server(reading):
                return Gathered(errors=dict(trouble))
            await look_up(reading, state, ctx, desk)
            return Gathered()
        pending = pending_of(state)
        reading = read(state, desk)
        if pending is not None and state["executed"]:
            # Nobody has said it: it is what an action lacked that has just failed.
            return await _action(pending.action, {}, None, replace(reading, stance="answer"), state, desk)
        later = for_later(reading, pending)
        if later is not None and pending is not None:
            kept = await _action(pending.action, {}, None, replace(reading, asked=(), stance="answer"), state, desk)
            kept.queued = [reading.alone(later)]
            return kept
        reading = corrected(reading, pending)
        order = next(iter(reading.orders), None)
        if order is not None and not order.action:
            return Gathered(refused={"refusal": "cannot", "verb": order.verb, "clause": order.clause})
        if order is not None and order.every:
            refused = {"refusal": "all", "action": order.action}
            if order.action not in OF_EXPERIMENTS:
                return Gathered(refused=refused)
            params = {"status": order.status} if order.status else {}
            return Gathered(order.action, params, missing=["experiment_id"], refused=refused)
        if order is not None or (pending is not None and reading.stance not in ("new", "aside")):
            action = order.action if order is not None else pending.action if pending is not None else ""
            found = await _action(action, {}, order, reading, state, desk)
            if pending is None or not _unchanged(found, pending) or state["choice"] is not None:
                return found
            codes = [str(each["code"]) for each in pending.params.get("conditions", ())]
            if len(codes) > 1 and len(reading.numbers) == 1 and len(reading.text.split()) <= _FEW_WORDS:
                found.refused = {"refusal": "which_code", "action": pending.action, "codes": codes}
                return found
            # Neither a yes nor a no, and no correction that code can read.
            proposed = await _by_model(reading, state, ctx, desk)
            if proposed.action is not None and not _unchanged(proposed, pending):
                return proposed
            if reading.asks and order is None:
                return Gathered()
            found.refused = {"refusal": "no_change", "action": pending.action}
            return found
        if reading.topics:
            return Gathered(choice=await look_up(reading, state, ctx, desk))
        by_model = await _by_model(reading, state, ctx, desk)
        untold = by_model.empty and pending is None and not reading.asks and not desk.gathered
        if untold and reading.experiments:
            # What is to become of an experiment is not answered as if it were a question.
            by_model.refused = {"refusal": "not_asked", "action": ""}
        return by_model
    except ModelFailure as error:
        return Gathered(errors=model_trouble(error))
    except GatheringFailed as error:
        return Gathered(errors={_TYPES.get(error.code, "unknown"): sentence(error.message)})
    except GraphwrightError as error:
        kind, message = told(error)
        return Gathered(errors={kind: message})


async def _looked(desk: Desk) -> dict[str, str]:
    """Why the desk cannot be filled, as errors by type; nothing where it was."""
    try:
        await desk.look()
    except UpgradeError as error:
        kind, message = told(error)
        return {kind: message}
    return {}


def model_trouble(error: ModelFailure) -> dict[str, str]:
    """The errors of a turn whose model failed. A turn that failed itself would be tried again with the same message."""
    if isinstance(error, BadReply):
        return {"model": "The model did not come to a usable answer. Please say it in other words."}
    return {"model": told(error)[1]}


def _unchanged(found: Gathered, pending: Pending) -> bool:
    return found.action == pending.action and found.params == pending.params and found.missing == list(pending.missing)


async def _action(
    action: str, proposed: Mapping[str, Any], order: Asked | None, reading: Reading, state: State, desk: Desk
) -> Gathered:
    """An action as far as the words go: grounded, resolved, checked."""
    pending = pending_of(state)
    found = Gathered(action)
    # A model's word alone does not take the place of a question that waits, and the message names what it is about.
    unread = bool(proposed and reading.experiments) and not reading.asked and pending is None
    experiment: tuple[str, str] | None = None
    if action in OF_EXPERIMENTS or action == "mark_decision_point":
        resolved = await experiment_meant(reading, order, state, desk)
        if resolved.kind == "one" and (resolved.sure or (pending is not None and reading.stance != "new")):
            experiment = resolved.experiment
            verb = order.said if order is not None else ""
            found.queued = [f"{verb} experiment '{name}'" for _, name in resolved.rest if verb]
        elif action in OF_EXPERIMENTS:
            asked_for = ground(action, proposed, reading, pending=pending, unread=unread)
            if asked_for.action is None:
                return Gathered(refused={"refusal": asked_for.refused, "action": action})
            found.params = asked_for.params
            return _unresolved(found, resolved)
        if experiment is not None:
            found.about = await desk.facts(experiment[0])
            # Whose codes are named is known only now.
            if found.about["conditions"] != (state["about"] or {}).get("conditions"):
                reading = corrected(read({**state, "about": dict(found.about)}, desk), pending)
                order = next((each for each in reading.orders if each.action == action), order)
    left = ground(
        action,
        proposed,
        reading,
        experiment=experiment,
        facts=found.about,
        pending=pending,
        every=state["said"],
        unread=unread,
    )
    if left.action is None:
        return Gathered(refused={"refusal": left.refused, "action": action})
    if action == "get_decision_point_assignments" and not left.params.get("context"):
        left.params.update(await context_of(reading, desk))
    if action == "mark_decision_point" and found.about is not None:
        condition = left.params.get("assigned_condition", {})
        known = all(left.params.get(name) for name in ("user_id", "site", "target"))
        if (
            known
            and "condition_code" not in condition
            and speaks_of_assigned("\n".join([*state["said"], reading.text]))
        ):
            code = await assigned_code(desk, left.params, found.about)
            left.params["assigned_condition"] = {**condition, "condition_code": code}
    off = found.about is not None and any(name in left.params for name in OFF)
    members = members_of(await desk.client.experiment(left.params["experiment_id"])) if off else None
    checked = check(
        action, left.params, contexts=desk.contexts, names=desk.names, experiment=found.about, members=members
    )
    found.params, found.missing = checked.params, checked.missing
    found.errors, found.warnings = checked.errors, checked.warnings
    if action == "init_experiment_user" and order is not None and len(reading.users) > 1:
        groups = "".join(f", {type}: {id}" for type, id in reading.groups)
        found.queued = [f"init user '{user}'{groups}" for user in reading.users[1:]]
        found.warnings = [*found.warnings, f"One user at a time: {listed(reading.users[1:])} after this one."]
    strange = strange_codes(found.params, desk) if action == "create_experiment" and not found.errors else []
    if strange and not _kept(strange, reading, pending):
        # A code that its app does not know is more often a slip than meant: it is asked about first.
        found.missing = [UNKNOWN_CODES, *found.missing]
    return found


def _kept(strange: Sequence[str], reading: Reading, pending: Pending | None) -> bool:
    """Whether codes that the context does not know were asked about before, and are to stay."""
    if pending is None or not {*strange} <= {each["code"] for each in pending.params.get("conditions", ())}:
        return False
    if UNKNOWN_CODES not in pending.missing or keeps_codes(reading.text):
        return True
    return reading.yes_no is True and not any(near_values(code, reading.known_codes) for code in strange)


def _unresolved(found: Gathered, resolved: Resolved) -> Gathered:
    """The action waits for its experiment, or there is none of that name."""
    if resolved.kind == "not_found":
        return Gathered(choice=resolved)
    if resolved.kind == "one" and resolved.experiment is not None:
        # Its name only comes near: the user is asked whether it is meant.
        near = Option(resolved.experiment[0], resolved.experiment[1])
        resolved = Resolved("choose", said=resolved.said, options=(near,))
    found.choice = resolved if resolved.options else None
    found.missing = ["experiment_id"]
    return found


_SILENT = ("timed_out", "unreachable")
_TYPES: Mapping[str, ErrorType] = {
    **dict.fromkeys((*_SILENT, "server_error", "unavailable", "redirected"), "api"),
    **dict.fromkeys(("not_upgrade", "bad_answer", "cut_short", "unsupported_version"), "api"),
    **dict.fromkeys(("invalid", "bad_id", "unknown_context", "unknown_condition", "too_large"), "validation"),
    **dict.fromkeys(("not_found", "unknown_user"), "not_found"),
    "auth": "auth",
}


async def _by_model(reading: Reading, state: State, ctx: ActionContext, desk: Desk) -> Gathered:
    """Let the model choose among the tools, until it stops or has set an action."""
    from langchain_core.messages import AIMessage, ToolMessage

    pending = pending_of(state)
    messages = ctx.prompt(
        "gather",
        request=state["user_input"],
        summary=state["user_request_summary"] or "",
        history=state["conversation_history"][-6:],
        contexts=list(desk.contexts)[:20],
        experiments=[name for _, name in desk.names[:20]],
        more=max(0, len(desk.names) - 20),
        pending=None if pending is None else {"action": pending.action, "params": pending.params},
    )
    for number in range(MOST_ROUNDS):
        calls = await acall_tools(ctx.model, ctx.tools.declarations(), messages, required=False)
        if not calls:
            break
        said = [
            {"name": call.name, "args": call.args, "id": f"call_{number}_{place}"} for place, call in enumerate(calls)
        ]
        messages = [*messages, AIMessage(calls.text, tool_calls=said)]
        for call, made in zip(calls, said, strict=True):
            result = await ctx.tools.call(call.name, call.args)
            if result.code in _SILENT:
                raise GatheringFailed(result.code, result.error)
            text = json.dumps(result.value, ensure_ascii=False) if result.ok else f"Error: {result.error}"
            messages.append(ToolMessage(text[:LONGEST_RESULT], tool_call_id=str(made["id"]), name=call.name))
        if desk.proposal.action is not None and (desk.proposal.params or desk.proposal.missing):
            break
    proposal = desk.proposal
    if proposal.action is None:
        return Gathered(errors=dict(proposal.errors))
    order = next((each for each in reading.orders if each.action == proposal.action), None)
    found = await _action(proposal.action, proposal.params, order, reading, state, desk)
    if found.action is None and not found.errors:
        # Nobody asked for it: what was looked up is the answer.
        return Gathered()
    return found
