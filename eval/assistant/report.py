"""The report on research: the assistant and the plain loop side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eval.assistant.cases import Case
from eval.assistant.outcome import Outcome
from eval.assistant.scoring import Verdict
from eval.judged import Judged
from eval.measured import Taken
from eval.side_by_side import SideBySide

TOOLS_SHARE = 0.7
FIRST_SHARE = 0.6
TOKENS_SHARE = 0.6
"""What the agent must reach: right calls, a right source first, and its prompt tokens of those of the loop.

Beside it: no invented link.
"""

JudgedCase = Judged[Case, Outcome, Verdict]
"""A question with what became of it."""

_LANGUAGES = {"en": "English", "de": "German"}


@dataclass(frozen=True, slots=True)
class _Rate:
    """How many of those that are asked for something have it."""

    held: int
    all: int

    @classmethod
    def of(cls, values: Iterable[bool | None]) -> _Rate:
        told = [value for value in values if value is not None]
        return cls(sum(told), len(told))

    @property
    def told(self) -> str:
        return f"{self.held} of {self.all} ({self.held / self.all:.0%})" if self.all else "-"

    @property
    def bare(self) -> str:
        return f"{self.held} of {self.all}" if self.all else "-"


@dataclass(frozen=True, slots=True)
class _Count:
    cases: int
    right: int
    chosen: _Rate
    asked: _Rate
    reached: _Rate
    cited: _Rate
    first: _Rate
    named: _Rate
    admitted: _Rate
    spoken: _Rate
    links: int
    entries: int
    figures: int
    took: Taken

    @classmethod
    def of(cls, judged: Iterable[JudgedCase]) -> _Count:
        judged = list(judged)
        verdicts = [each.verdict for each in judged]
        return cls(
            cases=len(judged),
            right=sum(v.right for v in verdicts),
            chosen=_Rate.of(v.chosen for v in verdicts),
            asked=_Rate.of(v.asked for v in verdicts),
            reached=_Rate.of(v.reached for v in verdicts),
            cited=_Rate.of(v.cited for v in verdicts),
            first=_Rate.of(v.first for v in verdicts),
            named=_Rate.of(v.named for v in verdicts),
            admitted=_Rate.of(v.admitted for v in verdicts),
            spoken=_Rate.of(v.spoken for v in verdicts),
            links=sum(len(v.links) for v in verdicts),
            entries=sum(len(v.entries) for v in verdicts),
            figures=sum(len(v.figures) for v in verdicts),
            took=Taken.by(each.outcome for each in judged),
        )


@dataclass(frozen=True, slots=True)
class AssistantFigures(SideBySide[JudgedCase, _Count]):
    """What a run came to: the questions in order, as the agent and as the loop answered them."""

    one = "question"
    none_failed = "The agent answered every question right."

    @staticmethod
    def counted(judged: Iterable[JudgedCase]) -> _Count:
        return _Count.of(judged)

    @property
    def missed_targets(self) -> list[str]:
        agent, loop = self.counted(self.agent), self.counted(self.loop)
        found = []
        for rate, least, told in (
            (agent.asked, TOOLS_SHARE, "the right tools were called with the right arguments"),
            (agent.first, FIRST_SHARE, "a right source is cited first"),
        ):
            if rate.held < least * rate.all:
                found.append(f"in {rate.told} of the questions {told}; {least:.0%} is wanted")
        if agent.links:
            found.append(f"{agent.links} links were invented; none may be")
        if agent.took.read > TOKENS_SHARE * loop.took.read:
            of_loop = f"{agent.took.read:,} to {loop.took.read:,}"
            found.append(f"prompt tokens beside the plain loop: {of_loop}; {TOKENS_SHARE:.0%} is wanted")
        return found

    def tables(self) -> list[str]:
        totals = self.totals(
            {
                "questions right": lambda c: f"{c.right} of {c.cases} ({c.right / c.cases:.0%})",
                "right tools called": lambda c: c.chosen.told,
                "with the right arguments": lambda c: c.asked.told,
                "a right source among the results": lambda c: c.reached.told,
                "all sources cited that must be": lambda c: c.cited.told,
                "a right source cited first": lambda c: c.first.told,
                "facts right": lambda c: c.named.told,
                "said that nothing was found, where nothing is": lambda c: c.admitted.told,
                "in the language of the question": lambda c: c.spoken.told,
                "invented links": lambda c: c.links,
                "invented log entries": lambda c: c.entries,
                "numbers made up where there is no answer": lambda c: c.figures,
            },
            ("prompt tokens, of those of the loop", self._share_of_tokens(), ""),
        )
        columns: dict[str, Callable[[_Count], object]] = {
            "right": lambda c: c.right,
            "calls right": lambda c: c.asked.bare,
            "source first": lambda c: c.first.bare,
            "invented": lambda c: c.links + c.entries,
            "tokens": lambda c: f"{c.took.read / c.cases:,.0f}",
        }
        return [
            totals,
            self.split("set", lambda each: each.case.set, columns),
            self.split("kind of question", lambda each: each.case.kind, columns),
            self.split("language", lambda each: _LANGUAGES[each.case.language], columns),
        ]

    def _share_of_tokens(self) -> str:
        agent, loop = (self.counted(judged).took.read for judged in (self.agent, self.loop))
        return f"{agent / loop:.0%}" if loop else ""
