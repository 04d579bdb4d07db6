"""Simulated users of an experiment, and the test of their split against the weights."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from graphwright.errors import UsageError
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentDraft,
)
from graphwright_upgrade.client._experiment import Experiment, State
from graphwright_upgrade.client._failures import BadAnswer
from graphwright_upgrade.client._simulating import simulate, split_test, verdict
from upgrade_client_support import Line, failure, in_process

ID = "0a9cf27e-4f41-4a43-9b02-0f5bb9b14b4b"


@pytest.mark.parametrize(
    ("observed", "weights", "chi_square", "degrees", "p_value", "fair", "enough"),
    [
        # Mendel's peas: 315, 101, 108 and 32, with an expected ratio of 9 : 3 : 3 : 1.
        ([315, 101, 108, 32], [9, 3, 3, 1], 0.470024, 3, 0.925426, True, True),
        ([60, 40], [50, 50], 4.0, 1, 0.0455003, True, True),
        ([65, 35], [50, 50], 9.0, 1, 0.0026998, False, True),
        ([5, 4], [50, 50], 0.111111, 1, 0.738883, True, False),
        ([0, 0], [50, 50], 0.0, 1, None, None, False),
        ([10], [100], 0.0, 0, 1.0, True, True),
        ([10, 0, 10], [50, 0, 50], 0.0, 1, 1.0, True, True),
        ([10, 1, 10], [50, 0, 50], None, 1, 0.0, False, True),
    ],
)
def test_a_split_is_compared_with_its_weights(
    observed: list[int], weights: list[float], chi_square: Any, degrees: int, p_value: Any, fair: Any, enough: bool
) -> None:
    found = split_test(observed, weights)
    assert (found.degrees, found.fair, found.enough) == (degrees, fair, enough)
    assert found.chi_square == (chi_square if chi_square is None else pytest.approx(chi_square, rel=1e-5))
    assert found.p_value == (p_value if p_value is None else pytest.approx(p_value, rel=1e-4))


# on the local service


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    async with in_process() as (_, line):
        yield line


@pytest.fixture
def client(line: Line) -> UpgradeClient:
    return line.client


async def running(client: UpgradeClient, *weights: float, state: State = State.ENROLLING, **fields: Any) -> Experiment:
    """An experiment with a fixed id, and therefore fixed draws."""
    fields.setdefault("decision_points", (DecisionPointDraft(site="show-problem", target="fractions-intro"),))
    codes = tuple(ConditionDraft(code=f"c{place}", weight=each) for place, each in enumerate(weights, 1))
    fields.setdefault("conditions", codes)
    made = await client.create(ExperimentDraft(id=ID, name="Hints first", context="maths-practice", **fields))
    return made if state is State.INACTIVE else await client.set_state(made.id, state)


SCHOOLS: dict[str, Any] = {"assignment_unit": "group", "group": "schoolId", "consistency_rule": "group"}


@pytest.mark.slow
async def test_users_are_split_as_the_weights_say(client: UpgradeClient, line: Line) -> None:
    experiment = await running(client, 50, 30, 20)
    done = await simulate(client, experiment, 400, run="aaaaaa")
    assert (done.fair, done.enough, done.degrees, done.unassigned) == (True, True, 2, 0)
    assert (sum(done.assigned.values()), done.expected) == (400, {"c1": 50, "c2": 30, "c3": 20})
    counts = await client.enrollment(experiment.id)
    codes = {each.id: each.code for each in experiment.conditions}
    assert {codes[each.id]: each.users for each in counts.conditions} == done.assigned
    assert 1 < line.most <= 8
    assert "The split fits the weights" in verdict(done)
    await client.delete(ID)
    # Servers assign the rest of a hundred to the first condition.
    done = await simulate(client, await running(client, 30, 30), 200, run="aaaaaa")
    assert (done.fair, "does not fit the weights" in verdict(done)) == (False, True)


async def test_groups_are_assigned_whole_and_tested_as_groups(client: UpgradeClient) -> None:
    experiment = await running(client, 50, 50, **SCHOOLS)
    done = await simulate(client, experiment, 160, 40, run="aaaaaa")
    assert done.assigned_groups is not None
    assert sum(done.assigned_groups.values()) == 40
    assert done.assigned == {code: 4 * count for code, count in done.assigned_groups.items()}
    first, second = done.assigned_groups.values()
    assert done.chi_square == pytest.approx((first - second) ** 2 / 40)
    assert done.fair
    counts = await client.enrollment(experiment.id)
    assert (counts.users, counts.groups) == (160, 40)
    few = await simulate(client, experiment, 60)
    assert few.groups == 2
    assert "There are too few groups to judge the split (chi-square" in verdict(few)
    assert "fits the weights" not in verdict(few)


@pytest.mark.parametrize(
    ("fields", "users", "groups", "says"),
    [
        ({"state": State.INACTIVE}, 10, None, "It is inactive"),
        ({"filter_mode": "excludeAll"}, 10, None, "inclusion list"),
        ({"decision_points": ()}, 10, None, "nothing to get"),
        ({"conditions": (ConditionDraft(code="c1", weight=0),)}, 10, None, "nothing to get"),
        ({}, 0, None, "1 to 10,000 users"),
        ({}, 10_001, None, "1 to 10,000 users"),
        ({}, 10, 2, "assigns single users"),
        (SCHOOLS, 10, 11, "at most as many groups"),
        (SCHOOLS, 10, 0, "at most as many groups"),
    ],
)
async def test_a_simulation_without_effect_is_rejected_before_sending(
    fields: dict[str, Any], users: int, groups: int | None, says: str, client: UpgradeClient, line: Line
) -> None:
    experiment = await running(client, 50, 50, **fields)
    asked = len(line.sent)
    with pytest.raises(UsageError) as raised:
        await simulate(client, experiment, users, groups)
    assert says in f"{raised.value.message} {raised.value.hint}"
    assert len(line.sent) == asked


async def test_a_connection_that_breaks_is_told_with_how_far_it_came(client: UpgradeClient, line: Line) -> None:
    experiment = await running(client, 50, 50)
    last = len(line.sent) + 100
    line.lose = lambda _request: len(line.sent) > last
    error = await failure(simulate(client, experiment, 1000, run="abc123"), BadAnswer, "cut_short")
    enrolled = int(error.message.partition(" of 1,000 simulated users were through (sim-abc123-...)")[0])
    assert 0 < enrolled <= 34
    assert error.done is True
    line.lose = lambda _request: False
    assert enrolled <= (await client.enrollment(experiment.id)).users <= enrolled + 8
