"""How the goals of a graph's journal stand: what became of those that were never finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphwright.cli.console import note
from graphwright.cli.running import run

if TYPE_CHECKING:
    from graphwright.graphstore import Goal, GraphStore
    from graphwright.store import ThreadRow


@dataclass(frozen=True, slots=True)
class Standing:
    """`status` is that of the journal, or for an open goal what is known of it: `open`, `waiting` or `abandoned`.

    `why` says more of such a one; it may be empty.
    """

    status: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.status}: {self.why}" if self.why else self.status


def standings(goals: Sequence[Goal]) -> list[Standing]:
    """How goals stand, which are the newest of the journal, the newest first. Notes where threads cannot be read."""
    threads = _threads({goal.thread for goal in goals if goal.status == "open" and goal.thread})
    newest: dict[str, str] = {}
    for goal in goals:
        newest.setdefault(goal.thread, goal.id)
    return [_standing(goal, newest[goal.thread], threads) for goal in goals]


def standing(store: GraphStore, goal: Goal) -> Standing:
    """How one goal stands."""
    if goal.status != "open":
        return Standing(goal.status)
    newest = store.goals(most=1)[0]
    return standings(store.goals(most=1 + _number(newest) - _number(goal)))[-1]


def _number(goal: Goal) -> int:
    # Ids count from G1.
    return int(goal.id[1:])


def _standing(goal: Goal, newest: str, threads: dict[str, ThreadRow | None] | None) -> Standing:
    if goal.status != "open" or not goal.thread:
        return Standing(goal.status)
    thread = f"thread {goal.thread}"
    # A thread goes for one goal at a time.
    if newest != goal.id:
        return _gone(f"{thread} went on to {newest}")
    if threads is None:
        return Standing(goal.status)
    row = threads[goal.thread]
    if row is None:
        from graphwright.graphstore.opening import server

        # A server's graph may be worked on from other data folders.
        return Standing("open", f"{thread} is of another data folder") if server() else _gone(f"{thread} is gone")
    match row.status:
        case "ended":
            return _gone(f"{thread} has ended")
        case "running":
            return Standing("open", f"{thread} is at it, or was cut short and goes on with its next message")
    return Standing("waiting", f"for a message to {thread}, since {row.updated[:16].replace('T', ' ')}")


def _gone(why: str) -> Standing:
    return Standing("abandoned", why)


def _threads(ids: set[str]) -> dict[str, ThreadRow | None] | None:
    """The rows of these threads; None where they cannot be read."""
    from graphwright.store import StoreError, open_store

    async def read() -> dict[str, ThreadRow | None]:
        async with open_store(create=False) as store:
            return {id: await store.threads.get(id) for id in ids}

    try:
        return run(read()) if ids else {}
    except StoreError as error:
        note(f"Whether open goals are still gone for is not known: {error.message}")
        return None
