"""`graphwright check --stubs`: state.py has the types of the flow's state, and a mismatch is reported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import Runner
from graphwright.host import discovery

ROOT = Path(__file__).parents[3]
GENERATED = "# Generated from flow.yaml by `graphwright check --stubs`"

FLOW = """
version: v1
id: flow.strange
state:
  class: {type: string}
  __hidden: {type: integer}
  Any: {type: object, properties: {literal: {enum: [Any, NotRequired]}}}
  tree: {type: [object, "null"], properties: {left: {$ref: "#"}}}
  part:
    $ref: "#/$defs/part"
    $defs: {part: {type: object, properties: {made_of: {type: array, items: {$ref: "#/$defs/part"}}}}}
  deep: {type: array, items: {$ref: "#"}}
  odd:
    type: object
    properties: {"x-y": {type: string}, quoted: {enum: ['"a"', "it's", 'it''s a''b "', "tab\\t", "\\\\"]}}
  mixed: {type: object, properties: {a: {type: integer}, b: {type: [string, "null"]}}, required: [a]}
  table: {type: object, additionalProperties: {type: array, items: {type: number}}}
  status:
    type: [string, "null"]
    enum: [a very long value of a status, another long value of a status, a third one, null]
  number: {enum: [1, 0.5, null]}
  either: {anyOf: [{type: string}, {type: object, properties: {q: {type: boolean}}}]}
  rooms: &rooms
    type: array
    items: {title: An option, type: object, properties: {value: {type: string}, title: {type: string}}}
    default: []
  halls: *rooms
nodes:
  - {id: q.from, type: question, key: from, prompt: "Where?"}
  - {id: q.room, type: question, key: room, options: rooms, prompt: "Which room?"}
  - {id: q.sure, type: question, key: sure, read: confirm, prompt: "Sure?"}
  - {id: s.led, type: subgraph, ref: sub.led, as: led}
  - {id: s.shared, type: subgraph, ref: sub.shared}
  - {id: done, type: terminal}
edges:
  - {from: q.from, to: q.room}
  - {from: q.room, to: q.sure}
  - {from: q.sure, to: s.led}
  - {from: s.led, to: s.shared}
  - {from: s.shared, to: done}
subgraphs:
  sub.led:
    nodes:
      - {id: q.watt, type: question, key: watt, schema: {type: integer}, prompt: "How many W?"}
      - {id: s.again, type: subgraph, ref: sub.led, as: next}
    edges:
      - {from: q.watt, to: s.again, guard: answers.watt > 0}
      - {from: q.watt, to: __exit__, guard: else}
      - {from: s.again, to: __exit__}
  sub.shared:
    nodes: [{id: q.kind, type: question, key: kind, read: choice, schema: {enum: [new, old]}, prompt: "Which kind?"}]
    edges: [{from: q.kind, to: __exit__}]
"""

USE = """
from typing import assert_type
from state import AnOption, LedAnswers, Part, State, Tree

def use(state: State) -> State:
    assert_type(state["class"], str)
    assert_type(state["part"]["made_of"], list[Part])
    assert_type(state["tree"], Tree | None)
    assert_type(state["mixed"]["b"], str | None)
    assert_type(state["table"], dict[str, list[float]])
    assert_type(state["rooms"] + state["halls"], list[AnOption])
    assert_type(state["answers"]["sure"], bool | str)
    assert_type(state["answers"]["led"]["next"], LedAnswers)
    return {"status": "a third one", "number": 0.5, "part": {"made_of": []}}

bad: State = {"status": "unknown"}
none: State = {"sttus": None}
"""


def test_types_of_every_kind_pass_formatter_linter_and_type_checker(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    assert run("check", tmp_path, "--stubs").out.splitlines()[-2] == f"{tmp_path}/state.py: written"
    (tmp_path / "use.py").write_text(USE, "utf-8")
    for command in (["ruff", "format", "--check"], ["ruff", "check"]):
        tool = [sys.executable, "-m", *command, "--config", ROOT / "pyproject.toml", "state.py"]
        done = subprocess.run(tool, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    subprocess.run([sys.executable, "state.py"], cwd=tmp_path, check=True)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", tmp_path / "c", "use.py"]
    found = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True).stdout.splitlines()
    assert [line.rpartition("[")[2] for line in found[:-1]] == ["typeddict-item]", "typeddict-unknown-key]"], found


def test_an_outdated_generated_view_is_a_warning(run: Runner, tmp_path: Path) -> None:
    run("init", tmp_path / "desk")
    flow, state = (tmp_path / "desk" / name for name in ("flow.yaml", "state.py"))
    text = state.read_text("utf-8")
    state.write_bytes(b"\xef\xbb\xbf" + text.replace("str\n", "str  # why\n").replace("\n", "\r\n").encode())
    assert run("check", "--strict", flow).code == 0, "layout and comments make no difference"
    flow.write_text(flow.read_text("utf-8").replace("  preview: {", "  seen: {type: boolean}\n  preview: {"), "utf-8")
    (found,) = [each for each in run("check", flow, "--json").json if each["code"] == "state_outdated"]
    assert (found["severity"], found["file"], found["line"]) == ("warning", str(state), 1)
    assert run("check", flow).code == 0
    assert run("check", flow, "--strict").code == 1
    assert "state_outdated" not in run("check", flow, "--stubs").out
    assert "    seen: bool\n" in state.read_text("utf-8")
    # A removed channel is not an error in the view, otherwise it could not be generated again.
    flow.write_text(flow.read_text("utf-8").replace("  seen: {type: boolean}\n", ""), "utf-8")
    state.write_text(state.read_text("utf-8") + "import nowhere\n", "utf-8")
    assert [each["code"] for each in run("check", flow, "--json").json] == ["state_outdated"]
    run("check", flow, "--stubs")
    assert state.read_bytes() == text.encode()


def test_a_failed_generation_is_reported_and_keeps_the_file(run: Runner, tmp_path: Path) -> None:
    flow, state = tmp_path / "flow.yaml", tmp_path / "state.py"
    flow.write_text("version: v1\nid: x\nnodes: [{id: done, type: terminal}]\nedges: []\n", "utf-8")
    state.write_text("State = dict\n", "utf-8")
    done = run("check", flow, "--stubs")
    assert (done.code, "[state_by_hand]" in done.err, state.read_text("utf-8")) == (1, True, "State = dict\n")
    assert run("check", flow, "--stubs", "--json").json[0]["code"] == "state_by_hand"
    state.unlink()
    assert run("check", flow, "--stubs", "--strict").out.endswith("state.py: written\n"), "a flow without state"
    assert run("check", flow).code == 0
    other = flow.rename(tmp_path / "other.yaml")
    assert "was not generated from other.yaml" in run("check", other, "--stubs").err
    assert run("check", other, "--strict").code == 0
    state.unlink()
    state.mkdir()
    assert "[unwritable]" in run("check", other, "--stubs").err
    state.rmdir()
    other.write_text(other.read_text("utf-8").replace("edges: []", "edges: [{from: done, to: gone}]"), "utf-8")
    done = run("check", other, "--stubs")
    assert (done.code, "not written, because the flow has errors" in done.out, state.exists()) == (1, True, False)
    assert "[no_folder]" in run("check", "-", "--stubs", stdin="version: v1").err


@pytest.mark.parametrize("agent", ["assistant", "data_scientist", "graph_editor", "intake", "upgrade"])
def test_the_view_of_a_built_in_agent_is_up_to_date(run: Runner, agent: str) -> None:
    assert discovery.find(agent).with_name("state.py").read_text("utf-8").startswith(GENERATED)
    assert "state_outdated" not in run("check", agent).out
