"""Checks of proposals: support in the user's words, the second look, policies, choices, tool rounds, texts."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import random
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

import graphwright.proposals
from graphwright.models._scripted import ScriptedModel
from graphwright.models._structured_output import json_schema
from graphwright.proposals import (
    MOST_CHOICES,
    Policy,
    Quotations,
    Sources,
    call_branches,
    choices,
    closed,
    code_not_in,
    exact,
    ids_not_in,
    links_not_in,
    nearest,
    needs_yes,
    not_found,
    numbers_not_in,
    occurs,
    passage_of,
    quoted_support,
    run_tools,
    second_look,
    support_of,
    with_fields,
)
from graphwright.text.folding import normalised
from graphwright.text.numerals import numerals
from graphwright.tools import ToolRegistry, tool
from growth_support import growth

MODULES = [f"graphwright.proposals.{each.name}" for each in pkgutil.iter_modules(graphwright.proposals.__path__)]
MODULES += ["graphwright.text.numerals", "graphwright.text._dates"]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


# --- support ---


@pytest.mark.parametrize(
    ("value", "said", "support"),
    [
        ("T-1", "close t-1, please", "said"),
        ("T-1", "close T-10", "unsupported"),
        ("north yard", "rename it to  North\nYard.", "said"),
        ("京都", "名前を京都に変えて", "said"),
        ("Ｔ－１", "close T-1", "said"),
        ("ＡＢＣ", "name it abc", "said"),
        (450, "use 450 instead", "said"),
        (450, "use 4500 instead", "unsupported"),
        (1500, "set it to 1,500", "said"),
        (1500, "auf 1.500 setzen", "said"),
        (2.5, "2,5 Prozent", "said"),
        (-3, "minus: -3 °C", "said"),
        (True, "true", "unsupported"),
        ("", "anything", "unsupported"),
        (["a"], "a", "unsupported"),
    ],
)
def test_a_value_in_the_words_of_the_user_is_said(value: Any, said: str, support: str) -> None:
    assert support_of(value, Sources(said=(said,))) == support


def test_shown_and_existing_values_are_supported() -> None:
    sources = Sources(said=("close his ticket",), shown=("Ann has the ticket T-7.",), existing=frozenset({"T-9"}))
    assert [support_of(value, sources) for value in ("T-7", "T-9", "t-9")] == ["shown", "exists", "unsupported"]


@pytest.mark.parametrize(
    ("words", "fits", "others"),
    [
        ("control 1/3", (33.33, 33.3, 33.34, 33, 66.67), (25, 33.5, 35, 75)),
        ("two thirds, ⅔", (66.67, 66.7, 67, 33.33), (60, 66.9)),
        ("2:1", (66.67, 33.33, 67), (20, 65)),
        ("3 : 2 : 1", (50, 33.33, 16.67, 17), (40, 60)),
        ("2 in 3", (66.67,), (67, 60)),
        ("30/70", (30, 70), (43,)),
        ("1/4 and 3/4", (25, 75), (33.33, 33)),
        ("12.53 for each", (12.53,), (12.5, 13)),
    ],
)
def test_a_number_may_be_a_rounded_ratio(words: str, fits: tuple[float, ...], others: tuple[float, ...]) -> None:
    found = {
        each: quoted_support("x", each, Sources(said=(words,)), Quotations({"x": words})) for each in (*fits, *others)
    }
    assert [each for each, support in found.items() if support == "contradicted"] == list(others)


SAID = "Cancel T-1 and T-2. Ann's ticket costs 2 euros less, due 17.4.; T-3 costs 20. Half of it is wet."
TICKETS = ("T-1", "T-2", "T-3", "T-4", "Roof")


@pytest.mark.parametrize(
    ("value", "words", "call", "support"),
    [
        ("cancelled", "Cancel", "", "quoted"),  # a word with the same meaning
        ("cancelled", "", "Cancel T-1", "unsupported"),  # the words of the call support only what they name
        ("cancelled", "please cancel", "", "unsupported"),  # a made-up quotation
        (True, "wet", "", "quoted"),
        (True, "", "Half of it is wet", "unsupported"),
        (50, "Half of it", "", "quoted"),
        (18, "2 euros less", "", "quoted"),  # calculated from 20, which it replaces
        (13, "2 euros less", "", "contradicted"),
        (30, "costs 20", "", "contradicted"),
        ("2025-04-17", "due 17.4.", "", "quoted"),
        ("2025-04-18", "due 17.4.", "", "contradicted"),
        ("T-1", "", "Cancel T-1 and T-2", "said"),
        ("T-4", "", "Cancel T-1 and T-2", "contradicted"),  # a neighbour
        ("T-4", "Ann's ticket", "Cancel T-1 and T-2", "quoted"),
        ("T-1", "T-3", "Cancel T-1 and T-2", "contradicted"),
        (20, "", "Cancel T-1 and T-2", "contradicted"),  # belongs to another call
        (20, "costs 20", "Cancel T-1 and T-2", "said"),
    ],
)
def test_quoted_words_support_or_contradict_a_value(value: Any, words: str, call: str, support: str) -> None:
    rivals, before = {"x": TICKETS if value in TICKETS else ()}, {"x": 20}
    quotations = Quotations({"x": words}, call, other_calls=("T-3 costs 20",), rivals=rivals, before=before)
    assert quoted_support("x", value, Sources(said=(SAID,)), quotations) == support


@pytest.mark.parametrize(("quote", "found"), [("Cancel ... Ann's", True), ("Ann’s … T-1", False), ("...", False)])
def test_a_quotation_with_an_ellipsis_names_parts_in_their_order(quote: str, found: bool) -> None:
    assert occurs(quote, [SAID]) is found


@pytest.mark.parametrize(
    ("quote", "said", "support"),
    [
        ("mets en pause", "mets Tilleul lecture en pause, et renomme-la", "quoted"),
        ("halte an", "Halte bitte Spruce maths an.", "quoted"),
        ("setz auf Pause", "Setz „Fichte“ bitte auf Pause und lösch Ahorn", "quoted"),
        ("halte an", "Halte dich fest. Spruce fängt morgen an", "unsupported"),
        ("pause en mets", "mets Tilleul lecture en pause", "unsupported"),
        ("halte an", "Halte eins zwei drei vier fünf sechs sieben acht neun an", "unsupported"),
        ("halte bitte an", "Halte Spruce bitte jetzt an", "unsupported"),
    ],
)
def test_a_quotation_may_leave_out_the_middle_of_a_sentence(quote: str, said: str, support: str) -> None:
    assert quoted_support("status", "paused", Sources(said=(said,)), Quotations({"status": quote})) == support


def test_a_name_supports_its_id_and_another_name_contradicts_it() -> None:
    sources = Sources(said=("move Ann to the roof",), names={"u-1": ("Ann",), "u-2": ("Anna",)})
    quotations = Quotations(call="move Ann to the roof", rivals={"key": ("u-1", "Ann", "u-2", "Anna")})
    assert [quoted_support("key", each, sources, quotations) for each in ("u-1", "u-2")] == ["said", "contradicted"]
    flat = Sources(said=("the one on floor 5",), names={"n8d4": ()})
    assert quoted_support("key", "n8d4", flat, Quotations({"key": "on floor 5"})) == "quoted"


@pytest.mark.parametrize("name", ["properties.points.0.weight", "points", "0.weight", "weight"])
def test_words_are_found_by_any_part_of_the_path(name: str) -> None:
    assert Quotations({name: "half", "point": "x"}).words_for("properties.points.0.weight") == "half"


@given(st.text(max_size=40), st.text(max_size=200))
def test_a_quotation_is_found_only_where_its_words_are(quote: str, text: str) -> None:
    assert occurs(text, [text]) == bool(normalised(text).split())
    if occurs(quote, [text]):
        assert occurs(quote.upper().lower(), [text + " and more"]) or not quote.isascii()


@given(st.one_of(st.text(max_size=60), st.integers(), st.floats(allow_nan=False), st.none(), st.booleans()))
def test_support_never_raises_and_never_supports_out_of_nothing(value: Any) -> None:
    assert support_of(value, Sources()) == "unsupported"


# --- policy ---


def test_destructive_weak_and_doubtful_proposals_always_ask() -> None:
    policies: tuple[Policy, ...] = get_args(Policy)
    for policy in policies:
        assert needs_yes(policy, destructive=True)
        assert needs_yes(policy, destructive=False, weak_model=True)
        assert needs_yes(policy, destructive=False, doubts=True)
    assert needs_yes("always", destructive=False)
    assert needs_yes("never", destructive=False)  # type: ignore[arg-type]
    assert not needs_yes("destructive", destructive=False, supports=["unsupported"])
    for support in ("quoted", "contradicted"):
        assert needs_yes("unsupported", destructive=False, supports=["said", support])


# --- the second look ---


async def test_a_review_names_unrequested_and_missing_changes() -> None:
    reply = {"unasked": [2, 2, 99, 0, -1], "missing": [" the gate ", ""]}
    model = ScriptedModel.from_rules([{"offers": "Review", "anywhere": "1. one\n2. two", "call": {"Review": reply}}])
    verdict = await second_look(model, ["do one and the gate"], ["one", "two"])
    assert (verdict.unasked, verdict.missing, verdict.doubts) == ((1,), ("the gate",), True)


@pytest.mark.parametrize("broken", [{"raw": "all fine"}, {"fail": "timeout"}, {"raw": '{"unasked": ["many"]}'}])
async def test_a_model_that_gives_no_review_leaves_a_doubt(broken: dict[str, Any]) -> None:
    verdict = await second_look(ScriptedModel.from_rules([broken]), ["x"], ["y"])
    assert verdict.failed
    assert verdict.doubts


async def test_a_review_of_a_huge_difference_shows_a_bounded_part_and_says_so() -> None:
    model = ScriptedModel.from_rules([{"anywhere": "200\\. .*\n</data>\nand 9800 more", "call": {"Review": {}}}])
    assert not (await second_look(model, ["x"], [f"line {n} " + "y" * 1000 for n in range(10_000)])).failed


# --- what exists ---


def test_choices_are_listed_up_to_a_bound() -> None:
    assert choices(["a", "b", "a"]) == {"type": "string", "enum": ["a", "b"]}
    assert choices(str(n) for n in range(MOST_CHOICES + 1)) == {"type": "string"}
    assert choices([]) == {"type": "string"}


def test_an_exact_name_is_found_or_the_nearest_are_named() -> None:
    known = ["Control", "control-b", "variant"]
    assert exact("control", known) == "Control"
    assert exact("a", ["A", "Ａ"]) is None
    assert nearest("varient", known) == ["variant"]
    assert nearest("HINTS study", ["A study of hints", "Lamp"]) == ["A study of hints"]
    assert nearest("to", ["customer", "total"]) == []
    assert not_found("code", "zzz", known) == "There is no code 'zzz'. There are 'Control', 'control-b', 'variant'."


def test_a_schema_of_this_moment_keeps_the_name_of_its_class() -> None:
    class Step(BaseModel):
        done: bool = False
        calls: list[dict[str, Any]] = []

    tools = [
        {"name": "close", "description": "", "parameters": closed({"key": choices(["T-1"])})},
        {"name": "move", "description": "", "parameters": {"anyOf": [closed({"to": {}}), closed({"by": {}})]}},
    ]
    branches = call_branches(tools, {"because": {"type": "string"}})
    schema = json_schema(with_fields(Step, calls={"type": "array", "items": branches}))
    assert schema["title"] == "Step"
    assert list(schema["properties"]) == ["done", "calls"]
    items = schema["properties"]["calls"]["items"]["anyOf"]
    assert [each["properties"]["tool_name"]["const"] for each in items] == ["close", "move", "move"]
    assert list(items[0]["properties"]) == ["because", "tool_name", "arguments"]
    assert with_fields(Step, done={"const": True}).model_validate_json('{"done": true}').done


# --- tool calls in rounds ---


@tool(nodes=["n"], parameters=closed({"word": {"type": "string"}}))
def length(word: str) -> int:
    """The length of a word."""
    return len(word)


def _looped(rules: list[dict[str, Any]]) -> ScriptedModel:
    return ScriptedModel.from_rules(rules)


async def test_a_later_round_sees_the_results_of_the_one_before() -> None:
    model = _looped(
        [
            {"times": 1, "call": {"length": {"word": "four"}}},
            {"anywhere": "Result|4", "text": "It has 4 letters."},
        ]
    )
    loop = await run_tools(model, [HumanMessage("how long?")], ToolRegistry([length]))
    assert [(c.name, c.result.value) for c in loop.calls] == [("length", 4)]
    assert (loop.text, loop.done) == ("It has 4 letters.", True)


async def test_the_same_call_is_never_made_twice_and_ends_the_loop() -> None:
    loop = await run_tools(
        _looped([{"call": {"length": {"word": "a"}}}]), [HumanMessage("x")], ToolRegistry([length]), rounds=9
    )
    assert (len(loop.calls), loop.done) == (1, False)


async def test_rounds_and_calls_are_bounded() -> None:
    rules = [{"times": 1, "call": [{"length": {"word": f"w{n}-{k}"}} for k in range(50)]} for n in range(3)]
    loop = await run_tools(_looped(rules), [HumanMessage("x")], ToolRegistry([length]), most_calls=20)
    assert (len(loop.calls), loop.done) == (20, False)


async def test_a_tool_that_ends_the_loop_ends_it_only_when_it_went_well() -> None:
    rules: list[dict[str, Any]] = [{"times": 1, "call": {"length": {"word": "ab"}}}, {"text": "unused"}]
    loop = await run_tools(_looped(rules), [HumanMessage("x")], ToolRegistry([length]), ends={"length"})
    assert (len(loop.calls), loop.done) == (1, True)


# --- texts ---


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/x",
        "[docs](https://evil.example/x)",
        "![p](https://evil.example/p.png)",
        "<https://evil.example>",
        "[a]: https://evil.example",
        "[a](javascript:alert(1))",
        "www.evil.example",
        "https&#58;//evil.example",
        "https:\\//evil.example",
        "[x](/relative)",
    ],
)
def test_a_link_that_no_source_has_is_found(link: str) -> None:
    assert links_not_in(f"See {link} for more.", ["https://good.example"])


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        ("With the surcharge it is 405.2 x 1.08 = 437.62.", "", ["1.08", "437.62"]),
        ("A part of it is 0.12 x 405.2 = 48.62.", "", ["0.12", "48.62"]),
        ("With 8 per cent more it is 405.2 x 1.08 = 437.62.", "", []),
        ("It is 405.2 x 1.08 = 437.62.", "What is it with 8 percent more?", []),
    ],
)
def test_a_number_of_the_data_is_a_percentage_only_where_the_texts_name_it(
    text: str, question: str, found: list[str]
) -> None:
    known = {"revenue": 405.2, "rows": [{"cups": 8}, {"cups": 12}], "shown": "shop  cups\nharbour  8\nmarket  12\n"}
    assert numbers_not_in(text, known, also=[question]) == found


ROWS = {"rows": [{"name": "red", "n": 12}, {"name": "blue", "n": 36}], "total": 48}


@pytest.mark.parametrize(
    ("text", "known", "wrong"),
    [
        ("Blue has 36, red 12.", ROWS, []),
        ("48 in all, in 2 groups.", ROWS, []),
        ("Blue has 3 times as many, 24 more.", {"red": 12, "blue": 36}, []),
        ("Red is 25 % of all, blue 75.0 %.", {"red": 12, "all": 48}, []),
        ("1. Red: 12\n2. Blue: 36\n3. That is all.", ROWS, []),
        ("Ｂｌｕｅ: ３６", ROWS, []),
        *((f"It is {number} here.", ROWS, [number.removesuffix(" %")])
          for number in ("37", "13", "26 %", "3,600", "12.4", "1,2")),
        ("1.23 million, or 1,235 thousand", [1_234_567], []),
        ("1.24 million, and 24", [1_234_567, 12_345_678], ["1.24", "24"]),
        # Parts of ids that are larger than every number do not count.
        ("It is 12.", {"id": "9f2c41d0-2e999-4b1e-8e400", "total": 12}, []),
        # Two of many known numbers that the text does not name are not a source.
        ("That is 19 more.", [number**3 for number in range(100)], ["19"]),
        ("From 125 to 216, that is 91 or 72.8 % more.", [number**3 for number in range(100)], []),
        ("From 125 to 216, that is 92 more.", [number**3 for number in range(100)], ["92"]),
    ],
)  # fmt: skip
def test_numbers_of_a_text_follow_from_what_is_known(text: str, known: Any, wrong: list[str]) -> None:
    assert numbers_not_in(text, known, units=(1e3, 1e6)) == wrong


SOURCES = ["limit 6.4 V", "raised to 6.2 V", "24 seals at 18.50 EUR", "put in on 2026-06-29", "at most 60 days"]
TABLE = """| month | sold | share |
|---|---|---|
| May | 24 | {share} |
| June | 36 | 40 % |
| July | 30 | 33.3 % |
| all | {total} | 100 % |
"""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("6.4 V less 6.2 V leaves 0.2 V.", []),
        ("6.4 V less 6.2 V leaves 0.3 V.", ["0.3"]),
        ("The limit is 6.4 V. It was raised to 6.2 V. That leaves 0.2 V.", []),
        ("0.2 V are left: it was 6.4 V and is 6.2 V.", []),
        ("0.2 V are left.", ["0.2"]),
        ("The limit is 6.4 V.\n\nUp to 60 days.\n\nOr 24.\n\nSince then 6.2 V.\n\nWe lost 0.2 V.", ["0.2"]),
        ("24 seals at 18.50 EUR are 444 EUR.", []),
        ("24 of 60 days are 40 %, ca. 2.5 times as few, and 36 are left.", []),
        ("24 of 60 days are 45 %, ca. 3 times as few, and 35 are left.", ["45", "3", "35"]),
        ("6.4 + 6.2 + 24 + 18.50 = 55.1, and 60 - 55.1 = 4.9.", []),
        ("It was put in on 2026-06-29, 16 days ago: of 60 days 44 are left.", []),
        ("It was put in on 2026-06-29, 17 days ago: of 60 days 44 are left.", ["17", "44"]),
        ("From 2026-06-29 on at most 60 days, so up to 2026-08-28.", []),
        ("From 2026-06-29 on at most 60 days, so up to 2026-09-27.", ["-09", "-27"]),
        ("- 24 seals\n- 60 days\n- 6.4 V\n- 6.2 V\n- 18.50 EUR\n\nThat makes 115.1.", []),
        ("- 24 seals\n- 60 days\n- 6.4 V\n- 6.2 V\n- 18.50 EUR\n\nThat makes 112.", ["112"]),
        (TABLE.format(share="26.7 %", total=90), []),
        (TABLE.format(share="31 %", total=91), ["31", "91"]),
    ],
)
def test_results_of_nearby_numbers_are_accepted(text: str, wrong: list[str]) -> None:
    said = ["How long has it been in? Today is 2026-07-15.", "36 in June, 30 in July: 40 %, 33.3 % of 100 %"]
    assert numbers_not_in(text, SOURCES, also=said if "|" in text else said[:1], derived=False) == wrong


DAYS = [f"2024-{month:02d}-{day:02d}" for month in range(1, 13) for day in (1, 8, 15, 22)]


@pytest.mark.parametrize(
    ("text", "known", "wrong"),
    [
        ("It was in week 20, the 138th day of the year, in the 2nd quarter.", ["2024-05-17"], []),
        ("It was in week 21, the 139th day of the year.", ["2024-05-17"], ["21", "139"]),
        ("The most came on 22 May 2024 (week 21), and the fewest on 8 January 2024 (week 2).", DAYS, []),
        ("The most came on 22 May 2024 (week 26).", DAYS, ["26"]),
        ("It was in week 37.", DAYS, ["37"]),
    ],
)
def test_the_week_day_and_quarter_of_a_known_date_are_known(text: str, known: list[str], wrong: list[str]) -> None:
    assert numbers_not_in(text, known) == wrong


@pytest.mark.parametrize(
    ("source", "text", "wrong"),
    [
        ("Lost at 14:35. The repair took 45 minutes.", "It was back at 15:20.", []),
        ("Lost at 14:35. The repair took 45 minutes.", "It was back at 16:20.", ["16", "20"]),
        ("Lost at 14:35, alarm at 14:15.", "It was lost at 14:35, 20 minutes after the alarm at 14:15.", []),
        ("23:50 aus, 00:20 an", "Von 23:50 bis 00:20 Uhr, also 30 Minuten.", []),
        ("Lost at 14:35, back at 16:05.", "It was down for 1 h 30 min, or 1.5 hours.", []),
        ("Lost at 14:35, back at 16:05.", "It was down for 95 minutes.", ["95"]),
        ("Ordered on 3 November 2026, delivered on 2 December 2026.", "It took 29 days.", []),
        ("Ordered on 3 November 2026, delivered on 2 December 2026.", "It took 41 days.", ["41"]),
        ("It takes 196 minutes, 54 days, 30 months.", "196 minutes, that is 3 hours and 16 minutes.", []),
        ("It takes 196 minutes, 54 days, 30 months.", "54 Tage, also 7 Wochen und 5 Tage.", []),
        ("It takes 196 minutes, 54 days, 30 months.", "196 minutes, that is 3 hours and 26 minutes.", ["3", "26"]),
    ],
)
def test_a_time_or_duration_that_follows_from_two_others_passes(source: str, text: str, wrong: list[str]) -> None:
    assert numbers_not_in(text, source, derived=False, cited=[source]) == wrong


CASES = yaml.load((Path(__file__).parents[2] / "data/numbers_in_texts.yaml").read_text("utf-8"), yaml.CSafeLoader)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_right_numbers_give_no_note_and_invented_ones_are_found(case: dict[str, Any]) -> None:
    expected = {text: [] for text in case["right"]} | {each["text"]: each["finds"] for each in case["wrong"]}
    assert {text: numbers_not_in(text, case["known"], derived=False) for text in expected} == expected


def test_the_table_of_texts_is_large_and_half_of_it_wrong() -> None:
    right, wrong = (sum(len(case[kind]) for case in CASES) for kind in ("right", "wrong"))
    assert min(right, wrong) > 100


def test_a_quotation_with_many_gaps_takes_linear_time() -> None:
    assert passage_of("Set ... to 5", ("no, set the weight of x\nto 5 now",)) == "set the weight of x\nto 5"
    assert passage_of(" ... ".join("aaaaaab"), ("a " * 50_000,)) == ""
    assert growth(lambda size: passage_of(" ... ".join("aaaaaab"), ("a " * size,)), 10_000) < 1.5


def test_a_fraction_of_a_number_in_the_question_is_known() -> None:
    asked = ["What is 7/12 of 1,200 pupils?"]
    assert numbers_not_in("700 pupils.", {"weight": 50}, also=asked) == []
    assert numbers_not_in("710 pupils.", {"weight": 50}, also=asked) == ["710"]


@given(
    st.lists(st.sampled_from([*"0123456789.,' ’_-+eE%x=()/", " 1", "10^6", "⁶", "½", "\n"]), max_size=40).map("".join)
)
def test_any_run_of_digits_and_signs_is_read(text: str) -> None:
    assert all(each.values for each in numerals(text))
    assert numbers_not_in(text, text, derived=False) == [] or "=" in text


def test_times_of_a_text_count_as_named_where_it_is_cited_and_has_few() -> None:
    text, few = "It was down for 45 minutes.", "Lost at 14:35, back at 15:20."
    many = " ".join(f"{hour}:00 and {hour}:25," for hour in range(10, 20))
    for cited, wrong in (([few], []), ([], ["45"]), ([few, many], ["45"])):
        assert numbers_not_in(text, [few, many], derived=False, cited=cited) == wrong


@pytest.mark.parametrize("joined", [", ", ". So ", "\n- "])
def test_an_invented_number_among_ten_that_are_known_seldom_passes(joined: str) -> None:
    chance, passed = random.Random(3), 0
    for _ in range(150):
        known = chance.sample(range(1, 101), 10)
        invented = chance.choice([number for number in range(1, 101) if number not in known])
        passed += not numbers_not_in(joined.join(map(str, [*known, invented])), known, derived=False)
    assert passed < 0.1 * 150


def test_numbers_by_the_thousand_are_looked_through_in_linear_time() -> None:
    dates = [f"2026-0{1 + number % 9}-{10 + number % 19}" for number in range(300)]

    def unknown(count: int) -> list[str]:
        text = " ".join(f"{number * 37 % 9973} of it. On {dates[number % 300]}\n" for number in range(count))
        return numbers_not_in(text, list(range(0, 9973, 2)), derived=False)

    assert len(unknown(3_000)) > 1_000
    assert growth(unknown, 200) < 1.5
    assert numbers_not_in("- 1. |*`; " * 2_000, [1]) == []
    assert growth(lambda size: numbers_not_in("- 1. |*`; " * size, [1]), 250) < 1.5


def test_code_is_compared_word_by_word_and_a_setting_with_its_value() -> None:
    manual = ["The `CARGO_INCREMENTAL` variable can be `1` or `0`. See [profile.dev] and `--wait SECONDS`."]
    assert code_not_in("`[profile.dev]`, `CARGO_INCREMENTAL=0` and `--wait`", manual) == []
    wrong = "`CARGO_INCREMENTAL=2`, `CARGO_DECREMENTAL=0`, `CARGO_INCREMENTAL=` and `--agent`"
    assert code_not_in(wrong, manual) == [each.strip("`") for each in wrong.replace(" and ", ", ").split(", ")]


def test_ids_are_compared_with_those_that_exist() -> None:
    assert ids_not_in("t-1, T-22 and T-3", ["T-1", "T-3"], r"[Tt]-\d+") == ["T-22"]
