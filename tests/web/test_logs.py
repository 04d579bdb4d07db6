"""The interaction log: filters, pages, and the complete content of each row."""

from __future__ import annotations

import asyncio
import re
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from api_support import served
from browser_support import Look, Open, Picture, agent, begun, choose_setting, fits
from graphwright.store import open_store
from graphwright.store.interactions import open_sink
from interactions_support import interaction

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
    page.get_by_label("Outcome").select_option("Any outcome")
    page.get_by_label("Time", exact=True).select_option("From … to …")
    page.get_by_label("From", exact=True).fill("2026-11-21T00:30")
    page.get_by_label("To", exact=True).fill("2026-11-21T00:31")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("To", exact=True).fill("2026-11-21T00:30")
    expect(page.get_by_role("heading", name="Nothing fits these filters")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Clear the filters").click()
    # Every turn is there, also the one that began the conversation without a message.
    page.get_by_label("Agent").select_option("desk")
    expect(rows(page)).to_have_count(2)
    expect(rows(page).first).to_contain_text("a lamp")
    page.get_by_label("Agent").select_option("All agents")
    # The same by the bar of the last days, with its totals.
    totals = page.get_by_role("group", name="Totals")
    expect(totals).to_contain_text(f"Turns{MANY + 3}Failed1 (1%)")
    bar = totals.get_by_role("group", name="Turns over time").get_by_role("button").last
    bar.focus()
    expect(totals.get_by_text(": 2 turns")).to_be_visible()
    bar.press("Enter")
    expect(rows(page)).to_have_count(2)
    expect(totals).to_contain_text("Turns2Failed0")
    page.get_by_label("Time", exact=True).select_option("Any time")
    page.get_by_label("Type").select_option("analysis")
    expect(rows(page)).to_have_count(1)
    page.get_by_label("Type").select_option("")
    page.get_by_role("searchbox").fill("region most")
    expect(rows(page)).to_have_count(1)
    # The search is in the address.
    found = page.url
    page.goto("about:blank")
    page.goto(found)
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_have_value("region most")

    choose_setting(page, "Dark")
    accessible(page)
    choose_setting(page, "Deutsch")
    expect(page.get_by_label("Ausgang")).to_be_visible()
    fits(page)
    rows(page).first.locator("summary").click()
    fits(page)
    accessible(page)
    picture(page, "logs-narrow")


def test_the_log_comes_in_pages_and_a_row_leads_to_its_conversation(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/logs")
    expect(rows(page)).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(rows(page)).to_have_count(100)
    page.get_by_role("button", name="Show more").click()
    expect(rows(page)).to_have_count(MANY + 3)
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


def test_selected_turns_become_scripted_conversations(address: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{address}/#/logs")
    page.get_by_role("checkbox", name="Select a lamp").check()
    with page.expect_download() as loading:
        page.get_by_role("region", name="1 conversation selected").get_by_role("button", name="Download").click()
    loading.value.save_as(tmp_path / "conversations.zip")
    with zipfile.ZipFile(tmp_path / "conversations.zip") as files:
        conversation, notes = files.namelist()
        assert 'user: "a lamp"' in files.read(conversation).decode()
        assert "graphwright test" in files.read(notes).decode()


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


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[str]:
    with ThreadPoolExecutor() as apart:  # The browser has the event loop of this thread.
        apart.submit(asyncio.run, kept(tmp_path / "home")).result()
    with served(tmp_path) as (_, where):
        yield where


def test_the_records_of_actions_are_listed_with_their_conversations(
    keeping: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{keeping}/#/logs")
    page.get_by_role("tab", name="Records").click()
    collection = page.get_by_label("Collection")
    expect(collection).to_have_value("bookings")
    records = page.get_by_role("region", name="bookings").locator("tbody tr")
    expect(records).to_have_count(50)
    expect(records.first).to_contain_text("Guest 59")
    expect(records.first.get_by_role("link")).to_have_attribute("href", "#/chat/t1")
    # The search and the export are about all records, also those that are not listed yet.
    search = page.get_by_role("searchbox", name="Search the records")
    search.fill("guest 9")
    expect(records).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert "Guest 9" in lines[1]
    search.fill("")
    page.get_by_role("button", name="More").click()
    expect(records).to_have_count(60)
    accessible(page)
    picture(page, "records")
    collection.select_option("hand_over")
    expect(page).to_have_url(re.compile("#/logs/records/hand_over"))
    expect(page.get_by_role("region", name="hand_over")).to_contain_text("Ann waits")


async def kept(home: Path) -> None:
    async with open_store(home) as store:
        for n in range(60):
            value = {"name": f"Guest {n}", "people": n % 12}
            await store.records.put_once("bookings", str(n), value, agent="shop", thread="t1")
        await store.records.put_once("hand_over", "1", {"summary": "Ann waits"}, agent="shop", thread="t1")
