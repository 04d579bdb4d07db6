"""The states of experiments: which may follow which, in both vocabularies, and why another may not."""

from __future__ import annotations

import pytest

from graphwright.agents.upgrade.checks.transitions import MEANING, refusal, spoken, state_of, ways
from graphwright.agents.upgrade.client.experiment import State

ALLOWED = {
    (State.INACTIVE, State.ENROLLING),
    (State.ENROLLING, State.ENROLLMENT_COMPLETE),
    (State.ENROLLMENT_COMPLETE, State.ENROLLING),
    *((state, State.CANCELLED) for state in State if state not in (State.CANCELLED, State.ARCHIVED)),
}


@pytest.mark.parametrize("before", State)
@pytest.mark.parametrize("after", State)
def test_the_table_allows_what_it_should_and_says_why_not_else(before: State, after: State) -> None:
    why = refusal(before, after)
    assert (why == "") == ((before, after) in ALLOWED)
    assert (after in ways(before)) == ((before, after) in ALLOWED)
    if why:
        assert before.value in why
        assert why.endswith(".")


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (State.INACTIVE, State.ENROLLMENT_COMPLETE, "never started"),
        (State.ENROLLING, State.ENROLLING, "already"),
        (State.ENROLLING, State.INACTIVE, "never becomes inactive again"),
        (State.CANCELLED, State.ENROLLING, "Create a new experiment"),
        (State.CANCELLED, State.ARCHIVED, "UpGrade's own screens"),
        (State.ARCHIVED, State.CANCELLED, "no other state follows"),
        (State.SCHEDULED, State.ENROLLING, "starts by itself"),
        (State.ENROLLING, State.ARCHIVED, "Only what is over"),
        (State.ENROLLING, State.SCHEDULED, "UpGrade's own screens"),
    ],
)
def test_a_refusal_gives_the_reason(before: State, after: State, says: str) -> None:
    assert says in refusal(before, after)


def test_a_refusal_names_the_ways_that_are_open() -> None:
    assert 'enrolling ("running" on UpGrade\'s screens) or cancelled' in refusal(State.INACTIVE, State.PREVIEW)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("enrolling", State.ENROLLING),
        ("Running", State.ENROLLING),
        (" paused ", State.ENROLLMENT_COMPLETE),
        ("enrollmentcomplete", State.ENROLLMENT_COMPLETE),
        ("COMPLETED", State.CANCELLED),
        ("archived", State.ARCHIVED),
        ("stopped", None),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_states_are_known_by_both_vocabularies(said: object, meant: State | None) -> None:
    assert state_of(said) is meant


def test_states_are_named_in_both_vocabularies_where_they_differ() -> None:
    assert spoken(State.ENROLLMENT_COMPLETE) == 'enrollmentComplete ("paused" on UpGrade\'s screens)'
    assert spoken(State.INACTIVE) == "inactive"
    assert set(MEANING) == set(State)
