"""The data sets of a thread: the files that the user gave, read once, and what prompts are told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.state import Dataset
from graphwright.errors import in_sentences

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

    Their columns are those that there are, with the few values that text columns may have, and likely joins.
    """
    from graphwright.files import likely_joins, open_datasets
    from graphwright.files.profiles import profiles
    from graphwright.files.summary import summary

    opened = open_datasets([file.path for file in files], home / CACHE)
    datasets: dict[str, Dataset] = {}
    known = {each.id: profiles(each) for each in opened}
    joins = [join for join in likely_joins(opened, known) if join.right_unique] if len(opened) > 1 else []
    for each in opened:
        values = {profile.name: _few_values(profile) for profile in known[each.id]}
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
            "joins": [
                {"left": j.left, "left_column": j.left_column, "right": j.right, "right_column": j.right_column}
                for j in joins
                if j.left == each.id
            ],
            "notes": list(each.notes),
            "parquet": str(each.parquet),
        }
    # The order in which the state is read back, so that code finds the same order in every turn.
    return dict(sorted(datasets.items())), summary(opened, bound=SUMMARY_TOKENS)


def taken_in_of_some(files: Sequence[GivenFile], home: Path) -> tuple[dict[str, Dataset], str, list[str]]:
    """The same of those of the files that are data, and why others are left out, a line each.

    Files stay with their thread: one that is no data must not stand in the way of the others for ever. Raises FileError
    where none of them is data.
    """
    from graphwright.files import FileError, open_datasets

    try:
        return (*taken_in(files, home), [])
    except FileError:
        if len(files) == 1:
            raise
    readable, left_out = [], []
    for file in files:
        try:
            open_datasets([file.path], home / CACHE)
        except FileError as error:
            left_out.append(f"{in_sentences(error)} It is left out.")
        else:
            readable.append(file)
    return (*taken_in(readable or files, home), left_out)


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
    """What a person should know once of how the files were read, one line a data set."""
    return [
        f"{id}: {'; '.join(note.rstrip('.') for note in dataset['notes'])}."
        for id, dataset in datasets.items()
        if dataset["notes"]
    ]


def sampled(datasets: Mapping[str, Dataset], code: str = "") -> dict[str, Dataset]:
    """The data sets of which a sample was read, by id; with code, those of them that it uses."""
    some = {id: dataset for id, dataset in datasets.items() if dataset["rows"] < dataset["rows_there"]}
    used = {id: dataset for id, dataset in some.items() if id in code}
    # Code that names no data set uses the only one there is, or one that was made ready of several.
    return used if used or any(id in code for id in datasets) else some


def places(datasets: Mapping[str, Any]) -> dict[str, str]:
    """The Parquet file of each data set, by its id."""
    return {id: dataset["parquet"] for id, dataset in datasets.items()}


def joins(datasets: Mapping[str, Any]) -> list[Join]:
    """The likely joins by which each row finds at most one of another data set."""
    return [join for dataset in datasets.values() for join in dataset.get("joins", ())]
