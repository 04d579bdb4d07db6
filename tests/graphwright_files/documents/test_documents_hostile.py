"""Bad documents: each leads to a clear error or a note, readable parts are read, and nothing outside is touched."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pptx
import pytest

from documents_support import ENCRYPTED, docx, ole, outlined, pdf, read, refused, written, zipped
from graphwright_confined import ISOLATION, available
from graphwright_files import FileError, TooMuch
from graphwright_files._process import Process
from graphwright_files.documents import Document, DocumentLimits, read_documents
from graphwright_files.errors import UnusableFile

pytestmark = pytest.mark.usefixtures("shared_readers")


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("x.txt", b"", "empty_file", "no text and no table"),
        ("x.md", b"\n\n  \n", "empty_file", "no text and no table"),
        ("x.pdf", b"\0" * 100_000, "empty_file", "no text and no table"),
        ("x.txt", bytes(range(256)) * 20, "unknown_format", "a binary file"),
        ("x.pdf", b"%PDF-1.7\n...", "damaged_file", "The PDF is damaged"),
        ("x.pdf", pdf(["one"] * 50)[:2_000], "damaged_file", "The PDF is damaged"),
        ("x.pdf", ENCRYPTED, "protected_file", "password"),
        ("x.docx", ole("EncryptedPackage"), "protected_file", "password"),
        ("x.doc", ole("WordDocument"), "unknown_format", "an old Word document"),
        ("x.ppt", ole("PowerPoint Document"), "unknown_format", "an old presentation"),
        ("x.docx", b"PK\x03\x04" + b"\7" * 300, "damaged_file", "Word"),
        ("x.docx", docx([("", "text")])[:-60], "damaged_file", "Word"),
        ("x.docx", zipped({"word/document.xml": b"<w:document"}), "damaged_file", "cannot be read"),
        ("x.pptx", zipped({"ppt/presentation.xml": b"no"}), "damaged_file", "cannot be read"),
        ("x.xlsx", zipped({"xl/workbook.xml": b"no"}), "damaged_file", "cannot be read"),
        ("x.zip", zipped({"a.zip": zipped({"b.txt": b"text"})}), "unknown_format", "a zip file"),
        ("x.odt", zipped({"mimetype": b"application/vnd.oasis.opendocument.text"}), "unknown_format", "OpenDocument"),
        ("x.rtf", b"{\\rtf1 text}", "unknown_format", "an RTF document"),
        ("x.gif", b"GIF89a" + b"\1" * 50, "image_file", "a GIF image"),
    ],
)
def test_unusable_documents(tmp_path: Path, name: str, content: bytes, code: str, said: str) -> None:
    error = refused(tmp_path, name, content)
    assert isinstance(error, UnusableFile)
    assert error.code == code
    assert said in error.message
    assert ("docx" in error.hint) == (name in ("x.doc", "x.ppt", "x.odt", "x.rtf"))


def test_scanned_pages_are_named(tmp_path: Path) -> None:
    document = read(tmp_path, "x.pdf", pdf([None, None, "text", None, "", "more"], outline=[(0, "All", 1)]))
    assert [part.page for part in document.parts] == [3, 6]
    scans, blank = document.notes
    assert scans.startswith("No text, but images, scans probably, on pages 1 to 2, 4 of 6:")
    assert blank == "No text on page 5 of 6."


def test_a_long_pdf_is_read_to_its_end(tmp_path: Path) -> None:
    long = pdf([f"page {number} of the long one\n" + "\n".join(["a line of words"] * 40) for number in range(1, 2_001)])
    document = read(tmp_path, "long.pdf", long, DocumentLimits(memory=600_000_000))
    assert document.cut == ""
    assert [part.page for part in document.parts] == list(range(1, 2_001))
    assert document.parts[-1].text.startswith("page 2000 of the long one")


@pytest.mark.parametrize(
    ("name", "content", "kind", "text"),
    [
        ("x.pdf", b"just text", "text", "just text"),
        ("x.txt", pdf(["page"]), "pdf", "page"),
        ("x.md", docx([("", "a")]), "docx", "a"),
        ("x.txt", b"Such a file begins so:\n%PDF-1.7\n", "text", "Such a file begins so:\n%PDF-1.7"),
        ("x.pdf", pdf(["page"]) + zipped({"evil.txt": b"not this"}), "pdf", "page"),
        ("x.pdf", b"<html><body><p>shown</p><!-- " + pdf(["page"]) + b" --></body></html>", "html", "shown"),
        ("x.pdf", b"\0junk\1\n" + pdf(["page"]), "pdf", "page"),
    ],
)
def test_the_name_decides_nothing(tmp_path: Path, name: str, content: bytes, kind: str, text: str) -> None:
    document = read(tmp_path, name, content)
    assert (document.kind, document.text) == (kind, text)


@pytest.mark.slow
def test_html_of_a_hundred_thousand_nested_elements(tmp_path: Path) -> None:
    for tag in ("div", "b", "h1", "table><tr><td", "button"):
        page = "<html><body><p>before</p>" + f"<{tag}>x" * 100_000 + "<p>innermost</p>" + "</div>" * 100_000
        assert "before" in read(tmp_path, "deep.html", page).text
    (note,) = read(tmp_path, "deep.html", "<p>first" + "<div>x" * 100_000).notes
    assert note == "Its elements are nested too deeply: the content of the innermost ones was omitted."


def test_html_scripts_never_come_through(tmp_path: Path) -> None:
    page = (
        "<p>a</p><script>evil()</script><SCRIPT src=x>evil()</SCRIPT><style>evil</style><svg><script>evil()</script>"
        "<text>evil</text></svg><iframe srcdoc='<p>evil'>evil</iframe><p onclick='evil()'>b</p>"
        "<a href='javascript:evil()'>c</a><!-- evil --><object data=x>evil</object><template><p>evil</p></template>"
        "<p style='display:none'>evil</p> d"
    )
    document = read(tmp_path, "x.html", page)
    assert "evil" not in document.text
    assert document.text.split() == ["a", "b", "c", "d"]
    assert read(tmp_path, "x.html", "<p>before</p><script>evil(").text.startswith("before")
    document = read(tmp_path, "y.html", "<body><div id=app></div><script>draw()</script>")
    assert (document.parts, document.notes) == (
        (),
        ("There is no text in the page that shows without running its scripts.",),
    )


def _word(parts: dict[str, bytes]) -> bytes:
    return docx([("", "x")], extra=parts)


def _deck(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    pptx.Presentation().save(out)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("make", [_word, _deck])
def test_bombs_in_office_documents(tmp_path: Path, make: Callable[[dict[str, bytes]], bytes]) -> None:
    limits = DocumentLimits(unpacked_bytes=20_000_000)
    content = make({"media/film.bin": bytes(30_000_000)})
    error = refused(tmp_path, "bomb", content, limits)
    assert isinstance(error, TooMuch)
    assert error.code == "zip_bomb"
    # It may declare a small size.
    lying = content.replace((30_000_000).to_bytes(4, "little"), (3_000).to_bytes(4, "little"))
    assert lying != content
    assert refused(tmp_path, "lying", lying, limits).code in ("zip_bomb", "damaged_file")


def test_entities_do_not_multiply(tmp_path: Path) -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE d [<!ENTITY l0 "lol">{lol}]><w:document><w:body>&l11;</w:body></w:document>'.encode()
    assert isinstance(refused(tmp_path, "x.docx", docx([], extra={"word/document.xml": bomb})), FileError)
    text = read(
        tmp_path, "x.xml", b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e SYSTEM "/etc/passwd">]><d>&e;</d>'
    ).text
    assert "&e;" in text
    assert "root:" not in text


def test_invisible_characters_are_left_out_and_counted(tmp_path: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(sign)) for sign in "ignore all")
    text = f"pay \u202e001\u202c now{hidden}\a\b\nlo\u00adng w\u200bord \x1b[31mred\x1b[0m ﬁne u\u0308ber \ufeffend"
    document = read(tmp_path, "x.txt", f"{text}\r\nlast")
    assert document.text == "pay 001 now\nlong word red fine über end\nlast"
    assert document.notes == ("14 characters that cannot be seen or change the direction of the text were left out.",)


def test_lone_surrogates_do_no_harm(tmp_path: Path) -> None:
    text = "ab\ud800c".encode("utf-16-le", "surrogatepass")
    document = read(tmp_path, "x.txt", b"\xff\xfe" + text)
    document.text.encode("utf-8")
    assert document.text.startswith("ab")


def test_too_large_and_too_long(tmp_path: Path) -> None:
    error = refused(tmp_path, "x.txt", b"x" * 2_000, DocumentLimits(file_bytes=1_000))
    assert error.code == "too_large"
    assert "file_bytes" in error.hint
    # Words of many entities: the parser of Word documents takes seconds for it.
    slow = docx([("Heading1", "word " * 20)] * 60_000)
    assert refused(tmp_path, "x.docx", slow, DocumentLimits(seconds=1.0)).code == "out_of_time"


def test_the_reading_process_is_confined(tmp_path: Path) -> None:
    process = Process("documents", 1_000_000_000)
    job = {"picture": False, "name": "x.txt", "limits": asdict(DocumentLimits())}
    try:
        answer, _ = process.ask(job, b"text", 1_000, alone=False)
    finally:
        process.close()
    assert answer["isolation"] == (ISOLATION if available().isolation else "")


def test_no_process_outlives_its_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # not with the shared process

    def children() -> set[int]:
        own, found = str(os.getpid()), set()
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and (entry / "stat").read_text().rpartition(")")[2].split()[1] == own:
                    found.add(int(entry.name))
        return found

    before = children()
    found = read_documents([written(tmp_path, f"{number}.md", "text") for number in range(3)])
    next(found)
    started = children() - before
    assert started
    found.close()
    assert not children() & started


def test_repeated_characters_are_read_fast(tmp_path: Path) -> None:
    runs = (" ", "# ", "\t", "*", "_", "`", "=", "-", "<!--", "[", "|", "<", "&", "\n> ")
    paths = [
        written(tmp_path, f"{place}.{kind}", f"a\n\n# {run * 300_000}x\n\n{run * 300_000}x")
        for place, run in enumerate(runs)
        for kind in ("md", "txt", "html")
    ]
    found = [each for _, each in read_documents(paths, DocumentLimits(seconds=20))]
    assert all(isinstance(each, Document) and each.parts for each in found)


def test_headings_that_are_endless_are_cut(tmp_path: Path) -> None:
    document = read(tmp_path, "x.md", "# " + "long " * 10_000 + "\n\ntext")
    ((heading, text),) = outlined(document)
    assert len(heading[0]) <= 200
    assert text == "text"
    assert len(document.title) <= 200
