"""What the answers about agents, threads, runs and turns hold, for the OpenAPI document. Nothing is checked with it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

Described = dict[int | str, dict[str, Any]]
"""The `responses` of a route."""


class NotReady(BaseModel):
    """One reason why an agent is not ready."""

    code: str
    message: str
    hint: str
    facts: dict[str, Any] = Field(description="Numbers and names in the message.")


class Score(BaseModel):
    """How many cases that nobody had seen the model in use had right."""

    right: int
    cases: int


class Agent(BaseModel):
    """An agent: what it does, what it needs, and whether it is ready."""

    name: str
    package: str = Field(description="The distribution that brings it along; empty for the others.")
    title: str
    description: str = Field(description="What it does and what it does not, as its flow says.")
    nodes: int
    questions: list[str] = Field(description="The keys of the answers that it may ask for.")
    actions: list[str]
    takes_files: bool
    needs: list[Literal["model", "graph", "sandbox", "mcp"]]
    measured: str = Field(description="How well the model in use does with it, where anybody looked.")
    score: Score | None = Field(description="The numbers of `measured`.")
    ready: bool
    problem: str = Field(description="Why it is not ready; empty where it is.")
    problems: list[NotReady] = Field(description="What `problem` is made of, for whoever words it differently.")
    model: str = Field(description="The model that answers.")


class FlowNode(BaseModel):
    """A node of a flow."""

    id: str
    kind: Literal["question", "decision", "action", "subgraph", "terminal"]
    label: str


class AgentWithFlow(Agent):
    """An agent, with its flow."""

    flow_id: str
    flow_hash: str
    flow_nodes: list[FlowNode]


class Agents(BaseModel):
    """All agents."""

    items: list[Agent]
    next: None


class Choice(BaseModel):
    """What can be chosen: the value that is sent, and what people read."""

    value: Any
    title: str


class ApprovalAsked(BaseModel):
    """What a yes is about. It carries `hash` as `approves`."""

    hash: str
    node: str
    actions: list[str] = Field(description="The actions that a yes lets run.")
    over: dict[str, Any] = Field(description="The channels and answers that the yes is about, with their values.")
    kind: Literal["graph", "experiment", "tools", "other"]
    marks: dict[str, Literal["said", "shown", "exists", "default", "unsupported"]] = Field(
        description="Where each argument in `over` comes from, by its dotted path."
    )


class Waiting(BaseModel):
    """What a thread waits for. At `message` any message goes on."""

    node: str
    key: str = Field(description="The answer that is asked for; empty at `message`.")
    prompt: str
    kind: Literal["question", "confirm", "choice", "message"]
    options: list[Choice]


class WaitingNow(Waiting):
    """What a thread waits for now, with all that an answer to it needs."""

    schema_: dict[str, Any] = Field({}, alias="schema", description="The JSON Schema of the value, at a question.")
    approval: ApprovalAsked = Field(None, description="Only where a yes lets actions run.")  # type: ignore[assignment]


class ArtifactMade(BaseModel):
    """A file that an action made; its content is at /threads/{thread}/artifacts/{id}."""

    id: str
    kind: str
    name: str


class Usage(BaseModel):
    """What a turn cost."""

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
    """A value of the reply that was not taken."""

    key: str
    stage: Literal["approval", "options", "schema", "validate", "when"]
    reason: str


class TurnResult(BaseModel):
    """What came of a turn; also the last event of its run, `turn_ended`."""

    type: Literal["turn_ended"]
    thread: str
    agent: str
    status: Literal["waiting", "ended", "failed"]
    reply: str = Field(description="All that was said in the turn, and the prompt that waits now.")
    waiting_for: WaitingNow | None
    path: list[str] = Field(description="Every node entered, in order.")
    values: dict[str, Any] = Field(description="`answers`, and the channels that are not private.")
    artifacts: list[ArtifactMade]
    usage: Usage
    error: WhyFailed | None
    refused: list[ValueRefused] = Field([], description="Only where values were not taken.")
    unread: str = Field("", description="Only where the message has to be sent again: an earlier turn was finished.")


class Run(BaseModel):
    """A turn under way, or how it ended. It goes on when its listener leaves."""

    id: str
    thread: str
    status: Literal["running", "waiting", "ended", "failed", "cancelled"]
    created: str
    updated: str
    turn: TurnResult = Field(None, description="Where it came to an end of its own.")  # type: ignore[assignment]
    problem: dict[str, Any] = Field({}, description="Where it failed without one: a problem document.")
    unread: str = Field("", description="The message of one that was cancelled before it left anything.")


class Thread(BaseModel):
    """A conversation."""

    agent: str
    thread: str = Field(description="Its id.")
    title: str
    status: Literal["new", "running", "cut_short", "waiting", "ended", "failed"]
    turns: int
    created: str
    updated: str
    waiting_for: Waiting | None


class ThreadWithRun(Thread):
    """A conversation, and its last run."""

    run: Run | None


class Threads(BaseModel):
    """A page of threads."""

    items: list[Thread]
    next: str | None = Field(description="The `cursor` of the next page; null on the last one.")


class Said(BaseModel):
    """A message."""

    seq: int
    role: Literal["user", "assistant"]
    text: str
    time: str
    turn: int = Field(description="0 for what a branch said as it began.")
    artifacts: list[ArtifactMade] = Field([], description="At the last message of a turn that made files.")


class Messages(BaseModel):
    """A page of messages, oldest first."""

    items: list[Said]
    next: str | None = Field(description="The `before` of the page before; null on the first one.")


class State(BaseModel):
    """Where a thread stands; with `at`, where it stood then, without `run`."""

    thread: str
    agent: str
    status: str
    waiting_for: WaitingNow | None
    position: dict[str, Any] | None
    values: dict[str, Any] = Field(description="`answers`, and the channels that are not private.")
    run: Run | None = None


def answers(shape: type[BaseModel], status: int = 200) -> Described:
    """What a route answers, for its `responses`."""
    return {status: {"model": shape}}
