"""`graphwright author`: nothing is written before somebody agrees, and exit codes say what became of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli_support import Runner
from graphwright.cli import console

NEW: list[dict[str, Any]] = [
    {"do": "add_node", "node": {"id": "q.name", "type": "question", "key": "name", "prompt": "Your name?"}},
    {"do": "add_node", "node": {"id": "t.done", "type": "terminal", "say": "Hello, {{ answers.name }}."}},
    {"do": "connect", "from": "q.name", "to": "t.done"},
]


def model(folder: Path, **reply: Any) -> str:
    (folder / "rules.json").write_text(json.dumps([{"offers": "FlowChange", "call": {"FlowChange": reply}}]), "utf-8")
    return f"scripted:{folder / 'rules.json'}"


def test_a_new_flow_is_written_with_yes_and_changed_again(run: Runner, tmp_path: Path) -> None:
    folder = tmp_path / "greeter"
    made = run("author", folder, "Greet.", "--yes", "--model", model(tmp_path, commands=NEW, summary="Greets."))
    assert (made.code, made.out.splitlines()[0]) == (0, "Greets.")
    assert "Round 1: 3 commands, 0 new warnings." in made.err
    assert (
        (folder / "flow.yaml").read_text("utf-8").startswith("version: v1\nid: flow.greeter\nnodes:\n  - {id: q.name,")
    )
    change = {"do": "update_node", "id": "t.done", "set": {"say": "Bye."}}
    changed = run(
        "author",
        folder / "flow.yaml",
        "-",
        "--yes",
        "--json",
        "--model",
        model(tmp_path, commands=[change]),
        stdin="Say bye.",
    )
    assert (changed.code, changed.json["status"], changed.json["taken"]) == (0, "proposed", True)
    assert 'say: "Bye."' in (folder / "flow.yaml").read_text("utf-8")


def test_without_an_agreement_nothing_is_written(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, spec = tmp_path / "new.yaml", model(tmp_path, commands=NEW)
    shown = run("author", file, "Greet.", "--json", "--model", spec)
    assert (shown.code, shown.json["taken"], shown.json["text"].splitlines()[1]) == (0, False, "id: flow.new")
    assert run("author", file, "Greet.", "--model", spec).code == 2
    monkeypatch.setattr(console, "interactive", lambda: True)
    monkeypatch.setattr("graphwright.cli._author.interactive", lambda: True)
    asked = run("author", file, "Greet.", "--model", spec, stdin="n\n")
    assert "Nothing was written." in asked.err
    assert not file.exists()
    assert run("author", file, "Greet.", "--model", spec, stdin="y\n").code == 0
    assert file.exists()


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        ({"question": "Which name?"}, 3, "Which name?"),
        ({"cannot": "There is no camera."}, 1, "Cannot be done: There is no camera."),
        ({"commands": NEW[:1]}, 1, "error GW"),
    ],
)
def test_exit_codes_report_the_outcome(run: Runner, tmp_path: Path, reply: Any, code: int, said: str) -> None:
    made = run("author", tmp_path / "x", "Greet.", "--yes", "--model", model(tmp_path, **reply))
    assert made.code == code
    assert said in made.out
    assert not (tmp_path / "x").exists()


def test_agents_of_packages_and_missing_models_are_refused(run: Runner, tmp_path: Path) -> None:
    assert "[packaged]" in run("author", "intake", "x", "--yes", "--model", "none").err
    refused = run("author", tmp_path / "x", "x", "--yes", "--model", "none")
    assert (refused.code, "[no_model]" in refused.err) == (2, True)


@pytest.mark.slow
def test_a_file_that_cannot_be_written_leaves_the_others_as_they_were(run: Runner, tmp_path: Path) -> None:
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "tests").write_text("not a folder", "utf-8")
    talk = {"name": "hello", "turns": [{"user": "Ann", "understood": {"name": "Ann"}, "expect": {"node": "t.done"}}]}
    spec = model(tmp_path, commands=NEW, conversations=[talk])
    made = run("author", folder, "Greet.", "--yes", "--model", spec)
    assert (made.code, "cannot be written" in made.err) == (1, True)
    assert [each.name for each in folder.iterdir()] == ["tests"]
