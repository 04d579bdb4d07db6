"""What the actions see: a typed view. flow.yaml is the truth, and `graphwright check` compares the two."""

from __future__ import annotations

from typing import TypedDict


class Answers(TypedDict, total=False):
    """What the user has said, by key."""

    request: str
    urgency: str
    email: str


class Ticket(TypedDict):
    """What is filed. `reply_to` is empty when nobody has to be told."""

    summary: str
    urgency: str
    reply_to: str


class State(TypedDict, total=False):
    """The answers, and the channels of the flow."""

    answers: Answers
    ticket: Ticket
