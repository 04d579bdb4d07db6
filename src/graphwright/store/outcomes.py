"""Outcomes: what came of each visit of an action, so that an effect happens once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.jsontext import dump, load
from graphwright.store.rows import Outcome

_table = schema.outcomes
_key = (_table.c.thread, _table.c.visit)
# Postgres' conflict clauses are the ones that SQLite understands too; it is not so the other way round.
_insert = insert(_table)
_begin = _insert.on_conflict_do_update(
    index_elements=_key,
    set_={column.name: _insert.excluded[column.name] for column in _table.c if not column.primary_key},
    where=_table.c.status != "done",
)
_finish = _insert.on_conflict_do_update(
    index_elements=_key,
    set_={name: _insert.excluded[name] for name in ("status", "result", "said", "finished")},
    where=_table.c.status == "started",
)
_get = select(_table).where(_table.c.thread == bindparam("id"), _table.c.visit == bindparam("number"))


class Outcomes:
    """The outcomes of all threads, keyed (thread, visit)."""

    def __init__(self, database: Database, clock: Callable[[], str]) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, thread: str, visit: int, node: str, attempt: int = 1) -> Outcome:
        """Record that an attempt starts, and return what the store holds for the visit.

        A visit that is done stays done, and its outcome comes back: the action must not run again. One that
        was started or failed before is started anew. Raises `StoreError("no_such_thread")`.
        """
        row = {
            "thread": thread,
            "visit": visit,
            "node": node,
            "status": "started",
            "attempt": attempt,
            "result": "null",
            "said": "[]",
            "started": self._clock(),
            "finished": "",
        }
        return await self._write(_begin, row)

    async def finish(
        self,
        thread: str,
        visit: int,
        result: Any,
        *,
        status: Literal["done", "failed"] = "done",
        said: Sequence[Any] = (),
        node: str = "",
        attempt: int = 1,
    ) -> Outcome:
        """Record the result of a visit, unless it has one: the first result is kept and comes back.

        `said` is whatever must be said again when the step is repeated. `node` and `attempt` count only for a
        visit that was not begun; one that failed takes a new result after it was begun again. Raises
        `StoreError`: `no_such_thread`, `not_json`.
        """
        time = self._clock()
        row = {
            "thread": thread,
            "visit": visit,
            "node": node,
            "status": status,
            "attempt": attempt,
            "result": dump(result, f"the result of visit {visit} of thread `{thread}`"),
            "said": dump(list(said), f"what visit {visit} of thread `{thread}` said"),
            "started": time,
            "finished": time,
        }
        return await self._write(_finish, row)

    async def get(self, thread: str, visit: int) -> Outcome | None:
        """What is known of a visit; None when it was never begun."""
        key = {"id": thread, "number": visit}
        row = await self._database.run(lambda c: c.execute(_get, key).mappings().first())
        return None if row is None else _outcome(row)

    async def _write(self, statement: Any, row: dict[str, Any]) -> Outcome:
        def work(connection: Connection) -> RowMapping:
            connection.execute(statement, row)
            return connection.execute(_get, {"id": row["thread"], "number": row["visit"]}).mappings().one()

        return _outcome(await self._database.run(work))


def _outcome(row: RowMapping) -> Outcome:
    return Outcome(**{**row, "result": load(row["result"]), "said": load(row["said"])})
