"""Users and their groups: data that init stores and refuses, and aliases."""

from __future__ import annotations

from typing import Any

import pytest

from upgrade_play import Play, fresh, in_school


async def test_a_field_that_is_given_replaces_the_whole_one_and_the_other_stays(play: Play) -> None:
    user = fresh()
    # Neither the types of groups nor the membership are checked.
    told = {"group": {"schoolId": ["a"], "école 'x\"": ["日本", "a;b"]}, "workingGroup": {"else": "日本"}}
    assert await play.call("POST", "v6/init", told, user) == {"id": user, **told}
    answer = await play.call("POST", "v6/init", {"group": {"classId": ["c"]}}, user)
    assert answer == {"id": user, "group": {"classId": ["c"]}, "workingGroup": {"else": "日本"}}
    answer = await play.call("POST", "v6/init", {"group": None}, user)
    assert answer == {"id": user, "group": None, "workingGroup": {"else": "日本"}}
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
async def test_an_init_of_another_shape_is_refused_and_nothing_is_kept(play: Play, told: dict[str, Any]) -> None:
    user = fresh()
    status, error = await play.refused("POST", "v6/init", told, user)
    assert (status, error["name"], error["request"]) == (400, "BadRequestError", told)
    status, error = await play.refused("POST", "v6/assign", {"context": play.context}, user)
    assert (status, error["message"]) == (404, f"User not found: {user}")


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
    ("method", "path", "body"),
    [
        *(("POST", "assign", body) for body in ({}, {"context": ""}, {"context": 1}, {"context": None})),
        ("PATCH", "groupmembership", {}),
        ("PATCH", "groupmembership", {"group": {"schoolId": "a"}}),
        *(("PATCH", "workinggroup", body) for body in ({}, {"workingGroup": None}, {"workingGroup": {"a": ["b"]}})),
        *(("PATCH", "useraliases", body) for body in ({}, *({"aliases": each} for each in ("a", [1], [""])))),
    ],
    ids=str,
)
async def test_a_call_of_another_shape_is_refused(play: Play, method: str, path: str, body: dict[str, Any]) -> None:
    status, error = await play.refused(method, f"v6/{path}", body, await play.user())
    assert (status, error["name"]) == (400, "BadRequestError")


class TestAliases:
    async def test_an_alias_is_the_original_user_everywhere(self, play: Play) -> None:
        user, alias = await play.user(), fresh("alias")
        experiment = await play.experiment("enrolling")
        answer = await play.call("PATCH", "v6/useraliases", {"aliases": [alias, alias]}, user)
        assert answer == {"userId": user, "aliases": [alias]}
        answer = await play.call("PATCH", "v6/useraliases", {"aliases": [fresh("b"), alias]}, user)
        assert (len(answer["aliases"]), answer["aliases"][0]) == (2, alias)
        told = in_school(fresh("school"))
        assert await play.call("POST", "v6/init", told, alias) == {"id": user, **told}
        assert (await play.call("POST", "v6/init", {}, user))["group"] == told["group"]
        code = await play.code(alias, experiment)
        assert code == await play.code(user, experiment)
        assert (await play.mark(alias, experiment.points[0], code))["userId"] == user
        assert list((await play.records(experiment))["enrolled"]) == [user]

    async def test_who_is_a_user_or_an_alias_of_somebody_else_cannot_become_one(self, play: Play) -> None:
        user, other, alias, new = await play.user(), await play.user(), fresh("alias"), fresh("alias")
        await play.call("PATCH", "v6/useraliases", {"aliases": [alias]}, other)
        for taken in (other, alias, user):
            status, error = await play.refused("PATCH", "v6/useraliases", {"aliases": [new, taken]}, user)
            assert (status, error["type"]) == (500, "Query Failed")
            assert taken in error["message"]
        # Nothing of a refused request is stored.
        assert await play.call("POST", "v6/init", {}, new) == {"id": new}
