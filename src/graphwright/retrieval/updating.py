"""Bringing an index up to date with a folder: what is new, changed or gone since the last time."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from graphwright.files.documents import Document, DocumentLimits, read_documents
from graphwright.files.errors import FileError, FilesUnavailable
from graphwright.retrieval.errors import NoFolder
from graphwright.retrieval.index import TextIndex
from graphwright.retrieval.passages import Page, page_of
from graphwright.retrieval.walking import MOST_BYTES, Seen, Unread, facts_beside, to_read, walk
from graphwright.store.sqlite_files import transaction

LIMITS = DocumentLimits(characters=2_000_000, file_bytes=MOST_BYTES)
"""How much of a document is read."""

_BATCH = 200
_LONGEST_BATCH = 5.0
"""Files that one transaction takes, and seconds in which they are read: what a crash loses."""

Result = tuple[Seen, Document | Unread]


@dataclass(slots=True)
class Indexed:
    """What an update of a folder came to.

    `unread` are the documents that are not in the index, `cut` those in parts, `passed` how many files of each kind
    were not looked into because they are no documents.
    """

    name: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    pages: int = 0
    passages: int = 0
    embedded: int = 0
    unread: list[Unread] = field(default_factory=list)
    cut: list[Unread] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=dict)
    note: str = ""


class Update:
    """One update of one folder, by the one process that may write now."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, name: str, tell: Callable[[str], None]) -> None:
        self._db = connection
        self._index = TextIndex(connection)
        self._folder = folder
        self._tell = tell
        self._id, name = _registered(connection, folder, name)
        self._did = Indexed(name)

    def run(self, now: datetime, leave_out: Collection[str]) -> Indexed:
        """Read what changed, batch by batch, and take out what is gone."""
        rows = self._db.execute("SELECT path, state, unread = '' FROM pages WHERE folder = ?", (self._id,))
        known = {path: (state, bool(read)) for path, state, read in rows}
        passed: Counter[str] = Counter()
        seen: set[str] = set()
        todo: list[Seen] = []
        unread: list[Unread] = []
        for each in walk(self._folder, passed, leave_out):
            if isinstance(each, Unread):
                unread.append(each)
                continue
            seen.add(each.path)
            state, read = known.get(each.path, ("", False))
            if state != each.state:
                todo.append(each)
            elif read:
                self._did.unchanged += 1
        self._read(todo, {path for path, (_, read) in known.items() if read})
        hidden = [each.path for each in unread if each.keeps]
        gone = [path for path in known if path not in seen and not _is_below(path, hidden)]
        with transaction(self._db):
            self._index.settle()
            for path in gone:
                self._did.removed += known[path][1]
                self._forget(path)
            for each in unread:
                if not each.keeps:
                    self._put(each.path, "", each.why)
            self._did.passed = dict(passed.most_common())
            self._db.execute(
                "UPDATE folders SET indexed = ?, passed = ? WHERE id = ?",
                (now.isoformat(), json.dumps(self._did.passed), self._id),
            )
        return self._finished([each for each in unread if each.keeps])

    def _read(self, todo: Sequence[Seen], before: Collection[str]) -> None:
        done = 0
        with tempfile.TemporaryDirectory() as scratch, closing(_documents(self._folder, todo, Path(scratch))) as read:
            # Reading takes longer than writing: nobody else is kept from writing meanwhile.
            while batch := _next_batch(read):
                with transaction(self._db):
                    for seen, found in batch:
                        self._take(seen, found, seen.path in before)
                    self._index.flush()
                done += len(batch)
                self._tell(f"{done:,} of {len(todo):,} files read")

    def _take(self, seen: Seen, found: Document | Unread, before: bool) -> None:
        if isinstance(found, Document):
            page = page_of(found, facts_beside(self._folder, seen), seen.path)
            if page.passages:
                self._put(seen.path, seen.state, "", page)
                self._did.changed += before
                self._did.added += not before
                return
            found = Unread(seen.path, " ".join(found.notes) or "there is no text in it")
        self._put(seen.path, seen.state, found.why)

    def _put(self, path: str, state: str, why: str, page: Page | None = None) -> None:
        """Put a document in the place of what was read of it before; one that cannot be read with `why`."""
        self._forget(path)
        held = page or Page()
        accelerators = f",{','.join(held.accelerators)}," if held.accelerators else ""
        (number,) = self._db.execute(
            "INSERT INTO pages (folder, path, state, unread, title, url, accelerators, language, updated, cut, paged) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                *(self._id, path, state, why, held.title, held.url, accelerators),
                *(held.language, held.updated, held.cut, held.paged),
            ),
        ).fetchone()
        for passage in held.passages:
            (id,) = self._db.execute(
                "INSERT INTO passages (page, number, digest) VALUES (?, ?, ?) RETURNING id",
                (number, passage.number, passage.digest),
            ).fetchone()
            self._index.add(id, held.title, passage.heading, passage.text)

    def _forget(self, path: str) -> None:
        forget(self._db, "folder = ? AND path = ?", (self._id, path))

    def _finished(self, kept: Sequence[Unread]) -> Indexed:
        did = self._did
        rows = self._db.execute("SELECT path, unread, cut FROM pages WHERE folder = ? ORDER BY path", (self._id,))
        for path, why, cut in rows.fetchall():
            did.pages += not why
            if why:
                did.unread.append(Unread(path, why))
            if cut:
                did.cut.append(Unread(path, cut))
        did.unread += kept
        (did.passages,) = self._db.execute(
            "SELECT count(*) FROM passages JOIN pages ON pages.id = page WHERE folder = ?", (self._id,)
        ).fetchone()
        return did


def forget(connection: sqlite3.Connection, condition: str, values: Sequence[str | int]) -> None:
    """Take pages out, with their passages; `condition` is SQL over them."""
    of_pages = f"page IN (SELECT id FROM pages WHERE {condition})"
    passages = connection.execute(f"SELECT id FROM passages WHERE {of_pages}", values).fetchall()
    if passages:
        TextIndex(connection).remove([id for (id,) in passages])
        connection.execute(f"DELETE FROM passages WHERE {of_pages}", values)
    connection.execute(f"DELETE FROM pages WHERE {condition}", values)


def _documents(folder: Path, todo: Iterable[Seen], scratch: Path) -> Generator[Result, None, None]:
    """The documents, each when it is asked for, or why there is none. Raises FilesUnavailable."""
    waiting: deque[tuple[Seen, Path]] = deque()
    failed: deque[Result] = deque()

    def files() -> Iterator[Path]:
        for seen in todo:
            try:
                file = to_read(folder, seen, scratch)
            except OSError as error:
                failed.append((seen, Unread(seen.path, f"it cannot be read ({error.strerror})")))
                continue
            waiting.append((seen, file))
            yield file
            if file.parent == scratch:
                file.unlink()

    with closing(read_documents(files(), LIMITS)) as documents:
        for _, found in documents:
            seen, file = waiting.popleft()
            if isinstance(found, FilesUnavailable):
                raise found
            if isinstance(found, FileError):
                why = found.message.removeprefix(f"{file.name}: ").rstrip(".")
                yield seen, Unread(seen.path, f"{why}. {found.hint}".strip())
            else:
                yield seen, found
    yield from failed


def _next_batch(documents: Iterator[Result]) -> list[Result]:
    """The next documents, as many as are read in time; none after the last one."""
    batch: list[Result] = []
    end = time.monotonic() + _LONGEST_BATCH
    for each in documents:
        batch.append(each)
        if len(batch) == _BATCH or time.monotonic() > end:
            break
    return batch


def _registered(connection: sqlite3.Connection, folder: Path, name: str) -> tuple[int, str]:
    """The number and the name of a folder in the index; a new one is entered. Raises NoFolder where a name is taken."""
    with transaction(connection):
        row = connection.execute("SELECT id, name FROM folders WHERE path = ?", (str(folder),)).fetchone()
        wanted = " ".join(name.split()) or (row[1] if row else folder.name or "documents")
        other = connection.execute("SELECT id, path FROM folders WHERE name = ?", (wanted,)).fetchone()
        if other and not row and not os.path.exists(other[1]):
            # The folder has moved: what was read of it is still true.
            row = other
        elif other and other[1] != str(folder):
            if name or row:
                told = f"The name {wanted!r} stands for {other[1]} already."
                raise NoFolder("name_taken", told, "Give another one with --name.")
            wanted = f"{wanted} {hashlib.sha256(str(folder).encode()).hexdigest()[:6]}"
        (id,) = connection.execute(
            "INSERT INTO folders (id, path, name) VALUES (?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET path = excluded.path, name = excluded.name RETURNING id",
            (row[0] if row else None, str(folder), wanted),
        ).fetchone()
        return int(id), wanted


def _is_below(path: str, places: Sequence[str]) -> bool:
    """Whether the path is one of the places or in it: what cannot be looked at now is not gone."""
    return any(place == "" or path == place or path.startswith(f"{place}/") for place in places)
