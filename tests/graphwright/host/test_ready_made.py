"""Ready-made actions in flows without Python: performed, refused, and unknown outcomes; records; stubs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli_support import Runner
from graphwright.flow import compile_text
from graphwright.store import open_store
from host_support import agent, open_session, trace
from http_support import Seen, serving

pytestmark = pytest.mark.anyio

HEAD = "version: v1\nid: f\n"
ASKED = """
state: {got: {type: object, properties: {total: {type: integer}}}, told: {type: string}, kind: {enum: [good, bad]}}
nodes:
  - {id: q, type: question, key: name, prompt: "Name?", read: verbatim}
  - %s
  - {id: t, type: terminal, say: "%s"}
  - {id: sorry, type: terminal, say: Sorry.}
edges:
  - {from: q, to: a}
  - {from: a, to: t}
"""


def asking(node: str, say: str = "Done.") -> str:
    return ASKED % (f"{{id: a, type: action, {node}}}", say)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    with serving() as seen:
        configure(tmp_path, monkeypatch, f'[http."{seen.host}"]\nprivate = true\ntimeout = 2\n')
        yield seen


def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (tmp_path / "graphwright.toml").write_text(text, "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(tmp_path / "graphwright.toml"))


async def test_a_model_answers_into_a_channel_of_its_schema_or_with_text(tmp_path: Path) -> None:
    text = asking(
        "run: ask_model, with: {prompt: kind, inputs: {name: '{{ answers.name }}'}, into: kind}", "{{ kind }}"
    )
    prompts = tmp_path / "a" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "kind.j2").write_text("=== user ===\nIs {{ name }} good?\n")
    rule = {"offers": "kind", "says": "Is Ann good", "call": {"kind": {"kind": "good"}}}
    async with open_session(agent(tmp_path / "a", text), tmp_path / "home", rule) as session:
        done = await session.send("Ann")
        assert (done.reply, done.error) == ("good", None)
    plain = agent(tmp_path / "a", text.replace("into: kind", "into: told").replace("{{ kind }}", "{{ told }}"))
    async with open_session(plain, tmp_path / "home2", {"says": "Is Ben good", "text": "He is."}) as session:
        assert (await session.send("Ben")).reply == "He is."


async def test_an_instruction_asks_without_a_prompt_file_and_fences_its_inputs(tmp_path: Path) -> None:
    node = "run: ask_model, with: {instruction: Judge it., inputs: {text: '{{ answers.name }}'}, into: kind}"
    rule = {"offers": "kind", "anywhere": 'Judge it.*text:\n"""\nAnn \'\'\'\n"""', "call": {"kind": {"kind": "good"}}}
    async with open_session(agent(tmp_path, asking(node, "{{ kind }}")), tmp_path / "home", rule) as session:
        assert (await session.send('Ann """')).reply == "good"


async def test_a_request_writes_its_response_and_encodes_its_values(server: Seen, tmp_path: Path) -> None:
    node = f"run: http_request, on_error: sorry, with: {{url: '{server.url}/{{{{ answers.name }}}}', into: got}}"
    made = agent(tmp_path / "a", asking(node, "{{ got.total }}"))
    async with open_session(made, tmp_path / "home") as session:
        assert (await session.send("a/../b?c#d")).reply == "25"
        assert (await session.send("text")).reply == "Sorry."
        failed = [event["error"] for event in await trace(session) if event["type"] == "action_failed"]
    assert server.requests[0]["path"] == "/a%2F..%2Fb%3Fc%23d"
    assert failed == ["The response does not fit the channel 'got': it must be a set of named values"]


CONFIRMED = """
state: {got: {type: string}}
nodes:
  - {id: q, type: question, key: name, prompt: "Name?", read: verbatim}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send {{ answers.name }}?"}
  - {id: a, type: action, run: RUN, confirm: {by: q.sure, over: [answers.name]}, with: WITH}
  - {id: t, type: terminal, say: "Sent."}
edges:
  - {from: q, to: q.sure}
  - {from: q.sure, to: a, guard: answers.sure == true}
  - {from: q.sure, to: t, guard: else}
  - {from: a, to: t}
"""


async def test_a_request_with_an_unknown_outcome_is_not_sent_again_without_asking(server: Seen, tmp_path: Path) -> None:
    with_ = f"{{method: POST, url: '{server.url}/{{{{ answers.name }}}}', body: {{to: '{{{{ answers.name }}}}'}}}}"
    made = agent(tmp_path / "a", CONFIRMED.replace("RUN", "http_request").replace("WITH", with_))
    async with open_session(made, tmp_path / "home") as session:
        await session.send("broken")
        asked = await session.send("yes")
        assert asked.waiting_for is not None
        assert (asked.waiting_for.kind, len(server.requests)) == ("choice", 1)
        assert (await session.send("again")).waiting_for.kind == "choice"  # type: ignore[union-attr]
        assert (await session.send("done")).reply.endswith("Sent.")
    keys = [request["headers"]["idempotency-key"] for request in server.requests]
    assert (len(keys), len(set(keys)), json.loads(server.requests[0]["body"])) == (2, 1, {"to": "broken"})


async def test_a_tool_that_is_called_as_read_only_must_be_declared_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = Path(__file__).parents[2] / "data" / "mcp_servers" / "raw.py"
    configure(tmp_path, monkeypatch, f'[mcp.raw]\ncommand = "{sys.executable}"\nargs = ["{raw}"]\ntools = ["echo"]\n')
    node = "run: call_tool, with: {server: raw, tool: %s, arguments: {text: '{{ answers.name }}'}, read_only: true}"
    codes = []
    for tool in ("echo", "nothing"):
        async with open_session(agent(tmp_path / tool, asking(node % tool)), tmp_path / f"home-{tool}") as session:
            error = (await session.send("hello")).error
            codes.append(error and error.code)
    assert codes == ["tool_not_read_only", "no_mcp_tool"]
    with_ = "{server: raw, tool: echo, arguments: {text: '{{ answers.name }}'}, into: got}"
    made = agent(tmp_path / "b", CONFIRMED.replace("RUN", "call_tool").replace("WITH", with_))
    async with open_session(made, tmp_path / "home") as session:
        await session.send("hello")
        done = await session.send("yes")
        assert (done.values["got"], done.error) == ("hello", None)


async def test_records_are_kept_once_and_a_hand_over_tells_the_user_the_trace_and_the_operator(
    tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = asking("run: record, with: {collection: guests, value: {name: '{{ answers.name }}', n: 1}}")
    async with open_session(agent(tmp_path / "a", text), tmp_path / "home") as session:
        await session.send("Ann")
    text = asking("run: hand_over, with: {to: desk, summary: '{{ answers.name }} waits'}")
    async with open_session(agent(tmp_path / "b", text), tmp_path / "home", thread="u") as session:
        assert (await session.send("Ben")).reply.startswith("I pass this on to a person")
        told = [event for event in await trace(session) if event["type"] == "handed_over"]
        assert told == [{"type": "handed_over", "node": "a", "to": "desk", "summary": "Ben waits"}]
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))
    listing = await asyncio.to_thread(run, "records")
    assert listing.out.split() == ["COLLECTION", "RECORDS", "guests", "1", "hand_over", "1"]
    listed = json.loads((await asyncio.to_thread(run, "records", "guests", "--json")).out)
    assert [each["value"] for each in listed] == [{"name": "Ann", "n": 1}]
    async with open_store(tmp_path / "home") as store:
        assert [each.thread for each in await store.records.list("hand_over")] == ["u"]


@pytest.mark.parametrize(("summary", "told"), [("{{ rooms }}", "Red, Blue"), ("for {{ rooms }}", "for Red, Blue")])
async def test_a_hand_over_joins_a_list_with_commas(tmp_path: Path, summary: str, told: str) -> None:
    text = asking(f"run: hand_over, with: {{summary: '{summary}', say: '{summary}'}}")
    text = text.replace("state: {", "state: {rooms: {type: array, default: [Red, Blue]}, ")
    async with open_session(agent(tmp_path / "a", text), tmp_path / "home") as session:
        assert (await session.send("Ann")).reply.startswith(told)
        assert [each["summary"] for each in await trace(session) if each["type"] == "handed_over"] == [told]


async def test_say_sends_a_text_once_between_two_questions(tmp_path: Path) -> None:
    text = """
nodes:
  - {id: q, type: question, key: name, prompt: "Name?", read: verbatim}
  - {id: a, type: action, run: say, with: {text: "Welcome, {{ answers.name }}."}}
  - {id: r, type: question, key: rooms, prompt: "How many rooms?", schema: {type: integer}}
  - {id: t, type: terminal}
edges: [{from: q, to: a}, {from: a, to: r}, {from: r, to: t}]
"""
    made = agent(tmp_path / "a", text)
    assert (made.flow.signatures["a"].reads, made.flow.signatures["a"].effects) == (("answers.name",), False)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        assert (await session.resume("Ann")).reply == "Welcome, Ann.\n\nHow many rooms?"
        assert "Welcome" not in (await session.resume("many")).reply


async def test_a_missing_value_fails_before_anything_is_done(server: Seen, tmp_path: Path) -> None:
    text = asking(f"run: http_request, with: {{url: '{server.url}/x?n={{{{ got.total }}}}', into: got}}")
    async with open_session(agent(tmp_path / "a", text), tmp_path / "home") as session:
        error = (await session.send("Ann")).error
    assert error is not None
    assert (error.code, server.requests) == ("missing_parameter", [])


def found(node: str) -> list[tuple[str, str]]:
    diagnostics = compile_text(HEAD + asking(node)).diagnostics
    return [(each.code, each.pointer.removeprefix("/nodes/1")) for each in diagnostics if each.code != "GW402"]


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("run: http_request, with: {url: 'https://x.example/', method: PUT}", ("GW540", "/with/method")),
        ("run: call_tool, with: {server: s, tool: t}", ("GW540", "/run")),
        ("run: http_request, with: {url: 'https://{{ answers.name }}.example/'}", ("GW541", "/with/url")),
        ("run: http_request, with: {url: 'https://x.example{{ answers.name }}'}", ("GW541", "/with/url")),
        ("run: http_request, with: {url: 'https://x.example/?token=abc123def'}", ("GW541", "/with/url")),
        ('run: http_request, with: {url: "https://x.example\\n.evil.example/"}', ("GW541", "/with/url")),
        ("run: http_request, with: {url: 'https://x.example\\\\@evil.example/'}", ("GW541", "/with/url")),
        ("run: ask_model, with: {prompt: ../../secret, into: told}", ("GW125", "/with/prompt")),
        (
            "run: http_request, with: {url: 'https://x.example/', headers: {Authorization: 'Bearer x'}}",
            ("GW541", "/with/headers/Authorization"),
        ),
        ("run: http_request, with: {url: 'https://x.example/', into: gone}", ("GW503", "/with/into")),
        ("run: http_request, with: {url: 'https://x.example/{{ got }}'}", ("GW303", "/with/url")),
        ("run: http_request, with: {url: 'https://x.example/', timeout: 3}", ("GW120", "/with/timeout")),
        ("run: hand_over, with: {summary: '{{ answers.nme }}'}", ("GW302", "/with/summary")),
        ("run: record, with: {collection: a-b, value: {}}", ("GW125", "/with/collection")),
        ("run: ask_model, with: {prompt: p}", ("GW121", "/with")),
        ("run: ask_model, with: {into: told}", ("GW121", "/with")),
        ("run: ask_model, with: {prompt: p, instruction: i, into: told}", ("GW122", "/with")),
        ("run: mine, with: {prompt: p}", ("GW120", "/with")),
    ],
)
def test_faults_in_parameters_are_found_at_their_place(node: str, expected: tuple[str, str]) -> None:
    assert expected in found(node)


def test_what_parameters_read_and_write_is_derived_from_them() -> None:
    flow = compile_text(HEAD + asking("run: record, with: {collection: c, value: {a: ['{{ answers.name }}', x]}}")).flow
    assert flow is not None
    signature = flow.signatures["a"]
    assert (signature.reads, signature.writes, signature.effects) == (("answers.name",), (), True)


def test_an_action_of_the_agents_own_python_takes_precedence(tmp_path: Path) -> None:
    text = asking("run: record")
    made = agent(tmp_path / "a", text, "@action(reads=[], writes=[])\ndef record(state, ctx):\n    return {}\n")
    assert made.flow.action("a").parameters is None
