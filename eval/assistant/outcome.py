"""What became of a question, as it was seen from outside: the answer, the calls of tools, and what these gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from eval.assistant.cases import Key
from eval.measured import Measured


@dataclass(frozen=True, slots=True)
class Outcome(Measured):
    """A question worked on, by the agent or by the loop. It holds no judgement: that is made anew from it each time.

    `text` is the answer as the user sees it. `calls` are the tools that were called, each `{tool, arguments, ok}`.
    `found` are the sources that these gave, in the order in which they came. `addresses`, `entries` (log entries) and
    `numbers` are those that stand anywhere in what there was to know: results, files, and what was said. `over` says
    whether it came to an end, `failure` why there is no usable answer.
    """

    text: str = ""
    calls: tuple[Mapping[str, Any], ...] = ()
    found: tuple[Key, ...] = ()
    addresses: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()
    numbers: tuple[str, ...] = ()
    over: bool = True
    failure: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        lists = ("log", "calls", "found", "addresses", "entries", "numbers")
        return cls(**{**data, **{name: tuple(data[name]) for name in lists}})
