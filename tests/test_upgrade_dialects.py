"""The client reads what real servers answered, in both dialects, and sends what they were sent."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from upgrade_client_support import Pair, Scripted, golden, json_response, listening_server, server

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.dialects import dialect_of
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
    PayloadDraft,
    Side,
)
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.client.failures import (
    BadAnswer,
    Invalid,
    NotFound,
    ServerFailed,
    Unauthorized,
    UpgradeError,
)

__all__ = ["listening_server", "server"]

OLD, NEW = golden("6.2"), golden("6.4")


@pytest.fixture
async def client(server: Scripted) -> AsyncIterator[UpgradeClient]:
    async with UpgradeClient(server.url) as made:
        yield made


def play(server: Scripted, pair: Pair) -> None:
    """Let the server answer the pair's request as the real one did."""
    if pair.content_type.startswith("text/html"):
        server.text(pair.method, pair.path, pair.answer, pair.status)
    else:
        server.json(pair.method, pair.path, pair.answer, pair.status)
    if pair.path:
        server.health("6.2.0" if pair.dialect == "6.2" else "6.4.0")


def shown_as(server: Scripted, id: str, pair: Pair, **changes: Any) -> None:
    """Let the server show the experiment of a pair under an id."""
    server.json("GET", f"/experiments/single/{id}", {**pair.answer, "id": id, **changes})


def draft_of(body: dict[str, Any]) -> ExperimentDraft:
    """The draft that a recorded body stands for."""
    return ExperimentDraft(
        name=body.get("name", "x"),
        context=body["context"][0],
        assignment_unit=body["assignmentUnit"],
        consistency_rule=body["consistencyRule"],
        group=body.get("group"),
        post_experiment_rule=body["postExperimentRule"],
        revert_to=body.get("revertTo"),
        filter_mode=body["filterMode"],
        conditions=tuple(
            ConditionDraft(
                id=each["id"],
                code=each["conditionCode"],
                weight=each["assignmentWeight"],
                name=each["name"],
                description=each.get("description", ""),
            )
            for each in body["conditions"]
        ),
        decision_points=tuple(
            DecisionPointDraft(
                id=each["id"],
                site=each["site"],
                target=each["target"],
                exclude_if_reached=each["excludeIfReached"],
            )
            for each in body["partitions"]
        ),
        payloads=tuple(
            PayloadDraft(
                condition_id=each["parentCondition"], decision_point_id=each["decisionPoint"], **each["payload"]
            )
            for each in body.get("conditionPayloads", ())
        ),
        inclusions=lists_of(body.get("experimentSegmentInclusion")),
        exclusions=lists_of(body.get("experimentSegmentExclusion")),
    )


def lists_of(found: Any) -> tuple[ListDraft, ...]:
    drafts = []
    for each in found if isinstance(found, list) else [found] if found else []:
        segment = each["segment"]
        drafts += [ListDraft(kind="individual", members=(user["userId"],)) for user in segment["individualForSegment"]]
        drafts += [ListDraft(kind=group["type"], members=(group["groupId"],)) for group in segment["groupForSegment"]]
    return tuple(drafts)


def named(value: Any, names: dict[str, str] | None = None) -> Any:
    """The value with every id replaced by a name, by first appearance, and without what no client need send."""
    names = {} if names is None else names
    if isinstance(value, dict):
        return {key: named(value[key], names) for key in sorted(value)}
    if isinstance(value, list):
        return [named(each, names) for each in value]
    try:
        uuid.UUID(value)
    except (ValueError, AttributeError, TypeError):
        return value
    return names.setdefault(value, f"id {len(names)}")


# calls, as the client makes them for the request of a pair


async def health(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.health()
    assert (found.name, found.version) == ("A/B Testing Backend", "6.4.0")


async def contexts(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.contexts()
    assert set(found) == {"mathstream", "livehint-ai", "assign-prog"}
    assert found["assign-prog"].sites == ("SelectSection",)
    assert found["assign-prog"].targets == ("absolute_value_plot_equality", "analyzing_step_functions")
    assert found["assign-prog"].conditions == ("control", "variant")
    assert found["mathstream"].group_types == ("schoolId", "classId", "instructorId")


async def create(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    draft = draft_of(pair.sent)
    if pair.status == 200:
        pairs = OLD if pair.dialect == "6.2" else NEW
        shown = NEW["list_single"] if draft.inclusions and pair.dialect == "6.4" else pairs["single"]
        shown_as(server, pair.answer["id"], shown, name=draft.name)
    made = await client.create(draft)
    assert made.id == pair.answer["id"]
    assert (made.name, len(made.conditions)) == (draft.name, 2)


async def creates_as_recorded(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    await create(client, pair, server)
    (seen,) = server.calls("POST", "/experiments")
    # An absent description is an empty one, save that a server then answers null.
    for condition in pair.sent["conditions"]:
        condition.setdefault("description", "")
    for kind in ("conditions", "partitions"):
        for part in (*pair.sent[kind], *seen.body[kind]):
            part["id"] = str(uuid.UUID(part["id"])) if len(part["id"]) > 2 else str(uuid.uuid4())
    seen.body.pop("description")
    assert named(seen.body) == named(pair.sent)


async def read_single(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.experiment(pair.path.rpartition("/")[2])
    answer = pair.answer
    assert (found.id, found.name, found.context) == (answer["id"], answer["name"], answer["context"][0])
    assert [condition.code for condition in found.conditions] == ["control", "variant"]
    assert [condition.weight for condition in found.conditions] == [50, 50]
    assert found.decision_points[0].target == "absolute_value_plot_equality"
    assert found.state in (State.INACTIVE, State.ENROLLING)
    assert list(found.state_changes) == sorted(found.state_changes, key=lambda change: change.time)


async def read_lists(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.experiment(pair.path.rpartition("/")[2])
    assert [(each.kind, each.users) for each in found.inclusions] == [("individual", ("u1", "u9")), ("schoolId", ())]
    assert [(group.type, group.id) for group in found.inclusions[1].groups] == [("schoolId", "sch1")]
    assert len(found.exclusions) == 1


async def read_old_lists(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.experiment(pair.path.rpartition("/")[2])
    assert [each.users for each in found.inclusions] == [("u2",)]
    assert found.exclusions[0].empty
    assert [(change.before, change.after) for change in found.state_changes[:2]] == [
        (State.INACTIVE, State.ENROLLING),
        (State.ENROLLING, State.ENROLLMENT_COMPLETE),
    ]


async def single_of_no_uuid(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    try:
        await client.experiment("not-a-uuid")
    finally:
        assert server.calls("GET", pair.path) == []


async def names(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    (found,) = await client.names()
    assert (found.id, found.name) == ("fe74c3a3-dfcd-4717-a247-16bed6e7e8db", "Math Hints")


async def names_there(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    """Whatever was asked, the answer means the same when the names are asked."""
    server.answers["GET", "/experiments/names"] = server.answers[pair.method, pair.path]
    await client.names()


async def everything(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    (found,) = await client.experiments()
    assert [condition.code for condition in found.conditions] == ["control", "variant"]
    assert found.conditions[1].description == ""


async def update(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    id = pair.path.rpartition("/")[2]
    shown_as(server, id, NEW["update_single_before"])
    found = await client.update(id, ExperimentChanges(name="Upd renamed", tags=("t1",)))
    assert found.id == id
    put(server, id, pair)


async def update_rule(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    id = pair.path.rpartition("/")[2]
    before = NEW["update_single_before"]
    shown_as(server, id, before)
    first, second = (condition["id"] for condition in before.answer["conditions"])
    changes = ExperimentChanges(
        post_experiment_rule="assign",
        revert_to=second,
        conditions=(
            ConditionDraft(id=first, code="control", weight=30),
            ConditionDraft(id=second, code="variant", weight=70),
        ),
    )
    await client.update(id, changes)
    put(server, id, pair)


def put(server: Scripted, id: str, pair: Pair) -> None:
    (seen,) = server.calls("PUT", f"/experiments/{id}")
    stale = ("createdAt", "updatedAt", "versionNumber")
    assert not set(stale) & set(seen.body)
    # The recorded requests sent these stale, and could.
    assert seen.body == {key: value for key, value in pair.sent.items() if key not in stale}


async def update_any(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    id = pair.path.rpartition("/")[2]
    shown_as(server, id, NEW["update_single_before"])
    await client.update(id, ExperimentChanges(name="only"))


async def update_unknown(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    id = pair.path.rpartition("/")[2]
    server.json("GET", f"/experiments/single/{id}", NEW["single_unknown"].answer, 404)
    try:
        await client.update(id, ExperimentChanges(name="only"))
    finally:
        assert server.calls(pair.method, pair.path) == []


async def delete(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    await client.delete(pair.path.rpartition("/")[2])
    assert len(server.calls("DELETE", pair.path)) == 1


LIST_EXPERIMENT = "99bc9232-4e8f-42a8-b5c1-a2cb9fda111e"


async def add_list(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    shown_as(server, LIST_EXPERIMENT, NEW["list_single"], experimentSegmentInclusion=[], experimentSegmentExclusion=[])
    side: Side = "inclusion" if "inclusion" in pair.path else "exclusion"
    wanted = pair.sent["list"]
    members = wanted["userIds"] or [group["groupId"] for group in wanted["groups"]]
    draft = ListDraft(kind=wanted["listType"], members=tuple(members), name=wanted["name"])
    found = await client.add_list(LIST_EXPERIMENT, side, draft)
    assert (found.id, found.kind) == (pair.answer["segmentId"], wanted["listType"])
    assert [*found.users, *(group.id for group in found.groups)] == members
    assert server.calls("POST", pair.path)[0].body == pair.sent


async def replace_list(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    shown_as(server, LIST_EXPERIMENT, NEW["list_single"])
    id = pair.path.rpartition("/")[2]
    found = await client.replace_list(
        LIST_EXPERIMENT, "inclusion", id, ListDraft(kind="individual", members=("u1", "u9"))
    )
    assert (found.name, found.users) == ("people", ("u1", "u9"))
    assert server.calls("PUT", pair.path)[0].body == pair.sent


async def delete_list(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    await client.delete_list(LIST_EXPERIMENT, "inclusion", pair.path.rpartition("/")[2])
    assert len(server.calls("DELETE", pair.path)) == 1


async def set_state(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    id = pair.sent["experimentId"]
    pairs = OLD if pair.dialect == "6.2" else NEW
    shown_as(server, id, pairs["single"])
    post = server.answers["POST", "/experiments/state"]

    def change(seen: Any) -> Any:
        shown_as(server, id, pairs["single"], state=pair.answer["state"], stateTimeLogs=pair.answer["stateTimeLogs"])
        return post(seen)

    server.answers["POST", "/experiments/state"] = change
    state = {"running": State.ENROLLING}.get(pair.sent["state"]) or State(pair.sent["state"])
    found = await client.set_state(id, state)
    assert found.state is state
    assert found.state_changes[-1].after is state
    (seen,) = server.calls("POST", "/experiments/state")
    assert seen.body == {"experimentId": id, "state": state.value}


async def set_state_refused(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    shown_as(server, pair.sent["experimentId"], OLD["single"])
    await client.set_state(pair.sent["experimentId"], State.ENROLLING)


async def set_state_unknown(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    id = pair.sent["experimentId"]
    server.json("GET", f"/experiments/single/{id}", NEW["single_unknown"].answer, 404)
    try:
        await client.set_state(id, State.ENROLLING)
    finally:
        assert server.calls("POST", "/experiments/state") == []


async def init(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.init(pair.user or "s1", pair.sent.get("group"), pair.sent.get("workingGroup"))
    assert found.id == pair.user
    assert found.groups == {type: tuple(ids) for type, ids in pair.answer.get("group", {}).items()}
    assert found.working_groups == pair.answer.get("workingGroup", {})
    as_recorded(server, pair)


async def set_groups(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.set_groups("ok", {"schoolId": ["q"]})
    assert found.groups == {"schoolId": ("q",)}
    as_recorded(server, pair)


async def set_working_groups(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.set_working_groups("ok", {"schoolId": "q"})
    assert found.working_groups == {"schoolId": "q"}
    as_recorded(server, pair)


async def set_aliases(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.set_aliases("ok", ["alias"])
    assert (found.user_id, found.aliases) == ("ok", ("alias",))
    as_recorded(server, pair)


async def assign(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.assign(pair.user, pair.sent["context"])
    assert [
        (each.site, each.condition.code, each.condition.experiment_id, each.condition.payload) for each in found
    ] == [
        (each["site"], condition["conditionCode"], condition["experimentId"], None)
        for each in pair.answer
        for condition in each["assignedCondition"]
    ]
    as_recorded(server, pair)


async def mark(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    data = pair.sent["data"]
    condition = data["assignedCondition"]
    found = await client.mark(
        pair.user,
        data["site"],
        data["target"],
        code=condition["conditionCode"],
        experiment_id=condition["experimentId"],
        status=pair.sent["status"],
    )
    assert (found.condition, found.user_id, found.id) == ("control", "s1", pair.answer["id"])
    (seen,) = server.calls("POST", "/v6/mark")
    sent = {key: condition[key] for key in ("conditionCode", "experimentId")}
    assert seen.body == {**pair.sent, "data": {**data, "assignedCondition": sent}}


def as_recorded(server: Scripted, pair: Pair) -> None:
    (seen,) = server.calls(pair.method, pair.path)
    assert (seen.headers["user-id"], seen.body) == (pair.user, pair.sent)


async def enrollment(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.enrollment(pair.sent["experimentId"])
    assert (found.users, found.groups, found.users_excluded, found.groups_excluded) == (2, 0, 3, 0)
    assert [(each.users, each.points[0].users) for each in found.conditions] == [(1, 1), (1, 1)]
    assert server.seen[0].body == pair.sent


async def global_segments(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.global_segments()
    assert [each.context for each in found] == ["assign-prog", "livehint-ai", "mathstream"]
    assert all(each.empty for each in found)


async def exclusions(client: UpgradeClient, pair: Pair, server: Scripted) -> None:
    found = await client.exclusions()
    assert [(each.user_id, each.reason) for each in found] == [
        (user, "participant is excluded by client") for user in ("s1", "n1")
    ]


Play = Callable[[UpgradeClient, Pair, Scripted], Awaitable[None]]

PLAYS_NEW: dict[str, tuple[Play, type[UpgradeError] | None, str]] = {
    "health": (health, None, ""),
    "context_metadata": (contexts, None, ""),
    "create_minimal": (creates_as_recorded, None, ""),
    "single": (read_single, None, ""),
    "names": (names, None, ""),
    "all": (everything, None, ""),
    "single_unknown": (read_single, NotFound, "not_found"),
    "single_bad_id": (single_of_no_uuid, Invalid, "bad_id"),
    "unknown_route": (names_there, BadAnswer, "not_upgrade"),
    "create_missing_name": (create, Invalid, "invalid"),
    "create_unknown_context": (create, Invalid, "invalid"),
    "create_state_display_name": (create, ServerFailed, "server_error"),
    "create_default_code": (create, Invalid, "invalid"),
    "create_weights_not_100": (creates_as_recorded, None, ""),
    "create_group_without_type": (create, Invalid, "invalid"),
    "create_post_rule_assign": (creates_as_recorded, None, ""),
    "create_with_lists": (create, None, ""),
    "single_after_create_with_lists": (read_single, None, ""),
    "create_object_lists": (names_there, Invalid, "invalid"),
    "create_with_payload": (creates_as_recorded, None, ""),
    "create_malformed_json": (names_there, Invalid, "invalid"),
    "update_single_before": (read_single, None, ""),
    "update_rename": (update, None, ""),
    "update_partial": (update_any, Invalid, "invalid"),
    "update_without_payloads": (update_any, ServerFailed, "server_error"),
    "update_post_rule_assign": (update_rule, None, ""),
    "update_unknown": (update_unknown, NotFound, "not_found"),
    "delete": (delete, None, ""),
    "delete_unknown": (delete, NotFound, "not_found"),
    "list_add_individual": (add_list, None, ""),
    "list_add_group": (add_list, None, ""),
    "list_add_exclusion": (add_list, None, ""),
    "list_replace": (replace_list, None, ""),
    "list_single": (read_lists, None, ""),
    "list_delete": (delete_list, None, ""),
    "list_delete_again": (delete_list, NotFound, "not_found"),
    "state_enrolling": (set_state, None, ""),
    "state_enrollment_complete": (set_state, None, ""),
    "state_running_alias": (set_state, None, ""),
    "state_unknown": (set_state_unknown, NotFound, "not_found"),
    "init_no_header": (init, Invalid, "invalid"),
    "init_first": (init, None, ""),
    "init_groups": (init, None, ""),
    "init_again_empty": (init, None, ""),
    "assign_unknown_user": (assign, NotFound, "unknown_user"),
    "assign_unknown_context": (assign, Invalid, "unknown_context"),
    "assign": (assign, None, ""),
    "mark": (mark, None, ""),
    "mark_unknown_condition": (mark, Invalid, "unknown_condition"),
    "mark_unknown_experiment": (mark, NotFound, "not_found"),
    "assign_after_not_applied": (assign, None, ""),
    "assign_complete_enrolled": (assign, None, ""),
    "enrollment_detail": (enrollment, None, ""),
    "segments_global": (global_segments, None, ""),
    "useraliases": (set_aliases, None, ""),
    "groupmembership": (set_groups, None, ""),
    "workinggroup": (set_working_groups, None, ""),
    "check_individual_exclusion": (exclusions, None, ""),
    "assign_no_token": (assign, Unauthorized, "auth"),
    "admin_no_token": (names, Unauthorized, "auth"),
}
PLAYS_OLD: dict[str, tuple[Play, type[UpgradeError] | None, str]] = {
    "create_without_lists": (create, Invalid, "invalid"),
    "create": (creates_as_recorded, None, ""),
    "create_post_rule_assign": (creates_as_recorded, None, ""),
    "single": (read_single, None, ""),
    "state_enrolling": (set_state, None, ""),
    "state_display_name": (set_state_refused, Invalid, "invalid"),
    "single_after_put_lists": (read_old_lists, None, ""),
    "init_no_header": (init, Invalid, "invalid"),
    "single_unknown": (read_single, NotFound, "not_found"),
    "mark_unknown_condition": (mark, Invalid, "unknown_condition"),
}


def test_every_recorded_pair_is_played() -> None:
    assert (len(OLD), len(NEW)) == (10, 60)
    assert set(PLAYS_OLD) == set(OLD)
    assert set(PLAYS_NEW) == set(NEW)


@pytest.mark.parametrize(
    ("dialect", "name"), [*(("6.2", name) for name in sorted(OLD)), *(("6.4", name) for name in sorted(NEW))]
)
async def test_the_client_reads_what_a_real_server_answered(
    dialect: str, name: str, client: UpgradeClient, server: Scripted
) -> None:
    pair = golden(dialect)[name]
    played, error, code = (PLAYS_OLD if dialect == "6.2" else PLAYS_NEW)[name]
    play(server, pair)
    if error is None:
        await played(client, pair, server)
        return
    with pytest.raises(error) as raised:
        await played(client, pair, server)
    assert raised.value.code == code
    # The server echoes the request; a message never holds it.
    assert "{" not in raised.value.message + raised.value.hint


@pytest.mark.parametrize(
    ("version", "dialect"),
    [
        ("6.0.0", "6.2"),
        ("6.2.0", "6.2"),
        ("6.2.11", "6.2"),
        ("6.3.0", "6.3"),
        ("6.4.0", "6.3"),
        ("6.5.0-dev.3", "6.3"),
        ("6.10.0", "6.3"),
        ("7.0", "6.3"),
        ("v6.4.0", "6.3"),
        ("10.1.2", "6.3"),
    ],
)
def test_the_version_decides_the_dialect(version: str, dialect: str) -> None:
    found = dialect_of(version)
    assert found is not None
    assert found.name == dialect


@pytest.mark.parametrize("version", ["", "latest", "5.1.7", "6", "6.x", "-6.4", "６.４"])
def test_what_is_no_version_from_6_0_on_has_no_dialect(version: str) -> None:
    assert dialect_of(version) is None


async def test_a_server_before_6_0_is_refused_by_name(client: UpgradeClient, server: Scripted) -> None:
    server.health("5.2.1")
    with pytest.raises(BadAnswer, match=r"5\.2\.1") as raised:
        await client.create(draft_of(NEW["create_minimal"].sent))
    assert raised.value.code == "unsupported_version"


async def test_lists_are_read_in_either_shape_whatever_the_server_announces(
    client: UpgradeClient, server: Scripted
) -> None:
    server.health("6.4.0")
    old = OLD["single_after_put_lists"]
    shown_as(server, old.answer["id"], old)
    assert (await client.experiment(old.answer["id"])).inclusions[0].users == ("u2",)
    server.health("6.2.0")
    shown_as(server, LIST_EXPERIMENT, NEW["list_single"])
    assert len((await client.experiment(LIST_EXPERIMENT)).inclusions) == 2


async def test_parts_are_read_in_their_order_and_changes_by_time(client: UpgradeClient, server: Scripted) -> None:
    shown = OLD["single_after_put_lists"]
    id = shown.answer["id"]
    turned = {name: shown.answer[name][::-1] for name in ("conditions", "stateTimeLogs")}
    shown_as(server, id, shown, **turned)
    found = await client.experiment(id)
    assert [condition.order for condition in found.conditions] == [1, 2]
    times = [change.time for change in found.state_changes]
    assert times == sorted(times)


async def test_a_changed_experiment_sends_no_payload_of_a_part_that_goes(
    client: UpgradeClient, server: Scripted
) -> None:
    rename = NEW["update_rename"]
    id = rename.answer["id"]
    shown_as(server, id, NEW["update_single_before"], conditionPayloads=rename.answer["conditionPayloads"])
    server.json("PUT", f"/experiments/{id}", rename.answer)
    before = await client.experiment(id)
    assert [payload.value for payload in before.payloads] == ["control", "variant"]
    kept = before.conditions[1]
    parts = (ConditionDraft(id=kept.id, code=kept.code, weight=60), ConditionDraft(code="third", weight=40))
    await client.update(id, ExperimentChanges(conditions=parts))
    (seen,) = server.calls("PUT", f"/experiments/{id}")
    assert [payload["parentCondition"] for payload in seen.body["conditionPayloads"]] == [kept.id]
    first, second = seen.body["conditions"]
    assert (first["id"], first["twoCharacterId"], first["assignmentWeight"], first["order"]) == (kept.id, "HT", 60, 1)
    assert (second["conditionCode"], second["order"], len(second["id"])) == ("third", 2, 36)


async def test_an_id_that_the_experiment_does_not_have_makes_no_new_condition(
    client: UpgradeClient, server: Scripted
) -> None:
    id = NEW["update_single_before"].answer["id"]
    shown_as(server, id, NEW["update_single_before"])
    stranger = ConditionDraft(id=str(uuid.uuid4()), code="control", weight=100)
    with pytest.raises(Invalid, match="no condition"):
        await client.update(id, ExperimentChanges(conditions=(stranger,)))
    assert server.calls("PUT", f"/experiments/{id}") == []


async def test_the_state_that_an_update_writes_back_is_the_internal_one(
    client: UpgradeClient, server: Scripted
) -> None:
    id = NEW["update_single_before"].answer["id"]
    shown_as(server, id, NEW["update_single_before"], state="paused")
    server.json("PUT", f"/experiments/{id}", {})
    await client.update(id, ExperimentChanges(name="n"))
    assert server.calls("PUT", f"/experiments/{id}")[0].body["state"] == "enrollmentComplete"


async def test_creating_waits_for_lists_that_are_saved_after_the_answer(
    client: UpgradeClient, server: Scripted
) -> None:
    made = NEW["create_with_lists"]
    id = made.answer["id"]
    play(server, made)
    path = f"/experiments/single/{id}"
    late = {**NEW["list_single"].answer, "id": id}

    def single(_seen: Any) -> Any:
        early = len(server.calls("GET", path)) < 3
        return json_response({**late, "experimentSegmentExclusion": []} if early else late)

    server.answers["GET", path] = single
    draft = draft_of(made.sent)
    assert len(draft.exclusions) == 1
    assert len((await client.create(draft)).exclusions) == 1
    assert len(server.calls("GET", path)) == 3


# lists of a server that has one mixed list a side


def old_server(server: Scripted) -> str:
    """A server of 6.2 that keeps the experiment that is put."""
    server.health("6.2.0")
    shown = OLD["single_after_put_lists"]
    id = shown.answer["id"]
    assert isinstance(id, str)
    shown_as(server, id, shown)

    def put(seen: Any) -> Any:
        shown_as(server, id, shown, **{key: seen.body[key] for key in seen.body if key.startswith("experimentSegment")})
        return json_response(seen.body)

    server.answers["PUT", f"/experiments/{id}"] = put
    return id


async def test_a_list_is_added_to_the_only_one_of_an_old_server(client: UpgradeClient, server: Scripted) -> None:
    id = old_server(server)
    await client.add_list(id, "inclusion", ListDraft(kind="schoolId", members=("s1", "s2")))
    found = await client.add_list(id, "inclusion", ListDraft(kind="individual", members=("u3",)))
    assert found.users == ("u2", "u3")
    assert [(group.type, group.id) for group in found.groups] == [("schoolId", "s1"), ("schoolId", "s2")]
    assert (await client.experiment(id)).exclusions[0].empty


async def test_the_list_of_an_old_server_is_replaced_and_emptied(client: UpgradeClient, server: Scripted) -> None:
    id = old_server(server)
    (old,) = (await client.experiment(id)).inclusions
    found = await client.replace_list(id, "inclusion", old.id, ListDraft(kind="individual", members=("u7",)))
    assert (found.id, found.users) == (old.id, ("u7",))
    await client.delete_list(id, "inclusion", old.id)
    assert (await client.experiment(id)).inclusions[0].empty
    server.json("GET", "/experiments", [OLD["single_after_put_lists"].answer])
    with pytest.raises(NotFound):
        await client.delete_list(id, "inclusion", str(uuid.uuid4()))
