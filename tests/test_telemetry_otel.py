"""OpenTelemetry: spans and metrics of turns, off unless asked for, sent over HTTP to a real receiver."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import opentelemetry.semconv._incubating.attributes.gen_ai_attributes as conventions
import opentelemetry.semconv._incubating.metrics.gen_ai_metrics as metric_conventions
import pytest
from cli_support import FLOW, environment, program
from opentelemetry import trace as api
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from runtime_support import agent, open_session, reads

from graphwright import UsageError
from graphwright.runtime.telemetry import otel
from graphwright.runtime.telemetry import spans as spans_module
from graphwright.runtime.telemetry.spans import Instruments

FLOW_OF_ALL = """
state: {pin: {type: string, default: "", private: true}, n: {type: integer, default: 0}}
nodes:
  - {id: q, type: question, key: name, prompt: "Whose name?", schema: {type: string}}
  - {id: act, type: action, run: act, retry: {attempts: 2}}
  - {id: hide, type: action, run: hide}
  - {id: d, type: decision}
  - {id: t, type: terminal, say: "Bye {{ answers.name }}"}
edges:
  - {from: q, to: act}
  - {from: act, to: hide}
  - {from: hide, to: d}
  - {from: d, to: t, guard: n > 0}
"""
NODES = """
from graphwright import tool
from opentelemetry import trace
from pydantic import BaseModel

class Note(BaseModel):
    text: str

@tool(nodes=["act"], parameters={"type": "object", "properties": {"x": {"type": "integer"}}})
def look(x):
    return x

@action(reads=["answers.name"], writes=["n"])
async def act(state, ctx):
    if ctx.attempt == 1:
        raise RuntimeError("cannot work for Zenobia")
    await ctx.tools.call("look", {"x": "one"})
    await ctx.structured(Note, [("user", "A note on Zenobia")])
    return {"n": 1}

@action(writes=["pin"])
async def hide(state, ctx):
    note = await ctx.structured(Note, [("user", "A pin")])
    return {"pin": note.text}
"""
RULES = (
    reads("Zenobia", ("name", "Zenobia", "Zenobia"), times=1),
    {"offers": "Note", "says": "note", "call": {"Note": {"text": "a note for Zenobia"}}},
    {"offers": "Note", "says": "pin", "call": {"Note": {"text": "hunter2"}}},
)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """The spans of turns, as a program gets them that has a tracer provider."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # The provider of a process can be set but once.
    monkeypatch.setattr(otel, "tracer", lambda: provider.get_tracer("test"))
    monkeypatch.delenv(otel.CONTENT_SWITCH, raising=False)
    return exporter


@pytest.fixture
def metrics(monkeypatch: pytest.MonkeyPatch) -> InMemoryMetricReader:
    reader = InMemoryMetricReader()
    instruments = Instruments(MeterProvider([reader]).get_meter("test"))
    monkeypatch.setattr(otel, "instruments", lambda: instruments)
    return reader


def named(exporter: InMemorySpanExporter) -> dict[str, list[ReadableSpan]]:
    found: dict[str, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        found.setdefault(span.name, []).append(span)
    return found


def about(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


async def test_a_turn_is_a_span_with_its_calls_actions_and_tools_inside(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    made = agent(tmp_path / "a", FLOW_OF_ALL, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        turn = await session.send("I am Zenobia")
    assert turn.status == "ended"
    found = named(spans)
    assert {name: len(each) for name, each in found.items()} == {
        **{"invoke_agent a": 1, "chat ScriptedModel": 3, "action act": 2, "action hide": 1, "execute_tool look": 1}
    }
    (whole,) = found["invoke_agent a"]
    assert whole.kind is SpanKind.INTERNAL
    assert whole.parent is None
    assert about(whole) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "graphwright",
        "gen_ai.agent.name": "a",
        "gen_ai.agent.id": "flow.demo",
        "gen_ai.conversation.id": "t",
        "gen_ai.usage.input_tokens": turn.usage.input_tokens,
        "gen_ai.usage.output_tokens": turn.usage.output_tokens,
        "graphwright.flow.hash": made.flow.hash,
        "graphwright.turn": 1,
        "graphwright.afresh": True,
        "graphwright.status": "ended",
        "graphwright.path": ("q", "act", "hide", "d", "t"),
        "graphwright.node": "t",
        "graphwright.model_calls": 3,
    }
    assert whole.status.status_code is StatusCode.UNSET
    first, second = found["action act"]
    assert [about(each)["graphwright.attempt"] for each in (first, second)] == [1, 2]
    assert first.status.status_code is StatusCode.ERROR
    assert about(first)["error.type"] == "action_failed"
    assert second.status.status_code is StatusCode.UNSET
    reading, noting, hiding = found["chat ScriptedModel"]
    parents = [each.parent and each.parent.span_id for each in (reading, noting, hiding, first)]
    hide = found["action hide"][0]
    assert parents == [span.get_span_context().span_id for span in (whole, second, hide, whole)]
    assert reading.kind is SpanKind.CLIENT
    assert about(reading)["graphwright.node"] == "q"
    assert about(reading)["graphwright.offered"][:2] == ("UpdateAnswers", "UnknownAnswer")
    assert about(reading)["gen_ai.request.model"] == "ScriptedModel"
    assert about(reading)["gen_ai.usage.input_tokens"] > 0
    (tool,) = found["execute_tool look"]
    assert (about(tool)["gen_ai.tool.name"], about(tool)["error.type"]) == ("look", "bad_arguments")
    assert tool.parent is not None
    assert tool.parent.span_id == second.get_span_context().span_id
    for span in spans.get_finished_spans():
        assert whole.start_time <= span.start_time <= span.end_time <= whole.end_time
    told = "".join(span.to_json() for span in spans.get_finished_spans())
    for word in ("Zenobia", "hunter2", "Whose", "cannot work", "A note"):
        assert word not in told


async def test_words_stand_in_the_spans_only_where_they_are_asked_for_and_never_private_ones(
    tmp_path: Path, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(otel.CONTENT_SWITCH, "true")
    made = agent(tmp_path / "a", FLOW_OF_ALL, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("I am Zenobia")
    found = named(spans)
    (whole,) = found["invoke_agent a"]
    assert json.loads(about(whole)["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "I am Zenobia"}]}
    ]
    assert "Bye Zenobia" in about(whole)["gen_ai.output.messages"]
    reading, noting, hiding = found["chat ScriptedModel"]
    roles = [message["role"] for message in json.loads(about(reading)["gen_ai.input.messages"])]
    assert (roles[0], roles[-1]) == ("system", "user")
    assert "A note on Zenobia" in about(noting)["gen_ai.input.messages"]
    assert "a note for Zenobia" in about(noting)["gen_ai.output.messages"]
    assert "gen_ai.input.messages" not in about(hiding)
    assert "hunter2" not in "".join(span.to_json() for span in spans.get_finished_spans())


async def test_what_an_action_traces_itself_belongs_to_the_turn(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    tracing = NODES.replace(
        'return {"n": 1}', 'return {"n": trace.get_current_span().get_span_context().span_id % 1000}'
    )
    made = agent(tmp_path / "a", FLOW_OF_ALL, tracing)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        turn = await session.send("I am Zenobia")
    (whole,) = named(spans)["invoke_agent a"]
    assert turn.values["n"] == whole.get_span_context().span_id % 1000
    assert not api.get_current_span().get_span_context().is_valid


async def test_a_failed_turn_and_one_that_breaks_have_their_code(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    made = agent(tmp_path / "a", FLOW_OF_ALL.replace("n > 0", "n > 5"), NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("I am Zenobia")
        with pytest.raises(UsageError):
            await session.resume(True)
    failed, broken = named(spans)["invoke_agent a"]
    assert (about(failed)["graphwright.status"], about(failed)["error.type"]) == ("failed", "stuck_no_open_edge")
    assert about(broken)["error.type"] == "nothing_waits"
    assert {failed.status.status_code, broken.status.status_code} == {StatusCode.ERROR}


async def test_the_counters_are_metrics(tmp_path: Path, metrics: InMemoryMetricReader) -> None:
    made = agent(tmp_path / "a", FLOW_OF_ALL, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("I am Zenobia")
    data = metrics.get_metrics_data()
    assert data is not None
    found = {
        (each.name, *sorted(f"{k}={v}" for k, v in point.attributes.items() if k != "graphwright.flow")): point
        for scope in data.resource_metrics[0].scope_metrics
        for each in scope.metrics
        for point in each.data.data_points
    }
    counters = {key: point.value for key, point in found.items() if hasattr(point, "value")}
    assert counters[("graphwright.turns", "graphwright.status=ended")] == 1
    assert counters[("graphwright.nodes.entered", "graphwright.kind=action", "graphwright.node=act")] == 1
    assert counters[("graphwright.edges.taken", "graphwright.edge=d->t")] == 1
    assert counters[("graphwright.guards.checked", "graphwright.guard=d->t", "graphwright.outcome=opened")] == 1
    assert counters[("graphwright.tools", "gen_ai.tool.name=look", "graphwright.outcome=bad_arguments")] == 1
    act = ("graphwright.action=act", "graphwright.node=act")
    assert counters[("graphwright.actions", *act, "graphwright.outcome=failed")] == 1
    assert counters[("graphwright.actions", *act, "graphwright.outcome=finished")] == 1
    histograms = {key[0]: point for key, point in found.items() if hasattr(point, "count")}
    assert histograms["gen_ai.client.operation.duration"].count == 3
    assert histograms["gen_ai.client.token.usage"].count == 3
    assert tuple(histograms["gen_ai.client.token.usage"].explicit_bounds) == spans_module.TOKEN_BOUNDS


def test_the_names_are_those_of_the_conventions() -> None:
    known = {value for name, value in vars(conventions).items() if name.startswith("GEN_AI")}
    known |= {value for name, value in vars(metric_conventions).items() if name.startswith("GEN_AI")}
    used = {v for k, v in vars(spans_module).items() if k.isupper() and isinstance(v, str) and v.startswith("gen_ai.")}
    assert len(used) >= 14
    assert used <= known
    operations = {each.value for each in conventions.GenAiOperationNameValues}
    assert {spans_module.INVOKE_AGENT, spans_module.CHAT, spans_module.EXECUTE_TOOL} <= operations


def test_models_are_told_by_provider_and_name() -> None:
    assert spans_module.provider_and_model("openai:gpt-5") == ("openai", "gpt-5")
    assert spans_module.provider_and_model("google_genai:gemini-3") == ("gcp.gemini", "gemini-3")
    assert spans_module.provider_and_model("embedded") == ("graphwright", "embedded")
    assert spans_module.provider_and_model("embedded:/home/ann/model.gguf") == ("graphwright", "embedded")


@pytest.mark.parametrize(
    ("environment", "traces", "metrics"),
    [
        ({}, (), ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, ("otlp",), ("otlp",)),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, ("otlp",), ()),
        ({"OTEL_TRACES_EXPORTER": "console"}, ("console",), ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_METRICS_EXPORTER": "none"}, ("otlp",), ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}, (), ()),
    ],
)
def test_the_environment_says_what_is_sent(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], traces: tuple[str, ...], metrics: tuple[str, ...]
) -> None:
    for name in ("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert otel.asked_for("traces") == traces
    assert otel.asked_for("metrics") == metrics


# end to end


class Receiver(ThreadingHTTPServer):
    """A collector on this machine: it keeps what it is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[Any] = []
        self.services: set[str] = set()
        self.metrics: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                attributes = resource.resource.attributes
                self.server.services |= {a.value.string_value for a in attributes if a.key == "service.name"}
                self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        elif self.path == "/v1/metrics":
            for each in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.server.metrics |= {metric.name for scope in each.scope_metrics for metric in scope.metrics}
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_the_command_line_sends_spans_and_metrics_to_a_collector(tmp_path: Path, receiver: Receiver) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    done = program(
        *("ask", file, "Zenobia", "--thread", "t1", "--json"),
        home=tmp_path / "home",
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url,
    )
    assert done.json["status"] == "waiting"
    (span,) = receiver.spans
    assert span.name == "invoke_agent small"
    attributes = {each.key: each.value for each in span.attributes}
    assert attributes["gen_ai.conversation.id"].string_value == "t1"
    assert [v.string_value for v in attributes["graphwright.path"].array_value.values] == ["q.name", "q.sure"]
    assert receiver.services == {"graphwright"}
    assert {"graphwright.turns", "graphwright.nodes.entered"} <= receiver.metrics
    assert "Zenobia" not in str(receiver.spans)


@pytest.mark.slow
def test_a_program_of_ones_own_sends_them_at_its_end(tmp_path: Path, receiver: Receiver) -> None:
    (tmp_path / "small.yaml").write_text(FLOW, "utf-8")
    code = (
        "import asyncio, graphwright\n"
        "async def main():\n"
        "    async with graphwright.load('small.yaml').session('t1') as session:\n"
        "        await session.send('Ann')\n"
        "        await session.resume(True)\n"
        "asyncio.run(main())\n"
    )
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_SERVICE_NAME": "desk"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path / "home", **settings),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [span.name for span in receiver.spans] == ["invoke_agent small"] * 2
    assert receiver.services == {"desk"}
    assert "graphwright.turns" in receiver.metrics


@pytest.mark.slow
def test_a_collector_that_is_not_there_fails_no_turn(tmp_path: Path, receiver: Receiver) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    gone = receiver.url
    receiver.server_close()
    done = program(
        *("ask", file, "Zenobia", "--json"),
        home=tmp_path / "home",
        OTEL_EXPORTER_OTLP_ENDPOINT=gone,
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )
    assert (done.code, done.json["status"]) == (3, "waiting")


def test_an_exporter_that_is_not_known_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    monkeypatch.setattr(api, "set_tracer_provider", lambda _: None)
    monkeypatch.setattr(otel, "_ours", [])
    with caplog.at_level(logging.WARNING):
        otel._set_up_traces(None)
    assert "'zipkin' is not known" in caplog.text


def test_missing_packages_are_warned_of(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(otel, "find_spec", lambda _: None)
    with caplog.at_level(logging.WARNING):
        otel._set_up.__wrapped__()
    assert "pip install 'graphwright[otel]'" in caplog.text


def test_what_is_off_is_not_even_imported(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(FLOW, "utf-8")
    code = (
        "import sys\n"
        "from graphwright.cli.app import run\n"
        "assert run(['ask', 'small.yaml', 'Ann', '--json']) == 3\n"
        "ours = ('logs', 'spans', 'metrics')\n"
        "print([m for m in ('structlog', *(f'graphwright.runtime.telemetry.{n}' for n in ours)) if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path / "home"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "[]"
