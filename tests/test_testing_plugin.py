"""The pytest plugin: conversations are collected as tests, and their golden traces compared."""

from __future__ import annotations

import pytest
from testing_support import FLOW

from graphwright.testing.loop import run
from graphwright.testing.running import run_conversation

pytest_plugins = ["pytester"]

GOOD = "agent: small.yaml\nturns:\n  - {user: Ann, expect: {node: q.city}}\n"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.path.joinpath("small.yaml").write_text(FLOW, "utf-8")
    return pytester


def write(folder: pytest.Pytester, name: str, text: str) -> None:
    folder.path.joinpath(f"{name}.conversation.yaml").write_text(text, "utf-8")


def test_files_are_collected_and_what_differs_is_shown(folder: pytest.Pytester) -> None:
    write(folder, "good", GOOD)
    write(folder, "bad", GOOD.replace("q.city", "done"))
    write(folder, "broken", "agent: small.yaml\n")
    result = folder.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*turn 1 ('Ann'): node: expected 'done', got 'q.city'*"])
    result.stdout.fnmatch_lines(["*broken.conversation.yaml:1:1: turns: field required.*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_golden_traces_are_compared(folder: pytest.Pytester) -> None:
    write(folder, "talk", f"trace: true\n{GOOD}")
    file = folder.path / "talk.conversation.yaml"
    run(run_conversation(file, folder.path / "home", update=True))
    folder.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=1)
    trace = folder.path / "talk.trace.txt"
    trace.write_text(trace.read_text("utf-8").replace('"Ann"', '"Ben"'), "utf-8")
    result = folder.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["it went another way than talk.trace.txt", "--- talk.trace.txt", "+++ this run"])
    result.stdout.fnmatch_lines(['-turn 1 begins afresh: "Ben"', '+turn 1 begins afresh: "Ann"'])
