"""The parameters of an action that a message states by itself, found by code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.requests.reading import Reading
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.quantities import Weights
from graphwright.runtime.reading.words import fold

_BY_GROUP = re.compile(
    r"\b(?:group (?:unit|assignment|level)|by group|per group|assign (?:whole )?groups|unit (?:is |of "
    r"|= ?)?group|gruppenweise)\b"
)
_BY_TYPE = re.compile(r"\b(?:by|per|nach|pro)\s+(?P<type>[\w-]+)")
_WHOLE_TYPE = re.compile(r"\b(?:by|per|whole|entire|each|every|nach|pro|ganze)\s+(?P<type>[\w-]+)")
_INDIVIDUALLY = re.compile(
    r"\b(?:individual(?:ly)? (?:unit|assignment|assign\w*)|assign\w* individual(?:ly)?|unit (?:is |of "
    r"|= ?)?individual|by (?:user|student)|einzeln)\b"
)
_CONSISTENCY = re.compile(
    r"\b(?P<before>individual|group|experiment)[ -](?:level )?consistency\b|\bconsistency(?: rule)?\s*(?:is|=|:"
    r"|of|to|should be)?\s*"
    r"(?P<behind>individual|group|experiment)\b"
)
_AFTER = re.compile(
    r"\b(?:after(?:wards)?|(?:when|once|as soon as|if) (?:it|(?:the )?(?:experiment|test|study|enrol?lment)) "
    r"(?:is|has|ends|stops|completes|closes|finishes)(?: (?:is |been )?(?:over|done|ended|stopped|completed?|closed"
    r"|finished|paused))?|post[ -]?(?:experiment )?rule|danach"
    r"|(?:wenn|sobald) (?:es|das experiment) (?:vorbei|zu ende|beendet|gestoppt|abgeschlossen) ist)\b"
)
_REVERT = re.compile(
    r"\b(?:assign(?:ed|s)?|gives?|given|gets?|receives?|revert(?:s|ed)?|falls? back|rule|bekommen|bekommt|erhalten)\b"
)
_CONTINUE = re.compile(r"\b(?:continue|keep|keeps|keep their|behalten|weiter)\b")
_ONLY = re.compile(r"\b(?:only|excludeall|nur)\b")
# "Exclude everybody but u1" leaves in whom it names, "exclude everybody in school s1" leaves them out.
_ALL_BUT = re.compile(
    r"\bexclude (?:all|everyone|everybody|anyone|anybody)\b(?:(?!\b(?:in|of|at|with)\b)[^.;!?\n]){0,60}?"
    r"\b(?:but|except\w*|other than|apart from|besides|unless|ausser|bis auf|who is not|not in|outside)\b"
)
_SAVE_FOR = re.compile(
    r"\b(?:exclu\w*|leave out|ausschl\w*|schliess\w*)\b[^.;!?\n]*"
    r"\b(?:but(?! not)|except\w*|other than|apart from|besides|ausser|bis auf)\b"
)
# "Exclude only u1", "only exclude u1", "only u1 should be excluded".
_ONLY_EXCLUDED = re.compile(
    r"\b(?:only|nur) (?:exclud\w*|leave out)|\b(?:exclud\w*|leave out) (?:only|just)\b"
    r"|\b(?:only|nur)\b[^.,;!?\n]{0,40}\b(?:excluded|left out|ausgeschlossen|ausschliessen|aus)\b"
)
_ALL_IN = re.compile(r"\b(?:include (?:all|everyone|everybody)|includeall|filter mode include all)\b")
_EXCLUDE = re.compile(
    r"\b(?:exclud\w*|exclusion|leave out|without|except|ausschliess\w*|schliess\w*|ausser|ausschluss\w*)\b"
)
_INCLUDE = re.compile(r"\b(?:includ\w*|inclusion|only|nur|einschluss\w*|einschliess\w*)\b")
_REACHED = re.compile(
    r"\bexclude if reached\b|\bexclud\w* (?:those|users|students|anyone|everybody|everyone)? ?(?:who|that) "
    r"(?:have |has )?(?:already |were |was )*(?:reached|visited|been|there|saw)\b"
)
_TAGS = re.compile(
    r"\b(?:tagged(?:\s+(?:with|as))?\s+|tag(?:s)?\b[^.;!?\n]{0,60}?(?:\b(?:to|with|as|are|auf|mit)\b|[:=])\s*|tags\s+)"
    r"(?P<tags>\w[\w-]*(?:\s*(?:,|\band\b|\bund\b)\s*\w[\w-]*)*)",
    re.IGNORECASE,
)
_WORKING = re.compile(r"\b(?:working group|works in|arbeitsgruppe)\b")
_NO_CONDITION = re.compile(r"\b(?:no condition|without (?:a )?condition|default condition|default|keine bedingung)\b")
_ADDING = re.compile(r"\b(?:add|another|additional|also|extra|hinzu\w*|erganze)\b")
_REMOVING = re.compile(r"\b(?:remove|delete|drop|without|losche|entferne|take out)\b")


def stated(
    action: str,
    reading: Reading,
    asked: Asked | None = None,
    *,
    experiment: tuple[str, str] | None = None,
    facts: Facts | None = None,
) -> dict[str, Any]:
    """The parameters that the message states, of the shape that the action takes; `experiment` is the one it means.

    `facts` is what is known of that experiment: changed weights come with all of its conditions.
    """
    own: dict[str, Any] = {"experiment_id": experiment[0], "name": experiment[1]} if experiment else {}
    match action:
        case "create_experiment":
            return _design(reading) | _name(reading, asked) | _conditions(reading)
        case "update_experiment":
            return own | _changes(reading, asked, facts)
        case "delete_experiment":
            return own
        case "update_experiment_status":
            return own | ({"status": asked.status} if asked is not None and asked.status else {})
        case "init_experiment_user":
            return _user(reading) | _memberships(reading)
        case "get_decision_point_assignments":
            return _user(reading) | _context(reading) | _point(reading)
        case "mark_decision_point":
            return _user(reading) | _point(reading) | _assigned(reading, experiment)
        case "simulate_experiment":
            users = reading.user_count or (reading.numbers[0] if len(reading.numbers) == 1 else None)
            counts = {"users": users, "groups": reading.group_count}
            return own | {name: count for name, count in counts.items() if count is not None}
    return {}


def _name(reading: Reading, asked: Asked | None) -> dict[str, Any]:
    if reading.name_given:
        return {"name": reading.name_given}
    titles = reading.within(asked, reading.said) if asked is not None else list(reading.said)
    if titles:
        return {"name": titles[0].text}
    # "Create experiment Foo" where Foo is there: the name is said all the same, and the clash is warned of.
    there = reading.within(asked, reading.experiments) if asked is not None else []
    return {"name": there[0].said} if there else {}


def _context(reading: Reading) -> dict[str, Any]:
    if len(reading.contexts) == 1:
        return {"context": reading.contexts[0]}
    # A name that the server does not know is said as it is: the check names the nearest.
    return {"context": reading.unknown_contexts[0]} if reading.unknown_contexts and not reading.contexts else {}


def _conditions(reading: Reading) -> dict[str, Any]:
    codes = _of_design(reading)
    if not codes:
        return {}
    weighed = weigh(codes, reading.weights)
    return {"conditions": [{"code": c} if w is None else {"code": c, "weight": w} for c, w in weighed]}


def weigh(codes: Sequence[str], weights: Weights) -> list[tuple[str, float | None]]:
    """Codes with the weights that were stated for them; None where none was, or they do not fit in number."""
    if weights.by_code:
        return [(code, weights.by_code.get(code)) for code in codes]
    if len(weights.in_order) == len(codes):
        return list(zip(codes, weights.in_order, strict=True))
    return [(code, None) for code in codes]


def _design(reading: Reading) -> dict[str, Any]:
    """What a new experiment and a changed one may both be given."""
    folded = _own_words(reading)
    found = _context(reading)
    if reading.points:
        leaving_out = {"exclude_if_reached": True} if _REACHED.search(folded) else {}
        found["decision_points"] = [{"site": p.site, "target": p.target, **leaving_out} for p in reading.points]
    found |= _unit(reading, folded)
    consistency = _CONSISTENCY.search(folded)
    if consistency is not None:
        found["consistency"] = consistency["before"] or consistency["behind"]
    if _AFTER.search(folded):
        found |= _afterwards(reading, folded)
    found |= _lists(reading, folded)
    described = next((t.text for t in reading.titles if t.role == "description"), "")
    if described:
        found["description"] = described
    tags = _TAGS.search(reading.text)
    if tags is not None:
        found["tags"] = [tag for tag in re.split(r"\s*(?:,|\band\b|\bund\b)\s*", tags["tags"]) if tag]
    return found


def _own_words(reading: Reading) -> str:
    """The message, folded, without a description: what that says is said to nobody here."""
    text = reading.text
    for each in reading.titles:
        if each.role == "description":
            text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    return fold(text)


def _unit(reading: Reading, folded: str) -> dict[str, Any]:
    # "Exclude the whole school" leaves a school out, and assigns nobody by it.
    of_lists = _EXCLUDE.search(folded) or _INCLUDE.search(folded)
    types = {each["type"] for each in (_BY_TYPE if of_lists else _WHOLE_TYPE).finditer(folded)}
    spoken = [type for type in reading.group_types if {fold(type), re.sub(r"[\s_-]*id$", "", fold(type))} & types]
    if spoken:
        return {"unit": "group", "group": spoken[0]}
    if _BY_GROUP.search(folded):
        return {"unit": "group", **({"group": reading.group_types[0]} if len(reading.group_types) == 1 else {})}
    return {"unit": "individual"} if _INDIVIDUALLY.search(folded) else {}


def _of_design(reading: Reading) -> list[str]:
    """The codes named, without one that is only named as what everybody is to get afterwards."""
    reverted = _revert_to(reading)
    if not reverted:
        return list(reading.codes)
    folded = fold(reading.text)
    after = _AFTER.search(folded)
    before = folded[: after.start()] if after is not None else folded
    return [code for code in reading.codes if code != reverted or fold(code) in before]


def _revert_to(reading: Reading) -> str:
    """The condition that everybody is to get afterwards: the code behind "afterwards assign"."""
    folded = fold(reading.text)
    after = _AFTER.search(folded)
    if after is None or not _REVERT.search(folded, after.start()):
        return ""
    behind = folded[after.start() :]
    places = [(behind.find(fold(code)), code) for code in reading.codes if fold(code) in behind]
    return min(places)[1] if places else ""


def _afterwards(reading: Reading, folded: str) -> dict[str, Any]:
    code = _revert_to(reading)
    if code:
        return {"post_rule": "assign", "revert_to": code}
    if _NO_CONDITION.search(folded):
        return {"post_rule": "assign", "revert_to": None}
    return {"post_rule": "continue"} if _CONTINUE.search(folded) else {}


def _lists(reading: Reading, folded: str) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if reading.users:
        members["users"] = list(reading.users)
    if reading.groups:
        members["groups"] = [{"type": type, "id": id} for type, id in reading.groups]
    found: dict[str, Any] = {}
    if _SAVE_FOR.search(folded) and not _ALL_BUT.search(folded):
        # "Exclude school s1 but not u1, who is in it": which of them are meant is not read off by code.
        return found
    only = bool(_ALL_BUT.search(folded) or (_ONLY.search(folded) and not _ONLY_EXCLUDED.search(folded)))
    if _ALL_IN.search(folded):
        found["filter_mode"] = "includeAll"
    elif only and members:
        found["filter_mode"] = "excludeAll"
    if not members or _REMOVING.search(folded):
        return found
    if only or (_INCLUDE.search(folded) and not _EXCLUDE.search(folded)):
        return {**found, "include": members}
    return {**found, "exclude": members} if _EXCLUDE.search(folded) else found


def _changes(reading: Reading, asked: Asked | None, facts: Facts | None) -> dict[str, Any]:
    folded = fold(asked.clause if asked is not None else reading.text)
    found = _design(reading)
    # The context says where the experiment is; it cannot be moved to another one.
    found.pop("context", None)
    if reading.name_given and (asked is None or asked.verb in ("rename", "update")):
        found["new_name"] = reading.name_given
    conditions = _changed_conditions(reading, folded, facts)
    if conditions:
        found["conditions"] = conditions
    points = found.pop("decision_points", None)
    if points:
        found["decision_points"] = _changed_points(points, folded, facts)
    return found


def _changed_conditions(reading: Reading, folded: str, facts: Facts | None) -> list[dict[str, Any]]:
    """All conditions as they are to be. Where two are there and one weight is stated, the other gets the rest."""
    there = [(each["code"], each["weight"]) for each in facts["conditions"]] if facts is not None else []
    codes = [code for code, _ in there]
    named = _of_design(reading)
    if named and _REMOVING.search(folded) and "condition" in folded:
        kept = [code for code in codes if code not in named]
        return _as_conditions(weigh(kept, reading.weights)) if kept and len(kept) < len(codes) else []
    if named and _ADDING.search(folded) and "condition" in folded:
        new = [code for code in named if code not in codes]
        return _as_conditions(_weighed([*codes, *new], reading.weights, {})) if new else []
    if not reading.weights:
        return []
    if not codes or (named and not set(named) <= set(codes) and len(named) > 1):
        codes = named
    return _as_conditions(_weighed(codes, reading.weights, dict(there)))


def _weighed(codes: Sequence[str], weights: Weights, before: Mapping[str, float]) -> list[tuple[str, float | None]]:
    if not weights.by_code or len(codes) < 3:
        return weigh(codes, weights)
    # Of three or more the others share what is left as they shared before.
    left = 100 - sum(weights.by_code.values())
    others = {code: before.get(code, 0.0) for code in codes if code not in weights.by_code}
    total = sum(others.values())
    shared = {code: round(left * weight / total, 2) for code, weight in others.items()} if total > 0 else {}
    return [(code, weights.by_code.get(code, shared.get(code))) for code in codes]


def _as_conditions(weighed: Sequence[tuple[str, float | None]]) -> list[dict[str, Any]]:
    return [{"code": code} if weight is None else {"code": code, "weight": weight} for code, weight in weighed]


def _changed_points(points: list[dict[str, str]], folded: str, facts: Facts | None) -> list[dict[str, str]]:
    there = [{"site": each["site"], "target": each["target"]} for each in facts["decision_points"]] if facts else []
    if _REMOVING.search(folded):
        return [point for point in there if point not in points]
    if _ADDING.search(folded):
        return [*there, *(point for point in points if point not in there)]
    return points


def _user(reading: Reading) -> dict[str, Any]:
    return {"user_id": reading.users[0]} if len(reading.users) == 1 else {}


def _memberships(reading: Reading) -> dict[str, Any]:
    groups: dict[str, list[str]] = {}
    for type, id in reading.groups:
        groups.setdefault(type, []).append(id)
    if not groups:
        return {}
    if _WORKING.search(fold(reading.text)):
        return {"group": groups, "working_group": {type: ids[-1] for type, ids in groups.items()}}
    return {"group": groups}


def _point(reading: Reading) -> dict[str, Any]:
    if len(reading.points) == 1:
        return {"site": reading.points[0].site, "target": reading.points[0].target}
    found: dict[str, Any] = {}
    if not reading.points and len(reading.sites) == 1:
        found["site"] = reading.sites[0]
    if not reading.points and len(reading.targets) == 1:
        found["target"] = reading.targets[0]
    return found


def _assigned(reading: Reading, experiment: tuple[str, str] | None) -> dict[str, Any]:
    condition: dict[str, Any] = {"experiment_id": experiment[0]} if experiment else {}
    if len(reading.codes) == 1:
        condition["condition_code"] = reading.codes[0]
    elif not reading.codes and _NO_CONDITION.search(fold(reading.text)):
        condition["condition_code"] = None
    return {"assigned_condition": condition} if condition else {}
