"""Which experiment a message to the UpGrade agent means: one, several to choose from, or none."""

from __future__ import annotations

import time
from typing import Any

import pytest
from upgrade_words_support import BAR, DELETER, EXPERIMENTS, FALL, FOO, MATH, RUNNING, TWIN_ONE, TWIN_TWO, read

from graphwright.agents.upgrade.requests.reading import Pending
from graphwright.agents.upgrade.requests.resolving import Option, Resolved, chosen, recently, resolve
from graphwright.agents.upgrade.words.naming import near
from graphwright.agents.upgrade.words.references import Recent

DETAILS = {
    TWIN_ONE: {"context": "maths-practice", "state": "inactive"},
    TWIN_TWO: {"context": "reading-club", "state": "enrolling"},
}


def resolved(text: str, **more: Any) -> Resolved:
    given = {key: more.pop(key) for key in ("recent", "shown", "pending") if key in more}
    reading = read(text, **given)
    order = reading.orders[0] if reading.orders else None
    return resolve(reading, order, EXPERIMENTS, details=DETAILS, pending=given.get("pending"), **more)


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("delete Foo", FOO),
        ('delete "math hints"', MATH),
        (f"start {BAR}", BAR),
        ("start it", FOO),
        ("not Foo, start Bar", BAR),
        ("start Bar instead of Foo", BAR),
        ("create and start Foo", FOO),
        ("Twin 55555555: start it", TWIN_ONE),
        ("start Twin in reading-club", TWIN_TWO),
        ("start the Delete Old Users experiment", DELETER),
    ],
)
def test_one_is_meant(text: str, id: str) -> None:
    found = resolved(text)
    assert found.kind == "one"
    assert found.experiment is not None
    assert found.experiment[0] == id
    assert found.sure


def test_several_of_one_name_are_a_choice_that_tells_them_apart() -> None:
    found = resolved("delete Twin")
    assert found.kind == "choose"
    assert found.options == (
        Option(TWIN_ONE, "Twin", "maths-practice", "inactive", "55555555"),
        Option(TWIN_TWO, "Twin", "reading-club", "enrolling", "66666666"),
    )


def test_short_ids_are_long_enough_to_tell_apart() -> None:
    ids = ["aaaaaaaa-1111-4111-8111-111111111111", "aaaaaaaa-1112-4111-8111-111111111111"]
    experiments = tuple((id, "Alike") for id in ids)
    reading = read("start Alike", experiments=experiments)
    found = resolve(reading, reading.orders[0], experiments)
    assert len({option.short_id for option in found.options}) == 2


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("start math hnts", MATH),
        ("start Mathhints", MATH),
        ("stop the hints experiment", MATH),
        ("stop the runing tests experiment", RUNNING),
        ("start worked exmples fall", FALL),
        ("start the worked examples", FALL),
    ],
)
def test_a_name_that_comes_near_is_meant_but_not_surely(text: str, id: str) -> None:
    found = resolved(text)
    assert found.experiment is not None
    assert (found.kind, found.experiment[0], found.sure) == ("one", id, False)


@pytest.mark.parametrize("text", ["delete math hnts", "cancel the hints experiment", "archive Mathhints"])
def test_what_cannot_be_undone_is_not_done_to_a_name_that_only_comes_near(text: str) -> None:
    found = resolved(text)
    assert (found.kind, [option.id for option in found.options]) == ("choose", [MATH])


@pytest.mark.parametrize("text", ["delete Pilot 3", "start Zorp", "start the experiment Zorp", 'start "Foo or Bar"'])
def test_another_number_or_another_name_is_not_found(text: str) -> None:
    found = resolved(text)
    assert found.kind == "not_found"
    assert found.said in text


def test_what_is_not_found_comes_with_the_nearest_names() -> None:
    assert resolved("delete Pilot 3").nearest == ("Pilot 2",)


@pytest.mark.parametrize("text", ["start an experiment again", "delete", "update the weights"])
def test_a_message_that_names_none_leaves_it_unsaid(text: str) -> None:
    assert resolved(text, recent=()).kind == "unsaid"


def test_a_reference_without_anything_to_refer_to_leaves_it_unsaid() -> None:
    assert resolved("start it", recent=()).kind == "unsaid"
    assert resolved("start the ninth one", shown=[Recent(FOO, "Foo")]).kind == "unsaid"


def test_what_is_pending_stands_in_for_a_message_that_goes_on_with_it() -> None:
    pending = Pending("update_experiment", {"experiment_id": BAR, "name": "Bar"}, ["changes"])
    found = resolved("70/30", pending=pending)
    assert found.experiment == (BAR, "Bar")
    assert resolved("delete Foo", pending=pending).experiment == (FOO, "Foo")


def test_two_experiments_of_one_order_are_the_first_and_the_rest() -> None:
    found = resolved("delete Foo and Bar")
    assert (found.experiment, found.rest) == ((FOO, "Foo"), ((BAR, "Bar"),))


OPTIONS = (
    Option("a1", "Twin", "maths-practice", "inactive", "aaaaaaaa"),
    Option("b2", "Twin", "reading-club", "enrolling", "bbbbbbbb"),
    Option("c3", "Twin Two", "reading-club", "inactive", "cccccccc"),
)


@pytest.mark.parametrize(
    ("reply", "id"),
    [
        ("2", "b2"),
        ("#1", "a1"),
        ("number 3 please", "c3"),
        ("the second one", "b2"),
        ("the last", "c3"),
        ("die zweite", "b2"),
        ("bbbbbbbb", "b2"),
        ("the one in maths-practice", "a1"),
        ("the enrolling one", "b2"),
        ("the one that is running", "b2"),
        ("the one that's not running, in maths-practice", "a1"),
        ("Twin Two", "c3"),
        ("the inactive one", None),
        ("7", None),
        ("0", None),
        ("Twin", None),
        ("reading-club", None),
        ("yes", None),
        ("none of them", None),
        ("", None),
    ],
)
def test_a_reply_chooses_an_option_or_none(reply: str, id: str | None) -> None:
    found = chosen(reply, OPTIONS)
    assert (found.id if found else None) == id


TWINS = (
    Option("a1", "Twin", "reading-club", "inactive", "aaaaaaaa"),
    Option("b2", "Twin", "reading-club", "enrolling", "bbbbbbbb"),
)


@pytest.mark.parametrize(
    ("reply", "id"),
    [
        ("the inactive one", "a1"),
        ("the one that has not been started yet", "a1"),
        ("the one that isn't running", "a1"),
        ("the unstarted one", "a1"),
        ("the running one", "b2"),
        ("the one that is live", "b2"),
        ("the active one please", "b2"),
        ("das laufende", "b2"),
        ("die inaktive", "a1"),
        ("the cancelled one", None),
        ("running or inactive", None),
    ],
)
def test_a_state_chooses_in_either_vocabulary(reply: str, id: str | None) -> None:
    found = chosen(reply, TWINS)
    assert (found.id if found else None) == id


def test_a_yes_chooses_the_only_option() -> None:
    assert chosen("yes please", OPTIONS[:1]) == OPTIONS[0]
    assert chosen("no", OPTIONS[:1]) is None


def entry(
    action: str, params: dict[str, Any], result: dict[str, Any] | None = None, status: str = "success"
) -> dict[str, Any]:
    return {
        "timestamp": "2026-01-01T00:00:00",
        "action": action,
        "params": params,
        "result": result,
        "status": status,
        "error_message": None,
    }


def test_what_was_touched_last_is_remembered_from_the_execution_log() -> None:
    log = [
        entry("create_experiment", {"name": "Zap"}, {"experiment_id": "z", "name": "Zap"}),
        entry("update_experiment_status", {"experiment_id": "b", "name": "Bar", "status": "enrolling"}),
        entry("update_experiment", {"experiment_id": "z", "name": "Zap", "new_name": "Zop"}),
        entry("update_experiment", {"experiment_id": "q", "name": "Q"}, status="error"),
        entry("delete_experiment", {"experiment_id": "b", "name": "Bar"}),
        entry("init_experiment_user", {"user_id": "u1"}, {"user_id": "u1"}),
    ]
    found = recently(log, [("m", "Math Hints"), ("b", "Bar")])
    assert [(each.id, each.name, each.deed) for each in found] == [
        ("z", "Zop", "updated"),
        ("z", "Zop", "created"),
        ("m", "Math Hints", "shown"),
    ]


def test_a_number_is_never_taken_for_another_one() -> None:
    experiments = tuple((str(place), f"Pilot {place}") for place in range(100))
    assert [each.name for each in near("pilot 7", experiments)] == ["Pilot 7"]
    assert near("pilot 777", experiments) == []


def test_two_thousand_names_are_searched_in_a_fraction_of_a_second() -> None:
    words = [
        f"{start}{end}" for start in ("math", "read", "hint", "quiz", "plan") for end in ("ing", "er", "s", "ful", "o")
    ]
    experiments = tuple(
        (str(place), f"{words[place % 25]} {words[place // 25 % 25]} {place}") for place in range(2_000)
    )
    near("maths quizing", experiments)
    began = time.perf_counter()
    assert near("mathing mathng 0", experiments)[0].name == "mathing mathing 0"
    # It takes 10 ms; without an index it would take seconds.
    assert time.perf_counter() - began < 2
