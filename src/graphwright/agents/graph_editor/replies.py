"""What the user is asked and told: questions where a goal cannot go on alone, and the answer at the end.

The answer to a question is written by the model from rows and checked against them; the rows stand under it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright import ActionContext
from graphwright.agents.graph_editor import view
from graphwright.agents.graph_editor.schemas import NO_QUESTION, Content, State
from graphwright.graphstore import Change
from graphwright.graphstore.wording import cell_text, counts_text, difference_lines, table_lines
from graphwright.models import ModelFailure, atext, is_weak
from graphwright.proposals import exact, ids_not_in, numbers_not_in, occurs

STEP_BY_STEP, AGAIN, LEAVE = "one_change", "again", "leave"
_TITLES = {
    STEP_BY_STEP: "Make one change at a time, step by step",
    AGAIN: "Try again",
    LEAVE: "Leave everything as it is",
}

MOST_LINES = 40  # changes that an answer lists one by one
LONGEST = 4000  # characters of an answer
_IDS = r"\b[A-Za-z]{1,12}[-_]\d[\w-]*"  # what looks like a key, whatever the graph

WHAT_I_DO = "I can add, change, connect, delete and look up nodes and edges of this graph."
_UNCLEAR = "I cannot tell from this what should happen in the graph. Which nodes is it about, and what should change?"


def question_of(goal: Content, failure: Content, plan: Sequence[Mapping[str, Any]], options: Sequence[str]) -> Content:
    """The question to the user; an empty one where no answer could help. `options` are those of the model's own."""
    if failure["code"] == "unknown_tool":
        return NO_QUESTION
    if failure["code"]:
        more = [STEP_BY_STEP, AGAIN, LEAVE]
        text = f"I could not plan this: {failure['message']}\nWhat should I do instead?"
        return _asked(text, failure["options"], more, failure["code"])
    if goal["question"]:
        return _asked(goal["question"], options, [], "question")
    if goal["contradictions"]:
        text = f"This cannot be done as it stands: {'; '.join(goal['contradictions'])}. How should it be?"
        return _asked(text, options, [LEAVE], "contradiction")
    if goal["out_of_scope"] and not plan:
        return NO_QUESTION
    return _asked(_UNCLEAR, options, [STEP_BY_STEP, LEAVE], "unclear")


def _asked(text: str, own: Sequence[str], more: Sequence[str], code: str) -> Content:
    options = [{"value": "", "title": title} for title in dict.fromkeys(own)]
    options += [{"value": value, "title": _TITLES[value]} for value in more]
    lines = [text, *(f"{number}) {option['title']}" for number, option in enumerate(options, 1))]
    if options:
        lines.append("Choose a number, or answer in your own words.")
    return {"question": "\n".join(lines), "options": options, "code": code}


def chosen(reply: str, options: Sequence[Mapping[str, str]]) -> Mapping[str, str] | None:
    """The option that a reply names, by its number or its words."""
    text = reply.strip().rstrip(".)")
    if text.isdecimal() and len(text) < 3:
        return options[int(text) - 1] if 1 <= int(text) <= len(options) else None
    title = exact(text, [option["title"] for option in options])
    return next((option for option in options if option["title"] == title), None)


def done_text(committed: Mapping[str, Any]) -> str:
    """What was really done, and how to undo it."""
    changes = [Change.from_json(each) for each in committed["changes"]]
    undo = f"To undo it: graphwright graph undo {committed['goal']}"
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


async def told(state: State, ctx: ActionContext) -> list[str]:
    """The answer in words, where a model is at hand that is not weak, and the rows of the last look-ups."""
    last = state["results"][-max(1, len(state["plan"]["tools"])) :]
    rows = "\n\n".join(dict.fromkeys(table_text(each["table"]) for each in last))
    if state["guided"]:
        return [rows]
    try:
        # A weak model tells what its rows deny.
        text = "" if is_weak(ctx.model) else await _written(state, ctx)
    except ModelFailure:
        return [rows]
    return [text, rows] if text else [rows]


async def _written(state: State, ctx: ActionContext) -> str:
    from langchain_core.messages import AIMessage, HumanMessage

    goal = state["goal"]
    shared = {"request": goal["text"], "notes": goal["notes"], "today": f"{ctx.now:%Y-%m-%d}"}
    messages = ctx.prompt("answer", results=view.result_turns(state["results"]), **shared)
    for _ in range(2):
        text = (await atext(ctx.model, messages))[:LONGEST].strip()
        wrong = _not_in_rows(text, state)
        if not wrong:
            return text
        note = f"Neither the rows nor the question hold {', '.join(wrong)}. Write the answer again from the rows alone."
        messages = [*messages, AIMessage(text), HumanMessage(note)]
    return f"{text}\n(Not in the rows below: {', '.join(wrong)}.)"


def _not_in_rows(text: str, state: State) -> list[str]:
    """Numbers and keys of a text that neither the results nor the words of the user hold."""
    goal = state["goal"]
    said = [goal["text"], *(note["said"] for note in goal["notes"])]
    tables = [each["table"] for each in state["results"]]
    texts = [line for table in tables for line in view.table_lines(table)]
    ids = [each for each in ids_not_in(text, (), _IDS) if not occurs(each, [*said, *texts])]
    found = numbers_not_in(text, [[table["rows"], table["count"]] for table in tables], also=said)
    numbers = [each for each in found if not any(each in one for one in ids)]
    return [*ids, *numbers][:8]
