"""The answer to a question, written by the model from rows and checked against them; the rows stand under it."""

from __future__ import annotations

from graphwright import ActionContext
from graphwright.agents.graph_editor import replies, view
from graphwright.agents.graph_editor.state import State
from graphwright.models import ModelFailure, atext
from graphwright.proposals import ids_not_in, numbers_not_in, occurs

LONGEST = 4000
"""Characters of an answer."""

_IDS = r"\b[A-Za-z]{1,12}[-_]\d[\w-]*"
"""What looks like a key, whatever the graph."""


async def told(state: State, ctx: ActionContext) -> list[str]:
    """The answer in words, where a model can be had, and the rows of the last look-ups."""
    last = state["results"][-max(1, len(state["plan"]["tools"])) :]
    rows = "\n\n".join(dict.fromkeys(replies.table_text(each["table"]) for each in last))
    if state["guided"]:
        return [rows]
    try:
        text = await _written(state, ctx)
    except ModelFailure:
        return [rows]
    return [text, rows] if text else [rows]


async def _written(state: State, ctx: ActionContext) -> str:
    from langchain_core.messages import AIMessage, HumanMessage

    goal = state["goal"]
    messages = ctx.prompt(
        "answer",
        request=goal["text"],
        notes=goal["notes"],
        results=view.result_turns(state["results"]),
        today=f"{ctx.now:%Y-%m-%d}",
    )
    text = (await atext(ctx.model, messages))[:LONGEST].strip()
    wrong = _not_in_rows(text, state)
    if wrong:
        told = f"Neither the rows nor the question hold {', '.join(wrong)}. Write the answer again from the rows alone."
        again = [*messages, AIMessage(text), HumanMessage(told)]
        text = (await atext(ctx.model, again))[:LONGEST].strip()
        wrong = _not_in_rows(text, state)
    return f"{text}\n(Not in the rows below: {', '.join(wrong)}.)" if wrong else text


def _not_in_rows(text: str, state: State) -> list[str]:
    """Numbers and keys of a text that neither the results nor the words of the user hold."""
    goal = state["goal"]
    said = [goal["text"], *(note["said"] for note in goal["notes"])]
    tables = [each["table"] for each in state["results"]]
    found = [[table["rows"], table["count"]] for table in tables]
    texts = [line for table in tables for line in view.table_lines(table)]
    ids = [each for each in ids_not_in(text, (), _IDS) if not occurs(each, [*said, *texts])]
    numbers = [each for each in numbers_not_in(text, found, also=said) if not any(each in one for one in ids)]
    return [*ids, *numbers][:8]
