"""The agent at work on a question, through the public door: a session, on a thread where something was said before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.assistant.cases import Case, paths
from eval.assistant.known import Known, text_of
from eval.assistant.outcome import Outcome
from eval.assistant.workspace import clock, workspace
from graphwright import load
from graphwright.models.failures import (
    BadReply,
    CutReply,
    EmptyReply,
    MalformedReply,
    PromptTooLong,
    RefusedToolCall,
)
from graphwright.models.usage import ModelCall, observe_calls
from graphwright.store import open_store
from graphwright.tools.sources import Source

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.runtime.agent import Agent

_AGENT, _THREAD = "assistant", "question"

_ANSWERED = (
    *("", BadReply.code, EmptyReply.code, CutReply.code, MalformedReply.code, RefusedToolCall.code),
    PromptTooLong.code,
)
"""Codes of calls that the model has answered, well or badly, or would not have."""


async def work_by_agent(case: Case, folder: Path, model: BaseChatModel) -> Outcome:
    """Ask the agent the question, and look at what it called and answered. `folder` is that of the cases."""
    files = paths(case, folder)
    texts = await asyncio.gather(*(asyncio.to_thread(text_of, path) for path in files))
    agent = load(_AGENT)
    asked: list[ModelCall] = []
    with workspace() as home:
        await _said_before(case, agent, home)
        async with agent.session(_THREAD, model=model, home=home, clock=clock) as session:
            with observe_calls(asked.append):
                turn = await session.send(case.text, files)
    known = Known.of(case, texts)
    results: Sequence[Mapping[str, Any]] = turn.values.get("tool_results") or ()
    calls = [{"tool": each["tool_name"], "arguments": each["arguments"], "ok": each["ok"]} for each in results]
    for each in results:
        known.text(f"{each['note']} {each['error']}")
        for source in each["sources"]:
            known.source(Source.from_json(source))
    outcome = known.told(Outcome(case.id).with_turn(turn, case.text), calls)
    tried = [f"call: {each['tool']} {json.dumps(each['arguments'], ensure_ascii=False)}" for each in calls]
    log = (outcome.log[0], *tried, f"found: {', '.join(map(str, known.found)) or 'nothing'}", *outcome.log[1:])
    return replace(outcome, text=turn.reply, error=outcome.error or _failure(asked), log=log)


def _failure(asked: Sequence[ModelCall]) -> str:
    """That the model could not be had in the end, which the agent makes the best of: such an answer is no result."""
    last = asked[-1].error if asked else ""
    return "" if last in _ANSWERED else f"{last}: the model could not be asked"


async def _said_before(case: Case, agent: Agent, home: Path) -> None:
    """Begin the thread with what was said before, as turns that ended."""
    if not case.said:
        return
    async with open_store(home, now=clock) as store:
        await store.threads.upsert(
            _THREAD, agent=agent.address, flow_id=agent.flow.id, flow_hash=agent.flow.hash, status="ended"
        )
        # A thread numbers what is said in its own turns from 0.
        await store.messages.append(_THREAD, -len(case.said), case.said)
