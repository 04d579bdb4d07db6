"""Marks of a difference: rare on right proposals, and frequent on wrong ones, or the wrong node is visible by its name.

As a program, with `.` and `tests/support` in `PYTHONPATH`, it prints the shares and every line counted against them.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eval.conversing import after_yes
from graph_support import UNCONFINED
from graphwright import load
from graphwright.models._scripted import ScriptedModel
from proposals_support import Proposal, begun, goals

pytestmark = pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)

MOST_MARKED, LEAST_FOUND = 0.05, 0.70
MARK = "   <- "


@dataclass
class Lines:
    """The lines of differences: marked ones, those where only a name shows the error, and the others."""

    marked: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)

    @property
    def all(self) -> int:
        return len(self.marked) + len(self.named) + len(self.plain)

    def add(self, line: str) -> None:
        named = re.search(r'\S "[^"]+" (-\[|[a-z]\w*: )|\]-> \w+ \S+ "|(?:name|title|reason): ', line)
        place = self.marked if MARK in line else self.named if named else self.plain
        place.append(line)


async def measured(found: list[Proposal], folder: Path) -> tuple[Lines, Lines]:
    """The lines of the differences of proposals: right ones, and wrong ones."""
    right, wrong = Lines(), Lines()
    for number, proposal in enumerate(found):
        place = folder / str(number)
        place.mkdir()
        async with begun(proposal, place) as (world, wanted):
            model = ScriptedModel.from_rules(proposal.rules)
            async with load("graph_editor").session("case", model=model, home=world.folder) as session:
                turn = await session.send(proposal.case.says[0])
            lines = [line for line in turn.reply.split("\n") if re.match("[+~-] ", line)]
            then = await after_yes("graph_editor", world) if lines else wanted.begin
            strays = [re.findall(r"/(\S+)", thing) for thing, _ in wanted.strays(wanted.begin, then)]
            for line in lines:
                is_wrong = any(all(key in line.split(MARK)[0] for key in keys) for keys in strays)
                (wrong if is_wrong else right).add(line)
    return right, wrong


def slips(proposal: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The proposal with one error each and unchanged quotations: possible errors of a model that understood well."""
    for step, call in [(s, c) for s, calls in enumerate(proposal["steps"]) for c in range(len(calls))]:
        arguments = proposal["steps"][step][call]["arguments"]
        for name, value in (arguments.get("properties") or {}).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield "made-up number", _changed(proposal, step, call, ("properties", name), value * 3 + 7)
        others = [other["arguments"] for other in proposal["steps"][step] if other["arguments"] is not arguments]
        for other in others:
            for name in set(other.get("properties") or {}) & set(arguments.get("properties") or {}):
                if other["properties"][name] != arguments["properties"][name]:
                    value = other["properties"][name]
                    yield "swapped value", _changed(proposal, step, call, ("properties", name), value)
        for end in ("key", "from_key", "to_key"):
            is_new = proposal["steps"][step][call]["tool_name"] == "add_node"
            neighbour = "" if is_new or end not in arguments else _neighbour(proposal["graph"], arguments[end])
            if neighbour:
                yield "neighbour node", _changed(proposal, step, call, (end,), neighbour)
        if "from_key" in arguments:
            ends = {"from_key": "to_key", "to_key": "from_key", "from_label": "to_label", "to_label": "from_label"}
            turned = {ends.get(name, name): value for name, value in arguments.items()}
            yield "reversed edge", _changed(proposal, step, call, (), turned)


def _changed(proposal: dict[str, Any], step: int, call: int, path: tuple[str, ...], value: Any) -> dict[str, Any]:
    made = deepcopy(proposal)
    holder: Any = made["steps"][step][call]
    *above, last = ("arguments", *path)
    for name in above:
        holder = holder[name]
    holder[last] = value
    return {**made, "kind": "wrong"}


def _neighbour(graph: str, key: str) -> str:
    """The next node of the label in the graph."""
    nodes = goals.nodes(graph)
    label = next((node["label"] for node in nodes if node["key"] == key), "")
    same = [node["key"] for node in nodes if node["label"] == label]
    return str(same[(same.index(key) + 1) % len(same)]) if len(same) > 1 else ""


async def shares(folder: Path) -> tuple[Lines, Lines, Lines]:
    """The lines of right proposals, the wrong ones of wrong proposals, and the wrong ones of slips in right ones."""
    for name in ("right", "wrong", "slips"):
        (folder / name).mkdir()
    right, _ = await measured(goals.read("perfect"), folder / "right")
    _, wrong = await measured(goals.read("wrong"), folder / "wrong")
    made = [(kind, each) for proposal in goals.written("perfect") for kind, each in slips(proposal)]
    _, slipped = await measured([goals.proposal(each) for _, each in made], folder / "slips")
    return right, wrong, slipped


def share(part: list[str], lines: Lines) -> float:
    return len(part) / lines.all if lines.all else 0.0


@pytest.mark.slow
async def test_marks_tell_wrong_lines_from_right_ones(tmp_path: Path) -> None:
    right, wrong, slipped = await shares(tmp_path)
    assert right.all >= 20, right
    assert share(right.marked, right) <= MOST_MARKED, right.marked
    for lines in (wrong, slipped):
        assert lines.all >= 15, lines
        assert share(lines.marked + lines.named, lines) >= LEAST_FOUND, lines.plain


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for title, lines in zip(("right", "wrong", "slips"), asyncio.run(shares(Path(place))), strict=True):
            marked, named = (f"{share(part, lines):.0%}" for part in (lines.marked, lines.named))
            print(f"{title}: {lines.all} lines, {marked} marked, {named} named")
            for kind in ("marked", "named", "plain"):
                for line in getattr(lines, kind):
                    print(f"  {kind}: {line}")
    sys.exit(0)
