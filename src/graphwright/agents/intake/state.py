"""The typed view of the flow's state, for the actions of this agent."""

from __future__ import annotations

from typing import TypedDict


class Answers(TypedDict, total=False):
    """What the user has said, by key."""

    intention: str
    product: str
    venue: str
    court_size: str
    wattage: int
    budget: float
    email: str
    phone: str
    problem: str
    matter: str


class State(TypedDict, total=False):
    """The channels of the flow, and the answers."""

    answers: Answers
    summary: str
    lead: str | None
    passed_on: str
    sent: str
