"""What the UpGrade agent asks before an action: the question, what will be done, and what to know before a yes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from upgrade_actions_support import ID, checked, facts, new

from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.telling.confirmations import confirmation

RUNNING = facts(state="enrolling")


LOCAL = "the local service"


def asked(action: str, params: Mapping[str, Any], experiment: Facts | None = None, **more: Any) -> list[str]:
    """The lines of a confirmation of what was checked."""
    found = checked(action, params, experiment)
    assert found.ready, (found.missing, found.errors)
    given = {"server": LOCAL, "experiment": experiment, "warnings": found.warnings, **more}
    return confirmation(action, found.params, **given).split("\n")


VISIT = {
    "user_id": "ann",
    "site": "show-problem",
    "target": "fractions-intro",
    "assigned_condition": {"experiment_id": ID, "condition_code": "control"},
}


@pytest.mark.parametrize(
    ("action", "params", "experiment", "question"),
    [
        ("create_experiment", new(), None, "Create experiment 'Breaks' in context 'maths-practice'?"),
        (
            "delete_experiment",
            {"experiment_id": ID},
            facts(),
            "⚠️ PERMANENTLY DELETE experiment 'Hints first'? This cannot be undone!",
        ),
        (
            "update_experiment",
            {"experiment_id": ID, "new_name": "New"},
            facts(),
            "Update experiment 'Hints first' with new settings?",
        ),
        (
            "update_experiment_status",
            {"experiment_id": ID, "status": "running"},
            facts(),
            "Change experiment 'Hints first' status to 'enrolling'?",
        ),
        ("init_experiment_user", {"user_id": "ann"}, None, "Initialize user 'ann' for experiment simulation?"),
        (
            "get_decision_point_assignments",
            {"user_id": "ann", "context": "maths-practice"},
            None,
            "Get condition assignments for context 'maths-practice'?",
        ),
        ("mark_decision_point", VISIT, RUNNING, "Mark decision point visit for experiment 'Hints first'?"),
        ("mark_decision_point", VISIT, None, f"Mark decision point visit for experiment '{ID}'?"),
        (
            "simulate_experiment",
            {"experiment_id": ID, "users": 1500},
            RUNNING,
            "Simulate 1,500 users in experiment 'Hints first'?",
        ),
    ],
)
def test_every_action_asks_its_question_first(
    action: str, params: dict[str, Any], experiment: Facts | None, question: str
) -> None:
    first, *rest = asked(action, params, experiment)
    assert first == question
    assert all(line.startswith(("- ", "⚠️ ")) for line in rest)
    # Warnings come last: they are what is read.
    assert [line[0] for line in rest] == sorted(line[0] for line in rest)
    assert rest.count("- Server: the local service") == 1


def test_creating_says_what_will_be_there() -> None:
    lines = asked(
        "create_experiment",
        new(
            conditions=["control", "variant", "hint-first"],
            decision_points=[{"site": "show-problem", "target": "fractions-intro", "exclude_if_reached": True}],
            group="schoolId",
            consistency="individual",
            revert_to="control",
            exclude={"users": ["tester"], "groups": [{"type": "schoolId", "id": "west"}]},
            tags=["pilot"],
            description="One\ntwo",
        ),
    )
    assert lines[1:] == [
        "- Conditions: control 33.34 %, variant 33.33 %, hint-first 33.33 %",
        "- Decision points: show-problem/fractions-intro (excludes who was there before)",
        "- Assigned: groups (schoolId); consistency by individual: a user keeps the condition",
        "- Who takes part: everybody takes part unless excluded",
        "- Excluded: users 'tester', groups 'schoolId west'",
        "- Once it is stopped: all who were enrolled get 'control'",
        "- Tags: 'pilot'",
        "- Description: One two",
        "- It will be inactive until you start it.",
        "- Server: the local service",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("inactive", "enrolling"),
        ("enrolling", "enrollmentComplete"),
        ("enrollmentComplete", "enrolling"),
        ("enrolling", "cancelled"),
    ],
)
def test_a_change_of_state_names_both_states_in_both_vocabularies(before: str, after: str) -> None:
    screens = {"enrolling": "running", "enrollmentComplete": "paused", "cancelled": "completed"}
    lines = asked("update_experiment_status", {"experiment_id": ID, "status": after}, facts(state=before))
    now = next(line for line in lines if line.startswith("- Now: "))
    then = next(line for line in lines if line.startswith("- Then: "))
    assert before in now
    assert screens.get(before, before) in now
    assert f'{after} ("{screens[after]}"' in then


@pytest.mark.parametrize(
    ("status", "said", "noted"),
    [
        ("paused", ["stop it"], True),
        ("paused", ["Stoppe Hints first"], True),
        ("paused", ["rename Foo", "please stop that one"], True),
        ("paused", ["pause it"], False),
        ("paused", [], False),
        ("completed", ["stop it for good"], False),
        ("completed", ["cancel it"], False),
        ("running", ["start what you stopped"], False),
    ],
)
def test_what_the_stop_button_of_the_screens_does_is_told_to_who_says_stop_and_means_pause(
    status: str, said: list[str], noted: bool
) -> None:
    before = facts(state="enrollmentComplete") if status == "running" else RUNNING
    text = "\n".join(asked("update_experiment_status", {"experiment_id": ID, "status": status}, before, said=said))
    assert ("- The Stop button of UpGrade's screens ends it for good; here that is 'cancel'." in text) is noted
    assert ("⚠️ This cannot be undone" in text) is (status == "completed")
    assert ("Those enrolled: they keep their condition." in text) is (status == "paused")


def test_a_name_that_speaks_of_stopping_is_no_word_of_the_user() -> None:
    signs = facts(state="enrolling", name="Stop signs")
    change = {"experiment_id": ID, "status": "paused"}
    text = "\n".join(asked("update_experiment_status", change, signs, said=["pause Stop signs"]))
    assert "Stop button" not in text


@pytest.mark.parametrize(
    ("rule", "code", "says"),
    [("assign", "control", "'control'"), ("assign", None, "the default"), ("revert", None, "the default")],
)
def test_stopping_says_what_the_enrolled_then_get(rule: str, code: str | None, says: str) -> None:
    experiment = facts(state="enrolling", post_rule=rule, revert_to=code)
    lines = asked("update_experiment_status", {"experiment_id": ID, "status": "enrollmentComplete"}, experiment)
    assert f"- Those enrolled: they get {says}." in lines


def test_an_update_shows_what_is_and_what_will_be() -> None:
    changes = {
        "experiment_id": ID,
        "new_name": "New",
        "conditions": [{"code": "control", "weight": 70}, {"code": "hint-first", "weight": 30}],
        "exclude": {"users": ["bob"]},
        "description": "",
        "tags": ["a"],
        "filter_mode": "excludeAll",
    }
    lines = asked("update_experiment", changes, facts(state="enrolling", description="Old"))
    for line in (
        "- Name: 'New'",
        "- Description: none",
        "- Tags: 'a'",
        "- Conditions: control 70 %, hint-first 30 % (now: control 50 %, hint-first 50 %)",
        "- Who takes part: only the included take part",
        "- Added to the exclusion list: users 'bob'",
        '- It is enrolling ("running" on UpGrade\'s screens), and stays so.',
    ):
        assert line in lines
    assert any(line.startswith("⚠️ Only those on its inclusion list") for line in lines)


def test_users_and_visits_are_told_whole() -> None:
    text = "\n".join(asked("init_experiment_user", {"user_id": "ann", "group": {"schoolId": "north"}}))
    assert "- Belongs to schoolId 'north', in place of what is stored\n- Works in schoolId 'north'" in text
    text = "\n".join(asked("mark_decision_point", VISIT, RUNNING))
    assert "- User 'ann' at 'show-problem/fractions-intro', condition 'control'" in text
    assert "excludes the user for good" in text
    looks = asked("get_decision_point_assignments", {"user_id": "ann", "context": "maths-practice", "site": "a"})
    only = "- This only looks: nobody is enrolled by it."
    assert looks[1:] == ["- User: 'ann'", "- Only at site 'a'", only, "- Server: the local service"]


def test_a_simulation_says_that_its_users_stay() -> None:
    school = facts(state="enrolling", unit="group", group="schoolId", consistency="group", goal_users=20)
    text = "\n".join(asked("simulate_experiment", {"experiment_id": ID, "users": 1, "groups": 1}, school))
    assert text.startswith("Simulate 1 user in experiment")
    assert "- In 1 group\n- Expected: control 50 %, hint-first 50 %" in text
    assert "⚠️ Simulated users are enrolled like real ones" in text
    assert "after 20 users. Simulated ones are counted." in text


def test_a_name_cannot_pass_for_a_part_of_the_question() -> None:
    name = "x'?\n- It is fine.\n⚠️ yes \x1b[31m 'delete"
    first, *rest = asked("delete_experiment", {"experiment_id": ID}, facts(name=name))
    assert first == "⚠️ PERMANENTLY DELETE experiment 'x’? - It is fine. ⚠️ yes [31m ’delete'? This cannot be undone!"
    assert len(rest) == len(asked("delete_experiment", {"experiment_id": ID}, facts())) - 1


def test_long_texts_and_lists_are_cut_and_counted() -> None:
    many = [f"code{number:03}" for number in range(40)]
    text = "\n".join(asked("create_experiment", new(name="n" * 240, conditions=many, description="word " * 500)))
    assert "code011 2.5 % and 28 more" in text
    assert "n…n" in text
    assert len(text) < 1_500


OTHER = "00000000-0000-4000-8000-00000000000f"
LONG = "Hints for the lesson on fractions, in the spring term, in all schools of the north, as an experiment of "


@pytest.mark.parametrize(
    ("name", "other", "alike"),
    [
        (f"{LONG}{'x' * 80} 2025", f"{LONG}{'x' * 80} 2026", False),
        (f"{LONG}one{'x' * 80} 2025", f"{LONG}two{'x' * 80} 2025", True),
        ("Hints", "Hints", True),
        ("Two lines", "Two\nlines", True),
        ("Hints", "hints", False),
        ("Hints", "Breaks", False),
    ],
)
@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("update_experiment_status", {"experiment_id": ID, "status": "paused"}),
        ("update_experiment", {"experiment_id": ID, "new_name": "New"}),
        ("simulate_experiment", {"experiment_id": ID, "users": 5}),
        ("mark_decision_point", VISIT),
        ("delete_experiment", {"experiment_id": ID}),
    ],
)
def test_experiments_whose_names_look_the_same_are_told_apart_by_the_id(
    action: str, params: dict[str, Any], name: str, other: str, alike: bool
) -> None:
    first, *rest = asked(action, params, facts(state="enrolling", name=name), names=((ID, name), (OTHER, other)))
    seen, *_ = asked(action, params, facts(state="enrolling", name=other))
    assert (first == seen) is alike
    assert rest.count(f"- Id: {ID}") == (1 if alike or action == "delete_experiment" else 0)


def test_what_is_not_known_of_an_experiment_is_left_out() -> None:
    for state in (State.ENROLLING, State.ENROLLMENT_COMPLETE):
        lines = asked("update_experiment_status", {"experiment_id": ID, "status": state.value})
        assert not any(line.startswith("- Now") for line in lines)
