"""The evaluation of the UpGrade agent: each case is played against a fresh local service, and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.evaluation import Evaluation, each
from eval.judged import Judged
from eval.results import Results, fingerprint
from eval.upgrade.cases import Case, read_cases
from eval.upgrade.conversing import converse
from eval.upgrade.outcome import Outcome
from eval.upgrade.report import JudgedCase, UpgradeFigures
from eval.upgrade.scoring import expected, judged

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent

AGENT = (
    *("agents/upgrade", "context", "kernel", "models", "tools", "runtime/reading", "runtime/receive.py"),
    *("runtime/perform.py", "runtime/validation.py"),
    *(_HERE / "conversing.py", _HERE / "served.py", _HERE / "states.py", _HERE / "doing.py"),
)
"""What decides how the agent does: a result that was measured before one of these changed is measured again."""


class Upgrading(Evaluation):
    """Requests about experiments. Raises UsageError where cases or worlds cannot be read, or do not fit each other."""

    name = "upgrade"

    def __init__(self, folder: Path) -> None:
        self._cases = read_cases(folder)
        self._worlds = {case.id: world for case, world in self._cases}

    @property
    def ids(self) -> list[str]:
        return [case.id for case, _ in self._cases]

    async def run(self, ids: Sequence[str], model: BaseChatModel, name: str, results: Path) -> UpgradeFigures:
        cases = [case for case, _ in self._cases if not ids or case.id in ids]
        states = {case.id: await expected(case, self._worlds[case.id]) for case in cases}

        def verdict(case: Case, outcome: Outcome) -> JudgedCase:
            return Judged(case, outcome, judged(case, self._worlds[case.id], states[case.id], outcome))

        found = await each(
            cases,
            lambda case: converse(case, self._worlds[case.id], model),
            # Nobody is to see by chance why a test case went wrong: it would be no test any more.
            lambda case, outcome: verdict(case, outcome).told(always=bool(ids)),
            lambda case: {**case.decides(), "world": self._worlds[case.id].model_dump(mode="json")},
            Results(results, name, Outcome, fingerprint(AGENT)),
        )
        return UpgradeFigures(name, [verdict(case, outcome) for case, outcome in zip(cases, found, strict=True)])
