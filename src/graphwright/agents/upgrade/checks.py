"""What is checked of an action before anybody is asked: what makes no sense though servers accept it, and cautions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphwright.agents.upgrade.client.designs import Facts
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.schemas import ACTIONS, parsed
from graphwright.agents.upgrade.wording import SIDES, listed, many, number_text, place, quoted, spoken
from graphwright.proposals import exact, nearest, not_found

Params = dict[str, Any]

_OVER = (State.CANCELLED, State.ARCHIVED)
_ROUNDED = 0.05
"""What rounding to one decimal changes a weight by, at most."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not fit. `param` is what another value of may help; empty where the action makes no sense as it is."""

    param: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The parameters of an action, with its defaults, and what speaks against it.

    `missing` are parameters to ask for, in a sensible order. `cautions` are what to know before a yes. Checking
    `params` again gives the same.
    """

    params: Params
    missing: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        """Whether it may be shown and confirmed."""
        return not self.missing and not self.problems


@dataclass
class Known:
    """What the server has: `contexts`, ids and names of `experiments`, and the `facts` of the one that is meant."""

    contexts: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    experiments: Sequence[Mapping[str, str]] = ()
    facts: Facts | None = None


def check(action: str, params: Mapping[str, Any], known: Known) -> Checked:
    """Look an action through, without a server. Raises KeyError for an action that there is not."""
    given, wrong = parsed(action, params)
    work = _Work(given, known, [Problem(name, sentence) for name, sentence in wrong])
    _CHECKS[action](work)
    missing = [each for each in dict.fromkeys(work.missing) if each not in {p.param for p in work.problems}]
    done = Checked(work.given, missing, work.problems)
    if done.ready:
        done.cautions.extend(dict.fromkeys(_CAUTIONS.get(action, _nothing)(done.params, known)))
    return done


def ways(state: State | str) -> tuple[State, ...]:
    """The states that may follow on a state."""
    state = State(state)
    if state in _OVER:
        return ()
    following = {
        State.INACTIVE: State.ENROLLING,
        State.ENROLLING: State.ENROLLMENT_COMPLETE,
        State.ENROLLMENT_COMPLETE: State.ENROLLING,
    }
    return (*([following[state]] if state in following else []), State.CANCELLED)


def refusal(before: State | str, after: State | str) -> str:
    """Why an experiment does not go from one state to the other, as sentences about "it"; empty where it may."""
    before, after = State(before), State(after)
    if after in ways(before):
        return ""
    if before is after:
        return f"It is {spoken(before)} already."
    if before in _OVER:
        return f"It is {spoken(before)}, and nothing leads back from there."
    return f"It is {spoken(before)}. It can become {' or '.join(spoken(state) for state in ways(before))}."


def weights_problem(weights: Sequence[float]) -> str:
    """What is wrong with weights, as a sentence; empty where they add up to 100."""
    total = sum(weights)
    return "" if abs(total - 100) <= _ROUNDED else f"The weights add up to {number_text(total)}, not to 100."


@dataclass
class _Work:
    """The parameters `given`, which the checks complete; what is `missing`, and the `problems`."""

    given: Params
    known: Known
    problems: list[Problem]
    missing: list[str] = field(default_factory=list)

    def problem(self, param: str, sentence: str) -> None:
        if Problem(param, sentence) not in self.problems:
            self.problems.append(Problem(param, sentence))

    def need(self, *names: str) -> None:
        self.missing += [name for name in names if self.given.get(name) in (None, "", [], {})]

    def context(self) -> Mapping[str, Sequence[str]]:
        """What the context of the action has; empty where none is known."""
        said = self.given.get("context", self.known.facts["context"] if self.known.facts else None)
        if said is None:
            self.need("context")
            return {}
        found = exact(said, self.known.contexts)
        if found is None:
            self.problem("context", not_found("context", said, self.known.contexts))
            return {}
        if "context" in self.given:
            self.given["context"] = found
        return self.known.contexts[found]

    def facts(self, id: str | None) -> Facts | None:
        """The facts of the experiment that is meant; what is missing or wrong is noted under `experiment_id`."""
        if not id:
            self.missing.append("experiment_id")
            return None
        if all(each["id"] != id for each in self.known.experiments):
            names = [each["name"] for each in self.known.experiments]
            self.problem("experiment_id", not_found("experiment", id, names))
            return None
        facts = self.known.facts
        return facts if facts is not None and facts["experiment_id"] == id else None


def _create(work: _Work) -> None:
    work.need("name")
    context = work.context()
    work.need("conditions", "decision_points")
    given = work.given
    given.setdefault("filter_mode", "includeAll")
    if given.get("conditions"):
        _weights(work)
    _points(work)
    _unit(work, context, {})
    _rule(work, {"conditions": [], "post_rule": "continue", "revert_to": None}, always=True)
    _groups_known(work, context)


def _update(work: _Work) -> None:
    facts = work.facts(work.given.get("experiment_id"))
    given = work.given
    changes = given.keys() - {"experiment_id"}
    if facts is not None and facts["state"] == State.ARCHIVED:
        return work.problem("", f"The experiment {quoted(facts['name'])} is archived: what is archived is not changed.")
    if not changes:
        return work.missing.append("changes")
    if facts is None:
        return None
    for name in ("conditions", "decision_points"):
        if given.get(name) == []:
            work.problem(name, f"An experiment needs {name.replace('_', ' ')}.")
    if given.get("conditions"):
        _weights(work)
    _points(work, facts)
    context = work.context()
    if changes & {"unit", "group", "consistency"}:
        _unit(work, context, facts)
    if changes & {"post_rule", "revert_to", "conditions"}:
        _rule(work, facts)
    _groups_known(work, context)
    _taken_off(work, facts)
    if not work.problems:
        _differing(work, facts)
    return None


def _differing(work: _Work, facts: Facts) -> None:
    """Leave out what is so already. These belong together: unit, group and consistency; rule and the code after it."""
    now = {**facts, "new_name": facts["name"], "group": facts["group"] or None}
    given = work.given
    lists = ("include", "exclude", "uninclude", "unexclude", "experiment_id")
    different = {name for name, value in given.items() if name in lists or now.get(name) != value}
    for together in ({"unit", "group", "consistency"}, {"post_rule", "revert_to"}):
        if different & together:
            different |= together & given.keys()
    if different == {"experiment_id"}:
        return work.problem("", f"Nothing would change: the experiment {quoted(facts['name'])} is like that already.")
    work.given = {name: value for name, value in given.items() if name in different}
    return None


def _weights(work: _Work) -> None:
    """Codes that differ, none of them `default`, with weights that add up to 100; a share for those without."""
    conditions = work.given["conditions"]
    codes = [each["code"] for each in conditions]
    if any(code.casefold() == "default" for code in codes):
        work.problem("conditions", "No condition can be called 'default': that is what users get without any.")
    if twice := sorted({code for code in codes if codes.count(code) > 1}):
        work.problem("conditions", f"Each condition may stand there once: {listed(twice)}.")
    without = [each for each in conditions if each.get("weight") is None]
    left = 100 - sum(each["weight"] for each in conditions if each.get("weight") is not None)
    if without and left > 0:
        hundredths, over = divmod(round(left * 100), len(without))
        for number, each in enumerate(without):
            each["weight"] = (hundredths + (number < over)) / 100
    if without and left <= 0:
        work.problem("conditions", f"The given weights leave nothing for {listed([each['code'] for each in without])}.")
    elif why := weights_problem([each["weight"] for each in conditions]):
        work.problem("conditions", why)


def _points(work: _Work, facts: Facts | None = None) -> None:
    points = work.given.get("decision_points") or []
    flags = {(p["site"], p["target"]): p["exclude_if_reached"] for p in facts["decision_points"]} if facts else {}
    for each in points:
        each.setdefault("exclude_if_reached", flags.get((each["site"], each["target"]), False))
    named = [(each["site"], each["target"]) for each in points]
    if twice := sorted({f"{site}/{target}" for site, target in named if named.count((site, target)) > 1}):
        work.problem("decision_points", f"Each decision point may stand there once: {listed(twice)}.")


def _unit(work: _Work, context: Mapping[str, Sequence[str]], facts: Mapping[str, Any]) -> None:
    given, types = work.given, list(context.get("group_types", ()))
    unit = given.get("unit") or ("group" if given.get("group") else facts.get("unit", "individual"))
    same = unit == facts.get("unit")
    group = given.get("group") or (facts.get("group") if same else None) or None
    consistency = given.get("consistency") or (facts.get("consistency") if same else None) or unit
    if unit == "individual" and group:
        work.problem("unit", f"Either users or groups are assigned: with the type {quoted(group)} the unit is group.")
    if unit == "individual" and consistency == "group":
        work.problem("consistency", "Consistency by group needs groups as the unit of assignment.")
    if unit == "group" and context:
        if not types:
            work.problem("unit", "The context has no groups: only single users can be assigned.")
        elif group is None and len(types) == 1:
            group = types[0]
        elif group is None:
            work.missing.append("unit")
        elif (found := exact(group, types)) is None:
            work.problem("unit", not_found("group type in this context", group, types))
        else:
            group = found
    given |= {"unit": unit, "group": group, "consistency": consistency}


def _rule(work: _Work, facts: Mapping[str, Any], *, always: bool = False) -> None:
    given = work.given
    codes = [each["code"] for each in given.get("conditions") or facts["conditions"]]
    said = given.keys() & {"post_rule", "revert_to"}
    revert_to = given.get("revert_to") if said else facts["revert_to"]
    rule = given.get("post_rule") or ("assign" if given.get("revert_to") else facts["post_rule"])
    if rule == "continue" and given.get("revert_to"):
        work.problem("post_rule", f"Under 'continue' users keep their condition; {quoted(revert_to)} needs 'assign'.")
    if rule == "assign" and revert_to is not None and codes and revert_to not in codes:
        work.problem(
            "post_rule", f"Afterwards all would get {quoted(revert_to)}: {not_found('condition', revert_to, codes)}"
        )
    if said or always:
        given |= {"post_rule": rule, "revert_to": revert_to if rule == "assign" else None}


def _groups_known(work: _Work, context: Mapping[str, Sequence[str]]) -> None:
    for side in ("include", "exclude"):
        for group in (work.given.get(side) or {}).get("groups", ()):
            if context and group["type"] not in context["group_types"]:
                work.problem(side, not_found("group type in this context", group["type"], context["group_types"]))


def _taken_off(work: _Work, facts: Facts) -> None:
    for name, side in (("uninclude", "include"), ("unexclude", "exclude")):
        off, there = work.given.get(name), facts.get("members", {}).get(side)
        if not off or there is None:
            continue
        names = [*there["users"], *(f"{each['type']} {each['id']}" for each in there["groups"])]
        groups = off.get("groups", [])
        wanted = [*off.get("users", []), *(f"{each['type']} {each['id']}" for each in groups)]
        strange = [each for each in wanted if each not in names]
        if strange or not names:
            has = f"It has {listed(names)}." if names else "Nobody is on it."
            work.problem(name, f"The {SIDES[name]} list does not have {listed(strange) or 'anybody'}. {has}")
        work.given[name] = {"users": off.get("users", []), "groups": groups, "all": off.get("all", False)}


def _status(work: _Work) -> None:
    facts = work.facts(work.given.get("experiment_id"))
    work.need("status")
    if facts is None or "status" not in work.given:
        return
    after, it = State(work.given["status"]), f"The experiment {quoted(facts['name'])}"
    if why := refusal(facts["state"], after):
        work.problem("", f"{it} stays as it is. {why}")
    elif after is State.ENROLLING and facts["state"] == State.INACTIVE:
        lacking = [name.replace("_", " ") for name in ("conditions", "decision_points") if not facts[name]]
        if lacking:
            work.problem("", f"{it} cannot be started: it has no {' and no '.join(lacking)}.")
        elif why := weights_problem([each["weight"] for each in facts["conditions"]]):
            work.problem("", f"{it} cannot be started. {why} Correct the weights first.")


def _delete(work: _Work) -> None:
    work.facts(work.given.get("experiment_id"))


def _user(work: _Work) -> None:
    work.need("user_id")
    if not str(work.given.get("user_id", "")).isascii():
        work.problem("user_id", "UpGrade takes only plain ASCII characters in the id of a user.")


def _init(work: _Work) -> None:
    _user(work)
    groups, working = work.given.get("group") or {}, work.given.get("working_group") or {}
    types = sorted({type for context in work.known.contexts.values() for type in context["group_types"]})
    for type, id in working.items():
        if id not in groups.setdefault(type, [id]):
            work.problem("group", f"The user would work in {type} {quoted(id)} without belonging to it.")
    for type, ids in groups.items():
        if types and type not in types:
            work.problem("group", not_found("group type", type, types))
        if len(ids) == 1:
            working.setdefault(type, ids[0])
    if groups:
        work.given |= {"group": groups, "working_group": working}


def _assignments(work: _Work) -> None:
    _user(work)
    work.context()


def _mark(work: _Work) -> None:
    _user(work)
    condition = work.given.setdefault("assigned_condition", {})
    facts = work.facts(condition.get("experiment_id"))
    if not (work.given.get("site") and work.given.get("target")):
        work.missing.append("site")
    if "condition_code" not in condition:
        work.missing.append("condition_code")
    if facts is None:
        return
    points = [(each["site"], each["target"]) for each in facts["decision_points"]]
    if "site" not in work.missing and (work.given["site"], work.given["target"]) not in points:
        at = f"{work.given['site']}/{work.given['target']}"
        work.problem("site", not_found("decision point there", at, [f"{site}/{target}" for site, target in points]))
    code, codes = condition.get("condition_code"), [each["code"] for each in facts["conditions"]]
    if code is not None and code not in codes:
        work.problem("condition_code", not_found("condition in it", code, codes))


def _simulate(work: _Work) -> None:
    facts = work.facts(work.given.get("experiment_id"))
    work.need("users")
    if facts is None:
        return
    if why := facts["unsimulated"]:
        work.problem("", f"The experiment {quoted(facts['name'])} cannot be simulated. {why}")
    if "groups" in work.given and facts["unit"] != "group":
        work.problem("users", "The experiment assigns single users: there are no groups to spread them over.")
    elif work.given.get("groups", 0) > work.given.get("users", 0) > 0:
        work.problem("users", f"{work.given['users']:,} users cannot be in {work.given['groups']:,} groups.")


_CHECKS: Mapping[str, Callable[[_Work], None]] = dict(
    zip(ACTIONS, (_create, _update, _status, _delete, _init, _assignments, _mark, _simulate), strict=True)
)


# What to know before a yes

_NOBODY = "Only those on its inclusion list take part, and nobody is on it: nobody will be enrolled."


def _nothing(_params: Params, _known: Known) -> Iterator[str]:
    yield from ()


def _create_cautions(params: Params, known: Known) -> Iterator[str]:
    yield from _same_name(params["name"], known, "")
    yield from _outside(params, params["context"], known)
    yield from _odd_conditions(params["conditions"])
    if params["filter_mode"] == "excludeAll" and not params.get("include"):
        yield _NOBODY


def _update_cautions(params: Params, known: Known) -> Iterator[str]:
    facts = known.facts
    assert facts is not None
    if "new_name" in params:
        yield from _same_name(params["new_name"], known, params["experiment_id"])
    yield from _odd_conditions(params.get("conditions", ()))
    for name, what, label in (("conditions", "condition", _code), ("decision_points", "decision point", _place)):
        kept = [label(each) for each in params.get(name, ())]
        gone = [label(each) for each in facts[name] if label(each) not in kept] if kept else []
        if gone:
            yield f"The {what} {listed(gone)} will be deleted with all enrolments in it. This cannot be undone."
    yield from _outside(params, facts["context"], known)
    if facts["state"] == State.CANCELLED:
        yield "The experiment is over: the change has no effect on anybody."
    if facts["state"] in (State.ENROLLING, State.ENROLLMENT_COMPLETE):
        if "conditions" in params:
            yield "The experiment has been started: those enrolled keep their condition; new weights count for others."
        if params.keys() & {"unit", "group", "consistency", "decision_points", "filter_mode"}:
            yield "The experiment has been started: users from before and after the change will not be comparable."
    anybody = params.get("include") or any(facts["include"].values())
    if params.get("filter_mode", facts["filter_mode"]) == "excludeAll" and not anybody:
        yield _NOBODY


def _status_cautions(params: Params, known: Known) -> Iterator[str]:
    facts, after = known.facts, State(params["status"])
    assert facts is not None
    if after is State.CANCELLED:
        yield "This cannot be undone: nothing leads back, and users get no condition from it any more."
    if after is not State.ENROLLING:
        return
    if facts["filter_mode"] == "excludeAll" and not any(facts["include"].values()):
        yield _NOBODY
    reached = [_place(each) for each in facts["decision_points"] if each["exclude_if_reached"]]
    if reached and facts["state"] == State.INACTIVE and facts["consistency"] != "experiment":
        groups = ", with their groups," if facts["consistency"] == "group" else ""
        yield f"All users who have ever been at {listed(reached)}{groups} will be excluded for good."
    yield from _odd_conditions(facts["conditions"])
    yield from _goal(facts)


def _delete_cautions(_params: Params, known: Known) -> Iterator[str]:
    if known.facts and known.facts["state"] in (State.ENROLLING, State.ENROLLMENT_COMPLETE):
        yield "It has been started: its users lose their conditions at once."
    yield "Its enrolments and lists are deleted with it. The records of visits stay."


def _init_cautions(params: Params, _known: Known) -> Iterator[str]:
    if params.get("working_group"):
        yield "If the user worked in another group before, that can end the enrolments made there."
    idle = sorted(params.get("group", {}).keys() - params.get("working_group", {}).keys())
    if idle:
        yield f"The user works in no group of the type {listed(idle)}, and takes part in no experiment of such groups."


def _mark_cautions(_params: Params, known: Known) -> Iterator[str]:
    yield "A visit is never unrecorded. Where the user may not take part, it excludes the user for good."
    if known.facts and known.facts["state"] != State.ENROLLING:
        yield f"The experiment is {spoken(known.facts['state'])}: nobody is enrolled by a visit now."


def _simulate_cautions(_params: Params, known: Known) -> Iterator[str]:
    yield "Simulated users are enrolled like real ones, count in its statistics, and cannot be taken out again."
    yield from _goal(known.facts or {})


def _goal(facts: Mapping[str, Any]) -> Iterator[str]:
    goal = facts.get("goal") or {}
    counts = [many(goal[unit], unit.removesuffix("s")) for unit in ("groups", "users") if goal.get(unit)]
    if counts:
        yield f"It is stopped by itself after {' of '.join(counts)}."


def _same_name(name: str, known: Known, own: str) -> Iterator[str]:
    others = [each["name"] for each in known.experiments if each["id"] != own]
    if same := [each for each in others if each.strip().casefold() == name.casefold()]:
        yield f"{many(len(same), 'experiment')} called {quoted(same[0])} already there: only the ids tell them apart."


def _odd_conditions(conditions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(conditions) == 1:
        yield "There is only one condition: everybody gets the same, and nothing can be compared."
    if none := [each["code"] for each in conditions if each["weight"] == 0]:
        yield f"With a weight of 0 nobody gets {listed(none)}."
    codes = [each["code"] for each in conditions]
    folded = [code.casefold() for code in codes]
    if alike := [code for code in codes if folded.count(code.casefold()) > 1]:
        yield f"The codes {listed(alike)} differ in their case alone."


def _outside(params: Params, context: str, known: Known) -> Iterator[str]:
    """What a context does not know: its app will ask for none of it, unless it is newer than the server's list."""
    for part, name, kind, what in (
        ("conditions", "code", "conditions", "condition"),
        ("decision_points", "site", "sites", "site"),
        ("decision_points", "target", "targets", "target"),
    ):
        there = known.contexts.get(context, {}).get(kind, ())
        strange = list(dict.fromkeys(each[name] for each in params.get(part, ()) if each[name] not in there))
        if strange and context in known.contexts:
            near = nearest(strange[0], there, most=1)
            hint = f" The nearest that it knows is {quoted(near[0])}." if near else ""
            yield f"The context {quoted(context)} does not know the {what} {listed(strange)}.{hint}"


def _code(each: Mapping[str, Any]) -> str:
    return str(each["code"])


def _place(each: Mapping[str, Any]) -> str:
    return place({**each, "exclude_if_reached": False})


_CAUTIONS: Mapping[str, Callable[[Params, Known], Iterator[str]]] = {
    "create_experiment": _create_cautions,
    "update_experiment": _update_cautions,
    "update_experiment_status": _status_cautions,
    "delete_experiment": _delete_cautions,
    "init_experiment_user": _init_cautions,
    "mark_decision_point": _mark_cautions,
    "simulate_experiment": _simulate_cautions,
}
