"""`graphwright sandbox`: code from a file or stdin, its result for people and as JSON, and the self-test."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_support import Runner
from files_support import workbook
from graphwright_confined import SandboxUnavailable
from graphwright_confined import _isolation_levels as isolation_levels
from graphwright_confined.confine import Availability
from sandbox_support import needs_sandbox

pytestmark = needs_sandbox


def code(folder: Path, text: str) -> Path:
    made = folder / "code.py"
    made.write_text(text, "utf-8")
    return made


def test_a_file_is_run_over_its_data(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("shop,sold\na,1\nb,2\n", "utf-8")
    file = code(tmp_path, "print('rows', len(df))\nfig = px.bar(df, x='shop', y='sold')\ndf")
    outcome = run("sandbox", "run", file, "--data", tmp_path / "sales.csv")
    assert outcome.code == 0
    assert outcome.out == "rows 2\nshop  sold\na        1\nb        2\n"
    assert "Figure: Plotly; --json has it." in outcome.err
    assert "ok · " in outcome.err


def test_data_is_read_as_agents_read_it(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "Umsätze 2025.csv").write_bytes("Größe;Preis\nklein;1,5\ngroß;2,25\n".encode("cp1252"))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "Umsätze 2025.csv").write_text("n\n7\n", "utf-8")
    workbook(tmp_path / "book.xlsx", {"first": [["n"], [42]], "second": [["n"], [5]]})
    files = ("Umsätze 2025.csv", "sub/Umsätze 2025.csv", "book.xlsx")
    arguments = [word for name in files for word in ("--data", tmp_path / name)]
    file = code(tmp_path, "result = {id: frame.iloc[:, -1].sum() for id, frame in datasets.items()}")
    outcome = run("sandbox", "run", file, *arguments)
    assert outcome.code == 0, outcome.err
    assert outcome.out == "umsatze_2025: 3.75\numsatze_2025_2: 7\nbook_first: 42\nbook_second: 5\n"
    assert "umsatze_2025: Umsätze 2025.csv, 2 of 2 rows; " in outcome.err


def test_as_json_it_is_the_whole_execution(run: Runner) -> None:
    told = run("sandbox", "run", "-", "--json", stdin="result = sorted('ab')").json
    assert list(told) == ["status", "stdout", "error", "result", "figures", "taken", "isolation", "limit", "seconds"]
    assert [item["text"] for item in told["result"]["items"]] == ["a", "b"]
    assert (told["status"], told["isolation"].endswith("landlock+seccomp")) == ("ok", True)


def test_failing_code_is_reported_with_its_line(run: Runner) -> None:
    outcome = run("sandbox", "run", "-", stdin="x = 1\nx / 0")
    assert (outcome.code, outcome.out, "Traceback" in outcome.err) == (1, "", False)
    assert outcome.err.startswith("Error: ZeroDivisionError: division by zero\n  line 2: x / 0\n")
    assert "  line 1: if x\n" in run("sandbox", "run", "-", stdin="if x").err
    stopped = run("sandbox", "run", "-", "--json", stdin="import os\nwhile True: os.write(1, b'x' * 9999)")
    assert (stopped.code, stopped.json["status"], stopped.json["limit"]) == (1, "stopped", "1 MiB of output")


def test_output_of_code_cannot_control_the_terminal(run: Runner) -> None:
    outcome = run("sandbox", "run", "-", stdin="print('\\x1b[2Jx')\nresult = '\\x1b]0;title\\x07'")
    assert outcome.code == 0
    assert "\x1b" not in outcome.out + outcome.err


def test_a_missing_file_is_a_usage_error(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe")
    good = code(tmp_path, "1")
    for arguments, expected in (
        ([tmp_path / "none.py"], "code_missing"),
        ([tmp_path], "code_missing"),
        ([tmp_path / "binary.py"], "code_unreadable"),
        ([good, "--data", tmp_path / "none.csv"], "no_such_file"),
        ([good, "--data", tmp_path], "not_a_file"),
    ):
        outcome = run("sandbox", "run", *arguments, "--json")
        assert (outcome.code, outcome.json["error"]["code"], f"[{expected}]" in outcome.err) == (2, expected, True)


@pytest.mark.slow
def test_the_self_test(run: Runner) -> None:
    outcome = run("sandbox", "selftest")
    assert (outcome.code, "code tried to escape in five ways, and could not" in outcome.out) == (0, True)


def test_code_without_a_sandbox_is_refused(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = SandboxUnavailable("landlock", "this kernel has no Landlock.", "Linux 5.13 is needed.")
    monkeypatch.setattr(isolation_levels, "available", lambda: Availability("", 0, (missing,)))
    outcome = run("sandbox", "run", "-", stdin="print('ran')")
    assert (outcome.code, "ran" in outcome.out) == (1, False)
    assert "no Landlock. Linux 5.13 is needed. [sandbox_unavailable]" in outcome.err
    assert run("sandbox", "selftest", "--json").json["error"]["code"] == "sandbox_unavailable"
