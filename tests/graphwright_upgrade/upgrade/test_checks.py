"""The UpGrade agent's refusals, questions and warnings before an action, and interrupted actions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx
import pytest

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentDraft,
    GoalDraft,
    ListDraft,
)
from graphwright_upgrade.client._experiment import Experiment, State
from graphwright_upgrade.upgrade.checks import Checked, resolve_order
from graphwright_upgrade.upgrade.choices import note_for
from graphwright_upgrade.upgrade.executing import Outcome, execute
from graphwright_upgrade.upgrade.server import Server
from graphwright_upgrade_server._app import create_app
from upgrade_client_support import Line, in_process

CONTEXTS = {
    name: {"CONDITIONS": ["control", "variant"], "GROUP_TYPES": types, "EXP_IDS": ["t1"], "EXP_POINTS": ["s1", "s2"]}
    for name, types in {"maths": ["schoolId", "classId"], "single": ["schoolId"], "plain": []}.items()
}
GROUPS = {"assignment_unit": "group", "consistency_rule": "group", "group": "schoolId"}


def draft(
    name: str, codes: Mapping[str, float] | None = None, points: int = 1, site: str = "s1", **more: Any
) -> ExperimentDraft:
    weights = codes or {"control": 50, "variant": 50}
    return ExperimentDraft(
        name=name,
        context="maths",
        conditions=tuple(ConditionDraft(code=code, weight=weight) for code, weight in weights.items()),
        decision_points=(DecisionPointDraft(site=site, target="t1", exclude_if_reached=True),) * points,
        **more,
    )


MADE = (
    (draft("Hints"), State.INACTIVE),
    (draft("Ninety", {"control": 50, "variant": 40}), State.INACTIVE),
    (draft("Nowhere", points=0), State.INACTIVE),
    (draft("Nobody", {"only": 100, "ONLY": 0}, filter_mode="excludeAll"), State.INACTIVE),
    (draft("Goal", enrollment_goal=GoalDraft(users=5, groups=2), **GROUPS), State.INACTIVE),
    (draft("Running", inclusions=(ListDraft(kind="individual", members=("ann",)),)), State.ENROLLING),
    (draft("Schools", **GROUPS), State.ENROLLING),
    (draft("Used", site="s2"), State.ENROLLING),
    (draft("Over"), State.CANCELLED),
    (draft("Filed"), State.ARCHIVED),
    (draft("Twin"), State.INACTIVE),
    (draft("Twin"), State.INACTIVE),
)


@pytest.fixture(scope="module")
def app() -> Iterator[Any]:
    """A local service with an experiment of each kind."""
    made = create_app(None, known=CONTEXTS)

    async def fill() -> None:
        async with UpgradeClient("http://local/api", transport=httpx.ASGITransport(made)) as client:
            for each, state in MADE:
                experiment = await client.create(each)
                if state is not State.INACTIVE:
                    await client.set_state(experiment.id, state)
                if each.name == "Used":
                    await client.init("ann")
                    await client.mark("ann", "s2", "t1", experiment_id=experiment.id)

    asyncio.run(fill())
    yield made
    made.state.database.close()


async def checked(app: Any, action: str, params: Mapping[str, Any]) -> Checked:
    server = Server()
    async with UpgradeClient("http://local/api", transport=httpx.ASGITransport(app)) as server.client:
        return await resolve_order(server, action, params)


NEW = {
    "name": "New",
    "context": "maths",
    "conditions": [{"code": "control"}, {"code": "variant"}],
    "decision_points": [{"site": "s1", "target": "t1"}],
}
CREATE, UPDATE, STATUS = "create_experiment", "update_experiment", "update_experiment_status"
INIT, MARK, SIMULATE = "init_experiment_user", "mark_decision_point", "simulate_experiment"


def new(**fields: Any) -> dict[str, Any]:
    return {**NEW, **fields}


def of(name: str, **fields: Any) -> dict[str, Any]:
    return {"experiment_id": name, **fields}


def weights(*pairs: tuple[str, float | None]) -> list[dict[str, Any]]:
    return [{"code": code, "weight": weight} for code, weight in pairs]


def mark(**fields: Any) -> dict[str, Any]:
    condition = {"experiment_id": "Running", "condition_code": "control"}
    return {"user_id": "ann", "site": "s1", "target": "t1", "assigned_condition": condition, **fields}


@pytest.mark.parametrize(
    ("action", "params", "asked", "says"),
    [
        # Missing values are asked for; the conversations without a model show the order.
        (CREATE, new(unit="group"), "unit", ""),
        ("get_decision_point_assignments", {"user_id": "ann"}, "context", ""),
        (MARK, mark(site=None), "site", ""),
        (MARK, mark(assigned_condition={"experiment_id": "Running"}), "condition_code", ""),
        (SIMULATE, of("Running"), "users", ""),
        # Invalid values lead to the question for the related answer.
        (CREATE, new(context="nope"), "context", "There is no context 'nope'"),
        (CREATE, new(name="New\x07"), "name", "control characters"),
        (CREATE, new(tags=7), "tags", "tags: "),
        (CREATE, new(conditions=weights(("a", 60), ("b", 50))), "conditions", "add up to 110, not to 100"),
        (CREATE, new(conditions=weights(("a", 100), ("b", None))), "conditions", "leave nothing for 'b'"),
        (CREATE, new(conditions=weights(("a", 50), ("a", 50))), "conditions", "Each condition may stand there once"),
        (CREATE, new(conditions=weights(("a", 50), ("Default", 50))), "conditions", "can be called 'default'"),
        (CREATE, new(decision_points=NEW["decision_points"] * 2), "decision_points", "Each decision point may stand"),
        (CREATE, new(unit="individual", group="schoolId"), "unit", "Either users or groups are assigned"),
        (CREATE, new(unit="group", group="district"), "unit", "The context has no group type 'district'"),
        (CREATE, new(context="plain", unit="group"), "unit", "The context has no groups"),
        (CREATE, new(consistency="group"), "consistency", "Consistency by group needs groups"),
        (CREATE, new(post_rule="continue", revert_to="control"), "post_rule", "Under 'continue' users keep"),
        (CREATE, new(revert_to="third"), "post_rule", "Afterwards all would get 'third'"),
        (CREATE, new(include={"groups": [{"type": "x", "id": "1"}]}), "include", "The context has no group type"),
        (UPDATE, of("Nothing", new_name="N"), "experiment_id", "There is no experiment 'Nothing'"),
        (UPDATE, of("Twin", new_name="N"), "experiment_id", "2 experiments are called 'Twin'"),
        (UPDATE, of("Hints", conditions=[]), "conditions", "An experiment needs conditions."),
        (UPDATE, of("Running", uninclude={"users": ["bob"]}), "uninclude", "does not have 'bob'. It has 'ann'."),
        (UPDATE, of("Running", unexclude={"all": True}), "unexclude", "does not have anybody. Nobody is on it."),
        (INIT, {"user_id": "zoë"}, "user_id", "only plain ASCII"),
        (INIT, {"user_id": "a", "group": {"x": ["1"]}}, "group", "There is no group type 'x'"),
        (
            *(INIT, {"user_id": "a", "group": {"schoolId": ["n"]}, "working_group": {"schoolId": "s"}}, "group"),
            "would work in schoolId 's' without belonging to it",
        ),
        (MARK, mark(site="s2"), "site", "The experiment has no decision point 's2/t1'"),
        (
            *(MARK, mark(assigned_condition={"experiment_id": "Running", "condition_code": "x"}), "condition_code"),
            "The experiment 'Running' has no condition 'x'",
        ),
        (SIMULATE, of("Schools", users=5, groups=9), "users", "5 users cannot be in 9 groups"),
        (SIMULATE, of("Schools", users=0), "users", "users: "),
        # A contradictory request is final: nothing is asked.
        (UPDATE, of("Filed", new_name="N"), "", "what is archived is not changed"),
        (UPDATE, of("Hints", new_name="Hints"), "", "Nothing would change"),
        (STATUS, of("Running", status="enrolling"), "", "already"),
        (STATUS, of("Over", status="enrolling"), "", "nothing leads back"),
        (STATUS, of("Hints", status="enrollmentComplete"), "", 'It can become enrolling ("running"'),
        (STATUS, of("Nowhere", status="enrolling"), "", "it has no decision points"),
        (STATUS, of("Ninety", status="enrolling"), "", "add up to 90, not to 100. Correct the weights first."),
        (SIMULATE, of("Hints", users=5), "", "it has to be enrolling"),
        (SIMULATE, of("Running", users=5, groups=2), "", "'Running' assigns single users"),
    ],
)
async def test_what_does_not_fit_is_refused_with_the_reason_and_asked_for(
    app: Any, action: str, params: Mapping[str, Any], asked: str, says: str
) -> None:
    found = await checked(app, action, params)
    assert (found.asked, found.ready) == (asked, False)
    assert says in " ".join(sentence for _, sentence in found.problems)
    assert bool(found.final) == (not asked)


@pytest.mark.parametrize(
    ("action", "params", "cautions"),
    [
        (CREATE, new(name="hints"), ["1 experiment called 'Hints' already there"]),
        (CREATE, new(conditions=weights(("contrl", 100))), ["The nearest that it knows is 'control'", "one cond"]),
        (CREATE, new(conditions=weights(("control", 100), ("CONTROL", 0))), ["weight of 0"]),
        (CREATE, new(filter_mode="excludeAll"), ["nobody will be enrolled"]),
        (
            UPDATE,
            of("Used", conditions=weights(("control", 100)), unit="group", group="schoolId"),
            ["The condition 'variant' will be deleted", "those enrolled", "not be comparable"],
        ),
        (UPDATE, of("Over", new_name="N"), ["the change has no effect"]),
        (STATUS, of("Running", status="cancelled"), ["This cannot be undone"]),
        (STATUS, of("Hints", status="enrolling"), ["All users who have ever been at 's1/t1' will be excluded"]),
        (STATUS, of("Hints", status="enrolling"), ["'s1/t1' is also used by ", "'Running' (enrolling)"]),
        (CREATE, new(), ["'s1/t1' is also used by ", "'Running' (enrolling)", "a user gets at most one of them"]),
        (
            UPDATE,
            of("Hints", decision_points=NEW["decision_points"] + [{"site": "s2", "target": "t1"}]),
            ["'s2/t1' is"],
        ),
        (STATUS, of("Nobody", status="enrolling"), ["nobody will be enrolled", "weight of 0"]),
        (STATUS, of("Goal", status="enrolling"), ["at 's1/t1', with their groups, will", "after 2 groups of 5 users"]),
        (UPDATE, of("Used", exclude={"users": ["bob"]}), ["enrolled and excluded now gets the default condition"]),
        ("delete_experiment", of("Used"), ["its users lose their conditions", "The records of visits stay"]),
        ("delete_experiment", of("Running"), ["Its lists are deleted"]),
        (INIT, {"user_id": "a", "group": {"schoolId": ["n", "s"]}}, ["works in no group of the type 'schoolId'"]),
        (INIT, {"user_id": "ann", "working_group": {"schoolId": "n"}}, ["If the user worked in another group before"]),
        (INIT, {"user_id": "ann", "group": {"schoolId": ["n"]}}, ["These groups replace those that are stored"]),
        (MARK, mark(), ["A visit is never unrecorded"]),
        (MARK, mark(assigned_condition={"experiment_id": "Over", "condition_code": None}), ["nobody is enrolled by"]),
        (SIMULATE, of("Running", users=5), ["Simulated users are enrolled like real ones"]),
    ],
)
async def test_what_follows_from_an_action_is_said_before_the_yes(
    app: Any, action: str, params: Mapping[str, Any], cautions: list[str]
) -> None:
    found = await checked(app, action, params)
    assert (found.ready, found.asked) == (True, "")
    assert all(any(part in each for each in found.cautions) for part in cautions), found.cautions
    again = await checked(app, action, found.params)
    assert (again.params, again.cautions) == (found.params, found.cautions)


@pytest.mark.parametrize(
    ("action", "params", "rest"),
    [
        ("delete_experiment", of("Schools"), []),
        (
            UPDATE,
            of("Running", conditions=weights(("control", 60), ("new", 40))),
            ["know the condition 'new'", "'variant' will be deleted."],
        ),
        (UPDATE, of("Running", unit="group", group="schoolId"), []),
        (INIT, {"user_id": "nobody", "working_group": {"schoolId": "n"}}, []),
    ],
)
async def test_nothing_is_said_of_users_that_an_experiment_or_a_group_does_not_have(
    app: Any, action: str, params: Mapping[str, Any], rest: list[str]
) -> None:
    found = await checked(app, action, params)
    assert len(found.cautions) == len(rest), found.cautions
    assert all(part in each for part, each in zip(rest, found.cautions, strict=True))


# Performing actions


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    async with in_process(known=CONTEXTS) as (_, line):
        yield line


@pytest.fixture
def client(line: Line) -> UpgradeClient:
    return line.client


def at(method: str, path: str) -> Any:
    return lambda request: (request.method, path in request.url.path) == (method, True)


FULL = {**NEW, "conditions": weights(("control", 50), ("variant", 50)), "post_rule": "continue", "revert_to": None}
DONE, UNKNOWN, NOTHING = ("", True, False), ("api", False, False), ("api", False, True)
"""The type of the error, whether there is a result, and whether certainly nothing was done."""


def problems_of(outcome: Outcome) -> tuple[str, bool, bool]:
    return outcome.error_type, outcome.result is not None, outcome.nothing_done


async def existing(client: UpgradeClient, state: State = State.INACTIVE) -> Experiment:
    made = await client.create(draft("Hints"))
    return made if state is State.INACTIVE else await client.set_state(made.id, state)


@pytest.mark.parametrize(
    ("action", "place", "fault", "expected", "there"),
    [
        # The response to a write is lost: the state of the server decides.
        (CREATE, ("POST", "/experiments"), "lose", DONE, True),
        (STATUS, ("POST", "/state"), "lose", DONE, True),
        ("delete_experiment", ("DELETE", "/experiments"), "lose", DONE, False),
        # The request never arrived, which the client cannot know.
        (CREATE, ("POST", "/experiments"), "broken", UNKNOWN, False),
        (STATUS, ("POST", "/state"), "broken", UNKNOWN, True),
        ("delete_experiment", ("DELETE", "/experiments"), "broken", UNKNOWN, True),
        (UPDATE, ("PUT", "/experiments"), "broken", UNKNOWN, True),
        # The state cannot be read either.
        ("delete_experiment", ("DELETE", "/experiments"), "blind", UNKNOWN, False),
        # Without a connection, certainly nothing was done.
        (CREATE, ("POST", "/experiments"), "cut", NOTHING, False),
        (STATUS, ("POST", "/state"), "cut", NOTHING, True),
        ("delete_experiment", ("DELETE", "/experiments"), "cut", NOTHING, True),
        (UPDATE, ("PUT", "/experiments"), "cut", NOTHING, True),
    ],
)
async def test_a_failed_write_is_checked_before_it_is_reported(
    client: UpgradeClient,
    line: Line,
    action: str,
    place: tuple[str, str],
    fault: str,
    expected: tuple[str, bool, bool],
    there: bool,
) -> None:
    params: dict[str, Any] = FULL
    if action != CREATE:
        params = {"experiment_id": (await existing(client)).id, "status": "enrolling", "description": "new"}
    setattr(line, "lose" if fault == "blind" else fault, at(*place))
    if fault == "blind":
        line.cut = lambda request: request.method == "GET" and "DELETE" in "".join(line.sent)
    outcome = await execute(client, action, params, key="k", begun=False)
    assert problems_of(outcome) == expected, outcome.error
    line.cut = line.broken = line.lose = lambda _request: False
    assert bool(await client.names()) == there
    if expected != DONE:
        again = await execute(client, action, params, key="k", begun=True)
        assert problems_of(again) == DONE


async def test_finished_steps_are_reported(client: UpgradeClient, line: Line) -> None:
    params = {**FULL, "post_rule": "assign", "revert_to": "variant"}
    line.broken = at("PUT", "/experiments")
    outcome = await execute(client, CREATE, params, key="k", begun=False)
    assert outcome.result is not None
    assert "It was created, but its rule for when it is paused was not set." in outcome.error
    line.broken = at("POST", "/exclusionList")
    changes = {"description": "new", "include": {"users": ["ann"]}, "exclude": {"groups": [{"type": "x", "id": "1"}]}}
    changed = {"experiment_id": outcome.result["experiment_id"], **changes}
    outcome = await execute(client, UPDATE, changed, key="u", begun=False)
    assert outcome.result is not None
    assert outcome.result["changed"] == ["description", "include"]
    assert outcome.error.startswith("Only a part was changed (description, include).")
    line.broken = lambda _request: False
    emptied = {**changed, "uninclude": {"users": [], "groups": [], "all": True}, "include": {}}
    outcome = await execute(client, UPDATE, emptied, key="v", begun=False)
    now = await client.experiment(changed["experiment_id"])
    assert (outcome.error, now.inclusions, [each.groups[0].id for each in now.exclusions]) == ("", (), ["1"])


@pytest.mark.parametrize(("begun", "expected"), [(True, DONE), (False, ("not_found", False, True))])
async def test_what_is_gone_was_deleted_where_it_was_begun(
    client: UpgradeClient, begun: bool, expected: tuple[str, bool, bool]
) -> None:
    params = {"experiment_id": "5f914ce4-fa5c-48d7-99f5-853426a27082"}
    assert problems_of(await execute(client, "delete_experiment", params, key="k", begun=begun)) == expected


async def test_a_state_that_it_has_already_is_no_change_and_one_that_it_cannot_have_is_refused(
    client: UpgradeClient,
) -> None:
    found = await existing(client, State.CANCELLED)
    for status, expected, says in (
        ("cancelled", DONE, ""),
        ("enrolling", ("validation", False, False), "has changed since you were asked"),
    ):
        outcome = await execute(client, STATUS, {"experiment_id": found.id, "status": status}, key="k", begun=True)
        assert (problems_of(outcome), says in outcome.error) == (expected, True)


@pytest.mark.parametrize(
    ("action", "params", "example"),
    [
        (CREATE, {"name": "New", "context": "maths"}, "For example: control 50, variant 50"),
        (UPDATE, of("Nobody", conditions=[]), "For example: only 50, ONLY 50"),
        (CREATE, {**NEW, "decision_points": None}, "For example: s1/t1"),
        (CREATE, new(include={"groups": [{"type": "x", "id": "1"}]}), "For example: ann, schoolId:1"),
        (INIT, {"user_id": "a", "group": {"x": ["1"]}}, "For example: schoolId:1, classId:1"),
        (CREATE, new(context="single", exclude={"groups": [{"type": "x", "id": "1"}]}), "ann, schoolId:1"),
        (CREATE, new(name="New\x07"), ""),
    ],
)
async def test_an_example_of_a_format_has_names_of_the_context_or_experiment(
    app: Any, action: str, params: Mapping[str, Any], example: str
) -> None:
    note = note_for(await checked(app, action, params))
    assert example in note
    assert ("For example" in note) == bool(example)
