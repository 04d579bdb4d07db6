"""Guards and templates: their results for given values, the names they read, and why they are not true."""

import pytest

from graphwright.flow.guards import Guard, Language, Template, Vocabulary
from graphwright.flow.guards._environments import Environments

TEXT, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}

ROOT = Vocabulary(
    {
        "venue": {"enum": ["home", "office", "sports_court"]},
        "watt": INTEGER,
        "price": NUMBER,
        "prices": {"type": "array", "items": NUMBER},
        "garden": {"type": "boolean"},
        "email": TEXT,
        "phone": TEXT,
        "sure": {"type": ["boolean", "string"]},
        "free": {},
        "box": {"type": "object", "properties": {"width": NUMBER, "label": TEXT}},
    },
    {"led": "subgraph.led"},
)
LED = Vocabulary({"watt": INTEGER, "beam": NUMBER}, {"again": "subgraph.led"})
CHANNELS = {
    "attempts": INTEGER,
    "plan": {"type": ["string", "null"]},
    "goal": {"type": ["object", "null"], "properties": {"score": NUMBER}},
    "log": {"type": "array", "items": {"type": "object", "properties": {"ok": {"type": "boolean"}}}},
}
PREDICATES = {
    "contact": "has(answers.email) || has(answers.phone)",
    "serious": "contact && answers.price > 100",
    "wide": "answers.box.width > 2",
}


@pytest.fixture(scope="module")
def language() -> Language:
    return Language({"": ROOT, "subgraph.led": LED}, channels=CHANNELS, predicates=PREDICATES)


def guard(language: Language, text: str, **where) -> Guard:
    compiled = language.guard(text, **where)
    assert not isinstance(compiled, list), compiled
    return compiled


def template(language: Language, text: str) -> Template:
    compiled = language.template(text)
    assert not isinstance(compiled, list), compiled
    return compiled


def test_null_is_a_value_of_what_may_be_null(language):
    assert guard(language, "plan == null").evaluate({"plan": None}).opens
    assert guard(language, "plan != null && plan.startsWith('a')").evaluate({"plan": "abc"}).opens
    assert guard(language, "plan == null").evaluate({}).missing == ("plan",)
    assert guard(language, "goal == null || goal.score > 1").evaluate({"goal": {"score": 2}}).opens
    verdict = guard(language, "goal.score > 1").evaluate({"goal": None})
    assert verdict.error
    assert verdict.missing == ()


@pytest.mark.parametrize(
    ("text", "values", "says"),
    [
        ("answers.watt / 0 == 1", {"answers": {"watt": 1}}, "division by zero"),
        ("answers.watt * 2 > 0", {"answers": {"watt": 2**62}}, "64 bits"),
        ("answers.free == 1", {"answers": {"free": 2**70}}, "64 bits"),
        ("answers.email == 'x'", {"answers": {"email": "\ud800"}}, "cannot be evaluated"),
        ("answers.email == 'x'", {"answers": {"email": 3}}, ""),
        ("answers.price > 0", {"answers": {"price": 10**400}}, "too large"),
        ("answers.prices[3] > 0", {"answers": {"prices": [1]}}, "no element 3 in a list of 1"),
        ("answers.email.matches(answers.phone)", {"answers": {"email": "a", "phone": "["}}, "regular expression"),
        ("answers.watt > 0", {"answers": {"watt": "three"}}, "do not go together"),
        ("answers.email == 'x'", {"answers": [1]}, "cannot be evaluated"),
    ],
)
def test_a_failure_is_an_error_in_words_and_opens_nothing(language, text, values, says):
    verdict = guard(language, text).evaluate(values)
    assert not verdict.opens
    assert says in verdict.error
    assert verdict.missing == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("answers.email == 'red'", {"answers": {"email": "red\0ish"}}),
        ("answers.sure == 'red'", {"answers": {"sure": "red\0ish"}}),
        ("answers.free == 'red'", {"answers": {"free": "red\0ish"}}),
        ("size(answers.email) == 3", {"answers": {"email": "red\0ish"}}),
        ("answers.led.colour == 'red'", {"answers": {"led": {"colour": "red\0ish"}}}),
        ("answers.box.label == 'red'", {"answers": {"box": {"label": "red\0ish"}}}),
        ("answers.free == [['red']]", {"answers": {"free": [["red\0ish"]]}}),
        ("answers.free == {'red': 1}", {"answers": {"free": {"red\0ish": 1}}}),
        ("message.startsWith('red')", {"message": "red\0ish"}),
        ("has(answers.free.red)", {"answers": {"free": {"red\0ish": 1}}}),
        ("'red' in answers.colours", {"answers": {"colours": ["red\0ish"]}}),
        ("plan == 'red'", {"plan": "red\0ish"}),
    ],
)
def test_a_text_with_a_nul_opens_nothing(text, values):
    # The library would cut the text there, and see `red`.
    colours = {"colours": {"type": "array", "items": TEXT}}
    root = Vocabulary({**ROOT.answers, **colours}, ROOT.scopes)
    led = Vocabulary({"colour": TEXT})
    verdict = guard(Language({"": root, "subgraph.led": led}, channels=CHANNELS), text).evaluate(values)
    assert not verdict.opens
    assert "contains a NUL character" in verdict.error


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("answers.venue == 'home' && attempts > 1", {"answers.venue", "attempts"}),
        ("serious", {"answers.email", "answers.phone", "answers.price"}),
        ("log.exists(attempts, attempts.ok)", {"log"}),
    ],
)
def test_reads_are_the_names_finally_read(language, text, reads):
    assert guard(language, text).reads == reads


@pytest.mark.parametrize(
    ("text", "values", "why"),
    [
        ("answers.venue == 'home'", {"answers": {"venue": "home"}}, ""),
        (
            "answers.venue == 'sports_court' && answers.garden",
            {"answers": {"venue": "home", "garden": True}},
            "answers.venue == 'sports_court' is false: answers.venue is 'home'",
        ),
        ("answers.venue == 'home'", {"answers": {}}, "answers.venue has no value yet"),
        ("!has(answers.email)", {"answers": {"email": "x"}}, "has(answers.email) is true: answers.email is 'x'"),
        (
            "answers.watt > 5 || answers.watt < 1",
            {"answers": {"watt": 3}},
            "answers.watt > 5 is false: answers.watt is 3; answers.watt < 1 is false: answers.watt is 3",
        ),
        (
            "answers.garden ? answers.watt > 5 : true",
            {"answers": {"watt": 3, "garden": True}},
            "answers.watt > 5 is false: answers.watt is 3",
        ),
        (
            "serious",
            {"answers": {"email": "x", "price": 20}},
            "serious is not true: answers.price > 100 is false: answers.price is 20",
        ),
        (
            "answers.watt / 0 == 1",
            {"answers": {"watt": 1}},
            "answers.watt / 0 == 1 cannot be evaluated: division by zero (answers.watt is 1)",
        ),
    ],
)
def test_explain_names_the_smallest_false_part(language, text, values, why):
    assert guard(language, text).explain(values) == why


def test_templates_are_filled_in_for_people(language):
    text = "Hi {{answers.email}}: {{ answers.price }}/{{ answers.prices }}/{{ answers.garden }}/{{ plan }}."
    filled = template(language, text)
    assert filled.reads == {"answers.email", "answers.price", "answers.prices", "answers.garden", "plan"}
    values = {"answers": {"email": "Ü 🏟️", "price": 40, "prices": [1, 2.5], "garden": True}, "plan": None}
    assert filled.render(values) == "Hi Ü 🏟️: 40/1, 2.5/true/."
    assert filled.render({}) == "Hi : ///."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{{ '}}' }}", "}}"),
        ("{{ {'a': {'b': 1}}['a']['b'] }}", "1"),
        (r"{{ r'\d}}' }}|{{ '\'' }}", r"\d}}|'"),
        ("{ single } }} {{ 1 + 1 }}", "{ single } }} 2"),
        ("{{ answers.box }}", '{"label": "x", "width": 2}'),
        ("{{ answers.watt / 0 }}|", "|"),
    ],
)
def test_placeholders_are_delimited_and_rendered(language, text, shown):
    assert template(language, text).render({"answers": {"box": {"width": 2, "label": "x"}, "watt": 1}}) == shown


def test_a_guard_that_the_library_refuses_at_run_time_opens_nothing(monkeypatch):
    def refuse(self, text):
        raise RuntimeError("INVALID_ARGUMENT: no")

    monkeypatch.setattr(Environments, "program", refuse)
    vocabulary = Vocabulary({"i": {"type": "integer"}, "b": {"type": "boolean"}})
    language = Language({"": vocabulary}, predicates={"p": "answers.b || answers.i > 3"})
    verdict = language.guard("answers.i + 0 > 3").evaluate({"answers": {"i": 4}})
    assert not verdict.opens
    assert verdict.error == "it cannot be evaluated with these values (answers.i is 4)"
    verdict = language.guard("p").evaluate({"answers": {"i": 4, "b": True}})
    assert not verdict.opens
    assert verdict.error
    assert language.template("{{ answers.i }}").render({"answers": {"i": 4}}) == ""


def test_loops_within_loops_and_values_that_nest_without_end_are_stopped(language):
    loops = (
        "answers.prices.all(a, answers.prices.all(b, answers.prices.all(c, answers.prices.all(d, a + b + c + d >= 0))))"
    )
    verdict = guard(language, loops).evaluate({"answers": {"prices": list(range(60))}})
    assert (verdict.opens, "10,000 steps" in verdict.error) == (False, True)
    endless: list = []
    endless.append(endless)
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    for value in (endless, deep, {"k": endless}):
        for text in ("answers.free == 1", "answers.prices == []"):
            verdict = guard(language, text).evaluate({"answers": {"free": value, "prices": value}})
            assert (verdict.opens, "nests deeper than 64 levels" in verdict.error) == (False, True)
    del deep


def test_a_long_chain_of_predicates_is_checked_and_run():
    chain = {"p0": "answers.garden"} | {f"p{n}": f"p{n - 1} && p{max(n - 2, 0)}" for n in range(1, 500)}
    language = Language({"": ROOT}, predicates=chain)
    assert language.predicate_problems() == {}
    assert guard(language, "p499").evaluate({"answers": {"garden": True}}).opens
    assert guard(language, "p59").evaluate({}).missing == ("answers.garden",)
