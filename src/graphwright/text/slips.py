"""Slips of the pen: which word a misspelt one may have been meant to be, and which never."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from graphwright.text.folding import fold, without_accents
from graphwright.text.little_words import LITTLE_WORDS, OTHER_LITTLE_WORDS

_SHORTEST = 5
"""Letters that a word has at least before it is taken for a slip of another one."""

MOST_MENDED = 4
"""Words of one question that are taken for misspelt ones at most: who writes more of them means them."""

_SHORT = 6
"""Letters up to which words have so many neighbours that only a frequent one may be meant."""

_LONG = 9
"""Letters from which on two slips in a word are thought of."""

_SURE = 10
"""Letters from which on any letter may stand for any other."""

_BEGINNING = 3
"""Letters that words are looked up by; two slips leave them alone."""

_MOST_OTHER_LETTERS = 5
"""Letters that one of two words has and the other has not: two slips, or a slip and an ending of three, have fewer."""

_WRITTEN = {"a": "aàáâãäå", "c": "cç", "e": "eèéêë", "i": "iìíîï", "n": "nñ", "o": "oòóôõöø", "u": "uùúûü"}

_VOWELS = frozenset("aeiouy")

_INFLECTING = frozenset("denrsty")
"""Letters at the end that make another form of a word, in English or German, and no slip."""

_ENDINGS = ("ern", "em", "en", "er", "es", "ed", "e", "n", "s")

_LITTLE = frozenset(map(without_accents, LITTLE_WORDS | OTHER_LITTLE_WORDS))

# Neighbours on keyboards of both languages, in a row and from row to row, and letters that sound alike.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm")
_SLANTED = "qa ws ed rf tg yh zh uj ik ol az ay sx dc fv gb hn jm"
_SOUNDS = "ck sz vw iy"
_NEAR = frozenset(
    frozenset(pair) for pairs in (*map(pairwise, _ROWS), _SLANTED.split(), _SOUNDS.split()) for pair in pairs
)


def may_be_slip(word: str) -> bool:
    """Whether a word that is nowhere may be another one misspelt.

    Never a short or a little one, an abbreviation in capitals, or what has anything but letters in it.
    """
    return len(word) >= _SHORTEST and word.isalpha() and not word.isupper() and not is_little(word)


def is_little(word: str) -> bool:
    """Whether it is a little word, in any language: it is never worth searching for instead of another one."""
    return without_accents(word) in _LITTLE


def told(taken: Iterable[tuple[str, str]]) -> str:
    """The sentence for people and models about words, as they were written, and those that they were taken for."""
    return f"Searched for {' and '.join(f'{meant} instead of {written}' for written, meant in taken)}."


class Slips:
    """How many slips lie between one misspelt word and others."""

    def __init__(self, word: str) -> None:
        self._written = (without_accents(word), fold(word))
        self._forms = tuple(dict.fromkeys(self._written))
        first = "".join(_WRITTEN.get(form[place], form[place]) for form in self._forms for place in (0, 1))
        self._words = re.compile(rf"(?<![^\W_])[{re.escape(first)}][^\W\d_]+(?![^\W_])", re.IGNORECASE)
        self._letters = frozenset(self._forms[0])
        self._long = len(word) >= _LONG
        self._nearly: dict[str, list[str]] = {}

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """How what was meant begins, in small letters without accents, unless the slip is one of `at_the_beginning`."""
        changed = (each for form in self._forms for each in _reordered(form)) if self._long else ()
        return tuple(dict.fromkeys(form[:_BEGINNING] for form in (*self._forms, *changed)))

    def at_the_beginning(self) -> list[str]:
        """Whatever may have been meant, where the slip is in the first letters; small letters without accents."""
        found = dict.fromkeys(each for form in self._forms for each in _one_slip(form, _BEGINNING + 1))
        return [each for each in found if not each.startswith(self.beginnings)]

    def from_beginning(self, stem: str) -> int | None:
        """How far a stem is from a beginning of the word, in letters; None where nothing that begins so was meant."""
        # The last letter of a stem need not be that of the word.
        known = stem[:-1] if len(stem) > _SHORTEST else stem
        most = 2 if self._long else 1
        least = most + 1
        for form in self._forms:
            if sum((Counter(known) - Counter(form)).values()) <= most:
                least = min(least, _to_beginning(known, form))
        return least if least <= most else None

    def words_in(self, text: str) -> list[str]:
        """The words of a text that begin with the same letter, or with the second one."""
        return self._words.findall(text)

    def to(self, other: str) -> int | None:
        """How surely the word was meant to be another one, however umlauts are spelt; None: it was not.

        0 is another spelling, 1 a slip; 2 are two slips, or one in another form of the word.
        """
        plain = without_accents(other)
        # Most words have other letters: only the rest is worth a closer look.
        if len(self._letters.symmetric_difference(plain)) > _MOST_OTHER_LETTERS:
            return None
        pairs = list(dict.fromkeys(zip(self._written, (plain, fold(other)), strict=True)))
        if any(form == each for form, each in pairs):
            return 0
        if any(_is_slip(form, each) for form, each in pairs):
            return 1
        if any(_is_slip(*map(_without_ending, pair)) for pair in pairs):
            return 2
        return 2 if self._long and self._two(pairs) else None

    def fewest(self, distance: int) -> int:
        """In how many texts at least another word has to stand, with what `to` gave for it.

        One may well have a slip or a rare word itself.
        """
        return 1 if distance < 2 and len(self._forms[0]) > _SHORT else 2

    def _two(self, pairs: Sequence[tuple[str, str]]) -> bool:
        if not self._nearly:
            self._nearly = {form: list(_one_slip(form, len(form), sure=False)) for form in self._forms}
        return any(
            _is_slip(between, each, sure=False)
            for form, each in pairs
            if abs(len(each) - len(form)) <= 2 and each.startswith(self.beginnings)
            for between in self._nearly[form]
        )


def _without_ending(word: str) -> str:
    """What is left of a word without the ending of one of its forms, where that is long enough to be told by it."""
    return next(
        (word.removesuffix(end) for end in _ENDINGS if word.endswith(end) and len(word) - len(end) > _SHORT), word
    )


def _reordered(word: str) -> Iterator[str]:
    """The spellings with the same letters in the beginning: one doubled, or no more, or two swapped."""
    for at in range(1, _BEGINNING):
        yield word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
        yield word[:at] + word[at - 1 :]
        if word[at] == word[at - 1]:
            yield word[:at] + word[at + 1 :]


def _one_slip(word: str, end: int, *, sure: bool = True) -> Iterator[str]:
    """Every spelling that one slip before this place makes, each once."""
    return (each for each in dict.fromkeys(_edited(word, end)) if _is_slip(word, each, sure=sure))


def _edited(word: str, end: int) -> Iterator[str]:
    for at in range(1, min(end, len(word) - 1) + 1):
        yield word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
        yield word[:at] + word[at + 1 :]
    for at in range(1, min(end, len(word)) + 1):
        for letter in string.ascii_lowercase:
            yield word[:at] + letter + word[at:]
            yield word[:at] + letter + word[at + 1 :]


def _to_beginning(stem: str, word: str) -> int:
    """How many letters have to be changed, taken out or put in to make the stem a beginning of the word."""
    last = list(range(len(word) + 1))
    for place, letter in enumerate(stem, 1):
        row = [place]
        for at, other in enumerate(word, 1):
            row.append(min(last[at] + 1, row[at - 1] + 1, last[at - 1] + (letter != other)))
        last = row
    return min(last)


def _is_slip(written: str, meant: str, *, sure: bool = True) -> bool:
    """Whether one slip makes a word of another one; `sure`: in a long word any letter may stand for any other."""
    if written == meant or abs(len(written) - len(meant)) > 1:
        return False
    at = next((place for place, (a, b) in enumerate(zip(written, meant, strict=False)) if a != b), -1)
    at = min(len(written), len(meant)) if at < 0 else at
    if len(written) == len(meant):
        if written[at : at + 2] == meant[at : at + 2][::-1] and written[at + 2 :] == meant[at + 2 :]:
            return True
        return at > 0 and written[at + 1 :] == meant[at + 1 :] and _stands_for(written, meant, at, sure=sure)
    longer, shorter = (written, meant) if len(written) > len(meant) else (meant, written)
    if at == 0 or longer[at + 1 :] != shorter[at:]:
        return False
    if longer[at] == longer[at - 1]:
        return True
    if at == len(shorter):
        return longer is meant and longer[at] not in _INFLECTING
    if len(written) <= _SHORT and at == len(longer) - 2 and longer[-1] in "ens":
        # `Regen` and `Regeln`: one ending for another.
        return False
    if longer is meant or len(written) > _SHORT:
        return True
    return len(meant) >= _SHORTEST and not _NEAR.isdisjoint(map(frozenset, pairwise(longer[at - 1 : at + 2])))


def _stands_for(written: str, meant: str, at: int, *, sure: bool) -> bool:
    if len(written) <= _SHORTEST:
        return False
    one, other = written[at], meant[at]
    near = frozenset((one, other)) in _NEAR
    if at == len(written) - 1:
        return near and not {one, other} <= _INFLECTING
    # The wrong one of two letters was doubled: `vaccum`.
    if near or (one == written[at - 1] and other == meant[at + 1]):
        return True
    return len(written) > _SHORT and ((one in _VOWELS and other in _VOWELS) or (sure and len(written) >= _SURE))
