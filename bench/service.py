"""The cost of the service: its start and memory, the latency of a piece of text, and many conversations at once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.scale import Scale
from bench.serving import Client, Service, serving, starts

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
    await starts(results["service/start"], scale.processes, "/api/v1/me", *_command(work, 0))
    with serving(*_command(work, 0)) as service:
        await Client(service).call("GET", "/api/v1/agents")
        memory = service.memory()
    with serving(*_command(work, 0)) as service:
        tell("pieces of text on their way")
        client = Client(service)
        await client.call("GET", "/api/v1/agents")
        results["service/agents"] = result = Result("the list of agents, after the first call")
        for _ in range(scale.processes):
            with result.timed(service.cpu):
                await client.call("GET", "/api/v1/agents")
        results["service/piece"] = result = Result("a piece of text, from the action that streams it to the listener")
        await _pieces(service, result)
        tell(f"a thread of {scale.turns[-1]:,} turns")
        results["service/long"] = result = Result(f"the last messages of a thread of {scale.turns[-1]:,} turns")
        await _long(service, scale, result)
    for seconds in MODEL:
        title = f"a turn of {scale.conversations} conversations at once, less the {seconds:g} s of its model"
        tell(title)
        results[f"service/at_once/{seconds:g}"] = result = Result(title)
        with serving(*_command(work, seconds)) as service:
            await _at_once(service, seconds, scale, result)
    return Served(results, memory)


def _prepare(work: Path) -> None:
    agent = work / "bench_service"
    agent.mkdir(parents=True)
    (agent / "flow.yaml").write_text(FLOW.strip(), "utf-8")
    (agent / "nodes.py").write_text(NODES, "utf-8")
    (work / "graphwright.toml").write_text('[service]\nagents = ["bench_service"]\n', "utf-8")


def _command(work: Path, seconds: float) -> tuple[Any, ...]:
    """The data folder and the command of the service, with a model that takes so long for each call."""
    said = {"UpdateAnswers": {"answers": [{"key": "colour", "value": "red", "quote": "red"}]}}
    streamed = {"UpdateAnswers": {"answers": [{"key": "colour", "value": "stream", "quote": "stream"}]}}
    rules = [
        {"offers": "UpdateAnswers", "says": "stream", "call": streamed},
        {"offers": "UpdateAnswers", "delay": seconds, "call": said},
    ]
    (work / "rules.json").write_text(json.dumps(rules), "utf-8")
    return work / "home", "serve", "--no-open", "--model", "scripted:rules.json"


async def _begun(client: Client) -> str:
    thread = json.loads(await client.call("POST", "/api/v1/threads", {"agent": "bench_service"}))["thread"]
    path = f"/api/v1/threads/{thread}/turns"
    await _turn(client, path, {})
    return path


async def _turn(client: Client, path: str, body: Any, heard: Callable[[bytes], None] | None = None) -> None:
    events = await client.call("POST", path, body, heard=heard)
    if b"event: turn_ended" not in events:
        raise RuntimeError(f"a turn did not end: {events[-300:]!r}")


async def _pieces(service: Service, result: Result) -> None:
    client = Client(service)
    path = await _begun(client)

    def heard(frames: bytes) -> None:
        now = time.time()
        for line in frames.split(b"\n"):
            if line.startswith(b'data: {"type":"saying"'):
                result.wall.append(now - float(json.loads(line[6:])["text"]))

    cpu = service.cpu()
    await _turn(client, path, {"message": "stream, please"}, heard)
    result.cpu.append((service.cpu() - cpu) / len(result.wall))


async def _long(service: Service, scale: Scale, result: Result) -> None:
    client = Client(service)
    path = await _begun(client)
    for _ in range(scale.turns[-1]):
        await _turn(client, path, {"message": "red"})
    page = path.replace("/turns", "/messages?limit=40")
    for _ in range(scale.processes):
        with result.timed(service.cpu):
            await client.call("GET", page)


async def _at_once(service: Service, seconds: float, scale: Scale, result: Result) -> None:
    """Every conversation begins at another moment, and sends its next message as soon as it has an answer."""
    clients = [Client(service) for _ in range(scale.conversations)]
    paths = [await _begun(client) for client in clients]
    cpu = service.cpu()

    async def hold(number: int, client: Client, path: str) -> None:
        await asyncio.sleep(number * seconds / len(clients))
        for _ in range(scale.exchanges):
            wall = time.perf_counter()
            await _turn(client, path, {"message": "red"})
            result.wall.append(time.perf_counter() - wall - seconds)

    await asyncio.gather(*(hold(number, *each) for number, each in enumerate(zip(clients, paths, strict=True))))
    result.cpu.append((service.cpu() - cpu) / len(result.wall))
