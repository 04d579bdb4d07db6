"""Describing a change in the editor, and making a new agent from a template."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api_support import served
from browser_support import Look, Open, Picture, eventually
from editor_support import node, saved

COMMANDS = [
    {"do": "add_node", "node": {"id": "q.size", "type": "question", "key": "size", "prompt": "Which size?"}},
    {"do": "redirect", "from": "q.what", "to": "write", "new_to": "q.size"},
    {"do": "connect", "from": "q.size", "to": "write"},
]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    reply = {"commands": COMMANDS, "summary": "Asks for a size."}
    (tmp_path / "rules.json").write_text(json.dumps([{"offers": "FlowChange", "call": {"FlowChange": reply}}]), "utf-8")
    with served(tmp_path, "--model", f"scripted:{tmp_path / 'rules.json'}") as (_, where):
        yield where


def test_a_described_change_is_compared_before_it_is_taken_and_can_be_undone(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/editor/shop")
    expect(page.locator(".flow-node")).to_have_count(6)
    page.get_by_role("tab", name="Describe").click()
    wish = page.get_by_label("What should change?")
    wish.fill("Ask for a size.")
    # A visit of another pane does not discard it.
    page.keyboard.press("Escape")
    page.goto(f"{address}/#/logs")
    expect(page.get_by_role("heading", name="Logs")).to_be_visible()
    page.goto(f"{address}/#/editor/shop?panel=describe")
    expect(wish).to_have_value("Ask for a size.")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("Asks for a size.")).to_be_visible()
    accessible(page)
    picture(page, "editor-describe")
    page.get_by_role("button", name="Show side by side").click()
    expect(page.get_by_role("dialog").locator(".flow-node.flow-tone-added")).to_contain_text("Size")
    page.keyboard.press("Escape")
    expect(page.locator(".flow-node")).to_have_count(6)
    page.get_by_role("button", name="Take it").click()
    # Only what fits the window is in the picture.
    expect(page.locator(".editor-text .cm-content")).to_contain_text("q.size")
    saved(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".editor-text .cm-content")).not_to_contain_text("q.size")


def test_a_new_agent_from_a_template_opens_in_the_editor(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/editor")
    page.get_by_role("button", name="New agent").click()
    page.get_by_label("Name", exact=True).fill("24 Front desk")
    expect(page.get_by_role("button", name="Create")).to_be_disabled()
    page.get_by_label("Name", exact=True).fill("Front desk")
    expect(page.get_by_role("dialog")).to_contain_text("In files and addresses: front_desk")
    pictures = page.get_by_role("dialog").locator("label img")
    eventually(page, lambda: pictures.evaluate_all("all => all.length > 1 && all.every(each => each.naturalWidth > 0)"))
    page.get_by_role("radio", name="booking").check()
    accessible(page)
    picture(page, "editor-new-agent")
    page.get_by_role("button", name="Create").click()
    expect(node(page, "Room")).to_be_visible()
