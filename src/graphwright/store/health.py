"""The health of the store: whether it is damaged, and its contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graphwright.config import chosen_store


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a store. `label` names the database, `size` is in bytes, `threads` counts threads by status.

    `served` and `cut_short` are the threads in the middle of a turn: with a process that runs it, or without one.
    `damage` lists what the database reports, empty for a sound one.
    """

    label: str
    size: int
    version: int
    threads: Mapping[str, int]
    served: tuple[str, ...]
    cut_short: tuple[str, ...]
    damage: tuple[str, ...]


def examine(home: Path) -> Health | None:
    """Check the store of a data folder; None if it does not exist yet. A SQLite file is not changed.

    A SQLite file is read completely, which takes a second for several hundred megabytes. Raises `StoreError` if the
    store cannot be opened or belongs to another program.
    """
    if address := chosen_store():
        from graphwright.store.postgres import health as postgres
        from graphwright.store.postgres.address import parsed

        return Health(*postgres.examined(parsed(address), home))
    from graphwright.store.sqlite import health as sqlite

    found = sqlite.examined(home)
    return None if found is None else Health(*found)
