"""Threads: pending questions, runs, turns, messages, past and present states, and the trace."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphwright.hooks import CardKind
from graphwright.store import Role, RunStatus
from graphwright_server.shapes import Page, sometimes
from graphwright_server.shapes._problems import Problem

Status = Literal["new", "running", "cut_short", "waiting", "ended", "failed"]
"""The `status` that a thread can show."""

Mark = Literal["said", "default", "shown", "exists", "unsupported"]
"""The source of a value, as clients show it."""


class Choice(BaseModel):
    """An option: the value to send, and its title."""

    value: Any
    title: str


class ApprovalAsked(BaseModel):
    """The action that a yes would approve. Send `hash` with the yes as `approves`."""

    hash: str
    node: str
    actions: list[str] = Field(description="The actions that a yes allows.")
    over: dict[str, Any] = Field(description="The channels and answers that a yes approves, with their values.")
    kind: CardKind
    text: str = sometimes("If the package of the agent describes it: Markdown, shown in place of the prompt.")
    marks: dict[str, Mark] = Field(description="The source of each argument in `over`, by its dotted path.")


class Waiting(BaseModel):
    """The pending question or message. At `message` the thread accepts any message."""

    node: str
    key: str = Field(description="The answer that is asked for; empty at `message`.")
    prompt: str
    kind: Literal["question", "confirm", "choice", "message"]
    options: list[Choice]


class WaitingNow(Waiting):
    """The pending question or message now, with everything needed to answer it."""

    schema_: dict[str, Any] = Field({}, alias="schema", description="The JSON Schema of the value, at a question.")
    approval: ApprovalAsked = sometimes("If a yes allows actions.")


class ArtifactMade(BaseModel):
    """A file that an action created; its content is at /threads/{thread}/artifacts/{id}."""

    id: str
    kind: str
    name: str


class Usage(BaseModel):
    """The usage of a turn."""

    model_calls: int
    input_tokens: int
    output_tokens: int
    seconds: float


class WhyFailed(BaseModel):
    """Why a turn failed."""

    code: str
    message: str
    hint: str


class ValueRefused(BaseModel):
    """A value of the reply that was rejected."""

    key: str
    stage: Literal["approval", "options", "schema", "validate", "when"]
    reason: str


class TurnResult(BaseModel):
    """The result of a turn; also the last event of its run, `turn_ended`."""

    type: Literal["turn_ended"]
    thread: str
    agent: str
    status: Literal["waiting", "ended", "failed"]
    reply: str = Field(description="All texts of the turn, and the pending prompt.")
    waiting_for: WaitingNow | None
    path: list[str] = Field(description="Every node entered, in order.")
    values: dict[str, Any] = Field(description="`answers`, and the channels that are not private.")
    artifacts: list[ArtifactMade]
    usage: Usage
    error: WhyFailed | None
    refused: list[ValueRefused] = sometimes("If values were rejected.")
    unread: str = sometimes("The message, if it must be sent again because an earlier turn was finished.")


class Run(BaseModel):
    """A running turn, or how it ended. It continues if its listener disconnects."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    **{"id": "9794c1d5e0a27b38", "thread": "5f2c8d0a91be", "status": "running"},
                    **{"created": "2026-11-29T09:00:00.120000Z", "updated": "2026-11-29T09:00:00.120000Z"},
                }
            ]
        }
    )

    id: str
    thread: str
    status: RunStatus
    created: str
    updated: str
    turn: TurnResult = sometimes("If the turn ended.")
    problem: Problem = sometimes("If it failed without a turn.")
    unread: str = sometimes("The message, if it must be sent again because no turn read it.")


class Thread(BaseModel):
    """A conversation."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    **{"agent": "intake", "thread": "5f2c8d0a91be", "title": "I need lights", "status": "waiting"},
                    **{"turns": 1, "created": "2026-11-29T09:00:00.000000Z", "updated": "2026-11-29T09:00:02.500000Z"},
                    "waiting_for": {
                        **{"node": "q.venue", "key": "venue", "prompt": "Where will it be used?"},
                        **{"kind": "choice", "options": [{"value": "home", "title": "At home"}]},
                    },
                }
            ]
        }
    )

    agent: str
    thread: str = Field(description="Its id.")
    title: str
    status: Status
    turns: int
    created: str
    updated: str
    waiting_for: Waiting | None


class ThreadWithRun(Thread):
    """A conversation, and its last run."""

    run: Run | None


class Branched(Thread):
    """A conversation that continues from a point of another one."""

    source: str = Field(description="The id of the other one.")
    at: int = Field(description="The number of the event of the other one after which this one continues.")


class MessageSaid(BaseModel):
    """A message."""

    seq: int
    role: Role
    text: str
    time: str
    turn: int = Field(description="0 for the messages at the start of a branch.")
    artifacts: list[ArtifactMade] = sometimes("In the last message of a turn that created files.")


class Event(BaseModel):
    """An event of a conversation; docs/events.md names the fields of each type."""

    model_config = ConfigDict(extra="allow")

    type: str


class Position(BaseModel):
    """The call stack of a flow."""

    frames: list[tuple[str, str, list[tuple[str, str]], bool]] = Field(
        description="The outermost first: graph, node, answer scopes (name, graph), and whether it is a detour."
    )
    done: bool = Field(description="The node on top has been answered or performed.")
    escaped: bool = Field(description="The conversation was escalated.")


class State(BaseModel):
    """The state of a thread."""

    thread: str
    agent: str
    status: Status
    waiting_for: WaitingNow | None
    position: Position | None
    values: dict[str, Any] = Field(description="`answers`, and the channels that are not private.")
    run: Run | None = Field(description="Its last run.")


class StateThen(BaseModel):
    """The state of a thread after an event."""

    thread: str
    agent: str
    flow_id: str
    flow_hash: str
    at: int = Field(description="The number of the event.")
    time: str
    event: Event
    turn: int
    status: Status
    node: str = Field(description="The node that was entered last.")
    waiting_for: Waiting | None
    position: Position | None
    paths: dict[str, Any] = Field(description="The votes for alternative paths, and the chosen path.")
    values: dict[str, Any] = Field(description="`answers`, and the channels that are not private.")


class TraceRow(BaseModel):
    """An event of the trace."""

    seq: int
    visit: int = Field(description="How many actions had been performed.")
    time: str
    event: Event


class Exported(Thread):
    """A conversation with all messages and events."""

    messages: list[MessageSaid]
    trace: list[TraceRow]


class PricedRow(TraceRow):
    """An event, with its cost."""

    cost: float = sometimes("In a call of a model that has a price.")


class Trace(Page[PricedRow]):
    """A page of the trace."""

    currency: str


class TurnRow(BaseModel):
    """A turn, and the usage of its model calls."""

    turn: int
    seq: int = Field(description="The event with which it began.")
    time: str
    message: str | None
    failed: bool
    calls: int
    tokens: int
    seconds: float
    cost: float | None = Field(description="Null if a model that answered has no price.")


class Turns(Page[TurnRow]):
    """A page of turns, the newest first."""

    currency: str
