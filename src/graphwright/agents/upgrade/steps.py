"""What an action still needs: its parameters held against the server, the next one to ask for, and its choices."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks import Checked, check
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.client.failures import NotFound
from graphwright.agents.upgrade.replies import CONSISTENCIES, FILTER_MODES, MEANING, spoken
from graphwright.agents.upgrade.server import SHOWN, Facts, Server, at
from graphwright.proposals import not_found
from graphwright.text.sentences import listed, quoted

Choice = dict[str, str]
"""`{value, title}`, as a question with `options` takes it."""

LEAVE, DONE = "leave", "done"

_DESIGN = {
    "conditions": "The conditions and their weights",
    "decision_points": "The decision points",
    "description": "The description",
    "tags": "The tags",
    "unit": "Who is assigned: users or groups",
    "consistency": "What users keep",
    "post_rule": "What happens once it is stopped",
    "filter_mode": "Who takes part",
    "include": "Add to the inclusion list",
    "exclude": "Add to the exclusion list",
}
_CHANGES = {"new_name": "The name", **_DESIGN}
_CHANGES |= {"uninclude": "Take off the inclusion list", "unexclude": "Take off the exclusion list"}
_WITH_DEFAULTS = ("unit", "consistency", "post_rule", "filter_mode")

_AFTERWARDS = {"update_experiment": "more", "create_experiment": "more", "init_experiment_user": "group"}
"""What is asked last step by step, where all that is needed is there."""


async def settle(server: Server, action: str, params: Mapping[str, Any], *, guided: bool = False) -> Checked:
    """Resolve the experiment, check the parameters, and choose what to ask. `guided` asks also for what is optional.

    Raises UpgradeError where the server cannot be asked.
    """
    await server.look()
    params = {name: dict(value) if isinstance(value, Mapping) else value for name, value in params.items()}
    facts, candidates, which = await _resolved(server, action, params)
    found = check(action, params, server, facts, which, candidates)
    if not found.final:
        found.asked = next(iter([*dict(found.problems), *found.missing]), "")
        if guided and not found.asked and _AFTERWARDS.get(action) not in (None, *params):
            found.asked = _AFTERWARDS[action]
        elif guided and not found.asked and _in_several(found.params):
            found.asked = "working_group"
    return found


def _in_several(params: Mapping[str, Any]) -> bool:
    """Whether a user belongs to several groups of a type, and in which one the user works was not said."""
    working = params.get("working_group", {})
    return any(len(ids) > 1 and type not in working for type, ids in (params.get("group") or {}).items())


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
        return None, ids, f"{len(ids)} experiments are called {quoted(said)}."
    try:
        facts = await server.details(ids[0]) if ids else None
    except NotFound:
        facts, server.experiments = None, [each for each in server.experiments if each["id"] != ids[0]]
    if facts is None:
        names = [each["name"] for each in server.experiments]
        return None, [each["id"] for each in server.search(said)], not_found("experiment", said, names)
    holder["experiment_id"] = ids[0]
    return facts, (), ""


def choices_of(titles: Mapping[str, str]) -> list[Choice]:
    """Choices by their values."""
    return [{"value": value, "title": title} for value, title in titles.items()]


def choices_for(checked: Checked) -> list[Choice]:
    """What can be chosen for what is asked, `Leave it` at the end; empty for what is a text, a list or a number."""
    titles = _titles(checked)
    return [] if titles is None else choices_of({**titles, LEAVE: "Leave it"})


def note_for(checked: Checked) -> str:
    """What speaks against the value that was given, and what helps to give another."""
    why = " ".join(sentence for param, sentence in checked.problems if checked.asked and param == checked.asked)
    known, experiments, hint = _context(checked), checked.server.experiments, ""
    if checked.asked == "conditions" and known.get("conditions"):
        hint = f"The context knows the conditions {listed(known['conditions'])}."
    elif checked.asked == "decision_points" and known.get("sites"):
        hint = f"The context knows the sites {listed(known['sites'])} and the targets {listed(known['targets'])}."
    elif checked.asked == "experiment_id" and not checked.candidates and len(experiments) > SHOWN:
        hint = f"There are {len(experiments):,}; these changed last. Any other is found by its name."
    return "\n".join(filter(None, [why, hint]))


def _context(checked: Checked) -> Mapping[str, Sequence[str]]:
    return checked.server.contexts.get(str((checked.facts or checked.params).get("context", "")), {})


def _titles(checked: Checked) -> Mapping[str, str] | None:
    server, params, facts = checked.server, checked.params, checked.facts or {}
    conditions = params.get("conditions") or facts.get("conditions", ())
    match checked.asked:
        case "experiment_id":
            return _experiments(server, checked.candidates)
        case "context":
            return {name: name for name in sorted(server.contexts)}
        case "status":
            return {
                each: f"{spoken(each)}: {MEANING[each]}" for each in (State(facts["state"]).following if facts else ())
            }
        case "more" if checked.action == "create_experiment":
            left = {name: _DESIGN[name] for name in _DESIGN if name not in params or name in _WITH_DEFAULTS}
            return {DONE: "That is all", **left}
        case "unit":
            groups = _context(checked).get("group_types", ())
            return {"individual": "single users"} | {f"group:{type}": f"groups: {type}" for type in groups}
        case "post_rule":
            own = {f"code:{each['code']}": f"all get {each['code']}" for each in conditions}
            return {"continue": "those enrolled keep their condition", "default": "all get the default", **own}
        case "site":
            return {each: each for each in map(at, facts.get("decision_points", ()))}
        case "condition_code":
            return {"": "no condition"} | {f"code:{each['code']}": each["code"] for each in conditions}
    return _SAME_FOR_ALL.get(checked.asked)


_SAME_FOR_ALL: Mapping[str, Mapping[str, str]] = {
    "changes": _CHANGES,
    "more": {DONE: "That is all", **_CHANGES},
    "consistency": {name: f"{name}: {means}" for name, means in CONSISTENCIES.items()},
    "filter_mode": FILTER_MODES,
}


def _experiments(server: Server, candidates: Sequence[str]) -> Mapping[str, str]:
    by_id = {each["id"]: each for each in server.experiments}
    names = [each["name"] for each in server.experiments]
    titles = {}
    for id in [*candidates, *(() if candidates else by_id)][:SHOWN]:
        # A name alone is enough of an answer; only equal names need more to be told apart.
        name, *more = (by_id[id].get(part) for part in ("name", "context", "state", "id"))
        titles[id] = f"{name} ({', '.join(filter(None, more))})" if names.count(str(name)) > 1 else str(name)
    return titles


# Answers become parameters


def merged(params: Mapping[str, Any], asked: str, value: str, facts: Facts | None) -> dict[str, Any] | None:
    """The parameters with the answer to a question; None where the answer is not in the format that was asked for."""
    kind, _, rest = value.partition(":")
    match asked:
        case "experiment_id" | "condition_code" if "assigned_condition" in params or "user_id" in params:
            own = value if asked == "experiment_id" else rest or None
            return {**params, "assigned_condition": {**params.get("assigned_condition", {}), asked: own}}
        case "site":
            there: list[dict[str, Any]] = (facts or {}).get("decision_points", [])
            point = next((each for each in there if at(each) == value), {})
            return {**params, "site": point.get("site", ""), "target": point.get("target", "")}
        case "unit":
            return {**params, "unit": kind, "group": rest or None, "consistency": None}
        case "post_rule":
            return {**params, "post_rule": "continue" if kind == "continue" else "assign", "revert_to": rest or None}
    read = _FORMATS[asked](unicodedata.normalize("NFKC", value)) if asked in _FORMATS else value
    return None if read is None else {**params, asked: read}


def _conditions(text: str) -> list[dict[str, Any]] | None:
    """`control 50, hint 50`, also without weights."""
    found: list[dict[str, Any]] = []
    for entry in _entries(text):
        code, *weights = entry.removesuffix("%").split() or [""]
        numbers = [_number(each) for each in weights]
        if not code or len(numbers) > 1 or None in numbers:
            return None
        found.append({"code": code} | ({"weight": numbers[0]} if numbers else {}))
    return found


def _points(text: str) -> list[dict[str, Any]] | None:
    """`site/target, site/target`."""
    parts = [[part.strip() for part in entry.partition("/")] for entry in _entries(text)]
    return [{"site": site, "target": target} for site, _, target in parts] if all(map(all, parts)) else None


def _members(text: str) -> dict[str, list[Any]] | None:
    """`ann, bob, schoolId:north`: users by their ids, groups as type:id."""
    parts = [entry.partition(":") for entry in _entries(text)]
    if any(len(type.split()) != 1 or len(id.split()) != len(colon) for type, colon, id in parts):
        return None
    groups = [{"type": type.strip(), "id": id.strip()} for type, colon, id in parts if colon]
    return {"users": [user for user, colon, _ in parts if not colon], "groups": groups}


def _groups(text: str) -> dict[str, list[str]] | None:
    """`schoolId:north, classId:5`, or `-` for none."""
    found = {"users": [], "groups": []} if text.strip() == "-" else _members(text)
    if found is None or found["users"]:
        return None
    types = dict.fromkeys(each["type"] for each in found["groups"])
    return {type: [each["id"] for each in found["groups"] if each["type"] == type] for type in types}


def _working(text: str) -> dict[str, str] | None:
    """One group of each type, in the same form."""
    found = _groups(text)
    return None if found is None or any(len(ids) > 1 for ids in found.values()) else {t: i[0] for t, i in found.items()}


def _whole(text: str) -> int | None:
    """`500` or `1,000`."""
    number = _number(text.replace(",", ""))
    return int(number) if number is not None and number.is_integer() else None


def _number(text: str) -> float | None:
    whole, _, part = text.strip().partition(".")
    return float(text) if (whole + part).isdecimal() and whole and len(text) < 12 else None


def _entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")]


_FORMATS: Mapping[str, Callable[[str], Any]] = {
    "conditions": _conditions,
    "decision_points": _points,
    **dict.fromkeys(("include", "exclude", "uninclude", "unexclude"), _members),
    "group": _groups,
    "working_group": _working,
    "users": _whole,
    "tags": lambda text: [tag for tag in _entries(text) if tag],
}
