"""What is checked of the design of an experiment, new or changed: conditions, points, units, rules and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.facts import Facts, Members
from graphwright.agents.upgrade.checks.findings import LONGEST_TEXT, Findings
from graphwright.agents.upgrade.checks.weighing import number_text, settled, weight_of
from graphwright.agents.upgrade.words.quoting import listed, quoted

CHANGES = (
    "new_name",
    "description",
    "tags",
    "conditions",
    "decision_points",
    "unit",
    "group",
    "consistency",
    "post_rule",
    "revert_to",
    "filter_mode",
    "include",
    "exclude",
    "uninclude",
    "unexclude",
)
"""What an update may change. `include` and `exclude` add to the lists, `uninclude` and `unexclude` take off them,
everything else replaces."""

OFF = {"uninclude": "include", "unexclude": "exclude"}
"""What takes members off, and the side that it takes them off."""

SIDES = {"include": "inclusion", "exclude": "exclusion"}

UNITS = {"individual": "each user is assigned", "group": "whole groups are assigned"}
CONSISTENCIES = {
    "individual": "a user keeps the condition",
    "group": "a group keeps the condition",
    "experiment": "the experiment decides anew for those who are not enrolled",
}
POST_RULES = {"continue": "those enrolled keep their condition", "assign": "all enrolled get one condition"}
FILTER_MODES = {"includeAll": "everybody takes part unless excluded", "excludeAll": "only the included take part"}


def check_new(found: Findings, given: Mapping[str, Any]) -> dict[str, Any]:
    """The design of a new experiment with its defaults filled in. What is missing comes in a sensible order."""
    made: dict[str, Any] = {"name": found.needed(given, "name"), "context": found.context(given)}
    conditions = _conditions(found, given.get("conditions"))
    if not given.get("conditions"):
        found.lacks("conditions")
    points = _points(found, given.get("decision_points"), {})
    if not given.get("decision_points"):
        found.lacks("decision_points")
    made |= {"conditions": conditions, "decision_points": points}
    made |= {"description": found.text(given, "description", LONGEST_TEXT), "tags": _tags(found, given.get("tags"))}
    made |= _unit(found, given, made["context"])
    made |= _rule(found, given, [each["code"] for each in conditions])
    made["filter_mode"] = found.one_of(given, "filter_mode", FILTER_MODES) or "includeAll"
    made |= _lists(found, given, made["context"])
    return made


def check_changes(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    """The changes of an experiment that make a difference."""
    made: dict[str, Any] = {}
    if "new_name" in given:
        made["new_name"] = found.needed(given, "new_name")
    if "description" in given:
        made["description"] = found.text(given, "description", LONGEST_TEXT)
    if "tags" in given:
        made["tags"] = _tags(found, given["tags"])
    if "conditions" in given:
        made["conditions"] = _conditions(found, given["conditions"])
        if not given["conditions"]:
            found.lacks("conditions")
    if "decision_points" in given:
        old = {(each["site"], each["target"]): each for each in experiment["decision_points"]} if experiment else {}
        made["decision_points"] = _points(found, given["decision_points"], old)
        if not given["decision_points"]:
            found.lacks("decision_points")
    context = experiment["context"] if experiment else ""
    if any(name in given for name in ("unit", "group", "consistency")):
        made |= _unit(found, _filled(given, experiment), context)
    if "post_rule" in given or "revert_to" in given:
        codes = made.get("conditions") or (experiment["conditions"] if experiment else None)
        made |= _rule(found, given, None if codes is None else [each["code"] for each in codes])
    elif experiment and made.get("conditions") and experiment["post_rule"] == "assign":
        kept = experiment["revert_to"]
        if kept is not None and kept not in [each["code"] for each in made["conditions"]]:
            found.invalid(f"All users are to get {quoted(kept)} afterwards: say what they get when it is taken out.")
    if "filter_mode" in given:
        made["filter_mode"] = found.one_of(given, "filter_mode", FILTER_MODES)
    made |= _lists(found, given, context)
    made |= _taken_off(found, given, experiment)
    return _differing(found, made, experiment)


def weights_of_facts(experiment: Facts) -> str:
    """What is wrong with the weights that an experiment has, as a sentence; empty where they sum to 100."""
    total = sum(each["weight"] for each in experiment["conditions"])
    return "" if abs(total - 100) < 0.005 else f"Its weights sum to {number_text(total)} and not to 100."


def _conditions(found: Findings, given: object) -> list[dict[str, Any]]:
    if given is None:
        return []
    if not isinstance(given, Sequence) or isinstance(given, str):
        found.invalid("Conditions are given as a list of codes with their weights.")
        return []
    codes: list[str] = []
    weights: list[float | None] = []
    for each in given:
        each = {"code": each} if isinstance(each, str) else each
        code = found.text(each, "code") if isinstance(each, Mapping) else ""
        said = each.get("weight") if isinstance(each, Mapping) else None
        if not code:
            of = f": the weight {number_text(weight)} has none" if (weight := weight_of(said)) is not None else ""
            found.invalid(f"Every condition needs a code{of}.")
            continue
        weight = weight_of(said)
        if said is not None and weight is None:
            found.invalid(f"The weight of {quoted(code)} must be a number, not {quoted(said)}.")
        elif weight is not None and not 0 <= weight <= 100:
            found.invalid(f"The weight of {quoted(code)} must be between 0 and 100, not {number_text(weight)}.")
        codes.append(code)
        weights.append(weight)
    if any(code.casefold() == "default" for code in codes):
        found.invalid("A condition cannot be called 'default': that is what users get without any condition.")
    if twice := sorted({code for code in codes if codes.count(code) > 1}):
        found.invalid(f"Each condition code may stand there once: {listed(twice)}.")
    if found.errors:
        return [{"code": code, "weight": weight} for code, weight in zip(codes, weights, strict=True)]
    shares = settled(weights)
    if shares is None:
        told = ", ".join(f"{code} {number_text(w)}" for code, w in zip(codes, weights, strict=True) if w is not None)
        total = number_text(sum(weight or 0 for weight in weights))
        left = ", which leaves nothing for the others" if None in weights else ""
        found.invalid(f"The weights must sum to 100, and these sum to {total}{left}: {told}.")
        return [{"code": code, "weight": weight} for code, weight in zip(codes, weights, strict=True)]
    return [{"code": code, "weight": share} for code, share in zip(codes, shares, strict=True)]


def _points(found: Findings, given: object, old: Mapping[tuple[str, str], Any]) -> list[dict[str, Any]]:
    if given is None:
        return []
    if not isinstance(given, Sequence) or isinstance(given, str):
        found.invalid("Decision points are given as a list of sites and targets.")
        return []
    points: list[dict[str, Any]] = []
    for each in given:
        if not isinstance(each, Mapping):
            found.invalid("Every decision point needs a site and a target.")
            continue
        site, target = found.text(each, "site"), found.text(each, "target")
        if not site or not target:
            # Half of one is a question to the user, no mistake.
            found.lacks("decision_points")
        flag = each.get("exclude_if_reached", old.get((site, target), {}).get("exclude_if_reached", False))
        if not isinstance(flag, bool):
            found.invalid("Whether a decision point excludes who was there before is yes or no.")
            flag = False
        points.append({"site": site, "target": target, "exclude_if_reached": flag})
    places = [(each["site"], each["target"]) for each in points if each["site"] and each["target"]]
    if twice := sorted({f"{site}/{target}" for site, target in places if places.count((site, target)) > 1}):
        found.invalid(f"Each decision point may stand there once: {listed(twice)}.")
    return points


def _tags(found: Findings, given: object) -> list[str]:
    tags = [given] if isinstance(given, str) else given or []
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) for tag in tags):
        found.invalid("Tags are given as a list of texts.")
        return []
    return list(dict.fromkeys(text for tag in tags if (text := found.text({"tags": tag}, "tags"))))


def _filled(given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    """Unit, group and consistency as they would be: what is not changed stays, as far as it fits what is."""
    design = {name: given[name] for name in ("unit", "group", "consistency") if name in given}
    if experiment is None:
        return design
    unit = str(design.get("unit") or ("group" if design.get("group") else experiment["unit"]))
    if unit == experiment["unit"]:
        design.setdefault("consistency", experiment["consistency"])
        if unit == "group":
            design.setdefault("group", experiment["group"])
    return design | {"unit": unit}


def _unit(found: Findings, given: Mapping[str, Any], context: str) -> dict[str, Any]:
    group = found.text(given, "group")
    unit = found.one_of(given, "unit", UNITS) or ("group" if group else "individual")
    consistency = found.one_of(given, "consistency", CONSISTENCIES) or unit
    if unit == "individual":
        if group:
            found.invalid(f"Either users or groups are assigned: with the type {quoted(group)} the unit is group.")
        if consistency == "group":
            found.invalid("Consistency by group needs groups as the unit of assignment: choose individual, or groups.")
        return {"unit": unit, "group": None, "consistency": consistency}
    types = list(found.contexts.get(context, {}).get("group_types", ()))
    if not group and len(types) == 1:
        group = types[0]
    if not group:
        if types or context not in found.contexts:
            found.lacks("group")
        else:
            found.invalid(f"The context {quoted(context)} has no groups: assign single users.")
    elif context in found.contexts and group not in types:
        same = [each for each in types if each.casefold() == group.casefold()]
        if len(same) == 1:
            group = same[0]
        else:
            there = f"There are: {listed(types)}." if types else "It has none."
            found.invalid(f"The context {quoted(context)} has no groups of the type {quoted(group)}. {there}")
    return {"unit": unit, "group": group, "consistency": consistency}


def _rule(found: Findings, given: Mapping[str, Any], codes: Sequence[str] | None) -> dict[str, Any]:
    revert_to = found.text(given, "revert_to")
    rule = found.one_of(given, "post_rule", POST_RULES) or ("assign" if revert_to else "continue")
    if revert_to.casefold() in ("default", "none"):
        revert_to = ""
    if rule == "continue":
        if revert_to:
            found.invalid(
                f"Users keep their condition under the rule 'continue': for {quoted(revert_to)} it is 'assign'."
            )
        return {"post_rule": rule, "revert_to": None}
    if revert_to and codes is not None and revert_to not in codes:
        found.invalid(
            f"Afterwards users would get {quoted(revert_to)}, which is no condition. There are: {listed(codes)}."
        )
    return {"post_rule": rule, "revert_to": revert_to or None}


def _lists(found: Findings, given: Mapping[str, Any], context: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for side in ("include", "exclude"):
        members = given.get(side)
        if members is None:
            continue
        if not isinstance(members, Mapping):
            found.invalid(f"Whom to {side} is given as users and groups.")
            continue
        users = _members(found, members.get("users"), side)
        groups = _member_groups(found, members.get("groups"), side, context)
        if users or groups:
            made[side] = {"users": users, "groups": groups}
    return made


def _taken_off(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    """Whom to take off the lists: everybody (`all`), or users and groups that are on them.

    A group without a type is the one of that id that is on the list.
    """
    made: dict[str, Any] = {}
    for name, side in OFF.items():
        members = given.get(name)
        if members is None:
            continue
        if not isinstance(members, Mapping):
            found.invalid(f"Whom to take off the {SIDES[side]} list is given as users and groups.")
            continue
        everybody = members.get("all") is True
        if everybody and experiment and not any(experiment[side].values()):  # type: ignore[literal-required]
            found.invalid(f"Nobody is on the {SIDES[side]} list of {quoted(experiment['name'])}.")
        users = [] if everybody else _members(found, members.get("users"), side)
        groups = [] if everybody else _groups_off(found, members.get("groups"), side)
        there = found.members.get(side) if found.members is not None else None
        if there is not None and not everybody:
            by_id = {user: [own for own, id in there["groups"] if id == user] for user in users}
            # "Take s1 off the list", where s1 is a group.
            moved = [user for user, types in by_id.items() if user not in there["users"] and len(types) == 1]
            users = [user for user in users if user not in moved]
            groups += [{"type": by_id[user][0], "id": user} for user in moved]
            strange = [user for user in users if user not in there["users"]]
            strange += [f"{g['type']} {g['id']}".strip() for g in groups if (g["type"], g["id"]) not in there["groups"]]
            if strange:
                found.invalid(f"The {SIDES[side]} list does not have {listed(strange)}. {_on_it(there)}")
        if users or groups or everybody:
            made[name] = {"users": users, "groups": groups, "all": everybody}
    return made


def _groups_off(found: Findings, given: object, side: str) -> list[dict[str, str]]:
    there = found.members[side]["groups"] if found.members is not None and side in found.members else []
    groups = []
    for each in given if isinstance(given, list | tuple) else ():
        type, id = (str(each.get(part) or "") for part in ("type", "id")) if isinstance(each, Mapping) else ("", "")
        if not type:
            fitting = [own for own, one in there if one == id]
            type = fitting[0] if len(fitting) == 1 else ""
        groups.append({"type": type, "id": id})
    return groups


def _on_it(there: Members) -> str:
    names = [*there["users"], *(f"{type} {id}" for type, id in there["groups"])]
    return f"It has: {listed(names)}." if names else "Nobody is on it."


def _members(found: Findings, given: object, side: str) -> list[str]:
    users = [given] if isinstance(given, str) else given or []
    if not isinstance(users, list | tuple) or not all(
        isinstance(user, str | int) and str(user).strip() for user in users
    ):
        found.invalid(f"The users to {side} are given as a list of ids.")
        return []
    return list(dict.fromkeys(text for user in users if (text := found.text({side: user}, side))))


def _member_groups(found: Findings, given: object, side: str, context: str) -> list[dict[str, str]]:
    if given is None:
        return []
    if not isinstance(given, list | tuple) or not all(isinstance(each, Mapping) for each in given):
        found.invalid(f"The groups to {side} are given as a list of types and ids.")
        return []
    types = found.contexts.get(context, {}).get("group_types", ())
    groups: list[dict[str, str]] = []
    for each in given:
        type, id = found.text(each, "type"), found.text(each, "id")
        if not type or not id:
            found.invalid(f"A group to {side} needs a type and an id.")
        elif context in found.contexts and type not in types:
            there = f"There are: {listed(list(types))}." if types else "It has none."
            found.invalid(f"The context {quoted(context)} has no groups of the type {quoted(type)}. {there}")
        elif {"type": type, "id": id} not in groups:
            groups.append({"type": type, "id": id})
    return groups


def _differing(found: Findings, made: dict[str, Any], experiment: Facts | None) -> dict[str, Any]:
    if experiment is None:
        return made
    now: dict[str, Any] = {**experiment, "new_name": experiment["name"], "group": experiment["group"] or None}
    different = {
        name: value for name, value in made.items() if name in ("include", "exclude", *OFF) or now.get(name) != value
    }
    # These three are one thing: what fits the others is sent with them.
    if different.keys() & {"unit", "group", "consistency"}:
        different |= {name: made[name] for name in ("unit", "group", "consistency") if name in made}
    if different.keys() & {"post_rule", "revert_to"}:
        different |= {name: made[name] for name in ("post_rule", "revert_to") if name in made}
    if made and not different and not found.missing:
        found.invalid(f"Nothing would change: the experiment {quoted(experiment['name'])} is like that already.")
    return different
