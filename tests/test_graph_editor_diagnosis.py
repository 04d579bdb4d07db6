"""Diagnosis: failures are classified by what happened before, each class has its remedy, and retries are bounded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.agents.graph_editor.diagnosis import GOAL_FAILURES, STEP_RETRIES, diagnose, retries_left


def failure(code: str, *, key: str = "T-1", step: int = 0, tool: str = "update_props") -> dict[str, Any]:
    return {"code": code, "message": code, "tool_name": tool, "arguments": {"key": key}, "step": step}


def test_a_lock_is_random_and_tried_again_after_longer_and_longer_pauses() -> None:
    failures: list[dict[str, Any]] = []
    pauses = []
    for _ in range(STEP_RETRIES):
        failures.append(failure("locked"))
        found = diagnose(failures)
        assert (found.kind, found.remedy) == ("random", "retry")
        pauses.append(found.pause)
    assert pauses == sorted(set(pauses))
    assert diagnose([*failures, failure("locked")]).remedy == "escalate"


def test_the_same_call_failing_the_same_way_is_identical_and_goes_to_the_user() -> None:
    found = diagnose([failure("bad_value"), failure("bad_value")])
    assert (found.kind, found.remedy) == ("identical", "escalate")


def test_the_same_call_failing_another_way_is_not_identical() -> None:
    assert diagnose([failure("bad_value"), failure("query_failed")]).kind == "systematic"


def test_wrong_arguments_are_systematic_and_planned_again_at_most_twice() -> None:
    failures = [failure("unsaid_value", key="A"), failure("unsaid_value", key="B"), failure("unsaid_value", key="C")]
    assert [diagnose(failures[: n + 1]).remedy for n in range(3)] == ["replan", "replan", "escalate"]
    assert {diagnose(failures[: n + 1]).kind for n in range(3)} == {"systematic"}


@pytest.mark.parametrize("code", ["not_found", "contradiction", "ambiguous", "ambiguous_key", "missing_key"])
def test_what_only_the_user_can_say_is_asked_at_once(code: str) -> None:
    assert diagnose([failure(code)]).remedy == "escalate"


@pytest.mark.parametrize("code", ["unknown_tool", "out_of_scope"])
def test_what_nobody_can_mend_ends(code: str) -> None:
    assert diagnose([failure(code)]).remedy == "end"


def test_a_new_step_has_its_retries_again() -> None:
    failures = [failure("locked", step=0) for _ in range(4)]
    assert diagnose([*failures, failure("locked", step=1)]).remedy == "retry"


@given(st.lists(st.tuples(st.sampled_from(["locked", "unsaid_value", "query_failed"]), st.integers(0, 3)), max_size=30))
def test_no_sequence_of_failures_is_retried_for_ever(codes: list[tuple[str, int]]) -> None:
    failures: list[dict[str, Any]] = []
    retried = 0
    for number, (code, step) in enumerate(codes):
        failures.append(failure(code, key=str(number), step=step))
        retried += diagnose(failures).remedy in ("retry", "replan")
        assert 0 <= retries_left(failures, step) <= STEP_RETRIES + 1
    assert retried <= GOAL_FAILURES
