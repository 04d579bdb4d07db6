"""The draw: the numbers of a seed, and the conditions that follow from them."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
from upgrade_play import Play, fresh, golden, playing  # noqa: F401
from upgrade_support import upgrade_server  # noqa: F401

from graphwright_upgrade_server.seeded import rand, stream


def test_the_numbers_of_a_seed_are_those_of_seedrandom_to_the_last_bit() -> None:
    vectors = golden("seedrandom_vectors.json")
    assert len(vectors) == 60
    for vector in vectors:
        assert list(islice(stream(vector["seed"]), 3)) == vector["first3"], vector["seed"][:20]


@given(st.text(alphabet=st.characters(), max_size=600))
def test_every_text_is_a_seed_and_gives_the_same_number_between_0_and_1_again(seed: str) -> None:
    number = rand(seed)
    assert 0 <= number < 1
    assert rand(seed) == number


def test_the_numbers_of_many_seeds_are_spread_evenly() -> None:
    numbers = [rand(f"experiment_{user}") for user in range(2_000)]
    for tenth in range(10):
        assert 140 < sum(tenth / 10 <= number < (tenth + 1) / 10 for number in numbers) < 260


async def test_users_get_the_conditions_that_a_real_server_drew(play: Play) -> None:
    draws = golden("draws.json")
    assert len(draws) == 11
    for id in {draw["experimentId"] for draw in draws}:
        # A user of an earlier run must not meet the experiment on a point that another one shares.
        point = (fresh("site"), fresh("target"))
        mine = [draw for draw in draws if draw["experimentId"] == id]
        ordered = sorted(mine[0]["conditions"], key=lambda condition: condition["order"])
        weights = {condition["conditionCode"]: condition["assignmentWeight"] for condition in ordered}
        experiment = await play.experiment("enrolling", points=[point], weights=weights, id=id)
        for draw in mine:
            await play.call("POST", "v6/init", {}, draw["unit"])
            assert await play.code(draw["unit"], experiment) == draw["assigned"], draw


async def test_weights_of_0_and_100_leave_no_chance(play: Play) -> None:
    experiment = await play.experiment("enrolling", weights={"never": 0, "always": 100})
    assert {await play.code(await play.user(), experiment) for _ in range(10)} == {"always"}


async def test_what_weights_below_100_leave_falls_to_the_first_condition(play: Play) -> None:
    experiment = await play.experiment("enrolling", weights={"first": 0, "second": 0})
    assert {await play.code(await play.user(), experiment) for _ in range(5)} == {"first"}


async def test_an_experiment_without_conditions_assigns_nothing(play: Play) -> None:
    experiment = await play.experiment("enrolling", conditions=[])
    user = await play.user()
    assert await play.visit(user, experiment) is None
    assert (await play.records(experiment))["enrolled"] == {}


async def test_new_weights_move_those_who_were_never_marked_and_nobody_else(play: Play) -> None:
    experiment = await play.experiment("enrolling", weights={"old": 100, "new": 0})
    marked, seen = await play.user(), await play.user()
    assert [await play.visit(marked, experiment), await play.code(seen, experiment)] == ["old", "old"]
    conditions = (await play.call("GET", f"experiments/single/{experiment.id}"))["conditions"]
    weights = {"old": 0, "new": 100}
    turned = [{**condition, "assignmentWeight": weights[condition["conditionCode"]]} for condition in conditions]
    await play.update(experiment.id, conditions=turned)
    assert [await play.code(marked, experiment), await play.code(seen, experiment)] == ["old", "new"]


async def test_the_order_of_conditions_decides_not_the_order_they_were_sent_in(play: Play) -> None:
    experiment = await play.experiment("enrolling", weights={"a": 30, "b": 30, "c": 40})
    bounds = ((30, "a"), (60, "b"), (100, "c"))
    for _ in range(8):
        user = await play.user()
        number = rand(f"{experiment.id}_{user}") * 100
        assert await play.code(user, experiment) == next(code for bound, code in bounds if number <= bound)
