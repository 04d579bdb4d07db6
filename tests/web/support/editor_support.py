"""Shared by the tests of the editor: an open draft, its nodes, its text and what the service has of it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from browser_support import Open, fetched

CONVERSATION = """agent: ..
turns:
  - {start: true, model: none}
  - {user: tea, model: none, expect: {node: q.sure, reply: order tea}}
  - {user: "no", model: none, expect: {status: ended, node: dropped}}
"""


def editor(open_page: Open, address: str, **more: object) -> Page:
    page = open_page(f"{address}/#/editor/shop", **more)
    # Only what fits the window is in the page.
    expect(page.locator(".flow-node").first).to_be_visible()
    return page


def node(page: Page, title: str) -> Locator:
    return page.locator(".flow-node", has=page.get_by_text(title, exact=True))


def draft(address: str) -> dict[str, object]:
    found: dict[str, object] = fetched(address, "flows/shop/draft")
    return found


def saved(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def replace_text(page: Page, old: str, new: str) -> None:
    """Replace a text in CodeMirror, by its search."""
    page.locator(".editor-text .cm-content").click()
    page.keyboard.press("Control+f")
    page.locator(".cm-search input[name=search]").fill(old)
    page.locator(".cm-search input[name=replace]").fill(new)
    page.locator(".cm-search button[name=replaceAll]").click()
    page.keyboard.press("Escape")


def drag(page: Page, what: Locator, to: Locator | None = None, by: tuple[float, float] = (0, 0)) -> None:
    """Drag the middle of an element to the middle of another one, or by some pixels."""
    x, y = _middle(what)
    end_x, end_y = _middle(to) if to else (x + by[0], y + by[1])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + end_x) / 2, (y + end_y) / 2, steps=5)
    page.mouse.move(end_x, end_y, steps=5)
    page.mouse.up()


def _middle(what: Locator) -> tuple[float, float]:
    """The middle of an element, as soon as it does not move."""
    what.hover(trial=True)
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
