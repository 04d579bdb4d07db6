"""Structured output: a call of a model that returns an object of a Pydantic class, or fails."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from graphwright.models.calls import attempt, blocking, repair_turns
from graphwright.models.failures import BadReply, EmptyReply, MalformedReply, RejectedRequest, check_whole

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

M = TypeVar("M", bound=BaseModel)


def structured(model: BaseChatModel, schema: type[M], messages: Sequence[BaseMessage]) -> M:
    """`astructured` for a caller that does not await."""
    return blocking(astructured(model, schema, messages))


async def astructured(model: BaseChatModel, schema: type[M], messages: Sequence[BaseMessage]) -> M:
    """An instance of `schema`, which the provider sees under its class name.

    The provider is bound to the JSON Schema where it supports that, else by a tool call. An answer that does not
    validate is shown to the model with the error, once; then `MalformedReply`, `EmptyReply` or `CutReply` is raised.
    Other `ModelFailure`s come through as they are.
    """
    from graphwright.models.recorder import recorded

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
                # A server that speaks the API without this part of it: by a tool call then.
                method = "function_calling"
                reply = await _ask(model, schema, turns, method)
            return _read(reply, schema)
        except BadReply as failure:
            if last:
                raise
            turns += repair_turns(reply, failure.message)
    raise AssertionError("unreachable")


async def _ask(model: BaseChatModel, schema: type[M], turns: Sequence[BaseMessage], method: str) -> AIMessage:
    body = json_schema(schema)
    options: dict[str, Any] = {"include_raw": True}
    taken = inspect.signature(model.with_structured_output).parameters
    if method:
        options["method"] = method
    if "strict" in taken:
        options["strict"] = fit_for_strict(body)
    runnable = model.with_structured_output(body, **options)
    answer = await attempt(lambda: runnable.ainvoke(list(turns)), (schema.__name__,))
    if not isinstance(answer, dict):
        raise MalformedReply(f"The provider returned {type(answer).__name__} where an answer was due.")
    raw: AIMessage = answer["raw"]
    return raw


def json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a Pydantic class, properties in the order of the fields, titled by the class name."""
    return dict(_body(schema))


@lru_cache(maxsize=128)
def _body(schema: type[BaseModel]) -> dict[str, Any]:
    return {**schema.model_json_schema(), "title": schema.__name__}


def _method(model: BaseChatModel) -> str:
    """How this provider is bound to a schema: `json_schema` or `function_calling`; empty where it has one method."""
    taken = inspect.signature(model.with_structured_output).parameters.get("method")
    if taken is None:
        return ""
    known = (model.profile or {}).get("structured_output")
    if known is not None:
        return "json_schema" if known else "function_calling"
    return "json_schema" if taken.default == "json_schema" else "function_calling"


def fit_for_strict(schema: Mapping[str, Any]) -> bool:
    """Whether a strict mode takes this schema: every object closed, every field required and typed."""
    parts = [schema, *schema.get("$defs", {}).values()]
    return all(_strict(part) for part in parts)


def _strict(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    if any(key in schema for key in ("allOf", "oneOf", "not", "if", "patternProperties", "default")):
        return False
    if "$ref" in schema or "enum" in schema or "const" in schema:
        return True
    if "anyOf" in schema:
        return all(_strict(part) for part in schema["anyOf"])
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        whole = set(schema.get("required", ())) == set(properties)
        return closed and whole and all(_strict(part) for part in properties.values())
    if kind == "array":
        return _strict(schema.get("items"))
    return isinstance(kind, str)


def _read(reply: AIMessage, schema: type[M]) -> M:
    check_whole(reply)
    text = json.dumps(reply.tool_calls[0]["args"]) if reply.tool_calls else _without_fence(reply.text)
    if not text:
        broken = [str(call["args"]) for call in reply.invalid_tool_calls]
        if broken:
            raise MalformedReply(f"The answer is no {schema.__name__}: {broken[0][:200]} is not JSON.")
        raise EmptyReply(f"The model answered with nothing where a {schema.__name__} was asked for.")
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


def _without_fence(text: str) -> str:
    """The text without the code fence that some models put around JSON."""
    text = text.strip()
    found = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
    return found.group(1) if found else text
