"""The questions over data, asked of the agent or of the plain loop, and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.asking import AskedQuestion, Questions, ask_agent
from eval.data_scientist.drawn import of_page
from eval.data_scientist.judging import judged
from eval.data_scientist.loop import play_loop
from eval.data_scientist.questions import DataQuestion, answer
from eval.data_scientist.tables import written
from eval.evaluation import Verdict
from eval.reading import read_cases
from graphwright.config import without_file
from graphwright.proposals import numbers_not_in

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright import Turn


class DataQuestions(Questions[DataQuestion]):
    """The questions, played and judged."""

    agent = "data_scientist"

    @classmethod
    def read(cls, folder: Path) -> DataQuestions:
        """The questions of a folder. Raises UsageError for what cannot be read."""
        return cls(read_cases(DataQuestion, folder / "questions.yaml"))

    async def play(self, case: DataQuestion, folder: Path, model: BaseChatModel, *, loop: bool) -> AskedQuestion:
        (folder / "files").mkdir()
        files = written(case.files, folder / "files")
        with without_file():
            if loop:
                return await play_loop(case, folder, files, model)
            return await ask_agent(self.agent, case, model, folder / "home", files, _Seen(case.turns))

    async def judged(self, case: DataQuestion, played: AskedQuestion, *, loop: bool) -> Verdict:
        return judged(case, played)


class _Seen:
    """The data kept of a turn of the agent; results of earlier turns may be named again."""

    def __init__(self, said: Sequence[str]) -> None:
        self._said = said
        self._known: list[Any] = []

    def __call__(self, turn: Turn, wrote: str) -> Mapping[str, Any]:
        values = turn.values
        package: Mapping[str, Any] = values.get("final_output") or {}
        text = str(package.get("explanation") or turn.reply)
        self._known += [values.get("execution_result"), values.get("code"), values.get("data_summary")]
        pages = [Path(each.path) for each in turn.artifacts if each.path.endswith(".html")]
        pictures = {Path(each.path).stem for each in turn.artifacts if each.path.endswith(".png")}
        return answer(
            text,
            str(package.get("result_str") or ""),
            numbers_not_in(text, self._known, also=self._said),
            figures=[figure for page in pages for figure in of_page(page)],
            pictures=len(pictures - {page.stem for page in pages}),
            failed=package.get("output_type") == "error",
            looked=int(values.get("attempts") or 0),
        )
