"""The questions to the assistant, asked of the agent or of the plain loop, and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.asking import AskedQuestion, Verdict, ask_agent
from eval.assistant.corpora import clock, copy_files, standing
from eval.assistant.judging import judged
from eval.assistant.loop import play_loop
from eval.assistant.questions import ResearchQuestion, Seen
from eval.reading import read_named

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Research:
    """The questions, played and judged."""

    played_as = AskedQuestion

    def __init__(self, cases: Sequence[ResearchQuestion]) -> None:
        self.cases = cases

    @classmethod
    def read(cls, folder: Path) -> Research:
        """The questions of a folder. Raises UsageError for what cannot be read."""
        return cls(read_named(ResearchQuestion, folder / "questions.yaml"))

    async def play(self, case: ResearchQuestion, folder: Path, model: BaseChatModel, *, loop: bool) -> AskedQuestion:
        (folder / "given").mkdir()
        files = copy_files(case.files, folder / "given")
        with standing(case.corpus, folder / "place") as variables:
            if loop:
                return await play_loop(case, files, variables, model)
            home = Path(variables["GRAPHWRIGHT_HOME"])
            return await ask_agent("assistant", case, model, home, files, Seen(case, files), clock)

    async def judged(self, case: ResearchQuestion, played: AskedQuestion, *, loop: bool) -> Verdict:
        return judged(case, played)
