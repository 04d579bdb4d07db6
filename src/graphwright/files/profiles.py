"""What was computed over the columns of a data set, read back from where it is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.files.dataset import ColumnType, Dataset
from graphwright.files.errors import NotReadable


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column. `low` to `median` are those of numbers, `low` and `high` also of dates; None where there are none."""

    name: str
    type: ColumnType
    missing: int
    distinct: int | None
    """Different values; None where they were not counted, as with measurements."""
    unique: bool
    """Whether no value is missing and none occurs twice: a likely key."""
    low: Any
    high: Any
    mean: float | None
    median: float | None
    top: tuple[tuple[Any, int], ...]
    """The most frequent values with their counts, at most twenty."""
    examples: tuple[Any, ...]
    sketch: tuple[int, ...] | None
    """The smallest hashes of its values; None where it is no key."""


def profiles(dataset: Dataset) -> tuple[ColumnProfile, ...]:
    """The columns in their order. Raises NotReadable where what was kept is gone: the file is to be opened again."""
    try:
        told = json.loads(dataset.profile.read_text("utf-8"))
        return tuple(map(_profile, told["columns"]))
    except (OSError, ValueError, LookupError, TypeError):
        raise NotReadable(
            "unreadable_file", f"what was kept of {dataset.name} is gone or damaged.", "Open the file again."
        ) from None


def _profile(told: Mapping[str, Any]) -> ColumnProfile:
    sketch = told.get("sketch")
    return ColumnProfile(
        name=told["name"],
        type=told["type"],
        missing=told["missing"],
        distinct=told["distinct"],
        unique=told["unique"],
        low=told.get("low"),
        high=told.get("high"),
        mean=told.get("mean"),
        median=told.get("median"),
        top=tuple((value, count) for value, count in told.get("top", ())),
        examples=tuple(told["examples"]),
        sketch=None if sketch is None else tuple(sketch),
    )
