"""Questions over data, and what the answer to each turn must hold; asked of the agent or of the plain loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from eval.asking import Asked, Question, Verdict, ask_agent
from eval.data_scientist.drawn import Label, Picture, of_page
from eval.data_scientist.tables import OWN, PACKAGED, written
from eval.reading import read_named
from eval.wording import Claim, Fact
from graphwright.config import without_file
from graphwright.proposals import numbers_not_in

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright import Turn

Numbers = float | Mapping[Label, float | str] | tuple[float | str, ...]


class Other(BaseModel):
    """Values that will do as well, or that a careless program comes to, and `why`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: Numbers
    why: str
    reference: str = ""


class Expect(BaseModel):
    """What the answer to one turn must hold. Each `reference` is the program that comes to the values.

    `values` are one number, a list or a mapping; with `groups` each stands beside its key, or one of `names_ok`.
    `exact` allows no rounding, `within` is what a number may be off, `required` how many must be named, if not all.
    `complete` forbids further names of the column. `says` must be said and `never` must not. A question that the data
    cannot answer has the reason in `impossible`; `admits` are further patterns by which an answer says so.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: Numbers | None = None
    reference: str = ""
    groups: bool = False
    exact: bool = False
    complete: bool = False
    within: float = 0.0
    required: int = 1_000
    names_ok: Mapping[Label, tuple[str, ...]] = Field(default_factory=dict)
    also_ok: tuple[Other, ...] = ()
    traps: tuple[Other, ...] = ()
    figure: Picture | None = None
    says: tuple[Fact, ...] = ()
    never: tuple[Claim, ...] = ()
    concludes: Literal["significant", "not significant"] | None = None
    impossible: str = ""
    admits: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _asks_for_something(self) -> Expect:
        if self.values is None and not (self.figure or self.says or self.concludes or self.impossible):
            raise ValueError("nothing is expected")
        return self


class DataQuestion(Question):
    """A question over files, with an expectation for each turn."""

    expect: tuple[Expect, ...]

    @model_validator(mode="after")
    def _fits(self) -> DataQuestion:
        if len(self.expect) != len(self.turns):
            raise ValueError(f"{self.id}: there must be one expectation for each turn")
        if unknown := [name for name in self.files if name not in PACKAGED and not (OWN / name).is_file()]:
            raise ValueError(f"{self.id}: there is no file {unknown[0]}")
        return self


class DataQuestions:
    """The questions, played and judged."""

    played_as = Asked

    def __init__(self, cases: Sequence[DataQuestion]) -> None:
        self.cases = cases

    @classmethod
    def read(cls, folder: Path) -> DataQuestions:
        """The questions of a folder. Raises UsageError for what cannot be read."""
        return cls(read_named(DataQuestion, folder / "questions.yaml"))

    async def play(self, case: DataQuestion, folder: Path, model: BaseChatModel, *, loop: bool) -> Asked:
        (folder / "files").mkdir()
        files = written(case.files, folder / "files")
        with without_file():
            if loop:
                from eval.data_scientist.loop import play_loop

                return await play_loop(case, folder, files, model)
            return await ask_agent("data_scientist", case, model, folder / "home", files, _Seen(case.turns))

    async def judged(self, case: DataQuestion, played: Asked, *, loop: bool) -> Verdict:
        from eval.data_scientist.judging import judged

        return judged(case, played)


class _Seen:
    """What is kept of a turn of the agent; what earlier turns came to may be named again."""

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


def answer(
    text: str,
    table: str,
    loose: Sequence[str],
    *,
    figures: Sequence[Mapping[str, Any]] = (),
    pictures: int = 0,
    failed: bool = False,
    looked: int = 0,
) -> dict[str, Any]:
    """One turn as it is kept: `table` is the result as text, `loose` are the numbers of the text that follow from
    nothing, `figures` those whose data can be read, `pictures` counts the others, `looked` the programs."""
    return {
        "text": text,
        "reply": text,
        "wrote": text,
        "table": table,
        "loose": list(loose),
        "figures": list(figures),
        "pictures": pictures,
        "failed": failed,
        "looked": looked,
    }
