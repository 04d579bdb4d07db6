"""The replies to the user: the answer with its notes, its package, and the check of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from graphwright.errors import GraphwrightError, exception_text
from graphwright.proposals import numbers_not_in
from graphwright_data.data_scientist import data, program
from graphwright_data.data_scientist.state import Dataset, ExecutionResult, FinalOutput, State
from graphwright_data.data_scientist.wording import say

USUAL_LEVEL = "0.05"
"""The level of significance that a text may name although it is not in the result."""

UNITS = (1e3, 1e6, 1e9)
"""Units in which a text may write large numbers."""

MOST_USED = 12
"""Maximum number of columns that are named below an answer."""

NOT_CONFIRMED = "Not confirmed: a second query, written independently,"


def failure_text(error: Exception) -> str:
    """Return why a question could not be answered, in full sentences and without secrets."""
    if isinstance(error, GraphwrightError):
        return error.full_text
    where = "The files of this answer cannot be written" if isinstance(error, OSError) else "Something failed inside"
    return f"{where}: {exception_text(error)}."


def unsupported_numbers(text: str, state: State) -> list[str]:
    """Return the numbers of a text, as written, that are not in the result, program, data or conversation."""
    result = state["execution_result"]
    before = [each["result"] for each in state["messages"]]
    values: Any = result["values"] if result else before
    if not result and not any(before) and not state["datasets"]:
        return []
    missing = numbers_not_in(text, values, units=UNITS)
    literals = program.literals(result["code"]) if result else []
    written = result["written"] if result else []
    known = [values, literals, written, USUAL_LEVEL]
    # The model rounds the numbers that it sees, which are rounded already.
    printed = [state["data_summary"], *before, *([result["result_str"], result["shown"]] if result else [])]
    # Any number could be derived from unrelated ones, so derived numbers do not count here.
    elsewhere = numbers_not_in(text, known, also=[state["question"]], derived=False, units=UNITS, printed=printed)
    return [number for number in missing if number in elsewhere][:8]


def repair_request(wrong: Sequence[str], *, computed: bool) -> str:
    """Return the message that asks the model for its text again, without the numbers that have no source."""
    where = "in the result" if computed else "in the description of the data or an earlier result"
    return (
        f"These numbers do not stand {where}: {', '.join(wrong)}. Write the answer again, in the same language, "
        "without numbers about this data that do not stand there."
    )


def unsupported_text(wrong: Sequence[str], language: str, *, computed: bool) -> str:
    """Return the sentence on numbers of the model's text that have no source."""
    return say(language, "not_in_result" if computed else "not_from_data", numbers=", ".join(wrong))


def doubted_text(doubt: str, text: str, result: ExecutionResult | None) -> str:
    """Return an answer whose check failed: the reason, and the result instead of the model's text."""
    shown = bare_text(result) if result is not None else text
    return f"{doubt}\n\n{shown}" if shown else doubt


def bare_text(result: ExecutionResult, cannot: str = "") -> str:
    """Return the answer without a model's text: the result or a sentence on the drawing, and what it cannot answer."""
    return "\n\n".join(filter(None, [result["drawn"], "" if has_own_table(result) else result["told"], cannot]))


def has_own_table(result: ExecutionResult) -> bool:
    """Return whether the result is the table of a figure: it is saved next to the figure and not shown as text."""
    return bool(result["figures"] and result["tables"])


def used_text(used: Mapping[str, Sequence[str]], datasets: Mapping[str, Dataset], code: str, language: str) -> str:
    """Return the files and columns that the program of an answer reads, as text."""
    if not used:
        return say(language, "nothing_read") if datasets else ""
    parts = []
    for id, columns in used.items():
        listed = ", ".join(columns[:MOST_USED])
        if len(columns) > MOST_USED:
            listed = say(language, "more", listed=listed, n=len(columns) - MOST_USED)
        if len(columns) == len(datasets[id]["columns"]) > 1:
            listed = say(language, "all_columns", n=len(columns), listed=listed)
        # Columns taken by position, and counts of rows, have no names.
        parts.append(f"{datasets[id]['name']} ({listed})" if listed else datasets[id]["name"])
    sample = data.sample_text(datasets, used, code, language)
    read = say(language, "sample", sample=sample) if sample else ""
    return f"{say(language, 'computed', parts='; '.join(parts))} {read}".rstrip()


def saved_text(result: ExecutionResult, language: str) -> str:
    """Return the saved files with the rows of their tables; files with the same content share one entry: `a.csv,
    .parquet (3 rows)`."""
    entries, before, described = list[str](), PurePath(), ""
    for path in map(PurePath, result["files"]):
        description = result["tables"].get(path.name, "")
        if description and path.stem == before.stem and described.startswith(description):
            entries[-1] += f", {path.suffix}"
        else:
            entries += [f"{entries.pop()} ({described})"] if described else []
            entries.append(path.name)
            described = description
        before = path
    return say(language, "saved", files=", ".join(entries))


def reply_text(explanation: str, result: ExecutionResult | None, state: State) -> str:
    """Return the reply: missing files, the answer, the result if it is not in the answer, sources and saved files."""
    plan = state["plan"]
    if result is None:
        earlier = " ".join(plan["earlier"].split())
        known = [each["question"] for each in state["messages"] if each["result"]]
        found = next((each for each in reversed(known) if " ".join(each.split()) == earlier), "")
        source = say(plan["language"], "earlier", question=earlier) if found and not plan["needs_code"] else ""
        return "\n\n".join(filter(None, [explanation, source]))
    shown = result["told"] in explanation or has_own_table(result)
    parts = [
        " ".join(result["undelivered"]),
        explanation,
        "" if shown else result["told"],
        _note(
            used_text(result["used"], state["datasets"], result["code"], plan["language"]),
            saved_text(result, plan["language"]),
        ),
        *result["notes"],
    ]
    return "\n\n".join(filter(None, parts))


def _note(*sentences: str) -> str:
    """Sentences below an answer as a quotation of Markdown, so that readers see them apart from the answer."""
    text = " ".join(filter(None, sentences))
    return f"> {text}" if text else ""


def missing_text(state: State) -> str:
    """Return what is missing for an answer, with the available columns; empty if that is unknown.

    It is in the plan, or in the last reply if that was text instead of a program, or a missing column of the program.
    """
    datasets, code, (kind, _, message) = state["datasets"], state["code"] or "", (state["error"] or "").partition(": ")
    there = {column["name"] for each in datasets.values() for column in each["columns"]}
    names = [each for each in message.partition("\n")[0].split("'")[1::2] if kind == "KeyError" and each not in there]
    language = state["plan"]["language"]
    column = say(language, "no_such_column", names=", ".join(map(repr, names))) if names else ""
    text = state["plan"]["cannot"] or (column if "=" in code or "(" in code else code.strip())
    return f"{text}\n\n{say(language, 'data_has')}\n{data.columns_text(datasets)}" if text and datasets else text


def final_output(
    explanation: str, state: State, result: ExecutionResult | None = None, error: str | None = None
) -> FinalOutput:
    """Return the package of an answer. With an `error` its type is `error`, else that of the result."""
    return {
        "explanation": explanation,
        "evaluation": state.get("evaluation"),
        "code": state["code"],
        "plan": state["plan"],
        "output_type": "error" if error is not None else result["type"] if result is not None else None,
        "figures": list(result["figures"]) if result is not None else [],
        "result_str": result["result_str"] if result is not None else None,
        "failed_attempts": list(state["failed_attempts"]),
        "error": error,
    }
