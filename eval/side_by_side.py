"""What a run came to that gave each case to an agent and to a plain loop beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eval.evaluation import Figures
from eval.judged import Judged

J = TypeVar("J", bound=Judged[Any, Any, Any])


@dataclass(frozen=True, slots=True)
class SideBySide(Figures, Generic[J]):
    """The cases in order, as the agent and as the loop did them."""

    model: str
    agent: Sequence[J]
    loop: Sequence[J]

    @property
    def right(self) -> bool:
        return all(each.verdict.right for each in self.agent)

    def logs(self) -> list[tuple[str, Sequence[str]]]:
        return [
            (f"{each.case.id}, {who}: {each.told(always=True)}", each.outcome.log)
            for pair in zip(self.agent, self.loop, strict=True)
            for who, each in zip(("the agent", "the plain loop"), pair, strict=True)
        ]
