"""What all tests share: programs can be interrupted, the command line, a free port, a folder that all can reach."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import Runner
from hypothesis import HealthCheck, settings
from postgres_support import PostgresServer, kept_in, postgres_server

# How long a machine takes says nothing about what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# A shell starts background jobs with SIGINT ignored, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# A database that the environment names is nobody's to test in.
os.environ.pop("GRAPHWRIGHT_STORE", None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running server, or the test is skipped and says why."""
    with postgres_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The kind of database behind the stores that a test opens, each kind in turn."""
    with kept_in(request.param, request):
        yield request.param


@pytest.fixture(autouse=True)
def no_server_of_yours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that the environment names is for the tests of `upgrade_server` alone: others create and delete, too."""
    monkeypatch.delenv("UPGRADE_API_URL", raising=False)


@pytest.fixture
def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user of the machine can reach, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    """Runs command lines in this process, in a data folder of its own."""
    return Runner(capsys, monkeypatch, tmp_path / "home")
