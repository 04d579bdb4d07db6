"""Turns as spans of OpenTelemetry, and the tracer provider that the environment asks for."""

from __future__ import annotations

import atexit
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.metadata import entry_points, version
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.context import attach, detach
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from graphwright.engine.events import ActionFailed, ActionFinished, ActionStarted, ToolCalled, TurnResumed, TurnStarted
from graphwright.host.telemetry import Listener, asked_for, tracer_provider

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

    from graphwright.host._definition import AgentDefinition
    from graphwright.host._turn import Event, Turn
    from graphwright.models import ModelCall

NAME = "graphwright"
"""Of the instrumentation; and the provider of agents, and of the models that come with the project."""

TIMEOUT_SECONDS = 3.0
"""The default time limit of an export in seconds: a command must not wait longer to exit."""

CONTENT_SWITCH = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The environment variable that enables texts of messages and prompts in the spans."""

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
        # The rest is the path of a file on this machine, not the name of a model.
        return NAME, provider
    return _PROVIDERS.get(provider, provider), model


class TurnSpans(Listener):
    """The spans of one turn: `invoke_agent` around it; in it a `chat` a model call, an `action` an attempt to perform
    one, and an `execute_tool` a tool call.

    `private` returns whether the texts of messages and prompts at a node must be left out even with `content`.
    """

    def __init__(
        self, tracer: Tracer, agent: AgentDefinition, thread: str, *, content: bool, private: Callable[[str], bool]
    ) -> None:
        self._tracer = tracer
        self._conversation = {"gen_ai.conversation.id": thread}
        self._content = content
        self._private = private
        self._actions: dict[str, Span] = {}
        self.whole = tracer.start_span(
            f"invoke_agent {agent.name}",
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.provider.name": NAME,
                "gen_ai.agent.name": agent.name,
                "gen_ai.agent.id": agent.flow.id,
                "graphwright.flow.hash": agent.flow.hash,
                **self._conversation,
            },
        )

    def hear(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self.whole.set_attributes({"graphwright.turn": event.turn, "graphwright.afresh": event.afresh})
                if self._content and event.message is not None:
                    self.whole.set_attribute("gen_ai.input.messages", _messages(("user", event.message)))
            case TurnResumed():
                self.whole.set_attributes({"graphwright.turn": event.turn, "graphwright.resumed": True})
            case ActionStarted():
                about = {f"graphwright.{name}": getattr(event, name) for name in ("node", "visit", "attempt")}
                self._actions[event.node] = self._tracer.start_span(
                    f"action {event.run}",
                    context=set_span_in_context(self.whole),
                    attributes={**about, "graphwright.action": event.run, **self._conversation},
                )
            case ActionFinished() | ActionFailed():
                if (span := self._actions.pop(event.node, None)) is not None:
                    _end(span, event.type if isinstance(event, ActionFailed) else "")
            case ToolCalled():
                about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": event.tool}
                about["gen_ai.tool.type"] = "function"
                _end(self._past(f"execute_tool {event.tool}", event.node, event.seconds, about), event.kind)

    def called(self, call: ModelCall) -> None:
        provider, model = provider_and_model(call.model)
        about: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": call.input_tokens,
            "gen_ai.usage.output_tokens": call.output_tokens,
        }
        if call.offered:
            about["graphwright.offered"] = call.offered
        if self._content and not self._private(call.node):
            about["gen_ai.input.messages"] = _messages(*((_ROLES.get(m.type, m.type), m.text) for m in call.prompt))
            if call.answer:
                text = call.answer.get("text") or call.answer.get("raw")
                shown = str(text) if text else json.dumps(call.answer.get("call"), ensure_ascii=False)
                about["gen_ai.output.messages"] = _messages(("assistant", shown))
        _end(self._past(f"chat {model}", call.node, call.seconds, about, SpanKind.CLIENT), call.error)

    def ended(self, turn: Turn | None, error: str) -> None:
        if turn is not None:
            waiting = turn.waiting_for
            self.whole.set_attributes(
                {
                    "graphwright.status": turn.status,
                    "graphwright.path": turn.path,
                    "graphwright.node": waiting.node if waiting is not None else (turn.path or ("",))[-1],
                    "graphwright.model_calls": turn.usage.model_calls,
                    "gen_ai.usage.input_tokens": turn.usage.input_tokens,
                    "gen_ai.usage.output_tokens": turn.usage.output_tokens,
                }
            )
            if self._content and turn.reply:
                self.whole.set_attribute("gen_ai.output.messages", _messages(("assistant", turn.reply)))
        for span in self._actions.values():
            _end(span, error or "cancelled")
        _end(self.whole, error)

    def _past(
        self, name: str, node: str, seconds: float, about: dict[str, Any], kind: SpanKind = SpanKind.INTERNAL
    ) -> Span:
        """The span of something that took `seconds` and ends now, in that of the node's action, if one is running."""
        return self._tracer.start_span(
            name,
            context=set_span_in_context(self._actions.get(node, self.whole)),
            kind=kind,
            attributes={**about, "graphwright.node": node, **self._conversation},
            start_time=time.time_ns() - int(seconds * 1e9),
        )


def _end(span: Span, error: str) -> None:
    if error:
        # Only the code: the text of an error may contain words of the user.
        span.set_attribute("error.type", error)
        span.set_status(Status(StatusCode.ERROR, error))
    span.end()


def _messages(*said: tuple[str, str]) -> str:
    parts = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said]
    return json.dumps(parts, ensure_ascii=False)


_ours: list[Any] = []
_unsent = False
"""Whether a turn has begun since the last flush."""


def spans_of(agent: AgentDefinition, thread: str, stack: ExitStack) -> TurnSpans | None:
    """The spans of a turn, or None without a provider. `stack` is closed at the end of the turn."""
    global _unsent
    if asked_for():
        _set_up()
        _unsent = bool(_ours)
    if (provider := tracer_provider()) is None:
        return None
    content = os.environ.get(CONTENT_SWITCH, "").strip().lower() == "true"
    spans = TurnSpans(_tracer(provider), agent, thread, content=content, private=agent.writes_private)
    # Spans that an action makes by itself belong into the turn's.
    stack.callback(detach, attach(set_span_in_context(spans.whole)))
    return spans


@cache
def _tracer(provider: trace.TracerProvider) -> Tracer:
    return provider.get_tracer(NAME, version(NAME))


def flush() -> None:
    """Send the remaining spans of the providers that were set up here; a program flushes its own provider."""
    global _unsent
    if _unsent:
        _unsent = False
        for provider in _ours:
            provider.force_flush()


@cache
def _set_up() -> None:
    """Set up the provider that the environment selects, once, unless the program has set one."""
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    resource = Resource.create({} if named else {"service.name": NAME})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for exporter in _exporters():
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    _ours.append(provider)
    atexit.register(flush)


def _exporters() -> Iterator[Any]:
    """The exporters that the environment names, as installed packages register them."""
    timeout = None if "OTEL_EXPORTER_OTLP_TIMEOUT" in os.environ else TIMEOUT_SECONDS
    # stdout belongs to the results.
    options: dict[str, dict[str, Any]] = {"otlp": {"timeout": timeout}, "console": {"out": sys.stderr}}
    for name in asked_for():
        registered = "otlp_proto_http" if name == "otlp" else name
        found = list(entry_points(group="opentelemetry_traces_exporter", name=registered))
        if found:
            yield found[0].load()(**options.get(name, {}))
        else:
            logging.getLogger(NAME).warning("OTEL_TRACES_EXPORTER: no package has %r", name)
