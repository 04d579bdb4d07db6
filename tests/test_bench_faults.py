"""One-line faults: the tests of a small project find those that they should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent

SMALL = """
def tested(value):
    return value


def untested(value):
    return value


def ended(values):
    for _ in values:
        break
"""

TESTS = """
from itertools import count
from small import ended, tested, untested


def test_tested():
    assert tested(2) == 2


def test_ended():
    ended(count())


def test_that_fails_anyway():
    assert untested(1) == 0
"""


# A program of its own, since it forks.
MEASURE = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from bench import faults

faults.PATIENCE = 6.0
root = Path(sys.argv[1])
area = faults.Area(("src/*.py", "src/missing/*.py"), ("tests/test_*.py",))
results = {}
for _ in range(2):
    for name, result in faults.measured(root / "project", root / "work", {"small": area}, 100, 7, 20.0, results):
        results[name] = result
print(json.dumps(asdict(result)))
print(faults.table(results))
"""


def test_faults_are_found_by_tests_that_pass_without_them(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for name, text in (("src/small.py", SMALL), ("tests/test_small.py", TESTS)):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text, "utf-8")
    command = [sys.executable, "-c", MEASURE, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    tried = json.loads(first)["tried"]
    by_outcome = sorted((each["outcome"], each["by"].rpartition("::")[2]) for each in tried)
    assert by_outcome == [("found", "test_tested"), ("survived", ""), ("timed out", "")]
    assert last == "| small | 2 of 3 | 50.0 % of 2 | 100.0 % of 7 |"
    assert done.stderr.count("small 3/3") == 1, "nothing is tried twice"
    assert "do not pass without a fault: tests/test_small.py::test_that_fails_anyway" in done.stderr
    assert (root / "src/small.py").read_text("utf-8") == SMALL
