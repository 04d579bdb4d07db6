"""Users and their groups: what init keeps, whom an alias stands for, and what a new working group undoes."""

from __future__ import annotations

from typing import Any

import pytest
from upgrade_play import Play, fresh, in_school, playing  # noqa: F401
from upgrade_support import upgrade_server  # noqa: F401

LATE = "participant reached experiment during enrollment complete"


class TestInit:
    async def test_what_was_never_given_is_absent_at_first_and_null_from_then_on(self, play: Play) -> None:
        user = fresh()
        assert await play.call("POST", "v6/init", {}, user) == {"id": user}
        assert await play.call("POST", "v6/init", {}, user) == {"id": user, "group": None, "workingGroup": None}

    async def test_a_field_that_is_given_replaces_the_whole_one_and_the_other_stays(self, play: Play) -> None:
        user = fresh()
        told = {"group": {"schoolId": ["a"], "classId": ["b"]}, "workingGroup": {"schoolId": "a"}}
        assert await play.call("POST", "v6/init", told, user) == {"id": user, **told}
        answer = await play.call("POST", "v6/init", {"group": {"classId": ["c"]}}, user)
        assert answer == {"id": user, "group": {"classId": ["c"]}, "workingGroup": {"schoolId": "a"}}
        assert await play.call("POST", "v6/init", {}, user) == answer

    async def test_null_takes_a_field_back(self, play: Play) -> None:
        user = await play.user(school=fresh("school"))
        answer = await play.call("POST", "v6/init", {"group": None}, user)
        assert answer["group"] is None
        assert answer["workingGroup"] is not None
        assert await play.call("POST", "v6/init", {}, user) == answer

    async def test_neither_group_types_nor_membership_are_checked(self, play: Play) -> None:
        user = fresh()
        told = {"group": {"anything": []}, "workingGroup": {"else": "somewhere"}}
        assert await play.call("POST", "v6/init", told, user) == {"id": user, **told}

    @pytest.mark.parametrize(
        "told",
        [
            {"id": "somebody"},
            {"groups": {}},
            {"group": []},
            {"group": {"schoolId": "a"}},
            {"group": {"schoolId": [1]}},
            {"group": {"schoolId": [""]}},
            {"group": {"": ["a"]}},
            {"workingGroup": "a"},
            {"workingGroup": {"schoolId": ["a"]}},
            {"workingGroup": {"schoolId": ""}},
            {"workingGroup": {"schoolId": None}},
        ],
        ids=str,
    )
    async def test_another_shape_is_refused_and_nothing_is_kept(self, play: Play, told: dict[str, Any]) -> None:
        user = fresh()
        status, error = await play.refused("POST", "v6/init", told, user)
        assert (status, error["name"], error["request"]) == (400, "BadRequestError", told)
        status, error = await play.refused("POST", "v6/assign", {"context": play.context}, user)
        assert (status, error["message"]) == (404, f"User not found: {user}")

    async def test_names_of_all_scripts_and_quotes_are_kept_as_they_are(self, play: Play) -> None:
        user = await play.user()
        told = {"group": {"école 'x\"": ["日本", "a;b"]}, "workingGroup": {"école 'x\"": "日本"}}
        assert await play.call("POST", "v6/init", told, user) == {"id": user, **told}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "init", {}),
        ("POST", "assign", {"context": "any"}),
        ("POST", "mark", {"data": {"site": "s", "target": "t"}}),
        ("PATCH", "groupmembership", {"group": {}}),
        ("PATCH", "workinggroup", {"workingGroup": {}}),
        ("PATCH", "useraliases", {"aliases": []}),
    ],
)
async def test_every_call_needs_the_header_and_all_but_init_a_user_who_is_known(
    play: Play, method: str, path: str, body: dict[str, Any]
) -> None:
    status, error = await play.refused(method, f"v6/{path}", body)
    assert (status, error["message"], error["request"]) == (400, "User-Id header not found.", body)
    if path != "init":
        user = fresh("ghost")
        status, error = await play.refused(method, f"v6/{path}", body, user)
        assert (status, error["message"]) == (404, f"User not found: {user}")
        assert error["type"] == "Experiment user not defined"


class TestChanges:
    async def test_membership_and_working_group_can_be_set_alone(self, play: Play) -> None:
        user = await play.user()
        group, working = {"schoolId": ["a", "b"]}, {"schoolId": "b"}
        answer = await play.call("PATCH", "v6/groupmembership", {"group": group}, user)
        assert answer == {"id": user, "group": group}
        answer = await play.call("PATCH", "v6/workinggroup", {"workingGroup": working}, user)
        assert answer == {"id": user, "workingGroup": working}
        stored = await play.call("POST", "v6/init", {}, user)
        assert stored == {"id": user, "group": group, "workingGroup": working}

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("groupmembership", {"group": {"schoolId": "a"}}),
            ("workinggroup", {}),
            ("workinggroup", {"workingGroup": None}),
            ("workinggroup", {"workingGroup": {"schoolId": ["a"]}}),
            ("useraliases", {}),
            ("useraliases", {"aliases": "a"}),
            ("useraliases", {"aliases": [1]}),
        ],
        ids=str,
    )
    async def test_another_shape_is_refused(self, play: Play, path: str, body: dict[str, Any]) -> None:
        status, error = await play.refused("PATCH", f"v6/{path}", body, await play.user())
        assert (status, error["name"]) == (400, "BadRequestError")


class TestAliases:
    async def test_an_alias_is_the_original_user_everywhere(self, play: Play) -> None:
        user, alias = await play.user(), fresh("alias")
        experiment = await play.experiment("enrolling")
        answer = await play.call("PATCH", "v6/useraliases", {"aliases": [alias, alias]}, user)
        assert answer == {"userId": user, "aliases": [alias]}
        told = in_school(fresh("school"))
        assert await play.call("POST", "v6/init", told, alias) == {"id": user, **told}
        assert (await play.call("POST", "v6/init", {}, user))["group"] == told["group"]
        code = await play.code(alias, experiment)
        assert code == await play.code(user, experiment)
        assert (await play.mark(alias, experiment.points[0], code))["userId"] == user
        assert list((await play.records(experiment))["enrolled"]) == [user]

    async def test_aliases_add_up(self, play: Play) -> None:
        user, first, second = await play.user(), fresh("alias"), fresh("alias")
        await play.call("PATCH", "v6/useraliases", {"aliases": [first]}, user)
        answer = await play.call("PATCH", "v6/useraliases", {"aliases": [second, first]}, user)
        assert answer == {"userId": user, "aliases": [first, second]}

    async def test_who_is_a_user_or_an_alias_of_somebody_else_cannot_become_one(self, play: Play) -> None:
        user, other, alias, new = await play.user(), await play.user(), fresh("alias"), fresh("alias")
        await play.call("PATCH", "v6/useraliases", {"aliases": [alias]}, other)
        for taken in (other, alias, user):
            status, error = await play.refused("PATCH", "v6/useraliases", {"aliases": [new, taken]}, user)
            assert (status, error["type"]) == (500, "Query Failed")
            assert taken in error["message"]
        # Nothing of a refused request is kept.
        assert await play.call("POST", "v6/init", {}, new) == {"id": new}


class TestChangedWorkingGroup:
    async def enrolled(self, play: Play, rule: str) -> tuple[str, Any, str, str]:
        """A user who was enrolled in a group experiment and then changed the school."""
        old, new = fresh("school"), fresh("school")
        user = await play.user()
        await play.call("POST", "v6/init", in_school(old, new), user)
        experiment = await play.group_experiment("enrolling", rule)
        assert await play.visit(user, experiment) is not None
        return user, experiment, old, new

    @pytest.mark.parametrize(("rule", "stays"), [("individual", True), ("group", False), ("experiment", False)])
    @pytest.mark.parametrize("by", ["init", "workinggroup"])
    async def test_only_individual_consistency_keeps_the_enrolment(
        self, play: Play, rule: str, stays: bool, by: str
    ) -> None:
        user, experiment, old, new = await self.enrolled(play, rule)
        method = "POST" if by == "init" else "PATCH"
        await play.call(method, f"v6/{by}", {"workingGroup": {"schoolId": new}}, user)
        records = await play.records(experiment)
        assert list(records["enrolled"]) == [user] * stays
        assert records["groupsEnrolled"] == {old}

    async def test_the_new_group_then_draws_anew_unless_the_user_keeps_the_condition(self, play: Play) -> None:
        user, experiment, _old, new = await self.enrolled(play, "individual")
        code = await play.code(user, experiment)
        await play.call("PATCH", "v6/workinggroup", {"workingGroup": {"schoolId": new}}, user)
        assert await play.code(user, experiment) == code

    @pytest.mark.parametrize("told", [{"workingGroup": None}, {}], ids=str)
    async def test_a_working_group_that_is_taken_back_or_not_named_undoes_nothing(
        self, play: Play, told: dict[str, Any]
    ) -> None:
        user, experiment, *_ = await self.enrolled(play, "group")
        await play.call("POST", "v6/init", told, user)
        assert list((await play.records(experiment))["enrolled"]) == [user]

    async def test_the_same_working_group_and_those_of_other_types_undo_nothing(self, play: Play) -> None:
        user, experiment, old, _ = await self.enrolled(play, "group")
        for classroom in ("one", "two"):
            working = {"schoolId": old, "classId": classroom}
            await play.call("PATCH", "v6/workinggroup", {"workingGroup": working}, user)
        assert list((await play.records(experiment))["enrolled"]) == [user]

    async def test_experiments_that_do_not_run_are_left_alone(self, play: Play) -> None:
        user, experiment, _, new = await self.enrolled(play, "group")
        await play.state(experiment.id, "cancelled")
        await play.call("PATCH", "v6/workinggroup", {"workingGroup": {"schoolId": new}}, user)
        assert list((await play.records(experiment))["enrolled"]) == [user]

    async def test_under_experiment_consistency_exclusions_stay(self, play: Play) -> None:
        user, experiment, _, new = await self.enrolled(play, "experiment")
        await play.mark(user, experiment.points[0], status="condition not applied")
        await play.call("PATCH", "v6/workinggroup", {"workingGroup": {"schoolId": new}}, user)
        assert list((await play.records(experiment))["excluded"]) == [user]

    async def excluded(self, play: Play, rule: str, *schools: str) -> tuple[Any, list[str]]:
        """Users, one a school, who came late to a group experiment."""
        experiment = await play.group_experiment("enrollmentComplete", rule)
        users = [await play.user(school=school) for school in schools]
        for user in users:
            await play.visit(user, experiment)
        assert (await play.records(experiment))["excluded"] == dict.fromkeys(users, LATE)
        return experiment, users

    @pytest.mark.parametrize("rule", ["individual", "group"])
    async def test_exclusions_go_and_those_of_all_groups_with_the_last_excluded_user(
        self, play: Play, rule: str
    ) -> None:
        one, other = fresh("school"), fresh("school")
        experiment, users = await self.excluded(play, rule, one, other)
        for user, left in zip(users, ({one: LATE, other: LATE}, {}), strict=True):
            await play.call("PATCH", "v6/workinggroup", {"workingGroup": {"schoolId": fresh("school")}}, user)
            records = await play.records(experiment)
            assert user not in records["excluded"]
            assert records["groupsExcluded"] == left
