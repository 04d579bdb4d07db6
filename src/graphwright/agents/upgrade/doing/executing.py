"""One confirmed action as calls of the client: done once whatever happens in between, told in a small result."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import NAMESPACE_URL, uuid5

from graphwright.agents.upgrade.checks.transitions import refusal
from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.drafts import ConditionDraft, DecisionPointDraft, ExperimentDraft
from graphwright.agents.upgrade.client.experiment import Experiment, State
from graphwright.agents.upgrade.client.failures import Invalid, NotFound, Unauthorized, UpgradeError
from graphwright.agents.upgrade.doing.changing import change, lists_of, seen, set_rule
from graphwright.agents.upgrade.doing.simulating import simulate
from graphwright.agents.upgrade.words.quoting import quoted
from graphwright.errors import GraphwrightError, UsageError, in_sentences

ErrorType = Literal["api", "auth", "validation", "not_found", "unknown"]

BegunBefore = Callable[[], Awaitable[bool]]
"""Notes for good that the action begins; gives whether that had been noted before."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an action: `result`, or an error with its type and a message for people; both where it was done in
    part."""

    result: dict[str, Any] | None
    error_type: ErrorType | None = None
    error: str | None = None


async def execute(
    client: UpgradeClient, action: str, params: Mapping[str, Any], *, key: str, begun_before: BegunBefore
) -> Outcome:
    """Perform an action with checked parameters. What a server or the connection refuses is an outcome, no exception.

    `key` is the idempotency key: the same action under the same key is done once, also after a crash in its midst.
    Raises KeyError for an action that there is not.
    """
    perform = _ACTIONS[action]
    try:
        return await perform(_Work(client, params, key, begun_before))
    except GraphwrightError as error:
        return _failed(error)


def unknown_user(entry: Mapping[str, Any]) -> str:
    """The user that an entry of the execution log failed for because the server does not know it; else empty."""
    strange = entry["status"] == "error" and "does not know the user" in (entry["error_message"] or "")
    return str(entry["params"].get("user_id", "")) if strange else ""


def elsewhere(*, asked: str, now: str) -> Outcome:
    """The action was confirmed for another server than the one that is worked with now: it is not performed."""
    message = f"You were asked about {asked}, and I work with {now} now: nothing was done. Say it again to do it there."
    return Outcome(None, "validation", message)


def log_entry(action: str, params: Mapping[str, Any], outcome: Outcome, now: datetime) -> dict[str, Any]:
    """An entry of the execution log: `{timestamp, action, params, result, status, error_message}`."""
    return {
        "timestamp": now.isoformat(),
        "action": action,
        "params": dict(params),
        "result": outcome.result,
        "status": "success" if outcome.error is None else "error",
        "error_message": outcome.error,
    }


def told(error: GraphwrightError) -> tuple[ErrorType, str]:
    """The type of an error in the words of the agent, and what to tell people. Neither holds a secret."""
    kinds: tuple[tuple[type[GraphwrightError], ErrorType], ...] = (
        (NotFound, "not_found"),
        (Unauthorized, "auth"),
        (Invalid, "validation"),
        (UsageError, "validation"),
        (UpgradeError, "api"),
    )
    type: ErrorType = next((name for kind, name in kinds if isinstance(error, kind)), "unknown")
    return type, in_sentences(error)


@dataclass(frozen=True, slots=True)
class _Work:
    client: UpgradeClient
    params: Mapping[str, Any]
    key: str
    begun_before: BegunBefore

    @property
    def id(self) -> str:
        """An id of its own, made of the key and of what is to be done: a key may return with a corrected action."""
        meant = json.dumps([self.key, self.params], sort_keys=True, ensure_ascii=True, default=str)
        return str(uuid5(NAMESPACE_URL, meant))


def _failed(error: GraphwrightError, result: dict[str, Any] | None = None, before: str = "") -> Outcome:
    type, message = told(error)
    return Outcome(result, type, f"{before} {message}".strip())


async def _create(work: _Work) -> Outcome:
    made = await _there(work.client, work.id)
    trouble: UpgradeError | None = None
    if made is None:
        try:
            made = await work.client.create(_draft(work.params, work.id))
        except UpgradeError as error:
            made = await seen(work.client, work.id)
            if made is None:
                raise
            trouble = error if error.done else None
    if trouble is None and work.params["post_rule"] == "assign":
        # Servers make every new experiment with the rule `continue`.
        try:
            made = await set_rule(work.client, made, work.params)
        except UpgradeError as error:
            before = f"The experiment {quoted(made.name)} was created, but the rule for when it is stopped was not set:"
            return _failed(error, _summary(made), f"{before} it is {made.post_experiment_rule}.")
    result = _summary(made)
    return Outcome(result) if trouble is None else _failed(trouble, result)


def _draft(params: Mapping[str, Any], id: str) -> ExperimentDraft:
    return ExperimentDraft(
        id=id,
        name=params["name"],
        description=params["description"],
        context=params["context"],
        assignment_unit=params["unit"],
        consistency_rule=params["consistency"],
        group=params["group"],
        filter_mode=params["filter_mode"],
        tags=tuple(params["tags"]),
        conditions=tuple(ConditionDraft(code=each["code"], weight=each["weight"]) for each in params["conditions"]),
        decision_points=tuple(
            DecisionPointDraft(site=each["site"], target=each["target"], exclude_if_reached=each["exclude_if_reached"])
            for each in params["decision_points"]
        ),
        inclusions=lists_of(params.get("include")),
        exclusions=lists_of(params.get("exclude")),
    )


async def _update(work: _Work) -> Outcome:
    before = await work.client.experiment(work.params["experiment_id"])
    changed, failure = await change(work.client, before, work.params)
    result = {**_summary(changed.experiment), "changed": list(changed.done)}
    if failure is None:
        return Outcome(result)
    if not changed.done:
        return _failed(failure)
    return _failed(failure, result, f"Only a part was changed ({', '.join(changed.done).replace('_', ' ')}).")


async def _status(work: _Work) -> Outcome:
    after = State(work.params["status"])
    found = await work.client.experiment(work.params["experiment_id"])
    before = found.state
    if before is not after:
        if why := refusal(before, after):
            message = f"The experiment {quoted(found.name)} has changed since you were asked. {why}"
            return Outcome(None, "validation", message)
        try:
            found = await work.client.set_state(found.id, after)
        except UpgradeError as error:
            if error.done is False:
                raise
            again = await seen(work.client, found.id)
            if again is None or again.state is not after:
                raise
            found = again
    return Outcome({**_summary(found), "before": before.value})


async def _delete(work: _Work) -> Outcome:
    id = work.params["experiment_id"]
    begun = await work.begun_before()
    try:
        await work.client.delete(id)
    except NotFound:
        # Where it was begun before, that is how it ended.
        if not begun:
            raise
    except UpgradeError as error:
        if error.done is False or not await _gone(work.client, id):
            raise
    return Outcome({"experiment_id": id, "name": work.params["name"], "deleted": True})


async def _init(work: _Work) -> Outcome:
    user = await work.client.init(work.params["user_id"], work.params.get("group"), work.params.get("working_group"))
    result: dict[str, Any] = {"user_id": user.id}
    if user.groups:
        result["group"] = {type: list(ids) for type, ids in user.groups.items()}
    if user.working_groups:
        result["working_group"] = dict(user.working_groups)
    return Outcome(result)


async def _assignments(work: _Work) -> Outcome:
    given = work.params
    found = await work.client.assign(
        given["user_id"], given["context"], given.get("site") or None, given.get("target") or None
    )
    assignments = [
        {
            "site": each.site,
            "target": each.target,
            "condition_code": each.condition.code,
            "experiment_id": each.condition.experiment_id,
        }
        for each in found
    ]
    return Outcome({"user_id": given["user_id"], "context": given["context"], "assignments": assignments})


async def _mark(work: _Work) -> Outcome:
    given, condition = work.params, work.params["assigned_condition"]
    code = condition["condition_code"]
    mark = await work.client.mark(
        given["user_id"],
        given["site"],
        given["target"],
        code=code,
        experiment_id=condition["experiment_id"],
        status="condition applied" if code else "no condition assigned",
    )
    return Outcome(
        {
            "user_id": mark.user_id,
            "site": mark.site,
            "target": mark.target,
            "condition_code": mark.condition or None,
            "experiment_id": mark.experiment_id or None,
        }
    )


async def _simulate(work: _Work) -> Outcome:
    experiment = await work.client.experiment(work.params["experiment_id"])
    # Of the key, so that after a crash the same users come again.
    run = work.id.replace("-", "")[:6]
    done = await simulate(work.client, experiment, work.params["users"], work.params.get("groups"), run=run)
    return Outcome(done.to_json())


async def _there(client: UpgradeClient, id: str) -> Experiment | None:
    try:
        return await client.experiment(id)
    except NotFound:
        return None


async def _gone(client: UpgradeClient, id: str) -> bool:
    try:
        return await _there(client, id) is None
    except UpgradeError:
        return False


def _summary(experiment: Experiment) -> dict[str, Any]:
    return {
        "experiment_id": experiment.id,
        "name": experiment.name,
        "context": experiment.context,
        "state": experiment.state.value,
    }


_ACTIONS: Mapping[str, Callable[[_Work], Awaitable[Outcome]]] = {
    "create_experiment": _create,
    "update_experiment": _update,
    "delete_experiment": _delete,
    "update_experiment_status": _status,
    "init_experiment_user": _init,
    "get_decision_point_assignments": _assignments,
    "mark_decision_point": _mark,
    "simulate_experiment": _simulate,
}
