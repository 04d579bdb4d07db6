"""Builds a world on a server, and makes the expected changes of a case there: the right state is a client's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eval.upgrade.cases import Crowd, Wish
from eval.upgrade.worlds import Design, Lists, Person, Traits, World
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
    Side,
)
from graphwright_upgrade.client._experiment import Experiment, State

LIST_FIELDS = {"include", "exclude"}
"""Traits that are changed by separate calls, list by list."""

_SAME_NAME = {
    **{name: name for name in ("name", "context", "description", "group", "tags")},
    **{"unit": "assignment_unit", "consistency": "consistency_rule"},
}


async def build(client: UpgradeClient, world: World) -> None:
    """Fill an empty service with the content of the world."""
    for user, person in world.users.items():
        await client.init(user, person.groups, person.working)
    for handle, design in world.experiments.items():
        await _create(client, design, world.id_of(handle), _early(design.state))
    for handle, users in world.visits.items():
        for user in users:
            await _visit(client, user, await client.experiment(world.id_of(handle)))
    for handle, design in world.experiments.items():
        if _early(design.state) != design.state:
            await client.set_state(world.id_of(handle), design.state)


async def fulfil(client: UpgradeClient, world: World, wish: Wish) -> None:
    """Make the changes of the wish."""
    for user, person in wish.users.items():
        await client.init(user, person.groups, person.working)
    for design in wish.create:
        await _create(client, design, None, design.state)
    for handle, traits in wish.change.items():
        await _change(client, world.id_of(handle), traits)
    for handle, users in wish.marks.items():
        for user in users:
            await _visit(client, user, await client.experiment(world.id_of(handle)))
    for handle, crowd in wish.simulate.items():
        await _simulate(client, await client.experiment(world.id_of(handle)), crowd)
    for handle in wish.delete:
        await client.delete(world.id_of(handle))


def _early(state: State) -> State:
    """The state in which visits happen, if the final one follows them."""
    return State.ENROLLING if state in (State.ENROLLMENT_COMPLETE, State.CANCELLED, State.ARCHIVED) else state


async def _create(client: UpgradeClient, design: Design, id: str | None, state: State) -> None:
    draft = ExperimentDraft(
        id=id,
        conditions=tuple(ConditionDraft(code=code, weight=weight) for code, weight in design.conditions.items()),
        decision_points=tuple(_point(point) for point in design.points),
        filter_mode="excludeAll" if design.only_listed else "includeAll",
        inclusions=_drafts(design.include),
        exclusions=_drafts(design.exclude),
        **{theirs: getattr(design, ours) for ours, theirs in _SAME_NAME.items()},
    )
    made = await client.create(draft)
    if design.after:
        await client.update(made.id, _afterwards(design.after, made))
    if state != State.INACTIVE:
        await client.set_state(made.id, state)


async def _change(client: UpgradeClient, id: str, traits: Traits) -> None:
    before = await client.experiment(id)
    given = {theirs: getattr(traits, ours) for ours, theirs in _SAME_NAME.items() if ours in traits.fields}
    more: dict[str, Any] = {}
    if "conditions" in traits.fields:
        known = {condition.code: condition.id for condition in before.conditions}
        more["conditions"] = tuple(
            ConditionDraft(code=code, weight=weight, **({"id": known[code]} if code in known else {}))
            for code, weight in traits.conditions.items()
        )
    if "points" in traits.fields:
        places = {f"{point.site}/{point.target}": point.id for point in before.decision_points}
        more["decision_points"] = tuple(
            _point(point, **({"id": places[point]} if point in places else {})) for point in traits.points
        )
    if "only_listed" in traits.fields:
        more["filter_mode"] = "excludeAll" if traits.only_listed else "includeAll"
    if given or more:
        before = await client.update(id, ExperimentChanges(**given, **more))
    if "after" in traits.fields:
        await client.update(id, _afterwards(traits.after, before))
    for field in sorted(LIST_FIELDS & traits.fields):
        await _change_lists(client, before, "inclusion" if field == "include" else "exclusion", getattr(traits, field))
    if "state" in traits.fields:
        await client.set_state(id, traits.state)


async def _change_lists(client: UpgradeClient, experiment: Experiment, side: Side, wanted: Lists) -> None:
    emptied = await client.take_off(experiment, side, (), everybody=True)
    await client.put_on(emptied, side, _drafts(wanted))


async def _visit(client: UpgradeClient, user: str, experiment: Experiment) -> None:
    """Visit the first point of the experiment like an app: request the assignment, and record the applied condition."""
    point = experiment.decision_points[0]
    found = [
        each
        for each in await client.assign(user, experiment.context, point.site, point.target)
        if each.condition.experiment_id == experiment.id
    ]
    await client.mark(
        user,
        point.site,
        point.target,
        code=found[0].condition.code if found else None,
        experiment_id=experiment.id,
        status="condition applied" if found else "no condition assigned",
    )


async def _simulate(client: UpgradeClient, experiment: Experiment, crowd: Crowd) -> None:
    for number in range(crowd.users):
        user, group = f"made-up-{number}", f"made-up-group-{number % crowd.groups}"
        person = Person()
        if experiment.group:
            person = Person(groups={experiment.group: (group,)}, working={experiment.group: group})
        await client.init(user, person.groups, person.working)
        await _visit(client, user, experiment)


def _afterwards(code: str, experiment: Experiment) -> ExperimentChanges:
    if not code:
        return ExperimentChanges(post_experiment_rule="continue", revert_to=None)
    ids = {condition.code: condition.id for condition in experiment.conditions}
    return ExperimentChanges(post_experiment_rule="assign", revert_to=ids[code])


def _point(point: str, **given: Any) -> DecisionPointDraft:
    site, _, target = point.partition("/")
    return DecisionPointDraft(site=site, target=target, **given)


def _drafts(lists: Mapping[str, Iterable[str]]) -> tuple[ListDraft, ...]:
    return tuple(ListDraft(kind=kind, members=tuple(ids), name=kind) for kind, ids in lists.items())
