"""The cases: what is asked of which data, and what is right: values that a reference computes, or words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from eval.data_scientist.tables import TABLES
from eval.reading import read_named

CASES = "cases.yaml"

Plot = Literal["histogram", "bars", "points", "line", "boxes", "cells"]


class Case(BaseModel):
    """One question. The head of cases.yaml says what each field means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    set: Literal["tuning", "test"]
    kind: str
    agent: str = "data_scientist"
    data: tuple[str, ...] = ()
    text: str
    answer: tuple[str, ...] = ()
    tolerance: float | None = None
    plot: Plot | None = None
    concludes: bool = False
    concept: tuple[str, ...] = ()
    impossible: bool = False

    @field_validator("answer", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @field_validator("answer")
    @classmethod
    def _programs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            try:
                compile(each, "answer", "exec")
            except SyntaxError as error:
                raise ValueError(f"line {error.lineno} of the answer is no Python: {error.msg}") from error
        return value

    @field_validator("data")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            if each not in TABLES:
                raise ValueError(f"there is no data set {each!r}; known: {', '.join(TABLES)}")
        return value

    @field_validator("concept")
    @classmethod
    def _patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            try:
                re.compile(each)
            except re.error as error:
                raise ValueError(f"{each!r} is no regular expression: {error}") from error
        return value

    @model_validator(mode="after")
    def _one_way_to_be_right(self) -> Case:
        if [bool(self.answer), bool(self.concept), self.impossible].count(True) != 1:
            raise ValueError("a case has either an answer, or a concept, or is impossible")
        if (self.plot or self.concludes or self.tolerance) and not self.answer:
            raise ValueError("plot, concludes and tolerance go with an answer")
        if self.answer and not self.data:
            raise ValueError("an answer is computed from data")
        return self

    def decides(self) -> dict[str, Any]:
        """All of it that decides how it is worked on; not what is right, which is only compared afterwards."""
        return self.model_dump(mode="json", include={"id", "agent", "data", "text"})


def read_cases(folder: Path) -> list[Case]:
    """The cases in `folder`, in the order of the file. Raises UsageError naming what cannot be read."""
    return read_named(Case, folder / CASES)
