"""The client against the local service: what is written is what is read again, in the client's own words."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from upgrade_client_support import SECRET, failure, listening

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.connecting import connect
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
from graphwright.agents.upgrade.client.failures import Invalid, LocalServiceFailed, NotFound, Unauthorized
from graphwright.agents.upgrade.client.settings import UpgradeSettings
from graphwright.agents.upgrade.client.tokens import GivenToken
from graphwright_upgrade_server.app import create_app
from graphwright_upgrade_server.routing import Access

CONTEXT = "maths-practice"
SITE, TARGET = "show-problem", "fractions-intro"


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[UpgradeClient]:
    async with connect(UpgradeSettings(), tmp_path) as made:
        yield made


@pytest.fixture(params=["local service", "strict"])
async def client(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[UpgradeClient]:
    """A client of the local service as it is, and of one with all flaws of a real server."""
    if request.param == "local service":
        async with connect(UpgradeSettings(), tmp_path) as made:
            yield made
        return
    app = create_app(None, strict=True)
    async with UpgradeClient("http://strict.example/api", transport=httpx.ASGITransport(app=app)) as made:
        yield made
    app.state.database.close()


def draft(name: str = "Hints first", target: str = TARGET, **more: object) -> ExperimentDraft:
    conditions = (ConditionDraft(code="control", weight=50), ConditionDraft(code="hint-first", weight=50))
    return ExperimentDraft.model_validate(
        {
            "name": name,
            "context": CONTEXT,
            "conditions": conditions,
            "decision_points": (DecisionPointDraft(site=SITE, target=target),),
            **more,
        }
    )


# which server


async def test_without_an_address_the_client_talks_to_the_local_service_and_says_so(
    local: UpgradeClient, tmp_path: Path
) -> None:
    assert local.local
    assert (local.where, local.place) == ("the local service", str(tmp_path / "upgrade" / "upgrade.db"))
    health = await local.health()
    assert "local" in health.name
    assert await local.version() == health.version
    assert [each.context for each in await local.global_segments()] == sorted(await local.contexts())


async def test_what_was_written_is_there_the_next_time(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        made = await client.create(draft())
    async with connect(UpgradeSettings(), tmp_path) as client:
        assert [(each.id, each.name) for each in await client.names()] == [(made.id, "Hints first")]


async def test_with_an_address_the_client_talks_to_that_server(tmp_path: Path) -> None:
    with listening(create_app(None)) as url:
        settings = UpgradeSettings.from_environment({"UPGRADE_API_URL": url})
        async with connect(settings, tmp_path) as client:
            assert not client.local
            assert client.place == f"{url}/api"
            await client.create(draft())
            assert len(await client.names()) == 1
    assert not (tmp_path / "upgrade").exists()


async def test_the_local_service_takes_its_contexts_from_the_data_folder(tmp_path: Path) -> None:
    file = tmp_path / "upgrade" / "contexts.yaml"
    file.parent.mkdir()
    lists = "{CONDITIONS: [a, b], GROUP_TYPES: [classId], EXP_IDS: [t], EXP_POINTS: [s]}"
    file.write_text(f"contextMetadata:\n  our-app: {lists}\n", "utf-8")
    async with connect(UpgradeSettings(), tmp_path) as client:
        contexts = await client.contexts()
    assert set(contexts) == {"our-app"}
    assert contexts["our-app"].group_types == ("classId",)
    file.write_text("contextMetadata:\n  our-app: 3\n", "utf-8")
    with pytest.raises(LocalServiceFailed, match=r"contexts\.yaml:2"):
        async with connect(UpgradeSettings(), tmp_path):
            pass


async def test_a_database_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "upgrade" / "upgrade.db"
    file.parent.mkdir()
    file.write_text("this is no database, and nothing of it may be lost" * 100, "utf-8")
    with pytest.raises(LocalServiceFailed, match=r"upgrade\.db"):
        async with connect(UpgradeSettings(), tmp_path):
            pass
    assert file.read_text("utf-8").startswith("this is no database")


# experiments


async def test_an_experiment_is_created_as_it_was_drafted(client: UpgradeClient) -> None:
    control, hints = ConditionDraft(code="control", weight=30), ConditionDraft(code="hint-first", weight=70)
    point = DecisionPointDraft(site=SITE, target=TARGET, exclude_if_reached=True)
    made = await client.create(
        ExperimentDraft(
            id="0a9cf27e-4f41-4a43-9b02-0f5bb9b14b4b",
            name="Hints first",
            description="Do hints help?",
            context=CONTEXT,
            assignment_unit="group",
            consistency_rule="group",
            group="schoolId",
            filter_mode="excludeAll",
            tags=("pilot", "maths"),
            enrollment_goal=GoalDraft(users=100, groups=5),
            conditions=(control, hints),
            decision_points=(point,),
            payloads=(PayloadDraft(condition_id=hints.id, decision_point_id=point.id, value="try it"),),
            inclusions=(ListDraft(kind="schoolId", members=("north", "south")),),
            exclusions=(ListDraft(kind="individual", members=("ann",), name="testers"),),
        )
    )
    assert made == await client.experiment("0a9cf27e-4f41-4a43-9b02-0f5bb9b14b4b")
    assert (made.name, made.description, made.context, made.state) == (
        "Hints first",
        "Do hints help?",
        CONTEXT,
        State.INACTIVE,
    )
    assert (made.assignment_unit, made.consistency_rule, made.group) == ("group", "group", "schoolId")
    assert (made.filter_mode, made.tags, made.post_experiment_rule) == ("excludeAll", ("pilot", "maths"), "continue")
    assert made.enrollment_goal is not None
    assert (made.enrollment_goal.users, made.enrollment_goal.groups) == (100, 5)
    assert [(each.code, each.weight) for each in made.conditions] == [("control", 30), ("hint-first", 70)]
    # A server that keeps sent ids dies of one that it has already.
    assert not {control.id, hints.id} & {each.id for each in made.conditions}
    (shown,) = made.decision_points
    assert (shown.site, shown.target, shown.exclude_if_reached) == (SITE, TARGET, True)
    (payload,) = made.payloads
    assert (payload.value, payload.condition_id, payload.decision_point_id) == (
        "try it",
        made.conditions[1].id,
        shown.id,
    )
    assert [(each.kind, [group.id for group in each.groups]) for each in made.inclusions] == [
        ("schoolId", ["north", "south"])
    ]
    assert [(each.name, each.kind, each.users) for each in made.exclusions] == [("testers", "individual", ("ann",))]


async def test_an_id_that_is_taken_is_refused_before_anything_is_sent(client: UpgradeClient) -> None:
    made = await client.create(draft(id=str(uuid.uuid4())))
    await client.set_state(made.id, State.ENROLLING)
    error = await failure(client.create(draft("Another", id=made.id)), Invalid, "exists")
    assert error.done is False
    assert made.name in error.message
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


async def test_numbers_of_an_experiment_that_is_gone_are_not_found(client: UpgradeClient) -> None:
    made = await client.create(draft())
    await client.delete(made.id)
    await failure(client.enrollment(made.id), NotFound, "not_found")


async def test_a_search_for_nothing_finds_all_and_one_for_no_id_is_refused(client: UpgradeClient) -> None:
    made = await client.create(draft())
    assert (await client.page(search=("name", ""))).total == 1
    assert (await client.page(search=("id", made.id))).total == 1
    await failure(client.page(search=("id", "Hints first")), Invalid, "bad_id")


async def test_a_payload_of_a_condition_that_is_not_drafted_is_refused(client: UpgradeClient) -> None:
    stray = PayloadDraft(condition_id=str(uuid.uuid4()), value="x")
    await failure(client.create(draft(payloads=(stray,))), Invalid, "bad_id")
    assert await client.names() == ()


async def test_an_update_changes_what_is_given_and_keeps_the_rest(client: UpgradeClient) -> None:
    made = await client.create(
        draft(tags=("pilot",), description="Do hints help?", exclusions=(ListDraft(kind="individual", members=("u",)),))
    )
    control, hints = made.conditions
    changes = ExperimentChanges(
        name="Hints at once",
        post_experiment_rule="assign",
        revert_to=hints.id,
        conditions=(
            ConditionDraft(id=hints.id, code="hint-first", weight=60),
            ConditionDraft(id=control.id, code="control", weight=20),
            ConditionDraft(code="worked-example", weight=20),
        ),
    )
    found = await client.update(made.id, changes)
    assert (found.name, found.tags, found.description) == ("Hints at once", ("pilot",), "Do hints help?")
    assert (found.post_experiment_rule, found.revert_to) == ("assign", hints.id)
    assert [(each.code, each.weight) for each in found.conditions] == [
        ("hint-first", 60),
        ("control", 20),
        ("worked-example", 20),
    ]
    assert found.conditions[0].id == hints.id
    assert found.exclusions == made.exclusions
    assert found.decision_points == made.decision_points
    cleared = await client.update(made.id, ExperimentChanges(tags=(), revert_to=None, description=""))
    assert (cleared.tags, cleared.revert_to, cleared.description, cleared.name) == ((), "", "", "Hints at once")
    assert cleared.post_experiment_rule == "assign"


async def test_states_are_spoken_of_by_their_internal_names(client: UpgradeClient) -> None:
    made = await client.create(draft())
    for state in (State.ENROLLING, State.ENROLLMENT_COMPLETE, State.CANCELLED, State.ARCHIVED):
        assert (await client.set_state(made.id, state)).state is state
    (summary,) = (await client.page()).experiments
    assert summary.state is State.ARCHIVED
    (whole,) = await client.experiments()
    assert [change.after for change in whole.state_changes] == [
        State.ENROLLING,
        State.ENROLLMENT_COMPLETE,
        State.CANCELLED,
        State.ARCHIVED,
    ]


async def test_a_deleted_experiment_is_gone(client: UpgradeClient) -> None:
    made = await client.create(draft())
    await client.delete(made.id)
    for call in (
        client.experiment(made.id),
        client.delete(made.id),
        client.update(made.id, ExperimentChanges(name="x")),
        client.set_state(made.id, State.ENROLLING),
        client.add_list(made.id, "inclusion", ListDraft(kind="individual", members=("u",))),
    ):
        error = await failure(call, NotFound, "not_found")
        assert made.id in error.message


async def test_a_page_holds_what_was_searched_for_in_the_order_that_was_asked_for(client: UpgradeClient) -> None:
    for name in ("beta", "alpha", "gamma"):
        await client.create(draft(name))
    page = await client.page(1, 1, sort=("name", "ASC"))
    assert (page.total, [each.name for each in page.experiments]) == (3, ["beta"])
    found = await client.page(search=("name", "amm"))
    assert [each.name for each in found.experiments] == ["gamma"]


async def test_lists_are_added_replaced_and_deleted(client: UpgradeClient) -> None:
    made = await client.create(draft())
    people = await client.add_list(
        made.id, "inclusion", ListDraft(kind="individual", members=("u1", "u2"), name="class")
    )
    schools = await client.add_list(made.id, "exclusion", ListDraft(kind="schoolId", members=("north",)))
    assert (people.name, people.users) == ("class", ("u1", "u2"))
    found = await client.experiment(made.id)
    assert (found.inclusions, found.exclusions) == ((people,), (schools,))
    replaced = await client.replace_list(made.id, "inclusion", people.id, ListDraft(kind="individual", members=("u9",)))
    assert (replaced.id, replaced.name, replaced.users) == (people.id, "class", ("u9",))
    await client.delete_list(made.id, "exclusion", schools.id)
    assert (await client.experiment(made.id)).exclusions == ()
    for call in (
        client.delete_list(made.id, "exclusion", schools.id),
        client.replace_list(made.id, "inclusion", schools.id, ListDraft(kind="individual", members=("u",))),
        # There is such a list, but on the other side.
        client.replace_list(made.id, "exclusion", people.id, ListDraft(kind="individual", members=("u",))),
    ):
        await failure(call, NotFound, "not_found")


async def test_members_are_put_on_a_side_and_taken_off_it(client: UpgradeClient) -> None:
    def people(*users: str) -> tuple[ListDraft, ...]:
        return (ListDraft(kind="individual", members=users),)

    made = await client.put_on(await client.create(draft()), "inclusion", people("u1", "u2"))
    made = await client.put_on(made, "inclusion", people("u2", "u3"))
    assert {each.users for each in made.inclusions} == {("u1", "u2"), ("u3",)}
    made = await client.take_off(made, "inclusion", people("u1", "u3"))
    assert [each.users for each in made.inclusions] == [("u2",)]
    assert (await client.take_off(made, "inclusion", (), everybody=True)).inclusions == ()


async def test_ten_thousand_users_are_put_on_a_list_and_read_again(client: UpgradeClient) -> None:
    users = tuple(f"student-{number:05}@school.example" for number in range(10_000))
    made = await client.create(draft())
    await client.add_list(made.id, "inclusion", ListDraft(kind="individual", members=users))
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
    by_code = {each.id: each.users for each in detail.conditions}
    assert by_code[here.condition.id] == 1
    assert [(each.id, each.users) for each in await client.enrollments([made.id])] == [(made.id, 1)]


async def test_a_user_for_whom_the_condition_was_not_applied_is_excluded_for_good(client: UpgradeClient) -> None:
    made = await client.create(draft())
    await client.set_state(made.id, State.ENROLLING)
    await client.init("ann")
    await client.mark("ann", SITE, TARGET, experiment_id=made.id, status="condition not applied", client_error="down")
    assert await client.assign("ann", CONTEXT) == ()
    (excluded,) = await client.exclusions()
    assert (excluded.user_id, excluded.experiment_id) == ("ann", made.id)
    assert excluded.reason


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
    assert "bob" in error.message
    assert "nitialise" in error.hint
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
    codes = {assignment.condition.code for each in found for assignment in each}
    assert codes == {"control", "hint-first"}
    await asyncio.gather(*(client.mark(user, SITE, TARGET, experiment_id=made.id) for user in users))
    assert (await client.enrollment(made.id)).users == 40


# signing in


async def test_a_server_that_demands_tokens_gets_them(tmp_path: Path) -> None:
    app = create_app(None, access=Access(admin_token=SECRET, client_key="key", client_secret=SECRET))
    with listening(app) as url:
        async with UpgradeClient(f"{url}/api") as nobody:
            await nobody.health()
            await failure(nobody.names(), Unauthorized, "auth")
        async with UpgradeClient(f"{url}/api", admin=GivenToken("another")) as stranger:
            await failure(stranger.names(), Unauthorized, "auth")
        environment = {
            "UPGRADE_API_URL": url,
            "UPGRADE_AUTH_TOKEN": SECRET,
            "UPGRADE_CLIENT_API_KEY": "key",
            "UPGRADE_CLIENT_API_SECRET": SECRET,
        }
        async with connect(UpgradeSettings.from_environment(environment), tmp_path) as client:
            assert await client.names() == ()
            assert (await client.init("ann")).id == "ann"


async def test_the_sample_of_the_documentation_is_harmless_when_it_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path))
    page = (Path(__file__).parent.parent / "docs" / "upgrade.md").read_text("utf-8")
    (sample,) = (block.partition("```")[0] for block in page.split("```python\n")[1:] if "asyncio.run" in block)
    for _ in range(2):
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", sample], capture_output=True, text=True, timeout=120
        )
        assert (done.returncode, done.stdout) == (0, "the local service enrolling control\n1\n"), done.stderr
    async with connect(UpgradeSettings(), tmp_path) as client:
        (experiment,) = await client.experiments()
        assert [(each.code, each.weight) for each in experiment.conditions] == [("control", 50), ("hint-first", 50)]
        assert len(experiment.exclusions) == 1
