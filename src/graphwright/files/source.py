"""The file that is handed over: opened only where it is a regular one, and hashed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graphwright.files.errors import FileError, NotData, NotReadable, TooMuch
from graphwright.files.limits import MB, Limits
from graphwright.files.naming import one_line

_CHUNK = 1 << 22

_OTHERS = {
    stat.S_IFDIR: ("a folder", "Give the files in it."),
    stat.S_IFIFO: ("a pipe", "Write what comes out of it into a file first."),
    stat.S_IFCHR: ("a device", ""),
    stat.S_IFBLK: ("a device", ""),
    stat.S_IFSOCK: ("a socket", ""),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A regular file: its real path, the SHA-256 of its bytes, and by what a change of it would be seen."""

    path: Path
    sha256: str
    stat: tuple[int, int, int, int]


def source(path: str | Path, limits: Limits) -> Source:
    """Look at a file and hash it. Raises NotReadable, NotData (empty) and TooMuch; each names the file."""
    with opened(path, limits.file_bytes) as (file, found):
        if not found.st_size:
            raise NotData("empty_file", "the file is empty")
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        real = Path(path).expanduser().resolve()
    return Source(real, digest.hexdigest(), (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


@contextmanager
def opened(path: str | Path, most: int) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """A regular file of at most so many bytes, open for reading, and what the system knows of it.

    Raises NotReadable and TooMuch; these and every FileError and OSError raised while it is open name the file.
    """
    given = Path(path).expanduser()
    try:
        # A pipe would wait for whoever writes to it, a device may do something when it is opened.
        _regular(given.stat())
        descriptor = os.open(given, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            _regular(found)
            if found.st_size > most:
                why = f"it has {found.st_size / MB:,.0f} MB; files up to {most / MB:,.0f} MB are read"
                raise TooMuch("too_large", why, "Give a part of it, or raise the limit `file_bytes`.")
            yield file, found
    except FileNotFoundError:
        raise named(NotReadable("missing_file", "there is no such file", "Look at the path."), given) from None
    except FileError as error:
        raise named(error, given) from None
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise named(NotReadable("unreadable_file", f"it cannot be read ({why})"), given) from None


def named(error: FileError, path: Path) -> FileError:
    """The error, with the file that it is about in its message."""
    told = type(error)(error.code, f"{one_line(path.name or str(path), 120)}: {error.message}.", error.hint)
    told.path = path
    return told


def _regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        what, hint = _OTHERS.get(stat.S_IFMT(found.st_mode), ("something else", ""))
        raise NotReadable("not_a_file", f"it is {what}, not a file", hint)
