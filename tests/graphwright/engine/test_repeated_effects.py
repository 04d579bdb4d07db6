"""An action that was done and comes up again, other than by the edges of the flow: skipped, or asked again."""

from pathlib import Path
from typing import Any

import pytest

from graphwright import Agent, Session
from graphwright.errors import UsageError
from host_support import agent, open_session, reads

FLOW = """
state:
  receipt: {type: string, default: ""}
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Book for {{ answers.name }}?"}
  - {id: book, type: action, run: book, confirm: {by: q.sure, over: [answers.name]}}
  - {id: tell, type: action, run: tell}
  - {id: q.more, type: question, key: more, prompt: Anything else?}
  - {id: q.why, type: question, key: why, prompt: Why?, ask: always, read: verbatim}
  - {id: t.booked, type: terminal, say: "{{ receipt }}."}
  - {id: t.left, type: terminal, say: Nothing was booked.}
edges:
  - {from: q.name, to: q.sure}
  - {from: q.sure, to: book, guard: answers.sure == true}
  - {from: q.sure, to: t.left, guard: answers.sure == false}
  - {from: q.sure, to: q.why, guard: else}
  - {from: q.why, to: q.sure}
  - {from: book, to: tell}
  - {from: tell, to: q.more}
  - {from: q.more, to: t.booked}
"""
NODES = """
def did(text):
    with (Path(__file__).parent / "did").open("a") as file:
        file.write(text + "\\n")

@action(reads=["answers.name"], writes=["receipt"])
def book(state, ctx):
    did("booked " + state["answers"]["name"])
    return {"receipt": "Booked for " + state["answers"]["name"]}

@action(reads=[])
def tell(state, ctx):
    did("told")
"""
ANSWERS = [reads(f"^{name}$", ("name", name, name)) for name in ("Ann", "Bob")]
CORRECTIONS = [reads(f"^no, {name}", ("name", name, name), correction=True) for name in ("Ann", "Bob")]
OTHERS = [
    reads("^none", ("more", "none", "none")),
    {"says": "^hm", "call": {"UpdateAnswers": {"language": "en", "consent": "unclear"}}},
]


def booking(made: Agent, home: Path, *rules: dict[str, Any]) -> Session:
    return open_session(made, home, *rules, *ANSWERS, *CORRECTIONS, *OTHERS)


def did(made: Agent) -> list[str]:
    return (made.folder / "did").read_text().splitlines()


@pytest.fixture
def made(tmp_path: Path) -> Agent:
    return agent(tmp_path / "a", FLOW, NODES)


async def said(session: Session, *texts: str) -> Any:
    for text in texts:
        turn = await session.send(text)
        assert turn.error is None
    return turn


@pytest.mark.parametrize(
    ("reply", "end", "done"),
    [
        ("yes", "Booked for Bob.", ["booked Ann", "told", "booked Bob"]),
        ("no", "Booked for Ann.", ["booked Ann", "told"]),
    ],
)
async def test_a_confirmation_says_what_was_done_before_and_a_no_leaves_it(
    made: Agent, tmp_path: Path, reply: str, end: str, done: list[str]
) -> None:
    async with booking(made, tmp_path / "home") as session:
        await said(session, "Ann")
        first = (await session.state())["waiting_for"]["approval"]
        assert "notice" not in first
        await said(session, "yes", "no, Bob")
        asked = await said(session, "none")
        at = (await session.state())["waiting_for"]
        assert asked.waiting_for.prompt.startswith("'book' was already done on ")
        assert "after your yes to this: “Book for Ann?” With a yes it is done again" in at["prompt"]
        assert at["prompt"].endswith("\n\nBook for Bob?")
        assert at["approval"]["notice"] == at["prompt"].partition("\n\n")[0]
        assert (await said(session, reply)).reply == end
    assert did(made) == done


async def test_a_correction_that_is_taken_back_repeats_and_asks_nothing(made: Agent, tmp_path: Path) -> None:
    async with booking(made, tmp_path / "home") as session:
        turn = await said(session, "Ann", "yes", "no, Bob", "no, Ann", "none")
        assert turn.status == "ended"
        assert turn.reply.endswith("so it is not done again.\n\nBooked for Ann.")
    assert did(made) == ["booked Ann", "told"]


async def test_the_notice_is_part_of_what_a_yes_approves_and_in_the_language_of_the_user(
    made: Agent, tmp_path: Path
) -> None:
    german = {"says": "^none", "call": {"UpdateAnswers": {"language": "de", "answers": []}}}
    german["call"]["UpdateAnswers"]["answers"] = OTHERS[0]["call"]["UpdateAnswers"]["answers"]  # type: ignore[index]
    async with booking(made, tmp_path / "home", german) as session:
        await said(session, "Ann", "yes", "no, Bob", "none")
        assert "war schon erledigt" in (await session.state())["waiting_for"]["approval"]["notice"]
        # The hash of the same content in a first request.
        async with open_session(made, tmp_path / "home", *ANSWERS, thread="other") as other:
            await said(other, "Bob")
            fresh = (await other.state())["waiting_for"]["approval"]
        found = (await session.state())["waiting_for"]["approval"]
        assert (found["over"], found["hash"] == fresh["hash"]) == (fresh["over"], False)
        with pytest.raises(UsageError, match="waits for the approval of other content"):
            await session.resume(True, approves=fresh["hash"])
        assert (await session.resume(True, approves=found["hash"])).reply == "Booked for Bob."


async def test_a_reply_that_leads_elsewhere_does_not_repeat_what_lies_on_the_way_without_asking(
    made: Agent, tmp_path: Path
) -> None:
    async with booking(made, tmp_path / "home") as session:
        turn = await said(session, "Ann", "yes", "no, Bob", "none", "hm")
        assert turn.waiting_for.node == "q.why"
        turn = await said(session, "because")
        assert "'book' was already done" in turn.waiting_for.prompt
        # No input of the action has changed.
        turn = await said(session, "yes")
        assert (turn.status, turn.reply.endswith("Booked for Bob.")) == ("ended", True)
    assert did(made) == ["booked Ann", "told", "booked Bob"]


async def test_a_loop_of_the_flow_performs_the_same_action_again_without_a_word(tmp_path: Path) -> None:
    looped = FLOW.replace("prompt: Name?", "prompt: Name?, ask: always")
    looped = looped.replace(
        "prompt: Anything else?", "prompt: Anything else?, ask: always, schema: {enum: [none, next]}"
    )
    looped = looped.replace(
        "{from: q.more, to: t.booked}",
        "{from: q.more, to: q.name, guard: answers.more == 'next'}\n  - {from: q.more, to: t.booked, guard: else}",
    )
    made = agent(tmp_path / "a", looped, NODES)
    async with booking(made, tmp_path / "home", reads("^next", ("more", "next", "next"))) as session:
        for name in ("Ann", "Bob", "Bob"):
            turn = await said(session, name)
            assert turn.waiting_for.prompt == f"Book for {name}?"
            await said(session, "yes", "next")
    assert did(made) == ["booked Ann", "told", "booked Bob", "told", "booked Bob", "told"]


HELD = """
nodes:
  - {id: q.people, type: question, key: people, prompt: "People?", schema: {type: integer}}
  - {id: hold, type: action, run: hold}
  - {id: q.end, type: question, key: end, prompt: "End?", schema: {type: integer}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Sure?"}
  - {id: done, type: terminal}
edges:
  - {from: q.people, to: hold}
  - {from: hold, to: q.end}
  - {from: q.end, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
"""
HOLD = """
@action(reads=["answers.people"])
def hold(state, ctx):
    pass
"""
WING = """
  - {id: q.wing, type: question, key: wing, prompt: "Wing?", schema: {type: integer}}
  - {id: hold,"""


async def test_an_answer_that_a_new_version_asks_too_late_is_said_to_change_nothing(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", HELD, HOLD).session("t", model="none", home=tmp_path / "home") as session:
        await said(session, "hi", "3")
    newer = HELD.replace("\n  - {id: hold,", WING).replace("to: hold}", "to: q.wing}\n  - {from: q.wing, to: hold}")
    reading = HOLD.replace('"answers.people"', '"answers.people", "answers.wing"')
    async with agent(tmp_path / "a", newer, reading).session("t", model="none", home=tmp_path / "home") as session:
        turn = await said(session, "5", "4")
    assert "without wing. That stays as it is." in turn.reply


PAID = """
state:
  total: {type: integer, default: 0}
nodes:
  - {id: q.seats, type: question, key: seats, prompt: Seats?, schema: {type: integer}}
  - {id: price, type: action, run: price}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ total }} EUR?"}
  - {id: pay, type: action, run: pay, confirm: {by: q.sure, over: [total]}}
  - {id: q.more, type: question, key: more, prompt: Anything else?, ask: always}
  - {id: t.done, type: terminal, say: Done.}
edges:
  - {from: q.seats, to: price}
  - {from: price, to: q.sure}
  - {from: q.sure, to: pay, guard: answers.sure == true}
  - {from: q.sure, to: t.done, guard: else}
  - {from: pay, to: q.more}
  - {from: q.more, to: q.more, guard: answers.more == 'again'}
  - {from: q.more, to: t.done, guard: else}
"""
PAY = """
@action(reads=["answers.seats"], writes=["total"], effects=False)
def price(state, ctx):
    return {"total": state["answers"]["seats"] * 10}

@action(reads=["total"])
def pay(state, ctx):
    pass
"""


async def test_a_correction_of_what_an_effect_was_done_with_is_said_to_change_nothing(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", PAID, PAY).session("t", model="none", home=tmp_path / "home") as session:
        turn = await said(session, "hi", "5", "yes", "seats: 6")
        assert "before the change of seats. That stays as it is." in turn.reply
        turn = await said(session, "again", "more: again")
    assert "stays" not in turn.reply


LABELS = """
state:
  sample: {type: string, default: ""}
  tube: {type: string, default: ""}
  tubes: {type: array, items: {type: [string, "null"]}, default: []}
nodes:
  - {id: q.samples, type: question, key: samples, schema: {type: array, items: {type: string}}, prompt: "Which?"}
  - {id: label, type: action, run: label, map: {over: answers.samples, as: sample, into: tubes}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send {{ tubes }}?"}
  - {id: done, type: terminal, say: Sent.}
edges:
  - {from: q.samples, to: label}
  - {from: label, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
"""
LABELLING = """
@action(reads=["sample"], writes=["tube"])
def label(state, ctx):
    with (Path(__file__).parent / "did").open("a") as file:
        file.write(state["sample"] + "\\n")
    return {"tube": "T-" + state["sample"]}
"""


@pytest.mark.parametrize(
    ("reply", "shown", "done"), [("leave it", "Send T-x?", ["x"]), ("again", "Send T-x, T-y?", ["x", "x", "y"])]
)
async def test_a_mapped_action_is_left_or_done_again_for_every_item(
    tmp_path: Path, reply: str, shown: str, done: list[str]
) -> None:
    made = agent(tmp_path / "a", LABELS, LABELLING)
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        await said(session, "hi", "x")
        turn = await said(session, "samples: x, y")
        assert "Say 'leave it'" in turn.reply
        assert (await said(session, reply)).reply == shown
    # The items of a list are worked on at once.
    assert sorted(did(made)) == done
