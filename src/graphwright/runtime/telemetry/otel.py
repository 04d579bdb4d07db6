"""OpenTelemetry's side: which providers a turn reports to, and setting them up from the environment."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from contextlib import ExitStack
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from graphwright.runtime.definition import AgentDefinition
    from graphwright.runtime.telemetry import Listener
    from graphwright.runtime.telemetry.spans import Instruments

NAME = "graphwright"

PATIENCE = 3.0
"""Seconds that an export may take, unless the environment says otherwise: nobody waits longer for a command to end."""

CONTENT_SWITCH = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The environment variable by which what is said and prompted goes into the spans."""

_STAND_INS = ("ProxyTracerProvider", "_ProxyMeterProvider")
"""The classes that stand in until a provider is set; not all of them have a public name."""


def asked_for(signal: str) -> tuple[str, ...]:
    """The exporters that the environment asks for, for `traces` or `metrics`; none by default.

    `OTEL_TRACES_EXPORTER` and its like name them; an endpoint alone asks for `otlp`.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ()
    named = os.environ.get(f"OTEL_{signal.upper()}_EXPORTER", "").strip().lower()
    if not named:
        endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
        return ("otlp",) if any(map(os.environ.get, endpoints)) else ()
    return tuple(name for name in (part.strip() for part in named.split(",")) if name and name != "none")


def listeners(agent: AgentDefinition, thread: str, stack: ExitStack) -> list[Listener]:
    """What reports a turn to OpenTelemetry; none where nobody has set up a provider. `stack` is closed at its end."""
    found: list[Listener] = []
    if (turns := tracer()) is not None:
        from opentelemetry.context import attach, detach

        from graphwright.runtime.observed_calls import writes_private
        from graphwright.runtime.telemetry.spans import TurnSpans

        content = os.environ.get(CONTENT_SWITCH, "").strip().lower() == "true"
        spans = TurnSpans(turns, agent, thread, content=content, private=lambda node: writes_private(agent, node))
        # Spans that an action makes by itself belong into the turn's.
        stack.callback(detach, attach(spans.context))
        found.append(spans)
    if (counters := instruments()) is not None:
        from graphwright.runtime.telemetry.spans import TurnMetrics

        found.append(TurnMetrics(counters, agent.flow.id))
    return found


def tracer() -> Tracer | None:
    """The tracer of the program's provider, else of one set up from the environment; None when there is neither."""
    provider = _provider("traces", "trace", "get_tracer_provider")
    return None if provider is None else _tracer(provider)


def instruments() -> Instruments | None:
    """The instruments of the program's meter provider, else of one set up from the environment; None as above."""
    provider = _provider("metrics", "metrics", "get_meter_provider")
    return None if provider is None else _instruments(provider)


def _provider(signal: str, module: str, get: str) -> Any:
    global _unsent
    if asked_for(signal):
        _set_up()
        _unsent = bool(_ours)
    api = sys.modules.get(f"opentelemetry.{module}")
    provider = getattr(api, get)() if api is not None else None
    return None if type(provider).__name__ in _STAND_INS else provider


@cache
def _tracer(provider: Any) -> Tracer:
    found: Tracer = provider.get_tracer(NAME, version(NAME))
    return found


@cache
def _instruments(provider: Any) -> Instruments:
    from graphwright.runtime.telemetry.spans import Instruments

    return Instruments(provider.get_meter(NAME, version(NAME)))


_ours: list[Any] = []
_unsent = False
"""Whether a turn has begun since what there was had been sent."""


def flush() -> None:
    """Send what has not been sent yet. Only providers that were set up here are flushed; the program has its own."""
    global _unsent
    if _unsent:
        _unsent = False
        from concurrent.futures import ThreadPoolExecutor

        # Side by side: where nobody receives anything, each of them waits for its whole patience.
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda provider: provider.force_flush(), _ours))


def _flush_at_exit() -> None:
    # No thread can be started any more.
    if _unsent:
        for provider in _ours:
            provider.force_flush()


@cache
def _set_up() -> None:
    """Set up providers for what the environment asks for, once, where the program has set none."""
    if find_spec("opentelemetry.sdk") is None or find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        _warn("OTEL_* asks for telemetry, but its packages are missing: pip install 'graphwright[otel]'")
        return
    if os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf").strip() != "http/protobuf":
        _warn("OTEL_EXPORTER_OTLP_PROTOCOL is not used: telemetry is sent by http/protobuf")
    from opentelemetry import metrics, trace
    from opentelemetry.sdk.resources import Resource

    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    resource = Resource.create({} if named else {"service.name": NAME})
    if asked_for("traces") and type(trace.get_tracer_provider()).__name__ in _STAND_INS:
        _set_up_traces(resource)
    if asked_for("metrics") and type(metrics.get_meter_provider()).__name__ in _STAND_INS:
        _set_up_metrics(resource)
    # The SDK's own way to end would send the metrics once more, and wait once more where nobody receives them.
    atexit.register(_flush_at_exit)


def _set_up_traces(resource: Any) -> None:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor

    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for name in asked_for("traces"):
        if name == "otlp":
            provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_timeout())))
        elif name == "console":
            # stdout belongs to the results.
            provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
        else:
            _warn(f"OTEL_TRACES_EXPORTER: {name!r} is not known; there are otlp, console and none")
    trace.set_tracer_provider(provider)
    _ours.append(provider)


def _set_up_metrics(resource: Any) -> None:
    from opentelemetry import metrics
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader

    readers = []
    for name in asked_for("metrics"):
        if name == "otlp":
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter(timeout=_timeout())))
        elif name == "console":
            readers.append(PeriodicExportingMetricReader(ConsoleMetricExporter(out=sys.stderr)))
        else:
            _warn(f"OTEL_METRICS_EXPORTER: {name!r} is not known; there are otlp, console and none")
    provider = MeterProvider(readers, resource, shutdown_on_exit=False)
    metrics.set_meter_provider(provider)
    _ours.append(provider)


def _timeout() -> float | None:
    return None if "OTEL_EXPORTER_OTLP_TIMEOUT" in os.environ else PATIENCE


def _warn(text: str) -> None:
    # Telemetry that cannot be had must not keep a turn from being served.
    logging.getLogger(NAME).warning(text)
