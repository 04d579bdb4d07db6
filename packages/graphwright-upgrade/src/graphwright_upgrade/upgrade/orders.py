"""The queue of orders: the current order, the next ones, and the finished ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright_upgrade.upgrade import replies
from graphwright_upgrade.upgrade.replies import Result
from graphwright_upgrade.upgrade.schemas import action_in_hand
from graphwright_upgrade.upgrade.state import Action, FinishedOrder, Order, State

NO_ACTION: State = {
    "action_needed": None,
    "action_params": {},
    "words": {},
    "request": "",
    "later": "",
    "about": None,
    "missing_params": [],
    "asked": "",
    "choices": [],
    "guided": False,
    "cautions": [],
    "marks": [],
    "supports": {},
    "needs_confirmation": False,
    "confirmation_message": None,
    "user_confirmed": False,
}
"""The channels of the current order after it was done, declined or given up, so that nothing runs twice."""

INITIALISATION: Action = "init_experiment_user"
"""The action that an order of an unknown user needs before, also in `missing_params` of that order."""


def order(action: Action, params: dict[str, Any] | None, request: str = "", later: str = "") -> Order:
    """An order as the queue holds it."""
    return {"action": action, "params": params, "words": {}, "request": request, "later": later}


def order_in_hand(state: State) -> Order:
    """The current order in the form of the queue."""
    own = order(action_in_hand(state), state["action_params"], state["request"], state["later"])
    return {**own, "words": state["words"]}


def initialised_first(state: State, user: str) -> State:
    """The channels that initialise a user, with the groups that the current order names, before that order."""
    params = dict(state["action_params"])
    groups = {"group": params["group"]} if params.get("group") else {}
    words = {path: text for path, text in state["words"].items() if path.split(".")[0] == "group"}
    first: Order = {**order(INITIALISATION, {"user_id": user, **groups}), "words": words}
    params.pop("group", None)
    own: Order = {**order_in_hand(state), "params": params}
    missing = [name for name in state["missing_params"] if name != INITIALISATION]
    own = {**own, "incomplete": bool(missing and state["request"])}
    return next_of([first, own, *state["queue"]], state["finished"])


def over(state: State, why: str, result: Result = "undone") -> list[FinishedOrder]:
    """Return the finished orders of this request and the current one; `why` is the reason why it was not done.

    An order that failed before and is done now is listed once.
    """
    own = finished(replies.title(state), why, result, [*parts_of(state), *asked_for(state["request"])])
    earlier = [each for each in state["finished"] if result != "done" or not _is_same(each, own)]
    return [*earlier, own]


def finished(title: str, why: str, result: Result = "undone", parts: Sequence[str] = ()) -> FinishedOrder:
    """Return a finished order that no reply has named yet. `parts` identify it: see `parts_of`."""
    return {"title": title, "result": result, "why": why, "told": False, "parts": list(parts)}


_NAMING = ("experiment_id", "user_id", "status", "name", "context", "site", "target")


def parts_of(state: State) -> list[str]:
    """Return the current action, its subject with its values, and the names of its other parameters."""
    params = state["action_params"]
    params = {**params, **(params.get("assigned_condition") or {})}
    given = {name: value for name, value in params.items() if value is not None}
    about = [f"{name}={value}" if name in _NAMING else name for name, value in given.items()]
    return [action_in_hand(state), *about] if about else []


def asked_for(request: str) -> list[str]:
    """Return the request of an order as one of its parts: the only known part of an order withdrawn from the queue."""
    return [f"request={text}" for text in replies.requests([{"request": request}]) if text]


def _is_same(tried: FinishedOrder, done: FinishedOrder) -> bool:
    """Whether an order that was not done, as far as is known, is the one that is done now."""
    parts = [each for each in tried.get("parts", ()) if each in done["parts"] or not each.startswith("request=")]
    return tried["result"] in ("undone", "unknown") and bool(parts) and {*parts} <= {*done["parts"]}


def next_of(queue: Sequence[Order], over: list[FinishedOrder]) -> State:
    """The channels that take up the first order of the queue. With an empty queue the request is finished."""
    if not queue:
        return {**NO_ACTION, "queue": [], "finished": over, "said": [], "intent_type": "direct_answer"}
    first, *rest = queue
    return {
        **NO_ACTION,
        "action_needed": first["action"],
        "action_params": first["params"] or {},
        "words": first["words"],
        "request": first["request"],
        "later": first["later"],
        "ask_model": first["params"] is None or first.get("incomplete", False),
        "queue": rest,
        "finished": over,
        "intent_type": "needs_info",
    }
