"""What a person should know before saying yes: effects that cannot be undone, and designs that are likely a mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.facts import Facts, Listed
from graphwright.agents.upgrade.checks.findings import nearest
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.words.naming import Experiments
from graphwright.agents.upgrade.words.places import Contexts
from graphwright.agents.upgrade.words.quoting import listed, quoted


def cautions(
    action: str,
    params: Mapping[str, Any],
    *,
    contexts: Contexts,
    names: Experiments,
    experiment: Facts | None = None,
) -> list[str]:
    """Sentences about an action whose parameters were checked, what matters most first."""
    known = _Known(contexts, names, experiment)
    return list(_CAUTIONS[action](params, known))


class _Known:
    def __init__(self, contexts: Contexts, names: Experiments, experiment: Facts | None) -> None:
        self.contexts = contexts
        self.names = names
        self.experiment = experiment


def _create(params: Mapping[str, Any], known: _Known) -> Iterator[str]:
    yield from _clash(params["name"], known.names)
    yield from _outside(params, params["context"], known.contexts)
    yield from _conditions(params["conditions"])
    included = params.get("include")
    if params["filter_mode"] == "excludeAll" and not included:
        yield NOBODY
    elif params["filter_mode"] == "includeAll" and included:
        yield "Everybody takes part anyway: the inclusion list only lets in who would be excluded by group."


def _update(params: Mapping[str, Any], known: _Known) -> Iterator[str]:
    experiment = known.experiment
    if "new_name" in params:
        others = tuple((id, name) for id, name in known.names if id != params["experiment_id"])
        yield from _clash(params["new_name"], others)
    yield from _conditions(params.get("conditions", ()))
    if experiment is None:
        return
    yield from _taken_out(params, experiment)
    yield from _outside(params, experiment["context"], known.contexts)
    yield from _while_it_runs(params, experiment)
    mode = params.get("filter_mode", experiment["filter_mode"])
    if mode == "excludeAll" and not params.get("include") and not _anybody(experiment["include"]):
        yield NOBODY


def _taken_out(params: Mapping[str, Any], experiment: Facts) -> Iterator[str]:
    kept = [each["code"] for each in params.get("conditions", ())]
    gone = [each["code"] for each in experiment["conditions"] if each["code"] not in kept] if kept else []
    if gone:
        yield f"{_named('condition', gone)} will be deleted with all enrolments in it. This cannot be undone."
    places = [(each["site"], each["target"]) for each in params.get("decision_points", ())]
    left = [
        f"{each['site']}/{each['target']}"
        for each in experiment["decision_points"]
        if places and (each["site"], each["target"]) not in places
    ]
    if left:
        yield f"{_named('decision point', left)} will be deleted with all enrolments at it. This cannot be undone."


def _named(what: str, names: Sequence[str]) -> str:
    return f"The {what}{'s' if len(names) > 1 else ''} {listed(names)}"


def _while_it_runs(params: Mapping[str, Any], experiment: Facts) -> Iterator[str]:
    state = State(experiment["state"])
    if state is State.CANCELLED:
        yield "The experiment is over: the change has no effect on anybody."
    if state not in (State.ENROLLING, State.ENROLLMENT_COMPLETE):
        return
    if "conditions" in params:
        yield (
            "The experiment has been started: those enrolled keep their condition, others may get another one than "
            "they would have got before."
        )
    if params.keys() & {"unit", "group", "consistency", "decision_points", "filter_mode"}:
        yield "The experiment has been started: users who came before and after the change will not be comparable."


def _status(params: Mapping[str, Any], known: _Known) -> Iterator[str]:
    after, experiment = State(params["status"]), known.experiment
    if after is State.CANCELLED:
        yield "This cannot be undone: nothing leads out of that state, and users get no condition from it any more."
    if after is not State.ENROLLING or experiment is None:
        return
    if experiment["filter_mode"] == "excludeAll" and not _anybody(experiment["include"]):
        yield NOBODY
    reached = [f"{p['site']}/{p['target']}" for p in experiment["decision_points"] if p["exclude_if_reached"]]
    if reached and experiment["state"] != State.ENROLLMENT_COMPLETE and experiment["consistency"] != "experiment":
        others = ", with their groups," if experiment["consistency"] == "group" else ""
        yield (
            f"All users who have ever been at {listed(reached)}{others} will be excluded for good, also those who came "
            "there in earlier experiments."
        )
    yield from _conditions(experiment["conditions"])
    if goal := _goal(experiment):
        yield goal


def _goal(experiment: Facts) -> str:
    users, groups = experiment["goal_users"], experiment["goal_groups"]
    if users is None and groups is None:
        return ""
    each = " of" if groups is not None and users is not None else ""
    many = (
        (f"{groups:,} groups" if groups is not None else "") + each + (f" {users:,} users" if users is not None else "")
    )
    return f"It is stopped by itself after {many.strip()}."


def _delete(_params: Mapping[str, Any], known: _Known) -> Iterator[str]:
    experiment = known.experiment
    if experiment is not None and State(experiment["state"]) in (State.ENROLLING, State.ENROLLMENT_COMPLETE):
        yield "It has been started: its users lose their conditions at once."
    yield "Its enrolments and lists are deleted with it. The records of visits stay."


def _mark(params: Mapping[str, Any], known: _Known) -> Iterator[str]:
    yield "A visit is never unrecorded. Where the user may not take part, it excludes the user for good."
    experiment = known.experiment
    if experiment is not None and State(experiment["state"]) is not State.ENROLLING:
        yield f"The experiment is {experiment['state']}: nobody is enrolled by a visit now."


def _init(params: Mapping[str, Any], _known: _Known) -> Iterator[str]:
    if "working_group" in params:
        yield "If the user worked in another group before, that can end the enrolments made there."
    idle = sorted(params.get("group", {}).keys() - params.get("working_group", {}).keys())
    if idle:
        yield f"The user works in no group of the type {listed(idle)}, and takes part in no experiment of such groups."


def _simulate(params: Mapping[str, Any], known: _Known) -> Iterator[str]:
    yield "Simulated users are enrolled like real ones, count in its statistics, and cannot be taken out again."
    experiment = known.experiment
    if experiment is not None and (goal := _goal(experiment)):
        yield f"{goal} Simulated ones are counted."


def _none(_params: Mapping[str, Any], _known: _Known) -> Iterator[str]:
    yield from ()


NOBODY = "Only those on its inclusion list take part, and nobody is on it: nobody will be enrolled."


def _anybody(listed: Listed) -> bool:
    return bool(listed["users"] or listed["groups"] or listed["segments"])


def _clash(name: str, names: Experiments) -> Iterator[str]:
    same = [other for _, other in names if other.strip().casefold() == name.casefold()]
    if same:
        count = "An experiment is" if len(same) == 1 else f"{len(same)} experiments are"
        yield f"{count} called {quoted(same[0])} already: only their ids will tell them apart."


def _conditions(conditions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(conditions) == 1:
        yield "There is only one condition: everybody gets the same, and nothing can be compared."
    none = [each["code"] for each in conditions if each["weight"] == 0]
    if none:
        yield f"With a weight of 0 nobody gets {listed(none)}."
    codes = [each["code"] for each in conditions]
    folded = [code.casefold() for code in codes]
    if alike := [code for code in codes if folded.count(code.casefold()) > 1]:
        yield f"The codes {listed(alike)} differ in their case alone."


def _outside(params: Mapping[str, Any], context: str, contexts: Contexts) -> Iterator[str]:
    """What a context does not know: its app will ask for none of it, unless it is newer than the server's list."""
    known = contexts.get(context)
    if known is None:
        return
    for parts, field, kind, what in (
        ("conditions", "code", "conditions", "condition code"),
        ("decision_points", "site", "sites", "site"),
        ("decision_points", "target", "targets", "target"),
    ):
        there = known.get(kind, ())
        strange = list(dict.fromkeys(each[field] for each in params.get(parts, ()) if each[field] not in there))
        if strange:
            near = nearest(strange[0], there)
            hint = f" The nearest that it knows is {quoted(near)}." if near else ""
            many = "s" if len(strange) > 1 else ""
            yield f"The context {quoted(context)} does not know the {what}{many} {listed(strange)}.{hint}"


_Cautions = Callable[[Mapping[str, Any], _Known], Iterator[str]]
_CAUTIONS: Mapping[str, _Cautions] = {
    "create_experiment": _create,
    "update_experiment": _update,
    "delete_experiment": _delete,
    "update_experiment_status": _status,
    "init_experiment_user": _init,
    "get_decision_point_assignments": _none,
    "mark_decision_point": _mark,
    "simulate_experiment": _simulate,
}
