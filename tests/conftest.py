"""Shared by all tests: interruptible programs, the command line, a free port, a folder that all users can reach."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from cli_support import Runner, Site
from postgres_support import PostgresServer, kept_in, postgres_server

# The speed of the machine is not what is tested. Every run has the same examples, unless
# `--hypothesis-profile=random` asks for new ones.
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("random"), derandomize=True)
settings.load_profile("repeatable")

# A shell starts background jobs with SIGINT ignored, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the web app, whose tests are all slow, if no slow test is asked for: its imports take time."""
    web = Path(__file__).parent / "web"
    return True if collection_path == web and config.option.markexpr == "not slow" else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say of each test that ran again where and why it failed first: the list of these tests has only names."""
    for report in terminalreporter.stats.get("rerun", ()):
        entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
        places = [str(getattr(each, "reprfileloc", "")) for each in entries]
        own = [each.rpartition(":")[0] for each in places if each.startswith("tests")]
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = " ".join(str(crash.message if crash else report.longrepr).split())
        terminalreporter.write_line(f"{report.nodeid} ran again: {' '.join(own)}\n  {reason[:600]}")


# Tests must not use a database that the environment names.
os.environ.pop("GRAPHWRIGHT_STORE", None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running server; the test is skipped with the reason if it is not available."""
    with postgres_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The kind of database behind the stores of a test, each kind in turn."""
    with kept_in(request.param, request):
        yield request.param


@pytest.fixture(autouse=True)
def no_server_of_yours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the tests of `upgrade_server` may use a server that the environment names: others create and delete, too."""
    monkeypatch.delenv("UPGRADE_API_URL", raising=False)


@pytest.fixture
def free_port() -> int:
    """A port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user of the machine can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    """Runs command lines in this process, with a new data folder."""
    return Runner(capsys, monkeypatch, tmp_path / "home")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A folder on the path in which tests install distributions. The current folder and the data folder are new."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield Site(folder)
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture(scope="module")
def kept_readers() -> Iterator[Any]:
    kept: dict[Any, Any] = {}
    yield kept
    for each in kept.values():
        each.end()


@pytest.fixture
def shared_readers(kept_readers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of a module read files with one process. For modules that ask for it by `usefixtures`."""
    from reading_support import keep_processes

    keep_processes(kept_readers, monkeypatch)
