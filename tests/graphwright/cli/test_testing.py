"""`graphwright test` and `graphwright record`: their output, their files, and their exit codes."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cli_support import FLOW, Runner
from testing_support import Folder

GOOD = "turns:\n  - start: true\n  - {user: Ann, expect: {node: q.sure}}\n  - {user: 'yes', expect: {status: ended}}\n"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, monkeypatch, tmp_path / "data")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "talks")
    made.flow(FLOW)
    return made


def test_a_folder_is_run_with_one_line_a_conversation_and_the_coverage(cli: Runner, folder: Folder) -> None:
    folder.conversation(GOOD, "good")
    folder.conversation(
        "turns:\n  - {user: Ann, expect: {node: q.sure, reply: Ben}}\n", "inner/bad", agent="../small.yaml"
    )
    done = cli("test", "talks")
    assert (done.code, done.err) == (1, "")
    assert (
        re.sub(r"\d+\.\d s", "0.0 s", done.out)
        == """\
ok      talks/good.conversation.yaml (3 turns, 0.0 s)
FAILED  talks/inner/bad.conversation.yaml (1 turn, 0.0 s)
  line 3: turn 1 ('Ann'): reply: expected 'Ben' in it, got 'Ann, are you sure?'
flow.small (talks/small.yaml): edges 2/3, guards 0/1, nodes 3/4
1 passed, 1 failed.
"""
    )


def test_json_has_everything(cli: Runner, folder: Folder) -> None:
    folder.flow("print('loaded')\n", "nodes.py")
    folder.conversation(GOOD, "good")
    folder.conversation("turns:\n  - {user: Ann, expect: {node: t.no}}\n", "bad")
    folder.conversation("turns: []\n", "broken")
    folder.conversation("turns:\n  - {user: Ann, expect: {node: q.shure}}\n", "unknown")
    done = cli("test", "talks", "--json")
    found = done.json
    assert (done.code, found["status"], "loaded" in done.err) == (2, "failed", True)
    bad, broken, good, unknown = found["conversations"]
    assert [each["status"] for each in (bad, broken, good, unknown)] == ["failed", "unusable", "passed", "unusable"]
    assert unknown["problems"][0]["hint"] == "Did you mean `q.sure`?"
    message = "turn 1 ('Ann'): node: expected 't.no', got 'q.sure'"
    place = {"turn": 1, "line": 3, "code": "expectation", "message": message, "diff": [], "said": "Ann"}
    assert bad["mismatches"] == [{**place, "part": "node", "expected": "t.no", "got": "q.sure"}]
    assert (broken["error"]["code"], broken["problems"][0]["line"]) == ("bad_conversation", 2)
    (coverage,) = found["coverage"]
    assert (coverage["flow"], coverage["file"], coverage["conversations"]) == ("flow.small", "talks/small.yaml", 2)
    never = [{"what": "q.sure -> t.no", "guard": "else", "never": "taken", "line": 12}]
    assert coverage["edges"] == {"reached": 2, "total": 3, "percent": 66.7, "never": never}


def test_golden_traces_are_written_and_compared(cli: Runner, folder: Folder) -> None:
    file = folder.conversation(f"trace: true\n{GOOD}")
    assert "write it with --update" in cli("test", file).out
    assert ", golden trace written)" in cli("test", file, "--update").out
    folder.conversation(f"trace: true\n{GOOD.replace('Ann', 'Ben')}")
    done = cli("test", file)
    assert (done.code, '\n    -turn 2 begins: "Ann"\n' in done.out) == (1, True)


def test_a_wanted_coverage_that_is_not_reached_fails(cli: Runner, folder: Folder) -> None:
    file = folder.conversation(GOOD)
    assert cli("test", file, "--min-coverage", "66").code == 0
    done = cli("test", file, "--min-coverage", "67")
    assert (done.code, done.err) == (1, "flow.small: 2/3 edges are 66.7 %, and 67 % are required (--min-coverage).\n")
    assert cli("test", file, "--min-coverage", "67", "--json").json["status"] == "failed"
    assert cli("test", file, "--min-coverage", "101").code == 2


def test_an_invalid_conversation_is_an_error(cli: Runner, folder: Folder) -> None:
    (folder.path / "inner" / ".venv").mkdir(parents=True)
    folder.conversation(GOOD, "inner/.venv/hidden", agent="../../small.yaml")
    for args, code in (
        ([], "no_file"),
        (["nowhere"], "no_such_file"),
        (["talks/small.yaml"], "not_a_conversation"),
        (["talks/inner"], "no_conversations"),
    ):
        done = cli("test", *args, "--json")
        assert (done.code, done.json["error"]["code"], f"[{code}]" in done.err) == (2, code, True)


@pytest.mark.slow
def test_the_conversations_of_the_intake_agent_take_every_edge(cli: Runner) -> None:
    done = cli("test", "intake", "--min-coverage", "100", "--json")
    assert (done.code, done.err) == (0, "")
    assert {conversation["trace"] for conversation in done.json["conversations"]} == {"same", "none"}


# record


def test_a_recorded_thread_passes_at_once(cli: Runner, folder: Folder) -> None:
    assert cli("ask", "talks/small.yaml", "Ann: the first", "--thread", "t1").code == 3
    assert cli("resume", "t1", "--reject").code == 0
    printed = cli("record", "t1")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.startswith('# Recorded from thread t1.\nagent: "./talks/small.yaml"\n')
    made = cli("record", "t1", "--out", "talks/inner.conversation.yaml")
    assert (made.code, made.out) == (0, "talks/inner.conversation.yaml\n")
    assert 'agent: "./small.yaml"\n' in Path("talks/inner.conversation.yaml").read_text("utf-8")
    tested = cli("test", "talks")
    assert (tested.code, tested.out.splitlines()[-1], "(2 turns, " in tested.out) == (0, "1 passed.", True)


def test_recording_overwrites_nothing_and_names_what_is_not_there(cli: Runner, folder: Folder) -> None:
    cli("ask", "talks/small.yaml", "Ann", "--thread", "t1")
    file = folder.conversation(GOOD)
    for args, code in (
        (["t1", "--out", file], "system"),
        (["t1", "--out", "x.yaml"], "not_a_conversation"),
        (["t1", "--out", "nowhere/x.conversation.yaml"], "system"),
        (["t2"], "no_such_thread"),
    ):
        done = cli("record", *args)
        assert (done.code, done.out) == (1 if code == "system" else 2, "")
        assert f"[{code}]" in done.err
    assert file.read_text("utf-8").endswith(GOOD)
    os.rename("talks", "elsewhere")
    assert "[agent_not_found]" in cli("record", "t1").err
