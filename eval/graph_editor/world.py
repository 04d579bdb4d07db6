"""The graphs of the cases: read from JSON, loaded into a data folder, and the expected changes."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from eval.cases import Case, Outcome
from eval.environment import environment
from eval.states import State
from eval.values import same
from graphwright.config import without_file
from graphwright_graph import GraphStore, open_graph
from graphwright_graph._elements import Element, Node

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
        with opened_graph(folder) as store:
            yield Graph(folder, store)


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
def opened_graph(folder: Path) -> Iterator[GraphStore]:
    """The graph of a data folder, whatever the environment and the configuration file name."""
    with environment({_VARIABLE: None}), without_file(), closing(open_graph(folder)) as store:
        yield store
