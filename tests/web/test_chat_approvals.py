"""Approvals in the web app: the exact content of a yes, by card and by key; outdated approvals do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from api_support import sent
from browser_support import Look, Open, Picture, begin, fetched, fits, say, served_agents, settled, thread_of

TICKET = "Add a ticket T-1, fix the login button, and a user ann, Ann Lee; assign it to her."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("approvals")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served_agents(folder) as (_, address):
        yield address


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[str]:
    """A new service, for a test that changes what other conversations meet."""
    with served_agents(tmp_path) as (_, address):
        yield address


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=f"Approval: {title}", exact=True)


def question(page: Page) -> Locator:
    """The waiting question of an ordinary flow, whose yes lets an action run."""
    return page.get_by_role("region", name="Question", exact=True)


def looks(page: Page, accessible: Look, picture: Picture, name: str) -> None:
    """Light and dark, wide and narrow: accessible, with screenshots."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        accessible(page)
        picture(page, name if theme == "light" else f"{name}-dark")
    size = page.viewport_size
    assert size is not None
    fits(page)
    accessible(page)
    picture(page, f"{name}-narrow")
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="light")


def test_a_graph_is_changed_in_words_and_then_approved(
    fresh: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{fresh}/#/chat")
    begin(page, "Graph editor", TICKET)
    change = card(page, "Change of the graph")
    lines = change.get_by_role("listitem")
    expect(lines.filter(has_text='Ticket T-1 {status: open, summary: "Fix the login button"}')).to_be_visible()
    expect(change.get_by_text("not in your words: status open")).to_be_visible()
    expect(change.get_by_role("note").get_by_role("listitem")).to_have_text("status open")
    expect(lines.filter(has_text='User ann "Ann Lee" -[ASSIGNED]-> Ticket T-1 "Fix the login button"')).to_be_visible()
    looks(page, accessible, picture, "chat-approval-graph")
    # Nothing is done yet; the text of a change is requested in the message field.
    assert fetched(fresh, "graph")["nodes"] == []
    change.get_by_role("button", name="Change this").click()
    expect(page.get_by_placeholder("What should be different?")).to_be_focused()
    say(page, "No, without a status")
    expect(change.get_by_text("status: open")).to_have_count(0)
    expect(lines.filter(has_text='Ticket T-1 {summary: "Fix the login button"}')).to_be_visible()
    change.get_by_role("button", name="Approve").click()
    settled(page)
    log = page.get_by_role("log")
    expect(log.get_by_text("Done: 1 node created.")).to_be_visible()
    expect(change).to_have_count(0)
    # The approvals stay as cards with their decisions, not as words and a yes that could be said again.
    otherwise = log.get_by_role("region", name="Approval: Answered otherwise")
    expect(otherwise.get_by_role("listitem").first).to_contain_text("Ticket T-1 {status: open")
    decision = log.get_by_role("region", name="Approval: Approved")
    expect(decision).to_contain_text(re.compile(r"Approved: .*by you · "))
    # The answer shows the change that was made.
    expect(decision).not_to_contain_text("Ticket T-1")
    expect(log.get_by_role("article", name="You")).to_have_count(2)
    expect(log.get_by_role("article", name="You").last.get_by_role("button", name="Try again")).to_have_count(0)
    # The steps before and after the approval are those of one answer.
    expect(log.get_by_text("How this came about")).to_have_count(2)
    decision.get_by_text("What was asked").click()
    expect(decision.get_by_role("listitem").filter(has_text="Ticket T-1").first).to_be_visible()
    looks(page, accessible, picture, "chat-approval-decided")
    (node,) = fetched(fresh, "graph")["nodes"]
    assert (node["key"], node["properties"]) == ("T-1", {"summary": "Fix the login button"})
    log.get_by_role("button", name="Undo G1").click()
    preview = page.get_by_role("dialog", name="Undo G1")
    expect(preview.get_by_role("listitem")).to_contain_text(["deletedT-1 Ticket"])
    preview.get_by_role("button", name="Undo").click()
    expect(log.get_by_role("link", name="undone by G2")).to_be_visible()
    assert fetched(fresh, "graph")["nodes"] == []


def test_an_experiment_before_and_after(fresh: str, open_page: Open, accessible: Look, picture: Picture) -> None:
    page = open_page(f"{fresh}/#/chat")
    begin(page, "UpGrade experiments", "Create an experiment Hints first")
    change = card(page, "Change of an experiment")
    expect(change.get_by_role("row", name="Name Hints first", exact=True)).to_be_visible()
    # Values that the user did not say are marked and counted; a default is marked as one.
    expect(change.get_by_role("row", name="Assigned to each user (by default)").locator(".unsupported")).to_have_count(
        0
    )
    expect(change.get_by_role("row", name="Assigned to each user (by default)")).to_be_visible()
    expect(change.locator(".unsupported").first).to_be_visible()
    # The values to check are listed next to the buttons, and nothing is shown twice.
    doubts = change.get_by_role("note")
    expect(doubts).to_contain_text("values are not in your words")
    expect(doubts.get_by_role("listitem").filter(has_text="control")).to_be_visible()
    expect(change.get_by_text("Decision points: give-hint")).to_have_count(0)
    expect(change.get_by_text("Create experiment 'Hints first' in context 'maths-practice'?")).to_be_visible()
    expect(change.get_by_role("row", name="Name Hints first").locator(".unsupported")).to_have_count(0)
    change.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("log").get_by_text("Created experiment 'Hints first'")).to_be_visible()
    settled(page)
    say(page, "From now on 70 and 30")
    weights = change.get_by_role("row", name="Conditions")
    before, after = weights.get_by_role("table").nth(0), weights.get_by_role("table").nth(1)
    expect(before).to_contain_text("control50hint-first50")
    expect(after).to_contain_text("control70hint-first30")
    expect(after.locator(".json-changed")).to_have_text(["70", "30"])
    looks(page, accessible, picture, "chat-approval-experiment")
    change.get_by_role("button", name="Reject").click()
    settled(page)
    expect(page.get_by_role("log").get_by_text("Not done: ")).to_be_visible()
    expect(page.get_by_role("region", name="Approval: Rejected")).to_contain_text("by you")


def test_a_call_of_a_tool_by_keys_alone(address: str, open_page: Open, accessible: Look, picture: Picture) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "What does the logbook say about the thread of entry 275?")
    change = card(page, "Tool calls")
    expect(change.get_by_text("get_elog_thread", exact=True)).to_be_visible()
    expect(change.get_by_text("275").first).to_be_visible()
    looks(page, accessible, picture, "chat-approval-tools")
    # A screen reader announces the new content.
    expect(page.get_by_role("status").filter(has_text="Tool calls")).to_have_count(1)
    page.keyboard.press("Escape")  # out of the message field
    page.keyboard.press("w")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(change.get_by_role("button", name="Reject")).to_be_focused()
    # The key of the yes only moves the focus: Enter approves.
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(change.get_by_role("button", name="Approve")).to_be_focused()
    expect(change).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("log").get_by_text("The BPM was replaced and the interlock armed again")).to_be_visible()
    settled(page)
    # The user continues to write.
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


@pytest.mark.parametrize("sentence", ["actually no", "a no", "x it is not"])
def test_typing_a_sentence_triggers_no_shortcut(address: str, folder: Path, open_page: Open, sentence: str) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Shop", "pink lamps")
    change = question(page)
    expect(change).to_contain_text("Shall I order pink lamps?")
    settled(page)
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.press("Escape")
    page.keyboard.type(sentence)
    expect(box).to_have_value(sentence)
    box.fill("")
    box.press("Escape")
    # Its last message is not sent again by plain typing, either.
    page.keyboard.type("red ones")
    expect(box).to_have_value("red ones")
    expect(change).to_contain_text("Shall I order pink lamps?")
    expect(page.get_by_role("article", name="You")).to_have_count(1)
    assert "pink lamps" not in sent(folder)
    # A button reached by Tab is pressed as usual.
    approve = change.get_by_role("button", name="Yes")
    approve.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("log").get_by_text("Nothing was ordered.")).to_be_visible()


def test_an_approval_given_elsewhere_cannot_be_repeated(address: str, folder: Path, open_page: Open) -> None:
    one = open_page(f"{address}/#/chat")
    before = sent(folder)
    one.context.forgiven += ["409", "ERR_FAILED"]  # type: ignore[attr-defined]
    begin(one, "Shop", "red lamps")
    mine = question(one)
    expect(mine).to_contain_text("Shall I order red lamps?")
    other = one.context.new_page()
    other.goto(one.url)
    theirs = question(other)
    expect(theirs).to_contain_text("Shall I order red lamps?")
    # The second tab gets no events of the first one, as if the machine slept.
    other.route(f"**/threads/{thread_of(one)}", lambda route: route.abort())
    say(one, "no, blue ones")
    settled(one)
    say(one, "blue lamps")
    expect(mine).to_contain_text("Shall I order blue lamps?")
    theirs.get_by_role("button", name="Yes").click()
    expect(other.get_by_text("has changed meanwhile. Nothing was done")).to_be_visible()
    assert sent(folder) == before
    # It awakes, and catches up.
    other.unroute(f"**/threads/{thread_of(one)}")
    expect(theirs).to_contain_text("Shall I order blue lamps?")
    theirs.get_by_role("button", name="Yes").click()
    expect(other.get_by_role("log").get_by_text("Ordered.")).to_be_visible()
    expect(one.get_by_role("log").get_by_text("Ordered.")).to_be_visible()
    expect(mine).to_have_count(0)
    assert sent(folder) == [*before, "blue lamps"]


def test_a_second_tab_follows_what_was_changed_in_the_first(fresh: str, open_page: Open) -> None:
    one = open_page(f"{fresh}/#/chat")
    one.context.forgiven.append("ERR_CONNECTION")  # type: ignore[attr-defined]
    begin(one, "Graph editor", TICKET)
    mine = card(one, "Change of the graph")
    expect(mine).to_contain_text("status: open")
    settled(one)
    other = one.context.new_page()
    other.goto(one.url)
    theirs = card(other, "Change of the graph")
    expect(theirs).to_contain_text("status: open")
    box = other.get_by_role("textbox", name="Message", exact=True)
    box.fill("somebody writes here")
    mine.get_by_role("button", name="Change this").click()
    say(one, "No, without a status")
    expect(mine.get_by_text("status: open")).to_have_count(0)
    settled(one)
    expect(theirs).not_to_contain_text("status: open")
    expect(theirs).to_contain_text("Ticket T-1")
    expect(box).to_have_value("somebody writes here")
    mine.get_by_role("button", name="Reject").click()
    settled(one)
    expect(theirs).to_have_count(0)
    expect(box).to_have_value("somebody writes here")


def test_a_replayed_approval_does_nothing(address: str, folder: Path, open_page: Open) -> None:
    page = open_page(f"{address}/#/chat")
    before = sent(folder)
    begin(page, "Shop", "green lamps")
    approve = question(page).get_by_role("button", name="Yes")
    with page.expect_request("**/resume") as asked:
        approve.click()
    expect(page.get_by_role("log").get_by_text("Ordered.")).to_be_visible()
    # It was a question, and its answer a yes; the hash of the content is among the details.
    decision = page.get_by_role("region", name="Question: Yes")
    expect(decision).to_contain_text("Shall I order green lamps?")
    decision.get_by_text("What was asked").click()
    decision.get_by_text("Details").click()
    expect(decision).to_contain_text(re.compile("Fingerprint [0-9a-f]{12}"))
    request = asked.value
    settled(page)
    audit = fetched(address, "audit")
    # The same message with its key is the existing run. With another key, nothing is pending.
    again = httpx.post(request.url, content=request.post_data or "", headers=request.all_headers(), timeout=60)
    assert again.status_code == 202
    fresh = httpx.post(request.url, json=request.post_data_json, timeout=60)
    assert (fresh.status_code, fresh.json()["code"]) == (409, "nothing_waits")
    # For the same order again the old approval is not enough, since it is another order.
    say(page, "green lamps")
    expect(question(page)).to_be_visible()
    assert sent(folder) == [*before, "green lamps"]
    assert fetched(address, "audit") == audit
