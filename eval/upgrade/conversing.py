"""A case played through the public door: a session with the agent, and a simulated user who answers its questions."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from eval.replies import Reply
from eval.upgrade.cases import YES, Case
from eval.upgrade.doing import build
from eval.upgrade.outcome import Outcome
from eval.upgrade.served import Served, listening, serving
from eval.upgrade.states import state_of
from eval.upgrade.worlds import World
from graphwright import load

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright import Session

_MOST_TURNS = 12
_MOST_TIMES = 2
"""How often the user says the same before giving up."""

_NO, _LEAVE_IT = "no", "leave it"
"""What the user says to a confirmation, and to any other question, that the case has no reply to."""


async def converse(case: Case, world: World, model: BaseChatModel) -> Outcome:
    """Say what the case says, answer what is asked, and look at what became of the server."""
    with serving(world.contexts) as served:
        await build(served, world)
        served.refusals = case.refusals
        with listening(served), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            async with load(case.agent).session("case", model=model, home=Path(home)) as session:
                outcome = await _Talk(case, session, served).held()
        return replace(outcome.stamped(), writes=tuple(served.writes), after=await state_of(served))


class _Talk:
    def __init__(self, case: Case, session: Session, served: Served) -> None:
        self._case = case
        self._session = session
        self._served = served
        self._used: list[Reply] = []

    async def held(self) -> Outcome:
        outcome = Outcome(self._case.id)
        said, to_come = self._case.says[0], list(self._case.says[1:])
        left = confirming = False
        while True:
            self._served.confirmed = confirming and said in YES
            turn = await self._session.send(said)
            waits = turn.waiting_for
            confirming = waits is not None and waits.kind == "confirm"
            outcome = replace(
                outcome.with_turn(turn, said),
                replies=(*outcome.replies, turn.reply),
                proposals=(*outcome.proposals, *([turn.reply] if confirming else [])),
                asked=outcome.asked or waits is not None,
            )
            if turn.error is not None:
                return outcome
            answer = None
            if confirming:
                answer = self._reply(self._case.confirm, turn.reply) or _NO
            elif waits is not None:
                answer = self._reply(self._case.replies, turn.reply)
            if answer is None and to_come:
                # Whoever has no answer says the next thing, as people do.
                answer = to_come.pop(0)
            elif answer is None and waits is not None and not left:
                answer, left = _LEAVE_IT, True
            if answer is None:
                return outcome
            if outcome.turns == _MOST_TURNS:
                return replace(outcome, over=False)
            said = answer

    def _reply(self, replies: Sequence[Reply], question: str) -> str | None:
        """What the user has to say to a question: what was not said yet, else once more what was said last."""
        fitting = [each for each in replies if each.fits(question)]
        fresh = [each for each in fitting if not self._times(each)]
        chosen = next(iter(fresh or fitting[-1:]), None)
        if chosen is None or self._times(chosen) == _MOST_TIMES:
            return None
        self._used.append(chosen)
        return chosen.say

    def _times(self, reply: Reply) -> int:
        return sum(reply is used for used in self._used)
