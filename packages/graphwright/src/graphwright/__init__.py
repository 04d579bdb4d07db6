"""Graphwright: agent graphs you can read, check, test and run.

    async with graphwright.load("intake").session("t1") as session:
        turn = await session.send("We need new lights for our tennis court")
        print(turn.reply)

All names are imported on first use, so that the command line starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.errors import GraphwrightError, UsageError
    from graphwright.flow import CompiledFlow, Diagnostic, compile_text
    from graphwright.host._action_context import ActionContext, called
    from graphwright.host._actions import Reset, action, validator
    from graphwright.host._session import Session
    from graphwright.host._turn import Turn
    from graphwright.host._workspace import Workspace
    from graphwright.host.agent import Agent, FlowInvalid, load
    from graphwright.host.thread_files import GivenFile
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
    "load": "host.agent",
    "Agent": "host.agent",
    "FlowInvalid": "host.agent",
    "Session": "host._session",
    "Turn": "host._turn",
    "Workspace": "host._workspace",
    "action": "host._actions",
    "validator": "host._actions",
    "Reset": "host._actions",
    "ActionContext": "host._action_context",
    "GivenFile": "host.thread_files",
    "called": "host._action_context",
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
