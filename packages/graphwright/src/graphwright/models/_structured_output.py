"""Structured answers: an object of a Pydantic class, or calls of offered tools; validated, and repaired once."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from graphwright.errors import exception_text
from graphwright.flow._schema_validation import UnusableSchema, compiled_schema, violations
from graphwright.models._calls import attempt, blocking, repair_turns
from graphwright.models._failures import BadReply, MalformedReply, ModelFailure, RefusedToolCall, RejectedRequest
from graphwright.models._replies import check_whole, cleaned, json_in, nothing_in
from graphwright.text.near_names import nearest
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

M = TypeVar("M", bound=BaseModel)


def structured(model: BaseChatModel, schema: type[M], messages: Sequence[BaseMessage]) -> M:
    """Run `astructured` for a synchronous caller."""
    return blocking(astructured(model, schema, messages))


async def astructured(model: BaseChatModel, schema: type[M], messages: Sequence[BaseMessage]) -> M:
    """Return an instance of `schema`, which the provider sees under its class name.

    The provider is bound to the JSON Schema if it supports that, else to a tool call. An answer that does not validate
    is shown to the model with the error, once; then `MalformedReply`, `EmptyReply` or `CutReply` is raised. Other
    `ModelFailure`s are raised immediately.
    """
    from graphwright.models._recorder import recorded

    model = recorded(model)
    turns = list(messages)
    method = _method(model)
    for last in (False, True):
        reply: AIMessage | None = None
        try:
            try:
                reply = await _ask(model, schema, turns, method)
            except RejectedRequest as refused:
                if method != "json_schema" or not re.search("response_format|json_schema|schema", str(refused)):
                    raise
                # The server implements the API without this feature: use a tool call.
                method = _OWN_TOOL
                reply = await _ask(model, schema, turns, method)
            return _read(reply, schema)
        except BadReply as failure:
            if last:
                raise
            turns += repair_turns(reply, failure.message)
    raise AssertionError("unreachable")


_OWN_TOOL = "own_tool"
"""The method that binds a tool here, without the options that strict servers refuse."""


async def _ask(model: BaseChatModel, schema: type[M], turns: Sequence[BaseMessage], method: str) -> AIMessage:
    if method == _OWN_TOOL:
        body = json_schema(schema)
        tool = {"name": schema.__name__, "description": body.get("description"), "parameters": body}
        return await _call(model, [tool], turns, {"tool_choice": "any"})
    options: dict[str, Any] = {"include_raw": True}
    if method:
        options["method"] = method
    runnable = model.with_structured_output(json_schema(schema), **options)
    answer = await attempt(lambda: runnable.ainvoke(list(turns)), (schema.__name__,))
    if not isinstance(answer, dict):
        raise MalformedReply(f"The provider returned {type(answer).__name__} where an answer was due.")
    raw: AIMessage = answer["raw"]
    return cleaned(raw)


_OPTIONAL = {"tool_choice": "tool.?choice", "parallel_tool_calls": "parallel.?tool.?calls"}
"""Options of a request with tools that some servers refuse, and patterns of their refusals."""


async def _call(
    model: BaseChatModel, tools: Sequence[Mapping[str, Any]], turns: Sequence[BaseMessage], options: dict[str, Any]
) -> AIMessage:
    """Return the answer to a request that offers tools. An option that the server refuses by name is left out."""
    offered, names = [_tool_declaration(tool) for tool in tools], [str(tool["name"]) for tool in tools]
    while True:
        runnable = model.bind_tools(offered, **options)
        try:
            return cleaned(await attempt(partial(runnable.ainvoke, list(turns)), names))
        except RejectedRequest as refused:
            left = {k: v for k, v in options.items() if not re.search(_OPTIONAL[k], str(refused), re.IGNORECASE)}
            if left == options:
                raise
            options = left


def json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a Pydantic class, properties in the order of the fields, with the class name as title.

    Properties have no title unless the field declares one: a title made from the name would repeat it in each prompt.
    """
    return dict(_body(schema))


class _WithoutFieldTitles(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@lru_cache(maxsize=128)
def _body(schema: type[BaseModel]) -> dict[str, Any]:
    return {**schema.model_json_schema(schema_generator=_WithoutFieldTitles), "title": schema.__name__}


def _method(model: BaseChatModel) -> str:
    """Return how this provider is bound to a schema: `json_schema`, `function_calling`, or empty for its default."""
    taken = inspect.signature(model.with_structured_output).parameters.get("method")
    if taken is None:
        return ""
    known = (model.profile or {}).get("structured_output")
    if known is not None:
        return "json_schema" if known else "function_calling"
    return "json_schema" if taken.default == "json_schema" else "function_calling"


def _read(reply: AIMessage, schema: type[M]) -> M:
    check_whole(reply)
    text = json.dumps(reply.tool_calls[0]["args"]) if reply.tool_calls else json_in(reply.text)
    if not text:
        broken = [str(call["args"]) for call in reply.invalid_tool_calls]
        if broken:
            raise MalformedReply(f"The answer is no {schema.__name__}: {broken[0][:200]} is not JSON.")
        raise nothing_in(reply, f"a {schema.__name__}")
    try:
        return schema.model_validate_json(text)
    except ValidationError as error:
        problems = "; ".join(_problem(part) for part in error.errors(include_url=False))
        raise MalformedReply(
            f"The answer is no {schema.__name__}: {problems}.", "Try again, or use a stronger model."
        ) from None


def _problem(part: Any) -> str:
    where = ".".join(str(step) for step in part["loc"])
    return f"{where}: {part['msg']}" if where else str(part["msg"])


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of an offered tool, with arguments that match its schema."""

    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RejectedCall:
    """A call that does not match the offered tools, and the problem."""

    name: str
    args: Any
    problem: str


class ToolCalls(list[ToolCall]):
    """The calls of one answer, in the model's order.

    `rejected` are calls of the same answer that were still wrong after the repair: a caller whose calls depend on each
    other should stop if there are any. `text` is the text next to the calls.
    """

    def __init__(self, calls: Sequence[ToolCall] = (), rejected: Sequence[RejectedCall] = (), text: str = "") -> None:
        super().__init__(calls)
        self.rejected = tuple(rejected)
        self.text = text


async def acall_tools(
    model: BaseChatModel,
    tools: Sequence[Mapping[str, Any]],
    messages: Sequence[BaseMessage],
    *,
    required: bool = True,
    several: bool = True,
) -> ToolCalls:
    """Offer tools `{"name", "description", "parameters": JSON Schema}` and return the calls of the model.

    Every call is of an offered tool and its arguments match the schema, or `accepts`, a wider schema of the tool. The
    problems of an answer are shown to the model, once. If calls are still wrong then, the valid ones of that answer
    (or, if it has none, of the first) are returned and the others are in `rejected`; without valid ones a `BadReply` is
    raised. Without `required` an answer of text alone is an empty list with that `text`; without `several` only one
    call is accepted.
    """
    from graphwright.models._recorder import recorded

    checks = {str(tool["name"]): _validator(tool) for tool in tools}
    model = recorded(model)
    options: dict[str, Any] = {"tool_choice": "any"} if required else {}
    if not several and "parallel_tool_calls" in inspect.signature(model.bind_tools).parameters:
        options["parallel_tool_calls"] = False
    turns = list(messages)
    usable: ToolCalls | None = None
    for last in (False, True):
        reply: AIMessage | None = None
        try:
            reply = await _call(model, tools, turns, options)
            found = _read_calls(reply, checks, required=required, several=several)
            if not found.rejected:
                return found
            if found:
                usable = found
            elif last:
                raise MalformedReply(_wrong_calls(found), "Try again, or use a stronger model.")
            problem = _wrong_calls(found)
        except BadReply as failure:
            problem = failure.message
            if last and usable is None:
                raise
        turns += repair_turns(reply, problem)
    assert usable is not None
    return usable


Checks = Mapping[str, Callable[[Any], str]]


def _tool_declaration(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool.get("description") or tool["name"],
        "parameters": tool.get("parameters") or {"type": "object", "properties": {}},
    }


def _read_calls(reply: AIMessage, checks: Checks, *, required: bool, several: bool) -> ToolCalls:
    check_whole(reply)
    text = reply.text.strip()
    if not reply.tool_calls and not reply.invalid_tool_calls:
        if not text:
            raise nothing_in(reply)
        if required:
            raise RefusedToolCall(
                f"The model answered with text where it had to call one of {', '.join(checks)}: {text[:200]}.",
                "Try again, or use a model that calls tools.",
            )
    good: list[ToolCall] = []
    bad = [
        RejectedCall(call["name"] or "", call["args"], "the arguments are not JSON")
        for call in reply.invalid_tool_calls
    ]
    for call in reply.tool_calls:
        problem = _call_problem(call["name"], call["args"], checks)
        if not problem and good and not several:
            problem = "only one call is allowed"
        if problem:
            bad.append(RejectedCall(call["name"], call["args"], problem))
        else:
            good.append(ToolCall(call["name"], call["args"]))
    return ToolCalls(good, bad, text)


def _call_problem(name: str, args: Any, checks: Checks) -> str:
    check = checks.get(name)
    if check is None:
        near = nearest(name, checks, most=1)
        guess = f"; did you mean {near[0]}?" if near else ""
        return f"there is no such tool, only {', '.join(checks)}{guess}"
    return check(args)


_MOST_PROBLEMS = 10
"""Maximum number of rejected calls in a repair message, which is the result of each of possibly thousands of calls."""


def _wrong_calls(found: ToolCalls) -> str:
    shown = [
        f"{call.name}({json.dumps(call.args, ensure_ascii=False, default=str)[:300]}): {call.problem}."
        for call in found.rejected[:_MOST_PROBLEMS]
    ]
    more = len(found.rejected) - len(shown)
    return " ".join([*shown, f"Wrong beside these: {many(more, 'more call')}."] if more > 0 else shown)


def _validator(tool: Mapping[str, Any]) -> Callable[[Any], str]:
    schema = tool.get("accepts") or tool.get("parameters") or {}
    try:
        compiled_schema(schema)
    except UnusableSchema as error:
        raise ModelFailure(
            f"The parameters of the tool {tool['name']} are no JSON Schema: {exception_text(error)}.",
            "Correct the schema of the tool.",
            code="bad_tool_schema",
        ) from None
    return lambda args: "; ".join(violations(schema, args)[:3])
