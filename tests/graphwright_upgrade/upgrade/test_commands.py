"""`graphwright upgrade`: reading from a server on the command line, and running the local service."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli_support import Runner, environment
from graphwright_upgrade.client._connecting import connect, database_file
from graphwright_upgrade.client._drafts import ListDraft
from graphwright_upgrade.client._experiment import Experiment, State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade_server._app import create_app
from upgrade_client_support import Scripted, draft, golden, listening, scripted

CONTEXT, SITE, TARGET = "maths-practice", "show-problem", "fractions-intro"

pytestmark = pytest.mark.usefixtures("local_service")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """The server that the environment names."""
    with scripted() as made:
        made.health()
        monkeypatch.setenv("UPGRADE_API_URL", made.url)
        yield made


def made(run: Runner, name: str = "Hints first") -> Experiment:
    """A running experiment of the local service; the user ann is known."""

    async def make() -> Experiment:
        async with connect(UpgradeSettings(), run.home) as client:
            testers = ListDraft(kind="individual", members=("tester",), name="testers")
            found = await client.create(draft(name, exclusions=(testers,)))
            await client.init("ann")
            return await client.set_state(found.id, State.ENROLLING)

    return asyncio.run(make())


def test_status_and_contexts_of_the_local_service(run: Runner) -> None:
    done = run("upgrade", "status")
    assert re.search(r"^version +6\.4\.0$", done.out, re.MULTILINE)
    assert (done.code, done.err) == (0, f"the local service · {run.home / 'upgrade' / 'upgrade.db'}\n")
    data = run("upgrade", "status", "--json").json
    assert (data["local"], data["ready"], data["experiments"], data["sign_in"]) == (True, True, 0, "none")
    assert re.search(r"^  groups +schoolId, classId, instructorId$", run("upgrade", "contexts").out, re.MULTILINE)


def test_experiments_are_listed_and_one_is_shown_by_name_or_id(run: Runner) -> None:
    assert "no experiments" in run("upgrade", "experiments").err
    ids = [made(run, name).id for name in ("One", "Twin", "Twin")]
    listed = run("upgrade", "experiments", "--limit", "1")
    assert (listed.code, len(listed.out.splitlines()), "2 more" in listed.err) == (0, 2, True)
    assert "no experiments of study-planner" in run("upgrade", "experiments", "--context", "study-planner").err
    data = run("upgrade", "experiments", "--context", CONTEXT, "--json").json
    assert (data["total"], {each["id"] for each in data["experiments"]}) == (3, set(ids))
    done = run("upgrade", "show", "one")
    for line in ("state        enrolling", "excluded  testers  tester", "control    50 %    0"):
        assert line in done.out
    assert run("upgrade", "show", ids[0].upper()).out == done.out
    assert run("upgrade", "show", ids[0], "--json").json["enrollment"]["users"] == 0
    several = run("upgrade", "show", "twin")
    assert (several.code, several.out, all(id in several.err for id in ids[1:])) == (2, "", True)
    error = run("upgrade", "show", "Twinn", "--json").json["error"]
    assert (error["code"], error["hint"]) == ("not_found", "Did you mean 'Twin'?")


def test_assign_shows_what_a_user_gets(run: Runner) -> None:
    found = made(run)
    done = run("upgrade", "assign", "ann", "--context", CONTEXT)
    assert re.search(rf"^{SITE} +{TARGET} +(control|variant) +Hints first$", done.out, re.MULTILINE)
    narrow = ("--context", CONTEXT, "--site", SITE, "--target", TARGET, "--json")
    (only,) = run("upgrade", "assign", "ann", *narrow).json["assignments"]
    assert only["conditions"][0]["experiment_id"] == found.id
    nothing = run("upgrade", "assign", "ann", "--context", CONTEXT, "--target", "x")
    assert (nothing.code, nothing.out, "by default" in nothing.err) == (0, "", True)


NO_ID = "5f914ce4-fa5c-48d7-99f5-853426a27082"


def test_an_invalid_request_is_a_usage_error_and_simulates_no_user(run: Runner) -> None:
    found = made(run)
    for args, code in (
        (("assign", "bob", "--context", CONTEXT), "unknown_user"),
        (("assign", "ann", "--context", "nope"), "unknown_context"),
        (("assign", "", "--context", CONTEXT), "bad_id"),
        (("assign", "学生", "--context", CONTEXT), "bad_id"),
        (("show", NO_ID), "not_found"),
        (("experiments", "--context", "Maths-Practice"), "unknown_context"),
        (("simulate", "nope", "--users", "5"), "not_found"),
        (("simulate", "hints first", "--users", "0"), "bad_number"),
        (("simulate", "hints first", "--users", "5", "--groups", "2"), "bad_number"),
    ):
        done = run("upgrade", *args)
        assert (done.code, done.out, f"[{code}]" in done.err) == (2, "", True), args
    assert enrolled(run, found) == 0


def test_a_server_that_is_down_or_refuses_is_told_and_what_it_says_is_harmless(
    run: Runner, server: Scripted, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"id": "x", "name": "a\x1b]0;b\x07", "state": "running", "context": ["assign-prog"]}
    server.json("POST", "/experiments/paginated", {"total": 1, "nodes": [row]})
    told = run("upgrade", "experiments")
    assert (told.code, "\x1b" in told.out) == (0, False)
    server.json("GET", "/experiments/contextMetaData", golden()["admin_no_token"].answer, 401)
    done = run("upgrade", "contexts")
    assert (done.code, "UPGRADE_SERVICE_ACCOUNT" in done.err) == (1, True)
    assert done.err.startswith(f"UpGrade server · {server.url}\n")
    monkeypatch.setenv("UPGRADE_API_URL", f"http://127.0.0.1:{free_port}")
    assert run("upgrade", "experiments", "--json").json["error"]["code"] == "unreachable"


# simulated users


SIMULATED = "Simulate 5 users in experiment 'Hints first' on {}? They are enrolled like real users, and stay for good."


def enrolled(run: Runner, found: Experiment) -> int:
    return int(run("upgrade", "show", found.id, "--json").json["enrollment"]["users"])


def test_no_user_is_simulated_on_another_server_without_a_confirmation(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = made(run)
    args = ("upgrade", "simulate", found.id, "--users", "5")
    with listening(create_app(database_file(run.home))) as url:
        monkeypatch.setenv("UPGRADE_API_URL", url)
        refused = run(*args)
        assert (refused.code, "[not_confirmed]" in refused.err, "Add --yes" in refused.err) == (2, True, True)
        monkeypatch.setattr("graphwright.cli.console.interactive", lambda: True)
        for answer, users in (("\n", 0), ("y\n", 5)):
            done = run(*args, stdin=answer)
            assert SIMULATED.format(url.removeprefix("http://")) in done.err
            assert (done.code, "No users were simulated." in done.err) == (0, users == 0)
            assert enrolled(run, found) == users
        assert run(*args, "--yes").code == 0
        assert enrolled(run, found) == 10


# the local service as a program


@contextmanager
def serving(home: Path, *args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`graphwright upgrade serve` on a free port; yields the process and the address that it printed."""
    command = [sys.executable, "-m", "graphwright.cli", "upgrade", "serve", "--port", "0", *args]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(home)) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/api", said)
            assert found, said
            yield process, found[0]
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.slow
def test_the_service_takes_contexts_from_a_file_and_keeps_nothing_in_memory(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "contexts.yaml"
    lists = '{"CONDITIONS": ["a"], "GROUP_TYPES": [], "EXP_IDS": ["t"], "EXP_POINTS": ["s"]}'
    file.write_text(f'{{"contextMetadata": {{"our-app": {lists}}}}}', "utf-8")
    with serving(run.home, "--contexts", str(file), "--memory") as (process, url):
        monkeypatch.setenv("UPGRADE_API_URL", url)
        assert set(run("upgrade", "contexts", "--json").json) == {"our-app"}
        assert run("upgrade", "status").err == f"UpGrade server · {url}\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert not (run.home / "upgrade").exists()
    file.write_text("contextMetadata:\n  our-app: {CONDITIONS: a}\n", "utf-8")
    done = run("upgrade", "serve", "--port", "0", "--contexts", file)
    assert (done.code, f"{file}:2" in done.err) == (2, True)
