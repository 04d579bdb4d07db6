"""Shared by tests of the UpGrade agent: experiments on the local service, which runs in a thread of this process."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import graphwright
from graphwright import Session, Turn
from graphwright.models._scripted import ScriptedModel
from graphwright_upgrade.client import _connecting as connecting
from graphwright_upgrade.client._connecting import connect, database_file, own_contexts
from graphwright_upgrade.client._experiment import Experiment
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade_server._app import create_app
from graphwright_upgrade_server._contexts import read
from upgrade_client_support import draft, listening

SITES = ("show-problem", "give-hint", "select-section")
TARGETS = ("fractions-intro", "linear-equations", "area-of-shapes")


class _Thread:
    """A local service in a thread of this process, instead of a separate process."""

    stdin = None

    def poll(self) -> None:
        return None

    def wait(self, _seconds: float) -> None:
        return None


@functools.cache
def _services(_process: int) -> tuple[str, dict[str, Any]]:
    """The address of a server in a thread, and its applications by the first part of their paths. It runs to the end
    of the process, because a server takes 0.2 s to stop."""
    apps: dict[str, Any] = {}

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        await apps[scope["path"].split("/")[1]](scope, receive, send)

    address = _kept.enter_context(listening(serve, lifespan="off"))
    return address, apps


_kept = ExitStack()


@pytest.fixture
def local_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local services run in a thread, which is faster than processes; the environment names no other server."""
    for name in [name for name in os.environ if name.startswith("UPGRADE_")]:
        monkeypatch.delenv(name)
    with ExitStack() as running:

        def started(home: Path, _settings: UpgradeSettings) -> Any:
            contexts = own_contexts(home)
            address, apps = _services(os.getpid())
            name = uuid4().hex
            known = read(contexts) if contexts else None
            apps[name] = create_app(database_file(home), known=known, base=f"/{name}/api")
            running.callback(lambda: apps.pop(name).state.database.close())
            return connecting._Service(_Thread(), f"{address}/{name}/api", connecting._files(home))  # type: ignore[arg-type]

        monkeypatch.setattr(connecting, "_started", started)
        monkeypatch.setattr(connecting, "_services", {})
        yield


async def add(home: Path, *names: str, description: str = "") -> list[str]:
    """Create inactive experiments with these names, and return their ids."""
    ids = []
    async with connect(UpgradeSettings(), home) as client:
        for number, name in enumerate(names):
            point = SITES[number % 3], TARGETS[number // 3 % 3]
            ids.append((await client.create(draft(name, at=[point], description=description))).id)
    return ids


async def experiments(home: Path) -> dict[str, Experiment]:
    """The experiments of the local service, by id."""
    async with connect(UpgradeSettings(), home) as client:
        return {each.id: each for each in await client.experiments()}


SAID = "Foo in maths-practice, control and variant, at give-hint/area-of-shapes"
FOO = {
    "name": "Foo",
    "context": "maths-practice",
    "conditions": [{"code": "control"}, {"code": "variant"}],
    "decision_points": [{"site": "give-hint", "target": "area-of-shapes"}],
}


def order(action: str, request: str = "do it", later: str = "") -> dict[str, str]:
    return {"action": action, "request": request, "later": later}


def analysed(*orders: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """The model's analysis of one message."""
    found = {"waiting": "keep", "user_request_summary": "", "confidence": 0.95, "intent_type": "needs_info"}
    return {"call": {"analyze_user_request": {**found, "orders": list(orders), **more}}, "times": 1}


def proposed(action: str, words: Mapping[str, str] | None = None, **params: Any) -> dict[str, Any]:
    call = {"set_action_params": {"action_params": params, "words": words or {}}}
    return {"offers": "set_action_params", "says": rf"Request \({action}\)", "call": call, "times": 1}


def reviewed(*missing: str, unasked: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"offers": "Review", "call": {"Review": {"missing": list(missing), "unasked": list(unasked)}}, "times": 1}


def talk(home: Path, *rules: Mapping[str, Any], thread: str = "t") -> Session:
    return graphwright.load("upgrade").session(thread, model=ScriptedModel.from_rules(list(rules)), home=home)


def ordered(action: str, *, said: str = "do it", later: str = "", **params: Any) -> list[dict[str, Any]]:
    """The model is right: the order, its parameters, and a second look that finds nothing."""
    return [analysed(order(action, said, later)), proposed(action, **params), reviewed()]


def node(turn: Turn) -> str:
    assert turn.error is None, turn.error
    return turn.waiting_for.node if turn.waiting_for else "ended"


async def states(home: Path) -> dict[str, str]:
    return {each.name: each.state.value for each in (await experiments(home)).values()}


THREE = ("One", "Two", "Three")


def deletions(*names: str) -> list[Mapping[str, Any]]:
    """The model is right about one message that deletes these experiments."""
    rules: list[Mapping[str, Any]] = [analysed(*(order("delete_experiment", f"Delete {name}") for name in names))]
    for name in names:
        rules += [proposed("delete_experiment", {"experiment_id": name}, experiment_id=name), reviewed()]
    return rules


def looked_up(question: str, tool: str, **arguments: Any) -> list[Mapping[str, Any]]:
    """The model takes a message for a question, and looks it up."""
    look = {"offers": "get_core_terms", "says": f"Question: {question}", "times": 1}
    return [analysed(question=question), {**look, "call": {tool: arguments}}, {**look, "text": "ready"}]


MARKS = ("Not in your words", "Your words name something else")


def weighted(**weights: float) -> list[dict[str, Any]]:
    return [{"code": code, "weight": weight} for code, weight in weights.items()]


def corrected(name: str, value: Any, words: str) -> dict[str, Any]:
    """The model restates one parameter, and quotes the last message for it."""
    call = {"update_action_params": {"key": name, "value": value, "words": words}}
    return {"offers": "update_action_params", "call": call, "times": 1}
