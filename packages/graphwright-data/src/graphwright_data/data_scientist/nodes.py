"""The actions of the data scientist: plan, write and run a program, evaluate, explain, and report failures."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright import ActionContext, action
from graphwright.context import fenced
from graphwright.errors import GraphwrightError
from graphwright.models import BadReply, ModelFailure, RejectedRequest, atext, context_size, is_weak
from graphwright.proposals import occurs, run_tools
from graphwright_data.data_scientist import artifacts, data, looking, program, replies, running, usage
from graphwright_data.data_scientist.exports import Exports, exports_of, wanted_files
from graphwright_data.data_scientist.schemas import ExecutionPlan
from graphwright_data.data_scientist.settings import limits_of
from graphwright_data.data_scientist.state import Attempt, ExecutionResult, FinalOutput, Look, State

if TYPE_CHECKING:
    from graphwright_confined import Execution

MOST_ATTEMPTS = 3
"""Maximum number of programs for one question, as in the flow."""

MOST_EARLIER = 4
"""Maximum number of earlier questions of the thread in prompts."""

CHARACTERS = 3
"""Characters of a prompt per token."""

EARLIER_SHARE, RESULT_SHARE = 0.15, 0.2
"""Maximum shares of a model's context for earlier questions, and for the result of a program."""

NO_TABLE = "The result has no table for these files: make each file name a key of `result` with its data frame:"
"""The beginning of an attempt's error if a file that the user asked for cannot be written."""

JUDGED = "The result does not answer the question:"
"""The beginning of an attempt's error if the program ran, but was judged not to answer the question."""


def _characters(ctx: ActionContext, share: float) -> int:
    """Return the characters of a prompt for a share of the model's context."""
    return int(context_size(ctx.model) * CHARACTERS * share)


def _cut(text: str, most: int) -> str:
    return fenced(text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters, cut)")


def _earlier(state: State, ctx: ActionContext) -> list[dict[str, str]]:
    """Return the last questions of the thread, the earliest first; a program too long for the prompt is left out."""
    last = state["messages"][-MOST_EARLIER:]
    room = _characters(ctx, EARLIER_SHARE) // max(1, 2 * len(last))
    return [
        {
            "question": fenced(each["question"][:room]),
            "code": fenced(each["code"]) if len(each["code"]) <= room else "",
            "result": _cut(each["result"], room),
            "answer": _cut(each["answer"], room),
        }
        for each in last
    ]


def _before(state: State) -> str:
    """Return the last question, the context of follow-ups such as "and by month?"."""
    return fenced(state["messages"][-1]["question"][:300]) if state["messages"] else ""


def _reasoning(state: State, ctx: ActionContext) -> str:
    """Return the plan's understanding of the question; empty for a weak model, which its own reasoning misleads."""
    return "" if is_weak(ctx.model) else state["plan"]["reasoning"][:500]


def _ended_by(error: Exception) -> State:
    """Return the channels that end a question at once. If the action raised, the next message would retry it."""
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise error
    return {"failure": replies.failure_text(error)}


@action(
    reads=["message", "datasets", "data_summary", "left_out", "messages"],
    writes=["question", "datasets", "data_summary", "left_out", "notices", "plan", "failure"],
    effects=False,
)
async def make_plan(state: State, ctx: ActionContext) -> State:
    """Load the data, and let the model plan the steps.

    If no model can be reached, the turn fails only here: when this step is repeated, it reads the next message.
    """
    question, noticed = state["message"].strip(), None
    out: State = {"question": question}
    datasets, summary, left_out = state["datasets"], state["data_summary"], state["left_out"]
    bound = min(data.LONGEST_SUMMARY, int(context_size(ctx.model) * data.SUMMARY_SHARE))
    if ctx.files and not data.is_current(datasets, summary, ctx.files, left_out, bound):
        try:
            memory = limits_of(ctx.settings).memory
            taken = await asyncio.to_thread(data.load_data, ctx.files, ctx.home, bound, memory)
        except Exception as error:
            return out | _ended_by(error)
        noticed = partial(data.notices, taken, datasets, left_out)
        out["notices"] = noticed("")
        datasets, summary = taken.datasets, taken.summary
        out |= {"datasets": datasets, "data_summary": summary, "left_out": list(taken.left_out)}
    inputs = {"question": question, "summary": fenced(summary), "earlier": _earlier(state, ctx)}
    messages = ctx.prompt("plan", **inputs, access=data.access_text(datasets), weak=is_weak(ctx.model))
    try:
        plan = await ctx.structured(ExecutionPlan, messages)
    except BadReply:
        plan = ExecutionPlan(needs_code=bool(datasets), reasoning="")
    except RejectedRequest as error:
        return out | _ended_by(error)
    except ModelFailure as error:
        ctx.interaction(type="error", success=False, error=replies.failure_text(error))
        raise
    # A weak model that reports missing data would compute something else instead.
    plan.needs_code = plan.needs_code and not (plan.cannot and is_weak(ctx.model))
    if noticed:
        out["notices"] = noticed(plan.language)
    return {**out, "plan": plan.as_channel()}


@action(
    reads=["question", "datasets", "data_summary", "messages", "plan", "attempts", "failed_attempts", "code", "error",
           "execution_result", "looks"],
    writes=["looks", "code", "execution_result", "execution_success", "error", "attempts", "failed_attempts",
            "findings", "evaluation", "doubt", "failure"],
)  # fmt: skip
async def run_code(state: State, ctx: ActionContext) -> State:
    """Make one attempt: the model writes a program, which is parsed and run unaltered in the sandbox."""
    looks = list(state["looks"])
    try:
        return {**await _attempt(state, ctx, state["attempts"] + 1, looks), "looks": looks}
    except Exception as error:
        return _ended_by(error)


async def _written(state: State, ctx: ActionContext, looks: list[Look]) -> str:
    """Return the model's reply with a program. Before it the model may look at the data, which is added to `looks`."""
    prompt = "repair" if state["failed_attempts"] else "code"
    left = 0 if is_weak(ctx.model) or not state["datasets"] else looking.MOST_LOOKS - len(looks)
    messages = ctx.prompt(prompt, **_code_inputs(state, ctx), look=left)
    if left <= 0:
        return await atext(ctx.model, messages)
    tools = looking.tools_for(state["datasets"], limits_of(ctx.settings), looks)
    return (await run_tools(ctx.model, messages, tools, rounds=left + 1, most_calls=left)).text


async def _attempt(state: State, ctx: ActionContext, attempt: int, looks: list[Look]) -> State:
    try:
        code = program.program_in(await _written(state, ctx, looks))
    except BadReply as failure:
        return _failed(state, attempt, "", f"The model wrote no program. {failure.message}")
    try:
        tree = program.parsed(code)
    except program.NotAProgram as error:
        return _failed(state, attempt, code, str(error))
    wanted = wanted_files(state["plan"]["files"])
    execution = await running.run(code, state["datasets"], limits_of(ctx.settings, files=bool(wanted)))
    if fault := running.fault_of(execution):
        return _failed(state, attempt, code, fault)
    used = usage.used_in(tree, state["datasets"], execution.taken)
    exports = exports_of(execution.result, wanted, data.csv_style(state["datasets"], used, state["plan"]["language"]))
    if exports.unmatched and attempt < MOST_ATTEMPTS:
        return _failed(state, attempt, code, f"{NO_TABLE} {', '.join(exports.unmatched)}")
    return {
        "code": code,
        "execution_result": await _saved(state, ctx, code, used, execution, exports),
        "execution_success": True,
        "error": None,
        "attempts": attempt,
        "findings": running.findings_in(tree, execution, state["datasets"]),
        "evaluation": None,
        "doubt": "",
    }


def _code_inputs(state: State, ctx: ActionContext) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "question": state["question"],
        "summary": fenced(state["data_summary"]),
        "ids": list(state["datasets"]),
        "access": data.access_text(state["datasets"]),
        "looks": [{"query": fenced(each["query"]), "result": fenced(each["result"])} for each in state["looks"]],
        "reasoning": _reasoning(state, ctx),
        "earlier": _earlier(state, ctx),
        "files": list(wanted_files(state["plan"]["files"])),
    }
    if not state["failed_attempts"]:
        return inputs | {"cannot": state["plan"]["cannot"], "weak": is_weak(ctx.model)}
    error = state["error"] or ""
    return inputs | {
        "code": state["code"] or "",
        "error": _cut(error, _characters(ctx, RESULT_SHARE)),
        "judged": error.startswith(JUDGED),
        "again": any(each["code"] == state["code"] for each in state["failed_attempts"][:-1]),
        "columns": _cut(data.columns_text(state["datasets"], types=True), _characters(ctx, RESULT_SHARE)),
        "tried": [_cut(each["error"], 500) for each in state["failed_attempts"][:-1]],
    }


def _failed(state: State, attempt: int, code: str, error: str) -> State:
    """Return the channels after a failed attempt. After the last one, a result that ran but was rejected is kept."""
    tried: State = {"attempts": attempt, "failed_attempts": [{"attempt": attempt, "code": code, "error": error}]}
    rejected = state["execution_result"]
    if rejected is not None and attempt >= MOST_ATTEMPTS:
        doubt = next(each["error"] for each in state["failed_attempts"] if each["error"].startswith(JUDGED))
        return {**tried, "code": rejected["code"], "execution_success": True, "error": None, "doubt": doubt}
    return {**tried, "code": code, "execution_success": False, "error": error}


async def _saved(
    state: State,
    ctx: ActionContext,
    code: str,
    used: dict[str, list[str]],
    execution: Execution,
    exports: Exports,
) -> ExecutionResult:
    """Save the files of a result, and return the result for the state."""
    saved = await artifacts.save_answer(
        ctx.folder, ctx.key, state["question"], code, state["datasets"], execution, exports, state["plan"]
    )
    exported = [table for name in exports.wanted for table in exports.files[name].values()]
    return {
        "type": "visualization" if execution.figures else "analysis",
        "figures": saved.figures,
        "files": saved.files,
        "tables": saved.tables,
        "written": saved.written,
        "undelivered": saved.undelivered,
        "result_str": running.text_of(execution, exported),
        "told": running.text_of(execution, exported, state["plan"]["language"]),
        "shown": running.shown_by(execution),
        "drawn": running.drawn_by(execution, state["plan"]["language"]),
        "values": running.values_of(execution),
        "code": code,
        "used": used,
        "notes": saved.notes,
    }


@action(
    reads=["question", "plan", "datasets", "data_summary", "messages", "code", "execution_result", "findings",
           "attempts", "failed_attempts"],
    writes=["evaluation", "explanation", "revise", "doubt", "execution_success", "error", "failed_attempts"],
    effects=False,
)  # fmt: skip
async def evaluate_result(state: State, ctx: ActionContext) -> State:
    """Let the model evaluate result and findings. A "no" leads to another program, once.

    With a "yes" the model also writes the explanation, if the plan asks for one; a weak model does so in another call.
    """
    result = state["execution_result"]
    assert result is not None
    room = _characters(ctx, RESULT_SHARE)
    inputs = {
        "question": state["question"],
        "reasoning": _reasoning(state, ctx),
        "code": result["code"],
        "result": _cut(result["result_str"], room),
        "shown": _cut(result["shown"], room),
        "findings": [fenced(each) for each in state["findings"]],
        "before": _before(state),
        "columns": _cut(data.columns_text(state["datasets"], types=True, used=result["used"]), room),
        "notes": _cut(data.notes_text(state["datasets"], result["used"]), room),
        "described": _cut(data.described_columns(state["data_summary"], result["used"]), room // 2),
        "answer": state["plan"]["needs_explanation"] and not is_weak(ctx.model),
        "weak": is_weak(ctx.model),
        "cannot": state["plan"]["cannot"],
        "sample": data.sample_text(state["datasets"], result["used"], result["code"]),
        "saved": _cut("\n".join(result["written"]), room // 4),
    }
    try:
        yes, text, answer = verdict_in(await atext(ctx.model, ctx.prompt("evaluate", **inputs)))
    except ModelFailure:
        return {"evaluation": None, "revise": False}
    # A weak model often rejects correct results: its "no" without findings is ignored.
    if yes or (is_weak(ctx.model) and not state["findings"]):
        return {"evaluation": text, "revise": False, "explanation": answer or None}
    doubt = f"{JUDGED} {text}".strip()
    before = any(each["error"].startswith(JUDGED) for each in state["failed_attempts"])
    if before or state["attempts"] >= MOST_ATTEMPTS:
        return {"evaluation": text, "revise": False, "doubt": doubt}
    attempt: Attempt = {"attempt": state["attempts"], "code": result["code"], "error": doubt}
    tried: State = {"execution_success": False, "error": doubt, "failed_attempts": [attempt]}
    return {"evaluation": text, "revise": True, **tried}


def verdict_in(reply: str) -> tuple[bool, str, str]:
    """Return whether an evaluation accepts the result (first line), its text, and the answer below `---`."""
    first, _, rest = reply.strip().partition("\n")
    verdict = {"answers: yes": True, "answers: no": False}.get(first.lower().strip("*`. "))
    judgement, _, answer = (reply if verdict is None else rest).partition("\n---")
    return verdict is not False, judgement.strip(), answer.strip(" -\n")


@action(
    reads=["question", "plan", "code", "datasets", "data_summary", "messages", "execution_result", "evaluation",
           "explanation", "doubt", "error", "attempts", "failed_attempts", "notices", "noted"],
    writes=["explanation", "final_output", "messages", "noted", "failure"],
    effects=False,
)  # fmt: skip
async def explain_result(state: State, ctx: ActionContext) -> State:
    """Write the answer, with its numbers checked against the result, and its package."""
    try:
        explanation = await _answer_text(state, ctx)
    except Exception as error:
        return _ended_by(error)
    result = state["execution_result"]
    output = replies.final_output(explanation, state, result)
    for name in result["files"] if result is not None else ():
        ctx.artifact(ctx.folder / name, kind=artifacts.KINDS[Path(name).suffix], name=name)
    kind = output["output_type"] or ("refused" if state["plan"]["cannot"] else "concept")
    return _finished(state, ctx, kind, output, replies.reply_text(explanation, result, state))


async def _answer_text(state: State, ctx: ActionContext) -> str:
    result, plan = state["execution_result"], state["plan"]
    if result is not None and state["doubt"]:
        return replies.doubted_text(state["doubt"], "", result)
    if result is None and plan["cannot"]:
        text = replies.missing_text(state)
    elif result is not None and not plan["needs_explanation"]:
        text = replies.bare_text(result, plan["cannot"])
    else:
        text = await _explanation(state, ctx)
        if plan["cannot"] and not occurs(plan["cannot"], [text]):
            text = f"{text}\n\n{plan['cannot']}"
    doubt = await _unconfirmed(state, ctx, text if plan["needs_explanation"] else "")
    return replies.doubted_text(doubt, text, result) if doubt else text


async def _unconfirmed(state: State, ctx: ActionContext, words: str) -> str:
    """Return an objection to the answer of a weak model, if a query that it writes independently has another result."""
    if not state["datasets"] or not is_weak(ctx.model):
        return ""
    if (result := state["execution_result"]) is None:
        return "Not computed: no program was run for this answer."
    if words and not running.names_any(result, words):
        return "Not confirmed: the words name nothing that the program computed."
    inputs = {"question": state["question"], "summary": fenced(state["data_summary"]), "earlier": _earlier(state, ctx)}
    try:
        query = program.program_in(await atext(ctx.model, ctx.prompt("query", **inputs)))
        other = await running.run(running.QUERY.format(query=query), state["datasets"], limits_of(ctx.settings))
    except (GraphwrightError, OSError):  # of model, sandbox or disk: the answer itself is there
        other = None
    if other is None or running.fault_of(other):
        return f"{replies.NOT_CONFIRMED} failed."
    if running.agrees(result, words, state["question"], other):
        return ""
    return f"{replies.NOT_CONFIRMED} came to another result:\n{_cut(running.text_of(other), _characters(ctx, 0.02))}"


async def _explanation(state: State, ctx: ActionContext) -> str:
    """Return the model's explanation. If numbers have no source after one repair, a note and the result replace it."""
    from langchain_core.messages import AIMessage, HumanMessage

    result, computed = state["execution_result"], state["execution_result"] is not None
    room = _characters(ctx, RESULT_SHARE)
    named = {id: columns for id, columns in result["used"].items() if columns} if result else {}
    if is_weak(ctx.model):
        columns = data.columns_text(state["datasets"], 0, types=True, used=named)
    else:
        columns = data.described_columns(state["data_summary"], named)
    messages = ctx.prompt(
        "explain",
        question=state["question"],
        cannot=state["plan"]["cannot"],
        code=result["code"] if result and len(result["code"]) <= room // 2 else "",
        result=_cut(result["result_str"], room) if result else "",
        shown=_cut(result["shown"], room) if result else "",
        evaluation=state["evaluation"] or "",
        columns=_cut(columns, room // 2),
        notes=_cut(data.notes_text(state["datasets"], result["used"]), room) if result else "",
        sample=data.sample_text(state["datasets"], result["used"], result["code"]) if result else "",
        saved=_cut("\n".join(result["written"]), room // 4) if result else "",
        summary="" if result else fenced(state["data_summary"]),
        before=_before(state),
        # The program needed the earlier questions; the result answers this one.
        earlier=[] if result and not is_weak(ctx.model) else _earlier(state, ctx),
        weak=is_weak(ctx.model),
    )
    try:
        text = state["explanation"] or (await atext(ctx.model, messages)).strip()
        if wrong := replies.unsupported_numbers(text, state):
            again = HumanMessage(replies.repair_request(wrong, computed=computed))
            text = (await atext(ctx.model, [*messages, AIMessage(text), again])).strip()
    except ModelFailure:
        if result is None:
            raise
        # Without an explanation the result is the answer.
        return replies.bare_text(result)
    wrong = replies.unsupported_numbers(text, state)
    doubt = replies.unsupported_text(wrong, state["plan"]["language"], computed=computed)
    return replies.doubted_text(doubt, text, result) if wrong else text


def _finished(state: State, ctx: ActionContext, kind: str, output: FinalOutput, reply: str) -> State:
    """Say the reply, log the turn, and return the channels that end a question, with its entry for later prompts."""
    ctx.interaction(
        type=kind,
        code=output["code"] or "",
        result=output["result_str"] or "",
        success=False if output["error"] else None,
        error=output["error"] or "",
        attempts=state["attempts"],
        **{name: output[name] for name in ("plan", "evaluation", "failed_attempts")},
    )
    result = None if output["error"] else state.get("execution_result")
    used = result["used"] if result else state["datasets"]
    notes, noted = data.reading_notes(state["datasets"], used, state["noted"], state["plan"]["language"])
    for text in (reply, *state["notices"], *notes):
        ctx.say(text)
    entry = {
        "question": state["question"][:1_000],
        "code": result["code"] if result else "",
        "result": "\n".join(filter(None, [result["result_str"], result["shown"]]))[:6_000] if result else "",
        "answer": output["explanation"][:3_000],
    }
    messages = [*state["messages"], entry][-MOST_EARLIER:]
    return {"explanation": output["explanation"], "final_output": output, "messages": messages, "noted": noted}


@action(
    reads=["question", "plan", "code", "datasets", "execution_result", "error", "failure", "attempts",
           "failed_attempts", "evaluation", "messages", "notices", "noted"],
    writes=["explanation", "final_output", "messages", "noted"],
    effects=False,
)  # fmt: skip
async def tell_failure(state: State, ctx: ActionContext) -> State:
    """Report what is missing, if known, and why programs failed or none was tried, without a model call."""
    error = state["failure"] or state["error"] or "unknown"
    told = state["failure"] or f"Code execution failed after {state['attempts']} attempts. Final error: {error}"
    if not state["failure"] and (missing := replies.missing_text(state)):
        told = f"{missing}\n\n({told})"
        return _finished(state, ctx, "refused", replies.final_output(told, state, error=error), told)
    return _finished(state, ctx, "error", replies.final_output(told, state, error=error), told)
