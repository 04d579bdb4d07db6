"""Errors of authors are found on their lines, similar correct flows get no finding, and all YAML parsers agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from graphwright.flow import Severity, compile_text
from graphwright.flow._source import read_plain
from graphwright.host.discovery import read_catalogue

ROOT = Path(__file__).parent.parent
CASES = yaml.load((ROOT / "tests/data/author_faults.yaml").read_text("utf-8"), yaml.CSafeLoader)
HEAD = "version: v1\nid: demo\n"


@pytest.mark.parametrize("name", CASES["faults"])
def test_the_fault_is_found_on_its_line(name: str, tmp_path: Path) -> None:
    case = CASES["faults"][name]
    (tmp_path / "nodes.py").write_text(case.get("nodes", ""), "utf-8")
    text = HEAD + case["flow"]
    found = compile_text(text, catalogue=read_catalogue(tmp_path)).diagnostics
    serious = [d for d in found if d.severity is not Severity.INFO or d.code in case["codes"]]
    marked = {number for number, line in enumerate(text.splitlines(), 1) if "# HERE" in line}
    assert {d.code for d in serious} == set(case["codes"]), serious
    assert {d.span.line for d in serious} == marked, serious
    assert all(d.hint for d in serious)


@pytest.mark.parametrize("name", CASES["correct"])
def test_nothing_is_found_in_a_correct_flow(name: str, tmp_path: Path) -> None:
    case = CASES["correct"][name]
    parts = {"flow": case} if isinstance(case, str) else case
    (tmp_path / "nodes.py").write_text(parts.get("nodes", ""), "utf-8")
    compiled = compile_text(HEAD + parts["flow"], catalogue=read_catalogue(tmp_path))
    assert compiled.flow is not None
    assert [d for d in compiled.diagnostics if d.code not in ("GW112", "GW402")] == []


HINTS = """
state: {slots: {type: array, items: {type: string}, default: []}}
nodes:
  - {id: q.new, type: question, key: new, prompt: "New?", schema: {type: boolean}}
  - {id: q.slot, type: question, key: slot, prompt: "Which?", schema: {enum: [010, 020]}}
  - {id: give, type: action, run: hand_over, with: {to: desk, summary: "At {{ answers.slot }}"}}
  - {id: done, type: terminal}
edges:
  - {from: q.new, to: q.slot, guard: answers.new}
  - {from: q.new, to: give, guard: else}
  - {from: q.slot, to: give, guard: "GUARD"}
  - {from: q.slot, to: done, guard: else}
  - {from: give, to: done}
"""


@pytest.mark.parametrize(
    ("guard", "code", "hint"),
    [
        ("answers.slot == 10", "GW408", "The action fails then (`missing_parameter`). Ask for it"),
        ("answers.slot == '010'", "GW303", "if it is a text such as '010', put it in quotes in the schema too"),
        ("answers.slots == 10", "GW302", "Did you mean `slot`, or the channel `slots`?"),
        (
            "answers.slot > 20",
            "GW311",
            "Compare it with what is allowed for `answers.slot`: `answers.slot` is 10 or 20.",
        ),
    ],
)
def test_hints_say_what_happens_and_what_is_allowed(guard: str, code: str, hint: str) -> None:
    found = compile_text(HEAD + HINTS.replace("GUARD", guard)).diagnostics
    assert hint in next(d.hint for d in found if d.code == code)
    assert {"GW112", "GW113"} & {d.code for d in found} == {"GW113"}


def published_flows() -> Iterator[tuple[str, str]]:
    """Every flow of an agent, of the README and of the documentation, with its place."""
    for path in sorted((ROOT / "packages").rglob("flow.yaml")):
        yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8").replace("@ID@", "x").replace("@TITLE@", "x")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text("utf-8")
        for block in re.finditer(r"^```ya?ml[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield f"{path.name}:{text.count(chr(10), 0, block.start()) + 1}", block[1]


@pytest.mark.parametrize(("place", "text"), list(published_flows()), ids=lambda value: value[:40].partition("\n")[0])
def test_published_flows_mean_the_same_to_every_yaml_parser_and_have_no_warnings(place: str, text: str) -> None:
    source, found = read_plain(text)
    assert source is not None, found
    assert yaml.load(text, yaml.SafeLoader) == yaml.load(text, yaml.CSafeLoader) == source.data
    assert source.remarks() == []
    if text.lstrip().startswith("version: v1\nid:"):
        assert [d for d in compile_text(text).diagnostics if d.severity is not Severity.INFO] == []


@pytest.mark.parametrize(
    ("written", "differs"),
    [
        ("{a: Which day?}", True),
        ("[What?, why]", True),
        ("{no: 1}", True),
        ("[yes, 012, 0o17, 1_000, 12:30, 1e3, 2026-01-31]", True),
        ("{a: 'Which day?', b: [\"no\", 12, 0, 1.5, -3, 2.5e+3, 0x1F, y, north, 10.0.0.1]}", False),
        ("a: Which day?\nb:\n  - what?", False),
    ],
)
def test_the_portability_remark_agrees_with_a_yaml_1_1_parser(written: str, differs: bool) -> None:
    source, _ = read_plain(written)
    try:
        same = yaml.load(written, yaml.SafeLoader) == source.data
    except yaml.YAMLError:
        same = False
    assert same is not differs
    assert bool(source.remarks()) is differs
