"""`graphwright init`: the new agent is valid, and files of the user are never overwritten."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cli_support import Runner


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("My agent (2)", "flow.my_agent_2"),
        ("灯", "flow.agent"),
        ('quote"s: {{ x }} #', "flow.quote_s_x"),
    ],
)
def test_the_new_agent_has_no_finding_at_all(run: Runner, tmp_path: Path, name: str, id: str) -> None:
    folder = tmp_path / name
    made = run("init", folder)
    assert made.code == 0
    assert made.out == f"{folder}\n"
    checked = run("check", "--strict", folder)
    assert checked.code == 0, checked.out
    assert checked.out.endswith("ok (8 nodes, 8 edges)\n"), checked.out
    assert f"id: {id}\n" in (folder / "flow.yaml").read_text("utf-8")
    for file in folder.rglob("*"):
        if file.is_file():
            assert not re.search("@[A-Z]", file.read_text("utf-8")), file
            if file.suffix == ".py":
                ast.parse(file.read_text("utf-8"))


def test_a_new_agent_runs_without_a_model_and_its_tests_cover_every_edge(run: Runner, tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    run("init", folder)
    for text in ("The projector in room 4 is broken", "somebody is blocked"):
        turn = run("ask", folder, text, "--thread", "t", "--json", "--model", "none")
    assert (turn.code, turn.json["waiting_for"]["kind"]) == (3, "confirm")
    assert run("resume", "t", "--approve", "--json").json["path"] == ["file", "filed"]
    tested = run("test", folder, "--min-coverage", "100")
    assert (tested.code, tested.err) == (0, "")


def test_nothing_is_overwritten(run: Runner, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    assert run("init", folder).code == 0
    kept = folder / "flow.yaml"
    kept.write_text("mine", "utf-8")
    again = run("init", folder)
    assert (again.code, "not empty" in again.err, kept.read_text("utf-8")) == (2, True, "mine")
    assert run("init", kept).code == 2
