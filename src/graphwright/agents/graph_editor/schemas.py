"""What the model is asked for: the goal as it understood it, one step at a time, and the tool call of a step."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic_core import CoreSchema

from graphwright.agents.graph_editor.tools import TOOLS

INTENTS = ("create", "update", "delete", "query", "mixed", "other")


def _writable(value: Any) -> Any:
    """What can be kept as JSON: models also write numbers beyond every range, and half characters."""
    match value:
        case str():
            value.encode()
        case bool() | None:
            pass
        case int():
            if not -(2**63) <= value < 2**63:
                raise ValueError(f"{str(value)[:20]} is beyond 64 bits; give it as a text")
        case float():
            if not math.isfinite(value):
                raise ValueError("a number must be finite")
        case dict():
            for name, item in value.items():
                _writable(name)
                _writable(item)
        case list():
            for item in value:
                _writable(item)
    return value


class ToolSignature(BaseModel):
    """A call of one tool."""

    model_config = ConfigDict(extra="ignore")

    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """One branch a form of each tool, so that a model that is held to the schema cannot mix them up."""
        branches = [
            _branch(tool.name, form) for tool in TOOLS for form in tool.parameters.get("anyOf", [tool.parameters])
        ]
        return {"anyOf": branches}


def _branch(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"tool_name": {"const": name}, "arguments": dict(arguments)},
        "required": ["tool_name", "arguments"],
        "additionalProperties": False,
    }


def _texts(value: Any) -> Any:
    """A list of texts; models also give one text, nothing, or objects."""
    if value is None or value is False or value == "":
        return []
    items = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]


class GoalSpec(BaseModel):
    """The user's request, understood but not yet done."""

    model_config = ConfigDict(extra="ignore")
    _writable = model_validator(mode="before")(_writable)

    intent: str = Field(description="what is wanted", json_schema_extra={"enum": list(INTENTS)})
    entities: list[str] = Field(
        default_factory=list,
        description="the keys, names and values that the request names, in its words",
        json_schema_extra={"maxItems": 12},
    )
    constraints: list[str] = Field(
        default_factory=list, description="conditions that the request sets", json_schema_extra={"maxItems": 4}
    )
    contradictions: list[str] = Field(
        default_factory=list,
        description="where the request demands two things that exclude each other",
        json_schema_extra={"maxItems": 3},
    )
    out_of_scope: str | None = Field(default=None, description="why this graph and its tools cannot help, else null")
    complexity: str = Field(
        default="complex",
        description="simple: one call does all of it; complex: several calls",
        json_schema_extra={"enum": ["simple", "complex"]},
    )
    tool: ToolSignature | None = Field(default=None, description="the one call of a simple request, else null")
    confidence: float = Field(default=1.0, description="0 to 1: how clear the request is")

    @field_validator("entities", "constraints", "contradictions", mode="before")
    @classmethod
    def _as_texts(cls, value: Any) -> Any:
        return _texts(value)

    @field_validator("out_of_scope", mode="before")
    @classmethod
    def _as_reason(cls, value: Any) -> Any:
        if value is True:
            return "it has nothing to do with this graph"
        return None if value is False or value == "" else value

    @field_validator("complexity", mode="before")
    @classmethod
    def _as_complexity(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) and value.lower() in ("simple", "complex") else "complex"

    @field_validator("confidence", mode="before")
    @classmethod
    def _as_share(cls, value: Any) -> Any:
        return min(1.0, max(0.0, value)) if isinstance(value, int | float) else value

    def is_simple_goal(self) -> bool:
        """Whether one call, which is there, does all of it."""
        return self.complexity == "simple" and self.tool is not None


class StepPlan(BaseModel):
    """The next step towards the goal."""

    model_config = ConfigDict(extra="ignore")
    _writable = model_validator(mode="before")(_writable)

    step: str = Field(default="", description="the part of the request that this step does")
    tool: ToolSignature | None = Field(default=None, description="the call; null when nothing is left to do")
    is_final: bool = Field(default=False, description="whether the request is done after this step")
    rationale: str = Field(default="", description="why, in a few words")
