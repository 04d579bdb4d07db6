"""The cost of the local UpGrade service: start, assign, mark, and a list of all experiments; over real sockets."""

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
"""The number of concurrent clients, if there are several."""

RUNNING = 10
"""The number of enrolling experiments among all; each assign must answer for every one of them."""

USERS = 200
CONTEXT = "maths-practice"
_READY = re.compile(r"http://([\d.]+):(\d+)(/\S*?);")


async def served(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """All measurements. The processor time is that of the service; its start is measured alone."""
    notify("starts of the UpGrade service")
    results = {"upgrade/start": Result("`graphwright upgrade serve`, from the command to the first answer")}
    for number in range(scale.processes + 1):
        wall = time.perf_counter()
        with serving(home) as service:
            await _Client(service).call("GET", "")
            if number:
                results["upgrade/start"].wall.append(time.perf_counter() - wall)
                results["upgrade/start"].cpu.append(service.cpu())
    with serving(home) as service:
        notify(f"{scale.experiments:,} experiments, {RUNNING} of them enrolling")
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
            notify(title)
            results[f"upgrade/{key}"] = result = Result(title)
            await measured(service, scale, result)
    return results


@dataclass(frozen=True)
class Service:
    """A running service: its address and its process."""

    host: str
    port: int
    base: str
    process: int

    @property
    def url(self) -> str:
        """The address for the client."""
        return f"http://{self.host}:{self.port}{self.base}"

    def cpu(self) -> float:
        """The processor time so far, in seconds."""
        # Linux's processor clock of another process; the times under /proc have only a hundred ticks a second.
        return time.clock_gettime((~self.process << 3) | 2)


@contextmanager
def serving(home: Path) -> Iterator[Service]:
    """A local service on a data folder, which ends with the block."""
    program = str(Path(sys.executable).with_name("graphwright"))
    # Unset, because otherwise every start would compile recently edited Python again.
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
    """One persistent connection. It does little work, because it shares two cores with the measured process."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, path: str, body: Any = None, user: str = "x") -> bytes:
        """The answer. Raises RuntimeError for a refusal."""
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
    """Create experiments and users. Returns the points of the enrolling experiments."""
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
        # Of all requests together, because the clock of another process may not change during a single one.
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
        # The last one is not running and does not change: only its log grows.
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
