"""`graphwright draw`: formats, and what cannot be drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from cli_support import FLOW, Runner, program


def test_mermaid_is_the_default(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    done = run("draw", tmp_path)
    assert done.code == 0
    assert done.out.startswith("flowchart TD\n")
    assert '|"answers.sure == true"|' in done.out
    assert done.err == ""


def test_json_is_for_editors(run: Runner) -> None:
    drawn = run("draw", "-", "--format", "json", stdin=FLOW).json
    assert {node["id"] for node in drawn["nodes"]} == {"q.name", "q.sure", "t.yes", "t.no"}
    assert all(set(node["position"]) == {"x", "y"} for node in drawn["nodes"])


def test_svg_is_a_picture_in_one_file(run: Runner) -> None:
    done = run("draw", "-", "--format", "svg", stdin=FLOW)
    assert (done.code, done.err) == (0, "")
    nodes = [e.get("data-node") for e in ET.fromstring(done.out).iter() if e.get("data-node")]
    assert nodes == ["q.name", "q.sure", "t.yes", "t.no"]


def test_an_svg_is_whole_where_stdout_lacks_its_characters(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW.replace("Then not.", "Schöne Grüße … 日本"), "utf-8")
    done = program("draw", tmp_path, "--format", "svg", home=tmp_path, PYTHONIOENCODING="latin-1")
    assert done.code == 0
    assert "Schöne Grüße … 日本" in "".join(ET.fromstring(done.out).itertext())


def test_a_flow_with_errors_is_not_drawn(run: Runner) -> None:
    done = run("draw", "-", stdin=FLOW.replace("to: t.no", "to: t.on"))
    assert done.code == 1
    assert done.out == ""
    assert "error GW" in done.err
    assert "cannot be drawn" in done.err


def test_what_is_not_there_or_not_known_is_a_usage_error(run: Runner, tmp_path: Path) -> None:
    assert run("draw", tmp_path / "nope.yaml").code == 2
    assert run("draw", "-", "--format", "jpeg", stdin=FLOW).code == 2


def test_an_agent_that_comes_along_is_named_like_elsewhere(run: Runner) -> None:
    done = run("draw", "intake")
    assert (done.code, done.out.startswith("flowchart TD\n")) == (0, True)
    assert run("check", "intake").code == 0
