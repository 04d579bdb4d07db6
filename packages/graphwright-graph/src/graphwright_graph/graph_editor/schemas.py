"""The schemas of the model's answers: the goal, the next step, their tool calls; and the empty values of channels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from graphwright.proposals import with_fields
from graphwright_graph.graph_editor.state import Call, Escalation, Failure, Goal, Plan, Preview

INTENTS = ("create", "update", "delete", "query", "mixed", "other")
MOST_CALLS = 100  # of one step

B = TypeVar("B", bound=BaseModel)

NO_PLAN: Plan = {"step": "", "tools": [], "is_final": False, "rationale": ""}
NO_PREVIEW: Preview = {"needed": False, "text": "", "question": "", "binding": ""}
NO_FAILURE: Failure = {"code": "", "message": "", "findings": [], "options": [], "transient": False}
NO_QUESTION: Escalation = {"question": "", "options": [], "code": ""}


def _texts(value: Any) -> Any:
    items = value if isinstance(value, list) else [value] if value else []
    return [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]


def _reason(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else "It is not about this graph." if value is True else ""


def _share(value: Any) -> Any:
    return min(1.0, max(0.0, value)) if isinstance(value, int | float) else value


Quote = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
Complexity = Annotated[
    Literal["simple", "complex"], BeforeValidator(lambda value: "simple" if value == "simple" else "complex")
]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Reason = Annotated[str, BeforeValidator(_reason)]


def _quotations(value: Any) -> Any:
    return {str(n): v for n, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else {}


Words = Annotated[dict[str, str], BeforeValidator(_quotations)]


def _whole(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError(f"{digits[:20]} is beyond 64 bits; give it as a text")
    return int(digits)


class ToolSignature(BaseModel):
    """A call of one tool."""

    because: Quote = Field(default="", description="the words of the user that ask for it, quoted")
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    words: Words = Field(
        default_factory=dict,
        description="by argument or property: the user's words that mean its value, where because does not hold it",
    )


class _Proposal(BaseModel):
    """The base of both answers: rejects values that cannot be stored, and treats null as omitted."""

    @model_validator(mode="before")
    @classmethod
    def _kept(cls, value: Any) -> Any:
        # Models also write numbers beyond every range, and half characters.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
        json.loads(text, parse_int=_whole)
        return {n: v for n, v in value.items() if v is not None} if isinstance(value, dict) else value


class GoalSpec(_Proposal):
    """The user's request, understood but not yet done. The prompt explains the fields that have no description."""

    language: str = Field(default="", description="the ISO 639-1 code of the language that the user writes")
    intent: str = Field(default="other", description="what is wanted", json_schema_extra={"enum": list(INTENTS)})
    entities: Texts = Field(default_factory=list, description="keys, names and values of the request, in its words")
    constraints: Texts = Field(default_factory=list, description="conditions that the request sets")
    contradictions: Texts = Field(default_factory=list)
    out_of_scope: Reason = ""
    question: Reason = ""
    reply: Reason = ""
    complexity: Complexity = Field(
        default="complex",
        description="simple: the calls below are all of it; complex: more has to be planned from their results",
    )
    tools: list[ToolSignature] = Field(
        default_factory=list, description="the calls, in their order; empty where nothing can be called yet"
    )
    confidence: Annotated[float, BeforeValidator(_share)] = 1.0

    def goal(self, text: str) -> Goal:
        """Return the goal as its channel holds it, with the words of the request."""
        fields = self.model_dump(exclude={"tools", "complexity", "language"})
        return {**cast(Goal, fields), "text": text, "notes": []}

    def calls(self) -> list[Call]:
        """Return the calls as a plan holds them."""
        return StepPlan.model_construct(tools=self.tools).plan()["tools"]


class StepPlan(_Proposal):
    """The next step towards the goal."""

    step: str = Field(default="", description="the part of the request that this step does")
    tools: list[ToolSignature] = Field(
        default_factory=list, description="the calls, in their order; empty where nothing is left to do"
    )
    is_final: bool = Field(default=False, description="whether the request is done after these calls")
    out_of_scope: Reason = Field(default="", description="what no tool here can do, in a sentence to the user")
    rationale: str = Field(default="", description="why, in a few words")

    def plan(self) -> Plan:
        """Return the step as its channel holds it."""
        return cast(Plan, self.model_dump(exclude={"out_of_scope"}))


def bind_to(schema: type[B], call: Mapping[str, Any], *, weak: bool) -> type[B]:
    """The class with the schema of its calls that this graph gives them.

    A weak model is not asked for `language` and `reply`.
    """
    described = schema.model_fields["tools"].description or ""
    calls = {"type": "array", "items": dict(call), "maxItems": MOST_CALLS, "description": described}
    return with_fields(schema, tools=calls, **({"language": None, "reply": None} if weak else {}))
