"""A pane of another package in the web app: that of the example, and broken ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import expect

from api_support import served
from browser_support import Look, Open, Picture
from cli_support import Site
from plugin_support import install_example

BROKEN = {
    "throws": "export function mount() { throw new Error('no licence') }\nexport function unmount() {}",
    "rejects": "export async function mount() { throw new Error('no stock') }\nexport function unmount() {}",
    "empty": "export const nothing = 1",
    "syntax": "export function mount( {",
    "hostile": (
        "export function mount(element, app) { element.innerHTML = '<img src=x onerror=\"window.stolen = 1\">';"
        "app.request('https://example.org/').catch(() => element.append('refused')) }\nexport function unmount() {}"
    ),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("panes")
    site = Site(folder / "site")
    install_example(site)
    python = "from pathlib import Path\nfrom graphwright.hooks import Pane\n" + "".join(
        f"{name} = Pane({{'en': '{name}'}}, 'M2 2h9', Path(__file__).with_name('{name}.js'))\n" for name in BROKEN
    )
    entries = "[graphwright.panes]\n" + "".join(f"{name} = acme:{name}\n" for name in BROKEN)
    site.install("acme", entries, {"acme.py": python, **{f"{name}.js": text for name, text in BROKEN.items()}})
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(site.folder))
        with served(folder) as (_, found):
            yield found


def test_the_pane_of_the_example_shows_what_its_route_returns(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    bicycle = f"<b>red</b> Gazelle {uuid4()}"
    with httpx.Client(base_url=f"{address}/api/v1/", timeout=60) as client:
        thread = client.post("threads", json={"agent": "repairs"}).json()["thread"]
        stream = {"Accept": "text/event-stream"}
        for text in (None, bicycle, "flat tyre"):
            client.post(f"threads/{thread}/turns", json={"message": text} if text else {}, headers=stream)
        asked = client.get(f"threads/{thread}/state").json()["waiting_for"]["approval"]["hash"]
        client.post(f"threads/{thread}/resume", json={"value": True, "approves": asked}, headers=stream)
    page = open_page(f"{address}/#/chat")
    page.locator(".rail").get_by_role("link", name="Repairs").click()
    expect(page.get_by_role("heading", name="Repairs")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text=bicycle)).to_have_text(f"{bicycle}: flat tyre")
    expect(page).to_have_title("Repairs · Graphwright")
    accessible(page)
    picture(page, "packaged-pane")
    page.keyboard.press("Shift+L")
    expect(page.get_by_role("heading", name="Reparaturen")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(f"{address}/#/chat")
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Reparaturen")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "shown"),
    [("throws", "no licence"), ("rejects", "no stock"), ("empty", "mount and unmount"), ("syntax", "SyntaxError")],
)
def test_a_pane_that_fails_shows_its_error_and_nothing_else_fails(
    address: str, open_page: Open, name: str, shown: str
) -> None:
    page = open_page(f"{address}/#/chat")
    page.context.forgiven += ["no licence", "no stock", "mount and unmount", "SyntaxError"]  # type: ignore[attr-defined]
    page.locator(".rail").get_by_role("link", name=name).click()
    expect(page.locator("main")).to_contain_text(shown)
    page.locator(".rail").get_by_role("link", name="Chat").click()
    expect(page.locator("main")).not_to_contain_text(shown)


def test_the_policy_holds_for_the_script_of_a_pane(address: str, open_page: Open) -> None:
    page = open_page(
        f"{address}/#/chat",
        lambda page: page.context.forgiven.extend(["Content Security Policy", "404", "another host"]),  # type: ignore[attr-defined]
    )
    page.locator(".rail").get_by_role("link", name="hostile").click()
    expect(page.locator("main")).to_contain_text("refused")
    assert page.evaluate("window.stolen") is None
