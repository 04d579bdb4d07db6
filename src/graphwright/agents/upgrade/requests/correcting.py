"""Messages that go on with what waits: "yes, but call it Bar" at a confirmation, "and start it then"."""

from __future__ import annotations

from dataclasses import replace

from graphwright.agents.upgrade.requests.reading import Pending, Reading
from graphwright.agents.upgrade.words.deeds import Asked

_LATER = ("update_experiment_status", "simulate_experiment")
"""What can be done with an experiment only once it is there."""


def corrected(reading: Reading, pending: Pending | None) -> Reading:
    """The message as one that goes on with what waits, where it does; else as it is.

    Whoever is asked about a new experiment and says "call it Bar" renames none that is there.
    """
    if pending is None or not reading.orders:
        return reading
    first = reading.orders[0]
    if first.action == pending.action:
        own = str(pending.params.get("experiment_id", ""))
        same = all(own in each.ids for each in reading.experiments)
        return replace(reading, stance="answer") if same else reading
    if pending.action == "create_experiment" and first.action == "update_experiment" and not _elsewhere(reading):
        left = tuple(each for each in reading.asked if each.action != "update_experiment")
        return replace(reading, asked=left, stance="answer")
    return reading


def for_later(reading: Reading, pending: Pending | None) -> Asked | None:
    """What is to be done with the experiment that waits to be created, once it is there."""
    if pending is None or pending.action != "create_experiment" or _elsewhere(reading):
        return None
    return next((each for each in reading.orders if each.action in _LATER), None)


def _elsewhere(reading: Reading) -> bool:
    """Whether the message is about another experiment, one that is there or one that it calls by a name."""
    return bool(reading.experiments or reading.said) or any(
        each.means and each.means[0].deed != "named" and not each.pronoun for each in reading.references
    )
