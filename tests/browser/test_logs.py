"""The interaction log: filters, pages, and the complete content of each row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from api_support import served
from browser_support import NARROW, Look, Open, Picture, agent, begun
from graphwright.store.interactions import open_sink
from interactions_support import interaction

pytestmark = pytest.mark.slow

MANY = 120
DESK = """
version: v1
id: flow.desk
title: The desk
nodes:
  - {id: q.what, type: question, key: what, prompt: What is it?, read: verbatim, ask: always}
  - {id: note, type: action, run: note}
  - {id: done, type: terminal, say: Noted.}
edges:
  - {from: q.what, to: note}
  - {from: note, to: done}
"""
NOTE = """
from graphwright import action


@action(reads=["answers.what"])
def note(state, ctx):
    ctx.interaction(type="request", result="kept")
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("logs")
    home = folder / "home"
    home.mkdir()
    crowd = [
        interaction(n, session="many", started=f"2026-10-{n % 28 + 1:02}T10:00:00.{n:06}Z", agent="clerk")
        for n in range(MANY)
    ]
    bad = interaction(
        1,
        session="bad",
        type="analysis",
        question="Which <b>region</b> sells most?",
        code="print(df.groupby('region').units.sum())",
        success=False,
        error="KeyError: 'region'",
        started="2026-11-20T23:30:00.000000Z",
        agent="data_scientist",
    )
    open_sink("", home, home).write([*crowd, bad])
    with served(folder, agents=[agent(folder, "desk", DESK, NOTE)]) as (_, address):
        begun(address, "desk", "a lamp")
        yield address


def rows(page: Page) -> Locator:
    return page.locator(".logs-list > li")


def test_rows_are_found_by_agent_type_outcome_days_and_words(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/logs", timezone_id="Europe/Berlin")
    expect(rows(page)).to_have_count(50)
    picture(page, "logs")
    page.get_by_label("Outcome").select_option("Failed")
    expect(rows(page)).to_have_count(1)
    row = rows(page).first
    expect(row.get_by_role("img", name="Failed")).to_be_visible()
    row.get_by_text("Which <b>region</b> sells most?").click()
    for name, text in (
        ("Program", "groupby"),
        ("Error", "KeyError"),
        ("Answer", "It is one."),
        ("Further facts", "nested"),
    ):
        expect(page.get_by_role("region", name=name)).to_contain_text(text)
    expect(row.get_by_text("bad:born:1")).to_be_visible()
    # The log outlives conversations: there is not a link to a deleted one.
    expect(row.get_by_text("The conversation was deleted, or is somebody else's.")).to_be_visible()
    expect(row.get_by_role("link", name="Open the conversation")).to_have_count(0)
    accessible(page)
    picture(page, "logs-open")

    # Half past eleven in the evening is the next day in the user's time zone.
    page.get_by_label("Outcome").select_option("All")
    page.get_by_label("From", exact=True).fill("2026-11-21")
    page.get_by_label("To", exact=True).fill("2026-11-21")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("To", exact=True).fill("2026-11-20")
    expect(page.get_by_role("heading", name="Nothing fits these filters")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Clear the filters").click()
    page.get_by_label("Agent").select_option("desk")
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("a lamp")
    page.get_by_label("Agent").select_option("All")
    page.get_by_label("Type").fill("analysis")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("Type").fill("")
    page.get_by_role("searchbox").fill("region most")
    expect(rows(page)).to_have_count(1)
    # The search is in the address.
    found = page.url
    page.goto("about:blank")
    page.goto(found)
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_have_value("region most")

    page.get_by_role("button", name="Dark colours").click()
    accessible(page)
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_label("Ausgang")).to_be_visible()
    page.set_viewport_size(NARROW)
    rows(page).first.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    accessible(page)
    picture(page, "logs-narrow")


def test_the_log_comes_in_pages_and_a_row_leads_to_its_conversation(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/logs")
    expect(rows(page)).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(rows(page)).to_have_count(100)
    page.get_by_role("button", name="Show more").click()
    expect(rows(page)).to_have_count(MANY + 2)
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    # By keyboard only: search, open, and go to the conversation.
    page.keyboard.press("/")
    page.keyboard.type("lamp")
    expect(rows(page)).to_have_count(1)
    rows(page).first.locator("summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Only this conversation").click()
    expect(page.get_by_label("Conversation")).not_to_have_value("")
    page.get_by_role("link", name="Open the conversation").click()
    expect(page).to_have_url(re.compile("#/chat/"))
    page.go_back()
    expect(page).to_have_url(re.compile("session="))
    page.get_by_role("main").focus()
    page.keyboard.press("x")
    expect(page).to_have_url(re.compile("#/logs$"))


def test_an_unreadable_log_is_reported_and_retried(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/graph")
    page.context.forgiven.append("Failed to load resource")  # type: ignore[attr-defined]
    # The service answers, and refuses: the same request is not repeated automatically.
    busy = {"code": "locked", "detail": "The store is locked.", "hint": "", "status": 503}
    page.route("**/api/v1/logs*", lambda route: route.fulfill(status=503, json=busy))
    page.goto(f"{address}/#/logs")
    expect(page.get_by_role("alert").filter(has_text="The store is busy.")).to_be_visible()
    page.unroute("**/api/v1/logs*")
    page.get_by_role("button", name="Try again").click()
    expect(rows(page)).to_have_count(50)
