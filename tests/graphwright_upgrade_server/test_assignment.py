"""The responses of assign: the draw, pools of experiments on one point, previews, rules after the end, and payloads."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from graphwright_upgrade_server._seedrandom import stream
from upgrade_play import Play, Point, fresh, golden

# The draw


def test_the_numbers_of_a_seed_are_those_of_seedrandom_to_the_last_bit() -> None:
    vectors = golden("seedrandom_vectors.json")
    assert len(vectors) == 60
    for vector in vectors:
        assert list(islice(stream(vector["seed"]), 3)) == vector["first3"], vector["seed"][:20]


async def test_users_get_the_conditions_that_a_real_server_drew(play: Play) -> None:
    draws = golden("draws.json")
    assert len(draws) == 11
    for id in {draw["experimentId"] for draw in draws}:
        # A user of an earlier run must not meet the experiment on a shared point.
        point = (fresh("site"), fresh("target"))
        mine = [draw for draw in draws if draw["experimentId"] == id]
        ordered = sorted(mine[0]["conditions"], key=lambda condition: condition["order"])
        weights = {condition["conditionCode"]: condition["assignmentWeight"] for condition in ordered}
        experiment = await play.experiment("enrolling", points=[point], weights=weights, id=id)
        for draw in mine:
            await play.call("POST", "v6/init", {}, draw["unit"])
            assert await play.code(draw["unit"], experiment) == draw["assigned"], draw


@pytest.mark.parametrize(
    ("weights", "codes"),
    [({"never": 0, "always": 100}, {"always"}), ({"first": 0, "second": 0}, {"first"}), ({}, {None})],
)
async def test_weights_of_0_and_100_leave_no_chance_and_what_is_left_falls_to_the_first(
    play: Play, weights: dict[str, float], codes: set[str | None]
) -> None:
    fields: dict[str, Any] = {"weights": weights} if weights else {"conditions": []}
    experiment = await play.experiment("enrolling", **fields)
    assert {await play.visit(await play.user(), experiment) for _ in range(6)} == codes


# Eligible users


@pytest.mark.parametrize(("rule", "code"), [("assign", "variant"), ("assign", None), ("revert", None)])
async def test_what_comes_after_the_end_is_the_same_for_all_who_are_enrolled(
    play: Play, rule: str, code: str | None
) -> None:
    users = [await play.user() for _ in range(6)]
    experiment = await play.experiment("enrolling")
    codes = [await play.visit(user, experiment) for user in users]
    revert_to = experiment.conditions[code] if code else None
    await play.update(experiment.id, postExperimentRule=rule, revertTo=revert_to)
    assert [await play.code(user, experiment) for user in users] == codes
    await play.state(experiment.id, "enrollmentComplete")
    assert {await play.code(user, experiment) for user in users} == {code}
    assert await play.code(await play.user(), experiment) is None


async def test_previews_are_for_preview_users_and_do_not_enrol(play: Play) -> None:
    tester, user = await play.user(), await play.user()
    await play.call("POST", "previewusers", {"id": tester})
    experiment = await play.experiment("preview")
    assert await play.visit(tester, experiment) is not None
    assert await play.code(user, experiment) is None
    await play.state(experiment.id, "enrolling")
    await play.visit(tester, experiment)
    assert (await play.records(experiment))["enrolled"] == {}


async def test_payloads_come_with_the_condition_at_their_own_point(play: Play) -> None:
    first, second = (fresh("site"), fresh("target")), (fresh("site"), fresh("target"))
    experiment = await play.experiment("enrolling", points=[first, second], weights={"control": 100})
    user = await play.user()
    await play.payload(experiment, 1, '{"hint": 1}', "json")
    elements = await play.elements(user)
    payloads = {(one["site"], one["target"]): one["assignedCondition"][0]["payload"] for one in elements}
    # The update creates one for the point without its own: the code.
    own = {"type": "json", "value": '{"hint": 1}'}
    assert payloads == {first: {"type": "string", "value": "control"}, second: own}
    # An empty one does not count.
    await play.payload(experiment, 1, "")
    assert [
        one["assignedCondition"][0]["payload"] for one in await play.elements(user) if one["site"] == second[0]
    ] == [None]


# Pools


def new_points(count: int) -> list[Point]:
    return [(fresh("site"), fresh("target")) for _ in range(count)]


async def ids(play: Play, user: str) -> set[str]:
    """The experiments of the user."""
    return {experiment for experiment, _ in (await play.assigned(user)).values()}


async def test_an_experiment_that_is_not_open_to_the_user_connects_nothing(play: Play) -> None:
    left, right = new_points(2)
    ends = [await play.experiment("enrolling", points=[point]) for point in (left, right)]
    bridge = await play.experiment("enrolling", points=[left, right])
    user = await play.user()
    await play.list("exclusion", bridge.id, users=[user])
    assert await ids(play, user) == {experiment.id for experiment in ends}


async def test_enrolled_users_stay_in_their_experiment_when_others_join_the_pool(play: Play) -> None:
    shared = new_points(1)
    first = await play.experiment("enrolling", points=shared)
    users = [await play.user() for _ in range(6)]
    codes = [await play.visit(user, first) for user in users]
    others = [await play.experiment("enrolling", points=shared) for _ in range(2)]
    assert [await play.assigned(user) for user in users] == [{shared[0]: (first.id, code)} for code in codes]
    strangers = [await ids(play, await play.user()) for _ in range(10)]
    assert any(found <= {other.id for other in others} for found in strangers)
