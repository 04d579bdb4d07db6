"""The queue before the interaction log: whoever adds to it never waits or fails, and what is lost is counted."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from crash_support import apart, forked
from interactions_support import interaction, sink

from graphwright.store.interactions import Interaction, InteractionSink, Query, Writer, configured, record
from graphwright.store.interactions import writer as writer_module
from graphwright.store.interactions.writer import COUNTS, Counts, add_counts, read_counts

WAIT = 30.0


class Gate:
    """A log that writes when it is let to, and fails when it is told to."""

    label = "gate"

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = threading.Event()
        self.failure: Exception | None = None
        self.batches: list[list[int]] = []
        self.closed = 0

    def write(self, batch: Sequence[Interaction]) -> None:
        self.begun.set()
        assert self.open.wait(WAIT)
        if self.failure is not None:
            raise self.failure
        self.batches.append([each.number for each in batch])

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def gate() -> Gate:
    return Gate()


def writer(gate: Gate, home: Path, capacity: int = 1_000) -> Writer:
    return Writer(home, "gate", lambda: gate, capacity)  # type: ignore[arg-type,return-value]


def settled(home: Path, writer: Writer) -> Counts:
    assert writer.settle(WAIT)
    return read_counts(home, "gate")


def until_settled(one: Writer) -> None:
    """Wait for a writer that was waited for in vain before."""
    deadline = time.monotonic() + WAIT
    while not one.settle(0):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_is_put_is_written_in_order_and_counted(gate: Gate, tmp_path: Path) -> None:
    gate.open.set()
    one = writer(gate, tmp_path)
    for number in range(250):
        one.put(interaction(number))
    counts = settled(tmp_path, one)
    assert [number for batch in gate.batches for number in batch] == list(range(250))
    assert (counts.written, counts.dropped, counts.failed, counts.error) == (250, 0, 0, "")
    assert counts.last_written


def test_who_puts_never_waits_and_what_finds_no_room_is_dropped(gate: Gate, tmp_path: Path) -> None:
    one = writer(gate, tmp_path, capacity=5)
    one.put(interaction(0))
    assert gate.begun.wait(WAIT)
    # The log hangs; nobody who puts something notices.
    for number in range(1, 9):
        one.put(interaction(number))
    gate.open.set()
    counts = settled(tmp_path, one)
    assert gate.batches == [[0], [1, 2, 3, 4, 5]]
    assert (counts.written, counts.dropped) == (6, 3)
    assert "more than 5 interactions" in counts.error


def test_a_log_that_fails_is_counted_and_opened_again(
    gate: Gate, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gate.open.set()
    gate.failure = RuntimeError("no such host db.example.com, password=hunter2222")
    one = writer(gate, tmp_path)
    with caplog.at_level(logging.WARNING, "graphwright"):
        for number in (1, 2):
            one.put(interaction(number))
            counts = settled(tmp_path, one)
    assert (counts.written, counts.failed) == (0, 2)
    assert counts.error == "no such host db.example.com, password=[hidden]"
    assert gate.closed == 2
    # Once is enough.
    assert [record.message for record in caplog.records] == [f"The interaction log is not kept: {counts.error}"]
    gate.failure = None
    one.put(interaction(3))
    counts = settled(tmp_path, one)
    assert gate.batches == [[3]]
    assert (counts.written, counts.failed) == (1, 2)
    assert counts.last_written > counts.last_lost


def test_a_log_that_cannot_be_opened_is_counted(tmp_path: Path) -> None:
    def refuse() -> InteractionSink:
        raise RuntimeError("not today")

    one = Writer(tmp_path, "gate", refuse)
    one.put(interaction(1))
    assert settled(tmp_path, one).error == "not today"


def test_settling_does_not_wait_for_what_hangs_again_and_again(gate: Gate, tmp_path: Path) -> None:
    one = writer(gate, tmp_path)
    one.put(interaction(1))
    assert not one.settle(0.05)
    # With any patience, now: nothing has moved.
    assert not one.settle(3_600)
    gate.open.set()
    until_settled(one)
    assert gate.batches == [[1]]


def test_what_is_left_at_the_end_is_counted_as_dropped(gate: Gate, tmp_path: Path) -> None:
    one = writer(gate, tmp_path)
    one.put(interaction(1))
    assert gate.begun.wait(WAIT)
    one.put(interaction(2))
    one.put(interaction(3))
    one.give_up(0.05)
    counts = read_counts(tmp_path, "gate")
    assert (counts.written, counts.dropped) == (0, 3)
    assert "the program ended" in counts.error
    # Twice is not twice as many. And where the program lives on after all, what got there counts as written.
    one.give_up(0.05)
    assert read_counts(tmp_path, "gate").dropped == 3
    gate.open.set()
    until_settled(one)
    counts = read_counts(tmp_path, "gate")
    assert (counts.written, counts.dropped) == (1, 2)
    assert gate.batches == [[1]]


def test_the_thread_ends_without_work_and_comes_back(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_IDLE", 0.05)
    gate.open.set()
    one = writer(gate, tmp_path)
    one.put(interaction(1))
    thread = one._thread
    assert thread is not None
    thread.join(WAIT)
    assert not thread.is_alive()
    assert gate.closed == 1
    one.put(interaction(2))
    assert settled(tmp_path, one).written == 2
    assert gate.batches == [[1], [2]]


# counts


@pytest.mark.slow
def test_counts_of_several_processes_add_up(tmp_path: Path) -> None:
    async def count(tell: object) -> None:
        for _ in range(25):
            add_counts(tmp_path, "a", Counts(written=1, failed=2, error="x"))
            add_counts(tmp_path, "b", Counts(dropped=1))

    children = [forked(count) for _ in range(3)]
    for child in children:
        assert not child.end()
    assert read_counts(tmp_path, "a") == Counts(75, 0, 150, error="x")
    assert read_counts(tmp_path, "b") == Counts(dropped=75)
    assert (tmp_path / COUNTS).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff", b'{"a": 3}', b'{"a": {"written": "x", "dropped": true}}'])
def test_counts_that_cannot_be_read_begin_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / COUNTS).write_bytes(content)
    assert read_counts(tmp_path, "a") == Counts()
    add_counts(tmp_path, "a", Counts(written=1))
    assert read_counts(tmp_path, "a") == Counts(written=1)


def test_a_data_folder_that_is_gone_does_not_come_back(gate: Gate, tmp_path: Path) -> None:
    gate.open.set()
    home = tmp_path / "home"
    one = writer(gate, home)
    one.put(interaction(1))
    assert one.settle(WAIT)
    assert not home.exists()
    # What could not be counted is counted when it can be.
    home.mkdir()
    one.put(interaction(2))
    assert settled(home, one).written == 2


# the log that is configured


def test_the_log_is_in_the_data_folder_or_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for setting, file in (("", "interactions.db"), ("sqlite:///own.db", "own.db"), ("own.jsonl", "own.jsonl")):
        monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", setting)
        found = record(tmp_path, interaction(1))
        assert found is not None
        assert found.settle(WAIT)
        assert (tmp_path / file).exists()
        log = configured(tmp_path)
        assert log is not None
        with closing(log):
            assert [each.number for each in log.find(Query())] == [1]
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "off")
    assert record(tmp_path, interaction(1)) is None
    assert configured(tmp_path) is None


def test_the_file_says_where_beside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHWRIGHT_INTERACTIONS", raising=False)
    (tmp_path / "graphwright.toml").write_text('interactions = "logs/all.jsonl"', "utf-8")
    (tmp_path / "logs").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    found = record(tmp_path / "home", interaction(1))
    assert found is not None
    assert found.settle(WAIT)
    assert (tmp_path / "logs" / "all.jsonl").exists()


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ann:hidden-word@db/log",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////tmp/x.db?mode=memory",
        "postgresql://ann:hidden-word@db:port/log",
        "ann:hidden-word@db",
        "log.txt",
        "://",
    ],
)
def test_an_address_that_is_none_fails_nobody_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", address)
    found = record(tmp_path, interaction(1))
    assert found is not None
    assert found.settle(WAIT)
    counts = read_counts(tmp_path, writer_module.UNUSABLE)
    assert counts.failed == 1
    assert "interaction log" in counts.error
    assert "hidden-word" not in (tmp_path / COUNTS).read_text("utf-8")


def test_a_fork_has_a_thread_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHWRIGHT_INTERACTIONS", raising=False)
    first = record(tmp_path, interaction(1))
    assert first is not None
    assert first.settle(WAIT)

    async def more(tell: object) -> bool:
        found = record(tmp_path, interaction(2))
        return found is not None and found.settle(WAIT)

    assert apart(more) is True
    with closing(sink(f"sqlite:///{tmp_path}/interactions.db", tmp_path)) as log:
        assert log.count() == 2


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from interactions_support import interaction
from graphwright.store.interactions import record
for number in range(40):
    record(Path(sys.argv[1]), interaction(number))
"""


def test_a_program_that_ends_at_once_has_written_all(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "GRAPHWRIGHT_INTERACTIONS"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path, Path(__file__).parent],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    with closing(sink(f"sqlite:///{tmp_path}/interactions.db", tmp_path)) as log:
        assert log.count() == 40
