"""`graphwright log`: query, sessions, purge; and what `graphwright doctor` says of the interaction log."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_support import Runner, program
from interactions_support import interaction, noting, sink
from postgres_support import PASSWORD, PostgresServer, postgres_server

from graphwright.cli import doctor


def ago(**units: float) -> str:
    return (datetime.now(UTC) - timedelta(**units)).isoformat(timespec="microseconds").replace("+00:00", "Z")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


@pytest.fixture(autouse=True)
def doctor_looks_at_the_log_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHECKS", {"interactions": doctor.CHECKS["interactions"]})


@pytest.fixture
def run(
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Runner:
    """With the log in the data folder; for a test that says so, in a file of JSON Lines or on a server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHWRIGHT_CONFIG", raising=False)
    runner = Runner(capsys, monkeypatch, tmp_path / "home")
    runner.home.mkdir()
    match getattr(request, "param", ""):
        case "postgres":
            setting = request.getfixturevalue("server").database()
        case "":
            setting = ""
        case name:
            setting = str(tmp_path / name)
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


def questions(done: object) -> list[tuple[str, int]]:
    return [(each["session"], each["number"]) for each in done.json]  # type: ignore[attr-defined]


def test_the_latest_is_first_and_people_see_the_beginnings(run: Runner) -> None:
    done = run("log", "query")
    assert (done.code, done.err) == (0, "")
    first, second, third = done.out.split("\n\n")
    head, *rest = first.splitlines()
    assert "  u #1  desk  question  failed  1.2 s, 2 model calls, 300 tokens" in head
    assert [line.split(None, 1)[0] for line in rest] == ["question", "code", "error", "reply", "metadata"]
    assert "\x1b" not in done.out
    assert "line 5\n            (14 more lines)" in second
    assert "line 6" not in second
    assert "Anything [bold]old[/nope]?" in third


def test_conditions(run: Runner) -> None:
    assert questions(run("log", "query", "--json")) == [("u", 1), ("t", 2), ("t", 1)]
    assert questions(run("log", "query", "--session", "t", "--json")) == [("t", 2), ("t", 1)]
    assert questions(run("log", "query", "--agent", "nobody", "--json")) == []
    assert questions(run("log", "query", "--failed", "--json")) == [("u", 1)]
    assert questions(run("log", "query", "--text", "LINE 19", "--json")) == [("t", 2)]
    for age, count in (("10m", 1), ("12h", 1), ("7d", 2), (" 1W ", 2), ("6w", 3), ("999999w", 3)):
        done = run("log", "query", "--since", age, "--json")
        assert (done.code, len(done.json)) == (0, count) if age != "999999w" else (2, 2)
    nothing = run("log", "query", "--session", "x")
    assert (nothing.code, nothing.out, "no such interactions" in nothing.err) == (0, "", True)
    limited = run("log", "query", "--limit", "1")
    assert "--limit N" in limited.err
    assert limited.out.count("model calls") == 1
    whole = run("log", "query", "--session", "t", "--limit", "1", "--json").json[0]
    assert whole["code"].endswith("line 19")
    assert list(whole) == list(interaction(1).model_dump())


@pytest.mark.parametrize("run", ["log.jsonl", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_turns_get_there_and_doctor_sees_them(run: Runner, tmp_path: Path) -> None:
    noting(tmp_path / "agent")
    assert run("ask", tmp_path / "agent", "How many?", "--thread", "new").code == 0
    (first, *_) = run("log", "query", "--json").json
    assert (first["session"], first["question"], first["code"], first["result"]) == (
        "new",
        "How many?",
        "a = 2",
        '{"n": 4}',
    )
    done = run("doctor")
    assert "4 interactions\n" in done.out
    assert PASSWORD not in done.out + done.err


def test_an_age_that_is_none(run: Runner) -> None:
    for age in ("", "7", "d7", "-1d", "7 days", "1y", "٣d" * 3):
        done = run("log", "purge", "--older-than", age, "--yes")
        assert (done.code, "30m, 12h, 7d, 4w" in done.err) == (2, True), age
        if age:
            failed = run("log", "query", "--since", age, "--json")
            assert (failed.code, failed.json["error"]["code"]) == (2, "bad_age")
    assert len(run("log", "query", "--json").json) == 3


def test_sessions(run: Runner) -> None:
    lines = [line.split() for line in run("log", "sessions").out.splitlines()]
    assert lines[0] == ["SESSION", "INTERACTIONS", "FAILED", "FIRST", "LAST", "AGENT"]
    assert [(line[0], line[1], line[2], line[-1]) for line in lines[1:]] == [
        ("u", "1", "1", "desk"),
        ("t", "2", "0", "desk"),
    ]
    found = run("log", "sessions", "--json").json
    assert [(each["session"], each["interactions"], each["failed"]) for each in found] == [("u", 1, 1), ("t", 2, 0)]


def test_a_purge_removes_what_is_old_when_it_is_confirmed(run: Runner) -> None:
    refused = run("log", "purge", "--older-than", "30d")
    assert refused.code == 2
    assert "1 interaction older than 30d" in refused.err
    assert "--yes" in refused.err
    assert len(run("log", "query", "--json").json) == 3
    done = run("log", "purge", "--older-than", "30d", "--yes")
    assert (done.code, done.out) == (0, "")
    assert "Removed 1 interaction." in done.err
    assert questions(run("log", "query", "--json")) == [("u", 1), ("t", 2)]
    again = run("log", "purge", "--older-than", "30d")
    assert again.code == 0
    assert "Nothing in" in again.err
    assert run("log", "purge", "--older-than", "0d", "-y").code == 0
    assert run("log", "query", "--json").json == []
    assert run("log", "purge").code == 2


def test_a_purge_asks_at_a_terminal(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphwright.cli.console.interactive", lambda: True)
    for answer, told, left in (("\n", "Nothing was removed.", 3), ("y\n", "Removed 1 interaction.", 2)):
        done = run("log", "purge", "--older-than", "30d", stdin=answer)
        assert (done.code, "[y/N]" in done.err, told in done.err) == (0, True, True)
        assert len(run("log", "query", "--json").json) == left


# without a log


@pytest.fixture
def bare(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.chdir(tmp_path)
    for name in ("GRAPHWRIGHT_INTERACTIONS", "GRAPHWRIGHT_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return Runner(capsys, monkeypatch, tmp_path / "home")


def test_where_there_is_no_log_none_is_made(bare: Runner) -> None:
    for words in (["query"], ["sessions"], ["purge", "--older-than", "1d"]):
        done = bare("log", *words)
        assert (done.code, done.out) == (0, "")
        assert "no interactions yet" in done.err
    assert bare("log", "query", "--json").json == bare("log", "sessions", "--json").json == []
    assert found(bare) == [("ok", "No interactions yet.")]
    assert not bare.home.exists()


@pytest.mark.parametrize("address", ["logs/all.jsonl", "sqlite:///logs/all.db", "home/deeper/all.jsonl"])
def test_a_folder_that_is_missing_is_no_empty_log(bare: Runner, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", address)
    folder = Path(address.removeprefix("sqlite:///")).parent
    for words in (["query"], ["sessions"], ["purge", "--older-than", "1d"]):
        done = bare("log", *words)
        assert (done.code, done.out) == (1, "")
        assert "does not exist" in done.err
        assert f"{folder} [log_unwritable]" in " ".join(done.err.split())
    assert bare("log", "query", "--json").json["error"]["code"] == "log_unwritable"
    ((level, message),) = found(bare)
    assert (level, "does not exist" in message) == ("problem", True)
    folder.mkdir(parents=True)
    assert "no interactions yet" in bare("log", "query").err
    assert found(bare) == [("ok", "No interactions yet.")]


def test_off_is_told(bare: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "off")
    for words in (["query", "--json"], ["sessions", "--json"], ["purge", "--older-than", "1d"]):
        done = bare("log", *words)
        assert done.code == 2
        assert "switched off" in done.err
    assert bare("log", "query", "--json").json["error"]["code"] == "log_off"
    assert found(bare) == [("ok", "The interaction log is switched off.")]


def test_an_address_that_is_none_is_told_without_its_password(bare: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "mysql://ann:hidden-word@db/log")
    done = bare("log", "query")
    assert done.code == 1
    assert "cannot be kept by mysql" in done.err
    assert "hidden-word" not in done.err
    ((level, message),) = found(bare)
    assert (level, "mysql" in message) == ("problem", True)
    assert bare("doctor").code == 1


def test_a_password_does_not_belong_into_the_file(bare: Runner, tmp_path: Path) -> None:
    for address in ("postgresql://ann:hidden-word@db/log", "postgresql://db/log?user=ann&password=hidden-word"):
        (tmp_path / "graphwright.toml").write_text(f'interactions = "{address}"\n', "utf-8")
        done = bare("log", "query")
        assert done.code == 1
        assert "graphwright.toml:1:1" in done.err
        assert "GRAPHWRIGHT_INTERACTIONS" in done.err
        assert "hidden-word" not in done.err
    (tmp_path / "graphwright.toml").write_text('interactions = "postgresql://ann@db.invalid/log"\n', "utf-8")
    assert "holds a password" not in bare("log", "query").err


# doctor


def found(run: Runner) -> list[tuple[str, str]]:
    done = run("doctor", "--json")
    return [(each["level"], each["message"]) for each in done.json if each["check"] == "interactions"]


def test_doctor_counts_what_is_kept(bare: Runner) -> None:
    bare.home.mkdir()
    file = bare.home / "interactions.db"
    sink(f"sqlite:///{file}", bare.home).write([interaction(1), interaction(2)])
    assert found(bare) == [("ok", f"{file}: 2 interactions")]


@pytest.mark.slow
def test_a_log_that_fails_costs_a_warning(bare: Runner, tmp_path: Path) -> None:
    noting(tmp_path / "agent")
    bare.home.mkdir()
    (bare.home / "interactions.db").mkdir()
    done = program("ask", tmp_path / "agent", "How many?", home=bare.home)
    assert (done.code, done.out) == (0, "Looked at it.\n\nDone How many?.\n")
    assert "The interaction log is not kept" in done.err
    assert [level for level, _ in found(bare)] == ["problem"]


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
    for number in (1, 2):
        assert program("ask", tmp_path / "agent", f"Number {number}", "--thread", "t", home=bare.home).code == 0
        assert len(bare("log", "query", "--json").json) == number
    lines = "one\ntwo\nthree\n"
    assert program("chat", tmp_path / "agent", "--thread", "u", home=bare.home, stdin=lines).code == 0
    assert [each["interactions"] for each in bare("log", "sessions", "--json").json] == [3, 2]
