"""The embedded store: the whole interface through its confined worker, and the life of the worker."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import select
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graph_contract import GraphContract
from graph_support import UNCONFINED, program, workers
from graphwright_graph import (
    AddNode,
    GraphStore,
    GraphUnavailable,
    Node,
    QueryFailed,
    Transient,
    open_graph,
)
from graphwright_graph.embedded._client import EmbeddedStore
from waiting_support import runs, wait_until

pytestmark = pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph" / "graph.db"


@pytest.fixture
def store(path: Path) -> Iterator[EmbeddedStore]:
    made = EmbeddedStore(path)
    yield made
    made.close()
    assert workers(path) == []


def note(store: EmbeddedStore, key: str, goal: str = "") -> None:
    goal = goal or store.begin_goal("notes", key="notes").id
    store.apply([AddNode("Note", key, {"text": "x"})], goal=goal, key=f"add {key}")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Callable[[], GraphStore]]:
    with contextlib.ExitStack() as stack:

        def new() -> EmbeddedStore:
            made = EmbeddedStore(tmp_path / f"{next(numbers)}" / "graph.db")
            stack.callback(made.close)
            return made

        numbers = itertools.count()
        yield new


@pytest.mark.slow
class TestContract(GraphContract):
    """What the tests of the engine in this process hold, through a worker for each test."""


# the process


def stop(worker: int) -> None:
    """Stop a process, and wait until it does nothing any more."""
    os.kill(worker, signal.SIGSTOP)
    wait_until(lambda: Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] == "T")


def pipe_to(worker: int) -> Path:
    """The pipe that a process reads, which is not its stdin any more."""
    files = Path(f"/proc/{worker}/fd").iterdir()
    (found,) = (f for f in files if f.readlink().name.startswith("pipe:") and f.lstat().st_mode & 0o400)
    return found


def test_a_worker_is_confined_and_knows_no_secret(path: Path) -> None:
    with program("tell(store.version()); sys.stdin.read()", path) as (_, told):
        assert told.readline() == "0\n"
        (worker,) = workers(path)
        assert re.search(r"NoNewPrivs:\t1\nSeccomp:\t2\n", Path(f"/proc/{worker}/status").read_text())
        for file in ("environ", "cmdline"):
            # An ordinary user cannot even read it.
            try:
                seen = Path(f"/proc/{worker}/{file}").read_bytes()
            except PermissionError:
                continue
            assert b"hidden" not in seen


def test_a_worker_that_cannot_be_confined_refuses_to_serve(path: Path) -> None:
    store = EmbeddedStore(path, memory=1 << 20)
    with pytest.raises(GraphUnavailable, match=r"No confinement \(limits\)") as raised:
        store.version()
    assert raised.value.code == "graph_unavailable"
    assert raised.value.hint
    assert workers(path) == []


def test_a_private_folder_is_created_and_closing_ends_the_worker(store: EmbeddedStore, path: Path) -> None:
    assert (store.name, path.parent.exists(), workers(path)) == (str(path), False, [])
    note(store, "a")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o077 for file in path.parent.iterdir()} == {0}
    (worker,) = workers(path)
    store.close()
    store.close()
    assert not Path(f"/proc/{worker}").exists()
    # Everything is then in the one file.
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert store.node("a").key == "a"


@pytest.mark.slow
def test_a_worker_that_does_not_answer_is_ended(store: EmbeddedStore, path: Path) -> None:
    store.version()
    (worker,) = workers(path)
    # Then not even its own clock runs.
    stop(worker)
    with pytest.raises(QueryFailed) as raised:
        store.read("RETURN 1 AS one", timeout=0.2)
    assert raised.value.code == "too_much"
    assert not runs(worker)
    assert store.version() == 0


def test_a_write_whose_worker_is_killed_can_be_repeated(store: EmbeddedStore, path: Path) -> None:
    goal = store.begin_goal("one", key="one").id
    (worker,) = workers(path)
    stop(worker)
    with ThreadPoolExecutor(1) as pool:
        applied = pool.submit(store.apply, [AddNode("Note", "a")], goal=goal, key="1")
        # The request is sent when the pipe to the worker is not empty.
        with pipe_to(worker).open("rb", buffering=0) as sent:
            wait_until(lambda: select.select([sent], [], [], 0)[0])
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(Transient, match="ended from outside"):
            applied.result()
    assert store.apply([AddNode("Note", "a")], goal=goal, key="1").version == 1
    (worker,) = workers(path)
    os.kill(worker, signal.SIGKILL)
    assert store.node("a").key == "a"


@pytest.mark.slow
def test_a_worker_ends_with_its_owner_in_the_midst_of_a_write_too(path: Path) -> None:
    with program(_LONG_WRITE, path) as (owner, told):
        assert told.readline() == "writing\n"
        (worker,) = workers(path)
        time.sleep(0.5)
        owner.kill()
        killed = time.monotonic()
    wait_until(lambda: not runs(worker))
    # Its lock is released with it.
    store = EmbeddedStore(path)
    note(store, "after")
    assert time.monotonic() - killed < 15
    assert [each.key for each in store.export() if isinstance(each, Node)] == ["after"]
    store.close()


_LONG_WRITE = """
goal = store.begin_goal("long", key="long").id
tell("writing")
store.apply([Statement("UNWIND range(1, 100000000) AS n CREATE (:Note {key: toString(n)})")], goal=goal, key="1")
"""


@pytest.mark.slow
def test_two_programs_begin_a_graph_and_write_at_once(path: Path) -> None:
    script = """
goal = store.begin_goal(sys.argv[2], key=sys.argv[2]).id
for n in range(30):
    store.apply([AddNode("Note", f"{sys.argv[2]}{n}")], goal=goal, key=f"{sys.argv[2]} {n}")
tell("done")
"""
    with program(script, path, "a") as (_, one), program(script, path, "b") as (_, other):
        assert (one.read(), other.read()) == ("done\n", "done\n")
    store = EmbeddedStore(path)
    assert {goal.text: len(goal.steps) for goal in store.goals()} == {"a": 30, "b": 30}
    assert len(list(store.export())) == store.version() == 60
    store.close()


@pytest.mark.slow
def test_a_forked_child_has_a_worker_of_its_own_and_does_not_keep_its_parents(path: Path) -> None:
    script = """
import os, time
store.apply([AddNode("Note", "parent")], goal=store.begin_goal("p", key="p").id, key="p 1")
child = os.fork()
if not child:
    store.apply([AddNode("Note", "child")], goal=store.begin_goal("c", key="c").id, key="c 1")
    os._exit(0)
tell(os.waitpid(child, 0)[1], *(each.key for each in store.export()))
child = os.fork()
if not child:
    time.sleep(600)
tell(child)
sys.stdin.read()
"""
    with program(script, path) as (owner, told):
        assert told.readline() == "0 child parent\n"
        child = int(told.readline())
        try:
            owner.kill()
            wait_until(lambda: not workers(path))
            assert runs(child)
        finally:
            os.kill(child, signal.SIGKILL)


def test_more_than_can_be_handed_over_is_not_done_at_all(store: EmbeddedStore) -> None:
    goal = store.begin_goal("large", key="large").id
    write = AddNode("Note", "a", {f"text{n}": "x" * 4_000_000 for n in range(5)})
    many = ", ".join(["$text"] * 80)
    for ask in (
        lambda: store.apply([write], goal=goal, key="1"),
        lambda: store.read(f"RETURN [{many}] AS texts", {"text": "x" * 900_000}),
    ):
        with pytest.raises(QueryFailed) as raised:
            ask()
        assert raised.value.code == "too_much"
    assert (list(store.export()), store.version(), store.goal(goal).steps) == ([], 0, ())


# which graph


def test_a_data_folder_has_one_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHWRIGHT_GRAPH", raising=False)
    monkeypatch.chdir(tmp_path)
    store = open_graph(tmp_path / "home")
    assert open_graph(Path("home")) is store
    assert open_graph(tmp_path / "other") is not store
    # The folder is its own: the engine can access all of it.
    assert store.name == str(tmp_path / "home" / "graph" / "graph.db")
    assert store.version() == 0
    store.close()
