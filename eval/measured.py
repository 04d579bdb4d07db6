"""The measurements of a case: turns, model calls, tokens, time and the conversation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from graphwright import Turn
    from graphwright.models import Usage

Count: TypeAlias = int | float | bool | str
"""A figure of a case: a number, a flag, or the name of a group."""


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
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**fields)

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

    def with_usage(self, usage: Usage, seconds: float) -> Self:
        """With the usage of a plain loop."""
        return replace(
            self.stamped(),
            model_calls=usage.model_calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=seconds,
        )
