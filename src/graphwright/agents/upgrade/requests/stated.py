"""The parameters of an action that a message states by itself, found by code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.requests.reading import LISTS, Reading
from graphwright.agents.upgrade.requests.revising import Mention, revised_conditions, revised_points
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.naming import Named
from graphwright.agents.upgrade.words.titles import Title
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
    r"\b(?:exclud\w*|exclusion|leave out|without|except|ausschliess\w*|schliess\w*|ausser|ausschluss\w*|stays? out"
    r"|keep\b[^.;!?\n]{1,40}\bout|(?:not|n'?t|no longer|cannot)\s+(?:be\s+)?(?:allowed\s+to\s+)?"
    r"(?:take part|taking part|participate|join|in\b|part of)|(?:bar|ban|block)\b[^.;!?\n]{1,40}\bfrom)\b"
)
_INCLUDE = re.compile(
    r"\b(?:includ\w*|inclusion|only|nur|einschluss\w*|einschliess\w*|takes? part|taking part|participat\w*|joins?"
    r"|(?:should|must|may|can) (?:also )?be in|let\b[^.;!?\n]{1,40}\bin"
    r"|add\b[^.;!?\n]{1,60}\bto)\b"
)
_REACHED = re.compile(
    r"\bexclude if reached\b|\bexclud\w* (?:those|users|students|anyone|everybody|everyone)? ?(?:who|that) "
    r"(?:have |has )?(?:already |were |was )*(?:reached|visited|been|there|saw)\b"
)
_TAG_LIST = r"(?P<tags>[\"'“]?\w[\w-]*[\"'”]?(?:\s*(?:,|\band\b|\bund\b)\s*\w[\w-]*)*)"
_TAGS = tuple(
    re.compile(pattern + _TAG_LIST, re.IGNORECASE)
    for pattern in (
        r"\btagged(?:\s+(?:with|as))?\s+",
        r"\btag\s+(?:it|this|that|them|es)\s+(?:(?:with|as|mit|als)\s+)?",
        r"\btags?\b[^.;!?\n]{0,60}?(?:\b(?:with|as|are|mit)\b|[:=])\s*",
        r"\b(?:add|remove|drop|delete|use|with|without|the|new|also|and|mit|ohne|entferne)\s+(?:the\s+|a\s+)?tags?\s+"
        r"(?!(?:of|to|for|on|from|list|it|this|that)\b)",
        r"\btags?\b[^.;!?\n]{0,60}?\b(?:to|auf)\s+",
        r"\btags\s+(?!(?:of|to|for|on|from)\b)",
    )
)
_NO_TAGS = re.compile(
    r"\b(?:remove|delete|drop|clear|entferne|losche)\s+(?:all\s+|the\s+|its\s+|alle\s+|die\s+)*tags\b(?!\s+\w+\s+from)"
)
_NO_DESCRIPTION = re.compile(
    r"\b(?:remove|delete|drop|clear|erase|entferne|losche)\s+(?:the\s+|its\s+|die\s+)?(?:description|beschreibung)\b"
)
_ADDING = re.compile(r"\b(?:add|another|additional|also|extra|too|as well|hinzu\w*|erganze|auch)\b")
_SIDES = {"include": r"(?:inclu|einschlu|einschlie)\w*", "exclude": r"(?:exclu|ausschlu|ausschlie)\w*"}
_OFF_WORDS = (
    r"\b(?:remove|removing|take|delete|drop|strike|pull|get|clear|erase|move|shift|verschiebe|entferne|losche|streiche"
    r"|streich|nimm|hol)\b"
)
_OFF = {
    side: re.compile(
        rf"{_OFF_WORDS}[^.;!?\n]*?\b(?:from|off|out of|aus|von|vom)\b"
        rf"(?:(?!\b(?:to|on|onto|auf)\b)[^.;!?\n]){{0,30}}?\b{word}"
        rf"|\b(?:stop|no longer|quit|not|don'?t|never)\s+(?:be\s+)?{word}[^.;!?\n]*|\bun-?{word}"
        rf"|\bnicht (?:mehr|langer)[^.;!?\n]*\b{word}"
        rf"|\b{word}[^.;!?\n]*\b(?:any ?more|any longer|no longer)\b"
    )
    for side, word in _SIDES.items()
}
# "Clear the exclude list", "remove all exclusions", "remove everybody from the inclusion list".
_CLEARED = {
    side: re.compile(
        rf"\b(?:clear|empty|reset|wipe|purge|leere|leeren)\b[^.;!?\n]*?\b{word}"
        rf"|{_OFF_WORDS}\s+(?:(?:the|all|every|whole|entire|complete|its|die|den|alle|ganze|of)\s+)*{word}"
        rf"|{_OFF_WORDS}\s+(?:all|everybody|everyone|every\w*|alle)\b(?:\s+(?:the\s+)?(?:users?|students?|groups?|members?"
        rf"|of them|from|off|entries|nutzer|schuler))*[^.;!?\n]{{0,16}}?\b{word}"
    )
    for side, word in _SIDES.items()
}
_ONTO = {
    side: re.compile(rf"\b(?:to|on|onto|auf|in|into)\b[^.,;!?\n]{{0,12}}?\b{word}") for side, word in _SIDES.items()
}
_ALSO = re.compile(r"\b(?:also|too|as well|plus|add|and|additionally|auch|und|dazu|noch|ausserdem)\b")
_WORKING = re.compile(
    r"\b(?:working group|works? (?:now )?(?:in|at|there|here)|working (?:in|at|there)|where (?:she|he|they) works?"
    r"|arbeitsgruppe|arbeitet (?:in|dort))\b"
)
_NO_CONDITION = re.compile(r"\b(?:no condition|without (?:a )?condition|default condition|default|keine bedingung)\b")
_REMOVING = re.compile(r"\b(?:remove|delete|drop|without|losche|entferne|take out)\b")


def stated(
    action: str,
    reading: Reading,
    asked: Asked | None = None,
    *,
    experiment: tuple[str, str] | None = None,
    facts: Facts | None = None,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The parameters that the message states, of the shape that the action takes; `experiment` is the one it means.

    `facts` is what is known of that experiment, `given` what was stated before the message: lists come whole, with
    what they have so far.
    """
    before: dict[str, Any] = {**(facts or {}), **(given or {})}
    own: dict[str, Any] = {"experiment_id": experiment[0], "name": experiment[1]} if experiment else {}
    match action:
        case "create_experiment":
            design = _design(reading, before)
            return design | _name(reading, asked) | _conditions(reading, before.get("conditions") or (), changing=False)
        case "update_experiment":
            return own | _changes(reading, asked, before)
        case "delete_experiment":
            return own
        case "update_experiment_status":
            return own | ({"status": asked.status} if asked is not None and asked.status else {})
        case "init_experiment_user":
            first = {"user_id": reading.users[0]} if asked is not None and reading.users else {}
            return first | _user(reading) | _memberships(reading, before)
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


def _conditions(reading: Reading, there: Sequence[Mapping[str, Any]], *, changing: bool) -> dict[str, Any]:
    before = [(str(each.get("code", "")), each.get("weight")) for each in there]
    named = _of_design(reading)
    mentions = [Mention(each.text, each.start, each.end) for each in reading.conditions if each.text in named]
    text = _without_names(reading)
    found = revised_conditions(text, mentions, reading.weights, before, apart=_points_at(reading), changing=changing)
    return {"conditions": found} if found else {}


def _points(reading: Reading, there: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    apart = [Mention(each.text, each.start, each.end) for each in reading.conditions]
    return revised_points(_without_names(reading), _points_at(reading), there, apart=apart)


def _points_at(reading: Reading) -> list[Mention]:
    return [Mention((each.site, each.target), each.start, each.end) for each in reading.points]


def _design(reading: Reading, before: Mapping[str, Any]) -> dict[str, Any]:
    """What a new experiment and a changed one may both be given; `before` is what it has so far."""
    text = _own_words(reading)
    folded = fold(text)
    found = _context(reading)
    if reading.points:
        leaving_out = {"exclude_if_reached": True} if _REACHED.search(folded) else {}
        found["decision_points"] = [
            {**each, **leaving_out} for each in _points(reading, before.get("decision_points") or ())
        ]
    found |= _unit(reading, folded)
    consistency = _CONSISTENCY.search(folded)
    if consistency is not None:
        found["consistency"] = consistency["before"] or consistency["behind"]
    if _AFTER.search(folded):
        found |= _afterwards(reading, folded)
    found |= _with_waiting(_lists(reading, folded, before), before, folded)
    described = next((t.text for t in reading.titles if t.role == "description"), "")
    if described:
        found["description"] = described
    elif _NO_DESCRIPTION.search(folded):
        found["description"] = ""
    tags = _tags(reading, before.get("tags") or ())
    return found if tags is None else found | {"tags": tags}


def _tags(reading: Reading, before: Sequence[str]) -> list[str] | None:
    """The tags as they are to be; None where the message says nothing of them."""
    text = _own_words(reading)
    found = next((match for pattern in _TAGS if (match := pattern.search(text)) is not None), None)
    if found is None:
        return [] if _NO_TAGS.search(fold(text)) else None
    said = [tag for tag in re.split(r"\s*(?:,|\band\b|\bund\b)\s*", found["tags"]) if tag]
    around = fold(text[max(0, found.start() - 24) : found.end() + 12])
    if _REMOVING.search(around):
        return [tag for tag in before if fold(tag) not in {fold(each) for each in said}]
    if _ADDING.search(around):
        return list(dict.fromkeys([*before, *said]))
    return said


def _own_words(reading: Reading) -> str:
    """The message without a description: what that says is said to nobody here."""
    return _blanked(reading.text, [each for each in reading.titles if each.role == "description"])


def _without_names(reading: Reading) -> str:
    """The same without names, too: an experiment called "Delete Me" takes nothing out."""
    names = [each for each in reading.titles if each.role in ("name", "new_name", "said")]
    return _blanked(_own_words(reading), [*names, *reading.said, *reading.experiments])


def _blanked(text: str, stretches: Sequence[Title | Named]) -> str:
    for each in stretches:
        text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    return text


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


def _lists(reading: Reading, folded: str, before: Mapping[str, Any]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if reading.users:
        members["users"] = list(reading.users)
    if reading.groups:
        members["groups"] = [{"type": type, "id": id} for type, id in reading.groups]
    off = _taken_off(members, folded)
    if off:
        return off
    waiting = [name for name in LISTS if isinstance(before.get(name), Mapping) and _is_waiting(before[name])]
    if members and len(waiting) == 1 and not any(re.search(rf"\b{word}", folded) for word in _SIDES.values()):
        # "And also u7", while a list waits to be confirmed.
        if _REMOVING.search(folded) or re.search(r"\b(?:not|nicht)\b", folded):
            return {waiting[0]: _less(before[waiting[0]], members)}
        return {waiting[0]: _joined(before[waiting[0]], members)} if _ALSO.search(folded) else {}
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


def _with_waiting(found: dict[str, Any], before: Mapping[str, Any], folded: str) -> dict[str, Any]:
    """Lists with those who wait to be put on them already, where the message adds: "also exclude u9"."""
    if not _ALSO.search(folded):
        return found
    waits = [n for n in LISTS if n in found and isinstance(before.get(n), Mapping) and _is_waiting(before[n])]
    return found | {name: _joined(before[name], found[name]) for name in waits}


def _is_waiting(members: Mapping[str, Any]) -> bool:
    """Whether these are members; of an experiment as it is there are only numbers."""
    return isinstance(members.get("users", []), list) and isinstance(members.get("groups", []), list)


def _joined(before: Mapping[str, Any], members: Mapping[str, Any]) -> dict[str, Any]:
    joined = {}
    for kind in ("users", "groups"):
        both = [*before.get(kind, ()), *members.get(kind, ())]
        joined[kind] = [each for place, each in enumerate(both) if each not in both[:place]]
    return joined


def _less(before: Mapping[str, Any], members: Mapping[str, Any]) -> dict[str, Any]:
    return {k: [each for each in before.get(k, ()) if each not in members.get(k, ())] for k in ("users", "groups")}


def _taken_off(members: dict[str, Any], folded: str) -> dict[str, Any]:
    """Whom the message takes off the lists, and whom it puts on the other one instead."""
    found: dict[str, Any] = {}
    for side in _SIDES:
        if members and (match := _OFF[side].search(folded)) is not None:
            found[f"un{side}"] = {"users": [], "groups": []} | members
            other = "exclude" if side == "include" else "include"
            if _ONTO[other].search(folded, match.end()):
                found[other] = members
        elif not members and _CLEARED[side].search(folded):
            found[f"un{side}"] = {"all": True}
    return found


def _changes(reading: Reading, asked: Asked | None, before: Mapping[str, Any]) -> dict[str, Any]:
    found = _design(reading, before)
    # The context says where the experiment is; it cannot be moved to another one.
    found.pop("context", None)
    if reading.name_given and (asked is None or asked.verb in ("rename", "update")):
        found["new_name"] = reading.name_given
    return found | _conditions(reading, before.get("conditions") or (), changing=True)


def _user(reading: Reading) -> dict[str, Any]:
    return {"user_id": reading.users[0]} if len(reading.users) == 1 else {}


def _memberships(reading: Reading, before: Mapping[str, Any]) -> dict[str, Any]:
    """The groups of a user with those that wait already; a type that is said anew replaces its groups."""
    said: dict[str, list[str]] = {}
    for type, id in reading.groups:
        said.setdefault(type, []).append(id)
    if not said:
        return {}
    folded = fold(reading.text)
    groups = dict(before.get("group") or {})
    for type, ids in said.items():
        kept = groups.get(type, []) if _ALSO.search(folded) or _WORKING.search(folded) else []
        groups[type] = list(dict.fromkeys([*kept, *ids]))
    working = dict(before.get("working_group") or {})
    if _WORKING.search(folded):
        working |= {type: ids[-1] for type, ids in said.items()}
    # Where somebody works is settled anew for groups that changed.
    working = {type: id for type, id in working.items() if id in groups.get(type, ())}
    return {"group": groups, **({"working_group": working} if working or before.get("working_group") else {})}


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
