"""Shared by the tests of the web app: Chromium, a page that must not report errors, and screenshots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browser_support import WIDE, Look, Open, Picture
from graphwright_server._pages import STATIC

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
APP = STATIC / "index.html"
PICTURES = ROOT / "build" / "pictures"
"""The folder for screenshots."""

LONGEST_WAIT = 30_000  # ms; the machine may be busy

expect.set_options(timeout=LONGEST_WAIT)

TOASTS = """window.toasts = [];
new MutationObserver(changes => changes.flatMap(each => [...each.addedNodes]).forEach(node => {
  const within = node.closest?.('[data-sonner-toast]') ?? node.querySelector?.('[data-sonner-toast]');
  if (within) toasts.push(within.textContent);
})).observe(document, {childList: true, subtree: true})"""
"""Keeps the texts of short messages, which may be gone before a test looks for them."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """All tests here are slow. The fast suite does not even import them (`tests/conftest.py`).

    One that fails runs once more, and the summary names it: it may have met an event of Chromium that came late.
    """
    item.add_marker(pytest.mark.slow)
    item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, one per module: no other test in the module may run an event loop."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None or not APP.exists():
        what = "no Chromium is installed" if program is None else "the web app is not built (scripts/build_web)"
        if os.environ.get("CI"):
            raise RuntimeError(f"{what}: the web app would go untested")
        pytest.skip(what)
    arguments = ["--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        # Its sandbox needs rights that root in a container does not have.
        browser = playwright.chromium.launch(executable_path=program, args=arguments, chromium_sandbox=False)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Open]:
    """Open an address in a new browser context for one user.

    `prepare` is called with the page before; further arguments are those of a Playwright context. The test fails if a
    page has an error, writes one to its console, or sends a request to another host; `page.context.forgiven` lists
    expected errors.
    """
    with _open_pages(chromium) as opens:
        yield opens


@contextmanager
def _open_pages(chromium: Browser) -> Iterator[Open]:
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(address: str, prepare: Callable[[Page], object] | None = None, **given: Any) -> Page:
        options = {"viewport": WIDE, "locale": "en-GB", "color_scheme": "light", "reduced_motion": "reduce", **given}
        context: Any = chromium.new_context(**options)
        context.forgiven = []
        context.set_default_timeout(LONGEST_WAIT)
        context.add_init_script(TOASTS)
        contexts.append(context)

        def complain(text: str) -> None:
            if not any(each in text for each in context.forgiven):
                complaints.append(text)

        host = address.split("/")[2]

        def record_request(request: Any) -> None:
            foreign = request.url.split("/")[2] != host if request.url.startswith("http") else False
            if foreign:
                complain(f"asked another host: {request.url}")

        def watch(page: Page) -> None:
            page.on("pageerror", lambda error: complain(f"error: {error}"))
            page.on("console", lambda said: complain(f"console: {said.text}") if said.type == "error" else None)
            page.on("request", record_request)

        context.on("page", watch)
        page: Page = context.new_page()
        if prepare is not None:
            prepare(page)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def picture() -> Picture:
    """Take a screenshot of a page for review."""

    def take(page: Page, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png", animations="disabled", caret="hide")

    return take


_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture
def accessible() -> Look:
    """Fail if axe finds a serious problem in the current page."""

    def check(page: Page) -> None:
        # Not as a script element, which the page's own policy forbids.
        page.evaluate(AXE.read_text("utf-8"))
        script = "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']})"
        found = page.evaluate(script, _RULES)["violations"]
        bad = [
            f"{each['id']}: {each['help']} {[node['html'][:160] for node in each['nodes'][:3]]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert bad == []

    return check
