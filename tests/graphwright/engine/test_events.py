"""The trace: numbered without gaps, plain JSON, sufficient to fold the state from, and documented."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import structlog

from graphwright.engine.events import KINDS, AnswerDropped, EdgeTaken, GuardChecked
from graphwright.host._turn import TurnEnded
from graphwright.host.event_json import without_private
from graphwright.testing._trace_lines import trace_line
from host_support import agent, of_type, open_session, trace

HUSHED = """
state:
  pin: {type: string, default: "", private: true}
  box: {type: object, private: true, default: {}, properties: {code: {type: string}}}
nodes:
  - {id: q, type: question, key: name, prompt: Name?, read: verbatim, when: "pin != 'x'"}
  - {id: act, type: action, run: act}
  - {id: d, type: decision}
  - {id: done, type: terminal}
edges:
  - {from: q, to: act}
  - {from: act, to: d}
  - {from: d, to: done, guard: pin == 'open'}
  - {from: d, to: done, guard: int(pin) > 3}
  - {from: d, to: done, guard: has(box.code) && box.code == answers.name}
"""
HUSHED_ACT = """
@action(writes=["pin", "box"])
def act(state, ctx):
    return {"pin": "hunter2", "box": {"code": "hunter3"}}
"""


async def test_values_of_private_channels_in_guards_are_not_shown(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", HUSHED, HUSHED_ACT), tmp_path / "home") as session:
        await session.start()
        events = [event async for event in session.stream("Ann")]
        assert isinstance(events[-1], TurnEnded)
        turn = events[-1].turn
        assert turn.status == "failed"
        assert "pin" in turn.error.message
        written = [event for event in await trace(session) if event["type"] != "channels_written"]
        checked = of_type(written, "guard_checked")
        assert [event["saw"].get("pin") or event["saw"]["box"] for event in checked[1:]] == ["<private>"] * 3
        assert checked[-1]["saw"]["answers.name"] == "Ann"
        assert "pin" in checked[2]["error"]
        shown = [event.to_json() for event in events if event.type != "channels_written"]
        for told in (json.dumps(written), json.dumps(shown), str(turn)):
            assert "hunter" not in told


# docs/events.md

PAGE = (Path(__file__).parents[3] / "docs/events.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
COMMON = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("\n### ")[0], re.MULTILINE))
CLASSES = {**KINDS, TurnEnded.type: TurnEnded}
# Events of the walk omit some fields without a value: these have values.
FULL = {
    "guard_checked": [
        GuardChecked("q.when", "answers.x == 'a'", False, {}, ("answers.x",), "no value"),
        GuardChecked("q.when", "answers.x == 'a'", False, {}, error="is no number"),
    ],
    "edge_taken": [EdgeTaken("e", "a", "b", True, ("f",))],
    "answer_dropped": [AnswerDropped("q", ("led", "size"), "validate", 3, ("answers.room",))],
}


def fields_of(kind: str) -> set[str]:
    """The fields that an event of this class can have as JSON."""
    if kind in FULL:
        return set().union(*(event.to_json() for event in FULL[kind])) - {"type"}
    return {field.name for field in fields(CLASSES[kind])}


def test_the_page_has_every_kind_of_event() -> None:
    assert set(SECTIONS) == set(CLASSES)


@pytest.mark.parametrize("kind", sorted(set(CLASSES) - {"turn_ended"}))
def test_the_page_names_every_field_and_shows_an_event_as_it_is(kind: str) -> None:
    section = SECTIONS[kind]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert len(set(listed)) == len(listed)
    assert {*listed, *(COMMON & fields_of(kind))} == fields_of(kind)
    (shown,) = re.findall(r"^```json\n(.*?)\n```", section, re.MULTILINE | re.DOTALL)
    example = json.loads(shown)
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in example.items() if name != "type"}
    assert example["type"] == kind
    if kind not in FULL:
        # Fields without a value are left out.
        required = {field.name: "" for field in fields(CLASSES[kind]) if field.default is MISSING}
        given = {**required, **given}
        assert json.loads(json.dumps(CLASSES[kind](**given).to_json())) == example
    else:
        assert set(given) <= {*listed, *COMMON}
    line = re.search(r"^```text\n(.*?)\n```", section, re.MULTILINE | re.DOTALL)
    assert line is None or line[1] == trace_line(without_private(example)).strip()
    assert (line is None) == (kind in ("turn_resumed", "saying"))


SLOW = """
nodes:
  - {id: q, type: question, key: name, prompt: Name?, read: verbatim, ask: always}
  - {id: act, type: action, run: act}
  - {id: done, type: terminal, say: Done.}
edges: [{from: q, to: act}, {from: act, to: done}]
"""
SLOW_ACT = """
@action()
async def act(state, ctx):
    await asyncio.sleep(0.2)
"""


async def test_times_are_when_things_happened_and_a_turn_takes_as_long_everywhere(tmp_path: Path) -> None:
    made, home = agent(tmp_path, SLOW, SLOW_ACT), tmp_path / "home"
    with structlog.testing.capture_logs() as log:
        structlog.get_logger()
        async with open_session(made, home) as session:
            turn = await session.send("Ann")
            rows = await session.history()
            said = await session._store.messages.read("t")
    structlog.reset_defaults()
    at = {row.event["type"]: datetime.fromisoformat(row.time) for row in rows}

    def seconds(first: str, last: str) -> float:
        return (at[last] - at[first]).total_seconds()

    (finished,) = (row.event["seconds"] for row in rows if row.event["type"] == "action_finished")
    assert seconds("action_started", "action_finished") >= 0.2 <= finished
    assert turn.usage.seconds == seconds("turn_started", rows[-1].event["type"])
    assert [entry["seconds"] for entry in log if entry["event"] == "turn_ended"] == [round(turn.usage.seconds, 3)]
    asked, done = (datetime.fromisoformat(message.time) for message in said)
    assert asked <= at["action_started"]
    assert done - at["action_started"] >= timedelta(seconds=0.2)
