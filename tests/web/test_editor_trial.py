"""Trying a draft in the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from api_support import served, shop
from browser_support import Look, Open, Picture, begun, fetched
from editor_support import editor, node, replace_text, saved


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    shop(tmp_path)
    with served(tmp_path) as (_, where):
        yield where


def test_a_draft_is_tried_beside_the_canvas_which_shows_its_way(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Try it").click()
    page.get_by_role("button", name="Begin").click()
    log = page.get_by_role("log")
    expect(log).to_contain_text("What would you like?")
    expect(node(page, "What")).to_have_class(re.compile("flow-active"))
    # The next message is answered by the text as it is then.
    replace_text(page, "Shall I order", "May I order")
    message = page.get_by_label("Write to the draft")
    message.fill("tea")
    message.press("Enter")
    expect(log).to_contain_text("May I order tea?")
    expect(node(page, "Write")).to_have_class(re.compile("flow-way"))
    expect(page.locator(".flow-edge.flow-way").first).to_be_attached()
    expect(log.get_by_role("button", name="Yes")).to_be_visible()
    accessible(page)
    picture(page, "editor-try")
    replace_text(page, "answers.sure == true", "answers.shure == true")
    expect(page.get_by_text("The draft has errors. Correct them")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    log.get_by_role("button", name="Yes").click()
    expect(log).to_contain_text("Ordered.")
    expect(node(page, "Done")).to_have_class(re.compile("flow-active"))
    # Its own list only; and it is there again after a reload.
    assert fetched(address, "threads")["items"] == []
    page.reload()
    page.get_by_role("tab", name="Try it").click()
    expect(page.get_by_role("log")).to_contain_text("Ordered.")
    expect(node(page, "Done")).to_have_class(re.compile("flow-active"))
    # A draft with errors has no state to read: it is there when they are corrected.
    replace_text(page, "answers.sure == true", "answers.shure == true")
    expect(page.locator(".problem-count")).to_contain_text("1 error")
    saved(page)
    page.reload()
    page.get_by_role("tab", name="Try it").click()
    expect(page.get_by_text("The draft has errors. Correct them")).to_be_visible()
    replace_text(page, "answers.shure == true", "answers.sure == true")
    expect(page.get_by_role("log")).to_contain_text("Ordered.")


def test_the_canvas_shows_the_way_of_a_turn_that_another_page_ran(address: str, open_page: Open) -> None:
    one = editor(open_page, address)
    one.get_by_role("tab", name="Try it").click()
    one.get_by_role("button", name="Begin").click()
    expect(one.get_by_role("log")).to_contain_text("What would you like?")
    expect(node(one, "What")).to_have_class(re.compile("flow-active"))
    other = one.context.new_page()
    other.goto(f"{address}/#/editor/shop?panel=try")
    expect(other.get_by_role("log")).to_contain_text("What would you like?")
    message = other.get_by_label("Write to the draft")
    message.fill("tea")
    message.press("Enter")
    expect(other.get_by_role("log")).to_contain_text("Shall I order tea?")
    expect(one.get_by_role("log")).to_contain_text("Shall I order tea?")
    expect(node(one, "Sure")).to_have_class(re.compile("flow-active"))


def test_a_trial_runs_to_a_node_and_is_kept_as_a_test_that_covers_its_way(
    address: str, open_page: Open, picture: Picture, tmp_path: Path
) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Try it").click()
    node(page, "Dropped").click()
    page.get_by_text("Sample answers").click()
    expect(page.get_by_label("Sample answers")).to_have_value("what: sample\nsure: false")
    page.get_by_label("Sample answers").fill("what: green tea\nsure: false")
    page.get_by_label("Sample answers").blur()
    page.get_by_role("button", name="Run to dropped").click()
    # An action with effects waits for a person.
    expect(page.get_by_text("It waits at Sure").first).to_be_visible()
    page.get_by_role("button", name="No", exact=True).click()
    expect(page.get_by_role("log")).to_contain_text("Nothing was ordered.")
    expect(node(page, "Dropped")).to_have_class(re.compile("flow-active"))
    page.get_by_role("button", name="Keep as a test").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("green-tea")
    dialog.get_by_role("button", name="Keep", exact=True).click()
    expect(dialog).to_contain_text("runs the real actions (write)")
    dialog.get_by_role("button", name="Done").click()
    assert (tmp_path / "shop" / "tests" / "green-tea.conversation.yaml").exists()
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
    expect(node(page, "Send")).to_have_class(re.compile("flow-never"))
    expect(node(page, "Dropped")).not_to_have_class(re.compile("flow-never"))
    picture(page, "editor-tests")


@pytest.fixture
def visited(tmp_path: Path) -> Iterator[str]:
    shop(tmp_path)
    (tmp_path / "visit").mkdir()
    day = 'q.day, type: question, key: day, prompt: The day, validate: "date(value) > now"'
    nodes = [
        "{id: note, type: action, run: record, with: {collection: visits, value: {said: '{{ message }}'}}}",
        f"{{id: {day}, schema: {{type: string, format: date}}}}",
        "{id: q.size, type: question, key: size, prompt: The size, schema: {type: integer, minimum: 3}}",
        "{id: done, type: terminal, say: See you.}",
    ]
    edges = [f"{{from: {a}, to: {b}}}" for a, b in (("note", "q.day"), ("q.day", "q.size"), ("q.size", "done"))]
    text = f"version: v1\nid: visit\nnodes: [{', '.join(nodes)}]\nedges: [{', '.join(edges)}]\n"
    (tmp_path / "visit" / "flow.yaml").write_text(text, "utf-8")
    with served(tmp_path, agents=["visit"]) as (_, where):
        yield where


def test_a_run_to_a_node_of_a_flow_that_waits_for_a_message_and_a_day_to_come(visited: str, open_page: Open) -> None:
    page = open_page(f"{visited}/#/editor/visit")
    page.get_by_role("tab", name="Try it").click()
    node(page, "Done").click()
    page.get_by_role("button", name="Run to done").click()
    expect(page.get_by_role("log")).to_contain_text("See you.")


def test_a_conversation_leads_to_its_records_and_those_of_a_trial_are_apart(visited: str, open_page: Open) -> None:
    page = open_page(f"{visited}/#/editor/visit?panel=try")
    expect(page.get_by_text("Its records are kept apart and deleted with it")).to_be_visible()
    page.get_by_label("Write to the draft").fill("tea")
    page.get_by_role("button", name="Send").click()
    page.get_by_role("link", name="Recorded in visits, for this trial only").click()
    expect(page.get_by_text("A trial of the draft kept these records.")).to_be_visible()
    expect(page.get_by_label("Collection")).to_contain_text("visits, trial of visit (1)")
    page.get_by_role("link", name="To the trial").click()
    expect(page.get_by_role("button", name="Begin again")).to_be_visible()
    thread = begun(visited, "visit", "tea")
    page.goto(f"{visited}/#/chat/{thread}")
    page.get_by_role("link", name="Recorded in visits").click()
    expect(page.get_by_label("Collection")).to_have_value("visits")
    page.goto(f"{visited}/#/data")
    page.get_by_role("link", name="2 records of actions are in Logs").click()
    expect(page.get_by_label("Collection")).to_have_value("visits")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("Records")
    expect(page.get_by_role("option", name="Records")).to_be_visible()
