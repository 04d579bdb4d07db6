"""Eligibility for an experiment: its lists, and the global exclude of the context."""

from __future__ import annotations

from typing import Any

import pytest

from upgrade_play import Play, fresh, golden, in_school

ROWS = golden("filter_truth_table.json")
FLAGS = ("userIncluded", "groupIncluded", "userExcluded", "groupExcluded")


def named(row: dict[str, Any]) -> str:
    return "-".join([row["filterMode"], *(flag for flag in FLAGS if row[flag])])


@pytest.mark.parametrize("row", ROWS, ids=named)
async def test_lists_let_in_whom_a_real_server_lets_in(play: Play, row: dict[str, Any]) -> None:
    school = fresh("school")
    user = await play.user(school=school)
    experiment = await play.experiment("enrolling", filterMode=row["filterMode"])
    for kind, side in (("inclusion", "Included"), ("exclusion", "Excluded")):
        if row[f"user{side}"]:
            await play.list(kind, experiment.id, users=[user])
        if row[f"group{side}"]:
            await play.list(kind, experiment.id, schools=[school])
    assert (await play.code(user, experiment) is not None) is row["assigned"]


class GlobalExclude:
    """The global exclude of a context, restored afterwards."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._before: dict[str, Any] = {}

    async def __aenter__(self) -> GlobalExclude:
        found = await self._play.call("GET", "segments/global")
        self._before = next(one for one in found if one["context"] == self._play.context)
        return self

    async def put(self, users: list[str], schools: list[str]) -> None:
        body = {name: self._before[name] for name in ("id", "name", "description", "context", "type")}
        groups = [{"type": "schoolId", "groupId": school} for school in schools]
        await self._play.call("POST", "segments", body | {"userIds": users, "groups": groups, "subSegmentIds": []})

    async def __aexit__(self, *_: object) -> None:
        users = [one["userId"] for one in self._before["individualForSegment"]]
        await self.put(users, [one["groupId"] for one in self._before["groupForSegment"]])


async def test_the_global_exclude_keeps_users_and_working_groups_out_of_everything(play: Play) -> None:
    closed, opened = fresh("school"), fresh("school")
    user, pupil = await play.user(school=opened), await play.user(school=closed)
    member, free = await play.user(), await play.user(school=opened)
    # A membership alone does not matter here, unlike on a list.
    await play.call("POST", "v6/init", in_school(opened, closed), member)
    experiment = await play.experiment("enrolling")
    async with GlobalExclude(play) as exclude:
        await exclude.put([user], [closed])
        codes = [await play.code(one, experiment) for one in (user, pupil, member, free)]
    assert [code is not None for code in codes] == [False, False, True, True]
    assert await play.code(user, experiment) is not None
