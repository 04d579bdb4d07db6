"""A conversation as a Jupyter notebook that runs again from the top: its data beside it, its questions, its code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphwright.agents.data_scientist.keeping import imports_for, loading
from graphwright.agents.data_scientist.state import Dataset


def answers_in(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The questions of a trace and the package (`final_output`) of each answer, in order."""
    question = ""
    for event in events:
        if event["type"] == "turn_started":
            question = event["message"] or ""
        elif event["type"] == "channels_written" and isinstance(event["values"].get("final_output"), dict):
            yield question, event["values"]["final_output"]


def write_notebook(file: Path, title: str, events: Sequence[Mapping[str, Any]], datasets: Mapping[str, Dataset]) -> int:
    """Write a notebook, and its data into a folder beside it; gives how many answers with code are in it.

    Raises OSError where it cannot be written.
    """
    answers = list(answers_in(events))
    folder = file.with_name(f"{file.stem}-data")
    if datasets:
        folder.mkdir(parents=True, exist_ok=True)
        for dataset in datasets.values():
            shutil.copyfile(dataset["parquet"], folder / Path(dataset["parquet"]).name)
    code = "\n".join(output["code"] for _, output in answers if output["code"])
    imports = "from pathlib import Path\n\n" + imports_for(code)
    cells = [_text(f"# {_line(title)}"), _code(f"{imports}\n\n{loading(datasets, f'Path({folder.name!r})')}")]
    ran = 0
    for question, output in answers:
        cells.append(_text(f"## {_line(question)}"))
        if output["code"] and output["output_type"] in ("analysis", "visualization"):
            ran += 1
            shown = "fig" if output["output_type"] == "visualization" else "result"
            # What the code before left must not pass for an answer of this code.
            cells.append(_code(f"result = fig = None\n{output['code'].rstrip()}\n{_last(output['code'], shown)}"))
        if output["explanation"]:
            cells.append(_text(_plain(output["explanation"])))
    notebook = {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells, 1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return ran


def _last(code: str, shown: str) -> str:
    """The line that shows an answer, where the code does not end with it."""
    return f"result if {shown} is None else {shown}" if f"{shown} " in code or f"{shown}=" in code else ""


def _line(text: str) -> str:
    return " ".join(text.split())[:200] or "…"


def _plain(text: str) -> str:
    """Text of an answer that cannot become markup: it may quote what stands in files."""
    return text.replace("\\", "\\\\").replace("<", "&lt;").replace("[", "\\[").replace("!", "\\!").replace("$", "\\$")


def _text(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    source = text.rstrip().splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
