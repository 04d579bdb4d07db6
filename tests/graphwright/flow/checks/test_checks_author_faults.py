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

ROOT = Path(__file__).parents[4]
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


ADVICE = """
state: {stock: {type: integer, scope: conversation}}
nodes:
  - {id: giver, type: subgraph, ref: sg, as: giver}
  - {id: friend, type: subgraph, ref: sg, as: friend}
  - {id: q.doctor, type: question, key: doctor, when: has(answers.sick) && answers.sick, prompt: "Doctor?"}
  - {id: q.sick, type: question, key: sick, prompt: "Sick?", schema: {type: boolean}}
  - id: look
    type: action
    run: http_request
    with: {url: "https://e.example/{{ answers.giver.name }}", into: stock}
    on_error: q.sure
  - {id: q.sure, type: question, key: sure, read: confirm, when: answers.sick, prompt: "{{ stock }}?"}
  - id: give
    type: action
    run: hand_over
    with: {to: desk, summary: "{{ answers.doctor }}"}
    confirm: {by: q.sure, over: [answers.doctor]}
  - {id: done, type: terminal, say: "SAY"}
edges:
  - {from: giver, to: friend}
  - {from: friend, to: q.doctor}
  - {from: q.doctor, to: q.sick}
  - {from: q.sick, to: look}
  - {from: look, to: q.sure}
  - {from: q.sure, to: give}
  - {from: give, to: done}
subgraphs:
  sg:
    nodes:
      - {id: q.name, type: question, key: name, prompt: "Name?"}
      - {id: q.age, type: question, key: age, prompt: "Age?"}
    edges: [{from: q.name, to: q.age}, {from: q.age, to: __exit__}]
"""


@pytest.mark.parametrize(
    ("say", "code", "hint"),
    [
        ("{{ answers.name }}", "GW302", "Did you mean `answers.giver.name` or `answers.friend.name`?"),
        ("", "GW408", "`q.sick` comes only later: lead to `q.sick` before `q.doctor`."),
        ("", "GW509", "Where it is false, lead to `give` by another edge that does not pass the question."),
        ("", "GW510", "lead `on_error` of `look` elsewhere, or allow null"),
        ("", "GW423", "Write `{{ answers.giver.age }}` in the `with` of the action that needs it outside of `sg`"),
    ],
)
def test_the_advice_of_hints_can_be_followed(say: str, code: str, hint: str) -> None:
    found = compile_text(HEAD + ADVICE.replace("SAY", say)).diagnostics
    assert hint in next(d.hint for d in found if d.code == code)


def test_a_template_without_quotes_and_an_unknown_action_get_advice(tmp_path: Path) -> None:
    text = (
        HEAD
        + "nodes:\n  - {id: a, type: action, run: search}\n  - id: done\n    type: terminal\n    say: SAY\nedges: []\n"
    )
    [braces] = compile_text(text.replace("SAY", "{{ answers.x }} and more")).diagnostics
    assert "needs quotes" in braces.hint
    (tmp_path / "nodes.py").write_text(
        "from graphwright import action\n@action(reads=[], writes=[])\ndef find_slots(s, c): ...\n"
    )
    found = compile_text(text, catalogue=read_catalogue(tmp_path)).diagnostics
    assert "The agent has `find_slots`." in next(d.hint for d in found if d.code == "GW501")


def test_an_id_that_is_taken_is_one_finding() -> None:
    question = '{id: q.name, type: question, key: name, prompt: "Name?"}'
    graph = f"{{nodes: [{question}], edges: [{{from: q.name, to: __exit__}}]}}"
    root = f"nodes: [{question}, {{id: g, type: subgraph, ref: sg, as: g}}, {{id: end, type: terminal}}]\n"
    text = f"{HEAD}{root}edges: [{{from: q.name, to: g}}, {{from: g, to: end}}]\nsubgraphs: {{sg: {graph}}}\n"
    assert [d.code for d in compile_text(text).diagnostics if d.severity is Severity.ERROR] == ["GW201"]


PICKED = """
nodes:
  - {id: next, type: decision, pick: question}
  - {id: q.a, type: question, key: a, prompt: "A?", schema: {type: integer}, validate: value > answers.b, priority: 1}
  - {id: q.b, type: question, key: b, prompt: "B?", schema: {type: integer}, priority: 2}
  - {id: q.c, type: question, key: c, prompt: "C?", required: false, schema: {enum: [x, y]}}
  - {id: done, type: terminal}
edges:
  - {from: next, to: q.a}
  - {from: next, to: q.b}
  - {from: next, to: q.c, guard: else}
  - {from: q.a, to: next}
  - {from: q.b, to: next}
  - {from: q.c, to: done, guard: answers.c == 'x'}
  - {from: q.c, to: done, guard: answers.c != 'x'}
"""


def test_hints_for_a_missing_answer_name_the_priority_the_circle_and_the_missing_else() -> None:
    def hints(flow: str) -> list[str]:
        return [d.hint for d in compile_text(HEAD + flow).diagnostics if d.code == "GW408"]

    assert hints(PICKED)[0].endswith("give `q.b` (now 2) a lower one than `q.a` (1).")
    assert hints(PICKED)[1].endswith("with `!has(answers.c) || ...`.")
    circle = hints(PICKED.replace("priority: 2", "priority: 2, validate: value < answers.a"))
    assert "are each checked against the other" in circle[0]
    repaired = PICKED.replace("priority: 2", "priority: 0").replace(
        "answers.c != 'x'", "\"!has(answers.c) || answers.c != 'x'\""
    )
    assert hints(repaired) == []


def test_the_hint_for_a_language_that_is_no_channel_declares_one_that_begins_with_it() -> None:
    flow = "language: fr\nnodes: [{id: end, type: terminal}]\nedges: []\n"
    hint = next(d.hint for d in compile_text(HEAD + flow).diagnostics if d.code == "GW520")
    assert hint.endswith("under `state`: `spoken: {type: string, default: fr}`.")


@pytest.mark.parametrize("name", ["n", "answers.n"])
def test_the_hint_for_a_validation_that_names_its_own_answer_is_the_word_for_it(name: str) -> None:
    flow = f"""
nodes:
  - {{id: q.n, type: question, key: n, prompt: How many, schema: {{type: integer}}, validate: {name} < 9}}
  - {{id: end, type: terminal}}
edges: [{{from: q.n, to: end}}]
"""
    found = compile_text(HEAD + flow).diagnostics[0]
    assert "`value`" in found.hint
    assert name != "n" or (found.fix is not None and found.fix.text == "value")


def test_the_hint_for_a_subgraph_that_nothing_calls_names_the_paths_with_one_ref() -> None:
    sub = "{nodes: [{id: q.NAME, type: question, key: NAME, prompt: P}], edges: [{from: q.NAME, to: __exit__}]}"
    subs = ", ".join(f"s{name}: {sub.replace('NAME', name)}" for name in "ab")
    flow = f"""paths: {{a: {{ref: sa, description: A}}, b: {{ref: sa, description: B}}}}
nodes: [{{id: c, type: subgraph, ref: $active_path}}, {{id: done, type: terminal}}]
edges: [{{from: c, to: done}}]
subgraphs: {{{subs}}}
"""
    hint = next(d.hint for d in compile_text(HEAD + flow).diagnostics if d.code == "GW602")
    assert hint.endswith("`paths.a` and `paths.b` have the same `ref`: one of them may be meant for it.")


CONFIRMED = """
nodes:
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send it?"}
  - {id: q.other, type: question, key: other, read: confirm, ask: always, prompt: "Really?"}
  - {id: send, type: action, run: hand_over, with: {to: desk, summary: A}, confirm: {by: q.sure, over: [message]}}
  - {id: done, type: terminal}
edges:
  - {from: q.sure, to: SECOND, guard: "answers.sure == FIRST"}
  - {from: q.sure, to: done, guard: else}
  - {from: q.other, to: send, guard: answers.other == true}
  - {from: q.other, to: done, guard: else}
  - {from: send, to: done}
"""


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        ("false", "q.other", "Write `by: q.other`: a yes to that question leads to `send`."),
        ("false", "send", "Guard the edge to `send` with `answers.sure == true`, and the one that a yes takes now"),
    ],
)
def test_the_hint_for_a_yes_that_leads_elsewhere_names_what_leads_there(first: str, second: str, hint: str) -> None:
    text = CONFIRMED.replace("FIRST", first).replace("SECOND", second)
    if second == "send":
        text = text.replace("{from: q.other, to: send", "{from: q.other, to: done")
    (found,) = [each for each in compile_text(HEAD + text).diagnostics if each.code == "GW516"]
    assert found.hint.startswith(hint)


def test_the_hint_for_a_way_round_without_an_end_names_the_end() -> None:
    flow = """
nodes: [{id: stay, type: subgraph, ref: sg, as: stay}, {id: done, type: terminal}]
edges: [{from: stay, to: done}]
subgraphs:
  sg:
    nodes:
      - {id: q.nights, type: question, key: nights, prompt: "How many nights?"}
      - {id: q.food, type: question, key: food, prompt: "With breakfast?"}
    edges: [{from: q.nights, to: q.food}, {from: q.food, to: q.nights}]
"""
    (found,) = [each for each in compile_text(HEAD + flow).diagnostics if each.code == "GW225"]
    assert found.hint.startswith("Lead this way to `__exit__`: no way from here leaves `sg`")


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
