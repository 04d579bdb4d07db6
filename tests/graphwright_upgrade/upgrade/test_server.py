"""The server in use: the configured one, else the local service of a data folder, a separate process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from graphwright_upgrade.client import _connecting as connecting
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._failures import LocalServiceFailed, UpgradeError
from graphwright_upgrade.client._settings import UpgradeSettings
from upgrade_client_support import failure
from waiting_support import wait_until

OTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from graphwright_upgrade.client import _connecting as connecting
from graphwright_upgrade.client._settings import UpgradeSettings

async def main():
    async with connecting.connect(UpgradeSettings(), Path(sys.argv[1])) as client:
        for number in range(20):
            await client.init(f"{sys.argv[2]}-{number}")
        (service,) = connecting._services.values()
        print(service.process.pid, service.address, flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def running() -> connecting._Service:
    return list(connecting._services.values())[-1]


@contextlib.contextmanager
def another(home: Path, name: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """Another process that works with the data folder; with the process number and the address of its service."""
    command = [sys.executable, "-c", OTHER_PROCESS, str(home), name]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        pid, address = process.stdout.readline().split()
        yield process, int(pid), address
    finally:
        process.kill()
        process.wait(60)


def gone(address: str, home: Path) -> bool:
    """Wait until the service does not respond any more, and all data is in the one file."""

    def ended() -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(address, timeout=60) is None
        return os.listdir(home / "upgrade") == ["upgrade.db"]

    wait_until(ended)
    return True


async def test_the_local_service_is_a_process_of_its_own_that_only_who_started_it_can_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with connect(UpgradeSettings(), tmp_path) as client:
        service = running()
        assert service.process.pid != os.getpid()
        assert client.local
        assert (client.where, client.place) == ("the local service", str(tmp_path / "upgrade" / "upgrade.db"))
        health = await client.health()
        assert [each.context for each in await client.global_segments()] == sorted(await client.contexts())
        async with httpx.AsyncClient(trust_env=False, timeout=60) as stranger:
            assert health.name == (await stranger.get(service.address)).json()["name"]
            host = service.address.split("/")[2]
            assert (await stranger.get(f"http://{host}/api")).status_code == 404
        await client.init("ann", {"schoolId": ["north"]})
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert running() is service
    os.kill(service.process.pid, signal.SIGKILL)
    service.process.wait(60)
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert running() is not service
        assert (await client.init("ann")).groups == {"schoolId": ("north",)}
    for file in (tmp_path / "upgrade").iterdir():
        file.unlink()
    # A database that was moved away is not written any more.
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert (await client.init("ann")).groups == {}


async def test_a_kill_of_the_service_in_the_midst_of_a_conversation_is_an_error(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        os.kill(running().process.pid, signal.SIGKILL)
        running().process.wait(60)
        with pytest.raises(UpgradeError):
            await client.names()


async def test_the_local_service_takes_its_contexts_from_the_data_folder(tmp_path: Path) -> None:
    file = tmp_path / "upgrade" / "contexts.yaml"
    file.parent.mkdir()
    lists = "{CONDITIONS: [a, b], GROUP_TYPES: [classId], EXP_IDS: [t], EXP_POINTS: [s]}"
    file.write_text(f"contextMetadata:\n  our-app: {lists}\n", "utf-8")
    async with connect(UpgradeSettings(), tmp_path) as client:
        contexts = await client.contexts()
    assert {name: each.group_types for name, each in contexts.items()} == {"our-app": ("classId",)}
    file.write_text("contextMetadata:\n  our-app: 3\n", "utf-8")
    with pytest.raises(LocalServiceFailed, match=r"contexts\.yaml:2"):
        async with connect(UpgradeSettings(), tmp_path):
            pass


async def test_a_service_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def start(home: Path) -> None:
        async with connect(UpgradeSettings(), home):
            pass

    text = "this is no database, and nothing of it may be lost" * 100
    for home, folder in ((tmp_path / "a", True), (tmp_path / "b", False)):
        home.mkdir()
        file = home / "upgrade"
        if folder:
            file.mkdir()
            file /= "upgrade.db"
        file.write_text(text, "utf-8")
        error = await failure(start(home), LocalServiceFailed, "not_a_database" if folder else "not_a_folder")
        assert str(home) in error.message
        assert file.read_text("utf-8") == text
    monkeypatch.setattr(sys, "executable", "/bin/true")
    error = await failure(start(tmp_path), LocalServiceFailed, "local_service")
    assert "graphwright upgrade serve" in error.hint


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM, None])
def test_it_ends_with_the_process_that_started_it(tmp_path: Path, stop: signal.Signals | None) -> None:
    with another(tmp_path, "u") as (process, _, address):
        assert not httpx.get(address, timeout=60).is_error
        if stop is None:
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(stop)
        process.wait(60)
        assert gone(address, tmp_path)


@pytest.mark.slow
async def test_the_sample_of_the_documentation_is_harmless_when_it_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path))
    page = (Path(__file__).parents[3] / "docs" / "upgrade.md").read_text("utf-8")
    (sample,) = (block.partition("```")[0] for block in page.split("```python\n")[1:] if "asyncio.run" in block)
    for _ in range(2):
        command = [sys.executable, "-c", sample]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (0, "the local service enrolling control\n1\n"), done.stderr
    async with connect(UpgradeSettings(), tmp_path) as client:
        (experiment,) = await client.experiments()
        assert [(each.code, each.weight) for each in experiment.conditions] == [("control", 50), ("hint-first", 50)]
        assert len(experiment.exclusions) == 1
