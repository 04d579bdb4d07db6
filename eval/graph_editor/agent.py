"""The agent at work on a goal, through the public door: a session, with a simulated user who answers its questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eval.graph_editor.goals import Goal
from eval.graph_editor.graphs import State
from eval.graph_editor.outcome import Outcome
from eval.graph_editor.watching import Watch
from eval.graph_editor.workspace import workspace
from graphwright import load

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_MOST_TURNS = 8
_NO, _LEAVE_IT = "no", "leave it"
"""What the user says to a confirmation, and to any other question, that the goal has no reply to."""


async def work_by_agent(goal: Goal, before: State, model: BaseChatModel) -> Outcome:
    """Give the goal to the agent, answer its questions, and look at what it did to the graph."""
    outcome = Outcome(goal.id)
    with workspace(before) as (home, store):
        watch = Watch(store, before)
        async with load(goal.agent).session("goal", model=model, home=home) as session:
            said, confirmed = goal.text, False
            while True:
                turn = await session.send(said)
                watch.turn_ended(confirmed=confirmed)
                waits = turn.waiting_for
                outcome = replace(
                    outcome.with_turn(turn, said),
                    replies=(*outcome.replies, turn.reply),
                    asked=outcome.asked or waits is not None,
                )
                if waits is None or turn.error is not None:
                    break
                if outcome.turns == _MOST_TURNS:
                    outcome = replace(outcome, over=False)
                    break
                reply = goal.reply_to(turn.reply)
                confirmed = reply is not None and waits.kind == "confirm"
                said = reply or (_NO if waits.kind == "confirm" else _LEAVE_IT)
        return watch.closed(outcome)
