"""The measurements of a case: turns, model calls, tokens, time and the conversation; and the sums of several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from graphwright import Turn


@dataclass(frozen=True, slots=True)
class Measured:
    """The usage of a case. Every evaluation adds further fields.

    `load` is the number of runnable processes on the machine during the case, `day` the date (ISO 8601).
    """

    id: str
    turns: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    load: float = 0.0
    day: str = ""
    error: str = ""
    log: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 2)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "log": tuple(data["log"])})

    def with_turn(self, turn: Turn, said: str) -> Self:
        """Add a turn and its message."""
        return replace(
            self.stamped(),
            turns=self.turns + 1,
            model_calls=self.model_calls + turn.usage.model_calls,
            input_tokens=self.input_tokens + turn.usage.input_tokens,
            output_tokens=self.output_tokens + turn.usage.output_tokens,
            seconds=self.seconds + turn.usage.seconds,
            error=f"{turn.error.code}: {turn.error.message}" if turn.error else "",
            log=(*self.log, f"user: {said}", f"agent: {turn.reply}"),
        )

    def stamped(self) -> Self:
        """With the present load and date."""
        load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0
        return replace(self, load=load, day=f"{datetime.now(UTC):%Y-%m-%d}")


@dataclass(frozen=True, slots=True)
class Taken:
    """The total usage of several cases: turns, model calls, tokens read and written, seconds."""

    turns: int
    calls: int
    read: int
    written: int
    seconds: float

    @classmethod
    def by(cls, results: Iterable[Measured]) -> Self:
        """The sums over the results, one for each case."""
        results = list(results)
        return cls(
            turns=sum(r.turns for r in results),
            calls=sum(r.model_calls for r in results),
            read=sum(r.input_tokens for r in results),
            written=sum(r.output_tokens for r in results),
            seconds=sum(r.seconds for r in results),
        )
