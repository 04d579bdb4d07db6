"""The five actions of the UpGrade agent: analyse, gather, word the confirmation, execute, respond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from graphwright import ActionContext, Reset, action
from graphwright.agents.upgrade import replies
from graphwright.agents.upgrade.checks import Checked, choices_for, default_values, note_for, settle
from graphwright.agents.upgrade.client.failures import NotFound, UpgradeError
from graphwright.agents.upgrade.executing import error_type, execute, log_entry
from graphwright.agents.upgrade.schemas import Analysis, analyze_user_request
from graphwright.agents.upgrade.server import SHOWN, Server, facts_of, known, opened
from graphwright.agents.upgrade.tools import Draft, Offered, Work
from graphwright.errors import in_sentences
from graphwright.models import ModelFailure, is_weak
from graphwright.proposals import (
    Sources,
    Support,
    ids_not_in,
    leaves,
    numbers_not_in,
    occurs,
    run_tools,
    second_look,
    supports,
)
from graphwright.text.sentences import listed, quoted

State = Mapping[str, Any]
HISTORY = 12  # messages that a prompt shows
SURE = 0.5  # the confidence from which on an analysis counts
ROUNDS = 3  # calls of the model that gather: with the analysis and the second look an order takes at most five

_LOOKED_UP_BY = {
    "experiments": ["get_all_experiments"],
    "contexts": ["get_context_metadata"],
    "terms": ["get_core_terms", "get_assignment_terms"],
}
_ID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

NO_ACTION: dict[str, Any] = dict.fromkeys(
    (
        "action_needed", "action_params", "missing_params", "needs_confirmation", "confirmation_message",
        "user_confirmed", "about", "cautions", "marks", "supports", "asked", "choices", "guided", "later", "request",
    ),
    Reset(),
)  # fmt: skip
"""What is left of an action that is done, declined or given up: nothing, so that nothing runs twice."""

_FRESH: dict[str, Any] = dict.fromkeys(
    (
        "current_state", "awaiting", "errors", "gathered_info", "final_response", "conversation_complete",
        "user_confirmed", "declined", "answer", "note", "look_up", "outcome", "offering", "ask_model",
        "experiment_names", "context_metadata", "all_experiments",
    ),
    Reset(),
)  # fmt: skip


# Analyse


@action(
    reads=["message", "answers", "awaiting", "outcome", "execution_log", "queue", "said", "about", "last_about",
           "asked", "action_needed", "action_params", "needs_confirmation", "guided", "later"],
    writes=["user_input", "conversation_history", "intent_type", "confidence", "user_request_summary", "queue", "said",
            *_FRESH, *NO_ACTION],
)  # fmt: skip
async def conversation_analyzer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Say what the message is: a yes to what waits, an answer to what was asked, an order, or a question."""
    (await known(ctx)).forget()
    if state["outcome"]:
        return _after(state)
    history = [{"role": each.role, "content": each.text} for each in await ctx.messages(limit=HISTORY)]
    text = state["message"]
    begun = {**_FRESH, "user_input": text, "conversation_history": history, "intent_type": None}
    reply = state["answers"].get("user_confirmed") if state["awaiting"] == "confirmation" else None
    if reply is True:
        return {**begun, "user_confirmed": True}
    if reply is False:
        return begun | _given_up(state)
    answered = _answered(state)
    if answered is not None:
        return {**begun, "said": [*state["said"], text], **answered}
    try:
        found = await _analysis(state, ctx, text, history)
    except ModelFailure as error:
        return begun | _without_model(state, text, error)
    return begun | _understood(state, ctx, text, found)


def _after(state: State) -> dict[str, Any]:
    """What comes after the executor: the same again where nothing was done, else what else was asked for."""
    begun: dict[str, Any] = {"current_state": "ANALYZING", "user_confirmed": False, "intent_type": "direct_answer"}
    if state["outcome"] in ("changed", "again"):
        return {**begun, "intent_type": "needs_info" if state["outcome"] == "changed" else "direct_answer"}
    last = state["execution_log"][-1]
    begun |= NO_ACTION
    queue = list(state["queue"])
    if state["outcome"] == "unknown_user":
        user = {"user_id": last["params"]["user_id"]}
        queue = [_order("init_experiment_user", user), _order(last["action"], last["params"]), *queue]
    elif last["status"] != "success" or not queue:
        return {**begun, "queue": [], "said": []}
    # The second look compares the next action with its own part of the message.
    said = {"said": [queue[0]["request"]]} if queue[0]["request"] else {}
    return {**begun, "errors": {}, "intent_type": "needs_info", **said, **_next(queue)}


def _order(action: str, params: Mapping[str, Any] | None, request: str = "", later: str = "") -> dict[str, Any]:
    """Something to be done. Without `params`, the model finds them in the request."""
    return {"action": action, "params": params, "request": request, "later": later}


def _next(queue: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Take up the first thing that is to be done."""
    first, *rest = queue
    taken = {"action_needed": first["action"], "action_params": first["params"] or {}, "queue": rest}
    return {**taken, "ask_model": first["params"] is None, "request": first["request"], "later": first["later"]}


def _given_up(state: State) -> dict[str, Any]:
    """The user does not want what waits."""
    title = replies.heading(state).rstrip(".")
    declined = f"All right, nothing was done. ({title})" if title else "All right."
    return {**NO_ACTION, "declined": declined, "intent_type": "direct_answer", "queue": [], "said": []}


def _answered(state: State) -> dict[str, Any] | None:
    """The channels that an answer to a question of the flow sets; None where the message is no such answer."""
    asked = {"offer": "offer", "step": state["asked"]}.get(state["awaiting"], "")
    answer = state["answers"].get(asked) if asked else None
    if answer is None:
        return None
    value, found = str(answer), {"intent_type": "needs_info"}
    if value == replies.LEAVE:
        return _given_up(state)
    if asked == "offer":
        if value in replies.LOOK_UPS:
            return {**NO_ACTION, **found, "look_up": value}
        return {**NO_ACTION, **found, **_next([_order(value, {}, later=state["later"])]), "guided": True}
    if state["action_needed"] is None:
        return {**found, "look_up": "experiment_details", "action_params": {"experiment_id": value}}
    if asked in ("more", "changes"):
        done = value == replies.DONE
        return {**found, "guided": not done, "asked": "" if done else value}
    params = replies.merged(state["action_params"], asked, value, state["about"])
    # Once it is known where a user works, nothing else of the user is asked.
    guided = state["guided"] and asked != "working_group"
    # An option that was chosen by its number is said, too.
    said = [*state["said"], state["message"], value]
    return None if params is None else {**found, "action_params": params, "asked": "", "guided": guided, "said": said}


async def _analysis(state: State, ctx: ActionContext, text: str, history: list[dict[str, str]]) -> Analysis:
    """What the model makes of a message."""
    shown: dict[str, Any] = {"contexts": {}, "experiments": [], "more": 0, "details": []}
    # An unreachable server is reported where its data are needed.
    with suppress(UpgradeError):
        async with opened(ctx) as server:
            shown = await server.for_prompt(text, state["last_about"])
    pending = None
    if state["action_needed"] is not None:
        pending = {"action": state["action_needed"], "params": state["action_params"], "asked": state["asked"]}
    shown |= {"contexts": list(shown["contexts"]), "done": [replies.done_text(e) for e in state["execution_log"][-5:]]}
    messages = ctx.prompt("analyze", request=text, history=history[:-1], pending=pending, now=_clock(ctx), **shown)
    return await ctx.structured(analyze_user_request, messages)


def _without_model(state: State, text: str, error: ModelFailure) -> dict[str, Any]:
    """The flow goes on by choices: an experiment is looked for by the text, anything else is asked again or offered."""
    if state["awaiting"] == "step" and state["asked"] == "experiment_id":
        params = replies.merged(state["action_params"], "experiment_id", text, state["about"])
        look_up = "" if state["action_needed"] else "experiment_details"
        return {"intent_type": "needs_info", "action_params": params, "asked": "", "look_up": look_up}
    if state["awaiting"] == "reply" and state["action_needed"]:
        # The server could not be asked before: it is tried again.
        return {"intent_type": "needs_info"}
    if state["awaiting"] == "step":
        return {"intent_type": "needs_info", "note": f"I cannot take {quoted(text, 60)} for that."}
    if state["needs_confirmation"]:
        return {"intent_type": "direct_answer", "note": "Please say yes or no."}
    why = "" if error.code == "no_model" else f"{in_sentences(error)}\n"
    note = f"{why}Without a model I go by choices."
    return {**NO_ACTION, "intent_type": "direct_answer", "offering": True, "note": note}


def _understood(state: State, ctx: ActionContext, text: str, found: Analysis) -> dict[str, Any]:
    """The channels that the model's analysis sets. A weak model is not trusted to distinguish orders from questions."""
    orders = [_order(each.action, None, each.request, each.later) for each in found.orders]
    pending = state["action_needed"]
    weak = is_weak(ctx.model) and not pending
    out: dict[str, Any] = {"intent_type": found.intent_type, "confidence": found.confidence}
    out |= {"user_request_summary": found.user_request_summary, "said": [*state["said"], text], "offering": weak}
    if found.confidence < SURE or (weak and orders):
        # The flow asks step by step, and keeps a time that the user named.
        note = "I am not sure that I understood." if found.confidence < SURE else "Let us go step by step."
        kept = {"later": orders[0]["later"]} if orders else {}
        fresh = {} if pending else NO_ACTION
        return {**out, **fresh, "intent_type": "direct_answer", "offering": not pending, "note": note, **kept}
    if not pending or found.waiting == "keep":
        kept_order = [_order(pending, state["action_params"], later=state["later"])] if pending else []
    elif found.waiting == "change" and (not orders or orders[0]["action"] == pending):
        request = orders[0]["request"] if orders else text
        return {**out, "intent_type": "needs_info", "ask_model": True, "request": request}
    elif not orders:
        return out | _given_up(state)
    else:
        kept_order = []
    if orders:
        own = text if len(orders) == 1 else orders[0]["request"]
        fresh = NO_ACTION if pending else {**NO_ACTION, "said": [own]}
        return {**out, **fresh, "intent_type": "needs_info", **_next([*orders, *kept_order, *state["queue"]])}
    return {**out, "ask_model": True, "request": text} if found.intent_type == "needs_info" else out


# Gather


@action(
    reads=["user_input", "conversation_history", "action_needed", "action_params", "asked", "note", "ask_model",
           "guided", "request", "later", "look_up", "said", "last_about", "outcome", "needs_confirmation",
           "gathered_info", "supports"],
    writes=["current_state", "last_about", "errors", "gathered_info", "context_metadata", "experiment_names",
            "all_experiments", "place", "note", "answer", "offering", "queue", *NO_ACTION],
)  # fmt: skip
async def information_gatherer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Collect what the request needs, and check what the server would not."""
    out: dict[str, Any] = {"current_state": "GATHERING_INFO"}
    try:
        async with opened(ctx) as server:
            await server.look()
            work = Work(server, gathered=dict(state["gathered_info"]))
            step = _looked_up if state["look_up"] else _by_model if state["ask_model"] else _settled
            out |= await step(state, ctx, work)
            out |= {"context_metadata": server.contexts, "experiment_names": server.experiments[:SHOWN]}
            seen = {"gathered_info": work.gathered, "all_experiments": work.all_experiments}
            return {**out, **seen, "place": server.client.host}
    except UpgradeError as error:
        # What was prepared stays, and is there again with the next message.
        return {**out, "errors": {error_type(error): in_sentences(error)}}


async def _settled(state: State, ctx: ActionContext, work: Work) -> dict[str, Any]:
    """What the action in hand still needs."""
    asked, name = state["asked"], state["action_needed"]
    assert name is not None
    checked = await settle(work.server, name, state["action_params"], guided=state["guided"])
    if asked and state["guided"]:
        # What the user chose to change next, or did not answer.
        checked.asked = asked
    note = "It has changed since you were asked. This is how it is now." if state["outcome"] == "changed" else ""
    return _outcome(checked, note or state["note"]) | {"supports": _supports(state, checked)}


async def _looked_up(state: State, ctx: ActionContext, work: Work) -> dict[str, Any]:
    """What the user chose to see."""
    if state["look_up"] == "experiment_details":
        found = await settle(work.server, "delete_experiment", state["action_params"])
        if found.facts is None:
            ask = {"asked": "experiment_id", "choices": choices_for(found), "note": note_for(found)}
            return {**ask, "action_params": {}}
        work.gathered["experiment_details"] = found.facts
        return {**NO_ACTION, "last_about": found.facts["experiment_id"]}
    for name in _LOOKED_UP_BY[state["look_up"]]:
        await Offered(ctx.tools, work).call(name, {})
    return {}


async def _by_model(state: State, ctx: ActionContext, work: Work) -> dict[str, Any]:
    """Let the model look things up or propose an action; its proposal is checked against the server."""
    # What was refused, and is asked for anew, is not set.
    params = {name: value for name, value in state["action_params"].items() if name != state["asked"]}
    draft = work.draft = Draft(state["action_needed"], params)
    waits = state["action_needed"] is not None and state["needs_confirmation"]
    shown = await work.server.for_prompt(f"{state['request']}\n{state['user_input']}", state["last_about"], 3)
    shown |= {"request": state["request"] or state["user_input"], "words": state["user_input"], "now": _clock(ctx)}
    history = state["conversation_history"][:-1]
    messages = ctx.prompt("gather", action=draft.action, params=draft.params, history=history, **shown)
    try:
        loop = await run_tools(ctx.model, messages, Offered(ctx.tools, work), rounds=ROUNDS, ends=draft)
    except ModelFailure as error:
        if draft.action is None:
            return {**NO_ACTION, "offering": True, "note": in_sentences(error)}
        # The order is known: what it needs is asked step by step.
        checked = await settle(work.server, draft.action, draft.params, guided=True)
        return {**_outcome(checked, in_sentences(error)), "guided": True}
    if draft.errors:
        return {**({} if waits else NO_ACTION), "errors": draft.errors}
    details = work.gathered.get("experiment_details")
    seen = {"last_about": details["experiment_id"]} if details else {}
    if draft.action is None or (not draft.touched and (loop.text or work.gathered)):
        # A question: the reply shows what was looked up, else what the model asks or says itself.
        seen["answer"] = "" if work.gathered else loop.text
        if draft.action is None or waits or state["asked"]:
            return seen
        # An order of which the model has filled in nothing: what it needs is asked for.
        return seen | _outcome(await settle(work.server, draft.action, draft.params), "")
    checked = draft.checked or await settle(work.server, draft.action, draft.params)
    if draft.missing and checked.ready:
        checked.asked = draft.missing[0]
    # A value that the model took back will be asked for: what was wrong with it is told at once.
    open_ = (checked.asked, *checked.missing)
    out = _outcome(checked, "\n".join(why for name, why in draft.findings.items() if name in open_))
    if checked.ready and not checked.asked:
        out |= {"supports": _supports(state, checked), "marks": await _marks(state, ctx, checked)}
    return out


def _outcome(checked: Checked, note: str) -> dict[str, Any]:
    """The channels that say what an action still needs. An action that makes no sense is reported and dropped."""
    if checked.final:
        return {**NO_ACTION, "errors": {"validation": " ".join(checked.final)}, "queue": []}
    facts, asked = checked.facts, checked.asked
    return {
        **{"action_needed": checked.action, "action_params": checked.params, "about": facts, "asked": asked},
        "missing_params": [asked] if asked and checked.ready else [*checked.missing],
        **{"cautions": checked.cautions, "marks": [], "supports": {}, "choices": choices_for(checked)},
        "note": "\n".join(filter(None, dict.fromkeys([note, *note_for(checked).split("\n")]))),
        **{"needs_confirmation": False, "confirmation_message": None},
        **({"last_about": facts["experiment_id"]} if facts else {}),
    }


_CHOSEN = ("status", "unit", "consistency", "post_rule", "filter_mode")
"""Parameters that are one of a few words of ours: nobody says them in these words."""
_LISTS = ("conditions", "decision_points")


def _supports(state: State, checked: Checked) -> dict[str, Support]:
    """Where each parameter comes from, by its path in what is approved. What stands there already exists."""
    history, facts, params = state["conversation_history"], checked.facts or {}, checked.params
    said = (*state["said"], *(each["content"] for each in history if each["role"] == "user"))
    shown = tuple(each["content"] for each in history if each["role"] != "user")
    there = {value for _, value in leaves(facts) if isinstance(value, str)}
    sources = Sources(said, shown, frozenset(there.union(params.get(name) or "" for name in _CHOSEN)))
    given = [path for path, support in supports(params, sources).items() if support == "said"]
    found = supports(params, sources, default_values(checked, given))
    # That a value stood on the last card, marked, is no reason to mark it no more.
    marked = state["supports"]
    before = [v for path, v in leaves(state["action_params"]) if marked.get(f"action_params.{path}") == "unsupported"]
    found |= {path: "unsupported" for path, v in leaves(params) if found[path] == "shown" and v in before}
    for name, value in params.items():
        kept = [place for place, each in enumerate(value) if each in facts.get(name, ())] if name in _LISTS else []
        found |= {f"{name}.{place}.{part}": "exists" for place in kept for part, _ in leaves(value[place])}
    return {f"action_params.{path}": support for path, support in found.items()}


async def _marks(state: State, ctx: ActionContext, checked: Checked) -> list[str]:
    """What a second look at a proposal finds."""
    if is_weak(ctx.model):
        return []
    lines = replies.lines_of(checked.action, checked.params, checked.facts)
    verdict = await second_look(ctx.model, state["said"], lines)
    marks = [f"You may not have asked for this: {lines[number]}" for number in verdict.unasked]
    # A time that the user named has a warning of its own in the confirmation.
    later = state["later"]
    missing = (each for each in verdict.missing if not occurs(later, [each]) and not occurs(each, [later]))
    return marks + [f"This does not do: {each}" for each in missing]


# Confirm and execute


@action(
    reads=["action_needed", "action_params", "about", "cautions", "marks", "supports", "later", "place"],
    writes=["current_state", "needs_confirmation", "confirmation_message"],
    effects=False,
)
def confirmation_handler(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Word the question: exactly what will be done, and what to know before saying yes."""
    text = replies.confirmation(state)
    return {"current_state": "CONFIRMING", "needs_confirmation": True, "confirmation_message": text}


@action(
    reads=["action_needed", "action_params", "about", "place"],
    writes=["current_state", "execution_log", "errors", "outcome", "needs_confirmation", "user_confirmed", "note"],
)
async def tool_executor(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Do what was confirmed, once, and log it. What is not as it was shown is not touched."""
    name, params, shown = state["action_needed"], state["action_params"], state["about"]
    assert name is not None
    out: dict[str, Any] = {"current_state": "EXECUTING", "user_confirmed": False}

    _, new = await ctx.store.put_once("upgrade.begun", {"action": name, "params": params})
    try:
        async with opened(ctx) as server:
            # A turn that was cut short may go on here with what it knew before.
            server.forget()
            if server.client.host != state["place"] or (new and shown is not None and await _changed(server, shown)):
                return {**out, "outcome": "changed"}
            outcome = await execute(server.client, name, params, key=ctx.key, begun=not new)
    except UpgradeError as error:
        return {**out, "outcome": "again", "errors": {error_type(error): in_sentences(error)}}
    if outcome.nothing_done and outcome.error_type in ("api", "auth"):
        return {**out, "outcome": "again", "errors": {outcome.error_type: outcome.error}}
    errors = {outcome.error_type: outcome.error, "execution": outcome.error} if outcome.error else {}
    return {
        **out,
        "execution_log": [log_entry(name, params, outcome, ctx.now)],
        "errors": errors,
        "outcome": "unknown_user" if outcome.code == "unknown_user" else "done",
        "needs_confirmation": False,
    }


async def _changed(server: Server, shown: Mapping[str, Any]) -> bool:
    """Whether an experiment is not any more what it was when it was shown; one that is gone is."""
    try:
        now = facts_of(await server.experiment(shown["experiment_id"]))
    except NotFound:
        return True
    return any(now[name] != shown[name] for name in now)


# Respond


@action(
    reads=["user_input", "conversation_history", "intent_type", "declined", "outcome", "execution_log", "errors",
           "asked", "gathered_info", "all_experiments", "action_needed", "action_params", "about", "last_about", "note",
           "answer", "needs_confirmation", "confirmation_message", "offering", "look_up"],
    writes=["current_state", "final_response", "conversation_complete", "awaiting", "outcome", "declined", "choices"],
)  # fmt: skip
async def response_generator(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Tell the user what there is to tell, and say whether anything waits for a reply."""
    parts, asks = [], state["needs_confirmation"] or state["asked"]
    if state["outcome"] in ("done", "unknown_user"):
        parts.append(replies.done_text(state["execution_log"][-1]))
    elif state["errors"]:
        parts.append(replies.error_text(state["errors"]))
    parts += filter(None, [state["declined"], state["answer"]])
    if state["look_up"] and not state["answer"]:
        parts.append(replies.facts_text(state["gathered_info"]))
    elif not parts and not state["note"] and (state["intent_type"] == "direct_answer" or not asks):
        parts.append(await _answer(state, ctx))
    awaiting, more = _awaited(state)
    shown = {**replies.TITLES, **replies.LOOK_UPS, replies.LEAVE: "Nothing"}
    return {
        **({"choices": replies.choices_of(shown)} if awaiting == "offer" else {}),
        "current_state": "RESPONDING",
        "final_response": "\n\n".join(part for part in (*parts, *more) if part),
        "conversation_complete": awaiting == "nothing",
        "awaiting": awaiting,
        "outcome": "",
        "declined": "",
    }


def _awaited(state: State) -> tuple[str, list[str]]:
    """What the next message answers, and what to say of it."""
    if state["needs_confirmation"]:
        return "confirmation", [state["note"], state["confirmation_message"]]
    if state["asked"]:
        return "step", [replies.heading(state), state["note"]]
    if state["offering"]:
        return "offer", [state["note"]]
    return "reply" if state["answer"] or state["errors"].get("api") else "nothing", []


async def _answer(state: State, ctx: ActionContext) -> str:
    """The model's answer over facts, with its numbers and ids among them; without a model the facts themselves."""
    facts = dict(state["gathered_info"])
    history = state["conversation_history"]
    text, finding = "", ""
    try:
        async with opened(ctx) as server:
            if not facts:
                # What the analysis was shown, so that what it could answer can be answered here.
                with suppress(UpgradeError):
                    facts = dict(await server.for_prompt(state["user_input"], state["last_about"]))
                facts |= {"contexts": server.contexts, "experiment": state["about"] or {}}
                facts |= {"done": [replies.done_text(each) for each in state["execution_log"][-20:]]}
            there: list[Any] = [facts, *(each["content"] for each in history)]
            work = Work(server, facts, state["all_experiments"], log=state["execution_log"], errors=state["errors"])
            tools = Offered(ctx.tools, work)
            for rounds in (2, 1):
                asked = {"request": state["user_input"], "history": history[:-1], "now": _clock(ctx)}
                messages = ctx.prompt("respond", **asked, facts=facts, answer=text, finding=finding)
                text = (await run_tools(ctx.model, messages, tools, rounds=rounds)).text or text
                ids = [each for each in ids_not_in(text, (), _ID) if not occurs(each, map(str, there))]
                strange = listed([*numbers_not_in(text, there), *ids])
                if not strange:
                    break
                finding = f"Your answer names what is not in the data: {strange}. Answer again from the data alone."
            else:
                text += f"\n(Not found in the data: {strange}.)"
    except ModelFailure as error:
        found = replies.facts_text(state["gathered_info"])
        return found or f"I cannot answer that without a model. {in_sentences(error)}"
    return text or replies.facts_text(state["gathered_info"]) or "I have no answer to that."


def _clock(ctx: ActionContext) -> str:
    return f"{ctx.now:%A, %Y-%m-%d %H:%M}"
