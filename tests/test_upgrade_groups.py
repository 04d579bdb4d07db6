"""Users and their groups: what init keeps, whom an alias stands for, and what a new working group undoes."""

from __future__ import annotations

from typing import Any

import pytest
from upgrade_play import Play, fresh, in_school, playing  # noqa: F401
from upgrade_support import upgrade_server  # noqa: F401


class TestInit:
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

    @pytest.mark.parametrize(
        "told",
        [
            # Neither the types of groups nor the membership are checked.
            {"group": {"anything": []}, "workingGroup": {"else": "somewhere"}},
            {"group": {"école 'x\"": ["日本", "a;b"]}, "workingGroup": {"école 'x\"": "日本"}},
        ],
    )
    async def test_groups_are_kept_as_they_are(self, play: Play, told: dict[str, Any]) -> None:
        user = await play.user()
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
        ("useraliases", {"aliases": [""]}),
        ("groupmembership", {}),
    ],
    ids=str,
)
async def test_a_change_of_another_shape_is_refused(play: Play, path: str, body: dict[str, Any]) -> None:
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


@pytest.mark.parametrize(
    ("told", "stays"),
    [
        ({"workingGroup": {"schoolId": "another"}}, False),
        # One that is taken back or not named, the same, and those of other types undo nothing.
        ({"workingGroup": None}, True),
        ({}, True),
        ({"workingGroup": {"schoolId": "same", "classId": "one"}}, True),
    ],
    ids=str,
)
@pytest.mark.parametrize("by", ["init", "workinggroup"])
async def test_another_working_group_undoes_what_hung_on_it(
    play: Play, told: dict[str, Any], stays: bool, by: str
) -> None:
    old = fresh("school")
    user, experiment = await play.user(school=old), await play.group_experiment("enrolling", "group")
    assert await play.visit(user, experiment) is not None
    working = told.get("workingGroup")
    body = {"workingGroup": {**working, **({"schoolId": old} if stays else {})}} if working else told
    if by == "init":
        await play.call("POST", "v6/init", body, user)
    elif working:
        await play.call("PATCH", "v6/workinggroup", body, user)
    records = await play.records(experiment)
    assert (list(records["enrolled"]), records["groupsEnrolled"]) == ([user] * stays, {old})
