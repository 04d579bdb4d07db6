"""Running programs in the sandbox, and reading an execution: its error, findings, numbers, and result as text."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from graphwright.proposals import leaves, numbers_not_in, occurs
from graphwright.text.catalogue import ENGLISH
from graphwright.text.numerals import numerals
from graphwright_confined.formatting import TextFormat, result_text
from graphwright_data.data_scientist import figures, program, usage
from graphwright_data.data_scientist.exports import shortened
from graphwright_data.data_scientist.state import Dataset, ExecutionResult
from graphwright_data.data_scientist.wording import say

if TYPE_CHECKING:
    from graphwright_confined import Execution, ExecutionLimits, Sandbox
    from graphwright_confined.execution import Result, TableResult

READABLE = TextFormat(rows=40, columns=16, entries=80, cell=60, text=6_000, exact=False)
"""The format of a result for the user and in prompts."""

MOST_CELLS = 20_000
"""Maximum number of a table's cells against which a text is checked."""

LONGEST_OUTPUT = 4_000
"""Maximum length of the kept output of a program, in characters."""

QUERY = """import sqlite3
tables = sqlite3.connect(":memory:")
tables.execute("PRAGMA temp_store = MEMORY")
for name, table in datasets.items():
    table.to_sql(name, tables, index=False)
result = pd.read_sql_query({query!r}, tables)
"""
"""A program that runs an SQLite query over the data sets. Sorting must not use files in the sandbox."""

NOTHING_LEFT = "The program ran, but left nothing: store the answer in `result`, or a figure in `fig`."


@cache
def sandbox() -> Sandbox:
    """Return the sandbox of this process. Its process is started on first use."""
    from graphwright_confined import Sandbox

    return Sandbox()


async def run(code: str, datasets: Mapping[str, Dataset], limits: ExecutionLimits) -> Execution:
    """Run code over data sets. Raises SandboxUnavailable if this machine cannot isolate it."""
    files = {id: each["parquet"] for id, each in datasets.items()}
    return await sandbox().arun(code, files, limits, lazy=[id for id, each in datasets.items() if each["lazy"]])


def text_of(execution: Execution, exported: Collection[TableResult] = (), language: str = ENGLISH) -> str:
    """Return the result as text, with only some rows of long exported tables; without result and figure, the output."""
    text = result_text(shortened(execution.result, exported), replace(READABLE, language=language))
    return text if text or execution.figures else execution.stdout.strip()[:LONGEST_OUTPUT]


def fault_of(execution: Execution) -> str:
    """Return why an execution has no result, with the line of the program; empty if it has one."""
    error = execution.error
    if execution.status == "stopped":
        return f"stopped: {execution.limit or (error.message if error else 'it ended by itself')}"
    if error is not None:
        text = f"{error.type}: {error.message}"
        text = f"{text.rstrip('.')}. {error.hint}" if error.hint else text
        return program.fault_text(text, error.line, error.source)
    if execution.result.type == "none" and not execution.figures and not execution.stdout.strip():
        return NOTHING_LEFT
    return ""


def names_any(result: ExecutionResult, words: str) -> bool:
    """Return whether a text contains any number or text of a result; texts of one or two letters do not count."""
    strange = numbers_not_in(words, result["values"], derived=False)
    texts = [value for _, value in leaves(result["values"][0]) if isinstance(value, str) and len(value) > 2]
    return any(e.text.strip() not in strange for e in numerals(words)) or any(occurs(e, [words]) for e in texts)


def agrees(result: ExecutionResult, words: str, question: str, other: Execution) -> bool:
    """Return whether another result confirms this one: by all its numbers (or texts), or by all those in `words`."""
    text, other_text, held = result["result_str"] or result["shown"], text_of(other), values_of(other)
    texts, other_texts = ([v for _, v in leaves(e[0]) if isinstance(v, str)] for e in (result["values"], held))
    if not any(numerals(f"{text}\n{other_text}")):
        pairs = ((texts, other_text), (other_texts, text))
        return any(each and all(occurs(value, [there]) for value in each) for each, there in pairs)
    if any(numerals(text)) and not numbers_not_in(text, held, derived=False):
        return True
    if not any(numerals(other_text)) or numbers_not_in(other_text, result["values"], derived=False):
        return False
    named = all(occurs(value, [words]) for value in other_texts)
    return not words or (named and not numbers_not_in(words, held, also=[question]))


def values_of(execution: Execution) -> list[Any]:
    """Return the result, the output, and the values of the figures, as plain JSON."""
    drawn = [figures.numbers(each.figure) for each in execution.figures if each.type == "plotly"]
    return [as_json(execution.result), execution.stdout[:LONGEST_OUTPUT], *drawn]


def as_json(result: Result) -> Any:
    """Return a result as JSON: a table as its records, with the numbers of its rows and columns."""
    match result.type:
        case "scalar":
            return result.value
        case "text":
            return result.text[:LONGEST_OUTPUT]
        case "table":
            names = [column.name for column in result.columns]
            most = MOST_CELLS // max(1, len(names))
            # Names may occur twice: the position distinguishes them.
            names = [f"{name} ({place})" if name in names[:place] else name for place, name in enumerate(names)]
            records = [dict(zip(names, row, strict=True)) for row in result.rows[:most]]
            return {"records": records, "size": [result.row_count, result.column_count]}
        case "mapping":
            return {entry.key: as_json(entry.value) for entry in result.entries}
        case "list":
            return [as_json(item) for item in result.items]
        case _:
            return None


def findings_in(tree: ast.Module, execution: Execution, datasets: Mapping[str, Dataset]) -> list[str]:
    """Return suspicious properties of a program and its result: facts for the evaluation."""
    used = usage.used_in(tree, datasets, execution.taken)
    rows = [datasets[id]["rows"] for id in used]
    drawn = [each.figure for each in execution.figures if each.type == "plotly"]
    found = ["The program reads none of the data: its result is written down."] if datasets and not used else []
    with contextlib.suppress(RecursionError):
        found += [f"One column is compared with itself: {call}" for call in program.compared_with_itself(tree)]
    found += [] if execution.figures and execution.result.type == "none" else _of_result(execution)
    found += [finding for figure in drawn for finding in figures.findings(figure, rows)]
    return list(dict.fromkeys(found))[:6]


def _of_result(execution: Execution) -> Iterator[str]:
    result = execution.result
    match result.type:
        case "scalar" if result.value is None or result.value in ("NaN", "nan"):
            yield "The result is missing (NaN): a filter that no row passes, or a calculation over nothing."
        case "text" if not result.text.strip():
            yield "The result is an empty text."
        case "mapping" | "list" if not result.length:
            yield f"The result is an empty {result.type}."
        case "mapping":
            numbers = [v for entry in result.entries if _is_number(v := as_json(entry.value))]
            # All zeros can be an answer: no missing values, no duplicates.
            if len(numbers) > 2 and len(set(numbers)) == 1 and numbers[0]:
                yield f"All {len(numbers)} numbers of the result are {numbers[0]}."
            for entry in result.entries:
                yield from _of_table(entry.value) if entry.value.type == "table" else ()
        case "table":
            yield from _of_table(result)


def _of_table(table: TableResult) -> Iterator[str]:
    if not table.row_count:
        yield "The table of the result has no rows."
        return
    columns = [[row[place] for row in table.rows] for place in range(table.index, len(table.columns))]
    if columns and all(value is None for column in columns for value in column):
        yield "The table of the result holds nothing but missing values."
        return
    numbers = [set(column) for column in columns if any(map(_is_number, column))]
    # One varying column may label the rows; several mean a list of cases that were selected by the constant ones.
    varying = sum(len(set(column)) > 1 for column in columns) + bool(table.index)
    same = all(len(values) == 1 for values in numbers) and set[Any]().union(*numbers) - {0}
    if same and len(table.rows) > 2 and varying <= 1:
        yield f"All {table.row_count:,} rows of the result have the same numbers."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown_by(execution: Execution) -> str:
    """Return descriptions of the figures. Pictures are only mentioned."""
    drawn = [figures.description(each.figure) if each.type == "plotly" else "a picture" for each in execution.figures]
    return "\n".join(drawn)


def drawn_by(execution: Execution, language: str) -> str:
    """Return a sentence on the figures with their titles and axes. Those of pictures are unknown."""
    titles = [figures.titles(each.figure) if each.type == "plotly" else "a picture" for each in execution.figures]
    return say(language, "drawn", titles="; ".join(titles)) if titles else ""
