"""The graphs of the cases: read from JSON, loaded into a data folder, and the expected changes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from eval.cases import Case, Outcome
from eval.conversing import ExpectedStates, Informed, Plain
from eval.reading import read_named
from eval.states import State
from eval.values import same
from graphwright.config import without_file
from graphwright.errors import UsageError
from graphwright_graph import GraphStore, open_graph
from graphwright_graph._elements import Element, Node, element

_VARIABLE = "GRAPHWRIGHT_GRAPH"


class Wish(Outcome):
    """The expected outcome of a case. Elements are written as `Label/key`, or `Label/key TYPE Label/key`.

    `create` maps them to all their properties, `update` to those that change (null: removed), `delete` lists them; the
    edges of a node are deleted with it.
    """

    create: dict[str, dict[str, Any]] = Field(default_factory=dict)
    update: dict[str, dict[str, Any]] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()


class Goal(Case):
    """A case of the graph editor, over the graph `graphs/NAME.json`."""

    graph: str
    expect: Wish


class Graph:
    """A graph in a data folder. Inside, neither environment nor configuration file refer to any other graph."""

    def __init__(self, folder: Path, store: GraphStore) -> None:
        self.folder = folder
        self.store = store

    async def state(self) -> State:
        return state_of(self.store.export())

    @asynccontextmanager
    async def copied(self, folder: Path) -> AsyncIterator[Graph]:
        shutil.copytree(self.folder, folder)
        with _open_graph(folder) as store:
            yield Graph(folder, store)


class Graphs:
    """Cases of the graph editor, and their worlds: the graphs of a folder."""

    agent = "graph_editor"

    def __init__(self, cases: Sequence[Goal], graphs: Path) -> None:
        self.cases = cases
        self._graphs = graphs

    @classmethod
    def read(cls, folder: Path) -> Graphs:
        """The cases in a folder. Raises UsageError for an unreadable file."""
        return cls(read_named(Goal, folder / "cases.yaml"), folder / "graphs")

    async def expected_states(self, case: Goal) -> ExpectedStates:
        begin = state_of(self._elements(case))
        try:
            return ExpectedStates(begin, (after(begin, case.expect),), {})
        except ValueError as error:
            raise UsageError("bad_case", f"{case.id}: {error}", "Mend the case.") from error

    def informed(self, case: Goal, wanted: ExpectedStates) -> Informed:
        """A user who only has the replies of the case."""
        return Plain()

    @asynccontextmanager
    async def world(self, case: Goal, folder: Path) -> AsyncIterator[Graph]:
        """The graph of a case, newly created, in an empty folder."""
        with _open_graph(folder) as store:
            store.load(self._elements(case), text="the graph of a case")
            yield Graph(folder, store)

    def _elements(self, case: Goal) -> list[Element]:
        file = self._graphs / f"{case.graph}.json"
        try:
            data = json.loads(file.read_text("utf-8"))
            return [element(each) for each in [*data["nodes"], *data["edges"]]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError("bad_case", f"the graph {file} cannot be read: {error}", "Mend the file.") from error


def state_of(elements: Iterable[Element]) -> State:
    """The properties of each element by its name, `Label/key` or `Label/key TYPE Label/key`."""
    return {_name(each): dict(each.properties) for each in elements}


def after(state: State, wish: Wish) -> State:
    """The state after the changes of a wish. Raises ValueError for an impossible change, or one without an effect."""
    found = dict(state)
    for name in wish.delete:
        if name not in found:
            raise ValueError(f"{name} cannot be deleted: it is not there")
        # An edge is deleted with either of its nodes.
        found = {
            n: f for n, f in found.items() if n != name and not n.startswith(f"{name} ") and not n.endswith(f" {name}")
        }
    for name, properties in wish.create.items():
        if name in found:
            raise ValueError(f"{name} cannot be created: it is there")
        found[name] = properties
    for name, properties in wish.update.items():
        if name not in found:
            raise ValueError(f"{name} cannot be updated: it is not there")
        if same_already := [key for key, value in properties.items() if same(value, found[name].get(key))]:
            raise ValueError(f"{name}: {same_already[0]} is {properties[same_already[0]]!r} already")
        found[name] = {key: value for key, value in {**found[name], **properties}.items() if value is not None}
    for name in found:
        start, *rest = name.split(" ")
        if rest and not (start in found and rest[-1] in found):
            raise ValueError(f"{name}: one of its nodes is not there")
    return found


def _name(each: Element) -> str:
    if isinstance(each, Node):
        return f"{each.label}/{each.key}"
    return f"{each.from_label}/{each.from_key} {each.type} {each.to_label}/{each.to_key}"


@contextmanager
def _open_graph(folder: Path) -> Iterator[GraphStore]:
    before = os.environ.pop(_VARIABLE, None)
    try:
        with without_file():
            store = open_graph(folder)
            try:
                yield store
            finally:
                store.close()
    finally:
        if before is not None:
            os.environ[_VARIABLE] = before
