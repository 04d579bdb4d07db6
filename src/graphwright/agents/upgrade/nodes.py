"""The five actions of the UpGrade agent: analyse, gather, word the confirmation, execute, respond."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from graphwright import ActionContext, Reset, action
from graphwright.agents.upgrade import replies
from graphwright.agents.upgrade.client.failures import NotFound, UpgradeError
from graphwright.agents.upgrade.executing import error_type, execute, log_entry
from graphwright.agents.upgrade.orders import NO_ACTION, State, initialised_first, next_of, order, order_in_hand, over
from graphwright.agents.upgrade.preparing import clock, looked_up, looked_up_by_model, prepared, set_values
from graphwright.agents.upgrade.schemas import Analysis, analyze_user_request
from graphwright.agents.upgrade.server import SHOWN, Server, facts_of, known, opened
from graphwright.agents.upgrade.tools import Offered, Work
from graphwright.errors import in_sentences
from graphwright.models import ModelFailure, is_weak
from graphwright.proposals import ids_not_in, numbers_not_in, occurs, run_tools
from graphwright.text.sentences import listed, quoted

HISTORY = 12  # messages that a prompt shows
SURE = 0.5  # the confidence from which on an analysis counts

_ID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

_FRESH: dict[str, Any] = dict.fromkeys(
    (
        "current_state", "awaiting", "errors", "gathered_info", "final_response", "conversation_complete",
        "user_confirmed", "declined", "answer", "note", "look_up", "outcome", "offering", "ask_model",
        "experiment_names", "context_metadata", "all_experiments", "question", "cannot",
    ),
    Reset(),
)  # fmt: skip


# Analyse


@action(
    reads=["message", "answers", "awaiting", "outcome", "execution_log", "queue", "finished", "said", "about",
           "last_about", "asked", "action_needed", "action_params", "words", "needs_confirmation", "guided", "later",
           "request", "missing_params"],
    writes=["user_input", "conversation_history", "intent_type", "confidence", "user_request_summary", "queue",
            "finished", "said", *_FRESH, *NO_ACTION],
)  # fmt: skip
async def conversation_analyzer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Classify the message: a yes to what waits, an answer to what was asked, an order, or a question."""
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
    in_words = state["awaiting"] == "step" and not replies.is_formatted(state["asked"], text) and not is_weak(ctx.model)
    if answered is not None and not in_words:
        return {**begun, "said": [*state["said"], text], **answered}
    try:
        found = await _analysis(state, ctx, text, history)
    except ModelFailure as error:
        if answered is not None:
            return {**begun, "said": [*state["said"], text], **answered}
        return begun | _without_model(state, text, error)
    return begun | _understood(state, ctx, text, found)


def _after(state: State) -> dict[str, Any]:
    """Continue after the executor: with the same action where nothing was done, else with the next order."""
    begun: dict[str, Any] = {"current_state": "ANALYZING", "user_confirmed": False, "intent_type": "direct_answer"}
    if state["outcome"] in ("changed", "again"):
        return {**begun, "intent_type": "needs_info" if state["outcome"] == "changed" else "direct_answer"}
    last = state["execution_log"][-1]
    if state["outcome"] == "unknown_user":
        # The user is initialised first, then the same order comes again.
        return {**begun, "errors": {}, **initialised_first(state, last["params"]["user_id"])}
    # The error is in the log and in the reply; it does not keep the next order from being confirmed.
    return {**begun, "errors": {}, **next_of(state["queue"], over(state, last["error_message"] or ""))}


def _given_up(state: State) -> dict[str, Any]:
    """Drop the order that waits. The orders after it stay."""
    title = replies.title(state) if state["action_needed"] else ""
    queue = list(state["queue"])
    user = state["action_params"].get("user_id")
    if state["action_needed"] == "init_experiment_user" and queue and (queue[0]["params"] or {}).get("user_id") == user:
        # It was offered for an order that cannot be done without it.
        name = queue.pop(0)["request"] or title
        state = {**state, "finished": [*state["finished"], {"title": name, "why": "the user is not known"}]}
    nothing = "this was not done" if state["finished"] or queue else "nothing was done"
    declined = f"All right, {nothing}. Left out: {title}." if title else "All right."
    return {**next_of(queue, over(state, "you did not want it") if title else []), "declined": declined}


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
        # What the user wrote before the actions were offered may hold values for the chosen one.
        request = state["request"]
        chosen = order(value, None if request else {}, request, state["later"])
        return {**next_of([chosen], []), "guided": True, "said": state["said"]}
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
    words = {path: text for path, text in state["words"].items() if path.split(".")[-1] != asked}
    set_ = {"action_params": params, "asked": "", "guided": guided, "said": said, "words": words}
    return None if params is None else {**found, **set_}


async def _analysis(state: State, ctx: ActionContext, text: str, history: list[dict[str, str]]) -> Analysis:
    """Let the model analyse a message."""
    shown: dict[str, Any] = {"contexts": {}, "experiments": [], "more": 0, "details": []}
    # An unreachable server is reported where its data are needed.
    with suppress(UpgradeError):
        async with opened(ctx) as server:
            shown = await server.for_prompt(text, state["last_about"])
    pending = None
    if state["action_needed"] is not None:
        pending = {
            "action": state["action_needed"],
            "params": set_values(state["action_params"]),
            "asked": state["asked"],
        }
    queue = [{name: each[name] for name in ("action", "request", "later")} for each in state["queue"]]
    shown |= {"contexts": list(shown["contexts"]), "done": replies.outcomes(state), "pending": pending, "queue": queue}
    messages = ctx.prompt("analyze", request=text, history=history[:-1], now=clock(ctx), **shown)
    return await ctx.structured(analyze_user_request, messages)


def _without_model(state: State, text: str, error: ModelFailure) -> dict[str, Any]:
    """The flow goes on by choices: an experiment is looked for by the text, anything else is asked again or offered."""
    if state["awaiting"] == "step" and state["asked"] == "experiment_id":
        params = replies.merged(state["action_params"], "experiment_id", text, state["about"])
        look_up = "" if state["action_needed"] else "experiment_details"
        return {"intent_type": "needs_info", "action_params": params, "asked": "", "look_up": look_up}
    if state["awaiting"] == "reply" and state["action_needed"]:
        # The server could not be asked before: it is tried again.
        return {"intent_type": "needs_info", "ask_model": not state["action_params"] and bool(state["request"])}
    if state["awaiting"] == "step":
        return {"intent_type": "needs_info", "note": f"I cannot take {quoted(text, 60)} for that."}
    if state["needs_confirmation"]:
        return {"intent_type": "direct_answer", "note": "Please say yes or no."}
    why = "" if error.code == "no_model" else f"{in_sentences(error)}\n"
    note = f"{why}Without a model I go by choices. {replies.NOT_OFFERED}"
    return {**NO_ACTION, "intent_type": "direct_answer", "offering": True, "note": note}


def _understood(state: State, ctx: ActionContext, text: str, found: Analysis) -> dict[str, Any]:
    """The channels that the model's analysis sets. A weak model is not trusted to distinguish orders from questions."""
    orders = [order(each.action, None, each.request, each.later) for each in found.orders]
    pending = state["action_needed"]
    weak = is_weak(ctx.model) and not pending
    out: dict[str, Any] = {"intent_type": found.intent_type, "confidence": found.confidence}
    out |= {"user_request_summary": found.user_request_summary, "said": [*state["said"], text], "offering": weak}
    out |= {"question": found.question, "cannot": found.cannot}
    if found.confidence < SURE or (weak and orders):
        # The flow asks step by step, and keeps what the user named.
        note = "I am not sure that I understood." if found.confidence < SURE else "Let us go step by step."
        kept = {"later": orders[0]["later"]} if orders else {}
        fresh = {} if pending else {**NO_ACTION, "request": text, "said": [text]}
        unsure = {"intent_type": "direct_answer", "offering": not pending, "note": note, "question": ""}
        return {**out, **fresh, **unsure, **kept}
    if not (pending or orders):
        # Nothing waits: what the model puts behind it is to be done now.
        orders = [order(each.action, None, each.request, each.later) for each in found.queue or ()]
    queue = list(state["queue"])
    if pending and found.queue is not None:
        queue = [order(each.action, None, each.request, each.later) for each in found.queue]
    gone = replies.left_out(state["queue"], queue)
    out["declined"] = f"Left out: {gone}." if gone else ""
    if pending and found.waiting == "change" and (not orders or orders[0]["action"] == pending):
        request = orders[0]["request"] if orders else text
        later = orders[0]["later"] if orders else state["later"]
        change = {"intent_type": "needs_info", "ask_model": True, "request": request, "later": later}
        return {**out, **change, "queue": [*orders[1:], *queue]}
    if pending and found.waiting != "keep":
        dropped = _given_up({**state, "queue": [*orders, *queue]})
        dropped["declined"] += f" Also left out: {gone}." if gone else ""
        return {**out, **dropped, "said": out["said"] if orders or queue else []}
    if orders:
        kept_order = [order_in_hand(state)] if pending else []
        said = out["said"] if pending or state["queue"] else [text]
        return {**out, **next_of([*orders, *kept_order, *queue], state["finished"]), "said": said}
    out["queue"] = queue
    if found.intent_type == "direct_answer" or found.question:
        return out
    if pending and not (state["needs_confirmation"] or state["asked"]):
        # The server could not be asked before: it is tried again.
        return {**out, "ask_model": not state["action_params"]}
    # Without an order and a question there is nothing to look up: only a message that does nothing else is a question.
    nothing_else = not (pending or found.cannot or found.queue)
    return {**out, "question": text} if nothing_else else {**out, "intent_type": "direct_answer"}


# Gather


@action(
    reads=["user_input", "conversation_history", "action_needed", "action_params", "words", "asked", "note", "answer",
           "ask_model", "guided", "request", "later", "look_up", "said", "last_about", "outcome", "needs_confirmation",
           "gathered_info", "supports", "question", "queue", "finished", "execution_log", "about", "missing_params",
           "cannot", "declined"],
    writes=["current_state", "last_about", "errors", "gathered_info", "context_metadata", "experiment_names",
            "all_experiments", "place", "note", "answer", "offering", "queue", "finished", "declined", *NO_ACTION],
)  # fmt: skip
async def information_gatherer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Collect the data and parameters for the request, with checks that the server does not make."""
    out: dict[str, Any] = {"current_state": "GATHERING_INFO"}
    try:
        async with opened(ctx) as server:
            await server.look()
            work = Work(server, gathered=dict(state["gathered_info"]))
            waits = bool(state["needs_confirmation"] or state["asked"]) and not state["ask_model"]
            if state["question"]:
                out |= await looked_up_by_model(state, ctx, work)
            if state["look_up"]:
                out |= await looked_up(state, ctx, work)
            elif state["action_needed"] and not (state["question"] and waits):
                out |= await prepared({**state, **out}, ctx, work)
            out |= {"context_metadata": server.contexts, "experiment_names": server.experiments[:SHOWN]}
            seen = {"gathered_info": work.gathered, "all_experiments": work.all_experiments}
            return {**out, **seen, "place": server.client.host}
    except UpgradeError as error:
        # The prepared order stays for the next message.
        return {**out, "errors": {error_type(error): in_sentences(error)}}


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
    writes=["current_state", "execution_log", "errors", "outcome", "needs_confirmation", "user_confirmed", "note",
            "last_about"],
)  # fmt: skip
async def tool_executor(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Perform the confirmed action once, and log it. An experiment that changed since it was shown is not touched."""
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
    result = outcome.result or {}
    errors = {outcome.error_type: outcome.error, "execution": outcome.error} if outcome.error else {}
    return {
        **out,
        "execution_log": [log_entry(name, params, outcome, ctx.now)],
        "errors": errors,
        "outcome": "unknown_user" if outcome.code == "unknown_user" else "done",
        "needs_confirmation": False,
        **({"last_about": result["experiment_id"]} if "experiment_id" in result else {}),
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
           "answer", "needs_confirmation", "confirmation_message", "offering", "look_up", "question", "cannot", "queue",
           "finished", "request"],
    writes=["current_state", "final_response", "conversation_complete", "awaiting", "outcome", "declined", "choices",
            "finished"],
)  # fmt: skip
async def response_generator(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Report what came of the message, and say whether anything waits for a reply."""
    parts = [state["cannot"]]
    if state["outcome"] in ("done", "unknown_user"):
        parts.append(replies.done_text(state["execution_log"][-1]))
    elif state["errors"]:
        parts.append(replies.error_text(state["errors"]))
    parts += filter(None, [state["declined"], state["answer"]])
    parts = [*dict.fromkeys(parts)]
    awaiting, more = _awaited(state, "\n".join(parts))
    if state["look_up"] and not state["answer"]:
        parts.append(replies.facts_text(state["gathered_info"]))
    elif not state["answer"] and (state["question"] or not (any(parts) or any(more))):
        parts.append(await _answer(state, ctx))
    shown = {**replies.TITLES, **replies.LOOK_UPS, replies.LEAVE: "Nothing"}
    over = awaiting in ("nothing", "reply") and not state["action_needed"]
    return {
        **({"choices": replies.choices_of(shown)} if awaiting == "offer" else {}),
        **({"finished": []} if over else {}),
        "current_state": "RESPONDING",
        "final_response": "\n\n".join(part for part in (*parts, *more) if part),
        "conversation_complete": awaiting == "nothing",
        "awaiting": awaiting,
        "outcome": "",
        "declined": "",
    }


def _awaited(state: State, told: str) -> tuple[str, list[str]]:
    """Return what the next message answers, and the parts of the reply about that, after what is `told` before."""
    if state["needs_confirmation"]:
        asked = [state["note"], replies.progress(state), state["confirmation_message"], replies.upcoming(state)]
        return "confirmation", ["\n".join(filter(None, asked))]
    if state["asked"]:
        return "step", [replies.progress(state), replies.heading(state), state["note"]]
    if state["offering"]:
        return "offer", [state["note"]]
    waits = state["answer"] or state["errors"].get("api")
    return "reply" if waits else "nothing", [replies.summary(state["finished"], told)]


async def _answer(state: State, ctx: ActionContext) -> str:
    """The model's answer over facts, with its numbers and ids among them; without a model the facts themselves."""
    facts = dict(state["gathered_info"])
    history = state["conversation_history"]
    request = state["question"] or state["user_input"]
    text, finding = "", ""
    try:
        async with opened(ctx) as server:
            if not facts:
                # The data of the analysis prompt, which may hold the answer.
                with suppress(UpgradeError):
                    facts = dict(await server.for_prompt(request, state["last_about"]))
                facts |= {"contexts": server.contexts, "experiment": state["about"] or {}}
                facts |= {"done": [replies.done_text(each) for each in state["execution_log"][-20:]]}
            if state["needs_confirmation"]:
                facts |= {"waits_for_a_yes": state["confirmation_message"]}
            there: list[Any] = [facts, *(each["content"] for each in history)]
            work = Work(server, facts, state["all_experiments"], log=state["execution_log"], errors=state["errors"])
            tools = Offered(ctx.tools, work)
            for rounds in (2, 1):
                asked = {"request": request, "history": history[:-1], "now": clock(ctx)}
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
