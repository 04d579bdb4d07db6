"""The client reads what a real server answered, refusals among it, and writes an experiment back whole."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
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
BEFORE = PAIRS["update_single_before"]
WITH_LISTS = ExperimentDraft(
    name="Lists",
    context="assign-prog",
    conditions=(ConditionDraft(code="control", weight=100),),
    decision_points=(DecisionPointDraft(site="SelectSection", target="t"),),
    inclusions=(ListDraft(kind="individual", members=("u1",)), ListDraft(kind="schoolId", members=("s1",))),
    exclusions=(ListDraft(kind="individual", members=("u2",)),),
)


@pytest.fixture
async def client(server: Scripted) -> AsyncIterator[UpgradeClient]:
    async with UpgradeClient(server.url) as made:
        yield made


def shown_as(server: Scripted, id: str, pair: Pair, **changes: Any) -> None:
    """Let the server show the experiment of a pair under an id."""
    server.json("GET", f"/experiments/single/{id}", {**pair.answer, "id": id, **changes})


# What is sent is shown by the client's tests against the local service, which takes what a real server takes.


REFUSED: dict[str, tuple[type[UpgradeError], str]] = {
    **dict.fromkeys(("single_unknown", "delete_unknown", "list_delete_again"), (NotFound, "not_found")),
    "mark_unknown_experiment": (NotFound, "not_found"),
    **dict.fromkeys(("create_missing_name", "create_unknown_context", "create_default_code"), (Invalid, "invalid")),
    **dict.fromkeys(("create_group_without_type", "update_partial", "init_no_header"), (Invalid, "invalid")),
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


@pytest.mark.parametrize("name", REFUSED)
async def test_a_recorded_refusal_is_told_by_its_kind_without_the_request_that_it_echoes(
    name: str, client: UpgradeClient, server: Scripted
) -> None:
    pair = PAIRS[name]
    of_app = pair.path.startswith("/v6")
    method, path = ("POST", "/v6/assign") if of_app else ("GET", "/experiments/names")
    if pair.content_type.startswith("text/html"):
        server.text(method, path, pair.answer, pair.status)
    else:
        server.json(method, path, pair.answer, pair.status)
    error = await failure(client.assign("u", "c") if of_app else client.names(), *REFUSED[name])
    assert "{" not in error.message + error.hint


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
    for write in (client.create(WITH_LISTS), client.delete_list("inclusion", BEFORE.answer["id"])):
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
    path = f"/experiments/single/{made.answer['id']}"
    server.json("POST", "/experiments", made.answer)
    late = {**PAIRS["list_single"].answer, "id": made.answer["id"]}

    def single(_seen: Any) -> Any:
        early = len(server.calls("GET", path)) < 3
        return json_response({**late, "experimentSegmentExclusion": []} if early else late)

    server.answers["GET", path] = single
    assert len((await client.create(WITH_LISTS)).exclusions) == 1
    assert len(server.calls("GET", path)) == 3
