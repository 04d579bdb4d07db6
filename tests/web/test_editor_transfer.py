"""Importing a document into the draft with a report, and exporting the draft."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from api_support import SHOP, served, shop
from browser_support import Look, Open, Picture
from editor_support import draft, editor, saved

BOMB = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))])


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    shop(tmp_path)
    with served(tmp_path) as (_, where):
        yield where


def choose(page: Page, name: str, content: str) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def test_a_document_is_imported_with_a_report_and_hostile_ones_are_refused(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = editor(open_page, address)
    choose(page, "bomb.yaml", BOMB)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("cannot be read as a flow")
    page.keyboard.press("Escape")
    choose(page, "picture.yaml", "\0\1")
    expect(dialog).to_contain_text("This is not a text.")
    page.keyboard.press("Escape")
    choose(page, "huge.yaml", "x" * 1_000_001)
    expect(dialog).to_contain_text("too large")
    page.keyboard.press("Escape")
    choose(page, "other.yaml", SHOP.strip().replace("flow.shop", "flow.other").replace("run: write", "run: wriet"))
    expect(dialog).to_contain_text("6 nodes and 6 edges.")
    expect(dialog).to_contain_text("It is the flow flow.other.")
    expect(dialog).to_contain_text("wriet")
    accessible(page)
    picture(page, "editor-import")
    dialog.get_by_role("button", name="Replace the draft").click()
    saved(page)
    imported = str(draft(address)["text"])
    assert "id: flow.shop\n" in imported
    assert "wriet" in imported
    page.get_by_role("button", name="Undo").click()
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


def test_a_draft_is_exported_as_text_and_as_a_picture(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    for name, begin in (
        ("YAML", b"version: v1"),
        ("JSON", b"{"),
        ("SVG", b"<svg"),
        ("PNG", b"\x89PNG"),
        ("Mermaid", b"flowchart"),
    ):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()
        assert Path(download.value.path()).read_bytes().startswith(begin), name
