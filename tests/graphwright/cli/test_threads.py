"""`graphwright threads`: list, show, trace, branch, stats, delete."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from pathlib import Path

import pytest

from cli_support import FLOW, Runner
from graphwright.testing._trace_lines import BOOKKEEPING


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    runner = Runner(capsys, monkeypatch, tmp_path / "home")
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    runner("ask", file, "Anna", "--thread", "t1")
    runner("ask", file, "yes", "--thread", "t1")
    runner("ask", file, "Bob\nand a second [bold]line[/nope]", "--thread", "t2")
    return runner


def test_threads_are_listed_shown_and_deleted_by_a_yes(run: Runner) -> None:
    lines = run("threads").out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["t2", "small", "waiting"], ["t1", "small", "ended"]]
    done = run("threads", "show", "t2")
    assert "waiting at q.sure" in done.out
    assert "you: Bob\nand a second [bold]line[/nope]" in done.out
    shown = run("threads", "show", "t2", "--json").json
    assert (shown["waiting_for"]["kind"], [m["role"] for m in shown["messages"]]) == ("confirm", ["user", "assistant"])
    refused = run("threads", "delete", "t1")
    assert (refused.code, "--yes" in refused.err, run("threads", "show", "t1").code) == (2, True, 0)
    assert run("threads", "delete", "t1", "--yes").code == 0
    assert [row["thread"] for row in run("threads", "--json").json] == ["t2"]


def test_the_flow_of_a_thread_is_printed_also_after_its_agent_has_changed(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    printed = run("threads", "flow", "t2")
    changed = FLOW.replace("id: t.no,", "id: t.not,").replace("to: t.no,", "to: t.not,").replace("Small", "Tiny")
    file.write_text(changed, "utf-8")
    assert run("threads", "flow", "t2") == printed
    assert "Good, Bob" in run("ask", file, "yes", "--thread", "t2").out
    assert run("threads", "flow", "none").code == 2
    file.write_text(printed.out, "utf-8")

    def edit(statement: str) -> None:
        with contextlib.closing(sqlite3.connect(run.home / "graphwright.db")) as other:
            other.execute(statement)
            other.commit()

    run("ask", file, "Cy", "--thread", "t3")
    file.write_text(changed, "utf-8")
    for statement, words in (
        ("UPDATE gw_flow_documents SET document = replace(document, 'sure', 'safe')", "is damaged"),
        ("DELETE FROM gw_flow_documents", "no_flow_document"),
    ):
        edit(statement)
        refused = run("ask", file, "yes", "--thread", "t3")
        assert "[version_missing]" in refused.err
        assert words in run("threads", "flow", "t3").err


def test_an_empty_home_is_not_made(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(empty))
    for args in (["threads"], ["threads", "stats"]):
        done = run(*args)
        assert (done.code, done.out) == (0, "")
        assert f"There are no threads yet in {empty}." in done.err
    assert run("threads", "--json").json == []
    assert run("threads", "show", "t1").code == 2
    assert not empty.exists()


def test_trace_is_one_line_an_event(run: Runner) -> None:
    done = run("threads", "trace", "t1")
    events = run("threads", "trace", "t1", "--json").json
    assert [event["seq"] for event in events] == list(range(len(events)))
    shown = [event["seq"] for event in events if event["type"] not in BOOKKEEPING]
    assert [int(line.split()[0]) for line in done.out.splitlines()] == shown
    for words in ("guard of", 'answer name = "Anna"', "q.sure -> t.yes"):
        assert words in done.out
    everything = run("threads", "trace", "t1", "--all").out.splitlines()
    assert len(everything) == len(events)
    assert "moved: ended at t.yes" in everything[-2]


HUSHED = """\
version: v1
restart: keep
id: flow.hushed
state:
  pin: {type: string, default: "1234", private: true}
  big: {type: [string, "null"], large: true}
  n: {type: integer, default: 1}
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: act, type: action, run: act}
  - {id: q.size, type: question, key: size, prompt: Size?, read: choice, schema: {enum: [small, large]}}
  - {id: t.small, type: terminal, say: Too small.}
  - {id: t.large, type: terminal, say: Fine.}
edges:
  - {from: q.name, to: act}
  - {from: act, to: q.size}
  - {from: q.size, to: t.small, guard: answers.size == 'small'}
  - {from: q.size, to: t.large, guard: else}
"""
ACT = """\
from graphwright import action


@action(writes=["pin", "big", "n"])
def act(state, ctx):
    return {"pin": "hunter2", "big": "x" * 3000, "n": 2}
"""


@pytest.fixture
def hushed(run: Runner, tmp_path: Path) -> Path:
    folder = tmp_path / "hushed"
    folder.mkdir()
    (folder / "flow.yaml").write_text(HUSHED, "utf-8")
    (folder / "nodes.py").write_text(ACT, "utf-8")
    assert run("ask", folder, "Ann", "--thread", "h").code == 3
    assert run("ask", folder, "small", "--thread", "h").code == 0
    return folder


def number(run: Runner, thread: str, line: str) -> int:
    """The number of the first line of a trace that contains a text."""
    return next(int(each.split()[0]) for each in run("threads", "trace", thread).out.splitlines() if line in each)


def test_show_at_gives_the_state_of_the_thread_at_an_event(run: Runner, hushed: Path) -> None:
    waits = number(run, "h", "waits at q.size")
    shown = run("threads", "show", "h", "--at", str(waits)).out
    for line in ("status   waiting at q.size", "prompt   Size?", "turn     1", '  name = "Ann"', "  n = 2"):
        assert line in shown
    then = run("threads", "show", "h", "--at", str(waits), "--json").json
    assert then["waiting_for"]["node"] == then["node"] == "q.size"
    assert then["values"] == {"answers": {"name": "Ann"}, "big": "x" * 3000, "n": 2}
    assert (then["status"], then["at"], then["event"]["type"]) == ("waiting", waits, "prompted")
    before = str(number(run, "h", "writes") - 1)
    assert "during a turn at act" in run("threads", "show", "h", "--at", before).out


def test_private_channels_are_shown_at_no_point(run: Runner, hushed: Path) -> None:
    events = run("threads", "trace", "h", "--json").json
    written = [event["seq"] for event in events if event["type"] in ("channels_reset", "channels_written")]
    assert len(written) == 2
    shown = [run("threads", "show", "h", "--at", str(seq), *form).out for seq in written for form in ((), ("--json",))]
    assert not [secret for secret in ("hunter2", "1234") if secret in "".join(shown)]
    assert "hunter2" not in run("threads", "trace", "h", "--all").out


def test_branch_gives_a_thread_that_goes_on_from_there(run: Runner, hushed: Path) -> None:
    waits = number(run, "h", "waits at q.size")
    before = run("threads", "trace", "h", "--json").out
    done = run("threads", "branch", "h", "--at", str(waits), "--thread", "b")
    assert (done.code, done.out) == (0, "b\n")
    assert f"Thread b goes on after event {waits} of h, and waits at q.size: Size?" in done.err
    assert run("ask", hushed, "large", "--thread", "b").out == "Fine.\n"
    assert run("threads", "trace", "h", "--json").out == before
    assert f"branch: goes on after event {waits} of thread h" in run("threads", "trace", "b").out
    # With changed answers the flow advances.
    made = run("threads", "branch", "h", "--at", str(waits), "--answer", "size=large", "--answer", "name=7", "--json")
    assert (made.code, made.json["status"], made.json["waiting_for"]) == (0, "ended", None)
    now = run("threads", "show", made.json["thread"], "--at", "-1", "--json").json
    assert now["values"]["answers"] == {"name": "7", "size": "large"}


def test_branch_says_what_does_not_fit(run: Runner, hushed: Path) -> None:
    threads = run("threads", "--json").json
    for options, words in (
        (("--answer", "sise=large"), "Did you mean `size`?"),
        (("--answer", "size=huge"), "must be one of small, large"),
        (("--answer", "size"), "Write KEY=VALUE"),
        (("--answer", "size=large", "--answer", "size=small"), "given twice"),
        (("--thread", "t1"), "There is a thread 't1' already"),
        (("--at", "999"), "There is no event 999: the trace has the events 0 to"),
    ):
        done = run("threads", "branch", "h", "--at", "-1", *options)
        assert (done.code, words in done.err, ".." in done.err) == (2, True, False), words
    assert run("threads", "--json").json == threads


def test_stats_count_all_threads_and_show_gives_the_reason_of_a_failure(run: Runner, tmp_path: Path) -> None:
    done = run("threads", "stats")
    assert "flow.small\n  2 conversations, 3 turns (0 failed, 0 escalated)" in done.out
    assert "q.sure -> t.yes" in done.out
    none = run("threads", "stats", "--agent", "nobody")
    assert (none.code, none.out, "no threads of 'nobody'" in none.err) == (0, "", True)
    file, rules = tmp_path / "asks.yaml", tmp_path / "rules.json"
    file.write_text(FLOW.replace(", read: verbatim", ", schema: {type: string}"), "utf-8")
    rules.write_text('[{"fail": "auth"}]', "utf-8")
    assert run("ask", file, "Ann", "--thread", "t9", "--model", f"scripted:{rules}").code == 1
    failed = run("threads", "show", "t9").out
    assert re.search(
        r"^status   failed\nwhy      .+ \[model_not_authorised\]\nwaits at q\.name\n", failed, re.MULTILINE
    )


def test_an_unknown_thread_is_a_usage_error_everywhere(run: Runner) -> None:
    threads = ("show {}", "trace {}", "delete {}", "show {} --at 0", "branch {} --at 0")
    for command in (*(f"threads {each}" for each in threads), "resume {} --approve", "record {}"):
        done = run(*command.format("zzz").split())
        assert (done.code, "There is no thread 'zzz'." in done.err) == (2, True), command


def test_a_thread_is_exported_as_markdown_or_json(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("threads", "export", "t2", "--markdown").out == "t2.md\n"
    assert "\n\nBob\nand a second [bold]line[/nope]\n" in (tmp_path / "t2.md").read_text("utf-8")
    assert run("threads", "export", "t2", "--json", "--to", "all.json").code == 0
    whole = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert [each["role"] for each in whole["messages"]] == ["user", "assistant"]
    assert whole["trace"][0]["event"]["type"] == "turn_started"
    for wrong in ((), ("--json", "--markdown"), ("--markdown",)):
        assert run("threads", "export", "t2", *wrong).code == 2
