"""Bringing an index up to date with a folder: what is new, changed, moved or gone since the last time."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from graphwright.files.documents import Document
from graphwright.knowledge.errors import NoFolder
from graphwright.knowledge.passages import Page, normal, page_of
from graphwright.knowledge.reading import Given, look, read
from graphwright.knowledge.walking import Seen, Unread, walk
from graphwright.knowledge.words import LETTERS, german_text
from graphwright.store.sqlite_files import transaction
from graphwright.text.little_words import language_of

_BATCH = 200
_LONGEST_BATCH = 5.0
"""Files that one transaction takes, and seconds in which they are read: what a crash loses."""

_SHORTEST_WORD = 4


@dataclass(slots=True)
class Indexed:
    """What an update of a folder came to. `unread` are the files that are not in the index, `cut` those in parts."""

    name: str
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    pages: int = 0
    passages: int = 0
    embedded: int = 0
    unread: list[Unread] = field(default_factory=list)
    cut: list[Unread] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    id: int
    state: str
    digest: str


class Update:
    """One update of one folder, by the one process that may write now."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, name: str, tell: Callable[[str], None]) -> None:
        self._connection = connection
        self._folder = folder
        self._tell = tell
        self._id, name = _registered(connection, folder, name)
        self._did = Indexed(name)
        self._new_words: set[str] = set()

    def run(self, now: datetime, leave_out: Collection[str] = ()) -> Indexed:
        """Read what changed, batch by batch, and take out what is gone."""
        known, failed = self._known(), self._failed()
        seen: set[str] = set()
        hidden: list[str] = []
        todo: list[Seen] = []
        unread: list[Unread] = []
        for each in walk(self._folder, leave_out):
            if isinstance(each, Unread):
                unread.append(each)
                if each.keeps:
                    hidden.append(each.path)
                continue
            seen.add(each.path)
            if each.path in known and known[each.path].state == each.state:
                self._did.unchanged += 1
            elif each.path in failed and failed[each.path][0] == each.state:
                unread.append(Unread(each.path, failed[each.path][1], each.state))
            else:
                todo.append(each)
        gone = {path: page for path, page in known.items() if path not in seen and not _is_below(path, hidden)}
        self._read(todo, known, gone, unread)
        with transaction(self._connection):
            for page in gone.values():
                self._forget_page(page)
            self._did.removed = len(gone)
            self._note_unread(unread)
            self._connection.execute("UPDATE folders SET indexed = ? WHERE id = ?", (now.isoformat(), self._id))
        return self._finished(unread)

    def _read(
        self, todo: Sequence[Seen], known: Mapping[str, _Known], gone: dict[str, _Known], unread: list[Unread]
    ) -> None:
        by_content = {page.digest: path for path, page in gone.items()}
        looked_at = 0

        def fresh() -> Iterator[Given]:
            nonlocal looked_at
            for each in todo:
                looked_at += 1
                try:
                    given = look(self._folder, each)
                except OSError as error:
                    unread.append(Unread(each.path, f"it cannot be read ({error.strerror})", each.state))
                    with transaction(self._connection):
                        self._forget_page(known.get(each.path))
                    continue
                if not self._same(given, known, gone, by_content):
                    yield given

        with closing(read(fresh())) as documents:
            # Reading takes longer than writing: nobody else is kept from writing meanwhile.
            while batch := _next_batch(documents):
                with transaction(self._connection):
                    for given, found in batch:
                        unread.extend(self._take(given, found, known.get(given.seen.path)))
                    self._add_words()
                self._tell(f"{looked_at:,} of {len(todo):,} files read")

    def _known(self) -> dict[str, _Known]:
        rows = self._connection.execute("SELECT path, id, state, digest FROM pages WHERE folder = ?", (self._id,))
        return {path: _Known(id, state, digest) for path, id, state, digest in rows}

    def _failed(self) -> dict[str, tuple[str, str]]:
        rows = self._connection.execute("SELECT path, state, why FROM unread WHERE folder = ?", (self._id,))
        return {path: (state, why) for path, state, why in rows if state}

    def _same(
        self, given: Given, known: Mapping[str, _Known], gone: dict[str, _Known], by_content: Mapping[str, str]
    ) -> bool:
        """Whether its content is in the index already: touched, or under another path that is gone."""
        path, state = given.seen.path, given.seen.state
        page = known.get(path)
        if page is not None:
            if page.digest != given.digest:
                return False
            self._did.unchanged += 1
            self._connection.execute("UPDATE pages SET state = ? WHERE id = ?", (state, page.id))
            return True
        old = by_content.get(given.digest)
        # A document without a title of its own is called like its file.
        if old is None or old not in gone or PurePosixPath(old).name != PurePosixPath(path).name:
            return False
        page = gone.pop(old)
        self._connection.execute("UPDATE pages SET path = ?, state = ? WHERE id = ?", (path, state, page.id))
        self._did.moved += 1
        return True

    def _take(self, given: Given, found: Document | Unread, old: _Known | None) -> Iterator[Unread]:
        path = given.seen.path
        if isinstance(found, Document):
            page = page_of(found, given.beside, path)
            if page.passages:
                self._forget_page(old)
                self._add_page(given, page)
                if old is None:
                    self._did.added += 1
                else:
                    self._did.changed += 1
                return
            found = Unread(path, " ".join(found.notes) or "there is no text in it", given.seen.state)
        if not found.keeps:
            self._forget_page(old)
        yield found

    def _forget_page(self, page: _Known | None) -> None:
        if page is None:
            return
        execute = self._connection.execute
        execute("DELETE FROM found WHERE rowid IN (SELECT id FROM passages WHERE page = ?)", (page.id,))
        execute("DELETE FROM passages WHERE page = ?", (page.id,))
        execute("DELETE FROM pages WHERE id = ?", (page.id,))

    def _add_page(self, given: Given, page: Page) -> None:
        execute = self._connection.execute
        (number,) = execute(
            "INSERT INTO pages (folder, path, state, digest, title, url, accelerators, language, updated, cut) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                *(self._id, given.seen.path, given.seen.state, given.digest, page.title, page.url),
                *(f",{','.join(page.accelerators)}," if page.accelerators else "", page.language, page.updated),
                page.cut,
            ),
        ).fetchone()
        german_title = german_text(page.title)
        for place, passage in enumerate(page.passages, 1):
            (id,) = execute(
                "INSERT INTO passages (page, number, heading, sheet, text, digest) VALUES (?, ?, ?, ?, ?, ?) "
                "RETURNING id",
                (number, place, passage.heading, passage.page, passage.text, passage.digest),
            ).fetchone()
            if (page.language or language_of(passage.text)).startswith("de"):
                heading, text = german_text(passage.heading), german_text(passage.text)
                columns = ("", "", "", german_title, heading, text)
                self._collect_words(german_title, heading, text)
            else:
                columns = (page.title, passage.heading, passage.text, "", "", "")
            execute("INSERT INTO found(rowid, title, heading, text, title_stems, heading_stems, text_stems) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)", (id, *columns))  # fmt: skip

    def _collect_words(self, *texts: str) -> None:
        for text in texts:
            self._new_words.update(word for word in LETTERS.findall(text) if len(word) >= _SHORTEST_WORD)

    def _add_words(self) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO words VALUES (?, ?)", [(word, word[::-1]) for word in sorted(self._new_words)]
        )
        self._new_words.clear()

    def _note_unread(self, unread: Sequence[Unread]) -> None:
        self._connection.execute("DELETE FROM unread WHERE folder = ?", (self._id,))
        self._connection.executemany(
            "INSERT OR REPLACE INTO unread VALUES (?, ?, ?, ?)",
            [(self._id, each.path, each.state, each.why) for each in unread],
        )

    def _finished(self, unread: list[Unread]) -> Indexed:
        did, one = self._did, self._connection.execute
        did.unread = unread
        (did.pages,) = one("SELECT count(*) FROM pages WHERE folder = ?", (self._id,)).fetchone()
        (did.passages,) = one(
            "SELECT count(*) FROM passages JOIN pages ON pages.id = page WHERE folder = ?", (self._id,)
        ).fetchone()
        rows = one("SELECT path, cut FROM pages WHERE folder = ? AND cut != '' ORDER BY path", (self._id,))
        did.cut = [Unread(path, cut) for path, cut in rows]
        return did


def _next_batch(documents: Iterator[tuple[Given, Document | Unread]]) -> list[tuple[Given, Document | Unread]]:
    """The next documents, as many as are read in time; none after the last one."""
    batch: list[tuple[Given, Document | Unread]] = []
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
        wanted = normal(name).strip() or (row[1] if row else folder.name or "documents")
        other = connection.execute("SELECT path FROM folders WHERE name = ?", (wanted,)).fetchone()
        if other and other[0] != str(folder):
            if not row and not os.path.exists(other[0]):
                # The folder has moved: what was read of it is still true.
                connection.execute("UPDATE folders SET path = ? WHERE name = ?", (str(folder), wanted))
                row = connection.execute("SELECT id, name FROM folders WHERE name = ?", (wanted,)).fetchone()
                return int(row[0]), wanted
            if name or row:
                raise NoFolder(
                    "name_taken", f"The name {wanted!r} stands for {other[0]} already.", "Give another one with --name."
                )
            wanted = f"{wanted} {hashlib.sha256(str(folder).encode()).hexdigest()[:6]}"
        if row:
            connection.execute("UPDATE folders SET name = ? WHERE id = ?", (wanted, row[0]))
            return int(row[0]), wanted
        (id,) = connection.execute(
            "INSERT INTO folders (path, name) VALUES (?, ?) RETURNING id", (str(folder), wanted)
        ).fetchone()
        return int(id), wanted


def forget(connection: sqlite3.Connection, id: int) -> None:
    """Take a folder out of the index, with all of its pages."""
    execute = connection.execute
    with transaction(connection):
        pages = "SELECT id FROM pages WHERE folder = ?"
        execute(f"DELETE FROM found WHERE rowid IN (SELECT id FROM passages WHERE page IN ({pages}))", (id,))
        execute(f"DELETE FROM passages WHERE page IN ({pages})", (id,))
        for table in ("pages", "unread"):
            execute(f"DELETE FROM {table} WHERE folder = ?", (id,))
        execute("DELETE FROM folders WHERE id = ?", (id,))
        execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM passages)")
        if not execute("SELECT 1 FROM folders").fetchone():
            execute("DELETE FROM words")


def _is_below(path: str, places: Sequence[str]) -> bool:
    """Whether the path is one of the places or in it: what cannot be looked at now is not gone."""
    return any(place == "" or path == place or path.startswith(f"{place}/") for place in places)
