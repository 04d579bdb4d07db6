"""Reading a whole reply: what a model proposes is held against the user's words before anything is committed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reading_support import ESCALATE, FLOW, assert_not_committed, reply_to, unknown, update

import graphwright
from graphwright.models.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("waiting", "text", "proposed", "committed"),
    [
        # The model quotes in words of its own; the number or the words themselves decide.
        ("q.power", "about 120 watts each", ("power", 120, "120 W"), 120),
        ("q.power", "make the wattage 180", ("power", 180, "180 W"), 180),
        ("q.power", "1.5 kW", ("power", 1, "1.5 kW"), 1500),
        ("q.size", "18 mal 36 Meter", ("size", "18 by 36 m", "18 by 36 m"), "18 mal 36 Meter"),
        ("q.size", "it is 18 x 36 metres", ("size", "18 x 36 m", "18 x 36 metres"), "18 x 36 metres"),
    ],
)
async def test_the_users_own_words_decide(
    tmp_path: Path, waiting: str, text: str, proposed: tuple[str, Any, str], committed: Any
) -> None:
    turn = await reply_to(tmp_path, waiting, text, update(proposed))
    assert turn.values["answers"][proposed[0]] == committed


@pytest.mark.parametrize(
    ("waiting", "text", "proposed"),
    [
        ("q.power", "the same as before", ("power", 70, "70 W")),
        ("q.power", "make it brighter", ("power", 500, "brighter")),
        ("q.power", "15 by 28 m", ("power", 15, "15 W")),
        ("q.power", "200 euros", ("power", 200, "200")),
        ("q.kind", "halogen or LED, not sure yet", ("kind", "halogen", "halogen")),
        ("q.kind", "not halogen please", ("kind", "halogen", "halogen")),
        ("q.place", "somewhere nice", ("place", "office", "somewhere nice")),
        ("q.email", "no idea", ("email", "kim@mail.example", "kim@mail.example")),
        ("q.place", "for the court and the office", ("place", "office", "office")),
    ],
)
async def test_what_the_user_did_not_say_is_not_committed(
    tmp_path: Path, waiting: str, text: str, proposed: tuple[str, Any, str]
) -> None:
    await assert_not_committed(tmp_path, waiting, text, proposed)


@pytest.mark.parametrize(
    ("waiting", "text", "key", "committed"),
    [
        ("q.kind", "mail me at kim@shop.example", "email", "kim@shop.example"),
        ("q.power", "1.5 kW", "power", 1500),
        ("q.kind", "LED", "kind", "LED"),
        ("q.kind", "the office", "place", "office"),
        ("q.email", "kim@shop.example", "email", "kim@shop.example"),
    ],
)
async def test_what_is_unmistakable_is_read_even_when_the_model_overlooks_it(
    tmp_path: Path, waiting: str, text: str, key: str, committed: Any
) -> None:
    turn = await reply_to(tmp_path, waiting, text, unknown(waiting[2:]))
    assert turn.values["answers"][key] == committed


@pytest.mark.parametrize(
    ("waiting", "text", "key"),
    [
        ("q.kind", "don't use old@shop.example any more", "email"),
        ("q.kind", "colleague kim@mail.example told me about you", "email"),
        ("q.power", "our old lamps had 200 W", "power"),
        ("q.power", "200 W is far too much", "power"),
        ("q.kind", "I hate LED", "kind"),
        ("q.kind", "LED is out of the question", "kind"),
        ("q.kind", "everything but LED", "kind"),
        ("q.kind", "none of the LED things", "kind"),
    ],
)
async def test_what_the_model_left_out_for_a_reason_is_not_read_by_code(
    tmp_path: Path, waiting: str, text: str, key: str
) -> None:
    turn = await reply_to(tmp_path, waiting, text, unknown(waiting[2:]))
    assert key not in turn.values["answers"]


async def test_an_option_that_the_model_overlooked_is_asked_about(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.kind", "well, I guess it will be LED", unknown("kind"))
    assert "Did you mean “LED”?" in turn.reply
    assert "kind" not in turn.values["answers"]


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("My name is Anna Weber, my boss is Karl Schmidt", ("size", "Anna Schmidt", "Anna")),
        ("2 courts in our halls, 18 x 36 m", ("size", "36 x 2", "36")),
    ],
)
async def test_a_text_is_not_put_together_from_words_here_and_there(
    tmp_path: Path, text: str, proposed: tuple[str, Any, str]
) -> None:
    turn = await reply_to(tmp_path, "q.kind", text, update(proposed))
    assert "size" not in turn.values["answers"]


@pytest.mark.parametrize("text", ["is LED any good?", "I don't know, LED perhaps", "no LED"])
async def test_a_question_a_doubt_and_a_refusal_are_no_choice(tmp_path: Path, text: str) -> None:
    turn = await reply_to(tmp_path, "q.kind", text, unknown("kind"))
    assert "kind" not in turn.values["answers"]


async def test_other_answers_are_taken_and_said_when_the_question_stays_open(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.kind", "it is for our gym", update(("place", "sports_court", "gym")))
    assert turn.values["answers"] == {"place": "sports_court"}
    assert "Noted: place “sports court”" in turn.reply
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == "q.kind"


@pytest.mark.parametrize(
    ("text", "proposed", "taken"),
    [
        ("12 spotlights, please", ("budget", 12, "12"), False),
        ("two are out", ("power", 2, "two"), False),
        ("the budget is 12", ("budget", 12, "12"), True),
        ("12 euros", ("budget", 12, "12 euros"), True),
    ],
)
async def test_a_bare_number_is_no_answer_to_what_was_not_asked(
    tmp_path: Path, text: str, proposed: tuple[str, Any, str], taken: bool
) -> None:
    turn = await reply_to(tmp_path, "q.kind", text, update(proposed))
    assert (proposed[0] in turn.values["answers"]) is taken
    assert "cannot be taken" not in turn.reply


async def test_an_address_speaks_for_no_option(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.place", "me@gym.example", unknown("place"))
    assert "place" not in turn.values["answers"]


async def test_a_value_without_evidence_is_asked_about_and_committed_on_a_yes(tmp_path: Path) -> None:
    file = tmp_path / "flow.yaml"
    file.write_text(FLOW, "utf-8")
    model = ScriptedModel.from_rules([{**update(("kind", "LED", "modern ones")), "times": 1}])
    async with graphwright.load(file).session("t", model=model, home=tmp_path / "home") as session:
        await session.start()
        turn = await session.send("the modern ones")
        assert "Did you mean “LED”?" in turn.reply
        assert "kind" not in turn.values["answers"]
        turn = await session.send("yes")
        assert turn.values["answers"] == {"kind": "LED"}


async def test_a_no_to_did_you_mean_commits_nothing(tmp_path: Path) -> None:
    file = tmp_path / "flow.yaml"
    file.write_text(FLOW, "utf-8")
    model = ScriptedModel.from_rules([{**update(("kind", "LED", "modern ones")), "times": 1}])
    async with graphwright.load(file).session("t", model=model, home=tmp_path / "home") as session:
        await session.start()
        await session.send("the modern ones")
        turn = await session.send("no")
        assert turn.values["answers"] == {}
        assert turn.waiting_for is not None
        assert turn.waiting_for.node == "q.kind"


async def test_an_optional_question_is_declined_by_a_refusal_and_not_by_another_answer(tmp_path: Path) -> None:
    declined = await reply_to(tmp_path / "a", "q.budget", "none yet", unknown("budget"))
    assert declined.waiting_for is not None
    assert declined.waiting_for.node == "q.email"
    other = await reply_to(tmp_path / "b", "q.budget", "we open at 9", unknown("budget"))
    assert other.waiting_for is not None
    assert other.waiting_for.node == "q.budget"


async def test_a_wish_for_a_person_must_be_in_the_message(tmp_path: Path) -> None:
    wished = await reply_to(tmp_path / "a", "q.kind", "can I talk to a real person", ESCALATE)
    assert wished.status == "ended"
    assert wished.path[-1] == "person"
    made_up = await reply_to(tmp_path / "b", "q.kind", "our old ones are dead", ESCALATE)
    assert made_up.status == "waiting"


async def test_a_correction_at_a_confirmation_is_taken(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.sure", "no, make that 200 W", update(("power", 200, "200 W")))
    assert turn.values["answers"]["power"] == 200
    assert "at 200 W" in turn.reply
    assert "size" in turn.values["answers"]


async def test_a_remark_at_a_confirmation_is_answered_honestly(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.sure", "hm, well", unknown("kind"))
    assert "nothing in that to change" in turn.reply
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == "q.sure"


async def test_an_address_is_not_the_text_of_another_answer(tmp_path: Path) -> None:
    text = "write to kim@shop.example"
    turn = await reply_to(tmp_path, "q.size", text, update(("size", text, text)))
    assert "size" not in turn.values["answers"]
    assert turn.values["answers"]["email"] == "kim@shop.example"
