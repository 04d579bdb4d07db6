"""What assign answers: for whom, in which states, under which rule after the end, and with which payloads."""

from __future__ import annotations

from typing import Any

import pytest
from upgrade_play import Play, fresh, playing  # noqa: F401
from upgrade_support import local_only, upgrade_server  # noqa: F401


async def test_an_unknown_context_is_refused(play: Play) -> None:
    user = await play.user()
    for context in (fresh("context"), play.context.upper()):
        status, error = await play.refused("POST", "v6/assign", {"context": context}, user)
        assert (status, error["message"]) == (400, f"Invalid app context: {context}")


@pytest.mark.parametrize("body", [{}, {"context": ""}, {"context": 1}, {"context": None}], ids=str)
async def test_a_body_without_a_context_is_refused(play: Play, body: dict[str, Any]) -> None:
    status, error = await play.refused("POST", "v6/assign", body, await play.user())
    assert (status, error["name"]) == (400, "BadRequestError")


async def test_experiments_of_other_contexts_do_not_show(play: Play) -> None:
    metadata = await play.call("GET", "experiments/contextMetaData")
    here, there = list(metadata["contextMetadata"])[:2]
    user = await play.user()
    experiment = await play.experiment("enrolling", context=[there])
    codes = {}
    for play.context in (here, there):
        codes[play.context] = await play.code(user, experiment)
    assert codes[here] is None
    assert codes[there] is not None


async def test_an_experiment_answers_for_each_of_its_points(play: Play) -> None:
    both = [(fresh("site"), fresh("target")) for _ in range(2)]
    experiment = await play.experiment("enrolling", points=both)
    assigned = await play.assigned(await play.user())
    assert list(assigned) == both
    assert len(set(assigned.values())) == 1
    assert {id for id, _ in assigned.values()} == {experiment.id}


@pytest.mark.parametrize("state", ["inactive", "preview", "cancelled", "archived", "draft"])
async def test_experiments_that_do_not_run_assign_nothing_even_to_the_enrolled(play: Play, state: str) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    assert await play.visit(user, experiment) is not None
    await play.state(experiment.id, state)
    assert await play.code(user, experiment) is None


async def test_under_the_rule_assign_all_who_are_enrolled_get_the_same_condition(play: Play) -> None:
    users = [await play.user() for _ in range(6)]
    experiment = await play.experiment("enrolling")
    codes = [await play.visit(user, experiment) for user in users]
    await play.update(experiment.id, postExperimentRule="assign", revertTo=experiment.conditions["variant"])
    assert [await play.code(user, experiment) for user in users] == codes
    await play.state(experiment.id, "enrollmentComplete")
    assert {await play.code(user, experiment) for user in users} == {"variant"}
    assert await play.code(await play.user(), experiment) is None


@pytest.mark.parametrize("rule", ["assign", "revert"])
async def test_under_the_rule_assign_without_a_condition_or_revert_nobody_gets_any(play: Play, rule: str) -> None:
    user = await play.user()
    experiment = await play.experiment("enrolling")
    await play.visit(user, experiment)
    await play.update(experiment.id, postExperimentRule=rule, revertTo=None)
    assert await play.code(user, experiment) is not None
    await play.state(experiment.id, "enrollmentComplete")
    assert await play.code(user, experiment) is None


async def test_previews_are_for_preview_users_and_enrol_nobody(play: Play) -> None:
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
    # The update makes one for the point that has none of its own: the code.
    assert payloads == {
        first: {"type": "string", "value": "control"},
        second: {"type": "json", "value": '{"hint": 1}'},
    }


async def test_an_empty_payload_is_none(play: Play) -> None:
    experiment = await play.experiment("enrolling", weights={"control": 100})
    await play.payload(experiment, 0, "")
    (element,) = await play.elements(await play.user())
    assert element["assignedCondition"][0]["payload"] is None


@local_only
async def test_many_users_are_asked_for_on_one_point_at_once(play: Play) -> None:
    experiment, elsewhere = await play.experiment("enrolling"), await play.experiment("enrolling")
    users = [await play.user() for _ in range(4)]
    await play.mark(users[0], experiment.points[0], status="condition not applied")
    ghost = fresh("ghost")
    (site, target), asked = experiment.points[0], [*users, ghost]
    body = {"context": play.context, "site": site, "target": target, "userIds": asked}
    found = await play.call("POST", "batch-assign", body)
    assert list(found) == asked
    assert found[users[0]] is None
    assert found[ghost] is None
    for user in users[1:]:
        elements = await play.elements(user)
        assert len(elements) == 2
        assert found[user] in elements
        assert found[user]["assignedCondition"][0]["experimentId"] == experiment.id != elsewhere.id
