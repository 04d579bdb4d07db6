"""Requests of flows: which hosts and addresses are refused, what is bounded, and where secrets appear."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.tools._http_requests import HttpError, Request, is_public, send
from http_support import Seen, serving

pytestmark = pytest.mark.anyio
SECRET = "tok-8f3a91"


@pytest.fixture
def server() -> Iterator[Seen]:
    with serving() as seen:
        yield seen


def allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    file = tmp_path / "graphwright.toml"
    file.write_text(text, "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(file))
    monkeypatch.setenv("SHOP_PASS_PHRASE", SECRET)


@pytest.fixture
def allowed(server: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Seen:
    headers = 'headers = {Authorization = "Bearer env:SHOP_PASS_PHRASE"}'
    allow(tmp_path, monkeypatch, f'[http."{server.host}"]\nprivate = true\ntimeout = 2\n{headers}\n')
    return server


async def refused(url: str, method: str = "GET", **more: Any) -> HttpError:
    with pytest.raises(HttpError) as caught:
        await send(Request(method, url, **more))
    return caught.value


async def test_an_allowed_host_gets_the_body_the_key_and_the_secret_of_the_operator(allowed: Seen) -> None:
    assert await send(Request("POST", f"{allowed.url}/orders", {"X-Mine": "1"}, {"a": 1}, "t:b:1")) == {"total": 25}
    got = allowed.requests[0]
    assert (got["method"], got["body"]) == ("POST", '{"a": 1}')
    wanted = {"authorization": f"Bearer {SECRET}", "idempotency-key": "t:b:1", "x-mine": "1"}
    assert wanted.items() <= got["headers"].items()
    assert await send(Request("GET", f"{allowed.url}/text")) == "plain"
    assert await send(Request("HEAD", f"{allowed.url}/text")) == ""


async def test_a_secret_that_the_host_sends_back_is_hidden(allowed: Seen) -> None:
    echoed = await send(Request("GET", f"{allowed.url}/echo"))
    assert echoed["sent"]["authorization"] == "[hidden]"
    assert SECRET not in str(await refused(f"{allowed.url}/wrong"))


async def test_hosts_that_the_operator_does_not_list_are_refused(allowed: Seen) -> None:
    for url in ("https://example.org/", "http://localhost/", f"http://127.0.0.1:{allowed.port + 1}/", "https://[::1]/"):
        assert (await refused(url)).code == "http_host"
    for url in (
        "file:///etc/passwd",
        "https:///x",
        "https://a:b@example.org/",
        "http://[::1",
        "https://a.b\n.c/",
        "https://a.b\\@c/",
    ):
        assert (await refused(url)).code == "http_address"
    assert allowed.requests == []


@pytest.mark.parametrize(
    "name", ["127.0.0.1", "localhost", "2130706433", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]"]
)
async def test_addresses_of_the_machine_its_network_and_its_cloud_are_refused_though_listed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(tmp_path, monkeypatch, f'[http."{name}"]\n')
    error = await refused(f"https://{name}/latest/meta-data")
    assert (error.code, error.sent) == ("http_address", False)
    assert (await refused(f"http://{name}/")).code == "http_address"


async def test_a_redirect_is_followed_only_to_hosts_that_are_allowed(allowed: Seen) -> None:
    assert await send(Request("GET", f"{allowed.url}/to?/orders")) == {"total": 25}
    assert (await refused(f"{allowed.url}/to?http://127.0.0.2:{allowed.port}/")).code == "http_host"
    assert (await refused(f"{allowed.url}/to?file:///etc/passwd")).code == "http_address"
    assert (await refused(f"{allowed.url}/to?/to?/to")).code == "http_redirect"
    error = await refused(f"{allowed.url}/to?/orders", "POST")
    assert error.code == "http_redirect"


async def test_headers_of_the_flow_and_secrets_do_not_follow_a_redirect_to_another_host(
    allowed: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as other:
        file = tmp_path / "graphwright.toml"
        file.write_text(f'{file.read_text()}[http."{other.host}"]\nprivate = true\n')
        await send(Request("GET", f"{allowed.url}/to?{other.url}/x", {"X-Mine": "1"}))
        assert {"authorization", "x-mine"}.isdisjoint(other.requests[0]["headers"])


async def test_a_name_is_resolved_once_and_the_connection_goes_to_the_checked_address(
    server: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(tmp_path, monkeypatch, f'[http."rebound.example:{server.port}"]\ntimeout = 0.5\n')
    answers = iter(["192.0.43.10", *["127.0.0.1"] * 9])
    asked: list[str] = []

    def resolve(host: Any, port: Any, *_: Any, **__: Any) -> Any:
        if host == "rebound.example":
            asked.append(host)
            host = next(answers)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    error = await refused(f"https://rebound.example:{server.port}/")
    assert error.code in ("http_timeout", "http_failed")
    assert (asked, server.requests) == (["rebound.example"], [])
    assert (await refused(f"https://rebound.example:{server.port}/")).code == "http_address"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("huge", "http_too_large"),
        ("endless", "http_too_large"),
        ("slow", "http_timeout"),
        ("cut", "http_failed"),
        ("squeezed", "http_failed"),
        ("deep", "http_failed"),
        ("wrong", "http_status"),
        ("broken", "http_status"),
    ],
)
async def test_bad_responses_end_in_time_with_an_error(allowed: Seen, path: str, code: str) -> None:
    error = await refused(f"{allowed.url}/{path}")
    assert (error.code, error.sent) == (code, path != "wrong")


async def test_invalid_requests_are_rejected_before_sending(allowed: Seen) -> None:
    assert (await refused(f"{allowed.url}/x", headers={"X-A": "1\r\nX-B: 2"})).code == "http_address"
    assert (await refused(f"{allowed.url}/x", "POST", body="x" * (3 * 2**20))).code == "http_too_large"
    assert allowed.requests == []


async def test_a_missing_secret_is_named_and_nothing_is_sent(allowed: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_PASS_PHRASE")
    error = await refused(f"{allowed.url}/x")
    assert (error.code, "SHOP_PASS_PHRASE" in error.full_text, allowed.requests) == ("http_settings", True, [])


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_as_public_as_its_forms_in_ipv6(address: Any) -> None:
    public = is_public(str(address))
    assert {is_public(f"::ffff:{address}"), is_public(f"64:ff9b::{address}")} == {public}
    assert not (public and (address.is_private or address.is_loopback or address.is_link_local))
