"""Words as a search compares them: German endings and umlauts, words that say nothing, and which language a text is in.

English is stemmed by the tokenizer of the index. German is brought to stems here, before the index sees it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LETTERS = re.compile(r"[^\W\d_]+")
"""A run of letters."""

RUN = re.compile(r"[^\W_]+")
"""A run of letters and digits, as the tokenizer of the index takes them."""

_ENDINGS = ("ungen", "heiten", "keiten", "lichen", "ung", "heit", "keit", "ern", "em", "en", "er", "es", "e", "s", "n")
_WRITTEN_OUT = re.compile("([ao]|(?<!q)u)e")
_LEAST = 4
"""Letters that a stem has at least."""

_S_AFTER = frozenset("bdfghklmnrt")

_GERMAN_WORDS = """
    aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dabei damit dann das dass
    dein dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
    einer eines er es etwas euch finde für gab gibt haben habe hat hatte hier ich ihm ihn ihr im immer in ist ja jede
    jeder kann kannst kein keine können könnte lautet man mehr mein mich mir mit muss müssen nach nicht noch nun nur ob
    oder ohne sehr sein sich sie sind so soll sollte über um und uns unser unter vom von vor wann war waren warum was
    weiter welche welchem welchen welcher welches wenn wer werden wie wieso wieviel wieviele wir wird wo wohin wurde
    wurden zu zum zur zwischen
"""
_ENGLISH_WORDS = """
    a about after all also am an and any are as at be been before being between both but by can could did do does
    done each find for from give had has have he her his how i if in into is it its just let many me more most much must
    my no not of off on once only or other our out over please s shall she should show so some such t tell than that the
    their them then there these they this those to too under until up upon us very was we were what when where which
    while who whom whose why will with would you your
"""
_GERMAN, _ENGLISH = frozenset(_GERMAN_WORDS.split()), frozenset(_ENGLISH_WORDS.split())
_BOTH = _GERMAN | _ENGLISH

_SAMPLE = 4_000
"""Characters by which the language of a text is told."""

_FEWEST = 3
"""Little words that it takes to tell a language."""


def fold(word: str) -> str:
    """The word in small letters without accents, ß as ss; ä and ae, ö and oe, ü and ue are the same."""
    small = word.casefold()
    if not small.isascii():
        small = "".join(sign for sign in unicodedata.normalize("NFKD", small) if not unicodedata.combining(sign))
    if "e" in small:
        small = _WRITTEN_OUT.sub(r"\1", small)
    return small


@lru_cache(maxsize=1 << 16)
def german_stem(word: str) -> str:
    """What the forms of a German word have in common: `Störungen`, `Stoerung` and `störung` are `stor`."""
    stem = fold(word)
    for _ in range(2):
        for ending in _ENDINGS:
            if stem.endswith(ending) and len(stem) - len(ending) >= _LEAST:
                if ending == "s" and stem[-2] not in _S_AFTER:
                    continue
                stem = stem[: -len(ending)]
                break
        else:
            break
    return stem


def german_text(text: str) -> str:
    """The text with every word brought to its German stem; what has digits in it stays as it is."""
    return LETTERS.sub(lambda found: german_stem(found.group()), text)


def is_plain(word: str) -> bool:
    """Whether it is one of the little words that every text has: it says nothing about what a text is about."""
    return word.casefold() in _BOTH


def language_of(text: str) -> str:
    """`de` or `en` by the little words in its beginning; empty where they do not tell."""
    words = [word.casefold() for word in LETTERS.findall(text[:_SAMPLE])]
    german = sum(word in _GERMAN and word not in _ENGLISH for word in words)
    english = sum(word in _ENGLISH and word not in _GERMAN for word in words)
    if max(german, english) < _FEWEST or german == english:
        return ""
    return "de" if german > english else "en"
