"""The local service of a data folder: started over HTTP where it is needed, and gone with who needed it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from upgrade_client_support import failure

from graphwright.agents.upgrade.client import connecting
from graphwright.agents.upgrade.client.connecting import connect
from graphwright.agents.upgrade.client.drafts import ConditionDraft, DecisionPointDraft, ExperimentDraft
from graphwright.agents.upgrade.client.failures import LocalServiceFailed, UpgradeError
from graphwright.agents.upgrade.client.settings import UpgradeSettings

USER = """
import asyncio, sys
from pathlib import Path
from graphwright.agents.upgrade.client import connecting
from graphwright.agents.upgrade.client.settings import UpgradeSettings

async def main():
    async with connecting.connect(UpgradeSettings(), Path(sys.argv[1])) as client:
        for number in range(20):
            await client.init(f"{sys.argv[2]}-{number}")
        (service,) = connecting._services._running.values()
        print(service.process.pid, service.address, flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def draft(name: str) -> ExperimentDraft:
    return ExperimentDraft(
        name=name,
        context="maths-practice",
        conditions=(ConditionDraft(code="control", weight=100),),
        decision_points=(DecisionPointDraft(site="give-hint", target="fractions-intro"),),
    )


def running() -> connecting._Service:
    return list(connecting._services._running.values())[-1]


@contextlib.contextmanager
def another(home: Path, name: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """Another process that works with the data folder; with the process number and the address of its service."""
    command = [sys.executable, "-c", USER, str(home), name]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        pid, address = process.stdout.readline().split()
        yield process, int(pid), address
    finally:
        process.kill()
        process.wait(60)


def gone(address: str, home: Path) -> bool:
    """Whether soon nobody answers there any more, and what was written is in the one file."""
    for _ in range(200):
        with contextlib.suppress(httpx.TransportError):
            httpx.get(address, timeout=5)
            time.sleep(0.05)
            continue
        if os.listdir(home / "upgrade") == ["upgrade.db"]:
            return True
        time.sleep(0.05)
    return False


async def test_it_is_another_process_that_only_who_started_it_can_find(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        service = running()
        assert service.process.pid != os.getpid()
        async with httpx.AsyncClient() as stranger:
            assert (await client.health()).name == (await stranger.get(service.address)).json()["name"]
            host = service.address.split("/")[2]
            assert (await stranger.get(f"http://{host}/api")).status_code == 404
    async with connect(UpgradeSettings(), tmp_path):
        assert running() is service


async def test_after_a_kill_of_the_service_the_next_connection_has_a_new_one(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        made = await client.create(draft("Foo"))
        os.kill(running().process.pid, signal.SIGKILL)
        running().process.wait(60)
        with pytest.raises(UpgradeError):
            await client.names()
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert [each.id for each in await client.names()] == [made.id]


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM, None])
def test_it_ends_with_the_process_that_started_it(tmp_path: Path, stop: signal.Signals | None) -> None:
    with another(tmp_path, "u") as (process, _, address):
        assert not httpx.get(address).is_error
        if stop is None:
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(stop)
        process.wait(60)
        assert gone(address, tmp_path)


def test_processes_that_start_at_once_work_on_one_database(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(another(tmp_path, f"p{number}")) for number in range(3)]
        assert len({address for _, _, address in others}) == 3
        users = {httpx.post(f"{address}/v6/init", headers={"User-Id": "p0-0"}).json()["id"] for *_, address in others}
        assert users == {"p0-0"}
        for *_, address in others:
            for number in range(3):
                assign = httpx.post(
                    f"{address}/v6/assign", json={"context": "maths-practice"}, headers={"User-Id": f"p{number}-19"}
                )
                assert assign.status_code == 200


async def test_a_database_that_was_moved_away_is_not_written_to_any_more(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.create(draft("Foo"))
    for file in (tmp_path / "upgrade").iterdir():
        file.unlink()
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert await client.names() == ()


async def test_no_more_than_a_few_are_kept(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path / "kept"):
        kept = running()
        for number in range(connecting._MOST_KEPT + 1):
            async with connect(UpgradeSettings(), tmp_path / str(number)):
                pass
        assert len(connecting._services._running) <= connecting._MOST_KEPT
        assert kept.process.poll() is None


async def test_one_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "upgrade").write_text("a file, where a folder must be", "utf-8")

    async def start() -> None:
        async with connect(UpgradeSettings(), tmp_path):
            pass

    error = await failure(start(), LocalServiceFailed, "not_a_folder")
    assert str(tmp_path) in error.message
    monkeypatch.setattr(sys, "executable", "/bin/true")
    error = await failure(start(), LocalServiceFailed, "local_service")
    assert "graphwright upgrade serve" in error.hint


async def test_proxies_of_the_environment_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert await asyncio.wait_for(client.names(), 30) == ()
