"""Quick fixes, live values of guards, and assurances in the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api_support import SHOP, served, shop
from browser_support import Look, Open, Picture
from editor_support import draft, editor, node, replace_text, saved

ASSURED = """
assurances:
  - {never: send, unless: [q.sure]}
  - {never: dropped, unless: [answers.what == 'x']}
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    flow = shop(tmp_path) / "flow.yaml"
    with served(tmp_path) as (_, where):
        flow.write_text(SHOP.strip() + ASSURED, "utf-8")
        yield where


def test_a_hint_is_a_fix_and_a_guard_is_evaluated_with_sample_answers(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    replace_text(page, "answers.sure == true", "answers.shure == true")
    page.get_by_role("button", name="Write sure").click()
    expect(page.get_by_text("No problems").first).to_be_visible()
    saved(page)
    assert draft(address)["text"] == SHOP.strip() + ASSURED
    node(page, "Sure").click()
    page.get_by_label("Edges").get_by_role("button", name="send").click()
    expect(page.get_by_text("Open with the sample answers")).to_be_visible()
    page.get_by_text("Sample answers", exact=True).click()
    samples = page.get_by_label("Sample answers")
    samples.fill("sure: false")
    samples.blur()
    expect(page.get_by_text("Closed with the sample answers")).to_be_visible()
    samples.fill("what: tea")
    samples.blur()
    expect(page.get_by_text("It needs answers.sure")).to_be_visible()


def test_a_violation_of_an_assurance_is_played_through_the_picture(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Search violations").click()
    region = page.get_by_role("region", name="Assurances")
    expect(region.get_by_text("No conversation was found that violates it")).to_have_count(1)
    expect(region).to_contain_text("-> dropped")
    region.get_by_role("button", name="Play in the picture").click()
    expect(node(page, "What")).to_have_class(re.compile("flow-way"))
    expect(node(page, "Dropped")).to_have_class(re.compile("flow-active"))
    accessible(page)
    picture(page, "editor-assurances")
    region.get_by_role("button", name="Stop").click()
    expect(node(page, "Dropped")).not_to_have_class(re.compile("flow-active"))
