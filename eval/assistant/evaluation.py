"""The questions to the assistant, asked of the agent or of the plain loop, and judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eval.asking import AskedQuestion, Questions, ask_agent
from eval.assistant.corpora import clock, copy_files, standing
from eval.assistant.judging import judged
from eval.assistant.loop import play_loop
from eval.assistant.questions import ResearchQuestion, Seen
from eval.evaluation import Verdict
from eval.reading import read_cases

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Research(Questions[ResearchQuestion]):
    """The questions, played and judged."""

    agent = "assistant"

    @classmethod
    def read(cls, folder: Path) -> Research:
        """The questions of a folder. Raises UsageError for what cannot be read."""
        return cls(read_cases(ResearchQuestion, folder / "questions.yaml"))

    async def play(self, case: ResearchQuestion, folder: Path, model: BaseChatModel, *, loop: bool) -> AskedQuestion:
        (folder / "given").mkdir()
        files = copy_files(case.files, folder / "given")
        with standing(case.corpus, folder / "place") as variables:
            if loop:
                return await play_loop(case, files, variables, model)
            home = Path(variables["GRAPHWRIGHT_HOME"])
            return await ask_agent(self.agent, case, model, home, files, Seen(case, files), clock)

    async def judged(self, case: ResearchQuestion, played: AskedQuestion, *, loop: bool) -> Verdict:
        return judged(case, played)
