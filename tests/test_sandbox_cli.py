"""`graphwright sandbox`: code from a file or stdin, its result for people and as JSON, and the self-test."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import Runner
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
    assert "Figure: Plotly, 1 trace" in outcome.err
    assert "ok · " in outcome.err


def test_as_json_it_is_the_whole_execution(run: Runner, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x\n1\n", "utf-8")
    file = code(tmp_path, "result = sorted(datasets)")
    outcome = run("sandbox", "run", file, "--data", tmp_path / "a.csv", "--data", tmp_path / "b.csv", "--json")
    assert outcome.code == 0
    told = outcome.json
    assert list(told) == ["status", "stdout", "error", "result", "figures", "isolation", "limit", "seconds"]
    assert [item["text"] for item in told["result"]["items"]] == ["a", "b"]
    assert (told["status"], told["error"], told["limit"], told["figures"]) == ("ok", None, None, [])
    assert told["isolation"].endswith("landlock+seccomp")


def test_code_that_fails_is_told_with_its_line(run: Runner, tmp_path: Path) -> None:
    outcome = run("sandbox", "run", "-", stdin="x = 1\nx / 0")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("Error: ZeroDivisionError: division by zero\n  line 2: x / 0\n")
    assert "Traceback" not in outcome.err
    syntax = run("sandbox", "run", "-", stdin="if x")
    assert "  line 1: if x\n" in syntax.err
    stopped = run("sandbox", "run", "-", "--json", stdin="import os\nwhile True: os.write(1, b'x' * 9999)")
    assert stopped.code == 1
    assert (stopped.json["status"], stopped.json["limit"]) == ("stopped", "1 MiB of output")


def test_what_code_prints_cannot_drive_the_terminal(run: Runner) -> None:
    outcome = run("sandbox", "run", "-", stdin="print('\\x1b[2Jx')\nresult = '\\x1b]0;title\\x07'")
    assert outcome.code == 0
    assert "\x1b" not in outcome.out + outcome.err


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_what_is_not_there_is_a_usage_error(run: Runner, tmp_path: Path, as_json: list[str]) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n", "utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.csv").write_text("a\n1\n", "utf-8")
    (tmp_path / "x.exe").write_bytes(b"x")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe")
    good = code(tmp_path, "1")
    for arguments, expected in (
        ([tmp_path / "none.py"], "code_missing"),
        ([tmp_path], "code_missing"),
        ([tmp_path / "binary.py"], "code_unreadable"),
        ([good, "--data", tmp_path / "none.csv"], "data_missing"),
        ([good, "--data", tmp_path / "x.exe"], "data_unknown"),
        ([good, "--data", tmp_path / "x.csv", "--data", tmp_path / "sub" / "x.csv"], "data_twice"),
    ):
        outcome = run("sandbox", "run", *arguments, *as_json)
        assert outcome.code == 2
        assert f"[{expected}]" in outcome.err
        if as_json:
            assert outcome.json["error"]["code"] == expected


def test_the_self_test(run: Runner) -> None:
    outcome = run("sandbox", "selftest")
    assert outcome.code == 0
    assert "landlock+seccomp: code tried to escape in five ways, and could not" in outcome.out
    told = run("sandbox", "selftest", "--json").json
    assert told["status"] == "ok"
    assert told["isolation"].endswith("landlock+seccomp")


def test_where_nothing_isolates_it_is_refused(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphwright.sandbox import SandboxUnavailable, tiers
    from graphwright.sandbox.confine import Availability

    none = Availability(
        "", 0, (SandboxUnavailable("landlock", "this kernel has no Landlock.", "Linux 5.13 is needed."),)
    )
    monkeypatch.setattr(tiers, "available", lambda: none)
    outcome = run("sandbox", "run", "-", stdin="print('ran')")
    assert outcome.code == 1
    assert "ran" not in outcome.out
    assert "no Landlock. Linux 5.13 is needed. [sandbox_unavailable]" in outcome.err
    assert run("sandbox", "selftest", "--json").json["error"]["code"] == "sandbox_unavailable"
