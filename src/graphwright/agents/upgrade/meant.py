"""What a message says by what the server has and what waits, and which experiment it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphwright.agents.upgrade.desk import Desk
from graphwright.agents.upgrade.looking import at_point, by_description, details_of
from graphwright.agents.upgrade.requests.reading import Pending, Reading, read_request
from graphwright.agents.upgrade.requests.resolving import Option, Resolved, chosen, recently, resolve
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.telling.knowing import terms_about
from graphwright.agents.upgrade.words.deeds import Asked
from graphwright.agents.upgrade.words.references import Recent

OF_EXPERIMENTS = ("update_experiment", "update_experiment_status", "delete_experiment", "simulate_experiment")
"""The actions that are about one experiment."""


def pending_of(state: State) -> Pending | None:
    """The action that misses something or waits for its confirmation."""
    action = state["action_needed"]
    return None if action is None else Pending(action, state["action_params"], state["missing_params"])


def read(state: State, desk: Desk) -> Reading:
    """What the message says, by what the server has."""
    shown = [(str(each["id"]), str(each["name"])) for each in state["shown"]]
    about = state["about"] or {}
    pending = pending_of(state)
    recent = recently(state["execution_log"], shown)
    of = about if pending is None else pending.params
    if of.get("experiment_id"):
        # While something waits "it" is what that is about, and afterwards what was last spoken of.
        own = Recent(str(of["experiment_id"]), str(of.get("name", "")), "spoken of")
        recent = [own, *(each for each in recent if each.id != own.id)]
    reading = read_request(
        state["user_input"],
        experiments=desk.names,
        contexts=desk.contexts,
        recent=recent,
        shown=recently((), shown),
        pending=pending,
        codes=[each["code"] for each in about.get("conditions", ())],
    )
    named = reading.experiments or reading.references or reading.users or reading.asked
    if reading.asks and not reading.topics and not named and pending is None and terms_about(reading.text):
        # "A student is on both lists. Is she in?" asks what terms mean, whatever its words are.
        return replace(reading, topics=("terms",))
    return reading


async def experiment_meant(reading: Reading, order: Asked | None, state: State, desk: Desk) -> Resolved:
    """The experiment that a message means: one, some to choose from, none of that name, or none said."""
    before = choice_of(state["choice"])
    picked = chosen(reading.text, before.options) if before is not None else None
    if picked is not None:
        return Resolved("one", (picked.id, picked.name))
    found = resolve(reading, order, desk.names, pending=pending_of(state))
    if found.kind == "unsaid" and not found.said and order is not None and order.action == "simulate_experiment":
        # "Simulate 500 users", right after it was started.
        recent = recently(state["execution_log"])
        found = Resolved("one", (recent[0].id, recent[0].name)) if recent else found
    if found.kind == "unsaid" and before is not None and before.options:
        return before
    if found.kind == "unsaid" and (order is None or order.action in OF_EXPERIMENTS):
        found = await by_description(reading, desk, [str(each["id"]) for each in state["shown"]]) or found
    elif found.kind == "unsaid":
        found = await at_point(reading, desk) or found
    if found.kind != "choose" or any(option.about for option in found.options):
        return found
    # What tells experiments of one name apart is read for those alone.
    details = await details_of(desk, [option.id for option in found.options])
    return resolve(reading, order, desk.names, details=details, pending=pending_of(state))


def choice_of(kept: Mapping[str, Any] | None) -> Resolved | None:
    """The choice that a channel keeps."""
    if kept is None:
        return None
    options = tuple(Option(**each) for each in kept["options"])
    return Resolved(kept["kind"], said=kept["said"], options=options, more=kept["more"], nearest=tuple(kept["nearest"]))
