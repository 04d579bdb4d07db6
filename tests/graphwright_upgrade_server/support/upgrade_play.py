"""A product and its researchers against an UpGrade server: experiments on separate points, users, marks."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from upgrade_support import DATA

Point = tuple[str, str]
"""A site and a target."""


def golden(name: str) -> Any:
    """A file of golden data."""
    return json.loads((DATA / name).read_text("utf-8"))


def fresh(name: str = "x") -> str:
    """A name that is unused on any server."""
    return f"{name}-{uuid.uuid4().hex[:12]}"


@dataclass(frozen=True)
class Experiment:
    """A created experiment: the points by order, and the ids of its conditions by code."""

    id: str
    points: tuple[Point, ...]
    conditions: Mapping[str, str]


@pytest.fixture(name="play")
async def playing(upgrade_server: httpx.AsyncClient) -> AsyncIterator[Play]:
    """Play on a server, in the first of its contexts. Created objects are deleted again, since it may be a real one."""
    metadata = (await upgrade_server.get("experiments/contextMetaData")).json()
    play = Play(upgrade_server, next(iter(metadata["contextMetadata"])))
    yield play
    for id in [*play.made]:
        await play.delete(id)


class Play:
    """Everything in one context of a server. A refused call fails the test, unless `refused` makes it.

    `made` are the ids of the experiments created here. Other experiments of the server are ignored.
    """

    def __init__(self, server: httpx.AsyncClient, context: str) -> None:
        self.server = server
        self.context = context
        self.made: set[str] = set()

    async def call(self, method: str, path: str, body: Any = None, user: str = "") -> Any:
        answer = await self._send(method, path, body, user)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    async def refused(self, method: str, path: str, body: Any = None, user: str = "") -> tuple[int, dict[str, Any]]:
        """The status and the body of the response to a call that must fail."""
        answer = await self._send(method, path, body, user)
        assert answer.status_code != 200, answer.text
        return answer.status_code, answer.json()

    async def _send(self, method: str, path: str, body: Any, user: str) -> httpx.Response:
        headers = {"User-Id": user} if user else {}
        return await self.server.request(method, path, json=body, headers=headers)

    async def experiment(
        self,
        state: str = "inactive",
        *,
        points: Sequence[Point] = (),
        weights: Mapping[str, float] | None = None,
        exclude_if_reached: bool = False,
        **fields: Any,
    ) -> Experiment:
        """Create an experiment, on a new point by default, with equal weights of control and variant by default."""
        places = tuple(points) or ((fresh("site"), fresh("target")),)
        weighed = weights or {"control": 50, "variant": 50}
        body = {
            "name": fresh("experiment"),
            "context": [self.context],
            "state": "inactive",
            "consistencyRule": "individual",
            "assignmentUnit": "individual",
            "postExperimentRule": "continue",
            "tags": [],
            "filterMode": "includeAll",
            "type": "Simple",
            "conditions": [
                {"id": str(uuid.uuid4()), "conditionCode": code, "assignmentWeight": weight, "order": order, "name": ""}
                for order, (code, weight) in enumerate(weighed.items(), 1)
            ],
            "partitions": [
                {
                    "id": str(uuid.uuid4()),
                    "site": site,
                    "target": target,
                    "description": "",
                    "order": order,
                    "excludeIfReached": exclude_if_reached,
                }
                for order, (site, target) in enumerate(places, 1)
            ],
            **fields,
        }
        created = await self.call("POST", "experiments", body)
        self.made.add(created["id"])
        if state != "inactive":
            await self.state(created["id"], state)
        codes = {condition["conditionCode"]: condition["id"] for condition in created["conditions"]}
        return Experiment(created["id"], places, codes)

    async def group_experiment(self, state: str, rule: str, **fields: Any) -> Experiment:
        """Create an experiment that assigns schools."""
        units = {"assignmentUnit": "group", "group": "schoolId", "consistencyRule": rule}
        return await self.experiment(state, **units, **fields)

    async def state(self, id: str, state: str) -> None:
        await self.call("POST", "experiments/state", {"experimentId": id, "state": state})

    async def update(self, id: str, **changes: Any) -> None:
        """Replace the experiment by itself with some fields changed."""
        whole = await self.call("GET", f"experiments/single/{id}")
        for name in ("createdAt", "updatedAt", "versionNumber"):
            del whole[name]
        await self.call("PUT", f"experiments/{id}", whole | {"conditionPayloads": []} | changes)

    async def payload(self, experiment: Experiment, point: int, value: str, type: str = "string") -> None:
        """Set a payload of the first condition at one of the points, counted from 0."""
        whole = await self.call("GET", f"experiments/single/{experiment.id}")
        payload = {
            "id": str(uuid.uuid4()),
            "parentCondition": whole["conditions"][0]["id"],
            "decisionPoint": whole["partitions"][point]["id"],
            "payload": {"type": type, "value": value},
        }
        await self.update(experiment.id, conditionPayloads=[payload])

    async def delete(self, id: str) -> None:
        await self.call("DELETE", f"experiments/{id}")
        self.made.discard(id)

    async def list(
        self, kind: str, id: str, users: Sequence[str] = (), schools: Sequence[str] = (), type: str = "schoolId"
    ) -> str:
        """Add an inclusion or exclusion list of users, or of schools (or groups of another type); return its id."""
        body = {
            "name": fresh("list"),
            "context": self.context,
            "type": "private",
            "listType": "individual" if users else type,
            "userIds": [*users],
            "groups": [{"type": type, "groupId": school} for school in schools],
            "subSegmentIds": [],
        }
        added = await self.call("POST", f"experiments/{kind}List", {"experimentId": id, "list": body})
        return str(added["segmentId"])

    async def user(self, name: str = "user", school: str | None = None) -> str:
        """Create a user, who works in a school if one is given."""
        id = fresh(name)
        await self.call("POST", "v6/init", in_school(school) if school is not None else {}, id)
        return id

    async def elements(self, user: str) -> list[dict[str, Any]]:
        """The response of assign, restricted to the experiments created here."""
        answer = await self.call("POST", "v6/assign", {"context": self.context}, user)
        return [one for one in answer if one["assignedCondition"][0]["experimentId"] in self.made]

    async def assigned(self, user: str) -> dict[Point, tuple[str, str]]:
        """The same: the experiment and the code by point."""
        found: dict[Point, tuple[str, str]] = {}
        for element in await self.elements(user):
            point = (element["site"], element["target"])
            assert point not in found, f"two assignments on {point}"
            condition = element["assignedCondition"][0]
            found[point] = (condition["experimentId"], condition["conditionCode"])
        return found

    async def code(self, user: str, experiment: Experiment) -> str | None:
        """The code of the user in an experiment, None for the default."""
        for of, code in (await self.assigned(user)).values():
            if of == experiment.id:
                return code
        return None

    async def mark(
        self,
        user: str,
        point: Point,
        code: str | None = None,
        experiment: str | None = None,
        status: str | None = None,
    ) -> Any:
        body = mark_body(point, code, experiment, status or ("condition applied" if code else "no condition assigned"))
        return await self.call("POST", "v6/mark", body, user)

    async def visit(self, user: str, experiment: Experiment) -> str | None:
        """Visit the first point as a product does: assign, apply, mark. Return the code, None for the default."""
        code = await self.code(user, experiment)
        await self.mark(user, experiment.points[0], code, experiment.id)
        return code

    async def records(self, experiment: Experiment) -> dict[str, Any]:
        """The rows of the experiment: enrolled and excluded users, with their codes, and groups."""
        enrolled = await self._rows("individualAssignment", experiment)
        excluded = await self._rows("individualExclusion", experiment)
        return {
            "enrolled": {row["userId"]: row["enrollmentCode"] for row in enrolled},
            "excluded": {row["userId"]: row["exclusionCode"] for row in excluded},
            "groupsEnrolled": {row["groupId"] for row in await self._rows("groupAssignment", experiment)},
            "groupsExcluded": {
                row["groupId"]: row["exclusionCode"] for row in await self._rows("groupExclusion", experiment)
            },
        }

    async def _rows(self, dump: str, experiment: Experiment) -> list[dict[str, Any]]:
        return [row for row in await self.call("GET", f"check/{dump}") if row["experimentId"] == experiment.id]


def in_school(*schools: str) -> dict[str, Any]:
    """The init request of a user who is in some schools and works in the first of them."""
    return {"group": {"schoolId": [*schools]}, "workingGroup": {"schoolId": schools[0]}}


def mark_body(point: Point, code: str | None, experiment: str | None, status: str | None) -> dict[str, Any]:
    """The body of a mark, without fields that are None."""
    condition = {"conditionCode": code, "experimentId": experiment}
    data: dict[str, Any] = {"site": point[0], "target": point[1]}
    if given := {name: value for name, value in condition.items() if value is not None}:
        data["assignedCondition"] = given
    return {"data": data} | ({"status": status} if status is not None else {})
