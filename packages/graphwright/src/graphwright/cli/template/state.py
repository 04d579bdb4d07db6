# Generated from flow.yaml by `graphwright check --stubs`: change the flow and generate it again.
"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""

from __future__ import annotations

from typing import Literal, TypedDict


class Answers(TypedDict, total=False):
    request: str
    urgency: Literal["low", "high"]
    sure: bool | str


class Proposal(TypedDict, total=False):
    summary: str
    urgency: str
    because: str


class Ticket(TypedDict, total=False):
    summary: str
    urgency: str


class State(TypedDict, total=False):
    message: str
    answers: Answers
    proposal: Proposal
    ticket: Ticket
    preview: str
