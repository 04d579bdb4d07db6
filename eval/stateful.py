"""Playing and judging cases that end in a state: a world, a simulated user, and the right final states."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eval.cases import Case
from eval.conversing import ExpectedStates, Informed, Played, converse
from eval.judging import Verdict, judged

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Worlds(Protocol):
    """The cases of an agent, and their worlds."""

    agent: str

    @property
    def cases(self) -> Sequence[Case]:
        """All cases, in the order of their file."""

    async def expected_states(self, case: Any) -> ExpectedStates:
        """The possible final states of the case. Raises UsageError for an invalid case."""

    def informed(self, case: Any, wanted: ExpectedStates) -> Informed:
        """A user who knows the wanted outcome of the case."""

    def world(self, case: Any, folder: Path) -> AbstractAsyncContextManager[Any]:
        """The world of the case, newly created, in an empty folder."""


class Stateful:
    """Cases over worlds."""

    played_as = Played

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        self.cases = worlds.cases

    async def play(self, case: Case, folder: Path, model: BaseChatModel, *, loop: bool) -> Played:
        wanted = await self.worlds.expected_states(case)
        async with self.worlds.world(case, folder) as world:
            if loop:
                from eval.graph_editor.loop import play_loop

                return await play_loop(case, world, model)
            return await converse(case, self.worlds.agent, world, wanted, model, self.worlds.informed(case, wanted))

    async def judged(self, case: Case, played: Played, *, loop: bool) -> Verdict:
        return judged(case, await self.worlds.expected_states(case), played, net=not loop)
