"""A case with what became of it, whatever the evaluation, and how much of that is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from eval.measured import Measured


class HasSet(Protocol):
    """A case of the set `tuning`, which the project works with, or `test`, which it keeps its eyes off."""

    @property
    def set(self) -> str: ...


class Verdict(Protocol):
    """Whether it is right, and why not."""

    @property
    def right(self) -> bool: ...

    @property
    def reasons(self) -> Sequence[str]: ...


C = TypeVar("C", bound=HasSet)
M = TypeVar("M", bound=Measured)
V = TypeVar("V", bound=Verdict)


@dataclass(frozen=True, slots=True)
class Judged(Generic[C, M, V]):
    """A case with what became of it."""

    case: C
    outcome: M
    verdict: V

    def told(self, *, always: bool) -> str:
        """`right`, or why not; of a case that is kept for the test only with `always`."""
        if self.verdict.right:
            return "right"
        return "; ".join(self.verdict.reasons) if always or self.case.set == "tuning" else "not right"
