"""What the user is told, and the package of the answer, put together by code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist.columns import ColumnView, nearest
from graphwright.agents.data_scientist.rerunning import of_rows
from graphwright.agents.data_scientist.results import verdict_of
from graphwright.agents.data_scientist.state import Attempt, Dataset, ExecutionResult, FinalOutput, Plan
from graphwright.errors import GraphwrightError, in_sentences, said, sentence

if TYPE_CHECKING:
    from graphwright.sandbox.execution import TableResult

MOST_COLUMNS = 30
"""Columns that are named to the user."""


def missing_text(missing: Sequence[str], columns: Sequence[ColumnView]) -> str:
    """That the data has no such columns, what it has, and what may have been meant."""
    several = len(missing) > 1
    names = " and ".join(f"“{name}”" for name in missing)
    text = f"The data has no {'columns' if several else 'column'} for {names}, so I cannot answer that from it."
    near = list(dict.fromkeys(found for name in missing for found in nearest(name, columns)))
    if near:
        text += f" Did you mean {' or '.join(near)}?"
    return f"{text} {columns_text(columns)}"


def columns_text(columns: Sequence[ColumnView]) -> str:
    """Which columns there are, by data set."""
    by_set: dict[str, list[str]] = {}
    for column in columns:
        by_set.setdefault(column.dataset, []).append(" ".join(column.name.split())[:60])
    parts = []
    for id, names in by_set.items():
        more = " and others" if len(names) > MOST_COLUMNS else ""
        parts.append(f"{id} has {', '.join(names[:MOST_COLUMNS])}{more}")
    return f"The columns are: {'; '.join(parts)}." if parts else ""


NO_DATA = (
    "There is no data to answer that from. Give me a file, for example: "
    'graphwright ask data_scientist "..." --data sales.csv. I read CSV, Excel, JSON, Parquet and SQLite.'
)


NOTHING_COMPUTED = (
    "I cannot answer that from the data: twice an answer was written down without computing anything from it, so it "
    "would be made up. I can compute and draw what the columns hold, and explain it."
)


def failure_text(attempts: int, error: str) -> str:
    """What is said when no attempt succeeded."""
    return f"Code execution failed after {attempts} attempts. Final error: {error}"


def why_not(error: Exception) -> str:
    """Why a question came to no end, in full sentences and without anything secret."""
    if isinstance(error, GraphwrightError):
        return in_sentences(error)
    where = "The files of this answer cannot be written" if isinstance(error, OSError) else "Something failed inside"
    return sentence(f"{where}: {said(error)}")


def plain_answer(result: ExecutionResult) -> str:
    """The result itself as the answer, where no words of a model may stand for it."""
    text = result["result_str"]
    if not text:
        return "Here is the picture." if len(result["figures"]) == 1 else "Here are the pictures."
    return f"The result is {text}." if "\n" not in text and len(text) < 80 else "This is the result:"


def code_answer(result: ExecutionResult) -> str:
    """The answer where the words of a model said something else than the result: as much of it as code can say."""
    winner, text = result["winner"], result["result_str"]
    parts = [verdict_of(text)]
    if winner is not None and winner["name"] != text:
        amount = "" if winner["amount"] is None else f", with {winner['amount']:,.6g}"
        parts.append(f"It is {winner['name']}{amount}.")
    else:
        parts.append(plain_answer(result))
    return " ".join(filter(None, parts))


def wrong_text(numbers: Sequence[str], against: str) -> str:
    """What is told to the author of a text about what is wrong in it; empty where nothing is."""
    parts = [against and f"Your last answer said the contrary of the result. {against}"]
    parts.append(f"These numbers do not stand in the result, leave them out: {', '.join(numbers)}" if numbers else "")
    return "\n".join(filter(None, parts))


def sample_text(samples: Mapping[str, Dataset]) -> str:
    """Of which rows a sample consists: `1,000,000 of the 1,200,000 rows of sales`; empty where all rows were read."""
    return " and ".join(f"{of_rows(each)} of {id}" for id, each in samples.items())


def of_sample(explanation: str, samples: Mapping[str, Dataset], *, computed: bool) -> str:
    """The explanation as one of a sample, where that is what was read: no total of it is told as that of the whole."""
    if not samples:
        return explanation
    if not computed:
        return f"{explanation}\n\nOf a large file only a sample is read: {sample_text(samples)}, evenly spaced."
    return f"{_in_sample(samples)}: {explanation}"


def script_sample(samples: Mapping[str, Dataset]) -> str:
    """What a script says of the rows that it has; empty where they are all."""
    return f"{_in_sample(samples)}:" if samples else ""


def _in_sample(samples: Mapping[str, Dataset]) -> str:
    totals = "totals and counts are those of the sample"
    if len(samples) == 1:
        (one,) = samples.values()
        totals += f", those of all rows are about {one['rows_there'] / one['rows']:.3g} times as large"
    return f"In a sample of {sample_text(samples)}, evenly spaced ({totals})"


def used_text(names: Sequence[str]) -> str:
    """Which columns an answer was computed from; empty where it used none by name."""
    *others, last = names or ("",)
    if not last:
        return ""
    listed = f"columns {', '.join(others)} and {last}" if others else f"column {last}"
    return f"Computed from the {listed}."


def without_picture(name: str, why: str) -> str:
    """That a figure is kept as a page alone, and why."""
    return f"There is no PNG of {name}, only the interactive page: {why}."


def cut_table(table: TableResult) -> str:
    """How much of a table was saved, where that is not all of it; else empty."""
    parts = []
    if table.row_count > len(table.rows):
        parts.append(f"the first {len(table.rows):,} of {table.row_count:,} rows")
    if table.column_count > len(table.columns):
        parts.append(f"the first {len(table.columns):,} of {table.column_count:,} columns")
    return f"The saved table has only {' and '.join(parts)}; analysis.py computes all of them." if parts else ""


def reply_text(explanation: str, result: ExecutionResult | None, folder: Path) -> str:
    """The reply: the answer in words, the result as text where the words do not hold it already, and the files."""
    parts = [explanation]
    if result is not None and result["result_str"] and result["result_str"] not in explanation:
        parts.append(result["result_str"])
    if result is not None and result["files"]:
        paths = [folder / name for name in result["files"]]
        parts.append(f"Saved in {paths[0].parent}: {', '.join(path.name for path in paths)}")
        parts += result["notes"]
    return "\n\n".join(part for part in parts if part)


def final_output(
    *,
    explanation: str,
    plan: Plan,
    evaluation: str | None = None,
    code: str | None = None,
    result: Mapping[str, Any] | None = None,
    failed_attempts: Sequence[Attempt] = (),
    error: str | None = None,
) -> FinalOutput:
    """The package of an answer. With an `error` its type is `error`, else that of the result."""
    return {
        "explanation": explanation,
        "evaluation": evaluation,
        "code": code,
        "plan": plan,
        "output_type": "error" if error is not None else result["type"] if result is not None else None,
        "figures": list(result["figures"]) if result is not None else [],
        "result_str": result["result_str"] if result is not None else None,
        "failed_attempts": list(failed_attempts),
        "error": error,
    }
