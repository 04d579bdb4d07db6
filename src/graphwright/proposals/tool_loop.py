"""Several bounded rounds of tool calls: the model calls, code checks and performs, results go back to the model."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from graphwright.context import fenced
from graphwright.tools import ToolRegistry, ToolResult

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

LONGEST_RESULT = 8_000
"""Characters of a result that go back to the model."""

Stop = Literal["answered", "ended", "repeated", "rounds", "calls"]


@dataclass(frozen=True, slots=True)
class Called:
    """A call that was made, and what came of it."""

    name: str
    arguments: dict[str, Any]
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Loop:
    """All calls in their order, what the model said last, and why the loop stopped.

    `answered`: the model called nothing more; `ended`: a tool of `ends` went well; `repeated`: a round held only calls
    that had been made; `rounds`, `calls`: a bound was reached.
    """

    calls: tuple[Called, ...]
    text: str
    stopped: Stop


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

    Arguments are checked against the schemas of the tools; what is wrong goes back to the model as the result. An
    identical call is never made twice. The loop ends after a round in which a tool of `ends` went well. Raises
    ModelFailure.
    """
    from langchain_core.messages import AIMessage, ToolMessage

    from graphwright.models import acall_tools

    turns, made, known, text = list(messages), list[Called](), set[str](), ""
    for number in range(rounds):
        calls = await acall_tools(model, tools.declarations(), turns, required=False)
        text = calls.text
        if not calls:
            return Loop(tuple(made), text, "answered")
        asked = [{"name": c.name, "args": c.args, "id": f"call_{number}_{place}"} for place, c in enumerate(calls)]
        turns.append(AIMessage(text, tool_calls=asked[:most_calls]))
        before = len(made)
        for call, wanted in zip(calls, asked[:most_calls], strict=False):
            identity = json.dumps([call.name, call.args], sort_keys=True, default=str)
            if identity in known:
                shown = "This call was made before; its result stands above."
            elif len(made) >= most_calls:
                shown = f"Not made: {most_calls} calls are the most."
            else:
                known.add(identity)
                result = await tools.call(call.name, call.args)
                made.append(Called(call.name, call.args, result))
                shown = _shown(result)
            turns.append(ToolMessage(shown, tool_call_id=str(wanted["id"]), name=call.name))
        new = made[before:]
        if any(each.result.ok and each.name in ends for each in new):
            return Loop(tuple(made), text, "ended")
        if not new:
            return Loop(tuple(made), text, "calls" if len(made) >= most_calls else "repeated")
    return Loop(tuple(made), text, "rounds")


def _shown(result: ToolResult) -> str:
    if not result.ok:
        return f"Error: {result.error}"
    text = result.value if isinstance(result.value, str) else json.dumps(result.value, ensure_ascii=False, default=str)
    cut = f"… ({len(text):,} characters, cut)" if len(text) > LONGEST_RESULT else ""
    return fenced(text[:LONGEST_RESULT] + cut)
