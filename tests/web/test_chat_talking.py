"""Conversations in the web app: the agents, answers while they are written, and the actions on a conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Request, Route, expect

from browser_support import (
    Look,
    Open,
    Picture,
    act,
    begin,
    begun,
    choose_agent,
    eventually,
    fetched,
    fits,
    say,
    served_agents,
    settled,
    thread_of,
    told,
    without_conversations,
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_agents(tmp_path_factory.mktemp("talking")) as (_, address):
        yield address


@pytest.fixture(autouse=True)
def emptied(address: str) -> None:
    without_conversations(address)


def test_the_start_page_offers_agents_and_first_messages(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{address}/#/chat")
    choice = page.get_by_role("radiogroup", name="What can I help you with?")
    expect(choice.get_by_role("radio")).to_have_count(6)
    choose_agent(page, "Data scientist")
    page.get_by_text("What Data scientist does and does not do").click()
    for fact in ("scripted:agents.yaml", "Takes files", "with numbers, tables and figures", "by Python programs"):
        expect(page.locator(".conversation")).to_contain_text(fact)
    # Files come with the first message of this agent, so the example waits for them.
    page.get_by_role("list", name="Examples").get_by_role("button").first.click()
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("What is in this file?")
    accessible(page)
    picture(page, "chat-start")
    choose_agent(page, "Graph editor")
    example = page.get_by_role("list", name="Examples").get_by_role("button").first
    said = example.inner_text()
    example.click()
    expect(page.get_by_role("article", name="You")).to_contain_text(said)
    settled(page)
    # The agent of the last conversation is offered first the next time.
    begin(page, "Shop", "two lamps")
    page.get_by_role("button", name="New conversation", exact=True).click()
    expect(page.get_by_role("radio", name="Shop")).to_be_checked()


def test_an_answer_with_tables_mathematics_and_code_as_it_is_written(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "Explain resonance")
    answer = page.get_by_role("article", name="Research assistant")
    expect(answer.get_by_role("heading", name="Resonance")).to_be_visible()
    settled(page)
    expect(answer.get_by_role("cell", name="sharp")).to_be_visible()
    expect(answer.locator(".katex-display")).to_have_count(1)
    # An index is smaller than its base: the style sheet is that of the formula renderer.
    size = "parseFloat(getComputedStyle(it.querySelector('%s')).fontSize)"
    smaller = f"it => {size % '.mtight'} < 0.8 * {size % '.mord.mathnormal'}"
    eventually(page, lambda: answer.locator(".katex").first.evaluate(smaller))
    expect(answer.locator("pre .hljs-keyword").first).to_have_text("def")
    # The lines of a list are directly below each other.
    close = "it => it.getBoundingClientRect().height < 6 * parseFloat(getComputedStyle(it).lineHeight)"
    eventually(page, lambda: answer.locator("ol").first.evaluate(close))
    answer.get_by_text("How this came about").click()
    expect(answer.get_by_text("Tool decision").first).to_be_visible()
    accessible(page)
    picture(page, "chat-markdown")
    scroll = page.locator(".conversation-scroll")
    eventually(page, lambda: scroll.evaluate("it => it.scrollWidth - it.clientWidth") == 0)
    fits(page)
    accessible(page)
    # With any number of lines, the button to the end is above them.
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("line\n" * 20)
    scroll.evaluate("it => it.scrollTo(0, 0)")
    to_end = page.get_by_role("button", name="Latest message")
    expect(to_end).to_be_visible()
    above = """it => {
      const foot = document.querySelector('.conversation-foot');
      return it.getBoundingClientRect().bottom <= foot.getBoundingClientRect().top;
    }"""
    eventually(page, lambda: to_end.evaluate(above))


def test_a_wide_table_shows_that_it_goes_on_and_can_be_widened_and_copied(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/chat", permissions=["clipboard-read", "clipboard-write"])
    head = [f"column number {number}" for number in range(9)]
    begin(page, "Shop", f"| {' | '.join(head)} |\n{'|---' * 9}|\n| {' | '.join(head)} |")
    table = page.get_by_role("region", name="Table")
    expect(table).to_have_attribute("data-more", "end")
    before = table.evaluate("it => it.clientWidth")
    page.get_by_role("button", name="Widen the table").press("Enter")
    eventually(page, lambda: table.evaluate("it => it.clientWidth") > before)
    page.get_by_role("button", name="Copy as CSV").press("Enter")
    eventually(page, lambda: page.evaluate("navigator.clipboard.readText()").split() == 2 * ",".join(head).split())


def test_stop_while_it_writes_and_go_on(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "Count slowly")
    expect(page.get_by_role("log").get_by_text("One two three")).to_be_visible()
    entry = page.get_by_role("region", name="Conversations").get_by_role("listitem").filter(has_text="Count slowly")
    expect(entry.get_by_role("img", name="At work")).to_be_visible()
    box = page.get_by_role("textbox", name="Message", exact=True)
    # Escape stops nothing while the next message is being written.
    box.fill("And then?")
    box.press("Escape")
    page.keyboard.press("Escape")
    expect(entry.get_by_role("img", name="At work")).to_be_visible()
    box.fill("")
    page.keyboard.press("Escape")  # leaves the message field
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert").filter(has_text="Stopped. What was committed before stays.")).to_be_visible()
    expect(page.get_by_role("log").get_by_text("One two three")).to_be_visible()
    expect(page.get_by_role("log").get_by_text("How this came about")).to_be_visible()
    expect(entry.get_by_role("img", name="Stopped")).to_be_visible()
    # The turn is kept with its steps and with what it had written, and has an end in the trace.
    page.reload()
    expect(page.get_by_role("log").get_by_text("One two three")).to_be_visible()
    expect(page.get_by_role("article", name="You")).to_contain_text("Count slowly")
    expect(page.get_by_role("alert").filter(has_text="Stopped.")).to_be_visible()
    expect(page.get_by_role("log").get_by_text("How this came about")).to_be_visible()
    trace = fetched(address, f"threads/{thread_of(page)}/trace")["items"]
    assert [each["event"]["code"] for each in trace if each["event"]["type"] == "turn_failed"] == ["stopped"]
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("log").get_by_role("paragraph").filter(has_text="nineteen twenty.")).to_be_visible()
    settled(page)
    expect(entry.get_by_role("img")).to_have_count(0)
    expect(page.get_by_role("article", name="You")).to_have_count(2)


def test_say_something_again_and_differently(address: str, open_page: Open, accessible: Look, picture: Picture) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "What is **reverberation**?")
    log = page.get_by_role("log")
    expect(log.get_by_role("article", name="You").locator("strong")).to_have_text("reverberation")
    settled(page)
    first = thread_of(page)
    rows = page.get_by_role("region", name="Conversations").get_by_role("listitem").filter(has_text="reverberation")
    expect(rows).to_have_count(1)
    # Another message in its place: the conversation goes on with it, and the first version stays one click away.
    log.get_by_role("button", name="Edit").click()
    field = log.get_by_role("textbox", name="Message")
    expect(field).to_be_focused()
    accessible(page)
    picture(page, "chat-edit-message")
    field.fill("Something else")
    page.keyboard.press("Escape")
    expect(log.get_by_role("button", name="Edit")).to_be_focused()
    expect(log.get_by_role("article", name="You")).to_contain_text("What is reverberation?")
    page.keyboard.press("e")
    expect(field).to_have_value("What is **reverberation**?")
    field.fill("Explain reverberation briefly")
    field.press("Enter")
    expect(log.get_by_role("article", name="You")).to_contain_text("Explain reverberation briefly")
    versions = log.get_by_role("group", name="Versions of this message")
    expect(versions).to_contain_text("2/2")
    settled(page)
    # The same again: its answer takes the place of the other one.
    log.get_by_role("button", name="Try again").click()
    expect(versions).to_contain_text("3/3")
    settled(page)
    expect(log.get_by_role("article", name="You")).to_have_count(1)
    expect(rows).to_have_count(1)
    accessible(page)
    picture(page, "chat-versions")
    versions.get_by_role("button", name="Earlier version").click()
    expect(versions).to_contain_text("2/3")
    versions.get_by_role("button", name="Earlier version").click()
    expect(versions).to_contain_text("1/3")
    assert thread_of(page) == first
    act(page, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="All 3 versions").click()
    expect(rows).to_have_count(0)


def test_a_turn_is_followed_once_if_it_is_found_before_the_answer_to_its_message(address: str, open_page: Open) -> None:
    thread = begun(address, "shop")
    page = open_page(f"{address}/#/chat/{thread}")
    expect(page.get_by_role("log").get_by_text("What would you like?")).to_be_visible()
    held: list[Route] = []
    page.route(f"**/threads/{thread}", lambda route: held.append(route))
    with page.expect_request(f"**/threads/{thread}"):
        page.evaluate("dispatchEvent(new Event('focus'))")
    answers: list[tuple[Route, APIResponse]] = []
    page.route("**/turns", lambda route: answers.append((route, route.fetch())))
    say(page, "slow lamps")
    eventually(page, lambda: answers)
    followed: list[Request] = []
    page.on("request", lambda request: followed.append(request) if request.url.endswith("/events") else None)
    for each in held:
        each.continue_()
    page.unroute(f"**/threads/{thread}")
    expect(page.get_by_role("log").get_by_text("3 4 5")).to_be_visible()
    for route, answer in answers:
        route.fulfill(response=answer)
    expect(page.get_by_role("region", name="Question", exact=True)).to_contain_text("Shall I order slow lamps?")
    assert len(followed) == 1


def test_a_message_written_during_a_turn_waits_for_its_end(address: str, open_page: Open, accessible: Look) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "Count slowly, please")
    log = page.get_by_role("log")
    expect(log.get_by_text("One two three")).to_be_visible()
    say(page, "Explain resonance")
    say(page, "Forget this")
    queue = page.get_by_role("region", name="2 messages wait")
    expect(queue.get_by_role("listitem")).to_have_text(["Explain resonance", "Forget this"])
    accessible(page)
    queue.get_by_role("button", name="Do not send: Forget this").click()
    said = log.get_by_role("article", name="You").locator(".bubble")
    expect(said).to_have_text(["Count slowly, please", "Explain resonance"])
    expect(log.get_by_role("article", name="Research assistant")).to_have_count(2)
    settled(page)
    expect(page.get_by_role("region", name="messages wait")).to_have_count(0)


def test_an_answer_is_rated_with_a_comment(address: str, open_page: Open, accessible: Look) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Research assistant", "Explain resonance to me")
    settled(page)
    answer = page.get_by_role("article", name="Research assistant")
    bad = answer.get_by_role("button", name="Bad answer")
    bad.click()
    comment = answer.get_by_role("textbox", name="Comment")
    comment.fill("Where is the phase?")
    accessible(page)
    # A comment that could not be stored is still there.
    page.context.forgiven.append("Failed to load resource")  # type: ignore[attr-defined]
    page.route("**/feedback/*", lambda route: route.abort())
    comment.press("Enter")
    expect(page.get_by_text("The service does not answer.")).to_be_visible()
    expect(comment).to_have_value("Where is the phase?")
    page.unroute("**/feedback/*")
    comment.press("Enter")
    told(page, "Thank you for the feedback.")
    page.reload()
    expect(bad).to_have_attribute("aria-pressed", "true")
    messages = fetched(address, f"threads/{thread_of(page)}/messages")["items"]
    assert [(each["rating"], each["comment"]) for each in (messages[-1]["feedback"],)] == [
        ("bad", "Where is the phase?")
    ]
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "false")


def test_conversations_are_pinned_put_into_folders_and_deleted_together(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    for name in ("first", "second", "third"):
        begun(address, "shop", f"a lamp for the {name} floor")
    page = open_page(f"{address}/#/chat")
    pane = page.get_by_role("region", name="Conversations")
    row = pane.get_by_role("listitem").filter(has_text="the second floor")
    row.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Pin").click()
    expect(pane.get_by_role("heading", name="Pinned")).to_be_visible()
    row.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Move to folder").click()
    page.get_by_role("dialog").get_by_label("Folder").fill("Floors")
    page.get_by_role("dialog").get_by_role("button", name="Move").click()
    expect(row).to_contain_text("Floors")
    pane.get_by_role("combobox", name="Filter").click()
    page.get_by_role("option", name="Floors").click()
    expect(pane.get_by_role("listitem")).to_have_count(1)
    pane.get_by_role("combobox", name="Filter").click()
    page.get_by_role("option", name="All conversations").click()
    pane.get_by_role("button", name="Select several").click()
    page.keyboard.press("Escape")
    expect(pane.get_by_role("checkbox")).to_have_count(0)
    pane.get_by_role("button", name="Select several").click()
    for name in ("first", "third"):
        pane.get_by_role("checkbox", name=f"Select a lamp for the {name} floor").check()
    accessible(page)
    picture(page, "chat-selected")
    expect(pane.get_by_text("2 selected")).to_be_visible()
    pane.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete 2 conversations?").get_by_role("button", name="Delete").click()
    expect(pane.get_by_role("listitem").filter(has_text="a lamp for the")).to_have_count(1)


def test_a_search_leads_to_the_message(address: str, open_page: Open) -> None:
    thread = begun(address, "shop", "a needle", *["no, hay", "hay", "no, more hay", "hay"] * 12)
    page = open_page(f"{address}/#/chat")
    page.get_by_role("searchbox", name="Search conversations").fill("a needle")
    row = page.get_by_role("region", name="Conversations").get_by_role("listitem").filter(has_text="Shall I order")
    expect(row.locator(".thread-found mark")).to_have_text("a needle")
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile(rf"#/chat/{thread}\?message=\d+"))
    found = page.locator(".message-found, .decision").filter(has_text="a needle").first
    expect(found).to_be_in_viewport()


def test_a_first_message_that_is_refused_leaves_no_conversation(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/chat")
    page.context.forgiven.append("400")  # type: ignore[attr-defined]
    choose_agent(page, "Shop")
    long = "lamp " * 60_000
    with page.expect_response(lambda each: each.request.method == "DELETE"):
        say(page, long)
    expect(page.get_by_text("The message is too long.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value(long.strip())
    assert fetched(address, "threads")["items"] == []


def test_what_is_written_is_kept_and_begins_one_conversation(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/chat")
    choose_agent(page, "Shop")
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("half a thought")
    page.reload()
    expect(box).to_have_value("half a thought")
    box.fill("")
    page.get_by_role("button", name="Begin without a message").dblclick()
    expect(page).to_have_url(re.compile(r"#/chat/\w+"))
    settled(page)
    assert len(fetched(address, "threads")["items"]) == 1
    # A slip of the mouse beside a dialog does not discard what is written in it.
    act(page, "Rename")
    title = page.get_by_role("dialog", name="Rename").get_by_label("Title")
    title.fill("The lamps of the hall")
    page.mouse.click(5, 400)
    expect(title).to_have_value("The lamps of the hall")
    page.keyboard.press("Escape")
    expect(title).to_have_count(0)


def test_rename_search_export_and_delete(address: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Shop", "a chandelier")
    expect(page.get_by_role("button", name="Yes")).to_be_visible()
    act(page, "Rename")
    dialog = page.get_by_role("dialog", name="Rename")
    dialog.get_by_role("textbox", name="Title").fill("For the hall")
    dialog.get_by_role("textbox", name="Title").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("For the hall")
    search = page.get_by_role("searchbox", name="Search conversations")
    search.fill("chandelier")  # messages are searched as well
    links = page.get_by_role("region", name="Conversations").get_by_role("listitem")
    expect(links).to_have_count(1)
    expect(links).to_contain_text("For the hall")
    search.fill("no such words")
    expect(page.get_by_text("No conversation fits")).to_be_visible()
    search.fill("")

    with page.expect_download() as markdown:
        act(page, "Export as Markdown")
    assert markdown.value.suggested_filename == "For the hall.md"
    markdown.value.save_as(tmp_path / "thread.md")
    assert "Shall I order a chandelier?" in (tmp_path / "thread.md").read_text()
    with page.expect_download() as whole:
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("combobox").fill("export as json")
        page.keyboard.press("Enter")
    whole.value.save_as(tmp_path / "thread.json")
    thread = json.loads((tmp_path / "thread.json").read_text())
    assert [each["role"] for each in thread["messages"]] == ["user", "assistant"]

    act(page, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile(r"#/chat$"))
    expect(page.get_by_role("link", name="For the hall")).to_have_count(0)
    assert fetched(address, "threads")["items"] == []
    page.context.forgiven.append("404")  # type: ignore[attr-defined]
    page.goto(f"{address}/#/chat/{thread['thread']}")
    expect(page.get_by_role("alert").filter(has_text="This does not exist")).to_be_visible()
