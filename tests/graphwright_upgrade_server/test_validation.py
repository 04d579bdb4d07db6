"""The contract of an UpGrade server: its refusals, and their form."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from graphwright_upgrade_server._app import LIMIT, create_app
from graphwright_upgrade_server._contexts import read
from graphwright_upgrade_server._routing import Access
from graphwright_upgrade_server.failures import ServiceError
from upgrade_play import Play, fresh
from upgrade_support import ADMIN_TOKEN, CLIENT_KEY, CLIENT_SECRET, local_only, local_server, pair

WRONG_FORMAT = "Parameter not in the correct format"
BODY = pair("create_minimal")["request"]["body"]
UNKNOWN = "5f914ce4-fa5c-48d7-99f5-853426a27082"
REQUIRED = (
    *("name", "context", "state", "assignmentUnit", "consistencyRule", "postExperimentRule", "tags", "filterMode"),
    *("conditions", "partitions", "type"),
)


def body_of(**fields: Any) -> dict[str, Any]:
    """A valid experiment with a new name and a new point."""
    point = BODY["partitions"][0] | {"target": fresh("target")}
    return BODY | {"name": fresh("experiment"), "partitions": [point]} | fields


def list_of(*users: str, **fields: Any) -> dict[str, Any]:
    base = {"name": "people", "context": "assign-prog", "type": "private", "listType": "individual"}
    return base | {"userIds": [*users], "groups": [], "subSegmentIds": []} | fields


@pytest.fixture
async def play(upgrade_server: httpx.AsyncClient) -> Play:
    """A server that implements the contract exactly."""
    return Play(upgrade_server, "assign-prog")


@pytest.fixture
async def kind() -> AsyncIterator[Play]:
    """The local service by default, with helpful errors."""
    async with local_server(strict=False) as server:
        yield Play(server, "assign-prog")


async def whole(play: Play, experiment_id: str) -> dict[str, Any]:
    found: dict[str, Any] = await play.call("GET", f"experiments/single/{experiment_id}")
    return found


# Refused by every server


CONDITION = BODY["conditions"][0]
POINT = BODY["partitions"][0]


@pytest.mark.parametrize(
    "fields",
    [
        # None is left out.
        *({name: None} for name in REQUIRED),
        {"name": ""},
        {"name": 7},
        {"context": []},
        {"context": "assign-prog"},
        {"state": "started"},
        {"assignmentUnit": "school"},
        {"consistencyRule": "none"},
        {"postExperimentRule": "stop"},
        {"filterMode": "all"},
        {"type": "Plain"},
        {"tags": "maths"},
        {"conditions": {}},
        {"conditions": [CONDITION | {"assignmentWeight": "50"}]},
        {"conditions": [{k: v for k, v in CONDITION.items() if k != "id"}]},
        {"conditions": [{k: v for k, v in CONDITION.items() if k != "conditionCode"}]},
        {"partitions": [{k: v for k, v in POINT.items() if k != "site"}]},
        {"partitions": [{k: v for k, v in POINT.items() if k != "excludeIfReached"}]},
        {"group": "schoolId"},
        {"assignmentUnit": "group"},
        {"assignmentUnit": "group", "group": ""},
        {"assignmentAlgorithm": "ts_configurable"},
        {"id": "seven"},
        {"experimentSegmentInclusion": {"segment": {}}},
    ],
    ids=lambda fields: json.dumps(fields)[:60],
)
async def test_a_field_that_is_missing_or_of_the_wrong_shape_is_refused_and_nothing_is_stored(
    play: Play, fields: dict[str, Any]
) -> None:
    body = {name: value for name, value in body_of(**fields).items() if value is not None}
    status, told = await play.refused("POST", "experiments", body)
    assert (status, told["name"], told["type"]) == (400, "BadRequestError", WRONG_FORMAT)
    assert (told["endPoint"], told["errorCode"], told["request"]) == ("/api/experiments", 400, body)
    if fields.keys() & {"assignmentAlgorithm"} == set():
        assert told["message"] == "Invalid body, check 'errors' property for more info."
    assert body.get("name") not in [one["name"] for one in await play.call("GET", "experiments/names")]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "experiments/single/{}"), ("PUT", "experiments/{}"), ("DELETE", "experiments/{}")],
)
@pytest.mark.parametrize("given", ["not-a-uuid", "1", "5f914ce4", "5f914ce4-fa5c-48d7-99f5-853426a2708g", "a%27;--"])
async def test_an_invalid_uuid_is_rejected(play: Play, method: str, path: str, given: str) -> None:
    status, told = await play.refused(method, path.format(given), BODY if method == "PUT" else None)
    assert (status, told["name"], told["type"]) == (400, "BadRequestError", WRONG_FORMAT)


NO_LIST = f"experiments/inclusionList/{UNKNOWN}"
SEARCH = {"skip": 0, "take": 1, "searchParams": {"key": "all", "string": ""}}
EMPTY = {"conditionPayloads": [], "conditions": [], "partitions": []}
TWO_WAYS: list[tuple[str, str, Any, int, str, int]] = [
    # Unknown values, on which the original crashes.
    ("PUT", f"experiments/{UNKNOWN}", body_of(**EMPTY), 500, "of undefined (reading 'state')", 404),
    ("POST", "experiments/state", {"experimentId": UNKNOWN, "state": "enrolling"}, 500, "(reading 'context')", 404),
    ("DELETE", NO_LIST, None, 500, f"Segment with ID {UNKNOWN} not found for inclusion", 404),
    ("POST", "experiments/inclusionList", {"experimentId": UNKNOWN, "list": list_of("u1")}, 500, "adding segment", 404),
    ("PUT", NO_LIST.replace("inc", "exc"), {"list": list_of("u2")}, 500, "in the request body (None).", 400),
    ("POST", "stats/enrollment/detail", {"experimentId": UNKNOWN}, 500, "", 404),
    # Invalid values.
    ("POST", "experiments", {"backendVersion": 6}, 400, "", 400),
    ("POST", "experiments", {"stateTimeLogs": "none"}, 400, "", 400),
    ("POST", "experiments", {"stateTimeLogs": [{"fromState": "on", "toState": "off", "timeLog": "now"}]}, 400, "", 400),
    ("POST", "experiments", {"name": "a\0b"}, 500, "", 400),
    ("POST", "experiments/paginated", SEARCH, 400, "", 400),
]


@pytest.mark.parametrize(("method", "path", "sent", "strict", "says", "by_default"), TWO_WAYS)
async def test_what_is_unknown_or_wrong_is_answered_as_the_original_does_or_told_for_what_it_is(
    play: Play, kind: Play, method: str, path: str, sent: Any, strict: int, says: str, by_default: int
) -> None:
    for server, expected in ((play, strict), (kind, by_default)):
        body = body_of(context=[server.context], **sent) if path == "experiments" else sent
        status, told = await server.refused(method, path, body)
        assert status == expected
        assert server is kind or says in told["message"]


# Differences of the local service.


@local_only
async def test_by_default_what_the_caller_got_wrong_is_a_400_that_says_where(kind: Play) -> None:
    body = body_of(name="", conditions=[CONDITION | {"assignmentWeight": "50"}], tags=None, state="running")
    status, told = await kind.refused("POST", "experiments", body)
    assert (status, told["errors"][0]) == (400, "`name` must not be empty")
    assert "`conditions[0].assignmentWeight` must be a number" in told["errors"]
    experiment, other = await kind.experiment(), await kind.experiment()
    assert (await kind.refused("POST", "experiments", body_of(id=other.id)))[0] == 400
    body = await whole(kind, experiment.id)
    for change in (
        {"conditionPayloads": None},
        {"conditions": [CONDITION | {"id": "c9"}]},
        {"conditions": [CONDITION | {"id": UNKNOWN}, CONDITION | {"id": UNKNOWN}]},
        {"conditions": [CONDITION | {"id": other.conditions["control"]}]},
        {"conditionPayloads": [{"id": UNKNOWN, "parentCondition": UNKNOWN, "payload": {"type": "csv", "value": ""}}]},
    ):
        assert (await kind.refused("PUT", f"experiments/{experiment.id}", body | change))[0] == 400, change
    segment = await kind.list("inclusion", experiment.id, ["u1"])
    for method, path, sent in (
        ("PUT", f"experiments/inclusionList/{segment}", {"experimentId": experiment.id, "list": list_of(id=UNKNOWN)}),
        ("POST", "experiments/inclusionList", {}),
        ("POST", "experiments/inclusionList", {"experimentId": experiment.id, "list": []}),
        ("POST", "experiments/inclusionList", {"experimentId": experiment.id, "list": list_of(userIds=[1])}),
        ("POST", "experiments/inclusionList", {"experimentId": experiment.id, "list": list_of(subSegmentIds=["x"])}),
        ("POST", "experiments/state", []),
        ("POST", "experiments/state", {"experimentId": experiment.id, "state": "started"}),
        ("POST", "experiments/paginated", {"skip": -1, "take": 10**30}),
        ("POST", "experiments/paginated", SEARCH | {"searchParams": {"key": "colour", "string": "x"}}),
        ("POST", "experiments/paginated", SEARCH | {"searchParams": {"key": "all", "string": "%" * 99_999}}),
        ("POST", "stats/enrollment/detail", {"experimentId": "x"}),
        ("POST", "stats/enrollment", {"experimentIds": "x"}),
        ("POST", "segments", {"type": "global_exclude"}),
        ("POST", "setting", {"toCheckAuth": "yes"}),
        ("POST", "previewusers", {"id": 7}),
        ("POST", "batch-assign", {"context": "nope", "site": "s", "target": "t", "userIds": []}),
    ):
        status, told = await kind.refused(method, path, sent)
        assert (status, told["errorCode"]) == (400, 400), (path, sent, told)


OUT_OF_SCOPE = [
    *(
        ("experiments", body_of(**fields), what)
        for fields, what in (
            ({"type": "Factorial"}, "factorial"),
            ({"factors": [{"name": "f"}]}, "factorial"),
            ({"assignmentUnit": "within-subjects"}, "within-subjects"),
            ({"assignmentAlgorithm": "stratified random sampling"}, "stratified"),
            ({"assignmentAlgorithm": "ts_configurable"}, "ts_configurable"),
            ({"state": "scheduled"}, "scheduled start"),
            ({"queries": [{"name": "q"}]}, "metrics"),
        )
    ),
    *(("flags", {}, "feature flags"), ("v6/featureflag", {}, "feature flags")),
    *(("v6/log", {}, "metrics"), ("v6/reward", {}, "adaptive"), ("setting", {"toFilterMetric": True}, "metrics")),
    ("experiments/state", {"experimentId": UNKNOWN, "state": "scheduled"}, "scheduled start"),
]


@local_only
@pytest.mark.parametrize(("path", "body", "what"), OUT_OF_SCOPE)
async def test_what_is_out_of_scope_is_refused_by_name(kind: Play, path: str, body: dict[str, Any], what: str) -> None:
    status, told = await kind.refused("POST", path, body)
    assert (status, what in told["message"], "local UpGrade service" in told["message"]) == (400, True, True)


@local_only
@pytest.mark.parametrize("announced", [True, False])
async def test_a_body_of_6_mb_is_refused_whether_its_length_is_announced_or_not(kind: Play, announced: bool) -> None:
    text = json.dumps(body_of(description="x" * (LIMIT + 1_000_000))).encode()

    async def chunks() -> AsyncIterator[bytes]:
        yield text

    headers = {"Content-Type": "application/json"}
    answer = await kind.server.post("experiments", content=text if announced else chunks(), headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (413, "request entity too large")
    assert len(answer.content) < 1000
    assert await kind.call("GET", "experiments/names") == []


BAD_BODIES = ["{bad", "", "3", '"text"', "null", '{"name": NaN}', '{"name": "\\ud800"}', "\x00", "[]", "{}"]
BAD_BODIES += ['{"versionNumber": 1e999}', '{"versionNumber": ' + "9" * 6000 + "}"]


@local_only
@pytest.mark.parametrize(
    ("text", "kind_of", "says"),
    [
        *((text, "application/json", "") for text in BAD_BODIES),
        *((text * 100_000, "application/json", "it nests too deep") for text in ("[", '{"name":')),
        ("name=x", "application/x-www-form-urlencoded", "Content-Type"),
    ],
    ids=lambda text: repr(text[:20]),
)
async def test_an_invalid_experiment_is_a_400(kind: Play, text: str, kind_of: str, says: str) -> None:
    answer = await kind.server.post("experiments", content=text, headers={"Content-Type": kind_of})
    assert (answer.status_code, answer.json()["errorCode"]) == (400, 400), answer.text
    assert says in answer.json()["message"]
    assert ("Traceback" not in answer.text, len(answer.content) < 10_000) == (True, True)


@local_only
async def test_numbers_and_texts_at_their_limits_are_stored_or_refused(kind: Play) -> None:
    for weight in (-5, 0, 1e-9, 2**53):
        conditions = [CONDITION | {"assignmentWeight": weight}]
        created = await kind.call("POST", "experiments", body_of(conditions=conditions))
        assert (await whole(kind, created["id"]))["conditions"][0]["assignmentWeight"] == weight
    for order in (1.5, 2**70, True):
        body = body_of(conditions=[CONDITION | {"order": order}])
        assert (await kind.refused("POST", "experiments", body))[0] == 400
    odd = "'; DROP TABLE experiment; --\x01\u202e" + "€" * 10_000
    created = await kind.call("POST", "experiments", body_of(name=odd))
    assert (await whole(kind, created["id"]))["name"] == odd


@local_only
async def test_admin_routes_want_the_token_where_one_is_set() -> None:
    async with local_server(access=Access(admin_token=ADMIN_TOKEN)) as server:
        for wrong in ({}, {"Authorization": "Bearer nope"}, {"Authorization": ADMIN_TOKEN}):
            answer = await server.get("experiments/names", headers=wrong)
            assert (answer.status_code, answer.json()["type"]) == (401, "User ID not found")
            assert "nope" not in answer.text
            assert ADMIN_TOKEN not in answer.text
        right = await server.get("experiments/names", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        assert right.status_code == 200
        assert (await server.get("")).status_code == 200
        assert (await server.get("check/individualExclusion")).status_code == 200


def signed(secret: str = CLIENT_SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    return jwt.encode(claims, secret, algorithm=algorithm)


@local_only
@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("", "Token is not present in request header from client"),
        ("garbage", "jwt malformed"),
        ("a.b.c", "jwt malformed"),
        (signed("another secret that is long enough to be one", APIKey=CLIENT_KEY), "invalid signature"),
        (signed(APIKey="another key"), "Provided token is invalid"),
        (signed(APIKey=CLIENT_KEY, admin=True), "Provided token is invalid"),
        (signed(), "Provided token is invalid"),
        (signed(APIKey=CLIENT_KEY, exp=int(time.time()) - 3600), "jwt expired"),
        (signed("", "none", APIKey=CLIENT_KEY), "invalid algorithm"),
        (signed(APIKey=CLIENT_KEY, iat=int(time.time()), exp=int(time.time()) + 36_000), None),
    ],
)
async def test_client_tokens_are_checked_and_never_shown(token: str, message: str | None) -> None:
    async with local_server() as server:
        play = Play(server, "assign-prog")
        user = await play.user()
        await play.call("POST", "setting", {"toCheckAuth": True})
        headers = {"User-Id": user} | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = await server.post("v6/assign", json={"context": "assign-prog"}, headers=headers)
        assert answer.status_code == (401 if message else 200)
        assert message is None or answer.json()["message"] == message
        assert CLIENT_SECRET not in answer.text
        assert not token or token not in answer.text
        # An unknown user is detected before any token is checked.
        assert (await play.refused("POST", "v6/assign", {"context": "assign-prog"}, "ghost"))[0] == 404


@local_only
async def test_checking_tokens_requires_a_secret() -> None:
    async with local_server(access=Access()) as server:
        play = Play(server, "assign-prog")
        status, told = await play.refused("POST", "setting", {"toCheckAuth": True})
        assert (status, "UPGRADE_CLIENT_API_SECRET" in told["message"]) == (400, True)
        assert (await play.call("GET", "setting"))["toCheckAuth"] is False


@local_only
@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\x00" + b"\x00" * 200])
def test_a_foreign_database_is_not_changed(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "upgrade.db"
    file.write_bytes(content)
    with pytest.raises(ServiceError) as refused:
        create_app(file)
    assert str(file) in refused.value.message
    assert file.read_bytes() == content


@local_only
@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "", "empty"),
        ("- a", ":1", "must be a mapping"),
        ("contexts: {}", ":1", "`contextMetadata` is missing"),
        ("contextMetadata: {}", ":1", "names no context"),
        ("contextMetadata:\n  maths: {}", ":2", "the context `maths` lacks `CONDITIONS`"),
        ("contextMetadata:\n  maths:\n    SITES: []", ":3", "unknown field `SITES`"),
        ("contextMetadata:\n  Maths: {}", ":2", "lower case"),
        ("contextMetadata:\n  maths: {CONDITIONS: yes}", ":2", "lacks `GROUP_TYPES`"),
        (
            "contextMetadata:\n  m:\n    CONDITIONS: [a]\n    GROUP_TYPES: []\n    EXP_IDS: one\n    EXP_POINTS: []",
            ":5",
            "`EXP_IDS` of the context `m` must be a list",
        ),
        ("contextMetadata: [", ":2", "not valid YAML"),
        ("contextMetadata: {}\ncontextMetadata: {}", ":2", "second time"),
        ('{"contextMetadata": {}, "contextMetadata": {}}', ":1", "second time"),
        ("contextMetadata:\n  ? [a]\n  : {}", ":2", "a key must be a text"),
        ("a: &a [x]\nb: *a", ":2", "the alias `*a` is not read"),
        ("a: " + "[" * 200_000, ":1", "nest more than 20 deep"),
        ('{"a": ' + "[" * 200_000, ":1", "nest more than 20 deep"),
        ("a:\n" + "-\n" * 300_000, ":199999", "more than 200,000 values"),
        ("#" * 1_100_000, ":1", "more than 1024 KiB"),
    ],
)
def test_a_contexts_file_that_is_wrong_names_its_place(tmp_path: Path, text: str, place: str, problem: str) -> None:
    file = tmp_path / "contexts.yaml"
    file.write_text(text)
    with pytest.raises(ServiceError) as refused:
        read(file)
    assert f"{file}{place}" in refused.value.message
    assert problem in refused.value.message
