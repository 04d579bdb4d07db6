"""Connections to the file of an embedded graph: choice of SQLite, opening, time limits, translation of errors."""

from __future__ import annotations

import importlib
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from graphwright.extras import install_hint
from graphwright_graph._elements import KEY
from graphwright_graph._errors import GraphError, GraphUnavailable, QueryFailed, Transient

APPLICATION = 0x47775247
"""SQLite's application id of our files ("GwRG")."""

OLDEST = (3, 44, 0)
"""The oldest SQLite with which graphqlite returns correct paths and ordered lists."""

FORMAT = 2
"""The format version of the tables with the prefix `graphwright_`."""

_OURS = f"""
CREATE TABLE IF NOT EXISTS graphwright_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO graphwright_meta VALUES ('format', {FORMAT}), ('version', 0);
CREATE TABLE IF NOT EXISTS graphwright_goals (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, text TEXT NOT NULL, thread TEXT NOT NULL,
    status TEXT NOT NULL, began TEXT NOT NULL, finished TEXT, undoes INTEGER, undone_by INTEGER);
CREATE TABLE IF NOT EXISTS graphwright_steps (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
    goal INTEGER NOT NULL REFERENCES graphwright_goals(number),
    version INTEGER NOT NULL, time TEXT NOT NULL, writes TEXT NOT NULL, changes TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS graphwright_steps_goal ON graphwright_steps(goal);
CREATE INDEX IF NOT EXISTS graphwright_steps_version ON graphwright_steps(version);
"""

# On graphqlite's own tables: an index to find an existing edge. In addition, for each node, the groups of three
# characters in its texts (`tables` updates it).
_INDEXES = """
CREATE INDEX IF NOT EXISTS graphwright_edge ON edges(source_id, type, target_id);
CREATE VIRTUAL TABLE IF NOT EXISTS graphwright_search USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
"""

_INDEXED = "SELECT count(*) FROM sqlite_master WHERE name = 'graphwright_search'"

_STEPS = 5000
"""The instructions of SQLite's machine between two checks of the clock: some tenths of a millisecond."""

_DENIED = 1
"""SQLite's code for a part of a statement that is not allowed."""


def engine_modules() -> tuple[ModuleType, str]:
    """The SQLite driver, and the path of the extension. Raises GraphUnavailable if this Python cannot load one."""
    try:
        extension = importlib.import_module("graphqlite").loadable_path()
    except (ImportError, OSError) as error:
        raise GraphUnavailable(
            f"The graph engine is not installed: {error}.",
            f"{install_hint('graph')}. Or set GRAPHWRIGHT_GRAPH to a Neo4j server.",
        ) from error
    try:
        return importlib.import_module("pysqlite3"), extension
    except ImportError:
        driver = importlib.import_module("sqlite3")
    if driver.sqlite_version_info < OLDEST or not hasattr(driver.Connection, "enable_load_extension"):
        old = f"the SQLite {driver.sqlite_version} of this Python is older than 3.44, or loads no extensions"
        hint = "Run `pip install pysqlite3`, use another Python, or set GRAPHWRIGHT_GRAPH to a Neo4j server."
        raise GraphUnavailable(f"{old}, and `pysqlite3` is not installed.", hint)
    return driver, extension


class Connection:
    """A connection for one thread at a time. It raises every failure as a GraphError.

    A reader cannot write: the file is opened read-only, and `query_only` is on. While a Cypher text runs on the writer,
    the store's own tables cannot be accessed.
    """

    def __init__(self, path: Path, *, reading: bool, lock_seconds: float) -> None:
        self.path = path
        self.reading = reading
        self._driver, self._extension = engine_modules()
        self._lock_seconds = lock_seconds
        self._deadline = math.inf
        self._guarded = reading
        self._ran_cypher = False
        self._raw: Any = None
        self._open()

    def _open(self) -> None:
        with self.guard():
            target = f"{self.path.absolute().as_uri()}?mode={'ro' if self.reading else 'rwc'}"
            self._raw = self._driver.connect(
                target, uri=True, isolation_level=None, timeout=self._lock_seconds, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def _prepare(self) -> None:
        if not self.reading:
            self._claim()
            self._raw.execute("PRAGMA journal_mode = WAL")
            # The tables are created one by one, and a failure loses nothing.
            self._raw.execute("PRAGMA synchronous = NORMAL")
        self._raw.enable_load_extension(True)
        self._raw.load_extension(self._extension)
        self._raw.enable_load_extension(False)
        self._raw.execute("PRAGMA foreign_keys = ON")
        if self.reading:
            self._raw.execute("PRAGMA query_only = ON")
        else:
            self._index()
            self._raw.execute("PRAGMA synchronous = FULL")
        found = self._raw.execute("SELECT id FROM property_keys WHERE key = ?", (KEY,)).fetchone()
        self.key_id: int = found[0]
        self._raw.set_authorizer(self._authorize)
        self._raw.set_progress_handler(self._is_late, _STEPS)

    def _claim(self) -> None:
        """Create our tables in an empty file; raise for a file of another program."""
        mark = self._raw.execute("PRAGMA application_id").fetchone()[0]
        if mark != APPLICATION:
            self._raw.execute("BEGIN IMMEDIATE")
            # Another process may have done it in the meantime.
            mark = self._raw.execute("PRAGMA application_id").fetchone()[0]
            if mark != APPLICATION and self._raw.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                self._raw.execute("ROLLBACK")
                raise foreign_file(self.path)
            if mark != APPLICATION:
                self._raw.execute(f"PRAGMA application_id = {APPLICATION}")
                for statement in _OURS.split(";\n"):
                    self._raw.execute(statement)
            self._raw.execute("COMMIT")
        made_for = self._raw.execute("SELECT value FROM graphwright_meta WHERE name = 'format'").fetchone()[0]
        if made_for != FORMAT:
            raise unknown_format(self.path)

    def _index(self) -> None:
        if not self._raw.execute(_INDEXED).fetchone()[0]:
            self._raw.execute("BEGIN IMMEDIATE")
            for statement in _INDEXES.split(";\n"):
                self._raw.execute(statement)
            self._raw.execute("INSERT OR IGNORE INTO property_keys (key) VALUES (?)", (KEY,))
            self._raw.execute("COMMIT")

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def _authorize(self, action: int, one: str | None, two: str | None, base: str | None, inner: str | None) -> int:
        if action in (self._driver.SQLITE_ATTACH, self._driver.SQLITE_DETACH):
            return _DENIED
        if self._guarded and action in self._changes and one is not None and one.startswith("graphwright_"):
            return _DENIED
        return 0

    @property
    def _changes(self) -> tuple[int, ...]:
        driver = self._driver
        return driver.SQLITE_INSERT, driver.SQLITE_UPDATE, driver.SQLITE_DELETE, driver.SQLITE_DROP_TABLE

    @contextmanager
    def guard(self, seconds: float = math.inf) -> Iterator[None]:
        """Convert failures inside to GraphErrors, and interrupt work after `seconds` (Transient `timeout`)."""
        outer = self._deadline
        self._deadline = min(outer, time.monotonic() + seconds)
        try:
            yield
        except self._driver.Error as error:
            late = time.monotonic() > self._deadline
            raise translated(error, self.path, late=late, reading=self.reading) from None
        except MemoryError:
            raise QueryFailed("too_much", "There is too little memory for this.", "Ask for less at once.") from None
        finally:
            self._deadline = outer

    @contextmanager
    def only_reading(self, seconds: float) -> Iterator[None]:
        """A guard in which a writer cannot write, but sees what its transaction has written so far."""
        self._raw.execute("PRAGMA query_only = ON")
        # Cypher texts run as on a reader; the connection is still closed after the transaction.
        self.reading, self._ran_cypher = True, True
        try:
            with self.guard(seconds):
                yield
        finally:
            self.reading = False
            self._raw.execute("PRAGMA query_only = OFF")

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a statement. Use it inside `guard`, like all methods below."""
        rows: list[Any] = self._raw.execute(sql, values).fetchall()
        return rows

    def first(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first row of a statement, or None."""
        return self._raw.execute(sql, values).fetchone()

    def each(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a statement, one at a time."""
        return iter(self._raw.execute(sql, values))

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Execute a statement. Returns the id of an inserted row, otherwise 0."""
        return int(self._raw.execute(sql, values).lastrowid or 0)

    def cypher(self, query: str, parameters: Any) -> Iterator[str]:
        """The rows of a Cypher text, as JSON objects. graphqlite builds all rows before it returns the first."""
        # Lists are compared as texts, and stored without blanks.
        given = json.dumps(parameters, ensure_ascii=False, separators=(",", ":")) if parameters else None
        guarded, self._guarded = self._guarded, True
        self._ran_cypher = self._ran_cypher or not self.reading
        try:
            cursor = self._raw.execute("SELECT row FROM cypher_rows(?, ?)", (query, given))
            for (row,) in cursor:
                yield row
        finally:
            self._guarded = guarded

    def begin(self) -> None:
        """Begin a transaction. A writer locks the graph from now on."""
        if self._raw is None:
            self._open()
        self._raw.execute("BEGIN" if self.reading else "BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._raw.execute("COMMIT")
        self._ran_cypher = False

    def rollback(self) -> None:
        """Roll back an open transaction. A failure may have done so already."""
        if self._raw is None:
            return
        if self._raw.in_transaction:
            self._raw.execute("ROLLBACK")
        # graphqlite caches the numbers of property names, including those that were rolled back: it would then read and
        # write one property as another.
        if self._ran_cypher:
            self.close()

    def close(self) -> None:
        if self._raw is not None:
            self._raw.close()
            self._raw = None


_LESS = "Ask for less at once: fewer paths, a label, a key, a LIMIT."
_LITTLE = (partial(QueryFailed, "too_much"), "The graph had too little memory for this.", _LESS)
_LOCKED = (partial(Transient, "locked"), "Another program is writing to the graph.", "Try again in a moment.")
_UNREADABLE = (GraphUnavailable, "The graph {path} cannot be read or written: {said}.", "Check the folder and disk.")

# Keyed by SQLite's own words, because graphqlite reports every failure under one number and quotes these words.
_FAILURES: dict[str, tuple[Callable[[str, str], GraphError], str, str]] = {
    "database is locked": _LOCKED,
    "database table is locked": _LOCKED,
    "out of memory": _LITTLE,
    "string or blob too big": _LITTLE,
    "interrupted": (partial(Transient, "timeout"), "The graph took too long and was stopped.", _LESS),
    "database or disk is full": (
        GraphUnavailable,
        "The disk of {path} is full; nothing was changed.",
        "Make room and try again.",
    ),
    "attempt to write a readonly database": (
        GraphUnavailable,
        "The graph {path} cannot be written.",
        "See who owns the file, its folder and disk.",
    ),
    "disk I/O error": _UNREADABLE,
    "unable to open database file": _UNREADABLE,
    "DeleteConnectedNode": (
        partial(QueryFailed, "query_failed"),
        "A node that still has edges cannot be deleted.",
        "Write DETACH DELETE to delete both.",
    ),
}
_DAMAGED = ("database disk image is malformed", "file is not a database")
_WRITES = ("attempt to write a readonly database", "not authorized")

# Parts of messages about SQL, which do not help the author of a Cypher query.
_INNER = (
    "SQL",
    "syntax error",
    "no such",
    'near "',
    "Failed to ",
    "clause",
    "_gql",
    "alias_",
    "ambiguous column",
    "misuse",
)

# The error classes of openCypher: `SyntaxError: UndefinedVariable: `.
_CODES = re.compile(r"^(?:[A-Z]\w*Error: )?(?:(?!Variable\b)[A-Z][a-z]+[A-Z]\w*(?:: | \u2014 ))*")


def translated(error: Exception, path: Path, *, late: bool = False, reading: bool = False) -> GraphError:
    """The error to raise for an error of the engine. `late`: the time limit was over."""
    said, place = ("interrupted", "") if late else _message(error)
    if reading and any(words in said for words in _WRITES):
        return QueryFailed("read_only", "A read tried to write, and changed nothing.", "Make it a write.")
    if any(words in said for words in _DAMAGED):
        return damaged_file(path)
    for words, (make, text, hint) in _FAILURES.items():
        if words in said:
            return make(text.format(path=path, said=said), hint)
    if any(words in said for words in _INNER):
        return QueryFailed(
            "query_failed",
            "The graph cannot run a query of this form.",
            "Say it in simpler parts: one pattern in a MATCH, conditions in WHERE, WITH between the parts.",
        )
    # A write was rewritten, so places in it are not those of the author's text.
    why = _CODES.sub("", said)
    hint = "Name it in a MATCH, WITH or UNWIND before." if "is not defined" in why else ""
    where = place if reading and place else "The query failed: "
    return QueryFailed("query_failed", f"{where}{why.rstrip('.')}.", hint)


def damaged_file(path: Path) -> GraphUnavailable:
    """The error for a file that is not an intact database."""
    return GraphUnavailable(
        f"{path} is damaged, or is not a graph.",
        "Restore it from a backup, or move it away to begin with an empty graph.",
        "damaged_graph",
    )


def foreign_file(path: Path) -> GraphUnavailable:
    """The error for an intact database of another program."""
    return GraphUnavailable(
        f"{path} is a database of another program, no graph of Graphwright.",
        "Choose another folder for the graph, or move this file away.",
    )


def unknown_format(path: Path) -> GraphUnavailable:
    """The error for a file whose tables this version does not support."""
    return GraphUnavailable(
        f"{path} was made by another version of Graphwright.",
        "Export the graph with that version (graphwright graph export), and import it with this one.",
    )


def _message(error: Exception) -> tuple[str, str]:
    """The message of an error and its place in the query. The errors of graphqlite are JSON texts."""
    text = str(error)
    try:
        data: Any = json.loads(text)
        said = str(data["error"])
    except (ValueError, TypeError, KeyError):
        return text, ""
    place = f"Line {data['line']}, column {data.get('column', 1)}: " if data.get("line") else ""
    return said.split(", Col ", 1)[-1].split(": ", 1)[-1] if place else said, place
