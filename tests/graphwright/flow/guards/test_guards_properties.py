"""Properties of guards: random values and expressions, hostile texts, and the conversion from text to tree and back."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.flow.guards import Language, Vocabulary
from graphwright.flow.guards._environments import Environments
from graphwright.flow.guards._syntax_tree import (
    Expr,
    decode,
    unparse,
)

LANGUAGE = Language(
    {
        "": Vocabulary(
            {
                "t": {"type": "string"},
                "i": {"type": "integer"},
                "n": {"type": "number"},
                "b": {"type": "boolean"},
                "l": {"type": "array", "items": {"type": "number"}},
                "o": {"type": "object", "properties": {"p": {"type": "number"}}},
                "x": {},
            },
            {"s": "sub"},
        ),
        "sub": Vocabulary({"i": {"type": "integer"}}),
    },
    channels={"c": {"type": ["string", "null"]}, "d": {}},
    predicates={"p": "answers.b || answers.i > 3"},
)

TEXTS = [
    "answers.t == 'a'",
    "answers.t != 'a' && answers.i > 3",
    "answers.n * 2 + 1 > 5 || answers.b",
    "answers.l.exists(v, v > 1) && size(answers.l) < 9",
    "answers.o.p > 1",
    "has(answers.x) && answers.x == 1",
    "!has(answers.s.i) || answers.s.i / answers.i == 1",
    "c == null || c.size() > 2",
    "p && !(d == 3)",
    "answers.t.matches('^a*$')",
    "answers.b ? answers.i > 1 : answers.n < 2",
    "answers.x[0] == 1 || d.e.f == 2",
]
GUARDS = [LANGUAGE.guard(text) for text in TEXTS]
TEMPLATES = [
    LANGUAGE.template(f"[{{{{ {name} }}}}]") for name in ("answers.x", "d", "answers.l", "c", "answers.o", "p")
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, -(2**63), 2**64, 10**400])
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.just("\ud800")
)
anything = st.recursive(
    scalars | st.binary(max_size=3) | st.sets(st.integers(), max_size=2) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=6,
)
answers = st.dictionaries(st.sampled_from(["t", "i", "n", "b", "l", "o", "x", "s"]), anything, max_size=8)
values = st.fixed_dictionaries({}, optional={"answers": answers | anything, "c": anything, "d": anything})


@settings(max_examples=150)
@given(values)
def test_no_value_makes_a_guard_raise_or_open_by_an_error(given_values):
    for guard in GUARDS:
        verdict = guard.evaluate(given_values)
        assert verdict.opens is (verdict.value is True and not verdict.error)
        assert verdict.error or isinstance(verdict.value, bool)
        why = guard.explain(given_values)
        assert (why == "") is verdict.opens
    for template in TEMPLATES:
        assert template.render(given_values).startswith("[")


@settings(max_examples=150)
@given(st.text(max_size=60) | st.text("answers.tinb()[]{}'\"\\&|!=<>+-*/%?:, 0123456789\n\t", max_size=60))
def test_no_text_makes_the_compiler_raise(text):
    for found in (LANGUAGE.guard(text), LANGUAGE.template(text), LANGUAGE.template("{{" + text + "}}")):
        if isinstance(found, list):
            assert found
            lines = (text + "}}").split("\n")
            assert all(1 <= p.line <= len(lines) and p.column >= 1 and p.message for p in found)


names = st.sampled_from(["answers.t", "answers.i", "answers.n", "answers.b", "answers.l", "answers.o.p", "c", "d"])
literals = (
    st.integers(-(2**63), 2**63 - 1)
    .map(str)
    .filter(lambda text: text != str(-(2**63)))  # its digits alone are beyond 64 bits
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.sampled_from(["true", "false", "null", "'a'", "'it\\'s \\\\ \\n é 🏟️'", '"q\\"q"', "r'\\d'", "b'\\x00z'", "7u"])
)


def bracketed(inner):
    """Texts with every operation in parentheses, so that no precedence rule is needed to read them."""
    signs = ["&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in"]
    return (
        st.tuples(inner, st.sampled_from(signs), inner).map(lambda p: f"(({p[0]}) {p[1]} ({p[2]}))")
        | st.tuples(st.sampled_from("!-"), inner).map(lambda p: f"({p[0]}({p[1]}))")
        | st.tuples(inner, inner, inner).map(lambda p: f"(({p[0]}) ? ({p[1]}) : ({p[2]}))")
        | st.lists(inner, max_size=3).map(lambda p: f"[{', '.join(p)}]")
        | st.tuples(inner, inner).map(lambda p: f"{{{p[0]}: {p[1]}}}")
        | st.tuples(inner, inner).map(lambda p: f"(({p[0]})[{p[1]}])")
        | inner.map(lambda p: f"size({p})")
        | inner.map(lambda p: f"(({p}).contains('a'))")
        | inner.map(lambda p: f"has(({p}).q)")
        | inner.map(lambda p: f"(({p}).q)")
        | st.tuples(inner, st.sampled_from(["all", "exists", "exists_one", "filter", "map"]), inner).map(
            lambda p: f"(({p[0]}).{p[1]}(v, ({p[2]}) == v))"
        )
        | st.tuples(inner, inner).map(lambda p: f"(({p[0]}).map(v, v == ({p[1]}), [v]))")
    )


expressions = st.recursive(names | literals, bracketed, max_leaves=6)
ENVIRONMENTS: Environments = LANGUAGE._environments


def outcome(text, data):
    try:
        result = ENVIRONMENTS.program(text).eval(data=data)
    except RuntimeError as error:
        return str(error).partition(": ")[0]
    return str(result.type()), repr(result.value())


def skeleton(expr: Expr) -> str:
    """The tree without positions."""
    return re.sub(r"offset=\d+", "", repr(expr))


@settings(max_examples=300)
@given(expressions, st.fixed_dictionaries({"c": st.sampled_from([None, "a"]), "d": st.sampled_from([1, [1.5], "q"])}))
def test_a_printed_tree_means_what_was_written(text, channels):
    try:
        tree = decode(ENVIRONMENTS.parse(text))
    except Exception:
        return
    printed = unparse(tree)
    again = decode(ENVIRONMENTS.parse(printed))
    assert unparse(again) == printed
    data = {"answers": {"t": "a", "i": 3, "n": 1.5, "b": True, "l": [1.0, 2.0], "o": {"p": 2.0}}, **channels}
    assert outcome(printed, data) == outcome(text, data)
    if "&&" not in text and "||" not in text:
        assert skeleton(again) == skeleton(tree)
