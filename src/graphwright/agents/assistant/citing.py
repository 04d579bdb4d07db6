"""Links in an answer: all of them lead to sources, and the list of those that were used stands below it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import unescape
from urllib.parse import urlsplit

from graphwright.tools.mcp.wording import plain
from graphwright.tools.sources import Source

_MARK = re.compile(
    r"[\[【](?:(?:source|quelle|ref\.?)\s?|\^)?(\d{1,2}(?:\s?[,;–-]\s?\d{1,2})*)[\]】](?!\()", re.IGNORECASE
)
_DEFINED = re.compile(
    r"^(?:[ \t>]|[*+-][ \t]|\d{1,3}[.)][ \t]){0,8}\[([^\]\n]{1,200})\]:[ \t]*<?([^\s<>]+)>?"
    r"[ \t]*(\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))?([^\n]*)$",
    re.MULTILINE,
)
_LINK = re.compile(
    r"(!?)\[((?:[^\[\]\n]|\n(?![ \t]*\n)){0,400})\]"
    r"\(\s?<?((?:[^()\s<>]|\([^()\s]*\)){0,2000})>?(?:\s(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?\s?\)"
)
_REFERRED = re.compile(r"!?\[([^\[\]\n]{1,200})\]\[([^\[\]\n]{0,200})\]")
_NOTE = re.compile(r"\[(\^[^\[\]\n]{1,60})\](?!\()")
_TAG = re.compile(r"<\s?/?\s?([A-Za-z][A-Za-z0-9-]*)\b[^<>]{0,4000}>|<!--.{0,4000}?(?:-->|\Z)", re.DOTALL)
_ACTIVE_TAGS = frozenset(("a", "img", "iframe", "script", "form", "object", "embed", "link", "base", "svg"))
_AUTO = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,30}:[^\s<>]{1,2000})>")
_BARE = re.compile(
    r"(?:(?:https?|ftp|file):[/\\]{0,2}(?=\S*[./@])|(?<![A-Za-z0-9])(?:javascript|vbscript|mailto|xmpp|data):"
    r"(?=\S*[(/,@.])|(?<![A-Za-z0-9@/.-])www\.)[^\s<>\"'`|\]]{1,2000}",
    re.IGNORECASE,
)
_WEB = re.compile(r"https?://[^\s<>\"'`|()\[\]]+(?<![.,;:!?])", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_EMPTY = re.compile(r"\(\s?\)|\[\s?\]")
_KEPT = "\ue000{}\ue001"
_KEPT_MARK = re.compile("\ue000(\\d+)\ue001")
_MOST_PASSES = 12
_LONGEST_HELD = 600


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


def as_text(text: str, hosts: Collection[str]) -> str:
    """The text with the addresses of these hosts as words: without what would make them links."""

    def named(match: re.Match[str]) -> str:
        try:
            parts = urlsplit(match[0])
            known = parts.hostname in hosts
        except ValueError:
            return match[0]
        return f"{parts.netloc.rpartition('@')[2].removeprefix('www.')}{parts.path}" if known else match[0]

    return _WEB.sub(named, text)


def cited(text: str, sources: Sequence[Source], *, marked: int | None = None) -> Cited:
    """The text with the marks `[1]` as links, links to sources as they should be, and all other links taken out.

    Marks name the first `marked` of the sources; without it all.
    """
    taking = _Taking(sources, len(sources) if marked is None else marked)
    text = _unfolded(text)
    # What is taken out may have stood in the middle of another link: until there is none.
    for _ in range(_MOST_PASSES):
        before, text = text, taking.out_of(text)
        if text == before:
            break
    else:
        text = text.replace("://", " ")
    text = re.sub(r"[ \t]+([.,;:!?])(?=\s|$)", r"\1", re.sub(r"[ \t]{2,}", " ", text)).strip()
    # Whatever else could begin a link, a definition or a tag is only text.
    text = re.sub(r"\](?=[(:])", "] ", re.sub(r"<(?=[A-Za-z/!?])", "< ", text))
    text = re.sub("!(?=\ue000)", "! ", text)
    # The same source twice in a row is said once.
    text = re.sub("(\ue000\\d+\ue001)(?:[ ,;]*(\ue000\\d+\ue001))+", lambda m: _once(m.group(), taking.kept), text)
    text = _KEPT_MARK.sub(lambda m: taking.kept[int(m[1])], text)
    return Cited(text, tuple(dict.fromkeys(taking.used)), taking.removed)


class _Taking:
    """Takes links out of a text, those to sources into `kept`: their places stand in `used`."""

    def __init__(self, sources: Sequence[Source], marked: int) -> None:
        self.sources = sources
        self.marked = min(marked, len(sources))
        self.places = {
            _plain(source.url): place for place, source in reversed(list(enumerate(sources))) if is_address(source.url)
        }
        shown = [
            (place, image) for place, source in enumerate(sources) for image in source.images if is_address(image.url)
        ]
        self.images = {_plain(image.url): (place, image) for place, image in reversed(shown)}
        self.defined: dict[str, str] = {}
        self.used: list[int] = []
        self.kept: list[str] = []
        self.removed = 0

    def out_of(self, text: str) -> str:
        text = _DEFINED.sub(self._definition, text)
        text = _LINK.sub(self._link, text)
        text = _REFERRED.sub(self._referred, text)
        text = _AUTO.sub(lambda m: self._address(m[1]), text)
        text = _TAG.sub(self._tag, text)
        text = _BARE.sub(self._bare, text)
        text = _NOTE.sub(self._note, text)
        text = _MARK.sub(self._mark, text)
        return _EMPTY.sub("", text)

    def _keep(self, markdown: str, place: int) -> str:
        self.used.append(place)
        self.kept.append(markdown)
        return _KEPT.format(len(self.kept) - 1)

    def _source(self, place: int) -> str:
        return self._keep(reference(self.sources[place]), place)

    def _address(self, url: str) -> str:
        place = self.places.get(_plain(url))
        if place is not None:
            return self._source(place)
        self.removed += 1
        return ""

    def _definition(self, match: re.Match[str]) -> str:
        # A note with words after it defines nothing.
        if match[4].strip() and not match[1].startswith("^") and not re.search(r"[/:.]\S", match[2]):
            return match.group()
        self.defined[match[1].casefold()] = match[2]
        self.removed += _plain(match[2]) not in self.places
        return ""

    def _link(self, match: re.Match[str]) -> str:
        bang, label, url = match[1], match[2], match[3]
        where = _plain(url)
        if bang:
            if where in self.images:
                place, image = self.images[where]
                return self._keep(f"![{_label(label or image.caption)}]({image.url})", place)
        elif where in self.places:
            return self._source(self.places[where])
        elif not url or url.startswith("#"):
            return label
        self.removed += 1
        return "" if bang else label

    def _referred(self, match: re.Match[str]) -> str:
        name = (match[2] or match[1]).casefold()
        if name not in self.defined:
            return match.group()
        place = self.places.get(_plain(self.defined[name]))
        return match[1] if place is None else self._source(place)

    def _tag(self, match: re.Match[str]) -> str:
        name = (match[1] or "").casefold()
        opens = not match.group().lstrip("< ").startswith("/")
        self.removed += opens and (name in _ACTIVE_TAGS or "=" in match.group())
        return " " if name in ("br", "p", "div", "li", "td", "tr") else ""

    def _bare(self, match: re.Match[str]) -> str:
        found = match.group()
        # A mark or a link that was kept ends an address.
        address, kept, rest = found.partition("\ue000")
        end = re.search(r"[).,;:!?*_]*$", address).group()  # type: ignore[union-attr]
        return self._address(address[: len(address) - len(end)]) + end + kept + rest

    def _note(self, match: re.Match[str]) -> str:
        if match[1].casefold() not in self.defined:
            return match.group()
        place = self.places.get(_plain(self.defined[match[1].casefold()]))
        return "" if place is None else self._source(place)

    def _mark(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        return " ".join(self._source(number - 1) for number in dict.fromkeys(numbers) if 1 <= number <= self.marked)


def _unfolded(text: str) -> str:
    """The text as renderers come to see it: without entities, invisible characters, and escapes inside addresses."""
    # `plain` also takes private characters out, which stand for links that are kept.
    text = plain(text).replace("\u200c", "").replace("\u200d", "")
    while (shorter := _ENTITY.sub(lambda m: plain(unescape(m.group())), text)) != text:
        text = shorter
    text = re.sub(r"\\(?=[:/.@])", "", text)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+(?=\n)", "", re.sub(r"[ \t]{2,}", " ", text)))


class Steady:
    """A text that is shown while it is written: only what can no longer become a link, and its links are checked."""

    def __init__(self, sources: Sequence[Source], *, marked: int) -> None:
        self._sources = sources
        self._marked = marked
        self._held = ""

    def more(self, piece: str) -> str:
        """What may be shown once this piece has come."""
        self._held += piece
        end = _steady(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._shown(ready)

    def rest(self) -> str:
        """What was held back, when nothing more comes."""
        ready, self._held = self._held, ""
        return self._shown(ready)

    def _shown(self, text: str) -> str:
        if not text.strip():
            return text
        lead = text[: len(text) - len(text.lstrip())]
        tail = text[len(text.rstrip()) :]
        return lead + cited(text, self._sources, marked=self._marked).text + tail


def _steady(text: str) -> int:
    """Up to where a text that goes on can be shown: the last blank that stands in no link and no tag.

    A paragraph ends every link; what is open for too long is none.
    """
    paragraph = text.rfind("\n\n")
    begin = paragraph + 2 if paragraph >= 0 else 0
    brackets, inside, end = 0, "", begin
    for place in range(begin, len(text)):
        character = text[place]
        if inside:
            inside = "" if character == inside else inside
        elif character == "<" and (place + 1 == len(text) or not text[place + 1].isspace()):
            inside = ">"
        elif character == "(" and place and text[place - 1] == "]":
            inside = ")"
        elif character == "[":
            brackets += 1
        elif character == "]":
            brackets = max(0, brackets - 1)
        elif character.isspace() and not brackets:
            end = place + 1
    if len(text) - end > _LONGEST_HELD:
        return max(end, text.rfind(" ") + 1)
    return end


def _once(run: str, kept: Sequence[str]) -> str:
    found = dict.fromkeys(kept[int(number)] for number in _KEPT_MARK.findall(run))
    marks = {kept[int(number)]: number for number in reversed(_KEPT_MARK.findall(run))}
    return " ".join(_KEPT.format(marks[markdown]) for markdown in found)


def without_marks(text: str) -> str:
    """The text without marks and links, for looking at its words and numbers."""
    text = _LINK.sub(lambda m: m[2], _DEFINED.sub("", text))
    return _BARE.sub("", _AUTO.sub("", _MARK.sub("", text)))


def reference(source: Source) -> str:
    """How a text points to a source: its domain as a link; where it has no address, its name in brackets."""
    if is_address(source.url):
        return f"[{domain_of(source.url)}]({source.url})"
    return f"({described(source)})"


def described(source: Source) -> str:
    """What a source is, on one line: of a log entry its number, date and time, author, category and system.

    Of what another tool said its name, and that of its server; of a document without an address also where it lies.
    """
    facts = source.metadata
    title = _label(source.title)
    if source.kind == "elog":
        parts = [f"ELOG {facts.get('id') or source.id}", f"{facts.get('date', '')} {facts.get('time', '')}".strip()]
        parts += [facts.get(name, "") for name in ("author", "category", "system")]
        return ", ".join(_label(part) for part in parts if part) + (f": {title}" if title else "")
    if source.kind == "tool" and (server := _label(facts.get("server", ""))):
        return f"{title} ({server})"
    # Without an address a title is all there is to find it by, and several documents may have the same.
    parts = [title, "" if is_address(source.url) else _label(facts.get("file", "")), _label(place_of(source))]
    return ", ".join(filter(None, parts))


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
    line = _BARE.sub("", " ".join(_unfolded(text[:1_000]).split())[:200])
    return line.replace("[", "(").replace("]", ")").replace("<", "‹").replace(">", "›").replace("`", "'").strip()
