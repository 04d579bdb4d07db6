"""Playing and judging cases that end in a state: a world, a simulated user, and the right final states."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from eval.cases import Case
from eval.conversing import ExpectedStates, Informed, Played, converse
from eval.evaluation import Evaluation, Verdict
from eval.judging import judged

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

S = TypeVar("S", bound=Case)


class Stateful(Evaluation[S, Played]):
    """Cases over worlds."""

    played_as = Played
    code = ("engine", "models", "host", "proposals", "tools", Path(__file__).parent / "conversing.py")

    @abstractmethod
    async def expected_states(self, case: S) -> ExpectedStates:
        """The possible final states of the case. Raises UsageError for an invalid case."""

    @abstractmethod
    def informed(self, case: S, wanted: ExpectedStates) -> Informed:
        """A user who knows the wanted outcome of the case."""

    @abstractmethod
    def world(self, case: S, folder: Path) -> AbstractAsyncContextManager[Any]:
        """The world of the case, newly created, in an empty folder."""

    async def play(self, case: S, folder: Path, model: BaseChatModel, *, loop: bool) -> Played:
        wanted = await self.expected_states(case)
        async with self.world(case, folder) as world:
            if loop:
                return await self.play_loop(case, world, model)
            return await converse(case, self.agent, world, wanted, model, self.informed(case, wanted))

    async def play_loop(self, case: S, world: Any, model: BaseChatModel) -> Played:
        """Play a case with the plain loop, for the agents in `LOOPS`."""
        raise NotImplementedError

    async def judged(self, case: S, played: Played, *, loop: bool) -> Verdict:
        return judged(case, await self.expected_states(case), played, net=not loop)
