"""The actions of the graph editor: understand, plan, check, call, look, diagnose, ask, answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2s
from typing import Any

from graphwright import ActionContext, Reset, action
from graphwright.agents.graph_editor import progress, reporting, view
from graphwright.agents.graph_editor.bulk import bulk_change
from graphwright.agents.graph_editor.diagnosis import TRANSIENT, diagnose, retries_left
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.goals import evidence_of, goal_of, graph, opened, prompt_inputs
from graphwright.agents.graph_editor.grounding import grounded, stands_in
from graphwright.agents.graph_editor.own_steps import first_step, next_step
from graphwright.agents.graph_editor.previewing import NO_PREVIEW, preview_of
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.questions import asked, question, summary
from graphwright.agents.graph_editor.replies import replied, reply_of
from graphwright.agents.graph_editor.schemas import GoalSpec, StepPlan
from graphwright.agents.graph_editor.settings import expiry_of
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.state import Failure, Goal, Plan, State
from graphwright.agents.graph_editor.tools import NAMES, Step, working
from graphwright.errors import GraphwrightError, in_sentences
from graphwright.graphstore import GraphError
from graphwright.models import ModelFailure

MOST_STEPS = 60
"""Steps of one goal: far above what a request in words comes to."""

MOST_QUESTIONS = 3
"""Questions that one goal may ask before it ends undone."""

LONGEST_REQUEST = 8000
"""Characters."""

NO_CALL = {"tool_name": "", "arguments": {}}
NO_QUESTION = {"question": "", "options": [], "code": "", "asked_at": ""}
_AFRESH: dict[str, Any] = {
    "plan": None,
    "signature": None,
    "preview": NO_PREVIEW,
    "failure": None,
    "failure_code": "",
    "result": None,
    "status": "none",
    "goal_complete": False,
    "escalation": NO_QUESTION,
    "questions_asked": 0,
    "expired": False,
    "stopped": False,
    "done": Reset(),
    "failures": Reset(),
}


def _failed(state: State, problem: Problem | GraphwrightError, call: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The channels that tell of a failure of the step in hand."""
    if isinstance(problem, Problem):
        failure = problem.to_json()
    else:
        failure = {"code": problem.code, "message": in_sentences(problem), "options": [], "about": ""}
    # What a model made up may be a megabyte: nobody is to read it, least of all the model again.
    failure = view.shortened_all(failure)
    entry = {
        "code": failure["code"],
        "message": failure["message"],
        "tool_name": "" if call is None else call["tool_name"],
        "arguments": {} if call is None else view.shortened_all(dict(call["arguments"])),
        "step": len(state.get("done", [])),
    }
    return {"failure": failure, "failure_code": failure["code"], "failures": [entry]}


def _recoverable(error: ModelFailure) -> bool:
    """Whether a failure of the model belongs to the goal. A missing key or file is for whoever set the agent up."""
    return error.code in (
        *("model_timeout", "model_rate_limited", "model_server_error", "model_unreachable"),
        *("model_bad_reply", "model_empty_reply", "model_cut_reply", "model_malformed_reply", "prompt_too_long"),
    )


@action(
    reads=["message", "answers", "expired", "recent"],
    writes=[
        "goal",
        "complexity",
        "plan",
        "signature",
        "preview",
        "failure",
        "failure_code",
        "result",
        "status",
        "goal_complete",
        "escalation",
        "questions_asked",
        "expired",
        "stopped",
        "done",
        "failures",
    ],
)
async def parse_goal(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Understand the request, and hold what the model made of it against the request and the graph."""
    text = (state["answers"].get("reply", "") if state["expired"] else state["message"]).strip()
    # A turn that begins afresh has the defaults already.
    fresh: dict[str, Any] = {**_AFRESH, "complexity": "complex"} if state["expired"] else {}
    empty: State = {"done": [], "failures": []}
    # After a failure this may be tried again with another request, which is a goal of its own.
    key = f"{ctx.key}:{blake2s(text.encode(errors='replace'), digest_size=6).hexdigest()}"
    try:
        store = await graph(ctx)
        entry = await asyncio.to_thread(store.begin_goal, text[:LONGEST_REQUEST], key=key, thread=ctx.thread)
        goal = goal_of(entry.id, text)
        evidence = await asyncio.to_thread(evidence_of, store, goal, state["recent"], ())
        goal["named"] = [node.key for node in evidence.mentions.nodes]
        inputs = await asyncio.to_thread(prompt_inputs, store, evidence, state["recent"])
    except GraphError as error:
        failing = error if error.code in TRANSIENT else Problem("graph_unavailable", in_sentences(error))
        return {**fresh, "goal": {**goal_of("", text), "key": key}, **_afresh(_failed(empty, failing))}
    fresh["goal"] = goal
    if len(text) > LONGEST_REQUEST:
        problem = Problem(
            "too_long", f"The request is longer than {LONGEST_REQUEST:,} characters. Please say it in parts."
        )
        return {**fresh, **_afresh(_failed(empty, problem))}
    try:
        spec = await ctx.structured(GoalSpec, ctx.prompt("parse_goal", request=text, **inputs))
    except ModelFailure as error:
        if not _recoverable(error):
            raise
        return {**fresh, **_afresh(_failed(empty, error))}
    fresh["goal"] = {
        **goal,
        "intent": spec.intent,
        "entities": spec.entities,
        "constraints": spec.constraints,
    }
    try:
        simple = await asyncio.to_thread(first_step, spec, evidence)
    except (Problem, GraphError) as problem:
        return {**fresh, **_afresh(_failed(empty, problem))}
    if simple is not None:
        fresh["complexity"] = "simple"
        fresh["goal"] = {**fresh["goal"], "complexity": "simple"}
        fresh["plan"] = simple
    return fresh


def _afresh(failing: dict[str, Any]) -> dict[str, Any]:
    return {**failing, "failures": Reset(failing["failures"])}


@action(
    reads=["answers", "goal", "plan", "preview", "failure", "done", "failures", "remedy", "escalation", "recent"],
    writes=[
        "goal",
        "plan",
        "preview",
        "escalation",
        "expired",
        "stopped",
        "remedy",
        "failure",
        "failure_code",
        "failures",
    ],
)
async def plan_step(state: State, ctx: ActionContext) -> dict[str, Any]:
    """The next step: what the user chose, the same call again, or what the model proposes."""
    goal = state["goal"]
    assert goal is not None
    out: dict[str, Any] = {"failure": None, "failure_code": "", "remedy": "none"}
    if len(reply_of(state)) > LONGEST_REQUEST:
        problem = Problem(
            "too_long", f"The reply has more than {LONGEST_REQUEST:,} characters. Please say it in parts."
        )
        return out | {"escalation": NO_QUESTION, "preview": NO_PREVIEW} | _failed(state, problem) | {"plan": None}
    expiry = expiry_of(ctx.settings)
    answered = await asyncio.to_thread(replied, state, ctx.now, expiry, lambda: opened(ctx))
    if answered is not None:
        out |= {"escalation": NO_QUESTION, "preview": NO_PREVIEW}
        if answered.expired:
            return out | await _expire(state, ctx)
        if answered.stops:
            # What stood in the way is told at the end.
            return out | {"stopped": True, "failure": state["failure"]}
        goal = answered.goal
        out["goal"] = goal
        if answered.plan is not None:
            return out | {"plan": answered.plan}
    elif state["remedy"] == "retry" and state["plan"] is not None:
        return out
    if len(state["done"]) >= MOST_STEPS:
        problem = Problem(
            "too_long", f"The goal took more than {MOST_STEPS} steps. What is left has to be asked for anew."
        )
        return out | _failed(state, problem) | {"plan": None}

    finished = bool(state["done"]) and state["done"][-1]["final"] and state["remedy"] == "none"

    def looked_up(known: Goal) -> tuple[Goal, Evidence, dict[str, Any], Plan | None]:
        store = opened(ctx)
        if not known["id"]:
            # The graph could not be reached when the goal began, or it was begun and nobody heard of it.
            entry = store.begin_goal(known["text"], key=known.get("key", ctx.key), thread=ctx.thread)
            known = {**known, "id": entry.id}
        evidence = evidence_of(store, known, state["recent"], state["done"])
        own = next_step(state, evidence) if finished else None
        inputs = prompt_inputs(store, evidence, state["recent"], progress.made_by(state["done"]))
        return known, evidence, inputs, own

    try:
        # One way to a thread and back, for all that has to be asked of the graph.
        known, evidence, inputs, claimed = await asyncio.to_thread(looked_up, goal)
        if known is not goal:
            goal = out["goal"] = known
        if claimed is not None:
            return out | {"plan": claimed}
        history = progress.history(state, evidence)
        messages = ctx.prompt("plan_step", request=goal["text"], notes=goal["notes"], history=history, **inputs)
        step = await ctx.structured(StepPlan, messages)
    except ModelFailure as error:
        if not _recoverable(error):
            raise
        return out | _failed(state, error) | {"plan": None}
    except GraphError as error:
        return out | _failed(state, error) | {"plan": None}
    return out | {"plan": _plan(step)}


def _plan(step: StepPlan) -> Plan:
    return {
        "step": step.step,
        "tool_name": "" if step.tool is None else step.tool.tool_name,
        "arguments": {} if step.tool is None else step.tool.arguments,
        "is_final": step.is_final or step.tool is None,
        "rationale": step.rationale,
    }


async def _expire(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Say that the question is no longer open, and what was done; the reply begins a new goal."""
    goal = state["goal"]
    assert goal is not None
    asked_at = datetime.fromisoformat(state["escalation"]["asked_at"])
    lines = reporting.done_lines(state["done"])
    did = "\n".join(["Until then this was done:", *lines]) if lines else "Nothing was changed for it."
    if lines:
        did += f"\nTo undo it: graphwright graph undo {goal['id']}"
    ctx.say(f"My question of {asked_at:%Y-%m-%d %H:%M} waited too long for an answer, so I closed that goal. {did}")
    try:
        if goal["id"]:
            store = await graph(ctx)
            await asyncio.to_thread(store.finish_goal, goal["id"], "expired")
    except GraphError:
        # The new goal will meet it, too, and say so.
        pass
    return {"expired": True}


@action(
    reads=["goal", "plan", "done", "failures", "failure_code", "recent"],
    writes=["signature", "preview", "plan", "failure", "failure_code", "failures"],
    effects=False,
)
async def route_tool(state: State, ctx: ActionContext) -> dict[str, Any]:
    """The gate: the tool exists, its arguments fit, the user asked for it; what has to be confirmed is tried out."""
    plan = state["plan"]
    if plan is None:
        # Planning failed, and said why.
        return {"signature": None}
    try:
        claimed = await asyncio.to_thread(_next_claim, state, plan, ctx)
    except GraphError as error:
        return _refused(state, error)
    if claimed is not None:
        plan = claimed
    elif not plan["tool_name"]:
        return {"signature": NO_CALL, "preview": NO_PREVIEW}
    elif progress.done_without(state, plan):
        return _nothing_left(plan)
    call: Mapping[str, Any] = {"tool_name": plan["tool_name"], "arguments": plan["arguments"]}
    try:
        sound, together = await asyncio.to_thread(_sound, state, plan, ctx)
        call = {"tool_name": sound.tool_name, "arguments": sound.arguments}
        preview = await asyncio.to_thread(preview_of, opened(ctx), call, sound.certain, state, ctx.now)
    except Problem as problem:
        return _nothing_left(plan) if progress.done_without(state, plan, problem) else _refused(state, problem, call)
    except GraphError as error:
        return _refused(state, error, call)
    if together and any(step["changes"] and step["tool_name"] == "cypher_query" for step in state["done"]):
        # "50 more of each" is done once, whatever the model makes of it afterwards.
        return _nothing_left(plan)
    own = {} if claimed is None and not together else {"plan": {**plan, "is_final": plan["is_final"] or together}}
    return {"signature": call, "preview": preview, **own}


def _refused(state: State, problem: Problem | GraphError, call: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"signature": None, **_failed(state, problem, call)}


def _nothing_left(plan: Plan) -> dict[str, Any]:
    return {"signature": NO_CALL, "preview": NO_PREVIEW, "plan": {**plan, "is_final": True}}


def _sound(state: State, plan: Plan, ctx: ActionContext) -> tuple[Grounded, bool]:
    """The call as it may be made, and whether it changes all of a kind at once. Raises Problem, and GraphError."""
    goal, name = state["goal"], plan["tool_name"]
    assert goal is not None
    refused = ctx.tools.check(name, plan["arguments"])
    if refused is not None and refused.kind == "unknown_tool":
        raise Problem("unknown_tool", f"I do not have a tool `{name}`. My tools are: {', '.join(NAMES)}.", about=name)
    evidence = evidence_of(opened(ctx), goal, state["recent"], state["done"])
    together = bulk_change(evidence) is not None
    if refused is None:
        return grounded(name, plan["arguments"], evidence), together
    own = stands_in(evidence) if not state["done"] else None
    if own is None:
        raise Problem(refused.kind, refused.error)
    return own, together


def _next_claim(state: State, plan: Plan, ctx: ActionContext) -> Plan | None:
    """The next edge that the request states, where the model sees nothing left to do, or does the same again."""
    goal = state["goal"]
    assert goal is not None
    again = any(plan["tool_name"] == s["tool_name"] and plan["arguments"] == s["arguments"] for s in state["done"])
    if plan["tool_name"] and not again and not progress.done_without(state, plan):
        return None
    return next_step(state, evidence_of(opened(ctx), goal, state["recent"], state["done"]))


@action(
    reads=["goal", "plan", "signature", "preview", "done"],
    writes=["result", "done", "status", "preview", "failure", "failure_code", "failures"],
)
async def call_tool(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Call the tool, as one journalled step; a step that was done before a crash is not done again."""
    goal, plan, call = state["goal"], state["plan"], state["signature"]
    assert goal is not None
    assert plan is not None
    assert call is not None
    if not call["tool_name"]:
        return {"status": "success", "result": {"status": "success", "tool_name": "", "changes": [], "table": None}}
    asked_at = state["preview"]["asked_at"]
    if asked_at and ctx.now - datetime.fromisoformat(asked_at) > expiry_of(ctx.settings):
        problem = Problem("asked_long_ago", "The confirmation came too late.")
        return {"preview": NO_PREVIEW, "status": "error", **_failed(state, problem, call)}
    # Nothing is started here: the tool asks in a thread of its own.
    store = opened(ctx)
    with working(Step(store, goal["id"], ctx.key, state["preview"]["binding"])):
        came = await ctx.tools.call(call["tool_name"], call["arguments"])
        if came.code == "connection_lost":
            # Whether it was done is not known. Under the same key it is done once, whatever the answer was.
            came = await ctx.tools.call(call["tool_name"], call["arguments"])
    out: dict[str, Any] = {"preview": NO_PREVIEW}
    if not came.ok:
        problem = Problem(came.code or came.kind, came.error)
        failed = {"status": "error", "tool_name": call["tool_name"], "code": problem.code, "error": came.error}
        return {**out, "status": "error", "result": failed, **_failed(state, problem, call)}
    changes, table = came.value["changes"], came.value["table"]
    entry = {**call, "changes": changes, "table": table and view.kept(table), "final": plan["is_final"]}
    result: dict[str, Any] = {"status": "success", **call, "changes": changes, "table": table}
    return {**out, "status": "success", "result": result, "done": [entry]}


@action(
    reads=["goal", "plan", "signature", "done", "failures", "status", "recent"],
    writes=["goal_complete", "retries_left", "status", "failure", "failure_code", "failures"],
    effects=False,
)
async def evaluate(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Whether the goal is complete; after an error, how many more attempts there are."""
    if state["status"] == "error":
        return {"goal_complete": False, "retries_left": retries_left(state["failures"], len(state["done"]))}
    if progress.stalled(state):
        failing = _failed(state, Problem("no_progress", "Looking it up again changes nothing."), state["signature"])
        left = retries_left([*state["failures"], *failing["failures"]], len(state["done"]))
        return {**failing, "status": "error", "goal_complete": False, "retries_left": left}
    complete = progress.complete(state)
    if complete and state["done"]:
        goal = state["goal"]
        assert goal is not None
        known = goal

        def unfinished() -> bool:
            return next_step(state, evidence_of(opened(ctx), known, state["recent"], state["done"])) is not None

        complete = not await asyncio.to_thread(unfinished)
    return {"goal_complete": complete, "retries_left": 0}


@action(reads=["failures"], writes=["diagnosis", "remedy", "failure_code"], effects=False)
async def diagnose_failure(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Classify the failure by evidence, and choose the remedy. A retry waits a moment here."""
    found = diagnose(state["failures"])
    if found.pause:
        await asyncio.sleep(found.pause)
    return {"diagnosis": found.to_json(), "remedy": found.remedy, "failure_code": ""}


@action(
    reads=["goal", "failure", "diagnosis", "remedy", "done", "questions_asked"],
    writes=["escalation", "questions_asked"],
    effects=False,
)
async def escalate(state: State, ctx: ActionContext) -> dict[str, Any]:
    """The question to the user, where an answer could let the goal go on; else none."""
    failure = state["failure"]
    if failure is None or state["remedy"] == "end" or state["questions_asked"] >= MOST_QUESTIONS:
        return {"escalation": NO_QUESTION}
    diagnosis = state["diagnosis"]
    text, options = question(failure, transient=diagnosis is not None and diagnosis["kind"] == "random")
    whole = asked(text, options, summary(reporting.done_lines(state["done"])))
    return {
        "escalation": {
            "question": whole,
            "options": options,
            "code": failure["code"],
            "asked_at": ctx.now.isoformat(timespec="seconds"),
        },
        "questions_asked": state["questions_asked"] + 1,
    }


@action(
    reads=["goal", "plan", "signature", "preview", "failure", "done", "stopped", "goal_complete"],
    writes=["recent"],
)
async def answer(state: State, ctx: ActionContext) -> dict[str, Any]:
    """Say what was really done, from the results of the tools, and close the journal entry."""
    goal, done = state["goal"], state["done"]
    assert goal is not None
    declined = state["preview"]["needed"]
    complete = state["goal_complete"]
    failure: Failure | None = None if complete or state["stopped"] or declined else state["failure"]
    left = progress.left_over(state, keys_only=True) if complete and any(step["changes"] for step in done) else []
    whole = complete and not left
    status = progress.status_of(done, complete=whole, failure=failure, left=declined or state["stopped"])
    holding = ""
    try:
        store = await graph(ctx)
        if failure is not None:
            schema = await asyncio.to_thread(store.schema)
            holding = reporting.holding([(one.label, one.count) for one in schema.labels])
        if goal["id"]:
            await asyncio.to_thread(store.finish_goal, goal["id"], status)
    except GraphError:
        # The graph is what failed: the answer says so.
        if failure is None:
            raise
    ctx.say(
        reporting.answer_text(
            done,
            failure=failure,
            stopped=state["stopped"] or declined,
            why=state["failure"] if state["stopped"] else None,
            unfinished="" if whole or not done else progress.unfinished(state, declined=declined),
            goal=goal["id"],
            schema=holding,
        )
    )
    return {"recent": progress.recent(done)}
