"""Plays a case in a session of an agent, with a simulated user who answers it.

The simulated user decides about a yes by trying it: the conversation and its world are copied, the copy gets a yes
without a model, and the resulting state is compared with the expected one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eval.cases import Case, Reply, fitting
from eval.measured import Measured
from eval.states import Change, State, change_between, strays
from graphwright import load
from graphwright.errors import GraphwrightError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright import WaitingFor

MOST_TURNS = 30
YES, NO, LEAVE_IT = "yes", "no", "leave it"

_MOST_NOES = 2
_MOST_TIMES = 2
"""The maximum number of times that the user gives the same reply before giving up."""


class Informed(Protocol):
    """A user who knows the wanted outcome, and can be led to it step by step."""

    def __call__(self, waits: WaitingFor) -> str | None:
        """The answer to a question of the steps, or None for any other question."""

    @property
    def again(self) -> str | None:
        """The message to send after the last one if some work is not done, or None."""


class Plain:
    """A user who has only the replies of the case."""

    again = None

    def __call__(self, waits: WaitingFor) -> None:
        return None


class World(Protocol):
    """The world of an agent, in a separate folder, which contains everything that a conversation changes."""

    folder: Path

    async def state(self) -> State:
        """The complete comparable state."""

    def copied(self, folder: Path) -> AbstractAsyncContextManager[World]:
        """The same world over a copy of its folder, which agents use until the block ends."""


@dataclass(frozen=True, slots=True)
class ExpectedStates:
    """The possible final states of a case; `blank` are the initial fields of a new thing."""

    begin: State
    ends: tuple[State, ...]
    blank: Mapping[str, Any]

    def strays(self, before: State, after: State) -> list[tuple[str, str]]:
        """The changed fields that no final state contains; if there are several, the nearest final state is used."""
        return min((strays(before, after, end, self.blank) for end in self.ends), key=len)


@dataclass(frozen=True, slots=True)
class Played(Measured):
    """A played case. It has no verdict, which is computed from it each time.

    `replies` are the replies to the user, turn by turn, `questions` those that asked for more than a yes. `shown` are
    the changes that a yes would have made, `done` those that were made: `{change, said}`, where `said` is the user's
    reply to it, or the last one before it: `yes` to a wanted change, `told` for the yes of the case to an intermediate
    step, `no`, and empty for any other reply.
    """

    replies: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    shown: tuple[Mapping[str, Any], ...] = ()
    done: tuple[Mapping[str, Any], ...] = ()
    over: bool = True


def change_of(entry: Mapping[str, Any]) -> Change:
    """The change of an entry of `shown` or `done`."""
    change: Change = entry["change"]
    return change


async def converse(
    case: Case, agent: str, world: World, wanted: ExpectedStates, model: BaseChatModel, informed: Informed
) -> Played:
    """Send the messages of the case, answer questions, and record the changes of the world."""
    user, played, state = _User(case, informed), Played(case.id), await world.state()
    async with load(agent).session("case", model=model, home=world.folder) as session:
        said: str | None = user.next()
        because = ""
        while said is not None:
            turn = await session.send(said)
            now = await world.state()
            played = replace(played.with_turn(turn, said), replies=(*played.replies, turn.reply))
            if change := change_between(state, now):
                played = replace(played, done=(*played.done, {"change": change, "said": because}))
            state, because, waits = now, "", turn.waiting_for
            if turn.error is not None:
                break
            if played.turns == MOST_TURNS:
                return replace(played, over=False)
            if waits is not None and waits.kind == "confirm":
                then = await after_yes(agent, world)
                # A yes that changes nothing, for example to a preview, is as right as one that makes the wanted change.
                said, because = user.to_difference(turn.reply, right=not wanted.strays(now, then))
                shown = {"change": change_between(now, then), "said": because}
                played = replace(played, shown=(*played.shown, shown))
            elif waits is not None and waits.kind != "message":
                played = replace(played, questions=(*played.questions, turn.reply))
                said = user.to_question(turn.reply, waits)
            else:
                said = user.next()
    return played


class _User:
    """Decides what the user of a case says next."""

    def __init__(self, case: Case, informed: Informed) -> None:
        self._case = case
        self._informed = informed
        self._to_come = list(case.says)
        self._used: list[Reply] = []
        self._noes = 0
        self._left = False

    def next(self) -> str | None:
        return self._to_come.pop(0) if self._to_come else self._informed.again

    def to_difference(self, text: str, *, right: bool) -> tuple[str | None, str]:
        """The reply to a difference, and its reason: of the case (once each), yes if right, or no (at most twice)."""
        if told := [reply for reply in fitting(self._case.confirm, text) if reply not in self._used]:
            self._used.append(told[0])
            return told[0].say, "told" if told[0].say.strip(" .!").casefold() == YES else ""
        if right:
            return YES, "yes"
        self._noes += 1
        return (NO if self._noes <= _MOST_NOES else None), "no"

    def to_question(self, text: str, waits: WaitingFor) -> str | None:
        """The reply to a question: the answer for the steps, a new reply, the last reply again, or the next message."""
        if (known := self._informed(waits)) is not None:
            return known
        replies = fitting(self._case.replies, text)
        fresh = [reply for reply in replies if reply not in self._used]
        reply = next(iter(fresh or replies[-1:]), None)
        if reply is not None and self._used.count(reply) < _MOST_TIMES:
            self._used.append(reply)
            return reply.say
        if not self._to_come and not self._left:
            self._left = True
            return LEAVE_IT
        return self.next()


async def after_yes(agent: str, world: World) -> State:
    """The state after a yes, determined on a copy of world and conversation, without a model."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with world.copied(Path(folder) / "copy") as copy:
            try:
                async with load(agent).session("case", model="none", home=copy.folder) as session:
                    await session.send(YES)
            except GraphwrightError:
                pass  # a yes takes effect before anything that needs a model
            return await copy.state()
