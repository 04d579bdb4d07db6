"""The UpGrade agent where scripted conversations cannot go: a server that is not there, before and after a yes."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtime_support import scripted
from upgrade_client_support import free_port

from graphwright import Session, load

VARIABLES = ("API_URL", "AUTH_TOKEN", "SERVICE_ACCOUNT", "CLIENT_API_KEY", "CLIENT_API_SECRET")
CREATE = "Create experiment Foo in reading-club with control and variant at open-text/poem"


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(f"UPGRADE_{name}", raising=False)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a server that nobody runs; it holds once it is set."""
    return f"127.0.0.1:{free_port()}"


def talk(home: Path) -> Session:
    return load("upgrade").session("t", model=scripted(), home=home)


async def test_a_question_to_a_server_that_is_down_says_where_it_looked(
    tmp_path: Path, nowhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPGRADE_API_URL", f"http://{nowhere}")
    async with talk(tmp_path) as session:
        turn = await session.send("Which experiments are there?")
    assert (turn.status, turn.error) == ("ended", None)
    assert nowhere in turn.reply
    assert "Traceback" not in turn.reply


async def test_an_order_to_a_server_that_is_down_is_not_begun(
    tmp_path: Path, nowhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPGRADE_API_URL", f"http://{nowhere}")
    async with talk(tmp_path) as session:
        turn = await session.send(CREATE)
        assert nowhere in turn.reply
        assert turn.values["execution_log"] == []
        assert turn.values["needs_confirmation"] is False
        # Once there is a server, the same words do.
        monkeypatch.delenv("UPGRADE_API_URL")
        turn = await session.send(CREATE)
        assert "Create experiment 'Foo'" in turn.reply


async def test_a_server_that_goes_down_after_the_question_is_told_and_logged(
    tmp_path: Path, nowhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talk(tmp_path) as session:
        await session.send(CREATE)
        monkeypatch.setenv("UPGRADE_API_URL", f"http://{nowhere}")
        turn = await session.send("yes")
        assert (turn.status, turn.error) == ("ended", None)
        assert nowhere in turn.reply
        assert "Created" not in turn.reply
        (entry,) = turn.values["execution_log"]
        assert (entry["status"], entry["result"]) == ("error", None)
        assert nowhere in entry["error_message"]
        monkeypatch.delenv("UPGRADE_API_URL")
        turn = await session.send("Which experiments are there?")
        assert "no experiments" in turn.reply
