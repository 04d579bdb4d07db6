"""Which rows of a table too long to be held are taken: as many as may be, evenly spaced over all of it."""

from __future__ import annotations

from typing import Any

import numpy as np


class Even:
    """Takes `held` of `there` rows as they come by. `there` may be more than really come: fewer are taken then."""

    def __init__(self, there: int, held: int) -> None:
        self._there = max(there, 1)
        self._held = min(held, self._there)
        self._seen = 0
        self._taken = 0

    @property
    def all(self) -> bool:
        return self._held == self._there

    @property
    def seen(self) -> int:
        """Rows that came by."""
        return self._seen

    def next(self, rows: int) -> Any:
        """Which of the next rows are taken, as an array of their places among these; None for all of them.

        A table that turns out longer than was said is cut: no more than twice what may be held is ever taken.
        """
        start, self._seen = self._seen, self._seen + rows
        if self.all and self._seen <= self._there:
            self._taken += rows
            return None
        places = np.arange(start, start + rows, dtype=np.int64)
        taken = np.nonzero((places + 1) * self._held // self._there > places * self._held // self._there)[0]
        taken = taken[: max(2 * self._held - self._taken, 0)]
        self._taken += len(taken)
        return taken
