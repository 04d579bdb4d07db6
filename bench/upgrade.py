"""What the local UpGrade service costs: its start, an assign, a mark, a list of all experiments; over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.scale import Scale

CLIENTS = 8
"""Clients that ask at once, where several do."""

RUNNING = 10
"""Experiments that enrol, of all that there are; each assign has to answer for every one of them."""

USERS = 200
CONTEXT = "maths-practice"
_READY = re.compile(r"http://([\d.]+):(\d+)(/\S*?);")


async def served(home: Path, scale: Scale, tell: Callable[[str], None]) -> dict[str, Result]:
    """All of it. The processor time is that of the service, except for its start, which it has alone."""
    tell("starts of the UpGrade service")
    results = {"upgrade/start": Result("`graphwright upgrade serve`, from the command to the first answer")}
    for number in range(scale.processes + 1):
        wall = time.perf_counter()
        with serving(home) as service:
            await _Client(service).call("GET", "")
            if number:
                results["upgrade/start"].wall.append(time.perf_counter() - wall)
                results["upgrade/start"].cpu.append(service.cpu())
    with serving(home) as service:
        tell(f"{scale.experiments:,} experiments, {RUNNING} of them enrolling")
        points = await filled(service, scale.experiments)
        for key, title, measured in (
            (
                "assign",
                f"an assign with {RUNNING} experiments enrolling, one after another",
                _one_by_one(points, False),
            ),
            ("many", f"an assign, {CLIENTS} clients at once: time over their number", _at_once),
            ("mark", "a mark, written to the disk", _one_by_one(points, True)),
            ("list", f"{scale.experiments:,} experiments listed, whole, after one of them changed", _listed(True)),
            ("again", "the same, when none did", _listed(False)),
        ):
            tell(title)
            results[f"upgrade/{key}"] = result = Result(title)
            await measured(service, scale, result)
    return results


@dataclass(frozen=True)
class Service:
    """A service that runs: where, and as which process."""

    host: str
    port: int
    base: str
    process: int

    @property
    def url(self) -> str:
        """What the client is told."""
        return f"http://{self.host}:{self.port}{self.base}"

    def cpu(self) -> float:
        """Seconds of the processor that it took so far."""
        # What Linux calls the processor's clock of another process; those under /proc tick a hundred times a second.
        return time.clock_gettime((~self.process << 3) | 2)


@contextmanager
def serving(home: Path) -> Iterator[Service]:
    """A local service on a data folder, which ends with the block."""
    program = str(Path(sys.executable).with_name("graphwright"))
    # Unset, or every start would compile the Python anew that somebody has just edited.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["GRAPHWRIGHT_HOME"] = str(home)
    command = [program, "upgrade", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            found = _READY.search(said)
            if found is None:
                raise RuntimeError(f"the UpGrade service did not start: {said}{process.stderr.read()}")
            yield Service(found[1], int(found[2]), found[3], process.pid)
        finally:
            process.terminate()


class _Client:
    """One connection that stays open. It does next to nothing, because it shares two cores with what is measured."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, path: str, body: Any = None, user: str = "x") -> bytes:
        """What was answered. Raises RuntimeError where that is a refusal."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._service.host, self._service.port)
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {self._service.base}/{path} HTTP/1.1\r\nHost: {self._service.host}\r\nUser-Id: {user}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0])
        received = await reader.readexactly(size)
        if b" 200 " not in answer[:14]:
            raise RuntimeError(f"the UpGrade service refused {method} {path}: {received[:300]!r}")
        return received

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


Measured = Callable[[Service, Scale, Result], Any]


async def filled(service: Service, experiments: int) -> list[tuple[str, str]]:
    """Make experiments and users. Gives the points of the experiments that enrol."""
    client = _Client(service)
    points = []
    for number in range(experiments):
        site, target = f"site {number % 20}", f"target {number}"
        created = json.loads(await client.call("POST", "experiments", _experiment(number, site, target)))
        if number < RUNNING:
            await client.call("POST", "experiments/state", {"experimentId": created["id"], "state": "enrolling"})
            points.append((site, target))
    for number in range(USERS):
        school = {
            "group": {"schoolId": [f"school {number % 10}"]},
            "workingGroup": {"schoolId": f"school {number % 10}"},
        }
        await client.call("POST", "v6/init", school, f"user {number}")
    client.close()
    return points


def _experiment(number: int, site: str, target: str) -> dict[str, Any]:
    units = {"assignmentUnit": "group", "consistencyRule": "group", "group": "schoolId"}
    alone = {"assignmentUnit": "individual", "consistencyRule": "individual"}
    return {
        "name": f"experiment {number}",
        "context": [CONTEXT],
        "state": "inactive",
        "postExperimentRule": "continue",
        "tags": ["bench"],
        "filterMode": "includeAll",
        "type": "Simple",
        "conditions": [
            {"id": str(uuid.uuid4()), "conditionCode": code, "assignmentWeight": 50, "order": order, "name": ""}
            for order, code in enumerate(("control", "variant"), 1)
        ],
        "partitions": [
            {"id": str(uuid.uuid4()), "site": site, "target": target, "order": 1, "excludeIfReached": False}
        ],
        **(units if number % 3 == 0 else alone),
    }


def _one_by_one(points: list[tuple[str, str]], marks: bool) -> Measured:
    async def measured(service: Service, scale: Scale, result: Result) -> None:
        client = _Client(service)
        cpu = 0.0
        for number in range(scale.requests + 1):
            site, target = points[number // USERS % len(points)]
            path, body = ("v6/mark", {"data": {"site": site, "target": target}}) if marks else ("v6/assign", _ASSIGN)
            wall = time.perf_counter()
            await client.call("POST", path, body, f"user {number % USERS}")
            if number:
                result.wall.append(time.perf_counter() - wall)
            else:
                cpu = service.cpu()
        # Of all together: the clock of another process may stand still for longer than one of them takes.
        result.cpu.append((service.cpu() - cpu) / scale.requests)
        client.close()

    return measured


async def _at_once(service: Service, scale: Scale, result: Result) -> None:
    async def ask(first: int) -> None:
        client = _Client(service)
        for number in range(first, scale.requests, CLIENTS):
            await client.call("POST", "v6/assign", _ASSIGN, f"user {number % USERS}")
        client.close()

    for _ in range(scale.rounds):
        wall, cpu = time.perf_counter(), service.cpu()
        await asyncio.gather(*(ask(first) for first in range(CLIENTS)))
        result.wall.append((time.perf_counter() - wall) / scale.requests)
        result.cpu.append((service.cpu() - cpu) / scale.requests)


def _listed(changing: bool) -> Measured:
    async def measured(service: Service, scale: Scale, result: Result) -> None:
        client = _Client(service)
        # The last one does not run, and so it stays: only its log grows.
        last = {
            "experimentId": json.loads(await client.call("GET", "experiments/names"))[-1]["id"],
            "state": "inactive",
        }
        for number in range(scale.processes + 1):
            if changing:
                await client.call("POST", "experiments/state", last)
            wall, cpu = time.perf_counter(), service.cpu()
            await client.call("GET", "experiments")
            if number:
                result.wall.append(time.perf_counter() - wall)
                result.cpu.append(service.cpu() - cpu)
        client.close()

    return measured


_ASSIGN = {"context": CONTEXT}
