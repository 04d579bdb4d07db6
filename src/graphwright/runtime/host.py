"""The one LangGraph graph that hosts every flow: ask, receive, perform. A flow is data to it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from graphwright.runtime.perform import perform
from graphwright.runtime.receive import Inbox, receive
from graphwright.runtime.run import StepLog, TurnRun
from graphwright.runtime.state import ThreadState
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
    thread = ThreadState.from_json(state.get("thread") or {})
    log = StepLog(runtime.context, thread.seq, thread.messages)
    new, goto = await receive(log, thread, Inbox.from_json(state["inbox"]))
    return _left(log, new, goto)


async def _perform(state: HostState, runtime: Runtime[TurnRun]) -> Command[str]:
    thread = ThreadState.from_json(state["thread"])
    log = StepLog(runtime.context, thread.seq, thread.messages)
    new, goto = await perform(log, thread)
    return _left(log, new, goto)


def _left(log: StepLog, state: ThreadState, goto: Goto) -> Command[str]:
    """Note the step. It is written together with the checkpoint that LangGraph makes of what this gives."""
    if log.run.error is not None:
        status = "failed"
    else:
        status = {"ask": "waiting", "perform": "running", "__end__": "ended"}[goto]
    checkpointed = log.finish(state, status=status)  # type: ignore[arg-type]
    return Command(goto=END if goto == "__end__" else goto, update={"thread": checkpointed, "inbox": {}})


@cache
def _builder() -> StateGraph[HostState, TurnRun, HostState, HostState]:
    builder = StateGraph(HostState, context_schema=TurnRun)
    builder.add_node("ask", _ask, destinations=("receive",))
    builder.add_node("receive", _receive, destinations=("ask", "perform", END))
    builder.add_node("perform", _perform, destinations=("ask", "perform", END))
    builder.add_edge(START, "receive")
    return builder


def host_graph(checkpointer: Checkpointer) -> CompiledStateGraph[HostState, TurnRun, HostState, HostState]:
    """The host graph on a checkpointer."""
    return _builder().compile(checkpointer=checkpointer, name="graphwright")
