"""The agent at work on a goal, through the public door: a session, with a simulated user who answers its questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eval.graph_editor.goals import Goal
from eval.graph_editor.graphs import State
from eval.graph_editor.outcome import Outcome
from eval.graph_editor.watching import Watch
from eval.graph_editor.wishes import changed, covers
from eval.graph_editor.workspace import workspace
from graphwright import load
from graphwright.agents.graph_editor.staging import undone_by, writes_of
from graphwright.graphstore import GraphStore

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_MOST_TURNS = 8
_YES, _NO, _LEAVE_IT = "yes", "no", "leave it"
"""What the user says where the goal has no reply: to a confirmation of what it wants, to any other, to a question."""


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
                said = goal.reply_to(turn.reply) or _LEAVE_IT
                if waits.kind == "confirm" and goal.reply_to(turn.reply) is None:
                    said = _YES if _asked_for(goal, before, store, turn.values.get("staged", [])) else _NO
                confirmed = waits.kind == "confirm" and said != _NO
        return watch.closed(outcome)


def _asked_for(goal: Goal, before: State, store: GraphStore, staged: list[dict[str, Any]]) -> bool:
    """Whether all that the confirmation shows is what the goal asks for, in one of the ways in which it can be met."""
    if not staged:
        return False
    wanted = [changed(before, wish) for wish in goal.expect if not wish.refuse]
    undone = undone_by(staged)
    shown = store.preview_undo(undone) if undone else store.preview(writes_of(staged)).changes
    return any(all(covers(before, state, change) for change in shown) for state in wanted)
