"""What an interaction log must be able to do, and what is asked of it.

InteractionLogError     codes: `bad_log`, `log_driver_missing`, `log_unreachable`, `log_refused`, `log_off`,
                        `log_unwritable`, and those of the store for a SQLite file
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graphwright.store.errors import StoreError
from graphwright.store.interactions.interaction import Interaction


class InteractionLogError(StoreError):
    """The interaction log cannot be reached, read or written, or its address is none."""


def no_folder(path: Path) -> InteractionLogError:
    """The error where the folder of a log that is a file is not there."""
    return InteractionLogError(
        "log_unwritable",
        f"The folder of the interaction log {path} does not exist.",
        f"Make it: mkdir -p {shlex.quote(str(path.parent))}",
    )


@dataclass(frozen=True, slots=True)
class Query:
    """Which interactions are asked for: all conditions hold. `since` is ISO 8601 in UTC; empty conditions are none.

    Each of the `words` must occur in the question, code, result, reply or error, upper or lower case.
    """

    session: str = ""
    agent: str = ""
    failed: bool = False
    since: str = ""
    words: tuple[str, ...] = ()
    limit: int = 20

    def takes(self, one: Interaction) -> bool:
        """Whether an interaction meets the conditions."""
        if (self.session and one.session != self.session) or (self.agent and one.agent != self.agent):
            return False
        if (self.failed and one.success) or (self.since and one.started < self.since):
            return False
        texts = [text.lower() for text in (one.question, one.code, one.result, one.reply, one.error)]
        return all(any(word.lower() in text for text in texts) for word in self.words)


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """The interactions of one session with one agent: how many, how many failed, and when the first and last began."""

    session: str
    agent: str
    interactions: int
    failed: int
    first: str
    last: str


class InteractionSink(Protocol):
    """An interaction log. Its methods block, and raise StoreError; one thread uses it at a time."""

    @property
    def label(self) -> str:
        """What names it to people, without secrets."""
        ...

    def write(self, batch: Sequence[Interaction]) -> None:
        """Keep interactions, all or none. One whose id is there already takes its place."""
        ...

    def find(self, query: Query) -> list[Interaction]:
        """The interactions that are asked for, the latest first. A log that is not there yet has none."""
        ...

    def sessions(self) -> list[SessionSummary]:
        """All sessions, the one with the latest interaction first."""
        ...

    def count(self, before: str = "") -> int | None:
        """How many interactions there are, or how many began before a time; None where there is no log yet."""
        ...

    def purge(self, before: str) -> int:
        """Remove what began before a time; how many that were."""
        ...

    def close(self) -> None: ...
