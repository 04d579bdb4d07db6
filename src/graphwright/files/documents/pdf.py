"""PDF: the text of each page with its number, the headings of its outline, and which pages have none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

import pypdfium2
import pypdfium2.raw as pdfium

from graphwright.files.documents.document import MOST_HEADING, Collected, in_one_line
from graphwright.files.errors import NotText

_MOST_OUTLINE = 20_000
# A word that is cut in two at the end of a line.
_HYPHEN = re.compile("[\x02\ufffe\xad](?:\r?\n)?")
_NO_TEXT = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08]")
_TITLES = re.compile(r"^(?:microsoft (?:word|powerpoint|excel) - |untitled$)", re.IGNORECASE)
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")


def read_pdf(content: bytes, collected: Collected) -> None:
    """The pages into `collected`, as far as the limits and the time go. Raises NotText: damaged, or protected."""
    begins = content.find(b"%PDF-", 0, 2_000)
    try:
        document = pypdfium2.PdfDocument(content[begins:] if begins > 0 else content)
    except pypdfium2.PdfiumError as error:
        raise _refused(error) from None
    without: dict[str, list[int]] = {"image": [], "": [], "broken": [], "garbled": []}
    with document:
        pages = collected.pages = len(document)
        _described(document, content, collected)
        starts, paths = _outline(document)
        for number in range(1, pages + 1):
            if collected.stop(number, pages, "page"):
                break
            try:
                text, kind = _page(document, number - 1)
            except pypdfium2.PdfiumError:
                text, kind = "", "broken"
            if text:
                place = bisect_right(starts, number)
                collected.add(paths[place - 1] if place else (), number, text)
                if len(_NO_TEXT.findall(text)) * 4 > len(text):
                    without["garbled"].append(number)
            else:
                without[kind].append(number)
    for kind, told in (
        (
            "image",
            "No text, but images, scans probably, on {}: what is in them was not read. Text recognition, `ocrmypdf` "
            "for example, adds the text.",
        ),
        ("", "No text on {}."),
        ("broken", "Damaged and not read: {}."),
        ("garbled", "Unreadable, because the file does not say which letters it shows: {}."),
    ):
        if without[kind]:
            collected.notes.append(told.format(f"{_pages(without[kind])} of {pages:,}"))


def _page(document: pypdfium2.PdfDocument, index: int) -> tuple[str, str]:
    """The text of a page, and `image` where it has none, but images."""
    page = document[index]
    try:
        held = page.get_textpage()
        try:
            text = _HYPHEN.sub("", held.get_text_bounded()).strip()
        finally:
            held.close()
        images = () if text else page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3)
        return text, "image" if any(True for _ in images) else ""
    finally:
        page.close()


def _described(document: pypdfium2.PdfDocument, content: bytes, collected: Collected) -> None:
    told = document.get_metadata_dict(skip_empty=True)
    collected.title = _TITLES.sub("", told.get("Title", "").strip())
    for name in ("Author", "Subject", "Keywords"):
        collected.tell(name, told.get(name, ""))
    if date := _DATE.match(told.get("CreationDate", "")):
        collected.tell("date", "-".join(each for each in date.groups() if each))
    if files := document.count_attachments():
        collected.notes.append(f"It carries {files:,} attached file{'s' if files > 1 else ''}: not read.")
    if b"PK\x05\x06" in content[-70_000:]:
        collected.notes.append("It is a zip file as well: what is packed in it was not read.")


def _outline(document: pypdfium2.PdfDocument) -> tuple[list[int], list[tuple[str, ...]]]:
    """The pages on which a heading of the outline begins, in order, and the path of the first one on each."""
    found: dict[int, tuple[str, ...]] = {}
    path: list[str] = []
    try:
        for count, mark in enumerate(document.get_toc(max_depth=6)):
            if count >= _MOST_OUTLINE:
                break
            target = mark.get_dest()
            index = target.get_index() if target is not None else None
            path[mark.level :] = [in_one_line(mark.get_title(), MOST_HEADING)]
            if index is not None and index >= 0:
                found.setdefault(index + 1, tuple(path))
    except pypdfium2.PdfiumError:
        return [], []
    return sorted(found), [found[page] for page in sorted(found)]


def _refused(error: pypdfium2.PdfiumError) -> NotText:
    if getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return NotText("protected_file", "the PDF is encrypted and opens with a password only")
    why = "the PDF is damaged or not all there: no page of it can be found"
    return NotText("damaged_file", why, "Get the file once more; if a viewer shows it, print it to a new PDF.")


def _pages(numbers: Sequence[int]) -> str:
    """`page 3`, or `pages 1 to 3, 5`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    told = [f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in runs]
    more = f" and {len(told) - 30:,} more ranges" if len(told) > 30 else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(told[:30])}{more}"
