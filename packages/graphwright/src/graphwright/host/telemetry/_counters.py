"""Counters folded from events: how often each node, edge and guard was used, and the cost of the turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphwright.engine.events import (
    ActionFailed,
    ActionFinished,
    Branched,
    EdgeTaken,
    Escalated,
    GuardChecked,
    ModelCalled,
    NodeEntered,
    Prompted,
    QuestionPassed,
    ToolCalled,
    TraceEvent,
    TurnFailed,
    TurnStarted,
    events_from_json,
)


@dataclass(slots=True)
class NodeCount:
    """How often a node was `entered`, `passed` over, `waited` at, `performed` to its end, and `failed`.

    Attempts that are retried do not count as failures.
    """

    kind: str = ""
    entered: int = 0
    passed: int = 0
    waited: int = 0
    performed: int = 0
    failed: int = 0


@dataclass(slots=True)
class EdgeCount:
    """How often an edge was `taken`, and how often among them another one was open as well (`ambiguous`)."""

    source: str = ""
    target: str = ""
    taken: int = 0
    ambiguous: int = 0


@dataclass(slots=True)
class GuardCount:
    """The verdicts of a guard: `opened`, `closed`, `missing` (an answer it reads had no value yet) or `failed`."""

    guard: str = ""
    opened: int = 0
    closed: int = 0
    missing: int = 0
    failed: int = 0


@dataclass(slots=True)
class FlowCount:
    """The counts of one flow over all its versions. `seconds` are those of model calls.

    `edges` are counted by id, `guards` by what they belong to: an edge's id, `NODE.when` or `NODE.confirm`.
    """

    flow: str
    conversations: int = 0
    turns: int = 0
    failed: int = 0
    escalated: int = 0
    model_calls: int = 0
    model_failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    tool_calls: int = 0
    tool_failures: int = 0
    nodes: dict[str, NodeCount] = field(default_factory=dict)
    edges: dict[str, EdgeCount] = field(default_factory=dict)
    guards: dict[str, GuardCount] = field(default_factory=dict)

    def node(self, name: str) -> NodeCount:
        """The counts of a node."""
        return self.nodes.setdefault(name, NodeCount())

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 3)}


def counted(rows: Iterable[Mapping[str, Any]], into: dict[str, FlowCount] | None = None) -> dict[str, FlowCount]:
    """Count the events of one thread, from its first one on; gives the counts by flow id.

    `rows` are events as JSON. With `into` they are added to what that holds already. For a branch, only the events
    after its beginning are counted: the others happened in another thread. Events that this version cannot read are
    passed over.
    """
    found = {} if into is None else into
    events = events_from_json(rows)
    began = max((i for i, event in enumerate(events) if isinstance(event, Branched)), default=-1)
    flow = ""
    for index, event in enumerate(events):
        if isinstance(event, TurnStarted):
            flow = event.flow
        if index > began and flow:
            count(found.setdefault(flow, FlowCount(flow)), event)
    return found


def count(flow: FlowCount, event: TraceEvent) -> None:
    """Add one event to the counts of its flow."""
    match event:
        case TurnStarted():
            flow.turns += 1
            flow.conversations += event.afresh
        case TurnFailed():
            flow.failed += 1
        case Escalated():
            flow.escalated += 1
        case NodeEntered():
            flow.node(event.node).kind = event.kind
            flow.node(event.node).entered += 1
        case QuestionPassed():
            flow.node(event.node).passed += 1
        case Prompted():
            flow.node(event.node).waited += 1
        case ActionFinished():
            flow.node(event.node).performed += 1
        case ActionFailed():
            flow.node(event.node).failed += event.final
        case EdgeTaken():
            edge = flow.edges.setdefault(event.edge, EdgeCount())
            edge.source, edge.target = event.source, event.target
            edge.taken += 1
            edge.ambiguous += bool(event.also_open)
        case GuardChecked():
            _count_guard(flow.guards.setdefault(event.of, GuardCount()), event)
        case ModelCalled():
            flow.model_calls += 1
            flow.model_failures += bool(event.error)
            flow.input_tokens += event.input_tokens
            flow.output_tokens += event.output_tokens
            flow.seconds += event.seconds
        case ToolCalled():
            flow.tool_calls += 1
            flow.tool_failures += not event.ok


def _count_guard(guard: GuardCount, event: GuardChecked) -> None:
    guard.guard = event.guard
    if event.opened:
        guard.opened += 1
    elif event.missing:
        guard.missing += 1
    elif event.error:
        guard.failed += 1
    else:
        guard.closed += 1
