"""The interaction log in a SQL database: what SQLite and Postgres have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, delete, func, inspect, or_, select
from sqlalchemy.exc import SQLAlchemyError

from graphwright.store.errors import StoreError
from graphwright.store.interactions.interaction import Interaction
from graphwright.store.interactions.schema import interactions as table
from graphwright.store.interactions.sink import Query, SessionSummary

T = TypeVar("T")

_TEXTS = (table.c.question, table.c.code, table.c.result, table.c.reply, table.c.error)


class SqlSink(ABC):
    """An interaction log in a table of a SQL database. The table is made when something is first written."""

    def __init__(self, engine: Engine, label: str) -> None:
        self._engine = engine
        self._label = label
        self._made = False

    @property
    def label(self) -> str:
        return self._label

    def write(self, batch: Sequence[Interaction]) -> None:
        # A statement must not meet the same row twice.
        rows = list({each.id: each.to_json() for each in batch}.values())

        def work(connection: Connection) -> None:
            if not self._made and not _there(connection):
                self._make_table(connection)
            connection.execute(self._upsert(), rows)

        self._transact(work)
        self._made = True

    def find(self, query: Query) -> list[Interaction]:
        found = select(table).order_by(table.c.started.desc(), table.c.number.desc()).limit(query.limit)
        if query.session:
            found = found.where(table.c.session == query.session)
        if query.agent:
            found = found.where(table.c.agent == query.agent)
        if query.failed:
            found = found.where(table.c.success.is_(False))
        if query.since:
            found = found.where(table.c.started >= query.since)
        for word in query.words:
            found = found.where(or_(*(self._holds(text, word.lower()) for text in _TEXTS)))
        rows = self._read(lambda connection: connection.execute(found).mappings().all())
        return [Interaction.from_json(dict(row)) for row in rows or ()]

    def sessions(self) -> list[SessionSummary]:
        failed = func.count().filter(table.c.success.is_(False))
        last = func.max(table.c.started)
        counted = (
            select(table.c.session, table.c.agent, func.count(), failed, func.min(table.c.started), last)
            .group_by(table.c.session, table.c.agent)
            .order_by(last.desc(), table.c.session)
        )
        rows = self._read(lambda connection: connection.execute(counted).all())
        return [SessionSummary(*row) for row in rows or ()]

    def count(self, before: str = "") -> int | None:
        counted = select(func.count()).select_from(table)
        if before:
            counted = counted.where(table.c.started < before)
        return self._read(lambda connection: connection.scalar(counted) or 0)

    def purge(self, before: str) -> int:
        old = delete(table).where(table.c.started < before)
        return self._read(lambda connection: connection.execute(old).rowcount) or 0

    def close(self) -> None:
        self._engine.dispose()

    def _read(self, work: Callable[[Connection], T]) -> T | None:
        """Run `work` where there is a table; None where there is none."""
        return self._transact(lambda connection: work(connection) if _there(connection) else None)

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
    def _upsert(self) -> Any: ...

    @abstractmethod
    def _holds(self, text: Any, word: str) -> Any: ...

    @abstractmethod
    def _explained(self, error: Exception) -> StoreError: ...


def replacing(insert: Callable[..., Any]) -> Any:
    """The statement that writes a row in the place of one that has its id, by the insert of a dialect."""
    put = insert(table)
    others = {column.name: put.excluded[column.name] for column in table.columns if not column.primary_key}
    return put.on_conflict_do_update(index_elements=[table.c.id], set_=others)


def _there(connection: Connection) -> bool:
    return inspect(connection).has_table(table.name)
