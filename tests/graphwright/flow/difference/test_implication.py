"""Which of two guards opens more often: every verdict agrees with the evaluation of both over many values."""

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.flow import CompiledFlow, compile_text
from graphwright.flow.difference._implication import Comparison, compare_guards, place_of

FLOW = """
version: v1
id: demo
state:
  n: {type: integer, default: 0}
  x: {type: number}
  plan: {type: [object, "null"], properties: {ok: {type: boolean}, size: {type: integer}}}
  tags: {type: array, items: {type: string}, default: []}
predicates: {large: answers.size > 5}
nodes:
  - {id: q.size, type: question, key: size, prompt: a, schema: {type: integer, minimum: 1, maximum: 9}}
  - {id: q.weight, type: question, key: weight, prompt: a, schema: {type: [number, "null"], exclusiveMinimum: 0}}
  - {id: q.name, type: question, key: name, prompt: a, schema: {type: string, minLength: 1}}
  - {id: q.kind, type: question, key: kind, prompt: a, schema: {enum: [a, b, c]}}
  - {id: q.sure, type: question, key: sure, prompt: a, schema: {type: boolean}}
  - {id: d, type: decision}
  - {id: t, type: terminal}
edges:
  - {from: q.size, to: q.weight}
  - {from: q.weight, to: q.name}
  - {from: q.name, to: q.kind}
  - {from: q.kind, to: q.sure}
  - {from: q.sure, to: d}
  - {from: d, to: t, guard: GUARD}
  - {from: d, to: t, guard: else}
"""
MISSING = object()
POOL: dict[str, list[Any]] = {
    "n": [-1, 0, 1, 2, 3, 4, 6],
    "x": [None, -0.5, 0, 1, 1.5, 2, 3, 4.25],
    "plan": [None, {}, {"ok": True}, {"ok": False, "size": 3}, {"ok": True, "size": 1}],
    "tags": [[], ["a"], ["b", "x"], ["a"] * 3, ["c"] * 4],
    "answers.size": [1, 2, 3, 4, 5, 6, 9, MISSING],
    "answers.weight": [None, 0.25, 1, 2, 2.5, 3, 4, MISSING],
    "answers.name": ["a", "b", "xx", "abc", "abcd", "zzzzz", MISSING],
    "answers.kind": ["a", "b", "c", MISSING],
    "answers.sure": [True, False, MISSING],
}


def compiled(guard: str) -> CompiledFlow:
    made = compile_text(FLOW.replace("GUARD", f"'{guard}'"))
    assert made.flow is not None, (guard, made.errors)
    return made.flow


def compared(before: str, after: str, *, demand: bool = False) -> tuple[Comparison, CompiledFlow, CompiledFlow]:
    flows = compiled(before), compiled(after)
    guards = [flow.nodes["d"].edges[0].guard for flow in flows]
    places = place_of(flows[0], ""), place_of(flows[1], "")
    return compare_guards(*guards, places, demand=demand), *flows


numbers = st.sampled_from(["answers.size", "answers.size", "answers.weight", "n", "x"])
literal = st.integers(0, 4).map(str)
atom = st.one_of(
    st.builds("{} {} {}".format, numbers, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), literal),
    st.builds("{} in [{}, {}]".format, numbers, literal, literal),
    st.builds('answers.name {} "{}"'.format, st.sampled_from(["==", "!="]), st.sampled_from(["a", "abc", ""])),
    st.builds('answers.kind in ["{}", "{}"]'.format, st.sampled_from("abc"), st.sampled_from("abc")),
    st.builds("size({}) {} {}".format, st.sampled_from(["answers.name", "tags"]), st.sampled_from("<>"), literal),
    st.builds("has(answers.{})".format, st.sampled_from(["size", "weight", "name", "kind", "sure"])),
    st.sampled_from(
        ["answers.sure", "large", "plan != null", "plan.ok", "has(plan.ok)", "x == null", "answers.weight == null"]
    ),
    st.builds("answers.size % {} == {}".format, st.sampled_from("23"), st.sampled_from("01")),
    st.builds("answers.size * 2 {} {}".format, st.sampled_from(["<", ">="]), st.sampled_from("468")),
    st.sampled_from(["answers.size > n", 'tags.exists(t, t == "a")', '"a" in tags', "true"]),
    st.sampled_from(["plan.size > 2", "2 < answers.size", 'answers.name.startsWith("a")']),
)
guards = st.recursive(
    atom,
    lambda inner: st.one_of(
        inner.map("!({})".format),
        st.builds("({}) {} ({})".format, inner, st.sampled_from(["&&", "||"]), inner),
        st.builds("{} ? {} : {}".format, st.just("answers.sure"), inner.map("({})".format), inner.map("({})".format)),
    ),
    max_leaves=4,
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two guards, often related."""
    one = draw(guards)
    other = draw(guards)
    related = [other, f"({one}) && ({other})", f"({one}) || ({other})", f"!(!({one}))"]
    return one, draw(st.sampled_from([*related, one.replace("2", "3"), one.replace(">", ">="), one.replace("a", "b")]))


def values_of(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"answers": {}}
    for name, value in row.items():
        head, _, key = name.rpartition(".")
        if value is not MISSING:
            (found[head] if head else found)[key] = value
    return found


@pytest.mark.parametrize(
    ("before", "after", "relation", "only_before", "only_after"),
    [
        ("answers.size > 3", "answers.size > 4", "stronger", "answers.size == 4", None),
        ("answers.size > 3", "answers.size >= 4", "equal", None, None),
        ("answers.weight > 3", "answers.weight >= 4", "stronger", "answers.weight == 3.5", None),
        ('answers.kind in ["a", "b"]', 'answers.kind != "c"', "equal", None, None),
        ("answers.size > 8", "answers.size < 3", "incomparable", "answers.size == 9", "answers.size == 1"),
        ("large && n > 0", "n > 0", "weaker", None, "n == 1 && answers.size == 1"),
        ("size(answers.name) > 3", "size(answers.name) > 60", "stronger", "answers.name == 'xxxx'", None),
        ("has(answers.name)", "true", "weaker", None, "!has(answers.name)"),
        ("plan != null", "plan != null && plan.ok", "stronger", 'plan == {"ok": false}', None),
        ("answers.size * 2 > 10", "answers.size * 2 > 12", "stronger", "answers.size == 6", None),
        ('"a" in tags', '"a" in tags || n == 3', "weaker", None, "n == 3 && tags == []"),
        ("answers.size > n", "answers.size >= n", "unknown", None, "n == 1 && answers.size == 1"),
        # From 2^53 on, floats have gaps.
        ("x > 9007199254740992.0", "x >= 9007199254740992.0", "unknown", None, "x == 9007199254740992.0"),
    ],
)  # fmt: skip
def test_relations(before: str, after: str, relation: str, only_before: str | None, only_after: str | None) -> None:
    found = compared(before, after)[0]
    shown = [str(example) if example is not None else None for example in (found.only_before, found.only_after)]
    assert (found.relation, *shown) == (relation, only_before, only_after)


@pytest.mark.slow
@pytest.mark.parametrize("demand", [False, True])
@settings(max_examples=250, deadline=None)
@given(pair=pairs(), seed=st.integers(0, 9))
def test_no_verdict_contradicts_the_evaluation(demand: bool, pair: tuple[str, str], seed: int) -> None:
    try:
        found, *flows = compared(*pair, demand=demand)
    except AssertionError:
        return  # The replaced text is no guard.
    one, other = (flow.nodes["d"].edges[0].guard for flow in flows)

    def held(values: dict[str, Any]) -> tuple[bool, ...]:
        verdicts = [guard.evaluate(values) for guard in (one, other) if guard is not None]
        return tuple(not verdict.closes if demand else verdict.opens for verdict in verdicts)

    for example, claimed in ((found.only_before, (True, False)), (found.only_after, (False, True))):
        if example is not None:
            seen = (
                {name: POOL[name][0] for name in POOL} | dict(example.values) | dict.fromkeys(example.missing, MISSING)
            )
            assert held(values_of(seen)) == claimed, (pair, found)
    reads = sorted({name for guard in (one, other) if guard is not None for name in guard.reads})
    combinations = list(product(*(POOL[name] for name in reads)))
    rows = {
        held(values_of(dict(zip(reads, row, strict=True))))
        for row in random.Random(seed).sample(combinations, min(len(combinations), 400))
    }
    assert ((True, False) not in rows) or found.relation in ("stronger", "incomparable", "unknown"), (pair, found)
    assert ((False, True) not in rows) or found.relation in ("weaker", "incomparable", "unknown"), (pair, found)


def test_predicates_that_use_others_twice_take_no_exponential_time() -> None:
    predicates = ["p0: answers.size > 3", *(f"p{n}: p{n - 1} && p{n - 1}" for n in range(1, 60))]
    text = FLOW.replace("predicates: {", f"predicates: {{{', '.join(predicates)}, ")
    before, after = (compile_text(text.replace("GUARD", guard)).flow for guard in ("p59", "p59 || n > 3"))
    assert before is not None
    assert after is not None
    guard = before.nodes["d"].edges[0].guard
    assert guard is not None
    assert guard.outcome({"answers": {"size": 4}}, {"answers.weight"}) is True
    assert guard.deciding_reads({"answers": {"size": 4}}, True) == {"answers.size"}
    assert guard.bounds(("answers", "size"), {}).found == [(">", 3)]
    found = compare_guards(guard, after.nodes["d"].edges[0].guard, (place_of(before, ""), place_of(after, "")))
    assert found.why == "with its predicates the expression is too long"
