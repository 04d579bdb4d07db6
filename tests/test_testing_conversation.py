"""Scripted conversations: the file and its errors, mismatches in words, and the pytest plugin."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from graphwright import GraphwrightError
from graphwright.testing.conversation import read_conversation, run_conversation

FLOW = """\
version: v1
id: flow.small
state: {mood: {type: string, default: fine}}
nodes:
  - {id: q.name, type: question, key: name, prompt: What is your name?, read: verbatim}
  - {id: q.city, type: question, key: city, prompt: "Which city, {{ answers.name }}?", schema: {type: string}}
  - {id: done, type: terminal, say: Thanks.}
edges:
  - {from: q.name, to: q.city}
  - {from: q.city, to: done}
"""
MODEL = """
model:
  - {says: Rome, times: 1, call: {UpdateAnswers: {answers: [{key: city, value: Rome, quote: Rome}]}}}
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    (tmp_path / "small.yaml").write_text(FLOW, "utf-8")

    def written(text: str) -> Path:
        file = tmp_path / "one.conversation.yaml"
        file.write_text(text, "utf-8")
        return file

    return written


def run(file: Path) -> list[str]:
    return asyncio.run(run_conversation(file, file.parent / "home"))


def test_what_goes_as_expected_says_nothing(write: Any) -> None:
    file = write(
        "agent: small.yaml" + MODEL + "turns:\n"
        "  - {start: true, expect: {status: waiting, node: q.name, reply: your NAME, model_calls: 0}}\n"
        "  - {resume: Ann, expect: {node: q.city, answers: {name: Ann, city: null}, path: [q.city]}}\n"
        "  - {user: Rome, expect: {status: ended, node: done, values: {mood: fine}, passes: [done], not_reply: city}}\n"
    )
    assert run(file) == []


MISMATCHES = [
    ("status: ended", "status: expected 'ended', got 'waiting'"),
    ("node: done", "node: expected 'done', got 'q.city'"),
    ("answers: {name: Ben}", "answer name: expected 'Ben', got 'Ann'"),
    ("answers: {led.watts: 5}", "answer led.watts: expected 5, got None"),
    ("values: {mood: bad}", "channel mood: expected 'bad', got 'fine'"),
    ("reply: Paris", "reply: expected 'Paris' in it, got 'Which city, Ann?'"),
    ("not_reply: [x, ann]", "reply: expected no 'ann' in it, got 'Which city, Ann?'"),
    ("path: [q.name]", "path: expected ['q.name'], got ['q.name', 'q.city']"),
    ("passes: [q.city, q.name]", "path: expected ['q.city', 'q.name'] in this order, got ['q.name', 'q.city']"),
    ("error: x", "error: expected 'x', got None"),
    ("model_calls: 2", "model_calls: expected 2, got 0"),
]


@pytest.mark.parametrize(("expect", "line"), MISMATCHES)
def test_a_mismatch_names_the_turn_what_was_expected_and_what_came(write: Any, expect: str, line: str) -> None:
    assert run(write(f"agent: small.yaml\nturns:\n  - {{user: Ann, expect: {{{expect}}}}}\n")) == [
        f"turn 1 ('Ann'): {line}"
    ]


def test_a_turn_that_fails_unexpectedly_ends_the_run_with_its_reason(write: Any) -> None:
    wrong = run(write("agent: small.yaml\nturns:\n  - user: Ann\n  - user: Rome\n  - user: never said\n"))
    assert len(wrong) == 1
    assert wrong[0].startswith("turn 2 ('Rome'): failed: unexpected_model_call: ")


def test_rules_left_over_are_told(write: Any) -> None:
    wrong = run(write(f"agent: small.yaml{MODEL}turns:\n  - user: Ann\n"))
    assert wrong == ["after the last turn: rule 1 (says /Rome/) was expected 1 more time"]


ERRORS = [
    ("agent: small.yaml\nturn: []\n", ["turn", "Fields:", "not_reply"]),
    ("agent: small.yaml\nturns: []\n", ["turns", "at least 1"]),
    ("agent: small.yaml\n", ["turns", "required"]),
    ("agent: small.yaml\nturns:\n  - {user: a, says: b}\n", ["turns.0.says"]),
    ("agent: small.yaml\nturns:\n  - {user: a, start: true}\n", ["turns.0", "exactly one of"]),
    ("agent: small.yaml\nturns:\n  - {expect: {node: x}}\n", ["turns.0", "exactly one of"]),
    ("agent: small.yaml\nturns:\n  - {user: a, expect: {nodes: x}}\n", ["turns.0.expect.nodes"]),
    ("agent: small.yaml\nturns:\n  - {user: ''}\n", ["turns.0.user"]),
    ("agent: [\n", ["cannot be read", "line 2"]),
    ("", ["the file"]),
    ("- a\n", ["the file"]),
    ("agent: intak\nturns: [{user: a}]\n", ["no agent 'intak'", "'intake'"]),
    ("agent: ../nowhere.yaml\nturns: [{user: a}]\n", ["no flow file", "nowhere.yaml"]),
    ("agent: small.yaml\nmodel: [{say: x}]\nturns: [{user: a}]\n", ["one.conversation.yaml", "rule 1", "'says'"]),
]


@pytest.mark.parametrize(("text", "words"), ERRORS)
def test_what_is_wrong_with_a_file_is_told_with_its_place(write: Any, text: str, words: list[str]) -> None:
    with pytest.raises(GraphwrightError) as error:
        run(write(text))
    told = f"{error.value.message} {error.value.hint}"
    for word in words:
        assert word in told


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.conversation.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GraphwrightError) as error:
        read_conversation(file)
    assert "x.conversation.yaml" in error.value.message
    with pytest.raises(GraphwrightError):
        read_conversation(tmp_path / "none.conversation.yaml")


pytest_plugins = ["pytester"]


def test_the_plugin_collects_files_and_shows_what_differs(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.path.joinpath("small.yaml").write_text(FLOW, "utf-8")
    good = "agent: small.yaml\nturns:\n  - {user: Ann, expect: {node: q.city}}\n"
    pytester.path.joinpath("good.conversation.yaml").write_text(good, "utf-8")
    pytester.path.joinpath("bad.conversation.yaml").write_text(good.replace("q.city", "done"), "utf-8")
    pytester.path.joinpath("broken.conversation.yaml").write_text("agent: small.yaml\n", "utf-8")
    result = pytester.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*turn 1 ('Ann'): node: expected 'done', got 'q.city'*"])
    result.stdout.fnmatch_lines(["*broken.conversation.yaml: *turns: Field required*"])
    result.stdout.no_fnmatch_line("*Traceback*")
