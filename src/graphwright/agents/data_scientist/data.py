"""The data sets of a thread: the files that the user gave, read once, and what prompts are told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist.state import Dataset

if TYPE_CHECKING:
    from graphwright.files.profiles import ColumnProfile
    from graphwright.runtime.given import GivenFile

CACHE = "datasets"
"""The folder, in the data folder, of what was read out of files."""

SUMMARY_TOKENS = 1_500
"""What the summary of all data sets may take of a prompt."""

FEW_VALUES = 60
"""Different values of a text column up to which a question may name each of them."""


def taken_in(files: Sequence[GivenFile], home: Path) -> tuple[dict[str, Dataset], str]:
    """The data sets in these files, and their summary for prompts. Raises FileError naming the file that is none.

    Their columns are those that there are, with the few values that text columns may have.
    """
    from graphwright.files import open_datasets
    from graphwright.files.profiles import profiles
    from graphwright.files.summary import summary

    opened = open_datasets([file.path for file in files], home / CACHE)
    datasets: dict[str, Dataset] = {}
    for each in opened:
        values = {profile.name: _few_values(profile) for profile in profiles(each)}
        datasets[each.id] = {
            "name": each.name,
            "file": each.sha256,
            "rows": each.rows,
            "rows_there": each.sampled.there,
            "columns": [
                {"name": column.name, "type": column.type, "values": values.get(column.name, [])}
                for column in each.columns
            ],
            "columns_there": each.columns_there,
            "notes": list(each.notes),
            "parquet": str(each.parquet),
        }
    return datasets, summary(opened, bound=SUMMARY_TOKENS)


def _few_values(profile: ColumnProfile) -> list[str]:
    """All values of a text column where they are few; empty for any other column."""
    values = [value for value, _ in profile.top]
    whole = profile.type in ("text", "boolean") and len(values) == profile.distinct
    return [str(value) for value in values] if whole and len(values) <= FEW_VALUES else []


def is_of(datasets: Mapping[str, Dataset], files: Sequence[GivenFile]) -> bool:
    """Whether these data sets are those of exactly these files, and still there."""
    held = {dataset["file"] for dataset in datasets.values()}
    return held == {file.sha256 for file in files} and all(Path(d["parquet"]).is_file() for d in datasets.values())


def told(datasets: Mapping[str, Dataset]) -> list[str]:
    """What a person should know of how the files were read, one line a data set."""
    lines = []
    for id, dataset in datasets.items():
        notes = [note.rstrip(".") for note in dataset["notes"]]
        if dataset["rows"] < dataset["rows_there"]:
            notes.append(f"{dataset['rows']:,} of {dataset['rows_there']:,} rows were read, evenly spaced")
        if notes:
            lines.append(f"{id}: {'; '.join(notes)}.")
    return lines


def places(datasets: Mapping[str, Any]) -> dict[str, str]:
    """The Parquet file of each data set, by its id."""
    return {id: dataset["parquet"] for id, dataset in datasets.items()}
