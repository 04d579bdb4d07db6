"""The files of an answer: pictures as HTML and PNG, tables as CSV and Parquet, and the code as a script that runs."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import io
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist import rerunning
from graphwright.agents.data_scientist.state import Dataset, Figure

if TYPE_CHECKING:
    from graphwright.sandbox.execution import TableResult

_FORMULA = ("=", "+", "-", "@", "\t", "\r")

_ANSWER = re.compile(r"answer-(\d{1,9})")
_OF_VISIT = ".visit"

PLOTLY = "plotly.min.js"

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>html, body, #figure {{ height: 100%; margin: 0 }}</style>
<div id="figure"></div>
<script src="../{plotly}"></script>
<script>
const figure = {figure};
Plotly.newPlot("figure", {{...figure, config: {{responsive: true, displaylogo: false}}}});
</script>
"""


@dataclass(slots=True)
class Kept:
    """What was saved of one answer: pictures for `final_output`, and every file with its kind."""

    figures: list[Figure] = field(default_factory=list)
    files: list[tuple[str, Path]] = field(default_factory=list)


def answer_folder(folder: Path, key: str) -> Path:
    """The folder of an answer in the thread's folder: the first is `answer-1`; made where missing.

    `key` is that of the visit that makes it: done again after a crash, it finds the folder it had begun.
    """
    there = {int(found[1]): path for path in folder.glob("answer-*") if (found := _ANSWER.fullmatch(path.name))}
    for path in there.values():
        with contextlib.suppress(OSError):
            if (path / _OF_VISIT).read_text("utf-8") == key:
                return path
    made = folder / f"answer-{max(there, default=0) + 1}"
    made.mkdir(parents=True)
    (made / _OF_VISIT).write_text(key, "utf-8")
    return made


def keep_figure(kept: Kept, folder: Path, number: int, png: bytes | None, plotly: Mapping[str, Any] | None) -> None:
    """Save a picture: a Plotly figure as a page that can be moved about, and what was drawn of it as PNG."""
    name = f"figure-{number}"
    made: Figure = {"name": name, "png": "", "html": ""}
    if png is not None:
        path = folder / f"{name}.png"
        path.write_bytes(png)
        made["png"] = f"{folder.name}/{path.name}"
        kept.files.append(("image", path))
    if plotly is not None and _plotly_beside(folder.parent):
        path = folder / f"{name}.html"
        path.write_text(page(plotly), "utf-8")
        made["html"] = f"{folder.name}/{path.name}"
        kept.files.append(("figure", path))
    kept.figures.append(made)


def page(figure: Mapping[str, Any]) -> str:
    """A page that shows a Plotly figure without any network; texts of the figure cannot leave the script."""
    layout = figure.get("layout")
    title = layout.get("title") if isinstance(layout, Mapping) else None
    text = title.get("text") if isinstance(title, Mapping) else title
    plain = re.sub(r"[<>&\"']", " ", text) if isinstance(text, str) else "Figure"
    parts = {"data": figure.get("data", []), "layout": layout or {}, "frames": figure.get("frames", [])}
    safe = json.dumps(parts, ensure_ascii=True)
    safe = safe.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return _PAGE.format(title=plain[:200], plotly=PLOTLY, figure=safe)


def _plotly_beside(folder: Path) -> bool:
    """Put the script that draws figures into the thread's folder, once; False where Plotly is not installed."""
    place = folder / PLOTLY
    if place.exists():
        return True
    found = importlib.util.find_spec("plotly")
    for root in found.submodule_search_locations or () if found else ():
        source = Path(root) / "package_data" / PLOTLY
        if source.is_file():
            shutil.copyfile(source, place)
            return True
    return False


def keep_table(kept: Kept, folder: Path, table: TableResult) -> None:
    """Save a table as CSV and, where its columns can be named apart, as Parquet.

    In CSV a text that a spreadsheet would run as a formula gets an apostrophe before it; Parquet has it as it is.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([_harmless(column.name) for column in table.columns])
    for row in table.rows:
        writer.writerow(["" if value is None else _harmless(value) for value in row])
    path = folder / "table.csv"
    path.write_text(text.getvalue(), "utf-8")
    kept.files.append(("table", path))
    parquet = folder / "table.parquet"
    if _write_parquet(parquet, table):
        kept.files.append(("table", parquet))


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _write_parquet(path: Path, table: TableResult) -> bool:
    import pyarrow
    import pyarrow.parquet

    names = [column.name for column in table.columns]
    if len(set(names)) != len(names) or not names:
        return False
    arrays = []
    for place, column in enumerate(table.columns):
        values = [row[place] for row in table.rows]
        try:
            arrays.append(pyarrow.array(values))
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            arrays.append(pyarrow.array([None if v is None else str(v) for v in values], pyarrow.string()))
        if column.kind in ("datetime", "date") and pyarrow.types.is_string(arrays[-1].type):
            try:
                arrays[-1] = arrays[-1].cast(pyarrow.timestamp("us"))
            except pyarrow.ArrowInvalid:
                continue
    pyarrow.parquet.write_table(pyarrow.table(arrays, names=names), path)
    return True


_SCRIPT = '''\
"""{question}

Written by the data scientist agent. It runs on its own: python {name}
Its data stands in ../data. What it draws is saved where it is run, as {figure}-1 and so on.
{sample}"""
{future}
import os
import random
from pathlib import Path

# Figures are saved, not shown.
os.environ["MPLBACKEND"] = "Agg"

import numpy
{imports}
{caught}
folder = Path(__file__).resolve().parent.parent / "data"
{data}

{seeded}

{code}

# What came of it.
{outcome}

def _finish(name):
    from builtins import enumerate, hasattr, print

    import pandas

    result, figures = _outcome()
    if result is not None:
{said}        with pandas.option_context("display.max_rows", 200, "display.max_columns", None, "display.width", None):
            print(result)
    for number, figure in enumerate(figures, 1):
        if hasattr(figure, "write_html"):
            file = f"{{name}}-{{number}}.html"
            figure.write_html(file)
        else:
            file = f"{{name}}-{{number}}.png"
            figure.savefig(file, bbox_inches="tight")
        print("Saved", file)


_finish({figure!r})
'''


def keep_script(
    kept: Kept, folder: Path, question: str, code: str, datasets: Mapping[str, Dataset], sample: str
) -> None:
    """Save the code as a script, with its data beside it in the thread's folder.

    It prints the result and saves the figures that the answer had, under names that nothing in the folder has. What
    `sample` says of the rows that were read stands in it and above the result; empty where they are all.
    """
    rerunning.put_beside(datasets, folder.parent / "data", link=True)
    path = folder / "analysis.py"
    future, code = rerunning.without_future(rerunning.with_result(code))
    text = _SCRIPT.format(
        question=rerunning.one_line(question, 80).replace("\\", "\\\\").replace('"', "'"),
        name=path.name,
        figure=f"{folder.name}-figure",
        future=future,
        imports=rerunning.imports_for(code),
        caught=rerunning.CATCH_SHOWN if rerunning.shows_figures(code) else "",
        data=rerunning.loading(datasets, "folder"),
        seeded=rerunning.SEEDED,
        code=code,
        outcome=rerunning.OUTCOME,
        sample=f"\n{sample}\n" if sample else "",
        said=f"        print({sample!r})\n" if sample else "",
    )
    path.write_text(text, "utf-8")
    kept.files.append(("code", path))
