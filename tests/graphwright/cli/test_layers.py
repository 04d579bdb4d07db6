"""Layers where flows are used: `graphwright merge`, `check`, `draw`, `ask`, `test`, and Python of lower layers."""

import json
import os
from pathlib import Path

import pytest

import graphwright
from cli_support import FLOW, Runner
from graphwright import FlowInvalid

LAYER = """\
extends: base.yaml
title: Acme
nodes:
  - {id: q.name, prompt: "Who are you?"}
"""


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(FLOW, "utf-8")
    (tmp_path / "acme.yaml").write_text(LAYER, "utf-8")
    return tmp_path


def test_merge_prints_the_document_and_reports_on_stderr(run: Runner, layers: Path) -> None:
    done = run("merge", "base.yaml", "acme.yaml")
    assert (done.code, "node q.name, prompt: acme wins" in done.err) == (0, True)
    assert run("merge", "acme.yaml").out.splitlines()[1:] == done.out.splitlines()[1:]
    (layers / "plain.yaml").write_text(done.out, "utf-8")
    flows = [graphwright.load(layers / name).flow for name in ("plain.yaml", "acme.yaml")]
    assert flows[0].hash == flows[1].hash


def test_the_json_has_the_origin_of_every_value(run: Runner, layers: Path) -> None:
    done = run("merge", "acme.yaml", "--json").json
    assert done["layers"] == [{"name": "base", "file": "base.yaml"}, {"name": "acme", "file": "acme.yaml"}]
    assert done["document"]["nodes"][0]["prompt"] == "Who are you?"
    assert done["origins"]["/nodes/0/prompt"] == {"layer": "acme", "file": "acme.yaml", "line": 4, "column": 26}
    assert done["origins"]["/nodes/0/key"]["file"] == "base.yaml"
    assert [(each["part"], each["winner"]) for each in done["conflicts"]] == [
        *(("document", "acme"), ("node q.name", "acme")),
    ]


def test_strict_fails_on_conflicts_and_errors_leave_nothing(run: Runner, layers: Path) -> None:
    (layers / "base.yaml").write_text(f"{FLOW}strategies: {{node.prompt: error}}\n", "utf-8")
    assert run("check", "--strict", "base.yaml").code == 0
    assert run("merge", "acme.yaml").code == 0
    strict = run("merge", "acme.yaml", "--strict", "--out", "out.yaml")
    assert (strict.code, strict.out, (layers / "out.yaml").exists()) == (1, "", False)
    assert "acme.yaml:4:26: warning GW804 `prompt` of the node q.name differs from base" in strict.err
    assert run("check", "--strict", "acme.yaml").code == 1
    (layers / "acme.yaml").write_text(LAYER.replace("q.name", "q.nme"), "utf-8")
    for args in ((), ("--out", "out.yaml"), ("--json",)):
        failed = run("merge", "acme.yaml", *args)
        assert (failed.code, "GW121" in failed.err + failed.out, (layers / "out.yaml").exists()) == (1, True, False)


def test_out_never_loses_a_file(run: Runner, layers: Path) -> None:
    (layers / "mine.yaml").write_text("mine\n", "utf-8")
    os.link(layers / "base.yaml", layers / "linked.yaml")
    (layers / "soft.yaml").symlink_to("acme.yaml")
    (layers / "gone.yaml").symlink_to("nowhere.yaml")
    before = {file: file.read_bytes() for file in layers.iterdir() if file.exists() and file.is_file()}
    codes = {}
    for name in ("base.yaml", "acme.yaml", "linked.yaml", "soft.yaml", "mine.yaml", "gone.yaml", "."):
        done = run("merge", "acme.yaml", "--out", name)
        codes[name] = (done.code, done.err.rpartition("[")[2].strip("]\n"))
    assert codes == {
        **dict.fromkeys(["base.yaml", "acme.yaml", "linked.yaml", "soft.yaml"], (2, "overwrites_layer")),
        **{"mine.yaml": (2, "file_exists"), "gone.yaml": (2, "unwritable"), ".": (2, "unwritable")},
    }
    assert run("merge", "acme.yaml", "--out", "no/such/out.yaml").code == 1
    assert {file: file.read_bytes() for file in before} == before
    for _ in range(2):
        done = run("merge", "acme.yaml", "--out", "out.yaml")
        assert (done.code, done.out.splitlines()[-1]) == (0, "out.yaml: 4 nodes from 2 layers")
    assert run("merge", "acme.yaml", "--out", "out.json").code == 0
    assert json.loads((layers / "out.json").read_text("utf-8"))["title"] == "Acme"


def test_bad_input_is_a_usage_error_or_a_diagnostic(run: Runner, layers: Path) -> None:
    assert run("merge", "nope.yaml").code == 2
    assert run("merge").code == 2
    os.mkfifo(layers / "pipe.yaml")
    (layers / "folder.yaml").mkdir()
    for extended, why in (("pipe.yaml", "not a regular file"), ("folder.yaml", "a folder"), ("x" * 5000, "too long")):
        (layers / "acme.yaml").write_text(f"extends: {extended}\n", "utf-8")
        done = run("check", "acme.yaml")
        assert (done.code, "acme.yaml:1:10: error GW801" in done.out, why in done.out) == (1, True, True)


def test_a_flow_with_layers_is_checked_drawn_and_run_like_any_other(run: Runner, layers: Path) -> None:
    assert run("check", "acme.yaml").out == "acme.yaml: ok (4 nodes, 3 edges)\n"
    assert "Who are you?" in run("draw", "acme.yaml").out
    assert run("ask", "acme.yaml", "hello", "--model", "none").out.startswith("hello, are you sure?")
    (layers / "base.yaml").write_text(FLOW.replace("are you sure", "really"), "utf-8")
    assert run("ask", "acme.yaml", "hello", "--model", "none").out.startswith("hello, really?")
    (layers / "base.yaml").write_text(FLOW.replace("to: t.no", "to: t.on"), "utf-8")
    (found,) = run("check", "acme.yaml", "--json").json
    assert (found["code"], found["file"], found["pointer"]) == ("GW202", "base.yaml", "/edges/2/to")
    with pytest.raises(FlowInvalid, match=r"^base\.yaml:12:"):
        graphwright.load("acme.yaml")


def test_an_assurance_of_a_lower_layer_fails_in_the_layer_that_violates_it(run: Runner, layers: Path) -> None:
    (layers / "base.yaml").write_text(f"{FLOW}assurances: [{{always_before: t.yes, comes: q.sure}}]\n", "utf-8")
    assert run("check", "base.yaml").code == 0
    edge = '  - {from: q.name, to: t.yes, guard: "size(answers.name) > 3", priority: 1}\n'
    (layers / "acme.yaml").write_text(f"{LAYER}edges:\n{edge}", "utf-8")
    done = run("check", "acme.yaml")
    assert (done.code, "acme.yaml:1:10: error GW711 In the layer base, line 13:" in done.out) == (1, True)


def test_gaps_of_coverage_are_in_the_layer(run: Runner, layers: Path) -> None:
    text = "agent: acme.yaml\nturns:\n  - {user: Ann, model: none, expect: {node: q.sure}}\n"
    (layers / "a.conversation.yaml").write_text(text, "utf-8")
    done = run("test", "a.conversation.yaml", "--json").json
    (coverage,) = done["coverage"]
    assert {(gap["file"], gap["line"]) for gap in coverage["edges"]["never"]} == {("base.yaml", 11), ("base.yaml", 12)}
    assert "base.yaml:11: " in run("test", "a.conversation.yaml").out


def test_the_python_and_the_prompts_of_lower_layers_are_available(run: Runner, tmp_path: Path) -> None:
    base, acme = tmp_path / "base", tmp_path / "acme"
    action = (
        'from graphwright import action\n\n\n@action(writes=["n"])\ndef {}(state, ctx):\n    return {{"n": "{}"}}\n'
    )
    for folder in (base, acme):
        (folder / "prompts").mkdir(parents=True)
        (folder / "prompts" / f"{folder.name}.j2").write_text("=== user ===\nHi\n", "utf-8")
    (base / "nodes.py").write_text(action.format("one", "base"), "utf-8")
    (base / "tools.py").write_text(action.format("two", "base"), "utf-8")
    (base / "flow.yaml").write_text(
        "version: v1\nid: flow.b\nstate: {n: {type: string, default: ''}}\nnodes:\n"
        "  - {id: a, type: action, run: one}\n  - {id: b, type: terminal, say: '{{ n }}'}\nedges: [{from: a, to: b}]\n",
        "utf-8",
    )
    (acme / "flow.yaml").write_text("extends: ../base/flow.yaml\ntitle: Acme\n", "utf-8")
    assert run("check", acme).code == 0
    assert run("ask", acme, "x", "--model", "none").out.startswith("base")
    assert {"acme", "base"} <= set(graphwright.load(acme).prompts.names())
    (acme / "nodes.py").write_text(action.format("one", "acme"), "utf-8")
    assert set(graphwright.load(acme).actions) == {"one", "two"}
    (base / "nodes.py").write_text("def (", "utf-8")
    assert "base/nodes.py:1:5: error python" in run("check", acme).out
