"""A flow in the shadow of the one that answers, live and over recorded threads, and what cannot be known of it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli_support import Runner
from graphwright import load
from graphwright.engine._flow_versions import versions
from graphwright.engine._shadow import Beside, follow_all
from graphwright.engine.events import event_from_json
from graphwright.flow import compile_text
from graphwright.host._run import run_validator
from graphwright.testing._running import Result
from graphwright.testing._suite import find_conversations, run_suite
from host_support import IMPORTS, of_type, open_session, reads, trace

ROOT = Path(__file__).parents[3]

OLD = """
version: v1
id: flow.offer
state:
  quote: {type: [integer, "null"]}
nodes:
  - {id: q.name, type: question, key: name, prompt: "Name?", schema: {type: string}}
  - {id: q.size, type: question, key: size, prompt: "Size?", schema: {type: integer}}
  - {id: price, type: action, run: price}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "{{ quote }} euros?"}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [quote]}}
  - {id: done, type: terminal, say: Sent.}
  - {id: not, type: terminal, say: Not sent.}
edges:
  - {from: q.name, to: q.size}
  - {from: q.size, to: price}
  - {from: price, to: q.sure}
  - {from: q.sure, to: send, guard: "answers.sure == true"}
  - {from: q.sure, to: not, guard: else}
  - {from: send, to: done}
"""

NODES = """
DONE = []

@action(reads=["answers.size"], writes=["quote"], effects=False)
def price(state, ctx):
    DONE.append("price")
    return {"quote": state["answers"]["size"] * 10}

@action(reads=["quote"], writes=[])
def send(state, ctx):
    DONE.append("send")

@action(reads=["quote"], writes=[])
def notify(state, ctx):
    DONE.append("notify")

@action(reads=["answers"], writes=["quote"], effects=False)
def price_all(state, ctx):
    DONE.append("price_all")
    return {"quote": 1}
"""

RULES = (reads("Ada", ("name", "Ada", "Ada")), reads("12", ("size", 12, "12")), reads("13", ("size", 13, "13")))


def write(folder: Path, new: str, old: str = OLD) -> Path:
    """A folder with a new flow, the older one that answers, and the Python of both."""
    (folder / "old.yaml").write_text(old, "utf-8")
    (folder / "nodes.py").write_text(IMPORTS + NODES, "utf-8")
    file = folder / "new.yaml"
    file.write_text(new.replace("id: flow.offer", "id: flow.offer\nshadow: old.yaml"), "utf-8")
    return file


async def verdicts(folder: Path, new: str, *said: str, old: str = OLD) -> list[tuple[str, str, Any]]:
    """The verdict of each turn, its reason, and the key or node of the new flow. Each turn opens a session."""
    made = load(write(folder, new, old))
    for text in said:
        async with open_session(made, folder / "home", *(rule for rule in RULES if rule["says"] in text)) as session:
            turn = await session.send(text)
            assert turn.error is None
            events = await trace(session)
    found = [(e["verdict"], e["reason"], e["shadow"]) for e in of_type(events, "shadow_compared")]
    assert len(found) == len(said)
    return [(verdict, reason, shadow and (shadow["key"] or shadow["node"])) for verdict, reason, shadow in found]


CONVERSATION = ("I am Ada", "size 12", "yes")


async def test_the_older_flow_answers_and_the_new_one_performs_nothing(tmp_path: Path) -> None:
    new = OLD.replace("Name?", "Your name?")
    made = load(write(tmp_path, new))
    assert (made.flow.nodes["q.name"].prompt.text, made.beside is not None) == ("Name?", True)  # type: ignore[attr-defined]
    found = await verdicts(tmp_path, new, *CONVERSATION, "I am Ada")
    assert [each[0] for each in found] == ["same"] * 4
    done = made.action("price").function.__globals__["DONE"]  # type: ignore[attr-defined]
    assert done == ["price", "send"]
    assert load(tmp_path / "old.yaml").flow.hash != made.beside.flow.hash  # type: ignore[union-attr]
    plain = (tmp_path / "new.yaml").read_text("utf-8").replace("shadow: old.yaml\n", "")
    (tmp_path / "plain.yaml").write_text(plain, "utf-8")
    assert load(tmp_path / "plain.yaml").flow.hash == made.beside.flow.hash  # type: ignore[union-attr]


CHANGES: dict[str, Any] = yaml.safe_load(r"""
the order of questions:
  change:
    {"nodes:": "entry: q.size\nnodes:", "q.name, to: q.size": "q.size, to: q.name", "q.size, to: p": "q.name, to: p"}
  found: [same size, same sure, same done]
a schema that refuses the value:
  change: {"schema: {type: integer}": "schema: {type: integer, minimum: 13}"}
  found: [same size, different size, "unknown "]
one question more:
  change:
    "edges:": "  - {id: q.mail, type: question, key: mail, prompt: Mail?}\nedges:\n  - {from: q.mail, to: q.size}"
    "{from: q.name, to: q.size}": "{from: q.name, to: q.mail}"
  found: [different mail, "unknown ", "unknown "]
an action that the older flow does not perform:
  change: {"run: price": "run: price_all"}
  found: [same size, "unknown ", "unknown "]
an effect that the older flow does not have:
  change: {"run: send,": "run: notify,"}
  found: [same size, same sure, different send]
another way to the end:
  change: {"send, guard: \"answers.sure": "not, guard: \"answers.sure", "not, guard: else": "send, guard: else"}
  found: [same size, same sure, different not]
another id and key of a question:
  change:
    "{id: q.name, type: question, key: name": "{id: q.who, was: q.name, type: question, key: who"
    "{from: q.name,": "{from: q.who,"
  found: [same size, same sure, same done]
another id of a terminal:
  change: {"{id: done,": "{id: end, was: done,", "to: done": "to: end"}
  found: [same size, same sure, same end]
a flow that fails:
  change: {"- {from: send, to: done}": "- {from: send, to: done, guard: answers.size == 1}"}
  found: [same size, same sure, different stuck_no_open_edge]
a flow that ends earlier:
  change: {"to: price}": "to: done}", "from: price, to: q.sure": "from: price, to: done"}
  found: [same size, different done, "unknown "]
""")


@pytest.mark.parametrize("name", CHANGES)
async def test_differences_are_found_and_what_is_not_known_is_unknown(tmp_path: Path, name: str) -> None:
    new = OLD
    for before, after in CHANGES[name]["change"].items():
        assert before in new
        new = new.replace(before, after)
    found = await verdicts(tmp_path, new, *CONVERSATION)
    assert [f"{verdict} {place or ''}" for verdict, _, place in found] == CHANGES[name]["found"]
    assert all(reason for verdict, reason, _ in found if verdict == "unknown")


async def test_a_new_conversation_begins_again_after_an_unknown_course(tmp_path: Path) -> None:
    new = OLD.replace("schema: {type: integer}", "schema: {type: integer, minimum: 13}")
    found = await verdicts(tmp_path, new, *CONVERSATION, "I am Ada", "size 13", "yes")
    assert [each[0] for each in found] == ["same", "different", "unknown", "same", "same", "same"]


async def test_a_fault_in_the_shadow_does_not_affect_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphwright.host import _shadow

    def broken(*_: Any) -> Any:
        raise RuntimeError("boom")

    monkeypatch.setattr(_shadow, "follow", broken)
    assert await verdicts(tmp_path, OLD, "I am Ada") == [("unknown", "the comparison failed", {})]


CHECKLIST = """
- {key: name, prompt: "Name?", priority: 1}
- {key: size, prompt: "Size?", priority: 3, dependencies: [name]}
- {key: mail, prompt: "Mail?", priority: 2, validate: app.checks.mail}
- {key: note, prompt: "Note?", required: false}
"""


def test_a_checklist_answers_by_its_rule_and_the_report_counts(run: Runner, tmp_path: Path) -> None:
    flow = """
version: v1
id: flow.intake
nodes:
  - {id: q.name, type: question, key: name, prompt: "Your name?"}
  - {id: q.mail, type: question, key: mail, prompt: "Your mail?"}
  - {id: end, type: terminal}
edges:
  - {from: q.name, to: q.mail}
  - {from: q.mail, to: end}
"""
    new, old = tmp_path / "flow.yaml", tmp_path / "list.yaml"
    new.write_text(flow, "utf-8")
    old.write_text(CHECKLIST, "utf-8")
    answered = run("chat", new, "--shadow", old, "--thread", "a", "--model", "none", stdin="Ada\nada@x.org\n12\n")
    assert answered.out.splitlines() == ["Name?", "Mail?", "Size?"]
    assert f"{old}:4:" in answered.err
    assert "`validate` of `mail`" in answered.err
    assert "shadow: different: asks for size; the new flow: ends at end" in answered.err
    asked = run("ask", new, "Bob", "--shadow", old, "--thread", "b", "--model", "none", "--jsonl")
    assert [json.loads(line)["type"] for line in asked.out.splitlines()][-2:] == ["shadow_compared", "turn_ended"]
    (report,) = run("shadow", "report", "--json").json
    assert [report[name] for name in ("flow", "same", "different", "unknown")] == ["flow.intake", 3, 1, 1]
    text = run("shadow", "report", "--threads", "a").out.splitlines()
    assert text[0].endswith(": 2 same, 1 different, 1 unknown")
    assert text[2] == "    a (turn 3)"
    assert run("shadow", "report", "--threads", "nobody").code == 2


def test_recorded_threads_are_walked_against_a_new_flow_before_it_is_published(run: Runner, tmp_path: Path) -> None:
    old = write(tmp_path, OLD).with_name("old.yaml")
    new = tmp_path / "next.yaml"
    guarded = "to: q.size, guard: \"answers.name != 'Eve'\"}\n  - {from: q.name, to: not, guard: else}"
    new.write_text(OLD.replace("to: q.size}", guarded), "utf-8")
    for thread, name in (("ada", "Ada"), ("eve", "Eve")):
        run("chat", old, "--thread", thread, "--model", "none", stdin=f"{name}\n12\nyes\n")
    before = run("threads", "trace", "eve", "--json").json
    done = run("replay-against", new, "--json")
    assert done.code == 0
    found = {each["thread"]: each for each in done.json["threads"]}
    assert {name: each["verdict"] for name, each in found.items()} == {"ada": "same", "eve": "different"}
    assert [turn["verdict"] for turn in found["eve"]["turns"]] == ["same", "different", "unknown", "unknown"]
    assert found["eve"]["turns"][1]["shadow"]["node"] == "not"
    lines = run("replay-against", new, "--threads", "eve").out.splitlines()
    assert lines[1] == "  turn 2: asks for size; the new flow: ends at not"
    assert lines[-1] == "1 thread: 0 same, 1 different, 0 unknown."
    assert run("threads", "trace", "eve", "--json").json == before
    same = run("replay-against", old).out.splitlines()
    assert same[-1] == "2 threads: 2 same, 0 different, 0 unknown."


def test_an_older_version_may_answer_and_a_wrong_file_is_refused(run: Runner, tmp_path: Path) -> None:
    new = write(tmp_path, OLD.replace("Name?", "Your name?"))
    nodes = "nodes: [{id: q, type: question, key: name, prompt: Who?}, {id: t, type: terminal}]"
    older = f"version: v0\nid: flow.offer\n{nodes}\nedges: [{{from: q, to: t}}]\n"
    (tmp_path / "old.yaml").write_text(older, "utf-8")
    assert run("chat", new, "--model", "none").out.startswith("Who?")
    wrong = {"version: v0\n": "shadow_invalid", "- {key: a}\n": "shadow_invalid", "version: v1\n": "flow_invalid"}
    for text, code in wrong.items():
        (tmp_path / "old.yaml").write_text(text, "utf-8")
        done = run("ask", new, "x", "--model", "none", "--json")
        assert done.json["error"]["code"] == code
        assert "old.yaml" in done.json["error"]["message"]
    (tmp_path / "old.yaml").unlink()
    (found,) = (each for each in run("check", new, "--json").json if each["severity"] == "error")
    assert (found["code"], found["line"], found["pointer"]) == ("no_shadow", 4, "/shadow")
    missing = run("ask", new, "x", "--shadow", tmp_path / "none.yaml", "--json")
    assert (missing.code, missing.json["error"]["code"]) == (2, "no_shadow")


def test_conversations_run_with_a_flow_in_the_shadow(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(OLD.replace("to: q.size}", "to: not}"), "utf-8")
    (tmp_path / "nodes.py").write_text(IMPORTS + NODES, "utf-8")
    (tmp_path / "old.yaml").write_text(OLD, "utf-8")
    file = tmp_path / "a.conversation.yaml"
    rules = "model: [{call: {UpdateAnswers: {answers: [{key: name, value: Ada, quote: Ada}]}}}]"
    file.write_text(f"agent: .\n{rules}\nturns: [{{user: I am Ada, expect: {{node: q.size}}}}]\n", "utf-8")
    done = run("test", file, "--shadow", tmp_path / "old.yaml")
    assert (done.code, "shadow, turn 1: different: asks for size; the new flow: ends at not" in done.out) == (0, True)
    data = run("test", file, "--shadow", tmp_path / "old.yaml", "--json").json
    assert data["conversations"][0]["shadow"][0]["verdict"] == "different"
    assert run("test", file, "--shadow", tmp_path / "old.yaml", "--update").code == 2


@pytest.mark.slow
def test_a_flow_walked_against_itself_goes_the_same_way_in_every_recorded_conversation() -> None:
    compared = []

    def compare(result: Any) -> None:
        assert isinstance(result, Result), result
        check = partial(run_validator, result.agent)
        events = [event_from_json(event) for event in result.events]
        flow = result.agent.flow
        beside = Beside(flow=flow, check=check, pair=versions(flow, flow))
        compared.extend((result.path.name, *each) for each in follow_all(beside, events, {})[2])

    run_suite(find_conversations([ROOT / "examples", "intake"]), on_result=compare)
    assert len(compared) > 100
    unlike = {(name, each.reason) for name, _, each in compared if each.verdict != "same"}
    assert unlike == {("model-failure.conversation.yaml", "the answering flow failed before it read the message")}


def test_each_turn_of_a_recorded_thread_is_compared_with_the_version_that_answered_it(
    run: Runner, tmp_path: Path
) -> None:
    write(tmp_path, OLD)
    file = tmp_path / "old.yaml"
    run("ask", file, "Ada", "--thread", "ada", "--model", "none")
    renamed = OLD.replace(
        "{id: q.size, type: question, key: size", "{id: q.width, was: q.size, type: question, key: size"
    )
    file.write_text(renamed.replace("to: q.size", "to: q.width").replace("from: q.size", "from: q.width"), "utf-8")
    assert run("threads", "migrate", file).code == 0
    run("chat", file, "--thread", "ada", "--model", "none", stdin="12\nyes\n")
    (found,) = run("replay-against", file, "--json").json["threads"]
    assert [turn["verdict"] for turn in found["turns"]] == ["same", "same", "same"]


def test_the_result_of_a_ready_made_action_is_not_taken_for_other_work() -> None:
    """A prompt inside the subgraph that runs over a list is another one in the new flow."""
    file = ROOT / "examples/fan_out/flow.yaml"
    new = compile_text(file.read_text("utf-8").replace("where: outside", "where: anywhere"), name=str(file)).flow
    assert new is not None
    found = []

    def compare(result: Any) -> None:
        events = [event_from_json(event) for event in result.events]
        beside = Beside(flow=new, check=lambda *_: True, pair=versions(result.agent.flow, new))
        found.extend(follow_all(beside, events, {})[2])

    run_suite([file.parent / "tests/planned.conversation.yaml"], on_result=compare)
    assert [each.verdict for _, each in found] == ["same", "unknown"]
    assert found[1][1].reason == "`sub.place` is another action than in the answering flow"
