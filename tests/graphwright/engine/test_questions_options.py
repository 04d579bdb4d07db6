"""Options: from a channel or a schema, chosen by number, title or value, with or without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import graphwright
from cli_support import Runner
from graphwright.engine._exact_replies import chosen
from graphwright.flow._json_schemas import Option
from graphwright.store import open_store
from host_support import agent, of_type, open_session, reads, unknown
from step_support import conversation, started

VENUES = """
state:
  venues:
    type: array
    items: {type: object, properties: {value: {type: string}, title: {type: string}}}
    default: [{value: A-1, title: Town hall}, {value: A-2, title: Old mill}, {value: A-3, title: The 2nd hall}]
nodes:
  - {id: q.venue, type: question, key: venue, prompt: Where?, options: venues%s}
  - {id: q.seats, type: question, key: seats, prompt: How many seats?, schema: {type: integer}}
  - {id: q.tags, type: question, key: tags, prompt: Which tags?, schema: {type: array, items: {type: string}}}
  - {id: done, type: terminal, say: "{{ answers.venue }} for {{ answers.seats }}"}
edges:
  - {from: q.venue, to: q.seats}
  - {from: q.seats, to: q.tags}
  - {from: q.tags, to: done}
"""


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        *(("2", "A-2"), ("２", "A-2"), ("2.", "A-2"), ("#2", "A-2"), (" old  MILL! ", "A-2"), ("“a-1”", "A-1")),
        *(("the 2nd hall", "A-3"), ("4", None), ("0", None), ("-1", None), ("mill", None), ("not the old mill", None)),
        *(("1 or 2", None), ("?", None), ("Town hall, Old mill", None)),
    ],
)
def test_a_reply_by_number_title_or_value_is_read_by_code(tmp_path: Path, reply: str, value: str | None) -> None:
    session = conversation(agent(tmp_path / "a", VENUES % ""))
    asked = session.start()
    assert asked.waiting_for.options[1] == {"value": "A-2", "title": "Old mill"}
    assert session.send(reply).values["answers"].get("venue") == value


def test_names_precede_numbers_and_ambiguous_replies_match_nothing() -> None:
    numbers = [Option(value, str(value)) for value in (4, 2, 1)]
    assert chosen("2", numbers) == numbers[1]
    assert chosen("3", numbers) is None
    twice = [Option("a", "Pilot"), Option("b", "Pilot"), Option("c", "Main")]
    assert chosen("pilot", twice) is None
    assert chosen("2", twice) == twice[1]


def test_a_value_that_is_no_option_is_refused_wherever_it_comes_from(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", VENUES % ""))
    turn = session.resume("A-9")
    assert "none of the options" in turn.reply
    assert [e["stage"] for e in of_type(session.trace(), "answer_refused")] == ["options"]
    assert session.resume("A-3").values["answers"] == {"venue": "A-3"}


async def test_the_schema_of_what_is_asked_for_names_the_options_of_a_channel(tmp_path: Path) -> None:
    flow = VENUES % ", schema: {type: string, description: A venue}"
    async with open_session(agent(tmp_path / "a", flow), tmp_path / "home") as session:
        await session.start()
        schema = (await session.state())["waiting_for"]["schema"]
        assert schema == {"type": "string", "description": "A venue", "enum": ["A-1", "A-2", "A-3"]}
        await session.send("2")
        assert (await session.state())["waiting_for"]["schema"] == {"type": "integer"}


async def test_an_empty_list_fails_by_name_and_is_passed_over_by_a_guard(tmp_path: Path) -> None:
    flow = VENUES.replace("default: [{", "default: []  # [{")
    async with open_session(agent(tmp_path / "a", flow % ""), tmp_path / "home") as session:
        turn = await session.start()
        assert (turn.error and turn.error.code) == "no_options"
        assert "size(venues) > 0" in turn.error.hint
    async with open_session(agent(tmp_path / "b", flow % ', when: "size(venues) > 0"'), tmp_path / "home2") as session:
        turn = await session.start()
        assert (turn.waiting_for and turn.waiting_for.node) == "q.seats"


async def test_without_a_model_each_reply_as_a_whole_is_the_answer(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", VENUES % "")
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        for reply in ("old mill", "I guess twelve", "12", "garden, late evening"):
            turn = await session.send(reply)
        assert turn.values["answers"] == {"venue": "A-2", "seats": 12, "tags": ["garden", "late evening"]}
        assert turn.usage.model_calls == 0


def test_many_options_are_shown_in_part_and_taken_by_every_name(run: Runner, tmp_path: Path) -> None:
    items: Any = ", ".join(f"{{value: K-{n}, title: Item {n} of many}}" for n in range(1, 1001))
    graphwright.load(agent(tmp_path / "a", VENUES.replace("default: [", f"default: [{items}, ") % "").file)
    done = run("chat", tmp_path / "a", "--model", "none", stdin="K-777\n")
    assert "  30. Item 30 of many\n  ... and 973 more" in done.out
    assert done.out.endswith("How many seats?\n")


async def test_a_correction_that_leaves_no_option_takes_the_way_out_of_the_flow(tmp_path: Path) -> None:
    flow = """
    on_escalate: person
    state: {boats: {type: array, items: {type: string}, default: [], scope: conversation}}
    nodes:
      - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
      - {id: find, type: action, run: find}
      - {id: q.boat, type: question, key: boat, prompt: Which boat?, options: boats}
      - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ answers.boat }}?"}
      - {id: done, type: terminal, say: Booked.}
      - {id: person, type: terminal, say: A colleague will call.}
    edges:
      - {from: q.people, to: find}
      - {from: find, to: q.boat, guard: size(boats) > 0}
      - {from: find, to: person, guard: else}
      - {from: q.boat, to: q.sure}
      - {from: q.sure, to: done, guard: answers.sure == true}
      - {from: q.sure, to: q.people, guard: else}
    """
    nodes = """
    @action(reads=["answers.people"], writes=["boats"], effects=False)
    def find(state, ctx):
        return {"boats": ["barge"] if state["answers"]["people"] < 10 else []}
    """
    async with agent(tmp_path / "a", flow, nodes).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        await session.send("8")
        assert (await session.send("barge")).reply == "barge?"
        turn = await session.send("people: 12")
        assert (turn.status, turn.error) == ("ended", None)
        assert turn.reply.endswith("A colleague will call.")


LATER = """
state: {boats: {type: array, default: [], scope: conversation, items: {type: object, properties: {
  value: {type: string}, title: {type: string}}}}}
nodes:
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: find, type: action, run: find}
  - {id: q.boat, type: question, key: boat, prompt: Which boat?, options: boats}
  - {id: booked, type: terminal, say: "{{ answers.boat }} for {{ answers.people }}."}
edges:
  - {from: q.people, to: find}
  - {from: find, to: q.boat}
  - {from: q.boat, to: booked}
"""
FIND = """
@action(reads=["answers.people"], writes=["boats"], effects=False)
def find(state, ctx):
    fits = {"B1": 12, "B2": 40}
    names = {"B1": "Old barge", "B2": "Ferry"}
    found = [boat for boat, most in fits.items() if most >= state["answers"]["people"]]
    return {"boats": [{"value": boat, "title": names[boat]} for boat in found]}
"""


@pytest.mark.parametrize(
    ("said", "quote", "people", "reply"),
    [
        ("old barge", "old barge", 8, "Noted: boat: Old barge.\n\nOld barge for 8."),
        ("B2", "the ferry B2", 8, "Noted: boat: Ferry.\n\nFerry for 8."),
        ("the barge", "Old Barge", 8, "Noted: boat: Old barge.\n\nOld barge for 8."),
        ("old barge", "old barge", 30, "“old barge” is none of the options: Ferry.\n\nWhich boat?"),
        # a number is not a name: it was said before there was a first option
        ("1", "1", 8, "“1” is none of the options: Old barge, Ferry.\n\nWhich boat?"),
    ],
)
async def test_an_answer_given_before_its_options_exist_is_taken_or_refused_once_they_do(
    tmp_path: Path, said: str, quote: str, people: int, reply: str
) -> None:
    rule = reads(".", ("boat", said, quote))
    made = agent(tmp_path / "a", LATER, FIND)
    async with open_session(made, tmp_path / "home", rule) as session:
        turn = await session.send(f"I would like {quote} please")
        kept = f"I keep “{said}” for boat and check it once there are options to choose from."
        assert (turn.reply, turn.values["answers"]) == (f"{kept}\n\nHow many?", {})
    # The kept answers are read from the disk.
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.resume(people)
        assert turn.reply == reply
        if turn.status == "waiting":
            assert (await session.send("ferry")).reply == f"Ferry for {people}."


async def test_a_model_reads_a_kept_value_again_with_the_options_in_view(tmp_path: Path) -> None:
    early = reads("Fähre bitte", ("boat", "die Fähre", "Fähre"))
    found = {"says": "Die Fähre bitte", "anywhere": "(Ferry)", **reads("Fähre", ("boat", "B2", "Die Fähre"))}
    made = agent(tmp_path / "a", LATER, FIND)
    async with open_session(made, tmp_path / "home", found, early) as session:
        await session.send("Die Fähre bitte")
        turn = await session.resume(8)
        assert (turn.reply, turn.usage.model_calls) == ("Noted: boat: Ferry.\n\nFerry for 8.", 1)
    # A model that finds no option, and one that fails.
    for name, rule in (("none", {**unknown("Fähre", "boat", "bitte"), "anywhere": "(Ferry)"}), ("fails", reads("x"))):
        async with open_session(made, tmp_path / name, rule, early) as session:
            await session.send("Die Fähre bitte")
            assert (await session.resume(8)).reply == (
                "“die Fähre” is none of the options: Old barge, Ferry.\n\nWhich boat?"
            )


def test_an_early_answer_comes_with_others_and_the_last_one_counts(tmp_path: Path) -> None:
    rules = (
        reads("ferry", ("boat", "ferry", "ferry")),
        reads("barge", ("boat", "old barge", "old barge"), ("people", 8, "8")),
    )
    session = conversation(agent(tmp_path / "a", LATER, FIND), *rules)
    session.send("the ferry please")
    turn = session.send("rather the old barge, for 8")
    assert turn.status == "ended"
    assert turn.reply.endswith("Noted: boat: Old barge.\n\nOld barge for 8.")
    assert [e["stage"] for e in of_type(session.trace(), "answer_refused")] == ["early", "early"]


def test_answers_noted_in_several_steps_are_reported_once(tmp_path: Path) -> None:
    flow = LATER.replace(
        "  - {id: booked",
        "  - {id: again, type: action, run: find_again}\n"
        "  - {id: q.back, type: question, key: back, prompt: Which boat back?, options: backs}\n  - {id: booked",
    )
    flow = flow.replace("boats: {", "backs: {type: array, default: [], items: {type: string}}, boats: {")
    flow = flow.replace("q.boat, to: booked}", "q.boat, to: again}\n  - {from: again, to: q.back}")
    flow += "  - {from: q.back, to: booked}\n"
    again = '@action(reads=["answers.boat"], writes=["backs"], effects=False)\ndef find_again(state, ctx):\n'
    made = agent(tmp_path / "a", flow, f'{FIND}\n{again}    return {{"backs": ["raft", state["answers"]["boat"]]}}\n')
    rules = (
        reads("ferry", ("boat", "ferry", "ferry"), ("back", "raft", "raft")),
        reads("really", ("people", 9, "9"), ("boat", "old barge", "old barge"), correction=True),
    )
    session = conversation(made, *rules)
    session.send("by ferry, and back on the raft")
    turn = session.send("really 9 of us, and by the old barge")
    assert turn.reply == "Noted: boat: Old barge; back: raft.\n\nOld barge for 9."


def test_a_confirmation_before_the_options_exist_takes_an_early_answer(tmp_path: Path) -> None:
    sure = "  - {id: q.sure, type: question, key: sure, read: confirm, prompt: Shall I look?}\n"
    flow = LATER.replace("  - {id: find", sure + "  - {id: find").replace("people, to: find", "people, to: q.sure")
    flow += "  - {from: q.sure, to: find, guard: answers.sure == true}\n  - {from: q.sure, to: booked, guard: else}\n"
    early = {"key": "boat", "value": "ferry", "quote": "ferry", "correction": False}
    rule = {"call": {"UpdateAnswers": {"consent": "agrees_with_changes", "answers": [early]}}}
    session = started(agent(tmp_path / "a", flow, FIND), rule)
    session.resume(8)
    kept = session.send("yes, and I take the ferry")
    assert (kept.reply.splitlines()[-1], kept.status) == ("Shall I look?", "waiting")
    # The flow ends before there are options.
    assert session.send("no").reply.startswith("Not noted: boat: “ferry”. It does not apply here.")


@pytest.mark.parametrize("required", [True, False])
def test_an_early_answer_can_be_taken_back(tmp_path: Path, required: bool) -> None:
    flow = LATER if required else LATER.replace("options: boats}", "options: boats, required: false}")
    flow = flow.replace("{{ answers.boat }}", "{{ has(answers.boat) ? answers.boat : 'none' }}")
    taken_back = unknown("not the ferry", "boat", "not the ferry", correction=True)
    rules = (reads("ferry please", ("boat", "ferry", "ferry")), {**taken_back, "anywhere": '{"boat":"ferry"}'})
    session = conversation(agent(tmp_path / "a", flow, FIND), *rules)
    session.send("the ferry please")
    assert session.send("not the ferry").reply == "Taken back: boat.\n\nHow many?"
    assert session.resume(8).reply == ("Which boat?" if required else "none for 8.")


async def test_without_a_model_an_early_answer_is_given_by_name(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", LATER, FIND)
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        assert "I keep “ferry” for boat" in (await session.send("boat: ferry")).reply
        assert (await session.send("8")).reply.endswith("Ferry for 8.")


MEADOW = """
nodes:
  - {id: q.place, type: question, key: place, prompt: Which place?, read: choice%s,
     schema: {oneOf: [{const: M1, title: Meadow}, {const: F1, title: Forest}]}}
  - {id: q.people, type: question, key: people, prompt: How many?, schema: {type: integer}}
  - {id: done, type: terminal, say: "{{ answers.place }} for {{ answers.people }}."}
  - {id: other, type: terminal, say: "{{ message }}"}
edges:
  - {from: q.place, to: q.people}
  - {from: q.people, to: done}
"""


def test_with_a_model_a_choice_is_read_and_so_is_what_is_said_beside_it(tmp_path: Path) -> None:
    rules = (unknown("no idea", "place", "no idea"), reads("12", ("place", "M1", "Meadow"), ("people", 12, "12")))
    session = started(agent(tmp_path / "a", MEADOW % ""), *rules)
    assert "one of: Meadow, Forest" in session.send("no idea").reply
    assert session.send("Meadow please, there are 12 of us").reply == "Meadow for 12."


async def test_code_matches_a_choice_without_a_model_or_if_the_flow_reads_other_replies(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", MEADOW % "").session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        assert "one of: Meadow, Forest" in (await session.send("Meadow please")).reply
    flow = MEADOW % ", max_invalid: 1, on_invalid: other"
    async with open_session(agent(tmp_path / "b", flow), tmp_path / "home2") as session:
        await session.start()
        assert (await session.send("Meadow please")).reply.endswith("Meadow please")


async def test_an_answer_with_its_name_is_read_although_the_flow_reads_other_replies(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", MEADOW % ", max_invalid: 1, on_invalid: other")
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        assert "Which place?" in (await session.send("people: 12")).reply
        assert (await session.send("Meadow")).reply == "Meadow for 12."


async def test_a_chosen_value_is_said_by_its_title_and_names_the_conversation(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", MEADOW % "")
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        await session.resume("M1")
        assert (await session.send("12")).reply == "Meadow for 12."
    async with open_store(tmp_path / "home") as store:
        said = [each.text for each in await store.messages.window("t", 9) if each.role == "user"]
        row = await store.threads.get("t")
    assert said == ["Meadow", "12"]
    assert row is not None
    assert row.title == "Place: Meadow"


def test_a_list_and_a_yes_are_shown_in_words(tmp_path: Path) -> None:
    flow = """
nodes:
  - {id: q.extras, type: question, key: extras, prompt: What else?,
     schema: {type: array, items: {oneOf: [{const: m, title: Meal}, {const: d, title: Dog}]}}}
  - {id: q.window, type: question, key: window, prompt: At the window?, schema: {type: boolean}}
  - {id: done, type: terminal, say: "{{ answers.extras }}; {{ answers.window }}; {{ answers.window ? 'w' : '' }}"}
edges: [{from: q.extras, to: q.window}, {from: q.window, to: done}]
"""
    session = started(agent(tmp_path / "a", flow))
    session.resume(["d", "m"])
    assert session.resume(True).reply == "Dog, Meal; yes; w"
