"""The one LangGraph graph that hosts every flow: ask, receive, perform. A flow is data to it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from graphwright.runtime.perform import perform
from graphwright.runtime.receive import receive
from graphwright.runtime.run import StepLog, TurnRun
from graphwright.runtime.state import ThreadState
from graphwright.runtime.turn import Inbox
from graphwright.runtime.walk import Goto

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import Checkpointer


class HostState(TypedDict, total=False):
    """The checkpointed channels: the thread's state, and the message being served."""

    thread: dict[str, Any]
    inbox: dict[str, Any]


async def _ask(state: HostState) -> Command[str]:
    # Only interrupts: LangGraph runs this node again from its start when the reply comes.
    reply = interrupt(state["thread"].get("waiting"))
    return Command(goto="receive", update={"inbox": reply})


async def _receive(state: HostState, runtime: Runtime[TurnRun]) -> Command[str]:
    given = state.get("thread") or {}
    if not state["inbox"]:
        # It was taken in, and what came after that was cut short.
        return await _performed(runtime.context, given)
    thread = ThreadState.from_json(given)
    log = StepLog(runtime.context, thread.seq, thread.messages)
    new, goto = await receive(log, thread, Inbox.from_json(state["inbox"]))
    left = _left(log, new, goto)
    return await _performed(runtime.context, left) if goto == "perform" else _to(goto, left)


async def _performed(run: TurnRun, given: dict[str, Any]) -> Command[str]:
    """Perform the action at the position, and those that follow it.

    A step of LangGraph costs more than most actions: between two of them the checkpoint is only brought up to date.
    """
    goto: Goto = "perform"
    while goto == "perform":
        run.work.note_state(HostState(thread=given, inbox={}))
        thread = ThreadState.from_json(given)
        log = StepLog(run, thread.seq, thread.messages)
        new, goto = await perform(log, thread)
        given = _left(log, new, goto)
    return _to(goto, given)


def _left(log: StepLog, state: ThreadState, goto: Goto) -> dict[str, Any]:
    """Note the step, which is written together with the next checkpoint, and give the state for that."""
    if log.run.error is not None:
        status = "failed"
    else:
        status = {"ask": "waiting", "perform": "running", "__end__": "ended"}[goto]
    return log.finish(state, status=status)  # type: ignore[arg-type]


def _to(goto: Goto, left: dict[str, Any]) -> Command[str]:
    return Command(goto=END if goto == "__end__" else goto, update={"thread": left, "inbox": {}})


@cache
def _builder() -> StateGraph[HostState, TurnRun, HostState, HostState]:
    builder = StateGraph(HostState, context_schema=TurnRun)
    builder.add_node("ask", _ask, destinations=("receive",))
    builder.add_node("receive", _receive, destinations=("ask", END))
    builder.add_edge(START, "receive")
    return builder


def host_graph(checkpointer: Checkpointer) -> CompiledStateGraph[HostState, TurnRun, HostState, HostState]:
    """The host graph on a checkpointer."""
    return _builder().compile(checkpointer=checkpointer, name="graphwright")
