"""The compiler's findings on wrong expressions: kind, place, words and hint."""

import pytest

from graphwright.flow.guards import Language, Problem, Vocabulary, is_answer_key, is_variable

LANGUAGE = Language(
    {
        "": Vocabulary(
            {
                "venue": {"oneOf": [{"const": "home"}, {"const": "sports_court"}]},
                "size_class": {"enum": [1, 2, 3]},
                "colours": {"type": "array", "items": {"enum": ["red", "blue"]}},
                "watt": {"type": "integer"},
                "price": {"type": "number"},
                "garden": {"type": "boolean"},
                "sure": {"type": ["boolean", "string"]},
                "email": {"type": "string"},
                "nick": {"type": ["string", "null"]},
                "box": {"type": "object", "properties": {"width": {"type": "number"}}},
                "not-a-name": {"type": "string"},
                "in": {"type": "string"},
            },
            {"led": "subgraph.led"},
        ),
        "subgraph.led": Vocabulary({"lumen": {"type": "integer"}}, {"more": "subgraph.led"}),
    },
    channels={"attempts": {"type": "integer"}, "stage": {"enum": ["draft", "final"]}, "for": {}, "int": {}},
    predicates={"known": "has(answers.email)"},
)


def problems(text: str, **where) -> list[Problem]:
    found = LANGUAGE.guard(text, **where)
    assert isinstance(found, list), "it compiles"
    assert all(problem.message[0] == "`" or not problem.message[0].islower() for problem in found)
    assert not any(word in problem.message + problem.hint for problem in found for word in ("protobuf", "gwflow"))
    return found


@pytest.mark.parametrize(
    ("text", "kind", "column", "message", "hint"),
    [
        ("answers.venue = 'home'", "syntax", 15, "`=` is not part", "write `==`"),
        ("answers.garden and true", "syntax", 16, "`and`", "write `&&`"),
        ("answers.email == “x”", "syntax", 18, "typographic", "'text'"),
        ("answers.email == 'x", "syntax", 18, "never closed", "add '"),
        ("size(answers.email > 3", "syntax", 5, "`(` is never closed", "add `)`"),
        ("answers.watt >", "syntax", 15, "ends too early", "missing"),
        ("", "syntax", 1, "empty", "true"),
        ("answers.watt == 99999999999999999999", "syntax", 17, "64 bits", "number"),
        ("answers.venu == 'home'", "unknown_name", 9, "no answer `venu`", "`venue`"),
        ("answers.attempts == 3", "unknown_name", 9, "no answer `attempts`", "it is a channel: write `attempts`"),
        ("answers.box.widht > 3.0", "unknown_name", 13, "no property `widht`", "`width`"),
        ("watt > 1", "unknown_name", 1, "no channel or predicate `watt`", "write `answers.watt`"),
        ("answers.email == home", "unknown_name", 18, "`home`", "quotes: 'home'"),
        ("answers.email > string(today)", "unknown_name", 24, "`today`", "write `date(now)`"),
        ("answers.email > today()", "unknown_function", 17, "no function `today`", "write `date(now)`"),
        ("timestamp(answers.email) > now()", "unknown_function", 28, "no function `now`", "write `now`"),
        ("value == 1", "unknown_name", 1, "only in `validate`", "answers.KEY"),
        ("size(answers.email, 2) == 1", "unknown_function", 1, "does not take these arguments", ""),
        ("answers.watt == '3'", "type", 14, "an integer with a text", "without quotes"),
        ("answers['venue'] == 'home'", "type", 8, "a set of answers", "write `answers.venue`"),
        ("has(attempts)", "type", 5, "`has` takes one field", "channel"),
        ("answers.email == null", "type", 18, "`answers.email` is never null", "has(answers.email)"),
        ("google.protobuf.StringValue{value: 'x'} == 'x'", "type", 1, "not part of the language", ""),
        ("answers.email", "not_boolean", 1, "`answers.email` is a text", "=="),
        ("answers.venue == 'sport_court'", "enum_literal", 18, "'home', 'sports_court'", "'sports_court'"),
        ("answers.colours.exists(c, c == 'green')", "enum_literal", 32, "'green'", ""),
        ("answers.email.matches('[')", "regex", 23, "'['", "backslash"),
        ("now.format('%d %B') == 'x'", "type", 12, "'%B' is not a part of a date format", ""),
        ("if == 1", "reserved", 1, "`if`", "test ? this : that"),
        ("x" * 2001, "too_long", 1, "2,001 characters", "predicates"),
        ("(" * 40 + "true" + ")" * 40, "too_deep", 1, "32 levels", "predicates"),
    ],
)
def test_each_mistake_is_named_and_placed(text, kind, column, message, hint):
    (problem,) = problems(text)
    assert (problem.kind, problem.line, problem.column) == (kind, 1, column)
    assert message in problem.message
    assert hint in problem.hint


def test_places_are_those_of_the_author_although_integers_are_widened():
    (problem,) = problems("answers.price > 10 && answers.price in [1, 2] &&\n answers.price < 3 && answers.email == 5")
    assert (problem.kind, problem.line, problem.column) == ("type", 2, 37)
    (problem,) = problems("'🏟️' == 'ü' && answers.price > 1\t&& answers.email == 5")
    assert problem.column == "'🏟️' == 'ü' && answers.price > 1\t&& answers.email == 5".index("== 5") + 1


def test_problems_of_a_template_are_placed_in_the_whole_text():
    found = LANGUAGE.template("Dear {{ answers.nam }},\nyou said {{\n  answers.venue == 'hut' }} {{ known }}")
    assert isinstance(found, list)
    assert [(p.kind, p.line, p.column) for p in found] == [("unknown_name", 1, 17), ("enum_literal", 3, 20)]


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a {{ answers.email", 1, 3), ("\n {{ }}", 2, 2), ("{{ 'a }} b", 1, 1)]
)
def test_braces_that_do_not_close_or_hold_nothing(text, line, column):
    (problem,) = LANGUAGE.template(text)
    assert (problem.kind, problem.line, problem.column) == ("template", line, column)


def test_predicates_are_checked_and_their_circles_found():
    language = Language(
        {"": Vocabulary({"email": {"type": "string"}})},
        channels={"plan": {"type": "string"}},
        predicates={
            "fine": "has(answers.email)",
            "leads": "a && fine",
            "a": "fine || b",
            "b": "c",
            "c": "!a",
            "self": "self || fine",
            "text": "answers.email",
            "wrong": "answers.mail == 'x'",
            "plan": "true",
            "answers": "true",
            "int": "true",
        },
    )
    found = {name: [p.kind for p in those] for name, those in language.predicate_problems().items()}
    assert found == {
        "a": ["cycle"],
        "self": ["cycle"],
        "text": ["not_boolean"],
        "wrong": ["unknown_name"],
        "plan": ["reserved"],
        "answers": ["reserved"],
        "int": ["reserved"],
    }
    assert "a -> b -> c -> a" in language.predicate_problems()["a"][0].message
    for name in ("leads", "a", "self", "wrong"):
        guard = language.guard(f"{name} || !{name}")
        assert not isinstance(guard, list)
        verdict = guard.evaluate({"answers": {"email": "x"}})
        assert not verdict.opens
        assert "does not compile" in verdict.error


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a.b", "ü", "in", "true", "null", "a b"])
def test_answer_keys_that_cannot_be_written_harm_nothing(name):
    assert not is_answer_key(name)
    assert not is_variable(name)
    language = Language({"": Vocabulary({name: {"type": "boolean"}, "ok": {"type": "boolean"}})}, channels={name: {}})
    assert not isinstance(language.guard("answers.ok"), list)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"enum": ["a", None]}, "answers.x == null"),
        ({"type": ["array", "null"], "items": {"type": "string"}}, "answers.x != null && 'a' in answers.x"),
        (
            {"type": "object", "properties": {"y": {"type": "object", "properties": {"z": {"type": "boolean"}}}}},
            "answers.x.y.z",
        ),
        ({"type": ["object", "null"], "properties": {"y": {"type": "boolean"}}}, "answers.x != null && answers.x.y"),
        ({"type": "array", "items": {"properties": {"y": {"type": "number"}}}}, "answers.x.all(v, v.y > 1)"),
        ({"enum": ["a", "b"]}, "answers.x + 's' == 'as' && 'c' in [answers.x, 'c']"),
        (True, "answers.x == 1"),
        ({"$ref": "#/x"}, "answers.x == 1"),
    ],
)
def test_each_schema_has_a_type_wherever_it_stands(schema, text):
    language = Language({"": Vocabulary({"x": schema})}, channels={"c": schema})
    for found in (
        language.guard(text),
        language.guard(text.replace("answers.x", "c")),
        language.guard(text.replace("answers.x", "value"), value=schema),
    ):
        assert not isinstance(found, list), found


def test_a_scope_of_too_many_answers_is_refused_and_an_object_of_many_properties_is_open() -> None:
    keys = {f"k{n}": {"type": "integer"} for n in range(6_001)}
    few = dict(list(keys.items())[1:])
    (problem,) = Language({"": Vocabulary(keys)}).guard("answers.k1 == 1")
    assert problem.kind == "too_long"
    language = Language({"": Vocabulary({**few, "k1": {"type": "object", "properties": keys}})})
    guard = language.guard("answers.k1.k6000 + 1 == 8 && answers.k2 == 1")
    assert not isinstance(guard, list)
    assert guard.evaluate({"answers": {"k1": {"k6000": 7}, "k2": 1}}).opens


def test_thousands_of_misspelt_names_cost_little() -> None:
    language = Language({"": Vocabulary({f"a_rather_long_key_{n}": {"type": "integer"} for n in range(5_000)})})
    hints = 0
    for n in range(1_000):
        (problem,) = language.guard(f"answers.a_rather_long_kye_{n} == 1")
        assert problem.kind == "unknown_name"
        hints += problem.hint.startswith("did you mean")
    # Only the first of them are compared with all the others.
    assert 10 <= hints <= 200


@pytest.mark.parametrize("hole", ["answers.venue | upper", "answers.venue|e", "answers.venue | default('x')"])
def test_filters_are_named_as_what_the_language_lacks(hole: str) -> None:
    (problem,) = LANGUAGE.template(f"{{{{ {hole} }}}}")
    assert "There are no filters" in problem.message
    assert "? answers.name : " in problem.hint
