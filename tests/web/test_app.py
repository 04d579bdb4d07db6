"""The web app as a whole: its panes open without errors, in both languages, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api_support import served
from browser_support import Look, Open, fits

PANES = ("chat", "trace", "editor", "graph", "data", "experiments", "logs", "access")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("app")
    with served(folder) as (_, address):
        yield address


@pytest.mark.parametrize("pane", PANES)
def test_an_empty_pane_is_accessible(address: str, open_page: Open, accessible: Look, pane: str) -> None:
    page = open_page(f"{address}/#/{pane}")
    expect(page.locator(".rail")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    accessible(page)
    fits(page)
    accessible(page)
