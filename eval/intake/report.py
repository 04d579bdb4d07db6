"""The report on reading: the results of a run, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval.evaluation import Figures
from eval.intake.cases import Conversation, Utterance
from eval.intake.running import Result
from eval.measured import Taken
from eval.page import heading, share, table

EXACT_SHARE, RIGHT_SHARE = 0.85, 0.7
"""The targets: the proportion of exact values, and of right conversations. In addition, no value may be invented."""


@dataclass(frozen=True, slots=True)
class ReadingFigures(Figures):
    """The results of a run: the cases with their results, in order."""

    model: str
    utterances: Sequence[tuple[Utterance, Result]]
    conversations: Sequence[tuple[Conversation, Result]]

    @property
    def results(self) -> list[Result]:
        """The results of all cases."""
        return [result for _, result in self.utterances] + [result for _, result in self.conversations]

    @property
    def right(self) -> bool:
        return all(result.right for result in self.results)

    @property
    def missed_targets(self) -> list[str]:
        found = []
        row = _Row.of("all", [r for _, r in self.utterances])
        if row.expected and row.exact < EXACT_SHARE * row.expected:
            found.append(f"{share(row.exact, row.expected)} of the values are exact; {EXACT_SHARE:.0%} is wanted")
        if row.invented:
            found.append(f"{row.invented} values were invented; none may be")
        right = sum(r.right for _, r in self.conversations)
        if right < RIGHT_SHARE * len(self.conversations):
            found.append(f"{right} of {len(self.conversations)} conversations ended right; {RIGHT_SHARE:.0%} is wanted")
        return found

    def logs(self) -> list[tuple[str, Sequence[str]]]:
        return [(result.id, result.log) for result in self.results]

    def markdown(self) -> str:
        parts = [self._head()]
        if self.utterances:
            parts += [self._sets(), self._categories(), self._failures()]
        if self.conversations:
            parts.append(self._talks())
        return "\n\n".join(parts)

    def _head(self) -> str:
        took = Taken.by(self.results)
        each = f", {took.seconds / took.calls:.1f} s a call" if took.calls else ""
        return (
            f"{heading(self.model, self.results)}\n"
            f"{took.calls} model calls, {took.read:,} tokens read, {took.written:,} written, "
            f"{took.seconds:,.0f} s{each}."
        )

    def _sets(self) -> str:
        rows = [
            _Row.of(name, [r for u, r in self.utterances if u.set in sets])
            for name, sets in (("tuning", ("tuning",)), ("test", ("test",)), ("both", ("tuning", "test")))
        ]
        return "#### Values\n\n" + _table("set", rows)

    def _categories(self) -> str:
        names = dict.fromkeys(u.category for u, _ in self.utterances)
        return _table(
            "kind of message", [_Row.of(n, [r for u, r in self.utterances if u.category == n]) for n in names]
        )

    def _failures(self) -> str:
        lines = [f"- `{u.id}` “{u.message}”: {r.reason}" for u, r in self.utterances if not r.right]
        return "\n".join(["Not right:", "", *lines]) if lines else "Every message was read right."

    def _talks(self) -> str:
        right = sum(r.right for _, r in self.conversations)
        rows = [
            (f"{c.id}: {c.about}", r.turns, r.model_calls, f"{r.seconds:.0f}", r.reason or "right")
            for c, r in self.conversations
        ]
        title = f"#### Conversations\n\n{right} of {len(self.conversations)} ended right."
        return f"{title}\n\n" + table(("conversation", "turns", "model calls", "seconds", "end"), rows)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    cases: int
    right: int
    expected: int
    exact: int
    missed: int
    wrong: int
    invented: int

    @classmethod
    def of(cls, name: str, results: Iterable[Result]) -> _Row:
        results = list(results)
        scores = [r.score for r in results]
        return cls(
            name,
            cases=len(results),
            right=sum(r.right for r in results),
            expected=sum(s.expected for s in scores),
            exact=sum(len(s.exact) for s in scores),
            missed=sum(len(s.missed) for s in scores),
            wrong=sum(len(s.wrong) for s in scores),
            invented=sum(len(s.invented) for s in scores),
        )


def _table(first: str, rows: Sequence[_Row]) -> str:
    head = (first, "messages", "right", "values", "exact", "missed", "wrong", "invented")
    cells = [
        (r.name, r.cases, r.right, r.expected, share(r.exact, r.expected), r.missed, r.wrong, r.invented) for r in rows
    ]
    return table(head, cells)
