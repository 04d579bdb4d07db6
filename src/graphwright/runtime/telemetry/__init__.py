"""Telemetry: turns as logs, spans and metrics, each of them off until the program or its environment asks for it.

They are made of the events of the turn and its model calls; nothing else in the runtime knows of them.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from graphwright.errors import GraphwrightError, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphwright.models import ModelCall
    from graphwright.runtime.definition import AgentDefinition
    from graphwright.runtime.events import Event
    from graphwright.runtime.turn import Turn


class Listener(Protocol):
    """What hears of one turn: its events as JSON, its model calls, and its end.

    `ended` gets the turn, and the code of its error, if any; None for one that was broken off by an exception.
    """

    def hear(self, e: Mapping[str, Any]) -> None: ...

    def called(self, call: ModelCall) -> None: ...

    def ended(self, turn: Turn | None, error: str) -> None: ...


class Watch:
    """The listeners of one turn. `on_event` is for the turn's run: None where nobody listens at all.

    A listener that fails is told no more, and a warning says so: the turn must not fail because of it.
    """

    def __init__(self, listeners: list[Listener], on_event: Callable[[Event], None] | None) -> None:
        self._listeners = listeners
        self._on_event = on_event
        self.on_event = self._hear if listeners else on_event

    def _hear(self, event: Event) -> None:
        if self._on_event is not None:
            self._on_event(event)
        self._tell("hear", event.to_json())

    def called(self, call: ModelCall) -> None:
        self._tell("called", call)

    def ended(self, turn: Turn | None, error: str) -> None:
        self._tell("ended", turn, error)

    def _tell(self, what: str, *of: Any) -> None:
        for listener in list(self._listeners):
            try:
                getattr(listener, what)(*of)
            except Exception as error:
                self._listeners.remove(listener)
                kind = type(listener).__name__
                logging.getLogger("graphwright").warning("%s is off for this turn: %s", kind, said(error))


@contextmanager
def watching(agent: AgentDefinition, thread: str, on_event: Callable[[Event], None] | None) -> Iterator[Watch]:
    """Watch one turn: `ended` is to be told inside; what leaves it as an exception is told by itself.

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
    """For programs of our own: log as the environment says. Raises UsageError for a setting that is none."""
    if os.environ.get("GRAPHWRIGHT_LOG"):
        from graphwright.runtime.telemetry import logs

        logs.configure()


def flush() -> None:
    """For programs of our own, at their end: send what was not sent yet."""
    otel = sys.modules.get("graphwright.runtime.telemetry.otel")
    if otel is not None:
        otel.flush()


def _listeners(agent: AgentDefinition, thread: str, stack: ExitStack) -> list[Listener]:
    found: list[Listener] = []
    if "structlog" in sys.modules:
        from graphwright.runtime.telemetry.logs import turn_log

        log = turn_log(agent.name, thread)
        if log is not None:
            found.append(log)
    if _concerns_otel():
        found += _otel_listeners(agent, thread, stack)
    return found


def _concerns_otel() -> bool:
    """Whether there may be anything to report to; cheap, because every turn asks."""
    return "opentelemetry.trace" in sys.modules or any(name.startswith("OTEL_") for name in os.environ)


def _otel_listeners(agent: AgentDefinition, thread: str, stack: ExitStack) -> list[Listener]:
    from graphwright.runtime.telemetry import otel

    found: list[Listener] = []
    tracer = otel.tracer()
    if tracer is not None:
        from opentelemetry.context import attach, detach

        from graphwright.runtime.observed_calls import writes_private
        from graphwright.runtime.telemetry.spans import TurnSpans

        spans = TurnSpans(
            tracer,
            agent,
            thread,
            content=otel.wants_content(),
            private=lambda node: writes_private(agent, node),
        )
        # Spans that an action makes by itself belong into the turn's.
        token = attach(spans.context)
        stack.callback(detach, token)
        found.append(spans)
    instruments = otel.instruments()
    if instruments is not None:
        from graphwright.runtime.telemetry.spans import TurnMetrics

        found.append(TurnMetrics(instruments, agent.flow.id))
    return found
