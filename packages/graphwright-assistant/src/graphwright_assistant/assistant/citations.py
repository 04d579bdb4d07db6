"""Citations: sources in links, in the list below an answer, and in the list that replaces an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from graphwright.text.folding import words_of
from graphwright.text.markup import web_address
from graphwright.text.sentences import one_line
from graphwright.tools.sources import Source
from graphwright_assistant.assistant.frames import say

LONGEST_PASSAGE = 600
"""Maximum length of a passage in the list that replaces an answer, in characters."""

_LONGEST_SHORT = 60

SEPARATOR = " › "
"""The separator between the headings of a path."""

_BRACKETS = re.compile(r"\(([^()]{1,300})\)")

MOST_LISTED = 8
"""Maximum number of sources in the list that replaces an answer."""


def is_address(url: str) -> bool:
    """Return whether an address is allowed in a Markdown link: only web pages."""
    return bool(web_address(url)) and not set(url) & set("()[]")


def domain_of(url: str) -> str:
    """Return the host of an address."""
    return (urlsplit(url).hostname or "link").removeprefix("www.")


def name_of(source: Source) -> str:
    """Return the name of a source: a log entry's number, else the title, and without one its host and path."""
    if source.kind == "elog":
        return f"ELOG {label(source.metadata.get('id') or source.id)}"
    title = label(source.title)
    if is_address(source.url) and title in ("", label(source.url)):
        return label(f"{domain_of(source.url)}{urlsplit(source.url).path.rstrip('/')}")
    return title


def described(source: Source, language: str = "en") -> str:
    """Return a description of a source on one line: of a log entry number, date, time, author, category and system.

    For the answer of another tool, its name and server; for a document, its place, and its file if it has no address.
    """
    facts, name = source.metadata, name_of(source)
    if source.kind == "elog":
        parts = [name, f"{facts.get('date', '')} {facts.get('time', '')}".strip()]
        parts += [facts.get(name, "") for name in ("author", "category", "system")]
        title = label(source.title)
        return ", ".join(label(part) for part in parts if part) + (f": {title}" if title else "")
    if source.kind == "tool":
        return f"{name} ({label(facts['server'])})" if facts.get("server") else name
    place = place_of(source, language)
    return f"{_named(source)}{_before(source) if place else ''}{place}"


def _named(source: Source) -> str:
    """Return the name of a document; without an address also its file."""
    file = "" if is_address(source.url) else label(source.metadata.get("file", ""))
    name = name_of(source)
    return f"{name} ({file})" if file and file != name else name


def _before(source: Source) -> str:
    """Return the separator between the name of a document and a place in it."""
    return ", " if source.metadata.get("page") else ": "


def place_of(source: Source, language: str = "en") -> str:
    """Return the page or the path of headings of a part of a document, without the title; may be empty."""
    page, path = source.metadata.get("page"), source.metadata.get("heading", "")
    if page:
        return say(language, "page", page=page)
    headings = path.replace(" > ", SEPARATOR).split(SEPARATOR)
    # The first heading often repeats the title.
    is_title = source.kind != "file" and set(words_of(headings[0])) <= set(words_of(source.title))
    return label(SEPARATOR.join(headings[is_title:]))


def reference(source: Source, language: str = "en") -> str:
    """Return a reference to a source: its name as a link; without an address its title and place in brackets."""
    if is_address(source.url):
        return f"[{name_of(source)}]({source.url})"
    place = place_of(source, language).rpartition(SEPARATOR)[2]
    return f"({', '.join(filter(None, [one_line(name_of(source), _LONGEST_SHORT), place]))})"


def mention(source: Source, text: str) -> int:
    """Return the position at which a text cites a source, by address, or by name and place in brackets; else -1."""
    if is_address(source.url):
        return text.find(source.url)
    names = label(source.title), label(source.metadata.get("file", ""))
    page = source.metadata.get("page")
    place = re.escape(place_of(source).rpartition(SEPARATOR)[2])
    wanted = re.compile(rf"(?<!\d){page}(?!\d)" if page else place)
    for match in _BRACKETS.finditer(text):
        named = next((name for name in names if name and name in match[1]), "")
        if named and wanted.search(match[1].replace(named, "", 1)):
            return match.start()
    return max(text.find(reference(source)), text.find(f"({described(source)})"))


def same_document(source: Source) -> tuple[str, str]:
    """Return a key of the document of a source: its file, else its address without the fragment."""
    own = source.id.partition("#")[0] if source.kind == "file" else source.id
    return source.kind, source.metadata.get("file", "") or source.url.partition("#")[0] or own


def without_repeats(sources: Sequence[Source]) -> list[Source]:
    """Return the sources without whole documents of which a part is also a source."""
    parts = {same_document(each) for each in sources if place_of(each)}
    return [each for each in sources if place_of(each) or same_document(each) not in parts]


def _line(sources: Sequence[Source], language: str) -> str:
    """Return the list entry of one document, with those of its parts that are sources."""
    first, places = sources[0], {place_of(each, language): each.url for each in sources}
    whole = "; ".join([described(first, language), *[*places][1:]])
    if not is_address(first.url):
        return whole
    if len({*places.values()}) == 1:
        return f"[{whole}]({first.url}), {domain_of(first.url)}"
    links = "; ".join(f"[{place}]({url})" for place, url in places.items())
    return f"{_named(first)}{_before(first)}{links}, {domain_of(first.url)}"


def source_list(sources: Sequence[Source], heading: str, language: str = "en") -> str:
    """Return documents and entries as a Markdown list, each once; empty without sources."""
    documents: dict[tuple[str, ...], list[Source]] = {}
    for source in without_repeats(sources):
        documents.setdefault((*same_document(source), name_of(source)), []).append(source)
    lines = dict.fromkeys(f"- {_line(each, language)}" for each in documents.values())
    return "\n".join([f"**{heading}**", *lines]) if lines else ""


def fallback(sources: Sequence[Source], why: str, language: str) -> str:
    """Return the replacement of a failed answer: the reason, and the sources with passages. Links are not checked."""
    if not sources:
        return f"{why}\n{say(language, 'searched_nothing')}"
    lines = [why, say(language, "searched")]
    for number, source in enumerate(sources[:MOST_LISTED], 1):
        text = " ".join(source.text[:LONGEST_PASSAGE].split())
        lines += [
            "",
            f"{number}. {_line([source], language)}",
            f"   > {text}{' …' if len(source.text) > LONGEST_PASSAGE else ''}",
        ]
    return "\n".join(lines)


def references_part(sources: Sequence[Source]) -> str:
    """Return the references of numbered sources, one per line."""
    return "\n".join(f"[{n}] {reference(source)}" for n, source in enumerate(sources, 1))


def images_part(sources: Sequence[Source]) -> str:
    """Return the images of sources as Markdown, one per line."""
    images = [image for source in sources for image in source.images if is_address(image.url)]
    return "\n".join(dict.fromkeys(f"![{label(image.caption)}]({image.url})" for image in images))


def label(text: str) -> str:
    """Return a text of a source that is safe in Markdown: it cannot begin a link, an image or a tag."""
    line = " ".join(text[:400].split())[:200]
    return line.translate(str.maketrans("[]<>`", "()‹›'")).replace("://", " ")
