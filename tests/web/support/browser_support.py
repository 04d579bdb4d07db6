"""Shared by tests of the web app, besides their fixtures: sizes, opening a page, and sending messages."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from api_support import served

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 360, "height": 740}

Open = Callable[..., Page]
"""Opens an address in a new browser context: `open_page(address, prepare, **options of a Playwright context)`."""

Look = Callable[[Page], None]
Picture = Callable[[Page, str], None]


def agent(folder: Path, name: str, flow: str, nodes: str = "") -> str:
    """Write an agent into a new folder inside `folder`; return its name."""
    place = folder / name
    place.mkdir()
    (place / "flow.yaml").write_text(flow.strip(), "utf-8")
    if nodes:
        (place / "nodes.py").write_text(nodes.strip() + "\n", "utf-8")
    return name


def begun(address: str, agent: str, *messages: str) -> str:
    """Hold a conversation over the HTTP API, one turn per message; return its id."""
    with httpx.Client(base_url=f"{address}/api/v1", timeout=60) as client:
        made = client.post("/threads", json={"agent": agent})
        assert made.status_code == 201, made.text
        thread: str = made.json()["thread"]
        for body in ({}, *({"message": each} for each in messages)):
            ended(client, thread, body)
        return thread


def fetched(address: str, path: str) -> Any:
    """Read from the HTTP API."""
    answer = httpx.get(f"{address}/api/v1/{path}", timeout=60)
    return answer.raise_for_status().json()


def ended(client: httpx.Client, thread: str, body: dict[str, Any]) -> dict[str, Any]:
    """Run a turn to its end; return its last event."""
    answer = client.post(f"/threads/{thread}/turns", json=body, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 202, answer.text
    last: dict[str, Any] = json.loads(answer.text.rsplit("data: ", 1)[1].split("\n")[0])
    return last


SCRIPTED = Path(__file__).parents[2] / "data" / "browser" / "agents.yaml"
"""The replies of the scripted model to all agents of Graphwright."""

_CONFIG = """
[agents.upgrade]
server = "local"
[agents.assistant]
changing = ["get_elog_thread"]
"""


@contextmanager
def served_agents(
    folder: Path, *arguments: str, service: str = "", agents: Sequence[str] = ()
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The service with all agents on the scripted model, the shop, and `agents` in this folder: process, address."""
    model = ("--model", f"scripted:{SCRIPTED}")
    with served(folder, *model, *arguments, config=_CONFIG, service=service, agents=agents) as both:
        yield both


def without_conversations(address: str) -> None:
    """Delete all conversations: those of other tests, and of a first run of the same test that failed."""
    while items := fetched(address, "threads?limit=100")["items"]:
        for each in items:
            httpx.delete(f"{address}/api/v1/threads/{each['thread']}", timeout=60).raise_for_status()


def begin(page: Page, agent: str, message: str = "") -> None:
    """Begin a conversation with an agent, by its title; without a message the agent begins."""
    page.get_by_role("button", name="New conversation", exact=True).click()
    choose_agent(page, agent)
    if message:
        say(page, message)
    else:
        page.get_by_role("button", name="Begin without a message").click()
    expect(page).to_have_url(re.compile(r"#/chat/\w+"))


def choose_agent(page: Page, agent: str) -> None:
    """Choose an agent on the start page, by its title."""
    card = page.get_by_role("radiogroup").locator("label", has=page.get_by_text(agent, exact=True))
    card.click()
    expect(card.get_by_role("radio")).to_be_checked()


def choose_setting(page: Page, value: str) -> None:
    """Choose a language or colours in the settings of the app."""
    page.locator(".account").click()
    page.get_by_role("dialog").get_by_text(value, exact=True).click()
    page.keyboard.press("Escape")


def say(page: Page, message: str) -> None:
    """Write a message and send it with Enter."""
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill(message)
    box.press("Enter")


def act(page: Page, name: str) -> None:
    """Choose an action of the open conversation from its menu."""
    page.get_by_role("button", name="More actions", exact=True).click()
    page.get_by_role("menuitem", name=name).click()


def eventually(page: Page, holds: Callable[[], object]) -> None:
    """Wait until a condition holds, for conditions that Playwright cannot expect.

    `wait_for_function` would evaluate texts in the page, which its policy forbids.
    """
    for _ in range(300):
        if holds():
            return
        page.wait_for_timeout(100)
    assert holds()


def fits(page: Page) -> None:
    """Expect that nothing is wider than the screen of a phone."""
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.evaluate("new Promise(shown => requestAnimationFrame(() => requestAnimationFrame(shown)))")
    eventually(page, lambda: page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"])


def told(page: Page, text: str) -> None:
    """Expect a short message at the edge of the page, which may be gone already."""
    eventually(page, lambda: any(text in each for each in page.evaluate("toasts")))


def settled(page: Page) -> None:
    """Wait for the end of the turn."""
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    expect(page.locator(".conversation")).to_have_attribute("aria-busy", "false")


def thread_of(page: Page) -> str:
    """The id of the open conversation."""
    return page.url.rpartition("/")[2].partition("?")[0]
