"""The journal and the version of an embedded graph, in tables of their own beside the graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from graphwright.graphstore.elements import Change
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.errors import QueryFailed
from graphwright.graphstore.json_text import canonical
from graphwright.graphstore.port import Goal, GoalStatus, Step
from graphwright.graphstore.writing import now

_GOAL = "SELECT number, key, text, thread, status, began, finished, undoes, undone_by FROM graphwright_goals"
_STEP = "SELECT key, writes, changes, version, time FROM graphwright_steps"


MOST_BYTES = 16 * 1024 * 1024
"""Of one step's changes as JSON. They must fit, whole, into an answer of the worker, and into memory several times."""


def version(connection: Connection) -> int:
    found: int = connection.first("SELECT value FROM graphwright_meta WHERE name = 'version'")[0]
    return found


def bump(connection: Connection) -> int:
    connection.run("UPDATE graphwright_meta SET value = value + 1 WHERE name = 'version'")
    return version(connection)


def goal_by_id(connection: Connection, id: str) -> Goal | None:
    return _goal(connection, connection.first(f"{_GOAL} WHERE number = ?", (number_of(id),)))


def goal_by_key(connection: Connection, key: str) -> Goal | None:
    return _goal(connection, connection.first(f"{_GOAL} WHERE key = ?", (key,)))


def latest_goals(connection: Connection, most: int) -> list[Goal]:
    rows = connection.all(f"{_GOAL} ORDER BY number DESC LIMIT ?", (most,))
    return [goal for goal in (_goal(connection, row) for row in rows) if goal]


def add_goal(connection: Connection, text: str, *, key: str, thread: str, undoes: str | None) -> str:
    """The id of the new goal."""
    number = connection.run(
        "INSERT INTO graphwright_goals (key, text, thread, status, began, undoes) VALUES (?, ?, ?, 'open', ?, ?)",
        (key, text, thread, now(), number_of(undoes)),
    )
    return f"G{number}"


def set_goal(connection: Connection, id: str, status: GoalStatus, undone_by: str | None) -> None:
    connection.run(
        "UPDATE graphwright_goals SET status = ?, finished = ?, undone_by = ? WHERE number = ?",
        (status, None if status == "open" else now(), number_of(undone_by), number_of(id)),
    )


def step(connection: Connection, key: str) -> Step | None:
    row = connection.first(f"{_STEP} WHERE key = ?", (key,))
    return _step(row) if row else None


def add_step(connection: Connection, goal: str, step: Step) -> None:
    changes = canonical([change.to_json() for change in step.changes])
    if len(changes.encode()) > MOST_BYTES:
        raise QueryFailed(
            "too_much", "this would change more than 16 MiB of data at once", "Do it in parts, or import the data."
        )
    connection.run(
        "INSERT INTO graphwright_steps (key, goal, version, time, writes, changes) VALUES (?, ?, ?, ?, ?, ?)",
        (step.key, number_of(goal), step.version, step.time, canonical(step.writes), changes),
    )


def steps_after(connection: Connection, version: int) -> Sequence[tuple[str, Step]]:
    sql = f"{_STEP.replace('time', 'time, goal')} WHERE version > ? ORDER BY number"
    return [(f"G{goal}", _step(row)) for *row, goal in connection.each(sql, (version,))]


def number_of(id: str | None) -> int | None:
    """The number in an id such as G7; one that is none belongs to no goal."""
    if id is None:
        return None
    number = id[1:]
    plain = id[:1] == "G" and number.isascii() and number.isdigit() and number[:1] != "0" and len(number) < 18
    return int(number) if plain else -1


def _goal(connection: Connection, row: Any) -> Goal | None:
    if row is None:
        return None
    number, key, text, thread, status, began, finished, undoes, undone_by = row
    steps = connection.all(f"{_STEP} WHERE goal = ? ORDER BY number", (number,))
    return Goal(
        id=f"G{number}",
        key=key,
        text=text,
        thread=thread,
        status=status,
        began=began,
        finished=finished,
        undoes=None if undoes is None else f"G{undoes}",
        undone_by=None if undone_by is None else f"G{undone_by}",
        steps=tuple(_step(step) for step in steps),
    )


def _step(row: Any) -> Step:
    key, writes, changes, version, time = row
    return Step(
        key, tuple(json.loads(writes)), tuple(Change.from_json(change) for change in json.loads(changes)), version, time
    )
