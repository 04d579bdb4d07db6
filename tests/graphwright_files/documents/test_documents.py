"""Reading documents: text, places, cuts, and their division for an index."""

from __future__ import annotations

import gzip
from pathlib import Path

import pptx
import pytest
from pptx.util import Inches

from documents_support import docx, outlined, pdf, read, refused, written, zipped
from graphwright_files import FileError
from graphwright_files.documents import Document, DocumentLimits, Part, read_document, read_documents

pytestmark = pytest.mark.usefixtures("shared_readers")


def test_a_pdf_keeps_its_pages_and_says_what_they_belong_to(tmp_path: Path) -> None:
    info = {"Title": "Orbit manual", "Author": "A. Nother", "CreationDate": "D:20250102030405Z"}
    outline = [(0, "Orbit", 1), (1, "Correction", 2), (0, "Vacuum", 4)]
    document = read(tmp_path, "x.pdf", pdf(["Eins äöü\nzwei", "three", "four", "five"], info, outline))
    assert (document.title, document.kind, document.cut) == ("Orbit manual", "pdf", "")
    assert document.metadata == {"author": "A. Nother", "date": "2025-01-02"}
    assert document.parts == (
        Part(("Orbit",), 1, "Eins äöü\nzwei"),
        Part(("Orbit", "Correction"), 2, "three"),
        Part(("Orbit", "Correction"), 3, "four"),
        Part(("Vacuum",), 4, "five"),
    )


def test_content_beyond_a_limit_is_left_out_with_a_note(tmp_path: Path) -> None:
    path = written(tmp_path, "x.pdf", pdf([f"page {number}" for number in range(1, 31)]))
    document = read_document(path, DocumentLimits(pages=20))
    assert [part.page for part in document.parts] == list(range(1, 21))
    assert document.cut == "The first 20 of 30 pages were read, because the limit on pages is 20."
    document = read_document(path, DocumentLimits(characters=17))
    assert document.text == "page 1\n\npage 2\n\npag"
    assert document.cut == "The first 3 of 30 pages were read, because the limit on characters is 17."
    document = read(tmp_path, "x.txt", "word " * 100, DocumentLimits(characters=20))
    assert document.text == "word word word word"
    assert document.cut == "The first 19 of 499 characters were read."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_text_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    text = "Die Störung am Klystron begann um zwölf Uhr; größere Schäden gab es nicht."
    document = read(tmp_path, "x.txt", text.encode(encoding))
    assert outlined(document) == [((), text)]
    assert bool(document.notes) == (not encoding.startswith("utf-8"))


def test_markdown_by_its_headings(tmp_path: Path) -> None:
    text = (
        "---\ntitle: \"Vacuum\"\ntags: [pumps, 'gauges']\naccelerator: aurora\nsystems:\n  - rf\n  - magnets\n---\n"
        "Before.\n\n# Vacuum *system* ##\n\nPumps.\n\n<!-- ignore me -->\n"
        "## Valves\n```sh\n# no heading <!-- kept -->\n```\nGauges\n------\n| a | b |\n|---|---|\n# Second\n"
    )
    document = read(tmp_path, "page.md", text)
    assert (document.title, document.kind) == ("Vacuum", "markdown")
    assert document.metadata["tags"] == "pumps, gauges"
    assert document.metadata["systems"] == "rf, magnets"
    assert outlined(document) == [
        ((), "Before."),
        (("Vacuum system",), "Pumps."),
        (("Vacuum system", "Valves"), "```sh\n# no heading <!-- kept -->\n```"),
        (("Vacuum system", "Gauges"), "| a | b |\n|---|---|"),
        (("Second",), ""),
    ]


def test_without_front_matter_a_rule_is_a_rule(tmp_path: Path) -> None:
    assert outlined(read(tmp_path, "page.md", "---\n\nText.\n\n---\n\nMore.\n")) == [
        ((), "---\n\nText.\n\n---\n\nMore.")
    ]


def test_html_as_a_reader_sees_it(tmp_path: Path) -> None:
    page = """<!DOCTYPE html><html lang="de"><head><title>T &amp; U</title><meta name="author" content="Me">
    <meta name="Accelerator" content="linac">
    <link rel="canonical" href="https://docs.example/x"><style>a{}</style></head><body><nav>menu</nav>
    <h1>Top <a class="headerlink">¶</a></h1><p>Some <b>bo</b>ld&nbsp;text, 10<sup>-9</sup> mbar &auml;&#8364;
    <script>alert("x")</script><p hidden>no</p><div style="color: red; display : none">no <div>no</div></div>
    <h2>Lists</h2><ul><li>a<ul><li>b</ul><li>c</ul><ol><li>one<li>two</ol>
    <table><tr><th>x<th>y<tr><td>1<td><p>2</p></table><pre>  keep
   this</pre><img src="x.png" alt="A plot"><noscript>no</noscript><template>no</template><!-- no -->
    <dialog>no</dialog><span aria-hidden="true">no</span></body></html>"""
    document = read(tmp_path, "page.html", page)
    assert (document.title, document.kind) == ("T & U", "html")
    assert document.metadata == {
        **{"language": "de", "author": "Me"},
        **{"url": "https://docs.example/x", "accelerator": "linac"},
    }
    assert outlined(document) == [
        (("Top",), "Some bold text, 10^-9^ mbar ä€"),
        (
            ("Top", "Lists"),
            "- a\n  - b\n- c\n\n1. one\n2. two\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n"
            "```\n  keep\n   this\n```\n\n![A plot](x.png)",
        ),
    ]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8", "koi8-r"])
def test_html_in_the_encoding_that_it_names(tmp_path: Path, encoding: str) -> None:
    word = "Привет" if encoding == "koi8-r" else "Größe"
    page = f'<html><meta http-equiv="content-type" content="text/html; charset={encoding}"><p>{word}'.encode(encoding)
    assert read(tmp_path, "x.html", page).text == word


def test_word_by_its_headings_in_any_language(tmp_path: Path) -> None:
    table = (
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc>"
        "</w:tr></w:tbl>"
    )
    written = [("", "intro"), ("Heading1", "First"), ("", "R&amp;D: 1 &lt; 2"), ("berschrift2", "Zweite"), ("", "noch")]
    document = read(tmp_path, "x.docx", docx(written, body=table))
    assert (document.title, document.kind) == ("Beam notes", "docx")
    assert document.metadata == {"author": "A. Nother"}
    assert outlined(document) == [
        ((), "intro"),
        (("First",), "R&D: 1 < 2"),
        (("First", "Zweite"), "noch\n\n| A | B |\n| --- | --- |"),
    ]


def test_slides_keep_their_numbers(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    for title, text in (("Beam loss", "first point"), ("", ""), ("Outlook", "last point")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    table = slide.shapes.add_table(1, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    slide.notes_slide.notes_text_frame.text = "say this"
    deck.save(str(tmp_path / "x.pptx"))
    document = read_document(tmp_path / "x.pptx")
    assert (document.title, document.kind) == ("Beam loss", "pptx")
    assert document.parts == (
        Part(("Beam loss",), 1, "first point"),
        Part(("Outlook",), 3, "last point\n\nleft | right\n\nSpeaker notes: say this"),
    )
    cut = read_document(tmp_path / "x.pptx", DocumentLimits(pages=1))
    assert cut.cut == "The first 1 of 3 slides were read, because the limit on slides is 1."


def test_a_single_packed_file_is_read(tmp_path: Path) -> None:
    document = read(tmp_path, "page.md.gz", gzip.compress(b"# Pumps\n\ntext"))
    assert (document.kind, outlined(document)) == ("markdown", [(("Pumps",), "text")])
    assert document.notes == ("It was unpacked from a gzip file.",)
    assert read(tmp_path, "one.zip", zipped({"in/a.pdf": pdf(["page"])})).parts == (Part((), 1, "page"),)
    assert refused(tmp_path, "two.zip", zipped({"a.md": b"a", "b.md": b"b"})).code == "several_files"
    assert refused(tmp_path, "bomb.gz", gzip.compress(bytes(80_000_000))).code == "zip_bomb"


def test_many_files_in_one_go_and_bad_ones_among_them(tmp_path: Path) -> None:
    paths = [written(tmp_path, f"{number}.md", f"# Page {number}\n\ntext") for number in range(5)]
    paths.insert(1, written(tmp_path, "broken.pdf", b"%PDF-1.7\n..."))
    paths.insert(2, tmp_path / "missing.md")
    paths.insert(3, written(tmp_path, "large.md", "words\n" * 8_000_000))
    paths.insert(5, written(tmp_path, "good.pdf", pdf(["page"])))
    found = list(read_documents(paths, DocumentLimits(memory=400_000_000)))
    assert [path for path, _ in found] == paths
    errors = [each for _, each in found if isinstance(each, FileError)]
    assert [error.code for error in errors] == ["damaged_file", "missing_file", "out_of_memory"]
    titles = [each.title for _, each in found if isinstance(each, Document)]
    assert titles == ["Page 0", "Page 1", "good", "Page 2", "Page 3", "Page 4"]
