"""Paths in conversations: votes next to answers, the lock, corrections by the user's words, and the stored state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphwright.engine._paths import PathState
from host_support import agent, of_type, reads
from step_support import Conversation, conversation

SHOP = """
on_escalate: person
{head}
paths:
  led: {{ref: g.led, description: Buying LED lights}}
  repair: {{ref: g.repair, description: Having a light repaired (Reparatur)}}
path_policy: {{lock_threshold: 2, min_confidence: 0.3}}
nodes:
  - {{id: q.name, type: question, key: name, prompt: Your name?, schema: {{type: string, description: name}}}}
  - id: q.town
    type: question
    key: town
    prompt: Your town?
    max_invalid: 2
    schema: {{type: string, description: town}}
  - {{id: d, type: decision}}
  - id: q.wish
    type: question
    key: wish
    prompt: Buy lights, or have one repaired?
    schema: {{enum: [lights, mending]}}
    when: active_path == ''
    required: false
  - {{id: go, type: subgraph, ref: $active_path, as: job}}
  - id: q.sure
    type: question
    key: sure
    read: confirm
    ask: always
    prompt: Shall I, {{{{ answers.name }}}}?
  - {{id: done, type: terminal, say: "Done: {{{{ active_path }}}}."}}
  - {{id: person, type: terminal, say: A person will call.}}
edges:
  - {{from: q.name, to: q.town}}
  - {{from: q.town, to: d}}
  - {{from: d, to: go, guard: active_path != ''}}
  - {{from: d, to: q.wish, guard: else}}
  - {{from: q.wish, to: d}}
  - {{from: go, to: q.sure}}
  - {{from: q.sure, to: done, guard: answers.sure == true}}
  - {{from: q.sure, to: d, guard: else}}
subgraphs:
  g.led:
    nodes:
      - id: q.watts
        type: question
        key: watts
        prompt: How many watts?
        schema: {{type: integer, x-unit: W}}
      - {{id: q.place, type: question, key: place, prompt: Where?, schema: {{type: string, description: place}}}}
    edges:
      - {{from: q.watts, to: q.place}}
      - {{from: q.place, to: __exit__}}
  g.repair:
    nodes:
      - {{id: q.defect, type: question, key: defect, prompt: What is broken?, read: verbatim}}
    edges:
      - {{from: q.defect, to: __exit__}}
"""


def selects(says: str, path: Any, *found: tuple[str, Any, str], **more: Any) -> dict[str, Any]:
    """A rule: a message that matches `says` shows a path, and contains these (key, value, quote)."""
    answers = [{"key": key, "value": value, "quote": quote} for key, value, quote in found]
    calls: list[dict[str, Any]] = [{"UpdateAnswers": {"answers": answers}}] if answers else []
    return {"says": says, "call": [*calls, {"SelectPath": {"path": path, "rationale": "says so", **more}}]}


BACK = {"correction": True, "confidence": 0.9}


RULES = (
    selects("LED lights, I am Ann", "led", ("name", "Ann", "Ann"), confidence=0.9),
    selects("LED lights in Ulm", "led", ("town", "Ulm", "Ulm"), confidence=0.8),
    selects("LED lights", "led", confidence=0.9),
    selects("doch lieber eine Reparatur", "repair", rationale="doch lieber eine Reparatur", **BACK),
    selects("I meant a repair", "repair", rationale="I meant  A repair", **BACK),
    selects("by the way, a repair", "repair", rationale="changed his mind", **BACK),
    selects("60 watts", "repair", ("job.watts", 60, "60 watts"), confidence=1.0, rationale="60 watts"),
    selects("perhaps", "repair", confidence=0.1),
    selects("disco", "disco"),
    {
        "says": "both",
        "call": [{"SelectPath": {"path": path, "rationale": "names it"}} for path in ("led", "repair", "led")],
    },
    reads("I am Ann", ("name", "Ann", "Ann")),
    reads("Ulm", ("town", "Ulm", "Ulm")),
    reads("in the hall", ("job.place", "hall", "hall")),
)


def shop(tmp_path: Path, head: str = "", body: str = SHOP) -> Any:
    return agent(tmp_path / "a", body.format(head=head))


def send(session: Conversation, *messages: str) -> Any:
    turn = None
    for message in messages:
        turn = session.send(message)
        assert turn.error is None, turn.error
    return turn


def test_votes_with_answers_lock_a_path_that_guards_read(tmp_path: Path) -> None:
    session = conversation(shop(tmp_path), *RULES)
    turn = send(session, "LED lights, I am Ann")
    assert (turn.values["answers"], turn.waiting_for.node) == ({"name": "Ann"}, "q.town")
    assert session.state.paths == PathState({"led": 1.0}, "led", "", "says so")
    turn = send(session, "LED lights in Ulm")
    assert turn.path == ("d", "go", "q.watts")
    assert session.state.paths.locked == "led"
    events = session.trace()
    assert [e["path"] for e in of_type(events, "path_locked")] == ["led"]
    voted = of_type(events, "path_voted")[0]
    assert (voted["confidence"], voted["votes"], voted["threshold"]) == (0.9, {"led": 1.0}, 2.0)
    assert [tool["name"] for tool in session.offered[0]] == [
        "UpdateAnswers",
        "UnknownAnswer",
        "EscalateToHuman",
        "SelectPath",
    ]


def test_a_vote_alone_is_not_a_failed_attempt_and_skips_a_question_it_answers(tmp_path: Path) -> None:
    session = conversation(shop(tmp_path), *RULES)
    turn = send(session, "I am Ann", "Ulm")
    assert turn.waiting_for.node == "q.wish"
    turn = send(session, "LED lights")
    assert (turn.waiting_for.node, turn.reply) == ("q.wish", "Buy lights, or have one repaired?")
    assert of_type(session.trace(), "not_understood") == []
    turn = send(session, "LED lights, please")
    assert (turn.path[-1], turn.values["answers"].get("wish")) == ("q.watts", None)
    passed = of_type(session.trace(), "question_passed")
    assert [(e["node"], e["reason"]) for e in passed] == [("q.wish", "not_applicable")]


def test_only_votes_that_count_excuse_from_the_answer(tmp_path: Path) -> None:
    session = conversation(shop(tmp_path), *RULES)
    send(session, "I am Ann", "perhaps")
    events = session.trace()
    assert [(e["counted"], e["reason"]) for e in of_type(events, "path_voted")] == [(False, "unsure")]
    assert len(of_type(events, "not_understood")) == 1
    turn = send(session, "LED lights", "disco")
    assert (turn.status, turn.path) == ("ended", ("person",))
    refused = of_type(session.trace(), "path_refused")
    assert [(e["path"], e["reason"]) for e in refused] == [("disco", "unknown")]
    assert session.state.paths.votes == {"led": 1.0}


def test_a_reply_that_speaks_for_two_paths_speaks_for_none(tmp_path: Path) -> None:
    session = conversation(shop(tmp_path), *RULES)
    send(session, "I am Ann", "both, I guess")
    refused = of_type(session.trace(), "path_refused")
    assert [(e["path"], e["reason"]) for e in refused] == [("led", "several"), ("repair", "several")]
    assert session.state.paths == PathState()


LED = ("LED lights, I am Ann", "LED lights in Ulm")


def test_a_correction_without_words_of_the_user_changes_nothing(tmp_path: Path) -> None:
    session = conversation(shop(tmp_path), *RULES)
    send(session, *LED, "by the way, a repair")
    assert session.state.paths.locked == "led"


@pytest.mark.parametrize("correction", ["No, I meant a repair", "Ach nein, doch lieber eine Reparatur"])
def test_the_users_correction_leaves_the_old_path_for_the_new_one(tmp_path: Path, correction: str) -> None:
    session = conversation(shop(tmp_path), *RULES)
    turn = send(session, *LED, "60 watts each", correction)
    assert turn.path == ("go", "q.defect")
    assert (turn.waiting_for.node, turn.reply) == ("q.defect", "What is broken?")
    assert turn.values["answers"]["job"] == {"watts": 60}
    state = session.state.paths
    assert (state.votes, state.locked) == ({"repair": 2.0}, "repair")
    events = session.trace()
    assert [(e["before"], e["path"]) for e in of_type(events, "path_corrected")] == [("led", "repair")]
    jumps = [(e["source"], e["target"], e["reason"]) for e in of_type(events, "jumped")]
    assert jumps == [("q.place", "go", "path_corrected")]
    turn = send(session, "It is dark", "yes")
    assert (turn.status, turn.reply) == ("ended", "Done: repair.")


@pytest.mark.parametrize("restart", ["keep", "clear"])
def test_a_new_conversation_chooses_again(tmp_path: Path, restart: str) -> None:
    session = conversation(shop(tmp_path, head=f"restart: {restart}"), *RULES)
    turn = send(session, *LED, "60 watts each", "in the hall", "yes")
    assert (turn.status, session.state.paths.locked) == ("ended", "led")
    turn = send(session, "LED lights")
    assert turn.waiting_for.node == ("q.wish" if restart == "keep" else "q.name")
    assert session.state.paths == PathState({"led": 1.0}, "led", "", "says so")


DEAD = """
paths: {led: {ref: g.led, description: Buying LED lights}, repair: {ref: g.repair, description: A repair}}
path_policy: {lock_threshold: 2}
nodes:
  - {id: q.name, type: question, key: name, prompt: Your name?, schema: {type: string, description: name}}
  - {id: go, type: subgraph, ref: $active_path}
edges: [{from: q.name, to: go}]
subgraphs:
  g.led:
    nodes:
      - {id: q.place, type: question, key: place, prompt: Where?, schema: {type: string, description: place}}
      - {id: t, type: terminal}
    edges: [{from: q.place, to: t}]
  g.repair:
    nodes: [{id: d, type: decision}, {id: t2, type: terminal}]
    edges: [{from: d, to: t2, guard: answers.name == 'nobody'}]
"""


def test_a_stuck_reply_keeps_its_vote_but_not_its_correction(tmp_path: Path) -> None:
    rules = (
        selects("LED for Ann", "led", ("name", "Ann", "Ann")),
        selects("repair", "repair", rationale="no, I meant", correction=True),
        reads("hall", ("place", "hall", "hall")),
    )
    session = conversation(agent(tmp_path / "a", DEAD), *rules)
    turn = session.send("LED for Ann")
    assert (turn.error.code, turn.values["answers"]) == ("stuck_no_path_chosen", {})
    assert session.state.paths.votes == {"led": 1.0}
    turn = send(session, "LED for Ann")
    assert (turn.waiting_for.node, turn.values["answers"]) == ("q.place", {"name": "Ann"})
    turn = session.send("no, I meant a repair")
    assert (turn.error and turn.error.code) == "stuck_no_open_edge"
    assert session.state.paths.locked == "led"
    assert of_type(session.trace(), "path_corrected") == []
    assert (send(session, "hall")).status == "ended"
