"""What a model proposes to the UpGrade agent held against the user's words, and what the words state by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from upgrade_words_support import FOO, MATH, foo, read

from graphwright.agents.upgrade.requests.grounding import Grounded, ground
from graphwright.agents.upgrade.requests.reading import Pending
from graphwright.agents.upgrade.requests.stated import stated

CREATE, UPDATE, STATUS, DELETE = (
    "create_experiment",
    "update_experiment",
    "update_experiment_status",
    "delete_experiment",
)


def grounded(action: str, text: str, params: dict[str, Any] | None = None, **more: Any) -> Grounded:
    pending = more.get("pending")
    return ground(action, params or {}, read(text, pending=pending), **more)


@pytest.mark.parametrize(
    ("action", "text", "refused"),
    [
        (DELETE, "start Foo", "not_asked"),
        (DELETE, "hello", "not_asked"),
        (DELETE, "don't delete Foo", "denied"),
        (DELETE, "What would happen if I deleted Foo?", "supposed"),
        (DELETE, "How do I delete an experiment?", "question"),
        (DELETE, "I will delete Foo tomorrow", "told"),
        (DELETE, "delete the description of Foo", "not_asked"),
        (DELETE, "delete all experiments", "all"),
        (STATUS, "delete Foo", "not_asked"),
        ("drop_database", "drop the database", "unknown_action"),
        ("", "", "unknown_action"),
    ],
)
def test_an_action_that_nobody_asked_for_is_refused(action: str, text: str, refused: str) -> None:
    found = grounded(action, text, {"experiment_id": FOO}, experiment=(FOO, "Foo"))
    assert (found.action, found.params, found.refused) == (None, {}, refused)
    assert found.why


def test_the_experiment_is_the_one_that_the_words_mean_whatever_the_model_says() -> None:
    found = grounded(DELETE, "delete Foo", {"experiment_id": MATH, "name": "Math Hints"}, experiment=(FOO, "Foo"))
    assert found.params == {"experiment_id": FOO, "name": "Foo"}


def test_an_experiment_that_the_words_do_not_name_is_dropped() -> None:
    found = grounded(DELETE, "delete the experiment", {"experiment_id": MATH, "name": "Math Hints"})
    assert found.params == {}
    assert {each.name for each in found.dropped} == {"experiment_id", "name"}


def test_the_state_is_the_one_of_the_verb_whatever_the_model_says() -> None:
    found = grounded(STATUS, "start Foo", {"status": "cancelled"}, experiment=(FOO, "Foo"))
    assert found.params["status"] == "enrolling"


@pytest.mark.parametrize(
    ("text", "params", "left"),
    [
        ("create experiment Zap", {"name": "Zap", "context": "maths-practice"}, {"name": "Zap"}),
        ("create an experiment", {"name": "Experiment 1", "description": "A fine test"}, {}),
        ("create experiment Zap", {"conditions": [{"code": "control", "weight": 50}]}, {"name": "Zap"}),
        ("create experiment Zap", {"decision_points": [{"site": "a", "target": "b"}]}, {"name": "Zap"}),
        ("create experiment Zap", {"unit": "group", "group": "schoolId", "tags": ["x"]}, {"name": "Zap"}),
        ("create experiment Zap", {"state": "enrolling", "color": "red"}, {"name": "Zap"}),
        ("create experiment Zap", {"exclude": {"users": ["u1"]}, "conditions": "many"}, {"name": "Zap"}),
        # What was said in words that code does not read by itself is kept, as far as it was said.
        (
            "create experiment Zap, codes should be zorpA plus zorpB",
            {"conditions": [{"code": "zorpA", "weight": 70}, {"code": "zorpB"}, {"code": "made-up"}]},
            {"name": "Zap", "conditions": [{"code": "zorpA"}, {"code": "zorpB"}]},
        ),
        (
            "create experiment Zap about fraction hints",
            {"description": "fraction hints"},
            {"description": "fraction hints"},
        ),
    ],
)
def test_values_that_nobody_said_are_dropped(text: str, params: dict[str, Any], left: dict[str, Any]) -> None:
    found = grounded(CREATE, text, params)
    assert {name: found.params.get(name) for name in left} == left
    assert set(found.params) - {"name"} == set(left) - {"name"}
    dropped = {name for name in params if found.params.get(name) != params[name]}
    assert {each.name for each in found.dropped} == dropped - {"name"} | ({"name"} & dropped)


def test_numbers_that_nobody_said_are_dropped() -> None:
    found = grounded("simulate_experiment", "simulate Foo", {"users": 1000}, experiment=(FOO, "Foo"))
    assert "users" not in found.params
    said = grounded("simulate_experiment", "simulate Foo with 1000", {"users": 1000}, experiment=(FOO, "Foo"))
    assert said.params["users"] == 1000
    odd = grounded("simulate_experiment", "simulate Foo", {"users": True}, experiment=(FOO, "Foo"))
    assert "users" not in odd.params


def test_what_the_words_state_wins_over_what_the_model_makes_of_them() -> None:
    text = "Create Zap in reading-club with control 70 and glossary 30 at open-text/poem"
    wrong = {
        "name": "Zap Zap",
        "context": "maths-practice",
        "conditions": [{"code": "control", "weight": 30}, {"code": "glossary", "weight": 70}],
    }
    assert grounded(CREATE, text, wrong).params == {
        "name": "Zap",
        "context": "reading-club",
        "conditions": [{"code": "control", "weight": 70}, {"code": "glossary", "weight": 30}],
        "decision_points": [{"site": "open-text", "target": "poem"}],
    }


# A request in several messages


def creating(*missing: str, **params: Any) -> Pending:
    return Pending(CREATE, {"name": "Zap", **params}, missing)


@pytest.mark.parametrize(
    ("pending", "text", "added"),
    [
        (Pending(CREATE, {}, ["name"]), "Zap Nine", {"name": "Zap Nine"}),
        (Pending(CREATE, {}, ["name"]), "please call it Zap Nine", {"name": "Zap Nine"}),
        (Pending(CREATE, {}, ["name"]), "🚀", {"name": "🚀"}),
        (creating("context"), "maths-practice", {"context": "maths-practice"}),
        (creating("context"), "the second context", {"context": "reading-club"}),
        (creating("context"), "zorp", {"context": "zorp"}),
        (creating("conditions"), "control and variant", {"conditions": [{"code": "control"}, {"code": "variant"}]}),
        (creating("conditions"), "red, blue", {"conditions": [{"code": "red"}, {"code": "blue"}]}),
        (
            creating("conditions"),
            "control 60 variant 40",
            {"conditions": [{"code": "control", "weight": 60}, {"code": "variant", "weight": 40}]},
        ),
        (
            creating("decision_points", conditions=[{"code": "a"}, {"code": "b"}]),
            "make it 70/30",
            {"conditions": [{"code": "a", "weight": 70}, {"code": "b", "weight": 30}]},
        ),
        (
            creating("decision_points", conditions=[{"code": "a"}, {"code": "b"}]),
            "60/50",
            {"conditions": [{"code": "a", "weight": 60}, {"code": "b", "weight": 50}]},
        ),
        (
            creating("decision_points"),
            "show-problem/fractions-intro",
            {"decision_points": [{"site": "show-problem", "target": "fractions-intro"}]},
        ),
        (creating("context"), "call it Zop instead", {"name": "Zop"}),
        (Pending("simulate_experiment", {"experiment_id": FOO, "name": "Foo"}, ["users"]), "200", {"users": 200}),
        (
            Pending(STATUS, {"experiment_id": FOO, "name": "Foo"}, ["status"]),
            "paused",
            {"status": "enrollmentComplete"},
        ),
        (Pending("init_experiment_user", {}, ["user_id"]), "42", {"user_id": "42"}),
        # A question, a no and a new order give nothing.
        (creating("context"), "what is a context?", {}),
        (Pending(CREATE, {}, ["name"]), "why?", {}),
        (Pending(CREATE, {}, ["name"]), "no", {}),
    ],
)
def test_a_reply_gives_what_was_asked_for(pending: Pending, text: str, added: dict[str, Any]) -> None:
    assert grounded(pending.action, text, pending=pending).params == {**pending.params, **added}


def test_what_was_given_before_stays_although_the_model_forgets_or_repeats_it() -> None:
    pending = creating("context", conditions=[{"code": "a"}])
    found = grounded(CREATE, "maths-practice", {"name": "Zap", "conditions": []}, pending=pending)
    assert found.params == {"name": "Zap", "conditions": [{"code": "a"}], "context": "maths-practice"}


def test_a_new_order_takes_nothing_from_what_was_pending() -> None:
    pending = Pending(DELETE, {"experiment_id": MATH, "name": "Math Hints"})
    found = grounded(DELETE, "no, delete Foo", pending=pending, experiment=(FOO, "Foo"))
    assert found.params == {"experiment_id": FOO, "name": "Foo"}


# What the words state


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("create Zap by school with group consistency", {"unit": "group", "group": "schoolId", "consistency": "group"}),
        ("create Zap with group assignment", {"unit": "group"}),
        ("create Zap with individual assignment", {"unit": "individual"}),
        (
            "create Zap; after the experiment assign everyone to control",
            {"post_rule": "assign", "revert_to": "control"},
        ),
        ("create Zap; afterwards they keep their condition", {"post_rule": "continue"}),
        ("create Zap; after it ends assign the default", {"post_rule": "assign", "revert_to": None}),
        (
            "create Zap only for school s1",
            {"filter_mode": "excludeAll", "include": {"groups": [{"type": "schoolId", "id": "s1"}]}},
        ),
        ("create Zap, exclude users u1 and u2", {"exclude": {"users": ["u1", "u2"]}}),
        ('create Zap with description "delete it all"', {"description": "delete it all"}),
        (
            "create Zap. When enrollment is complete everybody should be assigned control",
            {"post_rule": "assign", "revert_to": "control"},
        ),
        ("create Zap; once it has ended everyone gets control", {"post_rule": "assign", "revert_to": "control"}),
        ("create Zap; as soon as it is over give all control", {"post_rule": "assign", "revert_to": "control"}),
        ("create Zap tagged pilot, autumn", {"tags": ["pilot", "autumn"]}),
        ("create Zap with invalid-context", {"context": "invalid-context"}),
    ],
)
def test_the_words_state_the_design_of_an_experiment(text: str, params: dict[str, Any]) -> None:
    reading = read(text)
    found = stated(CREATE, reading, reading.orders[0])
    assert found.pop("name") == "Zap"
    assert found == params


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("rename Foo to Quux", {"new_name": "Quux"}),
        ("set the weights of Foo to 70/30", {"conditions": [("control", 70), ("variant", 30)]}),
        ("change the weights of Foo to variant 80, control 20", {"conditions": [("control", 20), ("variant", 80)]}),
        ("change control to 80 in Foo", {"conditions": [("control", 80), ("variant", None)]}),
        ("make the weights of Foo equal", {"conditions": [("control", None), ("variant", None)]}),
        ("add a condition glossary to Foo", {"conditions": [("control", None), ("variant", None), ("glossary", None)]}),
        ("delete the variant condition from Foo", {"conditions": [("control", None)]}),
        (
            "add decision point give-hint/area-of-shapes to Foo",
            {"decision_points": [("show-problem", "fractions-intro"), ("give-hint", "area-of-shapes")]},
        ),
        ("remove show-problem/fractions-intro from the points of Foo", {"decision_points": []}),
        ("exclude stu-9 from Foo", {"exclude": {"users": ["stu-9"]}}),
        ("remove user stu-9 from the exclusion list of Foo", {"unexclude": {"users": ["stu-9"], "groups": []}}),
        ("Put dan and cara on the exclusion list of Foo", {"exclude": {"users": ["dan", "cara"]}}),
        ("only exclude stu-9 from Foo", {"exclude": {"users": ["stu-9"]}}),
        ("include only dan in Foo", {"filter_mode": "excludeAll", "include": {"users": ["dan"]}}),
        ("only stu-9 should be excluded from Foo", {"exclude": {"users": ["stu-9"]}}),
        ("Exclude the whole school south from Foo", {"exclude": {"groups": [("schoolId", "south")]}}),
        ("exclude everyone in school south from Foo", {"exclude": {"groups": [("schoolId", "south")]}}),
        ("exclude all students of class 7a from Foo", {"exclude": {"groups": [("classId", "7a")]}}),
        ("exclude every school from Foo", {}),
        ("exclude everybody but stu-9 from Foo", {"filter_mode": "excludeAll", "include": {"users": ["stu-9"]}}),
        # Which of them are meant is not for code to say.
        ("exclude everyone in school s1 except stu-9 from Foo", {}),
        ("exclude school s1 but not the rest from Foo", {"exclude": {"groups": [("schoolId", "s1")]}}),
        ("Set the description of Foo to: Run by the spring team", {"description": "Run by the spring team"}),
        ("change its description to Run by Ann, only in May", {"description": "Run by Ann, only in May"}),
        ("Set the description of Foo to Run by Ann and start Bar", {"description": "Run by Ann"}),
        ('Set the description of Foo to "exclude u1, weights 80/20"', {"description": "exclude u1, weights 80/20"}),
        ("update Foo", {}),
    ],
)
def test_the_words_state_the_changes_of_an_experiment_from_what_it_is(text: str, changes: dict[str, Any]) -> None:
    reading = read(text)
    found = stated(UPDATE, reading, reading.orders[0], experiment=(FOO, "Foo"), facts=foo())
    assert (found.pop("experiment_id"), found.pop("name")) == (FOO, "Foo")
    if "conditions" in found:
        found["conditions"] = [(each["code"], each.get("weight")) for each in found["conditions"]]
    for side in ("include", "exclude"):
        if "groups" in found.get(side, {}):
            found[side]["groups"] = [(each["type"], each["id"]) for each in found[side]["groups"]]
    if "decision_points" in found:
        found["decision_points"] = [(each["site"], each["target"]) for each in found["decision_points"]]
    assert found == changes


def test_one_weight_of_three_leaves_the_others_their_shares_of_the_rest() -> None:
    facts = foo(conditions=[{"code": code, "weight": w} for code, w in (("a1", 60.0), ("b1", 30.0), ("c1", 10.0))])
    reading = read("set a1 to 20% in Foo", codes=["a1", "b1", "c1"])
    found = stated(UPDATE, reading, reading.orders[0], experiment=(FOO, "Foo"), facts=facts)
    assert found["conditions"] == [
        {"code": "a1", "weight": 20},
        {"code": "b1", "weight": 60},
        {"code": "c1", "weight": 20},
    ]


@pytest.mark.parametrize(
    ("action", "text", "params"),
    [
        (
            "init_experiment_user",
            "initialize user stu-1 in school s1",
            {"user_id": "stu-1", "group": {"schoolId": ["s1"]}},
        ),
        (
            "init_experiment_user",
            "init user stu-1 with working group school s1",
            {"user_id": "stu-1", "group": {"schoolId": ["s1"]}, "working_group": {"schoolId": "s1"}},
        ),
        (
            "get_decision_point_assignments",
            "Which condition does stu-1 get in maths-practice at show-problem/fractions-intro?",
            {"user_id": "stu-1", "context": "maths-practice", "site": "show-problem", "target": "fractions-intro"},
        ),
        (
            "mark_decision_point",
            "mark stu-1 at show-problem/fractions-intro with condition control for Foo",
            {
                "user_id": "stu-1",
                "site": "show-problem",
                "target": "fractions-intro",
                "assigned_condition": {"experiment_id": FOO, "condition_code": "control"},
            },
        ),
        (
            "simulate_experiment",
            "simulate 500 students in 20 schools on Foo",
            {"experiment_id": FOO, "name": "Foo", "users": 500, "groups": 20},
        ),
    ],
)
def test_the_words_state_the_parameters_of_the_other_actions(action: str, text: str, params: dict[str, Any]) -> None:
    reading = read(text)
    assert stated(action, reading, reading.orders[0], experiment=(FOO, "Foo")) == params
