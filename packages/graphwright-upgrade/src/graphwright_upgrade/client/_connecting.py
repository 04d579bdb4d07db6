"""The server of the client: the one named by the environment, or the local service of the data folder.

The local service is a separate program, reached over HTTP. It starts at the first use and ends with the process that
started it. Several services may share one database, because they wait for each other's locks.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from graphwright.extras import extra_problem
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._failures import LocalServiceFailed
from graphwright_upgrade.client._settings import UpgradeSettings, admin_token, client_token

_START_SECONDS = 30.0


@asynccontextmanager
async def connect(settings: UpgradeSettings, home: Path, *, seconds: float = 30.0) -> AsyncIterator[UpgradeClient]:
    """A client of the server that the settings name, else of the local service on the database in the data folder.

    Its `where`, `host` and `place` say which it is, for people; `seconds` is what a call may take. A server is asked
    nothing before the first call; the local service is started. Raises LocalServiceFailed if its contexts or its
    database cannot be used.
    """
    client_side = client_token(settings)
    if settings.api_url:
        admin = admin_token(settings)
        async with UpgradeClient(settings.api_url, admin=admin, client=client_side, seconds=seconds) as client:
            yield client
        return
    service = await asyncio.to_thread(_running, home, settings)
    async with UpgradeClient(
        service.address,
        "the local service",
        place=str(database_file(home)),
        # Proxies and certificates from the environment are not meant for this machine.
        transport=httpx.AsyncHTTPTransport(verify=False),
        client=client_side,
        seconds=seconds,
        local=True,
    ) as client:
        yield client


def database_file(home: Path) -> Path:
    """Where the local service keeps its data in the data folder `home`."""
    return home / "upgrade" / "upgrade.db"


def own_contexts(home: Path) -> Path | None:
    """The file of contexts in the data folder, or None."""
    file = home / "upgrade" / "contexts.yaml"
    return file if file.is_file() else None


@dataclass(frozen=True, slots=True)
class _Service:
    """A local service that runs: its process, its address, and the files that it started from."""

    process: subprocess.Popen[str]
    address: str
    files: tuple[object, ...]


_lock = threading.Lock()
_services: dict[tuple[Path, UpgradeSettings], _Service] = {}
"""The local services of this process, each started once and used by all that want the same."""


def _running(home: Path, settings: UpgradeSettings) -> _Service:
    """The service for a data folder. Starts one if there is none, or if the file was replaced."""
    with _lock:
        found = _services.get((home, settings))
        if found is None or found.process.poll() is not None or found.files != _files(home):
            # One that is not wanted any more ends with this process.
            found = _services[home, settings] = _started(home, settings)
        return found


def _files(home: Path) -> tuple[object, ...]:
    """The identity of the database file and of the contexts file, which changes when the file is replaced."""
    files = database_file(home), home / "upgrade" / "contexts.yaml"
    database, contexts = (file.stat() if file.is_file() else None for file in files)
    return database and database.st_ino, contexts and (contexts.st_ino, contexts.st_mtime_ns)


def _started(home: Path, settings: UpgradeSettings) -> _Service:
    if missing := extra_problem("upgrade"):
        raise LocalServiceFailed(missing.code, missing.message, missing.hint)
    # Modules are not imported from the current folder, whose files may have any name.
    command = [sys.executable, "-P", "-m", "graphwright_upgrade_server", "--child", "--port", "0"]
    command += ["--database", str(database_file(home))]
    contexts = own_contexts(home)
    if contexts is not None:
        command += ["--contexts", str(contexts)]
    tokens = {
        "UPGRADE_CLIENT_API_KEY": settings.client_api_key,
        "UPGRADE_CLIENT_API_SECRET": settings.client_api_secret,
    }
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **tokens},
        # Ctrl-C is for the conversation, which continues and needs the service.
        start_new_session=True,
    )
    announced = _announced(process)
    address = announced.get("address")
    if isinstance(address, str):
        return _Service(process, address, _files(home))
    process.kill()
    process.wait()
    error = announced.get("error")
    if isinstance(error, dict):
        raise LocalServiceFailed(str(error["code"]), str(error["message"]), str(error["hint"]))
    hint = "Start it by hand to see why: graphwright upgrade serve"
    raise LocalServiceFailed("local_service", "The local UpGrade service did not start.", hint)


def _announced(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the first line of a service's output; empty if there is none in time."""
    assert process.stdout is not None
    late = threading.Timer(_START_SECONDS, process.kill)
    late.start()
    try:
        with process.stdout:
            announced = json.loads(process.stdout.readline() or "{}")
    except ValueError:
        announced = {}
    finally:
        late.cancel()
    return announced if isinstance(announced, dict) else {}
