"""Model and tool calls as events of a turn: counted, and written into the trace on behalf of a node."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from graphwright.engine.events import ModelCalled, ToolCalled
from graphwright.engine.host_interface import safe_message
from graphwright.flow.compiled import Action
from graphwright.flow.schema_validation import writable
from graphwright.host.actions import place_in
from graphwright.tools import ToolRegistry, ToolResult

if TYPE_CHECKING:
    from graphwright.host.definition import AgentDefinition
    from graphwright.host.run import StepRecord
    from graphwright.models import ModelCall


_tool_called: ContextVar[Callable[[ToolResult, tuple[str, ...], float], None] | None] = ContextVar(
    "graphwright_tool_called", default=None
)


@contextmanager
def observed(log: StepRecord, node: str) -> Iterator[None]:
    """Record all model and tool calls made inside the block as events of `node`; model calls count as usage.

    A call may end in another thread; its event is emitted in the thread of the turn. Calls that end after the block,
    such as those of an action that timed out, are not recorded.
    """
    from graphwright.models.usage import calling, observe_calls

    private = writes_private(log.run.agent, node)
    here, loop = threading.get_ident(), asyncio.get_running_loop()
    over = False

    def in_turn(emit: Callable[[], None]) -> None:
        def unless_over() -> None:
            if not over:
                emit()

        if threading.get_ident() == here:
            unless_over()
        else:
            loop.call_soon_threadsafe(unless_over)

    def model_called(call: ModelCall) -> None:
        log.run.model_called(call)
        log.emit(
            ModelCalled(
                node=node,
                model=call.model,
                offered=call.offered,
                input_tokens=call.input_tokens,
                output_tokens=call.output_tokens,
                seconds=round(call.seconds, 3),
                error=call.error,
                answer=writable(dict(call.answer)),
                private=private,
            )
        )

    def tool_called(result: ToolResult, given: tuple[str, ...], seconds: float) -> None:
        if result.exception is not None and not isinstance(result.exception, ConnectionError | TimeoutError):
            # The model gets the error as a result, so log the place of the error for the author of the tool.
            place, text = place_in(result.exception, log.run.agent.folder), safe_message(result.exception)
            where = f" ({place})" if place else ""
            logging.getLogger("graphwright").error("Tool %r at %r failed: %s%s", result.tool, node, text, where)
        answer = result.ok, round(seconds, 4), result.kind, result.error, result.code
        in_turn(lambda: log.emit(ToolCalled(node, result.tool, given, *answer)))

    before = _tool_called.set(tool_called)
    try:
        with ExitStack() as stack:
            stack.enter_context(calling(node))
            stack.enter_context(observe_calls(lambda call: in_turn(lambda: model_called(call))))
            yield
    finally:
        over = True
        _tool_called.reset(before)


def writes_private(agent: AgentDefinition, node: str) -> bool:
    """Whether what a model answers at a node may be what the node writes into a private channel."""
    action = agent.flow.nodes.get(node)
    if not isinstance(action, Action) or action.run not in agent.actions:
        return False
    channels = agent.flow.channels
    return any(name in channels and channels[name].private for name in agent.actions[action.run].writes)


_Call = Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]]


class NodeTools(ToolRegistry):
    """A registry whose calls become events of the turn that they are made in."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """As the registry's."""
        return await _told(super().call, name, arguments)


async def called(tools: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool of any registry, such as one of servers outside, as an event of the turn that it is called in."""
    return await _told(tools.call, name, arguments)


async def _told(call: _Call, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    began = time.perf_counter()
    result = await call(name, arguments)
    if (tell := _tool_called.get()) is not None:
        given = tuple(map(str, arguments)) if isinstance(arguments, Mapping) else ()
        tell(result, given, time.perf_counter() - began)
    return result
