"""Telemetry: counters folded from traces; logs and spans of turns, off unless enabled, without messages."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import opentelemetry.semconv._incubating.attributes.gen_ai_attributes as conventions
import pytest
import structlog
from opentelemetry import trace as api
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from structlog.testing import CapturingLoggerFactory

from cli_support import FLOW, Runner, environment, program
from graphwright import UsageError
from graphwright.host import telemetry
from graphwright.host.telemetry import _otel as otel
from graphwright.host.telemetry import asked_for
from graphwright.host.telemetry._counters import FlowCount, counted
from host_support import agent, open_session, reads, trace, unknown
from local_http_support import LocalHandler, served_by

# counters

COUNTED = """
restart: keep
on_escalate: t.person
state: {n: {type: integer, default: 0}}
nodes:
  - {id: q.age, type: question, key: age, prompt: Age?, schema: {type: integer}}
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim, when: "answers.age > 10"}
  - {id: d, type: decision}
  - {id: act, type: action, run: act, retry: {attempts: 2}}
  - {id: broken, type: action, run: broken}
  - {id: t, type: terminal}
  - {id: t.person, type: terminal}
edges:
  - {from: q.age, to: q.name}
  - {from: q.name, to: d}
  - {from: d, to: t, guard: answers.name == 'nobody'}
  - {from: d, to: broken, guard: 10 / n == 7}
  - {from: d, to: act, guard: answers.age > 1}
  - {from: d, to: act, guard: answers.age > 2, id: second}
  - {from: d, to: t, guard: else}
  - {from: act, to: t}
  - {from: broken, to: t}
"""
COUNTED_NODES = """
from graphwright import tool

@tool(nodes=["act"], parameters={"type": "object", "properties": {"x": {"type": "integer"}}})
def look(x):
    return x

@action(writes=["n"])
async def act(state, ctx):
    await ctx.tools.call("look", {"x": ctx.attempt})
    await ctx.tools.call("look", {"x": "one"})
    if ctx.attempt == 1:
        raise RuntimeError("first")
    return {"n": 1}

@action()
def broken(state, ctx):
    raise RuntimeError("always")
"""
COUNTED_RULES = (
    reads("I am 7", ("age", 7, "7")),
    reads("I am 30", ("age", 30, "30")),
    unknown("again", "age", kind="other"),
    {"says": "person", "call": {"EscalateToHuman": {"reason": "wants a person"}}},
    {"says": "down", "fail": "timeout"},
)


async def test_everything_that_happened_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphwright.models._calls.RETRIES", 0)
    made = agent(tmp_path / "a", COUNTED, COUNTED_NODES)
    counts: dict[str, FlowCount] = {}
    for thread, texts in {"1": ["I am 7"], "2": ["I am 30", "Ann", "again"], "3": ["down", "person please"]}.items():
        async with open_session(made, tmp_path / "home", *COUNTED_RULES, thread=thread) as session:
            for text in texts:
                await session.send(text)
            counted([*await trace(session), {"type": "from_the_future"}], counts)
    (flow,) = counts.values()
    assert (flow.flow, flow.conversations, flow.turns, flow.failed, flow.escalated) == ("flow.demo", 4, 6, 1, 1)
    assert (flow.model_calls, flow.model_failures, flow.tool_calls, flow.tool_failures) == (5, 1, 12, 6)
    age, name, act = flow.nodes["q.age"], flow.nodes["q.name"], flow.nodes["act"]
    assert (age.kind, age.entered, age.passed) == ("question", 4, 1)
    assert (name.entered, name.passed, name.waited) == (3, 2, 1)
    assert (act.kind, act.entered, act.performed, act.failed) == ("action", 3, 3, 0)
    taken = {each: (edge.taken, edge.ambiguous) for each, edge in flow.edges.items() if edge.source == "d"}
    assert taken == {"d->act": (3, 3)}
    guards = {each: (g.opened, g.closed, g.missing, g.failed) for each, g in flow.guards.items()}
    assert guards["q.name.when"] == (2, 1, 0, 0)
    assert guards["d->t"] == (0, 2, 1, 0)
    assert guards["second"] == (3, 0, 0, 0)
    assert guards["d->broken"] == (0, 1, 0, 2)
    assert flow.to_json()["edges"]["d->act"] == {"source": "d", "target": "act", "taken": 3, "ambiguous": 3}


async def test_copied_events_of_a_branch_are_not_counted(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", COUNTED, COUNTED_NODES)
    async with open_session(made, tmp_path / "home", *COUNTED_RULES) as session:
        await session.send("I am 30")
        branch = await session.branch(-1)
    async with open_session(made, tmp_path / "home", *COUNTED_RULES, thread=branch.thread) as session:
        await session.send("Ann")
        (flow,) = counted(await trace(session)).values()
    assert (flow.conversations, flow.turns, flow.model_calls) == (0, 1, 0)
    assert flow.nodes["act"].entered == 1
    assert "q.age" not in flow.nodes


# logs and spans: of one conversation

TALK = """
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
STUCK = TALK.replace("n > 0", "n > 5")
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
    (ctx.folder / "span").write_text(str(trace.get_current_span().get_span_context().span_id))
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
WORDS = ("Zenobia", "hunter2", "Whose", "cannot work", "A note")


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """The log lines in structlog, for a program that has configured it."""
    found: list[dict[str, Any]] = []

    def keep(_: Any, __: str, event: Any) -> Any:
        found.append(dict(event))
        return (), {}

    processors = [structlog.processors.add_log_level, keep]
    structlog.configure(processors=processors, logger_factory=CapturingLoggerFactory())
    yield found
    structlog.reset_defaults()


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """The spans of turns, for a program that has a tracer provider."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # The provider of a process can be set only once.
    for module in (telemetry, otel):
        monkeypatch.setattr(module, "tracer_provider", lambda: provider)
    monkeypatch.delenv(otel.CONTENT_SWITCH, raising=False)
    return exporter


def named(exporter: InMemorySpanExporter) -> dict[str, list[ReadableSpan]]:
    found: dict[str, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        found.setdefault(span.name, []).append(span)
    return found


def about(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def inside(span: ReadableSpan) -> int | None:
    return span.parent and span.parent.span_id


async def test_a_turn_is_logged_with_thread_agent_and_turn_and_without_words(
    tmp_path: Path, lines: list[dict[str, Any]], spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZZ_API_KEY", "supersecretvalue")
    made = agent(tmp_path / "a", STUCK, NODES)
    async with open_session(made, tmp_path / "home", *RULES, thread="supersecretvalue-1") as session:
        await session.start()
        turn = await session.send("I am Zenobia")
        with pytest.raises(UsageError, match="wait for an answer"):
            await session.resume(True)
    assert turn.error is not None
    by_kind = {line["event"]: line for line in lines}
    assert {"model_called", "answer_committed", "action_failed", "channels_written", "turn_failed"} <= set(by_kind)
    assert all(line["agent"] == "a" and line["thread"] for line in lines)
    assert [line["turn"] for line in lines if line["event"] == "turn_started"] == [1, 2]
    assert by_kind["action_failed"]["level"] == "warning"
    assert by_kind["channels_written"].keys() == {"event", "level", "agent", "thread", "turn", "node"}
    assert (by_kind["turn_failed"]["code"], by_kind["turn_failed"]["level"]) == ("stuck_no_open_edge", "error")
    assert (by_kind["turn_ended"]["status"], by_kind["turn_ended"]["model_calls"]) == ("failed", 3)
    assert (lines[-1]["event"], lines[-1]["code"], lines[-1]["level"]) == ("turn_broken", "nothing_waits", "error")
    assert not any(word in json.dumps(lines) for word in (*WORDS, "supersecretvalue"))
    # Their spans have the codes, too.
    _, failed, broken = named(spans)["invoke_agent a"]
    assert (about(failed)["graphwright.status"], about(failed)["error.type"]) == ("failed", "stuck_no_open_edge")
    assert about(broken)["error.type"] == "nothing_waits"
    assert {failed.status.status_code, broken.status.status_code} == {StatusCode.ERROR}


async def test_a_log_that_cannot_be_written_fails_no_turn(
    tmp_path: Path, lines: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> Any:
        raise OSError("no space left")

    structlog.configure(processors=[full])
    async with open_session(agent(tmp_path / "a", TALK, NODES), tmp_path / "home") as session:
        with caplog.at_level(logging.WARNING):
            assert (await session.start()).status == "waiting"
    assert [r.message for r in caplog.records] == ["TurnLog is off for this turn: no space left"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Runner]:
    structlog.reset_defaults()
    (tmp_path / "small.yaml").write_text(FLOW, "utf-8")
    yield Runner(capsys, monkeypatch, tmp_path / "home")
    structlog.reset_defaults()


def test_the_command_line_can_log_to_stderr(tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "small.yaml"
    assert "turn_started" not in run("ask", file, "Zenobia", "--thread", "t1").err
    monkeypatch.setenv("GRAPHWRIGHT_LOG", "json")
    done = run("ask", file, "yes", "--thread", "t1", "--json")
    assert done.json["status"] == "ended"
    logged = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    assert [line["event"] for line in logged] == ["turn_started", "answer_committed", "turn_ended"]
    assert {(line["thread"], line["agent"], line["turn"]) for line in logged} == {("t1", "small", 2)}
    monkeypatch.setenv("GRAPHWRIGHT_LOG", "text")
    monkeypatch.setenv("GRAPHWRIGHT_LOG_LEVEL", "debug")
    shown = run("ask", file, "Bea", "--thread", "t1")
    assert "[debug    ] node_entered" in shown.err
    assert "Bea" not in shown.err.replace(str(file), "")
    for name, value in (("GRAPHWRIGHT_LOG_LEVEL", "loud"), ("GRAPHWRIGHT_LOG", "xml")):
        monkeypatch.setenv(name, value)
        done = run("threads")
        assert done.code == 2
        assert f"{name} is '{value}'. Set it to one of" in done.err


async def test_a_turn_is_a_span_with_calls_actions_and_tools(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    made = agent(tmp_path / "a", TALK, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        turn = await session.send("I am Zenobia")
    assert turn.status == "ended"
    found = named(spans)
    assert {name: len(each) for name, each in found.items()} == {
        **{"invoke_agent a": 1, "chat ScriptedModel": 3, "action act": 2, "action hide": 1, "execute_tool look": 1}
    }
    (whole,) = found["invoke_agent a"]
    assert (whole.kind, whole.parent, whole.status.status_code) == (SpanKind.INTERNAL, None, StatusCode.UNSET)
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
    first, second = found["action act"]
    assert [about(each)["graphwright.attempt"] for each in (first, second)] == [1, 2]
    assert (first.status.status_code, about(first)["error.type"]) == (StatusCode.ERROR, "action_failed")
    assert second.status.status_code is StatusCode.UNSET
    reading, noting, hiding = found["chat ScriptedModel"]
    (tool,), (hide,) = found["execute_tool look"], found["action hide"]
    outer = [span.get_span_context().span_id for span in (whole, second, hide, whole, second)]
    assert [inside(each) for each in (reading, noting, hiding, first, tool)] == outer
    assert (reading.kind, about(reading)["graphwright.node"]) == (SpanKind.CLIENT, "q")
    assert about(reading)["graphwright.offered"][:2] == ("UpdateAnswers", "UnknownAnswer")
    assert about(reading)["gen_ai.request.model"] == "ScriptedModel"
    assert otel.provider_and_model("google_genai:gemini-3") == ("gcp.gemini", "gemini-3")
    assert otel.provider_and_model("embedded:/home/ann/model.gguf") == ("graphwright", "embedded")
    assert (about(tool)["gen_ai.tool.name"], about(tool)["error.type"]) == ("look", "bad_arguments")
    # A span that an action creates belongs to the turn.
    assert next(tmp_path.rglob("span")).read_text() == str(whole.get_span_context().span_id)
    assert not api.get_current_span().get_span_context().is_valid
    known = {value for name, value in vars(conventions).items() if name.startswith("GEN_AI")}
    for span in spans.get_finished_spans():
        assert whole.start_time <= span.start_time <= span.end_time <= whole.end_time
        assert {name for name in about(span) if name.startswith("gen_ai.")} <= known
        assert not any(word in span.to_json() for word in WORDS)


async def test_spans_have_texts_only_on_request_and_never_private_ones(
    tmp_path: Path, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(otel.CONTENT_SWITCH, "true")
    async with open_session(agent(tmp_path / "a", TALK, NODES), tmp_path / "home", *RULES) as session:
        await session.send("I am Zenobia")
    found = named(spans)
    (whole,) = found["invoke_agent a"]
    said = json.loads(about(whole)["gen_ai.input.messages"])
    assert said == [{"role": "user", "parts": [{"type": "text", "content": "I am Zenobia"}]}]
    assert "Bye Zenobia" in about(whole)["gen_ai.output.messages"]
    reading, noting, hiding = found["chat ScriptedModel"]
    roles = [message["role"] for message in json.loads(about(reading)["gen_ai.input.messages"])]
    assert (roles[0], roles[-1]) == ("system", "user")
    assert "A note on Zenobia" in about(noting)["gen_ai.input.messages"]
    assert "a note for Zenobia" in about(noting)["gen_ai.output.messages"]
    assert "gen_ai.input.messages" not in about(hiding)
    assert "hunter2" not in "".join(span.to_json() for span in spans.get_finished_spans())


@pytest.mark.parametrize(
    ("environment", "exporters"),
    [
        ({}, ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, ("otlp",)),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, ("otlp",)),
        ({"OTEL_TRACES_EXPORTER": "console, otlp"}, ("console", "otlp")),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"}, ()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}, ()),
    ],
)
def test_the_environment_says_what_is_sent(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], exporters: tuple[str, ...]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert asked_for() == exporters


class Receiver(LocalHandler):
    """A collector on this machine, which records what it receives."""

    def do_POST(self) -> None:
        for resource in ExportTraceServiceRequest.FromString(self.body()).resource_spans:
            attributes = resource.resource.attributes
            self.server.services |= {a.value.string_value for a in attributes if a.key == "service.name"}
            self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        self.send(200)


@pytest.mark.slow
def test_the_command_line_and_programs_send_their_spans_to_a_collector_that_may_be_gone(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(FLOW, "utf-8")
    ask = ("ask", tmp_path / "small.yaml", "Zenobia", "--thread", "t1", "--json")
    with served_by(Receiver) as receiver:
        receiver.spans, receiver.services = list[Any](), set[str]()
        settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
        assert program(*ask, home=tmp_path / "home", **settings).json["status"] == "waiting"
        (span,) = receiver.spans
        assert (span.name, receiver.services) == ("invoke_agent small", {"graphwright"})
        assert {each.key: each.value for each in span.attributes}["gen_ai.conversation.id"].string_value == "t1"
        assert "Zenobia" not in str(receiver.spans)
        code = (
            "import asyncio, graphwright\n"
            "async def main():\n"
            "    async with graphwright.load('small.yaml').session('t2') as session:\n"
            "        await session.send('Ann')\n"
            "        await session.resume(True)\n"
            "asyncio.run(main())\n"
        )
        done = python(code, tmp_path, **settings, OTEL_SERVICE_NAME="desk")
        assert (done.returncode, done.stderr) == (0, "")
        assert [span.name for span in receiver.spans[1:]] == ["invoke_agent small"] * 2
        assert receiver.services == {"graphwright", "desk"}
    lost = program(*ask, home=tmp_path / "gone", **settings, OTEL_EXPORTER_OTLP_TIMEOUT="1")
    assert (lost.code, lost.json["status"]) == (3, "waiting")


def python(code: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment(folder / "home", **settings),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


async def test_unavailable_telemetry_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    assert list(otel._exporters()) == []
    assert "OTEL_TRACES_EXPORTER: no package has 'zipkin'" in caplog.text
    monkeypatch.setitem(sys.modules, "graphwright.host.telemetry._otel", None)
    monkeypatch.delattr("graphwright.host.telemetry._otel")
    async with open_session(agent(tmp_path / "a", TALK, NODES), tmp_path / "home") as session:
        assert (await session.start()).status == "waiting"
    assert "pip install 'graphwright[otel]'" in caplog.text
