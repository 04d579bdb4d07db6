"""An evaluation: the cases of an agent, how one is played, and how the result is judged."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext, EvaluatorOutput

from eval.figures import Row
from eval.measured import Count, Measured
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Inputs(Protocol):
    """The common fields of every case; a `seen` one is a regression test, and no longer evidence."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def seen(self) -> bool: ...

    def decides(self) -> Mapping[str, Any]:
        """The fields that determine the conversation, as JSON."""


C = TypeVar("C", bound=Inputs)
P = TypeVar("P", bound=Measured)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a played case: right if it has no `reasons`.

    `counts` are its figures; `shown` are wrong differences that the user was shown and declined, `done` unwanted
    changes, or changes without agreement.
    """

    reasons: tuple[str, ...] = ()
    counts: Mapping[str, Count] = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    done: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return not self.reasons


class Evaluation(ABC, Generic[C, P]):
    """The cases of an agent as a dataset of pydantic-evals; `cases` are its inputs.

    The expectation of a case is part of its inputs, because the simulated user needs it; `expected_output` would have
    to be of the type of the output.
    """

    agent: ClassVar[str]
    played_as: ClassVar[type[Any]]
    code: ClassVar[Sequence[str | Path]]
    """Places, in the engine's package or as paths, whose change makes kept results invalid; beside the agent's own."""

    def __init__(self, cases: Iterable[C]) -> None:
        self.cases = list(cases)
        try:
            named = [Case[C, P, None](name=each.id, inputs=each) for each in self.cases]
            self.dataset = Dataset[Any, Any, Any](name=self.agent, cases=named)
        except ValueError as error:
            raise UsageError("bad_case", f"The cases of {self.agent}: {error}", "Give each its own id.") from error

    @classmethod
    @abstractmethod
    def read(cls, folder: Path) -> Self:
        """The evaluation with the cases in a folder. Raises UsageError for unreadable or invalid ones."""

    @abstractmethod
    async def play(self, case: C, folder: Path, model: BaseChatModel, *, loop: bool) -> P:
        """Play a case in an empty folder, with the agent or with the plain loop."""

    @abstractmethod
    async def judged(self, case: C, played: P, *, loop: bool) -> Verdict:
        """The verdict on a played case. Raises UsageError for an invalid case."""

    def missed_targets(self, rows: Sequence[Row]) -> list[str]:
        """The targets that the cases with these figures miss, one line each."""
        return []


@dataclass(repr=False)
class Judge(Evaluator[Any, Any, Any]):
    """Reports whether a case is `right`, with the reasons, and its figures."""

    evaluation: Evaluation[Any, Any]
    loop: bool

    async def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> EvaluatorOutput:
        verdict = await self.evaluation.judged(ctx.inputs, ctx.output, loop=self.loop)
        reasons = [*verdict.reasons, *(f"shown and declined: {line}" for line in verdict.shown)]
        return {"right": EvaluationReason(verdict.right, "; ".join(reasons)), **verdict.counts}


def note(text: str) -> None:
    """Print it on stderr."""
    print(text, file=sys.stderr, flush=True)
