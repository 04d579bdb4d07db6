"""Signing in: given tokens, Google service accounts, client tokens, and the environment that names them."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from starlette.responses import Response

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._failures import BadSettings, Unauthorized, Unreachable
from graphwright_upgrade.client._settings import (
    ClientToken,
    GivenToken,
    ServiceAccountToken,
    UpgradeSettings,
    admin_token,
)
from upgrade_client_support import SECRET, Scripted, Seen, failure, golden, json_response


async def test_each_token_goes_to_its_own_routes_alone(server: Scripted) -> None:
    server.json("GET", "/experiments/names", [])
    server.json("POST", "/v6/assign", [])
    tokens = {"admin": GivenToken(SECRET), "client": ClientToken("the-key", SECRET)}
    async with UpgradeClient(server.url, **tokens) as client:
        await client.names()
        await client.assign("u", "c")
        await client.health()
    admin, app, health = (seen.headers.get("authorization") for seen in server.seen)
    assert (admin, health) == (f"Bearer {SECRET}", None)
    assert app is not None
    claims = jwt.decode(app.removeprefix("Bearer "), SECRET, algorithms=["HS256"])
    assert (set(claims), claims["APIKey"], claims["exp"] > time.time()) == ({"APIKey", "iat", "exp"}, "the-key", True)


@pytest.fixture(scope="module")
def private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
def account(tmp_path: Path, private_key: str, server: Scripted) -> Path:
    """The key of a service account whose tokens the test server issues."""
    file = tmp_path / "account.json"
    info = {
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "k",
        "private_key": private_key,
        "client_email": "agent@p.iam.example",
        "token_uri": f"{server.url}/token",
    }
    file.write_text(json.dumps(info), "utf-8")
    issued: list[str] = []

    def issue(_seen: Seen) -> Response:
        issued.append(f"issued-{len(issued) + 1}")
        return json_response({"access_token": issued[-1], "expires_in": 3600, "token_type": "Bearer"})

    server.answers["POST", "/token"] = issue
    return file


async def test_a_service_account_gets_one_token_for_many_calls(account: Path, server: Scripted) -> None:
    server.json("GET", "/experiments/names", [])
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        await asyncio.gather(*(client.names() for _ in range(5)))
    assert {seen.headers["authorization"] for seen in server.calls("GET", "/experiments/names")} == {"Bearer issued-1"}
    assert len(server.calls("POST", "/token")) == 1


async def test_an_expired_token_is_renewed_once(account: Path, server: Scripted) -> None:
    refused = golden()["admin_no_token"].answer

    def names(seen: Seen) -> Response:
        return json_response([]) if seen.headers["authorization"] == "Bearer issued-2" else json_response(refused, 401)

    server.answers["GET", "/experiments/names"] = names
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        assert await client.names() == ()
    server.json("GET", "/experiments/names", refused, 401)
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        await failure(client.names(), Unauthorized, "auth")
    assert len(server.calls("POST", "/token")) == 4


async def test_a_refusal_and_an_outage_of_google_are_distinguished(
    account: Path, server: Scripted, free_port: int
) -> None:
    server.json("POST", "/token", {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}, 400)
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        error = await failure(client.names(), Unauthorized, "auth")
        assert "Invalid JWT Signature" in error.message
    info = json.loads(account.read_text("utf-8"))
    account.write_text(json.dumps({**info, "token_uri": f"http://127.0.0.1:{free_port}/token"}), "utf-8")
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        error = await failure(client.names(), Unreachable, "unreachable")
        assert "Google" in error.message


@pytest.mark.parametrize(
    "change",
    [
        lambda info: "",
        lambda info: "not json",
        lambda info: "[]",
        lambda info: "[" * 100_000,
        lambda info: json.dumps({"type": "authorized_user", "refresh_token": SECRET}),
        lambda info: json.dumps({**info, "private_key": f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n"}),
        lambda info: json.dumps({key: value for key, value in info.items() if key != "token_uri"}),
    ],
)
async def test_a_damaged_key_file_is_named_and_not_shown(
    change: Callable[[dict[str, Any]], str], account: Path, server: Scripted
) -> None:
    text = change(json.loads(account.read_text("utf-8")))
    account.write_text(text, "utf-8") if text else account.unlink()
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        error = await failure(client.names(), BadSettings, "bad_settings")
    assert str(account) in error.message
    assert server.seen == []


async def test_a_missing_package_is_named(account: Path, server: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.oauth2.service_account", None)
    async with UpgradeClient(server.url, admin=ServiceAccountToken(account)) as client:
        assert "graphwright[google]" in (await failure(client.names(), BadSettings, "missing_package")).hint


# the environment


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("", ""),
        ("https://upgrade.example.com", "https://upgrade.example.com/api"),
        ("https://upgrade.example.com/", "https://upgrade.example.com/api"),
        ("https://upgrade.example.com/api", "https://upgrade.example.com/api"),
        (" https://upgrade.example.com/api/ ", "https://upgrade.example.com/api"),
        ("http://127.0.0.1:3030", "http://127.0.0.1:3030/api"),
        ("http://[::1]:3030/up", "http://[::1]:3030/up/api"),
    ],
)
def test_the_address_may_end_in_api(said: str, meant: str) -> None:
    assert UpgradeSettings.from_environment({"UPGRADE_API_URL": said}).api_url == meant


@pytest.mark.parametrize(
    "environment",
    [
        {"UPGRADE_API_URL": "upgrade.example.com"},
        {"UPGRADE_API_URL": "ftp://upgrade.example.com"},
        {"UPGRADE_API_URL": "http://"},
        {"UPGRADE_API_URL": "http://host:99999"},
        {"UPGRADE_API_URL": "http://host:0"},
        {"UPGRADE_API_URL": "http://[::1"},
        {"UPGRADE_API_URL": "http://host/api?x=1"},
        {"UPGRADE_API_URL": "http://host/a b"},
        {"UPGRADE_API_URL": f"http://ann:{SECRET}@host/api"},
        {"UPGRADE_AUTH_TOKEN": f"Bearer {SECRET}"},
        {"UPGRADE_AUTH_TOKEN": f"{SECRET}\nX: 1"},
        {"UPGRADE_AUTH_TOKEN": "ключ"},
        {"UPGRADE_AUTH_TOKEN": SECRET, "UPGRADE_SERVICE_ACCOUNT": "/x.json"},
        {"UPGRADE_CLIENT_API_KEY": SECRET},
        {"UPGRADE_CLIENT_API_SECRET": SECRET},
    ],
)
def test_an_environment_that_does_not_fit_is_named_and_not_shown(environment: dict[str, str]) -> None:
    with pytest.raises(BadSettings) as raised:
        UpgradeSettings.from_environment(environment)
    assert any(name in raised.value.message for name in environment)
    assert SECRET not in f"{raised.value.message} {raised.value.hint}"
    assert raised.value.hint


def test_settings_do_not_show_their_secrets() -> None:
    environment = {"UPGRADE_AUTH_TOKEN": SECRET, "UPGRADE_CLIENT_API_KEY": SECRET, "UPGRADE_CLIENT_API_SECRET": SECRET}
    settings = UpgradeSettings.from_environment(environment)
    assert SECRET not in f"{settings!r} {admin_token(settings)!r}"
