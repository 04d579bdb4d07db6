"""The pytest plugin: conversations are collected as tests, and their golden traces compared."""

from __future__ import annotations

import pytest

from testing_support import FLOW

pytest_plugins = ["pytester"]

GOOD = "agent: small.yaml\nturns:\n  - {user: Ann, expect: {node: q.city}}\n"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    unused = " ".join(f"-p no:{plugin}" for plugin in ("langsmith_plugin", "schemathesis", "hypothesispytest"))
    pytester.makeini(f"[pytest]\nasyncio_default_fixture_loop_scope = function\naddopts = {unused}\n")
    pytester.path.joinpath("small.yaml").write_text(FLOW, "utf-8")
    return pytester


def write(folder: pytest.Pytester, name: str, text: str) -> None:
    folder.path.joinpath(f"{name}.conversation.yaml").write_text(text, "utf-8")


def test_files_are_collected_and_what_differs_is_shown(folder: pytest.Pytester) -> None:
    write(folder, "good", GOOD)
    write(folder, "bad", GOOD.replace("q.city", "done"))
    write(folder, "broken", "agent: small.yaml\n")
    write(folder, "traced", f"trace: true\n{GOOD}")
    (folder.path / "traced.trace.txt").write_text(
        "# The golden trace\n# flow flow.small version 0123456789ab\n\nturn 1\n"
    )
    result = folder.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*turn 1 ('Ann'): node: expected 'done', got 'q.city'*"])
    result.stdout.fnmatch_lines(["*broken.conversation.yaml:1:1: turns: Field required.*"])
    result.stdout.fnmatch_lines(["--- traced.trace.txt", "+++ this run", "-turn 1"])
    result.stdout.no_fnmatch_line("*Traceback*")
