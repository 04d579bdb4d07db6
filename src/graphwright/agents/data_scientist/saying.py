"""A text of the model about a result: asked for, held against the result, and asked for once more."""

from __future__ import annotations

from typing import Any

from graphwright import ActionContext
from graphwright.agents.data_scientist import telling
from graphwright.agents.data_scientist.contradicting import contrary
from graphwright.agents.data_scientist.grounding import Known, said_in, ungrounded, without_sentences
from graphwright.agents.data_scientist.results import LEVEL, numbers_of_text, verdict_of
from graphwright.agents.data_scientist.state import State
from graphwright.models import atext


def _known(state: State) -> Known:
    """The numbers that a text about the result may name."""
    result = state["execution_result"]
    numbers = [said.value for said in said_in(state["question"])]
    for dataset in state["datasets"].values():
        numbers += [dataset["rows"], dataset["rows_there"], dataset["columns_there"]]
        numbers += [len(column["values"]) for column in dataset["columns"]]
    if result is not None:
        numbers += result["numbers"]
        numbers += numbers_of_text(f"{result['stdout']}\n{result['shown']}")
        numbers.append(len(result["figures"]))
        if verdict_of(result["result_str"]):
            numbers.append(LEVEL)
    return Known(numbers)


async def grounded(state: State, ctx: ActionContext, name: str, **inputs: Any) -> str:
    """A text of the model that says no other numbers than the result has, and nothing that is contrary to it.

    A text that does is asked for once more; then sentences with such numbers are cut, and what is contrary is nothing.
    """
    known, result, wrong = _known(state), state["execution_result"], ""

    def against(text: str) -> str:
        return contrary(text, state["question"], result["result_str"], result["winner"]) if result else ""

    text = ""
    for _ in range(2):
        text = (await atext(ctx.model, ctx.prompt(name, **inputs, wrong=wrong))).strip()
        flagged = ungrounded(text, known, words=result is not None)
        wrong = telling.wrong_text(flagged, against(text))
        if not wrong:
            return text
    text = without_sentences(text, flagged)
    return "" if against(text) else text
