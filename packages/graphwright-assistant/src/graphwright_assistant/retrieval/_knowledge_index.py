"""An index over folders of documents: update, search, reading of pages, description."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from graphwright.store.sqlite.database import identity
from graphwright.store.sqlite_files import alone, connected, explained, transaction
from graphwright.text import full_text, sentences
from graphwright.text.folding import words_of
from graphwright.text.full_text import TextIndex
from graphwright.text.near_names import nearest
from graphwright.tools.sources import Findings, Source
from graphwright_assistant.retrieval import _folder_indexing as folder_indexing
from graphwright_assistant.retrieval._embedding import Embedder, VectorIndex, fused
from graphwright_assistant.retrieval._errors import RetrievalError, SearchRefused
from graphwright_assistant.retrieval._folder_indexing import UnreadableFile, real_folder

ALL = "all"
"""The accelerator that means all of them."""

MOST_HITS = 20
"""The maximum number of passages of a search."""

USUAL_HITS = 5
"""The default number of passages of a search."""

MOST_READ = 60_000
"""The maximum length of a page or a section that is returned, in characters."""

_VERSION, _RELEVANT = 3, 0.5
_CANDIDATES, _MOST_OF_PAGE, _MOST_OVERVIEW, _MOST_UNREAD = 60, 2, 500, 6

_SELECT = (
    "SELECT passages.id, folders.name || '/' || pages.path AS file, folders.path || '/' || pages.path AS place, "
    "pages.title, url, accelerators, language, updated, cut, paged, number, piece, heading, text, digest "
    "FROM passages JOIN texts USING (id) JOIN pages ON pages.id = page JOIN folders ON folders.id = folder"
)
_PAGE = "SELECT pages.id FROM pages JOIN folders ON folders.id = folder WHERE name || '/' || pages.path = ?"
_TITLED = "SELECT min(id) FROM pages WHERE trim(?) = title COLLATE NOCASE HAVING count(*) = 1"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in an index. `indexed` is the time of its last update, as ISO 8601, empty if never.

    `embedded` counts the passages with a vector of the index's embedder. `unread` are the documents that are not in the
    index, `cut` those that are only partly in it; `passed` counts the other files, by kind.
    """

    name: str
    path: Path
    indexed: str
    pages: int
    passages: int
    embedded: int
    accelerators: tuple[str, ...]
    languages: tuple[str, ...]
    unread: tuple[UnreadableFile, ...]
    cut: tuple[UnreadableFile, ...]
    passed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Indexed(Folder):
    """The folder after an update, with the numbers of added, changed, removed and unchanged documents.

    `note` reports work that could not be done.
    """

    added: int
    changed: int
    removed: int
    unchanged: int
    note: str


_MOST_HEADINGS = 8
"""The maximum number of headings in a refusal, if none is similar to the wanted one."""


class KnowledgeIndex:
    """One file with all data for the search of passages. Thread-safe.

    With an `embedder` passages are also found by meaning. Every call may raise StoreError.
    """

    def __init__(self, file: Path, *, embedder: Embedder | None = None) -> None:
        self.file = file
        self._vectors = VectorIndex(embedder)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._described: tuple[object, str, str] = None, "", ""

    def update(self, folder: Path, name: str = "", *, notify: Callable[[str], None] = lambda _: None) -> Indexed:
        """Update the index of a folder. Only changed documents are read.

        An interrupted update keeps its work. It waits while another process updates. Raises NoFolder; the result lists
        unreadable files, and its `note` reports an embedder that does not answer.
        """
        place, notes = real_folder(folder), list[str]()
        with explained(self.file), alone(self.file, notify), closing(self._made()) as connection:
            update = folder_indexing.Update(connection, place, name, notify)
            update.run()
            self._vectors.embed(connection, notes, notify)
            # The wal file of readers stays small.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            row = connection.execute("SELECT * FROM folders WHERE id = ?", (update.id,)).fetchone()
            facts = self._folder_fields(connection, row)
        facts["unread"] += update.hidden
        return Indexed(**facts, **update.did, note=" ".join(notes))

    def search(self, text: str, accelerator: str = ALL, limit: int = 5) -> Findings:
        """The best matching passages, at most `limit` (1 to 20); `total` is the number of candidates.

        More than `USUAL_HITS` are returned only if they match at least half as well as the best one. `accelerator` is
        one that pages name, or `all`: passages about it come first, then passages about all, as far as there is space.
        Any text may be searched.
        """
        notes = list[str]()
        # Outside of the lock: a server may be slow, and other searches need not wait for it.
        vector = self._vectors.vector(text[: full_text.MOST_QUERY], notes)
        with self._lock, explained(self.file):
            connection = self._open()
            texts = TextIndex(connection)
            query = texts.query(text)
            if not query.words:
                return Findings((), 0, "The query is empty: give a few words that say what is looked for.")
            scope = self._scope(accelerator)
            scores = dict(texts.ranked(query, _CANDIDATES, *scope))
            by_words = list(scores)
            near = self._vectors.ranked(vector, connection, notes, _CANDIDATES, *scope)
            found = fused(by_words, [id for id, _ in near])[:_CANDIDATES]
            kept = _chosen(_rows(connection, found), max(1, min(limit, MOST_HITS)), accelerator.strip().lower())
            least = _RELEVANT * max(scores.values(), default=0.0)
            weak = {id for id, score in scores.items() if score < least} - {id for id, _ in near}
            kept = [row for place, row in enumerate(kept) if place < USUAL_HITS or row["id"] not in weak]
            if not kept and not connection.execute("SELECT 1 FROM passages LIMIT 1").fetchone():
                return Findings((), 0, "There is nothing in the index.")
            unread = self._facts(connection)[1]
        notes += [*query.notes("document"), *([unread] if unread else [])]
        if not found:
            notes.insert(0, "Nothing was found.")
        elif not by_words:
            notes.insert(0, "No passage has these words; those nearest in meaning are given.")
        return Findings(tuple(_source(row, row["piece"]) for row in kept), len(found), " ".join(notes))

    def read(self, file: str, page: int | str) -> Source:
        """A whole page of a document, or a section if it has no pages; at most 60,000 characters of it.

        `file` and `page` are as in the metadata of a source: the name of the folder with the path below it, or the
        title of the only document with it; and the number of the page or the section, or a heading, or a few words of
        it or of the text. The title means the beginning, and any words mean the only section if there is one. The
        metadata name the pages `before` and `after`. Raises SearchRefused (`no_page`) with the existing ones.
        """
        with self._lock, explained(self.file):
            connection = self._open()
            rows = connection.execute(f"{_SELECT} WHERE page = ({_PAGE}) ORDER BY 1", (file,)).fetchall()
            rows = rows or connection.execute(f"{_SELECT} WHERE page = ({_TITLED}) ORDER BY 1", (file,)).fetchall()
            if not rows:
                files = connection.execute(
                    "SELECT name || '/' || pages.path FROM pages JOIN folders ON folders.id = folder"
                )
                near = "; ".join(nearest(file, [each for (each,) in files])) or "none"
                raise SearchRefused(
                    "no_page", f"There is no document {file!r} in the index.", f"The nearest are: {near}."
                )
        numbers = list(dict.fromkeys(row["number"] for row in rows))
        wanted = page if isinstance(page, int) else _with_words(page, rows, numbers)
        if wanted not in numbers:
            every = list(dict.fromkeys(row["heading"] for row in rows if row["heading"]))
            headings = nearest(str(page), every) or every[:_MOST_HEADINGS]
            hint = f"There is text from {numbers[0]} to {numbers[-1]}. Headings are: {'; '.join(headings) or 'none'}."
            raise SearchRefused("no_page", f"{file} has no page or section {page!r} with text.", hint)
        return _whole([row for row in rows if row["number"] == wanted], numbers)

    def folders(self) -> list[Folder]:
        """The folders in the index."""
        if not self.file.exists():
            return []
        with self._lock, explained(self.file):
            connection = self._open()
            rows = connection.execute("SELECT * FROM folders ORDER BY name").fetchall()
            return [Folder(**self._folder_fields(connection, row)) for row in rows]

    def accelerators(self) -> tuple[str, ...]:
        """The accelerators that pages name."""
        if not self.file.exists():
            return ()
        with self._lock, explained(self.file):
            rows = self._open().execute("SELECT DISTINCT accelerators FROM pages").fetchall()
        return tuple(sorted({name for (names,) in rows for name in names.split(",") if name} - {ALL}))

    def overview(self) -> str:
        """The number of documents of each folder, and some of their titles, on one line; empty without documents."""
        if not self.file.exists():
            return ""
        with self._lock, explained(self.file):
            return self._facts(self._open())[0]

    @property
    def empty(self) -> bool:
        """Whether the index has no folder."""
        if not self.file.exists():
            return True
        with self._lock, explained(self.file):
            return self._open().execute("SELECT 1 FROM folders LIMIT 1").fetchone() is None

    def forget(self, name: str) -> None:
        """Remove a folder from the index; its documents are not changed. Raises RetrievalError for an unknown name."""
        with explained(self.file), alone(self.file, lambda _: None), closing(self._made()) as connection:
            folders = {row["name"]: row["id"] for row in connection.execute("SELECT * FROM folders ORDER BY name")}
            if name not in folders:
                there = f"There are: {', '.join(folders)}." if folders else "There are none."
                raise RetrievalError("no_such_folder", f"No folder in the index is called {name!r}.", there)
            with transaction(connection):
                folder_indexing.forget(connection, "folder = ?", (folders[name],))
                connection.execute("DELETE FROM folders WHERE id = ?", (folders[name],))
                connection.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM texts)")

    def close(self) -> None:
        """Close the file. A later call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _made(self) -> sqlite3.Connection:
        connection = connected(self.file, (*folder_indexing.SCHEMA, *full_text.SCHEMA), _VERSION)
        connection.row_factory = sqlite3.Row
        return connection

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._opened != identity(self.file):
            # The file was deleted or replaced in the meantime.
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._connection = self._made()
            self._opened = identity(self.file)
        return self._connection

    def _scope(self, accelerator: str) -> tuple[str, tuple[str, ...]]:
        """SQL over `texts.id`, and its values. A page that names no accelerator is about all of them."""
        wanted = accelerator.strip().lower()
        if wanted in ("", ALL):
            return "", ()
        rows = "SELECT 1 FROM passages JOIN pages ON pages.id = page WHERE passages.id = texts.id"
        named = "(accelerators = '' OR instr(accelerators, ?) OR instr(accelerators, ?))"
        return f"EXISTS ({rows} AND {named})", (f",{wanted},", f",{ALL},")

    def _facts(self, connection: sqlite3.Connection) -> tuple[str, str]:
        """The overview, and the unread files of the folders; both are cached until something is written."""
        # SQLite reports whether anything was written since.
        stamp = self._opened, *connection.execute("PRAGMA data_version").fetchone()
        if self._described[0] != stamp:
            self._described = stamp, self._overview(connection), self._unsearched_note(connection)
        return self._described[1:]

    def _overview(self, connection: sqlite3.Connection) -> str:
        pages = "FROM pages JOIN folders ON folders.id = folder WHERE unread = ''"
        place = "name || '/' || substr(pages.path, 1, instr(pages.path, '/'))"
        rows = connection.execute(f"SELECT {place}, count(*) {pages} GROUP BY 1 ORDER BY 2 DESC LIMIT 12")
        places = ", ".join(f"{where} {count:,}" for where, count in rows)
        titles = "; ".join(title for (title,) in connection.execute(f"SELECT title {pages} LIMIT 30"))
        return sentences.one_line(f"Documents: {places}. Such as: {titles}", _MOST_OVERVIEW) if places else ""

    def _unsearched_note(self, connection: sqlite3.Connection) -> str:
        """A sentence on the files that are not searched, or an empty text."""
        files = [name for (name,) in connection.execute("SELECT path FROM pages WHERE unread != '' ORDER BY 1")]
        passed: Counter[str] = Counter()
        for (kinds,) in connection.execute("SELECT passed FROM folders"):
            # No one would search hidden files and folders.
            passed.update({kind: count for kind, count in json.loads(kinds).items() if kind.startswith("*.")})
        left = [*files, *(f"{count:,} {kind}" for kind, count in passed.most_common())]
        return f"These files are not read: {sentences.bounded(left, _MOST_UNREAD)}." if left else ""

    def _folder_fields(self, connection: sqlite3.Connection, folder: sqlite3.Row) -> dict[str, Any]:
        """The fields of a Folder."""
        pages = connection.execute("SELECT * FROM pages WHERE folder = ? ORDER BY path", (folder["id"],)).fetchall()
        passages, embedded = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE digest IN (SELECT digest FROM vectors WHERE model = ?)) "
            "FROM passages JOIN texts USING (id) JOIN pages ON pages.id = page WHERE folder = ?",
            (self._vectors.name, folder["id"]),
        ).fetchone()
        return {
            "name": folder["name"],
            "path": Path(folder["path"]),
            "indexed": folder["indexed"],
            "pages": sum(not page["unread"] for page in pages),
            "passages": passages,
            "embedded": embedded,
            "accelerators": tuple(sorted({name for page in pages for name in page["accelerators"].split(",") if name})),
            "languages": tuple(sorted({page["language"] for page in pages if page["language"]})),
            "unread": tuple(UnreadableFile(page["path"], page["unread"]) for page in pages if page["unread"]),
            "cut": tuple(UnreadableFile(page["path"], page["cut"]) for page in pages if page["cut"]),
            "passed": json.loads(folder["passed"]),
        }


def _rows(connection: sqlite3.Connection, ids: Sequence[int]) -> list[sqlite3.Row]:
    """The passages in the order of the ids; passages with equal text appear once."""
    marks = ", ".join("?" * len(ids))
    by_id = {row["id"]: row for row in connection.execute(f"{_SELECT} WHERE passages.id IN ({marks})", tuple(ids))}
    return list({by_id[id]["digest"]: by_id[id] for id in reversed(ids) if id in by_id}.values())[::-1]


def _chosen(rows: Iterable[sqlite3.Row], limit: int, accelerator: str) -> list[sqlite3.Row]:
    """The first hits, in order; a page with many good passages leaves space for others, if there are any.

    Passages of the accelerator come before those of all, which get two of five places if there are enough.
    """
    kept, put_off = list[sqlite3.Row](), list[sqlite3.Row]()
    of_page: Counter[str] = Counter()
    for row in rows:
        of_page[row["file"]] += 1
        (kept if of_page[row["file"]] <= _MOST_OF_PAGE else put_off).append(row)
    groups: dict[bool, list[sqlite3.Row]] = {True: [], False: []}
    for row in kept + put_off:
        groups[accelerator in ("", ALL) or f",{accelerator}," in row["accelerators"]].append(row)
    own = groups[True][: max(limit - len(groups[False]), limit - limit * 2 // 5)]
    return own + groups[False][: limit - len(own)]


def _source(row: sqlite3.Row, piece: int) -> Source:
    """A hit as a source; `piece` distinguishes the passages of one page or section."""
    url = row["url"] or Path(row["place"]).as_uri()
    if row["paged"] and row["place"].lower().endswith(".pdf"):
        url = f"{url.partition('#')[0]}#page={row['number']}"
    metadata = {
        "file": row["file"],
        "page" if row["paged"] else "section": str(row["number"]),
        "heading": row["heading"],
        "accelerator": row["accelerators"].strip(",").replace(",", ", "),
        "language": row["language"],
        "updated": row["updated"],
        "cut": row["cut"],
    }
    return Source(
        id=f"{row['file']}:{row['number']}{f'.{piece}' if piece else ''}",
        title=row["title"],
        url=url,
        kind="knowledge",
        metadata={name: value for name, value in metadata.items() if value},
        text=row["text"].strip(),
    )


def _with_words(text: str, rows: Sequence[sqlite3.Row], numbers: Sequence[int]) -> int:
    """The number of the first page or section with this heading, or else with all these words; 0 if there is none.

    The title means the first one, and so does any text if there is only one.
    """
    wanted = words_of(text)
    titled = numbers[:1] if len(numbers) == 1 or wanted == words_of(rows[0]["title"]) else ()
    headings = [(row["number"], words_of(row["heading"].split(" > ")[-1])) for row in rows]
    exact = (number for number, heading in headings if heading == wanted)
    above = (row["number"] for row in rows if set(wanted) <= set(words_of(row["heading"])))
    inside = (row["number"] for row in rows if set(wanted) <= set(words_of(f"{row['heading']} {row['text']}")))
    return next(chain(exact, above, titled, inside), 0) if wanted else 0


def _whole(rows: Sequence[sqlite3.Row], numbers: Sequence[int]) -> Source:
    """The passages of one page or section as one source."""
    source, parts = _source(rows[0], 0), list[str]()
    for before, row in zip((rows[0], *rows), rows, strict=False):
        parts += [f"\n\n{row['heading']}\n\n"] * (row["heading"] != before["heading"]) + [row["text"]]
    text, place = "".join(parts).strip(), numbers.index(rows[0]["number"])
    if len(text) > MOST_READ:
        text = f"{text[:MOST_READ].rstrip()} [... {len(text) - MOST_READ:,} more characters]"
    around = {"before": numbers[:place][-1:], "after": numbers[place + 1 :][:1], "last": numbers[-1:]}
    metadata = {**source.metadata, **{name: str(each[0]) for name, each in around.items() if each}}
    return Source(source.id, source.title, source.url, source.kind, metadata, text)
