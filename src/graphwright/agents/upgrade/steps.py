"""What an action still needs: its parameters held against the server, the next one to ask for, and its choices."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.agents.upgrade.checks import Checked, Known, Problem, check, ways
from graphwright.agents.upgrade.client.designs import Facts
from graphwright.agents.upgrade.client.failures import NotFound
from graphwright.agents.upgrade.server import SHOWN, Server
from graphwright.agents.upgrade.wording import CONSISTENCIES, FILTER_MODES, MEANING, listed, quoted, spoken

Choice = dict[str, str]
"""`{value, title}`, as a question with `options` takes it."""

LEAVE = "leave"
DONE = "done"
_LEAVE: Choice = {"value": LEAVE, "title": "Leave it"}

DESIGN = {
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
CHANGES = {"new_name": "The name"} | DESIGN
CHANGES |= {"uninclude": "Take off the inclusion list", "unexclude": "Take off the exclusion list"}

# The question that another value of a parameter comes from.
_ASKED_BY = {"revert_to": "post_rule", "target": "site", "assigned_condition": "experiment_id", "groups": "users"}
_WITH_MORE = ("create_experiment", "update_experiment")


@dataclass(frozen=True, slots=True)
class Settled:
    """An action held against the server: what the checks say, the experiment that is meant, and what to ask next.

    `asked` is the parameter to ask for, empty where none is; `choices` are what it can be, `note` what to say before.
    """

    checked: Checked
    facts: Facts | None = None
    asked: str = ""
    choices: list[Choice] = field(default_factory=list)
    note: str = ""

    @property
    def final(self) -> list[str]:
        """What speaks against the action whatever else the user says."""
        return [each.sentence for each in self.checked.problems if not each.param]


async def settle(server: Server, action: str, params: Mapping[str, Any], *, guided: bool = False) -> Settled:
    """Resolve the experiment, check the parameters, and choose what to ask. `guided` asks also for what is optional.

    Raises UpgradeError where the server cannot be asked.
    """
    await server.look()
    params = {name: dict(value) if isinstance(value, Mapping) else value for name, value in params.items()}
    facts, candidates, several = await _resolved(server, action, params)
    checked = check(action, params, Known(server.contexts, server.experiments, facts))
    problems = [Problem(question_for(action, each.param), each.sentence) for each in checked.problems]
    if several:
        problems = [each for each in problems if each.param != "experiment_id"]
        problems.insert(0, Problem("experiment_id", several))
    checked = Checked(checked.params, checked.missing, problems, checked.cautions)
    asked = next((each.param for each in problems if each.param), "") or next(iter(checked.missing), "")
    if any(not each.param for each in problems):
        asked = ""
    elif not asked and guided and action in _WITH_MORE:
        asked = "more"
    elif not asked and guided and action == "init_experiment_user" and "group" not in params:
        asked = "group"
    note = " ".join(each.sentence for each in problems if each.param == asked and asked)
    made = _Choices(server, action, checked.params, facts, candidates)
    return Settled(checked, facts, asked, made.of(asked), "\n".join(filter(None, [note, made.hint(asked)])))


def asking(server: Server, action: str, settled: Settled, asked: str) -> Settled:
    """The same, and this parameter asked for next."""
    made = _Choices(server, action, settled.checked.params, settled.facts, ())
    return replace(settled, asked=asked, choices=made.of(asked), note=made.hint(asked))


def question_for(action: str, param: str) -> str:
    """The question that asks for a parameter; empty where there is none."""
    if param == "group" and action != "init_experiment_user":
        return "unit"
    if param == "working_group":
        return "group"
    param = _ASKED_BY.get(param, param)
    own = {
        *CHANGES,
        "name",
        "context",
        "experiment_id",
        "status",
        "user_id",
        "site",
        "condition_code",
        "users",
        "group",
    }
    return param if param in own else ""


async def _resolved(server: Server, action: str, params: dict[str, Any]) -> tuple[Facts | None, list[str], str]:
    """The facts of the experiment that parameters name by its id or its whole name, and put its id there.

    Without one: the ids of those that may be meant, and a sentence where several have that name.
    """
    holder = params.get("assigned_condition") if action == "mark_decision_point" else params
    said = holder.get("experiment_id") if isinstance(holder, Mapping) else None
    if not isinstance(holder, dict) or not said:
        return None, [], ""
    ids = server.ids_of(str(said))
    if len(ids) > 1:
        return None, ids, f"{len(ids)} experiments are called {quoted(said)}."
    if not ids:
        return None, [each["id"] for each in server.search(str(said))], ""
    try:
        facts = await server.details(ids[0])
    except NotFound:
        server.experiments = [each for each in server.experiments if each["id"] != ids[0]]
        return None, [], ""
    holder["experiment_id"] = ids[0]
    return facts, [], ""


@dataclass(frozen=True, slots=True)
class _Choices:
    server: Server
    action: str
    params: Mapping[str, Any]
    facts: Facts | None
    candidates: Sequence[str]

    def of(self, asked: str) -> list[Choice]:
        """What can be chosen, `Leave it` at the end; empty for what is a text, a list or a number."""
        made = {
            "experiment_id": self._experiments,
            "context": lambda: [_choice(name) for name in sorted(self.server.contexts)],
            "status": self._states,
            "changes": lambda: [_choice(name, title) for name, title in CHANGES.items()],
            "more": self._more,
            "unit": self._units,
            "consistency": self._consistencies,
            "post_rule": self._rules,
            "filter_mode": lambda: [_choice(mode, means) for mode, means in FILTER_MODES.items()],
            "site": self._points,
            "condition_code": self._codes,
        }.get(asked)
        return [*made(), _LEAVE] if made else []

    def hint(self, asked: str) -> str:
        """What helps to answer."""
        known = self.server.contexts.get(str((self.facts or self.params).get("context", "")), {})
        if asked == "conditions" and known.get("conditions"):
            return f"The context knows the conditions {listed(known['conditions'])}."
        if asked == "decision_points" and known.get("sites"):
            return f"The context knows the sites {listed(known['sites'])} and the targets {listed(known['targets'])}."
        if asked == "experiment_id" and not self.candidates and len(self.server.experiments) > SHOWN:
            return f"There are {len(self.server.experiments):,}; these changed last. Any other is found by its name."
        return ""

    def _experiments(self) -> list[Choice]:
        by_id = {each["id"]: each for each in self.server.experiments}
        rows = [by_id[id] for id in self.candidates[:SHOWN]] or self.server.experiments[:SHOWN]
        names = [each["name"] for each in self.server.experiments]
        made = []
        for each in rows:
            # A name alone is enough of an answer; only equal names need more to be told apart.
            more = (each.get("context"), each.get("state"), each["id"]) if names.count(each["name"]) > 1 else ()
            made.append(
                _choice(each["id"], f"{each['name']} ({', '.join(filter(None, more))})" if more else each["name"])
            )
        return made

    def _states(self) -> list[Choice]:
        following = ways(self.facts["state"]) if self.facts else ()
        return [_choice(state.value, f"{spoken(state)}: {MEANING[state]}") for state in following]

    def _more(self) -> list[Choice]:
        there = CHANGES if self.action == "update_experiment" else DESIGN
        left = {name: title for name, title in there.items() if self.action != "create_experiment" or self._unset(name)}
        return [_choice(DONE, "That is all"), *(_choice(name, title) for name, title in left.items())]

    def _unset(self, name: str) -> bool:
        return name not in self.params or name in ("unit", "consistency", "post_rule", "filter_mode")

    def _units(self) -> list[Choice]:
        context = self.server.contexts.get(str((self.facts or self.params).get("context", "")), {})
        groups = [_choice(f"group:{type}", f"groups: {type}") for type in context.get("group_types", ())]
        return [_choice("individual", "single users"), *groups]

    def _consistencies(self) -> list[Choice]:
        return [_choice(name, f"{name}: {means}") for name, means in CONSISTENCIES.items()]

    def _rules(self) -> list[Choice]:
        conditions = self.params.get("conditions") or (self.facts or {}).get("conditions", ())
        codes = [_choice(f"code:{each['code']}", f"all get {each['code']}") for each in conditions]
        return [
            _choice("continue", "those enrolled keep their condition"),
            _choice("default", "all get the default"),
            *codes,
        ]

    def _points(self) -> list[Choice]:
        points = self.facts["decision_points"] if self.facts else ()
        return [_choice(f"{each['site']}/{each['target']}") for each in points]

    def _codes(self) -> list[Choice]:
        conditions = self.facts["conditions"] if self.facts else ()
        return [_choice("", "no condition"), *(_choice(f"code:{each['code']}", each["code"]) for each in conditions)]


def _choice(value: str, title: str = "") -> Choice:
    return {"value": value, "title": title or value}


# Answers become parameters


def merged(params: Mapping[str, Any], asked: str, value: str, facts: Facts | None) -> dict[str, Any] | None:
    """The parameters with the answer to a question; None where the answer is not in the format that was asked for."""
    match asked:
        case "experiment_id" if "assigned_condition" in params or "user_id" in params:
            return {**params, "assigned_condition": {**params.get("assigned_condition", {}), "experiment_id": value}}
        case "condition_code":
            code = value.removeprefix("code:") or None
            return {**params, "assigned_condition": {**params.get("assigned_condition", {}), "condition_code": code}}
        case "site":
            points = facts["decision_points"] if facts else ()
            found = next((p for p in points if f"{p['site']}/{p['target']}" == value), {"site": "", "target": ""})
            return {**params, "site": found["site"], "target": found["target"]}
        case "unit":
            unit, _, group = value.partition(":")
            return {**params, "unit": unit, "group": group or None, "consistency": None}
        case "post_rule":
            rule, _, code = value.partition(":")
            return {**params, "post_rule": "continue" if rule == "continue" else "assign", "revert_to": code or None}
    reader = _FORMATS.get(asked)
    read = reader(value) if reader else value
    return None if read is None else {**params, asked: read}


def condition_list(text: str) -> list[dict[str, Any]] | None:
    """`control 50, hint 50`, also without weights; None for anything else."""
    found: list[dict[str, Any]] = []
    for entry in _entries(text):
        words = entry.removesuffix("%").split()
        if len(words) == 1:
            found.append({"code": words[0]})
        elif len(words) == 2 and (weight := _number(words[1])) is not None:
            found.append({"code": words[0], "weight": weight})
        else:
            return None
    return found or None


def point_list(text: str) -> list[dict[str, Any]] | None:
    """`site/target, site/target`; None for anything else."""
    parts = [entry.partition("/") for entry in _entries(text)]
    if not parts or not all(site.strip() and target.strip() for site, _, target in parts):
        return None
    return [{"site": site.strip(), "target": target.strip()} for site, _, target in parts]


def member_list(text: str) -> dict[str, Any] | None:
    """`ann, bob, schoolId:north`: users by their ids, groups as type:id; None for anything else."""
    users: list[str] = []
    groups: list[dict[str, str]] = []
    for entry in _entries(text):
        type, colon, id = (part.strip() for part in entry.partition(":"))
        if len(entry.split()) > 1 or (colon and not (type and id)):
            return None
        if colon:
            groups.append({"type": type, "id": id})
        else:
            users.append(type)
    return {"users": users, "groups": groups} if users or groups else None


def group_list(text: str) -> dict[str, list[str]] | None:
    """`schoolId:north, classId:5`, or `-` for none; None for anything else."""
    if text.strip() == "-":
        return {}
    found = member_list(text)
    if found is None or found["users"]:
        return None
    groups: dict[str, list[str]] = {}
    for each in found["groups"]:
        groups.setdefault(each["type"], []).append(each["id"])
    return groups


def whole_number(text: str) -> int | None:
    """`500` or `1,000`; None for anything else."""
    number = _number(text.replace(",", ""))
    return int(number) if number is not None and number.is_integer() else None


def _number(text: str) -> float | None:
    plain = unicodedata.normalize("NFKC", text).strip()
    whole, _, part = plain.partition(".")
    return float(plain) if (whole + part).isdecimal() and whole and len(plain) < 12 else None


def _entries(text: str) -> list[str]:
    return [entry.strip() for entry in unicodedata.normalize("NFKC", text).split(",")]


def _tags(text: str) -> list[str]:
    return [tag for tag in _entries(text) if tag]


_FORMATS: Mapping[str, Any] = {
    "conditions": condition_list,
    "decision_points": point_list,
    "include": member_list,
    "exclude": member_list,
    "uninclude": member_list,
    "unexclude": member_list,
    "group": group_list,
    "users": whole_number,
    "tags": _tags,
}
