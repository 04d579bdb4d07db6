"""What a search finds: forms of words in two languages, compounds, filters, near-duplicates, and notes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from knowledge_support import PUMP, PUMPE, folder_of, sample_index, titles

from graphwright.knowledge import KnowledgeIndex, snippet
from graphwright.knowledge.passages import MOST_TEXT
from graphwright.knowledge.searching import fused
from graphwright.knowledge.words import german_stem

JUDGED = Path(__file__).parent / "data" / "knowledge_judged.yaml"


@pytest.fixture
def index(tmp_path: Path) -> KnowledgeIndex:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    index.update(folder_of(tmp_path / "docs", {"pump.md": PUMP, "pumpe.md": PUMPE}))
    return index


@pytest.mark.parametrize(
    "text",
    [
        "Störung",
        "Störungen",
        "stoerung",
        "STÖRUNG",
        "Groesse",
        "grösse",
        "Vakuumpumpen",
        "Pumpe",
        "Kuehlwasser",
        "Wasserkühlung",
        "Vakuumstörung",
        "Schildern",
    ],
)
def test_german_words_are_found_in_every_form(index: KnowledgeIndex, text: str) -> None:
    assert titles(index.search(text))[:1] == ["Vakuumpumpen"]


@pytest.mark.parametrize("text", ["pumps exchanged", "unscrewing", "GASKET", "gaskets?", "spare-parts", "spare/part"])
def test_english_words_are_found_in_every_form(index: KnowledgeIndex, text: str) -> None:
    assert titles(index.search(text))[:1] == ["Vacuum pumps"]


def test_a_part_of_a_compound_finds_it_and_an_accidental_ending_does_not(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    german = "---\nlanguage: de\n---\n# {}\n\n{}\n"
    pages = {
        "a.md": german.format("Eins", "Das Sektorventil schließt."),
        "b.md": german.format("Zwei", "Ein Sektor hat zehn Magnete, und jeder Ring hat zwölf."),
        "c.md": german.format("Drei", "Das Monitoring ist aus."),
    }
    index.update(folder_of(tmp_path / "docs", pages))
    assert titles(index.search("Ventile")) == ["Eins"]
    assert titles(index.search("Ring")) == ["Zwei"]


def test_names_of_devices_are_found_as_they_are_written(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    pages = {f"{n}.md": f"# Device {n}\n\nThe monitor S0{n}-BPM4 reads zero.\n" for n in range(1, 10)}
    index.update(folder_of(tmp_path / "docs", pages))
    assert titles(index.search("S07-BPM4", limit=20))[0] == "Device 7"
    assert titles(index.search("s07 bpm4"))[0] == "Device 7"


def test_a_place_is_found_by_all_its_names(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    pages = {
        "a.md": "# Long\n\nThe girders of sector 9 are warm.\n",
        "b.md": "# Short\n\nIn S09 a switch counts the flow.\n",
        "c.md": "# Other\n\nNothing is known of sector 3.\n",
    }
    index.update(folder_of(tmp_path / "docs", pages))
    for text in ("sector 9", "Sektor 9", "S9", "S09"):
        assert set(titles(index.search(text))) == {"Long", "Short"}, text


def test_filters_by_accelerator_keep_what_is_about_all(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    front = "---\ntitle: {}\naccelerator: {}\n---\nThe kicker fires {}.\n"
    pages = {
        "a.md": front.format("One", "Aurora", "first"),
        "b.md": front.format("Two", "[booster, linac]", "second"),
        "c.md": front.format("General", "all", "third"),
        "d.md": "# Silent\n\nThe kicker fires fourth.",
    }
    index.update(folder_of(tmp_path / "docs", pages))
    assert set(titles(index.search("kicker"))) == {"One", "Two", "General", "Silent"}
    assert set(titles(index.search("kicker", "AURORA"))) == {"One", "General", "Silent"}
    assert set(titles(index.search("kicker", "linac"))) == {"Two", "General", "Silent"}
    assert "accelerator 'all'" in index.search("second", "aurora").note


def test_what_is_said_twice_is_given_once(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    words = " ".join(f"word{n}" for n in range(60))
    pages = {f"{n}.md": f"# Copy\n\nThe septum is warm. {words} {n}\n" for n in range(8)}
    index.update(folder_of(tmp_path / "docs", pages | {"other.md": "# Other\n\nThe septum is cold."}))
    assert sorted(titles(index.search("septum", limit=10))) == ["Copy", "Other"]
    assert len(index.search("septum", limit=10).sources) == 2


def test_a_long_page_leaves_room_for_others(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    long = "# Long\n\n" + "\n\n".join(f"## Klystron {n}\n\nKlystron klystron topic{n} detail{n}." for n in range(9))
    short = "# Short\n\nSomewhere in this text with many more words than needed there is a klystron, too."
    index.update(folder_of(tmp_path / "docs", {"long.md": long, "short.md": short}))
    found = index.search("klystron", limit=4)
    assert [source.title for source in found.sources].count("Long") == 3
    assert "Short" in titles(found)
    index.update(folder_of(tmp_path / "docs", {"short.md": "# Short\n\nNothing of the kind."}))
    assert len(index.search("klystron", limit=4).sources) == 4


def test_passages_are_bounded_and_nothing_of_a_long_text_is_lost(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    text = "\n\n".join(f"Sentence {n} of the chapter. " * 3 for n in range(400))
    index.update(folder_of(tmp_path / "docs", {"long.txt": f"{text} " + "x" * 9_000}))
    for number in (0, 199, 399):
        (source,) = index.search(f'"sentence {number}" chapter', limit=1).sources
        assert len(source.text) <= MOST_TEXT
        assert f"Sentence {number} " in source.text


def test_limits_are_kept_within_reason(index: KnowledgeIndex) -> None:
    assert len(index.search("pump", limit=1).sources) == 1
    assert len(index.search("pump", limit=-5).sources) == 1
    assert len(index.search("pump Pumpe", limit=10**9).sources) >= 2


def test_notes_say_what_is_missing(index: KnowledgeIndex) -> None:
    assert index.search("pump").note == ""
    assert index.search("pump cafeteria").note == "Not in any document: cafeteria."
    assert index.search("").note.startswith("The query is empty")
    assert index.search("?! …").note.startswith("The query is empty")
    assert index.search("a").note.startswith("The query is very short")
    nothing = index.search("vakum")
    assert nothing.sources == ()
    assert "Vacuum pumps" in nothing.note
    assert index.search("zebra").note == "Nothing was found."


def test_small_words_alone_are_searched_for_all_the_same(index: KnowledgeIndex) -> None:
    assert titles(index.search("when is the"))
    assert index.search("how is the pump unscrewed?").note == ""


def test_ranks_are_fused_so_that_agreement_wins() -> None:
    assert fused([[1, 2, 3], [2, 4]]) == [2, 1, 4, 3]
    assert fused([[], [7]]) == [7]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("Störungen", "stor"),
        ("Stoerung", "stor"),
        ("Ventile", "ventil"),
        ("Ventilen", "ventil"),
        ("Größe", "gross"),
        ("Quelle", "quell"),
        ("Strom", "strom"),
        ("ÄÖÜß", "aouss"),
        ("Haus", "haus"),
    ],
)
def test_german_stems(word: str, stem: str) -> None:
    assert german_stem(word) == stem


def test_a_snippet_shows_where_the_words_stand() -> None:
    text = "Lorem ipsum dolor. " * 40 + "Die Störungen kommen vom Wasser. " + "Amet sit. " * 40
    shown = snippet(text, "stoerung Wasser")
    assert "Störungen kommen vom Wasser" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= 250
    assert snippet("short\n text", "nothing") == "short text"
    assert len(snippet("x" * 5_000, "x")) <= 250


def test_a_judged_set_in_two_languages(tmp_path: Path) -> None:
    index = sample_index(tmp_path / "sample.sqlite3")
    judged = yaml.safe_load(JUDGED.read_text("utf-8"))
    ranks = []
    for each in judged:
        found = index.search(each["ask"], limit=10).sources
        pages = list(dict.fromkeys(source.id.partition("/")[2].rpartition(":")[0] for source in found))
        ranks.append(next((rank for rank, page in enumerate(pages, 1) if page in each["pages"]), 0))
    reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
    assert reciprocal >= 0.85, dict(zip([each["ask"] for each in judged], ranks, strict=True))
    assert sum(rank == 1 for rank in ranks) >= 0.8 * len(ranks)
