"""What an answer may say: links to its sources, figures that stand in them, and passages within a budget."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from graphwright.agents.assistant import answering
from graphwright.agents.assistant.citing import Steady, cited, described, source_list
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


EVIL = "https://evil.example/x"
HOSTILE = [
    *(f"See ({EVIL}) now.", f"_{EVIL}_", f"**{EVIL}**", f"~{EVIL}~", f"x{EVIL}", f"[{EVIL}]", f'"{EVIL}"', f"`{EVIL}`"),
    *(f"[a [b] c]({EVIL})", f"[see [1]]({EVIL})", f"[a\nb]({EVIL})", f"[a\\]b]({EVIL})", f"![a\n]({EVIL}.png)"),
    *(f"[a]({EVIL} (title))", f"[a](<{EVIL}>)", f"[a]( {EVIL} 'it\"s' )", f"[a]({EVIL}", f"[{'a' * 500}]({EVIL})"),
    *(
        f"[a]<b>({EVIL})",
        f"[a][9]({EVIL})",
        f"[a]()({EVIL})",
        "htt<b></b>ps://evil.example/x",
        "htt[9]ps://evil.example/x",
    ),
    *("htt()ps://evil.example/x", "htt[]ps://evil.example/x", "hthttps://a.example ps://evil.example/x"),
    *(
        "&#104;ttps://evil.example/x",
        "&amp;#104;ttps://evil.example",
        "https&colon;//evil.example",
        "https\\://evil.example",
    ),
    *(
        "ht\u200btps://evil.example/x",
        "HTTPS://EVIL.EXAMPLE/",
        "www.evil.example",
        "(www.evil.example)",
        "_www.evil.example_",
    ),
    *(
        "[a](//evil.example/x)",
        "[a](\\\\evil.example)",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert)",
        "javascript:alert(1)",
    ),
    *(
        "[a](data:text/html;base64,AAAA)",
        "![x](data:image/png;base64,AAAA)",
        "data:text/html,evil.example",
        "<data:text/html,x>",
    ),
    *(
        f"[a][e]\n\n[e]: {EVIL}",
        f"![a][e]\n\n[e]: {EVIL} 'x'",
        "> [e]: //evil.example/x\n\n[a][e]",
        "- [e]: /x\n\n[e]",
    ),
    *(
        f"[e]\n\n[e]:\n{EVIL}",
        "[e]\n\n[e]:\n//evil.example",
        "[e][]\n\n[e]: <//evil.example>",
        f"a[^1]\n\n[^1]: {EVIL}",
    ),
    *(
        f"<a href='{EVIL}'>x</a>",
        f"<img src={EVIL}>",
        "<img/src=//evil.example>",
        "<body onload=evil()>",
        "<<b>a href=//evil.example>x",
    ),
    *(
        "<p style='background:url(//evil.example)'>x</p>",
        "<svg><a xlink:href='//evil.example'>x",
        "<!-- <a href=//evil.example> -->",
    ),
    *(
        "<a href=//evil.example",
        "<input autofocus onfocus=evil()>",
        "<math><mtext>x",
        "\x1b]8;;https://evil.example\x07x\x1b]8;;\x07",
    ),
    *(
        "[a](https://docs.nordlicht.example@evil.example/)",
        "[a](https://docs.nordlicht.example.evil.example/aurora/rf)",
    ),
    *(
        "[a](https://docs.nordlicht.example/aurora/rf?q=secret)",
        "[a](https://docs.nordlicht.examp1e/aurora/rf)",
        "mailto:a@b.example",
    ),
    *(
        f"| a | [b]({EVIL}) |\n|---|---|",
        f"    {EVIL}",
        f"```\n{EVIL}\n```",
        f"$$\\href{{{EVIL}}}{{x}}$$",
        "Wow![1]",
        "xmpp:a@b.example",
    ),
]


def links_in(text: str) -> list[str]:
    """The addresses in what a renderer of Markdown makes of a text, HTML allowed."""
    found: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for each in (token, *(token.children or ())):
            assert each.type not in ("html_block", "html_inline"), (text, each.content)
            found += [str(each.attrs[name]) for name in ("href", "src") if name in each.attrs]
    return found


@pytest.mark.parametrize("hostile", HOSTILE)
def test_whatever_a_link_looks_like_it_does_not_reach_the_user(hostile: str) -> None:
    for text in (
        hostile,
        f"It is so [1]. {hostile} [2]",
        hostile.replace(" ", "\n"),
        f"[{hostile}]({hostile})",
        hostile * 3,
    ):
        found = cited(text, SOURCES)
        assert set(links_in(found.text)) <= {DOCS, LOG.url}
        bare = found.text.replace(DOCS, "").replace(LOG.url, "")
        assert not re.search(r"https?:|www\.|javascript:|data:\w+/|mailto:", bare, re.IGNORECASE)
        again = cited(found.text, SOURCES)
        assert again.removed == 0
        pieces = Steady(SOURCES, marked=len(SOURCES))
        for size in (1, 7):
            shown = "".join(pieces.more(text[at : at + size]) for at in range(0, len(text), size)) + pieces.rest()
            assert set(links_in(shown)) <= {DOCS, LOG.url}
            bare = shown.replace(DOCS, "").replace(LOG.url, "")
            assert not re.search(r"https?:|www\.|javascript:|data:\w+/|mailto:", bare, re.IGNORECASE)


def test_what_is_no_link_stays_as_it_is() -> None:
    for text in (
        *("The current is 3 < 5 and 7 > 6.", "metadata:x and profile:y", "$$E = mc^2$$ and a_b", "[note] and (aside)"),
        *(
            "A list:\n- one\n- two",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "R&D, AT&T",
            "**bold** and `code`",
            "at 12:30, p. 7",
        ),
    ):
        assert cited(text, SOURCES).text == text
        assert cited(text, SOURCES).removed == 0


def test_reference_style_links_to_sources_hold() -> None:
    found = cited(f"See [the page][p] and this[^n].\n\n[p]: {DOCS}\n[^n]: {LOG.url} the entry", SOURCES)
    assert (found.text, found.used, found.removed) == (f"See {RF_LINK} and this{LOG_LINK}.", (0, 1), 0)


def test_marks_name_only_what_was_numbered() -> None:
    found = cited("So it is [1] [3].", SOURCES, marked=2)
    assert (found.text, found.used) == (f"So it is {RF_LINK}.", (0,))


def test_while_it_is_written_words_are_shown_at_once_and_links_when_they_are_whole() -> None:
    pieces = Steady(SOURCES, marked=2)
    said = ["Four cavi", "ties [", "1], see [the ", "page](https://evil.example/", "x) or <b", ">that</b>.", " End"]
    shown = ["Four ", "cavities ", f"{RF_LINK}, see ", "", "the page or ", "", "that. "]
    assert [pieces.more(each) for each in said] == shown
    assert pieces.rest() == "End"


@pytest.mark.parametrize(
    "junk", ["\n", " ", "[", "](", "<", "<a ", "[1]", "&amp;", "\n[e]:", "1,", "(", "https://", "- \n", "!["]
)
def test_no_text_takes_for_ever(junk: str) -> None:
    # Where a pattern goes back and forth over it, this ends after hours.
    text = f"a{junk * (16_000 // len(junk))}b"
    cited(text, SOURCES)
    answering._cleaned(text)
    unfounded(text[:8_000], KNOWN)


def test_a_source_cannot_smuggle_a_link_into_the_list() -> None:
    evil = Source("e", "x](https://evil.example) <b> https://evil.example/y", "javascript:alert(1)", "tool", {}, "t")
    listed = source_list([evil], [0], "Sources")
    assert "](" not in listed
    assert "evil.example" not in listed
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


def test_documents_without_an_address_are_told_apart_by_where_they_lie() -> None:
    one, other = (
        Source(path, "Report", "", "knowledge", {"file": path, "page": "2"}, "The gap is 4 mm.")
        for path in ("docs/a/r.md", "docs/b/r [x](http://evil.example).md")
    )
    assert described(one) == "Report, docs/a/r.md, p. 2"
    listed = source_list([one, other], (0, 1), "Sources").split("\n")
    assert listed[1] == "- Report, docs/a/r.md, p. 2"
    assert listed[2].startswith("- Report, docs/b/r ")
    assert "http" not in listed[2]
    seen = Source("r", "Report", DOCS, "knowledge", {"file": "docs/r.md"}, "")
    assert described(seen) == "Report"
