"""The replies to the user: notes beside the model's words, the package of an answer, and the check of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from graphwright.agents.data_scientist import data, program
from graphwright.agents.data_scientist.state import Dataset, ExecutionResult, FinalOutput, State
from graphwright.agents.data_scientist.wording import say
from graphwright.errors import GraphwrightError, in_sentences, said, sentence
from graphwright.proposals import numbers_not_in

USUAL_LEVEL = "0.05"
"""The level of significance that a text may name although no result has it."""

UNITS = (1e3, 1e6, 1e9)
"""Units in which a text may write large numbers."""

MOST_USED = 12
"""Columns that are named under an answer."""

NOT_CONFIRMED = "Not confirmed: a second query, written independently,"


def failure_text(error: Exception) -> str:
    """Why a question could not be answered, in full sentences and without anything secret."""
    if isinstance(error, GraphwrightError):
        return in_sentences(error)
    where = "The files of this answer cannot be written" if isinstance(error, OSError) else "Something failed inside"
    return sentence(f"{where}: {said(error)}")


def unsupported_numbers(text: str, state: State) -> list[str]:
    """The numbers of a text that neither the result, the program, the data nor the conversation has, as written."""
    result = state["execution_result"]
    before = [each["result"] for each in state["messages"]]
    values: Any = result["values"] if result else before
    if not result and not any(before) and not state["datasets"]:
        return []
    missing = numbers_not_in(text, values, units=UNITS)
    literals = program.literals(result["code"]) if result else []
    written = result["written"] if result else []
    known = [values, literals, written, state["data_summary"], before, state["question"], USUAL_LEVEL]
    # What follows from numbers that have nothing to do with each other is anything.
    elsewhere = numbers_not_in(text, known, derived=False, units=UNITS)
    return [number for number in missing if number in elsewhere][:8]


def repair_request(wrong: Sequence[str], *, computed: bool) -> str:
    """The message that has a model write its text again, without the numbers that have no source."""
    where = "in the result" if computed else "in the description of the data or an earlier result"
    return (
        f"These numbers do not stand {where}: {', '.join(wrong)}. Write the answer again, in the same language, "
        "without numbers about this data that do not stand there."
    )


def unsupported_text(wrong: Sequence[str], language: str, *, computed: bool) -> str:
    """The sentence on numbers of the model's words that have no source."""
    return say(language, "not_in_result" if computed else "not_from_data", numbers=", ".join(wrong))


def doubted_text(doubt: str, text: str, result: ExecutionResult | None) -> str:
    """An answer whose check failed: what failed, and the result in the place of the model's words."""
    shown = bare_text(result) if result is not None else text
    return f"{doubt}\n\n{shown}" if shown else doubt


def bare_text(result: ExecutionResult, cannot: str = "") -> str:
    """The answer without words of the model: the result, or a sentence on the drawing, and what cannot be answered."""
    return "\n\n".join(filter(None, [result["drawn"], "" if has_own_table(result) else result["told"], cannot]))


def has_own_table(result: ExecutionResult) -> bool:
    """Whether the result is the table that a figure draws: it is saved next to the figure and not shown as text."""
    return bool(result["figures"] and result["tables"])


def used_text(used: Mapping[str, Sequence[str]], datasets: Mapping[str, Dataset], code: str, language: str) -> str:
    """The files and columns that the program of an answer reads."""
    if not used:
        return say(language, "nothing_read") if datasets else ""
    parts = []
    for id, columns in used.items():
        listed = ", ".join(columns[:MOST_USED])
        if len(columns) > MOST_USED:
            listed = say(language, "more", listed=listed, n=len(columns) - MOST_USED)
        if len(columns) == len(datasets[id]["columns"]) > 1:
            listed = say(language, "all_columns", n=len(columns), listed=listed)
        # Columns that the program takes by their places, or counts of rows, have no names.
        parts.append(f"{datasets[id]['name']} ({listed})" if listed else datasets[id]["name"])
    sample = data.sample_text(datasets, used, code, language)
    read = say(language, "sample", sample=sample) if sample else ""
    return f"{say(language, 'computed', parts='; '.join(parts))} {read}".rstrip()


def saved_text(result: ExecutionResult, language: str) -> str:
    """The saved files with the rows of their tables; two of one content are one entry: `a.csv, .parquet (3 rows)`."""
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
    """The reply: wanted files that are missing, the answer, the result if the words lack it, sources and files."""
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
        used_text(result["used"], state["datasets"], result["code"], plan["language"]),
        saved_text(result, plan["language"]),
        *result["notes"],
    ]
    return "\n\n".join(filter(None, parts))


def missing_text(state: State) -> str:
    """What is missing for an answer, with the columns that there are; empty where that is not known.

    The plan has it; or the last reply, words that store and print nothing; or its program asked for another column.
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
    """The package of an answer. With an `error` its type is `error`, else that of the result."""
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
