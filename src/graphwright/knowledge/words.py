"""Words as the index compares them: runs of letters and digits, and the stems of German ones.

English is stemmed by the tokenizer of the index. German is brought to stems here, before the index sees it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from graphwright.text.folding import fold

LETTERS = re.compile(r"[^\W\d_]+")
"""A run of letters."""

RUN = re.compile(r"[^\W_]+")
"""A run of letters and digits, as the tokenizer of the index takes them."""

_ENDINGS = ("ungen", "heiten", "keiten", "lichen", "ung", "heit", "keit", "ern", "em", "en", "er", "es", "e", "s", "n")
_LEAST = 4
"""Letters that a stem has at least."""

_S_AFTER = frozenset("bdfghklmnrt")


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
