"""What a model proposed, held against the user's words: what nobody asked for is refused, what nobody said dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.requests.answers import answered
from graphwright.agents.upgrade.requests.reading import Pending, Reading
from graphwright.agents.upgrade.requests.stated import stated
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.vocabulary import ACTIONS
from graphwright.runtime.reading.numbers import numbers_in
from graphwright.runtime.reading.words import fold, fold_keeping_places, places_of, words_of

Refusal = Literal["unknown_action", "not_asked", "denied", "question", "supposed", "told", "all"]

FIELDS: Mapping[str, tuple[str, ...]] = {
    "create_experiment": (
        "name", "context", "conditions", "decision_points", "description", "tags", "unit", "group", "consistency",
        "post_rule", "revert_to", "filter_mode", "include", "exclude",
    ),
    "update_experiment": (
        "experiment_id", "name", "new_name", "description", "conditions", "decision_points", "tags", "unit", "group",
        "consistency", "post_rule", "revert_to", "filter_mode", "include", "exclude", "uninclude", "unexclude",
    ),
    "update_experiment_status": ("experiment_id", "name", "status"),
    "delete_experiment": ("experiment_id", "name"),
    "init_experiment_user": ("user_id", "group", "working_group"),
    "get_decision_point_assignments": ("user_id", "context", "site", "target"),
    "mark_decision_point": ("user_id", "site", "target", "assigned_condition"),
    "simulate_experiment": ("experiment_id", "name", "users", "groups"),
}  # fmt: skip
"""The parameters of each action."""

_PASSING = ("enrolling", "enrollmentComplete")
_LASTING = {("delete_experiment", None), *(("update_experiment_status", state) for state in ("cancelled", "archived"))}
"""What no model's word alone even proposes: it cannot be taken back."""

_SAID_FOR: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "unit": {
        "individual": ("individual", "each user", "each student"),
        "group": ("group", "school", "class", "by ", "per "),
    },
    "consistency": {
        "individual": ("individual",),
        "group": ("group",),
        "experiment": ("experiment consistency", "consistency"),
    },
    "post_rule": {"continue": ("continue", "keep"), "assign": ("assign", "after", "default")},
    "filter_mode": {"includeAll": ("include", "everyone", "all"), "excludeAll": ("exclude", "only", "nobody")},
}
"""Words that speak for an option of a rule; a model that chooses one without them has made it up."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A value that was left out, and why."""

    name: str
    value: Any
    why: str


@dataclass(frozen=True, slots=True)
class Grounded:
    """What is left of a proposal. `refused` says why there is no action at all, `why` in words for the model."""

    action: str | None
    params: dict[str, Any] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    refused: Refusal | None = None
    why: str = ""


def ground(
    action: str,
    params: Mapping[str, Any],
    reading: Reading,
    *,
    experiment: tuple[str, str] | None = None,
    facts: Facts | None = None,
    pending: Pending | None = None,
    every: Sequence[str] = (),
    unread: bool = False,
) -> Grounded:
    """What of a proposed action and its parameters the user's words bear out.

    `experiment` is the one that the words mean, whatever the model says; `facts` what is known of it. While `pending`
    is gone on with, what it holds stays unless the message says otherwise. `every` are earlier messages of the same
    request, whose words count as well. What the message states by itself is taken even where the model overlooked it.
    `unread`: code found no deed at all in the message, so that a model may know better; nothing lasting is believed
    then.
    """
    order, refusal, why = _asked_for(action, reading, pending)
    if unread and refusal == "not_asked" and (action, params.get("status")) not in _LASTING:
        # "The Math Hints thing should go live": no verb that code knows speaks for it or against it.
        refusal = None
    if refusal is not None:
        return Grounded(None, refused=refusal, why=why)
    goes_on = pending is not None and pending.action == action and reading.stance != "new"
    kept = dict(pending.params) if pending is not None and goes_on else {}
    own = stated(action, reading, order, experiment=experiment, facts=facts, given=kept)
    if pending is not None and goes_on:
        own = answered(pending, reading) | own
    said = _Said("\n".join([*every, reading.text]), reading)
    dropped: list[Dropped] = []
    proposed: dict[str, Any] = {}
    for name, value in params.items():
        if name not in FIELDS[action]:
            dropped.append(Dropped(name, value, f"{action} has no parameter {name}."))
        elif name in own or kept.get(name) == value:
            # What the words state by themselves counts, not how the model puts it.
            continue
        else:
            _judge(action, name, value, said, experiment, proposed, dropped, unread=unread)
    return Grounded(action, {**kept, **proposed, **own}, tuple(dropped))


def _judge(
    action: str,
    name: str,
    value: Any,
    said: _Said,
    experiment: tuple[str, str] | None,
    proposed: dict[str, Any],
    dropped: list[Dropped],
    *,
    unread: bool,
) -> None:
    if name == "experiment_id" or (name == "name" and action != "create_experiment"):
        if experiment is None:
            dropped.append(Dropped(name, value, "The message does not say which experiment."))
        return
    if name == "status" and unread and value in _PASSING:
        proposed[name] = value
        return
    if name == "status":
        dropped.append(Dropped(name, value, "The message does not say which state."))
        return
    left = said.left_of(name, value)
    if left is not None and left != [] and left != {}:
        proposed[name] = left
    if left != value:
        dropped.append(Dropped(name, value, "Nobody said it." if left in (None, [], {}) else "Nobody said all of it."))


def _asked_for(action: str, reading: Reading, pending: Pending | None) -> tuple[Asked | None, Refusal | None, str]:
    if action not in ACTIONS:
        return None, "unknown_action", f"There is no action {action}. There are: {', '.join(ACTIONS)}."
    order = next((each for each in reading.orders if each.action == action), None)
    if order is not None:
        if order.every:
            return None, "all", "One experiment at a time: ask which one is meant."
        return order, None, ""
    if pending is not None and pending.action == action and reading.stance != "new":
        return None, None, ""
    spoken = next((each for each in reading.asked if each.action == action), None)
    if spoken is not None:
        reasons: dict[str, tuple[Refusal, str]] = {
            "denied": ("denied", "The user says that it is not to be done."),
            "question": ("question", "The user only asks about it. Answer the question."),
            "supposed": ("supposed", "The user only thinks about it. Say what would happen."),
            "told": ("told", "The user tells of it, and does not ask for it."),
        }
        refusal, why = reasons[spoken.mood]
        return None, refusal, why
    orders = ", ".join(dict.fromkeys(each.action or each.verb for each in reading.orders))
    why = f"The message asks for {orders}." if orders else "The message asks for nothing to be done."
    return None, "not_asked", why


class _Said:
    """The user's words, as evidence for values."""

    def __init__(self, text: str, reading: Reading) -> None:
        self.text, self.reading = text, reading
        self.folded = fold_keeping_places(text)
        stated = (*reading.weights.in_order, *reading.weights.by_code.values())
        self.numbers = {float(each.value) for each in numbers_in(text)} | set(stated)

    def has(self, value: Any) -> bool:
        """Whether the words of a text stand in the message, in a row."""
        if not isinstance(value, str) or not value.strip():
            return False
        return bool(places_of(value, self.folded, 1)) if words_of(value) else value.strip() in self.text

    def left_of(self, name: str, value: Any) -> Any:
        """What of a value was said: all of it, a part, or None."""
        match name:
            case "conditions":
                return self._conditions(value)
            case "decision_points":
                points = [p for p in _objects(value) if self.has(p.get("site")) and self.has(p.get("target"))]
                return [{"site": p["site"], "target": p["target"]} for p in points]
            case "users" | "groups":
                whole = isinstance(value, int) and not isinstance(value, bool)
                return value if whole and float(value) in self.numbers else None
            case "unit" | "consistency" | "post_rule" | "filter_mode":
                words = _SAID_FOR[name].get(str(value), ())
                return value if any(word in fold(self.text) for word in words) else None
            case "group" if isinstance(value, str):
                return value if value in self.reading.group_types or self.has(value) else None
            case "group":
                return self._memberships(value)
            case "working_group":
                pairs = value.items() if isinstance(value, Mapping) else ()
                return {type: id for type, id in pairs if self.has(str(id))} or None
            case "include" | "exclude" | "uninclude" | "unexclude":
                return self._members(value)
            case "tags":
                return [tag for tag in value if self.has(tag)] if isinstance(value, list) else None
            case "assigned_condition":
                code = value.get("condition_code") if isinstance(value, Mapping) else None
                return {"condition_code": code} if self.has(code) else None
            case "revert_to" if value is None:
                return None
        return value if self.has(str(value)) else None

    def _conditions(self, value: Any) -> list[dict[str, Any]]:
        kept = []
        for each in _objects(value):
            code, weight = each.get("code"), each.get("weight")
            if not (code in self.reading.codes or self.has(code)):
                continue
            numeric = isinstance(weight, int | float) and not isinstance(weight, bool)
            stated = numeric and float(weight) in self.numbers  # type: ignore[arg-type]
            kept.append({"code": code, "weight": weight} if stated else {"code": code})
        return kept

    def _memberships(self, value: Any) -> dict[str, list[str]] | None:
        kept: dict[str, list[str]] = {}
        for type, ids in value.items() if isinstance(value, Mapping) else ():
            said = [id for id in (ids if isinstance(ids, list) else [ids]) if self.has(str(id))]
            if said:
                kept[str(type)] = said
        return kept or None

    def _members(self, value: Any) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            return None
        users = value.get("users")
        kept: dict[str, Any] = {
            "users": [user for user in users if self.has(str(user))] if isinstance(users, list) else [],
            "groups": [group for group in _objects(value.get("groups")) if self.has(str(group.get("id", "")))],
        }
        return {name: members for name, members in kept.items() if members} or None


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
