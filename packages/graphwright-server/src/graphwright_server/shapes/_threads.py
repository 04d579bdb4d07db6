"""Threads: pending questions, runs, turns, messages, past and present states, and the trace."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphwright.hooks import CardKind
from graphwright.store import Rating, Role, RunStatus
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
    notice: str = sometimes("If an action was done before, and a correction or a migration brings it up again.")
    kind: CardKind
    plain: bool = Field(description="No package describes it: it is a yes to the question of the flow.")
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
    optional: bool = sometimes("If the question can be left open: resume with the value null.")
    approval: ApprovalAsked = sometimes("If a yes allows actions.")
    outdated: bool = sometimes("If the flow was changed, so that a reply would not be used: it is asked anew.")


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
    stage: Literal["approval", "consent", "correction", "early", "options", "schema", "superseded", "validate", "when"]
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


class RunFailedEvent(BaseModel):
    """The last event of a run that failed without a turn."""

    type: Literal["run_failed"]
    problem: Problem
    unread: str = sometimes("The message, if it must be sent again because no turn read it.")


class RunCancelledEvent(BaseModel):
    """The last event of a run that was cancelled."""

    type: Literal["run_cancelled"]
    run: str
    unread: str = sometimes("The message, if it must be sent again because no turn read it.")


class Run(BaseModel):
    """A running turn, or how it ended. It continues if its listener disconnects."""

    id: str
    thread: str
    status: RunStatus
    created: str
    updated: str
    turn: TurnResult = sometimes("If the turn ended.")
    problem: Problem = sometimes("If it failed without a turn.")
    unread: str = sometimes("The message, if it must be sent again because no turn read it.")


class BranchSource(BaseModel):
    """The conversation from which a branch continues."""

    thread: str
    turn: int = Field(description="The number of the first own turn of the branch.")


class Found(BaseModel):
    """The last message in which a text was found."""

    seq: int
    role: Role
    text: str = Field(description="A part of the message around the place.")
    start: int = Field(description="Where the text begins in this part, in characters; it ends before `end`.")
    end: int


class Thread(BaseModel):
    """A conversation."""

    agent: str
    thread: str = Field(description="Its id.")
    title: str
    status: Status
    turns: int
    created: str
    updated: str
    waiting_for: Waiting | None
    pinned: bool
    folder: str = Field(description="Empty for none.")
    model: str = Field(description="The model that its owner chose; empty for the one that answers by default.")
    branch_of: BranchSource | None = Field(description="For a branch.")


class ThreadUsage(BaseModel):
    """The turns of a conversation together."""

    seconds: float
    calls: int = Field(description="Of models.")
    tokens: int
    cost: float | None = Field(description="Null if a model that answered has no price.")
    failed_turns: int


class FileCounts(BaseModel):
    """The files of a conversation."""

    given: int
    made: int
    names: list[str] = Field(description="The names of the first files that it was given.")
    last: list[ArtifactMade] = Field(description="The last files that it made, the latest first.")


class ListedThread(Thread):
    """A conversation in a list."""

    found: Found = sometimes("In a search, if a message contains the text.")
    usage: ThreadUsage = sometimes("If `usage` is asked for.")
    files: FileCounts = sometimes("If `files` are asked for.")
    last: str = sometimes("If `last` is asked for, the beginning of the last message.")
    stopped: bool = sometimes("If `last` is asked for, whether the user stopped the last turn.")


class ThreadWithRun(Thread):
    """A conversation, and its last run."""

    run: Run | None


class Branched(Thread):
    """A conversation that continues from a point of another one."""

    source: str = Field(description="The id of the other one.")
    at: int = Field(description="The number of the event of the other one after which this one continues.")


class Branch(BaseModel):
    """A conversation, or a branch of it."""

    thread: str
    title: str
    source: str = Field(description="The thread from which it continues; empty for the first one.")
    turn: int = Field(description="The number of its first own turn; 0 for the first one.")
    turns: int
    created: str
    updated: str


class Deleted(BaseModel):
    """The ids of deleted threads."""

    threads: list[str]


class Folder(BaseModel):
    """A folder, with the number of threads in it."""

    name: str
    threads: int


class Model(BaseModel):
    """A model that users may choose for a conversation."""

    name: str
    default: bool


class FeedbackGiven(BaseModel):
    """The rating of the answer of a turn, by its user."""

    rating: Rating
    comment: str
    user: str
    time: str


class Decided(BaseModel):
    """What became of an approval. At `replaced` the user wrote something else than a yes or a no."""

    at: int = Field(description="The event after which it was pending: /state?at= has its content.")
    node: str
    decision: Literal["approved", "rejected", "replaced"]
    time: str
    hash: str = Field(description="Of the approved content; empty if it is not known.")
    actions: list[str] = Field(description="The actions that were approved.")
    plain: bool = Field(description="It was a yes or no to the question of the flow, as in `ApprovalAsked`.")
    user: str = Field(description="Who decided; empty if the audit does not say.")
    yours: bool = Field(description="The user of the request decided.")
    outcome: Literal["", "performed", "failed", "unknown", "changed", "superseded"] = Field(
        description=(
            "What became of the actions, as in the audit; empty if they were not performed (yet). `superseded`: the "
            "flow was changed before the decision, which did not count."
        )
    )


class MessageSaid(BaseModel):
    """A message."""

    seq: int
    role: Role
    text: str
    time: str
    turn: int = Field(description="0 for the messages at the start of a branch.")
    artifacts: list[ArtifactMade] = sometimes("In the last message of a turn that created files.")
    approval: Decided = sometimes("In a message that asked for an approval, once that is decided.")
    feedback: FeedbackGiven = sometimes("In the last message of a turn that was rated.")
    by_value: Literal[True] = sometimes("In a message of the user that stands for a value, such as that of a button.")


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
    waiting_for: WaitingNow | None = Field(description="With the approval that was pending, if there was one.")
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
    stopped: bool = Field(description="By the user.")
    calls: int
    tokens: int
    seconds: float
    cost: float | None = Field(description="Null if a model that answered has no price.")


class Turns(Page[TurnRow]):
    """A page of turns, the newest first."""

    currency: str
