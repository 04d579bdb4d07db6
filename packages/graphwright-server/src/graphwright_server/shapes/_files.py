"""Files: uploads, the files of a thread with their data, and the files that its agent created."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from graphwright_files.datasets import ColumnType
from graphwright_server.shapes import Whole
from graphwright_server.shapes._threads import ArtifactMade

Cell = str | int | float | bool | None


class FileGiven(BaseModel):
    """A file that a thread received."""

    name: str
    bytes: int
    sha256: str


class Uploaded(FileGiven):
    """An uploaded file. Send its `id` with a message."""

    id: str
    kind: str = Field(description="Its type, such as `xlsx`, determined from the content.")


class Artifact(ArtifactMade):
    """A file that an action created, in its current state."""

    bytes: int | None = Field(description="Null if the file no longer exists.")
    turn: int
    seq: int = Field(description="The number of its event.")


class DataColumn(BaseModel):
    """A column of a data set, with its profile."""

    name: str
    type: ColumnType
    missing: int
    distinct: int | None = Field(description="The number of different values; null if they were not counted.")
    low: Cell
    high: Cell
    mean: float | None
    median: float | None
    top: list[tuple[Cell, int]] = Field(description="The most frequent values with their counts.")
    bins: list[int] = Field(
        description="How many values of a column of numbers are in parts of the same width between the lowest and the "
        "highest; empty without rows."
    )


class DataNote(BaseModel):
    """A note for the user on how a file was read."""

    code: str
    text: str = Field(description="In English.")
    facts: dict[str, Any] = Field(description="Numbers and names in it.")


class DataSet(BaseModel):
    """A table in a file."""

    id: str
    name: str
    file: str
    sha256: str = Field(description="Of the file, whose content is at /threads/{thread}/files/{sha256}.")
    rows: int
    notes: list[DataNote]
    columns: list[DataColumn]
    head: list[dict[str, Cell]] = Field(description="Its first rows.")


class WhyNoDataSet(BaseModel):
    """The reason why a file could not be read as data."""

    code: str
    detail: str
    hint: str


class NoDataSet(BaseModel):
    """A file without a data set."""

    file: str
    sha256: str
    problem: WhyNoDataSet


class DataSets(Whole[DataSet | NoDataSet]):
    """The data sets in the files of a thread."""
