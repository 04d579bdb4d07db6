"""The data sets of a thread: the user's files, read once, and their descriptions for prompts and people."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.text.catalogue import ENGLISH, numeral
from graphwright_data.data_scientist.exports import CsvStyle
from graphwright_data.data_scientist.state import Dataset
from graphwright_data.data_scientist.wording import say
from graphwright_files import CACHE, FileError, Note, open_datasets, summary, tokens, too_large

if TYPE_CHECKING:
    from graphwright import GivenFile
    from graphwright_files import Dataset as Opened

SUMMARY_SHARE, LONGEST_SUMMARY = 0.2, 6_000
"""Maximum share of a model's context for the summary of the data, and its absolute maximum in tokens."""

_MOST_NOTES = 6
"""The maximum number of notes on the reading of a data set that a prompt has."""


@dataclass(slots=True)
class LoadedData:
    """The data sets of some files, their summary for prompts, and why other files were left out, by their `key_of`."""

    datasets: dict[str, Dataset]
    summary: str
    left_out: dict[str, str] = field(default_factory=dict)


def load_data(files: Sequence[GivenFile], home: Path, bound: int, memory: int) -> LoadedData:
    """Read the files. A file without data is left out if others have data. Raises FileError if none has data.

    `bound` is the maximum of the summary in tokens, `memory` that of a program and its data in bytes.
    """
    opened: list[Opened] = []
    left_out: dict[str, str] = {}
    try:
        opened = _open_files(files, home)
    except FileError:
        if len(files) == 1:
            raise
        readable = []
        for file in files:
            try:
                _open_files([file], home)
                readable.append(file)
            except FileError as error:
                left_out[key_of(file)] = f"{error.full_text} It is left out."
        # If no file is left, the error of the first one is raised.
        opened = _open_files(readable or files, home)
    titles = {file.path.resolve(): file.title for file in files}
    lazy = too_large(opened, memory)
    datasets: dict[str, Dataset] = {
        each.id: {
            "name": each.name,
            "file": each.sha256,
            "given": titles[each.path],
            "rows": each.rows,
            "rows_there": each.rows_there,
            "columns": [{"name": column.name, "type": column.type} for column in each.columns],
            "notes": [[note.code, dict(note.facts)] for note in each.notes],
            "parquet": str(each.parquet),
            "lazy": each.id in lazy,
            "separator": each.separator,
            "decimal": each.decimal,
        }
        for each in opened
    }
    # Sorted, as the state stores them, so that programs find the same order in every turn.
    return LoadedData(dict(sorted(datasets.items())), summary(opened, bound=bound), left_out)


def _open_files(files: Sequence[GivenFile], home: Path) -> list[Opened]:
    folders = {file.path.resolve(): file.folder for file in files}
    opened = open_datasets([file.path for file in files], home / CACHE)
    # Files with the same name are distinguished by their folders.
    return [replace(e, name=f"{folders[e.path]}/{e.name}") if folders[e.path] else e for e in opened]


def key_of(file: GivenFile) -> str:
    """Return the key of a file: its content hash and its title."""
    return f"{file.sha256} {file.title}"


def is_current(
    datasets: Mapping[str, Dataset], summary: str, files: Sequence[GivenFile], left_out: Sequence[str], bound: int
) -> bool:
    """Return whether the data sets are those of these files without `left_out`, still exist, and fit the bound."""
    held = {f"{dataset['file']} {dataset['given']}" for dataset in datasets.values()}
    there = all(Path(dataset["parquet"]).is_file() and "decimal" in dataset for dataset in datasets.values())
    return bool(held) and there and held == {key_of(f) for f in files} - set(left_out) and tokens(summary) <= bound


def notices(taken: LoadedData, before: Mapping[str, Dataset], left_out: Sequence[str], language: str) -> list[str]:
    """Return notes for the user on files that were just read, one per line."""
    old = {(each["file"], each["given"]) for each in before.values()}
    new = {id: each for id, each in taken.datasets.items() if (each["file"], each["given"]) not in old}
    now = {each["given"]: each["file"] for each in taken.datasets.values()}
    replaced = dict.fromkeys(e["given"] for e in before.values() if now.get(e["given"], e["file"]) != e["file"])
    names = [Path(each["given"]).name for each in {each["given"]: each for each in taken.datasets.values()}.values()]
    return [
        *(why for key, why in taken.left_out.items() if key not in left_out),
        *(say(language, "replaced", file=title) for title in replaced),
        *(say(language, "same_file_name", file=e["given"], id=id, name=Path(e["given"]).name) for id, e in new.items()
          if names.count(Path(e["given"]).name) > 1),
    ]  # fmt: skip


def reading_notes(
    datasets: Mapping[str, Dataset], used: Collection[str], noted: Sequence[str], language: str
) -> tuple[list[str], list[str]]:
    """Return notes on how the data sets in use were read, without those in `noted`; and the new `noted`."""
    new = {f"{each['file']} {id}": each for id, each in datasets.items() if id in used and each["notes"]}
    lines = [
        f"{each['name']}: {' '.join(Note(*note).text_in(language) for note in each['notes'])}"
        for key, each in new.items()
        if key not in noted
    ]
    return lines, [*dict.fromkeys((*noted, *new))]


def csv_style(datasets: Mapping[str, Dataset], used: Collection[str], language: str) -> CsvStyle:
    """Return the default style of CSV files: that of the text files in use.

    Semicolons without any decimals mean decimal commas in a language that writes them.
    """
    texts = [datasets[id] for id in used if datasets[id]["separator"]]
    semicolons = bool(texts) and all(each["separator"] == ";" for each in texts)
    signs = {each["decimal"] for each in texts} - {""} or {numeral(".", language) if semicolons else "."}
    decimal = "," if signs == {","} else "."
    return CsvStyle(";" if semicolons or decimal == "," else ",", decimal)


def columns_text(
    datasets: Mapping[str, Dataset], most: int = 30, *, types: bool = False, used: Mapping[str, list[str]] | None = None
) -> str:
    """Return the data sets with the names of their columns, one line each with at most `most` columns.

    With `used` only those data sets, beginning with all of their columns in it.
    """
    lines = []
    for id in datasets if used is None else used:
        named = [] if used is None else used[id]
        first = sorted(datasets[id]["columns"], key=lambda column: column["name"] not in named)
        columns = [f"{c['name']} ({c['type']})" if types else c["name"] for c in first[: max(most, len(named))]]
        more = f" and {len(first) - len(columns)} more" if len(first) > len(columns) else ""
        lines.append(f"{id}: {', '.join(columns)}{more}")
    return "\n".join(lines)


def described_columns(summary: str, used: Mapping[str, Sequence[str]]) -> str:
    """Return the lines of the summary on the columns in use: their ranges, frequent and missing values."""
    lines, id = [], ""
    for line in summary.splitlines():
        if not line.startswith("  "):
            id = line.partition(":")[0]
            lines += [f"{id}:"] if used.get(id) else []
        elif any(line.startswith(f"  {json.dumps(name, ensure_ascii=False)}: ") for name in used.get(id, ())):
            lines.append(line)
    return "\n".join(lines)


def notes_text(datasets: Mapping[str, Dataset], used: Mapping[str, object]) -> str:
    """Return the notes on how the data sets in use were read, such as units in a title, one per line."""
    lines = [f"{id}: {Note(*note).text}" for id in used for note in datasets[id]["notes"][:_MOST_NOTES]]
    return "\n".join(lines)


def access_text(datasets: Mapping[str, Dataset]) -> str:
    """Return how a program accesses data sets that are too large for data frames; empty without such data sets."""
    lines = [
        f'"{id}" is too large for a data frame: sql("SELECT ... FROM {id}") queries all of its {each["rows"]:,} rows. '
        f'samples["{id}"] is a data frame of some of them, evenly spaced: use it for a figure or a model that needs '
        "single rows, never for counts, totals or distinct values."
        for id, each in datasets.items()
        if each["lazy"]
    ]
    return "\n".join(lines)


def sample_text(datasets: Mapping[str, Dataset], used: Mapping[str, object], code: str, language: str = ENGLISH) -> str:
    """Return which data sets in use the program `code` read only in part; empty if it read all rows."""
    parts = [
        say(language, "rows_of", n=dataset["rows"], all=dataset["rows_there"], id=id)
        for id, dataset in datasets.items()
        if id in used and dataset["rows"] < dataset["rows_there"]
    ]
    sampled = re.search(r"\bsamples\b", code)
    parts += [
        say(language, "some_rows_of", all=datasets[id]["rows"], id=id)
        for id in used
        if datasets[id]["lazy"] and sampled
    ]
    return f"{'; '.join(parts)} ({say(language, 'evenly')})" if parts else ""
