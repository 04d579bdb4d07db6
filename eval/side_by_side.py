"""What a run came to that gave each case to an agent and to a plain loop beside it, and its report as Markdown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from eval.evaluation import Figures
from eval.judged import Judged
from eval.measured import Taken
from eval.page import heading, table

J = TypeVar("J", bound=Judged[Any, Any, Any])
N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class SideBySide(Figures, Generic[J, N]):
    """The cases in order, as the agent and as the loop did them; `N` is what a report counts of several."""

    one: ClassVar[str]
    """What one case is called: `question`."""

    none_failed: ClassVar[str]
    """What is said where the agent got every case right."""

    model: str
    agent: Sequence[J]
    loop: Sequence[J]

    @staticmethod
    @abstractmethod
    def counted(judged: Iterable[J]) -> N:
        """What the report counts of these cases, of which there is at least one."""

    @abstractmethod
    def tables(self) -> list[str]:
        """The tables of the report, where there is at least one case."""

    @property
    def right(self) -> bool:
        return all(each.verdict.right for each in self.agent)

    def logs(self) -> list[tuple[str, Sequence[str]]]:
        return [
            (f"{each.case.id}, {who}: {each.told(always=True)}", each.outcome.log)
            for pair in zip(self.agent, self.loop, strict=True)
            for who, each in zip(("the agent", "the plain loop"), pair, strict=True)
        ]

    def markdown(self) -> str:
        head = heading(self.model, [each.outcome for each in (*self.agent, *self.loop)])
        if not self.agent:
            return head
        return "\n\n".join([head, *self.tables(), "\n".join(self._failures()) or self.none_failed])

    def totals(self, rows: Mapping[str, Callable[[N], object]], *more: tuple[str, str, str]) -> str:
        """A table of what all cases come to: `rows` by name, what they cost, and `more`."""
        agent, loop = self.counted(self.agent), self.counted(self.loop)
        told = [(name, str(cell(agent)), str(cell(loop))) for name, cell in rows.items()]
        return table(("", "the agent", "the plain loop"), [*told, *self._costs(), *more])

    def split(self, title: str, by: Callable[[J], str], columns: Mapping[str, Callable[[N], object]]) -> str:
        """A table with a row for each value of `by`; `columns` by name, once for the agent and once for the loop."""
        rows: list[tuple[object, ...]] = []
        for name in dict.fromkeys(map(by, self.agent)):
            both = [[each for each in judged if by(each) == name] for judged in (self.agent, self.loop)]
            cells = [cell(count) for count in map(self.counted, both) for cell in columns.values()]
            rows.append((name, len(both[0]), *cells))
        heads = [f"{who} {column}" for who in ("agent", "loop") for column in columns]
        return table((title, f"{self.one}s", *heads), rows)

    def _costs(self) -> list[tuple[str, str, str]]:
        """Rows of a table: what the agent and the loop took in all, and for a case."""
        both = [Taken.by(each.outcome for each in judged) for judged in (self.agent, self.loop)]
        cases, one = len(self.agent), self.one
        rows = {
            "model calls": [f"{took.calls:,}, {took.calls / cases:.1f} a {one}" for took in both],
            "prompt tokens": [f"{took.read:,}, {took.read / cases:,.0f} a {one}" for took in both],
            "tokens written": [f"{took.written:,}, {took.written / cases:,.0f} a {one}" for took in both],
            "seconds": [f"{took.seconds:,.0f}, {took.seconds / cases:.0f} a {one}" for took in both],
        }
        return [(name, agent, loop) for name, (agent, loop) in rows.items()]

    def _failures(self) -> list[str]:
        """A line for each case that the agent did not get right, under a line that says so; empty where there is none.

        Of a test case it says only which.
        """
        failed = [each for each in self.agent if not each.verdict.right]
        lines = [f"- `{e.case.id}` “{e.case.text.strip()}”: {e.told(always=False)}" for e in failed]
        return [f"Not right, by the agent (of the test {self.one}s only which):", "", *lines] if lines else []
