"""Access to the service: keys, tokens of a provider, roles, owners, limits and the audit."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from api_support import begun
from api_support import service as full_service
from graphwright.errors import GraphwrightError, redact
from graphwright.store import Store, open_store
from graphwright_server import _shown as shown
from graphwright_server._approvals import ApprovalWatch
from graphwright_server.access import _keys as keys
from graphwright_server.access._oidc import OidcSettings, Tokens
from graphwright_server.access.gate import Gate
from graphwright_server.access.principal import AccessError, Limits, LimitSettings, Ownership, Principal
from graphwright_server.routes._keys import router

ISSUER, AUDIENCE = "https://login.example.com/", "graphwright"
ANN, BEN = Principal("ann", "user"), Principal("ben", "admin")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@asynccontextmanager
async def service(
    store: Store, *, login: bool = True, tokens: Tokens | None = None, limits: LimitSettings | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """Only the routes of access control."""
    app = FastAPI()
    app.include_router(router)
    app.state.access = store.access
    app.state.gate = Gate(
        store.access.keys, Limits(limits or LimitSettings(), store.access.counters), login=login, tokens=tokens
    )

    @app.exception_handler(GraphwrightError)
    async def problem_response(request: Request, error: GraphwrightError) -> JSONResponse:
        known = error if isinstance(error, AccessError) else AccessError(400, error.code, error.message)
        return JSONResponse(error.to_json(), known.status, known.headers)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        yield client


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


async def refused(client: httpx.AsyncClient, text: str) -> str:
    answer = await client.get("/me", headers=bearer(text))
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert text not in answer.text
    return str(answer.json()["message"])


async def test_without_login_everybody_is_the_local_admin(store: Store) -> None:
    async with service(store, login=False) as client:
        mine = (await client.get("/me", headers=bearer("whatever a client sends"))).json()
        assert mine == {"user": "local", "role": "admin", "login": False}


async def test_a_key_signs_in_until_it_is_revoked_and_only_its_hash_is_kept(store: Store) -> None:
    made, text = await keys.create(store.access.keys, "ann", "user", name="laptop")
    async with service(store) as client:
        assert (await client.get("/me")).json()["code"] == "login_required"
        for headers in (bearer(text), {"X-API-Key": text}):
            assert (await client.get("/me", headers=headers)).json() == {"user": "ann", "role": "user", "login": True}
        used = await store.access.keys.get(made.id)
        assert used.last_used
        await store.access.keys.revoke(made.id)
        assert "was revoked" in await refused(client, text)
    assert text.encode() not in b"".join(file.read_bytes() for file in store.home.glob("graphwright.db*"))
    assert redact(f"sent {text} to it") == "sent [hidden] to it"


async def test_an_altered_invented_or_expired_key_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = await keys.create(store.access.keys, "ann", "user", days=1)
    async with service(store) as client:
        for other in (
            text[:-1] + ("A" if text[-1] != "A" else "B"),
            text[:-1],
            f"gwk_{'0' * 10}_{'a' * 43}",
            "x" * 9999,
        ):
            await refused(client, other)
        later = datetime.now(UTC) + timedelta(days=1, seconds=1)
        monkeypatch.setattr(keys, "datetime", type("Later", (datetime,), {"now": classmethod(lambda cls, zone: later)}))
        assert "has expired" in await refused(client, text)


async def test_a_key_in_the_address_is_always_refused(store: Store) -> None:
    _, text = await keys.create(store.access.keys, "ann", "user")
    for login in (True, False):
        async with service(store, login=login) as client:
            for address in (f"/me?token={text}", f"/me?x={text}"):
                answer = await client.get(address, headers=bearer(text))
                assert answer.json()["code"] == "key_in_address"
                assert text not in answer.text


async def test_each_role_may_what_those_below_it_may_and_no_more(store: Store) -> None:
    async with service(store) as client:
        for role, status in (("viewer", 403), ("user", 403), ("admin", 200)):
            _, text = await keys.create(store.access.keys, role, role)
            assert (await client.get("/me", headers=bearer(text))).status_code == 200
            for path in ("/keys", "/audit"):
                assert (await client.get(path, headers=bearer(text))).status_code == status


async def test_an_admin_makes_lists_and_revokes_keys_and_sees_each_once(store: Store) -> None:
    _, text = await keys.create(store.access.keys, "root", "admin", days=None)
    async with service(store) as client:
        client.headers.update(bearer(text))
        made = (await client.post("/keys", json={"user": "ann", "role": "viewer", "days": 7})).json()
        listed = (await client.get("/keys")).json()["items"]
        assert [key["user"] for key in listed] == ["ann", "root"]
        assert not any("hash" in key or "key" in key for key in listed)
        assert (await client.get("/me", headers=bearer(made["key"]))).json()["user"] == "ann"
        assert (await client.delete(f"/keys/{made['id']}")).status_code == 204
        await refused(client, made["key"])
        assert (await client.delete("/keys/none")).status_code == 404
        for wrong in ({"user": ""}, {"user": "a b"}, {"user": "a", "role": "root"}, {"user": "a", "days": 0}):
            assert (await client.post("/keys", json=wrong)).status_code in (400, 422)


SIGNING = RSAKey.generate_key(2048, {"kid": "one"})


def token(key: Any = SIGNING, header: dict[str, Any] | None = None, **claims: Any) -> str:
    now = int(datetime.now(UTC).timestamp())
    whole = {"iss": ISSUER, "aud": AUDIENCE, "sub": "u-17", "exp": now + 300, "iat": now, **claims}
    kept = {name: value for name, value in whole.items() if value is not None}
    head = {"alg": "RS256", "kid": "one"} | (header or {})
    return jwt.encode(head, kept, key, algorithms=[head["alg"]])


def published(*found: Any) -> bytes:
    return json.dumps({"keys": [key.as_dict(private=False) for key in found]}).encode()


def provider(answer: Callable[[], bytes], asked: list[str] | None = None) -> httpx.MockTransport:
    """A provider of tokens, with its discovery document and its keys."""

    def handle(request: httpx.Request) -> httpx.Response:
        if asked is not None:
            asked.append(request.url.path)
        if request.url.path.endswith("openid-configuration"):
            return httpx.Response(200, json={"issuer": ISSUER, "jwks_uri": f"{ISSUER}keys"})
        return httpx.Response(200, content=answer())

    return httpx.MockTransport(handle)


@pytest.fixture
def tokens() -> Tokens:
    return Tokens(OidcSettings(ISSUER, AUDIENCE), transport=provider(lambda: published(SIGNING)))


async def test_a_token_signs_in_with_its_highest_role(store: Store, tokens: Tokens) -> None:
    async with service(store, tokens=tokens) as client:
        for roles, role in ((None, "user"), (["viewer", "admin", "other"], "admin"), ("viewer", "viewer"), (3, "user")):
            answer = await client.get("/me", headers=bearer(token(roles=roles)))
            assert answer.json() == {"user": "oidc:u-17", "role": role, "login": True}


def part(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def by_shared_secret(secret: bytes) -> str:
    """A token that is signed with a public value."""
    signed = f"{part(json.dumps({'alg': 'HS256', 'kid': 'one'}).encode())}.{token().split('.')[1]}"
    return f"{signed}.{part(hmac.digest(secret, signed.encode(), hashlib.sha256))}"


def hostile_tokens() -> dict[str, str]:
    now = int(datetime.now(UTC).timestamp())
    plain = token().split(".")
    other = RSAKey.generate_key(2048, {"kid": "one"})
    none = part(json.dumps({"alg": "none", "kid": "one"}).encode())
    changed = part(json.dumps({"iss": ISSUER, "aud": AUDIENCE, "sub": "root", "exp": now + 300}).encode())
    return {
        "alg none": f"{none}.{plain[1]}.",
        "alg none with a signature": f"{none}.{plain[1]}.{plain[2]}",
        "public key as shared secret": by_shared_secret(SIGNING.as_pem(private=False)),
        "other key of the same id": token(other),
        "other claims": f"{plain[0]}.{changed}.{plain[2]}",
        "wrong audience": token(aud="another-app"),
        "no audience": token(aud=None),
        "wrong issuer": token(iss="https://evil.example.com/"),
        "expired": token(exp=now - 120),
        "never expires": token(exp=None),
        "not valid yet": token(nbf=now + 600),
        "no subject": token(sub=None),
        "subject that is no text": token(sub={"a": 1}),
        "unknown key id": token(RSAKey.generate_key(2048, {"kid": "two"}), {"kid": "two"}),
        "no token": "a.b.c",
        "not even that": "....",
        "huge": "a" * 20_000 + ".b.c",
    }


@pytest.mark.parametrize("kind", list(hostile_tokens()))
async def test_a_token_that_does_not_hold_is_refused(store: Store, tokens: Tokens, kind: str) -> None:
    async with service(store, tokens=tokens) as client:
        await refused(client, hostile_tokens()[kind])


async def test_signing_keys_are_fetched_again_for_new_ids_but_not_for_each_forged_id(store: Store) -> None:
    now, asked, there = [1000.0], list[str](), [SIGNING]
    second = ECKey.generate_key("P-256", {"kid": "two"})
    moved = Tokens(
        OidcSettings(ISSUER, AUDIENCE),
        transport=provider(lambda: published(*there), asked),
        clock=lambda: now[0] + datetime.now(UTC).timestamp(),
    )
    async with service(store, tokens=moved) as client:
        assert (await client.get("/me", headers=bearer(token(exp=2**40)))).status_code == 200
        for _ in range(5):
            await refused(client, token(second, {"alg": "ES256", "kid": "two"}, exp=2**40))
        assert len(asked) == 2
        there.append(second)
        now[0] += 11
        answer = await client.get("/me", headers=bearer(token(second, {"alg": "ES256", "kid": "two"}, exp=2**40)))
        assert answer.status_code == 200
        assert len(asked) == 4


async def test_an_unreachable_provider_is_reported_and_its_keys_stay_valid(store: Store) -> None:
    def gone() -> bytes:
        raise httpx.ConnectError("no route")

    answers = [gone]
    now = [0.0]
    at = Tokens(
        OidcSettings(ISSUER, AUDIENCE, jwks=f"{ISSUER}keys"),
        transport=provider(lambda: answers[0]()),
        clock=lambda: now[0] + datetime.now(UTC).timestamp(),
    )
    async with service(store, tokens=at) as client:
        answer = await client.get("/me", headers=bearer(token(exp=2**40)))
        assert (answer.status_code, answer.json()["code"]) == (503, "login_unavailable")
        answers[0], now[0] = lambda: published(SIGNING), 20
        assert (await client.get("/me", headers=bearer(token(exp=2**40)))).status_code == 200
        answers[0], now[0] = gone, 5000
        assert (await client.get("/me", headers=bearer(token(exp=2**40)))).status_code == 200


async def test_keys_may_be_a_file_and_a_user_without_a_role_may_be_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_bytes(published(SIGNING))
    settings = OidcSettings(ISSUER, AUDIENCE, str(tmp_path / "keys.json"), "realm_access.roles", role="")
    async with service(store, tokens=Tokens(settings)) as client:
        answer = await client.get("/me", headers=bearer(token(realm_access={"roles": ["user"]})))
        assert answer.json()["role"] == "user"
        assert (await client.get("/me", headers=bearer(token()))).status_code == 403


async def test_resources_of_other_users_are_hidden_for_every_role(store: Store) -> None:
    own = Ownership(store.access.owners)
    await own.claim("thread", "t1", ANN)
    await own.claim("thread", "t1", ANN)
    await own.require("thread", "t1", ANN)
    for kind, id in (("thread", "t1"), ("thread", "none"), ("file", "t1"), ("run", "none")):
        with pytest.raises(AccessError) as error:
            await own.require(kind, id, BEN)  # type: ignore[arg-type]
        assert (error.value.status, error.value.code) == (404, "not_found")
    with pytest.raises(AccessError, match="cannot be used"):
        await own.claim("thread", "t1", BEN)
    await own.release("thread", "t1")
    await own.claim("thread", "t1", BEN)


async def test_a_conversation_of_the_command_line_belongs_to_the_local_user(store: Store) -> None:
    own, local = Ownership(store.access.owners), Principal("local", "admin", login=False)
    async with store.turn("old") as work:
        work.note_thread(
            {"agent": "intake", "flow_id": "f", "flow_hash": "h", "status": "ended", "title": "", "turns": 1}
            | {"waiting_for": None, "position": None}
        )
        await work.flush()
    await own.require("thread", "old", local)
    with pytest.raises(AccessError):
        await own.require("thread", "old", ANN)
    await own.claim("thread", "new", ANN)
    for user, listed in (("local", ["old"]), ("ann", [])):
        assert await store.access.owners.threads(user, 10) == listed
        assert [row.thread for row in await store.threads.page(owner=user)] == listed


async def test_a_login_has_so_many_requests_a_minute_among_all_workers(store: Store, tmp_path: Path) -> None:
    now = [1_000_020.0]
    settings = LimitSettings(requests=30, turns=2, runs=3)
    async with open_store(tmp_path) as other:
        one, two = (Limits(settings, each.access.counters, clock=lambda: now[0]) for each in (store, other))
        await one.take(ANN, "turns")
        await two.take(ANN, "turns")
        with pytest.raises(AccessError) as error:
            await one.take(ANN, "turns")
        assert (error.value.status, error.value.headers) == (429, {"Retry-After": "60"})
        await one.take(BEN, "turns")
        now[0] += 60
        await two.take(ANN, "turns")
        served = 0
        for limits in (one, two) * 20:
            try:
                await limits.take(ANN, "requests")
                served += 1
            except AccessError:
                break
        assert served == 30
    for _ in range(100):
        await one.take(Principal("local", "admin", login=False), "turns")
    one.require_room(ANN, 2)
    with pytest.raises(AccessError, match="at once"):
        one.require_room(ANN, 3)


async def test_a_stream_ends_when_its_key_is_revoked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "ASK_AGAIN", 0.0)
    async with full_service(tmp_path, login=True) as client:
        access = client.app.state.access  # type: ignore[attr-defined]
        key, text = await keys.create(access.keys, "ann", "user")
        client.headers.update(bearer(text))
        thread = await begun(client)
        run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()["id"]
        gate, runs = client.app.state.gate, client.app.state.service.runs  # type: ignore[attr-defined]
        heard = shown.while_allowed(runs.listen(run), lambda: gate.still_holds(Principal("ann", "user", key.id)))
        assert await anext(heard)
        await access.keys.revoke(key.id)
        assert [each async for each in heard] == []
        assert runs.running == 1


async def test_keys_that_admins_make_and_revoke_stand_in_the_audit(tmp_path: Path) -> None:
    async with full_service(tmp_path) as client:
        made = (await client.post("/api/v1/keys", json={"user": "ann", "role": "user"})).json()
        await client.delete(f"/api/v1/keys/{made['id']}")
        told = [
            (row["event"], row["action"], row["content"]) for row in (await client.get("/api/v1/audit")).json()["items"]
        ]
        assert told == [("key_revoked", "user ann", made["id"]), ("key_made", "user ann", made["id"])]


async def test_requests_beyond_the_limit_get_a_retry_time(store: Store) -> None:
    _, text = await keys.create(store.access.keys, "ann", "user")
    async with service(store, limits=LimitSettings(requests=2)) as client:
        codes = [(await client.get("/me", headers=bearer(text))).status_code for _ in range(4)]
        assert 429 in codes
        assert codes.count(200) >= 2


def approvals(*events: dict[str, Any]) -> list[tuple[str, str, str]]:
    watch = ApprovalWatch(
        ANN, door="api", run="r1", agent="lamps", thread="t1", waiting="q.sure", actions=["order"], content="the hash"
    )
    found = [entry for event in events for entry in watch.see(event)]
    assert all((e.user, e.door, e.run, e.agent, e.thread) == ("ann", "api", "r1", "lamps", "t1") for e in found)
    return [(entry.event, entry.action, entry.content) for entry in found]


def test_the_audit_is_read_from_the_events_of_a_run() -> None:
    given = {"type": "confirmation_given", "node": "q.sure", "action": "order", "content": "h1"}
    finished = {"type": "action_finished", "node": "order"}
    failed = {"type": "action_failed", "node": "order", "final": False}
    assert approvals(given, {"type": "action_finished", "node": "price"}, finished, finished) == [
        ("approved", "order", "the hash"),
        ("performed", "order", "the hash"),
    ]
    assert approvals(given, failed, {**failed, "final": True})[1:] == [("failed", "order", "the hash")]
    assert approvals({"type": "answer_committed", "node": "q.sure", "value": False}) == [
        ("rejected", "order", "the hash")
    ]
    missing = {"type": "confirmation_missing", "action": "order", "by": "q.sure", "reason": "content_changed"}
    assert approvals(given, missing, finished)[1:] == [("changed", "order", "the hash")]


async def test_the_audit_log_is_paged_and_cannot_be_changed(store: Store) -> None:
    _, text = await keys.create(store.access.keys, "root", "admin")
    watch = ApprovalWatch(ANN, door="api", run="r1", agent="lamps", thread="t1")
    for number in range(5):
        await store.access.audit.add([watch.refused(f"h{number}")])
    async with service(store) as client:
        client.headers.update(bearer(text))
        first = (await client.get("/audit?limit=2&thread=t1")).json()
        second = (await client.get("/audit", params={"limit": 3, "cursor": first["next"]})).json()
        assert [e["content"] for e in first["items"] + second["items"]] == ["h4", "h3", "h2", "h1", "h0"]
        assert second["next"] is None
        assert (await client.get("/audit?thread=t2")).json()["items"] == []
    with sqlite3.connect(store.home / "graphwright.db") as database:
        for statement in ("UPDATE gw_audit SET user = 'x'", "DELETE FROM gw_audit"):
            with pytest.raises(sqlite3.DatabaseError, match="append-only"):
                database.execute(statement)
