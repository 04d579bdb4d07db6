"""What a person should look at twice: only what is weaker than before, and what exactly."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from graphwright.authoring._cautions import cautions, conversation_cautions, lost_expectations
from graphwright.flow import compile_text
from graphwright.flow._text_edits import written
from graphwright.flow.difference import difference

RECORD = {"type": "action", "run": "record", "with": {"collection": "cups", "value": {"n": "{{ answers.cups }}"}}}
YES = {"by": "q.sure", "over": ["answers.cups", "answers.size"]}


def document(*more: dict[str, Any], **confirm: Any) -> dict[str, Any]:
    """A flow whose record needs this confirmation, with more nodes behind it."""
    chain = [
        {"id": "q.cups", "type": "question", "key": "cups", "prompt": "Cups?", "schema": {"type": "integer"}},
        {"id": "q.size", "type": "question", "key": "size", "prompt": "Size?"},
        {"id": "q.sure", "type": "question", "key": "sure", "read": "confirm", "ask": "always", "prompt": "Sure?"},
        {"id": "a.keep", **RECORD, **({"confirm": confirm} if confirm else {})},
        *more,
        {"id": "t.done", "type": "terminal"},
    ]
    edges: list[dict[str, Any]] = [{"from": one["id"], "to": other["id"]} for one, other in itertools.pairwise(chain)]
    return {"version": "v1", "id": "flow.x", "on_escalate": "t.done", "nodes": chain, "edges": edges}


@pytest.mark.parametrize(
    ("confirm", "caution"),
    [
        ({}, "needs no confirmation any more; until now a yes to `q.sure`"),
        ({**YES, "over": ["answers.cups"]}, "runs after a yes that does not cover `answers.size` any more"),
        ({**YES, "when": "answers.cups > 20"}, "needs a yes only if `answers.cups > 20`, until now always"),
        ({**YES, "over": [*YES["over"], "message"]}, ""),
    ],
)
def test_a_weaker_confirmation_says_what_is_weaker_and_a_stronger_one_nothing(
    confirm: dict[str, Any], caution: str
) -> None:
    before, after = document(**YES), document(**confirm)
    one, other = (compile_text(written(each)).flow for each in (before, after))
    assert one is not None
    assert other is not None
    found = list(cautions(difference(one, other), before, after))
    assert [caution in each for each in found] == [True] * bool(caution)


@pytest.mark.parametrize(
    ("node", "told"),
    [
        ({"id": "a.more", **RECORD}, True),
        ({"id": "a.more", **RECORD, "confirm": {**YES, "when": "answers.cups > 20"}}, True),
        ({"id": "a.more", **RECORD, "confirm": YES}, False),
        ({"id": "a.more", **RECORD, "with": {"collection": "refused", "value": {}}}, False),
        ({"id": "a.more", "type": "action", "run": "http_request", "with": {"url": "https://x.example"}}, False),
    ],
)
def test_another_way_to_an_effect_without_its_confirmation_is_told(node: dict[str, Any], told: bool) -> None:
    assert bool(list(cautions(None, document(**YES), document(node, **YES)))) is told


def test_a_node_that_is_changed_into_a_confirmed_effect_is_told() -> None:
    note = {"id": "a.note", "type": "action", "run": "record", "with": {"collection": "notes", "value": {}}}
    before, after = document(note, **YES), document({"id": "a.note", **RECORD}, **YES)
    assert "`a.note` runs `record` without a confirmation" in next(cautions(None, before, after))


def test_a_new_flow_without_a_way_out_of_wrong_replies_is_told() -> None:
    after = {name: value for name, value in document(**YES).items() if name != "on_escalate"}
    assert "no `on_escalate`: after too many wrong replies to `q.cups`, `q.size`" in next(cautions(None, {}, after))
    assert list(cautions(None, after, after)) == []


TURNS = 'agent: ..\nturns:\n  - {user: "3", expect: {status: ended, node: t.done, reply: 3 cups, answers: {cups: 3}}}\n'


@pytest.mark.parametrize(
    ("expect", "lost"),
    [
        ("{node: t.done, reply: [Thank you for 3 cups], answers: {cups: 3}}", []),
        ("{node: q.size, reply: [3 cups], answers: {cups: 3}}", ["after “3”: node t.done, now q.size"]),
        ("{node: t.done, answers: {cups: 3}}", ["after “3”: reply [3 cups]"]),
        ("{node: q.size}}\n  - {user: big, expect: {node: t.done, reply: 3 cups, answers: {cups: 3}}", []),
    ],
)
def test_only_expectations_that_are_really_gone_are_told(expect: str, lost: list[str]) -> None:
    after = f'agent: ..\nturns:\n  - {{user: "3", expect: {expect}}}\n'
    assert [each.replace('"', "") for each in lost_expectations(TURNS, after)] == lost


CHECKED = (
    "agent: ..\ntrace: true\nend: ended\nstubs: {actions: {a.keep: {writes: {}}, a.gone: {writes: {}}}}\n"
    "turns:\n  - {user: cups, expect: {node: q.cups}}\n  - {user: '3', expect: {node: t.done, model_calls: 0}}\n"
)


@pytest.mark.parametrize(
    ("rewritten", "told"),
    [
        (CHECKED, []),
        (
            "agent: ..\nturns:\n  - {user: cups, expect: {node: q.cups}}\n  - {user: '3'}\n",
            [
                "after “3”: node t.done; after “3”: model_calls 0; at the end: status ended; its golden trace.",
                "performs what a stub replaced until now: `a.keep`.",
            ],
        ),
        (CHECKED.replace("end: ended\n", ""), []),
    ],
)
def test_the_end_stubs_model_calls_and_golden_trace_that_are_gone_are_told(rewritten: str, told: list[str]) -> None:
    found = list(conversation_cautions("tests/x.conversation.yaml", CHECKED, rewritten, document(**YES)))
    assert [part in each for part, each in zip(told, found, strict=True)] == [True] * len(told)
