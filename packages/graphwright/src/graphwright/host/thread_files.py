"""The files that a user gives to a thread: copied into its folder, so that they stay what they were."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.errors import UsageError, exception_text
from graphwright.store.home import thread_folder

if TYPE_CHECKING:
    from graphwright.host._definition import AgentDefinition

__all__ = ["checked", "plain_name"]

FOLDER = "given"

LARGEST = 4 * 2**30
"""Bytes of one file."""

_CHUNK = 2**20
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that the user gave. `sha256` is the hash of its content, `bytes` its size, `path` the path of the copy.

    `folder` is the folder it came from (`2023`, `shop/2023`) if several files of one name were given; otherwise empty.
    """

    name: str
    sha256: str
    bytes: int
    path: Path
    folder: str = ""

    @property
    def title(self) -> str:
        """The name that distinguishes it from the other files: `sales.csv`, `2023/sales.csv`."""
        return f"{self.folder}/{self.name}" if self.folder else self.name


def readable(agent: AgentDefinition, files: Sequence[str | Path]) -> list[Path]:
    """The paths of files for the agent. Raises UsageError as `checked` does, and if the agent takes no files."""
    if files and not agent.takes_files:
        raise UsageError("takes_no_files", f"The agent {agent.name!r} does not accept files.", "Leave the files out.")
    return checked(files)


def checked(files: Sequence[str | Path]) -> list[Path]:
    """The paths of regular files that can be read. Raises UsageError naming the first that is none."""
    paths = []
    for file in files:
        try:
            path = Path(file).expanduser()
            found = path.stat()
            # A pipe or a device would be read for ever.
            if not stat.S_ISREG(found.st_mode):
                kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file"
                raise UsageError("not_a_file", f"{file} is {kind}.", "Name a file.")
            if found.st_size > LARGEST:
                raise UsageError(
                    "large_file",
                    f"{file} has {found.st_size:,} bytes; at most {LARGEST:,} are taken.",
                    "Give a part of it, or a compact format such as Parquet.",
                )
            with path.open("rb"):
                paths.append(path)
        except (OSError, RuntimeError, ValueError) as error:
            why = getattr(error, "strerror", None) or exception_text(error)
            raise UsageError("no_such_file", f"{file} cannot be read: {why}.", "Check the path.") from None
    return paths


def taken_in(
    home: Path, thread: str, paths: Sequence[Path], known: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Copy files into the thread's folder. Returns the state's entry for each: name, sha256, bytes, folder.

    `known` are the files that the thread has. Raises UsageError for a file that cannot be read or copied.
    """
    folder = thread_folder(home, thread) / FOLDER
    taken = []
    for path, origin in zip(paths, _folders(paths, known), strict=True):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            taken.append(_copied(path, folder, origin))
        except OSError as error:
            message = f"{path} cannot be copied into {folder}: {error.strerror or error}."
            raise UsageError("not_copied", message, "Check the file, and the space on the disk.") from None
    return taken


def _folders(paths: Sequence[Path], known: Sequence[dict[str, Any]]) -> list[str]:
    """For each file the end of its folder that distinguishes it from others of the same name; empty if alone."""
    places = [path.absolute().resolve().parent for path in paths]
    found = []
    for path, place in zip(paths, places, strict=True):
        name = plain_name(path)
        others = {other for file, other in zip(paths, places, strict=True) if plain_name(file) == name} - {place}
        before = [file["folder"].count("/") + 1 for file in known if file["name"] == name and file.get("folder")]
        sizes = range(min(before, default=1), len(place.parts) + 1) if others or before else ()
        ends = ((_ending(place, size), {_ending(other, size) for other in others}) for size in sizes)
        found.append(next((own for own, theirs in ends if own not in theirs), ""))
    return found


def _ending(folder: Path, size: int) -> str:
    return "/".join(plain_name(Path(part)) for part in folder.parts[-size:] if part != folder.anchor)


def _copied(path: Path, folder: Path, origin: str) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".part-")
    try:
        with path.open("rb") as source, os.fdopen(handle, "wb") as copy:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                copy.write(chunk)
                size += len(chunk)
        kept = {"name": plain_name(path), "sha256": digest.hexdigest(), "bytes": size}
        if origin:
            kept["folder"] = origin
        place = _place(folder, kept)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(temporary, place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return kept


def _place(folder: Path, file: dict[str, Any]) -> Path:
    """The path of the copy of a file. Files of equal content and name may come from several folders."""
    place = folder / str(file["sha256"])[:16]
    if origin := file.get("folder"):
        place /= hashlib.sha256(origin.encode()).hexdigest()[:16]
    return place / str(file["name"])


def plain_name(path: Path) -> str:
    """The file's name as one short line of text that every system can keep."""
    text = path.name.encode("utf-8", "replace").decode()
    text = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in text)
    stem, suffix = os.path.splitext(text)
    stem, suffix = stem[: _LONGEST_NAME - len(suffix[:20])], suffix[:20]
    # A name has room for 255 bytes, whatever its characters are.
    while len(f"{stem}{suffix}".encode()) > 240:
        stem, suffix = (stem[:-1], suffix) if stem else (stem, suffix[:-1])
    return f"{stem}{suffix}".strip(". ") or "file"


def given_files(home: Path, thread: str, files: Sequence[dict[str, Any]]) -> tuple[GivenFile, ...]:
    """The files of a thread's state, with the places of their copies."""
    if not files:
        return ()
    folder = thread_folder(home, thread) / FOLDER
    return tuple(GivenFile(f["name"], f["sha256"], f["bytes"], _place(folder, f), f.get("folder", "")) for f in files)


def share(home: Path, source: str, thread: str, files: Sequence[dict[str, Any]]) -> None:
    """Give the files of one thread to another one, which then does without the first; one that is gone stays gone."""
    theirs, ours = given_files(home, source, files), given_files(home, thread, files)
    for old, new in zip(theirs, ours, strict=True):
        if new.path.exists() or not old.path.exists():
            continue
        new.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(old.path, new.path)
        except OSError:
            shutil.copyfile(old.path, new.path)
