"""The answers of an informed user to the questions of the steps, which guide weak models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from eval.answers import names
from eval.states import State
from eval.upgrade.cases import Request, Wish
from eval.upgrade.worlds import Design, Lists, Traits, World

if TYPE_CHECKING:
    from graphwright import WaitingFor

_FIELDS = {
    **{"name": "new_name", "points": "decision_points", "after": "post_rule", "only_listed": "filter_mode"},
    **{name: name for name in ("conditions", "description", "tags", "unit", "consistency")},
}
"""The question for a changed trait. Lists have two, for additions and for removals."""

_LOOKS = {
    **{kind: kind for kind in ("terms", "contexts", "experiments")},
    **{"enrolment": "experiment_details", "assignments": "get_decision_point_assignments"},
}
"""The choice for a question, by the kind of the case."""

_LISTS = {"include", "exclude"}
_DONE = "done"


class Steps:
    """Answers the questions for one case, order by order, with the value of a choice if choices are offered."""

    def __init__(self, case: Request, world: World, end: State) -> None:
        self._case = case
        self._world = world
        self._end = end
        self._orders = list(_orders(case.expect))
        self._led = False
        self._answers: dict[str, str] = {}
        self._handle: str | None = None
        self._more: list[str] = []

    def __call__(self, waits: WaitingFor) -> str | None:
        """The answer to a question, or None if it does not belong to the steps."""
        if waits.key == "offer":
            self._led = True
            return self._offered_order()
        if waits.key in ("more", "changes"):
            return self._more.pop(0) if self._more else _DONE
        if self._handle is None:
            # A question without a step before it: it is about the present order of a capable model.
            self._offered_order()
        if waits.key == "experiment_id":
            return self._experiment(waits)
        return self._answers.get(waits.key)

    @property
    def again(self) -> str | None:
        """The message of a user who was led through one order, and has more of them."""
        return self._case.says[-1] if self._led and self._orders else None

    def _offered_order(self) -> str | None:
        if not self._orders:
            self._handle = ""
            self._answers = self._looked_for()
            return _LOOKS.get(self._case.kind)
        action, handle, what = self._orders.pop(0)
        self._handle = handle
        match action, what:
            case "create_experiment", Design():
                self._answers = {"name": what.name, "context": what.context, **_design(what)}
                needed = ("conditions", "decision_points")
                self._more = [name for name in self._answers if name not in ("name", "context", *needed)]
            case "update_experiment", Traits():
                self._answers = {**_design(what, lists=False), **self._lists(handle, what)}
                if "name" in what.fields:
                    self._answers["new_name"] = what.name
                self._more = list(self._answers)
            case _:
                self._answers, self._more = dict(what), []
        if action == "mark_decision_point":
            code = self._end[handle]["enrolled"].get(what["user_id"])
            self._answers |= {"site": self._world.experiments[handle].points[0], "condition_code": f"code:{code}"}
        return action

    def _experiment(self, waits: WaitingFor) -> str | None:
        """The id of the present experiment; for a new one, which has only a name, the choice with this name."""
        if self._handle and self._handle in self._world.experiments:
            return self._world.id_of(self._handle)
        called = {str(each["title"]).partition(" (")[0]: str(each["value"]) for each in waits.options}
        fitting = [value for name, value in called.items() if name == self._handle or self._says(name)]
        return fitting[0] if fitting else None

    def _looked_for(self) -> dict[str, str]:
        """The user and the context that a question names."""
        of = {"user_id": self._world.users, "context": self._world.contexts}
        return {key: name for key, known in of.items() for name in known if self._says(name)}

    def _says(self, name: str) -> bool:
        return any(names(text, name) for text in (*self._case.says, *(reply.say for reply in self._case.replies)))

    def _lists(self, handle: str, what: Traits) -> dict[str, str]:
        """The members to add to the lists, and those to remove."""
        found = {}
        for side in _LISTS & what.fields:
            then, now = _members(getattr(what, side)), _members(getattr(self._world.experiments[handle], side))
            for question, members in ((side, then - now), (f"un{side}", now - then)):
                if members:
                    found[question] = ", ".join(sorted(members))
        return found


def _orders(wish: Wish) -> Iterable[tuple[str, str, Any]]:
    """The orders of a wish: the action, its handle, and the rest."""
    for user, person in wish.users.items():
        groups = ", ".join(f"{type}:{id}" for type, ids in (person.groups or {}).items() for id in ids)
        working = ", ".join(f"{type}:{id}" for type, id in (person.working or {}).items())
        yield "init_experiment_user", "", {"user_id": user, "group": groups or "-", "working_group": working or "-"}
    for design in wish.create:
        yield "create_experiment", design.name, design
        if "state" in design.fields:
            yield "update_experiment_status", design.name, {"status": design.state.value}
    for handle, traits in wish.change.items():
        if traits.fields - {"state"}:
            yield "update_experiment", handle, traits
        if "state" in traits.fields:
            yield "update_experiment_status", handle, {"status": traits.state.value}
    for handle, users in wish.marks.items():
        for user in users:
            yield "mark_decision_point", handle, {"user_id": user}
    for handle, crowd in wish.simulate.items():
        yield "simulate_experiment", handle, {"users": str(crowd.users)}
    for handle in wish.delete:
        yield "delete_experiment", handle, {}


def _design(what: Traits, *, lists: bool = True) -> dict[str, str]:
    """The answers to the questions about a design."""
    said: Mapping[str, str] = {
        "conditions": ", ".join(f"{code} {weight:g}" for code, weight in what.conditions.items()),
        "decision_points": ", ".join(what.points),
        "description": what.description,
        "tags": ", ".join(what.tags),
        "unit": f"group:{what.group}" if what.unit == "group" else what.unit,
        "consistency": what.consistency,
        "post_rule": f"code:{what.after}" if what.after else "continue",
        "filter_mode": "excludeAll" if what.only_listed else "includeAll",
        "include": ", ".join(sorted(_members(what.include))),
        "exclude": ", ".join(sorted(_members(what.exclude))),
    }
    own = {_FIELDS[field] for field in what.fields & set(_FIELDS)} | (what.fields & _LISTS if lists else set())
    return {question: answer for question, answer in said.items() if question in own}


def _members(lists: Lists) -> set[str]:
    return {id if kind == "individual" else f"{kind}:{id}" for kind, ids in lists.items() for id in ids}
