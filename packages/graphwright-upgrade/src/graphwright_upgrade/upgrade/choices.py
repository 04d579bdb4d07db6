"""The questions for a parameter: their options, the problem of the last value, and the format of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphwright_upgrade._wording import listed, say
from graphwright_upgrade.client._experiment import State as ExperimentState
from graphwright_upgrade.client._simulating import MOST_USERS
from graphwright_upgrade.upgrade import replies
from graphwright_upgrade.upgrade.checks import Checked
from graphwright_upgrade.upgrade.replies import spoken
from graphwright_upgrade.upgrade.server import MAX_LISTED, Server, at
from graphwright_upgrade.upgrade.state import Option, State

_WITH_DEFAULTS = ("unit", "consistency", "post_rule", "filter_mode")
_LISTS = ("include", "exclude", "uninclude", "unexclude")
_DESIGN = ("conditions", "decision_points", "description", "tags", *_WITH_DEFAULTS, *_LISTS[:2])
_CHANGES = ("new_name", *_DESIGN, *_LISTS[2:])


def question_text(state: State) -> str:
    """The question for the parameter that is asked for, or for one of the offered actions."""
    asked = state["asked"] or "offer"
    if asked == "site" and state["action_needed"] == "mark_decision_point":
        asked = "point"
    return say(f"ask_for_{asked}", most=MOST_USERS)


def choices_for(checked: Checked) -> list[Option]:
    """The options of the question, with `Leave it` at the end; empty for a text, a list or a number."""
    titles = _titles(checked)
    return [] if titles is None else replies.choices_of({**titles, replies.LEAVE: say("leave")})


def note_for(checked: Checked) -> str:
    """The problem of the given value, and help for another one."""
    why = " ".join(sentence for param, sentence in checked.problems if checked.asked and param == checked.asked)
    known, experiments, hint = _context(checked), checked.server.experiments, ""
    if checked.asked == "conditions" and known.get("conditions"):
        hint = say("known_conditions", names=listed(known["conditions"]))
    elif checked.asked == "decision_points" and known.get("sites"):
        hint = say("known_points", sites=listed(known["sites"]), targets=listed(known["targets"]))
    elif checked.asked == "experiment_id" and not checked.candidates and len(experiments) > MAX_LISTED:
        hint = say("changed_last", n=len(experiments))
    return "\n".join(filter(None, [why, hint, _example(checked, known)]))


def _example(checked: Checked, known: Mapping[str, Sequence[str]]) -> str:
    """The format of a list that is asked for, with names of the experiment or its context; empty for other values."""
    facts, server = checked.facts or {}, checked.server
    types = known.get("group_types") or [t for each in server.contexts.values() for t in each["group_types"]]
    groups = [f"{type}:1" for type in dict.fromkeys(types)][:2]
    match checked.asked:
        case "conditions":
            codes = [each["code"] for each in facts.get("conditions", ())] or [*known.get("conditions", ())]
            codes = codes[:2] if len(codes) > 1 else ["A", "B"]
            shown = [f"{code} 50" for code in codes]
        case "decision_points":
            pairs = zip(known.get("sites", ()), known.get("targets", ()), strict=False)
            points = [at(each) for each in facts.get("decision_points", ())] or ["/".join(pair) for pair in pairs]
            shown = points[:2] or ["site/target"]
        case "include" | "exclude" | "uninclude" | "unexclude":
            shown = ["ann", *groups[:1]]
        case "group":
            shown = groups
        case "working_group":
            shown = [f"{type}:{ids[0]}" for type, ids in (checked.params.get("group") or {}).items() if ids][:2]
        case _:
            return ""
    return say("for_example", shown=", ".join(shown)) if shown else ""


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
            following = ExperimentState(facts["state"]).following if facts else ()
            return {each: f"{spoken(each)}: {replies.meaning(each)}" for each in following}
        case "more" if checked.action == "create_experiment":
            return _parts(replies.DONE, *(name for name in _DESIGN if name not in params or name in _WITH_DEFAULTS))
        case "more":
            return _parts(replies.DONE, *_CHANGES)
        case "changes":
            return _parts(*_CHANGES)
        case "unit":
            groups = _context(checked).get("group_types", ())
            return {"individual": say("single_users")} | {
                f"group:{type}": say("groups_by", type=type) for type in groups
            }
        case "consistency":
            return {name: f"{name}: {say(f'consistency_{name}')}" for name in replies.CONSISTENCIES}
        case "filter_mode":
            return {name: say(name) for name in replies.FILTER_MODES}
        case "post_rule":
            own = {f"code:{each['code']}": say("all_get", code=str(each["code"])) for each in conditions}
            return {"continue": say("rule_continue"), "default": say("all_get_default"), **own}
        case "site" | "target" if checked.action == "get_decision_point_assignments":
            return {each: each for each in server.places(str(params.get("context")))[checked.asked][:MAX_LISTED]}
        case "site":
            return {each: each for each in map(at, facts.get("decision_points", ()))}
        case "condition_code":
            return {"": say("no_condition")} | {f"code:{each['code']}": each["code"] for each in conditions}
    return None


def _parts(*names: str) -> Mapping[str, str]:
    return {name: say(f"part_{name}") for name in names}


def _experiments(server: Server, candidates: Sequence[str]) -> Mapping[str, str]:
    by_id = {each["id"]: each for each in server.experiments}
    names = [each["name"] for each in server.experiments]
    # A name alone is enough of an answer; only equal names need more.
    return {
        id: server.line(by_id[id]) if names.count(by_id[id]["name"]) > 1 else by_id[id]["name"]
        for id in [*candidates, *(() if candidates else by_id)][:MAX_LISTED]
    }
