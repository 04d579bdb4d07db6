"""The cases: what a user asks about experiments, what the user answers when asked back, and what must come of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval.reading import read_named
from eval.replies import Reply
from eval.upgrade.served import Refusal
from eval.upgrade.wishes import Wish
from eval.upgrade.worlds import World, read_worlds
from graphwright.errors import UsageError

CASES = "cases.yaml"
YES = frozenset(
    {"yes", "yes please", "yes, go ahead", "yes, do it", "yep", "sure", "ok", "go ahead", "ja", "confirmed"}
)
"""What is a yes and nothing else. Whoever says more than that has not agreed to what was shown."""


class Case(BaseModel):
    """One case. The head of cases.yaml says what each field means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    set: Literal["tuning", "test"]
    world: str
    kind: str
    agent: str = "upgrade"
    given: World = Field(default_factory=World)
    refusals: tuple[Refusal, ...] = ()
    says: tuple[str, ...]
    replies: tuple[Reply, ...] = ()
    confirm: tuple[Reply, ...] = ()
    expect: tuple[Wish, ...]
    meant: Wish = Field(default_factory=Wish)

    @field_validator("says", "expect", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @property
    def ends(self) -> tuple[Wish, ...]:
        """All that the words ask for, whether it must come about or not."""
        return (*self.expect, self.meant)

    def decides(self) -> dict[str, Any]:
        """All of it that decides how the conversation goes; not what is expected, which is only compared afterwards."""
        return self.model_dump(mode="json", include={"id", "agent", "refusals", "says", "replies", "confirm"})

    def flaws(self, world: World) -> Iterable[str]:
        """What in the case cannot be, in words."""
        yield from world.flaws()
        for wish in self.ends:
            yield from wish.flaws(world)


def read_cases(folder: Path) -> list[tuple[Case, World]]:
    """The cases in `folder`, each with the world that it begins in. Raises UsageError naming what cannot be read."""
    file = folder / CASES
    cases = read_named(Case, file)
    worlds = read_worlds(folder) if cases else {}
    return [(case, _begun(case, worlds, file)) for case in cases]


def _begun(case: Case, worlds: dict[str, World], file: Path) -> World:
    if case.world not in worlds:
        raise UsageError("bad_case", f"{file}: {case.id}: there is no world {case.world!r}", "Mend the file.")
    world = worlds[case.world].with_more(case.given)
    if flaw := next(iter(case.flaws(world)), None):
        raise UsageError("bad_case", f"{file}: {case.id}: {flaw}", "Mend the file.")
    return world
