"""Attacks on the app by a foreign page in the same browser, and by artifacts that are opened in a tab."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Error, expect

from api_support import served
from attack_support import maker
from browser_support import Open, eventually, fetched

EVIL = """<!doctype html><title>evil</title><pre id=told></pre>
<iframe id=framed src="%(address)s/#/chat"></iframe>
<form id=form method=post enctype=text/plain target=sent action="%(address)s/api/v1/threads">
<input name='{"agent": "shop", "title": "' value='evil"}'></form><iframe name=sent></iframe>
<script>
const attempts = {
  read: () => fetch("%(address)s/api/v1/threads").then((answer) => answer.text()),
  write: () => fetch("%(address)s/api/v1/threads", {method: "POST", body: '{"agent": "shop", "title": "evil"}'})
    .then((answer) => answer.text()),
  blind: () => fetch("%(address)s/api/v1/threads", {method: "POST", mode: "no-cors", body: '{"agent": "shop"}'})
    .then((answer) => answer.text()),
  script: () => import("%(address)s/api/v1/threads"),
};
(async () => {
  const told = [];
  for (const [name, attempt] of Object.entries(attempts))
    told.push(await attempt().then((text) => `${name}: got ${text.length}`, () => `${name}: refused`));
  document.getElementById("form").submit();
  document.getElementById("told").textContent = told.join("\\n") + "\\nover";
})();
</script>"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("attacks")
    maker(folder)
    with served(folder, agents=["maker"]) as (_, address):
        yield address


def test_a_foreign_page_neither_reads_nor_writes_nor_frames(address: str, open_page: Open) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((EVIL % {"address": address}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        page = open_page(address)
        page.context.forgiven += [""]  # type: ignore[attr-defined]
        page.goto(f"http://localhost:{server.server_port}/")
        told = page.locator("#told")
        expect(told).to_contain_text("over")
        page.wait_for_load_state("networkidle")
        assert told.inner_text().split("\n") == [
            "read: refused",
            "write: refused",
            # No page ever sees the content of the response to such a request.
            "blind: refused",
            "script: refused",
            "over",
        ]
        # The browser shows its own page instead of the app.
        eventually(page, lambda: page.frames[1].url == "chrome-error://chromewebdata/")
    finally:
        server.shutdown()
        server.server_close()
    assert fetched(address, "threads")["items"] == []


def test_an_artifact_that_is_opened_in_a_tab_runs_nothing(address: str, open_page: Open) -> None:
    with httpx.Client(base_url=f"{address}/api/v1/", timeout=30) as client:
        thread = client.post("threads", json={"agent": "maker"}).json()["thread"]
        for body in ({}, {"message": "go"}):
            client.post(f"threads/{thread}/turns", json=body, headers={"Accept": "text/event-stream"})
        made = client.get(f"threads/{thread}/artifacts").json()["items"]
        page = open_page(address)
        page.context.forgiven += [""]  # type: ignore[attr-defined]
        for each in made:
            tab = page.context.new_page()
            ran: list[str] = []
            tab.on("dialog", lambda dialog, ran=ran: (ran.append(dialog.message), dialog.dismiss()))
            saved: list[str] = []
            tab.on("download", lambda download, saved=saved: saved.append(download.suggested_filename))
            place = f"{address}/api/v1/threads/{thread}/artifacts/{each['id']}"
            with suppress(Error):  # a download is not a page
                tab.goto(place)
            assert ran == []
            assert tab.title() != "it ran", each["name"]
            if each["name"].endswith(("html", "svg", "xml", "none")):
                eventually(tab, lambda saved=saved: len(saved) == 1)
            else:
                assert saved == [], each["name"]
            assert all("/" not in name and "\n" not in name for name in saved)
            tab.close()
