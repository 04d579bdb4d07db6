"""What the actions see: a typed view. flow.yaml is the truth, and `graphwright check` compares the two."""

from __future__ import annotations

from typing import TypedDict


class Answers(TypedDict, total=False):
    """What the user has said, by key."""

    request: str
    urgency: str
    sure: bool | str


class Proposal(TypedDict):
    """The call that the model proposes. Empty texts are not known yet."""

    summary: str
    urgency: str
    because: str


class Ticket(TypedDict):
    """What is filed."""

    summary: str
    urgency: str


class State(TypedDict, total=False):
    """The message, the answers, and the channels of the flow."""

    message: str
    answers: Answers
    proposal: Proposal
    ticket: Ticket
    preview: str
