"""Any order of calls: pools assign one experiment, and records agree with assign."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from upgrade_play import Experiment, Play, Point, fresh, in_school
from upgrade_support import local_only, local_server

# Each example creates its own experiments, users and points, so that they can share one server.
ON_ONE_SERVER = settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
RULES = ("individual", "group", "experiment")
STEPS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=4, max_size=16)
"""The visitor (one of four users), and whether the visit is marked."""


async def pupils(play: Play) -> list[str]:
    """Four users in two schools."""
    schools = [fresh("school"), fresh("school")]
    return [await play.user(school=schools[number // 2]) for number in range(4)]


def pools(experiments: list[Experiment]) -> list[set[str]]:
    """The ids of connected points: each experiment joins all pools that it touches."""
    found: list[tuple[set[str], set[Point]]] = []
    for one in experiments:
        touched = [pool for pool in found if pool[1] & {*one.points}]
        found = [pool for pool in found if pool not in touched]
        ids, points = zip(*touched, strict=True) if touched else ((), ())
        found.append(({one.id}.union(*ids), {*one.points}.union(*points)))
    return [ids for ids, _ in found]


@ON_ONE_SERVER
@given(
    places=st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3), min_size=2, max_size=5),
    steps=STEPS,
)
async def test_a_user_never_has_two_experiments_of_a_pool(
    play: Play, places: list[set[int]], steps: list[tuple[int, bool]]
) -> None:
    points = [(fresh("site"), fresh("target")) for _ in range(5)]
    users = await pupils(play)
    experiments = [
        await play.experiment("enrolling", points=[points[number] for number in sorted(numbers)]) for numbers in places
    ]
    before: dict[str, dict[Point, tuple[str, str]]] = {}
    for number, marked in steps:
        user = users[number]
        assigned = await play.assigned(user)
        assert assigned == before.setdefault(user, assigned)
        taken = {experiment for experiment, _ in assigned.values()}
        assert all(len(taken & pool) == 1 for pool in pools(experiments))
        if marked:
            for point, (experiment, code) in assigned.items():
                await play.mark(user, point, code, experiment)


@ON_ONE_SERVER
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("visit"), st.integers(0, 3)),
            st.tuples(st.just("refuse"), st.integers(0, 3)),
            st.tuples(st.just("move"), st.integers(0, 3)),
            st.tuples(st.sampled_from(("enrollmentComplete", "enrolling")), st.just(0)),
        ),
        max_size=12,
    ),
    rule=st.sampled_from(RULES),
    grouped=st.booleans(),
    reached=st.booleans(),
)
async def test_records_agree_with_what_assign_says(
    play: Play, steps: list[tuple[str, int]], rule: str, grouped: bool, reached: bool
) -> None:
    users = await pupils(play)
    if grouped:
        experiment = await play.group_experiment("enrolling", rule, exclude_if_reached=reached)
    else:
        experiment = await play.experiment("enrolling", consistencyRule=rule, exclude_if_reached=reached)
    conditions = {id: code for code, id in experiment.conditions.items()}
    for what, number in steps:
        user = users[number]
        if what == "visit":
            await play.visit(user, experiment)
        elif what == "refuse":
            await play.mark(user, experiment.points[0], status="condition not applied")
        elif what == "move":
            await play.call("POST", "v6/init", in_school(fresh("school")), user)
        else:
            await play.state(experiment.id, what)
        excluded = (await play.records(experiment))["excluded"]
        enrolled: dict[str, list[str]] = defaultdict(list)
        for row in await play.call("GET", "check/individualAssignment"):
            if row["experimentId"] == experiment.id:
                enrolled[row["userId"]].append(conditions[row["conditionId"]])
        for one in users:
            code = await play.code(one, experiment)
            assert len(enrolled[one]) <= 1
            # If groups count first, their exclusions decide.
            if rule == "individual" or not grouped:
                if one in excluded and rule != "experiment":
                    assert code is None
                elif enrolled[one]:
                    assert code == enrolled[one][0]


@local_only
async def test_two_services_on_one_file_see_what_the_other_changes(tmp_path: Path) -> None:
    file = tmp_path / "upgrade.db"
    async with local_server(file) as here, local_server(file) as there:
        metadata = (await here.get("experiments/contextMetaData")).json()
        one, other = (Play(server, next(iter(metadata["contextMetadata"]))) for server in (here, there))
        other.made = one.made
        user = await one.user()
        assert await other.assigned(user) == {}
        experiment = await one.experiment("enrolling", weights={"old": 100, "new": 0})
        assert await other.code(user, experiment) == "old"
        conditions = (await one.call("GET", f"experiments/single/{experiment.id}"))["conditions"]
        weights = {"old": 0, "new": 100}
        turned = [{**one_of, "assignmentWeight": weights[one_of["conditionCode"]]} for one_of in conditions]
        await one.update(experiment.id, conditions=turned)
        assert await other.visit(user, experiment) == "new"
        assert list((await one.records(experiment))["enrolled"]) == [user]
        await one.list("inclusion", experiment.id, ["u1"])
        assert (listed := await other.call("GET", "experiments")) == await one.call("GET", "experiments")
        assert len(listed[0]["experimentSegmentInclusion"]) == 1
        await one.delete(experiment.id)
        assert await other.assigned(user) == {}
        assert await other.call("GET", "experiments") == []
