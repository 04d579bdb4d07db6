"""What can go wrong with a file that somebody hands over, as errors for people.

FileError                   code, message, hint; `path` is the file it is about
├── NotReadable             there is no such file, or it is none that can be read: a folder, a pipe, a device
├── NotData                 it can be read, but holds no data set: an unknown format, empty, damaged, protected
├── NotText                 it can be read, but is no document or image that could be: unknown, empty, damaged
├── TooMuch                 it goes beyond a limit: bytes, unpacked bytes, pixels, memory, time
└── FilesUnavailable        what reads files is not installed, or cannot be started here
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphwright.errors import GraphwrightError


class FileError(GraphwrightError):
    """The base of all errors of a file that was handed over."""

    path: Path | None = None


class NotReadable(FileError):
    """Codes: `missing_file`, `not_a_file`, `unreadable_file`, `changed_file`."""


class NotData(FileError):
    """Codes: `unknown_format`, `empty_file`, `not_a_table`, `damaged_file`, `protected_file`, `several_files`."""


class NotText(FileError):
    """Codes: `unknown_format`, `image_file`, `not_an_image`, `empty_file`, `damaged_file`, `protected_file`,
    `several_files`."""


class TooMuch(FileError):
    """Codes: `too_large`, `zip_bomb`, `out_of_memory`, `out_of_time`."""


class FilesUnavailable(FileError):
    """Code `files_unavailable`."""


_CLASSES: dict[str, type[FileError]] = {
    each.__name__: each for each in (NotReadable, NotData, NotText, TooMuch, FilesUnavailable)
}


def packed(error: FileError) -> dict[str, Any]:
    """The error as JSON, for the way from the reading process."""
    return {"class": type(error).__name__, **error.to_json()}


def unpacked(data: dict[str, Any]) -> FileError:
    """The error that was packed."""
    return _CLASSES.get(data["class"], FileError)(data["code"], data["message"], data["hint"])
