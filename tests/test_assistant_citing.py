"""What an answer may say: links to its sources, figures that stand in them, and passages within a budget."""

from __future__ import annotations

import pytest

from graphwright.agents.assistant.citing import cited, described, source_list
from graphwright.agents.assistant.extracting import quotes
from graphwright.agents.assistant.grounding import Numbers, unfounded, without
from graphwright.agents.assistant.passages import LONGEST_PASSAGE, passages, picked
from graphwright.tools.sources import Source, SourceImage

DOCS = "https://docs.nordlicht.example/aurora/rf"
RF = Source(
    "rf",
    "RF system",
    DOCS,
    "knowledge",
    {"heading": "Cavities"},
    "The frequency is 499.654 MHz. Four cavities give 450 kV each.\n\nCooling is by water.\n\nThe tuner moves slowly.",
    (SourceImage("https://docs.nordlicht.example/rf.png", "Cavity"),),
)
LOG = Source(
    "elog-212",
    "Trip of the RF",
    "https://elog.nordlicht.example/Operation/212",
    "elog",
    {"id": "212", "date": "2026-11-21", "time": "03:14", "author": "A. B", "category": "Problem", "system": "RF"},
    "Beam lost at 399,5 mA.",
)
PDF = Source("m#7", "manual.pdf", "", "file", {"page": "7"}, "The septum runs at 12 kV.")
SOURCES = [RF, LOG, PDF]
RF_LINK = f"[docs.nordlicht.example]({DOCS})"
LOG_LINK = "[elog.nordlicht.example](https://elog.nordlicht.example/Operation/212)"


@pytest.mark.parametrize(
    ("text", "expected", "used", "removed"),
    [
        ("It is so [1].", f"It is so {RF_LINK}.", (0,), 0),
        ("It is so [1, 2].", f"It is so {RF_LINK} {LOG_LINK}.", (0, 1), 0),
        ("It is so [1][1] [2].", f"It is so {RF_LINK} {LOG_LINK}.", (0, 1), 0),
        ("It is so [Source 3].", "It is so (manual.pdf, p. 7).", (2,), 0),
        ("It is so [9].", "It is so.", (), 0),
        (f"See [this page]({DOCS}/).", f"See {RF_LINK}.", (0,), 0),
        (f"See {DOCS}.", f"See {RF_LINK}.", (0,), 0),
        (f"See <{DOCS}>.", f"See {RF_LINK}.", (0,), 0),
        ("See [this](https://evil.example/a).", "See this.", (), 1),
        ("See https://evil.example/a, please.", "See, please.", (), 1),
        ("See <https://evil.example/a>.", "See.", (), 1),
        ("See www.evil.example/a now.", "See now.", (), 1),
        ("Click [me](javascript:alert(1)) now.", "Click me now.", (), 1),
        ('Click <a href="https://evil.example">me</a>.', "Click me.", (), 1),
        ("Look ![x](https://evil.example/x.png) here.", "Look here.", (), 1),
        (
            "Look ![x](https://docs.nordlicht.example/rf.png).",
            "Look ![x](https://docs.nordlicht.example/rf.png).",
            (0,),
            0,
        ),
        ("See [a][e].\n\n[e]: https://evil.example/a", "See a.", (), 1),
        ("Write to mailto:a@b.example now.", "Write to now.", (), 1),
        ("A ratio [of 3] and x[2] stay", f"A ratio [of 3] and x{LOG_LINK} stay", (1,), 0),
    ],
)
def test_every_link_leads_to_a_source(text: str, expected: str, used: tuple[int, ...], removed: int) -> None:
    found = cited(text, SOURCES)
    assert (found.text, found.used, found.removed) == (expected, used, removed)


def test_a_source_cannot_smuggle_a_link_into_the_list() -> None:
    evil = Source("e", "x](https://evil.example) <b> https://evil.example/y", "javascript:alert(1)", "tool", {}, "t")
    listed = source_list([evil], [0], "Sources")
    assert "](" not in listed
    assert "https://evil" not in listed.replace("https://evil.example) ", "")
    assert "javascript" not in listed
    assert cited(listed, [evil]).removed == 0


def test_a_log_entry_is_described_with_all_that_belongs_to_it() -> None:
    assert described(LOG) == "ELOG 212, 2026-11-21 03:14, A. B, Problem, RF: Trip of the RF"
    assert described(PDF) == "manual.pdf, p. 7"
    assert source_list(SOURCES, [1, 2], "Quellen").splitlines() == [
        "**Quellen**",
        f"- {LOG_LINK} {described(LOG)}",
        "- manual.pdf, p. 7",
    ]


KNOWN = Numbers([*(source.text for source in SOURCES), "2026-11-22", "It has 1,234.5 and 1.234,5 parts"])


@pytest.mark.parametrize(
    "text",
    [
        "499.654 MHz",
        "499.65 MHz",
        "0.499654 GHz",
        "399.5 mA",
        "399,5 mA",
        "450kV",
        "four cavities",
        "4 cavities",
        "on 22 November 2026",
        "1. first\n2. second",
        "1234.5",
    ],
)
def test_figures_of_the_sources_are_known(text: str) -> None:
    assert unfounded(text, KNOWN) == []


@pytest.mark.parametrize(
    ("text", "wrong"), [("500 MHz", "500"), ("400.1 mA", "400.1"), ("12.7 kV", "12.7"), ("87 %", "87")]
)
def test_figures_of_no_source_are_found(text: str, wrong: str) -> None:
    assert unfounded(f"It is {text} there.", KNOWN) == [wrong]


def test_sentences_with_such_figures_are_left_out_and_lists_stay_lists() -> None:
    text = "It has 4. It runs at 87 MHz.\n\n- 87 of them\n- 5 others"
    assert without(text, ["87"]) == "It has 4.\n\n- 5 others"


def test_passages_stay_within_their_bounds_and_lose_nothing() -> None:
    text = "A sentence of some words. " * 100 + "\n\n" + "x" * 1_000
    found = passages(text)
    assert max(map(len, found)) <= LONGEST_PASSAGE
    assert "".join("".join(found).split()) == "".join(text.split())


def test_the_passages_that_bear_on_the_question_are_picked_and_cutting_is_told() -> None:
    long = Source(
        "l", "Long", "", "knowledge", {}, "\n\n".join(["Nothing here."] * 40 + ["The tuner of cavity 3 is slow."])
    )
    found = picked([long, LOG], ["tuner"], 120)
    assert "tuner of cavity 3" in found.excerpts[0].text
    assert found.excerpts[0].cut
    assert "[…]" in found.excerpts[0].text
    assert found.cut
    assert sum(len(excerpt.text) for excerpt in found.excerpts) < 200
    whole = picked([LOG], ["beam"], 1_000)
    assert not whole.cut
    assert whole.excerpts[0].text == LOG.text
    assert picked([], ["x"], 100).excerpts == ()
    assert picked([long] * 50, ["tuner"], 100).left_out > 40


def test_an_answer_of_quotes_takes_the_sentences_nearest_to_the_question() -> None:
    assert quotes(SOURCES, ["cavities"]) == [(0, "Four cavities give 450 kV each.")]
    assert [place for place, _ in quotes(SOURCES, [])] == [0, 1, 2]
    assert quotes([], ["x"]) == []
    assert quotes(SOURCES, ["nowhere"]) == []
