"""What became of a goal, as it was seen from outside: the changes of the graph, the journal, and what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from eval.graph_editor.graphs import State
from eval.measured import Measured
from graphwright.graphstore.elements import Change


@dataclass(frozen=True, slots=True)
class Outcome(Measured):
    """A goal worked on, by the agent or by the loop. It holds no judgement: that is made anew from it each time.

    `difference` is between the graph before and after, as changes in JSON. `writes` are all changes of the journal in
    their order, with whether the user had just said yes, or what to do, when asked (`confirmed`). `replies` are
    what the user was told, turn by turn, `asked` whether one of them waited for the user, `over` whether it came to an
    end.
    """

    difference: tuple[Mapping[str, Any], ...] = ()
    writes: tuple[Mapping[str, Any], ...] = ()
    replies: tuple[str, ...] = ()
    asked: bool = False
    over: bool = True

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        lists = {name: tuple(data[name]) for name in ("log", "difference", "writes", "replies")}
        return cls(**{**data, **lists})

    def graph(self, before: State) -> State:
        """The graph afterwards."""
        after = dict(before)
        for each in map(Change.from_json, self.difference):
            if each.after is None:
                del after[each.element.identity]
            else:
                after[each.element.identity] = each.after
        return after

    def changes(self) -> list[tuple[Change, bool]]:
        """Every change that was ever made, and whether it was confirmed."""
        return [(Change.from_json(each["change"]), each["confirmed"]) for each in self.writes]
