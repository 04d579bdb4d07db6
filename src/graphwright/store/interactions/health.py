"""Looking the interaction log over: is it there, how much is in it, and what was lost. Nothing is changed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from graphwright.config import chosen_interactions
from graphwright.store.errors import StoreError
from graphwright.store.interactions.address import parsed
from graphwright.store.interactions.counts import Counts, read_counts
from graphwright.store.interactions.opening import open_written
from graphwright.store.interactions.writer import UNUSABLE


@dataclass(frozen=True, slots=True)
class Health:
    """What was found: how many `interactions` there are, None where there is no log yet, and what became of them all.

    `trouble` says why the log cannot be used, None where it can.
    """

    label: str
    interactions: int | None
    counts: Counts
    trouble: StoreError | None = None


def examine(home: Path) -> Health | None:
    """Look over the log that is configured for a data folder; None where it is switched off. Raises ConfigError."""
    text, base = chosen_interactions()
    label = UNUSABLE
    try:
        address = parsed(text, home, base)
        if address is None:
            return None
        label = address.label
        with closing(open_written(address, home)) as log:
            return Health(label, log.count(), read_counts(home, label))
    except StoreError as error:
        return Health(label, None, read_counts(home, label), error)
