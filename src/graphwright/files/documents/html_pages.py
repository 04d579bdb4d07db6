"""HTML as text: what a browser would show, by its headings, with lists, tables and preformatted text kept apart."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lxml import etree

from graphwright.files.documents.cleaning import in_one_line
from graphwright.files.documents.collecting import MOST_HEADING, Collected, Outline
from graphwright.files.errors import NotText
from graphwright.files.tables.encodings import decoded

_EMBEDDED = frozenset(("iframe", "object", "embed", "applet", "canvas", "svg", "audio", "video"))
_CONTROLS = frozenset(("nav", "select", "datalist", "button"))
_DROPPED = _EMBEDDED | _CONTROLS | {"script", "style", "template", "noscript"}
_APART = frozenset(("p", "table", "blockquote", "figure", "dl", "section", "article"))
"""Blocks with an empty line before and after them."""

_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_ROOMS = frozenset(
    ("html", "body", "main", "header", "footer", "aside", "search", "div", "center", "address", "hgroup")
)
_PIECES = frozenset(("address", "hgroup", "hr", "li", "dd", "dt", "pre", "figcaption", "summary", "details", "dialog"))
_FORMS = frozenset(("form", "fieldset", "legend", "optgroup"))
_ROWS = frozenset(("caption", "tbody", "tfoot", "thead", "tr"))
_LONELY = frozenset(("br", "hr", "img", "input", "meta", "link", "wbr", "area", "base", "col", "source", "track"))
_KEPT_FLAT = _LONELY | {"html", "head", "title", "body", "script", "style", "p", "li"}
"""What stands in no other of its kind."""

_BLOCKS = _APART | _LISTS | _ROOMS | _PIECES | _FORMS | _ROWS
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{2,40})")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*>")
_DEEP = 1_000
_FLAT_DEPTH = 100
_FED = 1 << 16
_MOST_DEPTH = 8
_MOST_ROWS = 20
"""Rows within rows that are told apart. Nobody writes deeper ones, but attackers do."""

_ANCHORS = " ¶#\u200b"


def read_html(content: bytes, collected: Collected) -> None:
    """The text of a page into `collected`."""
    text, note = _decoded(content)
    if note:
        collected.notes.append(note)
    read_markup(text, collected)


def read_markup(text: str, collected: Collected) -> None:
    """The text of a page that is decoded already."""
    text = text.replace("\0", "")
    try:
        page = _parsed(text, collected, _DROPPED)
    except _TooDeep:
        text = _flattened(text)
        try:
            page = _parsed(text, collected, _DROPPED)
        except _TooDeep:
            raise NotText(
                "damaged_file", "its elements lie too deep in each other", "Save what it shows as PDF or text."
            ) from None
    if not page.silent:
        return
    # A menu that is never closed has all of the page in it.
    if _parsed(text, collected, _DROPPED - _CONTROLS).silent:
        collected.notes.append("There is no text in the page that shows without running its scripts.")


def _parsed(text: str, collected: Collected, dropped: frozenset[str]) -> _Page:
    """The page, after all of it went into `collected`. Raises _TooDeep before anything did."""
    page = _Page(collected, dropped)
    parser = etree.HTMLParser(target=page, encoding="utf-8", huge_tree=True)
    content = text.encode("utf-8", errors="replace")
    for start in range(0, len(content), _FED):
        parser.feed(content[start : start + _FED])
    parser.close()
    page.deliver()
    return page


def _flattened(text: str) -> str:
    """The page without the tags of elements that lie deep in others: what is in them lies where they did."""
    depth = 0

    def kept(found: re.Match[str]) -> str:
        nonlocal depth
        if found[2].lower() in _KEPT_FLAT:
            return found[0]
        if found[1]:
            depth = max(depth - 1, 0)
            return found[0] if depth < _FLAT_DEPTH else " "
        depth += 1
        return found[0] if depth <= _FLAT_DEPTH else " "

    return _TAG.sub(kept, text)


class _TooDeep(Exception):
    """Elements lie so deep in others that parsing them takes a time that grows with the square of the depth."""


def _decoded(content: bytes) -> tuple[str, str]:
    declared = _XML_ENCODING.search(content[:200]) or _CHARSET.search(content[:4_096])
    text, note = decoded(content)
    if declared is None or not note or "taken for" not in note:
        return text, note
    name = declared[1].decode("ascii").lower()
    # What pages call by these names is the wider one, as browsers have it.
    name = "cp1252" if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii") else name
    try:
        return content.decode(name), ""
    except (LookupError, UnicodeDecodeError):
        return text, note


class _Page:
    """What the parser tells, made into parts: `start`, `end`, `data`, `comment`, `close` are called by it."""

    def __init__(self, collected: Collected, dropped: frozenset[str]) -> None:
        self._collected = collected
        self._unread = dropped
        self._depth = 0
        self._parts: list[tuple[tuple[str, ...], str]] = []
        self._told: list[tuple[str, str]] = []
        self._named = ""
        self._outline = Outline()
        self._lines: list[str] = []
        self._inline: list[str] = []
        self._prefix = ""
        self._dropped = 0
        self._verbatim = 0
        self._heading = 0
        self._title: list[str] | None = None
        self._first_heading = ""
        self._lists: list[int | None] = []
        # The cells of each open row, each the lines in it; None once the row turned out to be layout.
        self._rows: list[list[list[str]] | None] = []
        self._deeper = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEP:
            raise _TooDeep
        if self._dropped:
            self._dropped += 1
            return
        if tag in self._unread or _hidden(tag, attributes):
            self._dropped = 1
        elif tag in _HEADINGS:
            self._flush()
            self._spill()
            self._heading = _HEADINGS[tag]
        elif tag == "html":
            self._told.append(("language", attributes.get("lang", "")))
        elif tag in _BLOCKS:
            self._block(tag)
        elif tag in ("td", "th"):
            self._flush()
            if self._rows and (row := self._rows[-1]) is not None:
                row.append([])
        elif tag == "br":
            self._inline.append("\n" if self._verbatim else "\v")
        elif tag == "sup" and self._inline and not self._inline[-1][-1:].isspace():
            # Ten to the minus nine is not ten minus nine.
            self._inline.append("^")
        elif tag == "img":
            told = in_one_line(attributes.get("alt", ""), MOST_HEADING)
            if told:
                self._inline.append(f" [image: {told}] ")
        else:
            self._head(tag, attributes)

    def _block(self, tag: str) -> None:
        self._flush()
        if tag in _LISTS:
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            depth = min(max(len(self._lists) - 1, 0), _MOST_DEPTH)
            sign = "-"
            if self._lists and (number := self._lists[-1]) is not None:
                self._lists[-1] = number + 1
                sign = f"{number + 1}."
            self._prefix = f"{'  ' * depth}{sign} "
        elif tag == "tr":
            if len(self._rows) < _MOST_ROWS:
                self._rows.append([])
            else:
                self._deeper += 1
        elif tag == "pre":
            self._verbatim += 1
        elif tag in _APART:
            self._gap()

    def _head(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "title":
            self._title = []
        elif tag == "meta":
            name = attributes.get("name") or attributes.get("property") or ""
            if not name.lower().startswith(
                ("viewport", "robots", "generator", "theme-color", "twitter:", "msapplication")
            ):
                self._told.append((name, attributes.get("content", "")))
        elif tag == "link" and "canonical" in attributes.get("rel", "").lower().split():
            self._told.append(("url", attributes.get("href", "")))

    def end(self, tag: str) -> None:
        self._depth -= 1
        if self._dropped:
            self._dropped -= 1
            return
        if tag in _HEADINGS:
            self._headed()
        elif tag in ("td", "th"):
            self._flush()
        elif tag == "title" and self._title is not None:
            self._named = self._named or in_one_line("".join(self._title), MOST_HEADING)
            self._title = None
        elif tag in _BLOCKS:
            self._flush()
            if tag in _LISTS and self._lists:
                self._lists.pop()
                if not self._lists:
                    self._gap()
            elif tag == "tr" and self._deeper:
                self._deeper -= 1
            elif tag == "tr" and self._rows:
                self._row(self._rows.pop())
            elif tag == "pre":
                self._verbatim = max(self._verbatim - 1, 0)
                self._gap()
            elif tag in _APART:
                self._gap()

    def data(self, text: str) -> None:
        if not self._dropped:
            (self._inline if self._title is None else self._title).append(text)

    def comment(self, text: str) -> None:
        pass

    def close(self) -> None:
        self._flush()
        self._spill()
        self._part()

    @property
    def silent(self) -> bool:
        """There is no text in it, nor a heading."""
        return not self._parts

    def deliver(self) -> None:
        """Give what was found to whoever collects it."""
        for name, value in self._told:
            self._collected.tell(name, value)
        for heading, text in self._parts:
            self._collected.add(heading, None, text)
        self._collected.title = self._collected.title or self._named or self._first_heading

    def _flush(self) -> None:
        """What stands in the line so far, as a line."""
        if not self._inline:
            return
        if self._heading:
            # A block within a heading does not end it.
            self._inline.append(" ")
            return
        text = "".join(self._inline)
        self._inline.clear()
        if self._verbatim:
            lines = text.strip("\n").split("\n")
        else:
            lines = [line for each in text.split("\v") if (line := " ".join(each.split()))]
        if not any(lines):
            return
        if self._prefix:
            lines[0] = self._prefix + lines[0]
            self._prefix = ""
        self._put(lines)

    def _put(self, lines: list[str]) -> None:
        """Lines into the innermost open cell, or into the text where there is none."""
        for row in reversed(self._rows):
            if row:
                row[-1].extend(lines)
                return
        self._lines += lines

    def _gap(self) -> None:
        if not any(self._rows):
            self._lines.append("")

    def _row(self, row: list[list[str]] | None) -> None:
        if not row or not any(row):
            return
        if all(len(cell) <= 1 for cell in row):
            self._put([" | ".join(cell[0] if cell else "" for cell in row)])
        else:
            self._put([line for cell in row for line in cell])

    def _spill(self) -> None:
        """A heading within a table: it was for layout, and what stands in it is ordinary text."""
        for place, row in enumerate(self._rows):
            if row:
                self._lines += [line for cell in row for line in cell]
            self._rows[place] = None

    def _headed(self) -> None:
        level, self._heading = self._heading, 0
        text = " ".join("".join(self._inline).split()).rstrip(_ANCHORS)
        self._inline.clear()
        self._prefix = ""
        if not level or not text:
            return
        self._part()
        self._outline.enter(level, text)
        self._first_heading = self._first_heading or text

    def _part(self) -> None:
        text = "\n".join(self._lines)
        self._lines.clear()
        if text.strip() or self._outline.path:
            self._parts.append((self._outline.path, text))


def _hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag == "dialog" and "open" not in attributes:
        return True
    # Many pages hide all of themselves until a script has run.
    if not attributes or tag in ("html", "body"):
        return False
    if "hidden" in attributes or attributes.get("aria-hidden", "").lower() == "true":
        return True
    return bool(_HIDING.search(attributes.get("style", "")))
