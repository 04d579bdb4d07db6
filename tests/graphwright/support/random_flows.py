"""Random flows of questions and decisions, and conversations over them."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from host_support import agent


class Plan:
    """A random flow: questions on the main way, each followed by a decision between two branches; three ends.

    Guards read answers of the main way, or a channel that an action computed from one.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.main: list[str] = []
        self.nodes: list[str] = []
        self.edges: list[str] = []
        self.channels: list[str] = []
        for number in range(chance.randint(2, 4)):
            self._segment(number)
        ends = ["c0", "c1", "c2"]
        self.nodes += ["{id: d.end, type: decision}", "{id: d.other, type: decision}"]
        self._branch("d.end", "c0", "d.other")
        self._branch("d.other", "c1", "c2")
        for end in ends:
            asks = 'type: question, key: sure, read: confirm, ask: always, prompt: "Sure?"'
            self.nodes += [f"{{id: {end}, {asks}}}", f"{{id: t.{end}, type: terminal}}"]
            self.edges += [f"{{from: {end}, to: t.{end}, guard: answers.sure == true}}"]
            self.edges += [f"{{from: {end}, to: {end}, guard: else}}"]

    def _segment(self, number: int) -> None:
        key, computes = f"k{number}", self.chance.random() < 0.4
        when = f', when: "{self._guard()}"' if self.main and self.chance.random() < 0.3 else ""
        last = f"a{number}" if computes else f"q.{key}"
        self._question(key)
        self.main.append(key)
        if computes:
            self.nodes.append(f"{{id: {last}, type: action, run: odd_{number}}}")
            self.edges.append(f"{{from: q.{key}, to: {last}}}")
            self.channels.append(f"odd{number}")
        self.nodes.append(f"{{id: d{number}, type: decision}}")
        self.edges.append(f"{{from: {last}, to: d{number}}}")
        branches = [f"{key}x", f"{key}y"]
        for branch, more in zip(branches, (when, ""), strict=True):
            self._question(branch, more)
            self.edges.append(f"{{from: q.{branch}, to: NEXT{number}}}")
        self._branch(f"d{number}", *(self.chance.choice([f"q.{branch}", f"NEXT{number}"]) for branch in branches))

    def _question(self, key: str, more: str = "") -> None:
        schema = "schema: {type: integer, minimum: 0, maximum: 2}"
        self.nodes.append(f'{{id: q.{key}, type: question, key: {key}, prompt: "{key}?", {schema}{more}}}')

    def _guard(self, last: int = 9) -> str:
        """A guard over what is known after the question of this number."""
        keys, channels = self.main[: last + 1], [each for each in self.channels if int(each[3:]) <= last]
        return self.chance.choice([*(f"answers.{key} == {self.chance.randint(0, 2)}" for key in keys), *channels])

    def _branch(self, node: str, one: str, other: str) -> None:
        self.edges.append(f'{{from: {node}, to: {one}, guard: "{self._guard()}"}}')
        self.edges.append(f"{{from: {node}, to: {other}, guard: else}}")

    def edit(self) -> None:
        """Replace the guards of about half of the decisions."""
        for place, edge in enumerate(self.edges):
            found = re.match(r"{from: d(\d+|\.\w+), to: .*guard: \"", edge)
            if found and self.chance.random() < 0.5:
                last = int(found[1]) if found[1].isdecimal() else len(self.main)
                self.edges[place] = f'{found[0]}{self._guard(last)}"}}'

    def build(self, folder: Path) -> Any:
        state = [f"  {name}: {{type: boolean, default: false}}" for name in self.channels]
        edges = "\n".join(f"  - {edge}" for edge in self.edges)
        for number in range(len(self.main)):
            follows = f"q.k{number + 1}" if number + 1 < len(self.main) else "d.end"
            edges = edges.replace(f"NEXT{number}}}", f"{follows}}}").replace(f"NEXT{number},", f"{follows},")
        parts = ["state:" if state else "", *state, "nodes:", *(f"  - {node}" for node in self.nodes), "edges:", edges]
        code = [
            f"@action(reads=['answers.k{name[3:]}'], writes=['{name}'], effects=False)\n"
            f"def odd_{name[3:]}(state, ctx):\n"
            f"    return {{'{name}': state['answers']['k{name[3:]}'] % 2 == 1}}\n"
            for name in self.channels
        ]
        return agent(folder, "\n".join(parts), "\n".join(code))


def finished(session: Any, values: Any) -> tuple[str, dict[str, Any]]:
    """Answer every question from `values` until the flow ends; the end, and the answers."""
    turn, turns = session.start(), 0
    while turn.waiting_for is not None:
        turns += 1
        assert turns < 50
        kind, key = turn.waiting_for.kind, turn.waiting_for.key
        turn = session.send("yes") if kind == "confirm" else session.resume(values(key))
    return turn.path[-1], turn.values["answers"]
