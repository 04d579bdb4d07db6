"""Recording: a real thread becomes a conversation file that passes immediately, and lists what it cannot reproduce."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright import GraphwrightError, Session, UsageError, load
from graphwright.flow._source import read_yaml
from graphwright.models._scripted import ScriptedModel
from graphwright.testing._recording import Recording, conversation_text, record
from testing_support import Folder
from waiting_support import interrupted


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def talked(folder: Folder, talk: Callable[[Session], Awaitable[Any]], *rules: dict[str, Any]) -> Recording:
    """The recording of a conversation on a new thread."""

    async def conversation() -> Recording:
        agent = load(folder.path / "small.yaml")
        model = ScriptedModel.from_rules(list(rules))
        async with agent.session("t", model=model, home=folder.path / "real") as session:
            await talk(session)
            return record(await session.history(), load(folder.path / "small.yaml"))

    return asyncio.run(conversation())


def replayed(folder: Folder, recording: Recording) -> list[str]:
    """The mismatches when the recording is run."""
    text = conversation_text(recording.to_json("small.yaml"), "Recorded.")
    return folder.wrong(text.partition("\n")[2])


def reads(says: str, **found: Any) -> dict[str, Any]:
    answers = [{"key": key, "value": value, "quote": str(value)} for key, value in found.items()]
    return {"says": says, "call": {"UpdateAnswers": {"answers": answers}}}


TEXT = """\
# Recorded from thread t.
agent: "small.yaml"
turns:
  - start: true
    model: []
    expect:
      status: "waiting"
      node: "q.name"
      reply:
        - "What is your name?"
      path: ["q.name"]
  - resume: "Ann"
    model: []
    expect:
      status: "waiting"
      node: "q.city"
      answers: {"name": "Ann"}
      reply:
        - "Which city, Ann?"
      path: ["q.city"]
  - user: "Well: Rome"
    model:
      - {"call": {"UpdateAnswers": {"answers": [{"key": "city", "value": "Rome", "quote": "Rome"}]}}}
    expect:
      status: "ended"
      node: "done"
      answers: {"city": "Rome"}
      reply:
        - "Thanks."
      path: ["done"]
end: "ended"
"""


def test_a_recording_holds_what_was_said_answered_and_came_of_it(folder: Folder) -> None:
    async def talk(session: Session) -> None:
        await session.start()
        await session.resume("Ann")
        await session.send("Well: Rome")

    recording = talked(folder, talk, reads("Rome", city="Rome"))
    assert conversation_text(recording.to_json("small.yaml"), "Recorded from thread t.") == TEXT
    assert recording.notes == []
    assert replayed(folder, recording) == []


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ([{"fail": "rate_limit", "times": 1}, {"raw": "{", "times": 1}], None),
        ([{"fail": "auth", "times": 1}], "model_not_authorised"),
        ([{"raw": "{", "times": 2}], "model_refused_tool_call"),
        ([{"fail": "cut", "times": 2}], "model_cut_reply"),
        ([{"fail": "declined", "times": 1}], "model_declined"),
        ([{"call": [{"Update": {}}, {"Update": {"a": 1}}], "times": 2}], "model_malformed_reply"),
    ],
)
def test_failed_and_repaired_turns_reproduce(folder: Folder, rules: list[dict[str, Any]], code: str | None) -> None:
    async def talk(session: Session) -> None:
        for text in ("Ann", "Rome", "Rome then"):
            await session.send(text)

    recording = talked(folder, talk, *rules, reads("Rome", city="Rome"))
    assert [turn["expect"].get("error") for turn in recording.turns] == [None, code, None]
    assert replayed(folder, recording) == []


async def test_turns_with_the_model_none_are_reproduced_among_others(folder: Folder) -> None:
    """Without a model the whole reply is the value; a scripted one would be called."""
    agent, home = load(folder.path / "small.yaml"), folder.path / "real"
    async with agent.session("t", model="none", home=home) as session:
        for text in ("Ann", "well, it is Rome"):
            await session.send(text)
    async with agent.session("t", model=ScriptedModel.from_rules([reads("Oslo", city="Oslo")]), home=home) as session:
        for text in ("Bob", "well, it is Oslo"):
            await session.send(text)
        recording = record(await session.history(), agent)
    assert [turn["expect"].get("answers", {}).get("city") for turn in recording.turns][1::2] == [
        "well, it is Rome",
        "Oslo",
    ]
    assert [turn["model"] for turn in recording.turns[:3]] == ["none", "none", []]
    assert await asyncio.to_thread(replayed, folder, recording) == []


ORDER = """\
version: v1
id: flow.small
restart: clear
state:
  number: {type: string, default: ""}
  note: {type: string, default: "", private: true}
nodes:
  - {id: q.lamps, type: question, key: lamps, prompt: How many lamps?, schema: {type: integer, minimum: 1}}
  - {id: price, type: action, run: price}
  - id: q.sure
    type: question
    key: sure
    read: confirm
    ask: always
    prompt: "Offer {{ number }} for {{ answers.lamps }} lamps ({{ note }}). Shall I order them?"
  - {id: order, type: action, run: order, confirm: {by: q.sure, over: [number]}}
  - {id: ordered, type: terminal, say: "It is ordered as {{ number }}."}
  - {id: dropped, type: terminal, say: Nothing was ordered.}
edges:
  - {from: q.lamps, to: price}
  - {from: price, to: q.sure}
  - {from: q.sure, to: order, guard: answers.sure == true}
  - {from: q.sure, to: dropped, guard: answers.sure == false}
  - {from: q.sure, to: price, guard: else}
  - {from: order, to: ordered}
"""
NODES = """\
import random
from graphwright import action
@action(reads=['answers.lamps'], writes=['number'])
def price(state, ctx):
    return {'number': f'N-{random.random()}'}
@action(reads=['number'], writes=['note'])
def order(state, ctx):
    ctx.say(f'Done at {ctx.now}.')
    return {'note': 'the secret'}
"""


def test_results_of_actions_are_not_expected_but_listed_as_missing(folder: Folder) -> None:
    folder.flow(ORDER)
    folder.flow(NODES, "nodes.py")

    async def talk(session: Session) -> None:
        await session.send("5 lamps")
        await session.send("no, 7 lamps")
        await session.resume(True)
        await session.send("3 lamps")
        await session.resume(False)

    recording = talked(folder, talk, *(reads(str(n), lamps=n) for n in (5, 7, 3)))
    text = conversation_text(recording.to_json("small.yaml"), "Recorded.")
    assert "N-0" not in text
    assert "secret" not in text
    replies = [turn["expect"].get("reply") for turn in recording.turns]
    assert [replies[number] for number in (0, 2, 4)] == [None, None, ["Nothing was ordered."]]
    assert recording.notes == [
        "the file runs the real actions (price, order), in a temporary data folder: their effects elsewhere happen "
        "again, and other results may lead to another path",
        "texts that contain results of actions are not expected: in the replies of q.sure, order, ordered",
    ]
    assert replayed(folder, recording) == []


FAILS = """\
version: v1
id: flow.small
nodes:
  - {id: q.name, type: question, key: name, prompt: What is your name?, read: verbatim}
  - {id: work, type: action, run: work}
  - {id: done, type: terminal}
edges: [{from: q.name, to: work}, {from: work, to: done}]
"""


ASKS = """\
from graphwright import action
from graphwright.models import atext
from pydantic import BaseModel
class Guess(BaseModel):
    number: int
@action(writes=['n'])
async def work(state, ctx):
    await ctx.structured(Guess, [('user', 'guess')])
    await atext(ctx.model, [('user', 'say it')])
    return {'n': 5}
"""


@pytest.mark.parametrize("private", [False, True])
def test_model_calls_of_actions_are_recorded_unless_they_may_be_private(folder: Folder, private: bool) -> None:
    folder.flow(f"{FAILS}state: {{n: {{type: integer, default: 0, private: {str(private).lower()}}}}}\n")
    folder.flow(ASKS, "nodes.py")

    async def talk(session: Session) -> None:
        assert (await session.send("Ann")).status == "ended"

    guess = {"call": {"Guess": {"number": 5}}}
    recording = talked(folder, talk, {"offers": "Guess", **guess}, {"text": "it is five"})
    if private:
        assert recording.turns[0]["model"] == [{"text": "<private>"}, {"text": "<private>"}]
        assert "turn 1: what the model answered at work may be part of a private channel" in recording.notes[0]
    else:
        assert recording.turns[0]["model"] == [guess, {"text": "it is five"}]
        assert replayed(folder, recording) == []


def test_other_flow_versions_and_interrupted_turns_are_reported(folder: Folder) -> None:
    folder.flow(FAILS)
    folder.flow(
        "import asyncio\nfrom graphwright import action\n"
        "@action()\nasync def work(state, ctx):\n    open(__file__ + '.begun', 'w')\n    await asyncio.sleep(1000)\n",
        "nodes.py",
    )

    async def talk(session: Session) -> None:
        await session.start()
        await interrupted(session.send("Ann"), (folder.path / "nodes.py.begun").exists)
        folder.flow(FAILS.replace("id: done, type: terminal", "id: done, type: terminal, say: Done."))

    recording = talked(folder, talk)
    assert [turn.get("start") for turn in recording.turns] == [True]
    assert recording.notes == [
        "turn 1 was held with another version of the flow: it may go another way now",
        "the last turn was cut short and is not in the file",
    ]


DESK = """\
version: v1
id: flow.small
state: {first: {type: string, default: ""}, open: {type: boolean, default: true}}
nodes:
  - {id: q.go, type: question, key: go, prompt: Go?, read: verbatim, ask: always}
  - {id: look, type: action, run: look}
  - {id: closed, type: terminal}
edges:
  - {from: q.go, to: look}
  - {from: look, to: closed, guard: "!open"}
  - {from: look, to: q.go, guard: else}
"""
LOOK = """\
from datetime import datetime, timedelta
from graphwright import action
@action(reads=["first"], writes=["first", "open"])
def look(state, ctx):
    first = state["first"] or ctx.now.isoformat()
    hours = timedelta(hours=ctx.settings.get("open_hours", 24))
    return {"first": first, "open": ctx.now - datetime.fromisoformat(first) <= hours}
"""


def at_the_desk(folder: Folder, settings: dict[str, Any], *pauses: timedelta) -> Recording:
    """The recording of a message after each of these pauses, by an agent with these settings."""
    folder.flow(DESK)
    folder.flow(LOOK, "nodes.py")
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    async def conversation() -> Recording:
        nonlocal now
        agent = replace(load(folder.path / "small.yaml"), settings=settings)
        async with agent.session("t", home=folder.path / "real", clock=lambda: now) as session:
            for number, pause in enumerate(pauses):
                now += pause
                await session.send(f"message {number}")
            return record(await session.history(), agent)

    return asyncio.run(conversation())


def test_long_pauses_and_the_settings_of_the_agent_but_for_declared_defaults_are_recorded(folder: Folder) -> None:
    seconds = [0, 59.9, 90, 3600, 84_000.6]
    given = {"open_hours": 20, "queue": "it"}
    recording = at_the_desk(folder, given, *(timedelta(seconds=each) for each in seconds))
    assert [turn.get("after") for turn in recording.turns] == [None, None, "90s", "1h", "1400m"]
    assert [turn["expect"]["node"] for turn in recording.turns] == [*["q.go"] * 4, "closed"]
    assert recording.settings == given
    assert replayed(folder, recording) == []
    del recording.turns[3]["after"], recording.turns[4]["after"]
    assert any("status" in wrong for wrong in replayed(folder, recording))
    folder.flow('SETTINGS = {"open_hours": {"type": "number", "default": 24}, "queue": {}}', "settings.py")
    assert at_the_desk(folder, {"open_hours": 24}, timedelta()).settings == {}


# the text

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(VALUES, st.text(alphabet="aeno1.-: #yN~'\"", max_size=6))
def test_any_value_is_read_as_it_was_written(value: Any, word: str) -> None:
    expect = {"answers": {word: value}, "reply": [word]}
    turn = {"user": word, "resume": value, "model": [{word: value}], "expect": expect}
    data = {"agent": word, "turns": [turn, turn], "end": "ended"}
    assert read_yaml(conversation_text(data, "Recorded."))[0] == data


def test_values_that_yaml_cannot_express_are_reported() -> None:
    with pytest.raises(GraphwrightError) as error:
        conversation_text({"agent": "a", "turns": [{"user": "a\0b"}]}, "Recorded.")
    assert error.value.code == "not_recordable"


def test_a_thread_without_a_turn_cannot_be_recorded(folder: Folder) -> None:
    with pytest.raises(UsageError, match="no finished turn"):
        record([], load(folder.path / "small.yaml"))
