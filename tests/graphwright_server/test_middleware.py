"""Attacks on the service: foreign pages, foreign host names, files with scripts, and leaks in responses."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from api_support import begun, service, turn
from attack_support import maker
from graphwright.store import open_store
from graphwright_server.access import _keys as keys


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/plain", b'{"agent": "shop"}'),
        ("application/x-www-form-urlencoded", b'{"agent": "shop"}'),
        ("application/x-www-form-urlencoded", b"agent=shop"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="agent"\r\n\r\nshop\r\n--x--\r\n',
        ),
        ("", b'{"agent": "shop"}'),
    ],
)
async def test_a_submitted_form_does_not_start_a_turn(tmp_path: Path, kind: str, body: bytes) -> None:
    # Without an Origin, as in old browsers: a form can send these requests without permission.
    async with service(tmp_path) as client:
        headers = {"Content-Type": kind} if kind else {}
        answer = await client.post("/api/v1/threads", content=body, headers=headers)
        assert answer.status_code == 422
        assert (await client.get("/api/v1/threads")).json()["items"] == []


async def test_a_foreign_page_can_neither_upload_nor_ask_for_leave_nor_read(tmp_path: Path) -> None:
    evil = {"Origin": "https://evil.example"}
    async with service(tmp_path) as client:
        for headers in (evil, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
            answer = await client.post("/api/v1/files", files={"file": ("a.csv", b"a")}, headers=headers)
            assert answer.json()["code"] == "cross_origin"
        assert not any((tmp_path / "home").glob("uploads/*"))
        asks = {**evil, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        for answer in (
            await client.options("/api/v1/threads", headers=asks),
            await client.get("/api/v1/threads", headers=evil),
        ):
            assert not [name for name in answer.headers if name.startswith("access-control-")]
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        for path in ("/mcp", "/v1/chat/completions", "/agui/shop"):
            assert (await client.post(path, json={}, headers=evil)).json()["code"] == "cross_origin", path


NAMES = ("..", "../..", "/etc/passwd", "..\\..\\boot.ini", "a\nb.csv", ".bashrc", " ", "💥" * 200)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::1].evil", ""])
async def test_a_name_that_was_led_to_this_machine_reads_nothing_either(tmp_path: Path, host: str) -> None:
    async with service(tmp_path) as client:
        for path in ("/", "/api/v1/threads", "/metrics", "/openapi.json", "/assets/none.js"):
            assert (await client.get(path, headers={"Host": host})).json()["code"] == "foreign_host", path
        for own in ("localhost", "LOCALHOST.:8420", "127.0.0.1:1", "[::1]:8420"):
            assert (await client.get("/api/v1/threads", headers={"Host": own})).status_code == 200, own


@pytest.mark.parametrize("name", NAMES)
async def test_an_upload_stays_in_its_folder_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    async with service(tmp_path) as client:
        answer = await client.post("/api/v1/files", files={"file": (name, b"<script>alert(1)</script>", "text/html")})
        assert answer.status_code == 201, answer.text
        [kept] = [
            file for file in (tmp_path / "home").rglob("*") if file.is_file() and file.name == answer.json()["name"]
        ]
        assert kept.parent == tmp_path / "home" / "uploads" / answer.json()["id"]
        assert kept.stat().st_mode & 0o777 == 0o600


async def test_no_artifact_can_run_anything_in_a_browser(tmp_path: Path) -> None:
    async with service(tmp_path, agents=(str(maker(tmp_path)),)) as client:
        thread = await begun(client, "maker")
        await turn(client, thread, {"message": "go"})
        made = (await client.get(f"/api/v1/threads/{thread}/artifacts")).json()["items"]
        assert len(made) == 8
        for each in made:
            answer = await client.get(f"/api/v1/threads/{thread}/artifacts/{each['id']}")
            assert answer.status_code == 200
            ending = each["name"].rpartition(".")[2]
            shown = ending in ("png", "txt", "json")
            way, _, named = answer.headers["content-disposition"].partition("; filename*=UTF-8''")
            assert way == ("inline" if shown else "attachment"), each
            assert not set("/\\\r\n") & set(named), named
            assert "x-evil" not in answer.headers
            policy = answer.headers["content-security-policy"].split("; ")
            assert {"sandbox", "default-src 'none'", "frame-ancestors 'none'"} <= set(policy)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert not shown or answer.headers["content-type"].split(";")[0] in (
                "image/png",
                "text/plain",
                "application/json",
            )
        for path in (f"state?at={made[0]['seq']}", "trace", "export"):
            told = (await client.get(f"/api/v1/threads/{thread}/{path}")).text
            assert str(tmp_path) not in told, path
        for id in ("..", "%2e%2e%2fgraphwright.db", "../../../graphwright.db", quote(made[0]["name"], safe="")):
            answer = await client.get(f"/api/v1/threads/{thread}/artifacts/{id}")
            assert b"SQLite" not in answer.content, id


async def test_an_internal_error_shows_only_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with service(tmp_path) as client:

        async def breaks(*_: Any, **__: Any) -> None:
            raise RuntimeError("the password is 1234")

        monkeypatch.setattr(type(client.app.state.service.workspace.store.runs), "latest", breaks)  # type: ignore[attr-defined]
        thread = await begun(client)
        answer = await client.get(f"/api/v1/threads/{thread}")
        assert (answer.status_code, answer.json()["code"]) == (500, "internal")
        assert "1234" not in answer.text
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


async def test_an_unknown_key_id_takes_as_long_as_a_bad_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store(tmp_path / "home") as store:
        _, text = await keys.create(store.access.keys, "ann", "user")
    compared: list[tuple[str, str]] = []
    monkeypatch.setattr(keys.hmac, "compare_digest", lambda one, other: compared.append((one, other)) or one == other)
    async with service(tmp_path, login=True) as client:
        for wrong in (f"{text[:-1]}{'A' if text[-1] != 'A' else 'B'}", f"gwk_{'0' * 10}_{'a' * 43}"):
            answer = await client.get("/api/v1/me", headers={"Authorization": f"Bearer {wrong}"})
            assert (answer.status_code, answer.json()["code"]) == (401, "bad_login")
            assert "detail" in answer.json()
            assert wrong not in answer.text
        assert len(compared) == 2
        address = f"/api/v1/threads?q={text}"
        answer = await client.get(address, headers={"Authorization": f"Bearer {text}"})
        assert (answer.status_code, answer.json()["code"]) == (400, "key_in_address")
        assert text not in answer.text


async def test_without_a_login_no_data_is_shown(tmp_path: Path) -> None:
    async with open_store(tmp_path / "home") as store:
        await keys.create(store.access.keys, "ann", "user")
    async with service(tmp_path, login=True) as client:
        document = (await client.get("/openapi.json")).json()
        for path, methods in document["paths"].items():
            place = path.replace("{", "").replace("}", "")
            for method in methods:
                answer: httpx.Response = await client.request(method, place, json={} if method != "get" else None)
                free = place in ("/healthz", "/readyz")
                assert answer.status_code == (200 if free else 401), (method, path)
