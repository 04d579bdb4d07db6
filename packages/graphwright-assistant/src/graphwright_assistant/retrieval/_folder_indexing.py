"""Indexing of a folder: finds and reads its documents, divides them into passages, and adds them to the index."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import yaml

from graphwright.store.sqlite_files import transaction
from graphwright.text.folding import words_of
from graphwright.text.full_text import TextIndex
from graphwright.text.markup import one_line, web_address
from graphwright_assistant.retrieval._errors import NoFolder
from graphwright_files.documents import Document, DocumentLimits, read_documents
from graphwright_files.errors import FileError, FilesUnavailable

SUFFIXES = {
    *(".md", ".mdx", ".markdown", ".mdown", ".txt", ".text", ".rst", ".adoc", ".html", ".htm", ".xhtml", ".pdf"),
    *(".docx", ".pptx", ".xlsx", ".xlsb", ".xls", ".ods", ".csv", ".tsv", ".tab", ".zip"),
}
"""The suffixes of files that may be documents. The content determines the kind."""

BESIDE = ".yaml"
"""The suffix of a file with metadata: `report.pdf.yaml` is read with `report.pdf`."""

MOST_BYTES = 100 * 10**6
LIMITS = DocumentLimits(characters=2_000_000, file_bytes=MOST_BYTES, unpacked_bytes=MOST_BYTES)
"""The limits on reading a document."""

MOST_TEXT = 1_500
"""The maximum length of a passage, in characters."""

MOST_PASSAGES = 4_000
"""The maximum number of passages of a document."""

SCHEMA = (
    "CREATE TABLE folders (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, "
    "indexed TEXT NOT NULL DEFAULT '', passed TEXT NOT NULL DEFAULT '{}')",
    # `unread` is the reason for missing passages, otherwise empty.
    "CREATE TABLE pages (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, "
    "unread TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL, accelerators TEXT NOT NULL, "
    "language TEXT NOT NULL, updated TEXT NOT NULL, cut TEXT NOT NULL, paged INTEGER NOT NULL, UNIQUE (folder, path))",
    # The text of a passage is in the row of `texts` with its id. `piece` counts the passages of one number, 0 for the
    # only one.
    "CREATE TABLE passages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, number INTEGER NOT NULL, "
    "piece INTEGER NOT NULL)",
    "CREATE INDEX passages_of_page ON passages (page, number)",
)

_BATCH = 100
_LONGEST_BATCH = 5.0
"""The number of files of one transaction, and its time limit in seconds: a crash loses at most two of them."""

_PACKED = (".gz", ".bz2", ".xz")
_PASSED_OVER = frozenset(("node_modules", "__pycache__", "__MACOSX"))
_MOST_BESIDE = 16_000
_ENDS = ("\n\n", "\n", ". ", " ")  # where a long text is cut, the best first
_MOST_FACT = 300


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that could not be read: its path below the folder, with `/`, and the reason."""

    path: str
    why: str


class Hidden(UnreadableFile):
    """A path that cannot be accessed now. Its indexed content is kept, because it may still exist."""


Passage: TypeAlias = tuple[int, str, str]
"""The number of its page, or of its section if the format has no pages; its heading; its text."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a document in the table of pages; unknown facts are empty.

    `unread` is the reason for missing passages. `url` is an http(s) address. `accelerators` are in lower case, each
    between commas; a page without them is about all. `cut` is the part that is not in the index. `paged`: its numbers
    are page numbers.
    """

    unread: str = ""
    title: str = ""
    url: str = ""
    accelerators: str = ""
    language: str = ""
    updated: str = ""
    cut: str = ""
    paged: bool = False


class Update:
    """One update of one folder, by the only process that may write at this time.

    `id` is the folder's number in the index, `did` the counts of documents, `hidden` the inaccessible paths.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path, name: str, notify: Callable[[str], None]) -> None:
        self._db = connection
        self._index = TextIndex(connection)
        self._folder = folder
        self._report = notify
        self.did: dict[str, Any] = {"added": 0, "changed": 0, "removed": 0, "unchanged": 0}
        self.hidden: tuple[UnreadableFile, ...] = ()
        self.id = _registered(connection, folder, name)

    def run(self) -> None:
        """Read changed documents, batch by batch, and remove deleted ones. Raises FilesUnavailable."""
        rows = self._db.execute("SELECT path, state, unread = '' FROM pages WHERE folder = ?", (self.id,))
        known = {path: (state, bool(read)) for path, state, read in rows}
        passed: Counter[str] = Counter()
        found = list(walk(self._folder, passed))
        seen = dict(each for each in found if isinstance(each, tuple))
        unread = [each for each in found if isinstance(each, UnreadableFile)]
        same = {path for path, state in seen.items() if path in known and known[path][0] == state}
        self.did["unchanged"] = sum(known[path][1] for path in same)
        self.hidden = tuple(each for each in unread if isinstance(each, Hidden))
        todo = {path: state for path, state in seen.items() if path not in same}
        self._read(todo, {path for path, (_, read) in known.items() if read})
        hidden = [each.path for each in self.hidden]
        with transaction(self._db):
            self._index.update_statistics()
            for path in known:
                if path not in seen and not _is_below(path, hidden):
                    self.did["removed"] += known[path][1]
                    self._forget(path)
            for each in unread:
                if not isinstance(each, Hidden):
                    self._put(each.path, "", Facts(unread=each.why))
            done = datetime.now(UTC).isoformat(), json.dumps(dict(passed.most_common())), self.id
            self._db.execute("UPDATE folders SET indexed = ?, passed = ? WHERE id = ?", done)

    def _read(self, todo: Mapping[str, str], before: Collection[str]) -> None:
        done = 0
        documents = read_documents([self._folder / path for path in todo], LIMITS)
        # A batch is read, in a process of its own, while the batch before it is written.
        with closing(documents), ThreadPoolExecutor(1, thread_name_prefix="reading") as reader:
            following = reader.submit(_next_batch, documents)
            while batch := following.result():
                following = reader.submit(_next_batch, documents)
                with transaction(self._db):
                    for file, found in batch:
                        path = file.relative_to(self._folder).as_posix()
                        self._take(path, todo[path], found, path in before)
                done += len(batch)
                self._report(f"{done:,} of {len(todo):,} files read")

    def _take(self, path: str, state: str, found: Document | FileError, before: bool) -> None:
        if isinstance(found, FilesUnavailable):
            raise found
        if isinstance(found, FileError):
            message = found.message.removeprefix(f"{PurePosixPath(path).name}: ")
            facts, passages = Facts(unread=f"{message} {found.hint}".strip()), list[Passage]()
        else:
            facts, passages = taken_from(found, _facts_beside(self._folder / path), path)
        self.did["changed" if before else "added"] += bool(passages)
        self._put(path, state, facts, passages)

    def _put(self, path: str, state: str, facts: Facts, passages: Sequence[Passage] = ()) -> None:
        """Store a document in place of its previous version."""
        self._forget(path)
        values = (self.id, path, state, *astuple(facts))
        page = self._db.execute("INSERT INTO pages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values).lastrowid
        of_number = Counter(number for number, _, _ in passages)
        piece: Counter[int] = Counter()
        for number, heading, text in passages:
            piece[number] += of_number[number] > 1
            row = self._db.execute("INSERT INTO passages VALUES (NULL, ?, ?, ?)", (page, number, piece[number]))
            self._index.add(row.lastrowid or 0, _with_file_name(facts.title, path), heading, text)

    def _forget(self, path: str) -> None:
        forget(self._db, "folder = ? AND path = ?", (self.id, path))


def _with_file_name(title: str, path: str) -> str:
    """The title, and the words of the file's name that it does not have: people look for files by their names, too."""
    known = words_of(title)
    return " ".join([title, *(word for word in words_of(PurePosixPath(path).stem) if word not in known)])


def real_folder(folder: Path) -> Path:
    """The folder as an absolute path without links. Raises NoFolder."""
    try:
        real = folder.expanduser().resolve(strict=True)
        os.scandir(real).close()
    except (OSError, RuntimeError, ValueError) as error:
        codes: dict[type[Exception], str] = {FileNotFoundError: "missing_folder", NotADirectoryError: "not_a_folder"}
        why = getattr(error, "strerror", None) or str(error)
        message = f"There is no folder {folder} that can be read: {why}."
        raise NoFolder(codes.get(type(error), "unreadable_folder"), message, "Check the path.") from None
    return real


def forget(connection: sqlite3.Connection, condition: str, values: Sequence[str | int]) -> None:
    """Remove pages, with their passages; `condition` is SQL over them."""
    of_pages = f"page IN (SELECT id FROM pages WHERE {condition})"
    passages = connection.execute(f"SELECT id FROM passages WHERE {of_pages}", values).fetchall()
    if passages:
        TextIndex(connection).remove([id for (id,) in passages])
        connection.execute(f"DELETE FROM passages WHERE {of_pages}", values)
    connection.execute(f"DELETE FROM pages WHERE {condition}", values)


def taken_from(document: Document, beside: Mapping[str, str], path: str) -> tuple[Facts, list[Passage]]:
    """The facts and passages of a document. Facts from the YAML file override those in the document."""
    said = {name.lower(): _line(value) for name, value in {**document.metadata, **beside}.items()}
    title = said.get("title", "") or _line(document.title) or PurePosixPath(path).stem
    passages = list(islice(_passages(document, title), MOST_PASSAGES + 1))
    if not passages:
        return Facts(unread=" ".join(document.notes) or "there is no text in it"), passages
    many = f"Only its first {MOST_PASSAGES:,} passages are in the index." if len(passages) > MOST_PASSAGES else ""
    names = dict.fromkeys(re.findall(r"[^\s,;|/\[\]\"']+", said.get("accelerator", "").lower()))
    facts = Facts(
        title=title,
        url=web_address(said.get("url", "")),
        accelerators=f",{','.join(names)}," if names else "",
        language=said.get("language", said.get("lang", ""))[:20].lower(),
        updated=said.get("updated", "") or said.get("date", ""),
        cut=f"{document.cut} {many}".strip(),
        paged=any(part.page is not None for part in document.parts),
    )
    return facts, passages[:MOST_PASSAGES]


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most `MOST_TEXT` characters, divided after a paragraph, line, sentence or word."""
    start = 0
    while len(text) - start > MOST_TEXT:
        least, most = start + MOST_TEXT // 4, start + MOST_TEXT
        ends = (text.rfind(end, least, most) + len(end) for end in _ENDS)
        stop = next((end for end in ends if end > least), most)
        yield text[start:stop]
        start = stop
    yield text[start:]


def _passages(document: Document, title: str) -> Iterator[Passage]:
    number = 0
    for place, part in enumerate(document.parts):
        after = document.parts[place + 1].heading if place + 1 < len(document.parts) else ()
        # A heading without any text is indexed as a text; one above other headings is part of their paths.
        alone = part.heading and (after[: len(part.heading)] != part.heading or after == part.heading)
        text = part.text.strip() or (part.heading[-1] if alone else "")
        if not text:
            continue
        number = part.page if part.page is not None else number + 1
        headings = [heading for heading in map(_line, part.heading) if heading]
        # Most pages repeat their title as their first heading.
        heading = " > ".join(headings[headings[:1] == [title] :])[:_MOST_FACT]
        yield from ((number, heading, piece) for piece in pieces(text))


def _line(value: object) -> str:
    return one_line(str(value))[:_MOST_FACT]


def walk(folder: Path, passed: Counter[str], below: str = "") -> Iterator[tuple[str, str] | UnreadableFile]:
    """The documents in a folder, sorted by path: the path below it, and a state (size and times) to detect changes.

    Links are not followed. Hidden files, and files that are not documents, are counted in `passed`, by kind (`*.png`,
    `.git/`). Unreadable entries are returned as Unread: a folder without permission, a link to a place outside, a name
    that is not text.
    """
    try:
        with os.scandir(folder / below) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield Hidden(below, f"the folder cannot be read ({error.strerror})")
        return
    by_name = {entry.name: entry for entry in entries}
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        try:
            path.encode("utf-8")
            yield from _entry(folder, entry, path, passed, by_name.get(f"{entry.name}{BESIDE}"))
        except UnicodeEncodeError:
            shown = os.fsencode(path).decode("utf-8", "backslashreplace")
            yield UnreadableFile(shown, "its name is not valid UTF-8; give it another one")
        except (OSError, RuntimeError) as error:
            # The latter is a link to itself, or a folder that is nested too deep.
            yield Hidden(path, f"it cannot be looked at ({getattr(error, 'strerror', None) or error})")


def _entry(
    folder: Path, entry: os.DirEntry[str], path: str, passed: Counter[str], beside: os.DirEntry[str] | None
) -> Iterator[tuple[str, str] | UnreadableFile]:
    is_folder = entry.is_dir(follow_symlinks=False)
    if entry.name.startswith(".") or entry.name in _PASSED_OVER:
        passed[f"{entry.name}/" if is_folder else entry.name] += 1
    elif entry.is_symlink():
        # The target inside the folder is found at its real path; only a link to documents outside is reported.
        target = (folder / path).resolve()
        if not target.is_relative_to(folder) and (_is_document(entry.name) or target.is_dir()):
            yield UnreadableFile(path, "it is a link to a place outside the folder, which is not followed")
    elif is_folder:
        yield from walk(folder, passed, path)
    elif _is_document(entry.name):
        if stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            yield path, " ".join(_state(each) for each in (entry, beside) if each)
        else:
            yield UnreadableFile(path, "it is not a regular file")
    # A metadata file is read with its document.
    elif not (entry.name.endswith(BESIDE) and _is_document(entry.name.removesuffix(BESIDE))):
        passed[f"*{PurePosixPath(entry.name).suffix.lower()}"] += 1


def _is_document(name: str) -> bool:
    """Whether a file with this name may be a document, packed or not. Texts may have no suffix."""
    inner = PurePosixPath(name.lower())
    if inner.suffix in _PACKED:
        inner = inner.with_suffix("")
    return inner.suffix in SUFFIXES or not inner.suffix


def _state(entry: os.DirEntry[str]) -> str:
    """The values that show a change of a file."""
    found = entry.stat(follow_symlinks=False)
    return f"{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}"


def _facts_beside(file: Path) -> dict[str, str]:
    """The metadata file of a document, or an empty mapping if it is missing or unreadable."""
    try:
        descriptor = os.open(f"{file}{BESIDE}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as stream:
            held = yaml.safe_load(stream.read(_MOST_BESIDE))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return {str(name).lower(): str(value) for name, value in held.items()} if isinstance(held, dict) else {}


def _next_batch(documents: Iterator[tuple[Path, Document | FileError]]) -> list[tuple[Path, Document | FileError]]:
    """The next documents, as many as are read within the time limit; empty at the end."""
    batch = []
    end = time.monotonic() + _LONGEST_BATCH
    for each in documents:
        batch.append(each)
        if len(batch) == _BATCH or time.monotonic() > end:
            break
    return batch


def _registered(connection: sqlite3.Connection, folder: Path, name: str) -> int:
    """The number of a folder in the index; a new one is added. Raises NoFolder if its name is already used."""
    with transaction(connection):
        row = connection.execute("SELECT id, name FROM folders WHERE path = ?", (str(folder),)).fetchone()
        wanted = " ".join(name.split()) or (row[1] if row else folder.name or "documents")
        other = connection.execute("SELECT id, path FROM folders WHERE name = ?", (wanted,)).fetchone()
        if other and not row and not os.path.exists(other[1]):
            # The folder has moved: its indexed content is still valid.
            row = other
        elif other and other[1] != str(folder):
            if name or row:
                told = f"The name {wanted!r} stands for {other[1]} already."
                raise NoFolder("name_taken", told, "Choose another name with --name.")
            wanted = f"{wanted} {hashlib.sha256(str(folder).encode()).hexdigest()[:6]}"
        entered = connection.execute(
            "INSERT INTO folders (id, path, name) VALUES (?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET path = excluded.path, name = excluded.name RETURNING id",
            (row[0] if row else None, str(folder), wanted),
        )
        return int(entered.fetchone()[0])


def _is_below(path: str, places: Sequence[str]) -> bool:
    """Whether the path is one of the places or in it, so that inaccessible content is not removed."""
    return any(place == "" or path == place or path.startswith(f"{place}/") for place in places)
