"""The base class of this package's chat models, with tools and schemas as in OpenAI's API; and the model `none`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from graphwright.models._failures import MalformedReply, NoModel


@dataclass(frozen=True, slots=True)
class Binding:
    """The binding of a request: tools (`name`, `description`, `parameters`), or one schema, or nothing.

    `required`: a tool must be called. `several`: more than one may be called.
    """

    tools: tuple[Mapping[str, Any], ...] = ()
    schema: Mapping[str, Any] | None = None
    schema_name: str = ""
    required: bool = False
    several: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, or of the schema."""
        return (self.schema_name,) if self.schema is not None else tuple(str(t["name"]) for t in self.tools)


class ToolBindingChatModel(BaseChatModel):
    """A chat model whose requests have tools and schemas in the format of OpenAI's API."""

    # Parts of a tool call are useless.
    disable_streaming: bool | Literal["tool_calling"] = "tool_calling"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        parallel_tool_calls: bool = True,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer tools. `tool_choice`: `auto` (default), `any` or `required`, or the name of one tool."""
        offered = [convert_to_openai_tool(tool) for tool in tools]
        names = [tool["function"]["name"] for tool in offered]
        if tool_choice in names:
            offered = [tool for tool in offered if tool["function"]["name"] == tool_choice]
        elif tool_choice not in (None, "auto", "any", "required"):
            raise ValueError(f"tool_choice {tool_choice!r} is none of the tools offered: {', '.join(names)}")
        required = tool_choice not in (None, "auto")
        return self.bind(tools=offered, tool_choice="required" if required else "auto",
                         parallel_tool_calls=parallel_tool_calls)  # fmt: skip

    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        include_raw: bool = False,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, dict[str, Any] | BaseModel]:
        """Answer with an object of the schema: a Pydantic class, or a JSON Schema with a `title`."""
        model = schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None
        body = model.model_json_schema() if model else dict(schema) if isinstance(schema, dict) else None
        if body is None:
            raise TypeError(f"a schema is a Pydantic class or a JSON Schema, not {schema!r}")
        name = model.__name__ if model else str(body.get("title") or "Answer")
        wanted = {"type": "json_schema", "json_schema": {"name": name, "schema": body}}

        def parsed(raw: AIMessage) -> Any:
            error: Exception | None = None
            value: Any = None
            try:
                value = model.model_validate_json(raw.text) if model else json.loads(raw.text)
            # RecursionError: it is nested too deeply for the parser.
            except (ValueError, RecursionError) as problem:
                error = problem
            if include_raw:
                return {"raw": raw, "parsed": value, "parsing_error": error}
            if error is not None:
                raise MalformedReply(f"The answer is no {name}: {error}.")
            return value

        return self.bind(response_format=wanted) | RunnableLambda(parsed)


def binding_of(kwargs: Mapping[str, Any]) -> Binding:
    """Return the binding of a request with these arguments."""
    wanted = kwargs.get("response_format")
    if wanted:
        described = wanted["json_schema"]
        return Binding(schema=described["schema"], schema_name=described["name"], required=True)
    return Binding(
        tools=tuple(tool["function"] for tool in kwargs.get("tools") or ()),
        required=kwargs.get("tool_choice") == "required",
        several=bool(kwargs.get("parallel_tool_calls", True)),
    )


class NoChatModel(BaseChatModel):
    """The model `none`: every call raises `NoModel`, a ModelFailure with the code `no_model`."""

    @property
    def _llm_type(self) -> str:
        return "none"

    def bind_tools(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise _no_model()

    def with_structured_output(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise _no_model()

    def _generate(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise _no_model()


def _no_model() -> NoModel:
    return NoModel(
        "This needs a model, and the model chosen is `none`.",
        "Choose one with --model or GRAPHWRIGHT_MODEL: embedded, or PROVIDER:MODEL.",
    )
