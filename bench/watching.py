"""A pytest plugin for `bench.faults`: records what each test runs and how long it takes, or runs only chosen tests."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

CHOSEN = "BENCH_FAULTS_CHOSEN"
"""The environment variable with the file that lists the tests to run, in this order, as a JSON list of node ids.

Without it all are run.
"""

NOTES = "BENCH_FAULTS_NOTES"
"""The environment variable with the file to write.

It has CPU seconds by node id of the tests that `passed`, the node ids of those that `failed`, and the `modules`
imported from outside of the folder of pytest.
"""

_passed: dict[str, float] = {}
_failed: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep only the chosen tests, and make property tests try the same examples each time."""
    if core := sys.modules.get("hypothesis.core"):
        # The effect of `--hypothesis-seed`, which would import all of hypothesis even for tests without it.
        vars(core)["global_force_seed"] = 0
    if CHOSEN in os.environ:
        chosen = {test: number for number, test in enumerate(json.loads(Path(os.environ[CHOSEN]).read_text("utf-8")))}
        items[:] = sorted((item for item in items if item.nodeid in chosen), key=lambda item: chosen[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Make coverage record what runs from here on under the test."""
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(item.nodeid)
    began = _used()
    result = yield
    _passed[item.nodeid] = round(_used() - began, 3)
    return result


def _used() -> float:
    """CPU seconds of this process and of its finished children, which other work on the machine does not affect."""
    return sum(os.times()[:4])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record the tests that did not pass: a skipped one finds nothing either."""
    if report.outcome != "passed":
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the records."""
    if NOTES in os.environ:
        passed = {test: seconds for test, seconds in _passed.items() if test not in _failed}
        here = f"{Path.cwd()}{os.sep}"
        files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
        # In the order of import, and without private extension modules: `_asyncio` before `asyncio` breaks it.
        modules = [name for name, file in files.items() if file and name[0] != "_" and not file.startswith(here)]
        noted = {"passed": passed, "failed": _failed, "modules": modules}
        Path(os.environ[NOTES]).write_text(json.dumps(noted), "utf-8")
