"""Corrections of conditions, decision points and lists that wait to be confirmed: added to, taken out of, weighed."""

from __future__ import annotations

from typing import Any

import pytest
from upgrade_words_support import FOO, foo, read

from graphwright.agents.upgrade.requests.grounding import ground
from graphwright.agents.upgrade.requests.reading import Pending

CREATE, UPDATE, INIT = "create_experiment", "update_experiment", "init_experiment_user"
SHOW, HINT = ("show-problem", "fractions-intro"), ("give-hint", "area-of-shapes")


def waiting(
    codes: tuple[tuple[str, float], ...] = (("control", 50), ("variant", 50)),
    points: tuple[tuple[str, str], ...] = (SHOW,),
    **more: Any,
) -> Pending:
    """A new experiment that waits for a yes, as the check leaves it."""
    params = {
        "name": "Zap",
        "context": "maths-practice",
        "conditions": [{"code": code, "weight": weight} for code, weight in codes],
        "decision_points": [{"site": s, "target": t, "exclude_if_reached": False} for s, t in points],
        **more,
    }
    return Pending(CREATE, params)


def after(text: str, pending: Pending) -> dict[str, Any]:
    reading = read(text, pending=pending)
    assert reading.stance == "answer"
    return ground(pending.action, {}, reading, pending=pending).params


def conditions(params: dict[str, Any]) -> list[tuple[str, float | None]]:
    return [(each["code"], each.get("weight")) for each in params["conditions"]]


def points(params: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["site"], each["target"]) for each in params["decision_points"]]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("also at give-hint/area-of-shapes", [SHOW, HINT]),
        ("and run it at quiz/intro as well", [SHOW, ("quiz", "intro")]),
        ("plus quiz/intro please", [SHOW, ("quiz", "intro")]),
        ("add the point give-hint/area-of-shapes", [SHOW, HINT]),
        ("give-hint/area-of-shapes too", [SHOW, HINT]),
        ("auch bei give-hint/area-of-shapes", [SHOW, HINT]),
        ("der Punkt give-hint/area-of-shapes kommt auch dazu", [SHOW, HINT]),
        ("also at show-problem/fractions-intro", [SHOW]),
        # What is only named is what it is to be.
        ("no, at give-hint/area-of-shapes", [HINT]),
        ("at give-hint/area-of-shapes instead", [HINT]),
        ("give-hint/area-of-shapes instead of show-problem/fractions-intro", [HINT]),
        ("change show-problem/fractions-intro to give-hint/area-of-shapes", [HINT]),
        ("not at show-problem/fractions-intro but at give-hint/area-of-shapes", [HINT]),
    ],
)
def test_points_are_added_where_the_words_add(text: str, left: list[tuple[str, str]]) -> None:
    assert points(after(text, waiting())) == left


@pytest.mark.parametrize(
    "text",
    [
        "without the point give-hint/area-of-shapes",
        "remove give-hint/area-of-shapes",
        "take give-hint/area-of-shapes out",
        "not at give-hint/area-of-shapes",
        "only at show-problem/fractions-intro",
        "ohne give-hint/area-of-shapes",
        "give-hint/area-of-shapes bitte weg",
    ],
)
def test_points_are_taken_out(text: str) -> None:
    assert points(after(text, waiting(points=(SHOW, HINT)))) == [SHOW]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("add the condition hint-first", [("control", None), ("variant", None), ("hint-first", None)]),
        ("plus condition glossary", [("control", None), ("variant", None), ("glossary", None)]),
        ("füge die Bedingung hint-first hinzu", [("control", None), ("variant", None), ("hint-first", None)]),
        ("add hint-first with 20 %", [("control", 40), ("variant", 40), ("hint-first", 20)]),
        ("drop the condition variant", [("control", None)]),
        ("without variant", [("control", None)]),
        ("we don't need variant", [("control", None)]),
        ("nimm variant raus", [("control", None)]),
        ("replace variant by hint-first", [("control", None), ("hint-first", None)]),
        ("use hint-first instead of variant", [("control", None), ("hint-first", None)]),
        ("not variant but hint-first", [("control", None), ("hint-first", None)]),
        ("statt variant lieber hint-first", [("control", None), ("hint-first", None)]),
        ("drop variant and add hint-first", [("control", None), ("hint-first", None)]),
        ("conditions control and hint-first", [("control", None), ("hint-first", None)]),
        # One code alone says nothing of the others.
        ("hint-first", [("control", 50), ("variant", 50)]),
        ("drop glossary", [("control", 50), ("variant", 50)]),
        # What is said of points is said of no condition.
        ("also at give-hint/area-of-shapes, with control and variant", [("control", 50), ("variant", 50)]),
    ],
)
def test_conditions_are_added_taken_out_and_exchanged(text: str, left: list[tuple[str, float | None]]) -> None:
    assert conditions(after(text, waiting())) == left


def test_weights_that_were_said_stay_where_they_can() -> None:
    three = waiting((("control", 40), ("variant", 30), ("hint-first", 30)))
    assert conditions(after("swap variant for glossary", three)) == [
        ("control", 40),
        ("glossary", 30),
        ("hint-first", 30),
    ]
    assert conditions(after("without hint-first", three)) == [("control", 57.14), ("variant", 42.86)]
    # Nobody said what of 70/30 goes to a third one: the check asks.
    two = waiting((("control", 70), ("variant", 30)))
    assert conditions(after("add hint-first", two)) == [("control", 70), ("variant", 30), ("hint-first", None)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("make it 70 and variant 40", [("control", 70), ("variant", 40)]),
        ("control 70, variant 40", [("control", 70), ("variant", 40)]),
        ("variant 40", [("control", None), ("variant", 40)]),
        ("10 and 90", [("control", 10), ("variant", 90)]),
        ("mach 80 zu 20", [("control", 80), ("variant", 20)]),
        ("2:1", [("control", 66.6667), ("variant", 33.3333)]),
        ("half/half", [("control", None), ("variant", None)]),
        ("two thirds control", [("control", 66.67), ("variant", None)]),
        # A weight too many has no code, which the check says.
        ("50/30/20", [("control", 50), ("variant", 30), ("", 20)]),
        ("60 and 10 and variant 40", [("control", None), ("variant", 40), ("", 60), ("", 10)]),
    ],
)
def test_weights_leave_the_conditions_and_lose_nothing(text: str, left: list[tuple[str, float | None]]) -> None:
    assert conditions(after(text, waiting())) == left


def test_weights_of_some_of_three_leave_nothing_unsaid() -> None:
    three = waiting((("control", 40), ("variant", 30), ("hint-first", 30)))
    assert conditions(after("variant 40", three)) == [("control", 34.29), ("variant", 40), ("hint-first", 25.71)]
    left = [("control", 60), ("variant", 40), ("hint-first", None)]
    assert conditions(after("control 60, variant 40", three)) == left
    spare = [("control", None), ("variant", 40), ("hint-first", None), ("", 70)]
    assert conditions(after("make it 70 and variant 40", three)) == spare


def test_a_name_of_words_that_take_out_takes_nothing_out() -> None:
    text = "create an experiment called Delete Me in maths-practice with control and variant"
    found = ground(CREATE, {}, read(f"{text} at show-problem/fractions-intro")).params
    assert (found["name"], points(found)) == ("Delete Me", [SHOW])
    assert conditions(found) == [("control", None), ("variant", None)]


@pytest.mark.parametrize(
    ("text", "exclude"),
    [
        ("also exclude u2", {"users": ["u1", "u2"], "groups": []}),
        ("and u2 too", {"users": ["u1", "u2"], "groups": []}),
        ("and school north too", {"users": ["u1"], "groups": [{"type": "schoolId", "id": "north"}]}),
        ("without u1", {"users": [], "groups": []}),
        ("no, exclude u2", {"users": ["u2"]}),
    ],
)
def test_lists_that_wait_are_added_to(text: str, exclude: dict[str, Any]) -> None:
    assert after(text, waiting(exclude={"users": ["u1"], "groups": []}))["exclude"] == exclude


def test_tags_are_added_and_taken_off() -> None:
    assert after("also tag it autumn", waiting(tags=["pilot"]))["tags"] == ["pilot", "autumn"]
    assert after("without the tag pilot", waiting(tags=["pilot", "autumn"]))["tags"] == ["autumn"]
    assert after("tag it autumn", waiting(tags=["pilot"]))["tags"] == ["autumn"]


def test_groups_of_a_user_are_added_by_their_type() -> None:
    pending = Pending(INIT, {"user_id": "ann", "group": {"schoolId": ["north"], "classId": ["7b"]}})
    assert after("also in class 8c", pending)["group"] == {"schoolId": ["north"], "classId": ["7b", "8c"]}
    assert after("no, in class 8c", pending)["group"] == {"schoolId": ["north"], "classId": ["8c"]}
    worked = after("she works in class 8c", pending)
    assert (worked["group"]["classId"], worked["working_group"]) == (["7b", "8c"], {"classId": "8c"})


# Members taken off the lists of an experiment that is there

PLACES: dict[str, Any] = {"users": [], "groups": []}


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("take student 5 off the exclude list of Foo", {"unexclude": {**PLACES, "users": ["5"]}}),
        ("remove ann and ben from the exclusion list of Foo", {"unexclude": {**PLACES, "users": ["ann", "ben"]}}),
        ("stop excluding stu-7 from Foo", {"unexclude": {**PLACES, "users": ["stu-7"]}}),
        ("don't exclude ann from Foo any more", {"unexclude": {**PLACES, "users": ["ann"]}}),
        ("Nimm ann von der Ausschlussliste von Foo", {"unexclude": {**PLACES, "users": ["ann"]}}),
        (
            "remove the group class-A from the include list of Foo",
            {"uninclude": {**PLACES, "groups": [{"type": "", "id": "class-A"}]}},
        ),
        (
            "take school north off the inclusion list of Foo",
            {"uninclude": {**PLACES, "groups": [{"type": "schoolId", "id": "north"}]}},
        ),
        ("clear the exclude list of Foo", {"unexclude": {"all": True}}),
        ("remove everybody from the include list of Foo", {"uninclude": {"all": True}}),
        ("Leere die Ausschlussliste von Foo", {"unexclude": {"all": True}}),
        (
            "move stu-7 from the exclude list to the include list of Foo",
            {"unexclude": {**PLACES, "users": ["stu-7"]}, "include": {"users": ["stu-7"]}},
        ),
        ("exclude stu-7 from Foo", {"exclude": {"users": ["stu-7"]}}),
        # What stands on no list and is no part takes nothing off, and deletes nothing.
        ("remove class-A and class-B from Foo", {}),
    ],
)
def test_members_are_taken_off_lists(text: str, changes: dict[str, Any]) -> None:
    reading = read(text)
    assert [order.action for order in reading.orders] == [UPDATE]
    found = ground(UPDATE, {}, reading, experiment=(FOO, "Foo"), facts=foo()).params
    assert found == {"experiment_id": FOO, "name": "Foo", **changes}


def test_also_goes_on_with_what_was_said_before() -> None:
    pending = waiting((("control", 40), ("variant", 30), ("hint-first", 30)), (SHOW, HINT))
    found = after("remove the point give-hint/area-of-shapes, and also the condition hint-first", pending)
    assert points(found) == [SHOW]
    assert [code for code, _ in conditions(found)] == ["control", "variant"]
    assert points(after("drop show-problem/fractions-intro and give-hint/area-of-shapes as well", pending)) == []
    found = after("drop give-hint/area-of-shapes and also run it at quiz/intro", pending)
    assert points(found) == [SHOW, ("quiz", "intro")]


@pytest.mark.parametrize(
    "text",
    [
        "drop hint-first from Foo",
        "remove give-hint/area-of-shapes and select-section/poem from Foo",
        "add hint-first to Foo",
        "remove class-A and class-B from the inclusion list of Foo",
        "delete all conditions of Foo",
    ],
)
def test_what_an_experiment_has_is_changed_and_the_experiment_not_deleted(text: str) -> None:
    assert [(order.action, order.every) for order in read(text).orders] == [(UPDATE, False)]


def test_several_changes_of_one_experiment_are_one_order() -> None:
    text = "set the weights of Foo to 30/70, rename it to Foo Prime and exclude user u1"
    found = ground(UPDATE, {}, read(text), experiment=(FOO, "Foo"), facts=foo()).params
    assert (found["new_name"], found["exclude"]) == ("Foo Prime", {"users": ["u1"]})
    assert conditions(found) == [("control", 30), ("variant", 70)]
    apart = read("set the weights of Foo to 30/70 and rename Bar to Baz")
    assert [order.action for order in apart.orders] == [UPDATE, UPDATE]
    assert len(read("rename Foo to Baz and exclude u1 from the second one").orders) == 2
