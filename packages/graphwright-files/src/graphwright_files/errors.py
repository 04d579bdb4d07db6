"""Errors of files from users, as sentences for people, and names from files in sentences.

FileError                   code, message, hint; `path` is the file it is about
├── NotReadable             the file does not exist or cannot be read: a folder, a pipe, a device
├── UnusableFile            it can be read, but not used as data, text or image: unknown, empty, damaged, protected
├── TooMuch                 it exceeds a limit: bytes, unpacked bytes, pixels, memory, time
└── FilesUnavailable        the reading process is not installed, or cannot be started here
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphwright.errors import GraphwrightError, exception_text
from graphwright.text.sentences import one_line

__all__ = ["FileError", "FilesUnavailable"]

_HINTS = {
    "empty_file": "Give a file with something in it.",
    "not_a_table": "Give a file with a row of names and rows of values.",
    "damaged_file": "Get the file again, or save or export it again.",
    "protected_file": "Open it, save it without a password, and give that file.",
    "several_files": "Unpack it, and give the files that the question is about.",
    "not_a_file": "Give a file.",
    "zip_bomb": "Unpack it yourself if you trust it, and give the file in it that matters.",
    "unreadable_file": "Check its path, its permissions and the disk.",
}
"""The default hint for each code."""


class FileError(GraphwrightError):
    """The base of all errors of a file from a user."""

    path: Path | None = None

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint or _HINTS.get(code, ""))

    def of(self, path: Path) -> FileError:
        """The same error, with its file in the message."""
        error = type(self)(self.code, f"{one_line(path.name or str(path), 120)}: {self.message}", self.hint)
        error.path = path
        return error


class NotReadable(FileError):
    """Codes: `missing_file`, `not_a_file`, `unreadable_file`, `changed_file`."""


class UnusableFile(FileError):
    """Codes: `unknown_format`, `empty_file`, `not_a_table`, `image_file`, `not_an_image`, `damaged_file`,
    `protected_file`, `several_files`."""


class TooMuch(FileError):
    """Codes: `too_large`, `zip_bomb`, `out_of_memory`, `out_of_time`."""


class FilesUnavailable(FileError):
    """Code `files_unavailable`."""


def from_json(name: str, code: str, message: str, hint: str) -> FileError:
    """The error of that class, as the reading process sent it."""
    classes = {each.__name__: each for each in FileError.__subclasses__()}
    return classes.get(name, FileError)(code, message, hint)


@contextmanager
def reading(what: str = "") -> Iterator[None]:
    """Convert every exception of a parser to a FileError, because the exceptions of parsers cannot be listed.

    `what` is the assumed kind of the file, with its article. MemoryError passes.
    """
    try:
        yield
    except (FileError, MemoryError):
        raise
    except Exception as error:
        why = f"It cannot be read{' as ' * bool(what)}{what} ({quotable(exception_text(error), 150)})."
        # Only an error of the operating system has a number.
        if isinstance(error, OSError) and error.errno:
            raise NotReadable("unreadable_file", why) from None
        raise UnusableFile("damaged_file", why) from None


def few(names: Sequence[str], most: int = 5) -> str:
    """The first names, for use in a sentence."""
    return ", ".join(f"`{quotable(name)}`" for name in names[:most]) + (", ..." if len(names) > most else "")


def quotable(text: str, most: int = 40) -> str:
    """A name or value from a file, for use between backticks in a sentence."""
    return one_line(text, most).replace("`", "'")
