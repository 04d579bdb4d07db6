"""Plain conditions: understood without the CEL library, and never otherwise than the CEL library understands them."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphwright.flow.guards import Language, Vocabulary
from graphwright.flow.guards.environments import Environments
from graphwright.flow.guards.plain import PlainReader
from graphwright.flow.guards.templates import CompiledTemplate

SCHEMAS = {
    "t": {"type": "string"},
    "i": {"type": "integer"},
    "n": {"type": "number"},
    "b": {"type": "boolean"},
    "e": {"enum": ["red", "green", "it's"]},
    "ei": {"enum": [1, 2, 3]},
    "en": {"type": "number", "enum": [1, 2.5]},
    "nt": {"type": ["string", "null"]},
    "mix": {"type": ["boolean", "string"]},
    "l": {"type": "array", "items": {"type": "string"}},
    "o": {"type": "object", "properties": {"p": {"type": "string"}}},
    "x": {},
    "in": {"type": "integer"},
    "if": {"type": "integer"},
    "size": {"type": "integer"},
}


def language() -> Language:
    return Language(
        {"": Vocabulary(SCHEMAS, {"s": "sub"}), "sub": Vocabulary({"i": {"type": "integer"}, "n": {"type": "number"}})},
        channels={"c": {"type": ["string", "null"]}, "k": {"type": "integer"}, "d": {}, "f": {"type": "boolean"}},
        predicates={"p": "answers.b || answers.i > 3", "q": "p && has(answers.t)", "broken": "answers.nobody"},
    )


LANGUAGE = language()
VALUE = {"type": "number"}


def is_plain(text: str) -> bool:
    names = LANGUAGE._unit("value > 1 + 1", "", LANGUAGE._value_shape(VALUE)).names
    return PlainReader(text, names).read()


OTHER_NAMES = """answers.s.i answers.s.n answers.s answers answers.o.p c k d f p q broken value message active_path
nobody answers.nobody int true"""
LITERALS = r"""0; -1; 7; 007; 3u; 0x1F; 9223372036854775807; -9223372036854775808; 99999999999999999999; 1.5; -0.0;
1.; .5; 1e3; 1.5e3; - 3; true; false; null; 'red'; "red"; 'blue'; "it's"; 'é 🏟️'; ''; '''a'''; r'a'; b'a'; 'a\n';
'//'; '&&'; []; ['red']; ['red', 'blue']; [1, 2]; [1,2.5 , -3]; ['red', 1]; [[1]]; [null]"""

names = st.sampled_from([*(f"answers.{key}" for key in SCHEMAS), *OTHER_NAMES.split()])
literals = st.sampled_from([*(literal.strip() for literal in LITERALS.split(";")), "\u00a01"])
signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", " in ", "in", "=", "+", " == ", "\n>=\t", " not in "])
terms = (
    names
    | st.tuples(names, signs, literals).map("".join)
    | st.tuples(literals, signs, names).map("".join)
    | st.tuples(names, signs, names).map("".join)
    | names.map(lambda name: f"has({name})")
    | names.map(lambda name: f"size({name}) > 2")
    | names.map(lambda name: f"{name}.size() == 2")
    | names.map(lambda name: f"size( {name} )")
)
conditions = st.recursive(
    terms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["&&", " || ", " and ", "&", "//"]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"!{text}"),
        inner.map(lambda text: f" ! ( {text} ) "),
        inner.map(lambda text: f"{text} == true"),
    ),
    max_leaves=5,
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A condition with a few characters taken out, put in or doubled."""
    text = draw(conditions)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + draw(st.sampled_from(["", *" ()!&|.'\"\\-0e1ux[],=\n\r\f/a"]))
            + text[at + draw(st.integers(0, 1)) :]
        )
    return text


scalars = st.sampled_from([None, True, False, 0, 1, 2, 3, 4, 2.5, "red", "blue", "", 2**63, ["red"], {"p": "red"}])
answers = st.dictionaries(st.sampled_from(list(SCHEMAS)), scalars) | st.just(
    {"s": {"i": 3, "n": 2}, "n": 1, "t": "red"}
)
values = st.fixed_dictionaries({"answers": answers}, optional=dict.fromkeys(["c", "k", "d", "f", "value"], scalars))


@settings(max_examples=1500, deadline=None)
@given(damaged(), values)
@example("answers.n > 3 && answers.n != 1.5 || !(answers.e in ['red', \"green\"])", {"answers": {"n": 4, "e": "red"}})
@example("!has(answers.s.i) || answers.s.i == 3 && q", {"answers": {"s": {"i": 3}, "b": True}})
@example("value >= -5 && c == null && size(answers.l) == 1", {"answers": {"l": ["a"]}, "value": 1, "c": None})
def test_what_is_plain_means_the_same_to_the_library(text: str, given_values: dict) -> None:
    if not is_plain(text):
        return
    # A comment is nothing plain: with it the same text goes through the CEL library.
    pairs = [(LANGUAGE.guard(text, value=VALUE), LANGUAGE.guard(text + "\n//", value=VALUE))]
    if "value" not in text and "}}" not in text:
        pairs.append((LANGUAGE.template("{{" + text + "}}"), LANGUAGE.template("{{" + text + "\n//\n}}")))
    for plain, full in pairs:
        if isinstance(full, list):
            assert isinstance(plain, list)
            assert [(p.kind, p.message, p.line, p.column) for p in plain] == [
                (p.kind, p.message, p.line, p.column) for p in full
            ]
            assert {problem.kind for problem in full} == {"not_boolean"}
            continue
        assert not isinstance(plain, list), text
        assert plain.reads == full.reads
        if isinstance(plain, CompiledTemplate):
            assert plain.render(given_values) == full.render(given_values)
            continue
        one, other = plain.evaluate(given_values), full.evaluate(given_values)
        assert repr(one) == repr(other)
        assert plain.explain(given_values) == full.explain(given_values)


@settings(max_examples=300, deadline=None)
@given(conditions)
def test_what_is_plain_is_found_with_the_same_facts(text: str) -> None:
    names = LANGUAGE._unit("1 == 2 - 1", "", None).names
    reader = PlainReader(text, names)
    if not reader.read():
        return
    full = LANGUAGE._unit(text + "\n//", "", None)
    assert full.problems == []
    assert (reader.result, reader.widened) == (full.result, full.widened)
    assert list(reader.analysis.reads.items()) == list(full.analysis.reads.items())
    assert list(reader.analysis.needs) == list(full.analysis.needs)
    assert list(reader.analysis.predicates) == list(full.analysis.predicates)


@pytest.mark.parametrize(
    "text",
    [
        "answers.i > 3",
        "answers.t == 'a' && answers.i>=-1||has(answers.x)",
        "!(answers.b && !has(answers.s.i))\n|| p",
        "answers.e in ['red', 'green']",
        "answers.n < 3 || answers.n == 2.5",
        "answers.mix == true",
        "c == null && k != 0 && f",
        "value > 0 && value < 300",
        "size(answers.t) > 0",
        "answers.if == 3",
    ],
)
def test_the_commonest_conditions_are_plain(text: str) -> None:
    assert is_plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "answers.e == 'blue'",
        "answers.i == 1.0",
        "answers.i == 'a'",
        "answers.t == null",
        "answers.b < true",
        "answers.nobody",
        "answers.s",
        "answers.in == 3",
        "has(c)",
        "!answers.i == 3",
        "answers.i == 3u",
        "answers.i == 007",
        "answers.t == 'a\\'b'",
        "answers.t == '''a'''",
        "answers.i > 3 &&",
        "(answers.i > 3",
        "answers.i > 3)",
        "answers.i > 1 > 2",
        "answers.i == 99999999999999999999",
        "((((((((((answers.b))))))))))",
        "",
    ],
)
def test_what_is_not_surely_right_goes_the_full_way(text: str) -> None:
    assert not is_plain(text)


def test_a_program_that_fails_to_compile_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Environments, text: str) -> None:
        raise RuntimeError("INVALID_ARGUMENT: no")

    monkeypatch.setattr(Environments, "program", refuse)
    fresh = language()
    verdict = fresh.guard("answers.i + 0 > 3").evaluate({"answers": {"i": 4}})
    assert not verdict.opens
    assert verdict.error == "it cannot be evaluated with these values (answers.i is 4)"
    verdict = fresh.guard("p").evaluate({"answers": {"i": 4, "b": True}})
    assert not verdict.opens
    assert verdict.error
    assert fresh.template("{{ answers.i }}").render({"answers": {"i": 4}}) == ""
