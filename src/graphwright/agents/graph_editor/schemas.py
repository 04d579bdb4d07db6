"""What the model is asked for: the goal as it understood it, the next step, and the tool calls of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, Field, field_validator, model_validator

from graphwright.proposals import with_fields

INTENTS = ("create", "update", "delete", "query", "mixed", "other")
MOST_CALLS = 100  # of one step

B = TypeVar("B", bound=BaseModel)


def _writable(value: Any) -> Any:
    """What can be kept as JSON: models also write numbers beyond every range, and half characters."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text.encode()
    json.loads(text, parse_int=_whole)
    return value


def _whole(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError(f"{digits[:20]} is beyond 64 bits; give it as a text")
    return int(digits)


class ToolSignature(BaseModel):
    """A call of one tool."""

    because: str = Field(default="", description="the words of the user that ask for it, quoted")
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)

    @field_validator("because", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return value if isinstance(value, str) else ""


class _Proposal(BaseModel):
    """What both answers of the model share: what cannot be kept is refused, and a null counts as left out."""

    _writable = model_validator(mode="before")(_writable)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        return {n: v for n, v in value.items() if v is not None} if isinstance(value, dict) else value


class GoalSpec(_Proposal):
    """The user's request, understood but not yet done."""

    intent: str = Field(default="other", description="what is wanted", json_schema_extra={"enum": list(INTENTS)})
    entities: list[str] = Field(default_factory=list, description="keys, names and values of the request, in its words")
    constraints: list[str] = Field(default_factory=list, description="conditions that the request sets")
    contradictions: list[str] = Field(
        default_factory=list, description="where the request demands two things that exclude each other"
    )
    out_of_scope: str = Field(default="", description="what of the request no tool here can do, and why; else empty")
    question: str = Field(
        default="", description="a question to the user, where the request cannot be understood without it; else empty"
    )
    complexity: str = Field(
        default="complex",
        description="simple: the calls below are all of it; complex: more has to be planned from their results",
        json_schema_extra={"enum": ["simple", "complex"]},
    )
    tools: list[ToolSignature] = Field(
        default_factory=list, description="the calls, in their order; empty where nothing can be called yet"
    )
    confidence: float = Field(default=1.0, description="0 to 1: how clear it is what is wanted")

    @field_validator("entities", "constraints", "contradictions", mode="before")
    @classmethod
    def _as_texts(cls, value: Any) -> Any:
        items = value if isinstance(value, list) else [value] if value else []
        return [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]

    @field_validator("out_of_scope", "question", mode="before")
    @classmethod
    def _as_reason(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else "It is not about this graph." if value is True else ""

    @field_validator("complexity", mode="before")
    @classmethod
    def _as_complexity(cls, value: Any) -> Any:
        return "simple" if value == "simple" else "complex"

    @field_validator("confidence", mode="before")
    @classmethod
    def _as_share(cls, value: Any) -> Any:
        return min(1.0, max(0.0, value)) if isinstance(value, int | float) else value


class StepPlan(_Proposal):
    """The next step towards the goal."""

    step: str = Field(default="", description="the part of the request that this step does")
    tools: list[ToolSignature] = Field(
        default_factory=list, description="the calls, in their order; empty where nothing is left to do"
    )
    is_final: bool = Field(default=False, description="whether the request is done after these calls")
    rationale: str = Field(default="", description="why, in a few words")


def held_to(schema: type[B], call: Mapping[str, Any]) -> type[B]:
    """The class with the schema of its calls that this graph gives them."""
    described = schema.model_fields["tools"].description or ""
    calls = {"type": "array", "items": dict(call), "maxItems": MOST_CALLS, "description": described}
    return with_fields(schema, tools=calls)
