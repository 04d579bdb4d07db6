"""The evaluation of graph editing: each goal is given to the agent and to the plain loop, and judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.evaluation import Evaluation, each, note
from eval.graph_editor.agent import work_by_agent
from eval.graph_editor.goals import Goal, read_goals
from eval.graph_editor.graphs import State
from eval.graph_editor.loop import work_by_loop
from eval.graph_editor.outcome import Outcome
from eval.graph_editor.report import GraphFigures, JudgedGoal
from eval.graph_editor.scoring import judged
from eval.judged import Judged
from eval.results import Results, fingerprint

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent

LOOP = (
    *("models", "tools", "agents/graph_editor/tools.py", "agents/graph_editor/queries.py"),
    *("graphstore/writing.py", "graphstore/cypher", "graphstore/embedded"),
    *(_HERE / "loop.py", _HERE / "watching.py"),
)
"""What decides how the loop does: a result that was measured before one of these changed is measured again."""

AGENT = (
    *("agents/graph_editor", "context", "kernel", "models", "tools", "runtime/reading", "runtime/receive.py"),
    *("runtime/perform.py", "runtime/validation.py", "graphstore/writing.py", "graphstore/cypher"),
    *("graphstore/embedded", "graphstore/wording.py", _HERE / "agent.py", _HERE / "watching.py"),
)
"""The same for the agent."""


class GraphEditing(Evaluation):
    """Goals over known graphs. Raises UsageError where goals or graphs cannot be read, or do not fit each other."""

    name = "graph_editor"

    def __init__(self, folder: Path) -> None:
        self._goals = read_goals(folder)
        self._begin = {goal.id: goal.begin(folder) for goal in self._goals}

    @property
    def ids(self) -> list[str]:
        return [goal.id for goal in self._goals]

    async def run(self, ids: Sequence[str], model: BaseChatModel, name: str, results: Path) -> GraphFigures:
        goals = [goal for goal in self._goals if not ids or goal.id in ids]

        async def worked(
            work: Callable[[Goal, State, BaseChatModel], Awaitable[Outcome]], kept: Results[Outcome]
        ) -> list[JudgedGoal]:
            found = await each(
                goals,
                lambda goal: work(goal, self._begin[goal.id], model),
                # Nobody is to see by chance why a test goal went wrong: it would be no test any more.
                lambda goal, outcome: self._judged(goal, outcome).told(always=bool(ids)),
                lambda goal: {**goal.decides(), "begin": [e.to_json() for e in self._begin[goal.id].values()]},
                kept,
            )
            return [self._judged(goal, outcome) for goal, outcome in zip(goals, found, strict=True)]

        note("the agent:")
        agent = await worked(work_by_agent, Results(results / "agent", name, Outcome, fingerprint(AGENT)))
        note("the plain loop:")
        loop = await worked(work_by_loop, Results(results / "loop", name, Outcome, fingerprint(LOOP)))
        return GraphFigures(name, agent, loop)

    def _judged(self, goal: Goal, outcome: Outcome) -> JudgedGoal:
        return Judged(goal, outcome, judged(goal, self._begin[goal.id], outcome))
