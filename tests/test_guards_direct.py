"""Plain conditions as Python functions: whatever they decide, the CEL library decides the same."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.flow.guards import Language, Vocabulary
from graphwright.flow.guards.direct import direct
from graphwright.flow.guards.program import Program

SCHEMAS: dict[str, Any] = {
    "t": {"type": "string"},
    "i": {"type": "integer"},
    "n": {"type": "number"},
    "b": {"type": "boolean"},
    "e": {"enum": ["red", "green", "it's"]},
    "nt": {"type": ["string", "null"]},
    "x": {},
}
LANGUAGE = Language(
    {"": Vocabulary(SCHEMAS, {"s": "sub"}), "sub": Vocabulary({"i": {"type": "integer"}, "b": {"type": "boolean"}})},
    channels={"c": {"type": ["string", "null"]}, "k": {"type": "integer"}, "f": {"type": "boolean"}},
    predicates={"p": "answers.b"},
)

TERMS = st.sampled_from(
    """answers.t == 'red'; answers.t != ''; answers.t < 'm'; answers.t in ['red', 'blue']; size(answers.t) > 2;
    answers.i == 3; answers.i != 0; answers.i <= -1; answers.i in [1, 2, 3]; answers.i > 9007199254740993;
    answers.n == 3; answers.n < 2.5; answers.n >= 9007199254740993; answers.n in [1, 2.5]; answers.b; !answers.b;
    answers.b == true; answers.b != false; answers.e == "it's"; answers.nt == 'red'; answers.nt == null;
    answers.x == 3; has(answers.t); has(answers.s.i); answers.s.i > 2; answers.s.b; c == 'red'; k > 2; f; p;
    active_path == ''; message != 'red'""".replace("\n", " ").split("; ")
).map(str.strip)
CONDITIONS = st.recursive(
    TERMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" && ", "||", "\n&&", " || "]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"!({text})"),
        inner.map(lambda text: f"! ( {text} )"),
    ),
    max_leaves=5,
)
TEXT = st.sampled_from(["red", "", "it's", "é", "🏟️", "zz", "x" * 50])
INTEGER = st.sampled_from([0, 3, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)])
NUMBER = INTEGER | st.sampled_from([2.5, -0.0, 1e300, math.inf, -math.inf, math.nan, 9007199254740992.0])
BOOLEAN = st.booleans()
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "t": TEXT,
        "i": INTEGER,
        "n": NUMBER,
        "b": BOOLEAN,
        "e": st.sampled_from(["red", "green", "it's"]),
        "nt": TEXT | st.none(),
        "x": st.sampled_from([3, 3.0, "3", None, [3]]),
        "s": st.fixed_dictionaries({}, optional={"i": INTEGER, "b": BOOLEAN}),
    },
)
VALUES = st.fixed_dictionaries(
    {"answers": ANSWERS}, optional={"c": TEXT | st.none(), "k": INTEGER, "f": BOOLEAN, "message": TEXT}
)


def program(text: str) -> Program:
    found = LANGUAGE.guard(text)
    assert isinstance(found, Program), found
    return found


@settings(max_examples=1500, deadline=None)
@given(text=CONDITIONS, values=VALUES)
def test_what_is_decided_directly_the_library_decides_too(text: str, values: dict[str, Any]) -> None:
    made = program(text)
    test = direct(made.text, made._names)
    if test is None:
        return
    decided = test(values, values["answers"])
    if decided is not None:
        assert made._run(values) is decided


@pytest.mark.parametrize(
    ("text", "values", "decided"),
    [
        ("answers.t == 'red' && answers.i > 3 && answers.b", {"t": "red", "i": 4, "b": True}, True),
        ("answers.t == 'red' && answers.i > 3 && answers.b", {"t": "blue"}, False),
        ("answers.b || answers.i > 3 && has(answers.t)", {"b": False, "i": 5, "t": ""}, True),
        ("!(answers.b || answers.i in [1, 2])", {"b": False, "i": 3}, True),
        ("answers.n < 2.5", {"n": 2}, True),
        ("has(answers.s.i)", {}, False),
        ("answers.s.i > 2", {"s": {"i": 3}}, True),
        # What is not there, or not of its type, or not surely the same thing, is left to the library.
        ("answers.t == 'red'", {}, None),
        ("answers.t == 'red'", {"t": 3}, None),
        ("answers.t == 'red'", {"t": "é"}, None),
        ("answers.t == 'red'", {"t": "red\0ish"}, None),
        ("!(answers.t in ['red', 'blue'])", {"t": "red\0ish"}, None),
        ("size(answers.t) == 3", {"t": "red\0ish"}, None),
        ("answers.i > 3", {"i": True}, None),
        ("answers.i > 3", {"i": 2**64}, None),
        ("answers.n > 3", {"n": 2**53 + 1}, None),
        ("answers.nt == 'red'", {"nt": None}, None),
    ],
)
def test_what_is_decided_directly(text: str, values: dict[str, Any], decided: bool | None) -> None:
    made = program(text)
    test = direct(made.text, made._names)
    assert test is not None
    assert test({"answers": values}, values) is decided


@pytest.mark.parametrize("text", ["p", "answers.i + 1 > 3", "answers.x == 3", "answers.nt == null", "[1].size() == 1"])
def test_what_is_not_plain_enough_is_left_to_the_library(text: str) -> None:
    made = program(text)
    assert direct(made.text, made._names) is None
