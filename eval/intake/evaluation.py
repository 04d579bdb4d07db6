"""The evaluation of reading: its cases, and running those without a kept result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.evaluation import Evaluation, each
from eval.intake.cases import Case, read_conversations, read_utterances
from eval.intake.report import ReadingFigures
from eval.intake.running import Result, run_conversation, run_utterance
from eval.results import Results, fingerprint

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

READING = (
    "agents/intake",
    "context",
    "engine",
    "models",
    "host/_extraction.py",
)
"""The code that reads replies: after a change of it, kept results are measured again."""


class Reading(Evaluation):
    """Messages and conversations with the intake agent. Raises UsageError if its cases cannot be read."""

    name = "intake"

    def __init__(self, folder: Path) -> None:
        self._utterances = read_utterances(folder)
        self._conversations = read_conversations(folder)

    @property
    def ids(self) -> list[str]:
        return [case.id for case in (*self._utterances, *self._conversations)]

    async def run(self, ids: Sequence[str], model: BaseChatModel, name: str, results: Path) -> ReadingFigures:
        kept = Results(results, name, Result, fingerprint(READING))

        def result_line(_: Case, result: Result) -> str:
            return "right" if result.right else result.reason

        utterances = [u for u in self._utterances if not ids or u.id in ids]
        talks = [c for c in self._conversations if not ids or c.id in ids]
        read = await each(utterances, lambda u: run_utterance(u, model), result_line, Case.model_dump, kept)
        held = await each(talks, lambda c: run_conversation(c, model), result_line, Case.model_dump, kept)
        return ReadingFigures(name, list(zip(utterances, read, strict=True)), list(zip(talks, held, strict=True)))
