"""What a run came to that gave each case to an agent and to a plain loop beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eval.evaluation import Figures
from eval.judged import Judged
from eval.measured import Taken

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

    def costs(self, one: str) -> list[tuple[str, str, str]]:
        """Rows of a table: what the agent and the loop took in all, and for a case, which is called `one`."""
        both = [Taken.by(each.outcome for each in judged) for judged in (self.agent, self.loop)]
        cases = len(self.agent)
        rows = {
            "model calls": [f"{took.calls:,}, {took.calls / cases:.1f} a {one}" for took in both],
            "prompt tokens": [f"{took.read:,}, {took.read / cases:,.0f} a {one}" for took in both],
            "tokens written": [f"{took.written:,}, {took.written / cases:,.0f} a {one}" for took in both],
            "seconds": [f"{took.seconds:,.0f}, {took.seconds / cases:.0f} a {one}" for took in both],
        }
        return [(name, agent, loop) for name, (agent, loop) in rows.items()]

    def failures(self, one: str) -> list[str]:
        """A line for each case that the agent did not get right, under a line that says so; empty where there is none.

        Of a test case it says only which.
        """
        failed = [each for each in self.agent if not each.verdict.right]
        lines = [f"- `{e.case.id}` “{e.case.text.strip()}”: {e.told(always=False)}" for e in failed]
        return [f"Not right, by the agent (of the test {one}s only which):", "", *lines] if lines else []
