"""The actions of the graph editor: understand, plan, check, try, look again, do, ask, answer; one change at a time."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeVar

from graphwright import ActionContext, Reset, action
from graphwright.context import fenced, shortened
from graphwright.models import BadReply, ModelFailure, PromptTooLong, context_size, is_weak
from graphwright.proposals import second_look
from graphwright_graph import (
    Change,
    Conflict,
    Edge,
    GraphError,
    GraphStore,
    Node,
    Transient,
    open_graph,
    write_from_json,
)
from graphwright_graph._elements import net_changes
from graphwright_graph._wording import MOST_LISTED, change_text, deletions_first, element_text, name_text
from graphwright_graph.cypher import query_of
from graphwright_graph.graph_editor import marks, replies, staging, view
from graphwright_graph.graph_editor.schemas import NO_PLAN, NO_PREVIEW, NO_QUESTION, GoalSpec, StepPlan, bind_to
from graphwright_graph.graph_editor.state import (
    Answers,
    Call,
    Committed,
    Draft,
    FailedStep,
    Failure,
    Goal,
    Note,
    Option,
    Plan,
    Preview,
    Request,
    State,
)
from graphwright_graph.graph_editor.tools import TOOL_LINES, call_schema, looks_up, short_call_schema
from graphwright_graph.graph_editor.wording import say

MOST_ATTEMPTS = 3  # times that findings go back to the model before the user is asked
MOST_ROUNDS = 12  # plans of one goal
MOST_QUESTIONS = 5  # of one goal, before it ends undone
LONGEST_REQUEST = 8000  # characters
MOST_RECENT, LONGEST_RECENT = 6, 1500  # earlier requests that prompts show, and the characters of each outcome
MOST_OFFERED = 20  # nodes, edges, labels or properties that a question offers
PAUSE = 0.3  # seconds before the same is tried again, for every time that it has been tried

OTHER, ENOUGH = "", "-"
"""The values of the options for something else, and for nothing more; neither can be the name of a property."""

NOTHING_STAGED: State = {"staged": [], "quotes": [], "changes": [], "preview": Reset()}

B = TypeVar("B", GoalSpec, StepPlan)


def _failed(state: State, failure: Failure) -> State:
    """The channel values that report a failure of the present step."""
    calls = shortened(state.get("plan", NO_PLAN)["tools"])
    entry: FailedStep = {"code": failure["code"], "calls": calls, "findings": failure["findings"]}
    return {"failure": failure, "failures": [*state.get("failures", []), entry], "status": "error"}


async def _propose(
    state: State, ctx: ActionContext, schema: type[B], goal: Goal, new: Sequence[str] = (), **inputs: Any
) -> B | Failure:
    """The model's proposal for a goal, or the failure.

    Raises the error of a missing API key or model file, which concerns the operator.
    """
    said = [goal["text"], *(note["said"] for note in goal["notes"])]
    room = context_size(ctx.model) * view.SHARE
    try:
        seen, known = await asyncio.to_thread(view.graph_view, ctx.home, "\n".join(said), room, new)
        shared = {"request": goal["text"], "today": f"{ctx.now:%Y-%m-%d}"}
        recent = await asyncio.to_thread(view.recent_turns, ctx.home, state["recent"])
        prompt = "parse_goal" if schema is GoalSpec else "plan_step"
        messages = ctx.prompt(prompt, **seen, **shared, recent=recent, tools=TOOL_LINES, **inputs)
        weak = is_weak(ctx.model)
        call = call_schema(known) if weak else short_call_schema()
        return await ctx.structured(bind_to(schema, call, weak=weak and schema is GoalSpec), messages)
    except GraphError as error:
        return staging.failure_of(error)
    except ModelFailure as error:
        if not (error.transient or isinstance(error, BadReply | PromptTooLong) or error.code == "no_model"):
            raise
        return staging.failure_of(error)


@action(
    reads=["message", "recent", "language"],
    writes=["goal", "language", "complexity", "plan", "rounds", "doubts", "failure", "failures", "status"],
    effects=False,
)
async def parse_goal(state: State, ctx: ActionContext) -> State:
    """Understand the request, and take the calls that the model can give at once."""
    text = state["message"].strip()
    goal = GoalSpec().goal(text[:LONGEST_REQUEST])
    if len(text) > LONGEST_REQUEST:
        long = f"The request is longer than {LONGEST_REQUEST:,} characters. Please say it in parts."
        return {"goal": goal, **_failed({}, staging.failure("too_long", [long]))}
    weak = is_weak(ctx.model)
    spec = await _propose(state, ctx, GoalSpec, goal, weak=weak)
    if not isinstance(spec, GoalSpec):
        return {"goal": goal, **_failed({}, spec)}
    goal = spec.goal(goal["text"])
    doubts = []
    if weak or spec.tools or spec.intent != "other":
        # A request to the graph is looked up or done, never answered from the prompt.
        goal["reply"] = ""
    if spec.tools and goal["question"]:
        # The calls are shown as a difference, and the question with them. A weak model mostly asks for what the request
        # says, so its question is dropped: its calls wait for a yes anyway.
        question = " ".join(goal["question"].split())
        doubts += [] if weak else [say(spec.language, "doubt_open", text=question)]
        goal["question"] = ""
    # A look-up ends the goal only if it answers a question; a look-up for a change does not.
    calls = spec.calls()
    final = bool(calls) and (not any(map(looks_up, calls)) or (spec.intent == "query" and spec.complexity == "simple"))
    return {
        "goal": goal,
        "complexity": spec.complexity,
        "plan": {**NO_PLAN, "step": text[:200], "tools": calls, "is_final": final},
        "rounds": 1,
        "language": spec.language[:8] or state["language"],
        "doubts": shortened(doubts),
    }


@action(
    reads=["answers", "goal", "plan", "rounds", "results", "changes", "restage", "preview", "doubts",
           "failure", "failures", "remedy", "escalation", "recent", "language"],
    writes=["goal", "plan", "rounds", "restage", "preview", "doubted", "doubts", "failure", "failures", "status",
            "remedy", "escalation", "guided", "stopped"],
    effects=False,
)  # fmt: skip
async def plan_step(state: State, ctx: ActionContext) -> State:
    """The next calls: what the user chose, the same calls again, or what the model proposes."""
    out: State = {"failure": Reset(), "remedy": "none", "status": "none"}
    out |= _apply_reply(state)
    if "guided" in out or "stopped" in out or (state["remedy"] == "retry" and state["plan"]["tools"]):
        return out
    rounds = out.get("rounds", state["rounds"])
    if rounds >= MOST_ROUNDS:
        text = f"The goal took more than {MOST_ROUNDS} rounds of planning. Send the rest as a new request."
        return {**out, "plan": Reset(), **_failed(state, staging.failure("too_many_rounds", [text]))}
    goal = out.get("goal", state["goal"])
    changes = [Change.from_json(each) for each in state["changes"]]
    new = [each.after.key for each in changes if isinstance(each.after, Node) and each.before is None]
    inputs = {
        "notes": [{"asked": fenced(note["asked"]), "said": note["said"]} for note in goal["notes"]],
        "results": view.result_turns(state["results"]),
        "staged": [fenced(change_text(each)) for each in deletions_first(changes)[:MOST_LISTED]],
        "restage": out.get("restage", state["restage"]),
        "findings": state["failure"]["findings"],
        "doubts": state["doubts"],
        "impossible": goal["out_of_scope"],
    }
    step = await _propose(state, ctx, StepPlan, goal, new, **inputs)
    if not isinstance(step, StepPlan):
        return {**out, "plan": Reset(), **_failed(state, step)}
    if step.out_of_scope:
        told = filter(None, [goal["out_of_scope"], step.out_of_scope])
        out["goal"] = {**goal, "out_of_scope": " ".join(dict.fromkeys(told))}
    return {**out, "plan": step.plan(), "rounds": rounds + 1}


def _apply_reply(state: State) -> State:
    """Apply the user's reply to the last step: an option, a correction of the difference, or more about the goal."""
    answers, escalation, preview = state["answers"], state["escalation"], state["preview"]
    if escalation["code"]:
        asked, reply = escalation["question"], answers.get("reply", "")
    elif preview["needed"] and isinstance(answers.get("confirmed"), str):
        asked, reply = preview["text"], str(answers["confirmed"])
    else:
        return {}
    hidden: Preview = {**NO_PREVIEW, "binding": preview["binding"]}
    out: State = {"escalation": Reset(), "preview": hidden, "failures": [], "rounds": 0}
    option = replies.chosen(reply, escalation["options"], state["language"])
    if option["value"] == replies.LEAVE:
        return {**out, "stopped": True}
    if option["value"] == replies.STEP_BY_STEP:
        return {**out, "guided": True}
    if not option["value"]:
        note: Note = {"asked": asked[:LONGEST_RECENT], "said": option["title"], "difference": not escalation["code"]}
        notes = [*state["goal"]["notes"], note]
        out["goal"] = {**state["goal"], "notes": notes, "question": "", "contradictions": [], "confidence": 1.0}
    if not escalation["code"]:
        out |= {"restage": "correction", "doubted": False, "doubts": []}
    return out


@action(
    reads=["goal", "plan", "failure", "failures"],
    writes=["goal", "plan", "escalation", "failure", "failures", "status"],
    effects=False,
)
async def route_tool(state: State, ctx: ActionContext) -> State:
    """The gate: the tools exist and their arguments fit; a question to the user is asked first."""
    if state["failure"]["code"]:
        # Planning failed, and said why.
        return {}
    calls = state["plan"]["tools"]
    if refused := staging.rejected_calls(ctx.tools, calls):
        return _failed(state, refused)
    asks = next((call["arguments"] for call in calls if call["tool_name"] == "ask_user"), None)
    if asks is None:
        return {}
    goal: Goal = {**state["goal"], "question": asks["question"]}
    own: list[Option] = [{"value": "", "title": each} for each in asks.get("options", ())]
    return {"goal": goal, "plan": Reset(), "escalation": {**NO_QUESTION, "options": own}}


@action(
    reads=["goal", "plan", "rounds", "staged", "quotes", "results", "restage", "doubts", "draft", "recent", "failures",
           "language"],
    writes=["staged", "quotes", "changes", "results", "restage", "preview", "doubts", "status", "failure", "failures",
            "stopped"],
    effects=False,
)  # fmt: skip
async def call_tool(state: State, ctx: ActionContext) -> State:
    """Run the look-ups of the step, and stage its writes; all of its calls are accepted, or none."""
    calls = state["plan"]["tools"]
    if not calls:
        if state["restage"] != "correction":
            return {"status": "success", "restage": ""}
        # The reply to the difference left nothing to do. In a later round, what was looked up is the answer.
        return {"status": "success", "restage": "", **NOTHING_STAGED, "stopped": state["rounds"] <= 1}
    anew = bool(state["restage"]) and not all(map(looks_up, calls))
    base = staging.TrialResult([], []) if anew else staging.TrialResult(state["staged"], state["quotes"])
    made = [each["call"] for each in state["results"]]
    insisted = staging.not_there(state["failures"])
    try:
        store = await asyncio.to_thread(open_graph, ctx.home)
        tried = await staging.try_calls(ctx.tools, store, calls, base, made=made, insisted=insisted)
    except GraphError as error:
        # The graph may reject the staged writes.
        gone: State = {} if isinstance(error, Transient) else {"staged": [], "quotes": [], "changes": []}
        return {**_failed(state, staging.failure_of(error)), **gone}
    if tried.failure["code"]:
        return _failed(state, tried.failure)
    out: State = {"status": "success", "results": tried.results}
    if tried.staged != base.staged or anew:
        changes = [each.to_json() for each in tried.changes]
        preview: Preview = {**NO_PREVIEW, "binding": tried.binding}
        out |= {"staged": tried.staged, "quotes": tried.quotes, "changes": changes, "preview": preview, "restage": ""}
        written = [call for call in calls if not looks_up(call)]
        doubts = marks.invented_quotes(written, marks.sources_of(state), state["language"])
        out["doubts"] = [*([] if anew else state["doubts"]), *doubts]
    return out


@action(reads=["plan", "status", "failures"], writes=["goal_complete", "retries_left"], effects=False)
async def evaluate(state: State, ctx: ActionContext) -> State:
    """Whether the goal is complete; after an error, how many more attempts there are."""
    left = max(0, MOST_ATTEMPTS + 1 - len(state["failures"]))
    complete = state["status"] == "success" and (state["plan"]["is_final"] or not state["plan"]["tools"])
    return {"goal_complete": complete, "retries_left": left}


@action(
    reads=["goal", "plan", "staged", "quotes", "changes", "results", "restage", "preview", "doubted", "doubts",
           "guided", "draft", "recent", "failures", "committed", "language"],
    writes=["preview", "doubted", "doubts", "restage", "failure", "failures", "status"],
    effects=False,
)  # fmt: skip
async def review(state: State, ctx: ActionContext) -> State:
    """Review the difference, which can only add doubts; then return the texts to show."""
    changes = [Change.from_json(each) for each in state["changes"]]
    if not changes:
        return {}
    try:
        store = await asyncio.to_thread(open_graph, ctx.home)
        marker = await asyncio.to_thread(marks.Marker, state, store, changes)
    except GraphError as error:
        return _failed(state, staging.failure_of(error))
    lines = replies.lines_for_review(changes, marker)
    if not state["restage"] and not state["guided"] and not state["doubted"] and not is_weak(ctx.model):
        # All that a weak model proposes waits for a yes; its second look finds what is not there.
        impossible = " ".join(state["goal"]["out_of_scope"].split())
        verdict = await second_look(ctx.model, replies.messages_of(state), lines, impossible=impossible)
        short = replies.lines_of(changes, marker, marked=False)
        language = state["language"]
        doubts = [say(language, "doubt_unasked", line=short[number]) for number in verdict.unasked]
        doubts += [say(language, "doubt_missing", text=" ".join(text.split())) for text in verdict.missing]
        if doubts:
            doubts = [*state["doubts"], *shortened(doubts[:10])]
            return {"doubted": True, "doubts": doubts, "restage": "review"}
    for part in await _answer_beside(state, ctx):
        ctx.say(part)
    binding = state["preview"]["binding"]
    policy = ctx.settings.get("confirm", "always")
    try:
        text = await asyncio.to_thread(replies.preview_text, state, ctx, marker, changes, binding)
        needed = await asyncio.to_thread(
            lambda: replies.must_confirm(state, marker, changes, policy, weak=is_weak(ctx.model))
        )
    except GraphError as error:
        return _failed(state, staging.failure_of(error))
    question = say(state["language"], "confirm")
    return {"preview": {"needed": needed, "text": text, "question": question, "binding": binding}, "restage": ""}


async def _answer_beside(state: State, ctx: ActionContext) -> list[str]:
    """The answer to a question beside the difference, so that it does not wait for the yes."""
    notes = state["goal"]["notes"]
    # If the reply to the difference was a question, answer it and show the difference again. A look-up next to
    # writes cannot have served them, so show its result as well.
    if state["restage"] or (notes and any(map(looks_up, state["plan"]["tools"]))):
        return await replies.result_parts(state, ctx)
    # What was looked up before a look-up with the changes may have served the changes: the answer comes after the yes.
    told = _asks_beside(state) and state["results"] and not _tried(state)
    return await replies.result_parts(state, ctx) if told and not any(note.get("difference") for note in notes) else []


def _asks_beside(state: State) -> bool:
    return state["goal"]["intent"] in ("query", "mixed")


def _tried(state: State) -> bool:
    """Whether anything was looked up with the staged changes."""
    return any(each.get("tried") for each in state["results"])


@action(
    reads=[
        "goal",
        "staged",
        "quotes",
        "results",
        "preview",
        "doubts",
        "draft",
        "recent",
        "failures",
        "plan",
        "language",
    ],
    writes=["committed", "changes", "preview", "staged", "quotes", "failure", "failures", "status"],
)
def commit(state: State, ctx: ActionContext) -> State:
    """Apply the confirmed difference once, as one journal entry. If the graph has changed since, show it again."""
    store = open_graph(ctx.home)
    try:
        try:
            return _commit_staged(store, state, ctx)
        except Transient as error:
            if error.code != "connection_lost":
                raise
            # Whether it was done is not known. A repetition under the same key does it once.
            return _commit_staged(store, state, ctx)
    except Conflict:
        try:
            if staging.undone_by(state["staged"]):
                raise
            found = store.preview([write_from_json(each) for each in state["staged"]])
            marker = marks.Marker(state, store, found.changes)
            text = replies.preview_text(state, ctx, marker, found.changes, found.binding)
            text = f"{say(state['language'], 'changed_since')}\n{text}"
        except GraphError as error:
            return {**_failed(state, staging.failure_of(error)), "staged": [], "quotes": [], "preview": Reset()}
        preview: Preview = {**state["preview"], "needed": bool(found.changes), "text": text, "binding": found.binding}
        return {"changes": [each.to_json() for each in found.changes], "preview": preview}


def _commit_staged(store: GraphStore, state: State, ctx: ActionContext) -> State:
    if undone := staging.undone_by(state["staged"]):
        first, *also = undone
        entry = store.undo(first, key=ctx.key, thread=ctx.thread, also=also)
        entries = [entry, *(store.goal(store.goal(each).undone_by or "") for each in also)]
        changes = [*net_changes(change for each in entries for step in each.steps for change in step.changes)]
    else:
        said = [state["goal"]["text"], *(note["said"] for note in state["goal"]["notes"])]
        entry = store.begin_goal(" / ".join(said), key=ctx.key, thread=ctx.thread)
        try:
            writes = [write_from_json(each) for each in state["staged"]]
            applied = store.apply(writes, goal=entry.id, key=ctx.key, expected=state["preview"]["binding"])
        except Conflict:
            store.finish_goal(entry.id, "refused")
            raise
        store.finish_goal(entry.id, "done")
        entries, changes = [entry], list(applied.changes)
    made: Committed = {"goals": [each.id for each in entries], "changes": [each.to_json() for each in changes]}
    return {"committed": made, "preview": Reset()}


@action(reads=["failure", "failures", "guided"], writes=["diagnosis", "remedy"], effects=False)
async def diagnose_failure(state: State, ctx: ActionContext) -> State:
    """Classify the failure by evidence, and choose the remedy."""
    code, failures = state["failure"]["code"], state["failures"]
    kind = "systematic"
    remedy: Literal["retry", "replan", "guide", "escalate"] = "replan"
    if code == "no_model" or state["guided"]:
        remedy = "guide"
        if code != "no_model":
            ctx.say(state["failure"]["message"])
    elif len(failures) > MOST_ATTEMPTS or code in ("unknown_tool", "too_long", "too_many_rounds"):
        remedy = "escalate"
    elif state["failure"]["transient"]:
        kind, remedy = "random", "retry"
        await asyncio.sleep(PAUSE * len(failures))
    elif any(each["calls"] and each == failures[-1] for each in failures[:-1]):
        kind, remedy = "identical", "escalate"
    return {"diagnosis": {"kind": kind, "remedy": remedy, "attempts": len(failures)}, "remedy": remedy}


@action(
    reads=["goal", "plan", "failure", "escalation", "questions", "language"],
    writes=["escalation", "questions"],
    effects=False,
)
async def escalate(state: State, ctx: ActionContext) -> State:
    """Write the question to the user if an answer could let the goal continue, else no question."""
    if state["questions"] >= MOST_QUESTIONS:
        return {"escalation": Reset()}
    own = [option["title"] for option in state["escalation"]["options"]]
    question = replies.question_of(state["goal"], state["failure"], state["plan"]["tools"], own, state["language"])
    return {"escalation": question, "questions": state["questions"] + 1}


@action(
    reads=["goal", "plan", "results", "staged", "changes", "committed", "preview", "failure", "failures", "stopped",
           "guided", "recent", "language"],
    writes=["recent"],
    effects=False,
)  # fmt: skip
async def answer(state: State, ctx: ActionContext) -> State:
    """Report what was really done or found, and store it for the next request."""
    parts = []
    asks = bool(state["results"]) and not state["stopped"] and not state["failure"]["code"]
    # Without a look-up with the changes, the answer stood above the difference.
    beside = _asks_beside(state) and _tried(state)
    if asks and state["preview"]["needed"]:
        # The difference was declined: what was looked up without its changes answers a question beside it all the same.
        true: State = {**state, "results": [each for each in state["results"] if not each.get("tried")]}
        if beside and true["results"]:
            parts += [*await replies.result_parts(true, ctx), replies.nothing_done(state)]
    elif asks and (state["committed"] is None or beside):
        parts += await replies.result_parts(state, ctx)
    if state["committed"] is not None:
        parts.append(
            await asyncio.to_thread(replies.done_text, state["committed"], open_graph(ctx.home), state["language"])
        )
    if parts and state["goal"]["out_of_scope"]:
        parts.append(say(state["language"], "not_done", text=state["goal"]["out_of_scope"]))
    if not parts:
        parts.append(replies.nothing_done(state))
    text = "\n\n".join(parts)
    ctx.say(text)
    done = state["committed"]["goals"][0] if state["committed"] is not None else ""
    request, notes = state["goal"]["text"], state["goal"]["notes"]
    # Later requests may ask for what was declined.
    declined = state["preview"]["text"] if state["preview"]["needed"] else ""
    did = "\n".join(filter(None, [shortened(declined, LONGEST_RECENT - 200), *replies.told_beside(state), text]))
    entry: Request = {"request": request, "notes": notes, "did": did[:LONGEST_RECENT], "goal": done}
    return {"recent": [*state["recent"], entry][-MOST_RECENT:]}


# One change at a time, without a model: the options of its questions, and the call made from the answers.


def _options(titles: Mapping[str, str], names: Iterable[str] = ()) -> list[Option]:
    """Options by their values; `names` come first, and are their own titles."""
    shown = {**{name: name for name in islice(names, MOST_OFFERED)}, **titles}
    return [{"value": value, "title": title} for value, title in shown.items()]


@action(reads=[], writes=["labels", "types", "draft", "guided", "failure"], effects=False)
def begin_change(state: State, ctx: ActionContext) -> State:
    """Begin one change: the labels and types that there are, and whether all nodes can be offered."""
    schema = open_graph(ctx.home).schema()
    return {
        "labels": _options({OTHER: "another label"}, (one.label for one in schema.labels)),
        "types": _options({OTHER: "another type of edge"}, (one.type for one in schema.types)),
        "draft": {"small": sum(one.count for one in schema.labels) <= MOST_OFFERED, "values": {}, "said": []},
        "guided": True,
        "failure": Reset(),
    }


@action(reads=["answers", "draft"], writes=["found"], effects=False)
def find_node(state: State, ctx: ActionContext) -> State:
    """The nodes that the user may mean: the one with this key, else those that a search finds; of a small graph all."""
    store, words = open_graph(ctx.home), "" if state["draft"]["small"] else state["answers"]["words"]
    if words:
        nodes = list(store.search(words, most=MOST_OFFERED))
        nodes = [node for node in nodes if node.key == words.strip()] or nodes
    else:
        rows = store.read("MATCH (n) RETURN n ORDER BY n.key", max_rows=MOST_OFFERED).rows
        nodes = [Node(**row[0]) for row in rows]
    titles = {json.dumps([each.label, each.key], ensure_ascii=False): element_text(each) for each in nodes}
    return {"found": _options({**titles, OTHER: "none of these"})}


@action(reads=["answers"], writes=["edges"], effects=False)
def offer_edges(state: State, ctx: ActionContext) -> State:
    """Offer for deletion the node and its edges."""
    label, key = json.loads(state["answers"]["node"])
    query, values = query_of({"label": label, "key": key, "related": {"direction": "any"}})
    edges = [Edge(**row[1]) for row in open_graph(ctx.home).read(query, values, max_rows=MOST_OFFERED).rows]
    titles = {json.dumps(each.identity[1:], ensure_ascii=False): name_text(each) for each in edges}
    return {"edges": _options({OTHER: "the node, with all its edges", **titles})}


@action(reads=["answers", "draft"], writes=["properties", "draft"], effects=False)
def offer_properties(state: State, ctx: ActionContext) -> State:
    """The properties that there are to set or to look for, and their kinds."""
    change = state["answers"]["change"]
    label = _label(state["answers"]) if change in ("add", "look_up") else json.loads(state["answers"]["node"])[0]
    kinds = next((one.properties for one in open_graph(ctx.home).schema().labels if one.label == label), {})
    more = {ENOUGH: "no condition: all of them"} if change == "look_up" else {OTHER: "another property"}
    more |= {ENOUGH: "nothing more"} if change == "add" else {}
    draft: Draft = {**state["draft"], "kinds": {name: list(each) for name, each in kinds.items()}}
    return {"properties": _options(more, kinds), "draft": draft}


@action(reads=["answers", "draft"], writes=["draft"], effects=False)
def take_property(state: State, ctx: ActionContext) -> State:
    """Note a property and its value."""
    answers, draft = state["answers"], state["draft"]
    name = answers["property"] if answers["property"] != OTHER else answers["new_property"].strip()
    value = _typed(answers["value"].strip(), draft["kinds"].get(name, ()))
    return {"draft": {**draft, "values": {**draft["values"], name: value}, "said": [*draft["said"], answers["value"]]}}


def _typed(text: str, kinds: Sequence[str]) -> Any:
    """Return a whole reply as a value: a number, true or false if the property accepts these, else a text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    kind = "boolean" if isinstance(value, bool) else "number" if isinstance(value, int | float) else ""
    fits = kind and (not kinds or kind in kinds) and math.isfinite(value)
    return value if fits else text


@action(
    reads=["answers", "draft"],
    writes=["plan", "draft", "staged", "quotes", "changes", "results", "restage", "preview", "doubts", "stopped"],
    effects=False,
)
def build_call(state: State, ctx: ActionContext) -> State:
    """Build the call from the answers, as a new goal without staged writes."""
    answers, draft = state["answers"], state["draft"]
    if answers["change"] == "leave":
        return {"stopped": True}
    name, arguments = _call(answers, draft["values"])
    said = [*draft["said"], *(each for each in arguments.values() if isinstance(each, str))]
    call: Call = {"because": "", "tool_name": name, "arguments": arguments, "words": {}}
    plan: Plan = {**NO_PLAN, "step": answers["change"], "tools": [call], "is_final": True}
    anew: State = {"results": Reset(), "restage": "", "doubts": []}
    return {"plan": plan, "draft": {**draft, "said": said}, **NOTHING_STAGED, **anew}


def _label(answers: Answers) -> str:
    return str(answers["label"] or answers["new_label"].strip())


def _call(answers: Answers, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    change = answers["change"]
    if change == "add":
        return "add_node", {"label": _label(answers), "key": answers["key"].strip(), "properties": values}
    if change == "look_up":
        return "query_graph", {"label": _label(answers), "where": values}
    label, key = json.loads(answers["node"])
    if change == "change":
        return "update_props", {"label": label, "key": key, "properties": values}
    if change == "connect":
        other_label, other_key = json.loads(answers["other"])
        kind = answers["type"] if answers["type"] != OTHER else answers["new_type"].strip()
        ends = {"from_label": label, "from_key": key, "to_label": other_label, "to_key": other_key}
        return "add_edge", {**ends, "type": kind}
    if answers["edge"] == OTHER:
        return "delete_node", {"label": label, "key": key}
    names = ("from_label", "from_key", "type", "to_label", "to_key")
    return "delete_edge", dict(zip(names, json.loads(answers["edge"]), strict=True))
