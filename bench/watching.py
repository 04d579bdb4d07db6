"""A pytest plugin for `bench.faults`: notes what each test runs and how long it takes, or runs chosen tests alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

CHOSEN = "BENCH_FAULTS_CHOSEN"
"""Names the file that lists the tests to run, in this order, as a JSON list of node ids. Without it all are run."""

NOTES = "BENCH_FAULTS_NOTES"
"""Names the file to write: CPU seconds by node id of the tests that `passed`, the node ids of those that `failed`, and
the `modules` imported from elsewhere than the folder where pytest runs."""

_passed: dict[str, float] = {}
_failed: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the chosen tests alone, and let property tests try the same examples each time."""
    if core := sys.modules.get("hypothesis.core"):
        # What `--hypothesis-seed` does, which would import all of hypothesis for tests that do without it.
        vars(core)["global_force_seed"] = 0
    if CHOSEN in os.environ:
        chosen = {test: number for number, test in enumerate(json.loads(Path(os.environ[CHOSEN]).read_text("utf-8")))}
        items[:] = sorted((item for item in items if item.nodeid in chosen), key=lambda item: chosen[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let coverage file under the test what runs from here on."""
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(item.nodeid)
    began = _used()
    result = yield
    _passed[item.nodeid] = round(_used() - began, 3)
    return result


def _used() -> float:
    """CPU seconds of this process and of those that it has waited for: what other work on the machine leaves alone."""
    return sum(os.times()[:4])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the tests that did not pass: a skipped one finds nothing either."""
    if report.outcome != "passed":
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write what was noted."""
    if NOTES in os.environ:
        passed = {test: seconds for test, seconds in _passed.items() if test not in _failed}
        here = f"{Path.cwd()}{os.sep}"
        files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
        # In the order in which they came, and no extension module by itself: `_asyncio` before `asyncio` breaks it.
        modules = [name for name, file in files.items() if file and name[0] != "_" and not file.startswith(here)]
        noted = {"passed": passed, "failed": _failed, "modules": modules}
        Path(os.environ[NOTES]).write_text(json.dumps(noted), "utf-8")
