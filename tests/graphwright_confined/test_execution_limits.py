"""The limits of an execution: each ends it, is named, and does not affect the next execution."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphwright_confined import ExecutionLimits, Sandbox
from graphwright_confined.formatting import result_text
from sandbox_support import each_isolation, started_sandbox

LIMITS = ExecutionLimits(
    cpu_seconds=1,
    wall_seconds=30,
    memory=256 * 2**20,
    threads=40,
    descriptors=100,
    output=100_000,
    result=300_000,
)
LATE = 3
"""Maximum seconds between the limit and the end, as documented."""


@pytest.fixture(scope="module", params=each_isolation())
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with started_sandbox(request.param, LIMITS) as made:
        yield made


PROGRAMS: dict[str, tuple[str, str]] = {
    "an endless loop": ("1 s of CPU time", "while True: pass"),
    "a representation that holds signals": (
        "1 s of CPU time",
        "import re, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "class A:\n    def __repr__(self): return str(re.match('(a*)*b', 'a' * 60))\nresult = A()",
    ),
    "one in many threads": (
        "1 s of CPU time",
        "import threading\ndef spin():\n    while True: pass\n"
        "for _ in range(8): threading.Thread(target=spin).start()\nspin()",
    ),
    "sleep": ("1.5 s of wall time", "import time\nprint('before')\ntime.sleep(60)"),
    "a large array": ("256 MiB of memory", "np.ones((100_000, 100_000))"),
    "memory of the system": (
        "256 MiB of memory",
        "import mmap\nx = []\nwhile True: x.append(mmap.mmap(-1, 10**7))",
    ),
    "large stacks": (
        "256 MiB of memory",
        "import threading, time\nfor _ in range(9999): threading.Thread(target=time.sleep, args=(60,)).start()",
    ),
    "small stacks": (
        "40 threads",
        "import threading, time\nthreading.stack_size(32768)\n"
        "for _ in range(900): threading.Thread(target=time.sleep, args=(60,)).start()\ntime.sleep(60)",
    ),
    "open files": ("100 open files", "x = [open(np.__file__) for _ in range(500)]"),
    "prints": ("97.66 KiB of output", "while True: print('x' * 99)"),
    "prints by the system": ("97.66 KiB of output", "import os\nwhile True: os.write(1, b'x' * 5000)"),
    "a large result": ("293 KiB of result", "{str(i): 'x' * 5000 for i in range(100)}"),
    "a large figure": ("293 KiB of result", "fig = go.Figure(go.Scatter(y=[str(i) * 9 for i in range(50_000)]))"),
}


# The usual limits first; each of the others takes a second or more.
EVERYDAY = {"an endless loop", "sleep", "a large array", "small stacks", "open files", "prints", "a large result"}


@pytest.mark.parametrize("what", [pytest.param(n, marks=[] if n in EVERYDAY else [pytest.mark.slow]) for n in PROGRAMS])
def test_a_limit_ends_it_and_is_named(sandbox: Sandbox, what: str) -> None:
    limit, code = PROGRAMS[what]
    # Only programs that are to reach a time limit have a short one: a busy machine takes long to fill the memory.
    times = {"wall_seconds": 1.5} if "wall" in limit else {} if "CPU" in limit else {"cpu_seconds": 9}
    limits = LIMITS.model_copy(update=times)
    execution = sandbox.run(code, limits=limits)
    assert (execution.status, execution.limit) == ("stopped", limit), execution.error
    assert execution.error.message == f"The code was stopped at {limit}."
    assert execution.result.type == "none"
    assert execution.seconds < limits.wall_seconds + LATE
    assert len(execution.stdout) <= LIMITS.output
    if what == "sleep":
        assert execution.stdout == "before\n"
    assert result_text(sandbox.run("1 + 1").result) == "2"


def test_code_within_the_limits_works(sandbox: Sandbox) -> None:
    code = """
import threading, time
threads = [threading.Thread(target=np.ones, args=(1000,)) for _ in range(10)]
for thread in threads: thread.start()
for thread in threads: thread.join()
threading.Thread(target=time.sleep, args=(60,)).start()
print("x" * 90_000)
files = [open(np.__file__) for _ in range(50)]
try:
    np.ones((100_000, 100_000))
except MemoryError:
    print("caught")
result = float(np.ones(10_000_000).sum())
"""
    execution = sandbox.run(code, limits=LIMITS.model_copy(update={"cpu_seconds": 20}))
    assert (execution.status, execution.limit, result_text(execution.result)) == ("ok", None, "10000000")
    assert execution.seconds < LIMITS.wall_seconds, "a thread that is left running keeps nothing"
