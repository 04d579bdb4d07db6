"""Spans: a turn as a trace for OpenTelemetry, made of its events and model calls."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from graphwright.runtime.telemetry import genai

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

    from graphwright.models import ModelCall
    from graphwright.runtime.agent import Agent
    from graphwright.runtime.turn import Turn


class TurnSpans:
    """The spans of one turn: `invoke_agent` around it; in it a `chat` a model call, an `action` an attempt to perform
    one, and an `execute_tool` a tool call.

    `private` says of a node whether what is said and prompted there must be kept out even where `content` is wanted.
    """

    def __init__(
        self, tracer: Tracer, agent: Agent, thread: str, *, content: bool, private: Callable[[str], bool]
    ) -> None:
        self._tracer = tracer
        self._thread = thread
        self._content = content
        self._private = private
        self._actions: dict[str, Span] = {}
        self._turn = tracer.start_span(
            f"{genai.INVOKE_AGENT} {agent.name}",
            kind=SpanKind.INTERNAL,
            attributes={
                genai.OPERATION: genai.INVOKE_AGENT,
                genai.PROVIDER: genai.OWN_PROVIDER,
                genai.AGENT_NAME: agent.name,
                genai.AGENT_ID: agent.flow.id,
                genai.CONVERSATION: thread,
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
                    self._turn.set_attribute(genai.INPUT_MESSAGES, _messages(("user", e["message"])))
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
                        genai.CONVERSATION: self._thread,
                    },
                )
            case "action_finished":
                self._end_action(e["node"], "")
            case "action_failed":
                self._end_action(e["node"], "action_failed")
            case "tool_called":
                span = self._past(
                    f"{genai.EXECUTE_TOOL} {e['tool']}",
                    e["node"],
                    e["seconds"],
                    SpanKind.INTERNAL,
                    {
                        genai.OPERATION: genai.EXECUTE_TOOL,
                        genai.TOOL_NAME: e["tool"],
                        genai.TOOL_TYPE: "function",
                    },
                )
                _end(span, e["kind"])

    def called(self, call: ModelCall) -> None:
        """A model call has ended."""
        provider, model = genai.provider_and_model(call.model)
        attributes: dict[str, Any] = {
            genai.OPERATION: genai.CHAT,
            genai.PROVIDER: provider,
            genai.REQUEST_MODEL: model,
            genai.INPUT_TOKENS: call.input_tokens,
            genai.OUTPUT_TOKENS: call.output_tokens,
        }
        if call.offered:
            attributes["graphwright.offered"] = call.offered
        if self._content and not self._private(call.node):
            prompt = [(_ROLES.get(m.type, m.type), m.text) for m in call.prompt]
            attributes[genai.INPUT_MESSAGES] = _messages(*prompt)
            if call.answer:
                attributes[genai.OUTPUT_MESSAGES] = _messages(("assistant", _answer_text(call.answer)))
        _end(self._past(f"{genai.CHAT} {model}", call.node, call.seconds, SpanKind.CLIENT, attributes), call.error)

    def ended(self, turn: Turn) -> None:
        """The turn has come to its end, well or not."""
        waiting = turn.waiting_for
        self._turn.set_attributes(
            {
                "graphwright.status": turn.status,
                "graphwright.path": turn.path,
                "graphwright.node": waiting.node if waiting is not None else (turn.path or ("",))[-1],
                "graphwright.model_calls": turn.usage.model_calls,
                genai.INPUT_TOKENS: turn.usage.input_tokens,
                genai.OUTPUT_TOKENS: turn.usage.output_tokens,
            }
        )
        if self._content and turn.reply:
            self._turn.set_attribute(genai.OUTPUT_MESSAGES, _messages(("assistant", turn.reply)))
        self._close(turn.error.code if turn.error is not None else "")

    def broke(self, code: str) -> None:
        """The turn ended without a result."""
        self._close(code)

    def _close(self, error: str) -> None:
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
            attributes={**attributes, "graphwright.node": node, genai.CONVERSATION: self._thread},
            start_time=time.time_ns() - int(seconds * 1e9),
        )


_ROLES = {"human": "user", "ai": "assistant"}


def _end(span: Span, error: str) -> None:
    if error:
        # The code alone: what an error says may hold what the user said.
        span.set_attribute(genai.ERROR_TYPE, error)
        span.set_status(Status(StatusCode.ERROR, error))
    span.end()


def _messages(*said: tuple[str, str]) -> str:
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said], ensure_ascii=False
    )


def _answer_text(answer: Mapping[str, Any]) -> str:
    text = answer.get("text") or answer.get("raw")
    return str(text) if text else json.dumps(answer.get("call"), ensure_ascii=False)
