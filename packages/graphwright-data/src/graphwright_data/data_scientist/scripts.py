"""Programs for use outside of the sandbox: a script, and the notebook of a conversation, with their data."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwright_confined.zygote.libraries import NAMES
from graphwright_confined.zygote.program import SEED
from graphwright_confined.zygote.tables import SAMPLE_ROWS
from graphwright_data.data_scientist.program import parsed
from graphwright_data.data_scientist.state import Dataset, FinalOutput

NAME = "analysis.py"

_QUERIED = re.compile(r"\b(?:sql|samples)\b")
_SAMPLE = 'SELECT * EXCLUDE (__row) FROM (SELECT *, row_number() OVER () AS __row FROM "{}") WHERE __row % {} = {}'
"""The query for the rows of a sample, the same rows as in the sandbox."""

_SCRIPT = '''\
"""{question}

Written by the data scientist agent. It runs on its own: python {name}
Its data stands in ../data. What it draws is saved where it is run, as {figure}-1 and so on.
"""

import os
import random
import sys
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"  # figures are saved, not shown

import numpy
{imports}

folder = Path(__file__).resolve().parent.parent / "data"
{data}

random.seed({seed})
numpy.random.seed({seed})

{code}

# The result.
found = globals()
if found.get("result") is not None:
    print(found["result"])
drawn = found.get("fig")
drawn = list(drawn) if isinstance(drawn, (list, tuple)) else [] if drawn is None else [drawn]
if not drawn and "matplotlib.pyplot" in sys.modules:
    pyplot = sys.modules["matplotlib.pyplot"]
    drawn = [pyplot.figure(number) for number in pyplot.get_fignums()]
for number, figure in enumerate(drawn, 1):
    if hasattr(figure, "write_html"):
        figure.write_html(f"{figure}-{{number}}.html")
    else:
        getattr(figure, "figure", figure).savefig(f"{figure}-{{number}}.png", bbox_inches="tight")
'''


def script(question: str, code: str, datasets: Mapping[str, Dataset], answer: str) -> str:
    """Return the program of an answer as a script that prints its result and saves its figures."""
    title = " ".join(question.split())[:80].replace("\\", "\\\\").replace('"', "'")
    return _SCRIPT.format(
        question=title,
        name=NAME,
        figure=f"{answer}-figure",
        imports=imports_for(code),
        data=loading(datasets, "folder", code),
        seed=SEED,
        code=_with_result(code).rstrip(),
    )


def imports_for(code: str) -> str:
    """Return the imports of the names that the sandbox predefines and the program uses."""
    used = {node.id for node in ast.walk(parsed(code)) if isinstance(node, ast.Name)}
    lines = [f"import {NAMES[name]} as {name}" for name in sorted({"pd", *used & NAMES.keys()})]
    return "\n".join([*lines, *["from plotly.subplots import make_subplots"] * ("make_subplots" in used)])


def _with_result(code: str) -> str:
    """Return the program with the value of its last line in `result`, like the sandbox, unless it sets `result`."""
    tree = parsed(code)
    last = tree.body[-1] if tree.body else None
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if not isinstance(last, ast.Expr) or "result" in stored:
        return code
    lines = code.split("\n")
    line = lines[last.lineno - 1].encode()
    lines[last.lineno - 1] = (line[: last.col_offset] + b"result = " + line[last.col_offset :]).decode()
    return "\n".join(lines)


def _data_name(id: str, dataset: Mapping[str, Any]) -> str:
    """Return the name of a data set's file next to a script; it depends on the content."""
    parquet = Path(str(dataset["parquet"]))
    content = f"{dataset['file']} {parquet.parent.name} {parquet.name}"
    return f"{id}-{hashlib.sha256(content.encode()).hexdigest()[:12]}.parquet"


def put_beside(datasets: Mapping[str, Dataset], folder: Path, kept: Path | None = None) -> None:
    """Copy the data sets into a folder unless they exist there. Raises OSError.

    `kept` is a folder with earlier copies, for data sets whose original files are gone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for id, dataset in datasets.items():
        place, source = folder / _data_name(id, dataset), Path(dataset["parquet"])
        if place.exists():
            continue
        if kept is None:
            with contextlib.suppress(OSError):
                place.hardlink_to(source)
                continue
        elif not source.exists():
            source = kept / place.name
        # An interrupted copy must not be mistaken for the data.
        part = place.with_suffix(".part")
        shutil.copyfile(source, part)
        os.replace(part, place)


def loading(datasets: Mapping[str, Dataset], folder: str, code: str) -> str:
    """Return the lines that load the data sets: `datasets`, `df` for a single one, `sql` and `samples` if the code uses
    them.

    `folder` is an expression.
    """
    queried = bool(_QUERIED.search(code)) or any(map(_is_lazy, datasets.values()))
    lines = _queries(datasets, folder) if queried else []
    lines.append("datasets = {")
    for id, dataset in datasets.items():
        rows, there = dataset["rows"], dataset["rows_there"]
        sample = f", a sample: {rows:,} of the {there:,} rows" if rows < there else ""
        name = " ".join(dataset["name"].split())[:80]
        read = f"pd.read_parquet({folder} / {_data_name(id, dataset)!r})"
        lines.append(f"    {id!r}: {f'connection.table({id!r})' if _is_lazy(dataset) else read},  # {name}{sample}")
    lines.append("}")
    if queried:
        steps = {id: -(-each["rows"] // SAMPLE_ROWS) for id, each in datasets.items() if _is_lazy(each)}
        lines.append(f"steps = {steps!r}")
        lines.append(
            "samples = datasets | {name: sql(SAMPLE.format(name, step, step // 2)) for name, step in steps.items()}"
        )
    return "\n".join([*lines, *(f"df = datasets[{id!r}]" for id in datasets if len(datasets) == 1)])


def _queries(datasets: Mapping[str, Dataset], folder: str) -> list[str]:
    """Return the lines that define `sql`, which queries the data sets by their ids."""
    return [
        "import duckdb",
        "",
        "connection = duckdb.connect()",
        'connection.execute("SET python_scan_all_frames = true")',
        *(f"connection.read_parquet(str({folder} / {_data_name(id, each)!r})).create_view({id!r})"
          for id, each in datasets.items()),
        f"SAMPLE = {_SAMPLE!r}",
        "",
        "",
        "def sql(query):",
        "    return connection.sql(query).df()",
        "",
        "",
    ]  # fmt: skip


def _is_lazy(dataset: Mapping[str, Any]) -> bool:
    # Answers of older versions do not have this field.
    return bool(dataset.get("lazy"))


@dataclass(frozen=True, slots=True)
class Answer:
    """A question of a thread, the package of its answer, and the data sets at that time."""

    question: str
    output: FinalOutput
    datasets: Mapping[str, Dataset]


def answers_in(events: Sequence[Mapping[str, Any]]) -> Iterator[Answer]:
    """Yield the answers of a trace, in order. `datasets` may be the hash of a large value."""
    question = ""
    datasets: Mapping[str, Any] = {}
    for event in events:
        if event["type"] == "turn_started":
            question = event["message"] or question
        elif event["type"] in ("channels_reset", "channels_written"):
            values = event["values"]
            # The message that finishes an interrupted turn is not its question.
            question = values.get("question") or question
            datasets = values.get("datasets", datasets)
            if isinstance(values.get("final_output"), dict):
                yield Answer(question, values["final_output"], datasets)


def write_notebook(file: Path, title: str, answers: Sequence[Answer], kept: Path) -> int:
    """Write a notebook that runs from the top, and its data next to it; return the number of answers with code.

    `kept` is the folder with the data of the thread's scripts. Raises OSError.
    """
    from nbformat import v4, writes

    folder = file.with_name(f"{file.stem}-data")
    cells, ran = [v4.new_markdown_cell(_heading("#", title))], 0
    for answer in answers:
        output = answer.output
        cells.append(v4.new_markdown_cell(_heading("##", answer.question)))
        if output["code"] and output["output_type"] in ("analysis", "visualization"):
            put_beside(answer.datasets, folder, kept)
            cells.append(v4.new_code_cell(_cell(output["code"], answer.datasets, folder.name)))
            ran += 1
        cells.append(v4.new_markdown_cell(_plain(output["explanation"])))
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
    file.write_text(f"{writes(notebook)}\n", "utf-8")
    return ran


def _cell(code: str, datasets: Mapping[str, Dataset], folder: str) -> str:
    """Return a program as a cell, which loads the data again and shows its result."""
    begin = ["import random", "from pathlib import Path", "", "import numpy", imports_for(code), ""]
    begin += [loading(datasets, f"Path({folder!r})", code), f"random.seed({SEED})", f"numpy.random.seed({SEED})"]
    show = "for shown in (result, fig):\n    if shown is not None:\n        display(shown)"
    return "\n".join([*begin, "result = fig = None", "", _with_result(code).rstrip(), "", show])


def _heading(level: str, text: str) -> str:
    return f"{level} {_plain(' '.join(text.split())[:200]) or '…'}"


def _plain(text: str) -> str:
    """Return text of an answer with markup escaped, since it may quote files."""
    for sign in "\\[!$":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;")
