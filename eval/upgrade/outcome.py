"""What became of a case, as it was seen from outside: the state of the server, every write, and what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from eval.measured import Measured
from eval.upgrade.served import Write
from eval.upgrade.states import State


@dataclass(frozen=True, slots=True)
class Outcome(Measured):
    """A case worked on. It holds no judgement: that is made anew from it each time.

    `after` is the whole state at the end, `writes` are all calls of the agent that write, in their order. `replies` are
    what the user was told, turn by turn, `proposals` those that asked for a confirmation; `asked` says whether any
    waited for the user, `over` whether it came to an end.
    """

    after: State = field(default_factory=dict)
    writes: tuple[Write, ...] = ()
    replies: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    asked: bool = False
    over: bool = True

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        lists = {name: tuple(data[name]) for name in ("log", "replies", "proposals")}
        return cls(**{**data, **lists, "writes": tuple(Write(**each) for each in data["writes"])})
