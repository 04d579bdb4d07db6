"""Dependent answers: a correction, a withdrawal or an action drops invalid answers, reports them and asks again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from host_support import agent, of_type, open_session, reads, trace, unknown
from step_support import started

QUESTIONS = """
nodes:
  - {id: q.room, type: question, key: room, prompt: Which room?, schema: {enum: [small, large]}}
  - id: q.people
    type: question
    key: people
    prompt: How many people?
    schema: {type: integer, minimum: 1}
    validate: "value <= (answers.room == 'small' ? 4 : 20)"
"""
ROOM = (
    QUESTIONS
    + """\
  - {id: q.note, type: question, key: note, prompt: A note?, required: false}
  - id: q.sure
    type: question
    key: sure
    read: confirm
    ask: always
    prompt: "{{ answers.room }}, {{ answers.people }}?"
  - {id: book, type: action, run: book, confirm: {by: q.sure, over: [answers.room, answers.people]}}
  - {id: booked, type: terminal, say: "Booked {{ answers.room }} for {{ answers.people }}."}
  - {id: left, type: terminal, say: Nothing was booked.}
edges:
  - {from: q.room, to: q.people}
  - {from: q.people, to: q.note}
  - {from: q.note, to: q.sure}
  - {from: q.sure, to: book, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: book, to: booked}
"""
)
BOOK = """
@action(reads=["answers"])
def book(state, ctx):
    with (Path(__file__).parent / "booked").open("a") as file:
        file.write(f"{state['answers']['room']} {state['answers']['people']}\\n")
"""
LARGE_FOR_TEN = (
    reads("ten in the large one", ("people", 10, "ten"), ("room", "large", "large")),
    reads("small", ("room", "small", "small"), correction=True),
    unknown("no note", "note", "no note"),
)


def test_a_correction_drops_what_no_longer_fits_and_asks_it_before_the_confirmation(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", ROOM, BOOK), *LARGE_FOR_TEN)
    # The number comes before the room in the reply, and is checked after it.
    assert session.send("ten in the large one").values["answers"] == {"room": "large", "people": 10}
    assert session.send("no note").reply == "Left open: note.\n\nlarge, 10?"
    asked = session.send("rather the small one")
    dropped = "I dropped people: 10. No longer acceptable after the change of room (now small)."
    assert asked.reply.split("\n\n") == [dropped, "How many people?"]
    assert session.send("4").reply == "small, 4?"
    assert session.send("yes").reply == "Booked small for 4."
    assert (tmp_path / "a" / "booked").read_text() == "small 4\n"
    jumps = [(e["source"], e["target"], e["reason"]) for e in of_type(session.trace(), "jumped")]
    assert jumps == [("q.sure", "q.people", "asked_again")]


def test_a_correction_while_another_question_waits_is_reconsidered_when_it_is_needed(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", ROOM, BOOK), *LARGE_FOR_TEN)
    session.send("ten in the large one")
    turn = session.send("make it small")
    assert (turn.waiting_for.node, turn.values["answers"]) == ("q.note", {"room": "small"})
    assert session.send("no note").reply == "Left open: note.\n\nHow many people?"
    assert session.send("4").reply == "small, 4?"


@pytest.mark.parametrize("taken_back", ["room", "people"])
def test_a_required_answer_that_was_taken_back_is_asked_again(tmp_path: Path, taken_back: str) -> None:
    rules = (
        *LARGE_FOR_TEN,
        unknown("forget that", taken_back, "forget that", correction=True),
        reads("the large one", ("room", "large", "large")),
    )
    session = started(agent(tmp_path / "a", ROOM, BOOK), *rules)
    session.send("ten in the large one")
    session.send("no note")
    turn = session.send("forget that")
    assert turn.waiting_for is not None
    if taken_back == "room":
        assert turn.waiting_for.node == "q.room"
        # The number of people was only put aside: it is valid again with this room.
        assert session.send("the large one").reply == "As before: people: 10.\n\nlarge, 10?"
    else:
        assert (turn.waiting_for.node, turn.values["answers"].get("people")) == ("q.people", None)
        assert session.send("4").reply == "large, 4?"
    assert not (tmp_path / "a" / "booked").exists()


SEARCH = """
state:
  rooms: {type: array, items: {type: object, properties: {value: {type: string}, title: {type: string}}}, default: []}
  offer: {type: string, default: ""}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: find, type: action, run: find}
  - {id: q.room, type: question, key: room, options: rooms, prompt: Which room?}
  - {id: price, type: action, run: price}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ offer }}?"}
  - {id: book, type: action, run: book, confirm: {by: q.sure, over: [offer]}}
  - {id: booked, type: terminal, say: "{{ offer }}."}
edges:
  - {from: q.people, to: find}
  - {from: find, to: q.room}
  - {from: q.room, to: price}
  - {from: price, to: q.sure}
  - {from: q.sure, to: book, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: book, to: booked}
"""
SEARCHING = """
SEATS = {"A": 12, "B": 30, "C": 40}

def ran(name):
    with (Path(__file__).parent / "ran").open("a") as file:
        file.write(name + " ")

@action(reads=["answers.people"], writes=["rooms"], effects=False)
def find(state, ctx):
    ran("find")
    fits = [name for name, seats in SEATS.items() if seats >= state["answers"]["people"]]
    return {"rooms": [{"value": name, "title": f"room {name}"} for name in fits]}

@action(reads=["answers.people", "answers.room", "rooms"], writes=["offer"], effects=False)
def price(state, ctx):
    ran("price")
    return {"offer": f"{state['answers']['room']} for {state['answers']['people']}"}

@action(reads=["answers", "offer"])
def book(state, ctx):
    ran("book " + state["offer"])
"""


def more_people(number: int) -> dict[str, Any]:
    return reads(f"we are {number}", ("people", number, f"{number}"), correction=True)


def test_options_are_searched_again_and_the_chosen_one_is_dropped_when_it_is_gone(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", SEARCH, SEARCHING), more_people(30), more_people(31))
    session.resume(10)
    assert session.send("A").reply == "A for 10?"
    asked = session.send("no, we are 30")
    assert [option["value"] for option in asked.waiting_for.options] == ["B", "C"]
    dropped = "I dropped room: room A. No longer one of the options after the change of people (now 30)."
    assert dropped in asked.reply
    assert session.send("C").reply == "C for 30?"
    # The room is still available: it stays, and values computed from both are computed again.
    assert session.send("we are 31").reply == "C for 31?"
    assert session.send("yes").reply == "C for 31."
    ran = (tmp_path / "a" / "ran").read_text()
    assert ran == "find price find price find price book C for 31 "


def test_an_answer_that_the_flow_dropped_is_not_called_taken_back(tmp_path: Path) -> None:
    # The event decides whether people are asked for, and the rooms; the rooms are also those for the people.
    event = """
  - {id: q.event, type: question, key: event, prompt: Which event?, schema: {enum: [party, photo]}}
  - {id: q.people,"""
    flow = SEARCH.replace("\n  - {id: q.people,", event, 1).replace(
        "edges:\n", "edges:\n  - {from: q.event, to: q.people}\n"
    )
    flow = flow.replace("key: people,", "key: people, when: answers.event == 'party',")
    code = SEARCHING.replace('reads=["answers.people"], writes=["rooms"]', 'reads=["answers"], writes=["rooms"]')
    code = code.replace('state["answers"]["people"]', 'state["answers"].get("people", 35)').replace(
        "{state['answers']['people']}", "{state['answers'].get('people', 0)}"
    )
    made = agent(tmp_path / "a", flow, code)
    session = started(made, reads("photo", ("event", "photo", "photo"), correction=True))
    session.resume("party")
    session.resume(10)
    assert session.send("A").reply == "A for 10?"
    reply = session.send("it is a photo").reply
    assert "I dropped people: 10. No longer needed after the change of event (now photo)." in reply
    assert "I dropped room: room A. No longer one of the options" in reply
    assert "taken back" not in reply


def test_a_correction_at_the_question_itself_searches_its_options_again(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", SEARCH.replace("options: rooms,", "options: rooms, read: extract,"), SEARCHING)
    session = started(made, more_people(30))
    session.resume(10)
    asked = session.send("oh, we are 30")
    assert asked.waiting_for.node == "q.room"
    assert [option["value"] for option in asked.waiting_for.options] == ["B", "C"]


def test_answers_dropped_in_one_turn_are_reported_once_with_what_the_user_changed(tmp_path: Path) -> None:
    chairs = """
  - {id: q.chairs, type: question, key: chairs, prompt: Chairs?, schema: {type: integer},
     validate: value <= answers.people}
  - {id: q.tables, type: question, key: tables, prompt: Tables?, schema: {type: integer},
     validate: value <= answers.chairs}
  - {id: price,"""
    flow = SEARCH.replace("\n  - {id: price,", chairs).replace(
        "{from: q.room, to: price}", "{from: q.room, to: q.chairs}"
    )
    flow += "  - {from: q.chairs, to: q.tables}\n  - {from: q.tables, to: price}\n"
    fewer = SEARCHING.replace("seats >= state", "seats // 3 <= state")
    session = started(agent(tmp_path / "a", flow, fewer), more_people(5))
    session.resume(20)
    session.send("C")
    session.resume(15)
    assert session.resume(8).reply == "C for 20?"
    asked = session.send("no, we are 5")
    # The search drops the room. The tables are only put aside: they are checked with the next number of chairs.
    dropped = (
        "I dropped chairs: 15. No longer acceptable after the change of people (now 5).\n"
        "I dropped room: room C. No longer one of the options after the change of people (now 5)."
    )
    assert asked.reply.split("\n\n") == [dropped, "Which room?"]


@pytest.mark.parametrize(("says", "after"), [("leave it", "A for 10?"), ("again", "A for 30?")])
def test_an_action_with_effects_is_not_repeated_by_a_correction(tmp_path: Path, says: str, after: str) -> None:
    nodes = SEARCHING.replace('writes=["offer"], effects=False', 'writes=["offer"]').replace('"A": 12', '"A": 99')
    session = started(agent(tmp_path / "a", SEARCH, nodes), more_people(30))
    session.resume(10)
    session.send("A")
    asked = session.send("no, we are 30")
    assert "'price' was already done before this changed: people" in asked.reply
    assert [option["title"] for option in asked.waiting_for.options] == ["leave it", "again"]
    assert session.send("what?").waiting_for == asked.waiting_for
    assert session.send(says).reply == after
    assert (tmp_path / "a" / "ran").read_text().split().count("price") == (2 if says == "again" else 1)


LIFT = """
nodes:
  - {id: q.floor, type: question, key: floor, prompt: Floor?, schema: {type: integer}}
  - {id: q.lift, type: question, key: lift, prompt: A lift?, when: "answers.floor > 0", schema: {type: boolean}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.floor, to: q.lift}
  - {from: q.lift, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
"""


async def test_an_answer_that_no_longer_applies_is_dropped_and_one_that_applies_now_is_asked(tmp_path: Path) -> None:
    rules = [reads(f"floor {n}", ("floor", n, f"{n}"), correction=True) for n in (0, 2)]
    made = agent(tmp_path / "a", LIFT)
    async with open_session(made, tmp_path / "home", *rules) as session:
        await session.start()
        await session.resume(3)
        assert (await session.resume(True)).reply == "Sure?"
        turn = await session.send("floor 0")
        assert turn.values["answers"].get("lift") is None
        assert "I dropped lift: yes. No longer needed after the change of floor (now 0)." in turn.reply
        assert turn.reply.endswith("Sure?")
        assert (await session.send("floor 2")).reply.startswith("As before: lift: yes.")
    async with open_session(made, tmp_path / "other", *rules) as session:
        await session.start()
        assert (await session.resume(0)).reply == "Sure?"
        assert (await session.send("floor 2")).reply == "A lift?"
        assert (await session.resume(False)).reply == "Sure?"


LEAVING = """
state:
  rooms: {type: array, items: {type: string}, default: [A, B]}
nodes:
  - {id: q.room, type: question, key: room, options: rooms, prompt: Which room?}
  - {id: look, type: action, run: look}
  - {id: right, type: terminal, say: "It is {{ answers.room }}."}
  - {id: wrong, type: terminal, say: Some other room.}
edges:
  - {from: q.room, to: look}
  - {from: look, to: right, guard: answers.room == 'B'}
  - {from: look, to: wrong, guard: else}
"""


async def test_an_edge_that_reads_a_dropped_answer_waits_without_repeating_the_action(tmp_path: Path) -> None:
    look = '@action(reads=[], writes=["rooms"])\ndef look(state, ctx):\n    return {"rooms": ["B"]}\n'
    made = agent(tmp_path / "a", LEAVING, look)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        assert (await session.send("A")).reply.endswith("Which room?")
    # The place to return to is read from the disk.
    async with open_session(made, tmp_path / "home") as session:
        assert (await session.send("B")).reply == "It is B."
        assert len(of_type(await trace(session), "action_started")) == 1


BOATS = """
state: {boats: {type: array, items: {type: string}, default: [], scope: conversation}}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: find, type: action, run: find}
  - {id: q.boat, type: question, key: boat, prompt: Which boat?, options: boats}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always,
     prompt: "{{ answers.boat }} for {{ answers.people }}?"}
  - {id: done, type: terminal, say: Booked.}
  - {id: person, type: terminal, say: A colleague will call.}
edges:
  - {from: q.people, to: find}
  %s
  - {from: q.boat, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: person, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
"""
FIND = """
@action(reads=["answers.people"], writes=["boats"], effects=False)
def find(state, ctx):
    if state["answers"]["people"] > 99:
        raise ValueError("too many")
    return {"boats": [name for name, most in {"barge": 10, "ferry": 40}.items() if most >= state["answers"]["people"]]}
"""
GUARDED = "- {from: find, to: q.boat, guard: size(boats) > 0}"


def test_an_action_computed_again_takes_the_edge_that_its_new_channels_open(tmp_path: Path) -> None:
    edges = GUARDED + "\n  - {from: find, to: person, guard: else}"
    session = started(agent(tmp_path / "a", BOATS % edges, FIND), more_people(60), more_people(12))
    session.resume(8)
    assert session.send("ferry").reply == "ferry for 8?"
    # The edge is the same one: back to the confirmation.
    assert session.send("we are 12").reply == "ferry for 12?"
    turn = session.send("we are 60")
    assert (turn.status, turn.error) == ("ended", None)
    assert turn.reply.endswith("A colleague will call.")


def test_a_wish_for_a_person_after_a_failure_is_heard(tmp_path: Path) -> None:
    wish = {"says": "a person", "call": {"EscalateToHuman": {"reason": "wants a person"}}}
    made = agent(tmp_path / "a", "on_escalate: person\n" + (BOATS % GUARDED).lstrip(), FIND)
    session = started(made, wish)
    assert session.resume(100).status == "failed"
    turn = session.send("let me talk to a person")
    assert (turn.status, turn.reply) == ("ended", "A colleague will call.")


TRIP = """
state: {boats: {type: array, items: {type: string}, default: [], scope: conversation}}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: sg, type: subgraph, ref: trip%s}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always,
     prompt: "{{ boats[0] }} for {{ answers.people }}?"}
  - {id: done, type: terminal, say: Booked.}
  - {id: person, type: terminal, say: A colleague will call.}
edges:
  - {from: q.people, to: sg}
  - {from: sg, to: q.sure, guard: size(boats) > 0}
  - {from: sg, to: person, guard: else}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
subgraphs:
  trip:
    nodes:
      - {id: find, type: action, run: find}
      - {id: q.boat, type: question, key: boat, prompt: Which boat?, options: boats}
    edges:
      - {from: find, to: q.boat, guard: size(boats) > 0}
      - {from: find, to: __exit__, guard: else}
      - {from: q.boat, to: __exit__}
"""


@pytest.mark.parametrize("scope", ["", ", as: trip"])
def test_a_call_is_left_on_the_edge_that_an_action_computed_again_in_it_opens(tmp_path: Path, scope: str) -> None:
    session = started(agent(tmp_path / "a", TRIP % scope, FIND), more_people(60))
    session.resume(8)
    assert session.send("barge").reply == "barge for 8?"
    assert session.send("we are 60").reply.endswith("A colleague will call.")


@pytest.mark.parametrize("model", ["none", "scripted"])
@pytest.mark.parametrize(
    ("edge", "first", "failing", "code"),
    [
        ("- {from: find, to: q.boat}", 8, 60, "no_options"),
        ("- {from: find, to: q.boat}", None, 60, "no_options"),
        (GUARDED, 8, 60, "stuck_no_open_edge"),
        (GUARDED, None, 60, "stuck_no_open_edge"),
        (GUARDED, 8, 100, "action_failed"),
        (GUARDED, None, 100, "action_failed"),
    ],
)
async def test_a_correction_gets_a_failed_thread_out(
    tmp_path: Path, edge: str, first: int | None, failing: int, code: str, model: str
) -> None:
    """`first` is the number of people before the one that makes the flow fail."""
    rules = (more_people(failing), more_people(9), unknown("again", "people"))
    made = agent(tmp_path / "a", BOATS % edge, FIND)
    plain = made.session("t", model="none", home=tmp_path / "home")
    says = "people: {}" if model == "none" else "we are {}"
    async with plain if model == "none" else open_session(made, tmp_path / "home", *rules) as session:
        await session.start()
        if first is None:
            turn = await session.resume(failing)
        else:
            await session.resume(first)
            await session.send("barge")
            turn = await session.send(says.format(failing))
        for _ in range(2):
            assert (turn.error.code, turn.values["answers"]["people"]) == (code, failing)
            turn = await session.send("again")
        turn = await session.send(says.format(9))
        assert turn.error is None
        if turn.reply.endswith("Which boat?"):
            turn = await session.send("barge")
        assert turn.reply.endswith("barge for 9?")


MOVING = """
nodes:
  - {id: q.to, type: question, key: to_city, prompt: "To which town?"}
  - {id: q.floor, type: question, key: floor, prompt: "Floor?", required: false, schema: {type: integer}}
  - {id: q.email, type: question, key: email, prompt: "Your e-mail address?", schema: {type: string, format: email}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "To {{ answers.to_city }}?"}
  - {id: done, type: terminal, say: "We shall write to {{ answers.email }}."}
  - {id: dropped, type: terminal, say: Nothing was passed on.}
edges:
  - {from: q.to, to: q.floor}
  - {from: q.floor, to: q.email}
  - {from: q.email, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: dropped, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
"""


@pytest.mark.parametrize(("key", "question"), [("to_city", "q.to"), ("email", "q.email"), ("floor", "q.sure")])
def test_a_required_answer_is_asked_again_before_the_confirmation(tmp_path: Path, key: str, question: str) -> None:
    rules = (
        reads("to Ulm", ("to_city", "Ulm", "Ulm"), ("floor", 2, "2"), ("email", "a@example.org", "a@example.org")),
        unknown("not that", key, "not that", correction=True),
    )
    session = started(agent(tmp_path / "a", MOVING), *rules)
    assert session.send("to Ulm, floor 2, a@example.org").reply.endswith("To Ulm?")
    turn = session.send("not that")
    assert (turn.waiting_for.node, turn.values["answers"].get(key)) == (question, None)


SUMMED = (
    """
state: {total: {type: string, default: ""}}"""
    + QUESTIONS
    + """\
  - {id: sum, type: action, run: sum_up}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ total }}?"}
  - {id: done, type: terminal}
edges:
  - {from: q.room, to: q.people}
  - {from: q.people, to: sum}
  - {from: sum, to: q.sure}
  - {from: q.sure, to: sum, guard: "type(answers.sure) == string"}
  - {from: q.sure, to: done, guard: else}
"""
)
SUM_UP = """
KEYS = ["room", "people"]

@action(reads=["answers." + key for key in KEYS], writes=["total"], effects=False)
def sum_up(state, ctx):
    return {"total": " ".join(str(state["answers"].get(key)) for key in KEYS)}
"""


def test_reads_declared_by_an_expression_make_channels_stale(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", SUMMED, SUM_UP), *LARGE_FOR_TEN)
    assert session.send("ten in the large one").reply.endswith("large 10?")
    assert session.send("rather the small one").reply.endswith("How many people?")
    assert session.send("3").reply == "small 3?"
