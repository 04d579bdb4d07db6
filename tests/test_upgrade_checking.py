"""Actions of the UpGrade agent are checked before they are confirmed, for what servers accept and makes no sense."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from upgrade_actions_support import CONTEXTS, ID, NAMES, OTHER, checked, facts, new, refused

from graphwright.agents.upgrade.checks.checking import MOST_USERS, check
from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.client.experiment import State

CREATE, UPDATE, STATUS = "create_experiment", "update_experiment", "update_experiment_status"
DELETE, INIT, ASSIGN = "delete_experiment", "init_experiment_user", "get_decision_point_assignments"
MARK, SIMULATE = "mark_decision_point", "simulate_experiment"


def test_a_complete_experiment_gets_its_defaults() -> None:
    found = checked(CREATE, new())
    assert (found.ready, found.warnings) == (True, [])
    assert found.params == {
        "name": "Breaks",
        "context": "maths-practice",
        "conditions": [{"code": "control", "weight": 50.0}, {"code": "variant", "weight": 50.0}],
        "decision_points": [{"site": "show-problem", "target": "fractions-intro", "exclude_if_reached": False}],
        "description": "",
        "tags": [],
        "unit": "individual",
        "group": None,
        "consistency": "individual",
        "post_rule": "continue",
        "revert_to": None,
        "filter_mode": "includeAll",
    }


def test_what_is_missing_of_a_new_experiment_is_named_in_order() -> None:
    assert checked(CREATE, {}).missing == ["name", "context", "conditions", "decision_points"]
    assert checked(CREATE, new(name="  ", decision_points=[])).missing == ["name", "decision_points"]
    assert checked(CREATE, new(decision_points=[{"site": "show-problem"}])).missing == ["decision_points"]
    assert checked(CREATE, new(unit="group")).missing == ["group"]


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ((None, None), (50, 50)),
        ((None, None, None), (33.34, 33.33, 33.33)),
        ((33.3, 33.3, 33.3), (33.34, 33.33, 33.33)),
        ((33, 33, 33), (33.34, 33.33, 33.33)),
        ((66.7, 33.4), (66.6, 33.4)),
        ((70, None), (70, 30)),
        ((50, None, None), (50, 25, 25)),
        (("60 %", "40%"), (60, 40)),
        (("62,5", "37.5 percent"), (62.5, 37.5)),
        ((100, 0), (100, 0)),
    ],
)
def test_weights_are_brought_to_a_hundred(given: tuple[Any, ...], settled: tuple[float, ...]) -> None:
    codes = ("control", "variant", "hint-first")
    conditions = [{"code": code, "weight": weight} for code, weight in zip(codes, given, strict=False)]
    found = checked(CREATE, new(conditions=conditions))
    assert found.errors == {}
    assert [each["weight"] for each in found.params["conditions"]] == pytest.approx(settled)
    assert sum(each["weight"] for each in found.params["conditions"]) == pytest.approx(100, abs=1e-9)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((50, 40), "these sum to 90"),
        ((50, 49.8), "these sum to 99.8"),
        ((60, 60), "these sum to 120"),
        ((100, None), "leaves nothing for the others"),
        ((-10, 110), "between 0 and 100"),
        ((float("nan"), 50), "must be a number"),
        ((float("inf"), 50), "must be a number"),
        ((True, 99), "must be a number"),
        (("half", "half"), "must be a number"),
        (([50], 50), "must be a number"),
    ],
)
def test_weights_that_make_no_sense_are_refused(given: tuple[Any, Any], says: str) -> None:
    conditions = [{"code": "control", "weight": given[0]}, {"code": "variant", "weight": given[1]}]
    assert says in refused(CREATE, new(conditions=conditions))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=12))
def test_a_split_written_with_one_decimal_is_always_understood(parts: list[int]) -> None:
    weights = [round(100 * part / sum(parts), 1) for part in parts]
    conditions = [{"code": f"c{place}", "weight": weight} for place, weight in enumerate(weights)]
    found = checked(CREATE, new(conditions=conditions))
    assert found.errors == {}
    assert sum(each["weight"] for each in found.params["conditions"]) == pytest.approx(100, abs=1e-6)


def test_codes_may_be_given_alone() -> None:
    assert checked(CREATE, new(conditions=["control", "variant"])).params["conditions"] == [
        {"code": "control", "weight": 50.0},
        {"code": "variant", "weight": 50.0},
    ]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"conditions": ["control", "Default"]}, "cannot be called 'default'"),
        ({"conditions": ["control", "control"]}, "may stand there once: 'control'"),
        ({"conditions": [{"weight": 100}]}, "needs a code"),
        ({"conditions": [7]}, "needs a code"),
        ({"conditions": "control"}, "list of codes"),
        (
            {"decision_points": [{"site": "a", "target": "b"}, {"site": "a", "target": "b"}]},
            "may stand there once: 'a/b'",
        ),
        ({"decision_points": {"site": "a"}}, "list of sites and targets"),
        ({"decision_points": ["a", {"site": "a", "target": "b"}]}, "needs a site and a target"),
        ({"decision_points": [{"site": "a", "target": "b", "exclude_if_reached": "maybe"}]}, "yes or no"),
        ({"context": "maths-practise"}, "The nearest is 'maths-practice'."),
        ({"context": "x"}, "There are: 'maths-practice', 'no-groups', 'study-planner'."),
        ({"unit": "individual", "group": "schoolId"}, "unit is group"),
        ({"unit": "individual", "consistency": "group"}, "Consistency by group"),
        ({"group": "district"}, "no groups of the type 'district'"),
        ({"unit": "group", "context": "no-groups"}, "has no groups"),
        ({"unit": "within-subjects"}, "'within-subjects' is no unit of assignment"),
        ({"consistency": "class"}, "is no consistency rule"),
        ({"post_rule": "revert"}, "'revert' is no rule for afterwards"),
        ({"post_rule": "assign", "revert_to": "hint-first"}, "which is no condition"),
        ({"post_rule": "continue", "revert_to": "control"}, "it is 'assign'"),
        ({"filter_mode": "some"}, "is no filter mode"),
        ({"include": ["ann"]}, "given as users and groups"),
        ({"exclude": {"groups": [{"type": "district", "id": "d"}]}}, "no groups of the type 'district'"),
        ({"exclude": {"groups": [{"type": "schoolId"}]}}, "needs a type and an id"),
        ({"exclude": {"users": [{"id": "ann"}]}}, "list of ids"),
        ({"tags": {"a": 1}}, "list of texts"),
        ({"name": ["a"]}, "name must be a text"),
        ({"name": "x" * 251}, "too long: 251 characters"),
        ({"name": "a\ud83d"}, "half of a character"),
    ],
)
def test_a_design_that_does_not_fit_is_refused(changes: dict[str, Any], says: str) -> None:
    assert says in refused(CREATE, new(**changes))


def test_everything_that_is_wrong_is_told_at_once() -> None:
    found = checked(CREATE, {"context": "nowhere", "conditions": ["default"], "consistency": "group"})
    assert found.missing == ["name", "decision_points"]
    for said in ("'nowhere'", "'default'", "Consistency"):
        assert said in found.errors["validation"]


@pytest.mark.parametrize(
    ("changes", "becomes"),
    [
        ({"context": "Maths-Practice"}, {"context": "maths-practice"}),
        ({"context": ["maths-practice"]}, {"context": "maths-practice"}),
        ({"name": ' "Breaks"\n for 🎓 '}, {"name": '"Breaks" for 🎓'}),
        ({"group": "schoolid"}, {"unit": "group", "group": "schoolId", "consistency": "group"}),
        ({"unit": "GROUP", "context": "study-planner"}, {"unit": "group", "group": "schoolId"}),
        ({"unit": "group", "group": "classId", "consistency": "experiment"}, {"consistency": "experiment"}),
        ({"revert_to": "control"}, {"post_rule": "assign", "revert_to": "control"}),
        ({"post_rule": "assign"}, {"post_rule": "assign", "revert_to": None}),
        ({"post_rule": "assign", "revert_to": "default"}, {"post_rule": "assign", "revert_to": None}),
        ({"tags": "pilot"}, {"tags": ["pilot"]}),
        ({"exclude": {"users": ["ann", "ann", 7]}}, {"exclude": {"users": ["ann", "7"], "groups": []}}),
    ],
)
def test_what_is_clear_is_filled_in(changes: dict[str, Any], becomes: dict[str, Any]) -> None:
    found = checked(CREATE, new(**changes))
    assert found.errors == {}
    assert {name: found.params[name] for name in becomes} == becomes


def test_what_nobody_said_and_a_model_left_null_counts_as_absent() -> None:
    empty = dict.fromkeys(("group", "unit", "post_rule", "revert_to", "include", "tags"))
    assert checked(CREATE, {**new(), **empty}).params == checked(CREATE, new()).params


@pytest.mark.parametrize(
    ("changes", "warns"),
    [
        ({"name": "hints FIRST"}, "called 'Hints first' already"),
        (
            {"conditions": ["control", "varian"]},
            "does not know the condition code 'varian'. The nearest that it knows is 'variant'.",
        ),
        (
            {"decision_points": [{"site": "show-problm", "target": "t9"}]},
            "the site 'show-problm'. The nearest that it knows is",
        ),
        ({"decision_points": [{"site": "show-problem", "target": "t9"}]}, "does not know the target 't9'."),
        ({"conditions": ["control"]}, "only one condition"),
        (
            {"conditions": [{"code": "control", "weight": 100}, {"code": "variant", "weight": 0}]},
            "nobody gets 'variant'",
        ),
        ({"conditions": ["control", "Control"]}, "differ in their case alone"),
        ({"filter_mode": "excludeAll"}, "nobody will be enrolled"),
        ({"include": {"users": ["ann"]}}, "Everybody takes part anyway"),
    ],
)
def test_a_design_that_is_likely_a_mistake_is_warned_of(changes: dict[str, Any], warns: str) -> None:
    found = checked(CREATE, new(**changes))
    assert found.ready
    assert any(warns in warning for warning in found.warnings)


def test_an_include_only_experiment_with_somebody_on_its_list_is_not_warned_of() -> None:
    assert checked(CREATE, new(filter_mode="excludeAll", include={"users": ["ann"]})).warnings == []


# what is done to an experiment that is there


@pytest.mark.parametrize("action", [UPDATE, STATUS, DELETE, SIMULATE])
def test_the_experiment_must_be_named_and_be_there(action: str) -> None:
    rest = {"status": "enrolling", "users": 5, "new_name": "x"}
    assert checked(action, rest).missing[0] == "experiment"
    assert "is not the id" in checked(action, {**rest, "experiment_id": "Hints first"}).errors["not_found"]
    unknown = {**rest, "experiment_id": "11111111-2222-4333-8444-555555555555", "name": "Gone"}
    assert "There is no experiment called 'Gone'" in checked(action, unknown).errors["not_found"]
    assert "12345678" not in str(checked(action, unknown))


def test_the_name_is_the_one_that_the_experiment_has() -> None:
    found = checked(DELETE, {"experiment_id": ID.upper(), "name": "Twin"}, facts())
    assert found.params == {"experiment_id": ID, "name": "Hints first"}


@pytest.mark.parametrize(
    ("state", "status", "says"),
    [
        ("inactive", "paused", "never started"),
        ("enrolling", "running", "already"),
        ("cancelled", "enrolling", "no other state follows"),
        ("archived", "cancelled", "no other state follows"),
        ("inactive", "archived", "Only what is over"),
        ("inactive", "stopping", "'stopping' is no state"),
        ("inactive", 3, "'3' is no state"),
    ],
)
def test_a_change_of_state_that_the_table_lacks_is_refused(state: str, status: Any, says: str) -> None:
    assert says in refused(STATUS, {"experiment_id": ID, "status": status}, facts(state=state))


def test_a_status_is_understood_in_both_vocabularies_and_asked_for_when_missing() -> None:
    running = facts(state="enrolling")
    assert checked(STATUS, {"experiment_id": ID, "status": "Paused"}, running).params["status"] == "enrollmentComplete"
    assert checked(STATUS, {"experiment_id": ID}, running).missing == ["status"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"decision_points": []}, "it has no decision points"),
        ({"conditions": []}, "it has no conditions"),
        ({"conditions": [{"code": "a", "weight": 30.0}, {"code": "b", "weight": 30.0}]}, "sum to 60"),
    ],
)
def test_what_cannot_work_is_not_started(changes: dict[str, Any], says: str) -> None:
    assert says in refused(STATUS, {"experiment_id": ID, "status": "enrolling"}, facts(**changes))


REACHED = [{"site": "show-problem", "target": "fractions-intro", "exclude_if_reached": True}]


@pytest.mark.parametrize(
    ("changes", "warns"),
    [
        ({"decision_points": REACHED}, "excluded for good"),
        ({"decision_points": REACHED, "unit": "group", "consistency": "group"}, "with their groups"),
        ({"filter_mode": "excludeAll"}, "nobody will be enrolled"),
        ({"goal_users": 1200}, "after 1,200 users"),
        ({"goal_groups": 4, "goal_users": 25}, "after 4 groups of 25 users"),
    ],
)
def test_starting_warns_of_what_it_does_to_users(changes: dict[str, Any], warns: str) -> None:
    found = checked(STATUS, {"experiment_id": ID, "status": "enrolling"}, facts(**changes))
    assert found.ready
    assert any(warns in warning for warning in found.warnings)


def test_resuming_and_consistency_by_experiment_exclude_nobody() -> None:
    start = {"experiment_id": ID, "status": "enrolling"}
    assert checked(STATUS, start, facts(state="enrollmentComplete", decision_points=REACHED)).warnings == []
    assert checked(STATUS, start, facts(consistency="experiment", decision_points=REACHED)).warnings == []


def test_cancelling_and_deleting_warn_that_they_are_for_good() -> None:
    running = facts(state="enrolling")
    assert "cannot be undone" in checked(STATUS, {"experiment_id": ID, "status": "cancelled"}, running).warnings[0]
    assert "lose their conditions" in checked(DELETE, {"experiment_id": ID}, running).warnings[0]


def test_an_update_keeps_what_differs_alone() -> None:
    found = checked(UPDATE, {"experiment_id": ID, "new_name": "Hints first", "description": "By term"}, facts())
    assert found.params == {"experiment_id": ID, "name": "Hints first", "description": "By term"}
    same = {"experiment_id": ID, "new_name": "Hints first", "tags": []}
    assert "Nothing would change" in refused(UPDATE, same, facts())
    assert checked(UPDATE, {"experiment_id": ID}, facts()).missing == ["changes"]


def test_weights_of_an_update_must_sum_to_a_hundred_and_what_goes_is_warned_of() -> None:
    lone = {"experiment_id": ID, "conditions": [{"code": "control", "weight": 70}]}
    assert "sum to 70" in refused(UPDATE, lone, facts())
    swapped = {"experiment_id": ID, "conditions": ["control", "variant"]}
    found = checked(UPDATE, swapped, facts(state="enrolling"))
    assert "The condition 'hint-first' will be deleted with all enrolments" in found.warnings[0]
    assert any("those enrolled keep their condition" in warning for warning in found.warnings)
    moved = {"experiment_id": ID, "decision_points": [{"site": "give-hint", "target": "fractions-intro"}]}
    assert "'show-problem/fractions-intro' will be deleted" in checked(UPDATE, moved, facts()).warnings[0]


def test_an_update_of_unit_group_and_consistency_must_fit_what_stays() -> None:
    by_school = facts(unit="group", group="schoolId", consistency="group")
    to_users = checked(UPDATE, {"experiment_id": ID, "unit": "individual"}, by_school).params
    assert (to_users["unit"], to_users["group"], to_users["consistency"]) == ("individual", None, "individual")
    to_classes = checked(UPDATE, {"experiment_id": ID, "group": "classId"}, facts()).params
    assert (to_classes["unit"], to_classes["group"], to_classes["consistency"]) == ("group", "classId", "group")
    assert "Consistency by group" in refused(UPDATE, {"experiment_id": ID, "consistency": "group"}, facts())
    assert checked(UPDATE, {"experiment_id": ID, "unit": "group"}, facts()).missing == ["group"]


def test_what_belongs_together_is_changed_together() -> None:
    by_school = facts(unit="group", group="schoolId", consistency="group")
    assert checked(UPDATE, {"experiment_id": ID, "group": "classId"}, by_school).params == {
        "experiment_id": ID,
        "name": "Hints first",
        "unit": "group",
        "group": "classId",
        "consistency": "group",
    }
    to_control = facts(post_rule="assign", revert_to="control")
    found = checked(UPDATE, {"experiment_id": ID, "revert_to": "hint-first"}, to_control)
    assert (found.params["post_rule"], found.params["revert_to"]) == ("assign", "hint-first")


def test_the_condition_for_afterwards_must_be_one_and_stay_one() -> None:
    wanted = {"experiment_id": ID, "post_rule": "assign", "revert_to": "variant"}
    assert "which is no condition" in refused(UPDATE, wanted, facts())
    assert checked(UPDATE, {**wanted, "conditions": ["control", "variant"]}, facts()).ready
    kept = facts(post_rule="assign", revert_to="hint-first")
    assert "'hint-first'" in refused(UPDATE, {"experiment_id": ID, "conditions": ["control", "variant"]}, kept)


def test_a_decision_point_keeps_its_flag_where_nothing_is_said_of_it() -> None:
    points = [
        {"site": "show-problem", "target": "fractions-intro"},
        {"site": "give-hint", "target": "linear-equations"},
    ]
    found = checked(UPDATE, {"experiment_id": ID, "decision_points": points}, facts(decision_points=REACHED))
    assert [each["exclude_if_reached"] for each in found.params["decision_points"]] == [True, False]


def test_renaming_to_its_own_name_in_other_letters_is_no_clash_but_that_of_another_is() -> None:
    assert checked(UPDATE, {"experiment_id": ID, "new_name": "HINTS FIRST"}, facts()).warnings == []
    assert "'Twin' already" in checked(UPDATE, {"experiment_id": ID, "new_name": "Twin"}, facts()).warnings[0]


def test_what_is_archived_is_not_changed() -> None:
    assert "archived" in refused(UPDATE, {"experiment_id": ID, "new_name": "New"}, facts(state="archived"))


# users


def test_a_user_works_in_the_only_group_that_is_named() -> None:
    assert checked(INIT, {"user_id": "ann", "group": {"schoolId": "north"}}).params == {
        "user_id": "ann",
        "group": {"schoolId": ["north"]},
        "working_group": {"schoolId": "north"},
    }
    assert checked(INIT, {"user_id": "ann", "working_group": {"classId": 7}}).params["group"] == {"classId": ["7"]}
    two = checked(INIT, {"user_id": "ann", "group": {"classId": ["7a", "7b"]}})
    assert "working_group" not in two.params
    assert "works in no group of the type 'classId'" in two.warnings[0]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        (
            {"user_id": "ann", "group": {"classId": ["7a"]}, "working_group": {"classId": "7b"}},
            "without belonging to it",
        ),
        ({"user_id": "ann", "group": {"district": "d"}}, "No context has groups of the type 'district'"),
        ({"user_id": "ann", "group": ["7a"]}, "given by their type"),
        ({"user_id": "ann", "group": {"classId": []}}, "no list of ids"),
        ({"user_id": "ann", "working_group": {"classId": ["7a"]}}, "works in one group"),
        ({"user_id": "学生"}, "takes in no user id"),
    ],
)
def test_groups_that_do_not_fit_a_user_are_refused(params: dict[str, Any], says: str) -> None:
    assert says in refused(INIT, params)


def test_assignments_need_a_user_and_a_context() -> None:
    assert checked(ASSIGN, {}).missing == ["user_id", "context"]
    asked = {"user_id": "ann", "context": "Study-Planner", "site": "start-of-week"}
    assert checked(ASSIGN, asked).params == {**asked, "context": "study-planner"}


def visit(**condition: Any) -> dict[str, Any]:
    place = {"site": "show-problem", "target": "fractions-intro"}
    return {
        "user_id": "ann",
        **place,
        "assigned_condition": {"experiment_id": ID, "condition_code": "control", **condition},
    }


def test_a_visit_needs_a_place_an_experiment_and_a_condition_of_it() -> None:
    assert checked(MARK, {}).missing == ["user_id", "site", "target", "experiment", "condition_code"]
    assert checked(MARK, visit(), facts()).ready
    assert "has no condition 'variant'. It has: 'control', 'hint-first'." in refused(
        MARK, visit(condition_code="variant"), facts()
    )
    assert "no decision point 'x/fractions-intro'" in refused(MARK, {**visit(), "site": "x"}, facts())
    without = checked(MARK, visit(condition_code=None), facts())
    assert (without.ready, without.params["assigned_condition"]["condition_code"]) == (True, None)
    assert any("is inactive" in warning for warning in without.warnings)


RUNNING = facts(state="enrolling")
BY_SCHOOL = facts(state="enrolling", unit="group", group="schoolId", consistency="group")


@pytest.mark.parametrize(
    ("changes", "experiment", "says"),
    [
        ({"users": 0}, RUNNING, "between 1 and 10,000"),
        ({"users": MOST_USERS + 1}, RUNNING, "between 1 and 10,000"),
        ({"users": "many"}, RUNNING, "not 'many'"),
        ({"users": 10, "groups": 2}, RUNNING, "assigns single users"),
        ({"users": 10, "groups": 11}, BY_SCHOOL, "1 to 10 groups"),
        ({"users": 10}, facts(), "Start it first."),
        ({"users": 10}, facts(state="enrollmentComplete"), "Resume it first."),
        ({"users": 10}, facts(state="cancelled"), "over for good"),
        ({"users": 10}, facts(state="enrolling", filter_mode="excludeAll"), "no simulated user is on it"),
    ],
)
def test_a_simulation_that_cannot_work_is_refused(changes: dict[str, Any], experiment: Facts, says: str) -> None:
    assert says in refused(SIMULATE, {"experiment_id": ID, **changes}, experiment)


def test_a_simulation_takes_numbers_as_people_write_them() -> None:
    assert checked(SIMULATE, {"experiment_id": ID, "users": "1,000"}, RUNNING).params["users"] == 1000
    assert checked(SIMULATE, {"experiment_id": ID, "users": 50.0, "groups": 5}, BY_SCHOOL).params["groups"] == 5
    assert checked(SIMULATE, {"experiment_id": ID}, RUNNING).missing == ["users"]


FIELDS = st.sampled_from(
    ["code", "weight", "site", "target", "users", "groups", "type", "id", "experiment_id", "condition_code"]
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([ID, OTHER, "control"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
PARAMS = st.sampled_from(
    [*new(), *facts(), "status", "user_id", "new_name", "working_group", "assigned_condition", "users"]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([CREATE, UPDATE, STATUS, DELETE, INIT, ASSIGN, MARK, SIMULATE]),
    st.dictionaries(PARAMS, ANYTHING, max_size=8),
    st.sampled_from([None, *(facts(state=state.value) for state in State)]),
)
def test_whatever_a_model_proposes_is_judged_and_never_an_accident(
    action: str, params: dict[str, Any], experiment: Facts | None
) -> None:
    found = check(action, params, contexts=CONTEXTS, names=NAMES, experiment=experiment)
    for sentence in (*found.errors.values(), *found.warnings):
        assert "\n" not in sentence
    if found.ready:
        again = check(action, found.params, contexts=CONTEXTS, names=NAMES, experiment=experiment)
        assert again.params == found.params


# Members taken off the lists

ON: Any = {"include": {"users": [], "groups": []}, "exclude": {"users": ["ann"], "groups": [("classId", "7b")]}}


def off(**members: Any) -> Any:
    params = {"experiment_id": ID, "unexclude": members}
    listed = facts(exclude={"users": 1, "groups": 1, "segments": 0})
    return check(UPDATE, params, contexts=CONTEXTS, names=NAMES, experiment=listed, members=ON)


def test_only_who_is_on_a_list_is_taken_off_it() -> None:
    assert off(users=["ann"]).params["unexclude"] == {"users": ["ann"], "groups": [], "all": False}
    strange = off(users=["ann", "bob"])
    assert "does not have 'bob'" in strange.errors["validation"]
    assert "'ann', 'classId 7b'" in strange.errors["validation"]


def test_a_group_without_its_type_is_the_one_on_the_list() -> None:
    group = {"users": [], "groups": [{"type": "classId", "id": "7b"}], "all": False}
    assert off(groups=[{"type": "", "id": "7b"}]).params["unexclude"] == group
    assert off(users=["7b"]).params["unexclude"] == group
    assert "does not have '8c'" in off(groups=[{"type": "", "id": "8c"}]).errors["validation"]


def test_a_list_without_anybody_is_not_emptied() -> None:
    assert off(all=True).params["unexclude"] == {"users": [], "groups": [], "all": True}
    nobody = checked(UPDATE, {"experiment_id": ID, "uninclude": {"all": True}}, facts())
    assert "Nobody is on the inclusion list" in nobody.errors["validation"]


def test_a_weight_without_a_code_is_named() -> None:
    found = checked(CREATE, new(conditions=[{"code": "control", "weight": 70}, {"code": "", "weight": 30}]))
    assert "the weight 30 has none" in found.errors["validation"]
