"""Tools of a node: their declarations, the check of their arguments, and calling them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.errors import GraphwrightError, redact, said
from graphwright.flow.schema_validation import violations
from graphwright.text.near_names import did_you_mean


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call: `value` when `ok`, else why not in `error` (for the model, too) and its `kind`.

    `kind` is empty when the call went well, else `unknown_tool`, `bad_arguments`, `bad_parameters` (what the tool
    declares as its parameters is no usable JSON Schema: no arguments would mend it) or `failed`. `code` is that of the
    GraphwrightError that a tool failed with, by which a tool tells its failures apart; else it is empty. `error` holds
    nothing that looks like a secret. `exception` is what the tool raised, unless it was a GraphwrightError.
    """

    tool: str
    ok: bool
    value: Any = None
    error: str = ""
    kind: str = ""
    code: str = ""
    exception: BaseException | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. `parameters` is the JSON Schema of its arguments, an object.

    `changes` says whether a call changes anything but what it gives back, None where that is not known.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    function: Callable[..., Any]
    nodes: frozenset[str] = frozenset()
    changes: bool | None = None

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

    def changes(self, name: str) -> bool | None:
        """Whether a call of a tool changes anything, as far as its maker says."""
        return self._tools[name].changes

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Check the arguments and call the tool. A refusal or a failure is a result, never an exception.

        Name and arguments may be anything that a model came up with.
        """
        # `graphwright check` imports this module, and no event loop.
        import asyncio

        refused = self.check(name, arguments)
        if refused is not None:
            return refused
        found = self._tools[name]
        try:
            if inspect.iscoroutinefunction(found.function):
                value = await found.function(**arguments)
            else:
                value = await asyncio.to_thread(_called, found.function, dict(arguments))
        except GraphwrightError as error:
            return _refused(name, "failed", f"{error.message.rstrip('.')}. {error.hint}".rstrip(), error.code)
        except (Exception, SystemExit) as error:
            return replace(_refused(name, "failed", f"{type(error).__name__}: {said(error)}"), exception=error)
        return ToolResult(name, True, value)

    def check(self, name: str, arguments: Mapping[str, Any]) -> ToolResult | None:
        """What `call` would refuse, without calling anything; None when the call may be made."""
        found = self._tools.get(name) if isinstance(name, str) else None
        if found is None:
            known = did_you_mean(str(name), self._tools) or f"there are {', '.join(self._tools) or 'none'}"
            return _refused(str(name), "unknown_tool", f"there is no tool {name!r}; {known}")
        if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
            return _refused(name, "bad_arguments", "the arguments must be an object, from names to values")
        try:
            wrong = violations(found.parameters, dict(arguments))
        # An unusable schema fails in as many ways as it can be written.
        except Exception as error:
            why = getattr(error, "message", "") or said(error)
            text = f"the tool {name!r} cannot be called: its `parameters` are not a usable JSON Schema: {why}"
            return _refused(name, "bad_parameters", text)
        return _refused(name, "bad_arguments", "; ".join(wrong)) if wrong else None


def _refused(tool: str, kind: str, error: str, code: str = "") -> ToolResult:
    return ToolResult(tool, False, error=redact(error), kind=kind, code=code)


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    try:
        return function(**arguments)
    # A future cannot hold this one: whoever waits for it would wait for ever.
    except StopIteration as error:
        raise RuntimeError("StopIteration left the tool") from error
