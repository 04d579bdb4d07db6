"""The local UpGrade service as a process: its address, its output, and its end."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from graphwright_upgrade_server.failures import ServiceError
from graphwright_upgrade_server.serving import Options, serve
from upgrade_support import local_only, running

pytestmark = [local_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("upgrade") / "upgrade.db") as (_, address):
        yield address


def test_no_other_address_of_the_machine_reaches_it(address: str) -> None:
    port = httpx.URL(address).port
    assert port is not None
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=10)


@pytest.mark.parametrize(
    ("host", "status"), [("localhost:1234", 200), ("127.0.0.1", 200), ("evil.example", 400), ("10.0.0.1:3030", 400)]
)
def test_it_answers_to_its_own_names_alone(address: str, host: str, status: int) -> None:
    assert httpx.get(f"{address}/version", headers={"Host": host}, timeout=60).status_code == status


def test_a_connection_carries_many_requests_one_after_another(address: str) -> None:
    with httpx.Client(base_url=address, timeout=60) as client:
        for number in range(5):
            init = client.post("/v6/init", json={}, headers={"User-Id": f"user-{number}"})
            assert init.json() == {"id": f"user-{number}"}
            # The unread part of a refused body must not be taken for the next request.
            refused = client.post("/experiments", content=b"{" * 100, headers={"Content-Type": "application/json"})
            assert refused.status_code == 400


@pytest.mark.parametrize("length", [6_000_000, 60_000_000])
def test_a_body_that_is_too_large_is_refused_on_the_wire(address: str, length: int) -> None:
    try:
        answer = httpx.post(
            f"{address}/experiments",
            content=b'{"name": "' + b"x" * length + b'"}',
            headers={"Content-Type": "application/json"},
            timeout=60,
        )
    except httpx.TransportError:
        # It may disconnect while the rest is still being sent.
        pass
    else:
        assert answer.status_code == 413
    assert httpx.get(f"{address}/experiments/names", timeout=60).json() == []


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_on_request_and_leaves_one_file(tmp_path: Path, stop: signal.Signals) -> None:
    file = tmp_path / "upgrade.db"
    with running(file) as (process, address):
        assert httpx.post(f"{address}/v6/init", json={}, headers={"User-Id": "user"}, timeout=60).is_success
        process.send_signal(stop)
        out, err = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGTERM)
        assert (out, err) == ("", "")
    assert os.listdir(tmp_path) == ["upgrade.db"]


def test_a_used_or_invalid_port_is_an_error(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        for port in (other.getsockname()[1], 70_000, -1):
            with pytest.raises(ServiceError) as refused:
                serve(Options(tmp_path / "upgrade.db", port=port), print)
            assert str(port) in refused.value.message
            assert refused.value.hint
    assert os.listdir(tmp_path) == []
