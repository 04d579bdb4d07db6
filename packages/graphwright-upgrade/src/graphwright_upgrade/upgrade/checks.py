"""Checks of an action: values that servers accept but that make no sense, missing parameters, and cautions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphwright.proposals import exact, leaves, nearest
from graphwright_upgrade._wording import bounded, listed, many, not_found, number_text, quoted, say
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._failures import NotFound
from graphwright_upgrade.upgrade.replies import deleted_with_it, group_names, place, spoken
from graphwright_upgrade.upgrade.schemas import ACTIONS, Action, parsed, question_for
from graphwright_upgrade.upgrade.server import SIDES, Facts, Server, at

Params = dict[str, Any]

_STARTED = (State.ENROLLING, State.ENROLLMENT_COMPLETE)
_COMPETING = (*_STARTED, State.INACTIVE, State.SCHEDULED, State.PREVIEW)
_UNIT, _RULE = {"unit", "group", "consistency"}, {"post_rule", "revert_to"}
_AT_PLACES = ("mark_decision_point", "get_decision_point_assignments")
_ROUNDED = 0.05  # what rounding to one decimal changes a weight by, at most


@dataclass
class Checked:
    """The parameters of an action, with its defaults, and what speaks against it.

    `facts` are those of the experiment that is meant, `candidates` the ids of those that may be. `missing` are
    parameters to ask for, in a sensible order, `asked` the one to ask for next; `problems` are sentences with the
    question that another value comes from, empty where the action makes no sense as it is; `cautions` are what to know
    before a yes. `unknown_user` says that the user has to be initialised first. Checking `params` again gives the same.
    """

    action: Action
    params: Params
    server: Server
    facts: Facts | None
    problems: list[tuple[str, str]]
    candidates: Sequence[str] = ()
    unknown_user: bool = False
    asked: str = ""
    missing: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        """Whether it may be shown and confirmed."""
        return not self.missing and not self.problems

    @property
    def final(self) -> list[str]:
        """The problems that no other parameter can solve."""
        return [sentence for param, sentence in self.problems if not param]

    def problem(self, param: str, sentence: str) -> None:
        """Note what speaks against it."""
        if (param, sentence) not in self.problems:
            self.problems.append((param, sentence))

    def need(self, *names: str) -> None:
        """Note the missing values."""
        self.missing += [name for name in names if self.params.get(name) in (None, "", [], {})]

    def find_name(self, param: str, kind: str, said: str, there: Sequence[str]) -> str | None:
        """The one of those that are there that is meant; that there is none is a problem."""
        found = exact(said, there)
        if found is None:
            self.problem(param, not_found(kind, said, there))
        return found

    def context(self) -> Mapping[str, Sequence[str]]:
        """The contents of the action's context; empty if it is unknown."""
        said = self.params.get("context", self.facts["context"] if self.facts else None)
        if said is None:
            self.need("context")
            return {}
        found = self.find_name("context", "context", said, list(self.server.contexts))
        if found and "context" in self.params:
            self.params["context"] = found
        return self.server.contexts[found] if found else {}

    def twice(self, param: str, labels: Sequence[str]) -> None:
        """Report duplicates."""
        if found := sorted({label for label in labels if labels.count(label) > 1}):
            self.problem(param, say(f"twice_{param}", names=listed(found)))


_AFTERWARDS = {"update_experiment": "more", "create_experiment": "more", "init_experiment_user": "group"}
"""The last question of the guided entry, when no required parameter is missing."""


async def resolve_order(server: Server, action: Action, params: Mapping[str, Any], *, guided: bool = False) -> Checked:
    """Resolve the experiment, check the parameters, and choose what to ask. `guided` asks also for what is optional.

    Raises UpgradeError if the server cannot be reached.
    """
    await server.look()
    params = {name: dict(value) if isinstance(value, Mapping) else value for name, value in params.items()}
    facts, candidates, which = await _resolved(server, action, params)
    given, wrong = parsed(action, params)
    problems = [("experiment_id", which)] if which else []
    problems += [(question_for(action, name), sentence) for name, sentence in wrong]
    work = Checked(action, given, server, facts, problems, candidates)
    await _visited(work)
    await _placed(work)
    _CHECKS[action](work)
    await _groups_needed(work)
    if facts is None and question_for(action, "experiment_id"):
        work.missing.insert(1 if work.missing[:1] == ["user_id"] else 0, "experiment_id")
    work.missing = [each for each in dict.fromkeys(work.missing) if each not in dict(work.problems)]
    if work.ready:
        await _assigned(work)
        work.cautions = list(dict.fromkeys([*_cautions(work), *await _shared(work)]))
    work.asked = "" if work.final else next(iter([*dict(work.problems), *work.missing]), "")
    if guided and not work.asked and not work.final:
        working = work.params.get("working_group", {})
        if _AFTERWARDS.get(action) not in (None, *params):
            work.asked = _AFTERWARDS[action]
        elif any(len(ids) > 1 and type not in working for type, ids in (work.params.get("group") or {}).items()):
            # Of several groups of a type, the one in which the user works was not said.
            work.asked = "working_group"
    return work


async def _visited(work: Checked) -> None:
    """Look whether the user of a visit or an assignment is known, and which experiments are at the decision point."""
    if work.action not in (*_AT_PLACES, "init_experiment_user"):
        return
    user = str(work.params.get("user_id", ""))
    if user.isascii() and user.isprintable() and user:
        work.unknown_user = not await work.server.knows(user)
    site, target = (str(work.params.get(name) or "") for name in ("site", "target"))
    if work.action == "mark_decision_point" and work.facts is None and site and target and not work.candidates:
        points = await work.server.by_point()
        if found := work.find_name(
            "experiment_id", "decision point with an experiment", f"{site}/{target}", list(points)
        ):
            work.candidates = [each.id for each in points[found]]


async def _groups_needed(work: Checked) -> None:
    """Ask for the groups of an unknown user if a running experiment at the place assigns whole groups."""
    params, context = work.params, (work.facts or work.params).get("context")
    if work.action not in _AT_PLACES or not work.unknown_user or "group" in params:
        return
    for point, experiments in (await work.server.by_point()).items() if not work.problems else ():
        site, _, target = point.partition("/")
        here = params.get("site") in (None, site) and params.get("target") in (None, target)
        for each in experiments:
            running = each.context == context and each.state is State.ENROLLING
            if here and running and each.group:
                user = quoted(params["user_id"])
                work.problem("group", say("assigns_groups", name=quoted(each.name), type=each.group, user=user))


async def _placed(work: Checked) -> None:
    """Take the site and target of a look-up as the context spells them; without a context, the only one with both."""
    params = work.params
    said: Params = {name: params[name] for name in ("site", "target") if name in params}
    if work.action != "get_decision_point_assignments" or not said:
        return
    found = await work.server.spelled(said)
    having = [context for context, names in found.items() if None not in names.values()]
    if "context" not in params and len(having) == 1:
        params["context"] = having[0]
    context = exact(params.get("context", ""), found) or ""
    for name, value in found.get(context, {}).items():
        params[name] = value or said[name]
        if value is None:
            there = work.server.places(context)[name]
            work.problem(name, f"{not_found(name, said[name], there)} {say('context_is', context=quoted(context))}")


async def _assigned(work: Checked) -> None:
    """Add to the facts of a visit what UpGrade assigns to the user there: this is recorded, whatever is sent."""
    params, facts = work.params, work.facts
    if work.action == "mark_decision_point" and facts is not None and not work.unknown_user:
        point = params["site"], params["target"]
        for each in await work.server.client.assign(params["user_id"], facts["context"], *point):
            found = each.condition
            facts["assigned"] = {"experiment_id": found.experiment_id, "condition_code": found.code}


async def _shared(work: Checked) -> list[str]:
    """Sentences about the other experiments at the decision points that an action gives to an experiment or opens."""
    params, now = work.params, work.facts or {}
    points = params.get("decision_points", ())
    if params.get("status") == State.ENROLLING:
        points = now["decision_points"]
    points = [at(each) for each in points if params.get("status") or each not in now.get("decision_points", ())]
    there = await work.server.by_point() if points else {}
    own, context = now.get("experiment_id"), params.get("context") or now.get("context")
    sentences = []
    for point in points:
        others = [
            f"{quoted(each.name)} ({each.state.value})"
            for each in there.get(point, ())
            if each.id != own and each.context == context and each.state in _COMPETING
        ]
        if others:
            sentences.append(say("also_used", point=quoted(point), others=bounded(others)))
    return sentences


def default_values(checked: Checked, given: Collection[str]) -> Params:
    """The values that the checks put where nothing is given, by dotted path.

    Of all values that may be left out, only those at the paths `given` are taken as they are.
    """
    params, left_out = checked.params, set[str]()
    for path in [path for path, _ in leaves(checked.params) if path not in given]:
        less = _without(params, path.split("."))
        if less != params and not parsed(checked.action, less)[1]:
            params, left_out = less, left_out | {path}
    bare = Checked(checked.action, parsed(checked.action, params)[0], checked.server, checked.facts, [])
    _CHECKS[checked.action](bare)
    return {path: value for path, value in leaves(bare.params) if path in left_out}


def _without(part: Any, path: Sequence[str]) -> Any:
    """Nested parameters without the value at a path. A list item becomes empty and keeps its place."""
    name, rest = path[0], path[1:]
    if isinstance(part, list):
        return [_without(each, rest) if rest and str(place) == name else each for place, each in enumerate(part)]
    return {key: _without(each, rest) if key == name else each for key, each in part.items() if key != name or rest}


async def _resolved(server: Server, action: str, params: dict[str, Any]) -> tuple[Facts | None, Sequence[str], str]:
    """The facts of the experiment that parameters name by its id or its whole name, and put its id there.

    Without one: the ids of those that may be meant, and why it is none of them.
    """
    holder = params.get("assigned_condition") if action == "mark_decision_point" else params
    said = str(holder.get("experiment_id") or "") if isinstance(holder, dict) else ""
    if not isinstance(holder, dict) or not said:
        return None, (), ""
    ids = server.ids_of(said)
    if len(ids) > 1:
        return None, ids, say("several_called", n=len(ids), name=quoted(said))
    try:
        facts = await server.details(ids[0]) if ids else None
    except NotFound:
        facts = None
        server.drop(ids[0])
    if facts is None:
        names = [each["name"] for each in server.experiments]
        near = [each["id"] for name in nearest(said, names) for each in server.experiments if each["name"] == name]
        found = [*near, *(each["id"] for each in server.search(said))]
        return None, list(dict.fromkeys(found)), not_found("experiment", said, names)
    holder["experiment_id"] = ids[0]
    return facts, (), ""


def refusal(before: State | str, after: State | str) -> str:
    """The reasons why an experiment cannot change to another state, as sentences about "it"; empty if it can."""
    following = State(before).following
    if after in following:
        return ""
    if before == after:
        return say("state_already", state=spoken(before))
    if not following:
        return say("state_final", state=spoken(before))
    return say("state_can_become", state=spoken(before), states=say("or").join(spoken(state) for state in following))


def _weights_problem(conditions: Sequence[Mapping[str, Any]]) -> str:
    total = sum(each["weight"] for each in conditions)
    return "" if abs(total - 100) <= _ROUNDED else say("weights_total", total=number_text(total))


def _create(work: Checked) -> None:
    work.need("name")
    context = work.context()
    work.need("conditions", "decision_points")
    work.params.setdefault("filter_mode", "includeAll")
    _parts(work, {})
    _unit(work, context, {})
    _rule(work, {"conditions": [], "post_rule": "continue", "revert_to": None}, always=True)
    _groups_known(work, context)


def _update(work: Checked) -> None:
    facts, changes = work.facts, work.params.keys() - {"experiment_id"}
    if facts is not None and facts["state"] == State.ARCHIVED:
        return work.problem("", say("archived", name=quoted(facts["name"])))
    if not changes:
        return work.missing.append("changes")
    if facts is None:
        return None
    for name in ("conditions", "decision_points"):
        if work.params.get(name) == []:
            work.problem(name, say("needs", parts=say(f"parts_{name}")))
    _parts(work, facts)
    context = work.context()
    if changes & _UNIT:
        _unit(work, context, facts)
    if changes & (_RULE | {"conditions"}):
        _rule(work, facts)
    _groups_known(work, context)
    _taken_off(work, facts)
    return None if work.problems else _differing(work, facts)


def _differing(work: Checked, facts: Facts) -> None:
    """Leave out unchanged values. These belong together: unit, group and consistency; rule and the code after it."""
    now = {**facts, "new_name": facts["name"], "group": facts["group"] or None}
    different = {name for name, value in work.params.items() if name in SIDES or now.get(name) != value}
    for together in (_UNIT, _RULE):
        if different & together:
            different |= together & work.params.keys()
    if not different:
        work.problem("", say("no_change", name=quoted(facts["name"])))
    else:
        different.add("experiment_id")
        work.params = {name: value for name, value in work.params.items() if name in different}


def _parts(work: Checked, facts: Mapping[str, Any]) -> None:
    """Codes that differ, none of them `default`, with weights that add up to 100, a share for those without; points."""
    conditions, points = (work.params.get(name) or [] for name in ("conditions", "decision_points"))
    codes = [each["code"] for each in conditions]
    if any(code.casefold() == "default" for code in codes):
        work.problem("conditions", say("called_default", code=quoted("default")))
    work.twice("conditions", codes)
    without = [each for each in conditions if each.get("weight") is None]
    left = 100 - sum(each["weight"] for each in conditions if each.get("weight") is not None)
    if without and left <= 0:
        work.problem("conditions", say("nothing_left", codes=listed([each["code"] for each in without])))
    elif conditions:
        hundredths, over = divmod(round(left * 100), len(without) or 1)
        for number, each in enumerate(without):
            each["weight"] = (hundredths + (number < over)) / 100
        if why := _weights_problem(conditions):
            work.problem("conditions", why)
    flags = {(p["site"], p["target"]): p["exclude_if_reached"] for p in facts.get("decision_points", ())}
    for each in points:
        each.setdefault("exclude_if_reached", flags.get((each["site"], each["target"]), False))
    work.twice("decision_points", [at(each) for each in points])


def _unit(work: Checked, context: Mapping[str, Sequence[str]], facts: Mapping[str, Any]) -> None:
    given, types = work.params, list(context.get("group_types", ()))
    unit = given.get("unit") or ("group" if given.get("group") else facts.get("unit", "individual"))
    now = facts if unit == facts.get("unit") else {}
    group = given.get("group") or now.get("group") or None
    consistency = given.get("consistency") or now.get("consistency") or unit
    if unit == "individual" and group:
        work.problem("unit", say("users_or_groups", group=quoted(group)))
    if unit == "individual" and consistency == "group":
        work.problem("consistency", say("consistency_needs_groups"))
    if unit == "group" and context:
        if not types:
            work.problem("unit", say("no_groups"))
        elif group is not None:
            group = work.find_name("unit", "group type in this context", group, types) or group
        elif len(types) == 1:
            group = types[0]
        else:
            work.missing.append("unit")
    given |= {"unit": unit, "group": group, "consistency": consistency}


def _rule(work: Checked, facts: Mapping[str, Any], *, always: bool = False) -> None:
    given = work.params
    codes = [each["code"] for each in given.get("conditions") or facts["conditions"]]
    said = given.keys() & _RULE
    revert_to = given.get("revert_to") if said else facts["revert_to"]
    rule = given.get("post_rule") or ("assign" if given.get("revert_to") else facts["post_rule"])
    if rule == "continue" and given.get("revert_to"):
        work.problem("post_rule", say("rule_needs_assign", code=quoted(revert_to)))
    if rule == "assign" and revert_to is not None and codes and revert_to not in codes:
        why = not_found("condition", revert_to, codes)
        work.problem("post_rule", f"{say('afterwards', code=quoted(revert_to))} {why}")
    if said or always:
        given |= {"post_rule": rule, "revert_to": revert_to if rule == "assign" else None}


def _groups_known(work: Checked, context: Mapping[str, Sequence[str]]) -> None:
    for side in ("include", "exclude"):
        for group in (work.params.get(side) or {}).get("groups", ()):
            if context and group["type"] not in context["group_types"]:
                work.problem(side, not_found("group type in this context", group["type"], context["group_types"]))


def _taken_off(work: Checked, facts: Facts) -> None:
    for name in ("uninclude", "unexclude"):
        if not (off := work.params.get(name)):
            continue
        there = facts["members"][name.removeprefix("un")]
        off = work.params[name] = {"users": [], "groups": [], "all": False} | off
        names = [*there["users"], *group_names(there["groups"])]
        strange = [each for each in (*off["users"], *group_names(off["groups"])) if each not in names]
        if strange or not names:
            has = say("list_has", names=listed(names)) if names else say("list_empty")
            work.problem(name, f"{say(f'not_on_{SIDES[name]}', names=listed(strange) or say('anybody'))} {has}")


def _status(work: Checked) -> None:
    facts, after = work.facts, work.params.get("status")
    work.need("status")
    if facts is None or after is None:
        return
    name, lacking = quoted(facts["name"]), ("conditions", "decision_points")
    if why := refusal(facts["state"], after):
        work.problem("", f"{say('stays_as_it_is', name=name)} {why}")
    elif facts["state"] == State.INACTIVE and after == State.ENROLLING:
        if none := [say(f"parts_{part}") for part in lacking if not facts[part]]:
            work.problem("", say("not_started_without", name=name, parts=say("and_no").join(none)))
        elif why := _weights_problem(facts["conditions"]):
            work.problem("", say("not_started", name=name, why=why))


def _user(work: Checked) -> None:
    work.need("user_id")
    if not str(work.params.get("user_id", "")).isascii():
        work.problem("user_id", say("ascii_ids"))
    if "context" in ACTIONS[work.action].model_fields:
        work.context()
    types = sorted({type for context in work.server.contexts.values() for type in context["group_types"]})
    for type in (*(work.params.get("group") or {}), *(work.params.get("working_group") or {})):
        if types and type not in types:
            work.problem("group", not_found("group type", type, types))


def _init(work: Checked) -> None:
    _user(work)
    groups, working = work.params.get("group") or {}, work.params.get("working_group") or {}
    for type, id in working.items():
        if id not in groups.setdefault(type, [id]):
            work.problem("group", say("works_without_belonging", type=type, id=quoted(id)))
    for type, ids in groups.items():
        if len(ids) == 1:
            working.setdefault(type, ids[0])
    if groups:
        work.params |= {"group": groups, "working_group": working}


def _mark(work: Checked) -> None:
    _user(work)
    given, facts = work.params, work.facts
    condition = given.setdefault("assigned_condition", {})
    whole = given.get("site") and given.get("target")
    work.missing += ([] if whole else ["site"]) + ([] if "condition_code" in condition else ["condition_code"])
    if facts is None:
        return
    points = [at(each) for each in facts["decision_points"]]
    if whole and at(given) not in points:
        work.problem("site", not_found("decision point there", at(given), points))
    code, codes = condition.get("condition_code"), [each["code"] for each in facts["conditions"]]
    if code is not None and code not in codes:
        named = {"name": quoted(facts["name"]), "code": quoted(code), "codes": listed(codes)}
        work.problem("condition_code", say("unknown_condition_of", **named))


def _simulate(work: Checked) -> None:
    work.need("users")
    users, groups, facts = work.params.get("users", 0), work.params.get("groups", 0), work.facts or {}
    if why := facts.get("unsimulated"):
        work.problem("", f"{say('not_simulated', name=quoted(facts['name']))} {why}")
    if groups and facts and facts["unit"] != "group":
        # Another number of users would not help.
        work.problem("", say("simulated_without_groups", name=quoted(facts["name"])))
    elif users and groups > users:
        work.problem("users", say("too_many_groups", n=users, groups=groups))


_CHECKS: Mapping[str, Callable[[Checked], None]] = dict(
    zip(ACTIONS, (_create, _update, _status, lambda _: None, _init, _user, _mark, _simulate), strict=True)
)


# Cautions before a yes


def _cautions(work: Checked) -> Iterator[str]:
    """The cautions about an action, with their consequences."""
    params, now = work.params, work.facts or {}
    if work.action in _AT_PLACES and params.get("group") and not work.unknown_user:
        yield say("groups_stay")
    match work.action:
        case "create_experiment" | "update_experiment":
            yield from _odd_name(params, work.server)
            yield from (each for each, _ in _outside(params, {**now, **params}["context"], work.server))
            yield from _odd_conditions(params.get("conditions", ()))
            yield from _lost(params, now)
            yield from _nobody({**now, **params}, params.get("include") or any(now.get("include", {}).values()))
        case "update_experiment_status":
            yield from _next_state(params["status"], now)
        case "delete_experiment":
            if now["state"] in _STARTED and _has_users(now):
                yield say("lose_conditions")
            lists = any(now["include"].values()) or any(now["exclude"].values())
            if what := deleted_with_it(enrolments=_has_users(now), lists=lists):
                yield say("deleted_with_it", what=what)
        case "init_experiment_user":
            if params.get("group") and not work.unknown_user:
                yield say("groups_replace")
            if params.get("working_group") and not work.unknown_user:
                yield say("group_ends_enrolments")
            if idle := sorted(params.get("group", {}).keys() - params.get("working_group", {}).keys()):
                yield say("no_working_group", types=listed(idle))
        case "mark_decision_point":
            yield say("visit_stays")
            if now["state"] != State.ENROLLING:
                yield say("visit_enrols_nobody", state=spoken(now["state"]))
            elif not work.unknown_user:
                yield from _recorded(work, now)
        case "simulate_experiment":
            yield say("simulated_stay")
            yield from _goal(now)


def _recorded(work: Checked, now: Facts) -> Iterator[str]:
    """Sentences about a visit that records something else than the condition that was asked for."""
    code = work.params["assigned_condition"]["condition_code"]
    assigned, asked = now.get("assigned"), quoted(code) if code else say("no_condition")
    if assigned is None:
        if code:
            yield say("assigns_nothing", code=asked)
        return
    gets = quoted(assigned["condition_code"])
    if assigned["experiment_id"] != now["experiment_id"]:
        other, own = quoted(work.server.name_of(assigned["experiment_id"])), quoted(now["name"])
        yield say("assigns_of_other", gets=gets, other=other, own=own)
    elif assigned["condition_code"] != code:
        yield say("assigns_and_notes" if code else "assigns_instead", gets=gets, code=asked)


def _lost(params: Params, now: Mapping[str, Any]) -> Iterator[str]:
    """The parts that a change of an experiment removes."""
    gone = {name: _gone(params, now, name) for name in ("conditions", "decision_points")}
    lost = {row["code"]: row["users"] for row in (now.get("enrollment") or {}).get("conditions", ())}
    users = sum(lost.get(code, 0) for code in gone["conditions"])
    more = {"conditions": say("with_enrolments_of", users=many(users, "users")) if users else "."}
    more["decision_points"] = say("with_enrolments") if _has_users(now) else "."
    yield from (say(f"lost_{name}", names=listed(names), more=more[name]) for name, names in gone.items() if names)
    if now.get("state") == State.CANCELLED:
        yield say("change_without_effect")
    if now.get("state") in _STARTED and _has_users(now):
        if "conditions" in params:
            yield say("weights_for_others_left" if users else "weights_for_others")
        if any((params.get("exclude") or {}).values()):
            yield say("excluded_get_default")
        if params.keys() & {*_UNIT, "decision_points", "filter_mode"}:
            yield say("not_comparable")


def _gone(params: Params, now: Mapping[str, Any], name: str) -> list[str]:
    """The labels of the conditions or decision points that a change does not keep."""
    kept = [_label(each) for each in params.get(name, ())]
    return [label for each in now.get(name, ()) if kept and (label := _label(each)) not in kept]


def _has_users(now: Mapping[str, Any]) -> bool:
    """Whether users are enrolled in an experiment or excluded from it."""
    enrollment = now.get("enrollment") or {}
    return any(enrollment.get(count) for count in ("users", "groups", "excluded_users", "excluded_groups"))


def _next_state(after: str, now: Mapping[str, Any]) -> Iterator[str]:
    if after == State.CANCELLED:
        yield say("ends_for_good")
    if after != State.ENROLLING:
        return
    yield from _nobody(now, any(now["include"].values()))
    reached = [_label(each) for each in now["decision_points"] if each["exclude_if_reached"]]
    if reached and now["state"] == State.INACTIVE and now["consistency"] != "experiment":
        whom = "excluded_groups" if now["consistency"] == "group" else "excluded_users"
        yield say(whom, points=listed(reached))
    yield from _odd_conditions(now["conditions"])
    yield from _goal(now)


def _nobody(design: Mapping[str, Any], anybody: object) -> Iterator[str]:
    if design["filter_mode"] == "excludeAll" and not anybody:
        yield say("nobody_takes_part")


def _goal(now: Mapping[str, Any]) -> Iterator[str]:
    goal = now.get("goal") or {}
    counts = [many(goal[unit], unit) for unit in ("groups", "users") if goal.get(unit)]
    if counts:
        yield say("paused_after", counts=say("of").join(counts))


def _odd_name(params: Params, server: Server) -> Iterator[str]:
    name = str(params.get("name", params.get("new_name", "")))
    others = [each["name"] for each in server.experiments if each["id"] != params.get("experiment_id")]
    if same := [each for each in others if name and each.strip().casefold() == name.casefold()]:
        yield say("same_name", n=len(same), name=quoted(same[0]))


def _odd_conditions(conditions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(conditions) == 1:
        yield say("one_condition")
    if none := [each["code"] for each in conditions if each["weight"] == 0]:
        yield say("weight_of_0", codes=listed(none))


def nearly_known(checked: Checked) -> list[str]:
    """Sentences about the names of a design that its context does not know, but a similar one."""
    facts = checked.facts or {}
    context = str(checked.params.get("context") or facts.get("context", ""))
    of_design = checked.action in ("create_experiment", "update_experiment")
    found = _outside(checked.params, context, checked.server) if of_design else ()
    return [sentence for sentence, similar in found if similar]


def _outside(params: Params, context: str, server: Server) -> Iterator[tuple[str, bool]]:
    """Names that the context does not list, and that its app therefore does not request, unless it is newer.

    Each is a sentence, and whether it names a similar name.
    """
    for part, name in (("conditions", "code"), ("decision_points", "site"), ("decision_points", "target")):
        kind = part if name == "code" else f"{name}s"
        there = server.contexts.get(context, {}).get(kind, ())
        strange = list(dict.fromkeys(each[name] for each in params.get(part, ()) if each[name] not in there))
        if strange and context in server.contexts:
            near = nearest(strange[0], there, most=1)
            hint = f" {say('nearest_known', name=quoted(near[0]))}" if near else ""
            yield say(f"unlisted_{kind}", context=quoted(context), names=listed(strange)) + hint, bool(near)


def _label(part: Mapping[str, Any]) -> str:
    return str(part["code"]) if "code" in part else place({**part, "exclude_if_reached": False})
