"""The encoding of text: UTF-8 where it is that, else what a mark says or charset-normalizer takes for likeliest."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

_CHUNK = 1 << 22
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 1 << 16
"""Bytes of lines beyond ASCII by which an encoding is guessed."""

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_NOT_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_EXCLUDED = ["utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_7"]


def as_utf8(path: Path, into: Path) -> tuple[Path, list[str]]:
    """Where the text of a file is as UTF-8, and notes. It is written to `into` only where it is not UTF-8 already."""
    encoding, note = _encoding(_chunks(path))
    if not encoding:
        return path, []
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    with into.open("wb") as out:
        for chunk in chain(_chunks(path), (b"",)):
            # Half a character of UTF-16 is nothing that UTF-8 could hold.
            out.write(decoder.decode(chunk, final=not chunk).encode("utf-8", errors="replace"))
    return into, [note]


def decoded(content: bytes) -> tuple[str, str]:
    """The text of a whole file that is held in memory, and a note on its encoding, empty where it is sound UTF-8."""
    encoding, note = _encoding(iter((content,)))
    text = content.decode(encoding or "utf-8-sig", errors="replace").removeprefix("\ufeff")
    return text.encode("utf-8", errors="replace").decode("utf-8"), note


def _encoding(chunks: Iterator[bytes]) -> tuple[str, str]:
    """The encoding, empty where it is sound UTF-8, and a note on it."""
    head = next(chunks, b"")
    marked = next((name for mark, name in _BOMS.items() if head.startswith(mark)), "")
    if marked not in ("", "utf-8-sig"):
        return marked, f"The encoding is {marked[:6].upper()}."
    decoder = codecs.getincrementaldecoder("utf-8")()
    for chunk in chain((head,), chunks, (b"",)):
        try:
            if not chunk.isascii() or not chunk or decoder.getstate()[0]:
                decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            break
    else:
        return "", ""
    sample = b"\n".join(line for line in chunk[: 16 * _SAMPLE].splitlines() if not line.isascii())[:_SAMPLE]
    text = sample.decode("utf-8", errors="replace")
    # A few bytes that are broken do not make a file with many sound characters another encoding.
    if marked or 20 * text.count("\ufffd") <= len(_BEYOND_ASCII.findall(text)):
        return "utf-8-sig", "Some bytes are not UTF-8: they were replaced by `\ufffd`."
    guess = _likeliest(sample)
    return guess, f"The encoding was taken for {guess}: it is not UTF-8."


def _likeliest(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    runs = _HIGH_RUN.findall(sample)
    # Western letters beyond ASCII stand alone among others; in other scripts they come in words.
    western = sum(map(len, runs)) < 1.7 * max(len(runs), 1)
    best = None if western else from_bytes(sample, cp_exclusion=_EXCLUDED).best()
    if best and best.encoding not in ("utf_8", "ascii"):
        return best.encoding
    return "latin-1" if _NOT_CP1252.search(sample) else "cp1252"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
