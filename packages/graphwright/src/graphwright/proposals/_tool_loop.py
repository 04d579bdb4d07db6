"""Several limited rounds of tool calls: the model calls, code checks and executes, results go back to the model."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.context import fenced
from graphwright.text.sentences import many
from graphwright.tools import ToolRegistry, ToolResult

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

LONGEST_RESULT = 8_000
"""The maximum length of a result that goes back to the model, in characters."""


@dataclass(frozen=True, slots=True)
class Called:
    """An executed call and its result."""

    name: str
    arguments: dict[str, Any]
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Loop:
    """All calls in order, the last text of the model, and whether it finished before a limit."""

    calls: tuple[Called, ...]
    text: str
    done: bool


async def run_tools(
    model: BaseChatModel,
    messages: Sequence[BaseMessage],
    tools: ToolRegistry,
    *,
    rounds: int = 5,
    most_calls: int = 20,
    ends: Container[str] = (),
) -> Loop:
    """Let the model call the tools of a registry until it is done.

    Arguments are checked against the schemas of the tools; errors go back to the model as the result. An identical call
    is not repeated. The loop ends if the model makes no further or only repeated calls, at a limit, and after a round
    in which a tool of `ends` succeeded. Raises ModelFailure.
    """
    from langchain_core.messages import AIMessage, ToolMessage

    from graphwright.models import acall_tools

    turns, made, known, text, done = list(messages), list[Called](), set[str](), "", False
    for number in range(rounds):
        calls = await acall_tools(model, tools.declarations(), turns, required=False)
        text = calls.text
        if done := not calls:
            break
        asked = [{"name": c.name, "args": c.args, "id": f"call_{number}_{place}"} for place, c in enumerate(calls)]
        turns.append(AIMessage(text, tool_calls=asked[:most_calls]))
        before = len(made)
        for call, wanted in zip(calls, asked[:most_calls], strict=False):
            identity = json.dumps([call.name, call.args], sort_keys=True, default=str)
            if identity in known:
                shown = "This call was made before; its result stands above."
            elif len(made) >= most_calls:
                shown = f"Not made: at most {many(most_calls, 'call')}."
            else:
                known.add(identity)
                result = await tools.call(call.name, call.args)
                made.append(Called(call.name, call.args, result))
                shown = _result_text(result)
            turns.append(ToolMessage(shown, tool_call_id=str(wanted["id"]), name=call.name))
        new = made[before:]
        done = any(each.result.ok and each.name in ends for each in new)
        if done or not new:
            break
    return Loop(tuple(made), text, done)


def _result_text(result: ToolResult) -> str:
    if not result.ok:
        return f"Error: {result.error}"
    text = result.value if isinstance(result.value, str) else json.dumps(result.value, ensure_ascii=False, default=str)
    cut = f"… ({len(text):,} characters, cut)" if len(text) > LONGEST_RESULT else ""
    return fenced(text[:LONGEST_RESULT] + cut)
