"""`graphwright diff`: two flows compared by meaning, and the conversations and waiting threads that are touched."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli_support import FLOW, Runner
from graphwright.flow import compile_text
from graphwright.store import open_store

NEW = (
    FLOW.replace("Small", "Tiny")
    .replace("id: t.no,", "id: t.not,")
    .replace("to: t.no,", "to: t.not,")
    .replace("answers.sure == true", "answers.sure == true && answers.name != ''")
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    (tmp_path / "a.yaml").write_text(FLOW, "utf-8")
    (tmp_path / "b.yaml").write_text(NEW, "utf-8")
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, monkeypatch, tmp_path / "home")


def test_the_same_flow_has_no_difference(run: Runner) -> None:
    same = run("diff", "a.yaml", "a.yaml")
    assert (same.code, same.out) == (0, "No difference.\n")
    found = run("diff", "a.yaml", "a.yaml", "--format", "json").json
    assert (found["equal"], found["entries"], found["before"]["name"]) == (True, [], "a.yaml")


def test_changes_are_listed_by_sort_with_values_that_show_them(run: Runner) -> None:
    found = run("diff", "a.yaml", "b.yaml")
    assert found.code == 1
    for line in (
        "  - t.no (terminal)",
        "  + t.not (terminal)",
        "        only the old one opens with answers.name == '' && answers.sure == true",
        "  ~ title: [-Small-]{+Tiny+} talk",
    ):
        assert line in found.out.splitlines(), found.out
    (guard,) = [
        detail
        for entry in run("diff", "a.yaml", "b.yaml", "--format", "json").json["entries"]
        for detail in entry.get("details", ())
        if detail.get("relation") == "stronger"
    ]
    assert guard["only_before"]["values"] == {"answers.sure": True, "answers.name": ""}


def test_the_picture_marks_both_flows(run: Runner) -> None:
    found = run("diff", "a.yaml", "b.yaml", "--format", "svg")
    texts = {element.text for element in ElementTree.fromstring(found.out).iter("{http://www.w3.org/2000/svg}text")}
    assert {"+ t.not", "− t.no", "− removed"} <= texts
    assert any(text and text.startswith("~ answers.sure == true &&") for text in texts)


def test_waiting_threads_and_stored_versions(run: Runner) -> None:
    run("ask", "a.yaml", "Anna", "--thread", "t1")
    run("ask", "a.yaml", "Bob", "--thread", "t2")
    document = compile_text(FLOW).flow
    assert document is not None

    async def publish() -> None:
        async with open_store() as store:
            await store.flows.publish("small", document.canonical_text, author="ann")

    asyncio.run(publish())
    for name in (document.hash[:12], "small@1"):
        found = run("diff", name, "b.yaml", "--format", "json").json
        assert found["threads"] == {"waiting": 2, "at": {"q.sure": 2}, "may_reach": 0, "in_other_versions": 0}
    assert "2 at a changed node: q.sure (2)" in run("diff", "a.yaml", "b.yaml").out
    assert run("diff", "small@1", "a.yaml").code == 0
    for wrong in ("small@7", "other@1", "0" * 12):
        missing = run("diff", wrong, "b.yaml")
        assert (missing.code, "no_such_version" in missing.err) == (2, True), missing


def test_a_store_that_cannot_be_read_leaves_out_the_threads(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/graphwright.db").write_text("no database" * 99)
    found = run("diff", "a.yaml", "b.yaml", "--format", "json")
    assert (found.code, found.json["threads"], "not counted" in found.err) == (1, None, True)
    assert run("diff", "small@1", "b.yaml").code == 2


def test_conversations_that_walk_a_changed_node_are_named(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for name, expect in (("yes", "expect: {node: q.sure}"), ("no", "")):
        text = f"agent: ../a.yaml\nturns:\n  - {{user: Anna, {expect}}}\n"
        (tmp_path / f"tests/{name}.conversation.yaml").write_text(text, "utf-8")
    found = run("diff", "a.yaml", "b.yaml")
    assert "conversations: 1 of 2 walk a changed node\n  yes.conversation.yaml: q.sure\n" in found.out
    assert "1 other without a golden trace may, too; --run-tests runs them" in found.out
    known = run("diff", "a.yaml", "b.yaml", "--run-tests", "--format", "json").json["conversations"]
    assert [(each["by"], each["nodes"]) for each in known] == [("run", ["q.sure"])] * 2


@pytest.mark.parametrize(
    ("name", "code"), [("c.yaml", "flow_invalid"), ("none.yaml", "no_such_file"), ("tests", "no_flow")]
)
def test_an_impossible_comparison_has_exit_code_2(run: Runner, tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "c.yaml").write_text(FLOW.replace("to: t.no,", "to: nowhere,"), "utf-8")
    for order in (("a.yaml", name), (name, "a.yaml")):
        failed = run("diff", *order)
        assert (failed.code, f"[{code}]" in failed.err) == (2, True), failed
        assert run("diff", *order, "--format", "json").json["error"]["code"] == code


def test_hostile_ids_neither_break_the_picture_nor_control_the_terminal(run: Runner, tmp_path: Path) -> None:
    hostile = json.dumps("</text><script>alert(1)</script> '\"&` -> t ‮")
    (tmp_path / "c.yaml").write_text(
        FLOW.replace("id: t.no,", f"id: {hostile},").replace("to: t.no,", f"to: {hostile},")
    )
    assert run("diff", "a.yaml", "c.yaml").code in (1, 2)
    (tmp_path / "c.yaml").write_text(FLOW.replace("t.no", json.dumps("</text><script>alert(1)</script> -> t")))
    picture = run("diff", "a.yaml", "c.yaml", "--format", "svg")
    assert picture.code == 1
    assert not [*ElementTree.fromstring(picture.out).iter("{http://www.w3.org/2000/svg}script")]
