"""The client sends what a real server was sent, and reads what it answered."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from upgrade_client_support import Pair, Scripted, failure, golden, json_response, listening_server, server

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
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

PAIRS = golden()
LISTED = "99bc9232-4e8f-42a8-b5c1-a2cb9fda111e"
BEFORE = PAIRS["update_single_before"]


@pytest.fixture
async def client(server: Scripted) -> AsyncIterator[UpgradeClient]:
    async with UpgradeClient(server.url) as made:
        yield made


def shown_as(server: Scripted, id: str, pair: Pair, **changes: Any) -> None:
    """Let the server show the experiment of a pair under an id."""
    server.json("GET", f"/experiments/single/{id}", {**pair.answer, "id": id, **changes})


def play(server: Scripted, pair: Pair) -> None:
    """Let the server answer the pair's request as the real one did, and show the experiments that it is about."""
    match pair.method, pair.path.split("/")[1:]:
        case "POST", ["experiments"] if pair.status == 200:
            shown_as(server, pair.answer["id"], PAIRS["list_single" if pair.name == "create_with_lists" else "single"])
        case "PUT", ["experiments", id]:
            shown_as(server, id, BEFORE)
        case _, ["experiments", "inclusionList" | "exclusionList", *_]:
            shown_as(server, LISTED, PAIRS["list_single"])
        case "POST", ["experiments", "state"]:
            id, changes = pair.sent["experimentId"], pair.answer if pair.status == 200 else {}
            kept = {name: changes[name] for name in ("state", "stateTimeLogs") if name in changes}
            shown_as(server, id, PAIRS["single"], **kept)
    if pair.name in ("update_unknown", "state_unknown"):
        unknown = pair.path.rpartition("/")[2] if pair.method == "PUT" else pair.sent["experimentId"]
        server.json("GET", f"/experiments/single/{unknown}", PAIRS["single_unknown"].answer, 404)
    method, path = ("GET", "/experiments/names") if pair.name in ANY_CALL else (pair.method, pair.path)
    if pair.content_type.startswith("text/html"):
        server.text(method, path, pair.answer, pair.status)
    else:
        server.json(method, path, pair.answer, pair.status)


async def call(client: UpgradeClient, pair: Pair) -> Any:
    """Call what sends the request of a pair."""
    sent, user, id = pair.sent, pair.user, pair.path.rpartition("/")[2]
    match pair.method, pair.path.split("/")[1:]:
        case _ if pair.name in ANY_CALL:
            return await client.names()
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
            experiment = await client.experiment(LISTED)
            more = experiment.inclusions[0].model_copy(update={"id": id, "users": ("u1", "u2", "u9"), "name": "people"})
            gone = ListDraft(kind="individual", members=("u2",))
            before = experiment.model_copy(update={"inclusions": (more,)})
            return await client.take_off(before, "inclusion", [gone])
        case "DELETE", ["experiments", "inclusionList", id]:
            return await client.delete_list("inclusion", id)
        case "POST", ["stats", "enrollment", "detail"]:
            return await client.enrollment(sent["experimentId"])
        case _, ["v6", "init"]:
            return await client.init(user or "s1", sent.get("group"), sent.get("workingGroup"))
        case _, ["v6", "assign"]:
            return await client.assign(user, sent["context"])
    data, condition = sent["data"], sent["data"]["assignedCondition"]
    code, experiment = condition["conditionCode"], condition["experimentId"]
    own = {"code": code, "experiment_id": experiment, "status": sent["status"]}
    return await client.mark(user, data["site"], data["target"], **own)


ANY_CALL = ("unknown_route", "create_object_lists", "create_malformed_json")
"""No call of the client sends these requests; whatever it sends, it reads the answer in the same way."""
NO_CALL = ("create_with_payload", "check_individual_exclusion", "groupmembership", "workinggroup", "useraliases")


def internal(state: str) -> State:
    return State.ENROLLING if state == "running" else State(state)


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
                code=each["conditionCode"], weight=each["assignmentWeight"], **pick(each, "id name description")
            )
            for each in ({"description": "", **each} for each in body["conditions"])
        ),
        decision_points=tuple(
            DecisionPointDraft(exclude_if_reached=each["excludeIfReached"], **pick(each, "id site target"))
            for each in body["partitions"]
        ),
        inclusions=lists_of(body.get("experimentSegmentInclusion")),
        exclusions=lists_of(body.get("experimentSegmentExclusion")),
    )


def pick(part: dict[str, Any], names: str) -> dict[str, Any]:
    return {name: part[name] for name in names.split()}


def lists_of(found: Any) -> tuple[ListDraft, ...]:
    drafts = []
    for each in found or ():
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
        case "PUT", ["experiments", "inclusionList", _]:
            return {**body, "list": {**body["list"], "name": ""}}
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
    "assign_unknown_context": (Invalid, "unknown_context"),
    "mark_unknown_condition": (Invalid, "invalid"),
    **dict.fromkeys(("create_state_display_name", "update_without_payloads"), (ServerFailed, "server_error")),
    **dict.fromkeys(("assign_no_token", "admin_no_token"), (Unauthorized, "auth")),
    "single_bad_id": (Invalid, "bad_id"),
    "unknown_route": (BadAnswer, "not_upgrade"),
    "assign_unknown_user": (NotFound, "unknown_user"),
}
NEVER_SENT = ("single_bad_id", "update_unknown", "state_unknown")


@pytest.mark.parametrize("name", [name for name in PAIRS if name not in NO_CALL])
async def test_the_client_sends_what_was_recorded_and_reads_the_answer(
    name: str, client: UpgradeClient, server: Scripted
) -> None:
    pair = PAIRS[name]
    play(server, pair)
    if name not in REFUSED:
        found = await call(client, pair)
        read, expected = READ.get(name, (lambda _: None, None))
        assert read(found) == expected
        if pair.path.startswith("/experiments/single/"):
            same_experiment(found, pair.answer)
        # A mixed list, which the client never sends, was recorded there.
        if pair.method != "GET" and name != "create_with_lists":
            (seen,) = (each for each in server.seen if (each.method, each.path) == (pair.method, pair.path))
            assert comparable(pair, seen.body) == comparable(pair, pair.sent)
            assert seen.headers.get("user-id", "") == pair.user
        return
    error = await failure(call(client, pair), *REFUSED[name])
    # The server echoes the request; a message never holds it.
    assert "{" not in error.message + error.hint
    assert not (name in NEVER_SENT and server.calls(pair.method, pair.path))


def same_experiment(found: Any, answer: dict[str, Any]) -> None:
    assert (found.id, found.name, found.context) == (answer["id"], answer["name"], answer["context"][0])
    assert [(each.code, each.weight) for each in found.conditions] == [("control", 50), ("variant", 50)]
    assert found.decision_points[0].target == "absolute_value_plot_equality"
    assert found.state is internal(
        {"paused": "enrollmentComplete", "completed": "cancelled"}.get(answer["state"], answer["state"])
    )


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
    "segments_global": (
        lambda found: [(each.context, each.empty) for each in found],
        [("assign-prog", True), ("livehint-ai", True), ("mathstream", True)],
    ),
    "enrollment_detail": (
        lambda found: (found.users, found.users_excluded, [each.users for each in found.conditions]),
        (2, 3, [1, 1]),
    ),
}


@pytest.mark.parametrize(
    ("version", "supported"),
    [
        *((version, True) for version in ("6.3.0", "6.5.0-dev.3", "6.10.0", "7.0", "v6.4.0", "10.1.2")),
        *((version, False) for version in ("", "latest", "5.12.7", "6.2.11", "6", "6.x", "-6.4", "６.４")),
    ],
)
async def test_nothing_is_written_to_servers_before_6_3(
    version: str, supported: bool, client: UpgradeClient, server: Scripted
) -> None:
    server.health(version)
    if supported:
        assert (await client.health()).version == version
        return
    for write in (client.create(draft_of(PAIRS["create_minimal"].sent)), client.delete_list("inclusion", LISTED)):
        await failure(write, BadAnswer, "unsupported_version")
    assert {seen.path for seen in server.seen} == {""}


async def test_parts_are_read_in_their_order_and_changes_by_time(client: UpgradeClient, server: Scripted) -> None:
    shown = PAIRS["state_enrollment_complete"].answer
    id = PAIRS["single"].answer["id"]
    conditions = PAIRS["single"].answer["conditions"][::-1]
    logs = [{**log, "timeLog": f"2026-01-0{9 - n}T00:00:00Z"} for n, log in enumerate(shown["stateTimeLogs"] * 2)]
    shown_as(server, id, PAIRS["single"], conditions=conditions, stateTimeLogs=logs)
    found = await client.experiment(id)
    assert [condition.order for condition in found.conditions] == [1, 2]
    times = [change.time for change in found.state_changes]
    assert times == sorted(times) != [change["timeLog"] for change in logs]


async def test_a_changed_experiment_sends_no_payload_of_a_part_that_goes(
    client: UpgradeClient, server: Scripted
) -> None:
    rename = PAIRS["update_rename"]
    id = rename.answer["id"]
    shown_as(server, id, BEFORE, conditionPayloads=rename.answer["conditionPayloads"], state="paused")
    server.json("PUT", f"/experiments/{id}", rename.answer)
    before = await client.experiment(id)
    assert [payload.value for payload in before.payloads] == ["control", "variant"]
    kept = before.conditions[1]
    parts = (ConditionDraft(id=kept.id, code=kept.code, weight=60), ConditionDraft(code="third", weight=40))
    await client.update(id, ExperimentChanges(conditions=parts))
    (seen,) = server.calls("PUT", f"/experiments/{id}")
    assert [payload["parentCondition"] for payload in seen.body["conditionPayloads"]] == [kept.id]
    # What is written back has the internal name.
    assert seen.body["state"] == "enrollmentComplete"
    first, second = seen.body["conditions"]
    assert (first["id"], first["twoCharacterId"], first["assignmentWeight"], first["order"]) == (kept.id, "HT", 60, 1)
    assert (second["conditionCode"], second["order"], len(second["id"])) == ("third", 2, 36)
    server.seen.clear()
    stranger = ConditionDraft(id=str(uuid.uuid4()), code="control", weight=100)
    with pytest.raises(Invalid, match="no condition"):
        await client.update(id, ExperimentChanges(conditions=(stranger,)))
    assert server.calls("PUT", f"/experiments/{id}") == []


async def test_creating_waits_for_lists_that_are_saved_after_the_answer(
    client: UpgradeClient, server: Scripted
) -> None:
    made = PAIRS["create_with_lists"]
    id = made.answer["id"]
    play(server, made)
    path = f"/experiments/single/{id}"
    late = {**PAIRS["list_single"].answer, "id": id}

    def single(_seen: Any) -> Any:
        early = len(server.calls("GET", path)) < 3
        return json_response({**late, "experimentSegmentExclusion": []} if early else late)

    server.answers["GET", path] = single
    draft = draft_of(made.sent)
    assert len(draft.exclusions) == 1
    assert len((await client.create(draft)).exclusions) == 1
    assert len(server.calls("GET", path)) == 3
