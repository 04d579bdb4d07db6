"""Guided conversations for a user and a model: the prompts of the model, and the texts for the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import graphwright
from graphwright.engine._changed_answers import names_of
from graphwright.engine._wording import action_name
from graphwright.flow.compiled import Action
from graphwright.store import open_store
from host_support import agent, of_type, open_session, reads, scripted, unknown
from kernel_support import flow as flow_of
from step_support import conversation, started

ALL = "That is all I can say about it here."

SHOP = """
restart: keep
nodes:
  - {id: q.lamp, type: question, key: lamp, prompt: Which lamp?, schema: {enum: [LED, halogen]}}
  - id: q.watts
    type: question
    key: watts
    prompt: How many watts?
    schema: {type: integer, title: power, x-unit: W, minimum: 5, maximum: 2000}
    invalid_prompt: "Please give the power of one lamp in watts, from 5 to 2000."
  - id: q.more
    type: question
    key: more
    read: confirm
    ask: always
    prompt: "Sent {{ answers.lamp }}. Anything else?"
  - {id: done, type: terminal, say: "It stays as it is."}
edges:
  - {from: q.lamp, to: q.watts}
  - {from: q.watts, to: q.more}
  - {from: q.more, to: done, guard: answers.more == false}
  - {from: q.more, to: q.lamp, guard: else}
"""


@pytest.mark.parametrize("consent", ["agrees_with_changes", "unclear"])
@pytest.mark.parametrize("ended", [False, True])
def test_a_further_wish_counts_where_no_answer_is_asked_for(tmp_path: Path, consent: str, ended: bool) -> None:
    wish = {"key": "lamp", "value": "LED", "quote": "LED lamps", "correction": False}
    rules = (
        reads("halogen", ("lamp", "halogen", "halogen"), ("watts", 40, "40 W")),
        {"says": "LED", "call": {"UpdateAnswers": {"consent": consent, "answers": [wish]}}},
    )
    session = conversation(agent(tmp_path / "a", SHOP), *rules)
    session.send("halogen, 40 W")
    if ended:
        session.send("no")
    turn = session.send("besides, we need LED lamps")
    assert turn.values["answers"] == {"lamp": "LED", "watts": 40}
    assert turn.reply.endswith("Sent LED. Anything else?")
    assert "nothing in that to change" not in turn.reply


def test_another_value_that_is_not_called_a_correction_is_not_lost_silently(tmp_path: Path) -> None:
    rules = (
        reads("as before", ("lamp", "halogen", "halogen"), ("watts", 60, "60 W")),
        reads("halogen", ("lamp", "halogen", "halogen")),
        reads("an LED", ("lamp", "LED", "LED"), ("watts", 40, "40 W")),
    )
    session = conversation(agent(tmp_path / "a", SHOP), *rules)
    session.send("halogen")
    turn = session.send("40 W, it was an LED before")
    assert turn.reply.startswith("As before: lamp: halogen. If it should be LED, please say so.\n\nSent halogen.")
    turn = session.send("halogen as before, and 60 W")
    assert turn.reply == "Noted: power: 60 W.\n\nSent halogen. Anything else?"


async def test_the_model_sees_all_that_the_user_was_shown_last(tmp_path: Path) -> None:
    rules = (
        reads("halogen", ("lamp", "halogen", "halogen"), ("watts", 9000, "9000 W")),
        {
            **reads("the most", ("watts", 2000, "the most")),
            "anywhere": r"at most 2,000 W\.\n\nPlease give the power of one",
        },
    )
    async with open_session(agent(tmp_path / "a", SHOP), tmp_path / "home", *rules) as session:
        await session.send("halogen, 9000 W")
        assert (await session.send("then the most that you take")).values["answers"]["watts"] == 2000


async def test_a_very_long_text_keeps_its_end_for_the_model(tmp_path: Path) -> None:
    flow = SHOP.replace('"Sent {{ answers.lamp }}.', '"' + "very long. " * 2000 + "Sent {{ answers.lamp }}.")
    wish: dict[str, Any] = {"consent": "unclear", "answers": []}
    rules = (
        reads("halogen", ("lamp", "halogen", "halogen"), ("watts", 40, "40 W")),
        {"anywhere": r"\] ….{,4000}Sent halogen. Anything else\?", "call": {"UpdateAnswers": wish}},
    )
    async with open_session(agent(tmp_path / "a", flow), tmp_path / "home", *rules) as session:
        await session.send("halogen, 40 W")
        assert (await session.send("hm, let me see")).status == "waiting"


@pytest.mark.parametrize(
    "said", ["As agreed, 20 x 40 m", "20 x 40 m, keep everything else", "same as before, 20 x 40 m"]
)
async def test_a_correction_that_keeps_everything_else_asks_and_drops_nothing(tmp_path: Path, said: str) -> None:
    before = {"intention": "buy", "product": "LED", "venue": "sports_court", "wattage": 200, "email": "eva@example.org"}
    found = [(key, value, "all") for key, value in before.items()]
    restated = [(key, value, said.split(",")[0]) for key, value in before.items()]
    size = ("court_size", "18 x 36 m", "18 x 36 m")
    rules = (
        reads("all", *found, size, ("budget", 900, "900")),
        reads("20 x 40", *restated, ("court_size", "20 x 40 m", "20 x 40 m"), correction=True),
    )
    async with graphwright.load("intake").session("t", model=scripted(*rules), home=tmp_path / "home") as session:
        await session.send("all of it: 18 x 36 m, 900")
        turn = await session.send(said)
        assert turn.values["answers"] == {**before, "court_size": "20 x 40 m", "budget": 900}
        assert (turn.waiting_for and turn.waiting_for.node, "dropped" in turn.reply) == ("q.sure", False)


async def test_a_withdrawal_after_sending_reaches_a_colleague_with_the_words_of_the_user(tmp_path: Path) -> None:
    problem = ("problem", "the lamp is dead", "the lamp is dead")
    sent = reads(
        "the lamp", ("intention", "repair", "repair"), problem, ("email", "ole@example.org", "ole@example.org")
    )
    rules = (sent, {"says": "cancel", "call": {"AbandonRequest": {"reason": "cancel it"}}})
    async with graphwright.load("intake").session("t", model=scripted(*rules), home=tmp_path / "home") as session:
        for text in ("the lamp is dead, please repair it: ole@example.org", "yes", "please cancel it", "yes"):
            turn = await session.send(text)
    assert turn.path[-1] == "t.withdrawn"
    async with open_store(tmp_path / "home") as store:
        notes = [record.value for record in await store.records.list("intake.calls")]
    assert [(note["cancel"], turn.values["lead"] in note["sent"]) for note in notes] == [("please cancel it", True)]


ASK = """
nodes:
  - id: q.budget
    type: question
    key: budget
    required: false
    prompt: Your budget?
    schema: {type: number, description: money to spend, x-unit: EUR, minimum: 1}
  - {id: q.colour, type: question, key: colour, prompt: Which colour?, schema: {enum: [red, blue]}, max_invalid: 2}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Shall I send it?"}
  - {id: sent, type: terminal, say: Sent.}
  - {id: left, type: terminal, say: Not sent.}
edges:
  - {from: q.budget, to: q.colour}
  - {from: q.colour, to: q.sure}
  - {from: q.sure, to: sent, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
"""


def asks(says: str, key: str, consent: str = "", kind: str = "question") -> dict[str, Any]:
    """A rule: the message asks something about this answer."""
    call: list[dict[str, Any]] = [{"UpdateAnswers": {"consent": consent, "answers": []}}] if consent else []
    return {"says": says, "call": [*call, {"UnknownAnswer": {"key": key, "reason": says, "kind": kind}}]}


def test_a_question_is_answered_from_the_flow_and_declines_nothing(tmp_path: Path) -> None:
    rules = (
        asks("for what", "budget"),
        asks("opening hours", ""),
        asks("hello", "budget", kind="other"),
        asks("which are there", "colour"),
        {"says": "red; why", "call": [reads("", ("colour", "red", "red"))["call"], asks("", "budget")["call"][0]]},
        asks("when do you", "", consent="unclear"),
    )
    about = f"Budget: money to spend; it must be at least 1 EUR. {ALL}"
    no_answer = "I know nothing about that beyond what this conversation shows."
    session = started(agent(tmp_path / "a", ASK), *rules)
    assert session.send("for what is that?").reply == f"{about}\n\nYour budget?"
    assert session.send("what are your opening hours?").reply == f"{no_answer}\n\nYour budget?"
    assert session.send("hello").reply.endswith("\n\nYour budget?")
    assert session.resume(5).reply == "Which colour?"
    colours = f"Colour: it must be one of red, blue. {ALL}\n\nWhich colour?"
    # A question is not a failed attempt, so the flow does not give up.
    assert [session.send("which are there?").reply for _ in range(3)] == [colours] * 3
    known = about.replace("1 EUR", "1 EUR; noted so far: 5 EUR")
    assert session.send("red; why the budget?").reply == f"{known}\n\nShall I send it?"
    assert session.send("when do you send it?").reply == f"{no_answer}\n\nShall I send it?"
    assert session.send("yes").reply == "Sent."


LIMITS = """
predicates:
  fits: answers.pieces <= answers.weight && answers.weight < 100.0
constraints:
  - {require: fits, message: It does not fit.}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer, maximum: 16}}
  - id: q.hut
    type: question
    key: hut
    prompt: Which hut?
    schema: {enum: [mill, lodge, barn]}
    validate: value != 'lodge' || answers.people > 3
  - id: q.weight
    type: question
    key: weight
    prompt: Which weight?
    schema: {type: number, x-unit: kg, minimum: 0, maximum: 200}
    validate: "value <= 25.0 * double(answers.people) && (answers.hut == 'barn' || value >= 2)"
  - {id: q.day, type: question, key: day, prompt: When?, schema: {type: string, format: date},
     validate: "'2026-12-10' <= value"}
  - {id: q.pieces, type: question, key: pieces, prompt: Pieces?, schema: {type: number},
     validate: value + answers.weight < 300}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.people, to: q.hut}
  - {from: q.hut, to: q.weight}
  - {from: q.weight, to: q.day}
  - {from: q.day, to: q.pieces}
  - {from: q.pieces, to: done}
"""


def test_limits_are_stated_for_the_present_answers(tmp_path: Path) -> None:
    two = [{"UnknownAnswer": {"key": key, "reason": key, "kind": "question"}} for key in ("weight", "hut")]
    rules = (
        {"says": "2 of us", "call": [reads("", ("people", 2, "2"))["call"], *two]},
        {"says": "weight and hut", "call": two},
        asks("date", "day"),
        asks("pieces", "pieces"),
    )

    def about(name: str, facts: str) -> str:
        return f"{name}: {facts}. {ALL}"

    session = started(agent(tmp_path / "a", LIMITS), *rules)
    weight = "it must be at least 0 kg; it must be less than 100 kg; "
    hut = about("Hut", "it must be one of mill, lodge, barn; what is possible also depends on people")
    depends = about("Weight", weight + "what is possible also depends on people; hut; pieces")
    assert session.send("weight and hut?").reply == f"{depends}\n{hut}\n\nHow many?"
    turn = session.send("2 of us. weight and hut?")
    assert "it must be from 0 to 50 kg" in turn.reply
    assert about("Hut", "it must be one of mill, barn") in turn.reply
    session.resume("mill")
    session.resume(40)
    day = about("Day", "it must be 10 December 2026 or later")
    assert session.send("date?").reply == f"{day}\n\nWhen?"
    session.resume("2026-12-12")
    pieces = about("Pieces", "it must be at most 40")
    assert session.send("pieces?").reply == f"{pieces}\n\nPieces?"


HELPERS = """
nodes:
  - {id: q.kind, type: question, key: kind, prompt: Kind?, schema: {enum: [home, piece]}}
  - {id: q.rooms, type: question, key: rooms, when: answers.kind == 'home', prompt: Rooms?, schema: {type: integer}}
  - {id: q.weight, type: question, key: weight, when: answers.kind == 'piece', prompt: Weight?,
     schema: {type: number, x-unit: kg}}
  - {id: q.helpers, type: question, key: helpers, prompt: Helpers?, SCHEMA, validate: "VALIDATE"}
  - {id: done, type: terminal}
edges: [{from: q.kind, to: q.rooms}, {from: q.rooms, to: q.weight}, {from: q.weight, to: q.helpers},
  {from: q.helpers, to: done}]
"""
WHOLE = "schema: {type: integer, minimum: 1, maximum: 8}"
NUMBER = "schema: {type: number, minimum: 1, maximum: 8}"
RULE = f"{WHOLE}, invalid_prompt: 'One helper carries 100 kg. How many?'"
WEIGHT = "what is possible also depends on weight: 350 kg"


@pytest.mark.parametrize(
    ("schema", "rule", "facts"),
    [
        # an exact limit
        (WHOLE, "double(value) * 100.0 >= answers.weight", "it must be from 4 to 8"),
        (WHOLE, "!(answers.kind == 'piece') || double(value) * 100.0 >= answers.weight", "it must be from 4 to 8"),
        (WHOLE, "answers.weight < 50.0 + double(value) * 100.0", "it must be from 4 to 8"),
        (WHOLE, "answers.weight / 100.0 >= double(value + 1)", "it must be from 1 to 2"),
        (WHOLE, "10 - value > 6", "it must be from 1 to 3"),
        (WHOLE, "-(value * 2) >= -9", "it must be from 1 to 4"),
        (WHOLE, "value / 2 <= 2", "it must be from 1 to 8; a further check applies"),
        (NUMBER, "value * 100.0 >= answers.weight", "it must be from 3.5 to 8"),
        (NUMBER, "700.0 - value * 100.0 > answers.weight", "it must be at least 1; it must be less than 3.5"),
        (NUMBER, "value * 0.1 <= 0.3", "it must be at least 1; it must be less than 3"),
        # no exact limit: the rule of the flow is next to the range of the schema
        (WHOLE, "double(value * value) * 100.0 >= answers.weight", f"it must be from 1 to 8; {WEIGHT}"),
        (RULE, "double(value * value) * 100.0 >= answers.weight",
         f"it must be from 1 to 8; {WEIGHT}; rule: One helper carries 100 kg"),
        (WHOLE, "value % 2 == 0", "it must be from 1 to 8; a further check applies"),
        (RULE, "value < 3 || value > 6", "it must be from 1 to 8; rule: One helper carries 100 kg"),
        # only questions that apply are named
        (WHOLE, "!has(answers.rooms) || value * value >= answers.rooms", "it must be from 1 to 8"),
        (WHOLE, "value * value * (has(answers.rooms) ? answers.rooms : 1) < 9",
         "it must be from 1 to 8; a further check applies"),
    ],
)  # fmt: skip
def test_a_stated_limit_is_the_one_that_holds(tmp_path: Path, schema: str, rule: str, facts: str) -> None:
    flow = HELPERS.replace("SCHEMA", schema).replace("VALIDATE", rule)
    session = started(agent(tmp_path / "a", flow), asks("few", "helpers"))
    session.resume("piece")
    session.resume(350)
    assert session.send("how few?").reply.partition("\n")[0] == f"Helpers: {facts}. {ALL}"


def test_a_value_that_code_converts_is_shown(tmp_path: Path) -> None:
    flow = """
    nodes:
      - {id: q.far, type: question, key: far, prompt: How far?, schema: {type: number, title: Distance, x-unit: km}}
      - {id: q.name, type: question, key: name, prompt: Name?}
      - {id: done, type: terminal}
    edges: [{from: q.far, to: q.name}, {from: q.name, to: done}]
    """
    for said, noted in (("5 miles", "Noted: Distance: 8.04672 km.\n\n"), ("5 km", ""), ("5,5", "")):
        assert started(agent(tmp_path / "a", flow)).send(said).reply == f"{noted}Name?"


def test_questions_without_an_answer_are_named(tmp_path: Path) -> None:
    calls = [asks("for what is that", "budget")["call"][0], asks("is there a sauna", "")["call"][0]]
    both = {"says": "sauna", "call": calls}
    neither = {"says": "dog", "call": [asks("a dog", "")["call"][0], asks("a cat", "")["call"][0]]}
    session = started(agent(tmp_path / "a", ASK), both, neither)
    turn = session.send("for what is that? And is there a sauna?")
    about = f"Budget: money to spend; it must be at least 1 EUR. {ALL}"
    unknown = "I know nothing about that (“is there a sauna”) beyond what this conversation shows."
    assert turn.reply == f"{about}\n{unknown}\n\nYour budget?"
    turn = session.send("may I bring a dog, or a cat?")
    assert (
        turn.reply
        == "I know nothing about that (“a dog”, “a cat”) beyond what this conversation shows.\n\nYour budget?"
    )


STATED = """
status: sent
state: {sent: {type: string, default: ""}}
nodes:
  - {id: q.lamp, type: question, key: lamp, prompt: Which lamp?, schema: {enum: [LED, halogen]}}
  - {id: send, type: action, run: send}
  - id: q.watts
    type: question
    key: watts
    prompt: How many watts?
    schema: {type: integer, title: power, description: power of one lamp, x-unit: W, minimum: 5, maximum: 20000}
    invalid_prompt: Please give the power in watts.
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.watts }} W. Right?"}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.lamp, to: send}
  - {from: send, to: q.watts}
  - {from: q.watts, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.watts, guard: else}
"""
SEND = "@action(reads=['answers.lamp'], writes=['sent'])\ndef send(state, ctx):\n    return {'sent': 'Sent: 1 lamp.'}\n"


def test_no_answer_of_a_reply_contradicts_the_text_below_it(tmp_path: Path) -> None:
    both = {"says": "both", "call": [asks("why both", "watts")["call"][0], asks("what did I send", "")["call"][0]]}
    session = started(agent(tmp_path / "a", STATED, SEND), both, asks("what did I send", ""))
    assert session.send("what did I send?").reply.startswith("I know nothing about that beyond what this conversation")
    session.resume("LED")
    status = "I can only say this:\n\nSent: 1 lamp.\n\nHow many watts?"
    assert session.send("what did I send?").reply == f"On that {status}"
    turn = session.send("both: why both, and what did I send?")
    facts = f"Power: power of one lamp; it must be from 5 to 20,000 W. {ALL}"
    assert turn.reply == f"{facts}\nOn that (“what did I send”) {status}"


def test_a_refused_correction_names_the_value_that_stays(tmp_path: Path) -> None:
    rules = [reads(f"{watts} W", ("watts", watts, f"{watts} W"), correction=True) for watts in (90000, 3)]
    for rule, language in zip(rules, ("en", "de"), strict=True):
        rule["call"]["UpdateAnswers"] |= {"consent": "agrees_with_changes", "language": language}
    session = started(agent(tmp_path / "a", STATED, SEND), *rules)
    session.resume("LED")
    session.resume(1200)
    high = "As before: power: 1,200 W. 90,000 W cannot be taken: it must be at most 20,000 W.\n\n"
    assert session.send("make that 90000 W").reply.startswith(high)
    low = "Wie zuvor: power: 1.200 W. 3 W geht nicht: es muss mindestens 5 W sein.\n\n"
    assert session.send("mach lieber 3 W daraus").reply.startswith(low)


@pytest.mark.parametrize(("text", "noted"), [("12k watts", ""), ("1.2k watts", "Noted: power: 1,200 W.\n\n")])
def test_a_confirmation_that_shows_a_value_is_not_preceded_by_it(tmp_path: Path, text: str, noted: str) -> None:
    rules = reads("12k", ("watts", 12000, "12k watts")), reads("1.2k", ("watts", 1200, "1.2k watts"))
    flow = STATED.replace("{{ answers.watts }} W.", "{{ answers.watts == 12000 ? '12,000' : '11,200' }} W.")
    session = started(agent(tmp_path / "a", flow, SEND), *rules)
    session.resume("LED")
    assert session.send(text).reply.startswith(noted + ("12,000 W." if not noted else "11,200 W."))


def test_a_question_is_answered_in_the_language_of_the_user(tmp_path: Path) -> None:
    german = {"language": "de", "key": "", "reason": "wann", "kind": "question"}
    session = started(agent(tmp_path / "a", ASK), {"says": "wann", "call": {"UnknownAnswer": german}})
    session.resume(5)
    session.resume("red")
    turn = session.send("wann schicken Sie das denn?")
    assert turn.reply == "Dazu weiß ich nicht mehr, als in diesem Gespräch steht.\n\nShall I send it?"


PARCEL = """
state: {carriers: {type: array, items: {type: string}, default: []}}
nodes:
  - {id: q.kind, type: question, key: kind, prompt: Which kind?, schema: {enum: [letter, parcel], title: kind}}
  - id: q.weight
    type: question
    key: weight
    prompt: How heavy?
    schema: {type: number, title: weight, x-unit: kg}
    validate: "value <= (answers.kind == 'letter' ? 1.0 : 30.0)"
    invalid_prompt: "Letters weigh up to 1 kg, parcels up to 30 kg. How heavy is it?"
  - {id: q.pieces, type: question, key: pieces, prompt: How many?, schema: {type: number},
     validate: value <= answers.weight}
  - {id: find, type: action, run: find}
  - {id: q.carrier, type: question, key: carrier, prompt: Which carrier?, options: carriers}
  - {id: q.note, type: question, key: note, prompt: A note?}
  - {id: done, type: terminal, say: "{{ answers.weight }} kg."}
edges:
  - {from: q.kind, to: q.weight}
  - {from: q.weight, to: q.pieces}
  - {from: q.pieces, to: find}
  - {from: find, to: q.carrier}
  - {from: q.carrier, to: q.note}
  - {from: q.note, to: done}
"""
FIND = """
@action(reads=["answers.kind"], writes=["carriers"], effects=False)
def find(state, ctx):
    return {"carriers": ["bike", "van"]}
"""
RULE = "Letters weigh up to 1 kg, parcels up to 30 kg. How heavy is it?"


DAY = """
nodes:
  - {id: q.day, type: question, key: day, prompt: "Which day?", schema: {type: string, format: date}, validate: "date(value) > date(now)", invalid_prompt: "That day is past. Which day?"}
  - {id: q.room, type: question, key: room, prompt: "Which room?", read: verbatim}
  - {id: done, type: terminal}
edges:
  - {from: q.day, to: q.room}
  - {from: q.room, to: done}
"""  # noqa: E501


def test_the_text_of_the_author_replaces_a_sentence_without_a_reason(tmp_path: Path) -> None:
    past = reads("past", ("day", "2020-01-01", "past"))
    session = conversation(agent(tmp_path / "a", DAY), past)
    assert session.send("past").reply == "That day is past. Which day?"
    assert session.send("past").reply == "That day is past. Which day?"
    plain = DAY.replace(', invalid_prompt: "That day is past. Which day?"', "")
    session = conversation(agent(tmp_path / "b", plain), past)
    assert "1 January 2020 is not acceptable here." in session.send("past").reply


def test_a_refused_value_says_what_is_accepted_and_why(tmp_path: Path) -> None:
    rules = (
        reads("letter", ("kind", "letter", "letter"), ("weight", 6.5, "6.5 kg")),
        reads("9 kg", ("weight", 9, "9 kg"), ("note", "urgent", "urgent")),
        reads("half", ("weight", 0.5, "half"), ("pieces", 3, "three")),
    )
    refused = "6.5 kg is not acceptable with kind: letter."
    session = conversation(agent(tmp_path / "a", PARCEL, FIND), *rules)
    turn = session.send("a letter of 6.5 kg")
    # The question for the refused value comes next: the accepted values are listed once.
    assert turn.reply == f"{refused}\n\n{RULE}"
    turn = session.send("9 kg, urgent")
    assert turn.reply == f"Noted: note: “urgent”.\n\n9 kg is not acceptable with kind: letter.\n\n{RULE}"
    turn = session.send("half a kilo, three of them")
    assert turn.reply == "Noted: weight: 0.5 kg.\n\n3 is not acceptable with weight: 0.5 kg.\n\nHow many?"


def test_a_refused_value_that_was_not_asked_for_has_a_name_and_its_rule(tmp_path: Path) -> None:
    rules = (
        reads("letter", ("kind", "letter", "letter"), ("weight", 1, "1 kg")),
        reads("6.5", ("pieces", 1, "one"), ("weight", 6.5, "6.5 kg"), correction=True),
    )
    session = conversation(agent(tmp_path / "a", PARCEL, FIND), *rules)
    session.send("a letter of 1 kg")
    turn = session.send("one, and now it has 6.5 kg")
    refused = "As before: weight: 1 kg. 6.5 kg is not acceptable with kind: letter."
    refused += " Letters weigh up to 1 kg, parcels up to 30 kg."
    assert turn.reply == f"Noted: pieces: 1.\n\n{refused}\n\nWhich carrier?"


def test_a_refused_value_beside_a_confirmation_is_told_without_a_second_question(tmp_path: Path) -> None:
    sure = "  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: 'Send it?'}\n"
    flow = PARCEL.replace("  - {id: done,", sure + "  - {id: done,").replace("q.note, to: done", "q.note, to: q.sure")
    flow += "  - {from: q.sure, to: done, guard: answers.sure == true}\n  - {from: q.sure, to: q.sure, guard: else}\n"
    letter = [("kind", "letter", "letter"), ("weight", 1, "1 kg"), ("pieces", 1, "one"), ("note", "urgent", "urgent")]
    rules = (reads("letter", *letter), reads("6.5", ("weight", 6.5, "6.5 kg"), correction=True))
    session = conversation(agent(tmp_path / "a", flow, FIND), *rules)
    session.send("one urgent letter of 1 kg")
    session.resume("bike")
    turn = session.send("and now it has 6.5 kg")
    assert turn.reply.count("?") == 1
    yes_or_no = "Please answer yes or no, or say what to change."
    assert turn.reply.endswith(f"Letters weigh up to 1 kg, parcels up to 30 kg.\n\n{yes_or_no}\n\nSend it?")


def test_a_kept_value_that_is_taken_in_the_same_turn_has_one_statement(tmp_path: Path) -> None:
    rule = reads(
        "all", ("kind", "letter", "letter"), ("weight", 1, "1 kg"), ("pieces", 1, "one"), ("carrier", "van", "van")
    )
    session = conversation(agent(tmp_path / "a", PARCEL, FIND), rule)
    turn = session.send("all at once: one letter, 1 kg, by van")
    assert turn.reply == "Noted: carrier: van.\n\nA note?"


def test_a_dropped_answer_names_the_change_and_is_asked_with_its_rule(tmp_path: Path) -> None:
    letter = {"key": "kind", "value": "letter", "quote": "Brief", "correction": True}
    note = {"key": "note", "value": "eilig", "quote": "eilig"}
    rules = (
        reads(
            "parcel",
            ("kind", "parcel", "parcel"),
            ("weight", 12, "12 kg"),
            ("carrier", "van", "van"),
            ("pieces", 2, "2"),
        ),
        {"says": "Brief", "call": {"UpdateAnswers": {"language": "de", "answers": [letter, note]}}},
    )
    session = conversation(agent(tmp_path / "a", PARCEL, FIND), *rules)
    session.send("2 parcels, 12 kg, by van")
    turn = session.send("eilig, aber doch nur ein Brief")
    # The number of pieces is checked again with the next weight.
    dropped = "Verworfen: weight: 12 kg. Geht nicht mehr nach der Änderung: kind (jetzt letter)."
    assert turn.reply == f"Notiert: kind: letter.\n\n{dropped}\n\n{RULE}"


def test_a_question_at_a_choice_names_the_options_and_declines_nothing(tmp_path: Path) -> None:
    flow = ASK.replace("key: colour,", "key: colour, read: choice, required: false,")
    rules = (asks("which are there", "colour"), asks("hi", "colour", kind="other"), unknown("none", "colour", "none"))
    session = started(agent(tmp_path / "a", flow), *rules)
    session.resume(5)
    turn = session.send("which are there?")
    assert turn.reply == f"Colour: it must be one of red, blue. {ALL}\n\nWhich colour?"
    assert session.send("hi").reply.endswith("Which colour?")
    assert session.send("none, please").reply == "Left open: colour.\n\nShall I send it?"


REPAIR = """
nodes:
  - {id: q.kind, type: question, key: kind, prompt: Which kind?, schema: {enum: [buy, repair]}}
  - {id: q.place, type: question, key: place, prompt: Where?, schema: {enum: [sports_court, office]}}
  - {id: q.fault, type: question, key: fault, prompt: What is broken?, when: answers.kind == 'repair'}
  - {id: q.mail, type: question, key: mail, prompt: Mail?, schema: {type: string, format: email}, required: false}
  - {id: q.note, type: question, key: note, prompt: A note?}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.kind, to: q.place}
  - {from: q.place, to: q.fault}
  - {from: q.fault, to: q.mail}
  - {from: q.mail, to: q.note}
  - {from: q.note, to: done}
"""


@pytest.mark.parametrize(
    ("fault", "quote", "told"),
    [
        ("buy", "buy", False),
        ("sports_court", "our court", False),
        ("our court", "our court", False),
        ("court", "our court", True),
        ("the lamp hums", "the lamp hums", True),
        ("buy", "buy lamps", True),
    ],
)
def test_only_plausible_answers_are_reported_as_not_noted(tmp_path: Path, fault: str, quote: str, told: bool) -> None:
    rule = reads("buy", ("kind", "buy", "buy"), ("place", "sports_court", "our court"), ("fault", fault, quote))
    session = conversation(agent(tmp_path / "a", REPAIR), rule)
    turn = session.send("we buy lamps for our court; the lamp hums")
    assert turn.values["answers"] == {"kind": "buy", "place": "sports_court"}
    assert ("Not noted" in turn.reply) is told
    refused = of_type(session.trace(), "answer_refused")
    assert [event["key"] for event in refused] == ["fault"]


def test_words_that_are_a_value_decline_nothing(tmp_path: Path) -> None:
    rule = {"says": "repair", "call": [
        reads("", ("kind", "repair", "repair"), ("place", "office", "office"), ("fault", "dark", "dark"))["call"],
        unknown("", "mail", "ann@shop.example", kind="declines")["call"],
    ]}  # fmt: skip
    session = conversation(agent(tmp_path / "a", REPAIR), rule)
    turn = session.send("repair: the office is dark, ann@shop.example")
    assert turn.reply == "Mail?"


BOATS = """
state: {boats: {type: array, default: [], items: {type: string}}}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: find, type: action, run: find}
  - {id: q.boat, type: question, key: boat, prompt: Which boat?, options: boats}
  - {id: q.note, type: question, key: note, prompt: "NOTE", required: false}
  - {id: done, type: terminal, say: "{{ answers.boat }}"}
edges:
  - {from: q.people, to: find}
  - {from: find, to: q.boat}
  - {from: q.boat, to: q.note}
  - {from: q.note, to: done}
"""
FIND_BOATS = """
@action(reads=["answers.people"], writes=["boats"], effects=False)
def find(state, ctx):
    fits = {"Barge": 12, "Ferry": 40, "Liner": 400}
    return {"boats": [boat for boat, most in fits.items() if most >= state["answers"]["people"]]}
"""


@pytest.mark.parametrize("note", ["A note?", "A note for {{ answers.boat }}?"])
def test_a_question_beside_a_correction_is_answered_from_what_holds_after_it(tmp_path: Path, note: str) -> None:
    more = reads("", ("people", 14, "14"), correction=True)["call"]
    rules = {"says": "14 of us", "call": [more, asks("which boats", "boat")["call"][0]]}, asks("which boats", "boat")
    session = started(agent(tmp_path / "a", BOATS.replace("NOTE", note), FIND_BOATS), *rules)
    about = "Boat: "
    assert session.send("which boats?").reply.startswith(f"{about}what is possible also depends on people.")
    session.resume(8)
    depends = "it must be one of Barge, Ferry, Liner; what is possible also depends on people: 8."
    assert session.send("which boats?").reply.startswith(f"{about}{depends}")
    session.resume("Barge")
    turn = session.send("14 of us. Which boats are there?")
    dropped = "I dropped boat: Barge. No longer one of the options after the change of people (now 14)."
    options = f"{about}it must be one of Ferry, Liner; what is possible also depends on people: 14. {ALL}"
    # The boat is asked again before something reads it.
    now = [dropped, options, note if note == "A note?" else "Which boat?"]
    assert turn.reply.split("\n\n") == ["Noted: people: 14.", *now]


SENDING = """
nodes:
  - {id: q.count, type: question, key: count, prompt: How many?, schema: {type: integer, description: boxes to send}}
  - {id: send, type: action, run: send}
  - {id: q.note, type: question, key: note, prompt: A note?}
  - {id: done, type: terminal, say: Done.}
edges: [{from: q.count, to: send}, {from: send, to: q.note}, {from: q.note, to: done}]
"""


def test_a_question_is_answered_before_an_action_with_effects_that_a_crash_could_interrupt(tmp_path: Path) -> None:
    nodes = "@action(reads=[])\ndef send(state, ctx):\n    ctx.say('Sent.')\n"
    both = {"says": "3", "call": [reads("", ("count", 3, "3"))["call"], asks("what is", "count")["call"][0]]}
    session = started(agent(tmp_path / "a", SENDING, nodes), both)
    about = f"Count: boxes to send; noted so far: 3. {ALL}"
    assert session.send("3. What is that for?").reply == f"{about}\n\nSent.\n\nA note?"
    told = [e["type"] for e in session.trace() if e.get("text") == about or e["type"] == "action_started"]
    assert told == ["said", "action_started"]


GROOMING = """
nodes:
  - {id: q.weight, type: question, key: weight, prompt: How heavy?, schema: {type: integer, title: Weight, x-unit: kg}}
  - {id: q.day, type: question, key: day, prompt: Which day?, schema: {title: Day, enum: [friday, saturday]}}
  - id: q.transport
    type: question
    key: transport
    prompt: Bring or fetch?
    validate: "value == 'bring' || (answers.weight <= 40 && answers.day != 'saturday')"
    schema: {enum: [bring, fetch]}
  - {id: q.km, type: question, key: km, prompt: How far?, schema: {type: integer}, when: "CALLED && answers.weight > 0"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.day }}?"}
  - {id: done, type: terminal, say: Booked.}
edges:
  - {from: q.weight, to: q.day}
  - {from: q.day, to: q.transport}
  - {from: q.transport, to: q.km}
  - {from: q.km, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
""".replace("CALLED", "answers.transport == 'fetch'")


GRAMS = "“900 grams” cannot be taken: it must be a single whole number in kg."


@pytest.mark.parametrize(
    ("weight", "day", "reason"),
    [
        (27, "saturday", "Day: saturday"),
        (45, "friday", "Weight: 45 kg"),
        (45, "saturday", "Day: saturday; Weight: 45 kg"),
    ],
)
def test_a_refusal_names_only_the_conflicting_answers(tmp_path: Path, weight: int, day: str, reason: str) -> None:
    session = started(agent(tmp_path / "a", GROOMING), reads("far", ("km", 9, "9 km")))
    session.resume(weight)
    session.resume(day)
    assert session.resume("fetch").reply == f"fetch is not acceptable with {reason}.\n\nBring or fetch?"
    session.resume("bring")
    turn = session.send("9 km is not far")
    assert turn.reply.startswith("Not noted: km: 9. It does not apply with transport: bring.")


OWN = "If that is a request of its own, please write about it again once this one is done."


def test_a_first_message_with_two_requests_says_that_the_other_one_can_follow(tmp_path: Path) -> None:
    rule = reads("take", ("transport", "bring", "bring"), ("weight", 12, "12 kg"), ("day", "friday", "friday"))
    rule["call"]["UpdateAnswers"]["answers"].append({"key": "km", "value": 9, "quote": "9 km", "correction": False})
    session = conversation(agent(tmp_path / "a", GROOMING), rule)
    turn = session.send("I bring one of 12 kg on friday, and take another one 9 km")
    assert f"Not noted: km: 9. It does not apply with transport: bring. {OWN}" in turn.reply
    assert OWN not in session.send("take another one 9 km").reply


def test_what_belongs_to_no_answer_of_the_first_message_can_follow(tmp_path: Path) -> None:
    read = {"UpdateAnswers": {"answers": [{"key": "weight", "value": 12, "quote": "12 kg", "correction": False}]}}
    other = {"key": "", "reason": "a second dog", "kind": "unfit"}
    session = conversation(
        agent(tmp_path / "a", GROOMING), {"says": "second", "call": {**read, "UnknownAnswer": other}}
    )
    assert f"I did not take this: “a second dog”. {OWN}" in session.send("12 kg, and then a second dog").reply


@pytest.mark.parametrize(
    ("key", "words", "told"),
    [
        ("day", "on Monday", "As before: Day: friday. “on Monday” is none of the options: friday, saturday."),
        ("weight", "900 grams", f"As before: Weight: 12 kg. {GRAMS}"),
        ("", "a second dog", "I did not take this: “a second dog”."),
    ],
)
@pytest.mark.parametrize("yes", ["", "yes, but "])
def test_an_unusable_value_is_reported_not_consent(tmp_path: Path, key: str, words: str, told: str, yes: str) -> None:
    unfit = unknown(words, key, words, kind="unfit", correction=True)["call"]
    agrees = {"UpdateAnswers": {"consent": "agrees", "answers": []}}
    session = started(agent(tmp_path / "a", GROOMING), {"says": words, "call": [agrees, unfit]})
    for value in (12, "friday", "bring"):
        session.resume(value)
    turn = session.send(f"{yes}{words}")
    assert turn.reply == f"{told}\n\nPlease answer yes or no, or say what to change.\n\nfriday?"
    assert turn.values["answers"] == {"weight": 12, "day": "friday", "transport": "bring"}


def test_a_value_that_the_asked_answer_cannot_take_is_told_and_others_are_taken(tmp_path: Path) -> None:
    both = [reads("", ("day", "friday", "friday"))["call"], unknown("", "weight", "900 grams", kind="unfit")["call"]]
    elsewhere = {"says": "monday", "call": unknown("", "day", "monday", kind="other")["call"]}
    session = started(agent(tmp_path / "a", GROOMING), {"says": "900", "call": both}, elsewhere)
    turn = session.send("900 grams, on friday")
    assert turn.reply == f"Noted: Day: friday.\n\n{GRAMS}\n\nHow heavy?"
    refused = "As before: Day: friday. “monday” is none of the options: friday, saturday."
    # Replies about another answer do not count as failed attempts to give this one.
    assert all(session.send("monday").reply == f"{refused}\n\nHow heavy?" for _ in range(4))


def test_a_question_about_an_answer_that_the_flow_does_not_describe_is_answered_with_its_value(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", GROOMING), asks("which weight", "weight"))
    session.resume(12)
    assert session.send("which weight did you note?").reply.startswith(f"Weight: noted so far: 12 kg. {ALL}")


def test_channels_and_actions_are_named_as_users_call_them() -> None:
    flow = flow_of("""
state:
  rooms_free: {title: the free rooms, type: integer, default: 0}
  total_price: {type: integer, default: 0}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer, title: guests}}
  - {id: send_mail, type: action, run: send_mail}
  - {id: book, type: action, run: book, label: Book it}
  - {id: done, type: terminal}
edges: [{from: q.people, to: send_mail}, {from: send_mail, to: book}, {from: book, to: done}]
""")
    assert names_of(flow, ["rooms_free", "total_price", "answers.people"]) == "the free rooms, total price, guests"
    actions = [flow.nodes[id] for id in ("send_mail", "book")]
    assert [action_name(each) for each in actions if isinstance(each, Action)] == ["'send mail'", "'Book it'"]
