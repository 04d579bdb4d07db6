"""A flow with layers in the editor: who set what, and what the draft overrides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api_support import served, shop
from browser_support import Look, Open, Picture, fetched
from editor_support import node, saved

TOP = """extends: ../shop/flow.yaml
id: flow.acme
nodes:
  - {id: q.what, prompt: "What shall it be?"} # ours
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    shop(tmp_path)
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "flow.yaml").write_text(TOP, "utf-8")
    with served(tmp_path, agents=(str(tmp_path / "acme"),)) as (_, where):
        yield where


def test_an_author_sees_who_set_a_value_and_overrides_it(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/editor/acme")
    expect(page.locator(".flow-node")).to_have_count(6)
    expect(node(page, "Done")).to_contain_text("from below")
    # The values that the draft overrides, and the document below.
    node(page, "What").click()
    form = page.locator(".inspector")
    expect(form.get_by_text("Value of acme")).to_be_visible()
    form.get_by_text("Value of acme").click()
    form.get_by_role("button", name="../shop/flow.yaml:9").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("What would you like?")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Layers").click()
    expect(page.get_by_text("2 values are set by several layers")).to_be_visible()
    accessible(page)
    picture(page, "editor-layers")
    # Editing a value of a lower layer overrides it; removing the override leaves no trace.
    node(page, "Done").click()
    page.get_by_role("tab", name="Properties").click()
    say = page.get_by_label("Closing text", exact=True)
    expect(say).to_have_value("Ordered.")
    say.fill("It is on its way.")
    say.blur()
    saved(page)
    path = "flows/acme/draft"
    assert "- {id: done, say: It is on its way.}" in fetched(address, path)["text"]
    form.get_by_role("button", name="Remove override").click()
    expect(say).to_have_value("Ordered.")
    saved(page)
    assert fetched(address, path)["text"] == TOP
    # Deleting a node of a lower layer removes it by name, and with it its edges.
    node(page, "Dropped").click()
    page.keyboard.press("Delete")
    expect(page.locator(".flow-node")).to_have_count(5)
    saved(page)
    assert "- {id: dropped, remove: true}" in fetched(address, path)["text"]
