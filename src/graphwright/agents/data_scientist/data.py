"""The data sets of a thread: the files that the user gave, read once, and what prompts are told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.state import Dataset
from graphwright.errors import in_sentences

if TYPE_CHECKING:
    from graphwright import GivenFile
    from graphwright.files.profiles import ColumnProfile

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

    titles = {file.path.resolve(): file for file in files}
    opened = [
        # Files of one name are told apart by where they came from.
        replace(each, name=f"{titles[each.path].folder}/{each.name}") if titles[each.path].folder else each
        for each in open_datasets([file.path for file in files], home / CACHE)
    ]
    datasets: dict[str, Dataset] = {}
    known = {each.id: profiles(each) for each in opened}
    joins = [join for join in likely_joins(opened, known) if join.right_unique] if len(opened) > 1 else []
    for each in opened:
        values = {profile.name: _few_values(profile) for profile in known[each.id]}
        datasets[each.id] = {
            "name": each.name,
            "file": each.sha256,
            "given": titles[each.path].title,
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


def taken_in_of_some(files: Sequence[GivenFile], home: Path) -> tuple[dict[str, Dataset], str, dict[str, str]]:
    """The same of those of the files that are data, and why others are left out, by what `key_of` gives of each.

    Files stay with their thread: one that is no data must not stand in the way of the others for ever. Raises FileError
    where none of them is data.
    """
    from graphwright.files import FileError, open_datasets

    try:
        return (*taken_in(files, home), {})
    except FileError:
        if len(files) == 1:
            raise
    readable, left_out = [], {}
    for file in files:
        try:
            open_datasets([file.path], home / CACHE)
        except FileError as error:
            left_out[key_of(file)] = f"{in_sentences(error)} It is left out."
        else:
            readable.append(file)
    return (*taken_in(readable or files, home), left_out)


def key_of(file: GivenFile) -> str:
    """What a file is known by: its content and its title."""
    return f"{file.sha256} {file.title}"


def _few_values(profile: ColumnProfile) -> list[str]:
    """All values of a text column where they are few; empty for any other column."""
    values = [value for value, _ in profile.top]
    whole = profile.type in ("text", "boolean") and len(values) == profile.distinct
    return [str(value) for value in values] if whole and len(values) <= FEW_VALUES else []


def is_of(datasets: Mapping[str, Dataset], files: Sequence[GivenFile], left_out: Sequence[str]) -> bool:
    """Whether these data sets are those of exactly these files but those left out, and still there."""
    held = {f"{dataset['file']} {dataset.get('given', '')}" for dataset in datasets.values()}
    there = all(Path(dataset["parquet"]).is_file() for dataset in datasets.values())
    return bool(held) and there and held == {key_of(file) for file in files} - set(left_out)


def told(datasets: Mapping[str, Dataset], before: Mapping[str, Dataset]) -> list[str]:
    """What a person should know once of how files were read, a line each: of those that were not there before."""
    new = {id: dataset for id, dataset in datasets.items() if _source(dataset) not in map(_source, before.values())}
    return [
        *_replaced(datasets, before),
        *_alike(datasets, new),
        *(
            f"{id}: {'; '.join(note.rstrip('.') for note in dataset['notes'])}."
            for id, dataset in new.items()
            if dataset["notes"]
        ),
    ]


def _source(dataset: Dataset) -> tuple[str, str]:
    return dataset["file"], dataset.get("given", dataset["name"])


def _replaced(datasets: Mapping[str, Dataset], before: Mapping[str, Dataset]) -> list[str]:
    """Which files are read no more because one of their name has come."""
    contents, names = {each["file"] for each in datasets.values()}, {_name(each) for each in datasets.values()}
    gone = [each for each in before.values() if each["file"] not in contents and _name(each) in names]
    titles = dict.fromkeys(_source(each)[1] for each in gone)
    return [f"The {title} that was given before is replaced by the one given now." for title in titles]


def _alike(datasets: Mapping[str, Dataset], new: Mapping[str, Dataset]) -> list[str]:
    """What the files of one name are called."""
    lines = []
    for name in dict.fromkeys(map(_name, new.values())):
        called: dict[str, list[str]] = {}
        for id, each in datasets.items():
            if _name(each) == name:
                called.setdefault(_source(each)[1], []).append(id)
        if len(called) > 1:
            each_one = (f"{title} is {' and '.join(ids)}" for title, ids in called.items())
            lines.append(f"There are {len(called)} files named {name}: {', '.join(each_one)}.")
    return lines


def _name(dataset: Dataset) -> str:
    return _source(dataset)[1].rpartition("/")[2]


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


def values_of(datasets: Mapping[str, Dataset]) -> dict[str, list[str]]:
    """The few values that text columns have, by data set and column."""
    return {
        f"{id}.{column['name']}": column["values"]
        for id, dataset in datasets.items()
        for column in dataset["columns"]
        if column["values"]
    }
