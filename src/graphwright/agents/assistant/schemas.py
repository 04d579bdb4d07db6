"""What the model is asked for as JSON: whether tools are needed, which calls to make, whether results are enough."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

MOST_CALLS = 4
"""Calls that one round may have."""


class ToolDecision(BaseModel):
    """Whether tools are needed to answer."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(description="a few words")
    needs_tools: bool


class ResultEvaluation(BaseModel):
    """Whether results answer a question."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(description="a few words")
    adequate: bool
    refinement: str = Field(description="where inadequate: what to search for instead; else empty")


class ToolSelection(BaseModel):
    """The calls to make; what the model is offered has one branch a tool: `selection_of`."""

    tools: list[Any]


def selection_of(tools: Mapping[str, Mapping[str, Any]]) -> type[ToolSelection]:
    """The class `ToolSelection` for these tools: `tools` is a list of `{tool_name, arguments, reasoning}`."""
    # Making a class and its schema takes longer than the rest of a turn; tools hardly ever change.
    return _selection(json.dumps({name: _offered(info.get("input_schema") or {}) for name, info in tools.items()}))


@lru_cache(maxsize=16)
def _selection(offered: str) -> type[ToolSelection]:
    branches = [_branch(name, arguments) for name, arguments in json.loads(offered).items()]
    item: Any = reduce(or_, branches)
    listed: Any = Annotated[list[item], Field(min_length=1, max_length=MOST_CALLS)]
    return create_model("ToolSelection", __base__=ToolSelection, __doc__="The calls to make.", tools=(listed, ...))


def _branch(name: str, offered: dict[str, Any]) -> type[BaseModel]:
    arguments: Any = Annotated[dict[str, Any], WithJsonSchema(offered)]
    named: Any = Literal[name]
    return create_model(
        f"Call_{name}",
        __config__=ConfigDict(extra="forbid"),
        tool_name=(named, ...),
        arguments=(arguments, ...),
        reasoning=(str, Field(default="", description="a few words")),
    )


def _offered(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a tool's arguments as a decoder is held to it: names, types and options, without limits.

    A decoder held to limits bends a value to fit; what does not fit is for the check before the call to say.
    """
    properties = schema.get("properties") or {}
    return {
        "type": "object",
        "properties": {name: _value(facts) for name, facts in properties.items()},
        "required": [name for name in schema.get("required") or () if name in properties],
        "additionalProperties": False,
    }


def _value(facts: Any) -> dict[str, Any]:
    if not isinstance(facts, Mapping):
        return {"type": "string"}
    if isinstance(facts.get("enum"), list) and facts["enum"]:
        return {"enum": list(facts["enum"])}
    kind = facts.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    if kind == "array":
        return {"type": "array", "items": _value(facts.get("items"))}
    if kind == "object":
        inner = facts.get("properties")
        if isinstance(inner, Mapping) and inner:
            return _offered(facts)
        return {"type": "object"}
    if kind in ("integer", "number", "boolean", "string"):
        return {"type": kind}
    for combined in ("anyOf", "oneOf"):
        options = [
            each for each in facts.get(combined) or () if isinstance(each, Mapping) and each.get("type") != "null"
        ]
        if options:
            return _value(options[0])
    return {"type": "string"}
