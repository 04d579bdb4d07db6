"""The growth of the files: threads of a thousand turns, and the bytes stored by a turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.engines import langgraph_nodes
from bench.flows import PURE, agent, one_action, pure
from bench.scale import Scale
from bench.turns import thread_of
from graphwright import Agent


async def bytes_a_turn(work: Path, home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, float]:
    """The growth by title, that of the target first. The long threads are kept in `home` for measurements."""
    few, many = scale.turns[-2:]
    talker = agent(work / "talk", one_action())
    sizes = {}
    for turns in (few, many):
        notify(f"a thread of {turns:,} turns")
        sizes[turns] = await _talked(talker, home, thread_of(turns), turns)
    grown = {f"one question, one action, turns {few:,} to {many:,}": (sizes[many] - sizes[few]) / (many - few)}
    notify(f"threads of {few:,} turns over ten nodes")
    walker = agent(work / "walk", pure(PURE))
    ours = [await _talked(walker, home, f"walk{turns}", turns) for turns in (1, few)]
    grown[f"one question, ten pure nodes, turns 1 to {few:,}"] = (ours[1] - ours[0]) / (few - 1)
    theirs = []
    for turns in (1, few):
        file = work / f"langgraph{turns}.db"
        await langgraph_nodes.talk(file, turns)
        theirs.append(_size(file))
    grown["the same in LangGraph, AsyncSqliteSaver, after each step"] = (theirs[1] - theirs[0]) / (few - 1)
    return grown


async def _talked(made: Agent, home: Path, thread: str, turns: int) -> int:
    """A new thread of `turns` turns. Returns the size of its data folder after closing, in bytes."""
    async with made.session(thread, home=home / thread) as session:
        await session.send("Hello")
        for _ in range(turns - 1):
            await session.send("red")
    return _size(home / thread)


def _size(path: Path) -> int:
    """The size of a file, or of all files of a folder, in bytes."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())
