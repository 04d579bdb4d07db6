"""Guards over very many answers: nothing breaks, nothing is checked less, and errors by the thousand stay cheap."""

import time

import pytest

from graphwright.flow.guards import Guard, Language, Problem, Template, Vocabulary

MANY = 9_000
KEYS = {f"k{n}": {"type": "integer"} for n in range(MANY)}


@pytest.fixture(scope="module")
def language() -> Language:
    return Language(
        {"": Vocabulary({"venue": {"enum": ["home", "office"]}, **KEYS}, {"big": "big"}), "big": Vocabulary(KEYS)},
        channels={"address": {"type": "object", "properties": {"city": {"type": "string"}}}},
    )


def compiled(found: Guard | list[Problem]) -> Guard:
    assert not isinstance(found, list), found
    return found


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("answers.k0 + answers.k1 == 1", True),
        ("answers.k0 + answers.k8999 == 8999", True),
        ("answers.k10 + answers.k2500 + answers.k4500 + answers.k6500 + answers.k8500 > 22000", True),
        ("answers.big.k8500 * 2 > answers.k8500", True),
        ("answers.venue + 'x' == 'homex' && address.city.startsWith('G')", True),
        ("answers.k1 % 2 == 0", False),
    ],
)
def test_guards_over_thousands_of_answers(language: Language, text: str, opens: bool) -> None:
    answers = {key: n for n, key in enumerate(KEYS)}
    values = {"answers": {**answers, "venue": "home", "big": answers}, "address": {"city": "Ghent"}}
    guard = compiled(language.guard(text))
    assert guard.evaluate(values).opens is opens
    assert (guard.explain(values) == "") is opens


@pytest.mark.parametrize(
    ("text", "kind", "column", "hint"),
    [
        ("answers.k8999 + answers.vennue == 1", "unknown_name", 25, "did you mean `venue`?"),
        ("answers.k8999 + 1 == 'a'", "type", 19, "write the number without quotes"),
        ("answers.big.k8999 + answers.big.venue == 1", "unknown_name", 33, "did you mean `answers.venue`?"),
        ("answers.big + 1 == 2", "type", 13, "name one of them: `answers.big.k0`, or `has(answers.big.k0)`"),
        ("answers.k1 + 1 == 2 && answers.venue == 'hom'", "enum_literal", 41, "did you mean `'home'`?"),
        ("address.town == 'Ghent'", "unknown_name", 9, "declare it among the properties of its schema"),
    ],
)
def test_their_errors_are_those_of_small_flows(
    language: Language, text: str, kind: str, column: int, hint: str
) -> None:
    problems = language.guard(text)
    assert isinstance(problems, list)
    assert [(p.kind, p.column) for p in problems] == [(kind, column)]
    if kind != "type":
        assert problems[0].hint == hint


def test_templates_and_values_over_thousands_of_answers(language: Language) -> None:
    template = language.template("{{ answers.k1 + answers.k8999 }} W")
    assert not isinstance(template, list)
    rendered: Template = template
    assert rendered.render({"answers": {"k1": 1, "k8999": 2}}) == "3 W"
    guard = compiled(language.guard("value + answers.k8999 > 3", value={"type": "integer"}))
    assert guard.evaluate({"answers": {"k8999": 2}, "value": 2}).opens
    assert isinstance(language.guard("value + answers.k8999 > 3", value={"type": "number"}), list)


def test_an_object_with_thousands_of_properties() -> None:
    schema = {"type": "object", "properties": KEYS}
    language = Language({"": Vocabulary({"o": schema, "few": {"type": "object", "properties": {"a": {}}}})})
    guard = compiled(language.guard("answers.o.k8999 + 1 == 8"))
    assert guard.evaluate({"answers": {"o": {"k8999": 7}}}).opens
    assert isinstance(language.guard("answers.few.b == 8"), list)


def test_thousands_of_misspelt_names_cost_little() -> None:
    language = Language({"": Vocabulary({f"a_rather_long_key_{n}": {"type": "integer"} for n in range(5_000)})})
    begun = time.process_time()
    hints = 0
    for n in range(1_000):
        problems = language.guard(f"answers.a_rather_long_kye_{n} == 1")
        assert isinstance(problems, list)
        assert problems[0].kind == "unknown_name"
        hints += problems[0].hint.startswith("did you mean")
    assert hints >= 10
    assert time.process_time() - begun < 60
