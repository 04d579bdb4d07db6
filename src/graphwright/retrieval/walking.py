"""The documents in a folder: which files are looked at, which are not, and packed ones unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

import yaml

from graphwright.retrieval.errors import NoFolder

SUFFIXES = frozenset(
    (
        *(".md", ".mdx", ".markdown", ".mdown", ".txt", ".text", ".rst", ".adoc", ".html", ".htm", ".xhtml", ".pdf"),
        *(".docx", ".pptx", ".xlsx", ".xlsb", ".xls", ".ods"),
    )
)
"""What files with documents in them are called. What is in one is told by its content."""

MOST_BYTES = 100 * 10**6
"""Bytes of a document, also of one that is packed."""

BESIDE = ".yaml"
"""`report.pdf.yaml` beside `report.pdf` holds what the file cannot say itself."""

_UNPACKING: Mapping[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_PASSED_OVER = frozenset(("node_modules", "__pycache__", "__MACOSX"))
_DEEPEST, _MOST_BESIDE, _CHUNK = 64, 16_000, 1 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A document: its path below the folder, with `/`, and by what a change would be seen.

    `member` is its name in an archive, whose path is then the part of `path` before it.
    """

    path: str
    state: str
    member: str = ""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read: its path below the folder, and why. `keeps` says that what was read of it, or in
    it, before stays: it may still be there."""

    path: str
    why: str
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


def walk(folder: Path, passed: Counter[str], leave_out: Collection[str], below: str = "") -> Iterator[Seen | Unread]:
    """Every document in the folder and below, in the order of their paths; links are not followed.

    What is no document, hidden, or named by `leave_out`, is counted in `passed`, by kind (`*.png`, `.git/`). What
    cannot be looked at is given as Unread: a folder without permission, a link to a place outside, a name that is no
    text.
    """
    try:
        with os.scandir(folder / below) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield Unread(below, f"the folder cannot be read ({error.strerror})", keeps=True)
        return
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        try:
            path.encode("utf-8")
            yield from _entry(folder, entry, path, passed, leave_out)
        except UnicodeEncodeError:
            shown = os.fsencode(path).decode("utf-8", "backslashreplace")
            yield Unread(shown, "its name is not valid UTF-8; give it another one")
        except (OSError, RuntimeError) as error:
            # A link to itself is the latter.
            yield Unread(path, f"it cannot be looked at ({getattr(error, 'strerror', None) or error})", keeps=True)


def is_document(name: str) -> bool:
    """Whether a file of this name may be a document, packed or not. Texts may have no suffix at all."""
    inner = PurePosixPath(name.lower())
    if inner.suffix in _UNPACKING:
        inner = inner.with_suffix("")
    return inner.suffix in SUFFIXES or not inner.suffix


def to_read(folder: Path, seen: Seen, scratch: Path) -> Path:
    """The file to be read of a document: itself, or a copy in `scratch` that is unpacked and named for its reader.

    Raises OSError, also for a link, and where it cannot be unpacked or is too large to be.
    """
    file = folder / (seen.path.removesuffix(f"/{seen.member}") if seen.member else seen.path)
    name = PurePosixPath(seen.path)
    unpack = _UNPACKING.get(name.suffix.lower())
    name = name.with_suffix("") if unpack else name
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "it is no regular file")
        if not (unpack or seen.member) and name.suffix.lower() != ".mdx":
            return file
        # MDX is Markdown, and its readers go by the suffix.
        copy = scratch / (name.with_suffix(".md") if name.suffix.lower() == ".mdx" else name).name
        try:
            _unpack(stream, seen.member, unpack, copy)
        except OSError as error:
            raise OSError(0, f"it cannot be unpacked: {error.strerror or error}") from error
        # What unpacks has errors of its own, and raises others on what was made to break it.
        except Exception as error:
            raise OSError(0, f"it cannot be unpacked: {error}") from error
    return copy


def facts_beside(folder: Path, seen: Seen) -> dict[str, str]:
    """What stands in the file beside a document; empty where there is none that can be read."""
    try:
        descriptor = os.open(f"{folder / seen.path}{BESIDE}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as stream:
            held = yaml.safe_load(stream.read(_MOST_BESIDE))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return {str(name).lower(): str(value) for name, value in held.items()} if isinstance(held, dict) else {}


def _entry(
    folder: Path, entry: os.DirEntry[str], path: str, passed: Counter[str], leave_out: Collection[str]
) -> Iterator[Seen | Unread]:
    is_folder = entry.is_dir(follow_symlinks=False)
    if entry.name.startswith(".") or entry.name in _PASSED_OVER or path in leave_out:
        passed[f"{entry.name}/" if is_folder else entry.name] += 1
    elif entry.is_symlink():
        # What is inside is found where it really is; only a way out to documents is worth a word.
        target = (folder / path).resolve()
        if not target.is_relative_to(folder) and (is_document(entry.name) or target.is_dir()):
            yield Unread(path, "it is a link to a place outside the folder, which is not followed")
    elif is_folder and path.count("/") >= _DEEPEST:
        yield Unread(path, f"it lies deeper than {_DEEPEST} folders")
    elif is_folder:
        yield from walk(folder, passed, leave_out, path)
    elif is_document(entry.name) or entry.name.lower().endswith(".zip"):
        found = entry.stat(follow_symlinks=False)
        state = f"{_state(found)} {_state_beside(folder / path)}".rstrip()
        if not stat.S_ISREG(found.st_mode):
            yield Unread(path, "it is no regular file")
        elif is_document(entry.name):
            yield Seen(path, state)
        else:
            yield from _members(folder / path, path, state, passed)
    # What stands beside a document is read with it.
    elif not (entry.name.endswith(BESIDE) and is_document(entry.name.removesuffix(BESIDE))):
        passed[f"*{PurePosixPath(entry.name).suffix.lower()}"] += 1


def _members(archive: Path, path: str, state: str, passed: Counter[str]) -> Iterator[Seen | Unread]:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [member for member in opened.infolist() if not member.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        yield Unread(path, f"it is no archive that can be opened ({error})")
        return
    for member in members:
        if is_document(PurePosixPath(member.filename).name):
            yield Seen(f"{path}/{member.filename}", state, member.filename)
        else:
            passed[f"*{PurePosixPath(member.filename).suffix.lower()}"] += 1


def _unpack(stream: IO[bytes], member: str, unpack: Any, copy: Path) -> None:
    with zipfile.ZipFile(stream) if member else stream as opened:
        inner = opened.open(member) if isinstance(opened, zipfile.ZipFile) else opened
        with unpack(inner) if unpack else inner as source, open(copy, "wb") as target:
            left = MOST_BYTES
            while chunk := source.read(_CHUNK):
                left -= target.write(chunk)
                if left < 0:
                    raise OSError(0, f"it has more than {MOST_BYTES:,} bytes")


def _state(found: os.stat_result) -> str:
    return f"{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}"


def _state_beside(file: Path) -> str:
    try:
        return _state(os.lstat(f"{file}{BESIDE}"))
    except OSError:
        return ""
