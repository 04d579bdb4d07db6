"""The local UpGrade service responds to every recorded request as the real server 6.4 did, except for ids and times."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from graphwright_upgrade_server._routing import Access
from upgrade_support import ADMIN_TOKEN, BASE_URL, DATA, local_server, pair

NAMES = sorted(file.stem for file in (DATA / "pairs-6.4").glob("*.json"))
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TIMES = ("createdAt", "updatedAt", "timeLog")


class Replay:
    """Sends recorded requests again; `ids` maps a recorded id to the id here."""

    def __init__(self, server: httpx.AsyncClient) -> None:
        self.server = server
        self.ids: dict[str, str] = {}

    async def __call__(self, *names: str) -> None:
        """Send the requests of these pairs, and compare each response with the recorded one."""
        for name in names:
            recorded = pair(name)
            answer = await self._send(recorded["request"])
            expected = recorded["response"]
            assert answer.status_code == expected["status"], (name, answer.text)
            assert answer.headers["content-type"] == expected["content_type"], name
            assert answer.headers["x-request-id"], name
            if isinstance(expected["body"], str):
                assert answer.text == expected["body"]
            else:
                self.same(*told_apart(name, expected["body"], answer.json()), name)

    async def do(self, method: str, path: str, body: Any = None, user: str = "") -> Any:
        """A request that was not recorded but was made between recorded ones."""
        answer = await self.server.request(method, path, json=body, headers={"User-Id": user} if user else {})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def create(self, recorded_id: str, **fields: Any) -> Any:
        """Create an experiment that corresponds to a recorded one."""
        body = pair("create_minimal")["request"]["body"]
        described = [condition | {"description": ""} for condition in body["conditions"]]
        created = await self.do("POST", "experiments", body | {"conditions": described} | fields)
        self.ids[recorded_id] = created["id"]
        return created

    async def _send(self, request: dict[str, Any]) -> httpx.Response:
        body = request["body"]
        text = body if isinstance(body, str) else None if body is None else json.dumps(body)
        return await self.server.request(
            request["method"],
            self._here(request["url"]).replace("http://upgrade.example/api", BASE_URL.rstrip("/")),
            content=None if text is None else self._here(text),
            headers=request["headers"],
        )

    def _here(self, text: str) -> str:
        return UUID.sub(lambda found: self.ids.get(found[0], found[0]), text)

    def same(self, expected: Any, actual: Any, place: str) -> None:
        """Fail unless both are equal except for ids, times, version counts and the order of lists."""
        assert type(expected) is type(actual) or {type(expected), type(actual)} == {int, float}, (place, actual)
        if isinstance(expected, dict):
            assert expected.keys() == actual.keys(), place
            for name in expected:
                if name in TIMES:
                    assert TIME.fullmatch(actual[name]), (place, name, actual[name])
                elif name == "twoCharacterId":
                    assert re.fullmatch("[0-9A-Z]{2}", actual[name]), place
                elif name == "versionNumber":
                    assert isinstance(actual[name], int), place
                else:
                    self.same(expected[name], actual[name], f"{place}.{name}")
        elif isinstance(expected, list):
            assert len(expected) == len(actual), (place, expected, actual)
            for index, (one, other) in enumerate(zip(ordered(expected), ordered(actual), strict=True)):
                self.same(one, other, f"{place}[{index}]")
        elif isinstance(expected, str):
            self._same_text(expected, actual, place)
        else:
            assert expected == actual, place

    def _same_text(self, expected: str, actual: str, place: str) -> None:
        assert UUID.sub("ID", expected) == UUID.sub("ID", actual), place
        for recorded, here in zip(UUID.findall(expected), UUID.findall(actual), strict=True):
            assert self.ids.setdefault(recorded, here) == here, place
        assert len(set(self.ids.values())) == len(self.ids), place


def told_apart(name: str, expected: Any, actual: Any) -> tuple[Any, Any]:
    """Remove intended differences: the name in the health response, and the wording of parser errors."""
    own = {"health": ("name", "description"), "create_malformed_json": ("message",)}.get(name, ())
    for field in own:
        assert actual[field] != expected[field]
        actual = actual | {field: expected[field]}
    return expected, actual


def ordered(items: list[Any]) -> list[Any]:
    """A list in a fixed order that does not depend on ids; state logs are ordered by time."""

    def key(item: Any) -> str:
        return UUID.sub("", TIME.sub("", json.dumps(item, sort_keys=True)))

    if items and isinstance(items[0], dict):
        return sorted(items, key=(lambda item: item["timeLog"]) if "timeLog" in items[0] else key)
    return items


UPDATED = pair("update_single_before")["response"]["body"]["id"]
LISTED = pair("list_add_individual")["request"]["body"]["experimentId"]
STATED = pair("state_enrolling")["request"]["body"]["experimentId"]
DRAWN = pair("assign")["response"]["body"][0]["assignedCondition"][0]["experimentId"]
POINT = {"site": "SelectSection", "target": "absolute_value_plot_equality"}


async def with_a_list(replay: Replay) -> None:
    people = [{"segment": {"type": "private", "individualForSegment": [{"userId": "u1"}]}}]
    await replay.create(UPDATED, name="Upd", filterMode="excludeAll", experimentSegmentInclusion=people)


async def updated_before(replay: Replay) -> None:
    await with_a_list(replay)
    await replay("update_single_before")
    here = replay.ids[UPDATED]
    await replay.do("PUT", f"experiments/{here}", await replay.do("GET", f"experiments/single/{here}"))


async def updated_to_group(replay: Replay) -> None:
    await updated_before(replay)
    await replay("update_rename", "update_post_rule_assign")
    here = replay.ids[UPDATED]
    whole = await replay.do("GET", f"experiments/single/{here}")
    group = {"assignmentUnit": "group", "consistencyRule": "group", "group": "schoolId"}
    await replay.do("PUT", f"experiments/{here}", whole | group)


async def listed(replay: Replay) -> None:
    await replay.create(LISTED, name="Lst", filterMode="excludeAll")


async def stated(replay: Replay) -> None:
    await replay.create(STATED, name="States")


async def stated_again(replay: Replay) -> None:
    await stated(replay)
    await replay("state_enrolling", "state_enrollment_complete")
    for state in ("enrolling", "cancelled", "enrolling"):
        await replay.do("POST", "experiments/state", {"experimentId": replay.ids[STATED], "state": state})


async def drawing(replay: Replay) -> None:
    # With the recorded id: it is the seed of every draw.
    await replay.create(DRAWN, name="A1", id=DRAWN)
    await replay.do("POST", "experiments/state", {"experimentId": DRAWN, "state": "enrolling"})
    await replay("init_first")


async def not_applied(replay: Replay) -> None:
    await drawing(replay)
    await replay("assign", "mark")
    await replay.do("POST", "v6/init", {}, "n1")
    await replay.do("POST", "v6/mark", marked("condition not applied"), "n1")


async def completed(replay: Replay) -> None:
    await not_applied(replay)
    await replay.do("POST", "v6/init", {}, "n2")
    body = {"data": POINT | {"assignedCondition": {"conditionCode": "control"}}, "status": "condition applied"}
    await replay.do("POST", "v6/mark", body, "n2")
    await replay.do("POST", "experiments/state", {"experimentId": DRAWN, "state": "enrollmentComplete"})


async def counted(replay: Replay) -> None:
    await completed(replay)
    await replay.do("POST", "v6/init", {}, "late")
    await replay.do("POST", "v6/mark", marked("no condition assigned"), "late")
    await replay.do("POST", "v6/mark", marked("condition not applied"), "s1")
    await replay.do("POST", "experiments/state", {"experimentId": DRAWN, "state": "cancelled"})


async def two_excluded(replay: Replay) -> None:
    await drawing(replay)
    await replay("assign", "mark")
    for user in ("s1", "n1"):
        await replay.do("POST", "v6/init", {}, user)
        await replay.do("POST", "v6/mark", marked("condition not applied"), user)


async def user_ok(replay: Replay) -> None:
    await replay.do("POST", "v6/init", {}, "ok")


async def tokens_demanded(replay: Replay) -> None:
    await user_ok(replay)
    await replay.do("POST", "setting", {"toCheckAuth": True})


def marked(status: str) -> dict[str, Any]:
    return {"data": POINT | {"assignedCondition": {"experimentId": DRAWN}}, "status": status}


Step = str | Callable[[Replay], Awaitable[None]]

# The requests before a pair: recorded ones, and others.
GIVEN: dict[str, tuple[Step, ...]] = {
    "single": ("create_minimal",),
    "names": ("create_minimal",),
    "all": ("create_minimal",),
    "single_after_create_with_lists": ("create_with_lists",),
    "update_single_before": (with_a_list,),
    "update_rename": (updated_before,),
    "update_partial": (updated_before,),
    "update_without_payloads": (updated_before,),
    "update_post_rule_assign": (updated_before, "update_rename"),
    "update_unknown": (updated_before,),
    "delete": (updated_to_group,),
    "delete_unknown": (updated_to_group, "delete"),
    "list_add_individual": (listed,),
    "list_add_group": (listed, "list_add_individual"),
    "list_add_exclusion": (listed, "list_add_individual", "list_add_group"),
    "list_replace": (listed, "list_add_individual"),
    "list_single": (listed, "list_add_individual", "list_add_group", "list_add_exclusion", "list_replace"),
    "list_delete": (listed, "list_add_individual"),
    "list_delete_again": (listed, "list_add_individual", "list_delete"),
    "state_enrolling": (stated,),
    "state_enrollment_complete": (stated, "state_enrolling"),
    "state_running_alias": (stated_again,),
    "init_again_empty": ("init_groups",),
    "assign_unknown_context": ("init_first",),
    "assign": (drawing,),
    "mark": (drawing, "assign"),
    "mark_unknown_condition": (drawing, "assign"),
    "mark_unknown_experiment": (drawing, "assign"),
    "assign_after_not_applied": (not_applied,),
    "assign_complete_enrolled": (completed,),
    "enrollment_detail": (counted,),
    "check_individual_exclusion": (two_excluded,),
    "useraliases": (user_ok,),
    "groupmembership": (user_ok,),
    "workinggroup": (user_ok, "groupmembership"),
    "assign_no_token": (tokens_demanded,),
}


@pytest.mark.parametrize("name", NAMES)
async def test_a_recorded_request_is_answered_as_recorded(name: str) -> None:
    access = Access(admin_token=ADMIN_TOKEN) if name == "admin_no_token" else None
    async with local_server(access=access) as server:
        replay = Replay(server)
        for step in GIVEN.get(name, ()):
            await (replay(step) if isinstance(step, str) else step(replay))
        await replay(name)
