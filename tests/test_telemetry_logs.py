"""Logs: off by default, one line an event, and nothing of what was said in them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from cli_support import FLOW, Runner
from runtime_support import agent, open_session, reads
from structlog.testing import CapturingLoggerFactory

from graphwright.kernel import events as walk_events
from graphwright.runtime import events as turn_events
from graphwright.runtime.events import TurnEvent
from graphwright.runtime.telemetry.logs import SHOWN

SECRETIVE = """
state: {pin: {type: string, default: "", private: true}}
nodes:
  - {id: q, type: question, key: name, prompt: "Whose name?", schema: {type: string}}
  - {id: act, type: action, run: act, retry: {attempts: 2}}
  - {id: d, type: decision}
  - {id: t, type: terminal, say: "Bye {{ answers.name }}"}
edges:
  - {from: q, to: act}
  - {from: act, to: d}
  - {from: d, to: t, guard: answers.name == 'Zoltan'}
"""
NODES = """
@action(reads=["answers.name"], writes=["pin"])
def act(state, ctx):
    if ctx.attempt == 1:
        raise RuntimeError("cannot work for Zenobia")
    ctx.say("Hello Zenobia")
    return {"pin": "hunter2"}
"""


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What structlog was told, by a program that has configured it."""
    factory = CapturingLoggerFactory()
    structlog.configure(processors=[structlog.processors.add_log_level, _as_kwargs], logger_factory=factory)
    found: list[dict[str, Any]] = []
    factory.logger.calls = _Kept(found)
    try:
        yield found
    finally:
        structlog.reset_defaults()


def _as_kwargs(_: Any, __: str, event: Any) -> Any:
    return (), dict(event)


class _Kept(list[Any]):
    def __init__(self, found: list[dict[str, Any]]) -> None:
        self._found = found

    def append(self, call: Any) -> None:
        self._found.append(call.kwargs)


async def test_a_turn_is_logged_with_thread_agent_and_turn_and_without_words(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    made = agent(tmp_path / "a", SECRETIVE, NODES)
    async with open_session(made, tmp_path / "home", reads("Zenobia", ("name", "Zenobia", "Zenobia"))) as session:
        await session.start()
        turn = await session.send("I am Zenobia")
    assert turn.error is not None
    kinds = [line["event"] for line in lines]
    assert kinds[0] == "turn_started"
    assert {"model_called", "answer_committed", "action_failed", "action_finished", "turn_failed"} <= set(kinds)
    assert all(line["thread"] == "t" and line["agent"] == "a" for line in lines)
    assert [line["turn"] for line in lines if line["event"] == "turn_started"] == [1, 2]
    assert all("turn" in line for line in lines)
    by_kind = {line["event"]: line for line in lines}
    assert by_kind["action_failed"]["level"] == "warning"
    assert (by_kind["action_finished"]["visit"], by_kind["action_finished"]["node"]) == (1, "act")
    assert (by_kind["turn_failed"]["code"], by_kind["turn_failed"]["level"]) == ("stuck_no_open_edge", "error")
    assert (by_kind["turn_ended"]["status"], by_kind["turn_ended"]["model_calls"]) == ("failed", 1)
    told = json.dumps(lines)
    for word in ("Zenobia", "Zoltan", "hunter2", "Whose", "cannot work"):
        assert word not in told


async def test_without_a_configured_structlog_nothing_is_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    structlog.reset_defaults()
    made = agent(tmp_path / "a", SECRETIVE, NODES)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
    assert capsys.readouterr() == ("", "")


async def test_secrets_are_hidden_even_where_a_name_holds_one(
    tmp_path: Path, lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZZ_API_KEY", "supersecretvalue")
    made = agent(tmp_path / "a", SECRETIVE, NODES)
    async with made.session("supersecretvalue-1", home=tmp_path / "home") as session:
        await session.start()
    assert lines
    assert "supersecretvalue" not in json.dumps(lines)


async def test_a_log_that_cannot_be_written_fails_no_turn(
    tmp_path: Path, lines: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> Any:
        raise OSError("no space left")

    structlog.configure(processors=[full])
    made = agent(tmp_path / "a", SECRETIVE, NODES)
    with caplog.at_level(logging.WARNING):
        async with open_session(made, tmp_path / "home") as session:
            turn = await session.start()
    assert turn.status == "waiting"
    assert [r.message for r in caplog.records] == ["TurnLog is off for this turn: no space left"]


async def test_a_turn_that_breaks_is_logged_as_broken(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    made = agent(tmp_path / "a", SECRETIVE, NODES)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        with pytest.raises(Exception, match="yes or no"):
            await session.resume(True)
    assert (lines[-1]["event"], lines[-1]["code"], lines[-1]["level"]) == ("turn_broken", "not_a_confirmation", "error")


def test_every_kind_of_event_is_known_to_the_log_with_fields_that_it_has() -> None:
    classes = [
        item
        for module in (walk_events, turn_events)
        for item in vars(module).values()
        if isinstance(item, type) and getattr(item, "type", "") and item is not turn_events.TurnEnded
    ]
    assert set(SHOWN) == {item.type for item in classes}
    for item in classes:
        if issubclass(item, TurnEvent):
            assert set(SHOWN[item.type][1]) <= set(item.__dataclass_fields__), item


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Runner]:
    structlog.reset_defaults()
    yield Runner(capsys, monkeypatch, tmp_path / "home")
    structlog.reset_defaults()


def test_the_command_line_logs_to_stderr_when_it_is_told_to(
    tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    assert "turn_started" not in run("ask", file, "Zenobia", "--thread", "t1").err
    monkeypatch.setenv("GRAPHWRIGHT_LOG", "json")
    done = run("ask", file, "yes", "--thread", "t1", "--json")
    assert done.json["status"] == "ended"
    logged = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    assert [line["event"] for line in logged] == ["turn_started", "answer_committed", "turn_ended"]
    assert {(line["thread"], line["agent"], line["turn"]) for line in logged} == {("t1", "small", 2)}
    monkeypatch.setenv("GRAPHWRIGHT_LOG", "text")
    monkeypatch.setenv("GRAPHWRIGHT_LOG_LEVEL", "debug")
    shown = run("ask", file, "Bea", "--thread", "t1")
    assert "[debug    ] node_entered" in shown.err
    assert "Bea" not in shown.err.replace(str(file), "")


@pytest.mark.parametrize(
    "setting", [{"GRAPHWRIGHT_LOG": "xml"}, {"GRAPHWRIGHT_LOG": "json", "GRAPHWRIGHT_LOG_LEVEL": "loud"}]
)
def test_a_setting_that_is_none_is_a_usage_error(
    run: Runner, monkeypatch: pytest.MonkeyPatch, setting: dict[str, str]
) -> None:
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    done = run("threads")
    assert done.code == 2
    assert f"{list(setting)[-1]} is '{list(setting.values())[-1]}'. Set it to one of" in done.err
