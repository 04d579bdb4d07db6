"""The interface of an evaluation for the command line: cases with ids, a run over them, and figures for the page."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from eval.measured import Measured
from eval.results import Results

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

C = TypeVar("C")
R = TypeVar("R", bound=Measured)


class Figures(ABC):
    """The results of a run."""

    @property
    @abstractmethod
    def right(self) -> bool:
        """Whether all results were right."""

    @property
    @abstractmethod
    def missed_targets(self) -> list[str]:
        """The missed targets, one line each."""

    @abstractmethod
    def logs(self) -> list[tuple[str, Sequence[str]]]:
        """For each case its name and its conversation."""

    @abstractmethod
    def markdown(self) -> str:
        """The figures as tables and lists."""


class Evaluation(ABC):
    """A set of cases for measuring a model."""

    name: str

    @property
    @abstractmethod
    def ids(self) -> list[str]:
        """The ids of all cases."""

    @abstractmethod
    async def run(self, ids: Sequence[str], model: BaseChatModel, name: str, results: Path) -> Figures:
        """Run these cases (all if none is named) that have no result in `results`.

        `name` is the name of the model.
        """


async def each(
    cases: Sequence[C],
    run: Callable[[C], Awaitable[R]],
    told: Callable[[C, R], str],
    decides: Callable[[C], Mapping[str, Any]],
    results: Results[R],
) -> list[R]:
    """The results of the cases, kept ones and new ones.

    `told` describes the result of a case, `decides` returns the fields that determine the run. Progress goes to stderr.
    """
    found = []
    for number, case in enumerate(cases, 1):
        kept = results.of(decides(case))
        result = kept or await run(case)
        if kept is None:
            results.add(decides(case), result)
        took = "kept" if kept else f"{result.seconds:.1f} s, {result.model_calls} model calls"
        note(f"{number}/{len(cases)} {result.id}: {told(case, result)} ({took})")
        found.append(result)
    return found


def note(text: str) -> None:
    """Print it on stderr."""
    print(text, file=sys.stderr, flush=True)
