"""The file that is handed over: opened only where it is a regular one, and hashed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from graphwright.files.errors import FileError, NotReadable, TooMuch, UnusableFile
from graphwright.files.limits import MB, Limits

_SPECIAL = {
    stat.S_IFDIR: ("a folder", "Give the files in it."),
    stat.S_IFIFO: ("a pipe", "Write what comes out of it into a file first."),
    stat.S_IFCHR: ("a device", ""),
    stat.S_IFBLK: ("a device", ""),
    stat.S_IFSOCK: ("a socket", ""),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A regular file: its real path, the SHA-256 of its bytes, and its `state_of` when these were read."""

    path: Path
    sha256: str
    state: tuple[int, int, int, int]


def source(path: str | Path, limits: Limits) -> Source:
    """Look at a file and hash it. Raises NotReadable, UnusableFile (empty) and TooMuch; each names the file."""
    with opened(path, limits.file_bytes) as (file, found):
        if not found.st_size:
            raise UnusableFile("empty_file", "the file is empty")
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        real = Path(path).expanduser().resolve()
    return Source(real, digest, state_of(found))


def state_of(found: os.stat_result) -> tuple[int, int, int, int]:
    """By what a change of a file is seen: device, inode, size, time."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def opened(path: str | Path, most: int) -> Iterator[tuple[BufferedReader, os.stat_result]]:
    """A regular file of at most so many bytes, open for reading, and what the system knows of it.

    Raises NotReadable and TooMuch; these and every FileError and OSError raised while it is open name the file.
    """
    given = Path(path).expanduser()
    try:
        # A pipe would wait for whoever writes to it, a device may do something when it is opened.
        _raise_unless_regular(given.stat())
        descriptor = os.open(given, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            _raise_unless_regular(found)
            if found.st_size > most:
                why = f"it has {found.st_size / MB:,.0f} MB; files up to {most / MB:,.0f} MB are read"
                raise TooMuch("too_large", why, "Give a part of it, or raise the limit `file_bytes`.")
            yield file, found
    except FileNotFoundError:
        raise NotReadable("missing_file", "there is no such file", "Look at the path.").of(given) from None
    except FileError as error:
        raise error.of(given) from None
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NotReadable("unreadable_file", f"it cannot be read ({why})").of(given) from None


def _raise_unless_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        what, hint = _SPECIAL.get(stat.S_IFMT(found.st_mode), ("something else", ""))
        raise NotReadable("not_a_file", f"it is {what}, not a file", hint)
