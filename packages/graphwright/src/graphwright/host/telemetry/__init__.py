"""Telemetry: turns as logs and spans, both off until the program or its environment turns them on.

They are made from the events and model calls of a turn.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from graphwright.errors import GraphwrightError, exception_text

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from graphwright.host._definition import AgentDefinition
    from graphwright.host._turn import Event, Turn
    from graphwright.models import ModelCall


class Listener:
    """Observes one turn."""

    def hear(self, event: Event) -> None:
        """An event."""

    def called(self, call: ModelCall) -> None:
        """A model call has ended."""

    def ended(self, turn: Turn | None, error: str) -> None:
        """The turn has ended, with the code of its error, if any; None for one that an exception broke off."""


class Watch(Listener):
    """The listeners of one turn. `on_event` is the callback for the turn's run, or None without any listener.

    A listener that raises is removed for the rest of the turn, with a warning: the turn must not fail because of it.
    """

    def __init__(self, listeners: list[Listener], on_event: Callable[[Event], None] | None) -> None:
        self._listeners = listeners
        self._given = on_event
        self.on_event = self._on_event if listeners else on_event

    def _on_event(self, event: Event) -> None:
        if self._given is not None:
            self._given(event)
        self._each(lambda listener: listener.hear(event))

    def called(self, call: ModelCall) -> None:
        self._each(lambda listener: listener.called(call))

    def ended(self, turn: Turn | None, error: str) -> None:
        self._each(lambda listener: listener.ended(turn, error))

    def _each(self, notify: Callable[[Listener], None]) -> None:
        for listener in list(self._listeners):
            try:
                notify(listener)
            except Exception as error:
                self._listeners.remove(listener)
                kind = type(listener).__name__
                logging.getLogger("graphwright").warning("%s is off for this turn: %s", kind, exception_text(error))


@contextmanager
def watching(agent: AgentDefinition, thread: str, on_event: Callable[[Event], None] | None) -> Iterator[Watch]:
    """Watch one turn. Inside, the caller reports its end; an exception that leaves the block is reported by itself.

    `on_event` gets the events as before, whether or not anybody else listens.
    """
    with ExitStack() as stack:
        listeners = _listeners(agent, thread, stack)
        watch = Watch(listeners, on_event)
        if listeners:
            from graphwright.models.usage import observe_calls

            stack.enter_context(observe_calls(watch.called))
        try:
            yield watch
        except BaseException as error:
            watch.ended(None, error.code if isinstance(error, GraphwrightError) else type(error).__name__)
            raise


def configure() -> None:
    """For the programs of this package: configure logging from the environment. Raises UsageError for a bad setting."""
    if os.environ.get("GRAPHWRIGHT_LOG"):
        from graphwright.host.telemetry import _logs as logs

        logs.configure()


def flush() -> None:
    """For the programs of this package, at exit: send the remaining spans."""
    otel = sys.modules.get("graphwright.host.telemetry._otel")
    if otel is not None:
        otel.flush()


def asked_for() -> tuple[str, ...]:
    """The exporters of spans that the environment asks for; none by default.

    `OTEL_TRACES_EXPORTER` names them; an endpoint alone asks for `otlp`.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ()
    named = os.environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if not named:
        endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        return ("otlp",) if any(map(os.environ.get, endpoints)) else ()
    return tuple(name for name in (part.strip() for part in named.split(",")) if name and name != "none")


def tracer_provider() -> TracerProvider | None:
    """The provider of the program, or one set up from the environment; None if there is none."""
    if (trace := sys.modules.get("opentelemetry.trace")) is None:
        return None
    provider: TracerProvider = trace.get_tracer_provider()
    return None if isinstance(provider, trace.ProxyTracerProvider) else provider


def _listeners(agent: AgentDefinition, thread: str, stack: ExitStack) -> list[Listener]:
    found: list[Listener] = []
    # Cheap, because every turn asks: who has not imported structlog has not configured it.
    if "structlog" in sys.modules:
        from graphwright.host.telemetry._logs import turn_log

        if (log := turn_log(agent.name, thread)) is not None:
            found.append(log)
    try:
        if asked_for() or tracer_provider() is not None:
            from graphwright.host.telemetry import _otel as otel

            if (spans := otel.spans_of(agent, thread, stack)) is not None:
                found.append(spans)
    # A turn must be served even if telemetry is not available.
    except Exception as error:
        hint = "; it needs: pip install 'graphwright[otel]'" if isinstance(error, ImportError) else ""
        logging.getLogger("graphwright").warning(
            "OpenTelemetry is off for this turn: %s%s", exception_text(error), hint
        )
    return found
