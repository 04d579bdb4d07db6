"""`graphwright log`: query, sessions, purge; and the checks of the interaction log in `graphwright doctor`."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cli_support import Runner, findings, program
from graphwright.cli import doctor
from interactions_support import interaction, noting, sink


def ago(**units: float) -> str:
    return (datetime.now(UTC) - timedelta(**units)).isoformat(timespec="microseconds").replace("+00:00", "Z")


@pytest.fixture(autouse=True)
def doctor_looks_at_the_log_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "checks", lambda: {"interactions": doctor.CORE["interactions"]})


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    """With three interactions in the log, a file of JSON Lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHWRIGHT_CONFIG", raising=False)
    runner = Runner(capsys, monkeypatch, tmp_path / "home")
    runner.home.mkdir()
    setting = str(tmp_path / "log.jsonl")
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", setting)
    log = sink(setting, runner.home)
    log.write(
        [
            interaction(1, started=ago(days=40), question="Anything [bold]old[/nope]?"),
            interaction(2, started=ago(days=5), code="\n".join(f"line {n}" for n in range(20))),
            interaction(1, session="u", started=ago(minutes=5), success=False, error="no \x1b[31mcolumn", result=""),
        ]
    )
    return runner


def test_the_latest_is_first_and_people_see_the_beginnings(run: Runner) -> None:
    done = run("log", "query")
    first, second, third = done.out.split("\n\n")
    head, *rest = first.splitlines()
    assert "  u #1  desk  question  failed  1.2 s, 2 model calls, 300 tokens" in head
    assert [line.split(None, 1)[0] for line in rest] == ["question", "code", "error", "reply", "metadata"]
    assert ("\x1b" in done.out, "Anything [bold]old[/nope]?" in third) == (False, True)
    assert "line 5\n            (14 more lines)" in second


def test_conditions(run: Runner) -> None:
    for words, wanted in (
        ((), [("u", 1), ("t", 2), ("t", 1)]),
        (("--session", "t"), [("t", 2), ("t", 1)]),
        (("--agent", "nobody"), []),
        (("--failed",), [("u", 1)]),
        (("--text", "LINE 19"), [("t", 2)]),
        (("--since", "10m"), [("u", 1)]),
        (("--since", " 1W "), [("u", 1), ("t", 2)]),
    ):
        found = run("log", "query", *words, "--json").json
        assert [(each["session"], each["number"]) for each in found] == wanted, words
    nothing = run("log", "query", "--session", "x")
    assert (nothing.code, nothing.out, "no such interactions" in nothing.err) == (0, "", True)
    assert "--limit N" in run("log", "query", "--limit", "1").err
    (whole,) = run("log", "query", "--session", "t", "--limit", "1", "--json").json
    assert whole["code"].endswith("line 19")
    assert list(whole) == list(interaction(1).model_dump())


def test_turns_get_there_and_doctor_sees_them(run: Runner, tmp_path: Path) -> None:
    noting(tmp_path / "agent")
    assert run("ask", tmp_path / "agent", "How many?", "--thread", "new").code == 0
    (first, *_) = run("log", "query", "--json").json
    assert [first[name] for name in ("session", "question", "code")] == ["new", "How many?", "a = 2"]
    assert "4 interactions\n" in run("doctor").out
    found = run("log", "sessions", "--json").json
    assert [(each["session"], each["interactions"], each["failed"]) for each in found] == [
        *(("new", 1, 0), ("u", 1, 1), ("t", 2, 0)),
    ]
    assert run("log", "sessions").out.splitlines()[0].split()[:3] == ["SESSION", "INTERACTIONS", "FAILED"]


def test_an_invalid_age_is_an_error(run: Runner) -> None:
    for age in ("", "7", "-1d", "7 days", "1y", "٣d" * 3, "999999w"):
        done = run("log", "purge", "--older-than", age, "--yes")
        assert (done.code, "30m, 12h, 7d, 4w" in done.err) == (2, True), age
    assert run("log", "query", "--since", "7", "--json").json["error"]["code"] == "bad_age"
    assert len(run("log", "query", "--json").json) == 3


def test_a_purge_removes_what_is_old_when_it_is_confirmed(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = run("log", "purge", "--older-than", "30d")
    assert (refused.code, "1 interaction older than 30d" in refused.err, "--yes" in refused.err) == (2, True, True)
    monkeypatch.setattr("graphwright.cli.console.interactive", lambda: True)
    for answer, told, left in (("\n", "Nothing was removed.", 3), ("y\n", "Removed 1 interaction.", 2)):
        done = run("log", "purge", "--older-than", "30d", stdin=answer)
        assert (done.code, done.out, "[y/N]" in done.err, told in done.err) == (0, "", True, True)
        assert len(run("log", "query", "--json").json) == left
    assert "Nothing in" in run("log", "purge", "--older-than", "30d").err
    assert run("log", "purge", "--older-than", "0d", "-y").code == 0
    assert run("log", "query", "--json").json == []


# without a log


@pytest.fixture
def bare(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.chdir(tmp_path)
    for name in ("GRAPHWRIGHT_INTERACTIONS", "GRAPHWRIGHT_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return Runner(capsys, monkeypatch, tmp_path / "home")


def test_a_missing_log_is_not_created_and_off_is_reported(bare: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (["query"], ["sessions"], ["purge", "--older-than", "1d"]):
        done = bare("log", *words)
        assert (done.code, done.out) == (0, "")
        assert "no interactions yet" in done.err
    assert bare("log", "query", "--json").json == []
    assert findings(bare, "interactions") == [("ok", "No interactions yet.")]
    assert not bare.home.exists()
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "off")
    done = bare("log", "query", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "log_off")
    assert findings(bare, "interactions") == [("ok", "The interaction log is switched off.")]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("logs/all.jsonl", "does not exist"),
        ("sqlite:///logs/all.db", "does not exist"),
        ("mysql://ann:hidden-word@db/log", "cannot be kept by mysql"),
    ],
)
def test_an_invalid_log_location_is_an_error(
    bare: Runner, monkeypatch: pytest.MonkeyPatch, address: str, says: str
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", address)
    for words in (["query"], ["sessions"], ["purge", "--older-than", "1d"]):
        done = bare("log", *words)
        assert (done.code, done.out, says in " ".join(done.err.split())) == (1, "", True)
        assert "hidden-word" not in done.err
    ((level, message),) = findings(bare, "interactions")
    assert (level, "hidden-word" in message) == ("problem", False)


# doctor


@pytest.mark.slow
def test_a_log_that_fails_costs_a_warning(bare: Runner, tmp_path: Path) -> None:
    noting(tmp_path / "agent")
    bare.home.mkdir()
    (bare.home / "interactions.db").mkdir()
    done = program("ask", tmp_path / "agent", "How many?", home=bare.home)
    assert (done.code, done.out) == (0, "Looked at it.\n\nDone How many?.\n")
    assert "The interaction log is not kept" in done.err
    assert [level for level, _ in findings(bare, "interactions")] == ["problem"]


@pytest.mark.slow
def test_a_locked_log_holds_a_command_up_for_a_moment_only(bare: Runner, tmp_path: Path) -> None:
    noting(tmp_path / "agent")
    bare.home.mkdir()
    file = bare.home / "interactions.db"
    sink(f"sqlite:///{file}", bare.home).write([interaction(1)])
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        done = program("ask", tmp_path / "agent", "How many?", "--json", home=bare.home)
        other.execute("ROLLBACK")
    assert (done.code, json.loads(done.out)["status"]) == (0, "ended")
    assert "the program ends before it is written" in done.err


@pytest.mark.slow
def test_a_command_leaves_nothing_unwritten(bare: Runner, tmp_path: Path) -> None:
    noting(tmp_path / "agent")
    lines = "one\ntwo\nthree\n"
    assert program("chat", tmp_path / "agent", "--thread", "u", home=bare.home, stdin=lines).code == 0
    assert [each["interactions"] for each in bare("log", "sessions", "--json").json] == [4]
