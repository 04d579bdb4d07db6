"""`graphwright publish` and `pull`: the file of a flow and its published versions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cli_support import Runner
from graphwright.store import AuditEntry, open_store

FLOW = "# A greeting.\nversion: v1\nid: flow.hello\nnodes:\n  - {id: done, type: terminal, say: Hello}\nedges: []\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "hello"
    place.mkdir()
    (place / "flow.yaml").write_text(FLOW, "utf-8")
    return place / "flow.yaml"


def test_a_file_is_published_and_pulled_with_its_comments(run: Runner, file: Path) -> None:
    first = run("publish", file, "-m", "The first one.", "--yes", "--json")
    assert first.json == {"flow": "flow.hello", "number": 1, "hash": first.json["hash"]}
    assert run("publish", file, "-m", "x", "--yes").code == 2
    file.write_text(FLOW.replace("Hello", "Good day"), "utf-8")
    assert "version 2" in run("publish", file, "-m", "More polite.", "--yes").out
    assert run("pull", file, "--version", "1").code == 0
    assert file.read_text("utf-8") == FLOW
    assert "More polite." in run("pull", file).err

    async def audited() -> list[AuditEntry]:
        async with open_store(run.home) as store:
            return await store.access.audit.page(9)

    found = [(each.event, each.action, each.door) for each in asyncio.run(audited())]
    assert found == [("published", f"version {number}", "cli") for number in (2, 1)]


def test_pull_does_not_overwrite_what_was_never_published(run: Runner, file: Path) -> None:
    assert run("pull", file).code == 2
    run("publish", file, "-m", "The first one.", "--yes")
    mine = f"{FLOW}title: [\n"
    file.write_text(mine, "utf-8")
    refused = run("pull", file)
    assert (refused.code, "never published" in refused.err or "not confirmed" in refused.err) == (2, True)
    assert file.read_text("utf-8") == mine
    assert run("pull", file, "--yes").code == 0
    assert file.read_text("utf-8") == FLOW
    assert run("pull", file, "--version", "7").code == 2
