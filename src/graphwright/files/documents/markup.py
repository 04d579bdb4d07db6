"""Plain text, Markdown and HTML, which becomes Markdown first: a part for each heading, with the path of headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import html_to_markdown
import yaml

from graphwright.files.documents.collector import Collector
from graphwright.files.encodings import decoded

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
    # Names of signals are full of these.
    r"|(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\3(?!\w)"
    r"|!?\[([^\]]*)\]\([^)\s]*\)"
)
_CHARSET = re.compile(rb"(?:<meta[^>]{0,200}?charset|<\?xml[^>]{0,100}?encoding)\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.I)
_TEXT_ONLY = ["a", "b", "strong", "i", "em", "u", "mark", "font", "small"]
"""Elements of which only the text is kept: a mark in the middle of a word makes it another word for a search."""

_UNSEEN = [
    *("noscript", "dialog", "template", "svg", "iframe", "object", "[hidden]", "[aria-hidden=true]"),
    *("nav", "button", "select", ".headerlink"),
]


def read_text(content: bytes, collector: Collector) -> None:
    """The text of a plain file, as one part."""
    collector.add((), None, _text(content, collector))


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
    # What a page does not show is not read, and code is shown as it is.
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
            # What pages call by these names is the wider one, as browsers have it.
            text, note = content.decode("cp1252" if name in ("iso-8859-1", "latin1", "us-ascii") else name), ""
    collector.notes += [note] if note else []
    read_markup(text, collector)


def read_markup(page: str, collector: Collector) -> None:
    """The text of HTML that is decoded already."""
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
        collector.notes.append("Its elements are nested too deeply: what stands in the innermost ones was left out.")
    if found.metadata is not None:
        about = found.metadata.document
        collector.title = collector.title or about.title or ""
        named = {"language": about.language, "author": about.author, "url": about.canonical_url}
        for name, value in {**named, "description": about.description, **about.meta_tags}.items():
            collector.describe(name, value or "")
    _add_markdown(text, collector)


def _add_markdown(text: str, collector: Collector) -> None:
    """The parts of a Markdown text; its first heading is the title where there is none."""
    path: list[tuple[int, str]] = []
    for level, heading, body in _sections(text):
        if level:
            heading = _INLINE.sub(lambda found: found[2] or found[4] or found[5] or "", heading[:1_000]).strip()
            path = [(above, words) for above, words in path if above < level] + [(level, heading)]
            collector.title = collector.title or heading
        if level or body.strip():
            collector.add((words for _, words in path), None, body)


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """The level of each heading, 0 for what stands before the first one, its words, and the text below it."""
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
