"""Simulated users of an experiment, and the chi-square test that compares their split with the weights."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from graphwright.errors import UsageError
from graphwright_upgrade._wording import figure, say
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._experiment import Experiment, State
from graphwright_upgrade.client._failures import UpgradeError

MOST_USERS = 10_000
"""The most users of one simulation."""

_AT_ONCE = 8
_CLASS = 25
"""The number of users in a group if the number of groups is not given."""

UNFAIR_BELOW = 0.01
"""A split counts as unfair if a fair draw would be at least as uneven with a probability below this."""

ENOUGH = 5
"""The minimal expected count of each condition for a meaningful test."""


# The chi-square test


@dataclass(frozen=True, slots=True)
class SplitTest:
    """`chi_square` is None if a user has a condition of weight 0, which a fair draw cannot give. `p_value` is the
    probability that a fair draw is at least as uneven, or None without users. `enough`: the expected count of each
    condition is at least five.
    """

    chi_square: float | None
    degrees: int
    p_value: float | None
    enough: bool

    @property
    def fair(self) -> bool | None:
        """Whether the split is compatible with a fair draw; None without users."""
        return None if self.p_value is None else self.p_value >= UNFAIR_BELOW

    def verdict(self, units: str = "users") -> str:
        """The result of the test in a sentence. `units` are the drawn units: users or groups."""
        if self.p_value is None:
            return say(f"no_{units}_drawn")
        if self.degrees == 0:
            return say("one_condition_to_get")
        if self.chi_square is None:
            return say("weight_0_drawn")
        chance = say("p_below", p=figure("0.0001")) if self.p_value < 0.0001 else f"p = {figure(f'{self.p_value:.2g}')}"
        test = say("chi_square", n=self.degrees, value=figure(f"{self.chi_square:.2f}"), chance=chance)
        if not self.enough:
            return say(f"few_{units}", test=test)
        return say("fits", test=test) if self.fair else say("does_not_fit", test=test, rare=round(100 * UNFAIR_BELOW))


def split_test(observed: Sequence[int], weights: Sequence[float]) -> SplitTest:
    """Compare how often each condition was drawn with its weight, whatever the weights sum to.

    Raises ValueError if the lengths differ, or no weight is above 0.
    """
    total, whole = sum(observed), sum(weights)
    pairs = list(zip(observed, weights, strict=True))
    drawn = [(count, total * weight / whole) for count, weight in pairs if weight > 0] if whole > 0 else []
    if not drawn:
        raise ValueError("no condition has a weight above 0")
    degrees = len(drawn) - 1
    if total == 0:
        return SplitTest(0.0, degrees, None, enough=False)
    enough = min(expected for _, expected in drawn) >= ENOUGH
    if any(count for count, weight in pairs if weight <= 0):
        return SplitTest(None, degrees, 0.0, enough)
    chi_square = sum((count - expected) ** 2 / expected for count, expected in drawn)
    return SplitTest(chi_square, degrees, chi_square_tail(chi_square, degrees), enough)


def chi_square_tail(value: float, degrees: int) -> float:
    """The chance that a chi-square variable of so many degrees of freedom is at least `value`; 1 for no degrees."""
    x = value / 2
    if degrees == 0 or x <= 0:
        return 1.0
    # Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1), from a = 1/2 or a = 1 up to half the degrees.
    a, tail = (0.5, math.erfc(math.sqrt(x))) if degrees % 2 else (1.0, math.exp(-x))
    while a < degrees / 2:
        tail += math.exp(a * math.log(x) - x - math.lgamma(a + 1))
        a += 1
    return tail


# Simulated users


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation(SplitTest):
    """The result of a simulation, with the test of its split.

    `run` is part of the ids of all its users (`sim-RUN-0001`, ...) and groups (`sim-RUN-g01`, ...). `assigned` counts
    users by condition code, `unassigned` those who get the default. `expected` has the weights. If groups are assigned,
    `groups` is their number, `assigned_groups` counts them, and the test uses groups, because their users are not
    independent draws. `seconds` is the duration.
    """

    experiment_id: str
    name: str
    run: str
    users: int
    groups: int | None
    assigned: dict[str, int]
    unassigned: int
    assigned_groups: dict[str, int] | None
    unassigned_groups: int | None
    expected: dict[str, float]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The same as JSON."""
        return {**asdict(self), "fair": self.fair}

    @property
    def tested(self) -> dict[str, int]:
        """The units of the test: groups if groups are assigned, otherwise users."""
        return self.assigned if self.assigned_groups is None else self.assigned_groups


async def simulate(
    client: UpgradeClient,
    experiment: Experiment,
    users: int,
    groups: int | None = None,
    *,
    run: str = "",
) -> Simulation:
    """Simulate new users at all decision points of an experiment: initialise, request the condition, mark the visit.

    They are enrolled like real users and remain. Only users assigned by this experiment are marked. `groups`
    distributes them evenly over so many groups, for experiments that assign groups; the default is one for 25 users, at
    least two. The same `run` simulates the same users again, which changes nothing.

    Raises UsageError if no user would get a condition (`not_simulated`) or the numbers are invalid (`bad_number`), and
    UpgradeError with the number of users that were done.
    """
    fit(experiment, users, groups)
    if experiment.assignment_unit == "group":
        groups = groups or min(users, max(2, users // _CLASS))
    run, begun = run or uuid4().hex[:6], time.monotonic()
    got = await _visits(client, experiment, users, groups, run)
    expected: dict[str, float] = {}
    for each in experiment.conditions:
        # Servers let two conditions have the same code: an app cannot distinguish them.
        expected[each.code] = expected.get(each.code, 0) + each.weight
    by_user = Counter(got.values())
    by_group = Counter({number % groups: code for number, code in got.items()}.values()) if groups else None
    tested = by_user if by_group is None else by_group
    test = split_test([tested[code] for code in expected], [max(weight, 0) for weight in expected.values()])
    return Simulation(
        **asdict(test),
        experiment_id=experiment.id,
        name=experiment.name,
        run=run,
        users=users,
        groups=groups,
        assigned={code: by_user[code] for code in expected},
        unassigned=by_user[""],
        assigned_groups=None if by_group is None else {code: by_group[code] for code in expected},
        unassigned_groups=None if by_group is None else by_group[""],
        expected=expected,
        seconds=round(time.monotonic() - begun, 3),
    )


async def _visits(
    client: UpgradeClient, experiment: Experiment, users: int, groups: int | None, run: str
) -> dict[int, str]:
    """The code that each user got, empty for the default. Several come at once; the first failure ends it."""
    got: dict[int, str] = {}
    waiting = iter(range(users))

    async def visit(number: int) -> str:
        user, code = f"sim-{run}-{number + 1:04d}", ""
        if groups is None:
            await client.init(user)
        else:
            group = f"sim-{run}-g{number % groups + 1:02d}"
            await client.init(user, {experiment.group: [group]}, {experiment.group: group})
        for each in await client.assign(user, experiment.context):
            if each.condition.experiment_id == experiment.id:
                code = each.condition.code
                await client.mark(user, each.site, each.target, code=code, experiment_id=experiment.id)
        return code

    async def work() -> None:
        for number in waiting:
            got[number] = await visit(number)
            # A service in this process answers without a pause, so let other conversations run.
            await asyncio.sleep(0)

    workers = [asyncio.create_task(work()) for _ in range(min(_AT_ONCE, users))]
    try:
        await asyncio.gather(*workers)
    except UpgradeError as error:
        through = f"{len(got):,} of {users:,} simulated users were through (sim-{run}-...)."
        raise type(error)(
            error.code,
            f"{through} Then: {error.message}",
            # Whether the last user is in makes no difference to anybody.
            f"Who was through stays enrolled. {error.hint if error.done is False else ''}".strip(),
            status=error.status,
            done=True if got else error.done,
        ) from error
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return got


def fit(experiment: Experiment, users: int, groups: int | None) -> None:
    """Whether so many users can be simulated. Raises UsageError (`not_simulated`, `bad_number`)."""
    if why := unsimulated(experiment):
        raise UsageError("not_simulated", f"The experiment {experiment.name!r} cannot be simulated.", why)
    if groups is not None and experiment.assignment_unit != "group":
        raise UsageError("bad_number", f"The experiment {experiment.name!r} assigns single users, not groups.")
    if not 1 <= (users if groups is None else groups) <= users <= MOST_USERS:
        raise UsageError("bad_number", f"A simulation has 1 to {MOST_USERS:,} users, in at most as many groups.")


def unsimulated(experiment: Experiment) -> str:
    """The reasons why simulated users would get no condition, as sentences about "it"; empty if they would."""
    if experiment.state is not State.ENROLLING:
        return say("has_to_be_enrolling", state=experiment.state.value)
    if experiment.filter_mode == "excludeAll":
        return say("no_simulated_user_takes_part")
    if not experiment.decision_points or not any(each.weight > 0 for each in experiment.conditions):
        return say("nothing_to_get")
    return ""


def verdict(simulation: Simulation) -> str:
    """The result of the test in one or two sentences."""
    text = simulation.verdict("users" if simulation.groups is None else "groups")
    if simulation.unassigned and simulation.p_value is not None:
        text += f" {say('got_the_default', unassigned=simulation.unassigned, n=simulation.users)}"
    return text
