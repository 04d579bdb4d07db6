"""The report: figures of a run as Markdown, put between two marks of a page."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.cases import Conversation, Utterance
from eval.running import Result
from graphwright.errors import UsageError

BEGIN, END = "<!-- eval:begin, written by `make eval` -->", "<!-- eval:end -->"
EXACT_SHARE, RIGHT_SHARE = 0.85, 0.7
"""What must be reached: of the values, and of the conversations. Beside them, no value may be invented."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to: the cases with their results, in order."""

    model: str
    utterances: Sequence[tuple[Utterance, Result]]
    conversations: Sequence[tuple[Conversation, Result]]

    @property
    def results(self) -> list[Result]:
        """The results of all cases."""
        return [result for _, result in self.utterances] + [result for _, result in self.conversations]

    @property
    def missed_targets(self) -> list[str]:
        """The targets that were not reached, one line each."""
        found = []
        row = _Row.of("all", [r for _, r in self.utterances])
        if row.expected and row.exact < EXACT_SHARE * row.expected:
            found.append(f"{_share(row.exact, row.expected)} of the values are exact; {EXACT_SHARE:.0%} is wanted")
        if row.invented:
            found.append(f"{row.invented} values were invented; none may be")
        right = sum(r.right for _, r in self.conversations)
        if right < RIGHT_SHARE * len(self.conversations):
            found.append(f"{right} of {len(self.conversations)} conversations ended right; {RIGHT_SHARE:.0%} is wanted")
        return found

    def markdown(self) -> str:
        """The figures as tables and lists."""
        parts = [self._head()]
        if self.utterances:
            parts += [self._sets(), self._categories(), self._failures()]
        if self.conversations:
            parts.append(self._talks())
        return "\n\n".join(parts)

    def _head(self) -> str:
        calls = sum(r.model_calls for r in self.results)
        seconds = sum(r.seconds for r in self.results)
        read, written = (sum(getattr(r, f"{way}_tokens") for r in self.results) for way in ("input", "output"))
        each = f", {seconds / calls:.1f} s a call" if calls else ""
        load = sum(r.load for r in self.results) / len(self.results) if self.results else 0
        return (
            f"Model `{self.model}`, {max((r.day for r in self.results), default='')}, {machine()}, "
            f"load {load:.1f} on average.\n"
            f"{calls} model calls, {read:,} tokens read, {written:,} written, {seconds:,.0f} s{each}."
        )

    def _sets(self) -> str:
        rows = [
            _Row.of(name, [r for u, r in self.utterances if u.set in sets])
            for name, sets in (("tuning", ("tuning",)), ("test", ("test",)), ("both", ("tuning", "test")))
        ]
        return "### Values\n\n" + _table("set", rows)

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
        head = ["| conversation | turns | model calls | seconds | end |", "|---|---|---|---|---|"]
        lines = [
            f"| {c.id}: {c.about} | {r.turns} | {r.model_calls} | {r.seconds:.0f} | {r.reason or 'right'} |"
            for c, r in self.conversations
        ]
        title = f"### Conversations\n\n{right} of {len(self.conversations)} ended right."
        return f"{title}\n\n" + "\n".join([*head, *lines])

    def put_into(self, page: Path) -> None:
        """Replace what stands between the marks of the page. Raises UsageError for a page without them."""
        text = page.read_text("utf-8") if page.is_file() else f"{BEGIN}\n{END}\n"
        head, begin, rest = text.partition(BEGIN)
        _, end, tail = rest.partition(END)
        if not (begin and end):
            raise UsageError("no_marks", f"{page} has no place for the figures", f"Write {BEGIN} and {END} into it.")
        page.write_text(f"{head}{BEGIN}\n\n{self.markdown()}\n\n{END}{tail}", "utf-8")


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
    head = [
        f"| {first} | messages | right | values | exact | missed | wrong | invented |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines = [
        f"| {r.name} | {r.cases} | {r.right} | {r.expected} | {_share(r.exact, r.expected)} "
        f"| {r.missed} | {r.wrong} | {r.invented} |"
        for r in rows
    ]
    return "\n".join([*head, *lines])


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else str(part)


def machine() -> str:
    """The machine in a phrase: cores, processor, memory."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        processor = names[0] if names else processor
    parts = [f"{os.cpu_count()} cores ({processor})"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        parts.append(f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB of memory")
    return ", ".join(parts)
