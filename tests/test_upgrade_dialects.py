"""The client reads what real servers answered, in both dialects, and sends what they were sent."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from upgrade_client_support import Pair, Scripted, failure, golden, json_response, listening_server, server

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.dialects import dialect_of
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
    PayloadDraft,
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
LISTED = "99bc9232-4e8f-42a8-b5c1-a2cb9fda111e"
BEFORE = NEW["update_single_before"]


@pytest.fixture
async def client(server: Scripted) -> AsyncIterator[UpgradeClient]:
    async with UpgradeClient(server.url) as made:
        yield made


def shown_as(server: Scripted, id: str, pair: Pair, **changes: Any) -> None:
    """Let the server show the experiment of a pair under an id."""
    server.json("GET", f"/experiments/single/{id}", {**pair.answer, "id": id, **changes})


def play(server: Scripted, pair: Pair) -> None:
    """Let the server answer the pair's request as the real one did, and show the experiments that it is about."""
    server.health("6.2.0" if pair.dialect == "6.2" else "6.4.0")
    pairs = OLD if pair.dialect == "6.2" else NEW
    match pair.method, pair.path.split("/")[1:]:
        case "POST", ["experiments"] if pair.status == 200:
            listed = pair.name == "create_with_lists"
            shown_as(server, pair.answer["id"], NEW["list_single"] if listed else pairs["single"])
        case "PUT", ["experiments", id]:
            shown_as(server, id, BEFORE)
        case _, ["experiments", "inclusionList" | "exclusionList", *_]:
            shown_as(server, LISTED, NEW["list_single"])
        case "POST", ["experiments", "state"]:
            id, changes = pair.sent["experimentId"], pair.answer if pair.status == 200 else {}
            kept = {name: changes[name] for name in ("state", "stateTimeLogs") if name in changes}
            shown_as(server, id, pairs["single"], **kept)
    if pair.name in ("update_unknown", "state_unknown"):
        unknown = pair.path.rpartition("/")[2] if pair.method == "PUT" else pair.sent["experimentId"]
        server.json("GET", f"/experiments/single/{unknown}", NEW["single_unknown"].answer, 404)
    path = "/experiments/names" if pair.name in ANY_CALL else pair.path
    if pair.content_type.startswith("text/html"):
        server.text("GET" if pair.name in ANY_CALL else pair.method, path, pair.answer, pair.status)
    else:
        server.json("GET" if pair.name in ANY_CALL else pair.method, path, pair.answer, pair.status)


async def call(client: UpgradeClient, pair: Pair) -> Any:
    """Call what sends the request of a pair."""
    sent, user, id = pair.sent, pair.user, pair.path.rpartition("/")[2]
    if pair.name in ANY_CALL:
        return await client.names()
    match pair.method, pair.path.split("/")[1:]:
        case "GET", []:
            return await client.health()
        case "GET", ["experiments", "contextMetaData"]:
            return await client.contexts()
        case "GET", ["experiments", "names"]:
            return await client.names()
        case "GET", ["experiments"]:
            return await client.experiments()
        case "GET", ["experiments", "single", id]:
            return await client.experiment(id)
        case "GET", ["segments", "global"]:
            return await client.global_segments()
        case "GET", ["check", "individualExclusion"]:
            return await client.exclusions()
        case "POST", ["experiments"]:
            return await client.create(draft_of(sent))
        case "PUT", ["experiments", id]:
            return await client.update(id, changes_of(pair.name))
        case "DELETE", ["experiments", id]:
            return await client.delete(id)
        case "POST", ["experiments", "state"]:
            return await client.set_state(sent["experimentId"], internal(sent["state"]))
        case "POST", ["experiments", list]:
            return await client.add_list(LISTED, "inclusion" if "inc" in list else "exclusion", list_of(sent["list"]))
        case "PUT", ["experiments", "inclusionList", id]:
            draft = ListDraft(kind="individual", members=("u1", "u9"))
            return await client.replace_list(LISTED, "inclusion", id, draft)
        case "DELETE", ["experiments", "inclusionList", id]:
            return await client.delete_list(LISTED, "inclusion", id)
        case "POST", ["stats", "enrollment", "detail"]:
            return await client.enrollment(sent["experimentId"])
        case _, ["v6", "init"]:
            return await client.init(user or "s1", sent.get("group"), sent.get("workingGroup"))
        case _, ["v6", "groupmembership"]:
            return await client.set_groups(user, sent["group"])
        case _, ["v6", "workinggroup"]:
            return await client.set_working_groups(user, sent["workingGroup"])
        case _, ["v6", "useraliases"]:
            return await client.set_aliases(user, sent["aliases"])
        case _, ["v6", "assign"]:
            return await client.assign(user, sent["context"])
    data, condition = sent["data"], sent["data"]["assignedCondition"]
    code, experiment = condition["conditionCode"], condition["experimentId"]
    own = {"code": code, "experiment_id": experiment, "status": sent["status"]}
    return await client.mark(user, data["site"], data["target"], **own)


ANY_CALL = ("unknown_route", "create_object_lists", "create_malformed_json")
"""No call of the client sends these requests; whatever it sends, it reads the answer in the same way."""


def internal(state: str) -> State:
    return State.ENROLLING if state == "running" else State(state)


def draft_of(body: dict[str, Any]) -> ExperimentDraft:
    """The draft that a recorded body stands for."""
    conditions = [{"description": "", **each} for each in body["conditions"]]
    payloads = [(p["parentCondition"], p["decisionPoint"], p["payload"]) for p in body.get("conditionPayloads", ())]
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
                code=each["conditionCode"], weight=each["assignmentWeight"], **pick(each, "id name description")
            )
            for each in conditions
        ),
        decision_points=tuple(
            DecisionPointDraft(exclude_if_reached=each["excludeIfReached"], **pick(each, "id site target"))
            for each in body["partitions"]
        ),
        payloads=tuple(PayloadDraft(condition_id=c, decision_point_id=p, **payload) for c, p, payload in payloads),
        inclusions=lists_of(body.get("experimentSegmentInclusion")),
        exclusions=lists_of(body.get("experimentSegmentExclusion")),
    )


def pick(part: dict[str, Any], names: str) -> dict[str, Any]:
    return {name: part[name] for name in names.split()}


def lists_of(found: Any) -> tuple[ListDraft, ...]:
    drafts = []
    for each in found if isinstance(found, list) else [found] if found else []:
        segment = each["segment"]
        drafts += [ListDraft(kind="individual", members=(user["userId"],)) for user in segment["individualForSegment"]]
        drafts += [ListDraft(kind=group["type"], members=(group["groupId"],)) for group in segment["groupForSegment"]]
    return tuple(drafts)


def list_of(body: dict[str, Any]) -> ListDraft:
    members = body["userIds"] or [group["groupId"] for group in body["groups"]]
    return ListDraft(kind=body["listType"], members=tuple(members), name=body["name"])


def changes_of(name: str) -> ExperimentChanges:
    first, second = (condition["id"] for condition in BEFORE.answer["conditions"])
    if name == "update_rename":
        return ExperimentChanges(name="Upd renamed", tags=("t1",))
    if name != "update_post_rule_assign":
        return ExperimentChanges(name="only")
    weights = ((first, "control", 30), (second, "variant", 70))
    conditions = tuple(ConditionDraft(id=id, code=code, weight=weight) for id, code, weight in weights)
    return ExperimentChanges(post_experiment_rule="assign", revert_to=second, conditions=conditions)


def comparable(pair: Pair, body: Any) -> Any:
    """A body, of the pair or as the client sends it, without what may differ."""
    match pair.method, pair.path.split("/")[1:]:
        case "POST", ["experiments"]:
            parts = {n: [{"description": "", **e, "id": canonical(e["id"])} for e in body[n]] for n in PARTS}
            return named({name: value for name, value in {**body, **parts}.items() if name != "description"})
        case "PUT", ["experiments", _]:
            # The recorded requests sent these stale, and could.
            return {name: body[name] for name in body if name not in ("createdAt", "updatedAt", "versionNumber")}
        case "POST", ["experiments", "state"]:
            return {**body, "state": internal(body["state"]).value}
        case _, ["v6", "mark"]:
            data = body["data"]
            condition = {name: data["assignedCondition"][name] for name in ("conditionCode", "experimentId")}
            return {**body, "data": {**data, "assignedCondition": condition}}
    return body


PARTS = ("conditions", "partitions")


def canonical(id: str) -> str:
    return str(uuid.UUID(id)) if len(id) > 2 else str(uuid.uuid5(uuid.NAMESPACE_URL, id))


def named(value: Any, names: dict[str, str] | None = None) -> Any:
    """The value with every id replaced by a name, by first appearance."""
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


REFUSED: dict[str, tuple[type[UpgradeError], str]] = {
    **dict.fromkeys(("single_unknown", "delete_unknown", "list_delete_again"), (NotFound, "not_found")),
    **dict.fromkeys(("update_unknown", "state_unknown", "mark_unknown_experiment"), (NotFound, "not_found")),
    **dict.fromkeys(("create_missing_name", "create_unknown_context", "create_default_code"), (Invalid, "invalid")),
    **dict.fromkeys(("create_group_without_type", "update_partial", "init_no_header"), (Invalid, "invalid")),
    **dict.fromkeys(("create_object_lists", "create_malformed_json"), (Invalid, "invalid")),
    **dict.fromkeys(("create_state_display_name", "update_without_payloads"), (ServerFailed, "server_error")),
    **dict.fromkeys(("assign_no_token", "admin_no_token"), (Unauthorized, "auth")),
    "single_bad_id": (Invalid, "bad_id"),
    "unknown_route": (BadAnswer, "not_upgrade"),
    "assign_unknown_user": (NotFound, "unknown_user"),
    "assign_unknown_context": (Invalid, "unknown_context"),
    "mark_unknown_condition": (Invalid, "unknown_condition"),
}
REFUSED_OLD = {
    "create_without_lists": (Invalid, "invalid"),
    "state_display_name": (Invalid, "invalid"),
    **{name: REFUSED[name] for name in ("init_no_header", "single_unknown", "mark_unknown_condition")},
}
NEVER_SENT = ("single_bad_id", "update_unknown", "state_unknown")


@pytest.mark.parametrize("pair", [*OLD.values(), *NEW.values()], ids=lambda pair: f"{pair.dialect}-{pair.name}")
async def test_the_client_sends_what_was_recorded_and_reads_the_answer(
    pair: Pair, client: UpgradeClient, server: Scripted
) -> None:
    play(server, pair)
    refused = (REFUSED_OLD if pair.dialect == "6.2" else REFUSED).get(pair.name)
    if refused is None:
        found = await call(client, pair)
        read, expected = READ.get(pair.name, (lambda _: None, None))
        assert read(found) == expected
        if pair.path.startswith("/experiments/single/"):
            same_experiment(found, pair.answer)
        # A mixed list, which the client never sends, was recorded there.
        if pair.method != "GET" and pair.name != "create_with_lists":
            (seen,) = (each for each in server.seen if (each.method, each.path) == (pair.method, pair.path))
            assert comparable(pair, seen.body) == comparable(pair, pair.sent)
            assert seen.headers.get("user-id", "") == pair.user
        return
    error = await failure(call(client, pair), *refused)
    # The server echoes the request; a message never holds it.
    assert "{" not in error.message + error.hint
    assert not (pair.name in NEVER_SENT and server.calls(pair.method, pair.path))


def same_experiment(found: Any, answer: dict[str, Any]) -> None:
    assert (found.id, found.name, found.context) == (answer["id"], answer["name"], answer["context"][0])
    assert [(each.code, each.weight) for each in found.conditions] == [("control", 50), ("variant", 50)]
    assert found.decision_points[0].target == "absolute_value_plot_equality"
    assert found.state is internal(
        {"paused": "enrollmentComplete", "completed": "cancelled"}.get(answer["state"], answer["state"])
    )
    assert list(found.state_changes) == sorted(found.state_changes, key=lambda change: change.time)


# What the others are read as is shown by the client's tests against the local service, which answers the same.
READ: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "health": (lambda found: (found.name, found.version), ("A/B Testing Backend", "6.4.0")),
    "context_metadata": (
        lambda found: (sorted(found), *(getattr(found["assign-prog"], n) for n in ("sites", "targets", "conditions"))),
        (
            ["assign-prog", "livehint-ai", "mathstream"],
            ("SelectSection",),
            ("absolute_value_plot_equality", "analyzing_step_functions"),
            ("control", "variant"),
        ),
    ),
    "list_single": (
        lambda found: [(e.kind, e.users, [(g.type, g.id) for g in e.groups]) for e in found.inclusions],
        [("individual", ("u1", "u9"), []), ("schoolId", (), [("schoolId", "sch1")])],
    ),
    "single_after_put_lists": (
        lambda found: ([e.users for e in found.inclusions], found.exclusions[0].empty, found.state_changes[1].before),
        ([("u2",)], True, State.ENROLLING),
    ),
    "segments_global": (
        lambda found: [(each.context, each.empty) for each in found],
        [("assign-prog", True), ("livehint-ai", True), ("mathstream", True)],
    ),
    "enrollment_detail": (
        lambda found: (found.users, found.users_excluded, [(c.users, c.points[0].users) for c in found.conditions]),
        (2, 3, [(1, 1), (1, 1)]),
    ),
}


@pytest.mark.parametrize(
    ("version", "dialect"),
    [
        *((version, "6.2") for version in ("6.0.0", "6.2.0", "6.2.11")),
        *((version, "6.3") for version in ("6.3.0", "6.4.0", "6.5.0-dev.3", "6.10.0", "7.0", "v6.4.0", "10.1.2")),
        *((version, None) for version in ("", "latest", "5.1.7", "6", "6.x", "-6.4", "６.４")),
    ],
)
def test_the_version_decides_the_dialect(version: str, dialect: str | None) -> None:
    found = dialect_of(version)
    assert (found and found.name) == dialect


async def test_a_server_before_6_0_is_refused_by_name(client: UpgradeClient, server: Scripted) -> None:
    server.health("5.2.1")
    error = await failure(client.create(draft_of(NEW["create_minimal"].sent)), BadAnswer, "unsupported_version")
    assert "5.2.1" in error.message


async def test_lists_are_read_in_either_shape_whatever_the_server_announces(
    client: UpgradeClient, server: Scripted
) -> None:
    server.health("6.4.0")
    old = OLD["single_after_put_lists"]
    shown_as(server, old.answer["id"], old)
    assert (await client.experiment(old.answer["id"])).inclusions[0].users == ("u2",)
    server.health("6.2.0")
    shown_as(server, LISTED, NEW["list_single"])
    assert len((await client.experiment(LISTED)).inclusions) == 2


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
    shown_as(server, id, BEFORE, conditionPayloads=rename.answer["conditionPayloads"])
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
    id = BEFORE.answer["id"]
    shown_as(server, id, BEFORE)
    stranger = ConditionDraft(id=str(uuid.uuid4()), code="control", weight=100)
    with pytest.raises(Invalid, match="no condition"):
        await client.update(id, ExperimentChanges(conditions=(stranger,)))
    assert server.calls("PUT", f"/experiments/{id}") == []


async def test_the_state_that_an_update_writes_back_is_the_internal_one(
    client: UpgradeClient, server: Scripted
) -> None:
    id = BEFORE.answer["id"]
    shown_as(server, id, BEFORE, state="paused")
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
