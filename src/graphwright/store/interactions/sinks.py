"""Where the interaction log is kept: one table of a SQLite or Postgres database by its URL, or a JSON Lines file."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
import sqlite3
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import quote

from sqlalchemy import (
    JSON,
    URL,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    delete,
    func,
    inspect,
    make_url,
    or_,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from graphwright.config import chosen_interactions
from graphwright.errors import said
from graphwright.store.database import replacing
from graphwright.store.errors import InteractionLogError, StoreError, explain
from graphwright.store.interactions.interaction import Interaction
from graphwright.store.sqlite_files import private_file

T = TypeVar("T")

OFF = "off"
FILE = "interactions.db"

PATIENCE = 5.0
"""Seconds to wait for another process that writes to the file, and for the connection to a server."""

_STATEMENT = 30
"""Seconds: the longest that a statement of Postgres may take."""

_AWAY = ("08", "28", "3D", "53", "57P")
"""How the codes of errors begin that say: no connection, not let in, no such database, too busy, shutting down."""

_MAKING = 0x67775F696E746572
"""The number of the lock that whoever makes the table holds in Postgres."""

_WAYS = (
    "Write off, the path of a file that ends in .jsonl, sqlite:////folder/log.db or postgresql://user@host/database, "
    "as GRAPHWRIGHT_INTERACTIONS or as interactions in graphwright.toml."
)

_metadata = MetaData()
# The name has a prefix: the database may hold the tables of others, too.
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


@dataclass(frozen=True, slots=True)
class Query:
    """Which interactions are asked for: all conditions hold. `since` is ISO 8601 in UTC; empty conditions are none.

    Each of the `words` must occur in the question, code, result, reply or error, upper or lower case.
    """

    session: str = ""
    agent: str = ""
    failed: bool = False
    since: str = ""
    words: tuple[str, ...] = ()
    limit: int = 20


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """The interactions of one session with one agent: how many, how many failed, and when the first and last began."""

    session: str
    agent: str
    interactions: int
    failed: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Address:
    """A file of SQLite or of JSON Lines (`path`), or a Postgres database (`url`). `label` holds no password."""

    label: str
    path: Path | None = None
    url: URL | None = None


def parsed(setting: str, home: Path, base: Path) -> Address | None:
    """The address that a setting stands for; None for `off`, and the file in the data folder for an empty text.

    Relative paths begin at `base`. Raises InteractionLogError (`bad_log`), which never shows a password.
    """
    setting = setting.strip()
    if not setting:
        return _file(home / FILE)
    if setting.lower() == OFF:
        return None
    if "://" not in setting:
        if not setting.lower().endswith(".jsonl"):
            # Who writes a host and a password alone must not read them in an error.
            raise InteractionLogError("bad_log", "The address of the interaction log is none that is known.", _WAYS)
        return _file(base / Path(setting).expanduser())
    try:
        url = make_url(setting)
    except (ArgumentError, ValueError) as error:
        raise InteractionLogError("bad_log", "The address of the interaction log cannot be read.", _WAYS) from error
    name = url.drivername.partition("+")[0]
    if name in ("postgres", "postgresql"):
        shown = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        return Address(shown, url=url.set(drivername="postgresql+psycopg"))
    if name != "sqlite":
        raise InteractionLogError("bad_log", f"The interaction log cannot be kept by {name}.", _WAYS)
    if url.database in (None, "", ":memory:") or url.query:
        raise InteractionLogError("bad_log", "The address of the interaction log names no file of SQLite.", _WAYS)
    return _file(base / Path(str(url.database)).expanduser())


def _file(path: Path) -> Address:
    return Address(str(path.absolute()), path=path.absolute())


def configured(home: Path) -> InteractionSink | None:
    """The interaction log of a data folder, or the one configured instead; None where it is switched off.

    Nothing is made or connected yet. Raises ConfigError, and InteractionLogError (`bad_log`, `log_driver_missing`,
    and `log_unwritable` where the folder of its file is not there).
    """
    setting, base = chosen_interactions()
    address = parsed(setting, home, base)
    return None if address is None else open_written(address, home)


def open_written(address: Address, home: Path) -> InteractionSink:
    """`open_sink`, for who wants to see what is in the log: one that cannot be written is not taken for an empty one.

    Raises InteractionLogError (`log_driver_missing`, `log_unwritable`).
    """
    # The data folder is made when there is something to keep, any other folder is not.
    if address.path is not None and address.path.parent != home and not address.path.parent.exists():
        raise _no_folder(address.path)
    return open_sink(address)


def open_sink(address: Address) -> InteractionSink:
    """The log at an address. Nothing is made or connected yet. Raises InteractionLogError (`log_driver_missing`)."""
    if address.url is not None:
        return PostgresSink(address.url, address.label)
    assert address.path is not None
    return (JsonlSink if address.path.suffix.lower() == ".jsonl" else SqliteSink)(address.path)


class InteractionSink(ABC):
    """An interaction log: the table `gw_interactions`, which is made when something is first written.

    Its methods block, and raise StoreError; one thread uses it at a time. `label` names it to people, without secrets.
    """

    def __init__(self, engine: Engine, label: str, position: Callable[..., Any]) -> None:
        """`position` is the database's function of (text, part) that is above 0 where the part is in the text."""
        self.label = label
        self._engine = engine
        self._position = position
        self._made = False

    def write(self, batch: Sequence[Interaction]) -> None:
        """Keep interactions, all or none. One whose id is there already takes its place."""
        # A statement must not meet the same row twice.
        rows = list({each.id: each.to_json() for each in batch}.values())

        def work(connection: Connection) -> None:
            if not self._made and not inspect(connection).has_table(_table.name):
                self._make_table(connection)
            connection.execute(_put, rows)

        self._transact(work)
        self._made = True

    def find(self, query: Query) -> list[Interaction]:
        """The interactions that are asked for, the latest first. A log that is not there yet has none."""
        found = select(_table).order_by(_table.c.started.desc(), _table.c.number.desc()).limit(query.limit)
        if query.session:
            found = found.where(_table.c.session == query.session)
        if query.agent:
            found = found.where(_table.c.agent == query.agent)
        if query.failed:
            found = found.where(_table.c.success.is_(False))
        if query.since:
            found = found.where(_table.c.started >= query.since)
        for word in query.words:
            places = (self._position(func.lower(_table.c[name]), word.lower()) for name in _TEXTS)
            found = found.where(or_(*(place > 0 for place in places)))
        rows = self._read(lambda connection: connection.execute(found).mappings().all())
        return [Interaction.from_json(dict(row)) for row in rows or ()]

    def sessions(self) -> list[SessionSummary]:
        """All sessions, the one with the latest interaction first."""
        last, failed = func.max(_table.c.started), func.count().filter(_table.c.success.is_(False))
        counted = (
            select(_table.c.session, _table.c.agent, func.count(), failed, func.min(_table.c.started), last)
            .group_by(_table.c.session, _table.c.agent)
            .order_by(last.desc(), _table.c.session)
        )
        rows = self._read(lambda connection: connection.execute(counted).all())
        return [SessionSummary(*row) for row in rows or ()]

    def count(self, before: str = "") -> int | None:
        """How many interactions there are, or how many began before a time; None where there is no log yet."""
        counted = select(func.count()).select_from(_table)
        if before:
            counted = counted.where(_table.c.started < before)
        return self._read(lambda connection: connection.scalar(counted) or 0)

    def purge(self, before: str) -> int:
        """Remove what began before a time; how many that were."""
        old = delete(_table).where(_table.c.started < before)
        return self._read(lambda connection: connection.execute(old).rowcount) or 0

    def close(self) -> None:
        self._engine.dispose()

    def _read(self, work: Callable[[Connection], T]) -> T | None:
        """Run `work` where there is a table; None where there is none."""
        return self._transact(lambda c: work(c) if inspect(c).has_table(_table.name) else None)

    def _transact(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._engine.begin() as connection:
                self._begin(connection)
                return work(connection)
        except (SQLAlchemyError, OSError) as error:
            raise self._explained(error) from error

    @abstractmethod
    def _begin(self, connection: Connection) -> None: ...

    @abstractmethod
    def _make_table(self, connection: Connection) -> None: ...

    @abstractmethod
    def _explained(self, error: Exception) -> StoreError: ...


class SqliteSink(InteractionSink):
    """The interaction log in one SQLite file, readable by its owner alone. Its folder must be there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # The file is opened for each batch: one that was moved or deleted meanwhile is begun anew.
        engine = create_engine("sqlite://", creator=self._connect, poolclass=NullPool)
        super().__init__(engine, str(path), func.instr)

    def write(self, batch: Sequence[Interaction]) -> None:
        try:
            if private_file(self._path):
                self._made = False
        except OSError as error:
            raise self._explained(error) from error
        super().write(batch)

    def purge(self, before: str) -> int:
        gone = super().purge(before)
        if gone:
            # It takes room of its own and nobody else at work; without it the file keeps its size, and nothing else.
            with contextlib.suppress(sqlite3.Error), contextlib.closing(self._connect()) as connection:
                connection.execute("VACUUM")
        return gone

    def _read(self, work: Callable[[Connection], T]) -> T | None:
        return super()._read(work) if self._path.exists() else None

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._file(),
            uri=True,
            timeout=PATIENCE,
            isolation_level="IMMEDIATE",
            check_same_thread=False,
        )
        # SQLite's own knows no letters but A to Z.
        connection.create_function("lower", 1, _lower, deterministic=True)
        return connection

    def _file(self) -> str:
        # Never made here, so that looking at a log makes none.
        return f"file:{quote(str(self._path))}?mode=rw"

    def _begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA secure_delete=ON")

    def _make_table(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        _metadata.create_all(connection)

    def _explained(self, error: Exception) -> StoreError:
        if (known := explain(error, str(self._path))) is not None:
            return known
        if isinstance(error, FileNotFoundError):
            return _no_folder(self._path)
        why = f"The interaction log {self._path} cannot be used: {error}."
        return InteractionLogError("log_unwritable", why, "Choose another.")


class PostgresSink(InteractionSink):
    """The interaction log in a Postgres database, which may be a hosted one."""

    def __init__(self, url: URL, label: str) -> None:
        self._password = url.password or ""
        limits: dict[str, Any] = {} if "connect_timeout" in url.query else {"connect_timeout": int(PATIENCE)}
        try:
            engine = create_engine(
                url,
                pool_size=1,
                # A server that was started anew, or a balancer in between, has forgotten the connection.
                pool_pre_ping=True,
                # What a pooler hands from one client to the next knows no prepared statements.
                connect_args={"prepare_threshold": None, "application_name": "graphwright", **limits},
            )
        except ImportError as error:
            raise InteractionLogError(
                "log_driver_missing",
                f"The interaction log {label} needs the package psycopg, which is not installed.",
                "pip install 'graphwright[postgres]'",
            ) from error
        super().__init__(engine, label, func.strpos)

    def _begin(self, connection: Connection) -> None:
        connection.execute(text(f"SET LOCAL statement_timeout = '{_STATEMENT}s'"))

    def _make_table(self, connection: Connection) -> None:
        # Two that begin at once would both find none; the lock goes with the transaction.
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MAKING})
        _metadata.create_all(connection)
        # Hosted databases serve their tables to the web, unless each says otherwise. Its owner is not concerned.
        connection.execute(text(f"ALTER TABLE {_table.name} ENABLE ROW LEVEL SECURITY"))

    def _explained(self, error: Exception) -> StoreError:
        cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
        why = said(cause).rstrip(".?!")
        if self._password:
            why = why.replace(self._password, "[hidden]")
        if isinstance(cause, OSError) or str(getattr(cause, "sqlstate", None) or "08").startswith(_AWAY):
            return InteractionLogError(
                "log_unreachable",
                f"The interaction log {self.label} cannot be reached: {why}.",
                "Check the address, and that the server runs and lets this user in.",
            )
        return InteractionLogError(
            "log_refused",
            f"The interaction log {self.label} refused: {why}.",
            f"Check what this user may do with the table {_table.name}.",
        )


class JsonlSink(SqliteSink):
    """The interaction log in a file of JSON Lines, readable by its owner alone. Its folder must be there.

    Lines that are no interactions (one that a crash cut short, or somebody else's) are passed over and never removed.
    Of two lines with one id the later holds. What is asked of it is answered by a table that is filled for that.
    """

    def write(self, batch: Sequence[Interaction]) -> None:
        lines = "".join(f"{json.dumps(each.to_json(), ensure_ascii=False)}\n" for each in batch).encode()
        with self._held(), open(self._path, "ab+", buffering=0, opener=_private) as file:
            size = file.seek(0, os.SEEK_END)
            # A line that a crash cut short must not spoil the next one.
            torn = size > 0 and file.seek(size - 1) >= 0 and file.read(1) != b"\n"
            try:
                _write_all(file, b"\n" + lines if torn else lines)
            except OSError:
                file.truncate(size)
                raise

    def purge(self, before: str) -> int:
        if not self._path.exists():
            return 0
        gone: set[str] = set()
        with self._held(), replaced(self._path) as kept:
            for line, each in self._lines():
                if each is not None and _is_old(each, before):
                    gone.add(each.id)
                else:
                    kept.write(line)
        return len(gone)

    def _read(self, work: Callable[[Connection], T]) -> T | None:
        if not self._path.exists():
            return None

        def fill(connection: Connection) -> T:
            _metadata.create_all(connection)
            rows = (each.to_json() for _, each in self._lines() if each is not None)
            while batch := list(itertools.islice(rows, 1_000)):
                connection.execute(_put, batch)
            return work(connection)

        return self._transact(fill)

    def _file(self) -> str:
        # A temporary database, which goes to the disk where it is larger than the memory.
        return ""

    def _lines(self) -> Iterator[tuple[bytes, Interaction | None]]:
        """The lines of the file, each with its interaction; None where it is none."""
        try:
            with self._path.open("rb") as stream:
                for line in stream:
                    yield line, _interaction(line)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._explained(error) from error

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Inside, no other process writes to the file, or puts another in its place."""
        try:
            with locked(self._path, PATIENCE):
                yield
        except TimeoutError as error:
            raise InteractionLogError(
                "log_unwritable",
                f"The interaction log {self._path} was locked by another program for too long.",
                "Try again when that is done with it.",
            ) from error
        except OSError as error:
            raise self._explained(error) from error


def _no_folder(path: Path) -> InteractionLogError:
    return InteractionLogError(
        "log_unwritable",
        f"The folder of the interaction log {path} does not exist.",
        f"Make it: mkdir -p {shlex.quote(str(path.parent))}",
    )


@contextlib.contextmanager
def locked(path: Path, patience: float) -> Iterator[None]:
    """Inside, no other process has this lock beside a file. Raises OSError, TimeoutError after `patience` seconds."""
    # Not at the top: who only reads needs no lock.
    from filelock import FileLock

    # The lock would make the folder, and one that is gone must not come back.
    os.stat(path.parent)
    # What times out there is a TimeoutError.
    with FileLock(path.with_name(f".{path.name}.lock"), timeout=patience, mode=0o600):
        yield


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """The new content of a file, which takes the place of the old one at the end, whole; of its owner alone."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "wb", opener=_private) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            # Whoever was let in before still is.
            aside.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _write_all(file: FileIO, data: bytes) -> None:
    while data:
        data = data[file.write(data) :]


def _interaction(line: bytes) -> Interaction | None:
    try:
        return Interaction.from_json(json.loads(line))
    except (ValueError, RecursionError):
        return None


def _is_old(each: Interaction, before: str) -> bool:
    return not before or each.started < before
