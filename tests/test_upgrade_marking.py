"""Marking: the visit is recorded, and with it who is enrolled and who is excluded, each once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from upgrade_play import Experiment, Play, fresh, in_school, mark_body, playing  # noqa: F401
from upgrade_support import upgrade_server  # noqa: F401

BY_CLIENT = "participant is excluded by client"
ON_LIST = "participant was on the exclusion list"
GROUP_ON_LIST = "participant’s group was on the exclusion list"
LATE = "participant reached experiment during enrollment complete"
BY_ALGORITHM = "participant enrolled via algorithm"
BY_GROUP = "participant enrolled due to group enrollment"


async def detail(play: Play, experiment: Experiment) -> dict[str, Any]:
    found: dict[str, Any] = await play.call("POST", "stats/enrollment/detail", {"experimentId": experiment.id})
    return found


async def test_assign_enrols_nobody_and_mark_does(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    code = await play.code(user, experiment)
    assert (await play.records(experiment))["enrolled"] == {}
    await play.mark(user, experiment.points[0], code, experiment.id)
    assert (await play.records(experiment))["enrolled"] == {user: BY_ALGORITHM}


async def test_the_condition_is_computed_whatever_code_was_sent(play: Play) -> None:
    experiment = await play.experiment("enrolling")
    for _ in range(4):
        user = await play.user()
        drawn = await play.code(user, experiment)
        other = "variant" if drawn == "control" else "control"
        answer = await play.mark(user, experiment.points[0], other, experiment.id)
        assert answer["condition"] == other
        assert await play.code(user, experiment) == drawn


async def test_a_user_without_a_code_is_enrolled_too_when_there_is_a_condition_for_him(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    answer = await play.mark(user, experiment.points[0], status="no condition assigned")
    assert answer["condition"] is None
    assert answer["experimentId"] == experiment.id
    assert (await play.records(experiment))["enrolled"] == {user: BY_ALGORITHM}


async def test_the_first_recorded_condition_stays(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    first = await play.mark(user, experiment.points[0], "control", experiment.id)
    again = await play.mark(user, experiment.points[0], "variant", experiment.id)
    assert again == first
    assert again == {
        "condition": "control",
        "userId": user,
        "site": experiment.points[0][0],
        "target": experiment.points[0][1],
        "experimentId": experiment.id,
        "id": first["id"],
    }


async def test_a_point_that_no_experiment_has_is_recorded_as_a_visit(play: Play) -> None:
    user, point = await play.user(), (fresh("site"), fresh("target"))
    answer = await play.mark(user, point, "anything")
    assert answer["condition"] == "anything"
    assert answer["experimentId"] is None
    assert (await play.mark(user, point))["id"] == answer["id"]


@pytest.mark.parametrize("code", ["nope", ""])
async def test_a_code_that_the_experiment_does_not_know_is_refused_and_nothing_is_recorded(
    play: Play, code: str
) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    body = mark_body(experiment.points[0], code, experiment.id, "condition applied")
    status, error = await play.refused("POST", "v6/mark", body, user)
    assert (status, error["type"], error["message"]) == (500, "Condition not found", f"Condition not found: {code}")
    assert not any((await play.records(experiment)).values())
    visits = await play.call("GET", "check/monitoredExperimentPoint")
    assert user not in str(visits)


async def test_the_value_of_a_payload_is_as_good_as_a_code(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    value = fresh("value")
    await play.payload(experiment, 0, value)
    assert (await play.mark(user, experiment.points[0], value))["condition"] == value


async def test_an_experiment_that_is_not_on_the_point_is_refused(play: Play) -> None:
    user = await play.user()
    here, elsewhere = await play.experiment("enrolling"), await play.experiment("enrolling")
    body = mark_body(here.points[0], "control", elsewhere.id, "condition applied")
    status, error = await play.refused("POST", "v6/mark", body, user)
    assert (status, error["type"]) == (404, "Query Failed")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"data": []},
        {"data": {"site": "", "target": "t"}},
        {"data": {"site": "s"}},
        {"data": {"site": "s", "target": 1}},
        {"data": {"site": "s", "target": "t", "assignedCondition": "control"}},
        {"data": {"site": "s", "target": "t", "assignedCondition": {"conditionCode": 1}}},
        {"data": {"site": "s", "target": "t", "assignedCondition": {"experimentId": {}}}},
        {"data": {"site": "s", "target": "t"}, "status": "applied"},
        {"data": {"site": "s", "target": "t"}, "status": ["condition applied"]},
        {"data": {"site": "s", "target": "t"}, "uniquifier": 1},
    ],
)
async def test_a_mark_of_another_shape_is_refused(play: Play, body: dict[str, Any]) -> None:
    status, error = await play.refused("POST", "v6/mark", body, await play.user())
    assert (status, error["name"]) == (400, "BadRequestError")
    assert error["request"] == body


async def test_a_condition_that_could_not_be_applied_excludes_for_good(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    await play.mark(user, experiment.points[0], status="condition not applied")
    assert (await play.records(experiment))["excluded"] == {user: BY_CLIENT}
    await play.mark(user, experiment.points[0], "control")
    assert await play.code(user, experiment) is None
    assert (await play.records(experiment))["enrolled"] == {}


@pytest.mark.parametrize(("rule", "stays"), [("individual", False), ("experiment", True)])
async def test_not_applied_wins_over_an_enrolment_where_the_user_counts_first(
    play: Play, rule: str, stays: bool
) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling", consistencyRule=rule)
    assert await play.visit(user, experiment) is not None
    await play.mark(user, experiment.points[0], status="condition not applied")
    assert (await play.code(user, experiment) is not None) is stays


async def test_marks_of_users_on_the_exclusion_list_exclude_them_for_good(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    segment = await play.list("exclusion", experiment.id, users=[user])
    await play.mark(user, experiment.points[0])
    assert (await play.records(experiment))["excluded"] == {user: ON_LIST}
    await play.call("DELETE", f"experiments/exclusionList/{segment}")
    assert await play.code(user, experiment) is None


async def test_a_mark_before_the_inclusion_list_names_the_user_comes_too_early(play: Play) -> None:
    early, patient = await play.user(), await play.user()
    experiment = await play.experiment("enrolling", filterMode="excludeAll")
    await play.mark(early, experiment.points[0])
    await play.list("inclusion", experiment.id, users=[early, patient])
    assert await play.code(early, experiment) is None
    assert await play.code(patient, experiment) is not None
    assert (await play.records(experiment))["excluded"] == {early: ON_LIST}


async def test_a_listed_group_of_the_own_type_is_excluded_as_a_whole(play: Play) -> None:
    school = fresh("school")
    enrolled, late = await play.user(school=school), await play.user(school=school)
    experiment = await play.group_experiment("enrolling", "group")
    await play.visit(enrolled, experiment)
    await play.list("exclusion", experiment.id, schools=[school])
    await play.mark(late, experiment.points[0])
    records = await play.records(experiment)
    assert records["groupsExcluded"] == {school: GROUP_ON_LIST}
    assert records["groupsEnrolled"] == set()
    assert records["excluded"] == {late: ON_LIST}


async def in_class(play: Play, school: str, group: str, *, works: bool = True) -> str:
    user, groups = fresh("user"), {"schoolId": school, "classId": group}
    body = {"group": {type: [id] for type, id in groups.items()}} | ({"workingGroup": groups} if works else {})
    await play.call("POST", "v6/init", body, user)
    return user


async def test_a_listed_group_of_another_type_takes_all_working_groups_of_who_is_marked_along(play: Play) -> None:
    left, right, group, teacher = fresh("school"), fresh("school"), fresh("class"), fresh("teacher")
    user, mate = await in_class(play, left, group), await in_class(play, right, group)
    groups = {"schoolId": [left], "classId": [group], "instructorId": [teacher]}
    await play.call("PATCH", "v6/groupmembership", {"group": groups}, user)
    experiment = await play.group_experiment("enrolling", "group")
    await play.list("exclusion", experiment.id, schools=[teacher], type="instructorId")
    assert await play.code(mate, experiment) is not None
    await play.mark(user, experiment.points[0], experiment=experiment.id)
    records = await play.records(experiment)
    assert records["excluded"] == {user: ON_LIST}
    assert records["groupsExcluded"] == {left: GROUP_ON_LIST, group: GROUP_ON_LIST}
    # From another school, but in the same class.
    assert await play.code(mate, experiment) is None


async def test_a_user_of_a_listed_group_of_another_type_without_a_working_group_fails_a_real_server(play: Play) -> None:
    group = fresh("class")
    user = await in_class(play, fresh("school"), group, works=False)
    experiment = await play.group_experiment("enrolling", "group")
    await play.list("exclusion", experiment.id, schools=[group], type="classId")
    status, _ = await play.refused("POST", "v6/mark", mark_body(experiment.points[0], None, experiment.id, None), user)
    assert status == 500


@pytest.mark.parametrize(("rule", "stays"), [("individual", False), ("group", True), ("experiment", True)])
async def test_an_excluded_user_of_an_enrolled_school_has_its_condition_where_the_school_counts_first(
    play: Play, rule: str, stays: bool
) -> None:
    school = fresh("school")
    user, fellow = await play.user(school=school), await play.user(school=school)
    experiment = await play.group_experiment("enrolling", rule)
    code = await play.visit(fellow, experiment)
    await play.mark(user, experiment.points[0], status="condition not applied")
    assert code is not None
    for _ in range(2):
        assert await play.visit(user, experiment) == (code if stays else None)
    assert list((await play.records(experiment))["enrolled"]) == [fellow]
    assert await play.code(fellow, experiment) == code


@pytest.mark.parametrize(("rule", "stays"), [("individual", True), ("group", False), ("experiment", True)])
async def test_an_enrolled_user_of_an_excluded_school_keeps_the_condition_unless_the_school_counts_first(
    play: Play, rule: str, stays: bool
) -> None:
    school = fresh("school")
    user, fellow = await play.user(school=school), await play.user(school=school)
    experiment = await play.group_experiment("enrolling", rule)
    code = await play.visit(user, experiment)
    listed = await play.list("exclusion", experiment.id, schools=[school])
    await play.mark(fellow, experiment.points[0])
    await play.call("DELETE", f"experiments/exclusionList/{listed}")
    assert list((await play.records(experiment))["groupsExcluded"]) == [school]
    assert await play.code(user, experiment) == (code if stays else None)
    assert await play.code(fellow, experiment) is None


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({}, "participant excluded due to incomplete group information"),
        ({"group": {"schoolId": ["a"]}}, "participant excluded due to incomplete group information"),
        ({"group": {"schoolId": ["a"]}, "workingGroup": {"schoolId": "b"}}, "participant's group or working group is"),
        ({"group": {"classId": ["a"]}, "workingGroup": {"classId": "a"}}, "participant's group or working group is"),
    ],
)
async def test_users_whose_groups_do_not_fit_are_excluded_from_group_experiments(
    play: Play, told: dict[str, Any], code: str
) -> None:
    user = fresh()
    await play.call("POST", "v6/init", told, user)
    strict = await play.group_experiment("enrolling", "individual")
    loose = await play.group_experiment("enrolling", "experiment")
    for experiment in (strict, loose):
        assert await play.visit(user, experiment) is None
    excluded = (await play.records(strict))["excluded"]
    assert list(excluded) == [user]
    assert excluded[user].startswith(code)
    assert not any((await play.records(loose)).values())


async def test_enrolled_users_stay_in_a_group_experiment_when_their_groups_no_longer_fit(play: Play) -> None:
    user = await play.user(school=fresh("school"))
    experiment = await play.group_experiment("enrolling", "individual")
    code = await play.visit(user, experiment)
    await play.call("PATCH", "v6/groupmembership", {"group": {"schoolId": [fresh("school")]}}, user)
    assert code is not None
    assert await play.code(user, experiment) == code


async def test_the_first_user_enrols_the_group_and_the_others_follow(play: Play) -> None:
    school = fresh("school")
    first, second = await play.user(school=school), await play.user(school=school)
    experiment = await play.group_experiment("enrolling", "group")
    assert await play.visit(first, experiment) == await play.visit(second, experiment)
    records = await play.records(experiment)
    assert records["enrolled"] == {first: BY_ALGORITHM, second: BY_GROUP}
    assert records["groupsEnrolled"] == {school}


async def test_late_users_are_excluded_once_enrolment_is_complete(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrollmentComplete")
    await play.mark(user, experiment.points[0])
    assert (await play.records(experiment))["excluded"] == {user: LATE}
    await play.state(experiment.id, "enrolling")
    assert await play.code(user, experiment) is None


async def test_late_users_of_an_unknown_group_take_it_with_them(play: Play) -> None:
    school = fresh("school")
    user, fellow = await play.user(school=school), await play.user(school=school)
    experiment = await play.group_experiment("enrollmentComplete", "group")
    await play.mark(user, experiment.points[0])
    records = await play.records(experiment)
    assert (records["excluded"], records["groupsExcluded"]) == ({user: LATE}, {school: LATE})
    await play.state(experiment.id, "enrolling")
    assert await play.code(fellow, experiment) is None


async def test_each_point_enrols_once_and_all_of_them_in_the_same_condition(play: Play) -> None:
    user = await play.user()
    points = [(fresh("site"), fresh("target")) for _ in range(2)]
    experiment = await play.experiment("enrolling", points=points)
    for point in (*points, *points):
        await play.mark(user, point, experiment=experiment.id)
    shown = await detail(play, experiment)
    assert shown["users"] == 1
    enrolled = [one for one in shown["conditions"] if one["users"]]
    assert [[point["users"] for point in one["partitions"]] for one in enrolled] == [[1, 1]]


async def test_who_is_enrolled_at_one_point_is_not_late_at_the_next_one(play: Play) -> None:
    user = await play.user()
    points = [(fresh("site"), fresh("target")) for _ in range(2)]
    experiment = await play.experiment("enrolling", points=points)
    code = await play.visit(user, experiment)
    await play.state(experiment.id, "enrollmentComplete")
    await play.mark(user, points[1], code, experiment.id)
    assert (await play.records(experiment))["excluded"] == {}
    assert await play.code(user, experiment) == code


async def test_an_experiment_completes_itself_when_enough_users_are_enrolled(play: Play) -> None:
    experiment = await play.experiment("enrolling", enrollmentCompleteCondition={"userCount": 2})
    first, second, third = [await play.user() for _ in range(3)]
    codes = [await play.visit(first, experiment), await play.visit(first, experiment)]
    assert (await play.call("GET", f"experiments/single/{experiment.id}"))["state"] in ("running", "enrolling")
    codes.append(await play.visit(second, experiment))
    whole = await play.call("GET", f"experiments/single/{experiment.id}")
    assert whole["state"] in ("paused", "enrollmentComplete")
    assert len(whole["stateTimeLogs"]) == 2
    assert await play.visit(third, experiment) is None
    assert [await play.code(first, experiment), await play.code(second, experiment)] == codes[1:]
    assert len((await play.call("GET", f"experiments/single/{experiment.id}"))["stateTimeLogs"]) == 2


async def test_a_group_experiment_completes_itself_when_enough_groups_have_enough_users(play: Play) -> None:
    ends = {"userCount": 2, "groupCount": 2}
    experiment = await play.group_experiment("enrolling", "group", enrollmentCompleteCondition=ends)
    schools = [fresh("school"), fresh("school")]
    for school in (schools[0], schools[0], schools[0], schools[1]):
        await play.visit(await play.user(school=school), experiment)
        whole = await play.call("GET", f"experiments/single/{experiment.id}")
        assert whole["state"] in ("running", "enrolling")
    await play.visit(await play.user(school=schools[1]), experiment)
    whole = await play.call("GET", f"experiments/single/{experiment.id}")
    assert whole["state"] in ("paused", "enrollmentComplete")


async def test_marks_of_one_user_at_once_enrol_once(play: Play) -> None:
    school = fresh("school")
    user = await play.user(school=school)
    alone = await play.experiment("enrolling", enrollmentCompleteCondition={"userCount": 1})
    together = await play.group_experiment("enrolling", "group")
    for experiment in (alone, together):
        answers = await asyncio.gather(
            *(play.mark(user, experiment.points[0], "control", experiment.id) for _ in range(12))
        )
        assert len({answer["id"] for answer in answers}) == 1
        records = await play.records(experiment)
        assert records["enrolled"] == {user: BY_ALGORITHM}
        assert (await detail(play, experiment))["users"] == 1
    assert (await play.records(together))["groupsEnrolled"] == {school}
    logs = (await play.call("GET", f"experiments/single/{alone.id}"))["stateTimeLogs"]
    assert len(logs) == 2


async def test_deleting_an_experiment_takes_its_records_along_and_leaves_the_visits(play: Play) -> None:
    user = await play.user()
    gone = await play.experiment("enrolling")
    await play.visit(user, gone)
    await play.delete(gone.id)
    assert not any((await play.records(gone)).values())
    assert await play.assigned(user) == {}
    visits = [row for row in await play.call("GET", "check/monitoredExperimentPoint") if gone.points[0][0] in str(row)]
    assert len(visits) == 1


class TestExcludeIfReached:
    async def test_whoever_was_there_before_is_excluded_whatever_the_experiment_then(self, play: Play) -> None:
        earlier = await play.experiment("enrolling")
        user, new = await play.user(), await play.user()
        await play.visit(user, earlier)
        await play.delete(earlier.id)
        later = await play.experiment("enrolling", points=earlier.points, exclude_if_reached=True)
        assert await play.code(user, later) is None
        assert await play.code(new, later) is not None
        assert (await play.records(later))["excluded"] == {
            user: "participant reached experiment prior to experiment enrolling"
        }

    async def test_sites_and_targets_are_compared_separately(self, play: Play) -> None:
        points = [(fresh("site"), fresh("target")) for _ in range(2)]
        user = await play.user()
        await play.mark(user, (points[0][0], points[1][1]))
        experiment = await play.experiment("enrolling", points=points, exclude_if_reached=True)
        assert await play.code(user, experiment) is None

    async def test_a_resumed_experiment_excludes_nobody(self, play: Play) -> None:
        user = await play.user()
        experiment = await play.experiment("enrolling", exclude_if_reached=True)
        code = await play.visit(user, experiment)
        for state in ("enrollmentComplete", "enrolling"):
            await play.state(experiment.id, state)
            assert await play.code(user, experiment) == code

    async def test_under_group_consistency_the_school_is_excluded_with_the_user(self, play: Play) -> None:
        school = fresh("school")
        user, fellow = await play.user(school=school), await play.user(school=school)
        experiment = await play.group_experiment("inactive", "group", exclude_if_reached=True)
        await play.mark(user, experiment.points[0])
        await play.state(experiment.id, "enrolling")
        assert await play.code(fellow, experiment) is None
        assert list((await play.records(experiment))["groupsExcluded"]) == [school]

    async def test_points_without_the_mark_do_not_count(self, play: Play) -> None:
        user = await play.user()
        experiment = await play.experiment()
        await play.mark(user, experiment.points[0])
        await play.state(experiment.id, "enrolling")
        assert await play.code(user, experiment) is not None


async def test_working_in_several_schools_counts_where_the_user_works_now(play: Play) -> None:
    one, other = fresh("school"), fresh("school")
    user = await play.user()
    await play.call("POST", "v6/init", in_school(one, other), user)
    experiment = await play.group_experiment("enrolling", "group")
    await play.visit(user, experiment)
    assert (await play.records(experiment))["groupsEnrolled"] == {one}
