"""Names of columns that are put together of the beginnings of words: hinc of household income, cpi, realgdp."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations, takewhile

LONGEST_SHORT_NAME = 24
"""Letters up to which a name is taken for one that shortens words."""

_NO_SHORT_NAMES = frozenset(["id", "no", "nr", "idx", "key", "row"])
_VOWELS = re.compile(r"[aeiouäöüáàâéèêíîóôúû]")


def letters_of(name: str) -> str:
    """The letters of a name in lower case: `hs_grad` is hsgrad."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def spells(words: Sequence[Sequence[str]], letters: str) -> bool:
    """Whether the letters of a name are made of a beginning of each of two to four words, in any order of two or three.

    Each word is given with the words that may stand for it. Initials alone make a name of at least two letters.
    """
    if not 2 <= len(words) <= 4 or not len(words) <= len(letters) <= LONGEST_SHORT_NAME or letters in _NO_SHORT_NAMES:
        return False
    if len(letters) == len(words):
        # Initials stand in the order of their words, and mean these words, not others for the same.
        return all(word[0].startswith(letter) for word, letter in zip(words, letters, strict=True))
    orders = permutations(words) if len(words) <= 3 else iter([words])
    return any(_made_of(order, letters, 0) for order in orders)


def _made_of(words: Sequence[Sequence[str]], letters: str, longest: int) -> bool:
    """Whether the letters are a piece of each of these words, one of at least three letters among them all."""
    if not words:
        return not letters and longest >= 3
    # What is short stands first: p and size, h and inc, av and yrs.
    for size in range(1 if longest < 3 else 3, len(letters) - len(words) + 2):
        piece = letters[:size]
        # A letter or two are those of the word that was said, not of others that mean the same.
        some = words[0] if size >= 3 else [each for each in words[0] if each in (words[0][0], piece)]
        if any(shortens(piece, each) for each in some) and _made_of(words[1:], letters[size:], max(size, longest)):
            return True
    return False


def shortens(piece: str, word: str) -> bool:
    """Whether a piece is how a word begins, its consonants in their order, or a form of it: govt, qty, activity."""
    if word.startswith(piece):
        return True
    if is_form(piece, word):
        return True
    if len(piece) < 3 or piece[0] != word[:1] or len(_VOWELS.findall(piece)) > 1 or len(piece) > len(word):
        return False
    if _VOWELS.search(piece[:-1] if piece[-1] == word[-1] else piece) and piece[:2] != word[:2]:
        return False
    rest = iter(word)
    return all(letter in rest for letter in piece)


def is_form(one: str, other: str) -> bool:
    """Whether two words are made of the same one: arrive and arrival, violent and violence."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return common >= 5 and common * 10 > 7 * max(len(one), len(other))
