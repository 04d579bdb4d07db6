"""Choosing a path: votes, the lock, corrections, and the way out of a path that was corrected."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_support import flow, stands, values

from graphwright.flow.compiled import PathPolicy
from graphwright.kernel import Ask, PathState, Position, advance, entry, reenter, vote, with_answer, with_event

PATHS = ("led", "repair", "other")
DEFAULT = PathPolicy()


def votes(*paths: str, policy: PathPolicy = DEFAULT, before: PathState | None = None) -> PathState:
    state = before or PathState()
    for path in paths:
        state, _ = vote(policy, PATHS, state, path)
    return state


def kinds(events: tuple[Any, ...]) -> list[str]:
    return [event.type for event in events]


def test_consistent_evidence_locks() -> None:
    first, events = vote(DEFAULT, PATHS, PathState(), "led", 0.8, rationale="wants lamps")
    assert (first.locked, first.tentative, first.votes, first.rationale) == ("", "led", {"led": 1.0}, "wants lamps")
    assert kinds(events) == ["path_voted"]
    second, events = vote(DEFAULT, PATHS, first, "led", 0.6)
    assert (second.locked, second.votes) == ("led", {"led": 2.0})
    assert kinds(events) == ["path_voted", "path_locked"]


@pytest.mark.parametrize("decay", [0.0, 0.3, 0.5])
def test_flip_flops_do_not_lock_however_long_they_last(decay: float) -> None:
    state = PathState()
    for _ in range(500):
        state = votes("led", "repair", policy=PathPolicy(decay=decay), before=state)
        assert state.locked == ""
        assert max(state.votes.values()) < 2
    assert votes("repair", policy=PathPolicy(decay=decay), before=state).locked == "repair"


def test_one_noisy_turn_after_many_does_not_switch() -> None:
    patient = PathPolicy(lock_threshold=5)
    state = votes("led", "led", "led", "repair", policy=patient)
    assert (state.tentative, state.locked) == ("led", "")
    assert state.votes == {"led": 1.5, "repair": 1.0}
    locked = votes("led", "led")
    after, events = vote(DEFAULT, PATHS, locked, "repair", 1.0)
    assert after == locked
    assert [(e.counted, e.reason) for e in events if e.type == "path_voted"] == [(False, "locked")]


def test_another_path_takes_the_lead_when_it_has_more_votes() -> None:
    state, events = vote(DEFAULT, PATHS, votes("led"), "repair")
    assert (state.tentative, state.locked) == ("repair", "")
    assert [(e.before, e.path) for e in events if e.type == "path_switched"] == [("led", "repair")]
    # Without decay it is a tie, and who leads keeps the lead.
    tie = votes("led", "repair", policy=PathPolicy(decay=1))
    assert (tie.tentative, tie.votes) == ("led", {"led": 1.0, "repair": 1.0})


def test_a_correction_moves_the_lock_at_once() -> None:
    state, events = vote(DEFAULT, PATHS, votes("led", "led"), "repair", rationale="meant a repair", correction=True)
    assert state == PathState({"repair": 2.0}, "repair", "repair", "meant a repair")
    assert kinds(events) == ["path_voted", "path_corrected"]
    assert (events[1].before, events[1].path) == ("led", "repair")
    again, events = vote(DEFAULT, PATHS, state, "repair", correction=True)
    assert again is state
    assert kinds(events) == ["path_voted"]


@pytest.mark.parametrize("confidence", [None, math.nan, math.inf, 7, -0.2, "high", "0.1", True, False, [], 10**400])
def test_a_confidence_that_says_nothing_counts_as_a_vote(confidence: Any) -> None:
    state, (event,) = vote(PathPolicy(min_confidence=0.9), PATHS, PathState(), "led", confidence)
    assert state.votes == {"led": 1.0}
    assert event.to_json()["confidence"] is None
    assert json.loads(json.dumps(event.to_json(), allow_nan=False))["counted"] is True


@pytest.mark.parametrize(("confidence", "counted"), [(0.59, False), (0, False), (0.6, True), (1, True)])
def test_a_vote_below_the_least_confidence_does_not_count(confidence: float, counted: bool) -> None:
    careful = PathPolicy(min_confidence=0.6)
    before = votes("repair")
    state, events = vote(careful, PATHS, before, "led", confidence)
    assert (state is not before) == counted
    assert [e.reason for e in events if e.type == "path_voted"] == ["" if counted else "unsure"]


@pytest.mark.parametrize(
    ("locked", "path", "reason"), [(True, "repair", ""), (True, "led", "locked"), (False, "led", "unsure")]
)
def test_a_correction_of_a_lock_counts_however_unsure_the_model_is(locked: bool, path: str, reason: str) -> None:
    careful = PathPolicy(min_confidence=0.6)
    before = votes("led", "led", policy=careful) if locked else PathState()
    state, events = vote(careful, PATHS, before, path, 0.1, correction=True)
    assert [(e.counted, e.reason) for e in events if e.type == "path_voted"] == [(not reason, reason)]
    assert state.locked == (path if not reason else before.locked)
    assert kinds(events)[1:] == ([] if reason else ["path_corrected"])


@pytest.mark.parametrize("path", ["lde", "", "LED", None, 3, ["led"], {"path": "led"}, "x" * 1000])
def test_an_unknown_path_is_refused(path: Any) -> None:
    before = votes("led")
    state, (event,) = vote(DEFAULT, PATHS, before, path, 1.0, rationale="why")
    assert state is before
    assert (event.type, event.to_json()["reason"]) == ("path_refused", "unknown")
    assert len(event.path) <= 80


casts = st.lists(
    st.tuples(
        st.sampled_from((*PATHS, "unknown")),
        st.one_of(st.none(), st.floats(), st.sampled_from(["high", 7])),
        st.booleans(),
    ),
    max_size=40,
)
policies = st.builds(
    PathPolicy,
    lock_threshold=st.floats(0.01, 8),
    allow_switch_before_lock=st.booleans(),
    decay=st.floats(0, 1),
    min_confidence=st.floats(0, 1),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(policies, casts)
def test_whatever_is_voted_the_lock_holds(policy: PathPolicy, given_votes: list[tuple[Any, Any, bool]]) -> None:
    state = PathState()
    written: list[dict[str, Any]] = []
    for path, confidence, correction in given_votes:
        before = state
        state, events = vote(policy, PATHS, before, path, confidence, rationale="r", correction=correction)
        assert (state, events) == vote(policy, PATHS, before, path, confidence, rationale="r", correction=correction)
        written += [json.loads(json.dumps(event.to_json(), allow_nan=False)) for event in events]
        assert all(0 < each <= policy.lock_threshold for each in state.votes.values())
        assert set(state.votes) <= set(PATHS)
        assert bool(state.tentative) == bool(state.votes)
        if state.locked and not before.locked:
            assert state.locked == path == state.tentative
            assert state.votes[path] >= policy.lock_threshold
        if before.locked and not correction:
            assert state is before
        if state is not before:
            assert path in PATHS
            assert state.rationale == "r"
        assert PathState.from_json(json.loads(json.dumps(state.to_json()))) == state
    folded = PathState()
    for event in written:
        folded = with_event(folded, event)
    assert folded == state
    assert with_event(state, {"type": "turn_started", "afresh": False}) == state
    assert with_event(state, {"type": "turn_started", "afresh": True}) == PathState()


TWO = """
paths:
  led: {ref: g.led, description: LED lights}
  repair: {ref: g.repair}
  lamps: {ref: g.led}
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?}
  - {id: go, type: subgraph, ref: $active_path, as: chosen}
  - {id: q.more, type: question, key: more, prompt: More?}
  - {id: done, type: terminal}
edges:
  - {from: q.name, to: go}
  - {from: go, to: q.more}
  - {from: q.more, to: done}
subgraphs:
  g.led:
    nodes:
      - {id: q.watts, type: question, key: watts, prompt: Watts?}
      - {id: deeper, type: subgraph, ref: g.size}
    edges:
      - {from: q.watts, to: deeper}
      - {from: deeper, to: __exit__}
  g.size:
    nodes: [{id: q.size, type: question, key: size, prompt: Size?}]
    edges: [{from: q.size, to: __exit__}]
  g.repair:
    nodes: [{id: q.defect, type: question, key: defect, prompt: Defect?}]
    edges: [{from: q.defect, to: __exit__}]
"""


def test_a_corrected_path_is_left_for_the_new_one() -> None:
    two = flow(TWO)
    answers = with_answer({"name": "Ann"}, ("chosen", "watts"), "60")
    step = advance(two, entry(two), values(answers=answers, active_path="led"))
    assert isinstance(step.outcome, Ask)
    assert step.outcome.node.id == "q.size"
    assert [frame.node for frame in step.outcome.position.frames] == ["go", "deeper", "q.size"]
    for position in (step.outcome.position, step.outcome.position.completed()):
        again = reenter(two, position, "repair")
        assert again is not None
        assert (stands(again), again.done) == ([("", "go")], False)
    after = advance(two, again, values(answers=answers, active_path="repair"))
    assert isinstance(after.outcome, Ask)
    assert after.outcome.node.id == "q.defect"
    assert after.outcome.position.answer_path("defect") == ("chosen", "defect")


def test_the_outermost_path_is_left_when_paths_call_one_another() -> None:
    nested = flow("""
paths: {a: {ref: ga}, b: {ref: gb}}
nodes: [{id: go, type: subgraph, ref: $active_path}]
edges: []
subgraphs:
  ga:
    nodes: [{id: inner, type: subgraph, ref: $active_path}, {id: qa, type: question, key: x, prompt: X?}]
    edges: [{from: qa, to: inner}, {from: inner, to: __exit__}]
    entry: qa
  gb: {nodes: [{id: qb, type: question, key: y, prompt: Y?}], edges: [{from: qb, to: __exit__}]}
""")
    deep = advance(nested, entry(nested), values(answers={}, active_path="a")).outcome.position
    frames = (*deep.frames[:-1], deep.frames[-1]._replace(node="inner"), deep.frames[-1])
    again = reenter(nested, Position(frames, escaped=True), "b")
    assert again == Position(frames[:1], escaped=True)
