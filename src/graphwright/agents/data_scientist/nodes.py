"""The actions of the data scientist: plan, write and run code, judge, explain, and say why it failed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from graphwright import ActionContext, action
from graphwright.agents.data_scientist import data, keeping, running, telling
from graphwright.agents.data_scientist.coding import (
    UNUSED,
    Fault,
    code_of,
    columns_used,
    error_parts,
    error_text,
    fault_in,
    repair_hints,
    taken_instead,
    unused_in,
    with_columns,
    with_names,
)
from graphwright.agents.data_scientist.columns import views
from graphwright.agents.data_scientist.doubts import (
    DOUBT,
    by_position,
    grouped_in,
    joined_by_no_key,
    no_value,
    useless_in,
)
from graphwright.agents.data_scientist.doubts_of_results import doubtful
from graphwright.agents.data_scientist.interpreting import not_asked_for, without_column
from graphwright.agents.data_scientist.joining import Joined, joined_for, left_out_for, with_joined
from graphwright.agents.data_scientist.mending import is_same, without_slips
from graphwright.agents.data_scientist.mentions import Mentions, read
from graphwright.agents.data_scientist.planning import UNPLANNED, ExecutionPlan, mended
from graphwright.agents.data_scientist.reach import beyond, is_all_beyond
from graphwright.agents.data_scientist.recipes import recipe_for, with_recipe
from graphwright.agents.data_scientist.results import empty_reason, numbers_in, verdict_of
from graphwright.agents.data_scientist.saying import grounded
from graphwright.agents.data_scientist.settings import limits_of
from graphwright.agents.data_scientist.state import Attempt, ExecutionResult, State
from graphwright.agents.data_scientist.winners import winner_of
from graphwright.agents.data_scientist.words import PLOTTING
from graphwright.context import fenced
from graphwright.errors import GraphwrightError, sentence
from graphwright.models import BadReply, ModelFailure, RejectedRequest, atext
from graphwright.sandbox.wording import READABLE, result_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphwright.sandbox.execution import Execution

LONGEST_QUESTION = 8_000
"""Characters."""

MOST_ATTEMPTS = 3
"""Programs that are tried for one question, as the flow has it."""

MOST_EARLIER = 3
"""Questions of the thread before, whose code the model sees."""

LONGEST_EARLIER = 1_500
"""Characters of the code of one of them."""

_NO_PLAN = {"needs_code": False, "needs_evaluation": False, "needs_explanation": True}


def _mentions(state: State, question: str) -> Mentions:
    datasets = state["datasets"]
    return read(question, views(datasets), {id: dataset["name"] for id, dataset in datasets.items()})


@action(
    reads=["message", "datasets", "data_summary", "left_out", "messages"],
    writes=["question", "datasets", "data_summary", "left_out", "plan", "problem", "failure"],
    effects=False,
)
async def make_plan(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Take in the data, see what the question names of it, and plan the steps.

    Where no model can be reached the turn fails here and nowhere else: done again, this step reads the next message.
    """
    try:
        return await _planned(state, ctx)
    except Exception as error:
        ctx.interaction(type="error", success=False, error=telling.why_not(error))
        raise


async def _planned(state: State, ctx: ActionContext) -> dict[str, Any]:
    question = state["message"].strip()
    out: dict[str, Any] = {"question": question}
    if len(question) > LONGEST_QUESTION:
        why = (
            f"The question has {len(question):,} characters; at most {LONGEST_QUESTION:,} are read. Please shorten it."
        )
        return out | {"question": question[:LONGEST_QUESTION], "problem": why, "plan": _without_code("too long")}
    datasets, summary = state["datasets"], state["data_summary"]
    if ctx.files and not data.is_of(datasets, ctx.files, state["left_out"]):
        before = datasets
        try:
            datasets, summary, left_out = await asyncio.to_thread(data.taken_in_of_some, ctx.files, ctx.home)
        except GraphwrightError as error:
            return out | _broken_off(error) | {"plan": _without_code("the data cannot be read")}
        out |= {"datasets": datasets, "data_summary": summary, "left_out": list(left_out)}
        news = [why for file, why in left_out.items() if file not in state["left_out"]]
        for line in [*news, *data.told(datasets, before)]:
            ctx.say(line)
    columns = views(datasets)
    named = read(question, columns, {id: dataset["name"] for id, dataset in datasets.items()})
    cannot = beyond(question)
    earlier = "; ".join(each["question"][:200] for each in state["messages"][-MOST_EARLIER:])
    messages = ctx.prompt("plan", question=question, summary=summary, earlier=earlier)
    try:
        proposed = await ctx.structured(ExecutionPlan, messages)
    except BadReply:
        proposed = UNPLANNED
    except RejectedRequest as error:
        return out | _broken_off(error) | {"plan": _without_code("the model does not take the question")}
    plan = mended(proposed, question, named, data=bool(datasets))
    problem = ""
    if cannot and (is_all_beyond(question) or not (named.columns or named.values)):
        problem = " ".join(cannot)
    elif plan["needs_code"] and (missing := await without_column(ctx, question, named.missing, columns)):
        problem = telling.missing_text(missing, columns)
    elif not datasets and named.missing and not plan["needs_code"]:
        problem = telling.NO_DATA
    if problem:
        plan = {**plan, **_NO_PLAN}
    return out | {"plan": plan, "problem": problem}


def _without_code(why: str) -> dict[str, Any]:
    return {**_NO_PLAN, "reasoning": why}


def _broken_off(error: Exception) -> dict[str, Any]:
    """What ends a question at once. Raised out of its step, the next message would be taken for another try of it."""
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise error
    return {"failure": telling.why_not(error)}


@action(
    reads=["question", "datasets", "data_summary", "messages", "attempts", "failed_attempts", "code", "error"],
    writes=[
        "code",
        "execution_result",
        "execution_success",
        "error",
        "attempts",
        "failed_attempts",
        "problem",
        "failure",
    ],
)
async def run_code(state: State, ctx: ActionContext) -> dict[str, Any]:
    """One attempt: code from the model, looked at, run in the sandbox, and what it came to."""
    try:
        return await _attempted(state, ctx, state["attempts"] + 1)
    except Exception as error:
        return _broken_off(error)


async def _attempted(state: State, ctx: ActionContext, attempt: int) -> dict[str, Any]:
    named = _mentions(state, state["question"])
    inputs = _code_inputs(state, named, attempt)
    messages = ctx.prompt("code" if attempt == 1 else "repair", **inputs)
    columns = views(state["datasets"])
    try:
        written = code_of(await atext(ctx.model, messages))
    except BadReply as failure:
        return _failed(attempt, "", Fault(f"The model wrote no code. {sentence(failure.message)}"))
    written = with_recipe(written, inputs["recipe"])
    code = with_columns(with_names(written, state["datasets"]), columns)
    joins = data.joins(state["datasets"])
    code = with_joined(code, _joined(state, named))
    code = without_slips(code, state["question"], columns, joins, named)
    figure = bool(PLOTTING.search(state["question"]))
    fault = (
        _repeated(code, state["failed_attempts"])
        or fault_in(code, state["datasets"], columns, figure=figure)
        or useless_in(code, joins)
    )
    # Told once: a model that writes it again may know better.
    asks_again = attempt < MOST_ATTEMPTS and not any(
        each["error"].startswith(DOUBT) for each in state["failed_attempts"]
    )
    if fault is None and asks_again:
        keys = [key for join in joins for key in (join["left_column"], join["right_column"])]
        fault = (
            grouped_in(code, state["question"], keys)
            or joined_by_no_key(code, columns, joins)
            or by_position(code, columns, joins)
        )
    result: ExecutionResult | None = None
    if fault is None:
        limits = limits_of(ctx.settings)
        execution = await running.run(code, data.places(state["datasets"]), limits)
        fault = _fault_of(execution, figure=figure) or unused_in(code, named)
        taken = taken_instead(code, columns, named) if fault is None else ()
        if taken and await not_asked_for(ctx, state["question"], named.unknown, taken, columns):
            # Another column in its place would be an answer to another question.
            lost = named.unknown
            problem = telling.missing_text(lost, columns)
            tried = {"attempt": attempt, "code": code, "error": f"The data has nothing for {', '.join(lost)}."}
            return {"code": code, "problem": problem, "attempts": attempt, "failed_attempts": [tried]}
        if fault is None and asks_again:
            fault = doubtful(code, state["question"], named, columns, execution)
        if fault is None:
            result = await _kept(state, ctx, code, execution)
    if fault is None:
        return {
            "code": code,
            "execution_result": result,
            "execution_success": True,
            "error": None,
            "attempts": attempt,
        }
    failed = _failed(attempt, code, fault)
    if all(UNUSED in each["error"] for each in (*state["failed_attempts"], *failed["failed_attempts"])) and attempt > 1:
        return failed | {"problem": telling.NOTHING_COMPUTED}
    return failed


def _failed(attempt: int, code: str, fault: Fault) -> dict[str, Any]:
    error = error_text(fault)
    return {
        "code": code,
        "execution_success": False,
        "error": error,
        "attempts": attempt,
        "failed_attempts": [{"attempt": attempt, "code": code, "error": error}],
    }


def _repeated(code: str, failed: Sequence[Attempt]) -> Fault | None:
    """Why code that failed before is not run again; None for new code."""
    for each in failed:
        if is_same(code, each["code"]) and not each["error"].startswith(DOUBT):
            line, source, message = error_parts(each["error"])
            again = f" This is the code of attempt {each['attempt']} again, so it was not run."
            return Fault(sentence(message) + again, line, source)
    return None


def _code_inputs(state: State, named: Mentions, attempt: int) -> dict[str, Any]:
    columns, joins, joined = views(state["datasets"]), data.joins(state["datasets"]), _joined(state, named)
    inputs: dict[str, Any] = {
        "question": state["question"],
        "summary": state["data_summary"],
        "named": _named_line(named),
        "join": joined,
        "recipe": recipe_for(state["question"], named, columns, joined, joins),
    }
    if attempt == 1:
        earlier = [
            {"question": each["question"], "code": each["code"][:LONGEST_EARLIER]}
            for each in state["messages"][-MOST_EARLIER:]
            if each.get("code")
        ]
        figure = bool(PLOTTING.search(state["question"]))
        return inputs | {"ids": list(state["datasets"]), "earlier": earlier, "figure": figure}
    error = state["error"] or ""
    line, source, message = error_parts(error)
    tried = [error_parts(each["error"])[2] for each in state["failed_attempts"][:-1]]
    hints = repair_hints(message, columns, joins)
    # What failed itself helps no more.
    recipe = "" if inputs["recipe"] and inputs["recipe"] in (state["code"] or "") else inputs["recipe"]
    again = any(is_same(state["code"] or "", each["code"]) for each in state["failed_attempts"][:-1])
    return inputs | {
        "code": state["code"] or "",
        "error": message,
        "line": line,
        "source": source,
        "hints": hints,
        "tried": tried,
        "again": again,
        "recipe": recipe,
    }


def _joined(state: State, named: Mentions) -> Joined | None:
    """The table that is made ready for the model, where the question is about several data sets."""
    columns, joins = views(state["datasets"]), data.joins(state["datasets"])
    return left_out_for(state["question"], named, columns, joins) or joined_for(named, columns, joins)


def _named_line(named: Mentions) -> str:
    """What the question names, as the data has it: `total_bill ("the bill"), day = 'Sun' ("Sunday")`."""
    parts = [f'{each.column.name} ("{each.said}")' for each in named.columns[:12]]
    parts += [f'{each.column.name} == {each.value!r} ("{each.said}")' for each in named.values[:8]]
    return ", ".join(parts)


def _fault_of(execution: Execution, *, figure: bool) -> Fault | None:
    """Why an execution is no answer; None where it is one."""
    if execution.status == "stopped":
        return Fault(f"stopped: {execution.limit}" if execution.limit else _stopped(execution))
    if execution.error is not None:
        error = execution.error
        text = f"{error.type}: {error.message}"
        return Fault(f"{sentence(text)} {error.hint}" if error.hint else text, error.line or 0, error.source)
    if why := empty_reason(execution):
        return Fault(why)
    if lost := no_value(execution):
        return lost
    if figure and not execution.figures:
        return Fault("The question asks for a picture, but the code left none in `fig`.")
    return None


def _stopped(execution: Execution) -> str:
    return f"stopped: {execution.error.message}" if execution.error else "stopped"


async def _kept(state: State, ctx: ActionContext, code: str, execution: Execution) -> ExecutionResult:
    """The result as the state keeps it: text, numbers, and what was saved as files."""
    folder = keeping.answer_folder(ctx.folder, ctx.key)
    kept = keeping.Kept()
    shown, notes = [], []
    for place, figure in enumerate(execution.figures, 1):
        if figure.type == "png":
            await asyncio.to_thread(keeping.keep_figure, kept, folder, place, figure.png, None)
        else:
            try:
                drawn = await running.picture(figure.figure, limits_of(ctx.settings))
            except GraphwrightError:
                # The page shows it all the same.
                drawn = running.Picture(None, "drawing it failed", "")
            await asyncio.to_thread(keeping.keep_figure, kept, folder, place, drawn.png, figure.figure)
            shown.append(drawn.facts)
            if drawn.png is None:
                notes.append(telling.without_picture(kept.figures[-1]["name"], drawn.without))
    if execution.result.type == "table":
        await asyncio.to_thread(keeping.keep_table, kept, folder, execution.result)
        notes += filter(None, [telling.cut_table(execution.result)])
    sample = telling.script_sample(data.sampled(state["datasets"], code))
    await asyncio.to_thread(keeping.keep_script, kept, folder, state["question"], code, state["datasets"], sample)
    for kind, path in kept.files:
        ctx.artifact(path, kind=kind, name=f"{folder.name}/{path.name}")
    printed = execution.stdout.strip()
    return {
        "type": "visualization" if execution.figures else "analysis",
        "figures": kept.figures,
        "files": [f"{folder.name}/{path.name}" for _, path in kept.files],
        "result_str": result_text(execution.result, READABLE),
        "shown": "\n".join(shown),
        "notes": notes,
        "stdout": printed[:4_000],
        "numbers": numbers_in(execution),
        "winner": winner_of(state["question"], execution.result, data.values_of(state["datasets"])),
        "isolation": execution.isolation,
        "seconds": round(execution.seconds, 3),
    }


@action(reads=["question", "code", "datasets", "execution_result"], writes=["evaluation"], effects=False)
async def evaluate_result(state: State, ctx: ActionContext) -> dict[str, Any]:
    """What the result shows, judged by the model over the result alone."""
    result = state["execution_result"]
    assert result is not None
    if not result["result_str"]:
        return {"evaluation": None}
    try:
        text = await grounded(
            state,
            ctx,
            "evaluate",
            question=state["question"],
            code=state["code"] or "",
            result=fenced(_worded(state, result)),
            verdict=verdict_of(result["result_str"]),
        )
    except ModelFailure:
        # The result is there: that it was not judged is no reason not to tell it.
        text = ""
    return {"evaluation": text or verdict_of(result["result_str"]) or None}


@action(
    reads=[
        *["question", "plan", "problem", "code", "datasets", "data_summary", "execution_result", "evaluation"],
        *["attempts", "failed_attempts", "messages"],
    ],
    writes=["explanation", "final_output", "messages", "failure"],
    effects=False,
)
async def explain_result(state: State, ctx: ActionContext) -> dict[str, Any]:
    """The answer in words, grounded in the result, and the package of it all."""
    try:
        return await _told(state, ctx)
    except Exception as error:
        return _broken_off(error)


async def _told(state: State, ctx: ActionContext) -> dict[str, Any]:
    result, plan = state["execution_result"], state["plan"]
    cannot = beyond(state["question"])
    if state["problem"]:
        explanation = state["problem"]
    elif result is not None and not plan["needs_explanation"]:
        explanation = telling.plain_answer(result)
    else:
        explanation = await _explained(state, ctx)
    if cannot and not state["problem"]:
        explanation = f"{explanation}\n\n{' '.join(cannot)}"
    if result is not None and _mentions(state, state["question"]).foreign:
        # Whether the data has what is asked for was not looked at: what was taken for it has to be seen.
        columns = views(state["datasets"])
        used = columns_used(state["code"] or "", columns)
        explanation += f"\n\n{telling.used_text([c.name for c in columns if c.name in used])}"
    samples = data.sampled(state["datasets"], state["code"] or "" if result is not None else "")
    explanation = telling.of_sample(explanation, samples, computed=result is not None)
    output = telling.final_output(
        explanation=explanation,
        plan=plan,
        evaluation=state["evaluation"],
        code=state["code"],
        result=result,
        failed_attempts=state["failed_attempts"],
    )
    ctx.interaction(
        type=output["output_type"] or ("refused" if state["problem"] else "concept"),
        code=state["code"] or "",
        result=result["result_str"] if result is not None else "",
        plan=dict(plan),
        evaluation=state["evaluation"],
        attempts=state["attempts"],
        failed_attempts=[dict(each) for each in state["failed_attempts"]],
    )
    ctx.say(telling.reply_text(explanation, result, ctx.folder))
    return {"explanation": explanation, "final_output": output, "messages": _remembered(state)}


def _worded(state: State, result: ExecutionResult) -> str:
    """The result as the model sees it: with what it is a sample of."""
    samples = telling.sample_text(data.sampled(state["datasets"], state["code"] or ""))
    return f"(of a sample: {samples})\n{result['result_str']}" if samples else result["result_str"]


async def _explained(state: State, ctx: ActionContext) -> str:
    result = state["execution_result"]
    inputs: dict[str, Any] = {
        "question": state["question"],
        "result": fenced(_worded(state, result)) if result and result["result_str"] else "",
        "verdict": verdict_of(result["result_str"]) if result else "",
        "evaluation": state["evaluation"] or "",
        "pictures": len(result["figures"]) if result else 0,
        "shown": fenced(result["shown"]) if result else "",
        "summary": "" if result else fenced(state["data_summary"]),
    }
    try:
        text = await grounded(state, ctx, "explain", **inputs)
    except ModelFailure:
        if result is None:
            raise
        text = ""
    if not text and result is not None:
        return telling.code_answer(result)
    return text or "I cannot say that without numbers that I have not computed."


def _remembered(state: State) -> list[dict[str, Any]]:
    """The last questions of the thread with their code, for the next one."""
    entry = {"question": state["question"][:1_000], "code": state["code"] if state["execution_result"] else None}
    return [*state["messages"], entry][-2 * MOST_EARLIER :]


@action(
    reads=["question", "plan", "code", "error", "failure", "attempts", "failed_attempts", "messages"],
    writes=["explanation", "final_output", "messages"],
    effects=False,
)
async def tell_failure(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Say that every attempt failed, and why the last one did, or why nothing could be tried. No model is asked."""
    error = state["failure"] or state["error"] or "unknown"
    explanation = state["failure"] or telling.failure_text(state["attempts"], error)
    output = telling.final_output(
        explanation=explanation,
        plan=state["plan"],
        code=state["code"],
        failed_attempts=state["failed_attempts"],
        error=error,
    )
    ctx.interaction(
        type="error",
        code=state["code"] or "",
        success=False,
        error=error,
        plan=dict(state["plan"]),
        attempts=state["attempts"],
        failed_attempts=[dict(each) for each in state["failed_attempts"]],
    )
    ctx.say(explanation)
    entry = {"question": state["question"][:1_000], "code": None}
    return {"explanation": explanation, "final_output": output, "messages": [*state["messages"], entry][-6:]}
