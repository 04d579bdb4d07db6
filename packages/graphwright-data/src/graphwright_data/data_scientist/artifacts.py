"""The files of an answer: figures as HTML and PNG, tables as CSV, Excel or Parquet, the program as a script."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from graphwright.text.sentences import many
from graphwright_data.data_scientist import figures, scripts
from graphwright_data.data_scientist.exports import DRAWN, CsvStyle, Exports, content_of, wanted_files
from graphwright_data.data_scientist.state import Dataset, Figure
from graphwright_data.data_scientist.wording import say

if TYPE_CHECKING:
    from graphwright_confined import Execution
    from graphwright_confined.execution import TableResult

_PREFIX = "answer-"
_OF_VISIT = ".visit"

KINDS = {
    ".png": "image",
    ".html": "figure",
    ".csv": "table",
    ".tsv": "table",
    ".txt": "table",
    ".xlsx": "table",
    ".parquet": "table",
    ".py": "code",
}
"""The kinds of artifacts, by file suffix."""


@dataclass(slots=True)
class Saved:
    """The saved files of one answer, by their names in the thread's folder, its figures, and notes for the user.

    `tables` describes the tables of a file by its name, `written` does so for the model. `undelivered` says which
    wanted files are missing or cut.
    """

    folder: Path
    figures: list[Figure] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    undelivered: list[str] = field(default_factory=list)

    def add(self, name: str, content: bytes | str) -> str:
        """Write a file; return its name in the thread's folder."""
        (self.folder / name).write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        self.files.append(f"{self.folder.name}/{name}")
        return self.files[-1]


async def save_answer(
    folder: Path,
    key: str,
    question: str,
    code: str,
    datasets: Mapping[str, Dataset],
    execution: Execution,
    exports: Exports,
    plan: Mapping[str, Any],
) -> Saved:
    """Save figures, tables and program of an answer in the thread's folder. `key` names the visit. Raises OSError."""
    saved, language = Saved(await asyncio.to_thread(answer_folder, folder, key)), plan["language"]
    wanted = list(wanted_files(plan["files"]))
    drawn = [each for each in wanted if PurePath(each).suffix in DRAWN]
    names = list(dict.fromkeys(PurePath(each).stem for each in drawn))
    for number, figure in enumerate(execution.figures, 1):
        name = names[number - 1] if number <= len(names) else f"figure-{number}"
        png, why = (figure.png, "") if figure.type == "png" else await figures.png(figure.figure)
        await asyncio.to_thread(_keep_figure, saved, name, png, None if figure.type == "png" else figure.figure)
        if why:
            notes = saved.undelivered if f"{name}.png" in drawn else saved.notes
            notes.append(say(language, "no_png", name=name, why=why))
    for name, tables in exports.files.items():
        kept = (saved, name, tables, exports.styles.get(name), language)
        await asyncio.to_thread(_keep_tables, *kept, wanted=name in exports.wanted)
    await asyncio.to_thread(scripts.put_beside, datasets, folder / "data")
    there = [PurePath(each).name for each in saved.files]
    saved.add(scripts.NAME, scripts.script(question, code, datasets, saved.folder.name))
    # A PNG that could not be drawn is reported separately.
    undrawn = [each for each in drawn if PurePath(each).stem not in map(_stem, there)]
    for reason, missing in (("unknown_format", exports.unknown), ("no_content", [*exports.unmatched, *undrawn])):
        if missing:
            saved.undelivered.append(say(language, reason, names=", ".join(missing)))
    return saved


def _stem(name: str) -> str:
    return PurePath(name).stem


def answer_folder(folder: Path, key: str) -> Path:
    """Return the folder of an answer in the thread's folder, such as `answer-1`; create it if missing.

    A visit that is repeated after a crash uses the folder that it began.
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


def _keep_figure(saved: Saved, name: str, png: bytes | None, plotly: Mapping[str, Any] | None) -> None:
    made: Figure = {"name": name, "png": "", "html": ""}
    if png is not None:
        made["png"] = saved.add(f"{name}.png", png)
    if plotly is not None:
        script = saved.folder.parent / figures.PLOTLY
        if not script.exists():
            # The sandbox requires Plotly, so it is installed.
            shutil.copyfile(Path(str(files("plotly"))) / "package_data" / figures.PLOTLY, script)
        made["html"] = saved.add(f"{name}.html", figures.page(plotly))
    saved.figures.append(made)


def _keep_tables(
    saved: Saved, name: str, tables: Mapping[str, TableResult], style: CsvStyle | None, language: str, *, wanted: bool
) -> None:
    """Write a file of tables, and describe its contents, its format, and the rows that it lacks."""
    content = content_of(name, tables, style)
    if content is None:
        if wanted and style is not None:
            saved.undelivered.append(say(language, "not_encoded", name=name, encoding=style.encoding))
            _keep_tables(saved, name, tables, replace(style, encoding="utf-8"), language, wanted=True)
        elif wanted:
            instead = f"{_stem(name)}.csv"
            saved.undelivered.append(say(language, "same_names", name=name, instead=instead))
            _keep_tables(saved, instead, tables, CsvStyle(), language, wanted=True)
        return
    saved.add(name, content)
    parts = []
    for key, table in tables.items():
        rows = say(language, "row" if len(table.rows) == 1 else "rows", n=len(table.rows))
        parts.append(f"{key}: {rows}" if key and (len(tables) > 1 or key != PurePath(name).stem) else rows)
        if table.cut and (wanted or name.endswith(".csv")):
            size = {"rows": len(table.rows), "all_rows": table.row_count}
            size |= {"columns": len(table.columns), "all_columns": table.column_count}
            note = say(language, "cut", name=name, script=scripts.NAME, **size)
            (saved.undelivered if wanted else saved.notes).append(note)
        sheet = f"{name}, {key}" if len(tables) > 1 else name
        saved.written.append(f"{sheet}: {many(len(table.rows), 'row')}, {many(len(table.columns), 'column')}")
    saved.tables[name] = "; ".join(parts)
    if style is not None:
        saved.written[-1] += f"; {_style_text(style, 'en')}"
        if style != CsvStyle():
            saved.tables[name] += f"; {_style_text(style, language)}"


def _style_text(style: CsvStyle, language: str) -> str:
    separator = "tab" if style.separator == "\t" else f"`{style.separator}`"
    return say(language, "style", separator=separator, decimal=f"`{style.decimal}`", encoding=style.encoding.upper())
