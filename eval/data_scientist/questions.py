"""Questions over data, the expected answer to each turn, and the data kept of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from eval.asking import Question
from eval.data_scientist.drawn import Label, Picture
from eval.data_scientist.tables import OWN, PACKAGED
from eval.wording import Claim, Fact

Numbers = float | Mapping[Label, float | str] | tuple[float | str, ...]


class Other(BaseModel):
    """Other accepted values, or the results of a careless program, and the reason `why`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: Numbers
    why: str
    reference: str = ""


class Expect(BaseModel):
    """The expected answer to one turn. Each `reference` is the program that computes the values.

    `values` are one number, a list or a mapping; with `groups` each is next to its key, or one of `names_ok`. `exact`
    allows no rounding, `within` is the allowed deviation, `required` how many must be named, if not all. `complete`
    forbids further names of the column. The answer must contain `says` and not `never`. A question that the data cannot
    answer has the reason in `impossible`; `admits` are further patterns for such answers.
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
    """The data kept of one turn.

    `table` is the result as text, `loose` are the numbers of the text that follow from nothing, `figures` those with
    readable data, `pictures` the number of others, `looked` the number of programs.
    """
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
