"""The storage of the interaction log: a table of a SQLite or Postgres database, or a JSON Lines file."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import (
    JSON,
    URL,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    create_engine,
    delete,
    func,
    inspect,
    make_url,
    or_,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from graphwright.errors import exception_text
from graphwright.store._errors import InteractionLogError, StoreError, explain
from graphwright.store.interactions._interaction import Interaction
from graphwright.store.interactions._summary import EMPTY, Scale, Summary
from graphwright.store.rows import DRAFT
from graphwright.store.sql._database import replacing
from graphwright.store.sqlite_files import know_every_letter, private_file

T = TypeVar("T")

OFF = "off"
FILE = "interactions.db"

TIMEOUT_SECONDS = 5.0
"""Seconds to wait for another process that writes to the file, and for the connection to a server."""

_MAKING = 0x67775F696E746572
"""The number of the advisory lock in Postgres for creating the table."""

_WAYS = (
    "Write off, the path of a file that ends in .jsonl, sqlite:////folder/log.db or postgresql://user@host/database, "
    "as GRAPHWRIGHT_INTERACTIONS or as interactions in graphwright.toml."
)

_metadata = MetaData()
# The name has a prefix, since the database may contain other tables.
_table = Table(
    "gw_interactions",
    _metadata,
    Column("id", Text, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("session", "agent")),
    Column("number", Integer, nullable=False),
    *(Column(name, Text, nullable=False) for name in ("type", "question", "code", "result", "reply")),
    Column("success", Boolean, nullable=False),
    Column("error", Text, nullable=False),
    Column("metadata", JSON().with_variant(JSONB(), "postgresql"), nullable=False),
    Column("started", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("model_calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
)
Index("gw_interactions_session", _table.c.session, _table.c.number)
Index("gw_interactions_started", _table.c.started)
_put = replacing(insert(_table))
_TEXTS = ("question", "code", "result", "reply", "error")


def _has_failed(columns: ReadOnlyColumnCollection[str, Any]) -> ColumnElement[bool]:
    """Whether a turn failed; one that its user stopped did not."""
    return and_(columns.success.is_(False), ~columns.error.endswith("[stopped]"))


@dataclass(frozen=True, slots=True)
class Query:
    """Conditions on interactions, combined by "and"; an empty condition is ignored.

    Turns that their users stopped are found neither with `success` nor without: only if that condition is empty.
    `since` and `until` (exclusive) are ISO 8601 in UTC. Each of the `words` must occur in the question, code, result,
    reply or error, ignoring case, or the agent be one of those `called`. `among` restricts the sessions; without
    `trials` turns that tried a draft are left out; `after` is (`started`, `id`) of the last interaction of the
    previous page.
    """

    session: str = ""
    agent: str = ""
    success: bool | None = None
    since: str = ""
    words: tuple[str, ...] = ()
    limit: int = 20
    type: str = ""
    until: str = ""
    among: Collection[str] | None = None
    trials: bool = True
    after: tuple[str, str] | None = None
    called: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """The interactions of one session with one agent: total, failed ones, and when the first and the last began."""

    session: str
    agent: str
    interactions: int
    failed: int
    first: str
    last: str


def open_sink(setting: str, home: Path, base: Path) -> InteractionSink:
    """Return the log for a setting; if that is empty, the file in the data folder `home`.

    Relative paths are relative to `base`. Nothing is created or connected yet. Raises InteractionLogError: `bad_log`,
    which never shows a password, `log_driver_missing`, and `log_unwritable` if the folder of the file does not exist.
    """
    if not setting:
        return SqliteSink(home / FILE)
    if setting.lower().endswith(".jsonl") and "://" not in setting:
        return JsonlSink(_in_folder(base / Path(setting).expanduser(), home))
    try:
        url = make_url(setting)
    except (ArgumentError, ValueError) as error:
        # The text is not shown: it may be a host with a password.
        raise InteractionLogError("bad_log", "The address of the interaction log cannot be read.", _WAYS) from error
    name = url.drivername.partition("+")[0]
    if name in ("postgres", "postgresql"):
        return PostgresSink(url)
    if name != "sqlite":
        raise InteractionLogError("bad_log", f"The interaction log cannot be kept by {name}.", _WAYS)
    if url.database in (None, "", ":memory:") or url.query:
        raise InteractionLogError("bad_log", "The address of the interaction log names no file of SQLite.", _WAYS)
    return SqliteSink(_in_folder(base / Path(str(url.database)).expanduser(), home))


def _in_folder(path: Path, home: Path) -> Path:
    # The data folder is created with the first interaction; other folders are not created.
    path = path.absolute()
    if path.parent != home and not path.parent.exists():
        raise InteractionLogError(
            "log_unwritable",
            f"The folder of the interaction log {path} does not exist.",
            f"Make it: mkdir -p {shlex.quote(str(path.parent))}",
        )
    return path


class InteractionSink:
    """An interaction log: the table `gw_interactions`, which is created by the first write.

    Its methods block, and raise StoreError; each opens a connection. `label` names the log for people, without secrets.
    """

    def __init__(self, engine: Engine, label: str, position: Callable[..., Any]) -> None:
        """`position` is the database's function of (text, part), above 0 if the text contains the part."""
        self.label = label
        self.flush: Callable[[], object] | None = None
        """Writes what this process has queued for the log; called before each read."""
        self._engine = engine
        self._position = position

    def write(self, batch: Sequence[Interaction]) -> None:
        """Store interactions, all or none. An interaction replaces the one with the same id."""
        # A statement must not insert the same key twice.
        rows = list({each.id: each.model_dump() for each in batch}.values())

        def work(connection: Connection) -> None:
            if not inspect(connection).has_table(_table.name):
                self._make_table(connection)
            connection.execute(_put, rows)

        self._transact(work)

    def find(self, query: Query) -> list[Interaction]:
        """Return the matching interactions, the latest first; none if the log does not exist yet."""
        found = select(_table).order_by(_table.c.started.desc(), _table.c.id.desc()).limit(query.limit)
        if query.after is not None:
            found = found.where(tuple_(_table.c.started, _table.c.id) < query.after)
        found = found.where(*self._conditions(query))
        rows = self._read(lambda connection: connection.execute(found).mappings().all())
        return [Interaction.model_validate(dict(row)) for row in rows or ()]

    def summary(self, query: Query) -> Summary:
        """Return the totals of the matching interactions, and their numbers over time; `after` and `limit` are ignored.

        The bars cover the time from `since` to `until`, or from the first to the last matching interaction.
        """
        chosen = select(_table).where(*self._conditions(query)).subquery().c
        failed, tokens = func.count().filter(_has_failed(chosen)), func.coalesce(func.sum(chosen.tokens), 0)
        totals = select(func.count(), failed, tokens, func.min(chosen.started), func.max(chosen.started))
        seconds = select(chosen.seconds).order_by(chosen.seconds)
        types = select(chosen.type).distinct().order_by(chosen.type)

        def work(connection: Connection) -> Summary:
            count, failures, spent, first, last = connection.execute(totals).one()
            scale = Scale.over(query.since or first, query.until or last) if count else None
            if scale is None:
                return EMPTY
            at = func.substr(chosen.started, 1, scale.digits)
            per_time = select(at, func.count(), failed).group_by(at)
            places = [max(0, ceil(count * part) - 1) for part in (0.5, 0.95)]
            median, p95 = (connection.scalar(seconds.limit(1).offset(place)) or 0.0 for place in places)
            bars = scale.bars(tuple(row) for row in connection.execute(per_time).all())
            known = tuple(connection.scalars(types).all())
            return Summary(count, failures, spent, median, p95, known, scale.seconds, bars)

        return self._read(work) or EMPTY

    def _conditions(self, query: Query) -> Iterator[ColumnElement[bool]]:
        for name in ("session", "agent", "type"):
            if wanted := getattr(query, name):
                yield _table.c[name] == wanted
        if query.success is not None:
            yield _table.c.success.is_(True) if query.success else _has_failed(_table.c)
        if query.since:
            yield _table.c.started >= query.since
        if query.until:
            yield _table.c.started < query.until
        if query.among is not None:
            yield _table.c.session.in_(query.among)
        if not query.trials:
            yield ~_table.c.agent.startswith(DRAFT)
        for word in query.words:
            places = (self._position(func.lower(_table.c[name]), word.lower()) for name in _TEXTS)
            yield or_(*(place > 0 for place in places), _table.c.agent.in_(query.called))

    def sessions(self) -> list[SessionSummary]:
        """Return all sessions, the one with the latest interaction first."""
        last, failed = func.max(_table.c.started), func.count().filter(_has_failed(_table.c))
        counted = (
            select(_table.c.session, _table.c.agent, func.count(), failed, func.min(_table.c.started), last)
            .group_by(_table.c.session, _table.c.agent)
            .order_by(last.desc(), _table.c.session)
        )
        rows = self._read(lambda connection: connection.execute(counted).all())
        return [SessionSummary(*row) for row in rows or ()]

    def count(self, before: str = "") -> int | None:
        """Return the number of interactions, or of those before a time; None if the log does not exist yet."""
        counted = select(func.count()).select_from(_table)
        if before:
            counted = counted.where(_table.c.started < before)
        return self._read(lambda connection: connection.scalar(counted) or 0)

    def purge(self, before: str) -> int:
        """Delete the interactions that began before a time. Returns their number."""
        old = delete(_table).where(_table.c.started < before)
        return self._read(lambda connection: connection.execute(old).rowcount) or 0

    def _read(self, work: Callable[[Connection], T]) -> T | None:
        """Return the result of `work`, or None if the table does not exist."""
        if self.flush is not None:
            self.flush()
        return self._read_written(work)

    def _read_written(self, work: Callable[[Connection], T]) -> T | None:
        return self._transact(lambda c: work(c) if inspect(c).has_table(_table.name) else None)

    def _transact(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except (SQLAlchemyError, OSError) as error:
            raise self._explained(error) from error

    def _make_table(self, connection: Connection) -> None:
        _metadata.create_all(connection)

    def _explained(self, error: Exception) -> StoreError:
        return explain(error, self.label) or _unusable(self.label, str(error))


class SqliteSink(InteractionSink):
    """The interaction log in one SQLite file, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Read-write without creating the file, so that reading a log does not create it.
        super().__init__(_sqlite_engine(f"file:{quote(str(path))}?mode=rw"), str(path), func.instr)

    def write(self, batch: Sequence[Interaction]) -> None:
        try:
            private_file(self._path)
        except OSError as error:
            raise self._explained(error) from error
        super().write(batch)

    def _read_written(self, work: Callable[[Connection], T]) -> T | None:
        return super()._read_written(work) if self._path.exists() else None

    def _make_table(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        super()._make_table(connection)


def _sqlite_engine(address: str) -> Engine:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            address, uri=True, timeout=TIMEOUT_SECONDS, isolation_level="IMMEDIATE", check_same_thread=False
        )
        connection.execute("PRAGMA secure_delete=ON")
        know_every_letter(connection)
        return connection

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


class PostgresSink(InteractionSink):
    """The interaction log in a Postgres database, possibly a hosted one."""

    def __init__(self, url: URL) -> None:
        self._password = url.password or ""
        label = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        # Connection poolers in transaction mode do not support prepared statements.
        settings: dict[str, Any] = {"prepare_threshold": None, "application_name": "graphwright"}
        if "connect_timeout" not in url.query:
            settings["connect_timeout"] = int(TIMEOUT_SECONDS)
        try:
            engine = create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args=settings)
        except ImportError as error:
            raise InteractionLogError(
                "log_driver_missing",
                f"The interaction log {label} needs the package psycopg, which is not installed.",
                "pip install 'graphwright[postgres]'",
            ) from error
        super().__init__(engine, label, func.strpos)

    def _make_table(self, connection: Connection) -> None:
        # Two processes may begin at the same time, and both find no table. The lock ends with the transaction.
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MAKING})
        super()._make_table(connection)
        # Hosted databases serve tables on the web unless row level security is on. It does not apply to the owner.
        connection.execute(text(f"ALTER TABLE {_table.name} ENABLE ROW LEVEL SECURITY"))

    def _explained(self, error: Exception) -> StoreError:
        why = exception_text(error.orig if isinstance(error, DBAPIError) and error.orig is not None else error)
        return _unusable(self.label, why.replace(self._password, "[hidden]") if self._password else why)


class JsonlSink(InteractionSink):
    """The interaction log in a file of JSON Lines, readable by its owner only.

    Lines that are not interactions (cut off by a crash, or of other programs) are ignored and never removed. Of two
    lines with the same id the later one counts. Queries run on a temporary table with the contents of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # A temporary database, which SQLite moves to the disk if it is larger than the memory.
        super().__init__(_sqlite_engine(""), str(path), func.instr)

    def write(self, batch: Sequence[Interaction]) -> None:
        lines = "".join(f"{each.model_dump_json()}\n" for each in batch).encode()
        with self._file_lock(), open(self._path, "ab+", buffering=0, opener=_private) as file:
            size = file.seek(0, os.SEEK_END)
            # A line that a crash cut off must not damage the next one.
            torn = size > 0 and file.seek(size - 1) >= 0 and file.read(1) != b"\n"
            data = b"\n" + lines if torn else lines
            try:
                while data:
                    data = data[file.write(data) :]
            except OSError:
                file.truncate(size)
                raise

    def purge(self, before: str) -> int:
        if not self._path.exists():
            return 0
        gone: set[str] = set()
        aside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            with self._file_lock(), open(aside, "wb", opener=_private) as kept:
                for line, each in self._lines():
                    if each is not None and each.started < before:
                        gone.add(each.id)
                    else:
                        kept.write(line)
                kept.flush()
                os.fsync(kept.fileno())
                # Keep the permissions of the old file.
                aside.chmod(stat.S_IMODE(self._path.stat().st_mode))
                os.replace(aside, self._path)
        finally:
            aside.unlink(missing_ok=True)
        return len(gone)

    def _read_written(self, work: Callable[[Connection], T]) -> T | None:
        if not self._path.exists():
            return None

        def fill(connection: Connection) -> T:
            self._make_table(connection)
            rows = (each.model_dump() for _, each in self._lines() if each is not None)
            while batch := list(itertools.islice(rows, 1_000)):
                connection.execute(_put, batch)
            return work(connection)

        return self._transact(fill)

    def _lines(self) -> Iterator[tuple[bytes, Interaction | None]]:
        """Yield the lines of the file, each with its interaction, or None if it has none."""
        with self._path.open("rb") as stream:
            for line in stream:
                try:
                    yield line, Interaction.model_validate_json(line)
                except ValueError:
                    yield line, None

    @contextlib.contextmanager
    def _file_lock(self) -> Iterator[None]:
        """Hold the lock of the file, so that no other process writes to it or replaces it."""
        from filelock import FileLock

        lock = FileLock(self._path.with_name(f".{self._path.name}.lock"), timeout=TIMEOUT_SECONDS, mode=0o600)
        try:
            # FileLock would create the folder, which must not reappear after it was deleted.
            os.stat(self._path.parent)
            with lock:
                yield
        except OSError as error:
            raise self._explained(error) from error


def _unusable(label: str, why: str) -> InteractionLogError:
    return InteractionLogError(
        "log_unusable",
        f"The interaction log {label} cannot be used: {why.rstrip('.?!')}.",
        "Check that it can be reached and that this user may read and write it, or choose another.",
    )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
