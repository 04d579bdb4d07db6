"""The cost of the service: its start and memory, the latency of a piece of text, and many conversations at once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.scale import Scale

MODEL = (2.0, 5.0)
"""The model's seconds for each turn in concurrent conversations; the target uses the longest."""

FLOW = """
version: v1
id: flow.bench_service
nodes:
  - {id: q.colour, type: question, key: colour, prompt: Which colour?, ask: always}
  - {id: tell, type: action, run: tell}
edges: [{from: q.colour, to: tell}, {from: tell, to: q.colour}]
"""
NODES = """
import asyncio
import time

from graphwright import action


@action(reads=["answers.colour"], writes=[])
async def tell(state, ctx):
    if state["answers"]["colour"] == "stream":
        for _ in range(50):
            ctx.stream(f"{time.time()} ")
            await asyncio.sleep(0.02)
"""


@dataclass(frozen=True, slots=True)
class Served:
    """The measurements: times by key, and the memory of an idle service in megabytes."""

    results: dict[str, Result]
    memory: float


async def served(work: Path, scale: Scale, tell: Callable[[str], None]) -> Served:
    """All measurements. The processor time is that of the service; its start is measured alone."""
    _prepare(work)
    tell("starts of the service")
    results = {"service/start": Result("`graphwright serve`, from the command to the first answer")}
    memory = 0.0
    for number in range(scale.processes + 1):
        wall = time.perf_counter()
        with _serving(work, 0) as service:
            await _Client(service).get("/api/v1/me")
            if number:
                results["service/start"].wall.append(time.perf_counter() - wall)
                results["service/start"].cpu.append(service.cpu())
            await _Client(service).get("/api/v1/agents")
            memory = service.memory()
    with _serving(work, 0) as service:
        tell("pieces of text on their way")
        client = _Client(service)
        await client.get("/api/v1/agents")
        results["service/agents"] = result = Result("the list of agents, after the first call")
        for _ in range(scale.processes):
            wall, cpu = time.perf_counter(), service.cpu()
            await client.get("/api/v1/agents")
            result.wall.append(time.perf_counter() - wall)
            result.cpu.append(service.cpu() - cpu)
        results["service/piece"] = result = Result("a piece of text, from the action that streams it to the listener")
        await _pieces(service, result)
        tell(f"a thread of {scale.turns[-1]:,} turns")
        results["service/long"] = result = Result(f"the last messages of a thread of {scale.turns[-1]:,} turns")
        await _long(service, scale, result)
    for seconds in MODEL:
        title = f"a turn of {scale.conversations} conversations at once, less the {seconds:g} s of its model"
        tell(title)
        results[f"service/at_once/{seconds:g}"] = result = Result(title)
        with _serving(work, seconds) as service:
            await _at_once(service, seconds, scale, result)
    return Served(results, memory)


def _prepare(work: Path) -> None:
    agent = work / "bench_service"
    agent.mkdir(parents=True)
    (agent / "flow.yaml").write_text(FLOW.strip(), "utf-8")
    (agent / "nodes.py").write_text(NODES, "utf-8")
    (work / "graphwright.toml").write_text('[service]\nagents = ["bench_service"]\n', "utf-8")


@dataclass(frozen=True, slots=True)
class _Service:
    host: str
    port: int
    process: int

    def cpu(self) -> float:
        # Linux's processor clock of another process; the times under /proc have only a hundred ticks a second.
        return time.clock_gettime((~self.process << 3) | 2)

    def memory(self) -> float:
        pages = int(Path(f"/proc/{self.process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def _serving(work: Path, seconds: float) -> Iterator[_Service]:
    """The service as a user starts it, with a model that takes so long for each call."""
    said = {"UpdateAnswers": {"answers": [{"key": "colour", "value": "red", "quote": "red"}]}}
    streamed = {"UpdateAnswers": {"answers": [{"key": "colour", "value": "stream", "quote": "stream"}]}}
    rules = [
        {"offers": "UpdateAnswers", "says": "stream", "call": streamed},
        {"offers": "UpdateAnswers", "delay": seconds, "call": said},
    ]
    (work / "rules.json").write_text(json.dumps(rules), "utf-8")
    # Unset, because otherwise every start would compile recently edited Python again.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["GRAPHWRIGHT_HOME"] = str(work / "home")
    program = str(Path(sys.executable).with_name("graphwright"))
    command = [program, "serve", "--no-open", "--port", "0", "--model", "scripted:rules.json"]
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=work, env=environment, **streams) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError(f"the service did not start: {process.stderr.read() if process.stderr else ''}")
            host, _, port = address.removeprefix("http://").rpartition(":")
            yield _Service(host, int(port), process.pid)
        finally:
            process.terminate()


class _Client:
    """One persistent connection. It does little work, because it shares two cores with the measured process."""

    def __init__(self, service: _Service) -> None:
        self._service = service
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> bytes:
        """The answer."""
        return b"".join([each async for each in self._asked("GET", path, b"")])

    async def post(self, path: str, body: Any, heard: Callable[[bytes], None] | None = None) -> bytes:
        """The answer; for events, all of them. `heard` receives each piece when it arrives."""
        parts = []
        async for each in self._asked("POST", path, json.dumps(body).encode()):
            parts.append(each)
            if heard is not None:
                heard(each)
        return b"".join(parts)

    async def _asked(self, method: str, path: str, content: bytes) -> Any:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._service.host, self._service.port, limit=2**22)
        reader, writer = self._streams
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._service.host}:{self._service.port}\r\n"
            f"Accept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        if int(answer.split(b" ")[1]) >= 400:
            raise RuntimeError(f"the service refused {method} {path}: {answer.decode()}")
        size = answer.partition(b"content-length:")[2].partition(b"\r\n")[0]
        if size:
            yield await reader.readexactly(int(size))
            return
        while length := int(await reader.readline(), 16):
            yield await reader.readexactly(length)
            await reader.readexactly(2)
        await reader.readexactly(2)


async def _begun(client: _Client) -> str:
    thread = json.loads(await client.post("/api/v1/threads", {"agent": "bench_service"}))["thread"]
    path = f"/api/v1/threads/{thread}/turns"
    await _turn(client, path, {})
    return path


async def _turn(client: _Client, path: str, body: Any, heard: Callable[[bytes], None] | None = None) -> None:
    events = await client.post(path, body, heard)
    if b"event: turn_ended" not in events:
        raise RuntimeError(f"a turn did not end: {events[-300:]!r}")


async def _pieces(service: _Service, result: Result) -> None:
    client = _Client(service)
    path = await _begun(client)

    def heard(frames: bytes) -> None:
        now = time.time()
        for line in frames.split(b"\n"):
            if line.startswith(b'data: {"type":"saying"'):
                result.wall.append(now - float(json.loads(line[6:])["text"]))

    cpu = service.cpu()
    await _turn(client, path, {"message": "stream, please"}, heard)
    result.cpu.append((service.cpu() - cpu) / len(result.wall))


async def _long(service: _Service, scale: Scale, result: Result) -> None:
    client = _Client(service)
    path = await _begun(client)
    for _ in range(scale.turns[-1]):
        await _turn(client, path, {"message": "red"})
    page = path.replace("/turns", "/messages?limit=40")
    for _ in range(scale.processes):
        wall, cpu = time.perf_counter(), service.cpu()
        await client.get(page)
        result.wall.append(time.perf_counter() - wall)
        result.cpu.append(service.cpu() - cpu)


async def _at_once(service: _Service, seconds: float, scale: Scale, result: Result) -> None:
    """Every conversation begins at another moment, and sends its next message as soon as it has an answer."""
    clients = [_Client(service) for _ in range(scale.conversations)]
    paths = [await _begun(client) for client in clients]
    cpu = service.cpu()

    async def hold(number: int, client: _Client, path: str) -> None:
        await asyncio.sleep(number * seconds / len(clients))
        for _ in range(scale.exchanges):
            wall = time.perf_counter()
            await _turn(client, path, {"message": "red"})
            result.wall.append(time.perf_counter() - wall - seconds)

    await asyncio.gather(*(hold(number, *each) for number, each in enumerate(zip(clients, paths, strict=True))))
    result.cpu.append((service.cpu() - cpu) / len(result.wall))
