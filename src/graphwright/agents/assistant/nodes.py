"""The actions of the assistant: decide, select, execute, evaluate, and answer with tools or without."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from graphwright import ActionContext, action
from graphwright.agents.assistant import (
    answering,
    attachments,
    calling,
    listing,
    pictures,
    planning,
    relevance,
    results,
    telling,
    threads,
    toolbox,
)
from graphwright.agents.assistant.changing import calls_that_change
from graphwright.agents.assistant.entries import known_entries
from graphwright.agents.assistant.following import asked_again, followed
from graphwright.agents.assistant.grounding import Numbers
from graphwright.agents.assistant.known import THREAD, synonyms_of, vocabulary_of
from graphwright.agents.assistant.language import languages_of
from graphwright.agents.assistant.parts import (
    conversation_part,
    files_part,
    files_summary_part,
    local_now,
    tools_part,
    tools_summary_part,
)
from graphwright.agents.assistant.question import Question, parts_of, read
from graphwright.agents.assistant.schemas import ResultEvaluation, ToolDecision, selection_of
from graphwright.agents.assistant.selecting import Call, chosen, joined, signature
from graphwright.agents.assistant.settings import accelerators_of, identity_of, setting
from graphwright.agents.assistant.smalltalk import kind_of
from graphwright.agents.assistant.state import State, ToolInfo, ToolOutcome
from graphwright.agents.assistant.words import words
from graphwright.context import build_system_context, fenced
from graphwright.models import BadReply, ModelFailure, ModelUnavailable
from graphwright.text.hidden import without_hidden
from graphwright.tools.sources import Source

LONGEST_QUESTION = 4_000
"""Characters of a question that are read."""

MOST_REMEMBERED = 20
"""Messages of the thread that are looked at."""

LONGEST_REMEMBERED = 2_000
"""Characters of each."""


async def _history(ctx: ActionContext, message: str) -> list[dict[str, Any]]:
    """The conversation before the present message."""
    rows = list(await ctx.messages(MOST_REMEMBERED + 1))
    if rows and rows[-1].role == "user" and rows[-1].text == message:
        rows.pop()
    return [{"role": row.role, "content": row.text[:LONGEST_REMEMBERED], "number": row.seq + 1} for row in rows]


def _question(state: State, ctx: ActionContext) -> Question:
    """What code reads in the question, with what it takes over from the conversation before it."""
    return followed(state["messages"], state["query"], local_now(ctx))


@action(
    reads=["message", "context_files", "available_tools", "language"],
    writes=[
        *["query", "messages", "context_files", "available_tools", "max_iterations", "system_context", "needs_tools"],
        *["language", "answer_language", "prompt_parts", "notes", "refinement_suggestion"],
    ],
    effects=False,
)
async def decide_tools_needed(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Begin the turn: what every prompt of it shares. Then whether tools are needed: by code where that is plain."""
    whole = without_hidden(state["message"])[0].strip()
    query = _cut(whole)
    spoken, answered = languages_of(query, state["language"], ctx.settings)
    notes: list[str] = []
    if len(whole) > len(query):
        notes.append(telling.say(answered, "long", length=len(whole), most=LONGEST_QUESTION))
    messages, query = asked_again(await _history(ctx, state["message"]), query)
    before = state["context_files"]
    files = before
    if not attachments.known(ctx.files, before):
        files = await asyncio.to_thread(attachments.read, ctx.files, before)
    notes += [note for file in files if file not in before for note in attachments.missing_of(file)]
    out: dict[str, Any] = {
        "query": query,
        "messages": messages,
        "context_files": files,
        "max_iterations": setting(ctx.settings, "max_iterations"),
        "system_context": build_system_context(local_now(ctx), identity_of(ctx.settings)),
        "language": spoken,
        "answer_language": answered,
    }
    given_now = [file["name"] for file in files if file not in before]
    seen = pictures.meant(query, files, given_now)
    # Where nothing is said there is nothing to look for.
    kind = kind_of(query, files=files, given_now=given_now) or (None if words(query) or files else "greeting")
    if kind is not None:
        return out | {"needs_tools": False, "prompt_parts": {"kind": kind, **seen}, "notes": notes}
    box = await toolbox.opened(ctx)
    tools = await box.at_turn(local_now(ctx))
    out |= {"available_tools": tools}
    notes += box.missing(answered)
    now: State = {**state, **out}  # type: ignore[typeddict-item]
    question = _question(now, ctx)
    notes += box.left_out(answered, question.wants)
    if not tools:
        return out | {"needs_tools": False, "prompt_parts": {"kind": "none", **seen}, "notes": notes}
    # What only the tools can know is not the model's to decide.
    if (
        question.surely_tools
        or question.happened
        or _names_the_machine(query, ctx)
        or (question.asks and question.terms and not files and not question.defines)
    ):
        return out | {"needs_tools": True, "prompt_parts": seen, "notes": notes}
    parts: dict[str, str] = {**seen}
    asking = ctx.prompt(
        "decide_tools",
        tools_summary=tools_summary_part(now, parts),
        conversation_context=conversation_part(now, parts),
        files_context=files_summary_part(now, parts),
        query=query,
        system_context=out["system_context"],
    )
    try:
        needed = (await ctx.structured(ToolDecision, asking)).needs_tools
    except BadReply:
        needed = True
    return out | {"needs_tools": needed, "prompt_parts": parts, "notes": notes}


def _cut(text: str) -> str:
    """What of a message is read: up to the last blank, where there is one."""
    if len(text) <= LONGEST_QUESTION:
        return text
    return text[:LONGEST_QUESTION].rsplit(maxsplit=1)[0]


def _names_the_machine(query: str, ctx: ActionContext) -> bool:
    low = query.casefold()
    named = accelerators_of(ctx.settings)
    return any(name in low for accelerator, others in named.items() for name in (accelerator.casefold(), *others))


@action(
    reads=[
        *["query", "messages", "available_tools", "system_context", "selected_tools", "tool_results", "iteration"],
        *["refinement_suggestion", "prompt_parts", "answer_language"],
    ],
    writes=["selected_tools", "prompt_parts", "notes"],
    effects=False,
)
async def select_tools(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Choose the calls of this round: those that the model proposes, held against what the question says."""
    question = _question(state, ctx)
    tools: dict[str, ToolInfo] = state["available_tools"]
    parts = dict(state["prompt_parts"])
    done = [Call(each["tool_name"], each["arguments"]) for each in state["tool_results"]]
    refinement = (state["refinement_suggestion"] or "") if done else ""
    synonyms, vocabulary = synonyms_of(ctx.settings), vocabulary_of(ctx.settings)
    rules: dict[str, Any] = {
        "done": done,
        "refinement": refinement,
        "addresses": {source["url"] for each in state["tool_results"] for source in each["sources"]},
        "broken": {each["tool_name"] for each in state["tool_results"] if each["broken"]},
    }
    calls: list[Call] = []
    unasked: dict[str, str] = {}
    # Where entries are named, or nothing was found at all, code knows what to do next; with our own tools always.
    found = any(each["sources"] for each in state["tool_results"])
    if planning.plannable(question, tools):
        if not done:
            asked = parts_of(question, local_now(ctx))
            for part, proposed in planning.planned(asked, tools, synonyms, vocabulary):
                more, _ = chosen(proposed, part, tools, synonyms, planned=True, **rules)
                calls = joined(calls, more)
        elif results.brought_something(state["tool_results"], state["iteration"]) or not found:
            asked = parts_of(question, local_now(ctx))
            judged, _ = results.shortfall(question, asked, state["tool_results"], state["iteration"], synonyms)
            # Only what a model proposes are words to search for.
            rules["refinement"] = refinement if judged is None else ""
            elsewhere = planning.refined(
                *(question, tools, synonyms, rules["refinement"], done),
                found=found,
                authors=results.authors_in(state["tool_results"]),
            )
            calls, _ = chosen(elsewhere, question, tools, synonyms, planned=True, **rules)
    else:
        proposals: list[dict[str, Any]] = []
        if found if done else not (question.only_entries and THREAD in tools):
            messages = _asking_for_calls(state, ctx, question, parts, done, refinement)
            # What the question itself asks for is called all the same.
            with suppress(BadReply):
                proposals = [each.model_dump() for each in (await ctx.structured(selection_of(tools), messages)).tools]
        calls, unasked = chosen(proposals, question, tools, synonyms, **rules)
        calls = calls if done else joined(calls, planning.by_other_names(calls, question, vocabulary))
    language = state["answer_language"]
    notes = [telling.say(language, "unasked", tool=tool, verb=verb) for tool, verb in unasked.items()]
    return {"selected_tools": [call.to_json() for call in calls], "prompt_parts": parts, "notes": notes}


def _asking_for_calls(
    state: State, ctx: ActionContext, question: Question, parts: dict[str, str], done: Sequence[Call], refinement: str
) -> list[Any]:
    """The prompt that asks the model which calls to make."""
    day = local_now(ctx).date()
    leans = question.terms != read(state["query"], local_now(ctx)).terms
    return ctx.prompt(
        "select_tools",
        tools_detailed=tools_part(state, parts),
        accelerators=", ".join(accelerators_of(ctx.settings)),
        conversation_context=conversation_part(state, parts) if leans else "",
        query=state["query"],
        done=fenced("\n".join(signature(call.tool, call.arguments) for call in done)),
        refinement=fenced(refinement),
        dates={
            "today": day.isoformat(),
            "yesterday": (day - timedelta(days=1)).isoformat(),
            "week_ago": (day - timedelta(days=7)).isoformat(),
            "month_ago": (day - timedelta(days=30)).isoformat(),
        },
        system_context=state["system_context"],
    )


@action(
    reads=["query", "messages", "selected_tools", "tool_results", "iteration", "available_tools"],
    writes=["tool_results", "iteration"],
)
async def execute_tools(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Make the calls: those that hang on none at once together, the others when theirs is done."""
    box = await toolbox.opened(ctx)
    if not box.fresh:
        # The turn was cut short and goes on in another session.
        await box.at_turn(local_now(ctx))
    question, synonyms = _question(state, ctx), synonyms_of(ctx.settings)

    def threads_in(found: ToolOutcome) -> list[list[int]]:
        sources = results.sources_in([found])
        return threads.worth_reading(question, found["arguments"], sources, synonyms)

    round_ = state["iteration"] + 1
    running: list[asyncio.Task[ToolOutcome | None]] = []
    made_before = {signature(each["tool_name"], each["arguments"]) for each in state["tool_results"]}
    made_before |= {signature(each["tool_name"], each["arguments"]) for each in state["selected_tools"]}
    for call in state["selected_tools"]:
        first = running[call["after"]] if 0 <= call["after"] < len(running) else None
        running.append(asyncio.create_task(calling.made(box, call, first, round_, made_before, threads_in)))
    try:
        outcomes = await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
    made = [outcome for outcome in outcomes if outcome is not None]
    return {"tool_results": [*state["tool_results"], *made], "iteration": round_}


@action(
    reads=["query", "messages", "tool_results", "iteration", "max_iterations", "answer_language"],
    writes=["results_adequate", "refinement_suggestion", "notes"],
    effects=False,
)
async def evaluate_results(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Whether the results are enough: by code where that is plain, else by the model."""
    question = _question(state, ctx)
    parts, synonyms = parts_of(question, local_now(ctx)), synonyms_of(ctx.settings)
    enough, instead = results.shortfall(question, parts, state["tool_results"], state["iteration"], synonyms)
    if results.lies_ahead(question, local_now(ctx).date()):
        enough, instead = True, ""
    if enough is not None:
        return {"results_adequate": enough, "refinement_suggestion": instead or None, "notes": []}
    if state["iteration"] >= state["max_iterations"]:
        # Nothing could be made of a verdict any more.
        return {"results_adequate": False, "refinement_suggestion": None, "notes": []}
    sources = results.sources_in(state["tool_results"])
    judged = results.summary(sources, question.terms, state["tool_results"])
    messages = ctx.prompt("evaluate_results", results_summary=judged, query=state["query"])
    try:
        verdict = await ctx.structured(ResultEvaluation, messages)
    except ModelUnavailable:
        raise
    except ModelFailure:
        note = telling.say(state["answer_language"], "not_evaluated")
        return {"results_adequate": True, "refinement_suggestion": None, "notes": [note]}
    refinement = " ".join(verdict.refinement.split())[:200]
    return {
        "results_adequate": verdict.adequate,
        "refinement_suggestion": None if verdict.adequate else refinement or None,
        "notes": [],
    }


@action(
    reads=[
        *["query", "messages", "context_files", "system_context", "tool_results", "prompt_parts", "notes", "iteration"],
        *["answer_language", "results_adequate", "available_tools"],
    ],
    writes=["final_answer", "prompt_parts"],
    effects=False,
)
async def generate_answer_with_tools(state: State, ctx: ActionContext) -> dict[str, Any]:
    """The answer from what the tools gave, with its sources, and what went wrong on the way."""
    question, language = _question(state, ctx), state["answer_language"]
    outcomes = state["tool_results"]
    parts = dict(state["prompt_parts"])
    found = results.sources_in(outcomes)
    asked = parts_of(question, local_now(ctx))
    fits: list[Source] = []
    if len(asked) == 1:
        vocabulary = vocabulary_of(ctx.settings)
        fits = [found[place] for place in listing.fitting(question, found, synonyms_of(ctx.settings), vocabulary)]
        found = [*fits, *(source for source in found if source not in fits)]
    none_such = results.of_no_day(question)
    missing = relevance.nowhere(question, outcomes, found, synonyms_of(ctx.settings))
    best = relevance.shown(question, results.by_part(asked, found))
    best = threads.with_mates(question, best, found, synonyms_of(ctx.settings))
    shown, cut, sources = results.context(best, question.terms, len(found))
    notes = list(state["notes"])
    failed = [each for each in outcomes if not each["ok"]]
    notes += [telling.say(language, "failed", tool=each["tool_name"], why=each["error"]) for each in failed[:3]]
    notes += [
        telling.say(language, "changed" if each["ok"] else "changed_maybe", call=call)
        for call, each in calls_that_change(outcomes, state["available_tools"])
    ]
    noted = results.notable(outcomes, listing=question.lists)
    if question.period is not None and results.all_outside(sources, question.period):
        noted = [telling.say(language, "other_time"), *noted]
    elif question.period is not None and results.none_logged(outcomes, found):
        noted = [telling.say(language, "none_logged"), *noted]
    images, told_of_images = await pictures.seen(state, ctx, parts, sources, notes)
    of_files = attachments.sources_of(state["context_files"])
    files = files_part(state, parts, question.terms, with_tools=True)
    if none_such and not of_files:
        text = telling.say(language, "no_day", days=", ".join(none_such))
        answer = answering.Answer(text, (), language, notes, made_by_code=True)
    elif missing and found and not of_files and not images:
        where = "log_nowhere" if relevance.only_logged(question) else "nowhere"
        where = "nowhere_else" if results.unsearched(outcomes) else where
        text = telling.say(language, where, words=", ".join(missing))
        titles = list(dict.fromkeys(source.title.rstrip(".") for source in sources if source.title))[:2]
        near = telling.say(language, "near", titles="; ".join(titles)) if titles else ""
        lacking = results.notable(outcomes, listing=False)
        answer = answering.Answer(f"{text} {near}".strip(), (), language, [*notes, *lacking], made_by_code=True)
    elif not sources and not of_files and not images:
        # There is nothing that a model could answer from, and much that it could invent.
        text = answering.by_code((), question.terms, language)
        if not any(each["ok"] for each in outcomes):
            text = telling.say(language, "unsearched" if outcomes else "no_tools")
        elif results.unsearched(outcomes):
            text = telling.say(language, "nothing_else")
        answer = answering.Answer(
            text, (), language, [*notes, *results.notable(outcomes, listing=False)], made_by_code=True
        )
    else:
        usable = [*sources, *of_files, *(source for source in fits if source not in sources)]
        entries = known_entries(usable, [state["query"]])
        known = Numbers([state["query"], state["system_context"], *map(_all_of, usable)], entries=entries)
        # Nobody knows which figures stand in a picture.
        known = Numbers.any(entries=entries) if images else known
        in_prompt = [f"{each['tool_name']} failed: {each['error'][:160]}" for each in failed]
        answer = await answering.written(
            ctx,
            "answer_with_tools",
            {
                "context": shown,
                "files_context": files,
                "images": results.images(sources),
                "cut": "; ".join(filter(None, [cut, parts.get("files_cut", "")])),
                "notes": fenced("\n".join([*noted, *in_prompt, *told_of_images, *results.meanings(shown)])),
                "query": state["query"],
                "system_context": state["system_context"],
            },
            sources=usable,
            marked=len(sources),
            known=known,
            language=language,
            languages=setting(ctx.settings, "languages"),
            otherwise=lambda: answering.by_code(usable, question.terms, language),
            asked=asked,
            images=images,
            listed=[usable.index(source) for source in fits],
        )
        answer.about = question.terms
        answer.notes += [*notes, *noted]
    return _told(state, ctx, answer, parts)


def _all_of(source: Any) -> str:
    return f"{source.title} {source.id} {' '.join(source.metadata.values())} {source.text}"


@action(
    reads=[
        *["query", "messages", "context_files", "system_context", "prompt_parts", "notes", "answer_language"],
        *["tool_results"],
    ],
    writes=["final_answer", "prompt_parts"],
    effects=False,
)
async def generate_answer_no_tools(state: State, ctx: ActionContext) -> dict[str, Any]:
    """The answer without tools: from the files, from the conversation, or from general knowledge."""
    question, language = _question(state, ctx), state["answer_language"]
    parts = dict(state["prompt_parts"])
    kind = parts.get("kind", "none")
    notes = list(state["notes"])
    if kind == "files":
        parts["pictures"] = "\n".join(file["name"] for file in state["context_files"] if file["type"] == "image")
    images, _ = await pictures.seen(state, ctx, parts, (), notes)
    sources = attachments.sources_of(state["context_files"])
    files, cut = "", ""
    if kind not in ("greeting", "thanks", "farewell", "conversation"):
        files = files_part(state, parts, question.terms, with_tools=False)
        cut = parts.get("files_cut", "")
    if kind == "files" and not sources and not images:
        answer = answering.Answer(telling.say(language, "files"), (), language, notes, made_by_code=True)
        return _told(state, ctx, answer, parts)
    said = [each["content"] for each in state["messages"]]
    entries = known_entries(sources, [state["query"], *said])
    known = Numbers([state["query"], state["system_context"], *said, *map(_all_of, sources)], entries=entries)
    answer = await answering.written(
        ctx,
        "answer_no_tools",
        {
            "files_context": files,
            "conversation_context": conversation_part(state, parts),
            "cut": cut,
            "images": len(images),
            "query": state["query"],
            "system_context": state["system_context"],
        },
        sources=sources if files else (),
        marked=0,
        known=known if (files and not images) or kind == "conversation" else Numbers.any(entries=entries),
        language=language,
        languages=setting(ctx.settings, "languages"),
        otherwise=lambda: _plainly(state, question, kind),
        asked=[question] if files else (),
        images=images,
    )
    answer.notes += notes
    return _told(state, ctx, answer, parts)


def _plainly(state: State, question: Question, kind: str) -> str:
    """What code answers without tools."""
    language = state["answer_language"]
    sources = attachments.sources_of(state["context_files"])
    if kind == "files" and sources:
        return answering.by_code(sources, question.terms, language)
    asked = [each["content"] for each in state["messages"] if each["role"] == "user"]
    if kind == "conversation" and asked:
        return telling.say(language, "asked", text=" ".join(asked[-1].split())[:200])
    return telling.say(language, kind)


def _told(state: State, ctx: ActionContext, answer: answering.Answer, parts: dict[str, str]) -> dict[str, Any]:
    answer.hosts = toolbox.hosts_of(ctx.settings)
    if samples := results.samples(state["tool_results"]):
        answer.notes.append(telling.say(state["answer_language"], f"sample_{'_'.join(samples)}"))
    text, removed = answer.finished()
    calls = [
        {"tool": each["tool_name"], "arguments": each["arguments"], "ok": each["ok"]} for each in state["tool_results"]
    ]
    ctx.interaction(
        type="tools" if calls else parts.get("kind", "none"),
        result=text,
        calls=calls,
        removed_links=removed,
        made_by_code=answer.made_by_code,
    )
    ctx.say(text)
    return {"final_answer": text, "prompt_parts": parts}
