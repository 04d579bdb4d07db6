"""Counters: a pure fold over events: how often each node, edge and guard was used, and what the turns took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Event = Mapping[str, Any]


@dataclass(slots=True)
class NodeCount:
    """How often a node was `entered`, `passed` over, `waited` at, `performed` to its end, and `failed`.

    Attempts that are followed by another one are no failures.
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
    """What a guard came to: `opened`, `closed`, `missing` (an answer it reads had no value yet) or `failed`."""

    guard: str = ""
    opened: int = 0
    closed: int = 0
    missing: int = 0
    failed: int = 0


@dataclass(slots=True)
class FlowCount:
    """What was counted for one flow, all its versions together. `seconds` are those of model calls.

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

    def node(self, event: Event) -> NodeCount:
        """The counts of the node of an event."""
        return self.nodes.setdefault(event["node"], NodeCount())

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 3)}


def counted(events: Iterable[Event], into: dict[str, FlowCount] | None = None) -> dict[str, FlowCount]:
    """Count the events of one thread, from its first one on; gives the counts by flow id.

    With `into` they are added to what that holds already. Of a thread that began as a branch only what happened since
    is counted: the rest happened in another thread. Events of kinds that this version does not know are passed over.
    """
    found = {} if into is None else into
    rows = list(events)
    began = max((i for i, event in enumerate(rows) if event["type"] == "branched"), default=-1)
    flow = ""
    for index, event in enumerate(rows):
        if event["type"] == "turn_started":
            flow = event["flow"]
        if index > began and flow:
            count(found.setdefault(flow, FlowCount(flow)), event)
    return found


def count(flow: FlowCount, event: Event) -> None:
    """Add one event to the counts of its flow."""
    match event["type"]:
        case "turn_started":
            flow.turns += 1
            flow.conversations += bool(event["afresh"])
        case "turn_failed":
            flow.failed += 1
        case "escalated":
            flow.escalated += 1
        case "node_entered":
            flow.node(event).kind = event["kind"]
            flow.node(event).entered += 1
        case "question_passed":
            flow.node(event).passed += 1
        case "prompted":
            flow.node(event).waited += 1
        case "action_finished":
            flow.node(event).performed += 1
        case "action_failed":
            flow.node(event).failed += bool(event["final"])
        case "edge_taken":
            edge = flow.edges.setdefault(event["edge"], EdgeCount())
            edge.source, edge.target = event["source"], event["target"]
            edge.taken += 1
            edge.ambiguous += bool(event.get("also_open"))
        case "guard_checked":
            guard = flow.guards.setdefault(event["of"], GuardCount())
            guard.guard = event["guard"]
            guard.opened += event["opened"]
            guard.missing += not event["opened"] and bool(event.get("missing"))
            guard.failed += not (event["opened"] or event.get("missing")) and bool(event.get("error"))
            guard.closed += not (event["opened"] or event.get("missing") or event.get("error"))
        case "model_called":
            flow.model_calls += 1
            flow.model_failures += bool(event.get("error"))
            flow.input_tokens += event["input_tokens"]
            flow.output_tokens += event["output_tokens"]
            flow.seconds += event["seconds"]
        case "tool_called":
            flow.tool_calls += 1
            flow.tool_failures += not event["ok"]
