"""Files in the web app: uploads and refusals, and the display of figures, pictures, tables and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser_support import Look, Open, Picture, begin, choose_agent, eventually, say, served_agents, settled
from graphwright.host.discovery import find

CUPS = find("data_scientist").parent / "tests" / "cups.csv"
DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  for (const kind of ['dragover', 'drop'])
    document.querySelector('.conversation').dispatchEvent(
      new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: files}));
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_agents(tmp_path_factory.mktemp("artifacts"), service="upload_mb = 1") as (_, address):
        yield address


def new(page: Page, agent: str) -> None:
    page.get_by_role("button", name="New conversation", exact=True).click()
    choose_agent(page, agent)


def test_data_becomes_a_table_a_picture_and_a_figure(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{address}/#/chat")
    new(page, "Data scientist")
    page.evaluate(DROP, ["cups.csv", CUPS.read_text()])
    expect(page.get_by_role("listitem").filter(has_text="cups.csv")).to_be_visible()
    expect(page.get_by_placeholder("What are the files for?")).to_be_visible()
    say(page, "What is the average price by size?")
    log = page.get_by_role("log")
    expect(log.get_by_role("paragraph").filter(has_text="A large drink costs 3.76")).to_be_visible(timeout=60_000)
    settled(page)
    # A table as text in the answer is a table in the page.
    expect(log.get_by_role("region", name="Table", exact=True).get_by_role("cell", name="2.95")).to_be_visible()
    expect(log.get_by_role("article", name="You")).to_contain_text("cups.csv")
    # Its files are on one card, closed: the answer is what is seen.
    files = log.get_by_role("region", name="Files of the answer")
    files.get_by_role("tab", name="Program").click()
    expect(files.locator("pre").filter(has_text="groupby")).to_be_visible()
    files.get_by_role("tab", name="Table").click()
    expect(files.get_by_role("cell", name="2.95")).to_have_css("text-align", "right")
    with page.expect_download() as parquet:
        files.get_by_role("button", name="Download").click()
        page.get_by_role("menuitem", name="PARQUET").click()
    assert parquet.value.suggested_filename == "table.parquet"

    say(page, "Draw that with matplotlib")
    expect(log.get_by_role("img", name="answer-2/figure-1.png")).to_be_visible(timeout=60_000)
    settled(page)
    say(page, "Plot cups by drink and size")
    plot = log.get_by_role("group", name="Figure answer-3/figure-1.html")
    expect(plot.locator(".main-svg").first).to_be_visible(timeout=60_000)
    settled(page)
    expect(plot.get_by_text("Cups sold by drink and size")).to_be_visible()
    # The answer stays in view above its figure, in the colours of the app.
    expect(log.get_by_role("paragraph").filter(has_text="The figure shows").last).to_be_in_viewport()
    ours = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--chart-1').trim()")
    colour = f"rgb({', '.join(str(int(ours[at : at + 2], 16)) for at in (1, 3, 5))})"
    expect(plot.locator(".bars path").first).to_have_css("fill", colour)
    accessible(page)
    plot.scroll_into_view_if_needed()
    picture(page, "chat-plot")
    # An open side pane makes it narrower, so it is drawn again.
    page.get_by_role("button", name="Trace", exact=True).click()
    expect(page.get_by_role("complementary")).to_be_visible()
    fits = "it => Math.abs(it.querySelector('.main-svg')?.getBoundingClientRect().width - it.clientWidth) < 2"
    eventually(page, lambda: page.locator(".plot").first.evaluate(fits))


def test_files_that_cannot_be_taken_say_why(address: str, open_page: Open, accessible: Look) -> None:
    page = open_page(f"{address}/#/chat")
    page.context.forgiven += ["413", "422"]  # type: ignore[attr-defined]
    new(page, "Data scientist")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    chooser.value.set_files(
        [
            {"name": "large.csv", "mimeType": "text/csv", "buffer": b"a,b\n" * 300_000},
            {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""},
            {"name": "liar.csv", "mimeType": "text/csv", "buffer": b"\x89PNG\r\n\x1a\n" + b"\0" * 64},
            {"name": "blank.csv", "mimeType": "text/csv", "buffer": b"\0" * 2_000},
        ]
    )
    items = page.get_by_role("listitem")
    expect(items.filter(has_text="large.csv").get_by_role("alert")).to_have_text("The file is too large.")
    expect(items.filter(has_text="empty.csv").get_by_role("alert")).to_have_text("This file is empty.")
    accessible(page)
    page.get_by_role("button", name="Remove empty.csv").click()
    # The type of a file is determined by its content: the agent reports it, and its other files are not lost.
    say(page, "What is the average price by size?")
    expect(page.get_by_role("log").get_by_text("liar.csv").last).to_be_visible(timeout=60_000)
    settled(page)
    # The files that were not sent are still listed, with the reasons.
    reasons = page.locator(".attachments").get_by_role("alert")
    expect(reasons).to_have_text(["The file is too large.", "There is no text and no table in this file."])
    for name in ("large.csv", "blank.csv"):
        page.get_by_role("button", name=f"Remove {name}").click()
    # An agent that accepts no files says so if one is dropped.
    new(page, "Shop")
    expect(page.get_by_role("button", name="Attach files")).to_have_count(0)
    page.evaluate(DROP, ["cups.csv", "a,b"])
    expect(page.locator(".attachments").get_by_role("listitem")).to_have_count(0)


def test_a_source_opens_the_passage_that_was_read(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "What does the logbook say about the orbit interlock?")
    answer = page.get_by_role("article", name="Research assistant")
    expect(answer.get_by_role("listitem").first).to_be_visible(timeout=60_000)
    settled(page)
    # A number in the sentence, and the same number in the list with the beginning of the passage.
    link = answer.get_by_role("link").filter(has_text="Machine interlock reference, p. 2")
    listed = answer.get_by_role("listitem").filter(has_text="Machine interlock reference, p. 2").get_by_role("button")
    expect(listed).to_contain_text(re.compile(r"^2.*docs\.nordlicht\.example."))
    expect(link).to_have_attribute("href", "https://docs.nordlicht.example/aurora/interlock-reference#page=2")
    expect(link).to_have_attribute("aria-haspopup", "dialog")
    page.keyboard.press("Tab")
    link.focus()
    expect(page.locator(".source-preview")).to_contain_text("Horizontal window, standard and hybrid mode")
    link.click()
    passage = page.get_by_role("dialog", name="Machine interlock reference")
    expect(passage).to_contain_text("Horizontal window, standard and hybrid mode")
    # The page itself is a link, and it was not requested.
    expect(passage.get_by_role("link", name="Open the page")).to_have_attribute(
        "href", "https://docs.nordlicht.example/aurora/interlock-reference#page=2"
    )
    accessible(page)
    picture(page, "chat-sources")
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    # Its links are links.
    answer.get_by_role("link").filter(has_text="Local bumps for beamlines").click()
    bumps = page.get_by_role("dialog").get_by_role("link", name="the interlock reference")
    expect(bumps).to_have_attribute("href", re.compile("interlock-reference$"))
    page.keyboard.press("Escape")
    # The requests and results of the tools are in their cards.
    answer.get_by_text("How this came about").click()
    card = answer.get_by_role("group").filter(has_text="search_elog").last
    card.get_by_text("search_elog").first.click()
    expect(card.get_by_text("orbit interlock dump").last).to_be_visible()
