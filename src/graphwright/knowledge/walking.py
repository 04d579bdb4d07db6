"""The documents in a folder: which files are looked at, which are not, and why."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graphwright.knowledge.errors import NoFolder

SUFFIXES = frozenset(
    (
        *(".md", ".markdown", ".mdown", ".txt", ".text", ".rst", ".adoc", ".html", ".htm", ".xhtml", ".pdf"),
        *(".docx", ".pptx", ".xlsx", ".xlsb", ".xls", ".ods"),
    )
)
"""What files with documents in them are called. What is in one is told by its content."""

BESIDE = ".yaml"
"""`report.pdf.yaml` beside `report.pdf` holds what the file cannot say itself."""

_PASSED_OVER = frozenset(("node_modules", "__pycache__", "__MACOSX"))
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Seen:
    """A file in the folder: its path below it, with `/`, and by what a change would be seen."""

    path: str
    state: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read: its path below the folder, and why.

    It is not tried again as long as it has this `state`; one without a state is tried each time. `keeps` says that
    what was read of it, or in it, before stays: it may still be there.
    """

    path: str
    why: str
    state: str = ""
    keeps: bool = False


def real_folder(folder: Path) -> Path:
    """The folder itself, absolute and behind all links. Raises NoFolder."""
    given = folder.expanduser()
    try:
        real = given.resolve(strict=True)
        if not real.is_dir():
            raise NoFolder("not_a_folder", f"{given} is a file, not a folder.", "Give the folder that it is in.")
        os.scandir(real).close()
    except FileNotFoundError:
        raise NoFolder("missing_folder", f"There is no folder {given}.", "Look at the path.") from None
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NoFolder("unreadable_folder", f"The folder {given} cannot be read: {why}.", "Look at it.") from None
    return real


def walk(folder: Path, leave_out: Collection[str] = ()) -> Iterator[Seen | Unread]:
    """Every document in the folder and below, in the order of their paths; links are not followed.

    Hidden files and folders, and those that `leave_out` names by their paths, are passed over. What cannot be looked
    at is given as Unread: a folder without permission, a link to a place outside, a name that is no text.
    """
    yield from _walk(folder, "", leave_out, 0)


def _walk(folder: Path, below: str, leave_out: Collection[str], depth: int) -> Iterator[Seen | Unread]:
    try:
        with os.scandir(folder / below) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield Unread(below, f"the folder cannot be read ({error.strerror})", keeps=True)
        return
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.name.startswith(".") or entry.name in _PASSED_OVER or path in leave_out:
            continue
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            shown = os.fsencode(path).decode("utf-8", "backslashreplace")
            yield Unread(shown, "its name is not valid UTF-8; give it another one")
            continue
        try:
            if entry.is_symlink():
                yield from _link(folder, path)
            elif entry.is_dir(follow_symlinks=False):
                if depth >= _DEEPEST:
                    yield Unread(path, f"it lies deeper than {_DEEPEST} folders")
                else:
                    yield from _walk(folder, path, leave_out, depth + 1)
            elif Path(entry.name).suffix.lower() in SUFFIXES:
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield Seen(path, f"{_state(found)} {_beside(folder / path)}".rstrip())
                else:
                    yield Unread(path, "it is no regular file")
        except OSError as error:
            yield Unread(path, f"it cannot be looked at ({error.strerror})", keeps=True)


def _link(folder: Path, path: str) -> Iterator[Unread]:
    """What is inside is found where it really is; only what would have been a way out to documents is worth a word."""
    is_document = PurePosixPath(path).suffix.lower() in SUFFIXES
    try:
        target = (folder / path).resolve(strict=True)
    except (OSError, RuntimeError):
        if is_document:
            yield Unread(path, "it is a link that leads nowhere")
        return
    if not target.is_relative_to(folder) and (is_document or target.is_dir()):
        yield Unread(path, "it is a link to a place outside the folder, which is not followed")


def _state(found: os.stat_result) -> str:
    return f"{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}-{found.st_ino}"


def _beside(file: Path) -> str:
    try:
        return _state(os.lstat(f"{file}{BESIDE}"))
    except OSError:
        return ""
