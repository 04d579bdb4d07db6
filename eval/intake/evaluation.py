"""The evaluation of reading: messages and conversations with the intake agent, and its targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

from eval.evaluation import Evaluation, Verdict
from eval.figures import Row
from eval.intake.cases import Conversation, Utterance, read_conversations, read_utterances
from eval.intake.running import AGENT, Talked, run_conversation, run_utterance
from eval.intake.scoring import Score, score

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Case: TypeAlias = Utterance | Conversation

EXACT_SHARE, RIGHT_SHARE = 0.85, 0.7
"""The targets: the proportion of exact values, and of right conversations. In addition, no value may be invented."""


class Reading(Evaluation[Case, Talked]):
    """Messages and conversations with the intake agent."""

    agent = AGENT
    played_as = Talked
    code = ("context", "engine", "models", "host/_extraction.py")

    @classmethod
    def read(cls, folder: Path) -> Self:
        return cls([*read_utterances(folder), *read_conversations(folder)])

    async def play(self, case: Case, folder: Path, model: BaseChatModel, *, loop: bool) -> Talked:
        if isinstance(case, Utterance):
            return await run_utterance(case, model, folder)
        return await run_conversation(case, model, folder)

    async def judged(self, case: Case, played: Talked, *, loop: bool) -> Verdict:
        failed = (f"failed: {played.error}",) if played.error else ()
        if isinstance(case, Conversation):
            return Verdict(failed or tuple(_wrong_end(case, played)))
        found = score(played.before, played.after, case.expect, case.may)
        return Verdict(failed or tuple(_wrong_answers(case, played, found)), found.counts())

    def missed_targets(self, rows: Sequence[Row]) -> list[str]:
        total = {name: sum(int(row.counts.get(name, 0)) for row in rows) for name in ("values", "exact", "made_up")}
        told = []
        if total["exact"] < EXACT_SHARE * total["values"]:
            told.append(f"{total['exact']} of {total['values']} values are exact; {EXACT_SHARE:.0%} is wanted")
        if total["made_up"]:
            told.append(f"{total['made_up']} values were invented; none may be")
        ends = [row.right for row in rows if not row.counts]
        if sum(ends) < RIGHT_SHARE * len(ends):
            told.append(f"{sum(ends)} of {len(ends)} conversations ended right; {RIGHT_SHARE:.0%} is wanted")
        return told


def _wrong_answers(case: Utterance, played: Talked, found: Score) -> Iterator[str]:
    yield from (f"missed {key}" for key in found.missed)
    yield from (f"{key} became {value!r}" for key, value in found.wrong.items())
    yield from (f"invented {key}: {value!r}" for key, value in found.invented.items())
    if case.then and played.end != case.then:
        yield f"asked for {played.end} instead of {case.then}"


def _wrong_end(case: Conversation, played: Talked) -> Iterator[str]:
    """The first difference between the end and the right one."""
    if played.stuck or played.end != case.ends:
        yield played.stuck or f"ended at {played.end} instead of {case.ends}"
        return
    for kind, wanted in (("lead", case.lead), ("call", case.call)):
        found = played.left[kind]
        if len(found) != (wanted is not None):
            yield f"left {len(found)} {kind}s behind"
        elif wanted is not None:
            counted = score({}, found[0], wanted, case.call_may if kind == "call" else {})
            differing = {**dict.fromkeys(counted.missed), **counted.wrong, **counted.invented}
            if differing:
                yield f"the {kind} differs: " + ", ".join(f"{key} is {value!r}" for key, value in differing.items())
