"""`graphwright dev`: one folder whose flow and Python are taken on every save, and failures with their tracebacks."""

import logging
from pathlib import Path

import pytest

from api_support import SHOP, SHOP_NODES, begun, sent, service, turn
from graphwright_server import _agents
from waiting_support import until


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(_agents, "LOOK_AGAIN", 0.05)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    caplog.set_level(logging.WARNING, "graphwright.server")


async def saved(file: Path, text: str, caplog: pytest.LogCaptureFixture, words: str = "was reloaded") -> str:
    """Write a file of the folder, wait for what the log says of it, and return that."""
    caplog.clear()
    file.write_text(text.strip(), "utf-8")
    await until(lambda: words in caplog.text)
    return caplog.text


@pytest.mark.slow
async def test_changes_of_flow_python_and_helpers_are_taken_and_waiting_threads_carry_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path, dev=True) as client:
        assert [each["name"] for each in (await client.get("/api/v1/agents")).json()["items"]] == ["shop"]
        thread, nodes = await begun(client), tmp_path / "shop" / "nodes.py"
        await saved(tmp_path / "shop" / "words.py", "WORD = 'two '", caplog)
        changed = SHOP_NODES.replace('"what": state', '"what": words.WORD + state')
        await saved(nodes, f"from . import words\n{changed}", caplog)
        flow = SHOP.replace("Shall I order {{ answers.what }}?", "Shall I order {{ order.what }}?")
        assert "graphwright threads migrate flow.shop" in await saved(tmp_path / "shop" / "flow.yaml", flow, caplog)
        await saved(tmp_path / "shop" / "words.py", "WORD = 'three '", caplog)
        assert (await turn(client, thread, {"message": "lamps"}))["waiting_for"][
            "prompt"
        ] == "Shall I order three lamps?"


@pytest.mark.slow
async def test_a_broken_file_leaves_the_last_version_and_says_where_it_is_broken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path, dev=True) as client:
        thread, folder = await begun(client), tmp_path / "shop"
        for name, text, words in (
            ("flow.yaml", SHOP.replace("to: write", "to: writ"), "flow.yaml:16:24: GW202"),
            ("nodes.py", SHOP_NODES.replace("import asyncio", "import asynci"), 'nodes.py", line 1'),
            ("nodes.py", SHOP_NODES.replace("def send(", "def send["), "nodes.py:"),
        ):
            before = (folder / name).read_text()
            assert "the previous version stays in use" in await saved(folder / name, text, caplog, words)
            await saved(folder / name, before, caplog)
        await saved(folder / "flow.yaml", "nodes: [", caplog, "GW104")
        assert (await turn(client, thread, {"message": "lamp"}))["waiting_for"]["prompt"] == "Shall I order lamp?"


async def test_the_traceback_of_a_failed_action_is_in_the_log_and_in_the_reply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path, dev=True) as client:
        thread, nodes = await begun(client), tmp_path / "shop" / "nodes.py"
        await saved(
            nodes, SHOP_NODES.replace('return {"order":', 'return {"order": 1 / 0,\n            "old":'), caplog
        )
        failed = await turn(client, thread, {"message": "lamp"})
        for text in (failed["error"]["hint"], caplog.text):
            assert 'nodes.py", line' in text
            assert "ZeroDivisionError: division by zero" in text
            assert "graphwright/host" not in text
        await saved(nodes, SHOP_NODES, caplog)
        assert (await turn(client, thread, {"message": "go on"}))["waiting_for"]["prompt"] == "Shall I order lamp?"
        assert sent(tmp_path) == []
