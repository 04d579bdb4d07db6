"""The typed view of the flow's state, and the plan, which the model gives as a structure."""

from __future__ import annotations

from typing import Any, TypedDict

from pydantic import BaseModel, ConfigDict, field_validator


class WantedFile(BaseModel):
    """A file that the client asks for, and how a CSV is to be written, as far as the client says it."""

    name: str
    separator: str = ""
    decimal: str = ""
    encoding: str = ""


class ExecutionPlan(BaseModel):
    """Which steps answer the question."""

    model_config = ConfigDict(extra="ignore")

    # The prompt describes the fields; a second description would be paid for with each call.
    reasoning: str = ""
    cannot: str = ""
    needs_code: bool
    needs_evaluation: bool = False
    needs_explanation: bool = True
    files: list[str | WantedFile] = []
    earlier: str = ""
    language: str = ""

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


class Dataset(TypedDict):
    """What is known of a data set; the data itself stands in the Parquet file `parquet`.

    `columns` are `{name, type}`, `notes` the codes and facts of the notes on its reading. `file` is the hash of the
    file's content, `given` the title that the user knows. One that is `lazy` is too large for a data frame: programs
    query it. `separator` and `decimal` are the signs of a text file.
    """

    name: str
    file: str
    given: str
    rows: int
    rows_there: int
    columns: list[dict[str, str]]
    notes: list[Any]
    parquet: str
    lazy: bool
    separator: str
    decimal: str


class Look(TypedDict):
    """A query that the model looked at the data with, and its result or error as text."""

    query: str
    result: str


class Attempt(TypedDict):
    """A program that failed: its number from 1, its text and the error."""

    attempt: int
    code: str
    error: str


class Figure(TypedDict):
    """A figure, by the names of its artifacts; empty where there is no such file of it."""

    name: str
    png: str
    html: str


class ExecutionResult(TypedDict):
    """The result of a program. `type` is `visualization` or `analysis`.

    `result_str` is the result as text, `told` the same with the numbers and words of the user's language, `shown` what
    the figures show as text, `drawn` a sentence on them, `values` result, output and figures as plain JSON: the numbers
    that a text may name. `used` are the data sets and columns that the program `code` reads, `files` what was saved,
    `tables` the rows of saved tables by file, `written` a line on each of these files for the model, `notes` the user's
    notes on the files, `undelivered` sentences on wanted files that are missing or cut.
    """

    type: str
    figures: list[Figure]
    files: list[str]
    tables: dict[str, str]
    written: list[str]
    undelivered: list[str]
    result_str: str
    told: str
    shown: str
    drawn: str
    values: list[Any]
    code: str
    used: dict[str, list[str]]
    notes: list[str]


class FinalOutput(TypedDict):
    """The answer as a package. `output_type` is `visualization`, `analysis`, `error`, or None where no program ran."""

    explanation: str
    evaluation: str | None
    code: str | None
    plan: dict[str, Any]
    output_type: str | None
    figures: list[Figure]
    result_str: str | None
    failed_attempts: list[Attempt]
    error: str | None


class State(TypedDict, total=False):
    """The channels of the flow."""

    message: str
    question: str
    datasets: dict[str, Dataset]
    data_summary: str
    left_out: list[str]
    notices: list[str]
    noted: list[str]
    messages: list[dict[str, Any]]
    plan: dict[str, Any]
    failure: str
    looks: list[Look]
    code: str | None
    execution_result: ExecutionResult | None
    execution_success: bool
    error: str | None
    attempts: int
    failed_attempts: list[Attempt]
    findings: list[str]
    evaluation: str | None
    revise: bool
    doubt: str
    explanation: str | None
    final_output: FinalOutput | None
