"""What became of a question, as it was seen from outside: what was told, what code came to, and what was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from eval.measured import Measured

MOST_NUMBERS = 5_000
"""Different numbers of a result that are kept."""


@dataclass(frozen=True, slots=True)
class Outcome(Measured):
    """A question worked on, by the agent or by the loop. It holds no judgement: that is made anew from it each time.

    `text` is the answer in words, `result` what the code came to, as it is shown, and `numbers` all the numbers that
    the code found, shown or not. `attempts` counts the programs that were written, `succeeded` says whether one came
    to a result, and `failure` what was told of one that did not. `planned` says whether code was thought to be needed,
    `drawn` holds the traces of the pictures (see `pictures`), `over` whether it came to an end.
    """

    text: str = ""
    result: str = ""
    numbers: tuple[float, ...] = ()
    attempts: int = 0
    succeeded: bool = False
    failure: str = ""
    planned: bool = False
    drawn: tuple[Mapping[str, Any], ...] = ()
    over: bool = True

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, **{name: tuple(data[name]) for name in ("log", "numbers", "drawn")}})
