"""The actions of the UpGrade agent's flow: understand a message, gather, word the confirmation, execute, respond."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

from graphwright import ActionContext
from graphwright.models import ModelFailure, is_weak
from graphwright.proposals import ids_not_in, leaves, numbers_not_in, occurs, run_tools
from graphwright.text.numerals import numerals
from graphwright_upgrade._wording import action, listed, quoted, say
from graphwright_upgrade.client._failures import NotFound, UpgradeError
from graphwright_upgrade.upgrade import orders, preparing, replies, understanding
from graphwright_upgrade.upgrade.choices import question_text
from graphwright_upgrade.upgrade.executing import error_message, error_type, execute, log_entry
from graphwright_upgrade.upgrade.orders import NO_ACTION
from graphwright_upgrade.upgrade.preparing import (
    checked_order,
    clock,
    experiment_to_show,
    filled_in,
    look_up_for,
    prepared,
)
from graphwright_upgrade.upgrade.server import MAX_LISTED, Server, facts_of, known, open_server
from graphwright_upgrade.upgrade.state import State
from graphwright_upgrade.upgrade.tools import LookupTools, Work
from graphwright_upgrade.upgrade.understanding import FRESH, begun

_ID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

_IN_HAND = ["action_needed", "action_params", "words", "request", "later", "about", "missing_params", "asked", "guided",
            "needs_confirmation", "queue", "finished", "said", "language"]  # fmt: skip
_NEXT = ["current_state", "intent_type", "errors", "report", "said", "queue", "finished", "ask_model", *NO_ACTION]
_MESSAGE = ["user_input", "conversation_history", "intent_type", "said", "queue", "finished", *FRESH, *NO_ACTION]


# Understand the message


@action(
    reads=["message", "execution_log", "last_about", "choices", *_IN_HAND],
    writes=["confidence", "user_request_summary", "language", *_MESSAGE],
)
async def accept(state: State, ctx: ActionContext) -> State:
    """Read the yes to the pending action, and the other requests of the message."""
    return await understanding.accepted(state, ctx)


@action(reads=["message", *_IN_HAND], writes=_MESSAGE)
async def decline(state: State, ctx: ActionContext) -> State:
    """Drop the order that waits, and take up the next one."""
    return await begun(state, ctx) | understanding.given_up(state)


@action(reads=["message", "answers", *_IN_HAND], writes=_MESSAGE)
async def take_value(state: State, ctx: ActionContext) -> State:
    """Take the answer for the parameter that was asked for. A sentence in words is for the model."""
    begins = await begun(state, ctx)
    in_words = not replies.is_formatted(state["asked"], state["message"]) and not is_weak(ctx.model)
    found = None if in_words else understanding.value_taken(state)
    return begins | (found or {})


@action(reads=["message", "answers", *_IN_HAND], writes=_MESSAGE)
async def choose_part(state: State, ctx: ActionContext) -> State:
    """Take the choice of the parameter to set next, or that nothing else is to be set."""
    return await begun(state, ctx) | (understanding.part_chosen(state) or {})


@action(reads=["message", "answers", *_IN_HAND], writes=_MESSAGE)
async def choose_action(state: State, ctx: ActionContext) -> State:
    """Take up the chosen action. The earlier messages may hold values for it."""
    return await begun(state, ctx) | understanding.action_chosen(state)


@action(reads=["message", *_IN_HAND], writes=_MESSAGE)
async def choose_look_up(state: State, ctx: ActionContext) -> State:
    """Take the choice of what to look at."""
    return {
        **await begun(state, ctx),
        **NO_ACTION,
        "intent_type": "needs_info",
        "said": [*state["said"], state["message"]],
    }


@action(
    reads=["message", "execution_log", "last_about", "choices", *_IN_HAND],
    writes=["confidence", "user_request_summary", "language", *_MESSAGE],
)
async def analyze(state: State, ctx: ActionContext) -> State:
    """Let the model analyse the message: orders, a question, a correction of what waits."""
    begins = await begun(state, ctx)
    try:
        found = await understanding.analysis(state, ctx, begins["conversation_history"])
    except ModelFailure as error:
        return {**begins, "note": "" if error.code == "no_model" else error.full_text}
    return begins | understanding.understood(state, ctx, found)


@action(
    reads=["message", "answers", "note", *_IN_HAND],
    writes=["note", "intent_type", "said", "queue", "finished", "report", "offers", "ask_model", *NO_ACTION],
)
def do_without_model(state: State, ctx: ActionContext) -> State:
    """Continue by choices: use an answer word for word, search an experiment by the text, else ask again or offer."""
    return understanding.without_model(state)


# Understand the result of the executor


@action(reads=["language"], writes=["current_state", "user_confirmed", "choices", "intent_type", "note"])
async def show_again(state: State, ctx: ActionContext) -> State:
    """Prepare the confirmed action again, because the experiment or the server has changed since it was shown."""
    return {**await _executed(state, ctx), "intent_type": "needs_info", "note": say("changed_since")}


@action(reads=["language"], writes=["current_state", "user_confirmed", "choices", "intent_type"])
async def keep_waiting(state: State, ctx: ActionContext) -> State:
    """Leave the confirmation as it is, because the server could not be asked."""
    return await _executed(state, ctx)


@action(reads=["execution_log", "report", *_IN_HAND], writes=_NEXT)
async def initialise_first(state: State, ctx: ActionContext) -> State:
    """Take up the initialisation of the unknown user, before the same order again."""
    user = state["execution_log"][-1]["params"]["user_id"]
    report = preparing.reported(state, say("user_not_known", user=quoted(user)))
    begins: State = {**await _executed(state, ctx), "errors": {}, "report": report}
    return begins | orders.initialised_first(state, user)


@action(reads=["execution_log", "report", "question", *_IN_HAND], writes=_NEXT)
async def take_next(state: State, ctx: ActionContext) -> State:
    """Report the result of the executed action, and take up the next order."""
    last = state["execution_log"][-1]
    result = replies.result_of(last)
    report = preparing.reported(state, replies.done_text(last)) if result == "done" else state["report"]
    # The error is in the log and in the report; it does not keep the next order from being confirmed.
    begins: State = {**await _executed(state, ctx), "errors": {}, "report": report}
    begins |= orders.next_of(state["queue"], orders.over(state, replies.why_of(last), result))
    return begins | {"intent_type": "needs_info"} if state["question"] else begins


async def _executed(state: State, ctx: ActionContext) -> State:
    """Return the channels after the executor, and drop the cached data of the server."""
    (await known(ctx)).forget()
    return {"current_state": "ANALYZING", "user_confirmed": False, "choices": [], "intent_type": "direct_answer"}


# Gather


_GATHERED = ["current_state", "report", "last_about", "errors", "gathered_info", "context_metadata", "experiment_names",
             "all_experiments", "place"]  # fmt: skip


@action(
    reads=["user_input", "conversation_history", "note", "ask_model", "last_about", "gathered_info", "supports",
           "execution_log", "cannot", "report", "cautions", *_IN_HAND],
    writes=["note", "finished", *_GATHERED, *NO_ACTION],
)  # fmt: skip
async def fill_in(state: State, ctx: ActionContext) -> State:
    """Let the model fill in the parameters of the current order, and check them."""
    return await _with_server(state, ctx, lambda work: prepared(filled_in, state, ctx, work))


@action(
    reads=[
        "conversation_history",
        "note",
        "gathered_info",
        "supports",
        "report",
        "execution_log",
        "cautions",
        *_IN_HAND,
    ],
    writes=["note", "finished", *_GATHERED, *NO_ACTION],
)
async def check_order(state: State, ctx: ActionContext) -> State:
    """Check the current order, and choose the parameter to ask for."""
    return await _with_server(state, ctx, lambda work: prepared(checked_order, state, ctx, work))


@action(reads=["report", "cannot", *_IN_HAND], writes=_NEXT)
def next_order(state: State, ctx: ActionContext) -> State:
    """Report the order that cannot be done, and take up the next one."""
    return preparing.next_order(state)


@action(reads=["report", *_IN_HAND], writes=_NEXT)
def initialise_before(state: State, ctx: ActionContext) -> State:
    """Initialise the unknown user before the current order."""
    return preparing.initialised_before(state)


@action(
    reads=["user_input", "conversation_history", "question", "last_about", "gathered_info", "supports", "cannot",
           "execution_log", "report", "cautions", *_IN_HAND],
    writes=["note", "question", "offers", "finished", *_GATHERED, *NO_ACTION],
)  # fmt: skip
async def look_up_question(state: State, ctx: ActionContext) -> State:
    """Let the model look up what a question needs. Without a current order it may find one in the question."""
    return await _with_server(state, ctx, lambda work: look_up_for(state, ctx, work))


@action(reads=["gathered_info", "language"], writes=_GATHERED)
async def list_experiments(state: State, ctx: ActionContext) -> State:
    """Look up the experiments."""
    return await _with_server(state, ctx, lambda work: _called(ctx, work, "get_all_experiments"))


@action(reads=["gathered_info", "language"], writes=_GATHERED)
async def show_contexts(state: State, ctx: ActionContext) -> State:
    """Look up the contexts."""
    return await _with_server(state, ctx, lambda work: _called(ctx, work, "get_context_metadata"))


@action(reads=["gathered_info", "language"], writes=_GATHERED)
async def explain_terms(state: State, ctx: ActionContext) -> State:
    """Look up the terms."""
    return await _with_server(state, ctx, lambda work: _called(ctx, work, "get_core_terms", "get_assignment_terms"))


@action(
    reads=["action_params", "gathered_info", "language"], writes=["note", "asked", "choices", *_GATHERED, *NO_ACTION]
)
async def show_experiment(state: State, ctx: ActionContext) -> State:
    """Look up the experiment that the user names, or ask which one it is."""
    return await _with_server(state, ctx, lambda work: experiment_to_show(state, work))


async def _called(ctx: ActionContext, work: Work, *names: str) -> State:
    for name in names:
        await LookupTools(ctx.tools, work).call(name, {})
    return {"report": replies.facts_text(work.gathered)}


async def _with_server(state: State, ctx: ActionContext, gather: Callable[[Work], Awaitable[State]]) -> State:
    """Return the channels of `gather` and the data of the server, or the error if the server cannot be asked."""
    out: State = {"current_state": "GATHERING_INFO"}
    try:
        async with open_server(ctx) as server:
            await server.look()
            work = Work(server, gathered=dict(state["gathered_info"]))
            out |= await gather(work)
            return {
                **out,
                "context_metadata": server.contexts,
                "experiment_names": server.experiments[:MAX_LISTED],
                "gathered_info": work.gathered,
                "all_experiments": work.all_experiments,
                "place": server.client.host,
            }
    except UpgradeError as error:
        # The prepared order stays for the next message.
        return {**out, "errors": {error_type(error): error_message(error)}}


# Confirm and execute


@action(
    reads=["action_needed", "action_params", "words", "about", "cautions", "marks", "supports", "later", "place",
           "language"],
    writes=["current_state", "needs_confirmation", "confirmation_message"],
    effects=False,
)  # fmt: skip
def confirmation_handler(state: State, ctx: ActionContext) -> State:
    """Word the question: exactly what will be done, and what to know before saying yes."""
    text = replies.confirmation(state)
    return {"current_state": "CONFIRMING", "needs_confirmation": True, "confirmation_message": text}


@action(
    reads=["action_needed", "action_params", "about", "place", "request", "language"],
    writes=["current_state", "execution_log", "errors", "needs_confirmation", "user_confirmed", "last_about"],
)  # fmt: skip
async def tool_executor(state: State, ctx: ActionContext) -> State:
    """Perform the confirmed action once, and log it. An experiment that changed since it was shown is not touched."""
    name, params, shown = state["action_needed"], state["action_params"], state["about"]
    assert name is not None
    out: State = {"current_state": "EXECUTING", "user_confirmed": False}

    _, new = await ctx.store.put_once("upgrade.begun", {"action": name, "params": params})
    try:
        async with open_server(ctx) as server:
            # An interrupted turn may continue here with its earlier values.
            server.forget()
            if server.client.host != state["place"] or (new and shown is not None and await _changed(server, shown)):
                return out
            outcome = await execute(server.client, name, params, key=ctx.key, begun=not new)
    except UpgradeError as error:
        return {**out, "errors": {error_type(error): error_message(error)}}
    if outcome.nothing_done and outcome.error_type in ("api", "auth"):
        return {**out, "errors": {outcome.error_type: outcome.error}}
    result = outcome.result or {}
    kinds = [outcome.error_type, "execution", *(["unknown_user"] if outcome.code == "unknown_user" else ())]
    return {
        **out,
        "execution_log": [log_entry(replies.title(state), name, params, outcome, ctx.now)],
        "errors": dict.fromkeys(kinds if outcome.error else (), outcome.error),
        "needs_confirmation": False,
        **({"last_about": result["experiment_id"]} if "experiment_id" in result else {}),
    }


async def _changed(server: Server, shown: Mapping[str, Any]) -> bool:
    """Whether an experiment has changed since it was shown, or was deleted."""
    try:
        now = facts_of(await server.experiment(shown["experiment_id"]))
    except NotFound:
        return True
    return any(now[name] != shown[name] for name in now)


# Respond


@action(
    reads=["user_input", "conversation_history", "report", "execution_log", "errors", "asked", "gathered_info",
           "all_experiments", "action_needed", "action_params", "about", "last_about", "note", "offers",
           "needs_confirmation", "confirmation_message", "question", "cannot", "queue", "finished", "request",
           "later", "said", "language"],
    writes=["current_state", "final_response", "conversation_complete", "finished"],
)  # fmt: skip
async def response_generator(state: State, ctx: ActionContext) -> State:
    """Report the results, and say whether anything waits for a reply."""
    errors = replies.error_text(state["errors"])
    refused = bool(errors) and errors in [each["why"] for each in state["finished"] if not each["told"]]
    parts = [state["cannot"], state["report"], "" if refused else errors]
    open_ = bool(state["needs_confirmation"] or state["asked"] or state["offers"])
    parts += [replies.finished_text(state["finished"], over=not open_, told=state["cannot"])]
    parts = [*dict.fromkeys(filter(None, parts))]
    more = _waiting(state) if open_ else ""
    if state["question"] or not (parts or more):
        parts.append(await _answer(state, ctx))
    over = not (open_ or state["action_needed"])
    response = "\n\n".join(filter(None, [*parts, more]))
    if open_ and not state["needs_confirmation"]:
        response += f"\n{question_text(state)}"
    return {
        "finished": [] if over else [{**each, "told": True} for each in state["finished"]],
        "current_state": "RESPONDING",
        "final_response": response,
        "conversation_complete": not (open_ or state["errors"].get("api")),
    }


def _waiting(state: State) -> str:
    """Return the part of the reply about the question or confirmation that waits."""
    if state["needs_confirmation"]:
        asked = [state["note"], replies.progress(state), state["confirmation_message"], replies.upcoming(state)]
        return "\n".join(filter(None, asked))
    heads = [replies.progress(state), replies.heading(state), _times(state)] if state["asked"] else []
    return "\n\n".join(filter(None, [*heads, state["note"]]))


def _times(state: State) -> str:
    """Return the sentence about times in its orders for the first reply, unless a confirmation contains it."""
    orders = [state, *state["queue"]] if len(state["said"]) == 1 else []
    times = [each["later"] for each in orders if each["later"]]
    return say("not_later", times=listed(times)) if times else ""


async def _answer(state: State, ctx: ActionContext) -> str:
    """The model's answer over facts, with its numbers and ids among them; without a model the facts themselves."""
    facts = dict(state["gathered_info"])
    history = state["conversation_history"]
    request = state["question"] or state["user_input"]
    text, finding = "", ""
    try:
        async with open_server(ctx) as server:
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
            tools = LookupTools(ctx.tools, work)
            for rounds in (2, 1):
                asked = {"request": request, "history": history[:-1], "now": clock(ctx)}
                messages = ctx.prompt("respond", **asked, facts=facts, answer=text, finding=finding)
                text = (await run_tools(ctx.model, messages, tools, rounds=rounds)).text or text
                ids = [each for each in ids_not_in(text, (), _ID) if not occurs(each, map(str, there))]
                strange = listed(
                    [*_numbers_without_source(text, there, request, _counts(state), _weights(facts)), *ids]
                )
                if not strange:
                    break
                finding = f"Your answer names what is not in the data: {strange}. Answer again from the data alone."
            else:
                text += f"\n{say('not_in_data', found=strange)}"
    except ModelFailure as error:
        found = replies.facts_text(state["gathered_info"])
        return found or f"{say('no_answer_without_model')} {error.full_text}"
    return text or replies.facts_text(state["gathered_info"]) or say("no_answer")


def _numbers_without_source(text: str, there: Any, request: str, counts: list[str], weights: list[str]) -> list[str]:
    """Return the numbers of an answer that neither are in the data nor follow from two numbers by one calculation.

    The two are among the numbers of the answer that have a source, among the `counts` of users and the `weights`, or in
    the request. Other numbers of the data do not count, because from all of them nearly every number can be calculated.
    """
    found = numbers_not_in(text, there, also=[request])
    # In the second round a calculated number counts, too: the sum of a share.
    for _ in range(2):
        right = [each.text for each in numerals(text) if each.text.strip() not in found]
        for numbers, asked in product((right, counts, weights, [*counts, *weights]), ("", request)):
            found = [each for each in found if each in numbers_not_in(text, "\n".join([*numbers, asked]))]
    return found


def _weights(facts: Mapping[str, Any]) -> list[str]:
    """Return the weights of the experiments that were looked up, as percentages."""
    found = (value for path, value in leaves(facts) if path.rpartition(".")[2] == "weight")
    return [f"{value:g} %" for value in dict.fromkeys(found)]


def _counts(state: State) -> list[str]:
    """Return the numbers of users of the experiments that were looked up, or else of the last simulation."""
    looked_up = (each.get("enrollment") for each in state["gathered_info"].values() if isinstance(each, Mapping))
    found = [row["users"] for each in looked_up if each for row in (each, *each["conditions"])]
    done = [(each["result"] or {}).get("assigned") for each in state["execution_log"][-20:]]
    simulated = next((each for each in reversed(done) if isinstance(each, Mapping)), {})
    return [str(count) for count in found or simulated.values()]
