"""PDF: the text of each page with its number, the headings of its outline, and which pages have none."""

from __future__ import annotations

import io
import re
import zipfile
from bisect import bisect_right
from collections.abc import Sequence

import pypdfium2
import pypdfium2.raw as pdfium

from graphwright.files.documents.cleaning import in_one_line
from graphwright.files.documents.collecting import MOST_HEADING, Collected
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
    with document:
        pages = len(document)
        collected.pages = pages
        _described(document, content, collected)
        outline = _outline(document)
        silent: list[int] = []
        scanned: list[int] = []
        broken: list[int] = []
        garbled: list[int] = []
        read, part, why = 0, "", f"the limit on pages is {collected.limits.pages:,}"
        for number in range(1, min(pages, collected.limits.pages) + 1):
            if collected.full:
                part = ", the last not to its end" if collected.cropped else ""
                why = f"the limit on characters is {collected.limits.characters:,}"
                break
            if collected.late:
                why = f"the time for it, {collected.limits.seconds:g} seconds, was running out"
                break
            read = number
            try:
                text, images = _page(document, number - 1)
            except pypdfium2.PdfiumError:
                broken.append(number)
                continue
            if not text:
                (scanned if images else silent).append(number)
                continue
            collected.add(_heading(outline, number), number, text)
            if len(_NO_TEXT.findall(text)) * 4 > len(text):
                garbled.append(number)
        if read < pages:
            told = f"Pages 1 to {read:,}" if read > 1 else "Page 1" if read else "No page"
            collected.cut(f"{told} of {pages:,} {'was' if read < 2 else 'were'} read{part}, because {why}.")
    if scanned:
        collected.notes.append(
            f"No text, but images, scans probably, on {_pages(scanned)} of {pages:,}: what is in them was not read. "
            "Text recognition, `ocrmypdf` for example, adds the text."
        )
    if silent:
        collected.notes.append(f"No text on {_pages(silent)} of {pages:,}.")
    if broken:
        collected.notes.append(f"Damaged and not read: {_pages(broken)} of {pages:,}.")
    if garbled:
        collected.notes.append(f"Unreadable, because the file does not say which letters it shows: {_pages(garbled)}.")


def _page(document: pypdfium2.PdfDocument, index: int) -> tuple[str, bool]:
    """The text of a page, and, where it has none, whether images are on it."""
    page = document[index]
    try:
        held = page.get_textpage()
        try:
            text = held.get_text_bounded()
        finally:
            held.close()
        text = _HYPHEN.sub("", text).strip()
        if text:
            return text, False
        return "", any(True for _ in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3))
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
    if zipfile.is_zipfile(io.BytesIO(content)):
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
    pages = sorted(found)
    return pages, [found[page] for page in pages]


def _heading(outline: tuple[list[int], list[tuple[str, ...]]], page: int) -> tuple[str, ...]:
    pages, paths = outline
    place = bisect_right(pages, page)
    return paths[place - 1] if place else ()


def _refused(error: pypdfium2.PdfiumError) -> NotText:
    code = getattr(error, "err_code", None)
    if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return NotText(
            "protected_file",
            "the PDF is encrypted and opens with a password only",
            "Save it without a password (print it to a new PDF, for example), and give that.",
        )
    return NotText(
        "damaged_file",
        "the PDF is damaged or not all there: no page of it can be found",
        "Get the file once more; if a viewer shows it, print it to a new PDF.",
    )


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
