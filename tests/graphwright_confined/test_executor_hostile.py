"""Hostile programs in the sandbox, each judged by its effects outside; and honest ones, which must work."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from graphwright_confined import Sandbox
from graphwright_confined import _runtime_paths as runtime_paths
from graphwright_confined._isolation_levels import CONTAINER
from sandbox_programs import PRELUDE, PROGRAMS
from sandbox_support import (
    SHORT,
    Outside,
    alike,
    descendants,
    dumped,
    each_isolation,
    needs_bubblewrap,
    outside,
    started_sandbox,
)

INHERITED = f"SECRET{secrets.token_hex(8)}"


@pytest.fixture(scope="module", params=each_isolation())
def sandbox(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    # Objects that a careless program has open when it starts the sandbox.
    careless = tmp_path_factory.mktemp("careless") / "open"
    careless.write_text(INHERITED, "ascii")
    descriptor = os.open(careless, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    # Its command distinguishes its processes from those of every other sandbox on the machine.
    *options, code = runtime_paths.command()
    marked = [*options, f"{code}  # {secrets.token_hex(8)}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime_paths, "command", lambda: marked)
        patch.setenv("CARELESS_SECRET", INHERITED)
        try:
            with started_sandbox(request.param, SHORT) as made:
                yield made
        finally:
            os.close(descriptor)


@pytest.fixture(scope="module")
def around() -> Iterator[Outside]:
    with outside() as found:
        yield found


def warm(sandbox: Sandbox) -> set[int]:
    workers = [worker for worker in (sandbox._worker, sandbox._spare) if worker is not None]
    return {process for worker in workers for process in (worker.pid, *descendants(worker.pid))}


def settled(sandbox: Sandbox) -> tuple[set[int], set[int]]:
    """The sandbox's processes and all with the same command, once the fork of the last run is gone."""
    ends = time.monotonic() + 10
    while True:
        before = warm(sandbox)
        relatives = alike(before)
        if relatives >= before or time.monotonic() > ends:
            return before, relatives
        time.sleep(0.05)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_outside_is_reached(sandbox: Sandbox, around: Outside, name: str) -> None:
    sandbox.run("1")
    before, relatives = settled(sandbox)
    assert relatives >= before != set()

    execution = sandbox.run(around.program_input() + PRELUDE + PROGRAMS[name] + "\nresult = got")

    assert around.harm(execution) == []
    told = dumped(execution)
    assert INHERITED not in told
    assert "BROKEN" not in told, "the program itself is wrong"
    # A program reports its own findings by failing.
    if execution.status == "error":
        raise AssertionError(execution.error)
    if execution.status == "stopped":
        assert name in ("kernel: foreign calls", "kernel: x32 calls"), execution.error
    # Its process is gone, and so are all processes that it may have started: a fork has the same command.
    assert alike(before) <= relatives | (warm(sandbox) - before)
    assert sandbox.run("1 + 1").result.model_dump() == {"type": "scalar", "kind": "integer", "value": 2}


@needs_bubblewrap
def test_in_the_container_nothing_outside_is_known_to_exist(around: Outside) -> None:
    with started_sandbox(CONTAINER) as sandbox:
        execution = sandbox.run(
            around.program_input()
            + """
import os
found = []
for path in (given["folder"], given["folder"] + "/secret.txt", f"/proc/{given['victim']}", f"/proc/{given['owner']}",
             "/etc/passwd", "/home", "/var", "/usr/sbin", "/etc/hostname"):
    if os.path.lexists(path):
        found.append(path)
result = found + [os.uname().nodename]
"""
        )
    assert execution.model_dump()["result"]["items"] == [{"type": "text", "text": "sandbox", "length": 7}]


def test_the_file_of_a_data_set_cannot_be_changed(sandbox: Sandbox, tmp_path: Path) -> None:
    data = tmp_path / "sales.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(data)
    data.chmod(0o666)
    before, content = data.stat(), data.read_bytes()
    execution = sandbox.run(
        f"""
import os
# Below are its own output and result.
for place in ({str(data)!r}, *(f"/proc/self/fd/{{number}}" for number in range(5, 20))):
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC):
        try:
            os.write(os.open(place, flags), b"x")
        except OSError:
            continue
for number in range(5, 20):
    for change in (lambda: os.ftruncate(number, 0), lambda: os.fchmod(number, 0), lambda: os.write(number, b"x")):
        try:
            change()
        except OSError:
            continue
result = int(df["a"].sum())
""",
        {"sales": data},
    )
    assert execution.status == "ok", execution.error
    assert data.read_bytes() == content
    after = data.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_mode,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


LEAVINGS = {
    "patched libraries": (
        "pd.DataFrame.sum = lambda *a: 42\nnp.mean = None\npx.bar = None\nimport json\njson.dumps = None",
        "assert pd.DataFrame({'a': [1]}).sum()['a'] == 1 and np.mean([1]) == 1 and px.bar and __import__('json').dumps",
    ),
    "patched builtins": ("import builtins\nbuiltins.len = lambda x: 42", "assert len([1]) == 1"),
    "a new module": (
        "import sys, types\nsys.modules['evil'] = types.ModuleType('evil')",
        "try:\n    import evil\nexcept ModuleNotFoundError:\n    pass\nelse:\n    raise AssertionError",
    ),
    "options": ("pd.set_option('display.max_rows', 1)", "assert pd.get_option('display.max_rows') != 1"),
    "names": ("evil = 1", "assert 'evil' not in globals()"),
    "open figures": ("plt.plot([1])\nfig = px.bar()", "assert not plt.get_fignums() and 'fig' not in globals()"),
    "threads": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
        "import threading\nassert threading.active_count() == 1",
    ),
    "the environment": ("import os\nos.environ['EVIL'] = '1'", "import os\nassert 'EVIL' not in os.environ"),
    "the code": (
        "marker = 'MARK' + 'ER-OF-BEFORE'",
        "import gc\nassert not [o for o in gc.get_objects() if isinstance(o, dict) and 'marker' in o]",
    ),
    "handlers": (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "import signal\nassert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL",
    ),
    "chance": ("np.random.seed(1)", "result = float(np.random.rand())\nassert result != 0.417022004702574"),
}


@pytest.mark.parametrize("what", LEAVINGS)
def test_nothing_is_left_for_the_next_one(sandbox: Sandbox, what: str) -> None:
    leave, look = LEAVINGS[what]
    left = sandbox.run(leave)
    # A program that breaks the reporting of its result only loses that result.
    assert left.status in ("ok", "stopped", "error")
    seen = sandbox.run(look)
    assert seen.status == "ok", seen.error


def test_honest_code_works(sandbox: Sandbox) -> None:
    code = """
import collections, csv, dataclasses, datetime, decimal, functools, io, itertools, json, math, random, re, sqlite3
import statistics, uuid
from concurrent.futures import ThreadPoolExecutor
from zoneinfo import ZoneInfo
@dataclasses.dataclass
class Point:
    x: int
database = sqlite3.connect(":memory:")
pd.DataFrame({"a": [1]}).to_sql("u", database)
assert pd.read_sql("select * from u", database)["a"][0] == 1
with ThreadPoolExecutor(4) as pool:
    assert sum(pool.map(lambda n: n * n, range(100))) == 328350
summer = datetime.datetime(2024, 7, 1, tzinfo=ZoneInfo("Europe/Berlin")).utcoffset()
result = {"zone": summer, "point": Point(1), "id": uuid.uuid4().hex}
"""
    execution = sandbox.run(code)
    assert execution.status == "ok", execution.error
    assert execution.result.type == "mapping"
