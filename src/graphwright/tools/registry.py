"""Tools of a node: their declarations, the check of their arguments, and calling them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call: `value` when `ok`, else why not in `error` (for the model, too) and its `kind`.

    `kind` is `unknown_tool`, `bad_arguments` or `failed`; empty when the call went well.
    """

    tool: str
    ok: bool
    value: Any = None
    error: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. `parameters` is the JSON Schema of its arguments, an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    function: Callable[..., Any]
    nodes: frozenset[str] = frozenset()

    def declaration(self) -> dict[str, Any]:
        """The form that a model is offered: `{name, description, parameters}`."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}


def tool(*, nodes: list[str], parameters: Mapping[str, Any], name: str = "") -> Callable[[Callable[..., Any]], Tool]:
    """Declare a function as a tool of the named nodes; its docstring is the description that a model reads."""

    def declare(function: Callable[..., Any]) -> Tool:
        description = inspect.getdoc(function) or ""
        return Tool(name or function.__name__, description, parameters, function, frozenset(nodes))

    return declare


class ToolRegistry:
    """The tools of one node. There is no global one: what a node was not given it cannot call."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {t.name: t for t in tools}

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __len__(self) -> int:
        return len(self._tools)

    def declarations(self) -> list[dict[str, Any]]:
        """All tools in the form that a model is offered."""
        return [t.declaration() for t in self._tools.values()]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Check the arguments and call the tool. A refusal or a failure is a result, never an exception."""
        found = self._tools.get(name)
        if found is None:
            near = get_close_matches(name, self._tools, 1)
            known = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self._tools) or 'none'}"
            return ToolResult(name, False, error=f"there is no tool {name!r}; {known}", kind="unknown_tool")
        wrong = [
            f"{'.'.join(map(str, e.path)) or 'arguments'}: {e.message}"
            for e in Draft202012Validator(dict(found.parameters)).iter_errors(dict(arguments))
        ]
        if wrong:
            return ToolResult(name, False, error="; ".join(sorted(wrong)), kind="bad_arguments")
        try:
            if inspect.iscoroutinefunction(found.function):
                value = await found.function(**arguments)
            else:
                value = await asyncio.to_thread(found.function, **arguments)
        except Exception as error:
            return ToolResult(name, False, error=f"{type(error).__name__}: {error}", kind="failed")
        return ToolResult(name, True, value)
