"""Graphwright: agent graphs you can read, check, test and run.

    async with graphwright.load("intake").session("t1") as session:
        turn = await session.send("We need new lights for our tennis court")
        print(turn.reply)

Everything here is imported when it is first used, so that the command line starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.errors import GraphwrightError, UsageError
    from graphwright.flow import CompiledFlow, Diagnostic, compile_text
    from graphwright.runtime.action_context import ActionContext
    from graphwright.runtime.actions import Reset, action, validator
    from graphwright.runtime.agent import Agent, FlowInvalid, load
    from graphwright.runtime.observed_calls import called
    from graphwright.runtime.session import Session
    from graphwright.runtime.thread_files import GivenFile
    from graphwright.runtime.turn import Turn
    from graphwright.runtime.workspace import Workspace
    from graphwright.tools import ToolResult, tool

__all__ = [
    # run an agent
    "load",
    "Agent",
    "Session",
    "Turn",
    "Workspace",
    # write an agent
    "action",
    "validator",
    "tool",
    "ActionContext",
    "GivenFile",
    "called",
    "Reset",
    "ToolResult",
    # check a flow
    "compile_text",
    "CompiledFlow",
    "Diagnostic",
    # errors
    "GraphwrightError",
    "UsageError",
    "FlowInvalid",
]

__version__ = "0.1.0"

_HOMES = {
    "load": "runtime.agent",
    "Agent": "runtime.agent",
    "FlowInvalid": "runtime.agent",
    "Session": "runtime.session",
    "Turn": "runtime.turn",
    "Workspace": "runtime.workspace",
    "action": "runtime.actions",
    "validator": "runtime.actions",
    "Reset": "runtime.actions",
    "ActionContext": "runtime.action_context",
    "GivenFile": "runtime.thread_files",
    "called": "runtime.observed_calls",
    "tool": "tools",
    "ToolResult": "tools",
    "compile_text": "flow",
    "CompiledFlow": "flow",
    "Diagnostic": "flow",
    "GraphwrightError": "errors",
    "UsageError": "errors",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'graphwright' has no attribute {name!r}")
    value = getattr(import_module(f"graphwright.{home}"), name)
    globals()[name] = value
    return value
