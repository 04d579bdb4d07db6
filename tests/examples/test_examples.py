"""The examples: no finding of the compiler, and conversations that take every edge."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cli_support import Runner

EXAMPLES = Path(__file__).parents[2] / "examples"
AGENTS = sorted(flow.parent for flow in EXAMPLES.rglob("flow.yaml"))


@pytest.mark.parametrize("folder", AGENTS, ids=lambda folder: folder.name)
def test_an_example_is_clean_and_its_conversations_take_every_edge(run: Runner, folder: Path) -> None:
    checked = run("check", folder)
    assert (checked.code, "warning" in checked.out + checked.err) == (0, False)
    tested = run("test", folder, "--min-coverage", "100")
    assert tested.code == 0, tested.out


def test_the_list_of_the_examples_is_complete() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [folder.name for folder in EXAMPLES.iterdir() if folder.is_dir() and f"[{folder.name}]" not in listed] == []


def test_an_agent_answers_inside_a_fastapi_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path))
    spec = importlib.util.spec_from_file_location("example_app", EXAMPLES / "fastapi_app" / "app.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with TestClient(module.app) as client:
        texts = [client.post("/conversations/t1", json={"text": text}).json() for text in ("hello", "4", "2026-12-24")]
        refused = client.post("/conversations/t1", json={"text": ""})
    assert (refused.status_code, refused.json()["detail"]) == (422, "The message is empty.")
    assert [each["waiting"] for each in texts] == [True, True, False]
    assert texts[-1]["text"] == "A table for 4 is noted for 2026-12-24."
