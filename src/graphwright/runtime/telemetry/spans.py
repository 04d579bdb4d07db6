"""What OpenTelemetry gets of a turn: spans of it, its model calls, actions and tool calls; its counts as metrics."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from graphwright.runtime.telemetry import Listener
from graphwright.runtime.telemetry.counters import FlowCount, count

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

    from graphwright.models import ModelCall
    from graphwright.runtime.definition import AgentDefinition
    from graphwright.runtime.turn import Turn

# Attributes of the semantic conventions for generative AI, which the SDK has under names that are not stable yet.
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
# Values of OPERATION.
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"
# Metrics, and where the conventions put the bounds of their buckets.
TOKEN_USAGE: Final = "gen_ai.client.token.usage"
OPERATION_DURATION: Final = "gen_ai.client.operation.duration"
TOKEN_BOUNDS: Final = tuple(4**power for power in range(14))
SECOND_BOUNDS: Final = tuple(0.01 * 2**power for power in range(14))

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
_ROLES = {"human": "user", "ai": "assistant"}


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
            TOKEN_USAGE, "{token}", "Tokens of a model call.", explicit_bucket_boundaries_advisory=TOKEN_BOUNDS
        )
        self.seconds = meter.create_histogram(
            OPERATION_DURATION, "s", "How long a model call took.", explicit_bucket_boundaries_advisory=SECOND_BOUNDS
        )


class TurnMetrics(Listener):
    """Counts one turn, and adds the counts to the instruments at its end."""

    def __init__(self, instruments: Instruments, flow: str) -> None:
        self._to = instruments
        self._counts = FlowCount(flow)

    def hear(self, e: Mapping[str, Any]) -> None:
        count(self._counts, e)

    def called(self, call: ModelCall) -> None:
        provider, model = provider_and_model(call.model)
        about = {OPERATION: CHAT, PROVIDER: provider, REQUEST_MODEL: model}
        self._to.seconds.record(call.seconds, {**about, **({ERROR_TYPE: call.error} if call.error else {})})
        if not call.error:
            self._to.tokens.record(call.input_tokens, {**about, TOKEN_TYPE: "input"})
            self._to.tokens.record(call.output_tokens, {**about, TOKEN_TYPE: "output"})

    def ended(self, turn: Turn | None, error: str) -> None:
        counts, to = self._counts, self._to
        flow = {"graphwright.flow": counts.flow}

        def add(counter: Any, number: int, **by: str) -> None:
            if number:
                counter.add(
                    number, {f"graphwright.{name}": value for name, value in {"flow": counts.flow, **by}.items()}
                )

        for id, node in counts.nodes.items():
            add(to.nodes, node.entered, node=id, kind=node.kind)
            add(to.actions, node.performed, node=id, action=node.action, outcome="finished")
            add(to.actions, node.failed + node.retried, node=id, action=node.action, outcome="failed")
        for id, edge in counts.edges.items():
            add(to.edges, edge.taken, edge=id)
        for id, guard in counts.guards.items():
            for outcome in ("opened", "closed", "missing", "failed"):
                add(to.guards, getattr(guard, outcome), guard=id, outcome=outcome)
        for name, outcomes in counts.tools.items():
            for outcome, number in outcomes.items():
                to.tools.add(number, {**flow, TOOL_NAME: name, "graphwright.outcome": outcome})
        status = {"graphwright.status": turn.status if turn is not None else "broken"}
        to.turns.add(1, {**flow, **status, **({ERROR_TYPE: error} if error else {})})


class TurnSpans(Listener):
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
        about = {PROVIDER: OWN_PROVIDER, AGENT_NAME: agent.name, AGENT_ID: agent.flow.id, CONVERSATION: thread}
        self._turn = tracer.start_span(
            f"{INVOKE_AGENT} {agent.name}",
            attributes={OPERATION: INVOKE_AGENT, **about, "graphwright.flow.hash": agent.flow.hash},
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
                about = {f"graphwright.{name}": e[name] for name in ("node", "visit", "attempt")}
                self._actions[e["node"]] = self._tracer.start_span(
                    f"action {e['run']}",
                    context=self.context,
                    attributes={**about, "graphwright.action": e["run"], CONVERSATION: self._thread},
                )
            case "action_finished":
                self._end_action(e["node"], "")
            case "action_failed":
                self._end_action(e["node"], "action_failed")
            case "tool_called":
                about = {OPERATION: EXECUTE_TOOL, TOOL_NAME: e["tool"], TOOL_TYPE: "function"}
                _end(self._past(f"{EXECUTE_TOOL} {e['tool']}", e["node"], e["seconds"], about), e["kind"])

    def called(self, call: ModelCall) -> None:
        provider, model = provider_and_model(call.model)
        about: dict[str, Any] = {OPERATION: CHAT, PROVIDER: provider, REQUEST_MODEL: model}
        about |= {INPUT_TOKENS: call.input_tokens, OUTPUT_TOKENS: call.output_tokens}
        if call.offered:
            about["graphwright.offered"] = call.offered
        if self._content and not self._private(call.node):
            about[INPUT_MESSAGES] = _messages(*((_ROLES.get(m.type, m.type), m.text) for m in call.prompt))
            if call.answer:
                about[OUTPUT_MESSAGES] = _messages(("assistant", _answer_text(call.answer)))
        _end(self._past(f"{CHAT} {model}", call.node, call.seconds, about, SpanKind.CLIENT), call.error)

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

    def _past(
        self, name: str, node: str, seconds: float, about: dict[str, Any], kind: SpanKind = SpanKind.INTERNAL
    ) -> Span:
        """The span of something that took `seconds` and ends now, in that of the node's action, if one is running."""
        around = self._actions.get(node)
        return self._tracer.start_span(
            name,
            context=self.context if around is None else set_span_in_context(around),
            kind=kind,
            attributes={**about, "graphwright.node": node, CONVERSATION: self._thread},
            start_time=time.time_ns() - int(seconds * 1e9),
        )


def _end(span: Span, error: str) -> None:
    if error:
        # The code alone: what an error says may hold what the user said.
        span.set_attribute(ERROR_TYPE, error)
        span.set_status(Status(StatusCode.ERROR, error))
    span.end()


def _messages(*said: tuple[str, str]) -> str:
    parts = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said]
    return json.dumps(parts, ensure_ascii=False)


def _answer_text(answer: Mapping[str, Any]) -> str:
    text = answer.get("text") or answer.get("raw")
    return str(text) if text else json.dumps(answer.get("call"), ensure_ascii=False)
