"""The files of an answer: figures as HTML and PNG, a table as CSV and Parquet, the program as a script that runs."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist import figures, scripts
from graphwright.agents.data_scientist.state import Dataset, Figure

if TYPE_CHECKING:
    from graphwright.sandbox import Execution
    from graphwright.sandbox.execution import Result, TableResult

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_PREFIX = "answer-"
_OF_VISIT = ".visit"
_MOST_TABLES = 10

KINDS = {".png": "image", ".html": "figure", ".csv": "table", ".parquet": "table", ".py": "code"}
"""The kinds of the artifacts, by how their names end."""


@dataclass(slots=True)
class Saved:
    """The saved files of one answer, by their names in the thread's folder, its figures, and notes for the user."""

    folder: Path
    figures: list[Figure] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, content: bytes | str) -> str:
        """Write a file; gives its name in the thread's folder."""
        (self.folder / name).write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        self.files.append(f"{self.folder.name}/{name}")
        return self.files[-1]


async def save_answer(
    folder: Path, key: str, question: str, code: str, datasets: Mapping[str, Dataset], execution: Execution
) -> Saved:
    """Save figures, tables and program of an answer in the thread's folder. `key` names the visit. Raises OSError."""
    saved = Saved(await asyncio.to_thread(answer_folder, folder, key))
    for number, figure in enumerate(execution.figures, 1):
        png, why = (figure.png, "") if figure.type == "png" else await figures.png(figure.figure)
        await asyncio.to_thread(_keep_figure, saved, number, png, None if figure.type == "png" else figure.figure)
        if why:
            saved.notes.append(f"There is no PNG of figure-{number}: {why}.")
    for number, table in enumerate(_tables(execution.result), 1):
        await asyncio.to_thread(_keep_table, saved, table, "table" if number == 1 else f"table-{number}")
    await asyncio.to_thread(scripts.put_beside, datasets, folder / "data")
    saved.add(scripts.NAME, scripts.script(question, code, datasets, saved.folder.name))
    return saved


def answer_folder(folder: Path, key: str) -> Path:
    """The folder of an answer in the thread's folder: the first is `answer-1`; made where missing.

    Done again after a crash, a visit finds the folder that it had begun.
    """
    numbers = [0]
    for path in folder.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if (path / _OF_VISIT).read_text("utf-8") == key:
                return path
        number = path.name.removeprefix(_PREFIX)
        numbers.append(int(number) if number.isdecimal() else 0)
    made = folder / f"{_PREFIX}{max(numbers) + 1}"
    made.mkdir(parents=True)
    (made / _OF_VISIT).write_text(key, "utf-8")
    return made


def _keep_figure(saved: Saved, number: int, png: bytes | None, plotly: Mapping[str, Any] | None) -> None:
    name = f"figure-{number}"
    made: Figure = {"name": name, "png": "", "html": ""}
    if png is not None:
        made["png"] = saved.add(f"{name}.png", png)
    if plotly is not None:
        script = saved.folder.parent / figures.PLOTLY
        if not script.exists():
            # The sandbox has Plotly, so it is installed.
            shutil.copyfile(Path(str(files("plotly"))) / "package_data" / figures.PLOTLY, script)
        made["html"] = saved.add(f"{name}.html", figures.page(plotly))
    saved.figures.append(made)


def _tables(result: Result) -> list[TableResult]:
    """The tables of a result: itself, or those of a dict, at most so many."""
    results = [entry.value for entry in result.entries] if result.type == "mapping" else [result]
    return [each for each in results if each.type == "table"][:_MOST_TABLES]


def _keep_table(saved: Saved, table: TableResult, name: str) -> None:
    """As CSV, where a text that a spreadsheet would run as a formula gets an apostrophe, and as Parquet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([_not_a_formula(column.name) for column in table.columns])
    for row in table.rows:
        writer.writerow(["" if value is None else _not_a_formula(value) for value in row])
    saved.add(f"{name}.csv", text.getvalue())
    if (content := _parquet(table)) is not None:
        saved.add(f"{name}.parquet", content)
    if table.cut:
        saved.notes.append(
            f"The saved {name} has {len(table.rows):,} of {table.row_count:,} rows and {len(table.columns):,} of "
            f"{table.column_count:,} columns; {scripts.NAME} computes all of them."
        )


def _not_a_formula(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def _parquet(table: TableResult) -> bytes | None:
    """The table as Parquet; None where its columns cannot be told apart by their names."""
    import pyarrow
    import pyarrow.parquet

    names = [column.name for column in table.columns]
    if len(set(names)) != len(names) or not names:
        return None
    arrays = []
    for place, column in enumerate(table.columns):
        values = [row[place] for row in table.rows]
        try:
            array = pyarrow.array(values)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            array = pyarrow.array([None if v is None else str(v) for v in values], pyarrow.string())
        if column.kind in ("datetime", "date"):
            with contextlib.suppress(pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
                array = array.cast(pyarrow.timestamp("us"))
        arrays.append(array)
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(arrays, names=names), out)
    return out.getvalue()
