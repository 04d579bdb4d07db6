"""Checklists as flow documents: their rule, compared with an independent implementation, and what is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_support import Runner
from graphwright.engine._advance import Ask, End, advance
from graphwright.engine._position import entry
from graphwright.flow import compile_text
from graphwright.flow._checklist_flow import convert

KEYS = ("a", "b", "c", "d", "e")


def reference(items: list[dict[str, Any]], answers: dict[str, Any]) -> str:
    """The key that a checklist asks for next, written from the description of the rule alone."""
    for item in sorted(items, key=lambda item: (item["priority"], item["key"])):
        unmet = [key for key in item["dependencies"] if not answers.get(key)]
        if item["required"] and not answers.get(item["key"]) and not unmet:
            return str(item["key"])
    return ""


def items(keys: tuple[str, ...] = KEYS) -> st.SearchStrategy[list[dict[str, Any]]]:
    question = st.fixed_dictionaries(
        {
            "key": st.sampled_from(keys),
            "prompt": st.just("Which?"),
            "required": st.booleans(),
            "priority": st.integers(0, 3),
            "dependencies": st.lists(st.sampled_from(keys), max_size=2, unique=True),
        }
    )
    return st.lists(question, min_size=1, max_size=5, unique_by=lambda item: str(item["key"]))


def without_unknown(listed: list[dict[str, Any]], known: set[str]) -> list[dict[str, Any]]:
    return [{**item, "dependencies": [key for key in item["dependencies"] if key in known]} for item in listed]


@given(listed=items(), of_path=items(("c", "d", "f")), paths=st.booleans(), volunteered=st.sets(st.sampled_from(KEYS)))
def test_a_converted_flow_compiles_and_asks_what_an_independent_implementation_of_the_rule_asks(
    listed: Any, of_path: Any, paths: bool, volunteered: set[str]
) -> None:
    known = {item["key"] for item in (*listed, *(of_path if paths else ()))}
    listed, of_path = without_unknown(listed, known), without_unknown(of_path, known)
    checklist = {"questions": listed, **({"paths": {"p": {"questions": of_path}}} if paths else {})}
    conversion = convert(json.dumps(checklist))
    compilation = compile_text(conversion.text)
    assert compilation.flow is not None, conversion
    merged = [*(item for item in listed if item["key"] not in {other["key"] for other in of_path}), *of_path]
    for chosen in ("", "p") if paths else ("",):
        answers = dict.fromkeys(sorted(volunteered & known), "x")
        position, asked = entry(compilation.flow), []
        while True:
            values = {"answers": dict(answers), "active_path": chosen}
            outcome = advance(compilation.flow, position, values).outcome
            expected = reference(merged if chosen else listed, answers)
            if isinstance(outcome, End):
                assert expected == ""
                break
            assert isinstance(outcome, Ask), outcome
            assert outcome.node.key == expected
            answers[expected] = "x"
            asked.append(expected)
            position = outcome.position.completed()
        assert len(asked) == len(set(asked))


CHECKLIST = """\
# what a shop asks
title: Lights
questions:
  - {key: wish, prompt: "What do you need?", priority: 1}
  - {key: e-mail, prompt: "E-mail, {name}?", priority: 5, validate: email}
  - {key: venue, prompt: "Venue?", priority: 2, dependencies: [e-mail], validate: "lambda v: len(v) > 3"}
  - {key: note, prompt: "Note {{x}}?", required: false}
  - {key: budget, prompt: "Budget?", validate: shop.checks.budget, help: in euros}
  - {key: zip, prompt: "Zip?", validate: "re.match('[0-9]+', value)"}
  - {key: size, prompt: "Size?", validate: "value > 3", when: "answers.shape == 'round'"}
paths:
  led: {description: Buying LED lights, questions: [{key: court, prompt: "Court?"}]}
path_policy: {lock_threshold: 2}
"""


def test_lost_meaning_is_listed_with_its_place(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(CHECKLIST, "utf-8")
    done = run("convert", file)
    assert done.code == 0
    flow = compile_text(done.out).flow
    assert flow is not None
    assert (flow.id, flow.title, flow.path_policy.lock_threshold) == ("flow.shop", "Lights", 2.0)
    places = [line.partition("shop.yaml:")[2].partition(":")[0] for line in done.err.splitlines()]
    assert places == ["5", "5", "6", "7", "8", "8", "9", "10", "10"]
    validators = {node.key: (node.validator, node.validate and node.validate.text) for node in flow.questions}
    assert validators["e_mail"] == ("email", None)
    assert validators["venue"] == ("", "size(value) > 3")
    assert [key for key in ("budget", "zip", "size") if any(validators[key])] == []
    note = next(node for node in flow.questions if node.key == "note")
    assert note.prompt.render({}) == "Note {{x}}?"


def test_a_checklist_in_json_becomes_json_and_one_with_paths_alone_gets_a_first_question(run: Runner) -> None:
    checklist = {"id": "flow.x", "questions": [], "paths": {"p": {"questions": [{"key": "a", "prompt": "A?"}]}}}
    done = run("convert", "-", stdin=json.dumps(checklist))
    assert json.loads(done.out)["id"] == "flow.x"
    assert compile_text(done.out).errors == ()
    assert "the question `request` was added" in done.err
    made = run("convert", "-", "--json", stdin=json.dumps([{"key": "a", "prompt": "A?"}])).json
    assert (made["losses"], made["document"]["nodes"][1]["key"]) == ([], "a")


@pytest.mark.parametrize(
    ("text", "code", "pointer"),
    [
        ("nodes: []", "GW111", ""),
        ("", "GW111", ""),
        ("[{key: a}]", "GW121", "/0"),
        ("[{key: a, prompt: A, priority: high}]", "GW122", "/0/priority"),
        ("questions: [{key: a, prompt: A}, {key: a, prompt: B}]", "GW105", "/questions/1/key"),
        ("[{key: a, prompt: A, dependencies: [b]}]", "GW202", "/0/dependencies/0"),
        ("questions: {", "GW104", ""),
        ("questions: !!python/object:os.system [x]", "GW107", ""),
    ],
)
def test_a_damaged_checklist_is_refused_at_its_place(run: Runner, text: str, code: str, pointer: str) -> None:
    done = run("convert", "-", "--json", stdin=text)
    (found,) = done.json["diagnostics"]
    assert (done.code, found["code"], found["pointer"]) == (1, code, pointer)
    assert run("convert", "-", stdin=text).code == 1
