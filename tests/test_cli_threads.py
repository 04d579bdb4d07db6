"""`graphwright threads`: list, show, trace, branch, stats, delete."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pexpect
import pytest
from cli_support import FLOW, Runner, environment

from graphwright.testing.trace_lines import trace_line


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    runner = Runner(capsys, monkeypatch, tmp_path / "home")
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    runner("ask", file, "Anna", "--thread", "t1")
    runner("ask", file, "yes", "--thread", "t1")
    runner("ask", file, "Bob\nand a second [bold]line[/nope]", "--thread", "t2")
    return runner


def test_the_list_has_the_last_touched_first(run: Runner) -> None:
    done = run("threads")
    lines = done.out.splitlines()
    assert done.code == 0
    assert [line.split()[:3] for line in lines[1:]] == [["t2", "small", "waiting"], ["t1", "small", "ended"]]
    assert run("threads", "list").out == done.out
    assert [row["thread"] for row in run("threads", "--json").json] == ["t2", "t1"]


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


def test_show_tells_where_it_stands_and_what_was_said(run: Runner) -> None:
    done = run("threads", "show", "t2")
    assert done.code == 0
    assert "waiting at q.sure" in done.out
    assert "you: Bob\nand a second [bold]line[/nope]" in done.out
    shown = run("threads", "show", "t2", "--json").json
    assert shown["waiting_for"]["kind"] == "confirm"
    assert [m["role"] for m in shown["messages"]] == ["user", "assistant"]


def test_trace_is_one_line_an_event(run: Runner) -> None:
    done = run("threads", "trace", "t1")
    events = run("threads", "trace", "t1", "--json").json
    saved = [event["seq"] for event in events if event["type"] == "state_saved"]
    assert [int(line.split()[0]) for line in done.out.splitlines()] == [
        event["seq"] for event in events if event["seq"] not in saved
    ]
    assert "guard of" in done.out
    assert 'answer name = "Anna"' in done.out
    assert "q.sure -> t.yes" in done.out
    assert [event["seq"] for event in events] == list(range(len(events)))
    everything = run("threads", "trace", "t1", "--all").out.splitlines()
    assert len(everything) == len(events)
    assert "saved: waiting at q.sure" in everything[saved[0]]
    assert "saved: ended at t.yes" in everything[-1]


@pytest.mark.slow
def test_trace_is_folded_on_a_terminal_and_nowhere_else(run: Runner, tmp_path: Path) -> None:
    run("ask", tmp_path / "small.yaml", "Eve " * 40, "--thread", "t3")
    piped = run("threads", "trace", "t3").out.splitlines()
    assert max(map(len, piped)) > 100
    done = pexpect.run(
        f"{sys.executable} -m graphwright.cli threads trace t3",
        env=environment(run.home, TERM="xterm", NO_COLOR="1"),
        dimensions=(24, 60),
        encoding="utf-8",
    )
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in done.splitlines()]
    assert max(map(len, lines)) <= 60
    assert [line for line in lines if line.strip()[:1].isdigit()] != lines
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(piped).split())


NESTED = """\
version: v1
id: flow.nested
nodes:
  - {id: led, type: subgraph, ref: g}
  - {id: t, type: terminal}
edges: [{from: led, to: t}]
subgraphs:
  g:
    nodes: [{id: q.size, type: question, key: size, prompt: Size?, read: verbatim}]
    edges: [{from: q.size, to: __exit__}]
"""


def test_what_happens_in_a_subgraph_is_indented(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "nested.yaml").write_text(NESTED, "utf-8")
    run("ask", tmp_path / "nested.yaml", "large", "--thread", "n")
    lines = [line[19:] for line in run("threads", "trace", "n").out.splitlines()]
    assert lines == [
        'turn 1 begins afresh: "large"',
        "led (subgraph)",
        "  led calls g",
        "  q.size (question)",
        '    answer size = "large"',
        "    q.size -> __exit__",
        "  g returns to led",
        "  led -> t",
        "t (terminal)",
    ]


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
    """The number of the first line of a trace that holds a text."""
    return next(int(each.split()[0]) for each in run("threads", "trace", thread).out.splitlines() if line in each)


def test_show_at_tells_what_the_thread_was_like_then(run: Runner, hushed: Path) -> None:
    waits = number(run, "h", "waits at q.size")
    shown = run("threads", "show", "h", "--at", str(waits)).out
    for line in (
        "status   waiting at q.size",
        "prompt   Size?",
        "turn     1",
        '  name = "Ann"',
        "  n = 2",
        f"event    {waits} (of 0 to ",
    ):
        assert line in shown
    assert "size" not in shown.split("answers")[1].split("channels")[0]
    then = run("threads", "show", "h", "--at", str(waits), "--json").json
    assert then["waiting_for"]["node"] == then["node"] == "q.size"
    assert then["values"] == {"answers": {"name": "Ann"}, "big": "x" * 3000, "n": 2}
    assert (then["status"], then["at"], then["event"]["type"]) == ("waiting", waits, "prompted")
    before = run("threads", "show", "h", "--at", str(number(run, "h", "writes") - 1), "--json").json
    assert before["values"] == {"answers": {"name": "Ann"}, "big": None, "n": 1}
    assert (before["status"], before["waiting_for"]) == ("running", None)
    assert "in the midst of a turn at act" in run("threads", "show", "h", "--at", str(before["at"])).out
    last = run("threads", "show", "h", "--at", "-1", "--json").json
    assert (last["status"], last["values"]["answers"]) == ("ended", {"name": "Ann", "size": "small"})
    assert "status   ended" in run("threads", "show", "h", "--at", "-1").out


def test_private_channels_are_shown_at_no_point(run: Runner, hushed: Path) -> None:
    events = run("threads", "trace", "h", "--json").json
    written = [event["seq"] for event in events if event["type"] in ("channels_reset", "channels_written")]
    assert len(written) == 2
    for seq in (*written, -1):
        for form in ((), ("--json",)):
            done = run("threads", "show", "h", "--at", str(seq), *form)
            assert done.code == 0
            assert "hunter2" not in done.out
            assert "1234" not in done.out
    assert "hunter2" not in run("threads", "trace", "h", "--all").out


def test_an_event_that_is_not_there_is_a_usage_error(run: Runner) -> None:
    for command in (("show",), ("branch",)):
        done = run("threads", *command, "t1", "--at", "999")
        assert done.code == 2
        assert "There is no event 999: the trace has the events 0 to 13." in done.err
        failed = run("threads", *command, "t1", "--at", "999", "--json")
        assert failed.json["error"]["code"] == "no_such_event"


def test_branch_gives_a_thread_that_goes_on_from_there(run: Runner, hushed: Path) -> None:
    waits = number(run, "h", "waits at q.size")
    before = run("threads", "trace", "h", "--json").out
    done = run("threads", "branch", "h", "--at", str(waits), "--thread", "b")
    assert (done.code, done.out) == (0, "b\n")
    assert f"Thread b goes on after event {waits + 1} of h, and waits at q.size: Size?" in done.err
    assert f"graphwright ask {hushed} TEXT --thread b" in done.err
    assert run("ask", hushed, "large", "--thread", "b").out == "Fine.\n"
    assert run("threads", "trace", "h", "--json").out == before
    assert f"branch: goes on after event {waits + 1} of thread h" in run("threads", "trace", "b").out


def test_branch_with_a_changed_answer_walks_on_from_there(run: Runner, hushed: Path) -> None:
    waits = number(run, "h", "waits at q.size")
    made = run("threads", "branch", "h", "--at", str(waits), "--answer", "size=large", "--answer", "name=7", "--json")
    assert made.code == 0
    assert made.json["status"] == "ended"
    assert made.json["waiting_for"] is None
    assert made.json["asked_at"] == {}
    now = run("threads", "show", made.json["thread"], "--at", "-1", "--json").json
    assert now["values"]["answers"] == {"name": "7", "size": "large"}
    assert "Fine." in run("threads", "show", made.json["thread"]).out
    corrected = run("threads", "branch", "h", "--at", "-1", "--answer", "size=large")
    assert f"To take another way from there: --at {waits + 1}" in corrected.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--answer", "sise=large"), "Did you mean 'size'?"),
        (("--answer", "size=huge"), "must be one of small, large"),
        (("--answer", "size"), "Write --answer KEY=VALUE"),
        (("--answer", "size=large", "--answer", "size=small"), "given twice"),
        (("--thread", "t1"), "There is a thread 't1' already"),
        (("--agent", "nowhere"), "no agent 'nowhere'"),
    ],
)
def test_branch_says_what_does_not_fit(run: Runner, hushed: Path, options: tuple[str, ...], words: str) -> None:
    threads = run("threads", "--json").json
    done = run("threads", "branch", "h", "--at", "-1", *options)
    assert done.code == 2
    assert words in done.err
    assert run("threads", "--json").json == threads


def test_stats_count_the_traces_of_all_threads(run: Runner, hushed: Path) -> None:
    counts = run("threads", "stats", "--json").json
    assert [flow["flow"] for flow in counts] == ["flow.hushed", "flow.small"]
    hushed_flow, small = counts
    assert (small["conversations"], small["turns"], small["failed"]) == (2, 3, 0)
    assert small["nodes"]["q.sure"] == {
        **{"kind": "question", "action": "", "entered": 2, "passed": 0, "waited": 2},
        **{"performed": 0, "failed": 0, "retried": 0},
    }
    assert small["edges"]["q.sure->t.yes"]["taken"] == 1
    assert small["guards"]["q.sure->t.yes"]["opened"] == 1
    assert hushed_flow["nodes"]["act"]["performed"] == 1
    only = run("threads", "stats", "--agent", "hushed", "--json").json
    assert only == [hushed_flow]
    done = run("threads", "stats")
    assert "flow.small\n  2 conversations, 3 turns (0 failed, 0 escalated)" in done.out
    assert "q.sure (question)" in done.out
    assert "q.sure -> t.yes" in done.out
    none = run("threads", "stats", "--agent", "nobody")
    assert (none.code, none.out) == (0, "")
    assert "no threads of 'nobody'" in none.err


def test_delete_asks_or_wants_yes(run: Runner) -> None:
    refused = run("threads", "delete", "t1")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert run("threads", "show", "t1").code == 0
    assert run("threads", "delete", "t1", "--yes").code == 0
    assert run("threads", "show", "t1").code == 2
    assert [row["thread"] for row in run("threads", "--json").json] == ["t2"]


CALL = {"node": "q", "model": "m", "offered": ["UpdateAnswers"], "input_tokens": 5, "output_tokens": 6, "seconds": 0.25}
ANSWER = {"call": [{"UpdateAnswers": {"answers": []}}, {"UnknownAnswer": {"key": "a"}}]}
TOOL = {"type": "tool_called", "node": "a", "tool": "look", "ok": False, "seconds": 0.5}
GUARD = {"type": "guard_checked", "of": "e"}
EVENTS = [
    ({"type": "node_entered", "node": "a", "kind": "question", "graph": "", "depth": 1}, "  a (question)"),
    (
        {**GUARD, "guard": "answers.x", "opened": False, "saw": {}, "missing": ["answers.x"]},
        "  guard of e stays closed: answers.x, answers.x has no value yet",
    ),
    (
        {**GUARD, "guard": "a\n&& b", "opened": True, "saw": {"a": True}},
        "  guard of e opens: a && b, with a = true",
    ),
    ({"type": "edge_taken", "edge": "e", "source": "a", "target": "b", "else": True}, "  a -> b (else)"),
    (
        {"type": "model_called", **CALL, "answer": ANSWER},
        "  model m at q for UpdateAnswers (5 tokens in, 6 out, 0.2 s): "
        'UpdateAnswers {"answers": []}, UnknownAnswer {"key": "a"}',
    ),
    (
        {**TOOL, "arguments": ["x", "y"], "kind": "bad_arguments", "error": "x: must be a number"},
        "  tool look with x, y (0.50 s), bad arguments: x: must be a number",
    ),
    (
        {**TOOL, "arguments": [], "kind": "failed", "error": "There is no x.", "code": "no_x"},
        "  tool look (0.50 s), failed: There is no x. [no_x]",
    ),
    ({"type": "channels_reset", "values": {"n": 1}, "private": []}, "  begins with n = 1"),
    (
        {"type": "state_adapted", "answers": ["a", "b.c"], "channels": []},
        "  does not fit the flow as it is now, dropped: answers a, b.c",
    ),
    ({"type": "branched", "thread": "t", "at": 9, "answers": []}, "branch: goes on after event 9 of thread t"),
    ({"type": "from_the_future", "x": 1, "empty": ""}, "from the future: x = 1"),
    ({"type": "edge_taken"}, "  edge taken"),
]


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_events_as_lines(event: dict[str, object], line: str) -> None:
    assert trace_line(event) == line


def test_show_tells_why_a_thread_failed_and_where_it_waits(run: Runner, tmp_path: Path) -> None:
    file, rules = tmp_path / "asks.yaml", tmp_path / "rules.json"
    file.write_text(FLOW.replace(", read: verbatim", ", schema: {type: string}"), "utf-8")
    rules.write_text('[{"fail": "auth"}]', "utf-8")
    assert run("ask", file, "Ann", "--thread", "t9", "--model", f"scripted:{rules}").code == 1
    done = run("threads", "show", "t9")
    assert re.search(
        r"^status   failed\nwhy      .+ \[model_not_authorised\]\nwaits at q\.name\n", done.out, re.MULTILINE
    )


def test_a_data_folder_that_is_none_is_told(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for home in (file, file / "below"):
        monkeypatch.setenv("GRAPHWRIGHT_HOME", str(home))
        for args in (["threads"], ["threads", "show", "t1"]):
            done = run(*args)
            assert (done.code, done.out) == (1, "")
            assert "[not_a_folder]" in done.err
            assert str(home) in done.err


def test_an_unknown_thread_is_a_usage_error_everywhere(run: Runner) -> None:
    threads = ("show {}", "trace {}", "delete {}", "show {} --at 0", "branch {} --at 0")
    for command in (*(f"threads {each}" for each in threads), "resume {} --approve", "record {}"):
        done = run(*command.format("zzz").split())
        assert (done.code, "There is no thread 'zzz'." in done.err) == (2, True), command
