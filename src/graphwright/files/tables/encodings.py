"""The encoding of a text file: told over all of its bytes, and written anew as UTF-8 where it is another."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

_CHUNK = 1 << 22
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_TELLING_BYTES = 1 << 17
"""How much text beyond ASCII is looked at to tell an encoding."""

_TELLING_FEW = 16
"""Bytes beyond ASCII below which another encoding than the commonest is a mere guess."""

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_IN_WORDS = "ªº°§²³€µ–—‘’“”„…«»·©®™£¥×±½¼¾†‚ ´¨¿¡"
_NAMES = {"utf-16": "UTF-16", "utf-32": "UTF-32", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


@dataclass(frozen=True, slots=True)
class Text:
    """A text file as UTF-8 without a mark at its beginning: where it is, from which byte on, and what was done for it.

    `lines` is no less than its lines, `quotes` how many double quotes are in it.
    """

    path: Path
    start: int
    bytes: int
    lines: int
    quotes: int
    notes: tuple[str, ...]


@dataclass
class _Counts:
    size: int = 0
    feeds: int = 0
    returns: int = 0
    quotes: int = 0
    ended: bool = False

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.ended = chunk.endswith((b"\n", b"\r")) if chunk else self.ended
        self.feeds += chunk.count(b"\n")
        self.returns += chunk.count(b"\r")
        self.quotes += chunk.count(b'"')

    def text(self, path: Path, start: int, notes: tuple[str, ...]) -> Text:
        # Line ends may be of one kind or the other; of both, each counts once.
        lines = max(self.feeds, self.returns) + (not self.ended)
        return Text(path, start, self.size, lines, self.quotes, notes)


def as_utf8(path: Path, into: Path) -> Text:
    """The text of a file. It is written to `into` only where it is not UTF-8 already. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(1 << 12)
    marked = next((name for bom, name in _BOMS if head.startswith(bom)), "") or _without_mark(head)
    if marked == "utf-8-sig" or not marked:
        counts, bad, good = _survey(path)
        start = len(codecs.BOM_UTF8) if marked else 0
        if not bad:
            return counts.text(path, start, ())
        # A few bytes that are broken do not make a file with many sound characters another encoding.
        if marked or good > 20 * bad:
            note = f"{_amount(bad, 'byte that is', 'bytes that are')} not UTF-8: replaced by `\ufffd`."
            return _rewritten(path, into, marked or "utf-8", note)
        marked = _guessed(path)
        return _rewritten(path, into, marked, f"The encoding was taken for {marked}: it is not UTF-8.")
    return _rewritten(path, into, marked, f"The encoding is {_NAMES[marked]}.")


def decoded(content: bytes) -> tuple[str, str]:
    """The text of a whole file that is held in memory, and a note on its encoding, empty where it is sound UTF-8."""
    marked = next((name for bom, name in _BOMS if content.startswith(bom)), "") or _without_mark(content[: 1 << 12])
    if marked and marked != "utf-8-sig":
        text = content.decode(marked, errors="replace").removeprefix("\ufeff")
        # Half a character of UTF-16 is nothing that UTF-8 could hold.
        return text.encode("utf-8", errors="replace").decode("utf-8"), f"The encoding is {_NAMES[marked]}."
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        text = content.decode("utf-8-sig", errors="replace")
    bad = max(text.count("\ufffd") - content.count("\ufffd".encode()), 1)
    if marked or len(text) - bad - _ascii(content) > 20 * bad:
        return text, f"{_amount(bad, 'byte that is', 'bytes that are')} not UTF-8: replaced by `\ufffd`."
    telling = b"\n".join(line for line in content[: 1 << 25].splitlines() if not line.isascii())[:_TELLING_BYTES]
    guess = _likeliest(telling)
    return content.decode(guess, errors="replace"), f"The encoding was taken for {guess}: it is not UTF-8."


def _without_mark(head: bytes) -> str:
    """UTF-16 that does not say so: every other byte of text in it is zero."""
    even, odd = head[0:1_000:2].count(0), head[1:1_000:2].count(0)
    half = max(min(len(head), 1_000) // 2, 1)
    if odd > half / 2 and even < half / 10:
        return "utf-16-le"
    if even > half / 2 and odd < half / 10:
        return "utf-16-be"
    return ""


def _survey(path: Path) -> tuple[_Counts, int, int]:
    """What is counted, the bytes that are no UTF-8, and the characters beyond ASCII."""
    counts, bad, good = _Counts(), 0, 0
    kept = b""
    for chunk in _chunks(path):
        counts.add(chunk)
        if not kept and chunk.isascii():
            continue
        text = kept + chunk
        # A character cut in two at the end of the chunk waits for its rest.
        whole = len(text) - _cut(text)
        kept, text = text[whole:], text[:whole]
        try:
            good += len(text.decode("utf-8")) - _ascii(text)
        except UnicodeDecodeError:
            told = text.decode("utf-8", errors="replace")
            broken = told.count("\ufffd") - text.count("\ufffd".encode())
            bad += max(broken, 1)
            good += max(len(told) - _ascii(text) - broken, 0)
    return counts, bad + len(kept), good


def _ascii(text: bytes) -> int:
    """How many of the bytes are ASCII."""
    return len(text) - sum(len(run) for run in _HIGH_RUN.findall(text))


def _cut(text: bytes) -> int:
    """How many bytes at the end begin a character of UTF-8 that is not all there."""
    for back in range(1, min(4, len(text) + 1)):
        byte = text[-back]
        if byte < 0x80:
            return 0
        if byte >= 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if back < needs else 0
    return 0


def _guessed(path: Path) -> str:
    """The most likely encoding of text with one or two bytes a character."""
    telling = bytearray()
    with path.open("rb") as file:
        for line in file.read(1 << 25).splitlines():
            if not line.isascii():
                telling += line + b"\n"
            if len(telling) > _TELLING_BYTES:
                break
    return _likeliest(bytes(telling))


def _likeliest(sample: bytes) -> str:
    runs = _HIGH_RUN.findall(sample)
    if not runs:
        return "cp1252"
    western = _western(sample)
    # Western letters beyond ASCII stand alone among others; in other scripts they come in words.
    high = sum(map(len, runs))
    if western and (high < _TELLING_FEW or high / len(runs) < 1.7):
        return western
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_exclusion=["utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_7"]).best()
    return str(best.encoding) if best else western or "latin-1"


def _western(sample: bytes) -> str:
    """`cp1252` or `latin-1` where what it gives could be words; else empty."""
    for name in ("cp1252", "latin-1"):
        try:
            text = sample.decode(name)
        except UnicodeDecodeError:
            continue
        beyond = [sign for sign in text if sign > "\x7f"]
        if sum(sign.isalpha() or sign in _IN_WORDS for sign in beyond) >= 0.9 * len(beyond):
            return name
    return ""


def _rewritten(path: Path, into: Path, encoding: str, note: str) -> Text:
    counts, replaced = _Counts(), 0
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    with into.open("wb") as out:
        for chunk in chain(_chunks(path), (b"",)):
            text = decoder.decode(chunk, final=not chunk)
            replaced += text.count("\ufffd")
            # Half a character of UTF-16 is nothing that UTF-8 could hold.
            written = text.encode("utf-8", errors="replace")
            counts.add(written)
            out.write(written)
    notes = [note]
    if replaced and "\ufffd" not in note:
        notes.append(f"{_amount(replaced, 'character', 'characters')} not in it: replaced by `\ufffd`.")
    return counts.text(into, 0, tuple(notes))


def _amount(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
