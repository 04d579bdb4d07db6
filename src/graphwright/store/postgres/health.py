"""The health of a Postgres database."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import URL, Connection, func, select

from graphwright.store.postgres.database import opened
from graphwright.store.sql import schema

_PATIENCE = 5.0

Found = tuple[str, int, int, dict[str, int], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def examined(url: URL, home: Path) -> Found:
    """Return label, size, version, threads by status, served, cut short and damage, the fields of `Health`."""
    return asyncio.run(_examined(url, home))


async def _examined(url: URL, home: Path) -> Found:
    threads = schema.threads
    counts = select(threads.c.status, func.count()).group_by(threads.c.status).order_by(threads.c.status)
    at_work = (
        select(threads.c.thread, threads.c.updated).where(threads.c.status == "running").order_by(threads.c.thread)
    )

    def look(connection: Connection) -> tuple[int, dict[str, int]]:
        size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar()
        return int(size or 0), dict(tuple(each) for each in connection.execute(counts))

    def running(connection: Connection) -> list[tuple[str, str]]:
        return [(each.thread, each.updated) for each in connection.execute(at_work)]

    async with opened(url, home, patience=_PATIENCE) as database:
        size, found = await database.read(look)
        rows = await database.read(running)
        held = await database.leases.held([thread for thread, _ in rows])
        # Read again: a turn may have ended between the reads of its row and its lock.
        unchanged = set(await database.read(running))
    served = tuple(thread for thread, _ in rows if thread in held)
    cut_short = tuple(each[0] for each in rows if each[0] not in held and each in unchanged)
    return database.label, size, schema.VERSION, found, served, cut_short, ()
