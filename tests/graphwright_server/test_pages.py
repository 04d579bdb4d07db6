"""The files of the web app over HTTP: their encodings, their caching, and files that are not served."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from api_support import service
from graphwright_server import _pages as pages

SCRIPT = "let answer = 42;" * 200


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built app of three files, one of them compressed by the build."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>App</title>")
    (folder / ".built-from").write_text("sources")
    (folder / "assets" / "app-1a2b.js").write_text(SCRIPT)
    (folder / "assets" / "app-1a2b.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (folder / "assets" / "app-1a2b.js.br").write_bytes(b"brotli")
    monkeypatch.setattr(pages, "STATIC", folder)
    return folder


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=1.0, br;q=0", "gzip"),
        ("GZIP", "gzip"),
        ("gzip;q=0.000, br;q=0.0", None),
        ("identity", None),
        ("", None),
    ],
)
async def test_a_script_comes_in_the_smallest_encoding_that_is_taken(
    app: Path, tmp_path: Path, accepted: str, encoding: str | None
) -> None:
    async with (
        service(tmp_path) as client,
        client.stream("GET", "/assets/app-1a2b.js", headers={"Accept-Encoding": accepted}) as answer,
    ):
        content = b"".join([part async for part in answer.aiter_raw()])
        assert answer.headers.get("content-encoding") == encoding
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert len(content) == int(answer.headers["content-length"])
        expected = {"br": b"brotli", "gzip": (app / "assets" / "app-1a2b.js.gz").read_bytes(), None: SCRIPT.encode()}
        assert content == expected[encoding]


async def test_index_html_is_not_cached_and_serves_every_unknown_path(app: Path, tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for path in ("/", "/index.html", "/somewhere", "/somewhere/else/", "/.built-from"):
            answer = await client.get(path, follow_redirects=True)
            assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")
            assert "<title>App" in answer.text
            assert answer.url.path in ("/", "/index.html")


async def test_no_path_leads_out_of_the_app(app: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (app / "link.txt").symlink_to(tmp_path / "secret.txt")
    async with service(tmp_path) as client:
        for path in (
            "/..%2fsecret.txt",
            "/%2e%2e/secret.txt",
            "/assets/..%2f..%2fsecret.txt",
            "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
            f"/%2f{tmp_path}/secret.txt",
            "/..%5csecret.txt",
            "/link.txt",
            "/secret.txt%00.js",
            "/" + "secret/" * 800,
            "/" + "a" * 300,
        ):
            answer = await client.get(path)
            assert answer.status_code in (307, 404), path
            assert answer.text != "secret", path


async def test_unknown_paths_are_not_found_whatever_the_method(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for path in ("/api/v1/nothing", "/nothing", "/v1/nothing", "/api/v1/threads/"):
                answer = await client.request(method, path)
                assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), (method, path)
        for method, path in (
            ("DELETE", "/api/v1/threads"),
            ("PUT", "/api/v1/agents"),
            ("POST", "/"),
            ("PUT", "/docs"),
        ):
            assert (await client.request(method, path)).status_code == 405, path
        assert (await client.get("/api/v1/nothing")).status_code == 404
