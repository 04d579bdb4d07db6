"""The editor of flows: a draft as picture, form and text; its problems, tests, versions and publication."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from api_support import SHOP, served, shop
from browser_support import NARROW, Look, Open, Picture, begun, eventually, fetched, fits, told
from editor_support import CONVERSATION, draft, drag, editor, node, replace_text, saved


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A service with the shop, which has one scripted conversation."""
    tests = shop(tmp_path) / "tests"
    tests.mkdir()
    (tests / "tea.conversation.yaml").write_text(CONVERSATION, "utf-8")
    with served(tmp_path) as (_, where):
        yield where


def test_a_draft_is_edited_in_the_picture_the_form_and_the_text(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/editor")
    page.get_by_role("link", name="Shop", exact=True).click()
    expect(page.locator(".flow-node")).to_have_count(6)
    # A form changes one line of the text.
    node(page, "What").click()
    prompt = page.get_by_label("Prompt", exact=True)
    expect(prompt).to_have_value("What would you like?")
    prompt.fill("What may it be?")
    prompt.blur()
    expect(page.locator(".editor-text .cm-content")).to_contain_text("What may it be?")
    saved(page)
    assert draft(address)["text"] == SHOP.strip().replace("What would you like?", "What may it be?")
    # One undo for picture, form and text.
    page.get_by_role("button", name="Undo").click()
    expect(prompt).to_have_value("What would you like?")
    # A new node, and an edge to it.
    page.get_by_role("button", name="Add: End").click()
    expect(page.locator(".flow-node")).to_have_count(7)
    identity = page.get_by_label("Id", exact=True)
    identity.fill("closed")
    identity.blur()
    expect(node(page, "Closed")).to_be_visible()
    node(page, "Write").click()
    page.get_by_label("Connect to").select_option("closed")
    expect(page.get_by_label("Edges").get_by_role("button", name="closed")).to_be_visible()
    accessible(page)
    picture(page, "editor")
    saved(page)
    assert "- {from: write, to: closed}" in str(draft(address)["text"])
    # A node that is deleted takes its edges along.
    node(page, "Closed").click()
    page.keyboard.press("Delete")
    expect(page.locator(".flow-node")).to_have_count(6)
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


def test_a_node_is_added_duplicated_and_deleted_where_it_stands(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Picture", exact=True).click()
    page.get_by_role("button", name="Show all").click()
    node(page, "What").click(button="right")
    menu = page.get_by_role("menu", name="Actions")
    menu.get_by_role("menuitem", name="Add after it: Question").click()
    # Its key follows its id.
    identity = page.get_by_label("Id", exact=True)
    identity.fill("q.size")
    identity.blur()
    expect(page.get_by_label("Answer key", exact=True)).to_have_value("size")
    node(page, "Size").click(button="right")
    menu.get_by_role("menuitem", name="Duplicate").click()
    expect(node(page, "Size 2")).to_be_visible()
    expect(page.get_by_text("No way leads to")).to_have_count(0)
    saved(page)
    text = str(draft(address)["text"])
    assert "from: q.size, to: q.size.2" in text
    assert "from: q.size.2, to: write" in text
    # What is deleted leaves no gap.
    page.get_by_role("form", name="Properties").get_by_role("button", name="Delete").click()
    node(page, "Size").click(button="right")
    menu.get_by_role("menuitem", name="Delete").click()
    expect(page.locator(".flow-node")).to_have_count(6)
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


def test_a_node_is_inserted_into_an_edge_by_its_button_and_by_a_key(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Picture", exact=True).click()
    page.get_by_role("button", name="Show all").click()
    edge = page.locator(".react-flow__edge").filter(has=page.locator(".flow-edge.flow-else"))
    # The middle of the box around a path is not on the path.
    edge.locator(".react-flow__edge-interaction").dispatch_event("mouseover")
    page.get_by_role("button", name="Insert a node here").click()
    menu = page.get_by_role("menu", name="Actions")
    menu.get_by_role("menuitem", name="Add in between: Question").click()
    expect(page.locator(".flow-node")).to_have_count(7)
    saved(page)
    # The guard and its place among the edges stay.
    edges = "- {from: q.sure, to: q.1, guard: else}\n  - {from: send, to: done}\n  - {from: q.1, to: q.what}"
    assert edges in str(draft(address)["text"])
    page.keyboard.press("Escape")
    node(page, "q.1").click()
    page.keyboard.press("i")
    menu.get_by_role("menuitem", name="Add after it: Question").click()
    expect(page.locator(".flow-node")).to_have_count(8)


def test_a_flow_is_edited_with_the_keyboard_alone(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    focus = page.locator(":focus")
    page.locator(".react-flow__node", has=node(page, "What")).focus()
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_disabled()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_enabled()
    # The arrow keys follow the edges, and the focus goes along.
    page.keyboard.press("ArrowDown")
    expect(focus).to_have_attribute("data-id", "write")
    page.keyboard.press("i")
    expect(page.get_by_role("menuitem", name="Add after it: Question")).to_be_focused()
    page.keyboard.press("Escape")
    expect(focus).to_have_attribute("data-id", "write")
    page.keyboard.press("i")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Add after it: Confirmation")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("form", name="Properties").get_by_label("Label")).to_be_focused()
    page.keyboard.type("Certain")
    page.keyboard.press("Enter")
    expect(node(page, "Certain")).to_be_visible()
    saved(page)
    assert "from: write, to: q.confirm}" in str(draft(address)["text"])
    # An edge needs no choice before.
    page.locator(".react-flow__edge", has=page.locator(".flow-edge.flow-else")).focus()
    page.keyboard.press("i")
    page.keyboard.press("Enter")
    expect(page.get_by_role("form", name="Properties").get_by_label("Label")).to_be_focused()
    # The panel of the properties opens for what the palette adds.
    page.get_by_role("tab", name="Outline").click()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("Add: End")
    page.keyboard.press("Enter")
    expect(page.get_by_role("form", name="Properties").get_by_label("Label")).to_be_focused()
    # The text says how the keyboard leaves it.
    page.locator(".editor-text .cm-content").focus()
    expect(page.get_by_text("Escape, then Tab leaves the text")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator(".editor-side").locator(":focus")).to_have_count(1)


def test_conditions_and_transitions_without_an_edge_are_in_the_picture(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    replace_text(page, "key: what,", "key: what, when: 'true', on_invalid: dropped,")
    page.get_by_role("tab", name="Picture", exact=True).click()
    page.get_by_role("button", name="Show all").click()
    expect(node(page, "What")).to_contain_text("if true")
    expect(page.locator(".flow-edge.flow-jump")).to_have_count(1)
    expect(page.locator(".flow-label.flow-jump")).to_have_text("on invalid")


def test_the_form_of_a_question_has_kinds_and_limits_and_stays_in_place(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.get_by_role("button", name="Add: Question").click()
    text = page.locator(".editor-text .cm-content")
    page.get_by_label("Kind of answer").select_option("Date")
    expect(text).to_contain_text("schema: {type: string, format: date}")
    page.get_by_label("Kind of answer").select_option("Whole number")
    for name, limit in (("At least", "1"), ("At most", "12")):
        page.get_by_label(name).fill(limit)
        page.keyboard.press("Tab")
    expect(text).to_contain_text("minimum: 1, maximum: 12")
    page.get_by_text("More fields").click()
    page.get_by_label("Valid if").fill("value != answers.q_1")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Text after an invalid answer")).to_be_focused()
    # A renamed answer is renamed where it is read.
    page.get_by_label("Answer key").fill("count")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Valid if")).to_have_text("value != answers.count")
    # A confirmation is a yes or no.
    page.get_by_role("button", name="Add: Question").click()
    page.get_by_label("How it is read").select_option("confirm")
    expect(page.get_by_label("Kind of answer").locator("option:checked")).to_have_text("Yes or no")


def test_a_booking_is_made_with_the_forms_and_no_expression_is_written(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    text = page.locator(".editor-text .cm-content")
    node(page, "What").click()
    page.get_by_role("button", name="Add: Question").click()
    page.get_by_label("Kind of answer").select_option("Date")
    page.get_by_label("Allowed days").select_option("After today")
    expect(text).to_contain_text("validate: date(value) > date(now)")
    page.get_by_role("button", name="Add: Question").click()
    page.get_by_label("Kind of answer").select_option("Choice")
    for number, value in ((1, "inside"), (2, "terrace")):
        option = page.get_by_role("group", name=f"Option {number}")
        option.get_by_label("Value").fill(value)
        option.get_by_label("Value").blur()
    expect(text).to_contain_text("schema: {enum: [inside, terrace]}")
    page.get_by_text("More fields").click()
    page.get_by_label("Required", exact=True).select_option("false")
    # A confirmation shows all answers; its edges are for a yes and a no.
    page.get_by_role("button", name="Add: Confirmation").click()
    prompt = page.get_by_label("Prompt", exact=True)
    expect(prompt).to_have_value(re.compile(r"- What: \{\{ answers.what \}\}\n(.|\n)*has\(answers.q_2\)"))
    page.get_by_role("button", name="Add: End").click()
    expect(page.get_by_label("Closing text")).to_have_value("Thank you.")
    page.get_by_label("Insert an answer").select_option("what")
    expect(page.get_by_label("Closing text")).to_have_value("Thank you.{{ answers.what }}")
    expect(text).to_contain_text("{from: q.confirm, to: write, guard: answers.confirm == true}")
    # An action records all of it, after a yes.
    node(page, "Confirm").click()
    page.get_by_role("button", name="Add: Action").click()
    page.get_by_label("Function").select_option("record")
    page.get_by_role("button", name="Take all answers").click()
    expect(text).to_contain_text("collection: entries")
    page.get_by_label("Only after a yes to").select_option("q.confirm")
    expect(text).to_contain_text("over: [answers.what, answers.q_1, answers.q_2]")


def test_findings_are_solved_by_a_button(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    replace_text(page, "key: what,", "key: what, required: false,")
    page.get_by_role("button", name="Show the problems").click()
    page.get_by_role("button", name="Allow that it is missing").first.click()
    expect(page.locator(".editor-text .cm-content")).to_contain_text("has(answers.what) ? answers.what : ''")


def test_the_properties_show_findings_and_titles_and_an_edge_is_taken_after_an_answer(
    address: str, open_page: Open
) -> None:
    page = editor(open_page, address)
    replace_text(page, "{from: q.sure, to: send, guard: answers.sure == true}", "{from: q.sure, to: send}")
    node(page, "Sure").click()
    form = page.get_by_role("form", name="Properties")
    expect(form.get_by_label("Connect to").get_by_role("option", name="Dropped")).to_be_attached()
    form.get_by_label("Edges").get_by_role("button", name="Send always open").click()
    expect(form.get_by_role("heading", name="Sure to Send")).to_be_visible()
    after = form.get_by_label("It is taken")
    expect(after).to_have_value("Always")
    after.select_option("If the answer is yes")
    saved(page)
    assert draft(address)["text"] == SHOP.strip()
    # A finding of the edge is in its properties, with its fix.
    form.get_by_label("Guard").fill("answers.shure == true")
    form.get_by_label("Guard").press("Enter")
    form.get_by_role("button", name="Write sure").click()
    expect(form.get_by_label("Guard")).to_have_text("answers.sure == true")
    expect(form.get_by_label("Problems")).to_have_count(0)


def test_a_conversation_of_the_chat_is_kept_as_a_test_and_a_failure_says_why(address: str, open_page: Open) -> None:
    thread = begun(address, "shop")
    page = open_page(f"{address}/#/chat/{thread}")
    page.get_by_role("button", name="More actions", exact=True).click()
    page.get_by_role("menuitem", name="Keep as a test").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("asked")
    page.keyboard.press("Enter")
    expect(page.get_by_text("tests/asked.conversation.yaml")).to_be_visible()
    dialog.get_by_role("button", name="Done").click()
    page = editor(open_page, address)
    replace_text(page, "What would you like?", "What do you want?")
    page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(re.compile("of 2 conversations pass"))).to_be_visible(timeout=60_000)
    expect(dialog.get_by_role("listitem").filter(has_text="asked")).to_contain_text("At the beginning")


def test_a_node_is_moved_and_connected_by_the_mouse_and_nothing_else_changes(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Picture", exact=True).click()
    page.get_by_role("button", name="Show all").click()
    drag(page, node(page, "Dropped"), by=(90, 60))
    saved(page)
    moved = re.sub(r", ui: \{x: -?\d+, y: -?\d+\}", "", str(draft(address)["text"]))
    assert moved == SHOP.strip()
    assert "dropped, type: terminal, say: Nothing was ordered., ui: {x: " in str(draft(address)["text"])
    source = page.locator(".react-flow__node[data-id=write] .source")
    drag(page, source, page.locator(".react-flow__node[data-id=dropped] .target"))
    saved(page)
    assert "- {from: write, to: dropped}" in str(draft(address)["text"])


def test_problems_lead_to_their_places_and_a_syntax_error_keeps_the_picture(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    replace_text(page, "answers.sure == true", "answers.shure == true")
    problem = page.get_by_role("button", name=re.compile("GW\\d+ .*"))
    expect(problem.filter(has_text="shure").first).to_be_visible()
    problem.filter(has_text="shure").first.click()
    expect(page.get_by_label("Guard", exact=True)).to_have_text("answers.shure == true")
    page.get_by_label("Guard", exact=True).fill("answers.sure == true")
    page.get_by_label("Guard", exact=True).blur()
    expect(page.get_by_text("No problems").first).to_be_visible()
    # Another key is written in everything that reads the answer.
    node(page, "Sure").click()
    page.get_by_label("Answer key", exact=True).fill("agreed")
    page.get_by_label("Answer key", exact=True).blur()
    expect(page.locator(".editor-text .cm-content")).to_contain_text("answers.agreed == false")
    expect(page.get_by_text("No problems").first).to_be_visible()
    replace_text(page, "nodes:", "nodes: [")
    expect(page.get_by_text("The picture is the last that could be read").first).to_be_visible()
    expect(page.locator(".flow-node")).to_have_count(6)
    expect(page.get_by_role("button", name="Add: End")).to_be_disabled()


def test_a_draft_is_tested_published_talked_to_and_an_earlier_version_restored(
    address: str, open_page: Open, picture: Picture
) -> None:
    before = begun(address, "shop")
    page = editor(open_page, address)
    replace_text(page, "What would you like?", "What do you want?")
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
    expect(page.locator(".flow-node.flow-never").first).to_be_visible()
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What do you want?")
    dialog.get_by_role("textbox", name="What changed").fill("Shorter words.")
    expect(dialog.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
    picture(page, "editor-publish")
    dialog.get_by_role("button", name="Publish").click()
    told(page, "Published as version 2")
    expect(page.get_by_text("Shorter words.")).to_be_visible()
    for thread in (begun(address, "shop"), before):
        ended = fetched(address, f"threads/{thread}/state")
        assert ended["waiting_for"]["node"] == "q.what"
    page.get_by_role("button", name="1 From flow.yaml of the folder").click()
    page.get_by_role("button", name="Restore as draft").click()
    saved(page)
    assert draft(address)["text"] == SHOP.strip()
    assert draft(address)["version"] == 2


def test_two_people_on_one_draft_and_a_service_that_is_away_lose_nothing(address: str, open_page: Open) -> None:
    one, two = editor(open_page, address), editor(open_page, address)
    replace_text(one, "Ordered.", "It is ordered.")
    saved(one)
    two.context.forgiven.append("412")  # type: ignore[attr-defined]
    replace_text(two, "Nothing was ordered.", "Nothing is ordered.")
    expect(two.get_by_role("alert")).to_contain_text("Somebody else saved this draft")
    two.get_by_role("button", name="Save mine over it").click()
    saved(two)
    assert "Nothing is ordered." in str(draft(address)["text"])
    two.context.forgiven += ["ERR_FAILED", "ERR_INTERNET"]  # type: ignore[attr-defined]
    two.route("**/draft", lambda route: route.abort())
    replace_text(two, "Nothing is ordered.", "Nothing at all.")
    expect(two.get_by_text("The service does not answer").first).to_be_visible()
    two.reload()
    two.unroute("**/draft")
    two.reload()
    expect(two.locator(".editor-text .cm-content")).to_contain_text("Nothing at all.")
    saved(two)
    assert "Nothing at all." in str(draft(address)["text"])


def test_what_is_written_during_a_slow_save_is_saved_after_it(address: str, open_page: Open) -> None:
    page = editor(open_page, address, prepare=lambda page: page.clock.install())
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if route.request.method == "PUT" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/draft", hold_the_first)
    with page.expect_request("**/draft"):
        replace_text(page, "Ordered.", "It is ordered.")
    for old, new in (("It is", "It was"), ("It was", "It will be")):
        replace_text(page, old, new)
        page.clock.run_for(1_500)  # until it would be saved
    held[0].continue_()
    saved(page)
    assert "It will be ordered." in str(draft(address)["text"])


def test_a_text_that_is_restored_while_another_one_is_sent_is_saved_after_it(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    held: list[Route] = []
    page.route("**/draft", lambda route: held.append(route))
    with page.expect_request("**/draft"):
        replace_text(page, "What would you like?", "What may it be?")
    replace_text(page, "What may it be?", "What would you like?")
    expect(page.get_by_role("status").get_by_text("Not saved yet")).to_be_visible()
    held[0].continue_()
    page.unroute("**/draft")
    saved(page)
    assert draft(address)["text"] == SHOP.strip()


def test_the_editor_fits_a_phone_and_speaks_german(address: str, open_page: Open, picture: Picture) -> None:
    page = editor(open_page, address, viewport=NARROW, locale="de-DE")
    expect(page.get_by_role("tab", name="Gliederung")).to_be_visible()
    fits(page)
    page.get_by_role("tab", name="Gliederung").click()
    page.get_by_role("button", name="Frage What").click()
    page.get_by_role("tab", name="Eigenschaften").click()
    expect(page.get_by_label("Fragetext", exact=True)).to_be_visible()
    picture(page, "editor-narrow")
    page.get_by_role("tab", name="Text").click()
    replace_text(page, "answers.sure == true", "answers.shure == true")
    page.get_by_role("button", name="1 Fehler").click()
    problem = page.get_by_role("button", name="In diesem Ausdruck steht ein unbekannter Name: shure.")
    # The English message is only below.
    expect(problem).not_to_contain_text("There is no answer")
    page.get_by_text("Meldung des Compilers").click()
    expect(page.get_by_text("There is no answer shure.")).to_be_visible()


def test_a_draft_that_cannot_be_saved_is_not_left_without_a_question(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.context.forgiven.append("Failed to load resource")
    page.route("**/draft", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    replace_text(page, "What would you like?", "What shall it be?")
    rail = page.get_by_role("navigation", name="Panes")
    rail.get_by_role("link", name="Logs").click()
    question = page.get_by_role("dialog", name="The draft is not saved")
    question.get_by_role("button", name="Stay").click()
    expect(page.locator(".editor-text .cm-content")).to_contain_text("What shall it be?")
    page.unroute("**/draft")
    rail.get_by_role("link", name="Logs").click()
    expect(page.get_by_role("heading", name="Logs", level=1)).to_be_visible()
    assert "What shall it be?" in str(draft(address)["text"])


def test_a_picture_that_was_hidden_by_the_text_is_there_again(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.get_by_role("tab", name="Text", exact=True).click()
    expect(page.locator(".flow-node").first).to_be_hidden()
    page.wait_for_timeout(300)
    page.get_by_role("tab", name="Picture", exact=True).click()
    expect(node(page, "What")).to_be_in_viewport(ratio=1)


def test_one_escape_closes_the_dialog_of_the_keys(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_focused()
    dialog.get_by_role("button", name="Close").hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_whole_picture_stays_in_view_while_its_room_and_its_nodes_change(address: str, open_page: Open) -> None:
    page = editor(open_page, address, viewport={"width": 1400, "height": 860})
    page.get_by_role("button", name="Add: Decision").click()
    expect(node(page, "Choose 1")).to_be_visible()
    within = """it => {
      const [box, canvas] = [it, it.closest('.flow-canvas')].map(each => each.getBoundingClientRect());
      return box.left >= canvas.left && box.bottom <= canvas.bottom;
    }"""
    titles = ("What", "Write", "Send", "Done", "Choose 1")
    eventually(page, lambda: all(node(page, title).evaluate(within) for title in titles))
    width = page.get_by_role("complementary", name="Properties").evaluate("it => it.offsetWidth")
    page.get_by_role("tab", name="Try it").click()
    eventually(page, lambda: page.get_by_role("complementary", name="Try it").evaluate("it => it.offsetWidth") == width)


def test_a_conversation_that_no_longer_fits_says_why_and_is_recorded_again(address: str, open_page: Open) -> None:
    page = editor(open_page, address)
    replace_text(page, "Shall I order", "Shall I buy")
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Run all").click()
    why = page.get_by_text("After “tea” the draft says “Shall I buy tea?”, not “order tea”.")
    expect(why).to_be_visible(timeout=60_000)
    # A result of another text is none.
    replace_text(page, "Shall I buy", "Shall I really buy")
    expect(page.get_by_text("From before your last change")).to_be_visible()
    expect(why).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("tab", name="Try it").click()
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("log")).to_contain_text("What would you like?")
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Record again").click()
    # The earlier conversation is not kept by mistake.
    expect(page.get_by_role("button", name="Keep as tea")).to_be_disabled()
    page.get_by_role("button", name="Begin again").click()
    log = page.get_by_role("log")
    expect(log).to_contain_text("What would you like?")
    message = page.get_by_label("Write to the draft")
    message.fill("tea")
    message.press("Enter")
    expect(log).to_contain_text("Shall I buy tea?")
    page.get_by_role("button", name="Keep as tea").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Keep", exact=True).click()
    dialog.get_by_role("button", name="Done").click()
    page.get_by_role("tab", name="Tests").click()
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("1 of 1 conversations pass")).to_be_visible(timeout=60_000)
