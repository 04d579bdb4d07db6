# Generated from flow.yaml by `graphwright check --stubs`: change the flow and generate it again.
"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""

from __future__ import annotations

from typing import Literal, TypedDict


class Answers(TypedDict, total=False):
    intention: Literal["buy", "repair", "other"]
    problem: str
    matter: str
    separate: bool
    sure: bool | str
    change: bool | str
    more: bool | str
    withdraw: bool | str
    product: Literal["LED", "halogen", "fluorescent"]
    venue: Literal["sports_court", "warehouse", "office", "home", "outdoors"]
    court_size: str
    wattage: int
    budget: float
    details: str
    email: str
    phone: str


class Leads(TypedDict, total=False):
    buy: str
    repair: str
    other: str


class State(TypedDict, total=False):
    message: str
    answers: Answers
    summary: str
    lead: str | None
    passed_on: str
    leads: Leads
    relation: str
    sent: str
    farewell: str
