"""The shell around the panes: palette and keys, focus, stored state, addresses, errors, print, proxies."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from api_support import served
from browser_support import NARROW, Look, Open, Picture, choose_agent, eventually, fits

CUT = """[...document.querySelectorAll('main *')].filter(each => each.clientHeight > 40
  && each.scrollHeight > each.clientHeight + 2
  && getComputedStyle(each).overflowY !== 'visible').map(each => each.className)"""
"""The parts of a page that scroll."""

PANES = ("chat", "trace", "editor", "graph", "data", "experiments", "logs", "access")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("shell")
    with served(folder) as (_, address):
        yield address


@pytest.fixture(scope="module")
def thread(address: str) -> str:
    """A thread that waits for a yes."""
    with httpx.Client(base_url=f"{address}/api/v1/", timeout=30) as client:
        thread = str(client.post("threads", json={"agent": "shop"}).json()["thread"])
        for body in ({}, {"message": "a lamp"}):
            client.post(f"threads/{thread}/turns", json=body, headers={"Accept": "text/event-stream"})
    return thread


def rail(page: Page, name: str) -> None:
    page.locator(".rail").get_by_role("link", name=name).click()


def test_the_palette_runs_what_is_found_in_it_and_gives_the_focus_back(
    address: str, thread: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{address}/#/chat/{thread}")
    box = page.get_by_role("textbox", name="Message")
    expect(box).to_be_focused()
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Search and commands")
    search = palette.get_by_role("combobox")
    expect(search).to_be_focused()
    # The last conversations are listed first, then the actions of the open pane.
    expect(palette.get_by_role("group").first).to_have_accessible_name("Recent")
    expect(palette.get_by_role("group").nth(1)).to_have_accessible_name("Chat")
    expect(palette.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    accessible(page)
    picture(page, "shell-palette")
    search.fill("no such action")
    expect(palette.get_by_text("Nothing fits, no command either.")).to_be_visible()
    search.fill("rnm")
    expect(palette.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    title = page.get_by_role("dialog", name="Rename").get_by_role("textbox")
    expect(title).to_be_focused()
    page.keyboard.press("Escape")
    expect(box).to_be_focused()
    page.keyboard.press("Control+k")
    search.fill("dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    picture(page, "shell-chat-dark")
    page.keyboard.press("Control+k")
    page.keyboard.press("ArrowUp")
    expect(palette.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    expect(box).to_be_focused()


def test_the_palette_finds_conversations_by_what_was_said(address: str, thread: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/graph")
    expect(page.get_by_role("heading", name="Graph", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("lamp")
    conversations = page.get_by_role("dialog").get_by_role("group", name="Conversations")
    conversations.get_by_role("option", name="a lamp").click()
    expect(page).to_have_url(re.compile(rf"#/chat/{thread}\?message=\d+$"))


def test_the_palette_finds_agents_and_nodes_of_their_flows(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/logs")
    expect(page.get_by_role("heading", name="Logs", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("shop")
    agents = page.get_by_role("dialog").get_by_role("group", name="Agents")
    # One row for each agent; Tab shows the other commands of the chosen one.
    expect(agents.get_by_role("option", name="Shop")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(agents.get_by_role("option", name="Edit Shop")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("dropp")
    page.get_by_role("group", name="Nodes of flows").get_by_role("option").first.click()
    expect(page).to_have_url(re.compile("#/editor/shop"))
    expect(page.get_by_role("complementary").get_by_label("Id", exact=True)).to_have_value("dropped")


def test_every_action_of_every_pane_has_its_key(address: str, thread: str, open_page: Open) -> None:
    page = open_page(address)
    for place in (f"chat/{thread}?beside=trace", "chat", f"trace/{thread}", f"data/{thread}", *PANES[2:]):
        page.goto(f"{address}/#/{place}")
        page.reload(wait_until="networkidle")
        expect(page.get_by_role("main").get_by_role("heading", level=1).first).to_be_visible()
        page.keyboard.press("Control+k")
        options = page.get_by_role("dialog").locator("[role=option]:not(:has(.palette-note))")
        expect(options.first).to_be_visible()
        expect(options.filter(has_not=page.locator(".keys"))).to_have_count(0)
        keys = options.evaluate_all("all => all.map(it => it.querySelector('.keys').textContent)")
        assert sorted(set(keys)) == sorted(keys), place
        page.keyboard.press("Escape")
        page.locator("body").click(position={"x": 20, "y": 500})
        page.keyboard.press("?")
        # The palette does not list itself.
        expect(page.get_by_role("dialog", name="Keys").get_by_role("term")).to_have_count(len(keys) + 1)
        page.keyboard.press("Escape")


def test_relative_times_are_updated(address: str, thread: str, open_page: Open) -> None:
    with httpx.Client(base_url=f"{address}/api/v1/", timeout=30) as client:
        client.post(f"threads/{thread}/turns", json={"message": "no"}, headers={"Accept": "text/event-stream"})
    page = open_page(f"{address}/#/chat/{thread}", lambda page: page.clock.install())
    times = page.locator("time")
    entry = page.get_by_role("region", name="Conversations").get_by_role("listitem").first
    expect(entry).to_contain_text("now")
    page.clock.fast_forward("03:00")
    expect(entry).to_contain_text("3 min ago")
    expect(times.filter(has_text="now")).to_have_count(0)
    page.clock.fast_forward("02:00:00")
    expect(entry).to_contain_text("2 hr ago")


def test_keys_reach_the_content_first_and_everything_else(address: str, open_page: Open, picture: Picture) -> None:
    page = open_page(f"{address}/#/logs")
    expect(page.get_by_role("heading", name="Logs")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    picture(page, "shell-skip")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    for key, name in (("c", "New conversation"), ("g", "Graph"), ("e", "Experiments"), ("a", "Access"), ("l", "Logs")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Access", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Experiments", level=1)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Access", level=1)).to_be_visible()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_be_visible()
    picture(page, "shell-keys")
    # While a dialog is open, the keys of the page behind it do nothing.
    page.keyboard.press("g")
    page.keyboard.press("l")
    expect(page.get_by_role("heading", name="Access", level=1)).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_colours_and_language_are_kept(address: str, open_page: Open, accessible: Look, picture: Picture) -> None:
    page = open_page(f"{address}/#/logs", color_scheme="dark", locale="de-AT")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "dark")
    expect(html).to_have_attribute("lang", "de")
    expect(page).to_have_title("Protokoll · Graphwright")
    page.keyboard.press("Shift+L")
    page.keyboard.press("Shift+D")
    expect(html).to_have_attribute("data-theme", "light")
    expect(page.get_by_role("heading", name="Logs")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Logs")).to_be_visible()
    expect(html).to_have_attribute("data-theme", "light")
    expect(html).to_have_attribute("lang", "en")
    page.keyboard.press("Shift+L")
    page.keyboard.press("Shift+D")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Tasten")).to_be_visible()
    accessible(page)
    picture(page, "shell-keys-de-dark")
    fits(page)
    picture(page, "shell-keys-de-narrow")


def test_why_an_agent_is_not_ready_is_said_in_the_language_of_the_app(
    tmp_path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch, picture: Picture
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("GRAPHWRIGHT_GRAPH", "neo4j://user:word@")
    with served(tmp_path, "--model", "anthropic:some-model") as (_, address):
        page = open_page(f"{address}/#/chat")
        cards, about = page.locator(".agent-card"), page.locator(".start-about")
        choose_agent(page, "Lighting sales intake")
        expect(about).to_contain_text("need an API key. Set ANTHROPIC_API_KEY")
        page.get_by_role("button", name="Account and settings").click()
        page.get_by_role("dialog").get_by_text("Deutsch").click()
        page.keyboard.press("Escape")
        expect(about).to_contain_text(
            "Die Modelle von anthropic brauchen einen API-Schlüssel. Setzen Sie ANTHROPIC_API_KEY"
        )
        choose_agent(page, "Graph-Editor")
        expect(page.get_by_role("button", name="Welche Tickets gibt es?")).to_be_visible()
        expect(about).to_contain_text("Die Adresse des Graphen ist keine.")
        expect(cards.filter(has_text="Shop")).not_to_contain_text("Nicht bereit")
        picture(page, "agents-not-ready-german")
        page.context.close()  # It may ask the service, which ends now.


def test_reduced_motion_is_respected(address: str, open_page: Open) -> None:
    for motion, duration in (("no-preference", "0.12s"), ("reduce", "0s")):
        page = open_page(address, reduced_motion=motion)
        expect(page.locator(".rail-item").first).to_have_css("transition-duration", duration)


def test_short_messages_stand_above_a_tall_field(address: str, thread: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/chat/{thread}", viewport=NARROW, permissions=["clipboard-write"])
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("\n".join(map(str, range(9))))
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    toast = page.locator("[data-sonner-toast]")
    expect(toast).to_contain_text("Copied.")
    bottom, top = (each.evaluate("each => each.getBoundingClientRect().toJSON()") for each in (toast, box))
    assert bottom["bottom"] <= top["top"]


def test_the_search_in_a_text_speaks_the_language_of_the_app(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/editor/shop", locale="de-DE")
    page.get_by_role("tab", name="Text", exact=True).click()
    page.locator(".editor-text .cm-content").click()
    page.keyboard.press("Control+f")
    field = page.get_by_role("textbox", name="Suchen", exact=True)
    field.fill("q.sure")
    for name in ("Weiter", "Zurück", "Alle"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Weiter", exact=True).click()
    expect(page.locator(".cm-content .cm-searchMatch-selected")).to_have_text("q.sure")
    fits(page)


def test_an_address_that_leads_nowhere_says_so(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/nothing/of/it")
    expect(page.get_by_role("heading", name="This does not exist")).to_be_visible()
    page.get_by_role("link", name="Back to the overview").click()
    expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
    page.context.forgiven += ["Failed to load resource"]  # type: ignore[attr-defined]
    page.goto(f"{address}/#/chat/%E0%A4%A")
    expect(page.get_by_text("This does not exist")).to_be_visible()
    page.goto(f"{address}/some/old/address#/logs")
    expect(page.get_by_role("heading", name="Logs")).to_be_visible()


def test_an_error_in_a_pane_stays_there_and_can_be_retried(address: str, open_page: Open, picture: Picture) -> None:
    page = open_page(f"{address}/#/data")
    page.context.forgiven += ["Error", "Failed", "ERR_"]  # type: ignore[attr-defined]
    rail(page, "Chat")
    # A response that no service of this version sends.
    page.route("**/api/v1/graph?*", lambda route: route.fulfill(json={"nodes": None}))
    rail(page, "Graph")
    expect(page.get_by_role("alert").filter(has_text="This part of the app failed")).to_be_visible()
    picture(page, "shell-fault")
    rail(page, "Data")
    expect(page.get_by_role("heading", name="Data", level=1)).to_be_visible()
    rail(page, "Graph")
    expect(page.get_by_role("alert")).to_be_visible()
    page.unroute("**/api/v1/graph?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="The graph is empty")).to_be_visible()
    # The files of a pane are unavailable for a moment.
    page.route("**/assets/experiments-*", lambda route: route.abort())
    rail(page, "Experiments")
    expect(page.get_by_role("alert").filter(has_text="This part of the app failed")).to_be_visible()
    page.unroute("**/assets/experiments-*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Experiments", level=1)).to_be_visible()


def test_printing_shows_the_whole_conversation(address: str, thread: str, open_page: Open, picture: Picture) -> None:
    page = open_page(f"{address}/#/chat/{thread}", color_scheme="dark")
    expect(page.get_by_role("log")).to_contain_text("a lamp")
    page.set_viewport_size({"width": 800, "height": 300})
    page.emulate_media(media="print")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.locator(".rail")).to_be_hidden()
    expect(page.get_by_role("textbox", name="Message")).to_be_hidden()
    expect(page.get_by_role("log")).to_contain_text("What would you like?")
    eventually(page, lambda: page.evaluate(CUT) == [])
    picture(page, "shell-print")
    page.goto(f"{address}/#/trace/{thread}")
    expect(page.get_by_role("region", name="Events by turn")).to_be_visible()
    eventually(page, lambda: page.evaluate(CUT) == [])
    page.emulate_media(media="screen")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


@contextmanager
def proxied(address: str, below: str) -> Iterator[str]:
    """A proxy that serves an address below a path."""
    place = address.removeprefix("http://")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith(below):
                self.send_error(404)
                return
            length = int(self.headers.get("Content-Length") or 0)
            upstream = http.client.HTTPConnection(place, timeout=60)
            upstream.request(self.command, self.path[len(below) - 1 :], self.rfile.read(length), dict(self.headers))
            answer = upstream.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection", "date"):
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            while part := answer.read1(65536):
                self.wfile.write(part)
                self.wfile.flush()
            upstream.close()

        do_POST = do_PATCH = do_DELETE = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{below}"
    finally:
        server.shutdown()
        server.server_close()


def test_it_works_below_a_path_of_a_proxy(address: str, open_page: Open) -> None:
    with proxied(address, "/tools/agents/") as place:
        page = open_page(place)
        choose_agent(page, "Shop")
        box = page.get_by_role("textbox", name="Message")
        box.fill("a chair")
        box.press("Enter")
        expect(page.get_by_role("region", name="Question", exact=True)).to_be_visible()
        for name in PANES[1:]:
            rail(page, name.capitalize())
            expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.goto(f"{place}some/old/address")
        expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
        expect(page).to_have_url(re.compile(f"^{re.escape(place)}"))
        page.context.close()  # It may ask the proxy, which ends now.
