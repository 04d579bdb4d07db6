"""Tools of a node: their declarations, the check of their arguments, and calling them."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, redact, said
from graphwright.tools.fitting import Fits, surely_fits

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call: `value` when `ok`, else why not in `error` (for the model, too) and its `kind`.

    `kind` is empty when the call went well, else `unknown_tool`, `bad_arguments`, `bad_parameters` (what the tool
    declares as its parameters is no usable JSON Schema: no arguments would mend it) or `failed`. `code` is that of the
    GraphwrightError that a tool failed with, by which a tool tells its failures apart; else it is empty. `error` holds
    nothing that looks like a secret.
    """

    tool: str
    ok: bool
    value: Any = None
    error: str = ""
    kind: str = ""
    code: str = ""


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
            return _refused(name, "failed", f"{type(error).__name__}: {said(error)}")
        return ToolResult(name, True, value)

    def check(self, name: str, arguments: Mapping[str, Any]) -> ToolResult | None:
        """What `call` would refuse, without calling anything; None when the call may be made."""
        found = self._tools.get(name) if isinstance(name, str) else None
        if found is None:
            known = _nearest(str(name), self._tools) or f"there are {', '.join(self._tools) or 'none'}"
            return _refused(str(name), "unknown_tool", f"there is no tool {name!r}; {known}")
        if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
            given = f"{type(arguments).__name__} was given"
            if isinstance(arguments, Mapping):
                given = "not every name is a text"
            return _refused(name, "bad_arguments", f"the arguments must be an object, from names to values; {given}")
        try:
            wrong = _wrong(found.parameters, dict(arguments))
        # An unusable schema fails in as many ways as it can be written.
        except Exception as error:
            from jsonschema.exceptions import SchemaError

            why = error.message if isinstance(error, SchemaError) else said(error)
            text = f"the tool {name!r} cannot be called: its `parameters` are not a usable JSON Schema: {why}"
            return _refused(name, "bad_parameters", text)
        return _refused(name, "bad_arguments", "; ".join(wrong)) if wrong else None


def _refused(tool: str, kind: str, error: str, code: str = "") -> ToolResult:
    return ToolResult(tool, False, error=redact(error), kind=kind, code=code)


def _wrong(parameters: Mapping[str, Any], arguments: dict[str, Any]) -> list[str]:
    """What is wrong with the arguments. An unusable schema raises whatever the validator trips over."""
    validator, fits = _validator(json.dumps(dict(parameters)))
    if fits(arguments):
        return []
    return sorted(line for error in validator.iter_errors(arguments) for line in _said(error))


@lru_cache(maxsize=256)
def _validator(schema: str) -> tuple[Draft202012Validator, Fits]:
    # Looking the schema itself over takes longer than the rest of a call: once is enough.
    from jsonschema import Draft202012Validator

    parsed = json.loads(schema)
    Draft202012Validator.check_schema(parsed)
    return Draft202012Validator(parsed), surely_fits(parsed)


def _said(error: ValidationError) -> Iterator[str]:
    """What a violation is, with the nearest of what would be allowed."""
    schema: Any = error.schema
    given: Any = error.instance
    place = ".".join(map(str, error.path))
    if error.validator == "additionalProperties" and schema["additionalProperties"] is False:
        known = list(schema.get("properties", ()))
        patterns = schema.get("patternProperties", ())
        for name in given:
            if name not in known and not any(re.search(pattern, name) for pattern in patterns):
                near = _nearest(name, known) or f"there are {', '.join(known) or 'none'}"
                yield f"{f'{place}.' if place else ''}{name}: there is no such argument; {near}"
        return
    near = ""
    if error.validator == "enum" and isinstance(given, str):
        near = _nearest(given, [value for value in schema["enum"] if isinstance(value, str)])
    yield f"{place or 'arguments'}: {error.message}{f'; {near}' if near else ''}"


def _nearest(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]!r}?" if near else ""


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    try:
        return function(**arguments)
    # A future cannot hold this one: whoever waits for it would wait for ever.
    except StopIteration as error:
        raise RuntimeError("StopIteration left the tool") from error
