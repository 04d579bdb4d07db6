"""The schemas of the model's JSON answers: whether tools are needed, the calls, whether results are enough."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graphwright.proposals import call_branches, with_fields

MOST_CALLS = 4
"""Maximum number of calls in one round."""


class ToolDecision(BaseModel):
    """Whether tools are needed to answer."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = Field(default="", description="a few words")
    language: str = Field(default="", description="the ISO 639-1 code of the language that the user writes")
    needs_tools: bool


class ToolCall(BaseModel):
    """A call of one tool."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = ""
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolSelection(BaseModel):
    """The calls to make now."""

    model_config = ConfigDict(extra="ignore")

    tools: list[ToolCall] = Field(description="the calls; empty where nothing more is to be looked up")


class ResultEvaluation(BaseModel):
    """Whether results answer a question."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = Field(default="", description="a few words")
    adequate: bool
    not_found: bool = Field(default=False, description="whether nothing in the results answers the question")
    refinement: str = Field(default="", description="where not adequate: what to look up next, and how; else empty")


def selection_of(tools: Mapping[str, Mapping[str, Any]], *, described: bool = False) -> type[ToolSelection]:
    """Return the class `ToolSelection` with a branch for each of these tools, which are `{input_schema, ...}` by name.

    Unless the parameters are `described`, the schemas leave out the descriptions, which are in the prompt.
    """
    # Cached: creating the class and its schema takes longer than the rest of a turn, and tools rarely change.
    schemas = {name: info["input_schema"] for name, info in tools.items()}
    return _selection(
        json.dumps(
            [
                {"name": name, "parameters": schema if described else _undescribed(schema)}
                for name, schema in schemas.items()
            ]
        )
    )


def _undescribed(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = {
        name: {key: each for key, each in part.items() if key not in ("description", "default")}
        if isinstance(part, Mapping)
        else part
        for name, part in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}


@lru_cache(maxsize=16)
def _selection(offered: str) -> type[ToolSelection]:
    call = call_branches(json.loads(offered), before={"reasoning": {"type": "string"}})
    described = ToolSelection.model_fields["tools"].description or ""
    listed = {"type": "array", "items": call, "maxItems": MOST_CALLS, "description": described}
    return with_fields(ToolSelection, tools=listed)
