"""The schema of the plan that the model writes."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, field_validator

from graphwright_data.data_scientist.state import Plan


class WantedFile(BaseModel):
    """A file that the client asks for, and how a CSV is to be written, as far as the client says it."""

    name: str
    separator: str = ""
    decimal: str = ""
    encoding: str = ""


class ExecutionPlan(BaseModel):
    """Which steps answer the question."""

    model_config = ConfigDict(extra="ignore")

    # The prompt describes the fields; a second description would cost tokens in each call.
    reasoning: str = ""
    cannot: str = ""
    needs_code: bool
    needs_evaluation: bool = False
    needs_explanation: bool = True
    files: list[str | WantedFile] = []
    earlier: str = ""
    language: str = ""

    def as_channel(self) -> Plan:
        """Return the plan as the value of its channel."""
        return cast(Plan, self.model_dump())

    @field_validator("files", mode="before")
    @classmethod
    def _as_names(cls, value: Any) -> Any:
        named = (each for each in value if isinstance(each, str | WantedFile) or _is_file(each))
        return list(named)[:10] if isinstance(value, list) else []

    @field_validator("cannot", "reasoning", "earlier", "language", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else ""


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in (value.get("name"), *value.values()))
