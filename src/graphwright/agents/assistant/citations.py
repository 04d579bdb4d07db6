"""Citations: how sources are named in links, in the list under an answer, and in the list that replaces an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from graphwright.agents.assistant.frames import say
from graphwright.text.folding import words_of
from graphwright.text.markup import web_address
from graphwright.text.sentences import one_line
from graphwright.tools.sources import Source

LONGEST_PASSAGE = 600
"""Characters of a passage that stands in the place of an answer."""

_LONGEST_SHORT = 60

SEPARATOR = " › "
"""Stands between the headings of a path."""

_BRACKETS = re.compile(r"\(([^()]{1,300})\)")

MOST_LISTED = 8
"""Sources that stand in the place of an answer."""


def is_address(url: str) -> bool:
    """Whether an address may stand in a Markdown link: only those that a browser opens as a page."""
    return bool(web_address(url)) and not set(url) & set("()[]")


def domain_of(url: str) -> str:
    """The host of an address."""
    return (urlsplit(url).hostname or "link").removeprefix("www.")


def name_of(source: Source) -> str:
    """What a text calls a source: a log entry by its number, else its title, and without one its host and path."""
    if source.kind == "elog":
        return f"ELOG {label(source.metadata.get('id') or source.id)}"
    title = label(source.title)
    if is_address(source.url) and title in ("", label(source.url)):
        return label(f"{domain_of(source.url)}{urlsplit(source.url).path.rstrip('/')}")
    return title


def described(source: Source, language: str = "en") -> str:
    """What a source is, on one line: of a log entry its number, date and time, author, category and system.

    Of what another tool said its name, and that of its server; of a document its place, and where it lies if it has no
    address.
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
    """The name of a document; without an address also its file."""
    file = "" if is_address(source.url) else label(source.metadata.get("file", ""))
    name = name_of(source)
    return f"{name} ({file})" if file and file != name else name


def _before(source: Source) -> str:
    """What stands between the name of a document and a place in it."""
    return ", " if source.metadata.get("page") else ": "


def place_of(source: Source, language: str = "en") -> str:
    """The page, else the path of headings without the title, of a part of a document; empty where it has none."""
    page, path = source.metadata.get("page"), source.metadata.get("heading", "")
    if page:
        return say(language, "page", page=page)
    headings = path.replace(" > ", SEPARATOR).split(SEPARATOR)
    # A heading often says the title once more.
    is_title = source.kind != "file" and set(words_of(headings[0])) <= set(words_of(source.title))
    return label(SEPARATOR.join(headings[is_title:]))


def reference(source: Source, language: str = "en") -> str:
    """How a text points to a source: its name as a link; without an address its title and place in brackets."""
    if is_address(source.url):
        return f"[{name_of(source)}]({source.url})"
    place = place_of(source, language).rpartition(SEPARATOR)[2]
    return f"({', '.join(filter(None, [one_line(name_of(source), _LONGEST_SHORT), place]))})"


def mention(source: Source, text: str) -> int:
    """Where a text points to a source: by its address, or by its name in brackets and its place, if any; else -1."""
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
    """What the parts of one document have in common: its file, else its address without the place in it."""
    own = source.id.partition("#")[0] if source.kind == "file" else source.id
    return source.kind, source.metadata.get("file", "") or source.url.partition("#")[0] or own


def without_repeats(sources: Sequence[Source]) -> list[Source]:
    """The sources without those that are a whole document of which a part is there, too."""
    parts = {same_document(each) for each in sources if place_of(each)}
    return [each for each in sources if place_of(each) or same_document(each) not in parts]


def _line(sources: Sequence[Source], language: str) -> str:
    """One document, with its parts that are sources."""
    first, places = sources[0], {place_of(each, language): each.url for each in sources}
    whole = "; ".join([described(first, language), *[*places][1:]])
    if not is_address(first.url):
        return whole
    if len({*places.values()}) == 1:
        return f"[{whole}]({first.url}), {domain_of(first.url)}"
    links = "; ".join(f"[{place}]({url})" for place, url in places.items())
    return f"{_named(first)}{_before(first)}{links}, {domain_of(first.url)}"


def source_list(sources: Sequence[Source], heading: str, language: str = "en") -> str:
    """Documents and entries as a list in Markdown, each once; empty where there are none."""
    documents: dict[tuple[str, ...], list[Source]] = {}
    for source in without_repeats(sources):
        documents.setdefault((*same_document(source), name_of(source)), []).append(source)
    lines = dict.fromkeys(f"- {_line(each, language)}" for each in documents.values())
    return "\n".join([f"**{heading}**", *lines]) if lines else ""


def fallback(sources: Sequence[Source], why: str, language: str) -> str:
    """What the user gets where there is no answer: why, and the sources with their passages. Links are not checked."""
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
    """How numbered sources are pointed to, one a line."""
    return "\n".join(f"[{n}] {reference(source)}" for n, source in enumerate(sources, 1))


def images_part(sources: Sequence[Source]) -> str:
    """The images of sources as Markdown, one a line."""
    images = [image for source in sources for image in source.images if is_address(image.url)]
    return "\n".join(dict.fromkeys(f"![{label(image.caption)}]({image.url})" for image in images))


def label(text: str) -> str:
    """Text of a source as it may stand in Markdown: it cannot begin a link, an image or a tag."""
    line = " ".join(text[:400].split())[:200]
    return line.translate(str.maketrans("[]<>`", "()‹›'")).replace("://", " ")
