"""Slips of the fingers in words that the agent knows: they are mended before a message is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from graphwright.agents.upgrade.words.saying import Saying, covered
from graphwright.agents.upgrade.words.vocabulary import BASE, COMMON, DOING, DONE, NOT_SLIPS
from graphwright.runtime.reading.words import Stretch, distance, fold, is_typo_of, vocabulary, words_of

_TERMS = vocabulary("""
    weights experiment experiments condition conditions description inclusion exclusion student students decision
""")
_NO_SLIPS = vocabulary("""
    exclusive inclusive conditional conditioned experimental experimented weighs height heights decisive precision
    decisions describing descriptive
""")
_SMALL = {
    "wich": "which", "whcih": "which", "wihch": "which", "whihc": "which", "waht": "what", "hwat": "what", "hwo": "how",
    "wehn": "when", "wehre": "where", "shwo": "show", "hsow": "show", "lsit": "list", "teh": "the", "adn": "and",
    "plase": "please", "pelase": "please", "plesae": "please", "thsi": "this", "taht": "that", "fro": "for",
    "wiht": "with", "witht": "with", "shoud": "should", "shuold": "should", "shold": "should", "coudl": "could",
}  # fmt: skip
"""Slips in small words, which no rule can tell from other words."""
_WEIGHED_BEHIND = re.compile(r"\s*[:=(]?\s*\d{1,3}(?![\w/-])")
_WEIGHED_BEFORE = re.compile(r"(?<![\w/-])\d{1,3}\s*(?:%|percent|per cent)?\s*(?:for|of|to)?\s*$")
_KNOWN = {word for phrase in (*BASE, *DONE, *DOING) for word in phrase} | COMMON | NOT_SLIPS | _NO_SLIPS


def mended(text: str, codes: Collection[str], names: Iterable[str], *, creating: bool) -> str:
    """The text with terms, and condition codes, as they are spelled.

    Left alone is what stands in quotes or in a description, what is written in capitals, and every word of one of the
    `names`; while something is created, also a code without a weight.
    """
    saying = Saying(text)
    own = {word for name in names for word in words_of(name)} | {word for code in codes for word in words_of(code)}
    kept = [Stretch(quote.start, quote.end) for quote in saying.quotes]
    made, at = "", 0
    for raw in saying.raw:
        word = fold(raw.text)
        plain = (
            raw.text[:1].islower()
            and not {"'", "’"} & {*raw.text}
            and not covered(raw, kept)
            and word not in own
            and word not in _KNOWN
        )
        if plain and word in _SMALL:
            made += text[at : raw.start] + _SMALL[word]
            at = raw.end
            continue
        # While something is created a code may be new; with a weight beside it it is one that is there.
        weighed = _WEIGHED_BEHIND.match(text, raw.end) or _WEIGHED_BEFORE.search(
            text[max(0, raw.start - 20) : raw.start]
        )
        known = codes if weighed or not creating else ()
        meant = _meant(word, known) if plain and len(word) > 4 else ""
        if meant:
            made += text[at : raw.start] + meant
            at = raw.end
        if meant == "description":
            # What is described is left as it is.
            break
    return made + text[at:]


def _meant(word: str, codes: Collection[str]) -> str:
    """What a word is one slip away from; empty where nothing is, or several are."""
    known: Sequence[str] = [*_TERMS, *codes]
    found = {each for each in known if word != fold(each) and is_typo_of(word, fold(each))}
    # "Controls", "variants" are words of their own.
    found = {each for each in found if word not in (f"{fold(each)}s", f"{fold(each)}ed") and f"{word}s" != fold(each)}
    near = sorted((distance(word, fold(each), 2), each) for each in found)
    return near[0][1] if len(near) == 1 or (near and near[0][0] < near[1][0]) else ""
