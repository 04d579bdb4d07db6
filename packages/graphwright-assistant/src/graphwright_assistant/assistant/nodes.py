"""The actions of the assistant: decide, select, execute, evaluate, and answer with tools or without."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any

from graphwright import ActionContext, Reset, action
from graphwright.context import build_system_context, build_tools_context_summary, fenced
from graphwright.models import BadReply, ModelFailure, UnexpectedCall, UnknownModel, is_weak
from graphwright.proposals import Sources
from graphwright.text.folding import without_hidden
from graphwright.text.full_text import ranked_texts
from graphwright.tools.sources import Source
from graphwright_assistant.assistant import attachments, citations, prompting, toolbox
from graphwright_assistant.assistant.answering import Answer, Evidence, Links, write_answer
from graphwright_assistant.assistant.frames import say
from graphwright_assistant.assistant.prompting import (
    conversation_part,
    room_of,
    searched_part,
    sources_in,
    sources_part,
)
from graphwright_assistant.assistant.schemas import MOST_CALLS, ResultEvaluation, ToolCall, ToolDecision, selection_of
from graphwright_assistant.assistant.settings import identity_of, language_of, language_set, setting
from graphwright_assistant.assistant.state import EarlierMessage, Failure, SelectedTool, State, ToolInfo, ToolOutcome
from graphwright_assistant.assistant.support import sources_behind
from graphwright_assistant.assistant.toolbox import outcome_of

MOST_ATTEMPTS = 3
"""Maximum number of times that problems of calls are sent back to the model."""

MOST_REMEMBERED = 20
"""Maximum number of messages of the thread that are read."""

LONGEST_REMEMBERED = 8_000
"""Maximum length of each of them in characters."""

SOURCES, FILES, TOOLS, CONVERSATION, QUESTION = 0.4, 0.2, 0.2, 0.08, 0.12
"""The shares of a model's context for the parts of a prompt."""

MOST_EARLIER, LONGEST_EARLIER = 20, 2_000
"""Maximum number of sources of earlier answers that are kept, and the maximum length of each in characters."""

MOST_SHOWN, LONGEST_SHOWN = 6, 3_000
"""Maximum number of them in a prompt without tool calls, and their maximum total length in characters."""

MOST_NEAREST = 3
"""Maximum number of places of files that are listed by their words, if the answer failed."""


def local_now(ctx: ActionContext) -> datetime:
    """Return the time of the beginning of the turn, in the local time zone."""
    return ctx.now.astimezone()


async def _box(state: State, ctx: ActionContext) -> toolbox.Toolbox:
    """Return the toolbox in the middle of a turn, which may have waited and continued in another session."""
    box = await toolbox.of_session(ctx)
    if not box.fresh:
        await box.begin_turn(local_now(ctx), state["context_files"])
    return box


async def _history(ctx: ActionContext, message: str) -> list[EarlierMessage]:
    """Return the conversation before the current message."""
    rows = list(await ctx.messages(MOST_REMEMBERED + 1))
    if rows and rows[-1].role == "user" and rows[-1].text == message:
        rows.pop()
    return [{"role": row.role, "content": row.text[:LONGEST_REMEMBERED], "number": row.seq + 1} for row in rows]


def _failure(error: ModelFailure) -> Failure:
    """Return why no model can answer. Errors of the configuration and of a script are raised."""
    if isinstance(error, UnexpectedCall | UnknownModel):
        raise error
    return {"code": error.code, "message": error.full_text}


@action(
    reads=["message", "context_files", "spoken"],
    writes=["query", "messages", "context_files", "available_tools", "max_iterations", "system_context", "needs_tools",
            "language", "spoken", "notes", "missing", "failure"],
    effects=False,
)  # fmt: skip
async def decide_tools_needed(state: State, ctx: ActionContext) -> State:
    """Begin the turn: prepare the channels that all its prompts share, and decide whether tools are needed."""
    query, before = without_hidden(state["message"])[0].strip(), state["context_files"]
    files = await asyncio.to_thread(attachments.read, ctx.files, before) if ctx.files else []
    notes = [note for file in files if file not in before for note in attachments.missing_of(file)]
    box = await toolbox.of_session(ctx)
    tools = await box.begin_turn(local_now(ctx), files)
    out: State = {
        "query": query,
        "messages": await _history(ctx, state["message"]),
        "context_files": files,
        "available_tools": tools,
        "max_iterations": setting(ctx.settings, "max_iterations"),
        "system_context": build_system_context(local_now(ctx), identity_of(ctx.settings, sample=box.sample)),
        "language": language_of(ctx.settings),
        "spoken": language_set(ctx.settings) or state["spoken"],
        "needs_tools": bool(tools),
        "notes": notes,
        "missing": [*box.problems, *box.servers.missing()],
    }
    try:
        room = room_of(ctx, QUESTION)
        if len(query) > room:
            out["query"] = query[:room]
            out["notes"].append(say(out["spoken"], "cut_message", there=len(query), read=room))
        if tools:
            asking = ctx.prompt(
                "decide_tools",
                tools_summary=fenced(build_tools_context_summary(tools))[: room_of(ctx, TOOLS)],
                conversation_context=conversation_part(out["messages"], room_of(ctx, CONVERSATION)),
                files_context=prompting.files_summary_part(files, room_of(ctx, FILES)),
                query=out["query"],
                system_context=out["system_context"],
            )
            decision = await ctx.structured(ToolDecision, asking)
            out["needs_tools"] = decision.needs_tools
            out["spoken"] = language_set(ctx.settings) or decision.language[:8] or state["spoken"]
    except BadReply:
        # An unreadable answer decides nothing: tools are the default.
        pass
    except ModelFailure as error:
        out["failure"] = _failure(error)
    return out


@action(
    reads=["answers", "query", "messages", "context_files", "available_tools", "system_context", "selected_tools",
           "tool_results", "iteration", "refinement_suggestion", "preview", "spoken"],
    writes=["query", "selected_tools", "tool_results", "preview", "supports", "failure"],
    effects=False,
)  # fmt: skip
async def select_tools(state: State, ctx: ActionContext) -> State:
    """Choose the calls of this round. Invalid calls are sent back to the model with the reason."""
    reply = state["answers"].get("confirmed") if state["preview"]["needed"] else None
    said = reply if isinstance(reply, str) else ""
    proposed = "\n".join(prompting.call_text(call["tool_name"], call["arguments"]) for call in state["selected_tools"])
    # The user's correction belongs to the question in every later prompt.
    query = f"{state['query']}\n(Then the user said: {said})" if said else state["query"]
    out: State = {"selected_tools": [], "preview": Reset(), "query": query}
    calls, refused = list[SelectedTool](), list[ToolOutcome]()
    sources = sources_in(state["tool_results"])
    told = [*_conversation_texts(state), *(text for each in sources for text in (each.url, each.text))]
    # In the first round no source is shown in part yet, unless the user sent files.
    tools = (
        state["available_tools"] if sources or state["context_files"] else toolbox.searching(state["available_tools"])
    )
    tools = toolbox.without_filters(tools) if is_weak(ctx.model) else tools
    try:
        shown, not_shown = prompting.tools_part(tools, room_of(ctx, TOOLS))
        for _ in range(1 + (1 if is_weak(ctx.model) else MOST_ATTEMPTS)):
            messages = ctx.prompt(
                "select_tools",
                tools_detailed=shown,
                files_context=prompting.files_summary_part(state["context_files"], room_of(ctx, FILES)),
                conversation_context=conversation_part(state["messages"], room_of(ctx, CONVERSATION)),
                query=state["query"],
                searched=searched_part(state["tool_results"]),
                results=sources_part(sources, state["tool_results"], room_of(ctx, SOURCES * 0.7))[0],
                refinement_context=fenced(state["refinement_suggestion"] or ""),
                said=f"{said}\n{proposed}" if said else "",
                findings=searched_part(refused),
                dates=prompting.dates_part(local_now(ctx)),
                system_context=state["system_context"],
            )
            selection = await ctx.structured(selection_of(tools, described=not_shown), messages)
            if is_weak(ctx.model):
                known = [*told, *(each["content"] for each in state["messages"])]
                for call in selection.tools:
                    call.arguments = toolbox.in_own_words(call.arguments, query, known)
            calls, refused = _checked(state, ctx, selection.tools[:MOST_CALLS], [*told, said])
            if calls or not refused:
                break
    except ModelFailure as error:
        failure = _failure(error)
        return out if state["iteration"] else {**out, "failure": failure}
    if refused and not calls and not state["tool_results"]:
        message = say(state["spoken"], "no_call", why=searched_part(refused))
        return {**out, "failure": {"code": "no_call", "message": message}}
    results = [*state["tool_results"], *refused]
    now: EarlierMessage = {"role": "user", "content": f"{state['query']}\n{said}"}
    history = [*state["messages"], now]
    mine, theirs = (tuple(e["content"] for e in history if (e["role"] == "user") is user) for user in (True, False))
    existing = frozenset(value for each in sources for value in (each.id, *each.metadata.values()))
    found = toolbox.supports_of(calls, state["available_tools"], Sources(mine, theirs, existing))
    preview = toolbox.preview_of(calls, found, state["spoken"])
    return {**out, "selected_tools": calls, "tool_results": results, "preview": preview, "supports": found}


def _checked(
    state: State, ctx: ActionContext, wanted: Sequence[ToolCall], known: Sequence[str]
) -> tuple[list[SelectedTool], list[ToolOutcome]]:
    """Return the valid calls, and the invalid ones with the reason: schema, unknown address, or repetition."""
    tools, settings = state["available_tools"], dict(ctx.settings)
    made = {_identity(each["tool_name"], each["arguments"]) for each in state["tool_results"] if each["made"]}
    calls, refused = list[SelectedTool](), list[ToolOutcome]()
    for call in wanted:
        name, arguments = call.tool_name, call.arguments
        why = toolbox.refused(name, arguments, tools, known)
        if not why and _identity(name, arguments) in made:
            why = "this very call was made before, and its result stands above"
        if why:
            refused.append(outcome_of(name, arguments, state["iteration"] + 1, why))
            continue
        made.add(_identity(name, arguments))
        asks = toolbox.asks(name, tools[name], settings)
        calls.append({"tool_name": name, "arguments": arguments, "reasoning": call.reasoning, "asks": asks})
    return calls, refused


def _identity(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, arguments], sort_keys=True)


@action(
    reads=["selected_tools", "tool_results", "iteration"],
    writes=["selected_tools", "tool_results", "preview"],
    effects=False,
)
def leave_out(state: State, ctx: ActionContext) -> State:
    """Remove the calls that the user declined."""
    declined = [call for call in state["selected_tools"] if call["asks"]]
    kept = [call for call in state["selected_tools"] if not call["asks"]]
    round_, why = state["iteration"] + 1, "the user said no"
    told = [outcome_of(each["tool_name"], each["arguments"], round_, why) for each in declined]
    return {"selected_tools": kept, "tool_results": [*state["tool_results"], *told], "preview": Reset()}


@action(
    reads=["selected_tools", "tool_results", "iteration", "context_files", "available_tools"],
    writes=["selected_tools", "tool_results", "iteration", "preview"],
)
async def execute_tools(state: State, ctx: ActionContext) -> State:
    """Make the calls in order. Calls that only read run concurrently; one that may write runs alone."""
    box, round_ = await _box(state, ctx), state["iteration"] + 1
    own = toolbox.reading_tools(box, state["context_files"], state["tool_results"], room_of(ctx, SOURCES / 2))

    async def made(place: int, call: SelectedTool) -> ToolOutcome:
        name, arguments = call["tool_name"], call["arguments"]
        if call["asks"]:
            _, new = await ctx.store.put_once("assistant.calls", {"tool": name}, key=f"{ctx.key}:{place}")
            if not new:
                return outcome_of(name, arguments, round_, "it was begun before a crash, and may have been done")
        changes = state["available_tools"][name]["changes"] is True
        return outcome_of(name, arguments, round_, await box.call(name, arguments, own), changes=changes)

    outcomes = list[ToolOutcome]()
    calls = enumerate(state["selected_tools"])
    for alone, group in groupby(calls, lambda each: _may_write(each[1], state["available_tools"])):
        if alone:
            outcomes += [await made(place, call) for place, call in group]
        else:
            outcomes += await asyncio.gather(*(made(place, call) for place, call in group))
    return {"tool_results": [*state["tool_results"], *outcomes], "iteration": round_, "preview": Reset()}


def _may_write(call: SelectedTool, tools: Mapping[str, ToolInfo]) -> bool:
    """Return whether a call requires confirmation, or its server says that it changes something."""
    return call["asks"] or tools[call["tool_name"]]["changes"] is True


@action(
    reads=[
        "query",
        "messages",
        "context_files",
        "tool_results",
        "iteration",
        "max_iterations",
        "system_context",
        "spoken",
    ],
    writes=["results_adequate", "not_found", "refinement_suggestion", "notes"],
    effects=False,
)
async def evaluate_results(state: State, ctx: ActionContext) -> State:
    """Evaluate whether the results are enough, and what else to look up; not in the last round."""
    if state["iteration"] >= state["max_iterations"]:
        return {"results_adequate": False, "not_found": False, "refinement_suggestion": None, "notes": []}
    outcomes = state["tool_results"]
    try:
        messages = ctx.prompt(
            "evaluate_results",
            searched=searched_part(outcomes),
            results_summary=sources_part(sources_in(outcomes), outcomes, room_of(ctx, SOURCES))[0],
            files_context=prompting.files_part(state["context_files"], state["query"], room_of(ctx, FILES)),
            earlier_questions=prompting.questions_part(state["messages"]),
            query=state["query"],
            system_context=state["system_context"],
        )
        verdict = await ctx.structured(ResultEvaluation, messages)
    except ModelFailure as error:
        _failure(error)
        note = say(state["spoken"], "not_evaluated")
        return {"results_adequate": True, "not_found": False, "refinement_suggestion": None, "notes": [note]}
    wanted = "" if verdict.adequate else (verdict.refinement or verdict.reasoning)[:2_000]
    return {
        "results_adequate": verdict.adequate,
        "not_found": verdict.adequate and verdict.not_found,
        "refinement_suggestion": wanted or None,
        "notes": [],
    }


@action(
    reads=["query", "messages", "context_files", "available_tools", "system_context", "tool_results", "notes",
           "missing", "results_adequate", "not_found", "language", "spoken", "failure", "earlier_sources",
           "told_sample"],
    writes=["final_answer", "sources", "tool_results", "earlier_sources", "told_sample"],
    effects=False,
)  # fmt: skip
async def generate_answer_with_tools(state: State, ctx: ActionContext) -> State:
    """Answer from the results of the tools, with sources and notes on failures."""
    outcomes = state["tool_results"]
    failed = [each for each in outcomes if each["made"] and not each["ok"] and not _is_repaired(each, state)]
    notes = [*state["notes"], *(_failed_call(each, state["spoken"]) for each in failed[:MOST_CALLS])]
    if state["failure"]["code"]:
        return await _fall_back(state, ctx, state["failure"]["message"], notes)
    return await _answered(state, ctx, "answer_with_tools", outcomes, FILES, notes)


@action(
    reads=["query", "messages", "context_files", "available_tools", "system_context", "tool_results", "notes",
           "missing", "results_adequate", "not_found", "language", "spoken", "earlier_sources", "told_sample"],
    writes=["final_answer", "sources", "tool_results", "earlier_sources", "told_sample"],
    effects=False,
)  # fmt: skip
async def generate_answer_no_tools(state: State, ctx: ActionContext) -> State:
    """Answer without tools: from the files, from the conversation, or from general knowledge."""
    return await _answered(state, ctx, "answer_no_tools", (), SOURCES + FILES, state["notes"])


def _is_repaired(outcome: ToolOutcome, state: State) -> bool:
    """Return whether a later call of the tool succeeded; for a reading tool any tool's, if the results are enough."""
    name, round_ = outcome["tool_name"], outcome["iteration"]
    well = {each["tool_name"] for each in state["tool_results"] if each["ok"] and each["iteration"] > round_}
    reads_on = name.rpartition("__")[2] in toolbox.READING and state["results_adequate"]
    return bool(well) if reads_on else name in well


def _failed_call(outcome: ToolOutcome, language: str) -> str:
    return say(language, "failed_call", tool=outcome["tool_name"], why=outcome["error"])


async def _answered(
    state: State, ctx: ActionContext, prompt: str, outcomes: Sequence[ToolOutcome], files_share: float, notes: list[str]
) -> State:
    """Return the model's answer to a prompt over the sources and the files, as far as there is room for them."""
    files, found = state["context_files"], sources_in(outcomes)
    given, earlier = attachments.sources_of(files), [Source.from_json(each) for each in state["earlier_sources"]]
    images, unseen = await attachments.pictures(ctx, files, found)
    if outcomes:
        context, shown = sources_part(found, outcomes, room_of(ctx, SOURCES))
    else:
        context, shown = sources_part(earlier[:MOST_SHOWN], (), min(LONGEST_SHOWN, room_of(ctx, SOURCES)))
    inputs: dict[str, Any] = {
        "context_text": context,
        "references_text": fenced(citations.references_part(shown)),
        "images_text": fenced(citations.images_part(shown)),
        "images": len(images) // 2,
        "searched": searched_part(outcomes),
        "tools_summary": fenced(build_tools_context_summary(toolbox.searching(state["available_tools"]))),
        "files_context": prompting.files_part(files, state["query"], room_of(ctx, files_share)),
        "conversation_context": conversation_part(state["messages"], room_of(ctx, CONVERSATION)),
        "notes": fenced("\n".join([*notes, *state["missing"], *unseen])),
        "query": state["query"],
        "language": state["language"],
        "system_context": state["system_context"],
    }
    shows, today = [context, inputs["files_context"], inputs["notes"]], local_now(ctx).date().isoformat()
    usable = [*shown, *(each for each in found if each not in shown), *given]
    usable += [each for each in earlier if not any(_is_same(each, other) for other in usable)]
    figures = not images and bool(outcomes or given)
    evidence = Evidence(usable, _conversation_texts(state), [inputs["searched"]], shows, today, len(shown), figures)
    answer = await write_answer(ctx, prompt, inputs, evidence, state["spoken"], images)
    answer.notes += [*unseen, *notes]
    if answer.failed:
        return await _fall_back(state, ctx, say(state["spoken"], "no_answer", why=answer.failed), answer.notes)
    if not state["not_found"]:
        # A follow-up may repeat the previous answer, and then has the same sources.
        known = _conversation_texts(state) if outcomes else _of_user(state)
        answer.cited = await asyncio.to_thread(
            sources_behind, answer.text, answer.cited, [*shown, *given], [today, *known]
        )
    # Missing tools are mentioned only if they could have helped.
    if not state["available_tools"] or (outcomes and not (state["results_adequate"] and answer.cited)):
        answer.notes += state["missing"]
    return await _deliver(state, ctx, answer)


def _of_user(state: State) -> list[str]:
    return [state["query"], *(each["content"] for each in state["messages"] if each["role"] == "user")]


def _is_same(one: Source, other: Source) -> bool:
    return (one.kind, one.id) == (other.kind, other.id)


def _conversation_texts(state: State) -> list[str]:
    """Return the conversation; the links in earlier answers were already checked."""
    return [state["query"], *(each["content"] for each in state["messages"])]


async def _fall_back(state: State, ctx: ActionContext, why: str, notes: Sequence[str]) -> State:
    """Replace a failed answer by the results of a search for the question's own words, and all other sources."""
    ctx.stream("", afresh=True)
    box = await _box(state, ctx)
    outcomes = await toolbox.search_in_words(box, state["available_tools"], state["query"])
    given = attachments.sources_of(state["context_files"])
    nearest = [given[place] for place in ranked_texts([each.text for each in given], state["query"])]
    sources = [*nearest[:MOST_NEAREST], *sources_in([*outcomes, *state["tool_results"]])]
    text = Links(sources, _conversation_texts(state)).checked(citations.fallback(sources, why, state["spoken"]))
    state = {**state, "tool_results": [*state["tool_results"], *outcomes]}
    answer = Answer(text, cited=sources[: citations.MOST_LISTED], notes=[*notes, *state["missing"]], failed=why)
    return await _deliver(state, ctx, answer)


async def _deliver(state: State, ctx: ActionContext, answer: Answer) -> State:
    """Say the answer with its sources and notes."""
    language = state["spoken"]
    below = answer.cited
    heading = "looked_at" if state["not_found"] else "sources"
    # A replaced answer already lists the sources with their passages.
    listed = "" if answer.failed else citations.source_list(below, say(language, heading), language)
    notes = list(dict.fromkeys(answer.notes))
    of_files = bool(below) and all(each.kind == "file" for each in below)
    looked = bool(state["tool_results"]) and not of_files
    tells_sample = looked and not state["told_sample"] and (await toolbox.of_session(ctx)).sample
    if tells_sample:
        notes.append(say(language, "sample"))
    noted = Links(sources_in(state["tool_results"]), ()).checked(
        "\n".join(f"> {say(language, 'note', note=note)}" for note in notes)
    )
    text = "\n\n".join(filter(None, [answer.doubt, answer.text, listed, noted]))
    calls = [
        {"tool": each["tool_name"], "arguments": each["arguments"], "ok": each["ok"]} for each in state["tool_results"]
    ]
    ctx.interaction(type="tools" if calls else "none", result=text, calls=calls, failed=answer.failed)
    ctx.say(text)
    below = citations.without_repeats(below)
    sources = (
        []
        if state["not_found"]
        else [{**each.to_json(), "label": citations.described(each, language)} for each in below]
    )
    kept = [replace(each, text=each.text[:LONGEST_EARLIER], images=()) for each in below]
    before = [Source.from_json(each) for each in state["earlier_sources"]]
    kept += [old for old in before if not any(_is_same(old, new) for new in kept)]
    return {
        "final_answer": text,
        "sources": sources,
        "tool_results": state["tool_results"],
        "earlier_sources": [each.to_json() for each in kept[:MOST_EARLIER]],
        "told_sample": state["told_sample"] or tells_sample,
    }
