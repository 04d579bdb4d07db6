"""The time that is excluded from the cost of a turn: that of the scripted model, and that of named calls."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pydantic import PrivateAttr

from bench.measure import Result
from graphwright import Session, Turn
from graphwright.models._scripted import ScriptedModel

Moment = tuple[float, float]
"""Seconds of the wall clock and of the processor."""


class Timed(ScriptedModel):
    """The scripted model, which records the begin and end of each call, or of each piece if it streams."""

    _noted: list[tuple[Moment, Moment]] = PrivateAttr(default_factory=list)

    @classmethod
    def over(cls, rules: Sequence[Mapping[str, Any]] = ()) -> Timed:
        """A model over these rules."""
        made = cls.from_rules(rules)
        assert isinstance(made, Timed)
        return made

    @property
    def noted(self) -> list[tuple[Moment, Moment]]:
        return self._noted

    async def _agenerate(self, *given: Any, **named: Any) -> Any:
        asked = now()
        try:
            return await super()._agenerate(*given, **named)
        finally:
            self._noted.append((asked, now()))

    async def _astream(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        pieces = super()._astream(*given, **named)
        while True:
            asked = now()
            piece = await anext(pieces, None)
            self._noted.append((asked, now()))
            if piece is None:
                return
            yield piece


class Watch:
    """Measures a turn without the times recorded by `Timed` and `left_out`."""

    def __init__(self, model: Timed, spent: list[float] | None = None) -> None:
        self._model = model
        self._spent = [0.0, 0.0] if spent is None else spent

    async def send(self, session: Session, text: str, files: Sequence[Path] = ()) -> tuple[Turn, Moment]:
        """The turn of a message, which must not fail, and its time."""
        self._model.noted.clear()
        self._spent[:] = [0.0, 0.0]
        began = now()
        turn = await session.send(text, files)
        wall, cpu = less(now(), began)
        assert turn.error is None, turn.error
        model = [less(end, begin) for begin, end in self._model.noted]
        wall -= self._spent[0] + sum(m[0] for m in model)
        return turn, (wall, cpu - self._spent[1] - sum(m[1] for m in model))


@contextmanager
def left_out(*calls: tuple[Any, str]) -> Iterator[list[float]]:
    """Add up the wall and processor time of these asynchronous functions, by owner and name, inside.

    They must not run at the same time as each other.
    """
    spent = [0.0, 0.0]

    def timed(function: Any) -> Any:
        async def call(*given: Any, **named: Any) -> Any:
            began = now()
            try:
                return await function(*given, **named)
            finally:
                wall, cpu = less(now(), began)
                spent[0] += wall
                spent[1] += cpu

        return call

    patches = [patch.object(owner, name, timed(getattr(owner, name))) for owner, name in calls]
    for each in patches:
        each.start()
    try:
        yield spent
    finally:
        for each in patches:
            each.stop()


def note(moment: Moment, *results: Result) -> None:
    """Add a sample to each result."""
    for result in results:
        result.wall.append(moment[0])
        result.cpu.append(moment[1])


def now() -> Moment:
    return time.perf_counter(), time.process_time()


def less(one: Moment, other: Moment) -> Moment:
    return one[0] - other[0], one[1] - other[1]
