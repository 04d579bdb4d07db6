"""The interaction log in a Postgres database, which may be a hosted one."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import URL, Connection, create_engine, func, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from graphwright.errors import said
from graphwright.store.errors import StoreError
from graphwright.store.interactions import schema
from graphwright.store.interactions.sink import InteractionLogError
from graphwright.store.interactions.sql import SqlSink, replacing

_CONNECT, _STATEMENT = 5, 30
"""Seconds: the longest that connecting and a statement may take."""

_AWAY = ("08", "28", "3D", "53", "57P")
"""How the codes of errors begin that say: no connection, not let in, no such database, too busy, shutting down."""

_MAKING = 0x67775F696E746572
"""The number of the lock that whoever makes the table holds."""


class PostgresSink(SqlSink):
    """The interaction log in the table `gw_interactions` of a Postgres database."""

    def __init__(self, url: URL, label: str) -> None:
        self._password = url.password or ""
        limits: dict[str, Any] = {} if "connect_timeout" in url.query else {"connect_timeout": _CONNECT}
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
        super().__init__(engine, label)

    def _begin(self, connection: Connection) -> None:
        connection.execute(text(f"SET LOCAL statement_timeout = '{_STATEMENT}s'"))

    def _make_table(self, connection: Connection) -> None:
        # Two that begin at once would both find none; the lock goes with the transaction.
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MAKING})
        schema.metadata.create_all(connection)
        # Hosted databases serve their tables to the web, unless each says otherwise. Its owner is not concerned.
        connection.execute(text(f"ALTER TABLE {schema.interactions.name} ENABLE ROW LEVEL SECURITY"))

    def _upsert(self) -> Any:
        return _upsert()

    def _holds(self, column: Any, word: str) -> Any:
        return func.strpos(func.lower(column), word) > 0

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
            f"Check what this user may do with the table {schema.interactions.name}.",
        )


@cache
def _upsert() -> Any:
    return replacing(insert)
