"""The benchmark runs, and writes its tables into the page and nothing else of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- bench:begin, written by `make bench` -->", "<!-- bench:end -->"
FIGURE = re.compile(r"[+-]?[\d,]+(\.\d+)?( (µs|ms|s|KB|%))?( \(.+\))?")


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


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The page before and after a quick run. The engines beside ours are installed by `make bench` alone."""
    for engine in ("burr", "pydantic_graph", "langgraph.checkpoint.sqlite"):
        pytest.importorskip(engine, reason="`make bench` installs it")
    page = tmp_path_factory.mktemp("bench") / "benchmarks.md"
    before = PAGE.read_text("utf-8")
    page.write_text(before, "utf-8")
    done = bench("--quick", "--page", str(page))
    assert done.returncode == 0, done.stderr
    after = page.read_text("utf-8")
    assert after.partition(BEGIN)[2].partition(END)[0].strip() == done.stdout.strip()
    return before, after


def test_a_run_writes_its_figures_between_the_marks_and_judges_its_targets(pages: tuple[str, str]) -> None:
    before, after = pages
    assert (before.partition(BEGIN)[0], before.partition(END)[2]) == (
        after.partition(BEGIN)[0],
        after.partition(END)[2],
    )
    found = tables(after)
    assert (len(found), len(found["Targets"])) == (17, 32)
    for title, rows in found.items():
        assert rows, title
        for row in rows:
            figures = [row[2]] if title == "Targets" else row[1:]
            assert all(FIGURE.fullmatch(figure) for figure in figures), (title, row)
    for promise, limit, figure, verdict in found["Targets"]:
        bound, measured = (float(re.match(r"[+-]?[\d.]+", cell)[0]) for cell in (limit, figure))  # type: ignore[index]
        # Both are rounded on the page: where they look equal either verdict may be right.
        if bound != measured:
            assert verdict == ("met" if measured < bound else "**missed**"), promise


def test_the_page_of_the_project_is_a_full_run() -> None:
    found = tables(PAGE.read_text("utf-8"))
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
