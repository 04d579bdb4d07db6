"""Comparing the drafts and versions of a flow in the editor, on two canvases and as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from api_support import SHOP, served, shop
from browser_support import Look, Open, Picture, eventually
from editor_support import draft, editor, replace_text, saved


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    shop(tmp_path)
    with served(tmp_path) as (_, where):
        yield where


def published(address: str, text: str) -> None:
    flow = f"{address}/api/v1/flows/shop"
    with httpx.Client(timeout=60) as client:
        revision = client.get(f"{flow}/draft").json()["revision"]
        client.put(f"{flow}/draft", json={"text": text}, headers={"If-Match": f'"{revision}"'}).raise_for_status()
        digest = client.post(f"{flow}/check", json={"text": text}).json()["hash"]
        body = {"revision": revision + 1, "hash": digest, "note": "Other words."}
        client.post(f"{flow}/publish", json=body).raise_for_status()


def test_a_version_is_compared_on_two_canvases_that_move_together_and_restored(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    changed = (
        SHOP.strip()
        .replace("Ordered.", "It is ordered.")
        .replace("  - {id: dropped, type: terminal, say: Nothing was ordered.}\n", "  - {id: left, type: terminal}\n")
    )
    published(address, changed.replace("to: dropped", "to: left"))
    page = editor(open_page, address)
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name=re.compile("^1 From flow.yaml")).click()
    dialog = page.get_by_role("dialog")
    before, after = dialog.locator("figure").first, dialog.locator("figure").last
    expect(before.locator(".flow-node", has_text="Dropped")).to_contain_text("removed")
    expect(after.locator(".flow-node", has_text="Left")).to_contain_text("new")
    expect(after.locator(".flow-node", has_text="Done")).to_contain_text("changed")
    expect(before.locator(".flow-edge.flow-tone-changed")).to_have_count(1)
    expect(dialog.locator(".change-changed del")).to_have_text(["Ordered", '"dropped"'])
    expect(dialog.locator(".change-changed ins")).to_have_text(["It is ordered", '"left"'])
    dialog.get_by_role("button", name="Next change").click()
    expect(after.locator(".flow-node.flow-chosen")).to_contain_text("Done")
    accessible(page)
    picture(page, "editor-compare")
    # Zooming one picture zooms the other.
    box = before.locator(".flow-canvas").bounding_box()
    assert box is not None
    viewport = "figure => figure.querySelector('.react-flow__viewport').style.transform"
    shown = before.evaluate(viewport)
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.wheel(0, -400)
    eventually(page, lambda: shown != before.evaluate(viewport) == after.evaluate(viewport))
    dialog.get_by_role("tab", name="Text").click()
    expect(dialog.locator(".cm-mergeView")).to_contain_text("It is ordered.")
    dialog.get_by_role("button", name="Restore as draft").click()
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


def test_a_conflict_and_a_file_that_changed_on_disk_are_compared_before_one_is_taken(
    address: str, open_page: Open, tmp_path: Path
) -> None:
    published(address, SHOP.strip().replace("Ordered.", "It is ordered."))
    (tmp_path / "shop" / "flow.yaml").write_text(SHOP.strip().replace("Ordered.", "Off it goes."), "utf-8")
    page = editor(open_page, address)
    alert = page.get_by_role("alert").filter(has_text="The file on disk has changed")
    alert.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("dialog")).to_contain_text("Off it goes.")
    page.keyboard.press("Escape")
    alert.get_by_role("button", name="Keep the draft").click()
    expect(alert).to_be_hidden()
    page.context.forgiven.append("412")
    text = str(draft(address)["text"])
    flow = f"{address}/api/v1/flows/shop/draft"
    theirs = {"text": text.replace("What would", "What else would")}
    httpx.put(flow, json=theirs, headers={"If-Match": '"1"'}, timeout=60).raise_for_status()
    replace_text(page, "Nothing was ordered.", "Nothing is ordered.")
    alert = page.get_by_role("alert").filter(has_text="Somebody else saved this draft")
    alert.get_by_role("button", name="Compare").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("figure").first.locator(".flow-node.flow-tone-changed").first).to_contain_text("What else")
    dialog.get_by_role("button", name="Take theirs").click()
    expect(page.locator(".editor-text .cm-content")).to_contain_text("What else would you like?")


def test_a_draft_with_errors_is_compared_as_text_with_the_reason(address: str, open_page: Open) -> None:
    published(address, SHOP.strip().replace("Ordered.", "It is ordered."))
    page = editor(open_page, address)
    replace_text(page, "answers.sure == true", "answers.shure == true")
    expect(page.locator(".problem-count")).to_contain_text("1 error")
    page.context.forgiven.append("400")
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name=re.compile("^1 From flow.yaml")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("tab", name="Text")).to_have_attribute("aria-selected", "true")
    expect(dialog.locator(".cm-mergeView")).to_contain_text("answers.shure == true")
    expect(dialog.get_by_role("status")).to_contain_text("There is no picture of documents with errors")
    expect(dialog).not_to_contain_text("`")
