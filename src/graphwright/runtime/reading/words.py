"""Folding and words: how two spellings of the same text are made comparable, without losing the place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_PLAIN = {
    **dict.fromkeys("‘’‚‛`´ʼ′", "'"),
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\t\n\r\v\f\u2028\u2029", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\ufe0f", ""),
    "²": "^2",
    "³": "^3",
    "⁄": "/",
    "×": "x",
    "ı": "i",
    "ø": "o",
    "ł": "l",
    "œ": "oe",
    "æ": "ae",
}
_WORD = re.compile(r"[^\W_]+")
_GAPS = re.compile(r"[\W_]+")
_MOST_TRIES = 200
_MOST_JOINED = 3


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word and the place in the original text where it stands (`end` is exclusive)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. `places[i]` is the index in the original of the folded character `i`; it has one entry more."""

    text: str
    places: Sequence[int]

    def words(self) -> Iterator[Word]:
        """Its words in order: runs of letters and digits."""
        for match in _WORD.finditer(self.text):
            yield Word(match[0], self.places[match.start()], self.end(match.end()))

    def end(self, index: int) -> int:
        """The exclusive end in the original of a stretch that ends at `index` in the folded text."""
        return self.places[index - 1] + 1 if index else 0


@lru_cache(maxsize=8192)
def _fold_character(character: str) -> str:
    if character in _PLAIN:
        return _PLAIN[character]
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    spread = unicodedata.normalize("NFKD", character.casefold())
    kept = "".join(_PLAIN.get(part, part) for part in spread if not unicodedata.combining(part))
    return kept.casefold()


def fold_keeping_places(text: str) -> Folded:
    """`text` without case, accents, width and typographic variants, with the way back to the original places."""
    if text.isascii():
        return Folded(text.lower().translate(_ASCII_SPACES), range(len(text) + 1))
    parts = [_fold_character(character) for character in text]
    folded = "".join(parts)
    if len(folded) == len(parts) and all(parts):
        return Folded(folded, range(len(text) + 1))
    places = [index for index, part in enumerate(parts) for _ in part]
    places.append(len(text))
    return Folded(folded, places)


_ASCII_SPACES = {ord(c): " " for c in "\t\n\r\v\f"}


def fold(text: str) -> str:
    """`text` without case, accents, width and typographic variants: `Größe` and `GROSSE` become `grosse`."""
    return fold_keeping_places(text).text


def words_of(text: str) -> list[str]:
    """The folded words of `text`: runs of letters and digits, so that `LED-Lampe` is two of them."""
    return _WORD.findall(fold(text))


def vocabulary(text: str) -> frozenset[str]:
    """A closed vocabulary, written as folded words between spaces."""
    return frozenset(text.split())


def counted(text: str, first: int = 0) -> dict[str, int]:
    """Words between spaces, numbered from `first` on."""
    return {word: number for number, word in enumerate(text.split(), first)}


def phrases(text: str) -> frozenset[tuple[str, ...]]:
    """A closed vocabulary of phrases, written as folded words between commas."""
    return frozenset(tuple(phrase.split()) for phrase in text.split(",") if phrase.strip())


def is_spaced(character: str) -> bool:
    """Whether the script of `character` puts spaces between words (Chinese, Japanese and Thai do not)."""
    code = ord(character)
    return code < 0x0E00 or 0x10A0 <= code < 0x1780 or 0x1E00 <= code < 0x2E80 or 0xAC00 <= code < 0xD7B0


def distance(left: str, right: str, limit: int) -> int:
    """Edits between two words (insert, delete, replace, swap neighbours); `limit + 1` when there are more."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    if left == right:
        return 0
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        now = [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        if min(now) > limit:
            return limit + 1
        before, row = row, now
    return min(row[-1], limit + 1)


def is_typo_of(word: str, meant: str) -> bool:
    """Whether `word` looks like a slip for `meant`: one edit from 5 letters on, two from 9 on, same first letter."""
    if word == meant:
        return True
    if len(meant) < 5 or len(meant) > 40 or not word or any(c.isdigit() for c in word + meant):
        return False
    swapped_start = word[:2] == meant[1::-1]
    if word[0] != meant[0] and not swapped_start:
        return False
    limit = 2 if len(meant) >= 9 else 1
    return distance(word, meant, limit) <= limit


_SUFFIXES = ("ings", "ing", "ern", "est", "ed", "es", "en", "er", "em", "ly", "s", "e", "n")


def stem(word: str) -> str:
    """`word` without the commonest endings of English and German: `lights` is `light`, `Lampen` is `lamp`.

    What is left has at least 4 letters, 3 before a plural `s`.
    """
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= (3 if suffix == "s" else 4):
            return word[: -len(suffix)]
    return word


_UNMAKING_STARTS = ("un", "in", "im", "ir", "non", "dis", "nicht", "anti")
_UNMAKING_ENDS = (
    "los",
    "lose",
    "losen",
    "loser",
    "loses",
    "frei",
    "freie",
    "freien",
    "freier",
    "freies",
    "less",
    "free",
)


def is_form_of(word: str, meant: str) -> bool:
    """Whether the folded `word` is evidence for the folded `meant`.

    It is when both are equal or share a stem, when one begins with the other (from 4 letters on), when `word` is a
    compound with `meant` as its first or last part (from 5 letters on: `tennisplatz` and `platz`), or when it is a
    typo of it. It is not when what is left over turns the meaning round (`unhappy`, `hopeless`).
    """
    if word == meant:
        return True
    if any(c.isdigit() for c in word + meant):
        return False
    shorter, longer = sorted((word, meant), key=len)
    if longer.startswith(shorter):
        rest = longer[len(shorter) :]
        return (len(shorter) >= 4 and rest not in _UNMAKING_ENDS) or stem(word) == stem(meant)
    for whole, part in ((word, meant), (stem(word), stem(meant))):
        if len(meant) >= 5 and len(whole) > len(part) and whole.endswith(part):
            return whole[: -len(part)] not in _UNMAKING_STARTS
    if stem(word) == stem(meant):
        return True
    return is_typo_of(word, meant)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text: `start` inclusive, `end` exclusive."""

    start: int
    end: int


def places_of(quote: str, message: Folded, most: int = 50) -> list[Stretch]:
    """Where `quote` stands in `message`, in order: the same words with nothing but spaces or marks between them.

    A quote without words (an emoji) is looked for as it is. Linear in the length of the message.
    """
    tokens = words_of(quote)
    if not tokens or not (is_spaced(tokens[0][0]) and is_spaced(tokens[-1][-1])):
        return _literal_places_of(fold(quote).strip(), message, most)
    # One find over evened-out text instead of a pattern with gaps, which repetitive texts make quadratic.
    even = f" {_GAPS.sub(' ', message.text).strip()} "
    wanted = f" {' '.join(tokens)} "
    firsts: list[int] = []
    passed = counted = 0
    at = even.find(wanted)
    while at >= 0 and len(firsts) < most:
        counted += even.count(" ", passed, at)
        passed = at
        firsts.append(counted)
        at = even.find(wanted, at + 1)
    return _stretches(message, firsts, len(tokens))


def _stretches(message: Folded, firsts: Sequence[int], size: int) -> list[Stretch]:
    """The stretches of `size` words that begin at the given word counts, which are in order."""
    if not firsts:
        return []
    ends = {first + size - 1 for first in firsts}
    edges = {*firsts, *ends}
    at: dict[int, re.Match[str]] = {}
    for count, match in enumerate(_WORD.finditer(message.text)):
        if count in edges:
            at[count] = match
        if len(at) == len(edges):
            break
    return [Stretch(message.places[at[first].start()], message.end(at[first + size - 1].end())) for first in firsts]


def _literal_places_of(bare: str, message: Folded, most: int) -> list[Stretch]:
    found: list[Stretch] = []
    at = message.text.find(bare) if bare else -1
    while at >= 0 and len(found) < most:
        found.append(Stretch(message.places[at], message.end(at + len(bare))))
        at = message.text.find(bare, at + len(bare))
    return found


def joined_place_of(quote: str, message: Folded) -> Stretch | None:
    """Where `quote` stands in `message` when spaces and marks inside are ignored (`200 W` in `200W`), or None.

    It has at least 3 letters and digits, and no word begins before it or ends behind it.
    """
    bare = "".join(words_of(quote))
    if len(bare) < 3:
        return None
    packed = _GAPS.sub("", message.text)
    at = packed.find(bare)
    for _ in range(_MOST_JOINED):
        if at < 0:
            break
        place = _unpacked(message, at, len(bare))
        if place is not None:
            return place
        at = packed.find(bare, at + 1)
    return None


def _unpacked(message: Folded, at: int, size: int) -> Stretch | None:
    """The stretch of whole words that holds `size` letters and digits from the one numbered `at` on."""
    passed = 0
    start = -1
    for match in _WORD.finditer(message.text):
        if start < 0 and passed == at:
            start = match.start()
        passed += match.end() - match.start()
        if start < 0 and passed > at:
            return None
        if start >= 0 and passed >= at + size:
            return Stretch(message.places[start], message.end(match.end())) if passed == at + size else None
    return None


def loose_place_of(quote: str, message: Folded) -> Stretch | None:
    """Where the words of `quote` stand in `message` in the same order, with few others in between, or None."""
    tokens = words_of(quote)
    if not tokens:
        return None
    words = list(message.words())
    reach = 2 * len(tokens) + 4
    starts = [at for at, word in enumerate(words) if word.text == tokens[0]][:_MOST_TRIES]
    for first in starts:
        at = first
        for token in tokens[1:]:
            at += 1
            while at < len(words) and at - first <= reach and words[at].text != token:
                at += 1
            if at >= len(words) or at - first > reach:
                break
        else:
            return Stretch(words[first].start, words[at].end)
    return None
