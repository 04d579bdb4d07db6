"""Cases that end in a state, as they are played and judged: a world, a simulated user, and the ends that are right."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eval.cases import Case
from eval.conversing import Informed, Played, Wanted, converse
from eval.judging import Verdict, judged

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Worlds(Protocol):
    """The cases of an agent, and their worlds."""

    agent: str

    @property
    def cases(self) -> Sequence[Case]:
        """All cases, in the order of their file."""

    async def wanted(self, case: Any) -> Wanted:
        """What the case may lead to. Raises UsageError for one that cannot be."""

    def informed(self, case: Any, wanted: Wanted) -> Informed:
        """A user who knows what the case wants."""

    def world(self, case: Any, folder: Path) -> AbstractAsyncContextManager[Any]:
        """The world of the case, fresh, in an empty folder."""


class Stateful:
    """Cases over worlds."""

    played_as = Played

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        self.cases = worlds.cases

    async def play(self, case: Case, folder: Path, model: BaseChatModel, *, loop: bool) -> Played:
        wanted = await self.worlds.wanted(case)
        async with self.worlds.world(case, folder) as world:
            if loop:
                from eval.graph_editor.loop import play_loop

                return await play_loop(case, world, model)
            return await converse(case, self.worlds.agent, world, wanted, model, self.worlds.informed(case, wanted))

    async def judged(self, case: Case, played: Played, *, loop: bool) -> Verdict:
        return judged(case, await self.worlds.wanted(case), played, net=not loop)
