"""Office documents: Word through HTML, presentations by slides, workbooks by sheets; measured before."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

import mammoth
import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from graphwright.files.containers import measure, sheets
from graphwright.files.documents.collector import Collector
from graphwright.files.documents.markup import read_markup

_MOST_GROUPS = 10
_CORE = "docProps/core.xml"
_NAMES = {"creator": "author", "subject": "subject", "keywords": "keywords", "language": "language", "modified": "date"}
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_BESIDE = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER)


def read_word(content: bytes, collector: Collector) -> None:
    """The text of a docx by its headings. Raises UnusableFile and TooMuch."""
    _inspect(content, collector)
    no_image = mammoth.images.img_element(lambda image: {"src": ""})
    page = mammoth.convert_to_html(io.BytesIO(content), style_map=_STYLES, convert_image=no_image)
    read_markup(page.value, collector)


def read_slides(content: bytes, collector: Collector) -> None:
    """The text of a pptx by its slides, with tables and speaker notes. Raises UnusableFile and TooMuch."""
    _inspect(content, collector)
    slides = pptx.Presentation(io.BytesIO(content)).slides
    for number, slide in enumerate(slides, 1):
        if collector.is_full(number, len(slides), "slide"):
            break
        title = slide.shapes.title
        heading = title.text_frame.text.strip() if title is not None else ""
        lines = [line for shape in slide.shapes if shape != title for line in _shape(shape, 0)]
        if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None and frame.text.strip():
            lines += ["", f"Speaker notes: {frame.text}"]
        collector.add((heading,), number, "\n".join(lines))
        collector.title = collector.title or heading


def read_workbook(content: bytes, collector: Collector) -> None:
    """The cells of a workbook by its sheets, a row a line. Raises UnusableFile and TooMuch."""
    if content.startswith(b"PK"):
        _inspect(content, collector)
    for number, sheet in enumerate(sheets(io.BytesIO(content)), 1):
        if collector.is_full(number, sheet.sheets, "sheet"):
            break
        lines = (" | ".join(map(_cell, row)).rstrip(" |") for row in sheet.rows)
        collector.add((sheet.name,), None, "\n".join(filter(None, lines)))


def _shape(shape: Any, depth: int) -> Iterator[str]:
    if shape.is_placeholder and shape.placeholder_format.type in _BESIDE:
        return
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        for inner in shape.shapes if depth < _MOST_GROUPS else ():
            yield from _shape(inner, depth + 1)
    elif shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            if paragraph.text.strip():
                yield "  " * min(paragraph.level, _MOST_GROUPS) + paragraph.text.replace("\v", "\n")
        yield ""
    elif getattr(shape, "has_table", False):
        for row in shape.table.rows:
            yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)
        yield ""


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return " ".join(str(value).split())


def _inspect(content: bytes, collector: Collector) -> None:
    """Raise TooMuch where it unpacks to too much; take title, author and date, which are in a part of their own."""
    measure(io.BytesIO(content), collector.limits.unpacked_bytes)
    with (
        suppress(KeyError, ElementTree.ParseError),
        zipfile.ZipFile(io.BytesIO(content)) as archive,
    ):
        for each in ElementTree.fromstring(archive.read(_CORE)):
            name, text = each.tag.rpartition("}")[2], (each.text or "").strip()
            if name == "title":
                collector.title = text
            elif name in _NAMES:
                collector.describe(_NAMES[name], text[:10] if name == "modified" else text)
