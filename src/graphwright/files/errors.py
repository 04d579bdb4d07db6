"""What can go wrong with a file that somebody hands over, as errors for people.

FileError                   code, message, hint; `path` is the file it is about
├── NotReadable             there is no such file, or it is none that can be read: a folder, a pipe, a device
├── NotData                 it can be read, but holds no data set: an unknown format, empty, damaged, protected
├── NotText                 it can be read, but is no document or image that could be: unknown, empty, damaged
├── TooMuch                 it goes beyond a limit: bytes, unpacked bytes, pixels, memory, time
└── FilesUnavailable        what reads files is not installed, or cannot be started here
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphwright.errors import GraphwrightError, said
from graphwright.files.naming import shown

_HINTS = {
    "empty_file": "Give a file with something in it.",
    "not_a_table": "Give a file with a row of names and rows of values.",
    "damaged_file": "Get the file once more, or save or export it anew.",
    "protected_file": "Open it, save it without a password, and give that file.",
    "several_files": "Unpack it, and give the files that the question is about.",
    "not_a_file": "Give a file.",
    "zip_bomb": "Unpack it yourself if you trust it, and give the file in it that matters.",
    "unreadable_file": "Look at its path and permissions, and at the disk.",
}
"""What to do, where nothing better is known."""


class FileError(GraphwrightError):
    """The base of all errors of a file that was handed over."""

    path: Path | None = None

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint or _HINTS.get(code, ""))


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


@contextmanager
def reading(what: str = "") -> Iterator[None]:
    """What goes wrong meanwhile as a FileError: a parser that stumbles says so in ways that nobody can list.

    `what` the file is taken for, with its article. Raises MemoryError as it is.
    """
    try:
        yield
    except (FileError, MemoryError):
        raise
    except Exception as error:
        why = f"it cannot be read{' as ' * bool(what)}{what} ({shown(said(error), 150)})"
        # What the system says has a number.
        system = isinstance(error, OSError) and error.errno
        raise (NotReadable("unreadable_file", why) if system else NotData("damaged_file", why)) from None
