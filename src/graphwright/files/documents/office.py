"""Office documents: Word through HTML, presentations by slides, workbooks by sheets; weighed before they are parsed."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import mammoth
import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from graphwright.files.containers import sheets, weighed
from graphwright.files.documents.document import Collected
from graphwright.files.documents.markup import read_markup
from graphwright.files.naming import shown

_BOMB = 100
"""Times its packed size from which an Office document that is too large is called a zip bomb."""

_MOST_GROUPS = 10
_CORE = "docProps/core.xml"
_NAMES = {"creator": "author", "subject": "subject", "keywords": "keywords", "language": "language", "modified": "date"}
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_BESIDE = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER)


def read_word(content: bytes, collected: Collected) -> None:
    """The text of a docx by its headings. Raises NotText and TooMuch."""
    _weigh(content, collected)
    no_image = mammoth.images.img_element(lambda image: {"src": ""})
    read_markup(
        mammoth.convert_to_html(io.BytesIO(content), style_map=_STYLES, convert_image=no_image).value, collected
    )


def read_slides(content: bytes, collected: Collected) -> None:
    """The text of a pptx by its slides, with tables and speaker notes. Raises NotText and TooMuch."""
    _weigh(content, collected)
    slides = pptx.Presentation(io.BytesIO(content)).slides
    collected.pages = len(slides)
    hidden, silent = list[str](), list[str]()
    for number, slide in enumerate(slides, 1):
        if collected.stop(number, len(slides), "slide"):
            break
        title = slide.shapes.title
        heading = title.text_frame.text.strip() if title is not None else ""
        if slide.element.get("show") in ("0", "false"):
            hidden.append(f"{number:,}")
        lines = [line for shape in slide.shapes if shape != title for line in _shape(shape, 0)]
        if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None and frame.text.strip():
            lines += ["", f"Speaker notes: {frame.text}"]
        if not collected.add((heading,), number, "\n".join(lines)) and not heading:
            silent.append(f"{number:,}")
        collected.title = collected.title or heading
    if hidden:
        collected.notes.append(f"Hidden in the presentation: slide {', '.join(hidden[:30])}.")
    if silent:
        collected.notes.append(f"Without text: slide {', '.join(silent[:30])} of {len(slides):,}.")


def read_workbook(content: bytes, collected: Collected) -> None:
    """The cells of a workbook by its sheets, a row a line. Raises NotText and TooMuch."""
    if content.startswith(b"PK"):
        _weigh(content, collected)
    for number, (there, name, hidden, rows) in enumerate(sheets(io.BytesIO(content)), 1):
        if collected.stop(number, there, "sheet"):
            break
        if hidden:
            collected.notes.append(f"The sheet `{shown(name)}` is hidden.")
        collected.add((name,), None, "\n".join(filter(None, map(_row, rows))))


def _shape(shape: Any, depth: int) -> Iterator[str]:
    if shape.is_placeholder and shape.placeholder_format.type in _BESIDE:
        return
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        if depth < _MOST_GROUPS:
            for inner in shape.shapes:
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


def _row(cells: list[Any]) -> str:
    return " | ".join(map(_cell, cells)).rstrip(" |")


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return " ".join(str(value).split())


def _weigh(content: bytes, collected: Collected) -> None:
    """Look whether it unpacks to too much, and take title, author and date, which it has in a part of its own."""
    for _ in weighed(io.BytesIO(content), collected.limits.unpacked_bytes, _BOMB):
        pass
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if _CORE not in archive.namelist():
            return
        try:
            told = ElementTree.fromstring(archive.read(_CORE))
        except ElementTree.ParseError:
            return
    for each in told:
        name, text = each.tag.rpartition("}")[2], (each.text or "").strip()
        if name == "title":
            collected.title = text
        elif name in _NAMES:
            collected.tell(_NAMES[name], text[:10] if name == "modified" else text)
