"""The journal of a graph on Neo4j: goals and their steps, as nodes beside the graph, which no query meets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphwright.graphstore.elements import Change
from graphwright.graphstore.json_text import canonical
from graphwright.graphstore.neo4j.hiding import GOAL, GRAPH, STEP
from graphwright.graphstore.port import Goal, GoalStatus, Step
from graphwright.graphstore.writing import now

if TYPE_CHECKING:
    import neo4j


def goal(tx: neo4j.Transaction, *, id: str = "", key: str = "") -> Goal | None:
    """An entry with its steps, by its id or by the caller's key."""
    name, value = ("id", id) if id else ("caller", key)
    found = tx.run(f"MATCH (g:{GOAL} {{{name}: $value}}) RETURN properties(g)", value=value).single()
    return None if found is None else _goal(found[0], _steps(tx, found[0]["id"]))


def goals(tx: neo4j.Transaction, most: int) -> tuple[Goal, ...]:
    """The newest entries, newest first, with their steps."""
    found = tx.run(f"MATCH (g:{GOAL}) RETURN properties(g) ORDER BY g.number DESC LIMIT $most", most=most).value()
    return tuple(_goal(each, _steps(tx, each["id"])) for each in found)


def add_goal(tx: neo4j.Transaction, text: str, *, key: str, thread: str, undoes: str | None) -> Goal:
    """A new entry, open, with the next id."""
    number = tx.run(f"MATCH (g:{GRAPH}) SET g.goals = g.goals + 1 RETURN g.goals").value()[0]
    made = {
        "id": f"G{number}",
        "number": number,
        "caller": key,
        "text": text,
        "thread": thread,
        "status": "open",
        "began": now(),
    }
    if undoes is not None:
        made["undoes"] = undoes
    tx.run(f"CREATE (g:{GOAL}) SET g = $made", made=made).consume()
    return _goal(made, ())


def set_goal(tx: neo4j.Transaction, id: str, status: GoalStatus, *, undone_by: str | None) -> None:
    """Its status and, unless that is open, the time of finishing."""
    tx.run(
        f"MATCH (g:{GOAL} {{id: $id}}) SET g += $new",
        id=id,
        new={"status": status, "finished": None if status == "open" else now(), "undone_by": undone_by},
    ).consume()


def step(tx: neo4j.Transaction, key: str) -> Step | None:
    """The step that was done under a key."""
    found = tx.run(f"MATCH (s:{STEP} {{caller: $key}}) RETURN properties(s)", key=key).single()
    return None if found is None else _step(found[0])


def add_step(tx: neo4j.Transaction, goal: str, step: Step) -> None:
    number = tx.run(f"MATCH (g:{GRAPH}) SET g.steps = g.steps + 1 RETURN g.steps").value()[0]
    made = {
        "goal": goal,
        "number": number,
        "caller": step.key,
        "writes": canonical(step.writes),
        "changes": canonical([change.to_json() for change in step.changes]),
        "version": step.version,
        "time": step.time,
    }
    tx.run(f"CREATE (s:{STEP}) SET s = $made", made=made).consume()


def steps_after(tx: neo4j.Transaction, version: int) -> Sequence[tuple[str, Step]]:
    """The steps whose version is higher, with the ids of their goals, oldest first."""
    found = tx.run(
        f"MATCH (s:{STEP}) WHERE s.version > $version RETURN properties(s) ORDER BY s.number", version=version
    )
    return [(each["goal"], _step(each)) for each in found.value()]


def _steps(tx: neo4j.Transaction, goal: str) -> tuple[Step, ...]:
    found = tx.run(f"MATCH (s:{STEP} {{goal: $goal}}) RETURN properties(s) ORDER BY s.number", goal=goal)
    return tuple(_step(each) for each in found.value())


def _goal(data: Mapping[str, Any], steps: tuple[Step, ...]) -> Goal:
    return Goal(
        id=data["id"],
        key=data["caller"],
        text=data["text"],
        thread=data["thread"],
        status=data["status"],
        began=data["began"],
        finished=data.get("finished"),
        undoes=data.get("undoes"),
        undone_by=data.get("undone_by"),
        steps=steps,
    )


def _step(data: Mapping[str, Any]) -> Step:
    return Step(
        key=data["caller"],
        writes=tuple(json.loads(data["writes"])),
        changes=tuple(Change.from_json(change) for change in json.loads(data["changes"])),
        version=data["version"],
        time=data["time"],
    )
