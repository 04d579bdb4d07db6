"""The lighting sale of the examples, made in the editor from nothing: broken, corrected, tested, published, talked to,
changed under a waiting conversation, compared and restored. Only the mouse and the keyboard are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Locator, Page, expect

from api_support import served
from browser_support import Look, Open, Picture, choose_agent, eventually, fetched, say, settled, told
from editor_support import node, saved

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighting_sale" / "flow.yaml"
NOTED = yaml.safe_load(EXAMPLE.read_text("utf-8"))["nodes"][4]["say"]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with served(tmp_path) as (_, where):
        yield where


def test_the_lighting_sale_is_made_changed_and_restored(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/editor")
    begins_from_nothing(page)
    builds(page)
    accessible(page)
    picture(page, "editor-scenario")
    assert data(address) == sorted_edges(yaml.safe_load(EXAMPLE.read_text("utf-8")))
    breaks_and_corrects(page)
    assert data(address) == sorted_edges(yaml.safe_load(EXAMPLE.read_text("utf-8")))
    is_tested(page)
    publishes(page, 2, "The lighting sale.", "1 of 1 conversations pass")
    before = text(address)
    talks(page)
    changes(page)
    publishes(page, 3, "Shorter.", "0 of 1 conversations pass", waiting="1 conversation waits")
    assert data(address)["subgraphs"]["subgraph.led_path"]["nodes"][1]["was"] == "q.wattage"
    goes_on(page)
    compares_and_restores(page)
    saved(page)
    assert text(address) == before


def text(address: str) -> str:
    return str(fetched(address, "flows/sales/draft")["text"])


def data(address: str) -> Any:
    return sorted_edges(yaml.safe_load(text(address)))


def sorted_edges(flow: Any) -> Any:
    """The flow with its edges by their sources: the order of edges of different nodes means nothing."""
    for graph in (flow, *flow.get("subgraphs", {}).values()):
        graph["edges"].sort(key=lambda edge: edge["from"])
    return flow


def form(page: Page) -> Locator:
    return page.get_by_role("form", name="Properties")


LABELS = {
    "key": "Answer key",
    "as_": "Result as",
    "ref": "Subgraph",
    "say": "Closing text",
    "when": "Only if",
    "on_stuck": "If no edge is open",
}
"""The labels of the fields that differ from the names in the document by more than the first letter."""


def fill(page: Page, **fields: str) -> None:
    """Fill in fields of the form, and leave each with the key Tab."""
    for name, value in fields.items():
        if name == "schema" and form(page).get_by_label("Schema", exact=True).count() == 0:
            form(page).get_by_text("As JSON Schema").click()
        field = form(page).get_by_label(LABELS.get(name, name.capitalize()), exact=True)
        expect(field).to_be_attached()
        if not field.is_visible():
            form(page).get_by_text("More fields").click()
        if field.evaluate("each => each.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
            field.press("Tab")


def add(page: Page, kind: str, **fields: str) -> None:
    page.get_by_role("button", name=f"Add: {kind}").click()
    fill(page, **fields)


def choose(page: Page, title: str) -> None:
    page.get_by_role("button", name="Show all").click()
    node(page, title).click()


def enter(page: Page, title: str) -> None:
    """Open the subgraph of a node in place. It is chosen first, because the form that opens moves the picture."""
    choose(page, title)
    expect(form(page)).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    node(page, title).dblclick()


def connect(page: Page, title: str, target: str) -> None:
    choose(page, title)
    form(page).get_by_label("Connect to").select_option(target)


def edges(page: Page, title: str) -> Locator:
    return form(page).get_by_label("Edges").get_by_role("button", name=re.compile(f"^{re.escape(title)} "))


def pane(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Panes").get_by_role("link", name=name).click()


def begins_from_nothing(page: Page) -> None:
    page.get_by_role("button", name="New agent").click()
    page.get_by_label("Name", exact=True).fill("sales")
    page.get_by_role("radio", name="empty").check()
    page.keyboard.press("Enter")
    expect(page.locator(".flow-node")).to_have_count(2)
    for left in (1, 0):
        page.locator(".flow-node").first.click()
        page.keyboard.press("Delete")
        expect(page.locator(".flow-node")).to_have_count(left)


def builds(page: Page) -> None:
    about = "Finds out what a customer needs and how to reach them. It quotes no prices."
    asked = "Would you like to buy LED lights, or something else?"
    number = '{type: string, description: phone number, pattern: "^\\\\+?[0-9 ]{6,20}$"}'
    email = "{type: string, format: email}"
    add(page, "Question", Id="q.intent", key="intention", prompt=asked, schema="{enum: [buy_led, other]}")
    # The form stays, and the key Tab leads from field to field, also after the id changed.
    expect(form(page).get_by_label("Schema", exact=True)).not_to_be_focused()
    eventually(page, lambda: page.evaluate("document.activeElement.closest('form') !== null"))
    add(page, "Subgraph", Id="sg.led", ref="subgraph.led_path", as_="led")
    add(page, "Question", Id="q.email", key="email", prompt="What is your e-mail address?", schema=email)
    fill(page, required="false")
    add(page, "Question", Id="q.phone", key="phone", prompt="What is your phone number?", schema=number)
    fill(page, required="false", when="!has(answers.email)")
    add(page, "End", Id="noted", say=NOTED)
    add(page, "End", Id="shop", say="Please visit our shop.")
    # Each new node follows the chosen one.
    choose(page, "Intent")
    edges(page, "Led").click()
    fill(page, guard="answers.intention == 'buy_led'")
    connect(page, "Intent", "q.email")
    # Inside the subgraph, which is open in place. A small picture shows no button for it.
    enter(page, "Led")
    expect(node(page, "New ask")).to_be_attached()
    choose(page, "New ask")
    court = "{type: integer, minimum: 1, x-unit: m^2}"
    fill(page, Id="q.court_size", key="court_size", prompt="How large is the court, in square metres?", schema=court)
    watts = "{type: integer, minimum: 5, maximum: 2000, x-unit: W}"
    add(page, "Question", Id="q.wattage", key="wattage", prompt="How many watts should each light have?", schema=watts)
    fill(page, when="answers.court_size > 100")
    # What belongs to the flow as a whole.
    choose(page, "Court size")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Properties").click()
    fill(page, title="Lighting sale", description=about, on_stuck="shop")
    form(page).get_by_role("button", name="Add needed answers").click()
    needed = form(page).get_by_label("Before the end one of these must be answered")
    needed.fill("email\nphone")
    needed.press("Tab")
    expect(page.get_by_text("No problems").first).to_be_visible()
    saved(page)


def breaks_and_corrects(page: Page) -> None:
    problems = page.get_by_role("region", name="Problems")
    choose(page, "Intent")
    edges(page, "Led").click()
    fill(page, guard="answers.intentoin == 'buy_led'")
    problems.get_by_role("button", name="Write intention").click()
    expect(page.get_by_text("No problems").first).to_be_visible()
    choose(page, "Phone")
    edges(page, "Noted").click()
    page.keyboard.press("Delete")
    problems.get_by_role("button", name=re.compile("No edge leaves .?q.phone")).click()
    form(page).get_by_label("Connect to").select_option("noted")
    expect(page.get_by_text("No problems").first).to_be_visible()
    saved(page)


def is_tested(page: Page) -> None:
    page.get_by_role("tab", name="Try it").click()
    page.get_by_role("button", name="Begin").click()
    log = page.get_by_role("log")
    log.get_by_role("button", name="buy led").click()
    message = page.get_by_label("Write to the draft")
    for answer, reply in (("648", "How many watts"), ("300", "e-mail"), ("ann@example.com", "lights of 300 W")):
        message.fill(answer)
        message.press("Enter")
        expect(log).to_contain_text(reply)
    expect(node(page, "Noted")).to_have_class(re.compile("flow-active"))
    page.get_by_role("button", name="Keep as a test").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("hall")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Done").click()
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("meter", name="Edges")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Show all").click()
    expect(node(page, "Shop")).to_have_class(re.compile("flow-never"))


def publishes(page: Page, number: int, note: str, tested: str, waiting: str = "") -> None:
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(tested)).to_be_visible(timeout=60_000)
    if waiting:
        expect(dialog.get_by_text(waiting)).to_contain_text("1 goes on in the new one")
    dialog.get_by_label("What changed").fill(note)
    dialog.get_by_role("button", name="Publish").click()
    told(page, f"Published as version {number}")


def talks(page: Page) -> None:
    pane(page, "Chat")
    choose_agent(page, "Lighting sale")
    page.get_by_role("button", name="Begin without a message").click()
    page.get_by_role("button", name="buy led").click()
    expect(page.get_by_role("log", name="Messages").get_by_text("How large is the court")).to_be_visible()
    settled(page)
    say(page, "648")
    expect(
        page.get_by_role("log", name="Messages").get_by_text("How many watts should each light have?")
    ).to_be_visible()
    settled(page)


def changes(page: Page) -> None:
    pane(page, "Editor")
    page.get_by_role("link", name=re.compile("^Lighting sale(?!s)")).click()
    enter(page, "Led")
    expect(node(page, "Wattage")).to_be_attached()
    choose(page, "Wattage")
    fill(page, Id="q.power", prompt="How many watts per light?")
    saved(page)


def goes_on(page: Page) -> None:
    pane(page, "Chat")
    # Only choices and numbers were said so far: the conversation has the name of its agent.
    page.get_by_role("region", name="Conversations").get_by_role("link", name=re.compile("Lighting sale")).click()
    say(page, "300")
    expect(page.get_by_role("log", name="Messages").get_by_text("What is your e-mail address?")).to_be_visible()
    settled(page)
    say(page, "ann@example.com")
    ended = "Noted: lights of 300 W. We will reach you at ann@example.com."
    expect(page.get_by_role("log", name="Messages").get_by_text(ended)).to_be_visible()


def compares_and_restores(page: Page) -> None:
    pane(page, "Editor")
    page.get_by_role("link", name=re.compile("^Lighting sale(?!s)")).click()
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name=re.compile("^2 The lighting sale")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("was q.wattage")
    dialog.get_by_role("button", name="Restore as draft").click()


def test_a_german_agent_from_a_template_is_german_and_its_failing_test_is_found_from_the_publication(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/#/editor", locale="de-DE")
    page.get_by_role("button", name="Neuer Agent").click()
    page.get_by_label("Name", exact=True).fill("Führung buchen")
    page.get_by_role("radio", name="Buchung").check()
    page.get_by_role("button", name="Anlegen").click()
    expect(page.get_by_role("heading", name="Führung buchen")).to_be_visible()
    expect(node(page, "Raum")).to_contain_text("Welchen Raum möchten Sie?")
    node(page, "Personen").click()
    page.get_by_role("form", name="Eigenschaften").get_by_label("Höchstens").fill("3")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Veröffentlichen").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Ein Test aus der Vorlage", timeout=60_000)
    dialog.get_by_role("button", name="Tests öffnen").click()
    expect(page.get_by_role("button", name="Neu aufzeichnen").first).to_be_visible()


def test_an_agent_from_nothing_has_no_test_and_no_description_and_asks_its_question(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/#/editor")
    page.get_by_role("button", name="New agent").click()
    page.get_by_label("Name", exact=True).fill("Table")
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".flow-node")).to_have_count(2)
    page.get_by_role("tab", name="Tests").click()
    expect(page.get_by_text("No tests yet")).to_be_visible()
    pane(page, "Chat")
    choose_agent(page, "Table")
    say(page, "Hello")
    expect(page.get_by_role("log", name="Messages").get_by_text("What is your name?")).to_be_visible()
    assert fetched(address, "agents/table")["description"] == ""
