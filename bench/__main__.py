"""`python -m bench`: measure everything in one run, print the tables, and write them into a page."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from bench import (
    assistant,
    compiling,
    data_scientist,
    editor,
    files,
    graph,
    growth,
    kernel,
    knowledge,
    machine,
    migration,
    page,
    sandbox,
    service,
    turns,
    upgrade,
    upgrade_agent,
)
from bench.engines import langgraph_nodes
from bench.measure import Case, measure
from bench.scale import FULL, QUICK, Scale
from bench.targets import targets


def notify(what: str) -> None:
    """Print progress."""
    print(f"bench: {what}", file=sys.stderr, flush=True)


def all_cases(work: Path, home: Path, folders: dict[int, Path], scale: Scale) -> Iterator[Case]:
    """All cases that are measured in this process. Engines that are not installed are left out."""
    yield from machine.cases(work)
    yield from kernel.cases(scale)
    yield from turns.cases(work, home, scale)
    yield from langgraph_nodes.cases(work / "langgraph", scale)
    if find_spec("burr"):
        from bench.engines import burr_nodes

        yield from burr_nodes.cases(work / "burr", scale)
    if find_spec("pydantic_graph"):
        from bench.engines import pydantic_nodes

        yield from pydantic_nodes.cases(scale)
    yield from compiling.cases(folders)
    yield from graph.cases(home, scale)


async def run(scale: Scale) -> str:
    """Measure, and return the tables."""
    began, load = time.perf_counter(), machine.load()
    with tempfile.TemporaryDirectory(prefix="graphwright-bench-") as folder:
        work, home = Path(folder) / "work", Path(folder) / "home"
        work.mkdir()
        grown = await growth.bytes_a_turn(work, home, scale, notify)
        folders = compiling.folders(work, scale)
        imported = graph.imported(work, home, scale, notify)
        results = imported | graph.staged(home, scale, notify)
        results |= await measure(list(all_cases(work, home, folders, scale)), scale.rounds, notify)
        results |= compiling.commands(folders, scale.processes, notify)
        results |= await migration.migrated(work / "migration", scale, notify)
        graphs = {editor.SMALL: home / "editor", f"a graph of {scale.graph[0]:,} nodes": home}
        results |= await editor.steps(graphs, scale, notify)
        results |= await upgrade.served(work / "upgrade", scale, notify)
        results |= await upgrade_agent.turns(work / "upgrade_agent", scale, notify)
        results |= await data_scientist.turns(work / "data_scientist", scale, notify)
        results |= await assistant.turns(work / "assistant", scale, notify)
        results |= files.read(work / "files", scale, notify)
        results |= knowledge.searched(work / "knowledge", scale, notify)
        results |= sandbox.executions(work / "sandbox", scale, notify)
        of_service = await service.served(work / "service", scale, notify)
        results |= of_service.results
        facts = {
            "Measured": f"{datetime.now(UTC):%Y-%m-%d}, in {time.perf_counter() - began:.0f} s",
            "Machine": machine.described(work),
            "Load": f"{load} before, {machine.load()} after",
            "Versions": machine.versions(),
        }
    return page.tables(
        facts, results, grown, list(targets(results, next(iter(grown.values())), of_service.memory, scale))
    )


def main() -> None:
    """Read the command line, measure, print, and write."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few samples of small things: shows that it runs")
    parser.add_argument("--page", type=Path, help="write the tables into this page, between its marks")
    given = parser.parse_args()
    try:
        place = page.Place(given.page) if given.page else None
    except (OSError, ValueError) as error:
        parser.error(str(error))
    text = asyncio.run(run(QUICK if given.quick else FULL))
    print(text)
    if place:
        place.write(text)


if __name__ == "__main__":
    main()
