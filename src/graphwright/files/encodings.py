"""The encoding of text: UTF-8 where it is that, else what a mark says or charset-normalizer takes for likeliest."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

_CHUNK = 1 << 22
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_TELLING_BYTES = 1 << 16
"""How much text beyond ASCII is looked at to tell an encoding."""

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_BEYOND = re.compile(r"[^\x00-\x7f]")
_EXCLUDED = ["utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_7"]


def as_utf8(path: Path, into: Path) -> tuple[Path, list[str]]:
    """Where the text of a file is as UTF-8, and notes. It is written to `into` only where it is not UTF-8 already."""
    with path.open("rb") as file:
        encoding = _marked(file.read(1 << 12))
    if encoding in ("", "utf-8-sig"):
        bad, good, telling = _survey(path)
        if not bad:
            return path, []
        encoding, note = _chosen(encoding, bad, good, telling)
    else:
        note = f"The encoding is {encoding[:6].upper()}."
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    with into.open("wb") as out:
        for chunk in _chunks(path):
            # Half a character of UTF-16 is nothing that UTF-8 could hold.
            out.write(decoder.decode(chunk).encode("utf-8", errors="replace"))
        out.write(decoder.decode(b"", final=True).encode("utf-8", errors="replace"))
    return into, [note]


def decoded(content: bytes) -> tuple[str, str]:
    """The text of a whole file that is held in memory, and a note on its encoding, empty where it is sound UTF-8."""
    encoding = _marked(content[: 1 << 12])
    if encoding in ("", "utf-8-sig"):
        try:
            return content.decode("utf-8-sig"), ""
        except UnicodeDecodeError:
            text = content.decode("utf-8", errors="replace")
        bad = text.count("\ufffd")
        good = sum(sign > "\x7f" for sign in text[: 1 << 22]) - bad
        encoding, note = _chosen(encoding, bad, good, content[: 1 << 25])
    else:
        note = f"The encoding is {encoding[:6].upper()}."
    text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
    return text.encode("utf-8", errors="replace").decode("utf-8"), note


def _marked(head: bytes) -> str:
    """The encoding that a mark tells, or that every other byte of text is zero; else empty."""
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    even, odd = head[0:1_000:2].count(0), head[1:1_000:2].count(0)
    half = max(min(len(head), 1_000) // 2, 1)
    if odd > half / 2 and even < half / 10:
        return "utf-16-le"
    return "utf-16-be" if even > half / 2 and odd < half / 10 else ""


def _survey(path: Path) -> tuple[int, int, bytes]:
    """The bytes that are no UTF-8, the characters beyond ASCII, and lines to tell another encoding by."""
    bad = good = 0
    telling = b""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for chunk in _chunks(path):
        if chunk.isascii():
            continue
        text = decoder.decode(chunk)
        broken = text.count("\ufffd")
        bad += broken
        good += len(_BEYOND.findall(text)) - broken
        if broken and len(telling) < _TELLING_BYTES:
            telling += chunk
    return bad, good, telling


def _chosen(marked: str, bad: int, good: int, content: bytes) -> tuple[str, str]:
    """The encoding to read with, and a note on it."""
    # A few bytes that are broken do not make a file with many sound characters another encoding.
    if marked or good > 20 * bad:
        many = "1 byte that is" if bad == 1 else f"{bad:,} bytes that are"
        return marked or "utf-8", f"{many} not UTF-8: replaced by `\ufffd`."
    telling = b"\n".join(line for line in content.splitlines() if not line.isascii())[:_TELLING_BYTES]
    guess = _likeliest(telling)
    return guess, f"The encoding was taken for {guess}: it is not UTF-8."


def _likeliest(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    runs = _HIGH_RUN.findall(sample)
    # Western letters beyond ASCII stand alone among others; in other scripts they come in words.
    if sum(map(len, runs)) < 1.7 * max(len(runs), 1):
        best = from_bytes(sample, cp_isolation=["cp1252", "latin_1"], threshold=0.5).best()
        return str(best.encoding) if best else "cp1252"
    best = from_bytes(sample, cp_exclusion=_EXCLUDED).best()
    return str(best.encoding) if best else "latin-1"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
