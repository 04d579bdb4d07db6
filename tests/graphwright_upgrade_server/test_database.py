"""The local UpGrade service loses nothing and writes nothing partially: kill -9 between two writes, parallel marks."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import signal
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from crash_support import Tell, die_at, forked
from upgrade_play import Experiment, Play, in_school
from upgrade_support import local_only, local_server, pair, running

pytestmark = local_only

CONTEXT = "assign-prog"
WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT")


async def on(file: Path, work: Callable[[Play], Awaitable[Any]]) -> Any:
    """Do something on a new local service on the file, and close it."""
    async with local_server(file) as server:
        return await work(Play(server, CONTEXT))


async def set_up(play: Play) -> Experiment:
    """A group experiment that all users visited before, with a list and a user of a school."""
    experiment = await play.group_experiment("inactive", "group", exclude_if_reached=True)
    for user in ("early", "bird"):
        await play.call("POST", "v6/init", in_school("old school"), user)
        await play.mark(user, experiment.points[0], experiment=experiment.id)
    await play.list("exclusion", experiment.id, ["nobody", "noone"])
    await play.call("POST", "v6/init", in_school("school"), "user")
    await play.group_experiment("inactive", "group", points=experiment.points, exclude_if_reached=True)
    await play.state(experiment.id, "enrolling")
    return experiment


async def creating(play: Play, _experiment: Experiment) -> None:
    await play.call("POST", "experiments", pair("create_with_lists")["request"]["body"])


async def replacing(play: Play, experiment: Experiment) -> None:
    await play.update(experiment.id, name="renamed", context=["mathstream"], state="paused")


async def starting(play: Play, experiment: Experiment) -> None:
    (other,) = {one["id"] for one in await play.call("GET", "experiments/names")} - {experiment.id}
    await play.state(other, "enrolling")


async def marking(play: Play, experiment: Experiment) -> None:
    await play.mark("user", experiment.points[0], "control", experiment.id)


async def moving(play: Play, experiment: Experiment) -> None:
    await play.call("POST", "v6/init", in_school("another school"), "bird")


async def listing(play: Play, experiment: Experiment) -> None:
    whole = await play.call("GET", f"experiments/single/{experiment.id}")
    body = whole["experimentSegmentExclusion"][0]["segment"]
    members = {"userIds": ["a", "b"], "groups": [], "subSegmentIds": []}
    sent = {"experimentId": experiment.id, "list": {"id": body["id"], "name": "new", "context": CONTEXT, **members}}
    await play.call("PUT", f"experiments/exclusionList/{body['id']}", sent)


async def deleting(play: Play, experiment: Experiment) -> None:
    await play.delete(experiment.id)


def content(file: Path) -> list[str]:
    """The content of the database; fails if it is damaged or has broken references."""
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return list(connection.iterdump())


@pytest.mark.slow
@pytest.mark.parametrize("act", [creating, replacing, starting, marking, moving, listing, deleting])
def test_a_request_killed_between_two_writes_was_never_made(tmp_path: Path, act: Any) -> None:
    ready = tmp_path / "ready.db"
    experiment = asyncio.run(on(ready, set_up))
    before = content(ready)
    for number in itertools.count(1):
        home = tmp_path / str(number)
        home.mkdir()
        file = home / "upgrade.db"
        shutil.copy(ready, file)

        async def die_during(_tell: Tell, file: Path = file, number: int = number) -> None:
            die_at(file.parent, number, of=WRITES)
            await on(file, lambda play: act(play, experiment))

        killed = forked(die_during).end()
        if not killed:
            break
        assert content(file) == before, f"half of it is there after {number - 1} writes"
    assert number > 2, "nothing was written"
    assert content(file) != before


@pytest.mark.slow
def test_acknowledged_answers_survive_kill_9(tmp_path: Path) -> None:
    file = tmp_path / "upgrade.db"
    answered: list[str] = []

    async def product(address: str, kill: Callable[[], None]) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            play = Play(client, "maths-practice")
            experiment = await play.experiment("enrolling")

            async def visit(number: int) -> None:
                user = f"user-{number}"
                await play.call("POST", "v6/init", {}, user)
                await play.mark(user, experiment.points[0], "control", experiment.id)
                answered.append(user)
                if len(answered) == 40:
                    kill()

            await asyncio.gather(*(visit(number) for number in range(80)), return_exceptions=True)

    with running(file) as (process, address):
        asyncio.run(product(address, process.kill))
        assert process.wait(60) == -signal.SIGKILL
    assert 40 <= len(answered) < 80
    with running(file) as (_, address), httpx.Client(base_url=address, timeout=60) as client:
        enrolled = [one["userId"] for one in client.get("/check/individualAssignment").json()]
        visited = [one["userId"] for one in client.get("/check/monitoredExperimentPoint").json()]
    assert sorted(enrolled) == sorted(visited)
    assert set(answered) <= set(enrolled)
    content(file)


@pytest.mark.parametrize("unit", ["individual", "group"])
def test_parallel_marks_of_one_user_enrol_once(tmp_path: Path, unit: str) -> None:
    file = tmp_path / "upgrade.db"

    async def begin(play: Play) -> Experiment:
        await play.call("POST", "v6/init", in_school("school"), "user")
        if unit == "group":
            return await play.group_experiment("enrolling", "group")
        return await play.experiment("enrolling")

    experiment = asyncio.run(on(file, begin))
    told: list[str] = []

    async def mark_often(play: Play) -> None:
        marks = (play.mark("user", experiment.points[0], "control", experiment.id) for _ in range(25))
        told.extend(one["id"] for one in await asyncio.gather(*marks))

    # Each with its own connection, like two processes on one file.
    threads = [threading.Thread(target=lambda: asyncio.run(on(file, mark_often))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(told), len(set(told))) == (75, 1)
    with closing(sqlite3.connect(file)) as connection:
        for table, rows in (
            ("visit", 1),
            ("individual_enrollment", 1),
            ("group_enrollment", int(unit == "group")),
            ("individual_exclusion", 0),
        ):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (rows,), table


def test_services_that_open_a_new_file_at_once_make_it_once(tmp_path: Path) -> None:
    file = tmp_path / "new" / "upgrade.db"
    trouble: list[BaseException] = []

    def start() -> None:
        async def look(play: Play) -> int:
            return len(await play.call("GET", "segments/global"))

        try:
            assert asyncio.run(on(file, look)) == 3
        except BaseException as error:
            trouble.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert trouble == []


async def test_a_file_that_another_program_keeps_locked_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "upgrade.db"
    monkeypatch.setattr("graphwright_upgrade_server._database.BUSY_SECONDS", 0.05)
    async with local_server(file) as server:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            status, told = await Play(server, CONTEXT).refused("POST", "v6/init", {}, "user")
            assert (status, "locked" in told["message"]) == (503, True)
            # Readers do not wait.
            assert (await server.get("experiments/names")).status_code == 200
            other.execute("ROLLBACK")
        assert (await server.post("v6/init", json={}, headers={"User-Id": "user"})).status_code == 200
