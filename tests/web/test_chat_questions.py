"""Questions in the web app: choices by key and click, and fields that report errors before they are sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser_support import (
    NARROW,
    Look,
    Open,
    Picture,
    agent,
    begin,
    choose_agent,
    fetched,
    served_agents,
    settled,
    thread_of,
)

BOOKING = r"""
version: v1
id: flow.booking
title: Booking
nodes:
  - {id: q.class, type: question, key: class, read: choice, prompt: Which class?,
     schema: {oneOf: [{const: 1, title: First}, {const: 2, title: Second}]}}
  - {id: q.seats, type: question, key: seats, prompt: How many seats?,
     schema: {type: integer, minimum: 1, maximum: 8}, validate: value != 7,
     invalid_prompt: Seven are not sold together.}
  - {id: q.price, type: question, key: price, prompt: What may it cost?,
     schema: {type: number, exclusiveMinimum: 0, x-unit: EUR}}
  - {id: q.card, type: question, key: card, prompt: Which card?,
     schema: {type: string, pattern: '^[A-Z]{2}-\d{2}$', maxLength: 5}}
  - {id: q.mail, type: question, key: mail, prompt: Where shall it be sent?, schema: {type: string, format: email}}
  - {id: q.day, type: question, key: day, prompt: On which day?, schema: {type: string, format: date}}
  - {id: q.window, type: question, key: window, prompt: At the window?, schema: {type: boolean}}
  - {id: q.extras, type: question, key: extras, prompt: What else?,
     schema: {type: array, items: {enum: [meal, bicycle, dog]}, minItems: 1, maxItems: 2}}
  - {id: done, type: terminal, say: Booked.}
edges:
  - {from: q.class, to: q.seats}
  - {from: q.seats, to: q.price}
  - {from: q.price, to: q.card}
  - {from: q.card, to: q.mail}
  - {from: q.mail, to: q.day}
  - {from: q.day, to: q.window}
  - {from: q.window, to: q.extras}
  - {from: q.extras, to: done}
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("questions")
    with served_agents(folder, agents=[agent(folder, "booking", BOOKING)]) as (_, address):
        yield address


def answers(page: Page, address: str) -> dict[str, object]:
    state = fetched(address, f"threads/{thread_of(page)}/state")
    return dict(state["values"]["answers"])


def field(page: Page, question: str) -> Locator:
    return page.get_by_role("form", name="Question").get_by_role("textbox", name=question)


def test_each_type_has_a_field_with_immediate_validation(
    address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    page = open_page(f"{address}/#/chat")
    begin(page, "Booking")
    form = page.get_by_role("form", name="Question")
    answer = form.get_by_role("button", name="Answer")
    expect(page.get_by_role("group", name="Which class?").get_by_role("button")).to_have_count(2)
    accessible(page)
    page.keyboard.press("Escape")
    # The key of a choice only moves the focus.
    page.keyboard.type("2nd class")
    box = page.get_by_role("textbox", name="Message", exact=True)
    expect(box).to_have_value("2nd class")
    box.fill("")
    box.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Enter")

    seats = form.get_by_role("textbox")  # its accessible name is the question, also if that changes
    expect(seats).to_have_accessible_name("How many seats?")
    expect(form).to_contain_text("A whole number · At least 1 · At most 8")
    with_complaints = [("9", "At most 8"), ("2.5", "A whole number"), ("many", "A number"), ("0", "At least 1")]
    for text, complaint in with_complaints:
        seats.fill(text)
        seats.press("Enter")
        expect(form.get_by_text(complaint)).to_be_visible()
        expect(seats).to_have_attribute("aria-invalid", "true")
        expect(seats).to_be_focused()
    accessible(page)
    picture(page, "chat-question-field")
    assert answers(page, address) == {"class": 2}
    # Errors that only the service detects are shown, and the typed text stays for correction.
    seats.fill("7")
    answer.click()
    expect(page.get_by_role("log").get_by_text("Seven are not sold together.")).to_be_visible()
    expect(seats).to_have_value("7")
    seats.fill("3")
    answer.click()

    price = field(page, "What may it cost?")
    expect(form).to_contain_text("EUR")
    price.fill("1,500")
    answer.click()
    expect(form.get_by_text("without a sign of thousands")).to_be_visible()
    price.fill("12,50")
    price.press("Enter")

    card = field(page, "Which card?")
    card.fill("AB-1")
    answer.click()
    expect(form.get_by_text("does not have the form")).to_be_visible()
    card.fill("AB-12")
    card.press("Enter")

    mail = field(page, "Where shall it be sent?")
    mail.fill("ann at example.com")
    answer.click()
    expect(form.get_by_text("An e-mail address, such as")).to_be_visible()
    mail.fill("ann@example.com")
    mail.press("Enter")

    form.get_by_label("On which day?").fill("2026-12-24")
    answer.click()
    page.get_by_role("region", name="Question").get_by_role("button", name="Yes").click()

    extras = page.get_by_role("group", name="What else?")
    answer.click()
    expect(form.get_by_text("At least 1 of them")).to_be_visible()
    for each in ("meal", "bicycle", "dog"):
        extras.get_by_role("checkbox", name=each).check()
    answer.click()
    expect(form.get_by_text("At most 2 of them")).to_be_visible()
    accessible(page)
    page.set_viewport_size(NARROW)
    accessible(page)
    picture(page, "chat-question-several-narrow")
    extras.get_by_role("checkbox", name="bicycle").uncheck()
    answer.click()
    expect(page.get_by_role("log").get_by_text("Booked.")).to_be_visible()
    settled(page)
    assert answers(page, address) == {
        "class": 2, "seats": 3, "price": 12.5, "card": "AB-12", "mail": "ann@example.com", "day": "2026-12-24",
        "window": True, "extras": ["meal", "dog"],
    }  # fmt: skip


def test_a_question_in_german_and_dark_after_a_reload(address: str, open_page: Open, accessible: Look) -> None:
    page = open_page(f"{address}/#/chat", locale="de-DE", color_scheme="dark")
    choose_agent(page, "Beleuchtungsanfragen")
    page.get_by_role("textbox", name="Nachricht", exact=True).fill("We need new lights")
    page.get_by_role("button", name="Senden").click()
    choice = page.get_by_role("region", name="Auswählen")
    expect(choice.get_by_role("button", name="halogen")).to_be_visible()
    page.reload()
    choice.get_by_role("button", name="halogen").click()
    expect(choice.get_by_role("button", name="halogen")).to_have_count(0)
    accessible(page)
