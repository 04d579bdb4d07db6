"""What tests of the graph editor share: turns with it, a goal of twenty steps, the graph held against its journal."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runtime_support import scripted

from graphwright import Agent, Turn, load
from graphwright.graphstore import AddEdge, AddNode, Edge, Element, GraphStore, Node, Write, open_graph
from graphwright.graphstore.embedded.engine import EmbeddedEngine
from graphwright.graphstore.opening import FILE, FOLDER


def goal_spec(tool: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A rule: the model understands a goal, a simple one where `tool` is its one call."""
    spec = {"intent": "mixed", "complexity": "simple" if tool else "complex", "confidence": 0.9, "tool": tool}
    return {"offers": "GoalSpec", "call": {"GoalSpec": {**spec, **fields}}}


def call(tool_name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_name": tool_name, "arguments": arguments}


def step_plan(tool: Mapping[str, Any] | None, *, final: bool = False, **more: Any) -> dict[str, Any]:
    """A rule: the model plans a step."""
    return {"offers": "StepPlan", "call": {"StepPlan": {"tool": tool, "is_final": final}}, **more}


def add(label: str, key: str, /, **properties: Any) -> dict[str, Any]:
    return call("add_node", label=label, key=key, properties=properties)


def update(key: str, /, **properties: Any) -> dict[str, Any]:
    return call("update_props", key=key, properties=properties)


NOTHING_LEFT = step_plan(None)
PLAN_NOTHING = [NOTHING_LEFT] * 8
NONSENSE = goal_spec(update("nobody", note="nothing"))
"""A model that is of no use: it takes the request for something else, and then sees nothing to do."""


class Twenty:
    """A goal of twenty writing steps over nodes whose keys begin with `prefix`.

    `text` is the request, `graph` what it makes of an empty one. `calls` are the steps, `told` how each is told of.
    `rules` are a model that goes on from whatever the prompt shows as done, so that they serve a process that takes
    over from another one as well; it takes `delay` seconds each time. With `deleting` the last two steps are deletes.
    """

    def __init__(self, prefix: str = "T", *, deleting: bool = False, delay: float = 0.0) -> None:
        keys = [f"{prefix}-{number}" for number in range(1, 9)]
        parts = list(itertools.pairwise(keys))
        nodes = [Node("Task", key, {"size": size}) for size, key in enumerate(keys, 1)]
        edges = [Edge("Task", one, "BEFORE", "Task", other, {}) for one, other in parts]
        sizes = ", ".join(f"{key} with size {size}" for size, key in enumerate(keys, 1))
        told = [f"+ Task {node.key} " for node in nodes]
        told += [f"+ Task {one} -[BEFORE]-> Task {other}" for one, other in parts]
        self.calls = [call("add_node", label="Task", key=n.key, properties=dict(n.properties)) for n in nodes]
        self.calls += [call("add_edge", from_key=one, type="BEFORE", to_key=other) for one, other in parts]
        self.text = f"Add tasks {sizes}. Connect each with the next one by BEFORE."
        for key, value in zip(keys, (91, 92, 93) if deleting else (91, 92, 93, 94, 95), strict=False):
            self.calls.append(call("update_props", key=key, properties={"weight": value}))
            told.append(f"~ Task {key} weight: (none) -> {value}")
            self.text += f" Set the weight of {key} to {value}."
            nodes[keys.index(key)] = Node("Task", key, {**nodes[keys.index(key)].properties, "weight": value})
        if deleting:
            self.text += f" Delete {keys[-1]}. Remove the edge from {keys[0]} to {keys[1]}."
            self.calls.append(call("delete_node", key=keys[-1]))
            self.calls.append(call("delete_edge", from_key=keys[0], type="BEFORE", to_key=keys[1]))
            told += [f"- Task {keys[-1]}", f"- Task {keys[0]} -[BEFORE]-> Task {keys[1]}"]
            nodes, edges = nodes[:-1], edges[1:-1]
        self.told = told
        self.graph: list[Element] = sorted(nodes, key=lambda e: e.identity) + sorted(edges, key=lambda e: e.identity)  # type: ignore[operator]
        self.rules = [{**goal_spec(), "says": re.escape(self.text), "delay": delay}]
        for number in reversed(range(20)):
            rule = step_plan(
                self.calls[number], final=number == 19, says=rf"(^|\n){re.escape(told[number - 1])}", delay=delay
            )
            if number == 0:
                rule["says"] = re.escape(self.text)
            self.rules.append(rule)


def graph_file(home: Path) -> Path:
    """The file of the graph in a data folder."""
    return home / FOLDER / FILE


@contextmanager
def engine(home: Path) -> Iterator[EmbeddedEngine]:
    """The graph of a data folder, opened beside whoever works on it, in this process and for a moment."""
    graph_file(home).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    opened = EmbeddedEngine(graph_file(home))
    try:
        yield opened
    finally:
        opened.close()


def contents(store: GraphStore) -> list[Element]:
    return list(store.export())


def assert_as_the_journal_says(store: GraphStore) -> None:
    """The graph must be what the steps of the journal add up to, and each step must have found what it says."""
    built: dict[tuple[str, ...], Element] = {}
    steps = [step for goal in store.goals(most=1000) for step in goal.steps if step.changes]
    for step in sorted(steps, key=lambda step: step.version):
        for change in step.changes:
            identity = change.element.identity
            assert built.get(identity) == change.before, step
            if change.after is None:
                del built[identity]
            else:
                built[identity] = change.after
    there = contents(store)
    assert {element.identity: element for element in there} == built
    assert store.version() == len(steps)


@cache
def editor() -> Agent:
    return load("graph_editor")


def _begin(store: GraphStore) -> None:
    """Let ann know bob."""
    goal = store.begin_goal("before", key="before").id
    for number, write in enumerate([AddNode("User", "ann"), AddNode("User", "bob"), AddEdge("ann", "KNOWS", "bob")]):
        store.apply([write], goal=goal, key=f"before {number}")
    store.finish_goal(goal, "done")


@contextmanager
def at_work(home: Path) -> Iterator[EmbeddedEngine]:
    """The graph that the agent works on, in this process: ann knows bob. Its engine waits but shortly for locks."""
    graph_file(home).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = EmbeddedEngine(graph_file(home), lock_seconds=0.1)
    try:
        _begin(store)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("graphwright.agents.graph_editor.goals.open_graph", lambda home: store)
            yield store
    finally:
        store.close()


@pytest.fixture
def made() -> Agent:
    return editor()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    """The graph that the agent works on: ann knows bob."""
    with at_work(tmp_path) as store:
        yield store


@contextmanager
def opened(home: Path) -> Iterator[GraphStore]:
    """The graph that the agent works on, in this process; afterwards it is let go."""
    store = open_graph(home)
    try:
        yield store
    finally:
        store.close()


async def say(made: Agent, home: Path, text: str, *rules: dict[str, Any], thread: str = "t", **more: Any) -> Turn:
    """One turn; the model has these rules, each for one answer, and all of them are needed."""
    model = scripted(*[{"times": 1, **rule} for rule in rules])
    async with made.session(thread, model=model, home=home, **more) as session:
        turn = await session.send(text)
    assert model.verify() == []
    assert model.unexpected == ()
    return turn


def keys(store: GraphStore) -> list[str]:
    return [element.identity[-1] for element in store.export() if element.identity[0] == "node"]


async def played(
    home: Path, graph: Sequence[Write], *turns: tuple[Any, ...]
) -> tuple[list[Element], list[Element], Turn]:
    """The graph before and after, and the last turn; every turn is a message and its rules, of which none may lack."""
    with opened(home) as store:
        goal = store.begin_goal("s", key="s").id
        for number, write in enumerate(graph):
            store.apply([write], goal=goal, key=str(number))
        before = contents(store)
        for text, *rules in turns:
            model = scripted(*[{"times": 1, **rule} for rule in rules])
            async with editor().session("t", model=model, home=home) as session:
                last = await session.send(text)
            # A turn that fails, or that its model cannot go on with, writes nothing whatever the agent would do.
            assert last.error is None, last.error
            assert model.unexpected == ()
        return before, contents(store), last


async def play(home: Path, graph: Sequence[Write], *turns: tuple[Any, ...]) -> tuple[set[str], set[str], Turn]:
    """The same, with the graphs as sets of lines."""
    before, after, last = await played(home, graph, *turns)
    return set(map(_line, before)), set(map(_line, after)), last


def _line(element: Element) -> str:
    values = ", ".join(f"{name}={value}" for name, value in sorted(element.properties.items()))
    return f"{element.name} {values}".strip()
