"""The trace: numbered without holes, plain JSON, and enough to fold the state from."""

from __future__ import annotations

import json
from pathlib import Path

from runtime_support import agent, assert_folds, of_type, open_session, reads, trace, unknown

from graphwright.runtime.events import TurnEnded

EVERYTHING = """
on_stuck: sorry
state:
  n: {type: integer, default: 1}
  turn: {type: integer, default: 0, scope: turn}
  log: {type: array, default: [], reduce: append}
  hidden: {type: string, default: "", private: true}
constraints: [{one_of: [[email]], message: We need an address.}]
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: led, type: subgraph, ref: g, as: led}
  - {id: act, type: action, run: act, retry: {attempts: 2}}
  - {id: d, type: decision}
  - {id: q.sure, type: question, key: sure, prompt: "Sure, {{ answers.name }}?", read: confirm, ask: always}
  - {id: q.email, type: question, key: email, prompt: E-mail?, schema: {type: string, format: email}, required: false}
  - {id: done, type: terminal, say: "Bye {{ answers.led.size }}"}
  - {id: sorry, type: terminal, say: Sorry.}
edges:
  - {from: q.name, to: led}
  - {from: led, to: act}
  - {from: act, to: d}
  - {from: d, to: q.sure, guard: n > 1}
  - {from: d, to: q.email, guard: else}
  - {from: q.email, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: act, guard: else}
subgraphs:
  g:
    nodes: [{id: q.size, type: question, key: size, prompt: Size?, read: choice, schema: {enum: [small, large]}}]
    edges: [{from: q.size, to: __exit__}]
"""
ACT = """
@action(reads=["n", "turn"], writes=["n", "turn", "log", "hidden"])
def act(state, ctx):
    if ctx.attempt == 1:
        raise RuntimeError("first")
    ctx.say("Worked.")
    ctx.artifact("/tmp/x.png", kind="plot")
    return {"n": state["n"] + 1, "turn": state["turn"] + 1, "log": [{"n": state["n"]}], "hidden": "hunter2"}
"""
RULES = (
    reads("ann@", ("email", "ann@example.com", "ann@example.com")),
    unknown(".", "email"),
)


async def test_a_long_conversation_folds_at_every_stop(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", EVERYTHING, ACT)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        stops = []
        for text in ("Ann", "huge", "large", "not so sure", "yes", "no idea", "again", "yes"):
            events = [event async for event in session.stream(text)]
            for event in events:
                assert json.loads(json.dumps(event.to_json()))["type"] == event.type
            assert isinstance(events[-1], TurnEnded)
            turn = events[-1].turn
            stops.append((turn.status, (turn.path or ("",))[-1]))
            await assert_folds(made, session)
        assert stops == [
            ("waiting", "q.size"),
            ("waiting", ""),
            ("waiting", "q.sure"),
            ("waiting", "q.sure"),
            ("waiting", "q.email"),
            ("ended", "sorry"),
            ("waiting", "q.sure"),
            ("waiting", "q.email"),
        ]
        written = await trace(session)
        kinds = {event["type"] for event in written}
        assert kinds >= {
            *("turn_started", "node_entered", "edge_taken", "guard_checked", "subgraph_entered", "subgraph_left"),
            *("answer_committed", "answer_refused", "answer_dropped", "answer_unknown", "not_understood"),
            *("action_started", "action_failed", "action_finished", "channels_written", "artifact_made", "said"),
            *("prompted", "constraint_unmet", "jumped", "question_passed", "model_called"),
        }
        assert "turn_ended" not in kinds
        assert all(e["private"] == ["hidden"] for e in of_type(written, "channels_written"))


async def test_a_constraint_speaks_before_it_asks(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", EVERYTHING, ACT)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("Ann")
        await session.send("small")
        turn = await session.send("yes")
        assert turn.reply == "We need an address.\n\nE-mail?"
        assert turn.path == ("done", "q.email")
        assert turn.waiting_for is not None
        assert turn.waiting_for.prompt == "E-mail?"
        last = await session.send("ann@example.com")
        assert (last.status, last.reply, last.path) == ("ended", "Bye small", ("done",))
        await assert_folds(made, session)


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


async def test_what_guards_saw_of_a_private_channel_is_told_nowhere(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", HUSHED, HUSHED_ACT)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        events = [event async for event in session.stream("Ann")]
        assert isinstance(events[-1], TurnEnded)
        turn = events[-1].turn
        assert turn.status == "failed"
        assert turn.error is not None
        assert "pin" in turn.error.message
        written = [event for event in await trace(session) if event["type"] != "channels_written"]
        checked = of_type(written, "guard_checked")
        assert [event["saw"].get("pin") or event["saw"]["box"] for event in checked[1:]] == ["<private>"] * 3
        assert checked[-1]["saw"]["answers.name"] == "Ann"
        assert "pin" in checked[2]["error"]
        shown = [event.to_json() for event in events if event.type != "channels_written"]
        for told in (json.dumps(written), json.dumps(shown), str(turn)):
            assert "hunter" not in told
