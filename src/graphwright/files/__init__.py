"""Files that people hand over: told by their content, read within limits, and made into what an agent works on."""

from graphwright.files.datasets import (
    Column,
    ColumnProfile,
    ColumnType,
    Dataset,
    Sampling,
    open_datasets,
    profiles,
)
from graphwright.files.errors import FileError, FilesUnavailable, NotData, NotReadable, NotText, TooMuch
from graphwright.files.joins import Join, likely_joins
from graphwright.files.limits import Limits
from graphwright.files.summary import summary, tokens

__all__ = [
    # data sets
    "open_datasets",
    "Dataset",
    "Column",
    "ColumnType",
    "Sampling",
    "Limits",
    # what is in them
    "summary",
    "tokens",
    "profiles",
    "ColumnProfile",
    "likely_joins",
    "Join",
    # what can go wrong
    "FileError",
    "NotReadable",
    "NotData",
    "NotText",
    "TooMuch",
    "FilesUnavailable",
]
