"""Plain yes and no: what releases an action, and everything that must not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.runtime.reading.yes_no import answers_question, read_yes_no

YES = """
yes|Yes!|YES|yess|yse|yep|yup|yeah|y|ja|jaa|Ja.|jep|jo|ok|okay|okey|sure|corect|correct|genau|passt|stimmt|klar|na klar
yes please|ja bitte, gerne|Okay, go ahead!|go ahead|do it|please do|send it|no problem|why not|of course|natürlich
Ja, natürlich!|sounds good, thanks!|that's right|that’s correct|👍|👍🏽|✅|yes 🙂|definately|in Ordnung|kein Problem
einverstanden|auf jeden Fall|mach das|oui|d'accord|sí|claro que sí|va bene|graag|yes yes|yesss
confirmed|Bitte absenden|now it's right, yes|it is right
""".replace("\n", "|")
NO = """
no|No.|NOOO|nope|nah|nein|nien|nö|nee|no thanks|nein danke|don't|do not|do it not|please don't|no, don't send it|not yet
not now|lieber nicht|noch nicht|auf keinen Fall|of course not|natürlich nicht|👎|❌|never|mach das nicht|nicht absenden
stimmt nicht|that's not correct|it isn't|non merci|pas encore|claro que no|liever niet|cancel|stop
""".replace("\n", "|")
NEITHER = """
no, make that 200 W|yes but change the email|ja, aber mit 200 Watt|I don't know|yes and no|ja nein|not no|yes?|ok?|¿sí?
not sure|maybe|vielleicht|yes to the first|no that's fine|yes. no.|thanks|bitte|noon|past|neun|yet|yen|jein|100%
200|yes, 200|no one|yes if it is cheap|ok let me think|send it to bob@example.com|yes 🤔|jain|wrong number, yes|unsure|1
do you|what|hello|now|yes €|I do not agree that it is wrong|right or wrong|yes!no|nicht nein|no problem?|why not?
sue|use
""".replace("\n", "|")


def each(text: str) -> list[str]:
    return [part for part in text.split("|") if part]


@pytest.mark.parametrize("text", each(YES))
def test_a_plain_yes(text: str) -> None:
    assert read_yes_no(text) is True


@pytest.mark.parametrize("text", each(NO))
def test_a_plain_no(text: str) -> None:
    assert read_yes_no(text) is False


@pytest.mark.parametrize("text", ["", " ", "?", "\0", *each(NEITHER)])
def test_what_says_more_or_less_than_yes_or_no_is_neither(text: str) -> None:
    assert read_yes_no(text) is None


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    assert read_yes_no(text) in (True, False, None)


@given(
    st.sampled_from(each(YES)), st.sampled_from(["200", "but", "unless", "lamp", "?", "€", "aber", "bob@example.com"])
)
def test_a_yes_with_any_content_behind_it_is_no_yes(yes: str, more: str) -> None:
    assert read_yes_no(f"{yes} {more}") is None


@given(st.sampled_from(each(YES)), st.sampled_from(each(NO)))
def test_a_yes_beside_a_no_is_never_a_yes(yes: str, no: str) -> None:
    assert read_yes_no(f"{yes}, {no}") is not True
    assert read_yes_no(f"{no}, {yes}") is not True


@pytest.mark.parametrize("text", ["yes " * 250_000, "no" * 500_000, "\u202eyes\u202c" * 100_000])
def test_a_huge_reply_is_no_plain_reply(text: str) -> None:
    assert read_yes_no(text) is None


@pytest.mark.parametrize(
    ("text", "question", "meant"),
    [
        ("delete it", "This would change the graph (1 node deleted). Shall I do this?", True),
        ("delete it", "Create experiment 'Foo'?", None),
        ("ok, run it", "Delete experiment 'Foo'?", None),
        ("run it", "Change the status to enrolling, so that it starts?", True),
        ("don't delete it", "Create experiment 'Foo'?", False),
        ("yes", "Create experiment 'Foo'?", True),
        ("do it", "Create experiment 'Foo'?", True),
        ("order it", "Soll ich die Lampen bestellen?", True),
    ],
)
def test_a_deed_of_its_own_agrees_to_nothing_else(text: str, question: str, meant: bool | None) -> None:
    assert answers_question(text, question) is meant


SHOWN = "This would change the graph:\n- Ticket T-106 {points: 3}\n- Ticket T-106 -[IN]-> Sprint S-7\nShall I do this?"


@pytest.mark.parametrize("text", ["Yes, go ahead and delete T-106.", "yes delete T-106"])
def test_a_yes_may_say_again_what_it_is_about(text: str) -> None:
    assert answers_question(text, f"{SHOWN} It is deleted.") is True


@pytest.mark.parametrize(
    "text",
    [
        "yes, delete T-107",
        "yes, delete T-106 and T-107",
        "yes and",
        "yes, only T-106",
        "yes, T-106 but not S-7",
        "delete 106",
        "T-106",
    ],
)
def test_a_yes_that_names_something_else_is_none(text: str) -> None:
    assert answers_question(text, f"{SHOWN} It is deleted.") is None


def test_a_yes_to_one_of_several_is_none() -> None:
    assert answers_question("yes, delete T-106", f"{SHOWN} Deleted as well: T-107") is None
