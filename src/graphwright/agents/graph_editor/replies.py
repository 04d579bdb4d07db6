"""Texts for the user: the difference of a goal, the questions of a goal that cannot go on, the answer.

The answer to a question is written by the model from rows and checked against them; the rows stand under it. In a
difference deletions come first, and what is new or unsupported is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright import ActionContext
from graphwright.agents.graph_editor import view
from graphwright.agents.graph_editor.schemas import NO_QUESTION, Content, State
from graphwright.agents.graph_editor.tools import looks_up
from graphwright.graphstore import Change, GraphStore, Node, Schema
from graphwright.graphstore.wording import (
    SHORT,
    TextLimits,
    cell_text,
    change_text,
    changed_names,
    counts_text,
    deletions_first,
    difference_lines,
    table_lines,
    value_text,
)
from graphwright.models import ModelFailure, atext, is_weak
from graphwright.proposals import Policy, Sources, exact, ids_not_in, needs_yes, numbers_not_in, occurs, supports

STEP_BY_STEP, AGAIN, LEAVE = "one_change", "again", "leave"
_TITLES = {
    STEP_BY_STEP: "Make one change at a time, step by step",
    AGAIN: "Try again",
    LEAVE: "Leave everything as it is",
}

MOST_LINES = 40  # changes that an answer lists one by one
LONGEST = 4000  # characters of an answer
_IDS = r"\b[A-Za-z]{1,12}[-_]\d[\w-]*"  # what looks like a key in any graph

WHOLE, MOST_NEW = TextLimits(10**9, 10**9, 10**9), 12
WHAT_I_DO = "I can add, change, connect, delete and look up nodes and edges of this graph."
_UNCLEAR = "I cannot tell from this what should happen in the graph. Which nodes is it about, and what should change?"


def sources_of(state: State) -> Sources:
    """What the user said and was shown, in this goal and before it."""
    goal, recent = state["goal"], state["recent"]
    notes = [*goal["notes"], *(note for each in recent for note in each["notes"])]
    chosen = [str(value) for value in state.get("draft", {}).get("said", ())]
    said = (goal["text"], *(each["request"] for each in recent), *(note["said"] for note in notes), *chosen)
    shown = (*(each["did"] for each in recent), *(note["asked"] for note in notes))
    return Sources(said=said, shown=shown)


def messages_of(state: State) -> list[str]:
    """The user's messages of this goal, with what they answer, and the two before it, on which it may hang."""
    before = [f"(earlier, dealt with already: {each['request']})" for each in state["recent"][-2:]]
    notes = [f"(asked: {n['asked']}) {n['said']}" if n["asked"] else n["said"] for n in state["goal"]["notes"]]
    return [*before, state["goal"]["text"], *notes]


def invented_quotes(calls: Iterable[Mapping[str, Any]], sources: Sources) -> list[str]:
    """Doubts about writes whose `because` is not a quotation of the user."""
    quotes = dict.fromkeys(str(call["because"]) for call in calls if call["because"])
    return [f"nobody said {value_text(quote, TextLimits(200))}" for quote in quotes if not occurs(quote, sources.said)]


def lines_of(changes: Iterable[Change], room: TextLimits = SHORT, sources: Sources | None = None) -> list[str]:
    """A line for each change, deletions first; with `sources`, what they do not hold is marked."""
    ordered = deletions_first(changes)
    return [change_text(each, room) + (unsupported_mark([each], sources) if sources else "") for each in ordered]


def unsupported_mark(changes: Iterable[Change], sources: Sources) -> str:
    """What the user neither said nor was shown of these changes."""
    found = dict[str, None]()
    for name, value in (each for change in changes for each in _stated(change).items()):
        if "unsupported" in supports({name: value}, sources).values():
            found[f"{name} {value_text(value)}"] = None
    points = list(found)
    if len(points) > MOST_NEW:
        points[MOST_NEW:] = [f"{len(points) - MOST_NEW} more"]
    return f"   <- not in your words: {', '.join(points)}" if points else ""


def _stated(change: Change) -> dict[str, Any]:
    """The values of a change that somebody must have asked for: what exists already, and what goes, is none."""
    if change.after is None:
        return {}
    found = {name: change.after.properties[name] for name in changed_names(change) if name in change.after.properties}
    return {"key": change.after.key, **found} if isinstance(change.after, Node) and change.before is None else found


def new_names(changes: Iterable[Change], schema: Schema) -> list[str]:
    """Labels, edge types and properties that the graph does not have yet, and what it has that is nearly the same."""
    labels = {one.label: one.properties for one in schema.labels}
    types = {one.type: one.properties for one in schema.types}
    found: dict[str, None] = {}
    for element in (change.after for change in changes if change.after is not None):
        node = isinstance(element, Node)
        name, known = (element.label, labels) if isinstance(element, Node) else (element.type, types)
        if name not in known:
            found[f"{'label' if node else 'edge type'} {name}{_spelled_alike(name, known)}"] = None
            continue
        for each in element.properties:
            if each not in known[name]:
                found[f"property {each} of {name}{_spelled_alike(each, known[name])}"] = None
    return list(found)


def _spelled_alike(name: str, known: Iterable[str]) -> str:
    return f" (there is {same})" if (same := exact(name, known)) else ""


def preview_text(state: State, ctx: ActionContext, store: GraphStore, changes: Sequence[Change], binding: str) -> str:
    """The difference as the user is shown it; where anything is left out, a file of the thread holds all of it."""
    sources = sources_of(state)
    lines = difference_lines(changes, lambda each: unsupported_mark(each, sources))
    parts = [f"This would change the graph ({counts_text(changes)}):", *lines]
    if any("…" in line for line in lines):
        path = ctx.folder / f"difference-{binding[:12]}.txt"
        path.write_text("\n".join([*lines_of(changes, WHOLE, sources), ""]), "utf-8")
        ctx.artifact(path, kind="difference")
        parts.append(f"The complete list, with nothing left out: {path}")
    if new := new_names(changes, store.schema()):
        more = [f"{len(new) - MOST_NEW} more"] if len(new) > MOST_NEW else []
        parts.append(f"New in this graph: {', '.join([*new[:MOST_NEW], *more])}.")
    parts += [f"Doubtful: {doubt}" for doubt in state["doubts"]]
    if state["goal"]["out_of_scope"]:
        parts.append(f"Not part of this: {' '.join(state['goal']['out_of_scope'].split())}")
    return "\n".join(parts)


def must_confirm(state: State, changes: Sequence[Change], policy: Policy, *, weak: bool) -> bool:
    """Whether the difference waits for a yes: a raw statement, an undo, a deletion and an overwriting always do."""
    sources = sources_of(state)
    raw = any(each.get("write") in (None, "Statement") for each in state["staged"])
    overwritten = (name in each.before.properties for each in changes if each.before for name in changed_names(each))
    return needs_yes(
        policy,
        destructive=raw or any(each.after is None for each in changes) or any(overwritten),
        supports=(support for change in changes for support in supports(_stated(change), sources).values()),
        weak_model=weak,
        doubts=state["doubted"] or bool(state["doubts"]),
    )


# Questions and answers


def question_of(goal: Content, failure: Content, plan: Sequence[Mapping[str, Any]], options: Sequence[str]) -> Content:
    """The question to the user; an empty one where no answer could help. `options` are those of the model's own."""
    if failure["code"] == "unknown_tool":
        return NO_QUESTION
    own, more, code = options, list[str](), failure["code"]
    if code:
        text = f"I could not plan this: {failure['message']}\nWhat should I do instead?"
        own, more = failure["options"], [STEP_BY_STEP, AGAIN, LEAVE]
    elif goal["question"]:
        text, code = goal["question"], "question"
    elif goal["contradictions"]:
        text = f"This cannot be done as it stands: {'; '.join(goal['contradictions'])}. How should it be?"
        more, code = [LEAVE], "contradiction"
    elif goal["out_of_scope"] and not plan:
        return NO_QUESTION
    else:
        text, more, code = _UNCLEAR, [STEP_BY_STEP, LEAVE], "unclear"
    offered = [{"value": "", "title": title} for title in dict.fromkeys(own)]
    offered += [{"value": value, "title": _TITLES[value]} for value in more]
    lines = [text, *(f"{number}) {option['title']}" for number, option in enumerate(offered, 1))]
    if offered:
        lines.append("Choose a number, or answer in your own words.")
    return {"question": "\n".join(lines), "options": offered, "code": code}


def chosen(reply: str, options: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    """The option that a reply names, by its number or its words; one without a value for any other reply."""
    text = reply.strip().rstrip(".)")
    if text.isdecimal() and len(text) < 3 and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    title = exact(text, [option["title"] for option in options])
    return next((option for option in options if option["title"] == title), {"value": "", "title": reply})


def done_text(committed: Mapping[str, Any]) -> str:
    """What was really done, and how to undo it."""
    changes = [Change.from_json(each) for each in committed["changes"]]
    undo = f"To undo it, say: undo {committed['goal']}"
    return "\n".join([f"Done: {counts_text(changes)}.", *difference_lines(changes, most=MOST_LINES), undo])


def nothing_done(state: State) -> str:
    """Why a goal ended without rows and without a change."""
    failure, goal = state["failure"], state["goal"]
    if failure["code"]:
        return f"{failure['message']}\n{WHAT_I_DO}" if failure["code"] == "unknown_tool" else failure["message"]
    if goal["out_of_scope"]:
        return f"I cannot do that: {goal['out_of_scope']}\n{WHAT_I_DO}"
    if state["staged"] and not state["changes"]:
        return "Nothing had to be changed: the graph is that way already."
    declined = state["stopped"] or state["preview"]["needed"]
    return f"Nothing was changed. {'' if declined else state['plan']['rationale']}".strip()


def table_text(table: Mapping[str, Any]) -> str:
    """The rows of a result, as far as they were kept, and how many there were."""
    rows, columns = table["rows"], table["columns"]
    if not rows:
        return "Nothing was found."
    if columns[:1] == ["node"] and columns in (["node"], ["node", "edge", "related"]):
        lines = [f"- {cell_text(row[0])}{f'  ({cell_text(row[1])})' if len(row) > 1 else ''}" for row in rows]
    else:
        lines = table_lines(columns, rows, view.MOST_ROWS)
    more = table["count"] - len(rows)
    if more or table["truncated"]:
        lines.append(f"… and {f'{more:,} ' if more else ''}more{' at least' if table['truncated'] else ''}")
    return "\n".join(lines)


async def result_parts(state: State, ctx: ActionContext) -> list[str]:
    """The answer in words, where a model is at hand that is not weak, and the rows of the last look-ups."""
    last = state["results"][-max(1, sum(map(looks_up, state["plan"]["tools"]))) :]
    rows = "\n\n".join(dict.fromkeys(table_text(each["table"]) for each in last))
    if state["guided"]:
        return [rows]
    try:
        # A weak model contradicts its rows.
        text = "" if is_weak(ctx.model) else await _written(state, ctx)
    except ModelFailure:
        return [rows]
    return [text, rows] if text else [rows]


async def _written(state: State, ctx: ActionContext) -> str:
    from langchain_core.messages import AIMessage, HumanMessage

    goal, tables = state["goal"], [each["table"] for each in state["results"]]
    said = [goal["text"], *(note["said"] for note in goal["notes"])]
    texts = [line for table in tables for line in view.table_lines(table)]
    values = [[table["rows"], table["count"]] for table in tables]
    shared = {"request": goal["text"], "notes": goal["notes"], "today": f"{ctx.now:%Y-%m-%d}"}
    messages = ctx.prompt("answer", results=view.result_turns(state["results"]), **shared)
    for _ in range(2):
        text = (await atext(ctx.model, messages))[:LONGEST].strip()
        # Numbers and keys that neither the results nor the words of the user hold.
        ids = [each for each in ids_not_in(text, (), _IDS) if not occurs(each, [*said, *texts])]
        numbers = [each for each in numbers_not_in(text, values, also=said) if not any(each in one for one in ids)]
        wrong = ", ".join([*ids, *numbers][:8])
        if not wrong:
            return text
        note = f"Neither the rows nor the question hold {wrong}. Write the answer again from the rows alone."
        messages = [*messages, AIMessage(text), HumanMessage(note)]
    return f"{text}\n(Not in the rows below: {wrong}.)"
