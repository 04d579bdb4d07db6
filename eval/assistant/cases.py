"""The cases: what is asked, what was said and given before, and what is right: calls, sources and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from eval.reading import read_named
from graphwright.errors import UsageError

CASES = "cases.yaml"
FILES = "files"

TOOLS: Mapping[str, frozenset[str]] = {
    "search_accelerator_knowledge": frozenset({"query", "accelerator", "limit"}),
    "search_elog": frozenset({"query", "since", "until", "category", "system", "author", "max_results"}),
    "get_elog_thread": frozenset({"id"}),
}
"""The tools with the names of their arguments."""

DAYS = ("since", "until")
"""Arguments that are days. A case tells them as days before its own."""

Key = str | int
"""Names a source: a page by its path, a given file by its name, a log entry by its number."""


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Tools = Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]
Spellings = Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]


class Wanted(BaseModel):
    """A call that must be made: of one of these tools, with one of the values for each of these arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: Tools
    args: Mapping[str, Annotated[tuple[str | int | None, ...], Field(min_length=1)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> Wanted:
        for tool in self.tool:
            if tool not in TOOLS:
                raise ValueError(f"there is no tool {tool!r}; known: {', '.join(TOOLS)}")
            if unknown := sorted(self.args.keys() - TOOLS[tool]):
                raise ValueError(f"{tool} has no argument {unknown[0]!r}")
        for name in DAYS:
            if any(isinstance(each, str) for each in self.args.get(name, ())):
                raise ValueError(f"{name} is told as a number of days before the day of the case")
        return self


class Expected(BaseModel):
    """The sources that must be cited: each of `all`, one of `any`; the first one cited must be one of `first`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    all: tuple[Key, ...] = ()
    any: tuple[Key, ...] = ()
    first: tuple[Key, ...] = ()

    @property
    def named(self) -> tuple[Key, ...]:
        """All of which one or all must be cited."""
        return (*self.all, *self.any)

    @property
    def leading(self) -> tuple[Key, ...]:
        """Those of which one must be cited first."""
        return self.first or self.named

    @model_validator(mode="after")
    def _some(self) -> Expected:
        if not self.named:
            raise ValueError("sources name none that must be cited: all or any")
        return self


class Case(BaseModel):
    """One question. The head of cases.yaml says what each field means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    set: Literal["tuning", "test"]
    kind: str
    language: Literal["en", "de"]
    text: str
    before: tuple[Mapping[Literal["user", "assistant"], str], ...] = ()
    files: tuple[str, ...] = ()
    calls: tuple[Wanted, ...] | None = None
    sources: Expected | None = None
    names: tuple[Spellings, ...] = ()
    never: tuple[str, ...] = ()
    nothing: bool = False

    @field_validator("before")
    @classmethod
    def _turns(cls, value: tuple[Mapping[str, str], ...]) -> tuple[Mapping[str, str], ...]:
        for each in value:
            if len(each) != 1:
                raise ValueError("each line of what was said before is by one of user and assistant")
        return value

    @model_validator(mode="after")
    def _nothing_is_nothing(self) -> Case:
        if self.nothing and (self.sources or self.names):
            raise ValueError("where nothing can be found there are no sources and no names")
        return self

    @property
    def said(self) -> list[tuple[Literal["user", "assistant"], str]]:
        """What was said before: by whom, and the words."""
        return [(who, words) for each in self.before for who, words in each.items()]

    def decides(self) -> dict[str, Any]:
        """All of it that decides how it is worked on; not what is right, which is only compared afterwards."""
        return self.model_dump(mode="json", include={"id", "text", "before", "files"})


def read_cases(folder: Path) -> list[Case]:
    """The cases in `folder`, in the order of the file. Raises UsageError naming what cannot be read."""
    file = folder / CASES
    found = read_named(Case, file)
    for case in found:
        for path in paths(case, folder):
            if not path.is_file():
                raise UsageError("bad_case", f"{file}: {case.id}: there is no file {path}", "Mend the file.")
    return found


def paths(case: Case, folder: Path) -> Sequence[Path]:
    """The files that are given with the question."""
    return [folder / FILES / name for name in case.files]
