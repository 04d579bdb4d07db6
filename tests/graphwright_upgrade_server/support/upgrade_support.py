"""UpGrade servers for tests: a new local service in process, or the real server that UPGRADE_API_URL names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphwright_upgrade_server._app import create_app
from graphwright_upgrade_server._routing import Access

DATA = Path(__file__).parents[2] / "data" / "upgrade"
BASE_URL = "http://upgrade.example/api/"

CLIENT_KEY = "the key of the product"
CLIENT_SECRET = "a secret of the product that is long enough to sign with"
ADMIN_TOKEN = "the token of an administrator"

REAL_SERVER = os.environ.get("UPGRADE_API_URL", "")

local_only = pytest.mark.skipif(bool(REAL_SERVER), reason="shows what the local service does in a way of its own")


def pair(name: str) -> dict[str, Any]:
    """A request to a real server and its response: {name, given, request, response}."""
    found: dict[str, Any] = json.loads((DATA / "pairs-6.4" / f"{name}.json").read_text("utf-8"))
    return found


CONTEXTS = pair("context_metadata")["response"]["body"]["contextMetadata"]


@asynccontextmanager
async def local_server(
    path: Path | None = None,
    *,
    strict: bool = True,
    access: Access | None = None,
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a local service with the contexts of the golden data; by default strict, and in memory."""
    given = access or Access(client_key=CLIENT_KEY, client_secret=CLIENT_SECRET)
    app = create_app(path, known=CONTEXTS, strict=strict, access=given)
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE_URL) as client:
            yield client
    finally:
        app.state.database.close()


@pytest.fixture
async def upgrade_server() -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that implements the contract exactly; its base URL ends with `/api/`.

    The real server in UPGRADE_API_URL (with UPGRADE_AUTH_TOKEN if it requires one), else a new local service.
    """
    if not REAL_SERVER:
        async with local_server() as client:
            yield client
        return
    base = REAL_SERVER.rstrip("/").removesuffix("/api") + "/api/"
    token = os.environ.get("UPGRADE_AUTH_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=30) as client:
        yield client


@contextmanager
def running(file: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A service in a separate process, and the address that it printed."""
    command = [sys.executable, "-m", "graphwright_upgrade_server", "--database", str(file), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        assert str(file) in told
        yield process, next(word for word in told.split() if word.startswith("http://")).rstrip(";")
    finally:
        process.kill()
        process.communicate(timeout=60)
