"""Files from users: recognised by content, read within limits, and converted to data for an agent."""

from graphwright_files._notes import Note
from graphwright_files.datasets import CACHE, Column, ColumnType, Dataset, open_datasets, too_large
from graphwright_files.errors import FileError, FilesUnavailable, NotReadable, TooMuch, UnusableFile
from graphwright_files.limits import Limits
from graphwright_files.summary import summary, tokens

__all__ = [
    # data sets
    "open_datasets",
    "too_large",
    "CACHE",
    "Dataset",
    "Column",
    "ColumnType",
    "Limits",
    "Note",
    # what is in them
    "summary",
    "tokens",
    # what can go wrong
    "FileError",
    "NotReadable",
    "UnusableFile",
    "TooMuch",
    "FilesUnavailable",
]
