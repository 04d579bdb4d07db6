"""MCP servers for tests: our own, correct and misbehaving ones, and public ones in a separate environment."""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from platformdirs import user_cache_path

from graphwright.tools import ToolResult
from graphwright.tools.mcp import McpServer, McpServers
from graphwright.tools.sources import Findings
from waiting_support import runs, until

SERVERS = Path(__file__).parents[1] / "data" / "mcp_servers"


def raw(mode: str = "", folder: Path | None = None, **settings: Any) -> McpServer:
    """The hand-written server."""
    arguments = (str(SERVERS / "raw.py"), mode, *([str(folder)] if folder else []))
    return McpServer("raw", command=sys.executable, arguments=arguments, **settings)


def modern(**settings: Any) -> McpServer:
    """The server on fastmcp, over stdio."""
    return McpServer("modern", command=sys.executable, arguments=(str(SERVERS / "modern.py"),), **settings)


@contextmanager
def served(port: int, script: str = "modern.py", python: str = sys.executable) -> Iterator[subprocess.Popen[bytes]]:
    """The server on fastmcp, or another script, over HTTP on loopback."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([python, str(SERVERS / script), str(port)], stdout=quiet, stderr=quiet)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, "the server on loopback did not start"
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


def findings_of(result: ToolResult) -> Findings:
    """The findings of a call, which must have succeeded."""
    assert result.ok, result.error
    assert isinstance(result.value, Findings)
    return result.value


async def call_text(servers: McpServers, tool: str, **arguments: Any) -> str:
    """The text of a call's result, which must have succeeded."""
    return "\n".join(source.text for source in findings_of(await servers.registry().call(tool, arguments)).sources)


async def gone(pid: int) -> bool:
    """Wait until a process has ended."""
    await until(lambda: not runs(pid))
    return True


@contextmanager
def impatient(servers: McpServers) -> Iterator[None]:
    """Meanwhile calls have a short time limit. They cannot have it always: a slow machine may need longer to answer."""
    with pytest.MonkeyPatch.context() as patch:
        for connection in servers._connections:
            patch.setattr(connection, "server", replace(connection.server, timeout=0.3))
        yield


@cache
def public_python(name: str, lock: Path = SERVERS / "requirements.lock") -> str:
    """A Python with packages (`lock`) that conflict with ours, in an environment that is created once per machine."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        pytest.skip("the public servers need uv")
    try:
        cache_folder = user_cache_path("graphwright-tests", ensure_exists=True)
    except OSError:
        cache_folder = Path(tempfile.mkdtemp(prefix="graphwright-tests-"))
    packages = hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    folder = cache_folder / f"python-{sys.version_info[0]}.{sys.version_info[1]}-{packages}"
    python = str(folder / "bin" / "python")
    with FileLock(f"{folder}.lock"):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            try:
                _run(uv, "venv", "--quiet", "--python", sys.executable, str(folder))
                _run(uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python, str(lock))
            except (OSError, subprocess.SubprocessError) as error:
                shutil.rmtree(folder, ignore_errors=True)
                words = str(getattr(error, "stderr", "") or error).strip()
                # Downloaded packages that differ from the lock are not a network problem.
                assert "hash" not in words.lower(), words
                pytest.skip(f"the public servers cannot be installed: {words[-300:]}")
            (folder / "complete").touch()
    return str(folder / "bin" / name)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
