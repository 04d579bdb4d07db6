"""Failures between the client and a server: each has a type and a hint, and contains no secret."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.responses import Response

from graphwright_upgrade.client import _wire
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import ListDraft
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._failures import (
    BadAnswer,
    Invalid,
    NotConfirmed,
    NotFound,
    Redirected,
    ServerFailed,
    TimedOut,
    Unauthorized,
    Unreachable,
    UpgradeError,
)
from graphwright_upgrade.client._settings import GivenToken
from upgrade_client_support import SECRET, Scripted, draft, failure, golden, json_response, raw, scripted

ID = "fe74c3a3-dfcd-4717-a247-16bed6e7e8db"
DRAFT = draft("New")


@pytest.fixture
async def client(server: Scripted) -> AsyncIterator[UpgradeClient]:
    async with UpgradeClient(server.url, admin=GivenToken(SECRET)) as made:
        yield made


# no response, or not in time


@pytest.mark.slow
async def test_a_server_that_cannot_be_reached_is_told_with_what_to_check(server: Scripted, free_port: int) -> None:
    for url, said in (
        (f"http://127.0.0.1:{free_port}/api", "Connection refused. Is it running"),
        ("http://upgrade.invalid/api", "UPGRADE_API_URL"),
        (server.url.replace("http:", "https:"), "certificate"),
    ):
        async with UpgradeClient(url, admin=GivenToken(SECRET)) as client:
            error = await failure(client.names(), Unreachable, "unreachable")
            assert said in f"{error.message} {error.hint}"
    async with UpgradeClient(f"http://127.0.0.1:{free_port}/api") as client:
        assert (await failure(client.delete(ID), Unreachable, "unreachable")).done is False


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n"


@pytest.mark.parametrize(("sent", "drop"), [(b"", b""), (HEAD + b"[", b""), (HEAD, b" ")])
async def test_a_slow_server_is_given_up_though_every_drop_comes_in_time(sent: bytes, drop: bytes) -> None:
    with raw(sent, wait=threading.Event(), drop=drop) as (url, got):
        async with UpgradeClient(url, seconds=0.2) as client:
            read = await failure(client.names(), TimedOut, "timed_out")
            written = await failure(client.delete(ID), TimedOut, "timed_out")
    assert (read.done, written.done) == (False, None)
    assert "look before" in written.hint
    assert len([each for each in got if each.startswith(b"DELETE")]) <= 1


# retried, or not


HALF = HEAD + b'[{"id": "x", "name'


def whole(body: str) -> bytes:
    head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close"
    return f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}".encode()


async def test_half_a_body_is_read_again_and_then_given_up_but_a_write_is_never_sent_twice() -> None:
    with raw(HALF) as (url, got):
        async with UpgradeClient(url) as client:
            await failure(client.names(), BadAnswer, "cut_short")
    assert len(got) == 3
    with raw(HALF, b"", whole("[]")) as (url, _):
        async with UpgradeClient(url) as client:
            assert await client.names() == ()
    for sent in (HALF, b""):
        with raw(sent, whole("[]")) as (url, got):
            async with UpgradeClient(url) as client:
                error = await failure(client.delete(ID), BadAnswer, "cut_short")
        assert (error.done, len(got)) == (None, 1)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_server_is_asked_again_to_read_but_not_to_write(
    status: int, client: UpgradeClient, server: Scripted
) -> None:
    server.text("GET", "/experiments/names", f"<h1>{SECRET}</h1>", status)
    error = await failure(client.names(), ServerFailed, "unavailable")
    assert (error.status, error.done, len(server.seen)) == (status, False, 3)
    server.seen.clear()
    server.text("DELETE", f"/experiments/{ID}", "<h1>bad</h1>", status)
    error = await failure(client.delete(ID), ServerFailed, "unavailable")
    assert (error.done, len(server.seen)) == (None, 1)
    # A read that is a POST is still a read.
    server.answers["POST", "/v6/assign"] = lambda _: json_response([], 200 if len(server.seen) > 2 else status)
    assert await client.assign("u", "assign-prog") == ()


async def test_a_write_is_sent_when_the_connection_comes_late(free_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_wire, "_PAUSES", (0.1,) * 600)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(whole("[]"))
        writer.close()

    async def listen_late() -> asyncio.Server:
        await asyncio.sleep(0.05)
        return await asyncio.start_server(answer, "127.0.0.1", free_port)

    late = asyncio.create_task(listen_late())
    async with UpgradeClient(f"http://127.0.0.1:{free_port}/api") as client:
        await client.delete(ID)
    (await late).close()


# invalid responses, and refusals


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        ("<html><body>Log in</body></html>", "text/html", "not_upgrade"),
        ("", "text/plain", "not_upgrade"),
        ("not json", "application/json", "not_upgrade"),
        ('[{"id": ', "application/json", "not_upgrade"),
        ("[" * 100_000, "application/json", "not_upgrade"),
        *(
            (body, "application/json", "bad_answer")
            for body in ("{}", "[1]", '[{"name": "x"}]', '"text"', "7", "null", '[{"id": null, "name": "x"}]', "[[]]")
        ),
    ],
)
async def test_an_answer_of_another_kind_or_shape_is_told_with_its_place(
    body: str, kind: str, code: str, client: UpgradeClient, server: Scripted
) -> None:
    server.text("GET", "/experiments/names", body, kind=kind)
    error = await failure(client.names(), BadAnswer, code)
    assert "GET /api/experiments/names" in error.message
    assert "Log in" not in error.message
    assert "UPGRADE_API_URL" in error.hint


@pytest.mark.parametrize("body", [{"name": "grafana"}, {"version": 6}, [], "6.4.0", None])
async def test_a_health_without_a_version_is_no_upgrade_server(
    body: Any, client: UpgradeClient, server: Scripted
) -> None:
    server.json("GET", "", body)
    await failure(client.health(), BadAnswer, "not_upgrade")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd", "bad_answer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "cut_short"),
    ],
)
async def test_what_cannot_be_unpacked_or_is_not_http_is_a_bad_answer(sent: bytes, code: str) -> None:
    with raw(sent) as (url, _):
        async with UpgradeClient(url) as client:
            await failure(client.names(), BadAnswer, code)


async def test_an_endless_answer_is_given_up(
    monkeypatch: pytest.MonkeyPatch, client: UpgradeClient, server: Scripted
) -> None:
    monkeypatch.setattr("graphwright_upgrade.client._wire.MOST_READ", 100_000)
    server.json("GET", "/experiments/names", [{"id": "x", "name": "y" * 200_000}])
    await failure(client.names(), BadAnswer, "bad_answer")


@pytest.mark.parametrize(
    ("status", "body", "kind", "code", "says"),
    [
        *((500, body, ServerFailed, "server_error", "(500).") for body in ({}, None, "", [])),
        (400, {"message": f"bad token {SECRET} here", "request": "hunter2"}, Invalid, "invalid", "bad token [hidden]"),
        (400, {"message": "long " * 10_000}, Invalid, "invalid", " …"),
        (400, {"errors": ["site is wrong", {"of": 1}], "message": "see errors"}, Invalid, "invalid", "site is wrong"),
        (400, {"errors": [{"children": [{"constraints": 1}, "site is wrong"]}]}, Invalid, "invalid", "site is wrong"),
        # As a server of 6.2 refuses to delete something missing.
        (500, {"response": {"message": "no such"}, "status": 404, "message": "E"}, NotFound, "not_found", "no such"),
        (413, {"message": "request entity too large"}, Invalid, "invalid", "entity too large"),
    ],
)
async def test_a_refusal_says_what_the_server_says_and_nothing_that_it_echoes(
    status: int, body: Any, kind: type[UpgradeError], code: str, says: str, client: UpgradeClient, server: Scripted
) -> None:
    server.json("DELETE", f"/experiments/{ID}", body, status)
    error = await failure(client.delete(ID), kind, code)
    assert says in error.message
    assert "hunter2" not in error.message
    assert len(error.message) < 500
    assert error.done is (None if kind is ServerFailed else False)


async def test_a_refused_sign_in_says_how_to_sign_in(server: Scripted) -> None:
    server.json("GET", "/experiments/names", golden()["admin_no_token"].answer, 401)
    server.json("POST", "/v6/assign", golden()["assign_no_token"].answer, 401)
    async with UpgradeClient(server.url) as client:
        error = await failure(client.names(), Unauthorized, "auth")
        assert ("UPGRADE_SERVICE_ACCOUNT" in error.hint, error.status) == (True, 401)
        assert "UPGRADE_CLIENT_API_KEY" in (await failure(client.assign("u", "c"), Unauthorized, "auth")).hint
    async with UpgradeClient(server.url, admin=GivenToken(SECRET)) as client:
        assert "expired" in (await failure(client.names(), Unauthorized, "auth")).hint


# found before the request


@pytest.mark.parametrize(
    "id", ["", "x", "not-a-uuid", "../../setting", "%2e%2e", "names", ID[:-1], f"{ID}/x", "é" * 36]
)
async def test_an_invalid_uuid_is_not_sent(id: str, client: UpgradeClient, server: Scripted) -> None:
    for call in (
        client.experiment(id),
        client.delete(id),
        client.set_state(id, State.ENROLLING),
        client.enrollment(id),
    ):
        await failure(call, Invalid, "bad_id")
    assert all(seen.path == "" for seen in server.seen)


@pytest.mark.parametrize("user", ["", " u", "u\r\nX-Evil: 1", "u\x00", "学生", "\ud800"])
async def test_a_user_that_no_header_can_name_is_never_sent(user: str, client: UpgradeClient, server: Scripted) -> None:
    await failure(client.init(user), Invalid, "bad_id")
    assert server.seen == []


async def test_a_body_of_6_mb_is_never_sent_and_an_answer_of_6_mb_is_read(
    client: UpgradeClient, server: Scripted
) -> None:
    huge = DRAFT.model_copy(update={"description": "x" * 6_000_000})
    error = await failure(client.create(huge), Invalid, "too_large")
    assert "6.0 MB" in error.message
    assert server.calls("POST", "/experiments") == []
    server.json("GET", "/experiments/names", [{"id": ID, "name": "x" * 6_000_000}])
    assert len((await client.names())[0].name) == 6_000_000


async def test_invalid_unicode_is_never_sent(client: UpgradeClient, server: Scripted) -> None:
    await failure(client.create(DRAFT.model_copy(update={"name": "\ud800"})), Invalid, "invalid")
    assert server.calls("POST", "/experiments") == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_never_followed(status: int, client: UpgradeClient, server: Scripted) -> None:
    with scripted() as other:
        for where in (other.url, other.url.replace("http://", "//"), "/api", "", "http://[", "ftp://127.0.0.1/x"):
            headers = {"location": f"{where}/experiments/names?secret=1"} if where else {}
            server.answers["GET", "/experiments/names"] = lambda _seen, h=headers: Response("", status, h)
            error = await failure(client.names(), Redirected, "redirected")
            assert "secret" not in error.message
            server.answers["DELETE", f"/experiments/{ID}"] = server.answers["GET", "/experiments/names"]
            assert (await failure(client.delete(ID), Redirected, "redirected")).done is False
        assert (other.seen, len(server.seen)) == ([], 12)


# after a write


async def test_a_failure_after_a_write_says_that_the_write_was_done(client: UpgradeClient, server: Scripted) -> None:
    made = golden()["create_minimal"].answer
    server.json("POST", "/experiments", made)
    server.json("GET", f"/experiments/single/{made['id']}", {}, 500)
    error = await failure(client.create(DRAFT), ServerFailed, "server_error")
    assert error.done is True
    assert f"was created as {made['id']}" in error.message
    single = golden()["single"].answer
    answers = iter([json_response(single), json_response({}, 500)])
    server.answers["GET", f"/experiments/single/{ID}"] = lambda _seen: next(answers)
    server.json("POST", "/experiments/state", {})
    error = await failure(client.set_state(ID, State.CANCELLED), ServerFailed, "server_error")
    assert (error.done, "cancelled" in error.message) == (True, True)


@pytest.mark.slow
async def test_missing_lists_are_reported(client: UpgradeClient, server: Scripted) -> None:
    made = golden()["create_minimal"].answer
    server.json("POST", "/experiments", made)
    server.json("GET", f"/experiments/single/{made['id']}", golden()["single"].answer)
    lists = (ListDraft(kind="individual", members=("u",)),)
    assert (await failure(client.create(draft("New", exclusions=lists)), NotConfirmed, "not_confirmed")).done is True
