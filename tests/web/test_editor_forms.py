"""The forms of nodes and edges: what they offer, and that they change nothing else in the text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from api_support import SHOP, served, shop
from browser_support import Look, Open, Picture, agent, fetched
from editor_support import draft, editor, node, saved


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    shop(tmp_path)
    with served(tmp_path) as (_, where):
        yield where


def choose_edge(page: Page, source: str, target: str) -> None:
    """Choose an edge in the form of the node that it leaves."""
    node(page, source).click()
    page.get_by_label("Edges").get_by_role("button", name=target).click()


def test_a_guard_is_chosen_built_and_written_and_an_edge_is_deleted(address: str, open_page: Open) -> None:
    page = editor(open_page, address, viewport={"width": 1440, "height": 900})
    choose_edge(page, "Sure", "Dropped")
    expect(page.get_by_role("heading", name="Sure to Dropped")).to_be_visible()
    taken = page.get_by_label("It is taken")
    expect(taken.locator("option:checked")).to_have_text("If the answer is no")
    guard = page.get_by_label("Guard", exact=True)
    # The answer is a choice; a further condition is a row.
    taken.select_option("If conditions hold")
    page.get_by_role("button", name="Add a condition").click()
    second = page.get_by_role("group", name="Condition 2")
    second.get_by_label("Answer or channel").select_option("answers.what")
    second.get_by_label("Comparison").select_option("is")
    second.get_by_label("Value").fill("it's tea")
    page.keyboard.press("Enter")
    expect(guard).to_have_text("answers.sure == false && answers.what == 'it\\'s tea'")
    second.get_by_role("button", name="Remove the condition").click()
    taken.select_option("In all other cases")
    expect(page.locator(".editor-text .cm-content")).to_contain_text("to: dropped, guard: else")
    # The expression completes names and values.
    taken.select_option("If conditions hold")
    guard.fill("")
    guard.press_sequentially("answers.su")
    page.get_by_role("option", name="answers.sure").click()
    guard.press_sequentially(" == f")
    page.get_by_role("option", name="false").click()
    guard.blur()
    saved(page)
    assert draft(address)["text"] == SHOP.strip()
    page.get_by_role("form").get_by_role("button", name="Delete").click()
    saved(page)
    assert draft(address)["text"] == SHOP.strip().replace(
        "\n  - {from: q.sure, to: dropped, guard: answers.sure == false}", ""
    )


BOOKING = """
version: v1
id: flow.booking
nodes:
  - id: q.room # which one
    type: question
    key: room
    prompt: Which room?
    read: choice
    schema: {oneOf: [{const: small, title: The small room}, {const: hall, title: The hall}]} # two
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.room }}?"}
  - id: a.book
    type: action
    run: record
    with: {collection: bookings, value: {room: "{{ answers.room }}"}} # kept
    confirm: {by: q.sure, over: [answers.room]}
  - {id: t.done, type: terminal, say: Done.}
edges:
  - {from: q.room, to: q.sure}
  - {from: q.sure, to: a.book, guard: answers.sure == true}
  - {from: q.sure, to: t.done, guard: else}
  - {from: a.book, to: t.done}
"""


@pytest.fixture
def booking(tmp_path: Path) -> Iterator[str]:
    with served(tmp_path, agents=[agent(tmp_path, "booking", BOOKING)]) as (_, where):
        yield where


def test_options_parameters_and_a_confirmation_have_forms_that_change_nothing_else(
    booking: str, open_page: Open
) -> None:
    page = open_page(f"{booking}/#/editor/booking", viewport={"width": 1440, "height": 900})
    node(page, "Room").click()
    form = page.get_by_role("form")
    expect(form.get_by_label("Kind of answer").locator("option:checked")).to_have_text("Choice")
    expect(form.get_by_label("Schema", exact=True)).to_have_count(0)
    second = form.get_by_role("group", name="Option 2")
    second.get_by_label("Shown as").fill("The large hall")
    second.get_by_label("Shown as").blur()
    form.get_by_role("button", name="Add an option").click()
    form.get_by_role("group", name="Option 3").get_by_label("Value").fill("roof")
    page.keyboard.press("Enter")
    node(page, "Book").click()
    form.get_by_label("Name of a parameter").last.fill("title")
    page.keyboard.press("Enter")
    form.get_by_label("title", exact=True).fill("Booked")
    page.keyboard.press("Enter")
    expect(form.get_by_label("Only after a yes to").locator("option:checked")).to_have_text("Sure")
    expect(form.get_by_role("checkbox", name="Room")).to_be_checked()
    expect(page.locator(".editor-text .cm-content")).to_contain_text('title: "Booked"')
    saved(page)
    expected = BOOKING.strip().replace("The hall}", "The large hall}, {const: roof}")
    written = fetched(booking, "flows/booking/draft")["text"]
    assert written == expected.replace('answers.room }}"}} # kept', 'answers.room }}"}, title: "Booked"} # kept')


def test_channels_constraints_and_assurances_of_a_flow_have_forms_that_change_nothing_else(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = editor(open_page, address, viewport={"width": 1440, "height": 900})
    page.get_by_role("tab", name="Properties").click()
    name = page.get_by_label("Name of a channel")
    name.fill("cups")
    name.press("Enter")
    channel = page.get_by_role("group", name="cups", exact=True)
    channel.get_by_label("Type").select_option("Whole number")
    channel.get_by_label("Value at the beginning").fill("3")
    channel.get_by_label("Value at the beginning").press("Enter")
    page.get_by_role("button", name="Add a condition").click()
    condition = page.get_by_role("group", name="Constraint 1")
    condition.get_by_label("Before the end this must hold").fill("cups > 2")
    condition.get_by_label("Message if not").fill("Two more, please.")
    condition.get_by_label("Message if not").press("Enter")
    page.get_by_role("button", name="Add an assurance").click()
    promise = page.get_by_role("group", name="Assurance 1")
    promise.get_by_label("Node, action or answer").select_option("send")
    promise.get_by_label("Except after, or if").fill("q.sure")
    promise.get_by_label("Except after, or if").blur()
    accessible(page)
    picture(page, "editor-flow-forms")
    saved(page)
    lines = "  cups: {type: integer, default: 3}\n"
    end = """
predicates: {condition_1: "cups > 2"}
constraints:
  - {require: condition_1, message: "Two more, please."}
assurances:
  - {never: send, unless: q.sure}"""
    assert draft(address)["text"] == SHOP.strip().replace("nodes:\n", f"{lines}nodes:\n") + end
    channel.get_by_label("Name", exact=True).fill("glasses")
    channel.get_by_label("Name", exact=True).press("Enter")
    channel = page.get_by_role("group", name="glasses", exact=True)
    expect(condition.get_by_label("Before the end this must hold")).to_have_text("glasses > 2")
    saved(page)
    assert draft(address)["text"] == (SHOP.strip().replace("nodes:\n", f"{lines}nodes:\n") + end).replace(
        "cups", "glasses"
    )
    for each in (promise, condition, channel):
        each.get_by_role("button", name="Remove").click()
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


LIGHTS = """version: v1
id: flow.lights
nodes:
  - {id: q.need, type: question, key: need, prompt: "What do you need?"}
  - {id: way, type: subgraph, ref: $active_path}
  - {id: done, type: terminal, say: "Done."}
edges:
  - {from: q.need, to: way}
  - {from: way, to: done}
paths:
  led: {ref: sg.led, description: Buying lights}
subgraphs:
  sg.led:
    title: LED lights
    nodes: [{id: q.size, type: question, key: size, prompt: "Which size?"}]
    edges: [{from: q.size, to: __exit__}]
  sg.repair:
    nodes: [{id: q.defect, type: question, key: defect, prompt: "What is broken?"}]
    edges: [{from: q.defect, to: __exit__}]
"""


@pytest.fixture
def lights(tmp_path: Path) -> Iterator[str]:
    with served(tmp_path, agents=[agent(tmp_path, "lights", LIGHTS)]) as (_, where):
        yield where


def test_the_paths_of_a_flow_have_a_form_that_changes_nothing_else(lights: str, open_page: Open) -> None:
    page = open_page(f"{lights}/#/editor/lights", viewport={"width": 1440, "height": 900})
    page.get_by_role("tab", name="Properties").click()
    name = page.get_by_label("Name of a path")
    name.fill("repair")
    name.press("Enter")
    path = page.get_by_role("group", name="repair", exact=True)
    expect(path.get_by_label("Leads through").locator("option:checked")).to_have_text("LED lights")
    path.get_by_label("Leads through").select_option("sg.repair")
    path.get_by_label("What the user wants then").fill("Having a light repaired")
    path.get_by_label("What the user wants then").press("Enter")
    saved(page)
    added = "\n  repair: {ref: sg.repair, description: Having a light repaired}"
    expected = LIGHTS.strip().replace("description: Buying lights}", "description: Buying lights}" + added)
    assert fetched(lights, "flows/lights/draft")["text"] == expected
    path.get_by_role("button", name="Remove").click()
    saved(page)
    assert fetched(lights, "flows/lights/draft")["text"] == LIGHTS.strip()
