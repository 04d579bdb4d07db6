"""The client against the local service: what is written is what is read again, in the client's own words."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

import httpx
import pytest
from upgrade_client_support import SECRET, failure

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    GoalDraft,
    ListDraft,
    PayloadDraft,
)
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.client.failures import Invalid, NotFound, Unauthorized
from graphwright.agents.upgrade.client.tokens import ClientToken, GivenToken
from graphwright_upgrade_server.app import create_app
from graphwright_upgrade_server.routing import Access

CONTEXT = "maths-practice"
SITE, TARGET = "show-problem", "fractions-intro"
ADDRESS = "http://local.example/api"


@pytest.fixture(params=[False, True], ids=["kind", "strict"])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[UpgradeClient]:
    """A client of the local service as it is, and of one with all flaws of a real server."""
    app = create_app(None, strict=request.param)
    async with UpgradeClient(ADDRESS, transport=httpx.ASGITransport(app=app)) as made:
        yield made
    app.state.database.close()


def draft(name: str = "Hints first", target: str = TARGET, **more: object) -> ExperimentDraft:
    conditions = (ConditionDraft(code="control", weight=50), ConditionDraft(code="hint-first", weight=50))
    points = (DecisionPointDraft(site=SITE, target=target),)
    given = {"name": name, "context": CONTEXT, "conditions": conditions, "decision_points": points, **more}
    return ExperimentDraft.model_validate(given)


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
            payloads=(PayloadDraft(condition_id=hints.id, decision_point_id=point.id, value="try it"),),
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
    # A server that keeps sent ids dies of one that it has already.
    assert not {control.id, hints.id} & {each.id for each in made.conditions}
    (shown,), (payload,), ((included,), (excluded,)) = (
        made.decision_points,
        made.payloads,
        (made.inclusions, made.exclusions),
    )
    assert (shown.site, shown.target, shown.exclude_if_reached) == (SITE, TARGET, True)
    assert (payload.value, payload.condition_id, payload.decision_point_id) == (
        "try it",
        made.conditions[1].id,
        shown.id,
    )
    assert (included.kind, [group.id for group in included.groups]) == ("schoolId", ["north", "south"])
    assert (excluded.name, excluded.kind, excluded.users) == ("testers", "individual", ("ann",))


async def test_an_id_that_is_taken_is_refused_before_anything_is_sent(client: UpgradeClient) -> None:
    made = await client.create(draft(id=str(uuid.uuid4())))
    await client.set_state(made.id, State.ENROLLING)
    error = await failure(client.create(draft("Another", id=made.id)), Invalid, "exists")
    assert (error.done, made.name in error.message) == (False, True)
    found = await client.experiment(made.id)
    assert (found.name, found.state, len(found.conditions)) == ("Hints first", State.ENROLLING, 2)


async def test_a_payload_for_all_points_is_sent_for_each_and_kept_by_an_update(client: UpgradeClient) -> None:
    control, hints = ConditionDraft(code="control", weight=50), ConditionDraft(code="hint-first", weight=50)
    points = tuple(DecisionPointDraft(site=SITE, target=target) for target in (TARGET, "linear-equations"))
    payloads = (
        PayloadDraft(condition_id=hints.id, value="everywhere"),
        PayloadDraft(condition_id=hints.id, decision_point_id=points[1].id, value="here"),
    )
    made = await client.create(draft(conditions=(control, hints), decision_points=points, payloads=payloads))
    there = {each.decision_point_id: each.value for each in made.payloads}
    assert there == {made.decision_points[0].id: "everywhere", made.decision_points[1].id: "here"}
    changed = await client.update(made.id, ExperimentChanges(name="Renamed"))
    assert there.items() <= {e.decision_point_id: e.value for e in changed.payloads if e.value != "control"}.items()
    all_points = (PayloadDraft(condition_id=made.conditions[1].id, value="again"),)
    changed = await client.update(made.id, ExperimentChanges(payloads=all_points))
    assert [each.value for each in changed.payloads].count("again") == 2
    stray = PayloadDraft(condition_id=str(uuid.uuid4()), value="x")
    await failure(client.create(draft(payloads=(stray,))), Invalid, "bad_id")


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
    cleared = await client.update(made.id, ExperimentChanges(tags=(), revert_to=None, description=""))
    assert (cleared.tags, cleared.revert_to, cleared.description, cleared.name) == ((), "", "", "Hints at once")
    assert cleared.post_experiment_rule == "assign"


async def test_states_are_spoken_of_by_their_internal_names(client: UpgradeClient) -> None:
    made = await client.create(draft())
    states = [State.ENROLLING, State.ENROLLMENT_COMPLETE, State.CANCELLED, State.ARCHIVED]
    for state in states:
        assert (await client.set_state(made.id, state)).state is state
    (summary,) = (await client.page()).experiments
    (whole,) = await client.experiments()
    assert summary.state is State.ARCHIVED
    assert [change.after for change in whole.state_changes] == states


async def test_a_deleted_experiment_is_gone(client: UpgradeClient) -> None:
    made = await client.create(draft())
    await client.delete(made.id)
    for call in (
        client.experiment(made.id),
        client.delete(made.id),
        client.update(made.id, ExperimentChanges(name="x")),
        client.set_state(made.id, State.ENROLLING),
        client.add_list(made.id, "inclusion", people("u")),
    ):
        assert made.id in (await failure(call, NotFound, "not_found")).message
    await failure(client.enrollment(made.id), NotFound, "not_found")


async def test_a_page_holds_what_was_searched_for_in_the_order_that_was_asked_for(client: UpgradeClient) -> None:
    ids = [(await client.create(draft(name))).id for name in ("beta", "alpha", "gamma")]
    page = await client.page(1, 1, sort=("name", "ASC"))
    assert (page.total, [each.name for each in page.experiments]) == (3, ["beta"])
    found = await client.page(search=("name", "amm"))
    assert [each.name for each in found.experiments] == ["gamma"]
    assert (await client.page(search=("name", ""))).total == 3
    assert (await client.page(search=("id", ids[0]))).total == 1
    await failure(client.page(search=("id", "beta")), Invalid, "bad_id")


# lists


async def test_lists_are_added_replaced_and_deleted(client: UpgradeClient) -> None:
    made = await client.create(draft())
    users = await client.add_list(made.id, "inclusion", people("u1", "u2", name="class"))
    schools = await client.add_list(made.id, "exclusion", ListDraft(kind="schoolId", members=("north",)))
    assert (users.name, users.users) == ("class", ("u1", "u2"))
    found = await client.experiment(made.id)
    assert (found.inclusions, found.exclusions) == ((users,), (schools,))
    replaced = await client.replace_list(made.id, "inclusion", users.id, people("u9"))
    assert (replaced.id, replaced.name, replaced.users) == (users.id, "class", ("u9",))
    await client.delete_list(made.id, "exclusion", schools.id)
    assert (await client.experiment(made.id)).exclusions == ()
    for call in (
        client.delete_list(made.id, "exclusion", schools.id),
        client.replace_list(made.id, "inclusion", schools.id, people("u")),
        # There is such a list, but on the other side.
        client.replace_list(made.id, "exclusion", users.id, people("u")),
    ):
        await failure(call, NotFound, "not_found")


async def test_members_are_put_on_a_side_and_taken_off_it(client: UpgradeClient) -> None:
    made = await client.put_on(await client.create(draft()), "inclusion", (people("u1", "u2"),))
    made = await client.put_on(made, "inclusion", (people("u2", "u3"),))
    assert {each.users for each in made.inclusions} == {("u1", "u2"), ("u3",)}
    made = await client.take_off(made, "inclusion", (people("u1", "u3"),))
    assert [each.users for each in made.inclusions] == [("u2",)]
    assert (await client.take_off(made, "inclusion", (), everybody=True)).inclusions == ()


async def test_ten_thousand_users_are_put_on_a_list_and_read_again(client: UpgradeClient) -> None:
    users = tuple(f"student-{number:05}@school.example" for number in range(10_000))
    made = await client.create(draft())
    await client.add_list(made.id, "inclusion", people(*users))
    (found,) = (await client.experiment(made.id)).inclusions
    assert set(found.users) == set(users)


# users


async def test_a_user_is_assigned_marked_and_counted(client: UpgradeClient) -> None:
    made = await client.create(draft())
    other = await client.create(draft("Other", "linear-equations"))
    for id in (made.id, other.id):
        await client.set_state(id, State.ENROLLING)
    await client.init("ann")
    found = await client.assign("ann", CONTEXT)
    assert {each.condition.experiment_id for each in found} == {made.id, other.id}
    (here,) = await client.assign("ann", CONTEXT, SITE, TARGET)
    assert await client.assign("ann", CONTEXT, "give-hint") == ()
    marked = await client.mark("ann", SITE, TARGET, code=here.condition.code, experiment_id=made.id)
    assert (marked.user_id, marked.condition, marked.experiment_id) == ("ann", here.condition.code, made.id)
    detail = await client.enrollment(made.id)
    assert (detail.users, detail.users_excluded) == (1, 0)
    assert {each.id: each.users for each in detail.conditions}[here.condition.id] == 1
    assert [(each.id, each.users) for each in await client.enrollments([made.id])] == [(made.id, 1)]
    await client.init("bob")
    await client.mark("bob", SITE, TARGET, experiment_id=made.id, status="condition not applied", client_error="down")
    assert await client.assign("bob", CONTEXT, SITE, TARGET) == ()
    (excluded,) = await client.exclusions()
    assert (excluded.user_id, excluded.experiment_id, bool(excluded.reason)) == ("bob", made.id, True)


async def test_groups_and_aliases_of_a_user(client: UpgradeClient) -> None:
    user = await client.init("ann", {"schoolId": ["north"], "classId": ["c1", "c2"]}, {"schoolId": "north"})
    assert user.groups == {"schoolId": ("north",), "classId": ("c1", "c2")}
    assert user.working_groups == {"schoolId": "north"}
    assert (await client.set_groups("ann", {"schoolId": ["south"]})).groups == {"schoolId": ("south",)}
    assert (await client.set_working_groups("ann", {"schoolId": "south"})).working_groups == {"schoolId": "south"}
    assert (await client.set_aliases("ann", ["annie"])).aliases == ("annie",)
    again = await client.init("annie")
    assert (again.id, again.groups) == ("ann", {"schoolId": ("south",)})


async def test_unknown_users_contexts_and_conditions_have_names_of_their_own(client: UpgradeClient) -> None:
    made = await client.create(draft())
    error = await failure(client.assign("bob", CONTEXT), NotFound, "unknown_user")
    assert ("bob" in error.message, "nitialise" in error.hint) == (True, True)
    await failure(client.mark("bob", SITE, TARGET), NotFound, "unknown_user")
    await failure(client.set_groups("bob", {}), NotFound, "unknown_user")
    await client.init("bob")
    await failure(client.assign("bob", CONTEXT.upper()), Invalid, "unknown_context")
    await failure(client.mark("bob", SITE, TARGET, code="nope", experiment_id=made.id), Invalid, "unknown_condition")
    await failure(client.create(draft(context="nope")), Invalid, "invalid")
    for call in (client.mark("bob", "", TARGET), client.create(draft(name=""))):
        assert (await failure(call, Invalid, "invalid")).status == 400


async def test_many_calls_go_at_once(client: UpgradeClient) -> None:
    made = await client.create(draft())
    await client.set_state(made.id, State.ENROLLING)
    users = [f"u{number}" for number in range(40)]
    await asyncio.gather(*(client.init(user) for user in users))
    found = await asyncio.gather(*(client.assign(user, CONTEXT) for user in users))
    assert {assignment.condition.code for each in found for assignment in each} == {"control", "hint-first"}
    await asyncio.gather(*(client.mark(user, SITE, TARGET, experiment_id=made.id) for user in users))
    assert (await client.enrollment(made.id)).users == 40


async def test_a_server_that_demands_tokens_gets_them() -> None:
    app = create_app(None, access=Access(admin_token=SECRET, client_key="key", client_secret=SECRET))
    line = httpx.ASGITransport(app=app)
    async with UpgradeClient(ADDRESS, transport=line) as nobody:
        await nobody.health()
        await failure(nobody.names(), Unauthorized, "auth")
    async with UpgradeClient(ADDRESS, transport=line, admin=GivenToken("another")) as stranger:
        await failure(stranger.names(), Unauthorized, "auth")
    tokens = {"admin": GivenToken(SECRET), "client": ClientToken("key", SECRET)}
    async with UpgradeClient(ADDRESS, transport=line, **tokens) as client:
        assert await client.names() == ()
        assert (await client.init("ann")).id == "ann"
    app.state.database.close()
