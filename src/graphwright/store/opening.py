"""Opening the store of a data folder."""

# What is heavy to import (SQLAlchemy, asyncio) is imported when a store is opened, because the
# command line imports this module before it knows whether it needs one.

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphwright.store.protocols import Store


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


@asynccontextmanager
async def open_store(
    home: Path | None = None,
    *,
    create: bool = True,
    busy_timeout: float = 10.0,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Store]:
    """Open the store of the data folder `home`, by default the data home.

    All stores of a process in one folder share one open database, which is closed with the last of them. With
    `create=False` nothing is created on the disk: where there is no database the store reads as empty, and writing
    raises `StoreError("absent")`. `busy_timeout` is how many seconds to wait for another process that writes. `now`
    gives the time. A database of an older version is copied beside itself and brought to this version. Raises
    `StoreError`: `cannot_open`, `corrupted`, `foreign_database`, `locked`, `newer_schema`, `not_a_database`,
    `not_a_folder`, `older_schema`, `read_only`.
    """
    from graphwright.store.home import FILE, data_home
    from graphwright.store.sql.store import SqlStore
    from graphwright.store.sqlite.database import opened

    place = (home or data_home()).absolute() / FILE
    async with opened(place, busy_timeout=busy_timeout, create=create) as database:
        yield SqlStore(database, now)
