"""Looking a store over: is it whole, and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graphwright.config import chosen_store


@dataclass(frozen=True, slots=True)
class Health:
    """What was found. `label` names the database, `size` is in bytes, `threads` how many there are by their status.

    `served` and `cut_short` are the threads in the middle of a turn: a process is at it, or none is any more. `damage`
    is what the database complains about, empty for a sound one.
    """

    label: str
    size: int
    version: int
    threads: Mapping[str, int]
    served: tuple[str, ...]
    cut_short: tuple[str, ...]
    damage: tuple[str, ...]


def examine(home: Path) -> Health | None:
    """Look over the store of a data folder; None where there is none yet. In SQLite nothing is changed.

    A SQLite file is read whole, which takes a second for some hundred megabytes. Raises `StoreError` for what cannot
    be opened or is none of ours.
    """
    if address := chosen_store():
        from graphwright.store.postgres import health as postgres
        from graphwright.store.postgres.address import parsed

        return Health(*postgres.examined(parsed(address), home))
    from graphwright.store.sqlite import health as sqlite

    found = sqlite.examined(home)
    return None if found is None else Health(*found)
