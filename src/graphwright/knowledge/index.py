"""An index over folders of documents: brought up to date, searched, and told about."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from graphwright.knowledge import indexing
from graphwright.knowledge.database import connect, writing
from graphwright.knowledge.embedding import Embedder, Neighbours, embed_missing
from graphwright.knowledge.errors import EmbedderUnavailable, KnowledgeError, explained
from graphwright.knowledge.indexing import Indexed, Update
from graphwright.knowledge.queries import query_of
from graphwright.knowledge.searching import ALL, Nearest, Scope, search, words_alone
from graphwright.knowledge.walking import Unread, real_folder
from graphwright.store.sqlite_files import identity
from graphwright.tools.sources import Findings


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in an index. `indexed` is when it was last brought up to date, as ISO 8601, empty if never."""

    name: str
    path: Path
    indexed: str
    pages: int
    passages: int
    embedded: int
    accelerators: tuple[str, ...]
    languages: tuple[str, ...]
    unread: tuple[Unread, ...]


class KnowledgeIndex:
    """One file with everything that is needed to find passages of documents. May be used by several threads.

    `folder` limits searches to one of the folders in it. With an `embedder` passages are found by meaning, too.
    """

    def __init__(self, file: Path, *, embedder: Embedder | None = None, folder: Path | None = None) -> None:
        self.file = file
        self._folder = folder
        self._embedder = embedder
        self._neighbours = Neighbours(embedder) if embedder is not None else None
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None

    def update(
        self,
        folder: Path,
        name: str = "",
        *,
        leave_out: Collection[str] = (),
        now: datetime | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Indexed:
        """Bring the index up to date with a folder: only what changed is read.

        What was read stays when it is interrupted. While another process indexes, it waits. Raises NoFolder,
        IndexUnusable and IndexBusy; files that cannot be read are told in the result, and an embedder that does not
        answer in its `note`.
        """
        place = real_folder(folder)
        with explained(self.file), writing(self.file, tell) as connection:
            update = Update(connection, place, name, tell)
            did = update.run(now or datetime.now(UTC), leave_out)
            if self._embedder is not None:
                try:
                    did.embedded = embed_missing(connection, self._embedder, tell)
                except EmbedderUnavailable as error:
                    did.note = f"{error.message} {error.hint}"
            # The reader's own view of the file stays small.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return did

    def search(self, text: str, accelerator: str = ALL, limit: int = 5) -> Findings:
        """The passages that fit best, at most `limit` (1 to 20) of them.

        `accelerator` is one that pages name, or `all`. Any text may be searched for. Raises IndexUnusable, IndexBusy.
        """
        wanted, query = accelerator.strip().lower(), query_of(text)
        nearest: Nearest | None = None
        remark = ""
        if self._neighbours is not None and query.words:
            # Not under the lock: a server may take its time, and other searches need not wait for it.
            try:
                nearest = partial(self._neighbours.nearest, self._neighbours.vector(query.text))
            except EmbedderUnavailable as error:
                remark = words_alone(error)
        with self._lock, explained(self.file):
            connection = self._open()
            scope = Scope("" if wanted == ALL else wanted, self._folder_id(connection))
            return search(connection, query, scope, limit, nearest, remark)

    def folders(self) -> list[Folder]:
        """What is in the index. Raises IndexUnusable and IndexBusy."""
        if not self.file.exists():
            return []
        with self._lock, explained(self.file):
            connection = self._open()
            return [self._told(connection, *row) for row in connection.execute(
                "SELECT id, name, path, coalesce(indexed, '') FROM folders ORDER BY name"
            ).fetchall()]  # fmt: skip

    def forget(self, name: str) -> None:
        """Take a folder out of the index; its documents are not touched. Raises KnowledgeError for another name."""
        with explained(self.file), writing(self.file) as connection:
            row = connection.execute("SELECT id FROM folders WHERE name = ?", (name,)).fetchone()
            if row is None:
                names = [known for (known,) in connection.execute("SELECT name FROM folders ORDER BY name")]
                there = f"There are: {', '.join(names)}." if names else "There are none."
                raise KnowledgeError("no_such_folder", f"No folder in the index is called {name!r}.", there)
            indexing.forget(connection, row[0])

    def close(self) -> None:
        """Close the file. The index may be used again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = self._opened = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._opened != identity(self.file):
            # It was deleted, or made anew, meanwhile.
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._connection = connect(self.file)
            if self._neighbours is not None:
                self._neighbours.forget()
            self._opened = identity(self.file)
        return self._connection

    def _folder_id(self, connection: sqlite3.Connection) -> int | None:
        if self._folder is None:
            return None
        row = connection.execute("SELECT id FROM folders WHERE path = ?", (str(self._folder),)).fetchone()
        # None would be all of them.
        return int(row[0]) if row else -1

    def _told(self, connection: sqlite3.Connection, id: int, name: str, path: str, indexed: str) -> Folder:
        def one(sql: str, *values: object) -> int:
            return int(connection.execute(sql, values).fetchone()[0])

        of_folder = "FROM passages JOIN pages ON pages.id = passages.page WHERE folder = ?"
        model = self._embedder.name if self._embedder else ""
        embedded = f"{of_folder} AND passages.digest IN (SELECT digest FROM vectors WHERE model = ?)"
        accelerators: set[str] = set()
        for (names,) in connection.execute("SELECT DISTINCT accelerators FROM pages WHERE folder = ?", (id,)):
            accelerators.update(filter(None, names.split(",")))
        languages = connection.execute("SELECT DISTINCT language FROM pages WHERE folder = ? ORDER BY 1", (id,))
        unread = connection.execute("SELECT path, why FROM unread WHERE folder = ? ORDER BY path", (id,))
        return Folder(
            name=name,
            path=Path(path),
            indexed=indexed,
            pages=one("SELECT count(*) FROM pages WHERE folder = ?", id),
            passages=one(f"SELECT count(*) {of_folder}", id),
            embedded=one(f"SELECT count(*) {embedded}", id, model),
            accelerators=tuple(sorted(accelerators)),
            languages=tuple(language for (language,) in languages if language),
            unread=tuple(Unread(path, why) for path, why in unread),
        )
