"""PDF: the text of each page with its number, the headings of its outline, and which pages have none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import groupby, islice

import pypdfium2
import pypdfium2.raw as pdfium

from graphwright.files.documents.collector import MOST_HEADING, Collector, in_one_line
from graphwright.files.errors import UnusableFile
from graphwright.text.sentences import bounded

_MOST_OUTLINE = 20_000
_MOST_RANGES = 30
# A word that is cut in two at the end of a line.
_HYPHEN = re.compile("[\x02\ufffe\xad](?:\r?\n)?")
_NO_TEXT = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08]")
_TITLES = re.compile(r"^(?:microsoft (?:word|powerpoint|excel) - |untitled$)", re.IGNORECASE)
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_FAULTS = {
    "image": "No text, but images, scans probably, on {}: what is in them was not read. Text recognition, `ocrmypdf` "
    "for example, adds the text.",
    "blank": "No text on {}.",
    "damaged": "Damaged and not read: {}.",
    "garbled": "Unreadable, because the file does not say which letters it shows: {}.",
}


def read_pdf(content: bytes, collector: Collector) -> None:
    """The pages, as far as the limits and the time go. Raises UnusableFile: damaged, or protected."""
    begins = content.find(b"%PDF-", 0, 2_000)
    try:
        document = pypdfium2.PdfDocument(content[begins:] if begins > 0 else content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnusableFile("protected_file", "the PDF is encrypted and opens with a password only") from None
        why = "the PDF is damaged or not all there: no page of it can be found"
        hint = "Get the file once more; if a viewer shows it, print it to a new PDF."
        raise UnusableFile("damaged_file", why, hint) from None
    faults: dict[str, list[int]] = {name: [] for name in _FAULTS}
    with document:
        pages = len(document)
        _describe(document, collector)
        headings = _outline(document)
        starts = sorted(headings)
        for number in range(1, pages + 1):
            if collector.is_full(number, pages, "page"):
                break
            try:
                text, fault = _page(document, number - 1)
            except pypdfium2.PdfiumError:
                text, fault = "", "damaged"
            if text:
                place = bisect_right(starts, number)
                collector.add(headings[starts[place - 1]] if place else (), number, text)
            if fault:
                faults[fault].append(number)
    collector.notes += [
        _FAULTS[name].format(f"{_ranges(numbers)} of {pages:,}") for name, numbers in faults.items() if numbers
    ]


def _page(document: pypdfium2.PdfDocument, index: int) -> tuple[str, str]:
    """The text of a page, and its fault."""
    with closing(document[index]) as page:
        with closing(page.get_textpage()) as held:
            text = _HYPHEN.sub("", held.get_text_bounded()).strip()
        if text:
            return text, "garbled" if len(_NO_TEXT.findall(text)) * 4 > len(text) else ""
        images = page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3)
        return "", "image" if any(True for _ in images) else "blank"


def _describe(document: pypdfium2.PdfDocument, collector: Collector) -> None:
    facts = document.get_metadata_dict(skip_empty=True)
    collector.title = _TITLES.sub("", facts.get("Title", "").strip())
    for name in ("Author", "Subject", "Keywords"):
        collector.describe(name, facts.get(name, ""))
    if date := _DATE.match(facts.get("CreationDate", "")):
        collector.describe("date", "-".join(each for each in date.groups() if each))


def _outline(document: pypdfium2.PdfDocument) -> dict[int, tuple[str, ...]]:
    """By page the path of the first heading of the outline that begins on it."""
    found: dict[int, tuple[str, ...]] = {}
    path: list[str] = []
    with suppress(pypdfium2.PdfiumError):
        for mark in islice(document.get_toc(max_depth=6), _MOST_OUTLINE):
            target = mark.get_dest()
            index = target.get_index() if target is not None else None
            path[mark.level :] = [in_one_line(mark.get_title(), MOST_HEADING)]
            if index is not None and index >= 0:
                found.setdefault(index + 1, tuple(path))
    return found


def _ranges(numbers: Sequence[int]) -> str:
    """`page 3`, or `pages 1 to 3, 5`."""
    runs = [[place for _, place in run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    texts = [f"{run[0]:,}" if len(run) == 1 else f"{run[0]:,} to {run[-1]:,}" for run in runs]
    return f"{'page' if len(numbers) == 1 else 'pages'} {bounded(texts, _MOST_RANGES)}"
