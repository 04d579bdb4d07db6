"""Perform a confirmed action by calls of the client: once, also after crashes, with a small result."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NoReturn
from uuid import NAMESPACE_URL, uuid5

from graphwright.errors import GraphwrightError, UsageError
from graphwright_upgrade._wording import quoted, say
from graphwright_upgrade.client._calls import Status, UpgradeClient
from graphwright_upgrade.client._drafts import ConditionDraft, DecisionPointDraft, ListDraft
from graphwright_upgrade.client._drafts import ExperimentChanges as Changes
from graphwright_upgrade.client._drafts import ExperimentDraft as Design
from graphwright_upgrade.client._experiment import Experiment, State
from graphwright_upgrade.client._failures import Invalid, NotFound, ServerFailed, Unauthorized, UpgradeError
from graphwright_upgrade.client._simulating import simulate, verdict
from graphwright_upgrade.upgrade.checks import refusal
from graphwright_upgrade.upgrade.replies import deleted_with_it
from graphwright_upgrade.upgrade.schemas import ACTIONS
from graphwright_upgrade.upgrade.server import ATTRIBUTES, SIDES
from graphwright_upgrade.upgrade.state import LogEntry


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an action: `result`, or an error with its type and message for people; both where a part was done.

    `nothing_done` says that it surely was not performed: it may be confirmed again as it is. `status` is `success`,
    `error` for what was not done, `part`, or `unknown` where the server did not say whether it was done.
    """

    result: dict[str, Any] | None
    error_type: str = ""
    error: str = ""
    nothing_done: bool = False
    code: str = ""
    status: str = "success"


class _NotDone(Exception):
    """A write failed, and a look at the server showed that it was not done."""

    def __init__(self, error: UpgradeError) -> None:
        super().__init__(error.message)
        # The hint of the error says that the outcome is not known.
        self.error = type(error)(error.code, error.message, status=error.status, done=None)


@dataclass(frozen=True, slots=True)
class _Work:
    client: UpgradeClient
    params: Mapping[str, Any]
    key: str
    begun: bool

    @property
    def id(self) -> str:
        """An id derived from the key and the action, so that a repetition after a crash creates nothing twice."""
        meant = json.dumps([self.key, self.params], sort_keys=True, ensure_ascii=True, default=str)
        return str(uuid5(NAMESPACE_URL, meant))


async def execute(client: UpgradeClient, action: str, params: Mapping[str, Any], *, key: str, begun: bool) -> Outcome:
    """Perform an action with checked parameters. A refusal by the server or the connection is an outcome, not an
    exception.

    `key` is the idempotency key: the same action under the same key is done once, also after a crash.
    `begun`: it was begun under this key before.
    """
    try:
        return await _ACTIONS[action](_Work(client, params, key, begun))
    except _NotDone as found:
        return replace(_failed(found.error), status="error")
    except GraphwrightError as error:
        return _failed(error)


def log_entry(title: str, action: str, params: Mapping[str, Any], outcome: Outcome, now: datetime) -> LogEntry:
    """An entry of the execution log. `title` names the order for people."""
    return {
        "timestamp": now.isoformat(),
        "action": action,
        "title": title,
        "params": {**params},
        "result": outcome.result,
        "status": outcome.status,
        "error_message": outcome.error or None,
    }


def error_type(error: GraphwrightError) -> str:
    """The type of an error in the words of the agent."""
    for kind, name in ((NotFound, "not_found"), (Unauthorized, "auth"), (Invalid | UsageError, "validation")):
        if isinstance(error, kind):
            return name
    return "api" if isinstance(error, UpgradeError) else "unknown"


def error_message(error: GraphwrightError) -> str:
    """The error in sentences. The client's messages are in English; in other languages a sentence introduces them."""
    return say(f"failed_{error_type(error)}", message=error.full_text)


def _failed(error: GraphwrightError, result: dict[str, Any] | None = None, before: str = "") -> Outcome:
    done = error.done if isinstance(error, UpgradeError) else False
    untouched = result is None and isinstance(error, UpgradeError) and done is False
    status = "part" if result is not None or done else "unknown" if done is None else "error"
    message = f"{before} {error_message(error)}".strip()
    return Outcome(result, error_type(error), message, untouched, error.code, status)


async def _create(work: _Work) -> Outcome:
    params, trouble = work.params, None
    # A server merges a new experiment into one of the same id: a repetition after a crash finds the created experiment.
    try:
        made = await work.client.experiment(work.id)
    except NotFound:
        try:
            plain = {_NAMES[name]: params[name] for name in ("name", "context", *_PLAIN) if name in params}
            plain["conditions"] = [ConditionDraft(**each) for each in params["conditions"]]
            plain["decision_points"] = [DecisionPointDraft(**each) for each in params["decision_points"]]
            on, off = (_lists(params.get(name, {})) for name in ("include", "exclude"))
            made = await work.client.create(Design(id=work.id, **plain, inclusions=on, exclusions=off))
        except UpgradeError as error:
            found = await _there(work.client, work.id, error)
            if found is None:
                _raise_known(error)
            made, trouble = found, error if error.done else None
    before = ""
    if trouble is None and params["post_rule"] == "assign":
        # Servers from 6.3 on make every new experiment with the rule `continue`.
        try:
            made = await _designed(work.client, made, {name: params[name] for name in ("post_rule", "revert_to")})
        except UpgradeError as error:
            trouble, before = error, say("created_without_rule")
    return Outcome(_summary(made)) if trouble is None else _failed(trouble, _summary(made), before)


async def _update(work: _Work) -> Outcome:
    """Step by step: if one fails, the result names the steps that were done. Doing it again changes nothing."""
    client, params, done = work.client, work.params, list[str]()
    now = await client.experiment(params["experiment_id"])
    was = {"was": now.name}
    try:
        if design := [name for name in (*_PLAIN, "conditions", "decision_points", "post_rule") if name in params]:
            now = await _designed(client, now, params)
            done += design
        for name in ("uninclude", "unexclude", "include", "exclude"):
            if name in params:
                side, members = SIDES[name], _lists(params[name])
                if name.startswith("un"):
                    now = await client.take_off(now, side, members, everybody=params[name]["all"])
                else:
                    now = await client.put_on(now, side, members)
                done.append(name)
    except UpgradeError as error:
        if not done:
            raise
        before = say("changed_in_part", parts=", ".join(done))
        return _failed(error, {**_summary(now), **was, "changed": done}, before)
    return Outcome({**_summary(now), **was, "changed": done})


async def _status(work: _Work) -> Outcome:
    after = State(work.params["status"])
    found = await work.client.experiment(work.params["experiment_id"])
    before = found.state
    if why := "" if before is after else refusal(before, after):
        changed = say("experiment_changed", name=quoted(found.name))
        return Outcome(None, "validation", f"{changed} {why}", status="error")
    if before is not after:
        try:
            found = await work.client.set_state(found.id, after)
        except UpgradeError as error:
            now = await _there(work.client, found.id, error)
            if now is None or now.state is not after:
                _raise_known(error)
            found = now
    return Outcome({**_summary(found), "before": before.value})


async def _delete(work: _Work) -> Outcome:
    id, name, context, with_it = work.params["experiment_id"], "", "", ""
    try:
        found = await work.client.experiment(id)
        counts = await work.client.enrollment(id)
        name, context = found.name, found.context
        users = (counts.users, counts.groups, counts.users_excluded, counts.groups_excluded)
        with_it = deleted_with_it(
            enrolments=any(users),
            lists=any(each.members or each.segments for each in (*found.inclusions, *found.exclusions)),
        )
        await work.client.delete(id)
    except UpgradeError as error:
        # Where it was begun before, that it is gone is how it ended.
        gone = work.begun if isinstance(error, NotFound) else await _there(work.client, id, error) is None
        if not gone:
            _raise_known(error)
    return Outcome({"experiment_id": id, "name": name, "context": context, "with_it": with_it, "deleted": True})


async def _init(work: _Work) -> Outcome:
    user = await work.client.init(work.params["user_id"], work.params.get("group"), work.params.get("working_group"))
    groups = {type: list(ids) for type, ids in user.groups.items()}
    return Outcome({"user_id": user.id, "group": groups, "working_group": dict(user.working_groups)})


async def _assignments(work: _Work) -> Outcome:
    given = work.params
    found = await work.client.assign(given["user_id"], given["context"], given.get("site"), given.get("target"))
    called = {each.id: each.name for each in await work.client.names()} if found else {}
    assignments = [
        {
            **{"site": each.site, "target": each.target, "condition_code": each.condition.code},
            "experiment_id": each.condition.experiment_id,
            "experiment": called.get(each.condition.experiment_id, ""),
        }
        for each in found
    ]
    return Outcome({"user_id": given["user_id"], "context": given["context"], "assignments": assignments})


async def _mark(work: _Work) -> Outcome:
    given, condition = work.params, work.params["assigned_condition"]
    code, id = condition["condition_code"], condition["experiment_id"]
    status: Status = "condition applied" if code else "no condition assigned"
    user, site, target = given["user_id"], given["site"], given["target"]
    mark = await work.client.mark(user, site, target, code=code, experiment_id=id, status=status)
    recorded = {"condition_code": mark.condition or None, "experiment_id": mark.experiment_id or None}
    result = {"user_id": mark.user_id, "site": mark.site, "target": mark.target, **recorded}
    # The visit is recorded, even if the server cannot be asked about it afterwards.
    with suppress(UpgradeError):
        found = await work.client.experiment(id)
        result |= {"experiment": found.name, "context": found.context}
        for each in await work.client.assign(user, found.context, site, target):
            result["assigned"] = each.condition.code
    return Outcome(result)


async def _simulate(work: _Work) -> Outcome:
    experiment = await work.client.experiment(work.params["experiment_id"])
    # Derived from the key, so that a repetition after a crash uses the same users.
    run = work.id.replace("-", "")[:6]
    done = await simulate(work.client, experiment, work.params["users"], work.params.get("groups"), run=run)
    return Outcome({**done.to_json(), "verdict": verdict(done)})


async def _there(client: UpgradeClient, id: str, error: UpgradeError) -> Experiment | None:
    """The result on the server after a failed write. Raises the error if there is none, or if it is unknown."""
    if error.done is False:
        raise error
    try:
        return await client.experiment(id)
    except NotFound:
        return None
    except UpgradeError:
        raise error from None


def _raise_known(error: UpgradeError) -> NoReturn:
    """Raise the error of a write whose effect is not there. Without an answer, the server may still be at it."""
    raise _NotDone(error) if isinstance(error, ServerFailed) else error


def _summary(experiment: Experiment) -> dict[str, Any]:
    named = {"experiment_id": experiment.id, "name": experiment.name}
    return {**named, "context": experiment.context, "state": experiment.state.value}


_ACTIONS: Mapping[str, Callable[[_Work], Awaitable[Outcome]]] = dict(
    zip(ACTIONS, (_create, _update, _status, _delete, _init, _assignments, _mark, _simulate), strict=True)
)


# Designs

_NAMES = {**ATTRIBUTES, "new_name": "name", "tags": "tags"}
_PLAIN = ("new_name", "description", "tags", "unit", "group", "consistency", "filter_mode")


def _lists(members: Mapping[str, Any]) -> tuple[ListDraft, ...]:
    """Users and groups as lists, one a kind: servers show no mixed ones."""
    found = {"individual": list(members.get("users", ()))}
    for group in members.get("groups", ()):
        found.setdefault(group["type"], []).append(group["id"])
    return tuple(ListDraft(kind=kind, members=tuple(ids)) for kind, ids in found.items() if ids)


async def _designed(client: UpgradeClient, before: Experiment, params: Mapping[str, Any]) -> Experiment:
    """Change the design. Conditions keep their ids, and so their enrolments, by code; points by site and target."""
    given: dict[str, Any] = {_NAMES[name]: params[name] for name in (*_PLAIN, "post_rule") if name in params}
    if "conditions" in params:
        ids: dict[Any, Any] = {each.code: {"id": each.id} for each in before.conditions}
        given["conditions"] = [ConditionDraft(**each, **ids.get(each["code"], {})) for each in params["conditions"]]
    if "decision_points" in params:
        at: dict[Any, Any] = {(each.site, each.target): {"id": each.id} for each in before.decision_points}
        places = [(each, at.get((each["site"], each["target"]), {})) for each in params["decision_points"]]
        given["decision_points"] = [DecisionPointDraft(**each, **known) for each, known in places]
    if "post_rule" in params:
        codes = {each.code: each.id for each in given.get("conditions", before.conditions)}
        given["revert_to"] = codes.get(params.get("revert_to"))
    return await client.update(before.id, Changes(**given))
