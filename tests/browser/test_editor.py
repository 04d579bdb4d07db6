"""The editor of flows: a draft as picture, form and text; its problems, tests, versions and publication."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from api_support import SHOP, served, shop
from browser_support import NARROW, Look, Open, Picture, begun

pytestmark = pytest.mark.slow

CONVERSATION = """agent: ..
turns:
  - {start: true, model: none}
  - {user: tea, model: none, expect: {node: q.sure, reply: order tea}}
  - {user: "no", model: none, expect: {status: ended, node: dropped}}
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A service with the shop, which has one scripted conversation."""
    tests = shop(tmp_path) / "tests"
    tests.mkdir()
    (tests / "tea.conversation.yaml").write_text(CONVERSATION, "utf-8")
    with served(tmp_path) as (_, where):
        yield where


def editor(open_page: Open, address: str, **more: object) -> Page:
    page = open_page(f"{address}/#/editor/shop", **more)
    # Only what fits the window is in the page.
    expect(page.locator(".flow-node").first).to_be_visible()
    return page


def node(page: Page, title: str) -> Locator:
    return page.locator(".flow-node", has=page.get_by_text(title, exact=True))


def draft(address: str) -> dict[str, object]:
    found: dict[str, object] = httpx.get(f"{address}/api/v1/flows/shop/draft").json()
    return found


def saved(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def replace_text(page: Page, old: str, new: str) -> None:
    """Replace a text in CodeMirror, by its search."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+f")
    page.locator(".cm-search input[name=search]").fill(old)
    page.locator(".cm-search input[name=replace]").fill(new)
    page.locator(".cm-search button[name=replaceAll]").click()
    page.keyboard.press("Escape")


def test_a_draft_is_edited_in_the_picture_the_form_and_the_text(
    open_page: Open, address: str, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/editor")
    page.get_by_role("link", name="Shop").click()
    expect(page.locator(".flow-node")).to_have_count(6)
    # A form changes one line of the text.
    node(page, "What").click()
    prompt = page.get_by_label("prompt", exact=True)
    expect(prompt).to_have_value("What would you like?")
    prompt.fill("What may it be?")
    prompt.blur()
    expect(page.locator(".cm-content")).to_contain_text("What may it be?")
    saved(page)
    assert draft(address)["text"] == SHOP.strip().replace("What would you like?", "What may it be?")
    # One undo for picture, form and text.
    page.get_by_role("button", name="Undo").click()
    expect(prompt).to_have_value("What would you like?")
    # A new node, and an edge to it.
    page.get_by_role("button", name="Add: End").click()
    expect(page.locator(".flow-node")).to_have_count(7)
    identity = page.get_by_label("Id", exact=True)
    identity.fill("closed")
    identity.blur()
    expect(node(page, "Closed")).to_be_visible()
    node(page, "Write").click()
    page.get_by_label("Connect to").select_option("closed")
    expect(page.get_by_label("Edges").get_by_role("button", name="closed")).to_be_visible()
    accessible(page)
    picture(page, "editor")
    saved(page)
    assert "- {from: write, to: closed}" in str(draft(address)["text"])
    # A node that is deleted takes its edges along.
    node(page, "Closed").click()
    page.keyboard.press("Delete")
    expect(page.locator(".flow-node")).to_have_count(6)
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


def test_a_node_is_moved_and_connected_by_the_mouse_and_nothing_else_changes(open_page: Open, address: str) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Picture", exact=True).click()
    page.get_by_role("button", name="Show all").click()
    drag(page, node(page, "Dropped"), 90, 60)
    saved(page)
    moved = re.sub(r", ui: \{x: -?\d+, y: -?\d+\}", "", str(draft(address)["text"]))
    assert moved == SHOP.strip()
    assert "dropped, type: terminal, say: Nothing was ordered., ui: {x: " in str(draft(address)["text"])
    end = page.locator(".react-flow__node[data-id=dropped] .target").bounding_box()
    source = page.locator(".react-flow__node[data-id=write] .source")
    start = source.bounding_box()
    assert start is not None
    assert end is not None
    drag(page, source, end["x"] - start["x"], end["y"] - start["y"])
    saved(page)
    assert "- {from: write, to: dropped}" in str(draft(address)["text"])


def drag(page: Page, what: Locator, right: float, down: float) -> None:
    box = what.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2, steps=5)
    page.mouse.move(x + right, y + down, steps=5)
    page.mouse.up()


def test_problems_lead_to_their_places_and_a_syntax_error_keeps_the_picture(open_page: Open, address: str) -> None:
    page = editor(open_page, address)
    replace_text(page, "answers.sure == true", "answers.shure == true")
    problem = page.get_by_role("button", name=re.compile("GW\\d+ .*"))
    expect(problem.filter(has_text="shure").first).to_be_visible()
    problem.filter(has_text="shure").first.click()
    expect(page.get_by_label("guard")).to_have_value("answers.shure == true")
    page.get_by_label("guard").fill("answers.sure == true")
    page.get_by_label("guard").blur()
    expect(page.get_by_text("No problems").first).to_be_visible()
    replace_text(page, "nodes:", "nodes: [")
    expect(page.get_by_text("The picture is the last that could be read").first).to_be_visible()
    expect(page.locator(".flow-node")).to_have_count(6)
    expect(page.get_by_role("button", name="Add: End")).to_be_disabled()


def test_a_draft_is_tested_published_talked_to_and_an_earlier_version_restored(
    open_page: Open, address: str, picture: Picture
) -> None:
    before = begun(address, "shop")
    page = editor(open_page, address)
    replace_text(page, "What would you like?", "What do you want?")
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
    expect(page.locator(".flow-node.flow-never").first).to_be_visible()
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What do you want?")
    dialog.get_by_role("textbox", name="What changed").fill("Shorter words.")
    expect(dialog.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
    picture(page, "editor-publish")
    dialog.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Published as version 2")).to_be_visible()
    expect(page.get_by_text("Shorter words.")).to_be_visible()
    for thread in (begun(address, "shop"), before):
        ended = httpx.get(f"{address}/api/v1/threads/{thread}/state").json()
        assert ended["waiting_for"]["node"] == "q.what"
    page.get_by_role("button", name="1 The file of the folder").click()
    page.get_by_role("button", name="Restore as draft").click()
    saved(page)
    assert draft(address)["text"] == SHOP.strip()
    assert draft(address)["version"] == 2


def test_two_people_on_one_draft_and_a_service_that_is_away_lose_nothing(open_page: Open, address: str) -> None:
    one, two = editor(open_page, address), editor(open_page, address)
    replace_text(one, "Ordered.", "It is ordered.")
    saved(one)
    two.context.forgiven.append("412")  # type: ignore[attr-defined]
    replace_text(two, "Nothing was ordered.", "Nothing is ordered.")
    expect(two.get_by_role("alert")).to_contain_text("Somebody else saved this draft")
    two.get_by_role("button", name="Save mine over it").click()
    saved(two)
    assert "Nothing is ordered." in str(draft(address)["text"])
    two.context.forgiven += ["ERR_FAILED", "ERR_INTERNET"]  # type: ignore[attr-defined]
    two.route("**/draft", lambda route: route.abort())
    replace_text(two, "Nothing is ordered.", "Nothing at all.")
    expect(two.get_by_text("The service does not answer").first).to_be_visible()
    two.reload()
    two.unroute("**/draft")
    two.reload()
    expect(two.locator(".cm-content")).to_contain_text("Nothing at all.")
    saved(two)
    assert "Nothing at all." in str(draft(address)["text"])


def test_the_editor_fits_a_phone_and_speaks_german(open_page: Open, address: str, picture: Picture) -> None:
    page = editor(open_page, address, viewport=NARROW, locale="de-DE")
    expect(page.get_by_role("tab", name="Gliederung")).to_be_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW["width"]
    page.get_by_role("tab", name="Gliederung").click()
    page.get_by_role("button", name="Frage What").click()
    page.get_by_role("tab", name="Eigenschaften").click()
    expect(page.get_by_label("prompt", exact=True)).to_be_visible()
    picture(page, "editor-narrow")
