"""The evaluation of the graph editor: goals over the graphs of a folder, judged by the graph in the end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eval.conversing import ExpectedStates, Informed, Plain, Played
from eval.graph_editor.loop import play_loop
from eval.graph_editor.world import Goal, Graph, after, opened_graph, state_of
from eval.reading import read_cases
from eval.stateful import Stateful
from graphwright.errors import UsageError
from graphwright_graph._elements import Element, element

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Graphs(Stateful[Goal]):
    """Cases of the graph editor, and their worlds: the graphs of a folder."""

    agent = "graph_editor"

    def __init__(self, cases: Sequence[Goal], graphs: Path) -> None:
        super().__init__(cases)
        self._graphs = graphs

    @classmethod
    def read(cls, folder: Path) -> Graphs:
        """The cases in a folder. Raises UsageError for an unreadable file."""
        return cls(read_cases(Goal, folder / "cases.yaml"), folder / "graphs")

    async def expected_states(self, case: Goal) -> ExpectedStates:
        begin = state_of(self._elements(case))
        try:
            return ExpectedStates(begin, (after(begin, case.expect),), {})
        except ValueError as error:
            raise UsageError("bad_case", f"{case.id}: {error}", "Mend the case.") from error

    def informed(self, case: Goal, wanted: ExpectedStates) -> Informed:
        """A user who only has the replies of the case."""
        return Plain()

    async def play_loop(self, case: Goal, world: Graph, model: BaseChatModel) -> Played:
        return await play_loop(case, world, model)

    @asynccontextmanager
    async def world(self, case: Goal, folder: Path) -> AsyncIterator[Graph]:
        """The graph of a case, newly created, in an empty folder."""
        with opened_graph(folder) as store:
            store.load(self._elements(case), text="the graph of a case")
            yield Graph(folder, store)

    def _elements(self, case: Goal) -> list[Element]:
        file = self._graphs / f"{case.graph}.json"
        try:
            data = json.loads(file.read_text("utf-8"))
            return [element(each) for each in [*data["nodes"], *data["edges"]]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError("bad_case", f"the graph {file} cannot be read: {error}", "Correct the file.") from error
