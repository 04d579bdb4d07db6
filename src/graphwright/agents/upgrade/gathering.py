"""The gatherer: which action a message asks for, with which parameters, and what a question needs to be answered.

Code reads what it can; where the words leave it open the model chooses among the tools, in a bounded loop. What it
proposes is held against the words, and what is left is checked as the server would not.
"""

from __future__ import annotations

import json
import re
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
from graphwright.agents.upgrade.looking import (
    assigned_code,
    at_point,
    by_description,
    context_of,
    details_of,
    speaks_of_assigned,
    strange_codes,
)  # fmt: skip
from graphwright.agents.upgrade.requests.answers import UNKNOWN_CODES, keeps_codes
from graphwright.agents.upgrade.requests.correcting import corrected, for_later
from graphwright.agents.upgrade.requests.grounding import ground
from graphwright.agents.upgrade.requests.reading import Pending, Reading, read_request
from graphwright.agents.upgrade.requests.resolving import Option, Resolved, chosen, recently, resolve
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.telling.knowing import GENERAL, known_context, terms_about, terms_in
from graphwright.agents.upgrade.tools import MOST_SHOWN
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.places import near_values
from graphwright.agents.upgrade.words.quoting import listed
from graphwright.agents.upgrade.words.references import Recent
from graphwright.agents.upgrade.words.states_said import kind_of, states_said
from graphwright.agents.upgrade.words.topics import Topic
from graphwright.errors import GraphwrightError
from graphwright.models import BadReply, ModelFailure, acall_tools
from graphwright.runtime.reading.words import fold

MOST_ROUNDS = 5
"""Model calls of one gathering."""

_FEW_WORDS = 5

LONGEST_RESULT = 1200
"""Characters of a tool's result that the model is shown."""

OF_EXPERIMENTS = ("update_experiment", "update_experiment_status", "delete_experiment", "simulate_experiment")
"""The actions that are about one experiment."""


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


def pending_of(state: State) -> Pending | None:
    """The action that misses something or waits for its confirmation."""
    action = state["action_needed"]
    return None if action is None else Pending(action, state["action_params"], state["missing_params"])


def read(state: State, desk: Desk) -> Reading:
    """What the message says, by what the server has."""
    shown = [(str(each["id"]), str(each["name"])) for each in state["shown"]]
    about = state["about"] or {}
    pending = pending_of(state)
    recent = recently(state["execution_log"], shown)
    of = about if pending is None else pending.params
    if of.get("experiment_id"):
        # While something waits "it" is what that is about, and afterwards what was last spoken of.
        own = Recent(str(of["experiment_id"]), str(of.get("name", "")), "spoken of")
        recent = [own, *(each for each in recent if each.id != own.id)]
    reading = read_request(
        state["user_input"],
        experiments=desk.names,
        contexts=desk.contexts,
        recent=recent,
        shown=recently((), shown),
        pending=pending,
        codes=[each["code"] for each in about.get("conditions", ())],
    )
    named = reading.experiments or reading.references or reading.users or reading.asked
    if reading.asks and not reading.topics and not named and pending is None and terms_about(reading.text):
        # "A student is on both lists. Is she in?" asks what terms mean, whatever its words are.
        return replace(reading, topics=("terms",))
    return reading


async def gather(state: State, ctx: ActionContext, desk: Desk) -> Gathered:
    """Gather for the message in hand. What the server refuses is an error of the result, no exception."""
    try:
        # What the server had no answer to when the message was read it is not asked again: it may take long to fail.
        trouble = state["unanswered"] or await _looked(desk)
        if trouble:
            reading = read(state, desk)
            if reading.orders or not _known_without_server(reading):
                return Gathered(errors=dict(trouble))
            await _look_up(reading, state, ctx, desk)
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
            return Gathered(choice=await _look_up(reading, state, ctx, desk))
        by_model = await _by_model(reading, state, ctx, desk)
        untold = by_model.empty and pending is None and not reading.asks and not desk.gathered
        if untold and reading.experiments:
            # What is to become of an experiment is not answered as if it were a question.
            by_model.refused = {"refusal": "not_asked", "action": ""}
        return by_model
    except ModelFailure as error:
        return Gathered(errors=model_trouble(error))
    except GatheringFailed as error:
        return Gathered(errors={_TYPES.get(error.code, "unknown"): error.message[:1].upper() + error.message[1:]})
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
        resolved = await _resolved(reading, order, state, desk)
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


async def _resolved(reading: Reading, order: Asked | None, state: State, desk: Desk) -> Resolved:
    before = choice_of(state["choice"])
    picked = chosen(reading.text, before.options) if before is not None else None
    if picked is not None:
        return Resolved("one", (picked.id, picked.name))
    found = resolve(reading, order, desk.names, pending=pending_of(state))
    if found.kind == "unsaid" and not found.said and order is not None and order.action == "simulate_experiment":
        # "Simulate 500 users", right after it was started.
        recent = recently(state["execution_log"])
        found = Resolved("one", (recent[0].id, recent[0].name)) if recent else found
    if found.kind == "unsaid" and before is not None and before.options:
        return before
    if found.kind == "unsaid" and (order is None or order.action in OF_EXPERIMENTS):
        found = await by_description(reading, desk, [str(each["id"]) for each in state["shown"]]) or found
    elif found.kind == "unsaid":
        found = await at_point(reading, desk) or found
    if found.kind != "choose" or any(option.about for option in found.options):
        return found
    # What tells experiments of one name apart is read for those alone.
    details = await details_of(desk, [option.id for option in found.options])
    return resolve(reading, order, desk.names, details=details, pending=pending_of(state))


def choice_of(kept: Mapping[str, Any] | None) -> Resolved | None:
    """The choice that a channel keeps."""
    if kept is None:
        return None
    options = tuple(Option(**each) for each in kept["options"])
    return Resolved(kept["kind"], said=kept["said"], options=options, more=kept["more"], nearest=tuple(kept["nearest"]))


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


def _known_without_server(reading: Reading) -> bool:
    return bool(reading.topics) and set(_wanted(reading)) <= {"terms", "schema"}


async def _look_up(reading: Reading, state: State, ctx: ActionContext, desk: Desk) -> Resolved | None:
    """Gather what the topics of a question need, by the tools that have it. Gives what it calls an experiment, where
    none is called so."""
    missing: Resolved | None = None
    topics = _wanted(reading)
    said = _contexts_said(reading) if _OF_CONTEXTS & set(topics) else ()
    for name in said:
        known_context(desk.contexts, name)
    for topic in topics:
        match topic:
            case "health":
                await _call(ctx, "check_upgrade_health")
            case "contexts":
                await _call(ctx, "get_available_contexts")
            case "conditions" | "decision_points" | "group_types":
                if reading.experiments or reading.references:
                    await _details(reading, state, ctx, desk)
                for context in said or _at_hand(state) or tuple(desk.contexts):
                    await _call(ctx, f"get_{topic}_for_context", context=context)
            case "experiments":
                await _call(ctx, "get_all_experiments")
                _narrow(replace(reading, contexts=said), desk)
            case "details":
                missing = await _details(reading, state, ctx, desk)
            case "schema":
                actions = [each.action for each in reading.asked if each.action] or ["create_experiment"]
                for action in dict.fromkeys(actions):
                    await _call(ctx, f"get_{action}_schema")
            case "terms":
                await _call(ctx, "get_core_terms")
                await _call(ctx, "get_assignment_terms")
    return missing


_OF_CONTEXTS = {"conditions", "decision_points", "group_types", "experiments"}
_HANDLE = re.compile(
    r"\b(?:for|in|of|does|do|has|have|für|von|hat)\s+['\"]?(?P<handle>\w+[-_]\w[-\w]*)(?![-\w/])", re.IGNORECASE
)


def _contexts_said(reading: Reading) -> tuple[str, ...]:
    """The contexts that a question is about, with those that there are not: "which conditions does foo-bar know?"."""
    if reading.contexts or reading.near_contexts or reading.unknown_contexts:
        return reading.contexts or reading.near_contexts or reading.unknown_contexts
    if reading.experiments or reading.references or reading.sites or reading.targets or reading.codes:
        return ()
    return tuple(match["handle"] for match in _HANDLE.finditer(reading.text))


def _at_hand(state: State) -> tuple[str, ...]:
    """The context of the action that waits."""
    pending = pending_of(state)
    known = (state["about"] or {}) if pending is None or not pending.params.get("context") else pending.params
    return (str(known["context"]),) if pending is not None and known.get("context") else ()


_DEFINES = re.compile(
    r"\bwhat (?:is|are|s|does|do) an? |\b(?:explain|define|definition|meaning|mean|means|difference|bedeutet)\b"
)
_COUNTED = re.compile(r"\b(?:how many|how much|number of|enrol\w*|participants?|statistics|stats|wie viele)\b")
_OF_THESE = re.compile(r"\b(?:what|which|was|welche) (?:are|is|sind) (?:the|my|our|all|your|these|die|meine|unsere)\b")


def _wanted(reading: Reading) -> tuple[Topic, ...]:
    """The topics of a question, without those that another one makes needless."""
    others = tuple(topic for topic in reading.topics if topic != "terms")
    if len(others) == len(reading.topics):
        return others
    found, folded = terms_in(reading.text), fold(reading.text)
    special = any(term.name not in GENERAL for term in found)
    spoken_of = any(each.means for each in reading.references) and not _DEFINES.search(folded)
    if "details" in others and (reading.experiments or spoken_of):
        # "What are the weights of Foo?" asks for no definition.
        return others
    if others and (_OF_THESE.search(folded) or ("schema" in others and not special)):
        return others
    # "What is a decision point?" asks for no list.
    return ("terms",) if found and not reading.contexts else reading.topics


def _narrow(reading: Reading, desk: Desk) -> None:
    """Leave of the listed experiments those in the states and contexts that the question speaks of."""
    states, rows = states_said(reading.text), desk.static["all_experiments"]
    if not (states or reading.contexts) or desk.gathered["experiments"]["total"] > len(rows):
        return
    kept = [
        each
        for each in rows
        if (not states or each["state"] in states) and (not reading.contexts or each["context"] in reading.contexts)
    ]
    desk.gathered["experiments"] = {
        "total": len(kept),
        "shown": kept[:MOST_SHOWN],
        "kind": kind_of(states),
        "within": list(reading.contexts),
    }


async def _details(reading: Reading, state: State, ctx: ActionContext, desk: Desk) -> Resolved | None:
    """What the experiment is that a question is about; where there is none of that name, that."""
    found = await _resolved(reading, None, state, desk)
    if found.experiment is not None:
        await _call(ctx, "get_experiment_details", experiment_id=found.experiment[0])
        if _COUNTED.search(fold(reading.text)):
            counts = await desk.client.enrollment(found.experiment[0])
            desk.gathered["enrollment"] = {
                "users": counts.users,
                "groups": counts.groups,
                "excluded": counts.users_excluded,
            }
    elif found.options:
        desk.gathered["experiments"] = {
            "total": len(found.options) + found.more,
            "shown": [{"id": o.id, "name": o.name, "context": o.context, "state": o.state} for o in found.options],
        }
    return found if found.kind == "not_found" else None


async def _call(ctx: ActionContext, name: str, **arguments: Any) -> None:
    result = await ctx.tools.call(name, arguments)
    if not result.ok:
        raise GatheringFailed(result.code or result.kind, result.error)


class GatheringFailed(GraphwrightError):
    """A tool could not do its work, and nothing goes on without it."""


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
