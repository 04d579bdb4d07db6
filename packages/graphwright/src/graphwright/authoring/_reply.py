"""The reply of a model that changes a flow, as a Pydantic class whose JSON Schema names every command."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from graphwright.authoring._cases import Case
from graphwright.authoring._commands import command_schema


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """A JSON Schema without references, so that it can stand inside another one."""
    if isinstance(schema, list):
        return [_inlined(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    parts = {name: _inlined(part, definitions) for name, part in schema.items() if name not in ("$defs", "title")}
    return {"title": schema["title"], **parts} if isinstance(schema.get("title"), dict) else parts


def _case_schema() -> dict[str, Any]:
    schema = Case.model_json_schema()
    inlined: dict[str, Any] = _inlined(schema, schema["$defs"])
    return inlined


class FlowChange(BaseModel):
    """The change of a flow document that a person wants.

    Commands and conversations are read one by one, so that a wrong one is refused on its own.
    """

    model_config = ConfigDict(str_strip_whitespace=True)

    demands: list[str] = Field(
        default_factory=list, description="each single thing that the person asks for, in the person's words"
    )
    question: str = Field("", description="one question to the person, only if it cannot be done without the answer")
    cannot: str = Field("", description="what cannot be done, and why; else empty")
    commands: list[Annotated[Any, WithJsonSchema(command_schema())]] = Field(
        default_factory=list, description="the edit commands, carried out in this order"
    )
    conversations: list[Annotated[Any, WithJsonSchema(_case_schema())]] = Field(
        default_factory=list, description="scripted conversations that show the new behaviour"
    )
    summary: str = Field("", description="what the change does, in one or two sentences for the person")
