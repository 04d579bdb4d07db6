"""Choosing a path: votes, the lock, corrections, and leaving a path that was corrected."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.engine._advance import advance
from graphwright.engine._paths import PathState, reenter, vote, with_event
from graphwright.engine._position import Position, entry
from graphwright.engine.events import event_from_json
from graphwright.flow.compiled import PathPolicy
from kernel_support import flow, values

PATHS = ("led", "repair", "other")
DEFAULT = PathPolicy()


def votes(*paths: str, policy: PathPolicy = DEFAULT, before: PathState | None = None) -> PathState:
    state = before or PathState()
    for path in paths:
        state, _ = vote(policy, PATHS, state, path)
    return state


def kinds(events: tuple[Any, ...]) -> list[str]:
    return [event.type for event in events]


@pytest.mark.parametrize("decay", [0.0, 0.3, 0.5])
def test_flip_flops_do_not_lock_however_long_they_last(decay: float) -> None:
    state = PathState()
    for _ in range(500):
        state = votes("led", "repair", policy=PathPolicy(decay=decay), before=state)
        assert state.locked == ""
        assert max(state.votes.values()) < 2
    assert votes("repair", policy=PathPolicy(decay=decay), before=state).locked == "repair"


def test_another_path_takes_the_lead_when_it_has_more_votes() -> None:
    state, events = vote(DEFAULT, PATHS, votes("led"), "repair")
    assert (state.tentative, state.locked) == ("repair", "")
    assert [(e.before, e.path) for e in events if e.type == "path_switched"] == [("led", "repair")]
    assert vote(DEFAULT, PATHS, votes("led", "led"), "repair", 1.0)[0] == votes("led", "led")
    # Without decay it is a tie, and the leader keeps the lead.
    tie = votes("led", "repair", policy=PathPolicy(decay=1))
    assert (tie.tentative, tie.votes) == ("led", {"led": 1.0, "repair": 1.0})


@pytest.mark.parametrize("confidence", [None, math.nan, math.inf, 7, -0.2, "high", "0.1", True, False, [], 10**400])
def test_a_confidence_that_says_nothing_counts_as_a_vote(confidence: Any) -> None:
    state, (event,) = vote(PathPolicy(min_confidence=0.9), PATHS, PathState(), "led", confidence)
    assert state.votes == {"led": 1.0}
    assert event.to_json()["confidence"] is None
    assert json.loads(json.dumps(event.to_json(), allow_nan=False))["counted"] is True


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


@settings(max_examples=300, derandomize=True)
@given(policies, casts)
def test_votes_cannot_change_a_locked_path(policy: PathPolicy, given_votes: list[tuple[Any, Any, bool]]) -> None:
    state = PathState()
    written: list[Any] = []
    for path, confidence, correction in given_votes:
        before = state
        state, events = vote(policy, PATHS, before, path, confidence, rationale="r", correction=correction)
        assert (state, events) == vote(policy, PATHS, before, path, confidence, rationale="r", correction=correction)
        written += [event_from_json(json.loads(json.dumps(event.to_json(), allow_nan=False))) for event in events]
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
