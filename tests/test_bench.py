"""The page of the benchmark is a full run, and no other page is written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"


def bench(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def tables(text: str) -> dict[str, list[list[str]]]:
    """The cells of each table by its heading, its head and the line under it left out."""
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        rows = [line for line in body.splitlines() if line.startswith("|")]
        found[title] = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]
    return found


def test_the_page_of_the_project_is_a_full_run() -> None:
    found = tables(PAGE.read_text("utf-8"))
    assert (len(found), len(found["Targets"])) == (17, 32)
    promises = [row[0] for row in found["Targets"]]
    assert "5,000 nodes checked and compiled" in promises
    engines = " ".join(row[0] for row in found["A turn: one question, ten pure nodes"])
    assert all(name in engines for name in ("LangGraph", "Burr", "pydantic-graph"))


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
