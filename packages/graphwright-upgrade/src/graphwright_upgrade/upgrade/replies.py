"""The texts of the agent, by templates from facts; and the parameters that short answers set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from graphwright.proposals import Quotations, occurs, values_with
from graphwright.text import sentences
from graphwright.text.near_names import nearest
from graphwright.text.sentences import one_line, shortened
from graphwright_upgrade import _wording as wording
from graphwright_upgrade._wording import bounded, figure, listed, number_text, plain_number, quoted, say
from graphwright_upgrade.client._experiment import DISPLAY_NAMES, State
from graphwright_upgrade.upgrade import state as channels
from graphwright_upgrade.upgrade.schemas import ACTIONS, action_in_hand
from graphwright_upgrade.upgrade.server import SIDES, Facts, at

_LONGEST = 600

CONSISTENCIES = ("individual", "group", "experiment")
FILTER_MODES = ("includeAll", "excludeAll")
_TO_STATE = ("enrolling", "enrollmentComplete", "cancelled")
_LOOK_UPS = ("experiments", "experiment_details", "contexts", "terms")
Result = Literal["done", "part", "unknown", "undone"]
"""The outcome of an order: `unknown` if the server did not say whether it was done."""
LEFT_OUT = "you left it out"
"""The reason in `finished` of an order that the user took back."""


@cache
def _texts() -> Any:
    """The macros of texts.j2, by their names."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    names = {**vars(sentences), **vars(wording), **globals(), "SIDES": SIDES}
    environment.filters |= names
    environment.globals |= names
    return environment.from_string((Path(__file__).parent / "texts.j2").read_text("utf-8")).module


def _rendered_lines(macro: str, *facts: Any) -> list[str]:
    return [line for line in getattr(_texts(), macro)(*facts).split("\n") if line.strip()]


def lines_of(action: str, params: Mapping[str, Any], facts: Facts | None) -> list[str]:
    """The question about an action whose parameters were checked, and below it what exactly will be done."""
    # Experiments of one name are distinguished by the id, which a deletion always shows.
    same_name = facts and facts["namesakes"] and action != "delete_experiment"
    asked = _rendered_lines(f"ask_{action}", params, facts)
    # The text of a deletion names the context already.
    context = [say("in_context", context=quoted(facts["context"]))] if facts and action != "delete_experiment" else []
    id = [say("id", id=facts["experiment_id"])] if facts and same_name else []
    at_points = [say("is_at", places=places(facts["decision_points"]))] if facts and facts["namesakes"] else []
    return [asked[0], *context, *id, *at_points, *asked[1:]]


def noted(before: Mapping[str, Any], params: Mapping[str, Any]) -> str:
    """The values of a design that a message gave, while another one is asked for; empty if it gave none."""
    new = {name: value for name, value in params.items() if name in _NOTED and value and value != before.get(name)}
    new |= {"new_name": new["name"]} if "name" in new else {}
    lines = [say("in_context", context=quoted(new["context"]))] if "context" in new else []
    lines += _rendered_lines("changes", new, None)
    return "\n".join([say("noted"), *(f"- {line}" for line in lines)]) if lines else ""


_NOTED = ("name", "new_name", "context", "conditions", "decision_points", "description", "tags", *SIDES)


def confirmation(state: channels.State) -> str:
    """The text that a person says yes to: what will be done and where, then what to know before, after "⚠️ "."""
    described = {**state["action_params"], "origins": _origins(state)}
    lines = lines_of(action_in_hand(state), described, state["about"])
    params = _with_name(state["action_params"], state["about"])
    supports = {path.replace("experiment_id", "experiment"): each for path, each in state["supports"].items()}
    invented = values_with("unsupported", params, supports, "action_params.")
    strange = [say("unsupported", values=listed(invented))] if invented else []
    contradicted = values_with("contradicted", params, supports, "action_params.")
    strange += [say("contradicted", values=listed(contradicted))] if contradicted else []
    known = [*strange, *state["marks"], *state["cautions"]]
    return "\n".join(_rendered_lines("confirmation", lines, state["place"], state["later"], known))


def _origins(state: channels.State) -> dict[str, str]:
    """Return for each parameter that is a default, or copied for a new experiment, the text that says so.

    A default is not named as one if the model quotes the user for it, even if the quotation is not literal.
    """
    quotations, origins = Quotations(words=state["words"]), dict[str, str]()
    new = state["action_needed"] == "create_experiment"
    for path, support in state["supports"].items():
        own = path.removeprefix("action_params.")
        name = own.rpartition(".")[2]
        if support == "default" and not quotations.words_for(own):
            origins[name] = say("default_weights" if name == "weight" else "by_default")
        elif support == "exists" and new and name != "weight":
            origins[name] = say("copied")
    for whole in _COPIED_WHOLE if new else ():
        # One entry that is not copied would make it untrue of the list.
        parts = [support for path, support in state["supports"].items() if path.split(".")[1:2] == [whole]]
        if parts and all(each == "exists" for each in parts):
            origins[whole] = say("copied")
    return origins


_COPIED_WHOLE = ("conditions", "decision_points", "tags", "description", "include", "exclude")
"""Lists and texts that the confirmation of a new experiment marks as copied if all of them is."""


def _with_name(params: Mapping[str, Any], facts: Facts | None) -> Mapping[str, Any]:
    """The parameters with the name of the experiment in place of its id, which means nothing to people."""
    if (applied := params.get("assigned_condition")) is not None:
        return {**params, "assigned_condition": _with_name(applied, facts)}
    others = {key: value for key, value in params.items() if key != "experiment_id"}
    return {**others, "experiment": facts["name"] if facts else params["experiment_id"]} if others != params else params


def heading(state: channels.State) -> str:
    """The current order, as the beginning of a question about it; empty without one."""
    text = title({**state, "request": ""}) if state["action_needed"] else ""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def title(state: channels.State) -> str:
    """The current order, in a list of orders: `start 'Foo' (maths)`."""
    action, params, facts = action_in_hand(state), state["action_params"], state["about"] or {}
    kind = params.get("status", "")
    what = f"title_{kind if action == 'update_experiment_status' and kind in _TO_STATE else action}"
    if kind == State.ENROLLING and facts.get("state") == State.ENROLLMENT_COMPLETE:
        what = "title_resuming"
    name = _subject(state)
    if facts and action == "update_experiment" and params.keys() == {"experiment_id", "new_name"}:
        return say("title_rename", name=quoted(name), new=quoted(params["new_name"]))
    if not name:
        kind = "a_user" if "user_id" in ACTIONS[action].model_fields else "an_experiment"
        return shortened(state["request"], 100).rstrip(".?! ") or say(what, name=say(kind))
    where = facts.get("context") or params.get("context")
    return f"{say(what, name=quoted(name))}{f' ({one_line(where, 60)})' if where else ''}"


def _subject(state: channels.State) -> str:
    """The user or experiment that the current order is about; empty if it is not known."""
    params, facts = state["action_params"], state["about"] or {}
    return str(params.get("user_id") or facts.get("name") or params.get("name") or "")


def is_among(state: channels.State, orders: Sequence[channels.Order]) -> bool:
    """Whether the current order is one of these orders: the same action for the same user or experiment."""
    subject = _subject(state)
    same = [each["request"] for each in orders if each["action"] == state["action_needed"]]
    return bool(subject) and occurs(subject, same)


def outcomes(state: channels.State) -> list[str]:
    """The last results of this conversation, and the orders of this request that were not done."""
    done = [done_text(entry) for entry in state["execution_log"][-5:]]
    undone = [undone_text(each) for each in state["finished"] if each["result"] != "done"]
    # An order that failed when it was performed is in both.
    return list(dict.fromkeys([*done, *undone]))


def undone_text(order: channels.FinishedOrder, told: str = "") -> str:
    """That an order was not done, or not as a whole, and why: `Not done: delete 'Foo' (maths): you did not want it.`

    A reason that is in `told` is omitted.
    """
    why = say("left_out") if order["why"] == LEFT_OUT else order["why"]
    if why and why in told:
        return say(order["result"], order=f"{order['title']}.")
    text = say("order_and_why", order=order["title"], why=why or say("no_reason"))
    return say(order["result"], order=text if text.endswith(_ENDS) else f"{text}.")


_ENDS = (".", "!", "?", ")", "”", "“")


def progress(state: channels.State) -> str:
    """Which of several orders the confirmation or question below is about; empty for a single order."""
    before, after = sum(each["why"] != LEFT_OUT for each in state["finished"]), len(state["queue"])
    return say("next", place=before + 1, all=before + 1 + after) if before or after else ""


def upcoming(state: channels.State) -> str:
    """The orders after the current one; empty without any."""
    names = [
        shortened(each["request"], 200).rstrip(".?! ") or title({**state, "about": None, **_as_in_hand(each)})
        for each in state["queue"]
    ]
    times = [say("not_later_in_brackets", time=quoted(t)) if (t := each["later"]) else "" for each in state["queue"]]
    missing = [say("still_open") if each.get("incomplete") else "" for each in state["queue"]]
    later = [f"{name}{time}{more}" for name, time, more in zip(names, times, missing, strict=True)]
    more = f";{say('and_more', n=len(later) - 5)}" if len(later) > 5 else ""
    return say("after_that", orders=f"{'; '.join(later[:5])}{more}") if later else ""


def requests(orders: Sequence[Mapping[str, Any]]) -> list[str]:
    """The requests of orders in a form that is the same for the same words."""
    return [shortened(each["request"], 200).rstrip(".?! ").casefold() for each in orders]


def left_out(before: Sequence[channels.Order], now: Sequence[channels.Order]) -> list[str]:
    """The requests of queued orders that are missing in the new queue.

    An order that is there in other words, for example under a new name, is not missing.
    """
    old = [shortened(each["request"], 200).rstrip(".?! ") for each in before]
    known, new = requests(before), requests(now)
    gone = [request for request in old if request.casefold() not in new]
    for request in new:
        if request not in known and (near := nearest(request, gone, most=1)):
            gone.remove(near[0])
    return gone


def _as_in_hand(order: channels.Order) -> channels.State:
    return {"action_needed": order["action"], "action_params": order["params"] or {}, "request": order["request"]}


def finished_text(finished: Sequence[channels.FinishedOrder], *, over: bool, told: str = "") -> str:
    """Return the text about finished orders: those that were not done and that no reply named yet.

    After the last one of several (`over`) it is all of them. Reasons in `told` are omitted.
    """
    several = over and len(finished) > 1
    done = [each["title"] for each in finished if each["result"] == "done"] if several else []
    undone = [each for each in finished if each["result"] != "done" and (several or not each["told"])]
    lines = [say("done", orders="; ".join(done))] if done else []
    return "\n".join([*lines, *(undone_text(each, told) for each in undone)])


def done_text(entry: channels.LogEntry) -> str:
    """The outcome of an action, by its entry in the execution log."""
    if (result := result_of(entry)) != "done":
        return undone_text({"title": entry["title"], "result": result, "why": why_of(entry)})
    return "\n".join(_rendered_lines(f"done_{entry['action']}", entry["params"], entry["result"]))


def result_of(entry: channels.LogEntry) -> Result:
    """Return the outcome of the order of an entry in the execution log."""
    return _RESULTS[entry["status"]]


def why_of(entry: channels.LogEntry) -> str:
    """The reason of an entry in the execution log whose order was not done; empty for one that was."""
    return shortened(entry["error_message"] or "", _LONGEST)


_RESULTS: Mapping[str, Result] = {"success": "done", "part": "part", "unknown": "unknown", "error": "undone"}


def error_text(errors: Mapping[str, str]) -> str:
    """The errors, with the next step. `errors["execution"]` repeats the others and gives way."""
    kinds = [kind for kind in errors if kind != "execution"] or list(errors)
    lines = [line for kind in kinds for line in (shortened(errors[kind], _LONGEST), _next_step(kind))]
    return "\n".join(filter(None, lines))


def _next_step(kind: str) -> str:
    return say(f"next_step_{kind}") if kind in ("auth", "api") else ""


def facts_text(gathered: Mapping[str, Any]) -> str:
    """The gathered data as text, without a model."""
    parts = []
    for kind, value in gathered.items():
        if hasattr(_texts(), f"told_{kind}"):
            parts += ["\n".join(_rendered_lines(f"told_{kind}", value))]
        elif isinstance(value, Mapping):
            parts += ["\n".join(f"- {name}: {_short(each)}" for name, each in value.items())]
        else:
            parts += [value if isinstance(value, str) else f"{kind.replace('_', ' ')}: {_short(value)}"]
    return "\n\n".join(parts)


def _short(value: Any) -> str:
    return listed([str(each) for each in value], 20) if isinstance(value, list) else one_line(value, 200)


# Parts of experiments


def meaning(state: State | str) -> str:
    """The consequences of a state."""
    return say(f"meaning_{State(state).value}")


def spoken(state: State | str) -> str:
    """A state in both vocabularies: `enrolling ("running" on UpGrade's screens)`."""
    screen = next((name for name, each in DISPLAY_NAMES.items() if each == state), "")
    return say("on_screens", state=State(state).value, screen=screen) if screen else State(state).value


def shares(conditions: Sequence[Mapping[str, Any]]) -> str:
    """Conditions with their weights: `control 50 %, hint 50 %`."""
    return bounded([f"{one_line(each['code'], 60)} {number_text(each['weight'])} %" for each in conditions])


def places(points: Sequence[Mapping[str, Any]]) -> str:
    """Decision points: `site/target, site/target`."""
    return bounded([place(each) for each in points]) or say("none")


def deleted_with_it(*, enrolments: bool, lists: bool) -> str:
    """Return the parts that are deleted with an experiment: `enrolments and lists`."""
    there = {"enrolments": enrolments, "lists": lists}
    return say("and").join(say(name) for name, any_ in there.items() if any_)


def changed(params: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The new values of what was changed."""
    together = {*names, *(("revert_to",) if "post_rule" in names else ())}
    return {name: value for name, value in params.items() if name in together}


def place(point: Mapping[str, Any]) -> str:
    """One decision point on a line, and whether it excludes who was there before."""
    before = say("excluding") if point.get("exclude_if_reached") else ""
    return f"{one_line(point['site'], 60)}/{one_line(point['target'], 60)}{before}"


def group_names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """Groups with their types: `schoolId north`."""
    return [f"{each['type']} {each['id']}" for each in groups]


# Choices

LEAVE, DONE = "leave", "done"


def choices_of(titles: Mapping[str, str]) -> list[channels.Option]:
    """Choices by their values, as a question with `options` takes them."""
    return [{"value": value, "title": title} for value, title in titles.items()]


def offers() -> list[channels.Option]:
    """The actions and look-ups that the agent offers as a choice."""
    return choices_of({value: say(f"offer_{value}") for value in (*ACTIONS, *_LOOK_UPS, LEAVE)})


# Answers become parameters


def merged(params: Mapping[str, Any], asked: str, value: str, facts: Facts | None) -> dict[str, Any] | None:
    """The parameters with the answer to a question; None if the answer does not have the requested format."""
    kind, _, rest = value.partition(":")
    match asked:
        case "experiment_id" | "condition_code" if "assigned_condition" in params or "user_id" in params:
            own = value if asked == "experiment_id" else rest or None
            return {**params, "assigned_condition": {**params.get("assigned_condition", {}), asked: own}}
        case "site" if facts is not None:
            there: list[dict[str, Any]] = facts.get("decision_points", [])
            point = next((each for each in there if at(each) == value), {})
            return {**params, "site": point.get("site", ""), "target": point.get("target", "")}
        case "unit":
            return {**params, "unit": kind, "group": rest or None, "consistency": None}
        case "post_rule":
            return {**params, "post_rule": "continue" if kind == "continue" else "assign", "revert_to": rest or None}
    read = _FORMATS[asked](unicodedata.normalize("NFKC", value)) if asked in _FORMATS else value
    return None if read is None else {**params, asked: read}


def is_formatted(asked: str, text: str) -> bool:
    """Whether a reply is an option, a number, or names in the format of the question, rather than words."""
    if asked not in _FORMATS:
        return asked not in _TEXTS
    found = _FORMATS[asked](unicodedata.normalize("NFKC", text))
    match asked:
        case "conditions":
            # Weights that do not make up the whole may correct a part of the list.
            return found is not None and round(sum(each.get("weight", 0) for each in found)) == 100
        case "decision_points":
            return found is not None and all(len(str(part).split()) == 1 for each in found for part in each.values())
        case "include" | "exclude" | "uninclude" | "unexclude":
            return found is not None and not found["users"]
    return found is not None and asked != "tags"


_TEXTS = ("name", "new_name", "description", "user_id")


def _conditions(text: str) -> list[dict[str, Any]] | None:
    """`control 50, hint 50`, also without weights. A decimal comma, where the language has it, splits nothing."""
    found: list[dict[str, Any]] = []
    for entry in map(str.strip, re.split(r"(?<!\d),|,(?!\d)" if figure(".") == "," else ",", text)):
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
    number = _number(text)
    return int(number) if number is not None and number.is_integer() else None


def _number(text: str) -> float | None:
    text = plain_number(text.strip())
    whole, _, part = text.partition(".")
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
