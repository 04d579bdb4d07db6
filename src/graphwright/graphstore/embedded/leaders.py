"""The most frequent values of a property: counted once, and carried along with the changes of the journal."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable
from typing import Any

from graphwright.graphstore.elements import KEY, Change, Element, Node, Value
from graphwright.graphstore.embedded import survey
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.rows import KINDS, cell_of

KEPT = 1000
"""Values of one kind that are kept after counting; up to twice as many come to be."""

LONGEST = 1000
"""Characters of a text that is kept."""

_Place = tuple[int, Any]
"""A value by its rank: the more frequent first, then the smaller. The count is negative."""


class Leaders:
    """The values of a property on the nodes of a label, as the tables hold them, kind by kind.

    What is kept of a kind are all values up to some rank, so that they are exact however many there are.
    """

    def __init__(self, connection: Connection, label: str, name: str) -> None:
        self._label, self._name = label, name
        self._kinds = {kind: _Kind(connection, label, name, kind) for kind in KINDS}
        self._told: dict[int, tuple[tuple[Any, int], ...]] = {}

    @property
    def sound(self) -> bool:
        """Whether all values are short enough to be kept."""
        return all(kind.sound for kind in self._kinds.values())

    def follow(self, connection: Connection, changes: Iterable[Change]) -> None:
        """Count what was changed since. The connection stands behind these changes."""
        moved: dict[str, Counter[Any]] = {}
        for change in changes:
            for element, times in ((change.before, -1), (change.after, 1)):
                value = self._of(element)
                if value is not None:
                    kind, cell = cell_of(value)
                    moved.setdefault(kind, Counter())[cell] += times
        for kind, cells in moved.items():
            self._kinds[kind].follow(connection, cells)
            self._told = {}

    def _of(self, element: Element | None) -> Value | None:
        if not isinstance(element, Node) or element.label != self._label:
            return None
        return element.key if self._name == KEY else element.properties.get(self._name)

    def first(self, most: int) -> tuple[tuple[Any, int], ...] | None:
        """The first so many values with their counts, most frequent first; None where too few are kept."""
        if most not in self._told:
            found = {kind: each.first(most) for kind, each in self._kinds.items()}
            if any(places is None for places in found.values()):
                return None
            counted = [(kind, value, -count) for kind, places in found.items() for count, value in places or ()]
            self._told[most] = survey.ranked(counted, most)
        return self._told[most]


class _Kind:
    def __init__(self, connection: Connection, label: str, name: str, kind: str) -> None:
        self._of = label, name, kind
        counted = survey.frequent(connection, *self._of, KEPT + 1)
        self._counts = dict(counted)
        self._order: list[_Place] = [(-count, value) for value, count in counted]
        # Behind this rank nothing is known; None where there is nothing behind.
        self._last: _Place | None = None
        self.sound = all(map(_short, self._counts))
        if len(counted) > KEPT:
            self._cut()

    def first(self, most: int) -> list[_Place] | None:
        return None if self._last is not None and len(self._order) < most else self._order[:most]

    def follow(self, connection: Connection, moved: Counter[Any]) -> None:
        for value, times in moved.items():
            if not times:
                continue
            known = self._counts.pop(value, None)
            if known is not None:
                del self._order[bisect_left(self._order, (-known, value))]
                count = known + times
            elif self._last is None:
                count = times
            else:
                count = survey.frequency(connection, *self._of, value)
            place = -count, value
            if count > 0 and (self._last is None or place <= self._last):
                self._counts[value] = count
                insort(self._order, place)
                self.sound = self.sound and _short(value)
        if len(self._order) > 2 * KEPT:
            self._cut()

    def _cut(self) -> None:
        for _, value in self._order[KEPT:]:
            del self._counts[value]
        del self._order[KEPT:]
        self._last = self._order[-1]


def _short(value: Any) -> bool:
    return not isinstance(value, str) or len(value) <= LONGEST
