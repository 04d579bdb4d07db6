"""The client reads the recorded responses of a real server, with refusals, and writes an experiment back complete."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import ConditionDraft, ExperimentChanges, ListDraft
from graphwright_upgrade.client._failures import (
    BadAnswer,
    Invalid,
    NotFound,
    ServerFailed,
    Unauthorized,
    UpgradeError,
)
from upgrade_client_support import Pair, Scripted, draft, failure, golden, json_response

PAIRS, OLD = golden(), golden("6.2")
BEFORE = PAIRS["update_single_before"]
WITH_LISTS = draft(
    inclusions=(ListDraft(kind="individual", members=("u1",)), ListDraft(kind="schoolId", members=("s1",))),
    exclusions=(ListDraft(kind="individual", members=("u2",)),),
)


@pytest.fixture
async def client(server: Scripted) -> AsyncIterator[UpgradeClient]:
    async with UpgradeClient(server.url) as made:
        yield made


def shown_as(server: Scripted, id: str, pair: Pair, **changes: Any) -> None:
    """Make the server show the experiment of a pair under an id."""
    server.json("GET", f"/experiments/single/{id}", {**pair.answer, "id": id, **changes})


# Requests are tested against the local service, which accepts the same as a real server.


REFUSED: dict[str, tuple[type[UpgradeError], str]] = {
    **dict.fromkeys(("single_unknown", "delete_unknown", "list_delete_again"), (NotFound, "not_found")),
    "mark_unknown_experiment": (NotFound, "not_found"),
    **dict.fromkeys(("create_unknown_context", "create_default_code"), (Invalid, "invalid")),
    **dict.fromkeys(("update_partial", "init_no_header"), (Invalid, "invalid")),
    **dict.fromkeys(("create_object_lists", "create_malformed_json"), (Invalid, "invalid")),
    "assign_unknown_context": (Invalid, "unknown_context"),
    "mark_unknown_condition": (Invalid, "invalid"),
    **dict.fromkeys(("create_state_display_name", "update_without_payloads"), (ServerFailed, "server_error")),
    **dict.fromkeys(("update_unknown", "state_unknown"), (ServerFailed, "server_error")),
    **dict.fromkeys(("assign_no_token", "admin_no_token"), (Unauthorized, "auth")),
    "single_bad_id": (Invalid, "invalid"),
    "unknown_route": (BadAnswer, "not_upgrade"),
    "assign_unknown_user": (NotFound, "unknown_user"),
}


OLD_REFUSED: dict[str, tuple[type[UpgradeError], str, str]] = {
    "create_without_lists": (Invalid, "invalid", "Inclusion should not be empty; experimentSegmentExclusion should"),
    "state_display_name": (Invalid, "invalid", "state must be one of the following values: inactive"),
    "init_no_header": (Invalid, "invalid", "Missing `User-Id` header"),
    "mark_unknown_condition": (Invalid, "invalid", "Condition not found"),
    "single_unknown": (NotFound, "not_found", "Experiment not found"),
}


@pytest.mark.parametrize(
    ("pair", "kind", "code", "says"),
    [
        *(pytest.param(PAIRS[name], *refused, "", id=name) for name, refused in REFUSED.items()),
        *(pytest.param(OLD[name], *refused, id=f"6.2-{name}") for name, refused in OLD_REFUSED.items()),
    ],
)
async def test_a_recorded_refusal_is_told_by_its_kind_without_the_request_that_it_echoes(
    pair: Pair, kind: type[UpgradeError], code: str, says: str, client: UpgradeClient, server: Scripted
) -> None:
    of_app = pair.path.startswith("/v6")
    method, path = ("POST", "/v6/assign") if of_app else ("GET", "/experiments/names")
    if pair.content_type.startswith("text/html"):
        server.text(method, path, pair.answer, pair.status)
    else:
        server.json(method, path, pair.answer, pair.status)
    error = await failure(client.assign("u", "c") if of_app else client.names(), kind, code)
    assert "{" not in error.message + error.hint
    assert says in error.message


def read_as(answer: dict[str, Any]) -> tuple[Any, ...]:
    state = {"paused": "enrollmentComplete", "completed": "cancelled", "running": "enrolling"}
    return answer["id"], answer["name"], answer["context"][0], state.get(answer["state"], answer["state"])


CALLS: dict[str, Callable[[UpgradeClient], Awaitable[Any]]] = {
    "health": UpgradeClient.health,
    "context_metadata": UpgradeClient.contexts,
    "names": UpgradeClient.names,
    "all": UpgradeClient.experiments,
    "segments_global": UpgradeClient.global_segments,
    "enrollment_detail": lambda client: client.enrollment(PAIRS["enrollment_detail"].sent["experimentId"]),
    "assign": lambda client: client.assign("u", "assign-prog"),
    "init_groups": lambda client: client.init("u", {}),
    "mark": lambda client: client.mark("u", "s", "t"),
}
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


@pytest.mark.parametrize("name", [*CALLS, *(name for name, pair in PAIRS.items() if "/single/" in pair.path)])
async def test_a_recorded_answer_is_read(name: str, client: UpgradeClient, server: Scripted) -> None:
    pair = PAIRS[name]
    if name in REFUSED or name == "single_bad_id":
        return
    server.json(pair.method, pair.path, pair.answer)
    found = await (CALLS[name](client) if name in CALLS else client.experiment(pair.path.rpartition("/")[2]))
    read, expected = READ.get(name, (lambda _: None, None))
    assert read(found) == expected
    if name not in CALLS:
        assert (found.id, found.name, found.context, found.state.value) == read_as(pair.answer)
        assert [(each.code, each.weight) for each in found.conditions] == [("control", 50), ("variant", 50)]
        assert found.decision_points[0].target == "absolute_value_plot_equality"


@pytest.mark.parametrize(
    ("version", "array"),
    [
        *((version, True) for version in ("6.3.0", "6.5.0-dev.3", "6.10.0", "7.0", "v6.4.0", "10.1.2")),
        *((version, False) for version in ("6.0.0", "6.2.0", "6.2.11")),
        *((version, None) for version in ("", "latest", "5.12.7", "6", "6.x", "-6.4", "６.４")),
    ],
)
async def test_the_version_decides_how_lists_are_sent_and_nothing_is_written_before_6_0(
    version: str, array: bool | None, client: UpgradeClient, server: Scripted
) -> None:
    server.health(version)
    made = OLD["single"].answer
    server.json("POST", "/experiments", made)
    shown_as(server, made["id"], OLD["single"])
    new = WITH_LISTS.model_copy(update={"exclusions": ()})
    if array is None:
        there = await client.experiment(made["id"])
        changes = client.update(there.id, ExperimentChanges(name="n")), client.put_on(there, "inclusion", ())
        for write in (client.create(new), *changes):
            await failure(write, BadAnswer, "unsupported_version")
        assert {seen.method for seen in server.seen} == {"GET"}
        return
    await client.create(new)
    (seen,) = server.calls("POST", "/experiments")
    assert isinstance(seen.body["experimentSegmentInclusion"], list) is array
    assert ("experimentSegmentExclusion" in seen.body) is not array


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
    # The written data has the internal name.
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
    path = f"/experiments/single/{made.answer['id']}"
    server.json("POST", "/experiments", made.answer)
    late = {**PAIRS["list_single"].answer, "id": made.answer["id"]}

    def single(_seen: Any) -> Any:
        early = len(server.calls("GET", path)) < 3
        return json_response({**late, "experimentSegmentExclusion": []} if early else late)

    server.answers["GET", path] = single
    assert len((await client.create(WITH_LISTS)).exclusions) == 1
    assert len(server.calls("GET", path)) == 3


# servers up to 6.2: one list per side, with all kinds, sent with the experiment


@pytest.fixture
def old_server(server: Scripted) -> Scripted:
    """A server of 6.2 that stores the experiment of a PUT."""
    server.health("6.2.0")
    shown = OLD["single_after_put_lists"].answer
    id = shown["id"]
    server.json("GET", f"/experiments/single/{id}", shown)

    def put(seen: Any) -> Any:
        server.json("GET", f"/experiments/single/{id}", {**shown, **seen.body})
        return json_response(seen.body)

    server.answers["PUT", f"/experiments/{id}"] = put
    return server


def sent_parts(body: dict[str, Any]) -> dict[str, Any]:
    """A body with the positions of its conditions and points instead of their ids, which are new in each."""
    parts = [*body["conditions"], *body["partitions"]]
    text = json.dumps(body)
    for place, part in enumerate(parts):
        text = text.replace(part["id"], str(place))
    found: dict[str, Any] = json.loads(text)
    return {name: value for name, value in found.items() if value not in ("", [], None)}


@pytest.mark.parametrize("name", ["create", "create_post_rule_assign"])
async def test_an_experiment_is_made_on_6_2_as_it_was_recorded(
    name: str, client: UpgradeClient, server: Scripted
) -> None:
    pair, single = OLD[name], OLD["single"]
    server.health("6.2.0")
    server.json("POST", "/experiments", pair.answer)
    shown_as(server, pair.answer["id"], single)
    sent, (point,) = pair.sent, pair.sent["partitions"]
    on = sent["experimentSegmentInclusion"]["segment"]
    kinds = {"individual": [each["userId"] for each in on["individualForSegment"]]}
    kinds |= {each["type"]: [each["groupId"]] for each in on["groupForSegment"]}
    new = draft(
        sent["name"],
        at=[(point["site"], point["target"])],
        context="assign-prog",
        conditions=tuple(
            ConditionDraft(id=each["id"], code=each["conditionCode"], weight=each["assignmentWeight"])
            for each in sent["conditions"]
        ),
        inclusions=tuple(ListDraft(kind=kind, members=tuple(ids)) for kind, ids in kinds.items()),
        filter_mode=sent["filterMode"],
        post_experiment_rule=sent["postExperimentRule"],
        revert_to=sent.get("revertTo"),
    )
    await client.create(new)
    (seen,) = server.calls("POST", "/experiments")
    assert sent_parts(seen.body) == sent_parts(sent)
    # A condition with an existing id would crash the server.
    assert not {each["id"] for each in seen.body["conditions"]} & {each["id"] for each in sent["conditions"]}


async def test_members_are_put_on_the_only_list_of_a_6_2_server_and_taken_off_it(
    client: UpgradeClient, old_server: Scripted
) -> None:
    id = OLD["single_after_put_lists"].answer["id"]
    found = await client.experiment(id)
    assert [each.members for each in found.inclusions + found.exclusions] == [(("individual", "u2"),), ()]
    schools = ListDraft(kind="schoolId", members=("s1", "s2"))
    found = await client.put_on(found, "inclusion", (schools, ListDraft(kind="individual", members=("u2", "u3"))))
    everyone = ("individual", "u2"), ("individual", "u3"), ("schoolId", "s1"), ("schoolId", "s2")
    assert [each.members for each in found.inclusions] == [everyone]
    gone = (ListDraft(kind="schoolId", members=("s1", "u2")), ListDraft(kind="individual", members=("u3",)))
    found = await client.take_off(found, "inclusion", gone)
    assert [each.members for each in found.inclusions] == [(("individual", "u2"), ("schoolId", "s2"))]
    # Another change keeps the lists, which are sent with the experiment.
    found = await client.update(id, ExperimentChanges(name="Other"))
    assert (found.name, found.inclusions[0].groups[0].id) == ("Other", "s2")
    # Existing members are not added again.
    assert await client.put_on(found, "inclusion", (ListDraft(kind="individual", members=("u2",)),)) == found
    assert len(old_server.calls("PUT", f"/experiments/{id}")) == 3
    found = await client.take_off(found, "inclusion", (), everybody=True)
    assert found.inclusions[0].empty
    body = old_server.calls("PUT", f"/experiments/{id}")[-1].body
    assert not {"createdAt", "updatedAt", "versionNumber"} & set(body)
    assert body["experimentSegmentInclusion"]["segment"]["id"] == found.inclusions[0].id
    assert {seen.path for seen in old_server.seen} == {"", f"/experiments/{id}", f"/experiments/single/{id}"}
