"""What the model is asked for as a structure: the plan of an answer. Program, evaluation and explanation are text."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator


class ExecutionPlan(BaseModel):
    """Which steps answer the question."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = Field(default="", description="what is asked, and where the data has it, in one sentence")
    cannot: str = Field(
        default="",
        description="what of the question this data and Python cannot answer, and what there is instead, as a sentence "
        "to the user in the language of the question; empty where all of it can be answered",
    )
    needs_code: bool = Field(description="a program has to compute or draw something")
    needs_evaluation: bool = Field(default=False, description="the computed result has to be judged, not only told")
    needs_explanation: bool = Field(default=True, description="the answer needs words")

    @field_validator("cannot", "reasoning", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else ""
