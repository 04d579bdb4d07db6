"""The tools of a node: their declarations, the validation of arguments, and calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.errors import GraphwrightError, exception_text, redact
from graphwright.flow._schema_validation import violations
from graphwright.text.near_names import did_you_mean

__all__ = ["Tool"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call: `value` if `ok`, else an `error` for people and models, and its `kind`.

    `kind` is empty on success, else `unknown_tool`, `bad_arguments`, `bad_parameters` (the `parameters` of the tool are
    not a usable JSON Schema, so no arguments are valid) or `failed`. `code` is that of the GraphwrightError that the
    tool raised, or empty. `error` contains no secrets. `exception` is the exception of the tool, unless it was a
    GraphwrightError.
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

    `changes` is whether a call changes anything besides returning a value, or None if that is unknown.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    function: Callable[..., Any]
    nodes: frozenset[str] = frozenset()
    changes: bool | None = None

    def declaration(self) -> dict[str, Any]:
        """Return the declaration for a model: `{name, description, parameters}`."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}


def tool(*, nodes: list[str], parameters: Mapping[str, Any], name: str = "") -> Callable[[Callable[..., Any]], Tool]:
    """Declare a function as a tool that a model may be offered at the listed nodes. Returns a `Tool`.

    The docstring of the function is the description for the model. `parameters` is the JSON Schema of its arguments,
    and `name` its name, by default that of the function.

        @tool(nodes=["advise"], parameters={"type": "object", "properties": {"lamp": {"type": "string"}}})
        def in_stock(lamp: str = "LED") -> int:
            "How many lamps of a kind are in stock."
            return 40
    """

    def declare(function: Callable[..., Any]) -> Tool:
        description = inspect.getdoc(function) or ""
        return Tool(name or function.__name__, description, parameters, function, frozenset(nodes))

    return declare


class ToolRegistry:
    """The tools of one node. A node can only call its own tools: a global registry does not exist."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {t.name: t for t in tools}

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __len__(self) -> int:
        return len(self._tools)

    def declarations(self) -> list[dict[str, Any]]:
        """Return the declarations of all tools."""
        return [t.declaration() for t in self._tools.values()]

    def changes(self, name: str) -> bool | None:
        """Return whether a call of a tool changes anything, or None if that is unknown."""
        return self._tools[name].changes

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Validate the arguments and call the tool. A refusal or a failure is a result; nothing is raised.

        Name and arguments may be any values, since a model chose them.
        """
        # Imported here: `graphwright check` imports this module and needs no event loop.
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
            return _refused(name, "failed", error.full_text, error.code)
        except (Exception, SystemExit) as error:
            return replace(
                _refused(name, "failed", f"{type(error).__name__}: {exception_text(error)}"), exception=error
            )
        return ToolResult(name, True, value)

    def check(self, name: str, arguments: Mapping[str, Any]) -> ToolResult | None:
        """Return the refusal of a call without calling the tool, or None if the call is valid."""
        found = self._tools.get(name) if isinstance(name, str) else None
        if found is None:
            known = did_you_mean(str(name), self._tools) or f"its node has {', '.join(self._tools) or 'none'}"
            return _refused(str(name), "unknown_tool", f"there is no tool {name!r}; {known}")
        if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
            return _refused(name, "bad_arguments", "the arguments must be an object, from names to values")
        try:
            wrong = violations(found.parameters, dict(arguments))
        # An unusable schema may raise any exception.
        except Exception as error:
            why = getattr(error, "message", "") or exception_text(error)
            text = f"the tool {name!r} cannot be called: its `parameters` are not a usable JSON Schema: {why}"
            return _refused(name, "bad_parameters", text)
        return _refused(name, "bad_arguments", "; ".join(wrong)) if wrong else None


def _refused(tool: str, kind: str, error: str, code: str = "") -> ToolResult:
    return ToolResult(tool, False, error=redact(error), kind=kind, code=code)


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    try:
        return function(**arguments)
    # A future cannot store a StopIteration, and its caller would wait forever.
    except StopIteration as error:
        raise RuntimeError("StopIteration left the tool") from error
