"""Pools: of experiments that share a decision point a user gets at most one."""

from __future__ import annotations

from upgrade_play import Play, Point, fresh, playing  # noqa: F401
from upgrade_support import upgrade_server  # noqa: F401


def points(count: int) -> list[Point]:
    return [(fresh("site"), fresh("target")) for _ in range(count)]


async def ids(play: Play, user: str) -> set[str]:
    """The experiments that the user is in."""
    return {experiment for experiment, _ in (await play.assigned(user)).values()}


async def spread(play: Play, pool: set[str]) -> None:
    """Each of some users is in one experiment of the pool, always in the same, and they are not all in one."""
    seen = set()
    for _ in range(16):
        user = await play.user()
        (got,) = await ids(play, user)
        assert await ids(play, user) == {got}
        seen.add(got)
    assert len(seen) > 1
    assert seen <= pool


async def test_users_who_are_in_none_of_a_pool_are_spread_over_it(play: Play) -> None:
    shared = points(1)
    await spread(play, {(await play.experiment("enrolling", points=shared)).id for _ in range(3)})


async def test_experiments_on_other_points_do_not_compete(play: Play) -> None:
    pool = [await play.experiment("enrolling") for _ in range(3)]
    assert await ids(play, await play.user()) == {experiment.id for experiment in pool}


async def test_the_same_site_with_another_target_is_another_point(play: Play) -> None:
    site = fresh("site")
    pool = [await play.experiment("enrolling", points=[(site, fresh("target"))]) for _ in range(2)]
    assert await ids(play, await play.user()) == {experiment.id for experiment in pool}


async def test_experiments_that_only_another_one_connects_are_in_one_pool(play: Play) -> None:
    left, middle, right = points(3)
    places = ([left], [right], [middle], [left, middle, right])
    await spread(play, {(await play.experiment("enrolling", points=place)).id for place in places})


async def test_an_experiment_that_is_not_open_to_the_user_connects_nothing(play: Play) -> None:
    left, right = points(2)
    ends = [await play.experiment("enrolling", points=[point]) for point in (left, right)]
    bridge = await play.experiment("enrolling", points=[left, right])
    user = await play.user()
    await play.list("exclusion", bridge.id, users=[user])
    assert await ids(play, user) == {experiment.id for experiment in ends}


async def test_enrolled_users_stay_in_their_experiment_when_others_join_the_pool(play: Play) -> None:
    shared = points(1)
    first = await play.experiment("enrolling", points=shared)
    users = [await play.user() for _ in range(6)]
    codes = [await play.visit(user, first) for user in users]
    others = [await play.experiment("enrolling", points=shared) for _ in range(2)]
    assert [await play.assigned(user) for user in users] == [{shared[0]: (first.id, code)} for code in codes]
    strangers = [await ids(play, await play.user()) for _ in range(10)]
    assert any(found <= {other.id for other in others} for found in strangers)


async def test_groups_that_are_enrolled_stay_in_their_experiment_as_well(play: Play) -> None:
    shared, school = points(1), fresh("school")
    first = await play.group_experiment("enrolling", "group", points=shared)
    await play.visit(await play.user(school=school), first)
    for _ in range(2):
        await play.experiment("enrolling", points=shared)
    for _ in range(6):
        assert await ids(play, await play.user(school=school)) == {first.id}


async def test_nobody_new_comes_into_an_experiment_that_is_complete(play: Play) -> None:
    enrolled, late = await play.user(), await play.user()
    experiment = await play.experiment("enrolling")
    code = await play.visit(enrolled, experiment)
    await play.state(experiment.id, "enrollmentComplete")
    assert await play.code(enrolled, experiment) == code
    assert await play.code(late, experiment) is None


async def test_a_complete_experiment_leaves_the_point_to_the_enrolling_one(play: Play) -> None:
    shared, enrolled = points(1), await play.user()
    complete = await play.experiment("enrolling", points=shared)
    await play.visit(enrolled, complete)
    await play.state(complete.id, "enrollmentComplete")
    enrolling = await play.experiment("enrolling", points=shared)
    assert await ids(play, enrolled) == {complete.id}
    for _ in range(4):
        assert await ids(play, await play.user()) == {enrolling.id}


async def test_who_is_excluded_from_one_of_a_pool_gets_another(play: Play) -> None:
    shared = points(1)
    pool = [await play.experiment("enrolling", points=shared) for _ in range(2)]
    for _ in range(6):
        user = await play.user()
        (got,) = await ids(play, user)
        await play.mark(user, shared[0], experiment=got, status="condition not applied")
        assert await ids(play, user) == {experiment.id for experiment in pool} - {got}


async def test_who_was_marked_in_several_of_a_pool_has_the_enrolling_one(play: Play) -> None:
    shared, user = points(1), await play.user()
    pool = [await play.experiment("enrolling", points=shared) for _ in range(2)]
    for experiment in pool:
        await play.mark(user, shared[0], experiment=experiment.id)
    await play.state(pool[0].id, "enrollmentComplete")
    assert await ids(play, user) == {pool[1].id}
    await play.state(pool[1].id, "enrollmentComplete")
    assert await ids(play, user) == set()


async def test_who_was_enrolled_in_one_that_sent_all_back_to_the_default_is_free_for_the_next(play: Play) -> None:
    shared, user = points(1), await play.user()
    over = await play.experiment("enrolling", points=shared)
    await play.visit(user, over)
    await play.update(over.id, postExperimentRule="assign", revertTo=None)
    await play.state(over.id, "enrollmentComplete")
    following = await play.experiment("enrolling", points=shared)
    assert await ids(play, user) == {following.id}
