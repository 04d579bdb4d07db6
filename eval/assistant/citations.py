"""Reading an answer: which sources it cites and in which order, its addresses, and its words without them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from eval.assistant.cases import Key
from graphwright.logbook.builtin import SAMPLE_ADDRESS

PAGES_ADDRESS = "https://docs.nordlicht.example/"
"""Where the pages of the sample are."""

_END = r".,;:!?)\]}'\"*_>"
_WHOLE = (
    r"(?<!\w)(?:(?:https?|ftp|file)://|javascript:|vbscript:|data:\w+/|mailto:)[^\s<>\"`|\[\]]{1,2000}"
    r"|(?<![\w@.])www\.[^\s<>\"`|\[\]]{1,500}"
)
# A host without its scheme is an address, too, where a path follows.
_BARE = r"(?<![\w@./-])(?:[a-z0-9-]+\.)+(?:example|org|com|net|de|ch|eu|io|edu|gov|int)/[^\s<>\"`|\[\]]{1,500}"
_ADDRESS = re.compile(rf"{_WHOLE}|{_BARE}", re.IGNORECASE)
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,400})\]\(\s*<?([^()\s<>]{0,2000}(?:\([^()\s]*\)[^()\s<>]*)?)>?(?:\s+\"[^\"\n]*\")?\s*\)"
)

_ENTRY = re.compile(
    r"(?:#|\b(?:elog|(?:log|logbook|elog)?[ -]?entry|(?:logbuch|elog)?-?eintrag)"
    r"(?:[ -](?:entry|eintrag|id|no\.?|nr\.?|number|nummer))*[\s:#(]{1,3})(\d{3,5})(?![\d:./-]*\d)",
    re.IGNORECASE,
)
_ENTRIES = re.compile(
    r"\b(?:entries|(?:logbuch)?-?einträgen?)[\s:#(]{1,3}"
    r"(\d{3,5}(?:\s*(?:,|;|and|und|or|oder|&|/)+\s*(?:and\s+|und\s+)?#?\d{3,5}(?![\d:.-]*\d))*)",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?<![\w/.-])(?:aurora|booster|linac|facility)/[a-z0-9]+(?:-[a-z0-9]+)*", re.IGNORECASE)
_LIST = re.compile(
    r"^\s*(?:#+\s*)?[*_]*(?:sources?|references?|quellen?|citations?|links)(?:\s+used)?[*_]*\s*:?\s*[*_]*\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_NOTE = re.compile(r"^[ \t]*\*[^*\n]+\*[ \t]*$", re.MULTILINE)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")


def addresses(text: str) -> list[str]:
    """The addresses in a text as they can be compared, and the targets of links that are none, in order."""
    found = [(match.start(), plain(match.group())) for match in _ADDRESS.finditer(text)]
    for match in _LINK.finditer(text):
        target = match[2]
        if target and not target.startswith("#") and not _ADDRESS.match(target):
            found.append((match.start(2), plain(target)))
    return list(dict.fromkeys(address for _, address in sorted(found) if address))


def plain(address: str) -> str:
    """An address without what makes no difference to where it leads: scheme, `www.`, place in the page, dots after it.

    Case makes none in the addresses of the sample.
    """
    # A text in brackets leaves the bracket at the end of its address, and so does a link in Markdown.
    bare = re.split(r"\)[,;.]", address)[0].rstrip(_END).partition("#")[0]
    bare = re.sub(r"^(?:https?:)?//", "", bare, flags=re.IGNORECASE)
    return unquote(bare).removeprefix("www.").rstrip("/").casefold()


_PAGES, _LOG = plain(PAGES_ADDRESS), plain(SAMPLE_ADDRESS)


def source_at(address: str) -> Key | None:
    """The source that an address leads to: a page, or a log entry; None where it is neither."""
    where = plain(address)
    head, _, page = where.partition(f"{_PAGES}/")
    if page and not head:
        return page
    head, _, number = where.partition(f"{_LOG}/")
    return int(number) if not head and number.isdecimal() and len(number) < 8 else None


def entries(text: str) -> list[tuple[int, int]]:
    """The log entries that a text names by their numbers, each with where it stands in the text."""
    found = [(match.start(), int(match[1])) for match in _ENTRY.finditer(text)]
    for match in _ENTRIES.finditer(text):
        found += [(match.start(1) + number.start(), int(number[0])) for number in re.finditer(r"\d+", match[1])]
    return [(number, place) for place, number in sorted(found)]


def cited(text: str, files: Sequence[str]) -> list[Key]:
    """The sources that an answer points to, each once, in the order in which they first stand there.

    A page counts by a link or by its path, a log entry by a link or by its number, a given file by its name.
    """
    found: list[tuple[int, Key]] = []
    rest = text
    for match in _ADDRESS.finditer(text):
        if (source := source_at(match.group())) is not None:
            found.append((match.start(), source))
        rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    found += [(place, number) for number, place in entries(rest)]
    found += [(match.start(), match.group().casefold()) for match in _PAGE.finditer(rest)]
    low = text.casefold()
    for name in files:
        stem = name.rpartition(".")[0] or name
        if (place := low.find(stem.casefold())) >= 0:
            found.append((place, name))
    return list(dict.fromkeys(source for _, source in sorted(found, key=lambda each: each[0])))


def prose(text: str) -> str:
    """What an answer says, blanks made alike: without a list of sources, remarks in italics below it, and addresses."""
    heading = next((match for match in _LIST.finditer(text) if text[: match.start()].strip()), None)
    said = text[: heading.start()] if heading else text
    said = _NOTE.sub("", said)
    said = _LINK.sub(lambda match: "" if _HOST.fullmatch(match[1].strip()) else match[1], said)
    said = _ADDRESS.sub(" ", said)
    return even(re.sub(r"\*+|__+|`+", "", said))


def even(text: str) -> str:
    """The text with one way of writing blanks, dashes and units."""
    normal = unicodedata.normalize("NFKC", text).translate(str.maketrans("‐‑–—−", "-----"))
    return " ".join(normal.split())


def unknown(named: Iterable[str], known: Iterable[str]) -> list[str]:
    """The addresses among `named` that are not `known`."""
    there = set(known)
    return [each for each in dict.fromkeys(named) if each not in there]
