"""One confirmed action as calls of the client: done once whatever happens in between, told in a small result."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import NAMESPACE_URL, uuid5

from graphwright.agents.upgrade.checks import refusal
from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.dialects import drafts_of
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
    Side,
)
from graphwright.agents.upgrade.client.experiment import Experiment, State
from graphwright.agents.upgrade.client.failures import Invalid, NotFound, Unauthorized, UpgradeError
from graphwright.agents.upgrade.client.simulating import simulate
from graphwright.agents.upgrade.server import facts_of
from graphwright.agents.upgrade.wording import quoted
from graphwright.errors import GraphwrightError, UsageError, in_sentences

ErrorType = Literal["api", "auth", "validation", "not_found", "unknown"]

BegunBefore = Callable[[], Awaitable[bool]]
"""Notes for good that the action begins; gives whether that had been noted before."""

_FIELDS = {
    "new_name": "name",
    "description": "description",
    "tags": "tags",
    "unit": "assignment_unit",
    "group": "group",
    "consistency": "consistency_rule",
    "filter_mode": "filter_mode",
}
_ADDED: Mapping[str, Side] = {"include": "inclusion", "exclude": "exclusion"}
_TAKEN_OFF: Mapping[str, Side] = {"uninclude": "inclusion", "unexclude": "exclusion"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an action: `result`, or an error with its type and a message for people; both where a part was done.

    `nothing_done` says that it surely was not performed: it may be confirmed again as it is.
    """

    result: dict[str, Any] | None
    error_type: ErrorType | None = None
    error: str | None = None
    nothing_done: bool = False
    code: str = ""


@dataclass(frozen=True, slots=True)
class _Work:
    client: UpgradeClient
    params: Mapping[str, Any]
    key: str
    begun_before: BegunBefore

    @property
    def id(self) -> str:
        """An id made of the key and of what is to be done, so that doing it again after a crash makes nothing twice."""
        meant = json.dumps([self.key, self.params], sort_keys=True, ensure_ascii=True, default=str)
        return str(uuid5(NAMESPACE_URL, meant))


async def execute(
    client: UpgradeClient, action: str, params: Mapping[str, Any], *, key: str, begun_before: BegunBefore
) -> Outcome:
    """Perform an action with checked parameters. What a server or the connection refuses is an outcome, no exception.

    `key` is the idempotency key: the same action under the same key is done once, also after a crash in its midst.
    """
    try:
        return await _ACTIONS[action](_Work(client, params, key, begun_before))
    except GraphwrightError as error:
        return _failed(error)


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


def error_type(error: GraphwrightError) -> ErrorType:
    """The type of an error in the words of the agent."""
    kinds: tuple[tuple[type[GraphwrightError], ErrorType], ...] = (
        (NotFound, "not_found"),
        (Unauthorized, "auth"),
        (Invalid, "validation"),
        (UsageError, "validation"),
        (UpgradeError, "api"),
    )
    return next((name for kind, name in kinds if isinstance(error, kind)), "unknown")


def _failed(error: GraphwrightError, result: dict[str, Any] | None = None, before: str = "") -> Outcome:
    untouched = result is None and isinstance(error, UpgradeError) and error.done is False
    return Outcome(
        result, error_type(error), f"{before} {in_sentences(error)}".strip(), untouched, getattr(error, "code", "")
    )


async def _create(work: _Work) -> Outcome:
    params = work.params
    # A server merges a new experiment into one of the same id: who comes again after a crash finds what was made.
    made = await _there(work.client, work.id)
    trouble: UpgradeError | None = None
    if made is None:
        try:
            made = await work.client.create(_draft(params, work.id))
        except UpgradeError as error:
            made = None if error.done is False else await _seen(work.client, work.id)
            if made is None:
                raise
            trouble = error if error.done else None
    if trouble is None and params["post_rule"] == "assign":
        # Servers make every new experiment with the rule `continue`.
        try:
            made = await _ruled(work.client, made, params)
        except UpgradeError as error:
            return _failed(error, _summary(made), "It was created, but its rule for when it is stopped was not set.")
    return Outcome(_summary(made)) if trouble is None else _failed(trouble, _summary(made))


def _draft(params: Mapping[str, Any], id: str) -> ExperimentDraft:
    return ExperimentDraft(
        id=id,
        name=params["name"],
        description=params.get("description", ""),
        context=params["context"],
        assignment_unit=params["unit"],
        consistency_rule=params["consistency"],
        group=params["group"],
        filter_mode=params["filter_mode"],
        tags=tuple(params.get("tags", ())),
        conditions=tuple(ConditionDraft(**each) for each in params["conditions"]),
        decision_points=tuple(DecisionPointDraft(**each) for each in params["decision_points"]),
        inclusions=_lists(params.get("include")),
        exclusions=_lists(params.get("exclude")),
    )


def _lists(members: Mapping[str, Any] | None) -> tuple[ListDraft, ...]:
    """Users and groups as lists, one a kind: servers show no mixed ones."""
    users, groups = ((members or {}).get(kind) or () for kind in ("users", "groups"))
    found = [ListDraft(kind="individual", members=tuple(users))]
    for type in dict.fromkeys(each["type"] for each in groups):
        found.append(ListDraft(kind=type, members=tuple(g["id"] for g in groups if g["type"] == type)))
    return tuple(each for each in found if each.members)


async def _update(work: _Work) -> Outcome:
    """Step by step. Conditions and points keep their ids, and with them their enrolments. Again, it changes nothing."""
    client, params, done = work.client, work.params, list[str]()
    now = await client.experiment(params["experiment_id"])
    try:
        design = [name for name in (*_FIELDS, "conditions", "decision_points") if name in params]
        if design:
            now = await _replaced(client, now, params)
            done += design
        if "post_rule" in params:
            now = await _ruled(client, now, params)
            done.append("post_rule")
        for name, side in _TAKEN_OFF.items():
            if name in params:
                now = await _reduced(client, now, side, params[name])
                done.append(name)
        for name, side in _ADDED.items():
            if name in params:
                now = await _extended(client, now, side, _lists(params[name]))
                done.append(name)
    except UpgradeError as error:
        if not done:
            raise
        before = f"Only a part was changed ({', '.join(done)})."
        return _failed(error, {**_summary(now), "changed": done}, before)
    return Outcome({**_summary(now), "changed": done})


async def _replaced(client: UpgradeClient, before: Experiment, params: Mapping[str, Any]) -> Experiment:
    given: dict[str, Any] = {_FIELDS[name]: params[name] for name in _FIELDS if name in params}
    if "conditions" in params:
        ids: dict[str, dict[str, Any]] = {each.code: {"id": each.id} for each in before.conditions}
        given["conditions"] = [ConditionDraft(**ids.get(each["code"], {}), **each) for each in params["conditions"]]
    if "decision_points" in params:
        at: dict[tuple[str, str], dict[str, Any]] = {
            (each.site, each.target): {"id": each.id} for each in before.decision_points
        }
        given["decision_points"] = [
            DecisionPointDraft(**at.get((each["site"], each["target"]), {}), **each)
            for each in params["decision_points"]
        ]
    try:
        return await client.update(before.id, ExperimentChanges(**given))
    except UpgradeError as error:
        found = None if error.done is False else await _seen(client, before.id)
        # The answer was lost; what is there now says whether it was done.
        if found is None or not _carried_out(found, params):
            raise
        return found


def _carried_out(experiment: Experiment, params: Mapping[str, Any]) -> bool:
    facts = facts_of(experiment)
    now = {**facts, "new_name": facts["name"], "group": facts["group"] or None}
    return all(now[name] == params[name] for name in (*_FIELDS, "conditions", "decision_points") if name in params)


async def _ruled(client: UpgradeClient, experiment: Experiment, params: Mapping[str, Any]) -> Experiment:
    """Give an experiment the rule for when it is stopped, and the condition that its users then get, by its code."""
    revert_to = next((each.id for each in experiment.conditions if each.code == params.get("revert_to")), None)
    if (experiment.post_experiment_rule, experiment.revert_to) == (params["post_rule"], revert_to or ""):
        return experiment
    changes = ExperimentChanges(post_experiment_rule=params["post_rule"], revert_to=revert_to)
    return await client.update(experiment.id, changes)


async def _extended(
    client: UpgradeClient, experiment: Experiment, side: Side, drafts: tuple[ListDraft, ...]
) -> Experiment:
    there = {
        (draft.kind, member) for each in experiment.lists(side) for draft in drafts_of(each) for member in draft.members
    }
    for draft in drafts:
        new = tuple(member for member in draft.members if (draft.kind, member) not in there)
        # A list of its own: what somebody else changes in the others at this moment is not lost.
        if new:
            await client.add_list(experiment.id, side, ListDraft(kind=draft.kind, members=new))
    return await client.experiment(experiment.id)


async def _reduced(client: UpgradeClient, experiment: Experiment, side: Side, off: Mapping[str, Any]) -> Experiment:
    """Take members off every list of a side; a list on which nobody is left goes."""
    gone = {(draft.kind, member) for draft in _lists(off) for member in draft.members}
    for each in experiment.lists(side):
        there = drafts_of(each)
        left = [
            draft.model_copy(update={"members": tuple(m for m in draft.members if (draft.kind, m) not in gone)})
            for draft in there
        ]
        kept = [draft for draft in left if draft.members]
        if off["all"] or (there and not kept):
            await client.delete_list(experiment.id, side, each.id)
        elif kept != [*there]:
            await client.replace_list(experiment.id, side, each.id, *kept)
    return await client.experiment(experiment.id)


async def _status(work: _Work) -> Outcome:
    after = State(work.params["status"])
    found = await work.client.experiment(work.params["experiment_id"])
    before = found.state
    if before is not after:
        if why := refusal(before, after):
            return Outcome(None, "validation", f"{quoted(found.name)} has changed since you were asked. {why}")
        try:
            found = await work.client.set_state(found.id, after)
        except UpgradeError as error:
            again = None if error.done is False else await _seen(work.client, found.id)
            if again is None or again.state is not after:
                raise
            found = again
    return Outcome({**_summary(found), "before": before.value})


async def _delete(work: _Work) -> Outcome:
    id = work.params["experiment_id"]
    begun = await work.begun_before()
    try:
        name = (await work.client.experiment(id)).name
        await work.client.delete(id)
    except NotFound:
        # Where it was begun before, that is how it ended.
        if not begun:
            raise
        name = ""
    except UpgradeError as error:
        if error.done is False or await _there(work.client, id) is not None:
            raise
        name = ""
    return Outcome({"experiment_id": id, "name": name, "deleted": True})


async def _init(work: _Work) -> Outcome:
    user = await work.client.init(work.params["user_id"], work.params.get("group"), work.params.get("working_group"))
    groups = {type: list(ids) for type, ids in user.groups.items()}
    return Outcome({"user_id": user.id, "group": groups, "working_group": dict(user.working_groups)})


async def _assignments(work: _Work) -> Outcome:
    given = work.params
    found = await work.client.assign(given["user_id"], given["context"], given.get("site"), given.get("target"))
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
    """An experiment as it is now, None where there is none. Raises UpgradeError where that cannot be seen."""
    try:
        return await client.experiment(id)
    except NotFound:
        return None


async def _seen(client: UpgradeClient, id: str) -> Experiment | None:
    """The same, None also where it cannot be seen."""
    try:
        return await client.experiment(id)
    except UpgradeError:
        return None


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
    "update_experiment_status": _status,
    "delete_experiment": _delete,
    "init_experiment_user": _init,
    "get_decision_point_assignments": _assignments,
    "mark_decision_point": _mark,
    "simulate_experiment": _simulate,
}
