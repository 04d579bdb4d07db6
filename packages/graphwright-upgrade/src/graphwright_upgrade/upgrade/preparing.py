"""Preparing an order: its parameters from the model or from answers, checked; and looking things up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from graphwright import ActionContext
from graphwright.models import ModelFailure, is_weak
from graphwright.proposals import MARKED, Sources, leaves, nearest, occurs, run_tools, second_look, support_of
from graphwright_upgrade._wording import listed, quoted, say
from graphwright_upgrade.upgrade import replies
from graphwright_upgrade.upgrade.checks import Checked, resolve_order
from graphwright_upgrade.upgrade.choices import choices_for, note_for
from graphwright_upgrade.upgrade.orders import (
    INITIALISATION,
    NO_ACTION,
    finished,
    initialised_first,
    next_of,
    parts_of,
)
from graphwright_upgrade.upgrade.provenance import (
    corrected,
    experiment_names,
    misnamed,
    misspelled,
    parameter_supports,
    without_names,
)
from graphwright_upgrade.upgrade.schemas import action_in_hand
from graphwright_upgrade.upgrade.server import Facts
from graphwright_upgrade.upgrade.state import State
from graphwright_upgrade.upgrade.tools import Draft, LookupTools, Work

ROUNDS = 3  # calls of the model that gather: with the analysis and the second look an order takes at most five
MAX_SIMILAR = 3  # experiments that a design may be like
EARLIER = 3  # messages of the user before an order that its second look shows
NEAR = 10  # experiments that the prompt for one order shows

_PARTS_OF_CONTEXTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("create_experiment", "update_experiment"), ("conditions", "sites", "targets", "group_types")),
    "init_experiment_user": ("group_types",),
    **dict.fromkeys(("mark_decision_point", "get_decision_point_assignments"), ("sites", "targets", "group_types")),
}
"""The parts of the contexts in the prompt for an action. Other actions need no contexts."""
_WITHOUT_DETAILS = ("update_experiment_status", "delete_experiment", "init_experiment_user")


def set_values(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters for a prompt, without those that have no value."""
    return {name: value for name, value in params.items() if value is not None}


def clock(ctx: ActionContext) -> str:
    """The weekday, date and time for a prompt."""
    return f"{ctx.now:%A, %Y-%m-%d %H:%M}"


Step = Callable[[State, ActionContext, Work], Awaitable[State]]


async def prepared(step: Step, state: State, ctx: ActionContext, work: Work) -> State:
    """Return the channels of a step that prepares the current order. An order that cannot be done is finished."""
    found = _refused(state, await step(state, ctx, work))
    if "report" in found:
        found["report"] = reported(state, found["report"])
    return found


def reported(state: State, text: str) -> str:
    """Return the report so far with another text below it."""
    return "\n".join(filter(None, [state["report"], text]))


def _refused(state: State, found: State) -> State:
    """Return channels that have an order that cannot be done among the finished ones, with the reason."""
    if "errors" in found and found.get("action_needed", "") is None:
        own = found["finished"][0] if "finished" in found else finished(replies.title(state), "")
        found["finished"] = [*state["finished"], {**own, "why": replies.error_text(found["errors"])}]
    return found


def next_order(state: State) -> State:
    """Return the channels that take up the order after an impossible one."""
    return {**next_of(state["queue"], state["finished"]), "errors": {}}


def initialised_before(state: State) -> State:
    """Return the channels that begin the initialisation of the current order's user."""
    user = state["action_params"]["user_id"]
    report = reported(state, say("user_not_known", user=quoted(user)))
    return {**initialised_first(state, user), "report": report}


async def checked_order(state: State, ctx: ActionContext, work: Work) -> State:
    """Check the current order, and choose the parameter to ask for."""
    asked = state["asked"]
    checked = await resolve_order(work.server, action_in_hand(state), state["action_params"], guided=state["guided"])
    if asked and state["guided"]:
        # The user chose to change this parameter, or did not answer the question for it.
        checked.asked = asked
    return {
        **outcome(checked, state["note"]),
        "supports": parameter_supports(checked, state, state["words"], await _named(state, checked)),
        "cautions": _cautions(state, checked, state["words"]),
    }


async def experiment_to_show(state: State, work: Work) -> State:
    """The channels for the experiment that the user names, with its text; without one, those that ask for it."""
    found = await resolve_order(work.server, "delete_experiment", state["action_params"])
    if found.facts is None:
        choices, note = choices_for(found), note_for(found)
        return {"asked": "experiment_id", "choices": choices, "note": note, "action_params": {}}
    work.gathered["experiment_details"] = found.facts
    return {**NO_ACTION, "last_about": found.facts["experiment_id"], "report": replies.facts_text(work.gathered)}


async def look_up_for(state: State, ctx: ActionContext, work: Work) -> State:
    """Let the model look up the data for a question. Without a current order it may find one in the question."""
    draft = work.draft = Draft(closed=state["action_needed"] is not None)
    shown = await work.server.for_prompt(state["question"], state["last_about"])
    history = state["conversation_history"][:-1]
    messages = ctx.prompt("look_up", request=state["question"], history=history, now=clock(ctx), **shown)
    try:
        await run_tools(ctx.model, messages, LookupTools(ctx.tools, work), rounds=ROUNDS, ends=draft)
    except ModelFailure as error:
        return _unanswered(state, error.full_text) if draft.closed else _model_missing_reply(error)
    seen = _spoken_of(work.gathered.get("experiment_details"))
    if draft.errors:
        if not draft.closed:
            return {**seen, "errors": draft.errors}
        return {**seen, **_unanswered(state, replies.error_text(draft.errors))}
    if draft.action is None:
        return seen
    checked = draft.checked or await resolve_order(work.server, draft.action, draft.params)
    found = await _proposed(state, ctx, work, checked)
    return seen | {"question": ""} | _refused(state, found)


async def filled_in(state: State, ctx: ActionContext, work: Work) -> State:
    """Let the model fill in the parameters of the order; its proposal is checked against the server."""
    name, weak = action_in_hand(state), is_weak(ctx.model)
    # A value that was refused and is asked for again is not set.
    params = {key: value for key, value in state["action_params"].items() if key != state["asked"]}
    draft = work.draft = Draft(name, params, dict(state["words"]), corrects=bool(params), weak=weak)
    messages = ctx.prompt("gather", **await _prompt_inputs(state, work, params), now=clock(ctx))
    try:
        rounds = 1 if weak else ROUNDS
        loop = await run_tools(ctx.model, messages, LookupTools(ctx.tools, work), rounds=rounds, ends=draft)
    except ModelFailure as error:
        # The order is known: its parameters are asked for step by step.
        checked = await resolve_order(work.server, name, draft.params, guided=True)
        return {**outcome(checked, error.full_text), "guided": True}
    if draft.errors:
        return {**NO_ACTION, "errors": draft.errors} if not state["needs_confirmation"] else {"errors": draft.errors}
    seen = _spoken_of(work.gathered.get("experiment_details"))
    if not draft.touched and loop.text and not weak:
        # The model asks something that no parameter stands for, or says why it sets nothing.
        seen["report"] = loop.text
        if state["needs_confirmation"] or state["asked"]:
            return seen
    checked = draft.checked or await resolve_order(work.server, name, draft.params)
    if weak:
        checked = await _supported_only(state, checked, draft, work)
    return seen | await _proposed(state, ctx, work, checked)


async def _prompt_inputs(state: State, work: Work, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of the prompt for one order."""
    name, request = action_in_hand(state), state["request"] or state["user_input"]
    details = 0 if name in _WITHOUT_DETAILS else 3
    about = state["last_about"] if details else ""
    shown = await work.server.for_prompt(f"{request}\n{state['user_input']}", about, details, most=NEAR)
    parts = _PARTS_OF_CONTEXTS.get(name)
    contexts = {} if parts is None else work.server.contexts
    if name == "update_experiment" and shown["details"]:
        contexts = {each: contexts[each] for each in contexts if each in {d["context"] for d in shown["details"]}}
    contexts = {each: {part: known[part] for part in parts or ()} for each, known in contexts.items()}
    # An order from the queue follows a yes or a no. Its request contains the earlier words.
    fresh = state["user_input"] in state["said"][-1:]
    return {
        **shown,
        **{"contexts": contexts, "request": request, "action": name, "params": set_values(params)},
        "said": [each for each in dict.fromkeys(state["said"]) if each != request],
        "history": state["conversation_history"][-5:-1] if fresh else [],
        "done": replies.outcomes(state),
        "cannot": state["cannot"],
        "queue": [each for each in state["queue"] if each["request"]],
    }


async def _supported_only(state: State, checked: Checked, draft: Draft, work: Work) -> Checked:
    """The order with only those values of a weak model that the user said or that were shown; the rest is asked for."""
    found = parameter_supports(checked, state, draft.words)
    strange = {path.split(".")[1] for path, support in found.items() if support in (*MARKED, "quoted")}
    # A number that answered an earlier question, such as that of an option, does not support a number.
    order = Sources(said=tuple(state["said"]))
    numbers = {name: value for name, value in draft.params.items() if isinstance(value, int)}
    strange |= {name for name, value in numbers.items() if support_of(value, order) != "said"}
    if state["last_about"] and checked.params.get("experiment_id") == state["last_about"]:
        strange.discard("experiment_id")
    kept = {name: value for name, value in draft.params.items() if name not in strange}
    return await resolve_order(work.server, checked.action, kept, guided=True)


async def _proposed(state: State, ctx: ActionContext, work: Work, checked: Checked) -> State:
    """Return the channels for a proposal of the model, with its supports and the findings of the second look."""
    draft = work.draft
    left_out = [name for name in draft.findings if name and name not in checked.params]
    if checked.ready and draft.missing:
        checked.asked = draft.missing[0]
    elif left_out and (checked.ready or checked.asked == "changes"):
        # Ask for the value that was left out because it did not fit, with the reason.
        checked.asked = left_out[0]
    if checked.asked == "experiment_id" and not checked.candidates:
        checked.candidates = draft.candidates
    # The note says at once why a value was refused that the model then left out.
    open_ = (checked.asked, *checked.missing)
    out = outcome(checked, "\n".join(why for name, why in draft.findings.items() if name in open_))
    out["words"] = draft.words
    if checked.asked and checked.asked == state["asked"]:
        # The same question comes again: the message was read all the same.
        out["note"] = reported({"report": replies.noted(state["action_params"], checked.params)}, out["note"])
    if checked.ready and not checked.asked:
        if state["needs_confirmation"] and checked.params == state["action_params"]:
            out["note"] = reported({"report": out["note"]}, say("yes_or_no"))
        out |= {
            "cautions": _cautions(state, checked, draft.words),
            "supports": parameter_supports(checked, state, draft.words, await _named(state, checked)),
            "marks": await _marks(state, ctx, checked, work),
        }
    return out


async def _named(state: State, checked: Checked) -> list[Facts]:
    """The other experiments that the user names for a design: it may be like theirs.

    A name is not one if it only occurs within a longer name, such as that of the new experiment.
    """
    if checked.action not in ("create_experiment", "update_experiment"):
        return []
    server, params = checked.server, checked.params
    names = experiment_names(checked)
    named = [each["id"] for each in server.experiments if _is_named(each["name"], names, state["said"])]
    return [await server.detailed_facts(id) for id in named[:MAX_SIMILAR] if id != params.get("experiment_id")]


def _is_named(name: str, names: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the user names an experiment, outside of the other names that contain its name."""
    if support_of(name, Sources(said=tuple(said))) != "said":
        return False
    longer = [each for each in names if len(each) > len(name) and occurs(name, [each])]
    return support_of(name, Sources(said=tuple(without_names(longer, text) for text in said))) == "said"


def _cautions(state: State, checked: Checked, words: Mapping[str, str]) -> list[str]:
    """The cautions before a yes; names that differ from the user's words come first."""
    said = [*state["said"], *(each["content"] for each in state["conversation_history"] if each["role"] == "user")]
    spelled = {
        say("you_wrote", text=quoted(each), name=quoted(name)): name
        for each, name in misspelled(checked.params, words, said, experiment_names(checked)).values()
        if not corrected(each, name, state["said"])
    }
    # A value that was asked for and used after a yes is not asked for again.
    done = {value for each in state["execution_log"] for _, value in leaves(each["params"])}
    shown = [each["content"] for each in state["conversation_history"] if each["role"] != "user"]
    again = {asked for asked, name in spelled.items() if name in done and any(asked in text for text in shown)}
    named = misnamed(checked, words, state["said"])
    wrong = []
    if named and not _made_clear(state, checked, named):
        also = [each for each in nearest(named[0], [e["name"] for e in checked.server.experiments]) if each != named[1]]
        similar = f" {say('also_similar', names=listed(also))}" if also else ""
        wrong = [say("nearest_is", text=quoted(named[0]), name=quoted(named[1])) + similar]
    return [
        *wrong,
        *(asked for asked in spelled if asked not in again),
        *(each for each in checked.cautions if each != say("groups_stay") or not _stored_here(state, checked.params)),
    ]


def _stored_here(state: State, params: Mapping[str, Any]) -> bool:
    """Whether this conversation initialised the user with the groups of the current order."""
    own = [e for e in state["execution_log"] if e["action"] == INITIALISATION and replies.result_of(e) == "done"]
    own = [entry for entry in own if entry["params"]["user_id"] == params["user_id"]]
    return bool(own) and own[-1]["params"].get("group") == params["group"]


def _made_clear(state: State, checked: Checked, named: tuple[str, str]) -> bool:
    """Whether a reply to the last confirmation made clear that the experiment with the similar name is meant.

    The confirmation showed the two names, and the reply either changes nothing else, or follows one that did not.
    """
    if not state["needs_confirmation"] or (state["about"] or {}).get("name") != named[1]:
        return False
    told = say("nearest_is", text=quoted(named[0]), name=quoted(named[1]))
    return checked.params == state["action_params"] or not any(told in each for each in state["cautions"])


def _unanswered(state: State, why: str) -> State:
    """Return the channels that add the reason why a question is not answered to the report."""
    return {"question": "", "report": reported(state, why)}


def _model_missing_reply(error: ModelFailure) -> State:
    return {**NO_ACTION, "offers": replies.offers(), "note": error.full_text}


def initialisation(checked: Checked, note: str) -> list[str]:
    """The initialisation of a user whom the server does not know, as something that the order still needs.

    With a wrong value, or without a place because of what the `note` says, it is not offered yet: it would stay on the
    server even if the order cannot be done.
    """
    unclear = checked.problems or (note and {"site", "target"} & {*checked.missing})
    needed = checked.unknown_user and checked.action != INITIALISATION and not unclear
    return [INITIALISATION] if needed else []


def outcome(checked: Checked, note: str) -> State:
    """Return the channels for a checked action. An action that cannot be done is reported as an error and dropped."""
    facts, asked = checked.facts, checked.asked
    if checked.final:
        # Without the request, the order is named by what is meant.
        meant: State = {"action_needed": checked.action, "action_params": checked.params, "about": facts, "request": ""}
        over = [finished(replies.title(meant), "", parts=parts_of(meant))]
        return {**NO_ACTION, "errors": {"validation": " ".join(checked.final)}, "finished": over}
    return {
        "action_needed": checked.action,
        "action_params": checked.params,
        "about": facts,
        "asked": asked,
        "missing_params": [*([asked] if asked and checked.ready else checked.missing), *initialisation(checked, note)],
        "cautions": checked.cautions,
        "marks": [],
        "supports": {},
        "choices": choices_for(checked),
        "note": "\n".join(filter(None, dict.fromkeys([note, *note_for(checked).split("\n")]))),
        "needs_confirmation": False,
        "confirmation_message": None,
        **_spoken_of(facts),
    }


def _spoken_of(facts: Facts | None) -> State:
    """Return the channel for the experiment last spoken of."""
    return {"last_about": facts["experiment_id"]} if facts else {}


async def _marks(state: State, ctx: ActionContext, checked: Checked, work: Work) -> list[str]:
    """Return the findings of a second look of the model at the proposal."""
    if is_weak(ctx.model):
        return []
    lines = replies.lines_of(checked.action, checked.params, checked.facts)
    said = list(state["said"])
    if state["queue"] or state["finished"]:
        said.append(f"(Only this part now: {state['request']})")
        # The result of an earlier look-up may be the value that the user asks for.
        said += [
            f"({replies.done_text(each)})"
            for each in state["execution_log"][-len(state["finished"]) or 1 :]
            if state["finished"] and each["action"] == "get_decision_point_assignments"
        ]
    if visits := work.gathered.get("user_assignments"):
        said.append(f"(Looked up: {visits})")
    before = [each["content"] for each in state["conversation_history"] if each["role"] == "user"]
    before = [each for each in before if each not in said][-EARLIER:]
    later = f"at a later time: {state['later']}" if state["later"] else ""
    impossible = " ".join(filter(None, [state["cannot"], later]))
    waiting = [each["request"] for each in state["queue"] if each["request"]]
    verdict = await second_look(ctx.model, said, lines, impossible=impossible, before=before, later=waiting)
    marks = [say("unasked", line=lines[number]) for number in verdict.unasked]
    # The reply already names a time and a wish that is not offered.
    told = [state["later"], state["cannot"]]
    missing = [each for each in verdict.missing if not occurs(state["later"], [each]) and not occurs(each, told)]
    missing = [each for each in missing if occurs(each, said) or not occurs(each, before)]
    return marks + [say("missing", text=each) for each in missing]
