"""The benchmark writes only its own page, and the way of a message is as the documentation says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def bench(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_a_page_without_the_marks_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Nothing here\n", "utf-8")
    for given in (page, tmp_path / "missing.md"):
        done = bench("--page", str(given))
        assert done.returncode == 2
        assert str(given) in done.stderr
        assert "Traceback" not in done.stderr
    assert page.read_text("utf-8") == "# Nothing here\n"


@pytest.mark.slow
def test_a_message_passes_the_modules_that_the_architecture_lists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = page.partition("## From message to reply\n")[2].partition("\n## ")[0]
    command = [sys.executable, "-m", "bench.passes", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    counted = json.loads(done.stdout[done.stdout.index("{") :])
    session = set(counted["session"]["by_module"])
    listed = set(re.findall(r"`([a-z_/]+\.py)`", section.partition("Over HTTP")[0]))
    # The thread of the database runs before the profile begins, so that its calls are counted or not.
    assert {name for name in listed if not name.startswith("store/")} <= session
    about = re.search(r"about (\d+) by session, (\d+) over HTTP", section)
    assert about is not None
    assert abs(len(session) - int(about[1])) <= 5
    assert abs(counted["http"]["modules"] - int(about[2])) <= 5
