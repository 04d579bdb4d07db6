"""The service with a full disk, or a locked or missing database: errors are reported, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import begun, events, sent, served, turn, waits

pytestmark = pytest.mark.slow


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A folder on a disk of 4 MB."""
    folder = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "graphwright-test", str(folder)]
    if os.geteuid() or shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("needs the right to mount a disk of its own")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Fill a disk completely, for a while."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    yield
    ballast.unlink()


@asynccontextmanager
async def client_of(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        yield client


async def outcome(client: httpx.AsyncClient, thread: str, body: dict[str, Any], way: str = "turns") -> str:
    """The code of a turn's error: in the response, or in the last event of its run."""
    answer = await client.post(f"/api/v1/threads/{thread}/{way}", json=body)
    if answer.status_code != 202:
        return str(answer.json()["code"])
    _, kind, told = events((await client.get(f"/api/v1/runs/{answer.json()['id']}/events")).text)[-1]
    return str(told["problem"]["code"]) if kind == "run_failed" else kind


async def messages_of(client: httpx.AsyncClient, thread: str) -> list[str]:
    items = (await client.get(f"/api/v1/threads/{thread}/messages")).json()["items"]
    return [each["text"] for each in items if each["role"] == "user"]


async def test_a_full_disk_is_reported_and_the_conversation_resumes(tmp_path: Path, small_disk: Path) -> None:
    (tmp_path / "home").symlink_to(small_disk)
    with served(tmp_path) as (_, address):
        async with client_of(address) as client:
            thread = await begun(client)
            await turn(client, thread, {"message": "a lamp"})
            approval = (await waits(client, thread))["approval"]["hash"]
            with filled(small_disk):
                yes = {"value": True, "approves": approval}
                assert await outcome(client, thread, yes, "resume") == "disk_full"
                upload = await client.post("/api/v1/files", files={"file": ("data.csv", b"a,b\n1,2\n" * 999)})
                assert (upload.status_code, upload.json()["code"]) == (507, "disk_full")
                assert "Free some space" in upload.json()["hint"]
                # Requests that need no disk space still work.
                assert await messages_of(client, thread) == ["a lamp"]
                assert (await waits(client, thread))["approval"]["hash"] == approval
            assert sent(tmp_path) == []
            assert (await turn(client, thread, yes, "resume"))["status"] == "ended"
            assert sent(tmp_path) == ["a lamp"]
            assert not list((small_disk / "uploads").iterdir())


async def test_a_locked_database_is_waited_for_and_reported(tmp_path: Path) -> None:
    with served(tmp_path) as (_, address):
        async with client_of(address) as client:
            thread = await begun(client)
            other = sqlite3.connect(tmp_path / "home" / "graphwright.db", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            # Readers are served immediately.
            assert (await waits(client, thread))["node"] == "q.what"
            answer = await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "a lamp"})
            assert (answer.status_code, answer.json()["code"]) == (503, "locked")
            assert answer.headers["retry-after"]
            other.execute("ROLLBACK")
            other.close()
            assert (await turn(client, thread, {"message": "a lamp"}))["waiting_for"]["node"] == "q.sure"
            assert await messages_of(client, thread) == ["a lamp"]


async def test_a_moved_database_is_an_error_until_it_is_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with served(tmp_path) as (_, address):
        async with client_of(address) as client:
            thread = await begun(client)
            home.rename(tmp_path / "away")
            assert await outcome(client, thread, {"message": "a lamp"}) == "moved"
            assert (await client.get("/readyz")).status_code == 503
            (tmp_path / "away").rename(home)
            assert (await client.get("/readyz")).status_code == 200
            assert (await turn(client, thread, {"message": "a lamp"}))["waiting_for"]["node"] == "q.sure"
            assert await messages_of(client, thread) == ["a lamp"]
