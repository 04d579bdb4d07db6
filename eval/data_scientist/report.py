"""The report on answers over data: the agent and the plain loop side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eval.data_scientist.cases import Case
from eval.data_scientist.outcome import Outcome
from eval.data_scientist.scoring import Verdict
from eval.judged import Judged
from eval.measured import Taken
from eval.page import heading, share, table
from eval.side_by_side import SideBySide

RIGHT_SHARE = 0.8
"""What the agent must reach, of all questions. Beside it: all that is impossible recognised, and no number made up."""


JudgedCase = Judged[Case, Outcome, Verdict]
"""A question with what became of it."""


@dataclass(frozen=True, slots=True)
class DataFigures(SideBySide[JudgedCase]):
    """What a run came to: the questions in order, as the agent and as the loop answered them."""

    @property
    def missed_targets(self) -> list[str]:
        found = []
        count = _Count.of(self.agent)
        if count.right < RIGHT_SHARE * count.cases:
            found.append(f"{share(count.right, count.cases)} of the questions are right; {RIGHT_SHARE:.0%} is wanted")
        if count.recognised < count.impossible:
            found.append(f"{count.recognised} of {count.impossible} impossible questions were recognised; all must be")
        if count.made_up:
            found.append(f"{count.made_up} questions were answered with a number that is made up; none may be")
        return found

    def markdown(self) -> str:
        if not self.agent:
            return heading(self.model, [])
        parts = [heading(self.model, [each.outcome for each in (*self.agent, *self.loop)]), self._totals()]
        parts += [
            self._split("set", lambda case: case.set),
            self._split("kind of question", lambda case: case.kind),
            "\n".join(self.failures("question")) or "The agent answered every question right.",
        ]
        return "\n\n".join(parts)

    def _totals(self) -> str:
        agent, loop = _Count.of(self.agent), _Count.of(self.loop)

        def row(name: str, cell: Callable[[_Count], str]) -> tuple[str, str, str]:
            return name, cell(agent), cell(loop)

        rows = [
            row("questions right", lambda c: f"{c.right} of {c.cases} ({c.right / c.cases:.0%})"),
            row("of those with an answer", lambda c: f"{c.right - c.recognised} of {c.cases - c.impossible}"),
            row("impossible ones recognised", lambda c: f"{c.recognised} of {c.impossible}"),
            row("answered with a number made up", lambda c: str(c.made_up)),
            *self.costs("question"),
        ]
        return table(("", "the agent", "the plain loop"), rows)

    def _split(self, title: str, by: Callable[[Case], str]) -> str:
        rows: list[tuple[object, ...]] = []
        for name in dict.fromkeys(by(each.case) for each in self.agent):
            agent, loop = (_Count.of(e for e in judged if by(e.case) == name) for judged in (self.agent, self.loop))
            rows.append((name, agent.cases, *_cells(agent), *_cells(loop)))
        return table((title, "questions", *_heads("agent"), *_heads("loop")), rows)


def _heads(who: str) -> tuple[str, ...]:
    return tuple(f"{who} {name}" for name in ("right", "made up", "calls", "tokens", "s"))


def _cells(count: _Count) -> tuple[object, ...]:
    """What is right and made up, and model calls, prompt tokens and seconds of one question."""
    took, cases = count.took, count.cases
    each = f"{took.calls / cases:.1f}", f"{took.read / cases:,.0f}", f"{took.seconds / cases:.0f}"
    return count.right, count.made_up, *each


@dataclass(frozen=True, slots=True)
class _Count:
    cases: int
    right: int
    impossible: int
    recognised: int
    made_up: int
    took: Taken

    @classmethod
    def of(cls, judged: Iterable[JudgedCase]) -> _Count:
        judged = list(judged)
        verdicts = [each.verdict for each in judged]
        return cls(
            cases=len(judged),
            right=sum(v.right for v in verdicts),
            impossible=sum(each.case.impossible for each in judged),
            recognised=sum(bool(v.recognised) for v in verdicts),
            made_up=sum(bool(v.made_up) for v in verdicts),
            took=Taken.by(each.outcome for each in judged),
        )
