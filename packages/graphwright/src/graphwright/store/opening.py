"""Opening the store of a data folder: the SQLite file in it, or the store at the URL of `GRAPHWRIGHT_STORE`."""

# Heavy modules (SQLAlchemy, asyncio) are imported when a store is opened, because the command line imports this module
# before it knows whether it needs a store.

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.config import chosen_store
from graphwright.errors import GraphwrightError, exception_text, redact
from graphwright.hooks import STORES, StoreOpener
from graphwright.store._errors import StoreError
from graphwright.store.rows import utc_now

if TYPE_CHECKING:
    from graphwright.store.protocols import Store

__all__ = ["open_sqlite", "open_postgres"]

POSTGRES = ("postgres", "postgresql")
SQLITE = "sqlite"


@asynccontextmanager
async def open_store(
    home: Path | None = None,
    *,
    create: bool = True,
    busy_timeout: float = 10.0,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Store]:
    """Open the store of the data folder `home` (default: the data home): a SQLite file in it, or the store at the URL
    of `GRAPHWRIGHT_STORE`, whose scheme is an entry point of the group `graphwright.stores`.

    All stores of a process for one folder share one open database, which is closed with the last of them. With
    `create=False` no file is created: a missing one reads as empty, and writing raises `StoreError("absent")`.
    `busy_timeout` is the number of seconds to wait for another process that writes, or for a lost server. `now` returns
    the time. A file of an older version is backed up next to itself and migrated. Raises `StoreError`: `bad_store`,
    `cannot_open`, `corrupted`, `foreign_database`, `locked`, `newer_schema`, `not_a_database`, `not_a_folder`,
    `older_schema`, `plugin`, `read_only`, `store_driver_missing`, `unreachable`.
    """
    from graphwright.store.home import data_home

    folder = (home or data_home()).absolute()
    url = chosen_store()
    # The default is opened without looking for entry points, which takes time.
    opener = _opener(url) if url else open_sqlite
    async with opener(url, folder, create=create, busy_timeout=busy_timeout, now=now) as store:
        yield store


def scheme_of(url: str) -> str:
    """Return the scheme of a URL without the driver: `postgresql` for `postgresql+psycopg://host/database`."""
    return url.partition(":")[0].partition("+")[0].strip().lower()


def _opener(url: str) -> StoreOpener:
    scheme = scheme_of(url)
    entries = STORES.entries()
    if ":" not in url or scheme not in entries:
        # Without a colon the whole text may be a password.
        unknown = f"There is no store for the scheme {redact(scheme)!r} of GRAPHWRIGHT_STORE."
        raise StoreError(
            "bad_store",
            unknown if ":" in url else "GRAPHWRIGHT_STORE is not a URL.",
            f"The schemes are: {', '.join(entries)}. Set it to postgresql://user@host/database, or unset it for a file "
            "in the data folder.",
        )
    entry = entries[scheme]
    try:
        opener = STORES.load(entry)
    except GraphwrightError as error:
        raise StoreError(error.code, error.message, error.hint) from error
    return opener if entry.own else _explained(opener, entry.distribution)


def _explained(opener: StoreOpener, package: str) -> StoreOpener:
    """Return the opener of another package with errors for people."""

    @asynccontextmanager
    async def opened(
        url: str, home: Path, *, create: bool, busy_timeout: float, now: Callable[[], datetime]
    ) -> AsyncIterator[Store]:
        async with AsyncExitStack() as stack:
            try:
                store = await stack.enter_async_context(
                    opener(url, home, create=create, busy_timeout=busy_timeout, now=now)
                )
            except GraphwrightError:
                raise
            # The code of another package may fail in any way.
            except Exception as error:
                raise StoreError(
                    "cannot_open",
                    f"The store of {package} cannot be opened: {type(error).__name__}: {exception_text(error)}.",
                    "Check its documentation and GRAPHWRIGHT_STORE.",
                ) from error
            yield store

    return opened


@asynccontextmanager
async def open_sqlite(
    url: str, home: Path, *, create: bool, busy_timeout: float, now: Callable[[], datetime]
) -> AsyncIterator[Store]:
    """Open the SQLite file of a data folder. The URL is empty or `sqlite:`."""
    from graphwright.store.sql._store import SqlStore
    from graphwright.store.sqlite.database import open_database

    file = sqlite_file(url, home)
    async with open_database(file, busy_timeout=busy_timeout, create=create) as database:
        yield SqlStore(database, now)


def sqlite_file(url: str, home: Path) -> Path:
    """Return the SQLite file of a data folder. Raises StoreError (`bad_store`) if the URL names another file."""
    from graphwright.store.home import FILE

    if url.partition(":")[2].strip("/"):
        raise StoreError(
            "bad_store",
            f"The SQLite file is {FILE} in the data folder: the URL of GRAPHWRIGHT_STORE cannot name another.",
            "Unset GRAPHWRIGHT_STORE, and set GRAPHWRIGHT_HOME to another folder.",
        )
    return home / FILE


@asynccontextmanager
async def open_postgres(
    url: str, home: Path, *, create: bool, busy_timeout: float, now: Callable[[], datetime]
) -> AsyncIterator[Store]:
    """Open a Postgres database. Its tables are created if they are missing, also with `create=False`."""
    from graphwright.store.postgres._address import parsed

    address = parsed(url)
    from graphwright.store.postgres._database import open_database
    from graphwright.store.sql._store import SqlStore

    async with open_database(address, home, busy_timeout=busy_timeout) as database:
        yield SqlStore(database, now)
