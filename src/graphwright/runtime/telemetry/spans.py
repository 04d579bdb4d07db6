"""What OpenTelemetry gets of a turn: spans and metrics, made of its events and model calls."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from graphwright.runtime.telemetry.counters import guard_outcome

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

    from graphwright.models import ModelCall
    from graphwright.runtime.definition import AgentDefinition
    from graphwright.runtime.turn import Turn


# attributes
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
AGENT_NAME: Final = "gen_ai.agent.name"
AGENT_ID: Final = "gen_ai.agent.id"
CONVERSATION: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOKEN_TYPE: Final = "gen_ai.token.type"
ERROR_TYPE: Final = "error.type"

# values of OPERATION
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"

# metrics
TOKEN_USAGE: Final = "gen_ai.client.token.usage"
OPERATION_DURATION: Final = "gen_ai.client.operation.duration"

# Where the bounds of the two histograms' buckets stand in the conventions.
TOKEN_BOUNDS: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
SECOND_BOUNDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)

OWN_PROVIDER: Final = "graphwright"
"""The provider of agents, and of the models that come with the project."""

_PROVIDERS = {
    "azure_openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}


def provider_and_model(name: str) -> tuple[str, str]:
    """The provider and the model that a model's name stands for: `openai:gpt-5`, `embedded`, `scripted:FILE`."""
    provider, colon, model = name.partition(":")
    if provider in ("embedded", "scripted") or not colon:
        # What follows is the path of a file on this machine: no name of a model.
        return OWN_PROVIDER, provider
    return _PROVIDERS.get(provider, provider), model


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
            TOKEN_USAGE,
            "{token}",
            "Tokens of a model call.",
            explicit_bucket_boundaries_advisory=TOKEN_BOUNDS,
        )
        self.seconds = meter.create_histogram(
            OPERATION_DURATION,
            "s",
            "How long a model call took.",
            explicit_bucket_boundaries_advisory=SECOND_BOUNDS,
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
                self._to.tools.add(1, {**self._flow, TOOL_NAME: e["tool"], **outcome})

    def called(self, call: ModelCall) -> None:
        """A model call has ended."""
        provider, model = provider_and_model(call.model)
        about = {OPERATION: CHAT, PROVIDER: provider, REQUEST_MODEL: model}
        self._to.seconds.record(call.seconds, {**about, **({ERROR_TYPE: call.error} if call.error else {})})
        if not call.error:
            self._to.tokens.record(call.input_tokens, {**about, TOKEN_TYPE: "input"})
            self._to.tokens.record(call.output_tokens, {**about, TOKEN_TYPE: "output"})

    def ended(self, turn: Turn | None, error: str) -> None:
        status = {"graphwright.status": turn.status if turn is not None else "broken"}
        self._to.turns.add(1, {**self._flow, **status, **({ERROR_TYPE: error} if error else {})})


class TurnSpans:
    """The spans of one turn: `invoke_agent` around it; in it a `chat` a model call, an `action` an attempt to perform
    one, and an `execute_tool` a tool call.

    `private` says of a node whether what is said and prompted there must be kept out even where `content` is wanted.
    """

    def __init__(
        self, tracer: Tracer, agent: AgentDefinition, thread: str, *, content: bool, private: Callable[[str], bool]
    ) -> None:
        self._tracer = tracer
        self._thread = thread
        self._content = content
        self._private = private
        self._actions: dict[str, Span] = {}
        self._turn = tracer.start_span(
            f"{INVOKE_AGENT} {agent.name}",
            kind=SpanKind.INTERNAL,
            attributes={
                OPERATION: INVOKE_AGENT,
                PROVIDER: OWN_PROVIDER,
                AGENT_NAME: agent.name,
                AGENT_ID: agent.flow.id,
                CONVERSATION: thread,
                "graphwright.flow.hash": agent.flow.hash,
            },
        )

    @property
    def context(self) -> Context:
        """The context in which the turn's own span is the current one."""
        return set_span_in_context(self._turn)

    def hear(self, e: Mapping[str, Any]) -> None:
        match e["type"]:
            case "turn_started":
                self._turn.set_attributes({"graphwright.turn": e["turn"], "graphwright.afresh": e["afresh"]})
                if self._content and e["message"] is not None:
                    self._turn.set_attribute(INPUT_MESSAGES, _messages(("user", e["message"])))
            case "turn_resumed":
                self._turn.set_attributes({"graphwright.turn": e["turn"], "graphwright.resumed": True})
            case "action_started":
                self._actions[e["node"]] = self._tracer.start_span(
                    f"action {e['run']}",
                    context=self.context,
                    attributes={
                        "graphwright.node": e["node"],
                        "graphwright.action": e["run"],
                        "graphwright.visit": e["visit"],
                        "graphwright.attempt": e["attempt"],
                        CONVERSATION: self._thread,
                    },
                )
            case "action_finished":
                self._end_action(e["node"], "")
            case "action_failed":
                self._end_action(e["node"], "action_failed")
            case "tool_called":
                span = self._past(
                    f"{EXECUTE_TOOL} {e['tool']}",
                    e["node"],
                    e["seconds"],
                    SpanKind.INTERNAL,
                    {
                        OPERATION: EXECUTE_TOOL,
                        TOOL_NAME: e["tool"],
                        TOOL_TYPE: "function",
                    },
                )
                _end(span, e["kind"])

    def called(self, call: ModelCall) -> None:
        """A model call has ended."""
        provider, model = provider_and_model(call.model)
        attributes: dict[str, Any] = {
            OPERATION: CHAT,
            PROVIDER: provider,
            REQUEST_MODEL: model,
            INPUT_TOKENS: call.input_tokens,
            OUTPUT_TOKENS: call.output_tokens,
        }
        if call.offered:
            attributes["graphwright.offered"] = call.offered
        if self._content and not self._private(call.node):
            prompt = [(_ROLES.get(m.type, m.type), m.text) for m in call.prompt]
            attributes[INPUT_MESSAGES] = _messages(*prompt)
            if call.answer:
                attributes[OUTPUT_MESSAGES] = _messages(("assistant", _answer_text(call.answer)))
        _end(self._past(f"{CHAT} {model}", call.node, call.seconds, SpanKind.CLIENT, attributes), call.error)

    def ended(self, turn: Turn | None, error: str) -> None:
        if turn is not None:
            waiting = turn.waiting_for
            self._turn.set_attributes(
                {
                    "graphwright.status": turn.status,
                    "graphwright.path": turn.path,
                    "graphwright.node": waiting.node if waiting is not None else (turn.path or ("",))[-1],
                    "graphwright.model_calls": turn.usage.model_calls,
                    INPUT_TOKENS: turn.usage.input_tokens,
                    OUTPUT_TOKENS: turn.usage.output_tokens,
                }
            )
            if self._content and turn.reply:
                self._turn.set_attribute(OUTPUT_MESSAGES, _messages(("assistant", turn.reply)))
        for node in list(self._actions):
            self._end_action(node, error or "cancelled")
        _end(self._turn, error)

    def _end_action(self, node: str, error: str) -> None:
        span = self._actions.pop(node, None)
        if span is not None:
            _end(span, error)

    def _past(self, name: str, node: str, seconds: float, kind: SpanKind, attributes: dict[str, Any]) -> Span:
        """The span of something that took `seconds` and ends now, in that of the node's action, if one is running."""
        around = self._actions.get(node)
        return self._tracer.start_span(
            name,
            context=self.context if around is None else set_span_in_context(around),
            kind=kind,
            attributes={**attributes, "graphwright.node": node, CONVERSATION: self._thread},
            start_time=time.time_ns() - int(seconds * 1e9),
        )


_ROLES = {"human": "user", "ai": "assistant"}


def _end(span: Span, error: str) -> None:
    if error:
        # The code alone: what an error says may hold what the user said.
        span.set_attribute(ERROR_TYPE, error)
        span.set_status(Status(StatusCode.ERROR, error))
    span.end()


def _messages(*said: tuple[str, str]) -> str:
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said], ensure_ascii=False
    )


def _answer_text(answer: Mapping[str, Any]) -> str:
    text = answer.get("text") or answer.get("raw")
    return str(text) if text else json.dumps(answer.get("call"), ensure_ascii=False)
