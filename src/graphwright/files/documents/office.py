"""Office documents: Word through HTML, presentations by slides, workbooks by sheets; weighed before they are parsed."""

from __future__ import annotations

import copy
import datetime
import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import mammoth
import pptx
import python_calamine as calamine
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from graphwright.files.documents.cleaning import in_one_line
from graphwright.files.documents.collecting import MOST_HEADING, Collected
from graphwright.files.documents.html_pages import read_markup
from graphwright.files.documents.limits import MB, DocumentLimits
from graphwright.files.errors import NotText, TooMuch
from graphwright.files.naming import shown

_CHUNK = 1 << 20
_MOST_PARTS = 50_000
_BOMB = 100
"""Times its packed size from which an Office document that is too large is called a zip bomb."""
_MOST_GROUPS = 10
_CORE = "docProps/core.xml"
_NAMES = {"creator": "author", "subject": "subject", "keywords": "keywords", "language": "language", "modified": "date"}
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"


def read_word(content: bytes, collected: Collected) -> None:
    """The text of a docx by its headings. Raises NotText and TooMuch."""
    _weighed(content, collected.limits)
    _described(content, collected)
    converted = mammoth.convert_to_html(
        io.BytesIO(content), style_map=_STYLES, convert_image=mammoth.images.img_element(lambda image: {"src": ""})
    )
    read_markup(converted.value, collected)


def read_slides(content: bytes, collected: Collected) -> None:
    """The text of a pptx by its slides, with tables and speaker notes. Raises NotText and TooMuch."""
    _weighed(content, collected.limits)
    _described(content, collected)
    slides = pptx.Presentation(io.BytesIO(content)).slides
    collected.pages = len(slides)
    hidden: list[str] = []
    silent: list[str] = []
    read, part, why = 0, "", f"the limit on slides is {collected.limits.pages:,}"
    for number, slide in enumerate(slides, 1):
        if number > collected.limits.pages:
            break
        if collected.full:
            part = ", the last not to its end" if collected.cropped else ""
            why = f"the limit on characters is {collected.limits.characters:,}"
            break
        read = number
        title = slide.shapes.title
        heading = in_one_line(title.text_frame.text, MOST_HEADING) if title is not None else ""
        if slide.element.get("show") in ("0", "false"):
            hidden.append(f"{number:,}")
        lines = [line for shape in slide.shapes if shape != title for line in _shape(shape, 0)]
        if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None and frame.text.strip():
            lines += ["", f"Speaker notes: {frame.text}"]
        if not collected.add((heading,), number, "\n".join(lines)) and not heading:
            silent.append(f"{number:,}")
        collected.title = collected.title or heading
    if read < len(slides):
        told = f"Slides 1 to {read:,}" if read > 1 else "Slide 1"
        collected.cut(f"{told} of {len(slides):,} {'was' if read < 2 else 'were'} read{part}, because {why}.")
    if hidden:
        collected.notes.append(f"Hidden in the presentation: slide {', '.join(hidden[:30])}.")
    if silent:
        collected.notes.append(f"Without text: slide {', '.join(silent[:30])} of {len(slides):,}.")


def read_workbook(content: bytes, collected: Collected) -> None:
    """The cells of a workbook by its sheets, a row a line. Raises NotText and TooMuch."""
    if content.startswith(b"PK"):
        _weighed(content, collected.limits)
        _described(content, collected)
    try:
        with calamine.load_workbook(io.BytesIO(content)) as book:
            sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
            for sheet in sheets[: collected.limits.pages]:
                if sheet.visible != calamine.SheetVisibleEnum.Visible:
                    collected.notes.append(f"The sheet `{shown(sheet.name)}` is hidden.")
                rows = book.get_sheet_by_name(sheet.name).iter_rows()
                collected.add((sheet.name,), None, "\n".join(filter(None, map(_row, rows))))
            if len(sheets) > collected.limits.pages:
                collected.cut(f"The first {collected.limits.pages:,} of {len(sheets):,} sheets were read.")
    except calamine.PasswordError:
        raise protected("workbook") from None


def protected(what: str) -> NotText:
    """The error for a document that opens with a password only."""
    return NotText(
        "protected_file",
        f"the {what} is encrypted and opens with a password only",
        "Open it, save it without a password, and give that file.",
    )


def _shape(shape: Any, depth: int) -> Iterator[str]:
    if shape.is_placeholder and shape.placeholder_format.type in (
        PP_PLACEHOLDER.SLIDE_NUMBER,
        PP_PLACEHOLDER.DATE,
        PP_PLACEHOLDER.FOOTER,
    ):
        return
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        if depth < _MOST_GROUPS:
            for inner in shape.shapes:
                yield from _shape(inner, depth + 1)
    elif shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            text = "".join(run.text for run in paragraph.runs) or paragraph.text
            if text.strip():
                yield "  " * min(paragraph.level, _MOST_GROUPS) + text.replace("\v", "\n")
        yield ""
    elif getattr(shape, "has_table", False):
        for row in shape.table.rows:
            yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)
        yield ""


def _row(cells: list[Any]) -> str:
    values = [_cell(cell) for cell in cells]
    while values and not values[-1]:
        values.pop()
    return " | ".join(values) if any(values) else ""


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return " ".join(str(value).split())


def _described(content: bytes, collected: Collected) -> None:
    """Title, author and date, as the document has them in a part of its own."""
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


def _weighed(content: bytes, limits: DocumentLimits) -> None:
    """Unpack every part without keeping it: what the document says of its own sizes is not believed.

    Raises NotText where it is damaged or encrypted, TooMuch where it is too large.
    """
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > _MOST_PARTS:
                raise TooMuch("zip_bomb", f"it is packed of {len(parts):,} files", "Save it once more.")
            for part in parts:
                if part.flag_bits & 0x1:
                    raise protected("document")
                # Read to the end of what is packed, and not only as far as it says that it goes.
                told = copy.copy(part)
                told.file_size = 2 * limits.unpacked_bytes
                with archive.open(told) as packed:
                    while chunk := packed.read(_CHUNK):
                        total += len(chunk)
                        if total > limits.unpacked_bytes:
                            bomb = total > _BOMB * len(content)
                            raise TooMuch(
                                "zip_bomb" if bomb else "too_large",
                                f"its {len(content):,} bytes unpack to more than {limits.unpacked_bytes / MB:,.0f} MB",
                                "Save it without its films and pictures, or as PDF, or raise `unpacked_bytes`.",
                            )
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, ValueError) as error:
        raise NotText(
            "damaged_file",
            f"what is packed in it is damaged ({shown(str(error), 100)})",
            "Get the file once more, or open it and save it anew.",
        ) from None
