"""`graphwright threads`: list, show, trace, delete."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import FLOW, Runner

from graphwright.cli.trace_lines import trace_line


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
    done = run("threads")
    assert done.code == 0
    assert done.out == ""
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
    assert len(done.out.splitlines()) == len(events)
    assert "guard of" in done.out
    assert 'answer name = "Anna"' in done.out
    assert "q.sure -> t.yes" in done.out
    assert [event["seq"] for event in events] == list(range(len(events)))


def test_unknown_threads_are_usage_errors(run: Runner) -> None:
    for command in ("show", "trace", "delete"):
        done = run("threads", command, "nope")
        assert done.code == 2
        assert "nope" in done.err


def test_delete_asks_or_wants_yes(run: Runner) -> None:
    refused = run("threads", "delete", "t1")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert run("threads", "show", "t1").code == 0
    assert run("threads", "delete", "t1", "--yes").code == 0
    assert run("threads", "show", "t1").code == 2
    assert [row["thread"] for row in run("threads", "--json").json] == ["t2"]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"type": "node_entered", "node": "a", "kind": "question", "graph": "", "depth": 1}, "  a (question)"),
        (
            {
                "type": "guard_checked",
                "of": "e",
                "guard": "answers.x",
                "opened": False,
                "saw": {},
                "missing": ["answers.x"],
            },
            "  guard of e stays closed: answers.x, answers.x has no value yet",
        ),
        ({"type": "edge_taken", "edge": "e", "source": "a", "target": "b", "else": True}, "  a -> b (else)"),
        ({"type": "from_the_future", "x": 1, "empty": ""}, "from the future: x = 1"),
        ({"type": "edge_taken"}, "edge taken"),
        (
            {"type": "guard_checked", "of": "e", "guard": "a\n&& b", "opened": True, "saw": {"a": True}},
            "  guard of e opens: a && b, a = true",
        ),
    ],
)
def test_events_as_lines(event: dict[str, object], line: str) -> None:
    assert trace_line(event) == line
