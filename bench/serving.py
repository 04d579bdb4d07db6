"""Services that are started as a user starts them, and a client that calls them over one connection."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Result

PROGRAM = str(Path(sys.executable).with_name("graphwright"))
_ADDRESS = re.compile(r"http://([\d.]+):(\d+)(/[^\s;]*)?")


def environment(home: Path) -> dict[str, str]:
    """The environment of a command with this data folder."""
    # Unset, because otherwise every start would compile recently edited Python again.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "GRAPHWRIGHT_HOME": str(home)}


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its address and its process."""

    host: str
    port: int
    base: str
    process: int

    @property
    def url(self) -> str:
        """The address for other clients."""
        return f"http://{self.host}:{self.port}{self.base}"

    def cpu(self) -> float:
        """The processor time so far, in seconds."""
        # Linux's processor clock of another process; the times under /proc have only a hundred ticks a second.
        return time.clock_gettime((~self.process << 3) | 2)

    def memory(self) -> float:
        """The resident memory, in megabytes."""
        pages = int(Path(f"/proc/{self.process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def serving(home: Path, *command: str) -> Iterator[Service]:
    """A command of the program that serves on a free port, in the parent of its data folder; it ends with the block."""
    home.parent.mkdir(parents=True, exist_ok=True)
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    line = [PROGRAM, *command, "--port", "0"]
    with subprocess.Popen(line, cwd=home.parent, env=environment(home), **streams) as process:
        try:
            assert process.stdout is not None
            said = ""
            while (found := _ADDRESS.search(said)) is None:
                if not (more := process.stdout.readline()):
                    raise RuntimeError(f"{' '.join(line)} did not start: {said}")
                said += more
            yield Service(found[1], int(found[2]), found[3] or "", process.pid)
        finally:
            process.terminate()


async def starts(result: Result, runs: int, path: str, home: Path, *command: str) -> None:
    """Add the times from a command to its first answer. The first start is not counted."""
    for number in range(runs + 1):
        wall = time.perf_counter()
        with serving(home, *command) as service:
            await Client(service).call("GET", path)
            if number:
                result.wall.append(time.perf_counter() - wall)
                result.cpu.append(service.cpu())


class Client:
    """One persistent connection. It does little work, because it shares two cores with the measured process."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(
        self, method: str, path: str, body: Any = None, user: str = "x", heard: Callable[[bytes], None] | None = None
    ) -> bytes:
        """The answer; for events, all of them. `heard` receives each piece. Raises RuntimeError for a refusal."""
        parts = []
        async for each in self._asked(method, path, b"" if body is None else json.dumps(body).encode(), user):
            parts.append(each)
            if heard is not None:
                heard(each)
        return b"".join(parts)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()

    async def _asked(self, method: str, path: str, content: bytes, user: str) -> AsyncIterator[bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._service.host, self._service.port, limit=2**22)
        reader, writer = self._streams
        head = (
            f"{method} {self._service.base}{path} HTTP/1.1\r\nHost: {self._service.host}:{self._service.port}\r\n"
            f"User-Id: {user}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        if int(answer.split(b" ")[1]) >= 400:
            raise RuntimeError(f"{method} {path} was refused: {answer.decode()}")
        size = answer.partition(b"content-length:")[2].partition(b"\r\n")[0]
        if size:
            yield await reader.readexactly(int(size))
            return
        while length := int(await reader.readline(), 16):
            yield await reader.readexactly(length)
            await reader.readexactly(2)
        await reader.readexactly(2)
