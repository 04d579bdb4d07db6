"""The evaluation of research: each question is given to the assistant and to the plain loop, and judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.assistant.agent import work_by_agent
from eval.assistant.cases import FILES, Case, read_cases
from eval.assistant.loop import work_by_loop
from eval.assistant.outcome import Outcome
from eval.assistant.report import AssistantFigures, JudgedCase
from eval.assistant.scoring import judged
from eval.assistant.workspace import corpus
from eval.evaluation import Evaluation, each, note
from eval.judged import Judged
from eval.results import Results, fingerprint

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent

_BOTH: tuple[str | Path, ...] = (
    *("knowledge", "logbook", "files/documents", "models", "tools", "agents/assistant/settings.py"),
    *(_HERE / name for name in ("workspace.py", "known.py", "citations.py", "numbers.py", "outcome.py")),
)

LOOP = (*_BOTH, _HERE / "loop.py")
"""What decides how the loop does: a result that was measured before one of these changed is measured again."""

AGENT = (
    *_BOTH,
    "agents/assistant",
    "context",
    "kernel",
    "runtime/receive.py",
    "runtime/perform.py",
    _HERE / "agent.py",
)
"""The same for the agent."""


class Researching(Evaluation):
    """Questions over the sample. Raises UsageError where cases cannot be read."""

    name = "assistant"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cases = read_cases(folder)

    @property
    def ids(self) -> list[str]:
        return [case.id for case in self._cases]

    async def run(self, ids: Sequence[str], model: BaseChatModel, name: str, results: Path) -> AssistantFigures:
        cases = [case for case in self._cases if not ids or case.id in ids]
        sample = corpus(self._folder / FILES)

        async def worked(
            who: str, work: Callable[[Case, Path, BaseChatModel], Awaitable[Outcome]], code: str
        ) -> list[JudgedCase]:
            found = await each(
                cases,
                lambda case: work(case, self._folder, model),
                # Nobody is to see by chance why a test case went wrong: it would be no test any more.
                lambda case, outcome: _judged(case, outcome).told(always=bool(ids)),
                Case.decides,
                Results(results / who, name, Outcome, f"{code} {sample}"),
            )
            return [_judged(case, outcome) for case, outcome in zip(cases, found, strict=True)]

        note("the agent:")
        agent = await worked("agent", work_by_agent, fingerprint(AGENT))
        note("the plain loop:")
        loop = await worked("loop", work_by_loop, fingerprint(LOOP))
        return AssistantFigures(name, agent, loop)


def _judged(case: Case, outcome: Outcome) -> JudgedCase:
    return Judged(case, outcome, judged(case, outcome))
