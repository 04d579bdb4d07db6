"""Reads one document or image: recognises its kind by its content, with a reader for each kind.

Readers of documents collect parts, facts and notes within the limits. HTML is converted to Markdown, and Word documents
to HTML. Images are rotated upright, shrunk, and encoded again: the pixels and nothing else.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import warnings
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import groupby, islice
from pathlib import PurePath
from typing import Any, NoReturn
from xml.etree import ElementTree

import html_to_markdown
import mammoth
import pptx
import pypdfium2
import pypdfium2.raw as pdfium
import yaml
from PIL import Image, ImageFile, ImageOps
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from graphwright.text.folding import without_hidden
from graphwright.text.sentences import bounded, one_line
from graphwright_files._containers import cell_text, measure, sheets, unpack
from graphwright_files._process import serve_reader
from graphwright_files.errors import TooMuch, UnusableFile, reading
from graphwright_files.limits import MB, DocumentLimits, ImageLimits
from graphwright_files.source import SAVE_ANEW, SEPARATORS, Kind, decoded, kind_of

_MOST_HEADING = 200
_MOST_VALUE, _MOST_METADATA, _MOST_LEVELS = 500, 60, 12

_BLANK_ENDS = re.compile("(?<![ \t\xa0])[ \t\xa0]++(?=\n)")
_MOST_COMPARED = 1_000
_EMPTY_LINES = re.compile("\n{3,}")
_BEYOND_LATIN = re.compile("[^\x00-\u02ff]")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


class Collector:
    """Collects parts until a limit is reached. A reader sets `title`, and adds to `notes`."""

    def __init__(self, limits: DocumentLimits) -> None:
        self.limits = limits
        self.title, self.notes = "", list[str]()
        self._cut = ""
        self._parts: list[dict[str, Any]] = []
        self._metadata: dict[str, str] = {}
        self._left = limits.characters
        self._characters = self._hidden = 0

    def add(self, heading: Iterable[str], page: int | None, text: str) -> None:
        """Add a part, up to the limit."""
        text, hidden = _clean(text)
        self._hidden += hidden
        self._characters += len(text)
        path = [line for line in (_in_one_line(each, _MOST_HEADING) for each in heading) if line][-_MOST_LEVELS:]
        if (text or path) and self._left > 0:
            above = sum(map(len, path))
            kept = text[: max(self._left - above, 0)]
            self._left = 0 if len(kept) < len(text) else self._left - len(kept) - above - 1
            self._parts.append({"heading": path, "page": page, "text": kept.rstrip()})

    def describe(self, name: str, value: object) -> None:
        """Add a metadata value; the first value of a name is kept."""
        name, text = _in_one_line(name, 60).lower(), _in_one_line(str(value), _MOST_VALUE)
        if value and name and text and len(self._metadata) < _MOST_METADATA:
            self._metadata.setdefault(name, text)

    def is_full(self, number: int, there: int, what: str) -> bool:
        """Whether page, slide or sheet `number` of `there` is beyond a limit; `cut` then says why."""
        if number > self.limits.pages:
            why = f"the limit on {what}s is {self.limits.pages:,}"
        elif self._left <= 0:
            why = f"the limit on characters is {self.limits.characters:,}"
        else:
            return False
        self._cut = f"The first {number - 1:,} of {there:,} {what}s were read, because {why}."
        return True

    def to_json(self, kind: str) -> dict[str, Any]:
        """A `Document` as JSON."""
        kept = sum(len(part["text"]) for part in self._parts)
        if kept < self._characters and not self._cut:
            self._cut = f"The first {kept:,} of {self._characters:,} characters were read."
        if not self._parts and not self.notes:
            self.notes.append("There is no text in it.")
        if self._hidden:
            why = "characters that cannot be seen or change the direction of the text were left out"
            self.notes.append(f"{self._hidden:,} {why}.")
        return {
            "kind": kind,
            "title": _in_one_line(self.title, _MOST_HEADING),
            "parts": self._parts,
            "metadata": self._metadata,
            "cut": self._cut,
            "notes": [_in_one_line(note, 400) for note in self.notes],
        }


def _in_one_line(text: str, most: int) -> str:
    """The clean text on one line, cut at `most` characters."""
    return one_line(_clean(text[: 8 * most])[0], most)


def _clean(text: str) -> tuple[str, int]:
    """The visible text, and the number of removed characters that could mislead a reader.

    Lines end in a line feed without trailing spaces, there is at most one empty line between others, the text does not
    begin or end with blanks, letters are composed (NFC), ligatures are split.
    """
    text, hidden = without_hidden(text)
    if _BEYOND_LATIN.search(text):
        text = unicodedata.normalize("NFC", text.translate(_LIGATURES))
    return _EMPTY_LINES.sub("\n\n", _BLANK_ENDS.sub("", text)).strip(" \t\n\xa0"), hidden


_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:(=++)|(-++))[ \t]*+$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+>|]|\d+[.)])(?:\s|$)| {4}|\t|\s*\|")
_CODE_OR_COMMENT = re.compile(
    r"(?m)^ {0,3}(?P<fence>`{3,}|~{3,})[\s\S]*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|<!--[\s\S]*?(?:-->|\Z)|\{/\*[\s\S]*?(?:\*/\}|\Z)"
)
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MOST_FRONT_MATTER = 20_000
_INLINE = re.compile(
    r"([*`]{1,3})(?=\S)(.+?)(?<=\S)\1"
    # Names of signals have many underscores.
    r"|(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\3(?!\w)"
    r"|!?\[([^\]]*)\]\([^)\s]*\)"
)
_CHARSET = re.compile(rb"(?:<meta[^>]{0,200}?charset|<\?xml[^>]{0,100}?encoding)\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.I)
_TEXT_ONLY = ["a", "b", "strong", "i", "em", "u", "mark", "font", "small"]
"""Elements of which only the text is kept: a mark in the middle of a word would split it for a search."""

_UNSEEN = [
    *("noscript", "dialog", "template", "svg", "iframe", "object", "[hidden]", "[aria-hidden=true]"),
    *("nav", "button", "select", ".headerlink"),
]


def read_text(content: bytes, collector: Collector) -> None:
    """The text of a plain file, as one part."""
    collector.add((), None, _text(content, collector))


def read_table(content: bytes, collector: Collector) -> None:
    """The cells of a text table, one row on each line; without rows of equal length, the text unchanged."""
    text = _text(content, collector)
    for separator in SEPARATORS:
        with suppress(csv.Error):
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)]
            widths = {len(row) for row in rows[:_MOST_COMPARED]}
            if len(widths) == 1 and widths != {1}:
                text = "\n".join(map(_row, rows))
                break
    collector.add((), None, text)


def _row(cells: Iterable[str]) -> str:
    return " | ".join(" ".join(cell.split()) for cell in cells).rstrip(" |")


def read_markdown(content: bytes, collector: Collector) -> None:
    """The text of a Markdown file, a part for each heading; its marks stay in the text."""
    text = _text(content, collector).replace("\r\n", "\n")
    facts, front = None, _FRONT_MATTER.match(text[:_MOST_FRONT_MATTER])
    with suppress(yaml.YAMLError, ValueError):
        facts = yaml.safe_load(front[1]) if front else None
    if front and isinstance(facts, dict):
        text = text[front.end() :]
        for name, value in facts.items():
            collector.describe(str(name), ", ".join(map(str, value)) if isinstance(value, list) else value)
        collector.title = str(facts.get("title") or "")
    # Comments are removed because pages do not show them, except in code.
    if "<!--" in text or "{/*" in text:
        text = _CODE_OR_COMMENT.sub(lambda found: found[0] if found["fence"] else "", text)
    _add_markdown(text, collector)


def read_html(content: bytes, collector: Collector) -> None:
    """The text of a page."""
    declared = _CHARSET.search(content[:4_096])
    text, note = decoded(content)
    if declared and "taken for" in note:
        name = declared[1].decode("ascii").lower()
        with suppress(LookupError, UnicodeDecodeError):
            # Pages use these names for the wider encoding, as browsers do.
            text, note = content.decode("cp1252" if name in ("iso-8859-1", "latin1", "us-ascii") else name), ""
    collector.notes += [note] if note else []
    read_markup(text, collector)


def read_markup(page: str, collector: Collector) -> None:
    """The text of HTML that is already decoded."""
    page = page.replace("\0", "")
    options = html_to_markdown.ConversionOptions(
        strip_tags=_TEXT_ONLY,
        exclude_selectors=_UNSEEN,
        preprocessing=html_to_markdown.PreprocessingOptions(remove_navigation=True, remove_forms=True),
        sup_symbol="^",
        bullets="-",
        compact_tables=True,
        autolinks=False,
        inline_data_media="drop_element",
    )
    found = html_to_markdown.convert(page, options)
    text = _FRONT_MATTER.sub("", found.content or "", count=1)
    if not text.strip():
        collector.notes.append("There is no text in the page that shows without running its scripts.")
    if any(str(warning.kind) == "depth_limit_exceeded" for warning in found.warnings):
        collector.notes.append("Its elements are nested too deeply: the content of the innermost ones was omitted.")
    if found.metadata is not None:
        about = found.metadata.document
        collector.title = collector.title or about.title or ""
        named = {"language": about.language, "author": about.author, "url": about.canonical_url}
        for name, value in {**named, "description": about.description, **about.meta_tags}.items():
            collector.describe(name, value or "")
    _add_markdown(text, collector)


def _add_markdown(text: str, collector: Collector) -> None:
    """Add the parts of a Markdown text; its first heading is the title if there is none yet."""
    path: list[tuple[int, str]] = []
    for level, heading, body in _sections(text):
        if level:
            heading = _INLINE.sub(lambda found: found[2] or found[4] or found[5] or "", heading[:1_000]).strip()
            path = [(above, words) for above, words in path if above < level] + [(level, heading)]
            collector.title = collector.title or heading
        if level or body.strip():
            collector.add((words for _, words in path), None, body)


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """The level of each heading (0 for the text before the first), its words, and the text below it."""
    level, heading, lines, fence = 0, "", list[str](), ""
    for line in text.splitlines():
        opening = _FENCE.match(line)
        found = under = None
        if fence:
            fence = "" if opening and opening[1].startswith(fence) and not line.strip(" `~") else fence
        elif opening:
            fence = opening[1]
        elif not (found := _HEADING.match(line)) and lines and lines[-1].strip() and not _NO_PARAGRAPH.match(lines[-1]):
            under = _UNDERLINE.match(line)
        if not found and not under:
            lines.append(line)
            continue
        new = found[2].strip() if found else lines.pop()
        yield level, heading, "\n".join(lines)
        lines.clear()
        bare = new.rstrip("#")
        if found:
            level, heading = len(found[1]), bare if not bare or bare[-1] in " \t" else new
        else:
            level, heading = 1 if under and under[1] else 2, new
    yield level, heading, "\n".join(lines)


def _text(content: bytes, collector: Collector) -> str:
    text, note = decoded(content)
    collector.notes += [note] if note else []
    return text


_MOST_GROUPS = 10
_CORE = "docProps/core.xml"
_NAMES = {"creator": "author", "language": "language", "modified": "date"}
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
    """The cells of a workbook by its sheets, one row on each line. Raises UnusableFile and TooMuch."""
    if content.startswith(b"PK"):
        _inspect(content, collector)
    for number, sheet in enumerate(sheets(io.BytesIO(content)), 1):
        if collector.is_full(number, sheet.sheets, "sheet"):
            break
        lines = (_row(cell_text(cell).removesuffix(" 00:00:00") for cell in row) for row in sheet.rows)
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


def _inspect(content: bytes, collector: Collector) -> None:
    """Raise TooMuch if the file unpacks to too much. Adds title, author and date, which are in a separate part."""
    measure(io.BytesIO(content), collector.limits.unpacked_bytes)
    with suppress(KeyError, ElementTree.ParseError), zipfile.ZipFile(io.BytesIO(content)) as archive:
        for each in ElementTree.fromstring(archive.read(_CORE)):
            name, text = each.tag.rpartition("}")[2], (each.text or "").strip()
            if name == "title":
                collector.title = text
            elif name in _NAMES:
                collector.describe(_NAMES[name], text[:10] if name == "modified" else text)


_MOST_OUTLINE = 20_000
_MOST_RANGES = 30
# A word that is divided at the end of a line.
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
    """The pages, up to the limits of pages and time. Raises UnusableFile if it is damaged or protected."""
    begins = content.find(b"%PDF-", 0, 2_000)
    try:
        document = pypdfium2.PdfDocument(content[begins:] if begins > 0 else content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnusableFile("protected_file", "The PDF is encrypted and opens with a password only.") from None
        why = "The PDF is damaged or not all there: no page of it can be found."
        hint = "Get the file again; if a viewer shows it, print it to a new PDF."
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
    """The text of a page, and the error."""
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
    collector.describe("author", facts.get("Author", ""))
    if date := _DATE.match(facts.get("CreationDate", "")):
        collector.describe("date", "-".join(each for each in date.groups() if each))


def _outline(document: pypdfium2.PdfDocument) -> dict[int, tuple[str, ...]]:
    """The path of the first heading of the outline on each page, by page."""
    found: dict[int, tuple[str, ...]] = {}
    path: list[str] = []
    with suppress(pypdfium2.PdfiumError):
        for mark in islice(document.get_toc(max_depth=6), _MOST_OUTLINE):
            target = mark.get_dest()
            index = target.get_index() if target is not None else None
            path[mark.level :] = [_in_one_line(mark.get_title(), _MOST_HEADING)]
            if index is not None and index >= 0:
                found.setdefault(index + 1, tuple(path))
    return found


def _ranges(numbers: Sequence[int]) -> str:
    """`page 3`, or `pages 1 to 3, 5`."""
    runs = [[place for _, place in run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    texts = [f"{run[0]:,}" if len(run) == 1 else f"{run[0]:,} to {run[-1]:,}" for run in runs]
    return f"{'page' if len(numbers) == 1 else 'pages'} {bounded(texts, _MOST_RANGES)}"


_IMAGES = ("png", "jpeg", "gif", "webp", "tiff", "bmp")
"""The kinds that are decoded; the name in capitals is the format of Pillow."""

_QUALITY, _SMALLER, _LEAST_SIDE = 85, 0.7, 4
_DEEP = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")


def read_picture(content: bytes, kind: str, limits: ImageLimits) -> tuple[str, bytes]:
    """The media type and the new bytes. Raises TooMuch (pixels), and the errors of the library.

    Only the first picture of a file is read; of a truncated file, the part that exists.
    """
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    with Image.open(io.BytesIO(content), formats=(kind.upper(),)) as image:
        width, height = image.size
        if width * height > limits.pixels:
            why = f"The image has {width:,} x {height:,} pixels; up to {limits.pixels / MB:,.0f} million are decoded."
            raise TooMuch("too_large", why, "Make it smaller, or cut out what matters, and give that.")
        # A JPEG can be decoded at a fraction of its size.
        image.draft(None, (2 * limits.side, 2 * limits.side))
        image.load()
        plain = _flattened(image, limits.side)
    # As PNG if the source was lossless and it fits, otherwise as a JPEG that fits.
    if kind != "jpeg" and len(data := _encoded(plain, "PNG")) <= limits.bytes:
        return "image/png", data
    while max(plain.size) >= _LEAST_SIDE:
        if len(data := _encoded(plain, "JPEG", quality=_QUALITY)) <= limits.bytes:
            return "image/jpeg", data
        side = int(max(plain.size) * _SMALLER)
        plain.thumbnail((side, side), Image.Resampling.LANCZOS)
    raise TooMuch("too_large", f"It does not fit into {limits.bytes:,} bytes.", "Raise the limit `bytes`.")


def _flattened(image: Image.Image, side: int) -> Image.Image:
    """Convert to RGB or grey with 8 bits each, shrink, rotate upright, and put transparent images on white."""
    orientation = image.getexif().tobytes()
    if image.mode in _DEEP:
        # Scale from the darkest to the brightest value, because sensors use only a part of their range.
        image = image.convert("F")
        low, high = (float(end) for end in image.getextrema())  # type: ignore[arg-type]
        factor = 255.0 / (high - low) if high > low else 0.0
        image = image.point(lambda value: value * factor + -low * factor).convert("L")
    clear = image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info
    if clear:
        image = image.convert("RGBA")
    elif image.mode not in ("RGB", "L"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    image.info["exif"] = orientation
    image = ImageOps.exif_transpose(image)
    # First in steps of whole pixels, so that the final step works on a small picture.
    image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
    if clear:
        ground = Image.new("RGB", image.size, "white")
        ground.paste(image, mask=image.getchannel("A"))
        return ground
    return image


def _encoded(image: Image.Image, format: str, **options: Any) -> bytes:
    # A new image has only pixels: no EXIF, no colour profile, no comment.
    bare, out = Image.new(image.mode, image.size), io.BytesIO()
    bare.paste(image)
    bare.save(out, format, optimize=True, **options)
    return out.getvalue()


_READERS: Mapping[str, Callable[[bytes, Collector], None]] = {
    "pdf": read_pdf,
    "html": read_html,
    "text": read_text,
    "table": read_table,
    "markdown": read_markdown,
    "docx": read_word,
    "pptx": read_slides,
    **dict.fromkeys(("xlsx", "xlsb", "xls", "ods"), read_workbook),
}
_AS_TEXT = ("text", "json", "xml")
_MARKDOWN = (".md", ".mdx", ".markdown", ".mkd", ".mdown")
_TABLES = (".csv", ".tsv", ".tab")
_HINT = "Give a PDF, text, Markdown, HTML, Word, PowerPoint or Excel file."
_IMAGE_HINT = "Give a PNG, JPEG, GIF, WebP, TIFF or BMP file."

_STREAMS = {"EncryptedPackage": "", "WordDocument": "Word document", "PowerPoint Document": "presentation"}
"""The kind of an OLE file that is not a workbook, by the name of a stream in it."""


def main() -> NoReturn:
    """The reading process for documents and images."""

    def read(job: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
        if job["picture"]:
            return _picture(content, ImageLimits(**job["limits"]))
        return _document(content, job["name"], DocumentLimits(**job["limits"])), b""

    serve_reader(read)


def _document(content: bytes, name: str, limits: DocumentLimits) -> dict[str, Any]:
    kind, collector = kind_of(io.BytesIO(content)), Collector(limits)
    if kind.name in ("gzip", "zip"):
        out = io.BytesIO()
        name = unpack(io.BytesIO(content), kind, out, name, limits.unpacked_bytes)
        collector.notes.append(f"It was unpacked from {kind.title}.")
        content, kind = out.getvalue(), kind_of(out)
    reader = _reader(content, kind, PurePath(name).suffix.lower())
    with reading(kind.title):
        _READERS[reader](content, collector)
    return collector.to_json(reader)


def _picture(content: bytes, limits: ImageLimits) -> tuple[dict[str, Any], bytes]:
    kind = kind_of(io.BytesIO(content))
    if kind.name not in _IMAGES:
        hint = kind.hint if kind.name == "heif" else _IMAGE_HINT
        raise UnusableFile("not_an_image", f"It is {kind.title}, which is not decoded as an image.", hint)
    with reading(kind.title):
        media_type, data = read_picture(content, kind.name, limits)
    return {"media_type": media_type}, data


def _reader(content: bytes, kind: Kind, suffix: str) -> str:
    """The name of the reader for a kind. Raises UnusableFile if there is none."""
    if kind.name == "xls":
        found = next((what for name, what in _STREAMS.items() if name.encode("utf-16-le") in content), "workbook")
        if not found:
            raise UnusableFile("protected_file", "The document is encrypted and opens with a password only.")
        if found != "workbook":
            raise UnusableFile("unknown_format", f"It is an old {found}, which is not read.", SAVE_ANEW)
    # HTML within Markdown is Markdown.
    plain = kind.name in _AS_TEXT or (kind.name == "html" and b"<html" not in content[:4_000].lower())
    if plain and suffix in _MARKDOWN:
        return "markdown"
    if plain and suffix in _TABLES:
        return "table"
    if kind.name in _IMAGES:
        raise UnusableFile("image_file", f"It is {kind.title}: there is no text to read.", "Give it as an image.")
    reader = "text" if kind.name in _AS_TEXT else kind.name
    if reader not in _READERS:
        raise UnusableFile("unknown_format", f"It is {kind.title}, which is not read.", kind.hint or _HINT)
    return reader
