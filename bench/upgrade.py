"""The cost of the local UpGrade service: start, assign, mark, and a list of all experiments; over real sockets."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.scale import Scale
from bench.serving import Client, Service, serving, starts

CLIENTS = 8
"""The number of concurrent clients, if there are several."""

RUNNING = 10
"""The number of enrolling experiments among all; each assign must answer for every one of them."""

USERS = 200
CONTEXT = "maths-practice"
SERVE = ("upgrade", "serve")


async def served(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """All measurements. The processor time is that of the service; its start is measured alone."""
    notify("starts of the UpGrade service")
    results = {"upgrade/start": Result("`graphwright upgrade serve`, from the command to the first answer")}
    await starts(results["upgrade/start"], scale.processes, "/", home, *SERVE)
    with serving(home, *SERVE) as service:
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


Measured = Callable[[Service, Scale, Result], Any]


async def filled(service: Service, experiments: int) -> list[tuple[str, str]]:
    """Create experiments and users. Returns the points of the enrolling experiments."""
    client = Client(service)
    points = []
    for number in range(experiments):
        site, target = f"site {number % 20}", f"target {number}"
        created = json.loads(await client.call("POST", "/experiments", _experiment(number, site, target)))
        if number < RUNNING:
            await client.call("POST", "/experiments/state", {"experimentId": created["id"], "state": "enrolling"})
            points.append((site, target))
    for number in range(USERS):
        school = {
            "group": {"schoolId": [f"school {number % 10}"]},
            "workingGroup": {"schoolId": f"school {number % 10}"},
        }
        await client.call("POST", "/v6/init", school, f"user {number}")
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
        client = Client(service)
        cpu = 0.0
        for number in range(scale.requests + 1):
            site, target = points[number // USERS % len(points)]
            path, body = ("/v6/mark", {"data": {"site": site, "target": target}}) if marks else ("/v6/assign", _ASSIGN)
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
        client = Client(service)
        for number in range(first, scale.requests, CLIENTS):
            await client.call("POST", "/v6/assign", _ASSIGN, f"user {number % USERS}")
        client.close()

    for _ in range(scale.rounds):
        with result.timed(service.cpu, per=scale.requests):
            await asyncio.gather(*(ask(first) for first in range(CLIENTS)))


def _listed(changing: bool) -> Measured:
    async def measured(service: Service, scale: Scale, result: Result) -> None:
        client = Client(service)
        # The last one is not running and does not change: only its log grows.
        last = {
            "experimentId": json.loads(await client.call("GET", "/experiments/names"))[-1]["id"],
            "state": "inactive",
        }
        for number in range(scale.processes + 1):
            if changing:
                await client.call("POST", "/experiments/state", last)
            with (result if number else Result("")).timed(service.cpu):
                await client.call("GET", "/experiments")
        client.close()

    return measured


_ASSIGN = {"context": CONTEXT}
