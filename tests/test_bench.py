"""The benchmark writes only its own page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


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
