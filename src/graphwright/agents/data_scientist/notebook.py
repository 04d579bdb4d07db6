"""A conversation as a Jupyter notebook that runs again from the top: its data beside it, its questions, its code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwright.agents.data_scientist import rerunning
from graphwright.agents.data_scientist.state import Dataset, FinalOutput


@dataclass(frozen=True, slots=True)
class Answer:
    """A question of a thread, the package of its answer, and the data sets that there were then."""

    question: str
    output: FinalOutput
    datasets: Mapping[str, Dataset]


def answers_in(events: Sequence[Mapping[str, Any]]) -> Iterator[Answer]:
    """The answers of a trace, in order. Where `datasets` was kept by its hash, that stands in its place."""
    question = ""
    datasets: Mapping[str, Any] = {}
    for event in events:
        if event["type"] == "turn_started":
            question = event["message"] or question
        elif event["type"] in ("channels_reset", "channels_written"):
            values = event["values"]
            # The message that finishes a turn which was cut short is not its question.
            question = values.get("question") or question
            datasets = values.get("datasets", datasets)
            if isinstance(values.get("final_output"), dict):
                yield Answer(question, values["final_output"], datasets)


def write_notebook(file: Path, title: str, answers: Sequence[Answer], kept: Path) -> int:
    """Write a notebook, and its data into a folder beside it; gives how many answers with code are in it.

    `kept` is the folder with the data of the thread's scripts. Raises OSError.
    """
    folder = file.with_name(f"{file.stem}-data")
    cells = [_text(f"# {_line(title)}")]
    ran: list[str] = []
    for answer in answers:
        cells.append(_text(f"## {_line(answer.question)}"))
        code = answer.output["code"]
        if code and answer.output["output_type"] in ("analysis", "visualization"):
            if not ran:
                cells.append(_code(_SHOWING))
            rerunning.put_beside(answer.datasets, folder, kept=kept)
            code = rerunning.with_result(code)
            cells.append(_code(_beginning(code, ran, answer.datasets, folder.name)))
            # Code that shows its figures itself would show them twice.
            figures = "figures=False" if rerunning.shows_figures(code) else ""
            cells.append(_code(f"{code}\n_show({figures})"))
            ran.append(code)
        if answer.output["explanation"]:
            cells.append(_text(_plain(answer.output["explanation"])))
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
    return len(ran)


_SHOWING = f"""\
# Functions that show what came of an answer.
{rerunning.OUTCOME}

def _show(figures=True):
    import sys
    from builtins import hasattr, print

    from IPython.display import display

    result, drawn = _outcome()
    if hasattr(result, "_repr_html_"):
        display(result)
    elif result is not None:
        print(result)
    for figure in drawn:
        if figures or hasattr(figure, "savefig"):
            display(figure)
    if "matplotlib.pyplot" in sys.modules:
        # Jupyter would show those that are open once more.
        sys.modules["matplotlib.pyplot"].close("all")"""


def _beginning(code: str, before: Sequence[str], datasets: Mapping[str, Dataset], folder: str) -> str:
    """What stands before the code of an answer: each began anew, whatever the code before had made of its names."""
    hidden = sorted({name for each in before for name in rerunning.hidden_builtins(each)})
    lines = [f"from builtins import {', '.join(hidden)}"] if hidden else []
    lines += ["import random", "from pathlib import Path", "", "import numpy", rerunning.imports_for(code), ""]
    lines += [rerunning.loading(datasets, f"Path({folder!r})"), "", rerunning.SEEDED, "result = fig = None"]
    return "\n".join(lines)


def _line(text: str) -> str:
    return _plain(rerunning.one_line(text, 200)) or "…"


def _plain(text: str) -> str:
    """Text of an answer that cannot become markup: it may quote what stands in files."""
    return text.replace("\\", "\\\\").replace("<", "&lt;").replace("[", "\\[").replace("!", "\\!").replace("$", "\\$")


def _text(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    source = text.rstrip().splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
