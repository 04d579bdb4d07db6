"""The report on answers over data: the agent and the plain loop side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eval.data_scientist.cases import Case
from eval.data_scientist.outcome import Outcome
from eval.data_scientist.scoring import Verdict
from eval.judged import Judged
from eval.measured import Taken
from eval.page import share
from eval.side_by_side import SideBySide

RIGHT_SHARE = 0.8
"""What the agent must reach, of all questions. Beside it: all that is impossible recognised, and no number made up."""


JudgedCase = Judged[Case, Outcome, Verdict]
"""A question with what became of it."""


@dataclass(frozen=True, slots=True)
class _Count:
    cases: int
    right: int
    impossible: int
    recognised: int
    made_up: int
    uncomputed: int
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
            uncomputed=sum(v.uncomputed for v in verdicts),
            took=Taken.by(each.outcome for each in judged),
        )


@dataclass(frozen=True, slots=True)
class DataFigures(SideBySide[JudgedCase, _Count]):
    """What a run came to: the questions in order, as the agent and as the loop answered them."""

    one = "question"
    none_failed = "The agent answered every question right."

    @staticmethod
    def counted(judged: Iterable[JudgedCase]) -> _Count:
        return _Count.of(judged)

    @property
    def missed_targets(self) -> list[str]:
        found = []
        count = self.counted(self.agent)
        if count.right < RIGHT_SHARE * count.cases:
            found.append(f"{share(count.right, count.cases)} of the questions are right; {RIGHT_SHARE:.0%} is wanted")
        if count.recognised < count.impossible:
            found.append(f"{count.recognised} of {count.impossible} impossible questions were recognised; all must be")
        if count.made_up:
            found.append(f"{count.made_up} questions were answered with a number that is made up; none may be")
        return found

    def tables(self) -> list[str]:
        totals = self.totals(
            {
                "questions right": lambda c: f"{c.right} of {c.cases} ({c.right / c.cases:.0%})",
                "of those with an answer": lambda c: f"{c.right - c.recognised} of {c.cases - c.impossible}",
                "impossible ones recognised": lambda c: f"{c.recognised} of {c.impossible}",
                "answered with a number made up": lambda c: c.made_up,
                "the right words, but no code came to them": lambda c: c.uncomputed,
            }
        )
        columns: dict[str, Callable[[_Count], object]] = {
            "right": lambda c: c.right,
            "made up": lambda c: c.made_up,
            "calls": lambda c: f"{c.took.calls / c.cases:.1f}",
            "tokens": lambda c: f"{c.took.read / c.cases:,.0f}",
            "s": lambda c: f"{c.took.seconds / c.cases:.0f}",
        }
        return [
            totals,
            self.split("set", lambda each: each.case.set, columns),
            self.split("kind of question", lambda each: each.case.kind, columns),
        ]
