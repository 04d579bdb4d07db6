"""What tests of the web app share besides their fixtures: the sizes of a page, and how one is opened."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 360, "height": 740}

Open = Callable[..., Page]
"""Opens an address in a browser of its own: `open_page(address, **options of a Playwright context)`."""

Look = Callable[[Page], None]
Picture = Callable[[Page, str], None]
