"""Links in an answer: all of them lead to sources, and the list of those that were used stands below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from graphwright.tools.sources import Source

_MARK = re.compile(
    r"[\[【](?:(?:source|quelle|ref\.?)\s*)?(\d{1,2}(?:\s*[,;–-]\s*\d{1,2})*)[\]】](?!\()", re.IGNORECASE
)
_DEFINED = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S+.*$", re.MULTILINE)
_LINK = re.compile(
    r"(!?)\[([^\[\]\n]{0,400})\]\(\s*<?((?:[^()\s<>]|\([^()\s]*\)){0,2000})>?(?:\s+[\"'][^\"'\n]*[\"'])?\s*\)"
)
_REFERRED = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\[[^\[\]\n]{0,200}\]")
_TAG = re.compile(
    r"<\s*/?\s*(?:a|img|iframe|script|form|object|embed|link|meta|base|svg|video|audio|style)\b[^>]{0,4000}>?",
    re.IGNORECASE,
)
_AUTO = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,30}:[^\s<>]{1,2000})>")
_BARE = re.compile(
    r"(?<![\w@/(\[<.])(?:(?:https?|ftp|file|javascript|data|vbscript|mailto):/{0,2}[^\s<>\"'`|\]]{1,2000}|"
    r"www\.[^\s<>\"'`|\]]{1,500})",
    re.IGNORECASE,
)
_KEPT = "\ue000{}\ue001"
_KEPT_MARK = re.compile("\ue000(\\d+)\ue001")


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer whose links all lead to sources: `used` are their places, in order; `removed` counts other links."""

    text: str
    used: tuple[int, ...]
    removed: int


def domain_of(url: str) -> str:
    """The host of an address, which is the text of a link to it."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return host.removeprefix("www.") or "link"


def _plain(url: str) -> str:
    return url.strip().rstrip("/.,;:!?*_").casefold()


def is_address(url: str) -> bool:
    """Whether an address may stand in a link: only those that a browser opens as a page."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"[\s<>()\[\]\\`\"]", url)


def cited(text: str, sources: Sequence[Source]) -> Cited:
    """The text with the marks `[1]` as links, links to sources as they should be, and all other links taken out."""
    places = {
        _plain(source.url): place for place, source in reversed(list(enumerate(sources))) if is_address(source.url)
    }
    images = {_plain(image.url): image for source in sources for image in source.images if is_address(image.url)}
    of_image = {_plain(image.url): place for place, source in enumerate(sources) for image in source.images}
    used: list[int] = []
    kept: list[str] = []
    removed = 0

    def keep(markdown: str, place: int) -> str:
        used.append(place)
        kept.append(markdown)
        return _KEPT.format(len(kept) - 1)

    def link(match: re.Match[str]) -> str:
        nonlocal removed
        bang, label, url = match[1], match[2], match[3]
        where = _plain(url)
        if bang:
            if where in images:
                image = images[where]
                caption = _label(label or image.caption)
                return keep(f"![{caption}]({image.url})", of_image[where])
        elif where in places:
            return keep(reference(sources[places[where]]), places[where])
        elif not url or url.startswith("#"):
            return label
        removed += 1
        return "" if bang else label

    def tag(match: re.Match[str]) -> str:
        nonlocal removed
        removed += not match.group().lstrip("< ").startswith("/")
        return ""

    def bare(match: re.Match[str]) -> str:
        nonlocal removed
        found = match[1] if match.re is _AUTO else match.group()
        end = "" if match.re is _AUTO else re.search(r"[).,;:!?*_]*$", found).group()  # type: ignore[union-attr]
        where = _plain(found[: len(found) - len(end)] if end else found)
        if where in places:
            return keep(reference(sources[places[where]]), places[where]) + end
        removed += 1
        return end

    def mark(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        there = [number - 1 for number in dict.fromkeys(numbers) if 1 <= number <= len(sources)]
        return " ".join(keep(reference(sources[place]), place) for place in there)

    text = text.replace("\ue000", "").replace("\ue001", "")
    text, defined = _DEFINED.subn("", text)
    removed += defined
    text = _LINK.sub(link, text)
    text = _REFERRED.sub(r"\1", text) if defined else text
    text = _AUTO.sub(bare, text)
    text = _TAG.sub(tag, text)
    text = _BARE.sub(bare, text)
    text = _MARK.sub(mark, text)
    # The same source twice in a row is said once.
    text = re.sub("(\ue000\\d+\ue001)(?:[ ,;]*(\ue000\\d+\ue001))+", lambda m: _once(m.group(), kept), text)
    text = _KEPT_MARK.sub(lambda m: kept[int(m[1])], text)
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    text = re.sub(r"[ \t]+([.,;:!?])(?=\s|$)", r"\1", re.sub(r"[ \t]{2,}", " ", text))
    return Cited(text.strip(), tuple(dict.fromkeys(used)), removed)


def _once(run: str, kept: Sequence[str]) -> str:
    found = dict.fromkeys(kept[int(number)] for number in _KEPT_MARK.findall(run))
    marks = {kept[int(number)]: number for number in reversed(_KEPT_MARK.findall(run))}
    return " ".join(_KEPT.format(marks[markdown]) for markdown in found)


def without_marks(text: str) -> str:
    """The text without marks and links, for looking at its words and numbers."""
    text = _LINK.sub(lambda m: m[2], text)
    return _BARE.sub("", _AUTO.sub("", _MARK.sub("", text)))


def reference(source: Source) -> str:
    """How a text points to a source: its domain as a link; where it has no address, its name in brackets."""
    if is_address(source.url):
        return f"[{domain_of(source.url)}]({source.url})"
    return f"({described(source)})"


def described(source: Source) -> str:
    """What a source is, on one line: of a log entry its number, date and time, author, category and system."""
    facts = source.metadata
    title = _label(source.title)
    if source.kind == "elog":
        parts = [f"ELOG {facts.get('id') or source.id}", f"{facts.get('date', '')} {facts.get('time', '')}".strip()]
        parts += [facts.get(name, "") for name in ("author", "category", "system")]
        return ", ".join(_label(part) for part in parts if part) + (f": {title}" if title else "")
    place = place_of(source)
    return f"{title}, {_label(place)}" if place else title


def place_of(source: Source) -> str:
    """Where in a document a source stands: `p. 7`, or the heading; empty where that is not known."""
    page = source.metadata.get("page", "")
    return f"p. {page}" if page else source.metadata.get("heading", "")


def source_list(sources: Sequence[Source], places: Sequence[int], heading: str) -> str:
    """The sources that were used, as a list in Markdown; empty where there are none."""
    lines = []
    for place in places:
        source = sources[place]
        shown = described(source)
        lines.append(f"- {reference(source)} {shown}" if is_address(source.url) else f"- {shown}")
    return "\n".join([f"**{heading}**", *dict.fromkeys(lines)]) if lines else ""


def _label(text: str) -> str:
    """Text of a source as it may stand in Markdown: it cannot begin a link, an image or a tag."""
    line = " ".join(text.split())[:200]
    line = _BARE.sub("", line)
    return line.replace("[", "(").replace("]", ")").replace("<", "‹").replace(">", "›").replace("`", "'").strip()
