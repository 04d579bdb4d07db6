"""Volunteered answers that depend on each other: kept until they can be checked, and restored with their branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from host_support import agent, of_type, reads, unknown
from step_support import conversation, started

HALLS = """
state: {halls: {type: array, items: {type: string}, default: [], scope: conversation}}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: find, type: action, run: find}
  - {id: q.hall, type: question, key: hall, prompt: Which hall?, options: halls}
  - {id: q.stage, type: question, key: stage, prompt: Which stage?, WHEN, schema: {enum: [round, square]}}
  - {id: q.chairs, type: question, key: chairs, prompt: Chairs?, required: false, schema: {type: integer},
     validate: "CHAIRS"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.hall }}?"}
  - {id: done, type: terminal}
edges:
  - {from: q.people, to: find}
  - {from: find, to: q.hall}
  - {from: q.hall, to: q.stage}
  - {from: q.stage, to: q.chairs}
  - {from: q.chairs, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.people, guard: else}
"""
FIND = """
@action(reads=["answers.people"], writes=["halls"], effects=False)
def find(state, ctx):
    return {"halls": ["small", "big"] if state["answers"]["people"] >= 10 else ["small"]}
"""
PEOPLE, HALL = ("people", 12, "12"), ("hall", "big", "the big hall")
STAGE, CHAIRS = ("stage", "round", "round"), ("chairs", 20, "20 chairs")
SAID = "12 of us in the big hall, the round stage, 20 chairs"


def halls(when: str = "answers.hall == 'big'", chairs: str = "value > 0") -> str:
    return HALLS.replace("WHEN", f'when: "{when}"').replace("CHAIRS", chairs)


@pytest.mark.parametrize("when", ["answers.hall == 'big'", "has(answers.hall) && answers.hall == 'big'"])
@pytest.mark.parametrize("chairs", ["answers.hall == 'big' || value < 9", "has(answers.hall) && answers.hall == 'big'"])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
@pytest.mark.parametrize("together", [True, False])
def test_answers_that_read_a_kept_one_are_kept_and_taken_in_any_order(
    tmp_path: Path, when: str, chairs: str, order: tuple[int, ...], together: bool
) -> None:
    found = [(PEOPLE, HALL, STAGE, CHAIRS)[place] for place in order]
    messages = [SAID] if together else [f"{SAID}, part {number}" for number in range(len(found))]
    rules = (
        [reads(SAID, *found)] if together else [reads(text, each) for text, each in zip(messages, found, strict=True)]
    )
    session = conversation(agent(tmp_path / "a", halls(when, chairs), FIND), *rules)
    for message in messages:
        turn = session.send(message)
    assert turn.values["answers"] == {"people": 12, "hall": "big", "stage": "round", "chairs": 20}
    assert (turn.waiting_for and turn.waiting_for.node) == "q.sure"
    assert not of_type(session.trace(), "answer_dropped")


def test_a_kept_answer_is_refused_with_the_true_reason_once_its_condition_is_known(tmp_path: Path) -> None:
    rule = reads("small", ("hall", "small", "small"), STAGE, ("chairs", 20, "20"))
    flow = halls(
        "has(answers.hall) && answers.hall == 'big'", "has(answers.hall) && (answers.hall == 'big' || value < 9)"
    )
    session = conversation(agent(tmp_path / "a", flow, FIND), rule)
    turn = session.send("the small one with a round stage and 20 chairs")
    assert "I keep round for stage and check it once this is settled: hall." in turn.reply
    turn = session.resume(12)
    assert turn.reply == (
        "Noted: hall: small.\n\nNot noted: stage: round. It does not apply with hall: small.\n\n"
        "20 is not acceptable with hall: small.\n\nChairs?"
    )
    assert turn.values["answers"] == {"people": 12, "hall": "small"}


def test_a_correction_and_what_it_makes_possible_come_in_one_message(tmp_path: Path) -> None:
    rules = (
        reads("5 of us", ("people", 5, "5"), ("hall", "small", "small"), ("chairs", 5, "5")),
        reads("12", ("hall", "big", "the big hall"), PEOPLE, STAGE, correction=True),
    )
    session = conversation(agent(tmp_path / "a", halls(), FIND), *rules)
    session.send("5 of us in the small one, 5 chairs")
    turn = session.send("We are 12 people, so the big hall please, with the round stage")
    assert turn.values["answers"] == {"people": 12, "hall": "big", "stage": "round", "chairs": 5}
    assert turn.reply.endswith("big?")


def test_answers_of_one_message_that_fit_only_together_are_taken(tmp_path: Path) -> None:
    flow = """
    nodes:
      - {id: q.low, type: question, key: low, prompt: From?, schema: {type: integer},
         validate: "!has(answers.high) || value <= answers.high"}
      - {id: q.high, type: question, key: high, prompt: To?, schema: {type: integer}, validate: "value >= answers.low"}
      - {id: q.more, type: question, key: more, prompt: More?}
      - {id: done, type: terminal}
    edges: [{from: q.low, to: q.high}, {from: q.high, to: q.more}, {from: q.more, to: done}]
    """
    rules = (
        reads("2 to 5", ("high", 5, "5"), ("low", 2, "2")),
        reads("8 to 10", ("low", 8, "8"), ("high", 10, "10"), correction=True),
        reads("8 to 6", ("low", 8, "8"), ("high", 6, "6"), correction=True),
    )
    session = conversation(agent(tmp_path / "a", flow), *rules)
    for text, low, high in (("2 to 5", 2, 5), ("8 to 10", 8, 10), ("rather 8 to 6", 8, 10)):
        turn = session.send(text)
        assert turn.values["answers"] == {"low": low, "high": high}


BRANCHES = """
nodes:
  - {id: q.wish, type: question, key: wish, prompt: Buy or repair?, schema: {enum: [buy, repair]}}
  - {id: q.model, type: question, key: model, prompt: Model?, schema: {enum: [m1, m2]}, when: "answers.wish == 'buy'"}
  - {id: q.watts, type: question, key: watts, prompt: Watts?, schema: {type: integer},
     when: "answers.wish == 'buy' && (answers.model == 'm2' || has(answers.watts))"}
  - {id: q.budget, type: question, key: budget, prompt: Budget?, schema: {type: integer},
     validate: "value > 9 || !has(answers.model)",
     when: "answers.wish == 'buy'"}
  - {id: q.fault, type: question, key: fault, prompt: What is broken?, when: "answers.wish == 'repair'"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
  - {id: done, type: terminal}
edges:
  - {from: q.wish, to: q.model}
  - {from: q.model, to: q.watts}
  - {from: q.watts, to: q.budget}
  - {from: q.budget, to: q.fault}
  - {from: q.fault, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.wish, guard: else}
"""


def wish(says: str, value: str, *more: tuple[str, Any, str]) -> dict[str, Any]:
    return reads(says, ("wish", value, says), *more, correction=True)


BUY = wish("to buy", "buy", ("model", "m1", "m1"), ("watts", 60, "60"), ("budget", 50, "50"))


def test_the_answers_of_a_branch_come_back_with_it(tmp_path: Path) -> None:
    rules = (BUY, wish("rather repair", "repair"), wish("buying after all", "buy"))
    session = conversation(agent(tmp_path / "a", BRANCHES), *rules)
    session.send("to buy m1, 60 W, 50 euros")
    turn = session.send("rather repair")
    assert (turn.values["answers"].keys(), turn.values["answers"]["wish"]) == ({"wish", "sure"}, "repair")
    session.resume("It hums.")
    turn = session.send("buying after all")
    assert turn.values["answers"] | {"sure": 0} == {
        "wish": "buy",
        "model": "m1",
        "watts": 60,
        "budget": 50,
        "sure": 0,
    }
    assert "As before: model: m1; watts: 60; budget: 50." in turn.reply
    turn = session.send("rather repair")
    assert turn.values["answers"]["fault"] == "It hums."


def test_restored_answers_are_checked_and_new_values_replace_them(tmp_path: Path) -> None:
    again = wish("buying after all", "buy", ("model", "m2", "m2"))
    rules = (BUY, wish("rather repair", "repair"), again, unknown("no watts", "watts", "no watts", correction=True))
    session = conversation(agent(tmp_path / "a", BRANCHES), *rules)
    session.send("to buy m1, 60 W, 50 euros")
    session.send("rather repair")
    turn = session.send("buying after all, m2")
    assert turn.values["answers"] == {"wish": "buy", "model": "m2", "watts": 60, "budget": 50}
    session.send("no watts")
    session.send("rather repair")
    turn = session.send("buying after all, m2")
    assert "watts" not in turn.values["answers"]


def test_a_refused_value_opens_no_condition_of_another(tmp_path: Path) -> None:
    flow = """
    nodes:
      - {id: q.watts, type: question, key: watts, prompt: Watts?, schema: {type: integer, maximum: 100}}
      - {id: q.lamp, type: question, key: lamp, prompt: Lamp?, required: false, when: has(answers.watts)}
      - {id: q.name, type: question, key: name, prompt: Name?}
      - {id: done, type: terminal}
    edges: [{from: q.watts, to: q.name}, {from: q.name, to: q.lamp}, {from: q.lamp, to: done}]
    """
    rule = reads("900", ("lamp", "tall", "tall"), ("watts", 900, "900"))
    session = conversation(agent(tmp_path / "a", flow), rule)
    turn = session.send("a tall one of 900 W")
    assert turn.values["answers"] == {}
    assert not of_type(session.trace(), "answer_dropped")
    session.resume(60)
    turn = session.resume("Ann")
    assert turn.values["answers"] == {"watts": 60, "name": "Ann", "lamp": "tall"}


REMOVALS = """
RESTART
state:
  cars: {type: array, items: {type: string}, default: [], scope: conversation}
  boxes: {type: array, items: {type: string}, default: [], scope: conversation}
  price: {type: number, default: 0, scope: conversation}
nodes:
  - {id: q.what, type: question, key: what, prompt: What?, schema: {enum: [move, store]}}
  - {id: q.km, type: question, key: km, prompt: How far?, schema: {type: integer}}
  - {id: cars, type: action, run: cars}
  - {id: q.car, type: question, key: car, prompt: Which car?, options: cars}
  - {id: q.months, type: question, key: months, prompt: Months?, schema: {type: integer}, when: answers.what == 'store'}
  - {id: boxes, type: action, run: boxes}
  - {id: q.box, type: question, key: box, prompt: Which box?, options: boxes, when: answers.what == 'store'}
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: price, type: action, run: price}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ price }} EUR?"}
  - {id: done, type: terminal, say: "Booked for {{ price }}."}
  - {id: left, type: terminal, say: Nothing.}
edges:
  - {from: q.what, to: q.km, guard: answers.what == 'move'}
  - {from: q.what, to: q.months, guard: else}
  - {from: q.km, to: cars}
  - {from: cars, to: q.car}
  - {from: q.car, to: q.name}
  - {from: q.months, to: boxes}
  - {from: boxes, to: q.box}
  - {from: q.box, to: q.name}
  - {from: q.name, to: price}
  - {from: price, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: answers.sure == false}
  - {from: q.sure, to: price, guard: else}
"""
PRICES = """
@action(reads=["answers.km"], writes=["cars"], effects=False)
def cars(state, ctx):
    return {"cars": ["van", "lorry"] if state["answers"]["km"] < 300 else ["lorry"]}

@action(reads=["answers.months"], writes=["boxes"], effects=False)
def boxes(state, ctx):
    return {"boxes": ["box", "hall"] if state["answers"]["months"] < 9 else ["hall"]}

@action(reads=["answers.what", "answers.km", "answers.car", "answers.months", "answers.box"], writes=["price"],
        effects=False)
def price(state, ctx):
    a = state["answers"]
    if a["what"] == "move":
        return {"price": a["km"] + {"van": 1, "lorry": 2}[a["car"]]}
    return {"price": 10 * a["months"] + {"box": 1, "hall": 2}[a["box"]]}
"""
STORED = reads("store it", ("what", "store", "store"), ("months", 2, "2"), ("box", "box", "box"))
MOVED = reads("move it instead", ("what", "move", "move"), ("km", 100, "100"), correction=True)


def removals(tmp_path: Path, restart: str = "restart: keep") -> Any:
    return agent(tmp_path / "a", REMOVALS.replace("RESTART", restart), PRICES)


def test_a_correction_asks_the_questions_of_the_branch_that_it_opens(tmp_path: Path) -> None:
    back = reads("store it after all", ("what", "store", "store"), correction=True)
    session = conversation(removals(tmp_path), back, STORED, MOVED)
    session.send("store it, 2 months, in a box")
    assert session.send("Ann").reply.endswith("21 EUR?")
    turn = session.send("Actually no, move it instead: 100 km")
    assert turn.error is None
    assert (turn.waiting_for and turn.waiting_for.node) == "q.car"
    turn = session.send("van")
    assert turn.reply.endswith("101 EUR?")
    turn = session.send("please store it after all")
    assert "As before: months: 2; box: box." in turn.reply
    assert turn.reply.endswith("21 EUR?")
    turn = session.send("no, move it instead: 100 km")
    assert turn.reply.endswith("101 EUR?")


def test_the_first_message_after_an_end_is_read_where_nothing_is_left_to_ask(tmp_path: Path) -> None:
    again = reads("same again", ("months", 3, "3 months"), correction=True)
    session = conversation(removals(tmp_path), STORED, again)
    session.send("store it, 2 months, in a box")
    session.send("Ann")
    assert session.send("yes").reply == "Booked for 21."
    turn = session.send("same again, but for 3 months")
    assert turn.reply == "Noted: months: 3.\n\n31 EUR?"


def test_a_kept_value_whose_condition_the_turn_settles_is_not_said_to_wait(tmp_path: Path) -> None:
    rule = reads("9 people", ("people", 12, "12"), ("hall", "big", "great hall"), ("chairs", 20, "20"))
    flow = halls(chairs="answers.hall == 'big' || value < 9").replace("Chairs?, required: false", "Chairs?")
    again = reads("great hall", ("hall", "big", "great hall"))
    session = conversation(agent(tmp_path / "a", flow, FIND), rule, again)
    turn = session.send("12 of us, not 9 people, in the great hall, 20 chairs")
    assert (turn.waiting_for and turn.waiting_for.node) == "q.stage"
    assert "I keep" not in turn.reply
    assert session.send("round").values["answers"]["chairs"] == 20


def test_the_first_message_after_an_end_may_give_answers_that_the_thread_does_not_have(tmp_path: Path) -> None:
    again = reads("another", ("what", "move", "move"), ("km", 100, "100"), ("car", "van", "van"), correction=True)
    session = conversation(removals(tmp_path), STORED, again)
    session.send("store it, 2 months, in a box")
    session.send("Ann")
    session.send("yes")
    turn = session.send("another one: move it, 100 km, by van")
    assert turn.values["answers"] == {"what": "move", "km": 100, "car": "van", "name": "Ann"}
    assert "Not needed this time: months, box." in turn.reply
    assert turn.reply.endswith("101 EUR?")


def test_an_answer_dropped_because_of_another_one_does_not_name_the_change_of_the_user(tmp_path: Path) -> None:
    first = reads("12", PEOPLE, ("hall", "big", "big"), ("stage", "round", "round"), ("chairs", 20, "20"))
    fewer = reads("only 5", ("people", 5, "5"), correction=True)
    flow = halls("true", "answers.hall == 'big' && value < 30")
    session = conversation(agent(tmp_path / "a", flow, FIND), first, fewer)
    session.send("12 of us in the big hall, round stage, 20 chairs")
    turn = session.send("sorry, only 5")
    assert "after the change of people (now 5)" not in turn.reply.partition("chairs: 20")[2].partition("\n")[0]


def test_an_invalid_answer_is_dropped_in_the_turn_of_the_correction_and_asked_when_read(tmp_path: Path) -> None:
    first = reads("12", PEOPLE, ("hall", "big", "big"))
    fewer = reads("only 5", ("people", 5, "5"), correction=True)
    session = conversation(agent(tmp_path / "a", halls("true"), FIND), first, fewer)
    session.send("12 of us in the big hall")
    turn = session.send("sorry, only 5")
    dropped = "I dropped hall: big. No longer one of the options after the change of people (now 5)."
    assert turn.reply == f"Noted: people: 5.\n\n{dropped}\n\nWhich stage?"
    session.resume("round")
    assert session.resume(3).reply == "Which hall?"


def test_an_action_is_not_performed_again_before_the_question_for_what_it_reads(tmp_path: Path) -> None:
    first = reads("12", PEOPLE, HALL, STAGE, CHAIRS)
    forget = unknown("forget", "people", "forget the number", correction=True)
    session = conversation(agent(tmp_path / "a", halls(), FIND), first, forget)
    session.send(SAID)
    turn = session.send("forget the number of people")
    assert turn.reply == "Taken back: people.\n\nHow many?"
    assert session.resume(14).reply == "big?"


KENNELS = """
state: {rooms: {type: array, default: [], items: {type: string}}}
nodes:
  - {id: q.animal, type: question, key: animal, prompt: Which animal?, schema: {enum: [dog, cat]}}
  - {id: q.outdoors, type: question, key: outdoors, prompt: Outdoors?, when: answers.animal == 'cat',
     schema: {type: boolean}}
  - {id: find, type: action, run: find}
  - {id: q.room, type: question, key: room, prompt: Which room?, options: rooms}
  - {id: q.vet, type: question, key: vet, prompt: Which vet?, schema: {type: string}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.room }}?"}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.animal, to: q.outdoors}
  - {from: q.outdoors, to: find}
  - {from: find, to: q.room}
  - {from: q.room, to: q.vet}
  - {from: q.vet, to: q.sure}
  - {from: q.sure, to: done}
"""
FIND_ROOM = """
@action(reads=["answers.animal", "answers.outdoors"], writes=["rooms"], effects=False)
def find(state, ctx):
    return {"rooms": ["kennel"] if state["answers"]["animal"] == "dog" else ["loft", "basket"]}
"""


def test_an_answer_that_falls_a_turn_after_the_change_names_that_change(tmp_path: Path) -> None:
    cat = reads("a cat", ("animal", "cat", "cat"), correction=True)
    session = started(agent(tmp_path / "a", KENNELS, FIND_ROOM), cat, reads("Smith", ("vet", "Smith", "Smith")))
    session.resume("dog")
    session.resume("kennel")
    kept = "I keep kennel for room and check it once this is settled: outdoors."
    assert session.send("oops, it is a cat").reply == f"Noted: animal: cat.\n\n{kept}\n\nWhich vet?"
    replies = [session.send("Smith").reply, session.resume(False).reply]
    (reply,) = (each for each in replies if "dropped" in each)
    assert "I dropped room: kennel. No longer one of the options after the change of animal (now cat)" in reply


SALON = """
nodes:
  - {id: q.weight, type: question, key: weight, prompt: How heavy?, schema: {type: integer}}
  - {id: q.coat, type: question, key: coat, prompt: Which coat?, schema: {enum: [short, wire]}}
  - {id: q.service, type: question, key: service, prompt: What shall we do?, schema: {enum: [wash, strip]},
     validate: "value == 'wash' || answers.coat == 'wire'"}
  - {id: q.transport, type: question, key: transport, prompt: Bring or fetch?, schema: {enum: [bring, fetch]},
     validate: "value == 'bring' || answers.weight <= 40"}
  - {id: q.coupon, type: question, key: coupon, prompt: A coupon?, required: false, schema: {enum: [ten, twenty]},
     validate: "value == 'ten' || answers.service != 'wash'"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.service }}?"}
  - {id: done, type: terminal}
edges:
  - {from: q.weight, to: q.coat}
  - {from: q.coat, to: q.service}
  - {from: q.service, to: q.transport}
  - {from: q.transport, to: q.coupon}
  - {from: q.coupon, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.weight, guard: else}
"""
SALON_ANSWERS = {"weight": 12, "coat": "wire", "service": "strip", "transport": "fetch", "coupon": "twenty"}


def salon(tmp_path: Path, *rules: Any) -> Any:
    session = started(agent(tmp_path / "a", SALON), *rules)
    for value in SALON_ANSWERS.values():
        session.resume(value)
    return session


def test_an_answer_that_cannot_be_checked_for_now_is_put_aside_and_restored(tmp_path: Path) -> None:
    session = salon(tmp_path, unknown("forget the weight", "weight", "forget the weight", correction=True))
    turn = session.send("forget the weight")
    assert turn.reply == "Taken back: weight.\n\nHow heavy?"
    assert "transport" not in turn.values["answers"]
    turn = session.resume(14)
    assert turn.reply == "As before: transport: fetch.\n\nstrip?"
    assert turn.values["answers"] == SALON_ANSWERS | {"weight": 14}


def test_an_answer_put_aside_is_dropped_with_the_true_reason_once_it_can_be_checked(tmp_path: Path) -> None:
    session = salon(tmp_path, reads("short", ("coat", "short", "short"), correction=True))
    turn = session.send("the coat is short")
    assert turn.reply == "I dropped service: strip. No longer acceptable after the change of coat (now short).\n\n" + (
        "What shall we do?"
    )
    turn = session.resume("wash")
    dropped = "I dropped coupon: twenty. No longer acceptable after the change of service (now wash)."
    assert turn.reply == f"{dropped}\n\nA coupon?"
    assert session.resume("ten").reply == "wash?"


def test_a_new_value_replaces_an_answer_put_aside(tmp_path: Path) -> None:
    forget = unknown("forget", "weight", "forget the weight", correction=True)["call"]
    bring = reads("", ("transport", "bring", "bring"), correction=True)["call"]
    session = salon(tmp_path, {"says": "forget", "call": forget}, {"says": "bring", "call": bring})
    session.send("forget the weight")
    assert session.send("I bring it").values["answers"]["transport"] == "bring"
    turn = session.resume(14)
    assert turn.reply == "strip?"
    assert turn.values["answers"]["transport"] == "bring"


def test_a_drop_names_only_the_change_that_is_against_the_answer(tmp_path: Path) -> None:
    flow = SALON.replace("answers.weight <= 40", "(answers.weight <= 40 && answers.coat == 'wire')")
    both = reads("24 kg", ("weight", 24, "24 kg"), ("coat", "short", "short"), correction=True)
    session = started(agent(tmp_path / "a", flow), both)
    for value in SALON_ANSWERS.values():
        session.resume(value)
    turn = session.send("24 kg, and the coat is short")
    assert "service: strip; transport: fetch. No longer acceptable after the change of coat (now short)." in turn.reply


MOVES = """
nodes:
  - {id: q.kind, type: question, key: kind, prompt: Home or piece?, schema: {enum: [home, piece]}}
  - {id: q.rooms, type: question, key: rooms, prompt: Rooms?, when: answers.kind == 'home', schema: {type: integer}}
  - {id: q.packing, type: question, key: packing, prompt: Packing?, when: answers.kind == 'home',
     schema: {enum: [all, none]}, validate: "answers.kind == 'home' && (value == 'none' || answers.rooms <= 4)"}
  - {id: q.name, type: question, key: name, prompt: Name?}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Book it?}
  - {id: done, type: terminal, say: Booked.}
  - {id: left, type: terminal, say: Nothing.}
edges:
  - {from: q.kind, to: q.rooms}
  - {from: q.rooms, to: q.packing}
  - {from: q.packing, to: q.name}
  - {from: q.name, to: q.sure, guard: answers.name != 'Eve'}
  - {from: q.name, to: left, guard: else}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.kind, guard: else}
"""
FORGET = {
    key: unknown(f"forget the {key}", key, f"forget the {key}", kind="declines", correction=True)
    for key in ("kind", "rooms")
}
MOVE = reads("pack", ("kind", "home", "home"), ("rooms", 2, "2 rooms"), ("packing", "all", "pack"))
ALL_AT_HOME = "a home of 2 rooms, pack it all"


def test_an_answer_put_aside_is_named_once_its_branch_closes(tmp_path: Path) -> None:
    piece, home = (reads(kind, ("kind", kind, kind), correction=True) for kind in ("piece", "home"))
    session = started(agent(tmp_path / "a", MOVES), MOVE, FORGET["kind"], piece, home)
    session.send(ALL_AT_HOME)
    session.resume("Ann")
    assert session.send("forget the kind").reply == "Taken back: kind.\n\nHome or piece?"
    turn = session.send("one piece")
    dropped = "I dropped rooms: 2; packing: all. No longer needed after the change of kind (now piece)."
    assert turn.reply == f"{dropped}\n\nBook it?"
    turn = session.send("no, the home")
    assert turn.reply == "As before: rooms: 2; packing: all.\n\nNoted: kind: home.\n\nBook it?"


def test_an_answer_put_aside_is_named_at_an_end_that_asks_for_nothing_more(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", MOVES), MOVE, FORGET["rooms"], reads("Eve", ("name", "Eve", "Eve")))
    session.send(ALL_AT_HOME)
    assert session.send("forget the rooms").reply == "Taken back: rooms.\n\nName?"
    assert session.send("Eve").reply == "I dropped packing: all. No longer needed.\n\nNothing."


def test_an_answer_that_a_channel_does_not_offer_any_more_is_named_when_its_branch_opens(tmp_path: Path) -> None:
    flow = KENNELS.replace("options: rooms", "options: rooms, when: answers.stay == 'night'").replace(
        "- {from: q.sure, to: done}", "- {from: q.stay, to: q.animal}\n  - {from: q.sure, to: q.stay}"
    )
    stay = "nodes:\n  - {id: q.stay, type: question, key: stay, prompt: Stay?, schema: {enum: [day, night]}}"
    changes = (("stay", "day"), ("animal", "cat"), ("stay", "night"))
    rules = [reads(says, (key, says, says), correction=True) for key, says in changes]
    session = started(agent(tmp_path / "a", flow.replace("nodes:", stay), FIND_ROOM), *rules)
    for value in ("night", "dog", "kennel", "Smith"):
        session.resume(value)
    assert "I dropped room: kennel. No longer needed" in session.send("only the day").reply
    session.send("a cat")
    assert session.resume(False).reply == "?"
    turn = session.send("the night, too")
    assert turn.reply == "I dropped room: “kennel”. No longer one of the options.\n\nWhich room?"


def test_an_answer_dropped_with_another_one_is_named_once(tmp_path: Path) -> None:
    flow = MOVES.replace("answers.kind == 'home' && (value", "(value").replace(
        "Packing?, when: answers.kind == 'home'", "Packing?, required: false"
    )
    piece = reads("piece", ("kind", "piece", "piece"), correction=True)
    other = reads("Bob", ("name", "Bob", "Bob"), correction=True)
    session = started(agent(tmp_path / "a", flow), MOVE, piece, other)
    session.send(ALL_AT_HOME)
    session.resume("Ann")
    turn = session.send("one piece")
    assert "rooms: 2" in turn.reply
    assert "packing: all" in turn.reply
    assert "packing: all" not in session.send("Bob").reply
