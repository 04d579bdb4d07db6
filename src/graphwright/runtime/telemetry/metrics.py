"""Metrics: the counters of the flows, and what model calls take, for OpenTelemetry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphwright.runtime.telemetry import genai
from graphwright.runtime.telemetry.counters import guard_outcome

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

    from graphwright.models import ModelCall
    from graphwright.runtime.turn import Turn


class Instruments:
    """The instruments of a process. All counters are by flow; those of nodes, edges and guards also by their id."""

    def __init__(self, meter: Meter) -> None:
        self.turns = meter.create_counter("graphwright.turns", "{turn}", "Turns that ended, by how they ended.")
        self.nodes = meter.create_counter("graphwright.nodes.entered", "{entry}", "Entries into a node.")
        self.edges = meter.create_counter("graphwright.edges.taken", "{edge}", "Edges taken.")
        self.guards = meter.create_counter("graphwright.guards.checked", "{check}", "Guards evaluated, by outcome.")
        self.actions = meter.create_counter("graphwright.actions", "{attempt}", "Attempts of actions, by outcome.")
        self.tools = meter.create_counter("graphwright.tools", "{call}", "Tool calls, by outcome.")
        self.tokens = meter.create_histogram(
            genai.TOKEN_USAGE,
            "{token}",
            "Tokens of a model call.",
            explicit_bucket_boundaries_advisory=genai.TOKEN_BOUNDS,
        )
        self.seconds = meter.create_histogram(
            genai.OPERATION_DURATION,
            "s",
            "How long a model call took.",
            explicit_bucket_boundaries_advisory=genai.SECOND_BOUNDS,
        )


class TurnMetrics:
    """Counts one turn."""

    def __init__(self, instruments: Instruments, flow: str) -> None:
        self._to = instruments
        self._flow = {"graphwright.flow": flow}

    def hear(self, e: Mapping[str, Any]) -> None:
        match e["type"]:
            case "node_entered":
                self._to.nodes.add(1, {**self._flow, "graphwright.node": e["node"], "graphwright.kind": e["kind"]})
            case "edge_taken":
                self._to.edges.add(1, {**self._flow, "graphwright.edge": e["edge"]})
            case "guard_checked":
                outcome = {"graphwright.guard": e["of"], "graphwright.outcome": guard_outcome(e)}
                self._to.guards.add(1, {**self._flow, **outcome})
            case "action_finished" | "action_failed":
                outcome = {"graphwright.action": e["run"], "graphwright.outcome": e["type"].removeprefix("action_")}
                self._to.actions.add(1, {**self._flow, "graphwright.node": e["node"], **outcome})
            case "tool_called":
                outcome = {"graphwright.outcome": "finished" if e["ok"] else e["kind"]}
                self._to.tools.add(1, {**self._flow, genai.TOOL_NAME: e["tool"], **outcome})

    def called(self, call: ModelCall) -> None:
        """A model call has ended."""
        provider, model = genai.provider_and_model(call.model)
        about = {genai.OPERATION: genai.CHAT, genai.PROVIDER: provider, genai.REQUEST_MODEL: model}
        self._to.seconds.record(call.seconds, {**about, **({genai.ERROR_TYPE: call.error} if call.error else {})})
        if not call.error:
            self._to.tokens.record(call.input_tokens, {**about, genai.TOKEN_TYPE: "input"})
            self._to.tokens.record(call.output_tokens, {**about, genai.TOKEN_TYPE: "output"})

    def ended(self, turn: Turn) -> None:
        """The turn has come to its end, well or not."""
        self._turn(turn.status, turn.error.code if turn.error is not None else "")

    def broke(self, code: str) -> None:
        """The turn ended without a result."""
        self._turn("broken", code)

    def _turn(self, status: str, error: str) -> None:
        self._to.turns.add(
            1, {**self._flow, "graphwright.status": status, **({genai.ERROR_TYPE: error} if error else {})}
        )
