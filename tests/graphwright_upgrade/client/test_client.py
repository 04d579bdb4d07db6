"""The client against the local service: written data is read back unchanged, in the client's own types."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    GoalDraft,
    ListDraft,
)
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._failures import Invalid, NotFound
from upgrade_client_support import draft, failure, in_process

CONTEXT = "maths-practice"
SITE, TARGET = "show-problem", "fractions-intro"


@pytest.fixture(params=[False, True], ids=["kind", "strict"])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[UpgradeClient]:
    """A client of the normal local service, and of one with all bugs of a real server."""
    async with in_process(strict=request.param) as (made, _):
        yield made


def people(*users: str, name: str = "") -> ListDraft:
    return ListDraft(kind="individual", members=users, name=name)


# experiments


async def test_an_experiment_is_created_as_it_was_drafted(client: UpgradeClient) -> None:
    id = "0a9cf27e-4f41-4a43-9b02-0f5bb9b14b4b"
    control, hints = ConditionDraft(code="control", weight=30), ConditionDraft(code="hint-first", weight=70)
    point = DecisionPointDraft(site=SITE, target=TARGET, exclude_if_reached=True)
    plain = {
        **{"id": id, "name": "Hints first", "description": "Do hints help?", "tags": ("pilot", "maths")},
        **{"assignment_unit": "group", "consistency_rule": "group", "group": "schoolId", "filter_mode": "excludeAll"},
    }
    made = await client.create(
        draft(
            **plain,
            enrollment_goal=GoalDraft(users=100, groups=5),
            conditions=(control, hints),
            decision_points=(point,),
            inclusions=(ListDraft(kind="schoolId", members=("north", "south")),),
            exclusions=(people("ann", name="testers"),),
        )
    )
    assert made == await client.experiment(id)
    assert {name: getattr(made, name) for name in plain} == plain
    assert (made.context, made.state, made.post_experiment_rule) == (CONTEXT, State.INACTIVE, "continue")
    assert made.enrollment_goal is not None
    assert (made.enrollment_goal.users, made.enrollment_goal.groups) == (100, 5)
    assert [(each.code, each.weight) for each in made.conditions] == [("control", 30), ("hint-first", 70)]
    # A server that keeps sent ids crashes on an existing one.
    assert not {control.id, hints.id} & {each.id for each in made.conditions}
    (shown,), (included,), (excluded,) = made.decision_points, made.inclusions, made.exclusions
    assert (shown.site, shown.target, shown.exclude_if_reached) == (SITE, TARGET, True)
    assert (included.kind, [group.id for group in included.groups]) == ("schoolId", ["north", "south"])
    assert (excluded.name, excluded.kind, excluded.users) == ("testers", "individual", ("ann",))


async def test_an_id_that_is_taken_is_refused_before_anything_is_sent(client: UpgradeClient) -> None:
    made = await client.create(draft(id=str(uuid.uuid4())))
    await client.set_state(made.id, State.ENROLLING)
    error = await failure(client.create(draft("Another", id=made.id)), Invalid, "exists")
    assert (error.done, made.name in error.message) == (False, True)
    found = await client.experiment(made.id)
    assert (found.name, found.state, len(found.conditions)) == ("Hints first", State.ENROLLING, 2)


async def test_an_update_changes_what_is_given_and_keeps_the_rest(client: UpgradeClient) -> None:
    made = await client.create(draft(tags=("pilot",), description="Do hints help?", exclusions=(people("u"),)))
    control, hints = made.conditions
    wanted = [("hint-first", 60, {"id": hints.id}), ("control", 20, {"id": control.id}), ("worked-example", 20, {})]
    found = await client.update(
        made.id,
        ExperimentChanges(
            name="Hints at once",
            post_experiment_rule="assign",
            revert_to=hints.id,
            conditions=tuple(ConditionDraft(code=code, weight=weight, **id) for code, weight, id in wanted),
        ),
    )
    assert (found.name, found.tags, found.description) == ("Hints at once", ("pilot",), "Do hints help?")
    assert (found.post_experiment_rule, found.revert_to) == ("assign", hints.id)
    assert [(each.code, each.weight) for each in found.conditions] == [(code, weight) for code, weight, _ in wanted]
    assert found.conditions[0].id == hints.id
    assert (found.exclusions, found.decision_points) == (made.exclusions, made.decision_points)
    goal, moved = GoalDraft(users=9), DecisionPointDraft(id=made.decision_points[0].id, site=SITE, target="area")
    more: dict[str, Any] = {"enrollment_goal": goal, "decision_points": (moved,), "context": "reading-club"}
    found = await client.update(made.id, ExperimentChanges(**more))
    assert (found.enrollment_goal and found.enrollment_goal.users, found.context) == (9, "reading-club")
    assert [(each.id, each.target) for each in found.decision_points] == [(moved.id, "area")]
    cleared = await client.update(made.id, ExperimentChanges(tags=(), revert_to=None, description=""))
    assert (cleared.tags, cleared.revert_to, cleared.description, cleared.name) == ((), "", "", "Hints at once")
    assert cleared.post_experiment_rule == "assign"


async def test_a_deleted_experiment_is_gone(client: UpgradeClient) -> None:
    made = await client.create(draft())
    await client.delete(made.id)
    for call in (
        client.experiment(made.id),
        client.delete(made.id),
        client.update(made.id, ExperimentChanges(name="x")),
        client.set_state(made.id, State.ENROLLING),
        client.enrollment(made.id),
        client.put_on(made, "inclusion", (people("u"),)),
    ):
        assert made.id in (await failure(call, NotFound, "not_found")).message


# lists


async def test_members_are_put_on_a_side_and_taken_off_it(client: UpgradeClient) -> None:
    north = ListDraft(kind="schoolId", members=("north", "south"))
    made = await client.put_on(await client.create(draft()), "inclusion", (people("u1", "u2", name="class"), north))
    made = await client.put_on(made, "inclusion", (people("u2", "u3"),))
    assert {each.users for each in made.inclusions if each.users} == {("u1", "u2"), ("u3",)}
    one = ListDraft(kind="schoolId", members=("south",))
    made = await client.take_off(made, "inclusion", (people("u1", "u3"), one))
    left = {(each.name, each.users, tuple(group.id for group in each.groups)) for each in made.inclusions}
    assert left == {("class", ("u2",), ()), ("schoolId", (), ("north",))}
    emptied = await client.take_off(made, "inclusion", (), everybody=True)
    assert (emptied.inclusions, emptied.exclusions) == ((), ())
    await failure(client.take_off(made, "inclusion", (), everybody=True), NotFound, "not_found")


@pytest.mark.slow
async def test_ten_thousand_users_are_put_on_a_list_and_read_again(client: UpgradeClient) -> None:
    users = tuple(f"student-{number:05}@school.example" for number in range(10_000))
    made = await client.create(draft())
    (found,) = (await client.put_on(made, "inclusion", (people(*users),))).inclusions
    assert set(found.users) == set(users)


# users


async def test_unknown_users_contexts_and_conditions_are_refused(client: UpgradeClient) -> None:
    made = await client.create(draft())
    error = await failure(client.assign("bob", CONTEXT), NotFound, "unknown_user")
    assert ("bob" in error.message, "nitialise" in error.hint) == (True, True)
    for call in (
        client.mark("bob", SITE, TARGET),
        client.set_groups("bob", {}),
        client.set_working_groups("bob", {}),
        client.set_aliases("bob", []),
    ):
        await failure(call, NotFound, "unknown_user")
    await client.init("bob")
    await failure(client.assign("bob", CONTEXT.upper()), Invalid, "unknown_context")
    await failure(client.mark("bob", SITE, TARGET, code="nope", experiment_id=made.id), Invalid, "invalid")
    await failure(client.create(draft(context="nope")), Invalid, "invalid")
    for call in (client.mark("bob", "", TARGET), client.create(draft(name=""))):
        assert (await failure(call, Invalid, "invalid")).status == 400
