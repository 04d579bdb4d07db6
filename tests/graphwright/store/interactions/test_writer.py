"""The queue of the interaction log: adding to it never waits or fails, and a loss is reported once."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from crash_support import apart
from graphwright.store.interactions import Interaction, Query, Writer, configured, record
from graphwright.store.interactions import _writer as writer_module
from interactions_support import interaction, sink

WAIT = 30.0


class Gate:
    """A log that writes and fails on command."""

    label = "gate"

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = threading.Event()
        self.failure: Exception | None = None
        self.batches: list[list[int]] = []

    def write(self, batch: Sequence[Interaction]) -> None:
        self.begun.set()
        assert self.open.wait(WAIT)
        if self.failure is not None:
            raise self.failure
        self.batches.append([each.number for each in batch])

    def writer(self, capacity: int = 1_000) -> Writer:
        return Writer(lambda: self, capacity)  # type: ignore[arg-type,return-value]


@pytest.fixture
def gate() -> Gate:
    return Gate()


def test_entries_are_written_in_order(gate: Gate) -> None:
    gate.open.set()
    one = gate.writer()
    for number in range(250):
        one.put(interaction(number))
    assert one.flush(WAIT)
    assert [number for batch in gate.batches for number in batch] == list(range(250))
    one.put(interaction(250))
    assert one.flush(WAIT)
    assert gate.batches[-1] == [250]


def test_turns_that_follow_each_other_are_written_together(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "_GATHERING_SECONDS", WAIT)
    gate.open.set()
    one = gate.writer()
    for number in range(103):
        one.put(interaction(number))
    # A full batch does not wait for more, and neither does one that somebody waits for.
    assert gate.begun.wait(WAIT / 2)
    assert one.flush(WAIT / 2)
    assert [len(batch) for batch in gate.batches] == [100, 3]


def test_put_never_waits_and_drops_entries_when_full(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    one = gate.writer(capacity=5)
    one.put(interaction(0))
    assert gate.begun.wait(WAIT)
    # The log hangs; the callers of `put` do not notice.
    for number in range(1, 9):
        one.put(interaction(number))
    gate.open.set()
    assert one.flush(WAIT)
    assert gate.batches == [[0], [1, 2, 3, 4, 5]]
    assert "more than 5 interactions" in caplog.text


def test_a_failing_log_is_reported_once_and_retried(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    gate.open.set()
    gate.failure = RuntimeError("no such host db.example.com, password=hunter2222")
    one = gate.writer()
    for number in (1, 2):
        one.put(interaction(number))
        assert one.flush(WAIT)
    assert [record.message for record in caplog.records] == [
        "The interaction log is not kept: no such host db.example.com, password=[hidden]"
    ]
    gate.failure = None
    one.put(interaction(3))
    assert one.flush(WAIT)
    assert gate.batches == [[3]]


def test_a_log_is_opened_once_and_again_after_an_error(gate: Gate) -> None:
    gate.open.set()
    opened: list[Gate] = []

    def open_log() -> Gate:
        opened.append(gate)
        return gate

    one = Writer(open_log)  # type: ignore[arg-type]
    for number, failure in ((1, None), (2, None), (3, RuntimeError("gone")), (4, None)):
        gate.failure = failure
        one.put(interaction(number))
        assert one.flush(WAIT)
    assert gate.batches == [[1], [2], [4]]
    assert len(opened) == 2


def test_flush_does_not_wait_again_for_a_hanging_log(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    one = gate.writer()
    one.put(interaction(1))
    assert not one.flush(0.05)
    # Immediately, with any timeout: nothing was written since.
    assert not one.flush(3_600)
    monkeypatch.setattr(writer_module, "_writers", {1: one})
    writer_module.leave()
    assert "the program ends before it is written" in caplog.text
    gate.open.set()
    deadline = time.monotonic() + WAIT
    while not one.flush(0):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert gate.batches == [[1]]


def test_the_log_is_in_the_data_folder_or_as_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for setting, file in (("", "interactions.db"), ("sqlite:///own.db", "own.db"), ("own.jsonl", "own.jsonl")):
        monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", setting)
        found = record(tmp_path, interaction(1))
        assert found.flush(WAIT)
        assert (tmp_path / file).exists()
        log = configured(tmp_path)
        assert [each.number for each in log.find(Query())] == [1]
    monkeypatch.delenv("GRAPHWRIGHT_INTERACTIONS")
    (tmp_path / "graphwright.toml").write_text('interactions = "logs/all.jsonl"', "utf-8")
    for folder in ("logs", "below"):
        (tmp_path / folder).mkdir()
    # A path in the configuration file is relative to it, in any current folder.
    monkeypatch.chdir(tmp_path / "below")
    found = record(tmp_path / "home", interaction(1))
    assert found.flush(WAIT)
    assert (tmp_path / "logs" / "all.jsonl").exists()
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "off")
    assert record(tmp_path, interaction(1)) is None
    assert configured(tmp_path) is None


def test_a_fork_has_a_separate_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHWRIGHT_INTERACTIONS", raising=False)
    first = record(tmp_path, interaction(1))
    assert first.flush(WAIT)

    async def more(tell: object) -> bool:
        found = record(tmp_path, interaction(2))
        return found is not None and found.flush(WAIT)

    assert apart(more) is True
    assert sink("", tmp_path).count() == 2
