"""How a model is shown its own answer and what is wrong with it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

REPAIR = "graphwright_repair"
"""Marks a turn that asks for a repair, so that it is not taken for the words of the user."""


def unfenced(text: str) -> str:
    """The text without the code fence that some models put around JSON."""
    text = text.strip()
    found = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
    return found.group(1) if found else text


def repair_turns(reply: AIMessage | None, problem: str) -> list[BaseMessage]:
    """The turns that show the model its own answer and what is wrong with it.

    The answer is given back as text, not as tool calls: every provider takes that, whatever it thinks of calls
    without results. Where there is none, nothing stands in its place: a small model would say just that again.
    """
    from langchain_core.messages import AIMessage as Assistant
    from langchain_core.messages import HumanMessage

    turns: list[BaseMessage] = []
    if reply is not None and (reply.tool_calls or reply.text.strip()):
        calls = [{"tool": call["name"], "args": call["args"]} for call in reply.tool_calls]
        turns.append(Assistant(json.dumps({"calls": calls}, ensure_ascii=False, default=str) if calls else reply.text))
    which = "That" if turns else "Your last"
    turns.append(
        HumanMessage(
            f"{which} answer was not accepted: {problem.rstrip(' .')}. Answer again, correctly, in the form asked for.",
            response_metadata={REPAIR: True},
        )
    )
    return turns
