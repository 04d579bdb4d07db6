"""What is known of a graph at one version: its schema and the values of properties, carried on to the next version."""

from __future__ import annotations

import threading
from typing import Any

from graphwright.graphstore.elements import Schema
from graphwright.graphstore.embedded import journal, survey
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.counts import Counts
from graphwright.graphstore.embedded.leaders import KEPT, Leaders

MOST_FOLLOWED = 200
"""Versions after which counting anew is no dearer than reading what was changed."""

MOST_PROPERTIES = 200
"""Properties whose values are kept."""


class Summary:
    """Counted when it is first asked for; then it follows the journal, whoever wrote it. For several threads.

    In a large graph counting takes a good part of a second.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = -1
        self._counts: Counts | None = None
        self._schema: Schema | None = None
        self._leaders: dict[tuple[str, str], Leaders] = {}

    def schema(self, reader: Connection) -> Schema:
        """The schema at the moment of the reader."""
        with self._lock:
            self._come_to(reader)
            if self._counts is None:
                self._counts = survey.counts(reader)
            if self._schema is None:
                self._schema = self._counts.schema()
            return self._schema

    def values(self, reader: Connection, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
        """The values of a property on the nodes of a label with their counts, most frequent first."""
        if most > KEPT:
            return survey.values(reader, label, name, most)
        with self._lock:
            self._come_to(reader)
            known = self._leaders.pop((label, name), None)
            found = known.first(most) if known is not None else None
            if known is None or found is None:
                known = Leaders(reader, label, name)
                found = known.first(most)
            if known.sound:
                # The last one used is the last one to go.
                self._leaders[label, name] = known
                if len(self._leaders) > MOST_PROPERTIES:
                    del self._leaders[next(iter(self._leaders))]
            assert found is not None
            return found

    def _come_to(self, reader: Connection) -> None:
        version = journal.version(reader)
        if version == self._version:
            return
        try:
            followed = self._followed(reader, version)
        except BaseException:
            self._forget()
            raise
        if not followed:
            self._forget()
        self._version, self._schema = version, None

    def _followed(self, reader: Connection, version: int) -> bool:
        """Follow the journal from the known version to this one, if it tells of every step between."""
        if not 0 <= self._version < version <= self._version + MOST_FOLLOWED:
            return False
        steps = [step for _, step in journal.steps_after(reader, self._version) if step.changes]
        if [step.version for step in steps] != list(range(self._version + 1, version + 1)):
            # An import has no steps.
            return False
        changes = [change for step in steps for change in step.changes]
        if self._counts is not None:
            self._counts.follow(changes)
        for leaders in self._leaders.values():
            leaders.follow(reader, changes)
        self._leaders = {place: leaders for place, leaders in self._leaders.items() if leaders.sound}
        return True

    def _forget(self) -> None:
        self._version, self._counts, self._schema, self._leaders = -1, None, None, {}
