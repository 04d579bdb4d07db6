"""The warm processes: their start, their end, and that nothing of them is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from graphwright_confined import ExecutionLimits, Sandbox
from graphwright_confined import _executor as executor
from graphwright_confined._isolation_levels import CONTAINER
from graphwright_confined._worker import Worker
from graphwright_confined.formatting import result_text
from sandbox_support import descendants, each_isolation, needs_bubblewrap, needs_sandbox, started_sandbox
from waiting_support import runs, wait_until


@pytest.fixture(params=each_isolation())
def isolation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sandbox(isolation: str) -> Iterator[Sandbox]:
    with started_sandbox(isolation, ExecutionLimits(cpu_seconds=5, wall_seconds=20)) as made:
        yield made


def works(sandbox: Sandbox) -> bool:
    return result_text(sandbox.run("1 + 1").result) == "2"


def until_gone(processes: set[int]) -> None:
    wait_until(lambda: not any(runs(process) for process in processes))


@pytest.mark.slow
def test_many_executions_leave_nothing_and_closing_ends_all(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "RUNS", 30)
    assert sandbox._worker is not None
    # Processes of earlier tests, such as a reader of files, do not belong to the sandbox.
    first = sandbox._worker.pid
    others = descendants(os.getpid()) - {first} - descendants(first)
    seen, descriptors = set(), 0
    for number in range(100):
        code = f"fig = px.bar(x=['a'], y=[{number}])\nresult = {number}" if number % 4 == 0 else f"result = {number}"
        assert result_text(sandbox.run(code).result) == str(number)
        seen.add(sandbox._worker and sandbox._worker.pid)
        if number == 10:
            descriptors = len(os.listdir("/proc/self/fd"))
    assert len(seen - {None}) in (4, 5), "a warm process is replaced after so many runs"
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 3, "a worker has three"
    below = descendants(os.getpid()) - others
    assert below
    sandbox.close()
    sandbox.close()
    until_gone(below)
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda number: result_text(sandbox.run(f"{number} * 10").result), range(8))
    assert list(found) == [str(number * 10) for number in range(8)], "it starts anew, and threads take turns"


def grouped(process: int) -> set[int]:
    """The processes of the group that this one leads."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, group = (folder / "stat").read_bytes().rpartition(b") ")[2].split()[:3]
            if int(group) == process and state != b"Z":
                found.add(int(folder.name))
    return found


@pytest.mark.slow
@needs_bubblewrap
def test_a_container_that_is_closed_while_it_starts_leaves_nothing() -> None:
    for number in range(30):
        worker = Worker(CONTAINER)
        time.sleep(number % 10 / 1_000)
        worker.close()
        until_gone(grouped(worker.pid))


@pytest.mark.parametrize("when", ["between", "during"])
def test_a_killed_worker_is_replaced(sandbox: Sandbox, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert works(sandbox)
    worker = sandbox._worker
    below = descendants(worker.pid)
    if when == "between":
        os.kill(worker.pid, signal.SIGKILL)
        until_gone(below)
    else:
        execute = Worker.execute

        def executed(self: Worker, *given: Any) -> None:
            execute(self, *given)
            threading.Timer(0.2, os.kill, (worker.pid, signal.SIGKILL)).start()

        monkeypatch.setattr(Worker, "execute", executed)
        execution = sandbox.run("import time\ntime.sleep(15)")
        assert execution.status == "stopped"
        assert "ended" in execution.error.message
        monkeypatch.undo()
        until_gone(below)
    assert works(sandbox)


OWNER = """
import os, sys, threading
from graphwright_confined import Sandbox
sandbox = Sandbox(isolation=sys.argv[1])
sandbox.run("1")
sandbox.run("1")
print("ready", flush=True)
sandbox.run("import time\\nwhile True: time.sleep(0.01)")
"""


@pytest.mark.slow
def test_everything_ends_with_its_owner(isolation: str) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, isolation],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout.readline() == "ready\n"
    time.sleep(0.5)
    below = descendants(owner.pid)
    # A warm process, its spare, and the child that runs.
    assert len(below) >= 3
    owner.kill()
    owner.communicate()
    until_gone(below)


def test_an_interrupted_run_leaves_a_sandbox_that_works(sandbox: Sandbox) -> None:
    works(sandbox)
    timer = threading.Timer(0.5, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sandbox.run("import time\ntime.sleep(15)")
    assert works(sandbox)


FORKED = """
import os, sys
from graphwright_confined import Sandbox
from graphwright_confined.formatting import result_text
sandbox = Sandbox(isolation=sys.argv[1])
assert result_text(sandbox.run("1 + 1").result) == "2"
child = os.fork()
if child == 0:
    right = result_text(sandbox.run("2 + 2").result) == "4"
    sandbox.close()
    os._exit(0 if right else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert result_text(sandbox.run("3 + 3").result) == "6"
"""


@pytest.mark.slow
def test_a_fork_has_its_own_worker(isolation: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, isolation],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@needs_sandbox
def test_importing_it_starts_and_loads_nothing() -> None:
    code = """
import os, sys
import graphwright_confined
assert "pydantic" not in sys.modules and "pandas" not in sys.modules
from graphwright_confined import Sandbox
made = Sandbox()
assert "pandas" not in sys.modules
with open(f"/proc/self/task/{os.getpid()}/children") as children:
    assert children.read() == ""
"""
    subprocess.run([sys.executable, "-c", code], check=True)
