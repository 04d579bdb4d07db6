"""The picture of a draft: it is fitted to its room below its tools, until its author moves it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from api_support import served, shop
from browser_support import Open, eventually
from editor_support import editor, node

TITLES = ("What", "Write", "Send", "Done", "Dropped")

IN_ROOM = """it => {
  const [box, room] = [it, it.closest('.flow-canvas')].map(each => each.getBoundingClientRect());
  const tools = document.querySelector('.editor-tools').getBoundingClientRect();
  return box.left >= room.left && box.right <= room.right && box.bottom <= room.bottom && box.top >= tools.bottom;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("picture")
    shop(folder)
    with served(folder) as (_, where):
        yield where


def all_in_room(page: Page) -> bool:
    return all(node(page, title).evaluate(IN_ROOM) for title in TITLES)


def test_the_picture_is_fitted_below_its_tools_until_its_author_moves_it(address: str, open_page: Open) -> None:
    page = editor(open_page, address, viewport={"width": 1440, "height": 900})
    eventually(page, lambda: all_in_room(page))
    node(page, "Write").click()
    expect(page.get_by_role("complementary", name="Properties")).to_be_visible()
    eventually(page, lambda: all_in_room(page))
    page.set_viewport_size({"width": 1024, "height": 768})
    eventually(page, lambda: all_in_room(page))
    page.get_by_role("button", name="Zoom in").click()
    larger = node(page, "Write").evaluate("it => it.getBoundingClientRect().width")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_timeout(1000)
    assert node(page, "Write").evaluate("it => it.getBoundingClientRect().width") == pytest.approx(larger)
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="Close the panel").click()
    eventually(page, lambda: all_in_room(page))


def test_a_panel_takes_the_place_of_the_text_where_three_columns_do_not_fit(address: str, open_page: Open) -> None:
    page = editor(open_page, address, viewport={"width": 1024, "height": 768})
    text = page.locator(".editor-text")
    expect(text).to_be_visible()
    node(page, "Write").click()
    expect(page.get_by_role("complementary", name="Properties")).to_be_visible()
    expect(text).to_be_hidden()
    page.get_by_role("tab", name="Picture and text").click()
    expect(text).to_be_visible()


def test_dots_for_edges_are_shown_where_an_edge_can_begin_or_end(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    dots = page.locator(".react-flow__handle")
    opacity = "all => all.filter(it => getComputedStyle(it).opacity === '1').length"
    page.mouse.move(0, 0)
    assert dots.evaluate_all(opacity) == 0
    node(page, "Dropped").hover()
    assert dots.evaluate_all(opacity) == 0
    node(page, "Write").hover()
    assert dots.evaluate_all(opacity) == 1
    source = page.locator(".react-flow__node[data-id=write] .source")
    source.hover()
    page.mouse.down()
    page.mouse.move(20, 300, steps=4)
    targets = page.locator(".react-flow__handle.target")
    eventually(page, lambda: targets.evaluate_all(opacity) == targets.count())
    page.mouse.up()
