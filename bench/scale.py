"""The amount of measurements: the full benchmark, and a quick one that only shows that everything runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """The sizes of the benchmark.

    `nodes` are the sizes of flows, `turns` the lengths of threads; the growth of the database is measured between the
    last two lengths. `samples` are the turns in one round, `processes` the runs of each command, `graph` the nodes and
    edges of the imported graph, `goals` those of the graph editor in each graph, a fourth of the turns of each kind
    with the other agents. `experiments` are those in the UpGrade service, `requests` its assigns and marks. `records`
    are the rows of the data file, `pages` the indexed documents. `conversations` run at once, each with so many
    `exchanges`. `threads` wait when their flow is changed.
    """

    rounds: int
    samples: int
    nodes: tuple[int, ...]
    turns: tuple[int, ...]
    processes: int
    graph: tuple[int, int]
    goals: int
    experiments: int
    requests: int
    records: int
    pages: int
    conversations: int
    exchanges: int
    threads: int


FULL = Scale(
    rounds=8,
    samples=10,
    nodes=(10, 100, 1_000, 5_000),
    turns=(1, 100, 1_000),
    processes=7,
    graph=(100_000, 300_000),
    goals=5,
    experiments=1_000,
    requests=2_000,
    records=1_000_000,
    pages=10_000,
    conversations=200,
    exchanges=5,
    threads=10_000,
)
QUICK = Scale(
    rounds=1,
    samples=1,
    nodes=(10, 40),
    turns=(1, 3, 6),
    processes=1,
    graph=(200, 600),
    goals=1,
    experiments=20,
    requests=40,
    records=500,
    pages=20,
    conversations=3,
    exchanges=1,
    threads=30,
)
