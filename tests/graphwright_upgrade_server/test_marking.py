"""Marking: the visit is recorded, with the enrolled and the excluded users, each once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from upgrade_play import Experiment, Play, fresh, golden, mark_body

BY_CLIENT = "participant is excluded by client"
ON_LIST = "participant was on the exclusion list"
GROUP_ON_LIST = "participant’s group was on the exclusion list"
LATE = "participant reached experiment during enrollment complete"
BY_ALGORITHM = "participant enrolled via algorithm"
BY_GROUP = "participant enrolled due to group enrollment"


async def test_the_first_recorded_condition_stays(play: Play) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    first = await play.mark(user, experiment.points[0], "control", experiment.id)
    again = await play.mark(user, experiment.points[0], "variant", experiment.id)
    assert again == first
    # A point without an experiment is a visit.
    answer = await play.mark(user, (fresh("site"), fresh("target")), "anything")
    assert (answer["condition"], answer["experimentId"]) == ("anything", None)
    assert (again["condition"], again["experimentId"]) == ("control", experiment.id)


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


@dataclass
class Scene:
    """One experiment, and its users a, b and c of one school. The `steps`:

    `visit a` acts like a product (assign, mark), `mark a` only marks, `refuse a` marks that the condition was not
    applied; `exclude a b`, `include a`, `exclude school` add a list and `unlist` deletes the last one; `move a` changes
    the school, `regroup a` the membership alone; a state changes the state.
    """

    play: Play
    experiment: Experiment
    school: str
    users: dict[str, str]
    lists: list[tuple[str, str]]
    first: dict[str, str | None]

    async def step(self, verb: str, *names: str) -> None:
        play, point = self.play, self.experiment.points[0]
        users = [self.users[each] for each in names if each != "school"]
        match verb:
            case "visit":
                self.first.setdefault(names[0], await play.visit(users[0], self.experiment))
            case "mark":
                await play.mark(users[0], point)
            case "refuse":
                await play.mark(users[0], point, status="condition not applied")
            case "include" | "exclude":
                kind = verb.replace("ude", "usion")
                schools = [] if users else [self.school]
                self.lists.append((kind, await play.list(kind, self.experiment.id, users, schools)))
            case "unlist":
                await play.call("DELETE", "experiments/{}List/{}".format(*self.lists.pop()))
            case "move":
                await play.call("POST", "v6/init", {"workingGroup": {"schoolId": fresh("school")}}, users[0])
            case "regroup":
                await play.call("PATCH", "v6/groupmembership", {"group": {"schoolId": [fresh("school")]}}, users[0])
            case state:
                await play.state(self.experiment.id, state)

    async def codes(self, names: Iterable[str]) -> dict[str, str]:
        """By user: `none` for the default, `kept` for the code of the first visit, `as b` for that of b, else `new`."""
        found = {}
        for name in names:
            code, first = await self.play.code(self.users[name], self.experiment), self.first.get(name)
            as_b = "as b" if code == self.first.get("b") else "new"
            found[name] = "none" if code is None else "kept" if code == first else as_b
        return found

    async def records(self) -> dict[str, Any]:
        names = {id: name for name, id in self.users.items()}
        found = await self.play.records(self.experiment)
        return {
            "enrolled": sorted(names[id] for id in found["enrolled"]),
            "excluded": {names[id]: code for id, code in found["excluded"].items()},
            "schools enrolled": self.school in found["groupsEnrolled"],
            "schools excluded": found["groupsExcluded"].get(self.school),
        }


IN, GROUP, ANY = "individual", "group", "experiment"
ONE, ALL = "users", "schools"
SCENES: list[tuple[str, str, str, dict[str, str], dict[str, Any]]] = [
    # A condition that could not be applied excludes permanently, if the user counts first.
    (ONE, IN, "refuse a; mark a", {"a": "none"}, {"excluded": {"a": BY_CLIENT}, "enrolled": []}),
    (ONE, IN, "visit a; refuse a", {"a": "none"}, {}),
    (ONE, ANY, "visit a; refuse a", {"a": "kept"}, {}),
    (ONE, IN, "visit a; enrollmentComplete; enrolling", {"a": "kept"}, {"excluded": {}}),
    # Lists are evaluated each time, but an existing mark stays.
    (ONE, IN, "visit a; exclude a", {"a": "none"}, {}),
    (ONE, IN, "visit a; exclude a; unlist", {"a": "kept"}, {}),
    (ONE, IN, "exclude a; mark a; unlist", {"a": "none"}, {"excluded": {"a": ON_LIST}}),
    (ALL, IN, "visit a; exclude a b", {"a": "kept", "b": "none"}, {}),
    # A listed group of the own type is excluded as a whole.
    (
        *(ALL, GROUP, "visit a; exclude school; mark b", {"a": "none"}),
        {"schools excluded": GROUP_ON_LIST, "schools enrolled": False, "excluded": {"b": ON_LIST}},
    ),
    # An excluded user of an enrolled school has its condition if the school counts first.
    (ALL, IN, "visit b; refuse a; visit a", {"a": "none", "b": "kept"}, {"enrolled": ["b"]}),
    (ALL, GROUP, "visit b; refuse a; visit a", {"a": "kept", "b": "kept"}, {"enrolled": ["b"]}),
    (ALL, ANY, "visit b; refuse a; visit a", {"a": "kept", "b": "kept"}, {"enrolled": ["b"]}),
    # An enrolled user of an excluded school keeps the condition unless the school counts first.
    (*(ALL, IN, "visit a; exclude school; mark b; unlist"), {"a": "kept", "b": "none"}, {"excluded": {"b": ON_LIST}}),
    (ALL, GROUP, "visit a; exclude school; mark b; unlist", {"a": "none"}, {"schools excluded": GROUP_ON_LIST}),
    (ALL, ANY, "visit a; exclude school; mark b; unlist", {"a": "kept", "b": "none"}, {}),
    # The first user enrols the group, and the others follow.
    (ALL, GROUP, "visit b; visit a", {"a": "kept", "c": "as b"}, {"enrolled": ["a", "b"], "schools enrolled": True}),
    (ALL, IN, "visit a; regroup a", {"a": "kept"}, {}),
    # Late users are excluded once enrolment is complete, and take a school without enrolled users with them.
    (ONE, IN, "enrollmentComplete; mark a; enrolling", {"a": "none"}, {"excluded": {"a": LATE}}),
    (
        *(ALL, GROUP, "enrollmentComplete; mark a; enrolling", {"b": "none"}),
        {"excluded": {"a": LATE}, "schools excluded": LATE},
    ),
    # Experiments that do not run assign nothing, even to the enrolled.
    *((ONE, IN, f"visit a; {s}", {"a": "none"}, {}) for s in ("inactive", "preview", "cancelled", "archived", "draft")),
    # Another working group undoes enrolments unless the user keeps the condition, and exclusions unless all may change.
    (ALL, IN, "visit a; move a", {"a": "kept"}, {"enrolled": ["a"], "schools enrolled": True}),
    (ALL, GROUP, "visit a; move a", {}, {"enrolled": []}),
    (ALL, ANY, "visit a; move a", {}, {"enrolled": []}),
    (ALL, GROUP, "visit a; cancelled; move a", {}, {"enrolled": ["a"]}),
    (ALL, ANY, "refuse a; move a", {}, {"excluded": {"a": BY_CLIENT}}),
    (ALL, IN, "enrollmentComplete; mark a; mark b; move a", {}, {"excluded": {"b": LATE}, "schools excluded": LATE}),
    (ALL, GROUP, "enrollmentComplete; mark a; mark b; move a; move b", {}, {"excluded": {}, "schools excluded": None}),
]


@pytest.mark.parametrize(("unit", "rule", "steps", "codes", "records"), SCENES)
async def test_conditions_of_users_of_one_school(
    play: Play, unit: str, rule: str, steps: str, codes: dict[str, str], records: dict[str, Any]
) -> None:
    school = fresh("school")
    users = {name: await play.user(name, school) for name in "abc"}
    one = {"consistencyRule": rule}
    making = play.group_experiment("enrolling", rule) if unit == ALL else play.experiment("enrolling", **one)
    scene = Scene(play, await making, school, users, [], {})
    for step in steps.split("; "):
        await scene.step(*step.split())
    assert await scene.codes(codes) == codes
    found = await scene.records()
    assert {name: found[name] for name in records} == records


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


@pytest.mark.parametrize("goal", [{"userCount": 2}, {"userCount": 1, "groupCount": 2}], ids=str)
async def test_an_experiment_completes_itself_when_enough_are_enrolled(play: Play, goal: dict[str, int]) -> None:
    grouped, fields = "groupCount" in goal, {"enrollmentCompleteCondition": goal}
    making = (
        play.group_experiment("enrolling", "group", **fields) if grouped else play.experiment("enrolling", **fields)
    )
    experiment, schools = await making, [fresh("a"), fresh("b")]
    first, second, third = [await play.user(school=school) for school in (schools[0], *schools)]
    # The same user twice counts once, and each of the groups must have that many users.
    for user in (first, first, *([second] if grouped else []), third):
        shown = await play.call("GET", f"experiments/single/{experiment.id}")
        assert shown["state"] in ("running", "enrolling")
        assert (code := await play.visit(user, experiment)) is not None
    shown = await play.call("GET", f"experiments/single/{experiment.id}")
    assert (shown["state"] in ("paused", "enrollmentComplete"), len(shown["stateTimeLogs"])) == (True, 2)
    assert await play.visit(await play.user(school=fresh("late")), experiment) is None
    assert await play.code(third, experiment) == code


async def test_deleting_an_experiment_takes_its_records_along_and_leaves_the_visits(play: Play) -> None:
    user, experiment = await play.user(), await play.experiment("enrolling")
    await play.list("exclusion", experiment.id, ["somebody"])
    assert await play.visit(user, experiment)
    (deleted,) = await play.call("DELETE", f"experiments/{experiment.id}")
    assert deleted["id"] == experiment.id
    assert not any((await play.records(experiment)).values())
    visits = await play.call("GET", "check/monitoredExperimentPoint")
    assert experiment.points[0] in [(one["site"], one["target"]) for one in visits if one["userId"] == user]
    # Earlier users are excluded, in any state of the experiment.
    play.made.discard(experiment.id)
    later = await play.experiment("enrolling", points=experiment.points, exclude_if_reached=True)
    assert (await play.records(later))["excluded"] == {
        user: "participant reached experiment prior to experiment enrolling"
    }


# Unit, consistency rule and exclusion on reach, as on a real server

STUDENTS = ("s1", "s2", "s3", "s4", "s5", "s6")
PHASES = {"inactive": ("s1",), "enrolling": ("s1", "s2", "s4"), "enrollmentComplete": STUDENTS}


@pytest.mark.parametrize("scenario", golden("behaviour_matrix.json"))
async def test_users_get_and_lose_conditions_as_on_a_real_server(play: Play, scenario: dict[str, Any]) -> None:
    schools = {fresh("A"): "A", fresh("B"): "B"}
    first, second = schools
    ids = {name: await play.user(name, first if name <= "s3" else second) for name in STUDENTS}
    names = {id: name for name, id in ids.items()}
    unit = scenario["assignmentUnit"]
    experiment = await play.experiment(
        weights={"control": 33.4, "variant": 33.3, "third": 33.3},
        exclude_if_reached=scenario["excludeIfReached"],
        assignmentUnit=unit,
        consistencyRule=scenario["consistencyRule"],
        **({"group": "schoolId"} if unit == "group" else {}),
    )

    codes: dict[str, str] = {}
    for phase, visitors in PHASES.items():
        if phase != "inactive":
            await play.state(experiment.id, phase)
        visits = {}
        for name in visitors:
            code = await play.code(ids[name], experiment)
            await play.mark(ids[name], experiment.points[0], code)
            visits[name] = code
        # The drawn code depends on the id of the experiment; whether one is drawn does not.
        expected = {name: code != "default" for name, code in scenario["visits"][phase].items()}
        assert {name: code is not None for name, code in visits.items()} == expected, phase
        for name, code in visits.items():
            assert code is None or codes.setdefault(name, code) == code, f"{name} lost the first condition"
        after = {"enrolling": "recordsAfterEnrolling", "enrollmentComplete": "recordsAfterComplete"}.get(phase)
        if after is not None:
            golden_rows, found = scenario[after], await play.records(experiment)
            for kind in ("enrolled", "excluded"):
                shown = {names[id]: code for id, code in found[kind].items()}
                assert shown == {row["user"]: row["code"] for row in golden_rows[kind]}, phase
            assert {schools[group] for group in found["groupsEnrolled"]} == {*golden_rows["groupsEnrolled"]}, phase
            shown = {schools[group]: code for group, code in found["groupsExcluded"].items()}
            assert shown == {row["group"]: row["code"] for row in golden_rows["groupsExcluded"]}, phase
    if unit == "group":
        for school in (STUDENTS[:3], STUDENTS[3:]):
            assert len({codes[name] for name in school if name in codes}) <= 1
