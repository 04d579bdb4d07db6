"""What the UpGrade agent's actions work on in tests: contexts, experiments, parameters, and a service that may fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from graphwright.agents.upgrade.checks.checking import Checked, check
from graphwright.agents.upgrade.checks.facts import Facts

ID = "5f914ce4-fa5c-48d7-99f5-853426a27082"
OTHER = "0a9cf27e-4f41-4a43-9b02-0f5bb9b14b4b"

CONTEXTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "maths-practice": {
        "conditions": ("control", "variant", "hint-first"),
        "group_types": ("schoolId", "classId"),
        "sites": ("show-problem", "give-hint"),
        "targets": ("fractions-intro", "linear-equations"),
    },
    "study-planner": {
        "conditions": ("control",),
        "group_types": ("schoolId",),
        "sites": ("start-of-week",),
        "targets": ("home-page",),
    },
    "no-groups": {"conditions": (), "group_types": (), "sites": (), "targets": ()},
}
NAMES = ((ID, "Hints first"), (OTHER, "Twin"))


def new(**changes: Any) -> dict[str, Any]:
    """Parameters of an experiment that nothing is wrong with; what is None is left out."""
    params = {
        "name": "Breaks",
        "context": "maths-practice",
        "conditions": [{"code": "control", "weight": 50}, {"code": "variant", "weight": 50}],
        "decision_points": [{"site": "show-problem", "target": "fractions-intro"}],
        **changes,
    }
    return {name: value for name, value in params.items() if value is not None}


def facts(**changes: Any) -> Facts:
    """An experiment with two conditions and one point, inactive."""
    made: Facts = {
        "experiment_id": ID,
        "name": "Hints first",
        "description": "",
        "context": "maths-practice",
        "state": "inactive",
        "unit": "individual",
        "group": "",
        "consistency": "individual",
        "post_rule": "continue",
        "revert_to": None,
        "filter_mode": "includeAll",
        "tags": [],
        "conditions": [{"code": "control", "weight": 50.0}, {"code": "hint-first", "weight": 50.0}],
        "decision_points": [{"site": "show-problem", "target": "fractions-intro", "exclude_if_reached": False}],
        "include": {"users": 0, "groups": 0, "segments": 0},
        "exclude": {"users": 0, "groups": 0, "segments": 0},
        "goal_users": None,
        "goal_groups": None,
    }
    made.update(changes)  # type: ignore[typeddict-item]
    return made


def checked(action: str, params: Mapping[str, Any], experiment: Facts | None = None) -> Checked:
    """The action looked through; looking again at what came out changes nothing."""
    found = check(action, params, contexts=CONTEXTS, names=NAMES, experiment=experiment)
    if found.ready:
        assert check(action, found.params, contexts=CONTEXTS, names=NAMES, experiment=experiment) == found
    return found


def refused(action: str, params: Mapping[str, Any], experiment: Facts | None = None, type: str = "validation") -> str:
    """What is wrong with an action that misses nothing."""
    found = checked(action, params, experiment)
    assert (found.missing, set(found.errors)) == ([], {type})
    return found.errors[type]


class Line(httpx.AsyncBaseTransport):
    """The way to a service in this process. `cut` picks requests for which no connection is made, `broken` those where
    it breaks before they arrive, `lose` those whose answer is lost.

    `sent` are the requests, `METHOD /path`; `most` is how many were under way at once.
    """

    def __init__(self, app: Any) -> None:
        self._inner = httpx.ASGITransport(app)
        self._under_way = 0
        self.cut: Callable[[httpx.Request], bool] = lambda _request: False
        self.broken: Callable[[httpx.Request], bool] = lambda _request: False
        self.lose: Callable[[httpx.Request], bool] = lambda _request: False
        self.sent: list[str] = []
        self.most = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(f"{request.method} {request.url.path.removeprefix('/api')}")
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        try:
            # As a network does, it lets others go on.
            await asyncio.sleep(0)
            if self.cut(request):
                raise httpx.ConnectError("Connection refused")
            if self.broken(request):
                raise httpx.ReadError("the connection broke")
            answer = await self._inner.handle_async_request(request)
            if self.lose(request):
                raise httpx.ReadError("the connection broke")
            return answer
        finally:
            self._under_way -= 1
