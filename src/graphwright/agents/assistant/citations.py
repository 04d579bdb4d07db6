"""Citations: how sources are named in links, in the list under an answer, and in the list that replaces an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from graphwright.agents.assistant.frames import say
from graphwright.text.folding import words_of
from graphwright.text.markup import web_address
from graphwright.text.sentences import one_line
from graphwright.tools.sources import Source

LONGEST_PASSAGE = 600
"""Characters of a passage that stands in the place of an answer."""

_LONGEST_SHORT = 60

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


def described(source: Source) -> str:
    """What a source is, on one line: of a log entry its number, date and time, author, category and system.

    Of what another tool said its name, and that of its server; of a document without an address also where it lies.
    """
    facts, title, name = source.metadata, label(source.title), name_of(source)
    if source.kind == "elog":
        parts = [name, f"{facts.get('date', '')} {facts.get('time', '')}".strip()]
        parts += [facts.get(name, "") for name in ("author", "category", "system")]
        return ", ".join(label(part) for part in parts if part) + (f": {title}" if title else "")
    if source.kind == "tool":
        return f"{name} ({label(facts['server'])})" if facts.get("server") else name
    file = "" if is_address(source.url) else label(facts.get("file", ""))
    return ", ".join(dict.fromkeys(filter(None, [name, file, label(place_of(facts))])))


def place_of(facts: Mapping[str, str]) -> str:
    """The page, else the heading, of a part of a document; empty where it has none."""
    return f"p. {facts['page']}" if facts.get("page") else facts.get("heading", "")


def reference(source: Source) -> str:
    """How a text points to a source: its name as a link; without an address its title and place in brackets."""
    if is_address(source.url):
        return f"[{name_of(source)}]({source.url})"
    place = label(place_of(source.metadata)).rpartition(" > ")[2]
    name = one_line(name_of(source), _LONGEST_SHORT)
    # A heading often says the title once more.
    return f"({name})" if set(words_of(place)) <= set(words_of(name)) else f"({name}, {place})"


def mention(source: Source, text: str) -> int:
    """Where a text points to a source: by its address, or by its name in brackets and its place, if any; else -1."""
    if is_address(source.url):
        return text.find(source.url)
    names = label(source.title), label(source.metadata.get("file", ""))
    place = label(place_of(source.metadata)).rpartition(" / ")[2]
    for match in _BRACKETS.finditer(text):
        _, named, after = f"{match[1]},".partition(place or ",")
        if named and not after[:1].isdigit() and any(name and name in match[1] for name in names):
            return match.start()
    return max(text.find(reference(source)), text.find(f"({described(source)})"))


def same_document(source: Source) -> tuple[str, str]:
    """What the parts of one document have in common: its file, else its address without the place in it."""
    return source.kind, source.metadata.get("file", "") or source.url.partition("#")[0] or source.id


def without_repeats(sources: Sequence[Source]) -> list[Source]:
    """The sources without those that are a whole document of which a part is there, too."""
    parts = {same_document(each) for each in sources if place_of(each.metadata)}
    return [each for each in sources if place_of(each.metadata) or same_document(each) not in parts]


def _line(source: Source) -> str:
    what = described(source)
    return f"[{what}]({source.url}), {domain_of(source.url)}" if is_address(source.url) else what


def source_list(sources: Sequence[Source], heading: str) -> str:
    """Sources as a list in Markdown, each once; empty where there are none."""
    lines = dict.fromkeys(f"- {_line(source)}" for source in without_repeats(sources))
    return "\n".join([f"**{heading}**", *lines]) if lines else ""


def fallback(sources: Sequence[Source], why: str, language: str) -> str:
    """What the user gets where there is no answer: why, and the sources with their passages. Links are not checked."""
    if not sources:
        return f"{why}\n{say(language, 'searched_nothing')}"
    lines = [why, say(language, "searched")]
    for number, source in enumerate(sources[:MOST_LISTED], 1):
        text = " ".join(source.text[:LONGEST_PASSAGE].split())
        lines += ["", f"{number}. {_line(source)}", f"   > {text}{' …' if len(source.text) > LONGEST_PASSAGE else ''}"]
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
