"""Opening the store of a data folder."""

# Heavy modules (SQLAlchemy, asyncio) are imported when a store is opened, because the command line imports this module
# before it knows whether it needs a store.

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.config import chosen_store

if TYPE_CHECKING:
    from graphwright.store.protocols import Store
    from graphwright.store.sql.database import Database
from graphwright.store.rows import utc_now


@asynccontextmanager
async def open_store(
    home: Path | None = None,
    *,
    create: bool = True,
    busy_timeout: float = 10.0,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Store]:
    """Open the store of the data folder `home` (default: the data home): a SQLite file in it, or the Postgres database
    of `GRAPHWRIGHT_STORE`.

    All stores of a process for one folder share one open database, which is closed with the last of them. With
    `create=False` no file is created: a missing one reads as empty, and writing raises `StoreError("absent")`.
    `busy_timeout` is the number of seconds to wait for another process that writes, or for a lost server. `now` returns
    the time. A file of an older version is backed up next to itself and migrated. Raises `StoreError`: `bad_store`,
    `cannot_open`, `corrupted`, `foreign_database`, `locked`, `newer_schema`, `not_a_database`, `not_a_folder`,
    `older_schema`, `read_only`, `store_driver_missing`, `unreachable`.
    """
    from graphwright.store.home import data_home
    from graphwright.store.sql.store import SqlStore

    folder = (home or data_home()).absolute()
    async with _opened(chosen_store(), folder, busy_timeout, create) as database:
        yield SqlStore(database, now)


def _opened(address: str, home: Path, patience: float, create: bool) -> AbstractAsyncContextManager[Database]:
    if address:
        from graphwright.store.postgres.address import parsed

        url = parsed(address)
        from graphwright.store.postgres import database as postgres

        return postgres.opened(url, home, patience=patience)
    from graphwright.store.home import FILE
    from graphwright.store.sqlite import database as sqlite

    return sqlite.opened(home / FILE, busy_timeout=patience, create=create)
