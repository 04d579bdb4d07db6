"""How the benchmark measures: cases that alternate in rounds, and the medians of their CPU and wall times."""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from statistics import median

Sample = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Case:
    """One measured case.

    `opened` returns, for one round, the function to call for each sample; its setup and teardown are not measured. A
    sample does the work `per` times.
    """

    key: str
    title: str
    opened: Callable[[], AbstractAsyncContextManager[Sample]]
    per: int = 1
    samples: int = 10


@dataclass
class Result:
    """The samples of a case: seconds for doing the work once."""

    title: str
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @property
    def cpu_median(self) -> float:
        return median(self.cpu)

    @property
    def wall_median(self) -> float:
        return median(self.wall)

    @contextmanager
    def timed(self, clock: Callable[[], float] = time.process_time, per: int = 1) -> Iterator[None]:
        """Add a sample: the block, which does the work `per` times, with its processor time by this clock."""
        wall, cpu = time.perf_counter(), clock()
        yield
        self.cpu.append((clock() - cpu) / per)
        self.wall.append((time.perf_counter() - wall) / per)

    def wall_of(self, share: float) -> float:
        """The time that this proportion of the samples did not exceed."""
        return sorted(self.wall)[min(int(len(self.wall) * share), len(self.wall) - 1)]


def children() -> float:
    """The processor seconds of the ended child processes."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def steady(sample: Sample) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    """For a case without setup."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        yield sample

    return opened


def repeated(work: Callable[[], object], times: int) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    """For a case that is too short for the clock: a sample calls `work` so many times."""

    async def sample() -> None:
        for _ in range(times):
            work()

    return steady(sample)


async def measure(cases: Sequence[Case], rounds: int, notify: Callable[[str], None]) -> dict[str, Result]:
    """The results by key. Every round runs every case, so that a disturbance of the machine affects all equally."""
    results = {case.key: Result(case.title) for case in cases}
    # Exclude the objects of the cases from the garbage collector, so that cases do not affect each other.
    gc.collect()
    gc.freeze()
    try:
        for number in range(rounds):
            notify(f"round {number + 1} of {rounds}")
            # Start at another case in each round, so that no case always follows the same neighbour.
            start = number * len(cases) // rounds
            for case in (*cases[start:], *cases[:start]):
                async with case.opened() as sample:
                    await sample()
                    for _ in range(case.samples):
                        with results[case.key].timed(per=case.per):
                            await sample()
    finally:
        gc.unfreeze()
    return results


def duration(seconds: float) -> str:
    """Seconds with a readable unit."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.{0 if seconds * factor >= 100 else 2 if seconds * factor < 10 else 1}f} {unit}"
    raise AssertionError
